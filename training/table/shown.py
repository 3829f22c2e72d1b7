"""The results in a table's JSON object, asked by game and algorithm."""

from __future__ import annotations

from typing import Any

from piquet_env.arena.statistics import Interval
from training.curves import EXPLOITABILITY
from training.table.figures import over_seeds
from training.table.pieces import CROSS, EXACT, MATCHES, RESPONSES, RUNS

Made = dict[str, Any]
Results = list[dict[str, Any]]


class Measure:
    """A column: its title, and which results are in it."""

    def __init__(self, title: str, kind: str, against: tuple[str, ...] = ("",), form: str = "+.1f"):
        self.title, self.kind, self.against, self.form = title, kind, against, form

    def cell(self, found: Interval | None) -> str:
        """As it stands in the table."""
        if found is None:
            return ""
        return f"{found.mean:{self.form}} [{found.low:{self.form}}, {found.high:{self.form}}]"


class Shown:
    """The JSON object, asked by game and algorithm."""

    def __init__(self, made: Made):
        self.made, self.plan = made, made["plan"]
        self.algorithms: list[str] = list(made["plan"]["algorithms"])
        self.seeds: list[int] = list(made["plan"]["seeds"])
        self._pieces = {
            (p["kind"], p["game"], tuple(tuple(run) for run in p["runs"]), p.get("against", "")): p
            for p in made["pieces"]
        }

    def of_seeds(self, kind: str, game: str, algorithm: str, against: str = "") -> Results | None:
        """The results of every seed; None: one is not there yet."""
        found = [self.of_run(kind, game, algorithm, seed, against) for seed in self.seeds]
        there = [piece for piece in found if piece is not None]
        return there if there and len(there) == len(found) else None

    def of_run(self, kind: str, game: str, algorithm: str, seed: int, against: str = "") -> Made | None:
        """The result of one run, if it is there."""
        return self._pieces.get((kind, game, ((algorithm, seed),), against))

    def pairs(self, game: str, a: str, b: str) -> list[Results] | None:
        """The results of every pair of runs of two algorithms; None: one is not there yet."""
        found = [[self._pieces.get((CROSS, game, ((a, s), (b, t)), "")) for t in self.seeds] for s in self.seeds]
        there = [[piece for piece in line if piece is not None] for line in found]
        return there if there and all(len(line) == len(self.seeds) for line in there) else None

    def measures(self, game: str) -> list[Measure]:
        """The columns of a game's table."""
        here = self.plan["games"][game]
        opponents = list(here["opponents"])
        found = [Measure(f"against {bot}", MATCHES, (bot,)) for bot in opponents]
        found += [Measure("all of these", MATCHES, tuple(opponents))] if len(opponents) > 1 else []
        found += [Measure("best response gains", RESPONSES)] if here["response"] else []
        found += [Measure(EXPLOITABILITY, EXACT, form=".2f")] if here["exact"] else []
        return found

    def measured(self, measure: Measure, game: str, algorithm: str) -> Interval | None:
        """A cell; None: a result is not there yet."""
        strata = [self.of_seeds(measure.kind, game, algorithm, against) for against in measure.against]
        there = [stratum for stratum in strata if stratum is not None]
        return over_seeds(there) if len(there) == len(strata) else None

    def rate(self, game: str, algorithm: str) -> Interval | None:
        """Decisions a second."""
        runs = self.of_seeds(RUNS, game, algorithm)
        rates = [{"mean": run["decisions_per_second"]} for run in runs or () if run["decisions_per_second"]]
        return over_seeds([rates]) if rates else None
