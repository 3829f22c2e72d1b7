"""The commands `piquet bidding make` and `check`, about the files of deals."""

from __future__ import annotations

import json as json_module
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from tyro.conf import arg

from piquet_env.arena.command import OK, REFUSED, GameProgress
from piquet_env.arena.provenance import Facts, origin
from piquet_env.bidding import PLAYOUT_VERSION, TEST, TRAIN, BiddingDeals, held_out_seed
from piquet_env.bidding.keeping import check_again, make_file
from piquet_env.files import LockedError
from piquet_env.notation import read_rules
from piquet_env.options import announce_compiling, check_seed

FOLDER = Path("runs", "bidding")
MOST_DEALS = 100_000_000
Output = Annotated[Path, arg(aliases=["-o"])]


def make(
    output: Output = FOLDER,
    seed: int = TRAIN.seed,
    train: int = TRAIN.number,
    test: int = TEST.number,
    rules: str = "auction",
    threads: int | None = None,
    json: bool = False,
) -> int:
    """Make the deals of the bidding benchmark.

    They go to train.npz and test.npz, each settled in every contract. Without options they are those of the benchmark
    itself, made in about twenty minutes of one core; if it is stopped, the same command goes on. Exit
    status 2: the rules, a number or a file cannot be used.

    Args:
        output: the folder for them.
        seed: an environment with this seed deals the training deals in this order; the test deals are those of no
            environment.
        train: how many deals to train on; 0: none.
        test: how many to test on; 0: none.
        rules: a ruleset's name, or a JSON object of changed fields as in '{"base": "auction", "sinking": false}'.
        threads: how many to use; if none is given, one for each core. The deals do not depend on it.
        json: print one JSON object instead of a table.
    """
    settings = {"output": output, "seed": seed, "train": train, "test": test, "rules": rules}
    words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    try:
        files = _make(output, check_seed(seed), train, test, rules, threads)
    except OSError as error:
        return _refuse("make", f"output: {error.filename or output} cannot be written: {error.strerror}")
    except (ValueError, TypeError, LockedError) as error:
        return _refuse("make", str(error))
    _tell(files, json, shlex.join(["piquet", "bidding", "make", *words]))
    return OK


def _make(output: Path, seed: int, train: int, test: int, rules: str, threads: int | None) -> list[dict[str, Any]]:
    """What the files hold. Raises ValueError, OSError, LockedError."""
    made_rules = read_rules(rules)
    for name, number in (("train", train), ("test", test)):
        if not 0 <= number <= MOST_DEALS:
            raise ValueError(f"{name}: expected 0 to {MOST_DEALS:,} deals, got {number}")
    if not train + test:
        raise ValueError("train, test: expected deals for one of them at least, got 0 for both")
    parts = [("test", test, held_out_seed(seed)), ("train", train, seed)]
    announce_compiling()
    found = []
    with GameProgress(train + test, what="deals") as progress:
        for name, number, its_seed in parts:
            if number:
                path = output / f"{name}.npz"
                deals = make_file(path, number, its_seed, made_rules, threads, progress.advance)
                found.append(_described(path, deals))
    return found


def _described(path: Path, deals: BiddingDeals) -> dict[str, Any]:
    """What a file holds, as a JSON object; "part": "train" or "test" of the benchmark, or null for other deals."""
    part = deals.part
    return {
        "file": str(path),
        "deals": len(deals),
        "bytes": path.stat().st_size,
        "rules": deals.rules.spec(),
        "seed": deals.seed,
        "first": deals.first,
        "playout": PLAYOUT_VERSION,
        "sha256": deals.checksum,
        "part": None if part is None else part.name,
    }


def check(file: Path, sample: int = 1000, threads: int | None = None, json: bool = False) -> int:
    """Check a file of deals.

    It is whole, and a sample of its deals comes out the same when made again. Exit status 2: it is not so, or there is
    no such file.

    Args:
        file: what `piquet bidding make` wrote.
        sample: so many deals are dealt and settled again, chosen at random.
        threads: how many to use; if none is given, one for each core.
        json: print one JSON object instead of a table.
    """
    try:
        deals = BiddingDeals.load(file)
        announce_compiling()
        with GameProgress(min(sample, len(deals)), what="deals") as progress:
            check_again(deals, sample, threads, progress.advance)
    except ValueError as error:
        return _refuse("check", str(error))
    _tell([_described(file, deals)], json, shlex.join(["piquet", "bidding", "check", str(file)]))
    return OK


def _refuse(name: str, message: str) -> int:
    print(f"piquet bidding {name}: {message}", file=sys.stderr)
    return REFUSED


def _tell(files: list[dict[str, Any]], json: bool, command: str) -> None:
    if json:
        print(json_module.dumps({"files": files, "provenance": origin(command, Facts({}, []))}))
        return
    table = Table()
    for place, title in enumerate(("file", "deals", "MB", "of the benchmark")):
        table.add_column(title, justify="right" if place in (1, 2) else "left", overflow="fold")
    for file in files:
        of_benchmark = "no: other deals" if file["part"] is None else f"yes: {file['part']}"
        table.add_row(escape(file["file"]), f"{file['deals']:,}", f"{file['bytes'] / 1e6:.2f}", of_benchmark)
    console = Console()
    console.print(table)
    for file in files:
        console.print(f"sha256 of {file['file']}: {file['sha256']}", highlight=False, markup=False, soft_wrap=True)
