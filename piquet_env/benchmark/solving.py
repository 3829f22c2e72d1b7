"""How long the exact solver takes for a whole deal, from the first lead, with all cards known."""

from __future__ import annotations

import random
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.arena.worker import cores
from piquet_env.benchmark.measure import one_core
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.rules import Rules
from piquet_env.solver import api, deal_values

KINDS = ("plus", "minus", "classic")
OBJECTIVES: tuple[api.Objective, ...] = ("tricks", "score")
DEALS = 500
PIECES = len(OBJECTIVES) * (len(KINDS) + 1)
_SEED = 0


def measure_solver(progress: Callable[[str], object], deals: int = DEALS) -> dict[str, Any]:
    """Milliseconds for a deal on one core, and deals a second on all cores in one call, for each kind and objective.

    `progress` is called with a name before each of the `PIECES`.
    """
    rows = {kind: first_leads(kind, deals) for kind in KINDS}
    every = np.concatenate([*rows.values()])
    made: dict[str, Any] = {"deals": deals, "milliseconds": {}, "per_second": {}, "threads": cores()}
    for objective in OBJECTIVES:
        for kind in KINDS:
            progress(f"{kind} {objective}")
            made["milliseconds"][f"{kind} {objective}"] = _spread(_seconds(rows[kind], objective))
        progress(f"all {objective}")
        deal_values(every[:1], objective)
        begun = perf_counter()
        deal_values(every, objective, cores())
        made["per_second"][objective] = len(every) / (perf_counter() - begun)
    return made


def first_leads(kind: str, deals: int) -> NDArray[np.int64]:
    """Deals at the first lead, random until then, and always the same: int64 (deals, columns)."""
    rng, rows = random.Random(f"{_SEED} {kind}"), []
    rules = Rules.make("rubicon" if kind == "classic" else "auction").columns()
    for index in range(100 * deals):  # half of the contracts are of the other sign, and some deals thrown in
        row = np.zeros(at.COLUMNS, np.int64)
        game.new_game(row, rules, 0, _SEED, index)
        while row[at.PHASE] < at.PLAY:
            legal = game.legal_actions(row)
            game.apply_action(row, act.nth(legal, rng.randrange(act.count(legal))))
        if row[at.PHASE] == at.PLAY and row[at.IS_MINUS] == (kind == "minus"):
            rows.append(row)
        if len(rows) == deals:
            break
    return np.array(rows)


def _seconds(rows: NDArray[np.int64], objective: api.Objective) -> list[float]:
    """For each deal, one after the other on one core; what one needs to begin with is not counted."""
    solve = api.count_deals if objective == "tricks" else api.score_deals
    values, work, seconds = np.zeros(1, np.int64), api.workspace(), []
    solve(rows[:1], values, *api.workspace())
    with one_core():
        for i in range(len(rows)):
            begun = perf_counter()
            solve(rows[i : i + 1], values, *work)
            seconds.append(perf_counter() - begun)
    return seconds


def _spread(seconds: list[float]) -> dict[str, float]:
    taken = 1000 * np.array(seconds)
    return {"mean": float(taken.mean()), "p99": float(np.quantile(taken, 0.99)), "most": float(taken.max())}
