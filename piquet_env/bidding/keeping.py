"""Making a file of deals, which may be killed and taken up again, and checking one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from piquet_env.bidding.deals import BiddingDeals, DealsError, check_has_auction, check_numbers
from piquet_env.bidding.making import settled_deals
from piquet_env.files import LOCK, LockedError, file_to_write, locked, remove_partial_files
from piquet_env.rules import Rules
from piquet_env.solver.api import number_of_threads

PART = 10_000
"""Deals that are kept together while a file is made: what a kill may lose, ten seconds or so of one core."""


def make_file(
    path: Path, number: int, seed: int, rules: Rules, threads: int | None, progress: Callable[[int], object]
) -> BiddingDeals:
    """Make the deals (`BiddingDeals.make`) and write them to a file; what was made before is not made again.

    Until the file is whole, its parts are in a folder beside it, which then goes away.

    Raises:
        DealsError: there is a file already, and it has not these deals.
        ValueError: bad numbers, rules without an auction, or no file can be written there.
        OSError: the folder or a file cannot be written.
        LockedError: another process is making this file.
    """
    check_has_auction(rules)
    check_numbers(number, seed, 0)
    number_of_threads(threads)
    folder = path.with_suffix(".parts")
    if path.exists():
        deals = _there_already(path, number, seed, rules)
        _remove_left(folder)
        progress(number)
        return deals
    if not path.parent.exists():
        path.parent.mkdir(parents=True)
    file_to_write("output", path)
    folder.mkdir(exist_ok=True)
    with locked(folder):
        remove_partial_files(folder)
        parts = [
            _part(folder, min(PART, number - first), seed, first, rules, threads, progress)
            for first in range(0, number, PART)
        ]
        deals = BiddingDeals.joined(parts)
        deals.save(path)
        _remove_parts(folder)
    return deals


def _remove_left(folder: Path) -> None:
    """Remove the parts of a file that is whole, if its maker was killed before he did."""
    if folder.is_dir():
        with contextlib.suppress(LockedError), locked(folder):
            _remove_parts(folder)


def _remove_parts(folder: Path) -> None:
    """Remove the parts, and the folder unless there is something else in it."""
    remove_partial_files(folder)
    for file in [*folder.glob(f"{'[0-9]' * 9}.npz"), folder / LOCK]:
        file.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder.rmdir()


def _part(
    folder: Path,
    number: int,
    seed: int,
    first: int,
    rules: Rules,
    threads: int | None,
    progress: Callable[[int], object],
) -> BiddingDeals:
    """These deals, which are then in the folder."""
    file = folder / f"{first:09}.npz"
    kept = _part_kept(file, number, seed, first, rules)
    if kept is not None:
        progress(number)
        return kept
    part = BiddingDeals.make(number, seed, first, rules, threads, progress)
    part.save(file)
    return part


def _there_already(path: Path, number: int, seed: int, rules: Rules) -> BiddingDeals:
    deals = BiddingDeals.load(path)
    if (deals.rules, deals.seed, deals.first, len(deals)) != (rules, seed, 0, number):
        raise DealsError(f"{path} has other deals: remove it, or give another folder")
    return deals


def _part_kept(path: Path, number: int, seed: int, first: int, rules: Rules) -> BiddingDeals | None:
    """The part in a file of an earlier run; None: there is none that is whole and of these deals."""
    with contextlib.suppress(DealsError):
        part = BiddingDeals.load(path)
        if (part.rules, part.seed, part.first, len(part)) == (rules, seed, first, number):
            return part
    return None


def check_again(deals: BiddingDeals, sample: int, threads: int | None, progress: Callable[[int], object]) -> None:
    """Make so many of the deals again, chosen at random, or all if there are fewer.

    Raises DealsError: one is another now. ValueError: no such number.
    """
    if sample < 1:
        raise ValueError(f"sample: expected at least 1 deal, got {sample}")
    places = np.sort(np.random.default_rng(0).choice(len(deals), min(sample, len(deals)), replace=False))
    arrays = settled_deals(deals.rules, deals.seed, deals.first + places, threads, progress)
    for name, made in zip(("hands", "talon", "scores"), arrays, strict=True):
        differs = (getattr(deals, name)[places] != made).reshape(len(places), -1).any(axis=1)
        if differs.any():
            place = places[differs.argmax()]
            expected, got = made[differs.argmax()].ravel().tolist(), getattr(deals, name)[place].ravel().tolist()
            raise DealsError(f"deal {deals.first + place}: {name}: expected {expected}, got {got}")
