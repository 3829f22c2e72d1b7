"""The pieces of a table: each has a folder of its own, is made by one process at a time, and kept when it is finished.

    runs/GAME/ALGORITHM-SEED/                     a run, as `piquet train` makes it
    matches/GAME/ALGORITHM-SEED-BOT/              its bot against a bot
    cross/GAME/ALGORITHM-SEED-ALGORITHM-SEED/     two runs' bots
    responses/GAME/ALGORITHM-SEED/                a best response, as `piquet exploit` makes it
    exact/GAME/ALGORITHM-SEED/                    exact exploitability

`piece.json` in the folder says what came of it, and with what it was made.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from piquet_env.bidding import BiddingDeals
from piquet_env.bidding.playout import PLAYOUT_VERSION
from piquet_env.envs.auctions import AUCTION
from piquet_env.files import LockedError, locked, remove_partial_files, write_text
from piquet_env.knowledge import VERSIONS
from training.config import ConfigError, as_dict, config_from, load_config
from training.table.plan import Plan, PlanError
from training.train import BOT, CHECKPOINT, CONFIG

RUNS, MATCHES, CROSS, RESPONSES, EXACT = KINDS = ("runs", "matches", "cross", "responses", "exact")
PIECE, PLAN = "piece.json", "plan.json"
_KEPT = {"piece", "settings", "result", "seconds", "finished", "code"}
_MATCH = {"mean": float, "interval": list, "deals": int, "weights": list}
_RESULTS = {
    RUNS: {"decisions": int, "threads": int, "decisions_per_second": float | None, "weights": list, "curves": dict},
    MATCHES: _MATCH,
    CROSS: _MATCH,
    RESPONSES: _MATCH,
    EXACT: {"mean": float, "weights": list},
}
"""What came of a piece has these at least."""
_SEEDS = 10**12


class Run(NamedTuple):
    """One of the runs of a game."""

    algorithm: str
    seed: int

    def __str__(self) -> str:
        return f"{self.algorithm}-{self.seed}"


@dataclass(frozen=True)
class Piece:
    """Something that is made by itself."""

    kind: str
    game: str
    runs: tuple[Run, ...]
    """Whose bots it needs; of a run, itself."""
    against: str = ""
    """The bot of a match."""

    @property
    def name(self) -> str:
        """Its folder, below that of the table."""
        words = [str(run) for run in self.runs]
        words += [re.sub("[^A-Za-z0-9]+", "-", self.against).strip("-")] if self.against else []
        return "/".join((self.kind, self.game, "-".join(words)))

    @property
    def needs(self) -> tuple[Piece, ...]:
        """What must be finished before it."""
        return () if self.kind == RUNS else tuple(Piece(RUNS, self.game, (run,)) for run in self.runs)


def pieces_of(plan: Plan) -> list[Piece]:
    """All pieces of a plan, runs first. Raises PlanError: two would have the same folder."""
    found: list[Piece] = []
    for kind in KINDS:
        for name in plan.games:
            found += _of_game(plan, kind, name)
    names = [piece.name for piece in found]
    for piece in found:
        if names.count(piece.name) > 1:
            raise PlanError(f"games: {piece.game}: opponents: two names are too alike: {piece.against!r} and another")
    return found


def _of_game(plan: Plan, kind: str, name: str) -> list[Piece]:
    game = plan.games[name]
    runs = [Run(algorithm, seed) for algorithm in plan.algorithms for seed in plan.seeds]
    if kind == MATCHES:
        return [Piece(kind, name, (run,), bot) for bot in game.opponents for run in runs]
    if kind == CROSS:
        pairs = itertools.combinations(runs, 2) if game.cross else ()
        return [Piece(kind, name, (a, b)) for a, b in pairs if a.algorithm != b.algorithm]
    wanted = {RUNS: True, RESPONSES: game.response is not None, EXACT: game.exact}[kind]
    return [Piece(kind, name, (run,)) for run in runs] if wanted else []


def evaluation_seed(plan: Plan, piece: Piece) -> int:
    """Of the deals of a match, which no other match has."""
    digest = hashlib.sha256(f"{plan.evaluation_seed} {piece.name}".encode()).digest()
    return int.from_bytes(digest[:8], "little") % _SEEDS


def settings_of(plan: Plan, piece: Piece) -> dict[str, Any]:
    """All that a piece depends on but for the bots of its runs, as a JSON object."""
    game, run = plan.games[piece.game], piece.runs[0]
    learnt = plan.config_of(piece.game, *run)
    playout = {"playout": PLAYOUT_VERSION} if learnt.episode == AUCTION else {}
    settings: dict[str, Any] = {"versions": VERSIONS | playout}
    if piece.kind == RUNS:
        return settings | {"network": plan.network, "config": as_dict(learnt)}
    if piece.kind in (MATCHES, CROSS):
        settings["deals"] = game.opponents[piece.against] if piece.kind == MATCHES else game.cross
        settings |= {"stored": _checksum(game.stored)} if game.stored else {}
    if piece.kind == RESPONSES:
        assert game.response is not None
        config, start = plan.response_of(piece.game, run.seed)
        settings |= {"decisions": game.response.decisions, "start": start, "deals": game.response.deals}
        settings["config"] = as_dict(config)
    return settings | ({} if piece.kind == EXACT else {"evaluation_seed": evaluation_seed(plan, piece)})


@cache
def _checksum(stored: str) -> str:
    return BiddingDeals.load(stored).checksum


class Folder:
    """The folder of a table."""

    def __init__(self, path: Path, plan: Plan):
        self.path, self.plan = path, plan
        self.pieces = pieces_of(plan)
        self._kept: dict[str, dict[str, Any]] = {}

    def begin(self) -> None:
        """Make the folder if it is not there, or see that what is there is of this plan. Raises PlanError, OSError."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PlanError(f"out: no folder can be made at {self.path}: {error.strerror or error}") from error
        if not (self.path / PLAN).exists() and any(not entry.name.startswith(".") for entry in self.path.iterdir()):
            raise PlanError(f"out: {self.path} holds other files; expected a new folder, an empty one or a table's")
        self.check()
        write_text(self.path / PLAN, json.dumps(dataclasses.asdict(self.plan), indent=1) + "\n")

    def check(self) -> None:
        """Raises PlanError: there is a piece of another plan."""
        known = {piece.name: piece for piece in self.pieces}
        for kind in KINDS:
            for place in (self.path / kind).glob("*/[!.]*"):
                name = place.relative_to(self.path).as_posix()
                if name not in known:
                    raise PlanError(f"out: {place} is of another plan: give another folder")
                self._check_begun(known[name])
        for piece in self.pieces:
            self.finished(piece)

    def _check_begun(self, piece: Piece) -> None:
        config = self.of(piece) / CONFIG
        if piece.kind != RUNS or not config.exists():
            return
        try:
            begun = as_dict(load_config(config))
        except ConfigError as error:
            raise PlanError(f"out: {error}") from error
        _compare(begun, as_dict(self.plan.config_of(piece.game, *piece.runs[0])), f"out: {self.of(piece)}")

    def of(self, piece: Piece) -> Path:
        """Where a piece is."""
        return self.path / piece.name

    def bot(self, game: str, run: Run) -> Path:
        """The file of the bot of a run that is measured."""
        return self.of(Piece(RUNS, game, (run,))) / (CHECKPOINT if self.plan.network == "last" else BOT)

    def finished(self, piece: Piece) -> dict[str, Any] | None:
        """What was kept of a piece; None: it is not finished. Raises PlanError: damaged, or of another plan."""
        if piece.name not in self._kept:
            kept = self._read(piece)
            if kept is None:
                return None
            self._kept[piece.name] = kept
        return self._kept[piece.name]

    def _read(self, piece: Piece) -> dict[str, Any] | None:
        file = self.of(piece) / PIECE
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
            if missing := _KEPT - set(kept):
                raise ValueError(f"it has no {', '.join(sorted(missing))}")
            settings, result = dict(kept["settings"]), dict(kept["result"])
            _check_kept(kept["seconds"], result, piece.kind)
        except FileNotFoundError:
            return None
        except (ValueError, TypeError) as error:
            raise PlanError(f"out: {file} is damaged ({error}): remove it, and it is made again") from error
        _compare(_renewed(settings), settings_of(self.plan, piece), f"out: {file}")
        for need, weights in zip(piece.needs, result.get("weights", ()), strict=False):
            of_run = self.finished(need)
            if of_run is None or of_run["result"]["weights"] != [weights]:
                raise PlanError(f"out: {file} is of another network than {need.name} now has: remove it")
        return kept

    def keep(self, piece: Piece, kept: dict[str, Any]) -> None:
        """A piece is finished. Raises OSError."""
        write_text(self.of(piece) / PIECE, json.dumps({"piece": piece.name, **kept}, indent=1) + "\n")

    @contextmanager
    def claimed(self, piece: Piece) -> Iterator[bool]:
        """Whether the piece is this process's own while the block lasts. Raises OSError."""
        self.of(piece).mkdir(parents=True, exist_ok=True)
        try:
            with locked(self.of(piece)):
                remove_partial_files(self.of(piece))
                yield True
        except LockedError:
            yield False


def _check_kept(seconds: Any, result: dict[str, Any], kind: str) -> None:
    """Raises TypeError."""
    for name, expected in {"seconds": float, **_RESULTS[kind]}.items():
        value = seconds if name == "seconds" else result.get(name)
        if not isinstance(value, expected) and not (expected in (float, float | None) and type(value) is int):
            raise TypeError(f"{name} is {value!r}")


def _renewed(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings whose configuration has the fields that were added since, with what was usual then."""
    if "config" not in settings:
        return settings
    try:
        return settings | {"config": as_dict(config_from(settings["config"]))}
    except ConfigError as error:
        raise PlanError(f"out: its configuration cannot be read: {error}") from error


def _compare(before: dict[str, Any], now: dict[str, Any], where: str) -> None:
    """Raises PlanError: they differ."""
    now = json.loads(json.dumps(now))
    for name in now | before:
        was, value = before.get(name), now.get(name)
        if name == "config" and isinstance(was, dict) and isinstance(value, dict):
            _compare(was, value, where)
        elif was != value:
            raise PlanError(f"{where} is of another plan: {name} was {was!r}, not {value!r}: give another folder")
