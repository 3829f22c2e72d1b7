"""The command `piquet tournament`."""

from __future__ import annotations

import hashlib
import json as json_module
import math
import os
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from rich.console import Console

from piquet_env.arena.command import MOST_DEALS, OK, REFUSED, Bots, check_bots, read_rules
from piquet_env.arena.hall import hold
from piquet_env.arena.luck import ORDERS, can_be_measured
from piquet_env.arena.match import Match, match_deals
from piquet_env.arena.page import page
from piquet_env.arena.report import print_tournament, write_rows
from piquet_env.arena.run_folder import check_can_be_made, settings_of
from piquet_env.arena.schedule import BLOCK, Plan
from piquet_env.arena.task import PoolError
from piquet_env.arena.worker import cores
from piquet_env.envs.auctions import AUCTION
from piquet_env.files import write_text
from piquet_env.options import check_seed

FORFEIT = 150
"""Points for a deal lost by a fault: more than all but a few deals cost, so that no bot fails on purpose."""
MOVE_LIMIT = 60.0
_MOST = 10**9
_NAME_LENGTH = 60


def tournament(
    bots: Bots,
    pairs: int = 1000,
    seed: int = 0,
    rules: str = "auction",
    episode: Literal["deal", "partie", "auction"] = "deal",
    stored: Path | None = None,
    out: Path | None = None,
    workers: int | None = None,
    luck_orders: int = ORDERS,
    forfeit: int = FORFEIT,
    move_limit: float = MOVE_LIMIT,
    block: int = BLOCK,
    json: bool = False,
) -> int:
    """Play every two bots on the same deals, on all cores, and rank them.

    Killed or stopped, the same command goes on where it was; with more pairs it plays on. A bot that raises an error,
    gives no legal action, takes too long or ends the process loses that deal, and the tournament goes on. Exit status
    2: a bot cannot be loaded, or the rules, a number or the folder cannot be used.

    Args:
        bots: two or more of: random, greedy, base (a trained network), expert (also expert:fast, expert:slow),
            omniscient (cheats: it sees all cards), the path of a trained bot (.onnx, .safetensors, .pt, .npz, .zip),
            package.module:factory, one of these with +search behind it (search on top of its policy), or cmd:PROGRAM.
            One bot twice is played against itself.
        pairs: how many deals (or parties) for every two bots; each is played twice with the seats swapped.
        seed: fixes the deals and the bots' random numbers; these deals never come up in training.
        rules: a ruleset's name, or a JSON object of changed fields as in '{"base": "rubicon", "sinking": false}'.
        episode: deal; partie: whole parties with their payments; or auction: the auction alone, after which a fixed
            playout settles the deal (the bidding benchmark).
        stored: of auctions: a file of `piquet bidding make`, whose deals are played in their order; the seed then says
            who deals.
        out: folder for every deal (deals.csv) and the report (report.json, report.html). If none is given, one in
            the folder tournaments, named after the bots and the other settings.
        workers: processes; as many as there are cores if none is given. The result does not depend on it.
        luck_orders: other orders of the talon that each deal is compared with, to take the luck of the draw off the
            points; the deal is solved for each, about a millisecond. 0: no such estimate.
        forfeit: points that a bot loses with a deal in which it fails; a partie is lost with the deal.
        move_limit: seconds that a bot may think about a move. Asked for several games at once, it has a tenth more
            for each further one.
        block: pairs that are played at once, and kept together. A bot's random numbers depend on it.
        json: print one JSON object instead of tables.
    """
    try:
        plan = _plan(bots, seed, rules, episode, luck_orders, forfeit, move_limit, block)
        _check_numbers(pairs, workers)
        plan = replace(plan, stored=match_deals(episode, plan.rules, stored, pairs))
        folder = Path("tournaments") / _folder_name(plan) if out is None else out
        check_can_be_made(folder)
    except (ValueError, TypeError) as error:
        return _refuse(str(error))
    try:
        made = hold(plan, pairs, folder, cores() if workers is None else workers, _command(plan, pairs, stored))
    except (ValueError, PoolError) as error:
        return _refuse(str(error))
    except OSError as error:
        what = f"out: {error.filename or folder} cannot be written: {error.strerror}"
        return _refuse(f"{what}; the same command goes on with what has been played")
    return _show(*made, folder, json)


def _refuse(message: str) -> int:
    print(f"piquet tournament: {message}", file=sys.stderr)
    return REFUSED


def _plan(
    bots: tuple[str, ...],
    seed: int,
    rules: str,
    episode: str,
    luck_orders: int,
    forfeit: int,
    move_limit: float,
    block: int,
) -> Plan:
    """The plan, checked. Raises ValueError, TypeError."""
    check_bots(bots)
    made = read_rules(rules)
    _check_between("luck_orders", luck_orders, 0, 1000)
    _check_between("forfeit", forfeit, 0, _MOST)
    _check_between("block", block, 1, 100_000)
    if not 0 < move_limit < math.inf:
        raise ValueError(f"move_limit: expected more than 0 seconds, got {move_limit}")
    orders = luck_orders if can_be_measured(made) and episode != AUCTION else 0  # in which no card is drawn
    return Plan(bots, made, episode, check_seed(seed), block, forfeit, orders, float(move_limit))


def _check_numbers(pairs: int, workers: int | None) -> None:
    if pairs < 2:
        raise ValueError(f"pairs: expected at least 2, got {pairs}: an interval needs two")
    _check_between("pairs", pairs, 2, MOST_DEALS)
    if workers is not None:
        _check_between("workers", workers, 1, 1024)


def _check_between(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise ValueError(f"{name}: expected {low} to {high}, got {value}")


def _folder_name(plan: Plan) -> str:
    """The bots' names as far as a file may be called so, and a checksum of all settings."""
    words = "-".join(re.sub(r"[^A-Za-z0-9_.]+", "_", os.path.basename(bot)) for bot in plan.bots)
    settings = json_module.dumps(settings_of(plan, {}), sort_keys=True)
    return f"{words[:_NAME_LENGTH]}-{hashlib.sha256(settings.encode()).hexdigest()[:8]}"


def _command(plan: Plan, pairs: int, stored: Path | None) -> str:
    rules = plan.rules.spec()
    options = {
        "pairs": pairs,
        "seed": plan.seed,
        "rules": rules if isinstance(rules, str) else json_module.dumps(rules),
        "episode": plan.episode,
        "luck-orders": plan.orders,
        "forfeit": plan.forfeit,
        "move-limit": plan.move_limit,
        "block": plan.block,
        **({} if stored is None else {"stored": stored}),
    }
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return shlex.join(["piquet", "tournament", *plan.bots, *words])


def _show(matches: list[Match], made: dict[str, Any], folder: Path, json: bool) -> int:
    """Write the report into the folder and print it; what cannot be written is worth printing all the same."""
    fault = ""
    try:
        write_rows(matches, folder / "deals.csv")
        write_text(folder / "report.json", json_module.dumps(made, indent=1))
        write_text(folder / "report.html", page(made))
    except OSError as error:
        fault = f"out: {error.filename or folder} cannot be written: {error.strerror}"
    if json:
        print(json_module.dumps(made))
    else:
        print_tournament(made, Console())
        print(f"\nEvery deal and the report with plots: {folder}")
    return _refuse(fault) if fault else OK
