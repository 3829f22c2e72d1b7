"""The raw data of a table as one JSON object: every finished piece, the plan, and where they come from."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from piquet_env import Rules
from piquet_env.arena.provenance import Facts, about_playout, origin
from piquet_env.envs.auctions import stored_deals
from training.config import as_dict
from training.table.pieces import KINDS, RUNS, Folder
from training.table.plan import NAME, PlanError

FORMAT = "piquet-table/1"
JSON = "table.json"
_NEEDED = {"format", "plan", "configs", "budgets", "playouts", "expected", "code", "finished", "provenance", "pieces"}


def collected(folder: Folder, command: str) -> dict[str, Any]:
    """The JSON object of what is finished. Raises PlanError."""
    codes: list[Any] = []
    pieces, dates = [], []
    for piece in folder.pieces:
        kept = folder.finished(piece)
        if kept is None:
            continue
        if kept["code"] not in codes:
            codes.append(kept["code"])
        dates.append(kept["finished"])
        what = {"kind": piece.kind, "game": piece.game, "runs": [list(run) for run in piece.runs]}
        what |= {"against": piece.against} if piece.against else {}
        pieces.append({**what, **kept["result"], "seconds": kept["seconds"], "code": codes.index(kept["code"])})
    return {
        "format": FORMAT,
        "plan": json.loads(json.dumps(dataclasses.asdict(folder.plan))),
        "configs": _configs(folder),
        "budgets": {game: _budget(folder, game) for game in folder.plan.games},
        "playouts": {game: _playout(folder, game) for game in folder.plan.games},
        "expected": {kind: sum(piece.kind == kind for piece in folder.pieces) for kind in KINDS},
        "code": codes,
        "finished": max(dates, default=""),
        "provenance": origin(command, Facts({}, [])),
        "pieces": pieces,
    }


def _configs(folder: Folder) -> dict[str, dict[str, Any]]:
    """Every run's configuration in full, but for the seed: the first run's, and what is other in the rest."""
    found: dict[str, dict[str, Any]] = {}
    first: dict[str, Any] = {}
    for piece in folder.pieces:
        run = piece.runs[0]
        if piece.kind == RUNS and run.seed == folder.plan.seeds[0]:
            config = as_dict(folder.plan.config_of(piece.game, *run))
            del config["seed"]
            first = first or config
            name = f"{piece.game}/{run.algorithm}"
            found[name] = {n: v for n, v in config.items() if not found or first[n] != v}
    return found


def _budget(folder: Folder, game: str) -> int:
    return folder.plan.config_of(game, next(iter(folder.plan.algorithms)), folder.plan.seeds[0]).decisions


def _playout(folder: Folder, game: str) -> dict[str, Any]:
    """How the deals of the matches are settled, where the auction alone is played."""
    config = folder.plan.config_of(game, next(iter(folder.plan.algorithms)), folder.plan.seeds[0])
    stored = folder.plan.games[game].stored or None
    return about_playout(config.episode, stored_deals(config.episode, Rules.make(config.rules), stored))


def written(made: Mapping[str, Any]) -> str:
    """The object as text, a line for each piece."""
    lines = ",\n  ".join(json.dumps(piece) for piece in made["pieces"])
    rest = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in made.items() if name != "pieces"]
    return "{\n" + ",\n".join(rest) + f',\n "pieces": [\n  {lines}\n ]\n}}\n'


def read_table(path: Path) -> dict[str, Any]:
    """The object in a file. Raises PlanError: it cannot be read, or is no table."""
    try:
        made = json.loads(path.read_text(encoding="utf-8"), parse_float=_finite, parse_constant=_finite)
    except OSError as error:
        raise PlanError(f"report: {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise PlanError(f"report: {path}: no JSON: {error}") from error
    if not isinstance(made, dict) or made.get("format") != FORMAT:
        raise PlanError(f"report: {path}: no table (expected {FORMAT})")
    if missing := _NEEDED - set(made):
        raise PlanError(f"report: {path}: it has no {', '.join(sorted(missing))}")
    games = made["plan"].get("games") if isinstance(made["plan"], dict) else None
    if not isinstance(games, dict) or not all(NAME.fullmatch(name) for name in games):
        raise PlanError(f"report: {path}: plan: games: expected names of letters, digits and underscores")
    return made


def _finite(text: str) -> float:
    """Raises ValueError."""
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text} is no finite number")
    return number
