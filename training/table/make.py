"""How each piece of a table is made."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from piquet_env.arena.command import GameProgress
from piquet_env.arena.match import play_match
from piquet_env.arena.provenance import code_version
from piquet_env.arena.statistics import mean_with_interval, pair_values
from piquet_env.bots import load_bot
from piquet_env.exact import exploitability
from training.bot import NetworkBot, load_network_bot
from training.commands import new_trainer, saved
from training.curves import EXPLOITABILITY, measured_points
from training.exploit import plan_of
from training.exploit_command import run_budget
from training.runlog import read_log
from training.table.pieces import CROSS, EXACT, MATCHES, RESPONSES, RUNS, Folder, Piece, settings_of
from training.train import CHECKPOINT, LOG, run, stop_on_signal
from training.trainer import Trainer

Result = dict[str, Any]


def make(folder: Folder, piece: Piece, console: Console) -> Result | None:
    """Make a piece, or go on with it, and keep it: all that is kept. None: it was stopped on the way, and saved.

    Raises:
        ConfigError, CheckpointError, TrainingError, BotError, OSError: what `piquet train` and others refuse.
        KeyboardInterrupt: stopped, and nothing of it is kept.
    """
    began = time.monotonic()
    result = _MAKERS[piece.kind](folder, piece, console)
    if result is None:
        return None
    kept = {
        "settings": settings_of(folder.plan, piece),
        "result": result,
        # Of what was trained, the time that all of it took, although it may have been stopped on the way.
        "seconds": round(result.pop("seconds", time.monotonic() - began), 2),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "code": code_version(),
    }
    folder.keep(piece, kept)
    return kept


def _run(folder: Folder, piece: Piece, console: Console) -> Result | None:
    """A run, as `piquet train` makes it."""
    place, config = folder.of(piece), folder.plan.config_of(piece.game, *piece.runs[0])
    if (place / CHECKPOINT).exists():
        trainer = Trainer.restored(saved(place, config, console), place)
    else:
        trainer = new_trainer(config)
    if not run(trainer, place, console):
        return None
    measures = [*config.opponents, *([EXPLOITABILITY] if config.exploitability else [])]
    curves = {measure: measured_points(place, measure) for measure in measures}
    rate = rate_of(place / LOG)
    return {
        "decisions": trainer.decisions,
        "threads": trainer.processes.threads,
        "decisions_per_second": rate,
        "chosen_at": trainer.best["decisions"],
        "weights": [load_network_bot(folder.bot(piece.game, piece.runs[0])).sha256],
        "curves": {m: {str(at): round(value, 4) for at, value in points.items()} for m, points in curves.items()},
        **({"seconds": trainer.decisions / rate} if rate else {}),
    }


def rate_of(log: Path) -> float | None:
    """Decisions per second, evaluations included: what is logged is counted from the last start, so the median."""
    rates = [entry["decisions_per_second"] for entry in read_log(log) if entry["kind"] == "update"]
    return round(statistics.median(rates), 1) if rates else None


def _match(folder: Folder, piece: Piece, _: Console) -> Result:
    """The bot of a run against another, on duplicate deals."""
    config, settings = folder.plan.config_of(piece.game, *piece.runs[0]), settings_of(folder.plan, piece)
    files = [folder.bot(piece.game, run) for run in piece.runs]
    own = [load_network_bot(file) for file in files]
    bots = (own[0], own[1] if piece.kind == CROSS else load_bot(piece.against))
    names = (str(files[0]), str(files[1]) if piece.kind == CROSS else piece.against)
    deals, seed = settings["deals"], settings["evaluation_seed"]
    stored = folder.plan.games[piece.game].stored or None
    with GameProgress(2 * deals) as progress:
        match = play_match(
            *bots, config.rules, deals, seed, config.episode, names=names, progress=progress.advance, deals=stored
        )
    points = mean_with_interval(pair_values(match))
    result = {"mean": points.mean, "interval": [points.low, points.high], "deals": deals, "evaluation_seed": seed}
    return _rounded(result) | {"weights": [bot.sha256 for bot in own]}


def _response(folder: Folder, piece: Piece, console: Console) -> Result | None:
    """What a best response gains that was learnt as `piquet exploit` does it."""
    settings, (config, start) = settings_of(folder.plan, piece), folder.plan.response_of(piece.game, piece.runs[0].seed)
    file = folder.bot(piece.game, piece.runs[0])
    bot, seed = load_network_bot(file), settings["evaluation_seed"]
    budgets = (settings["decisions"],)
    plan = replace(plan_of(str(file), bot, config, budgets, start), report_seed=seed)
    with stop_on_signal() as stopped:
        found = run_budget(plan, *budgets, folder.of(piece), console, stopped)
    if found is None:
        return None
    rate = rate_of(folder.of(piece) / LOG)
    result = {"mean": found["gain"], "interval": found["interval"], "deals": settings["deals"], "evaluation_seed": seed}
    result = _rounded(result) | {"decisions": found["decisions"], "chosen_at": found["chosen_at"], "start": start}
    result |= {"response": found["response"]["sha256"], "weights": [bot.sha256]}
    return result | ({"seconds": found["decisions"] / rate} if rate else {})


def _exact(folder: Folder, piece: Piece, console: Console) -> Result:
    """Exact exploitability."""
    bot: NetworkBot = load_network_bot(folder.bot(piece.game, piece.runs[0]))
    rules = folder.plan.config_of(piece.game, *piece.runs[0]).rules
    with console.status("walking through the whole game"):
        # One dealer will do: the network does not see the seats' numbers.
        found = exploitability(bot, rules, dealers=(0,)).exploitability
    return {"mean": round(found, 5), "weights": [bot.sha256]}


def _rounded(result: Result) -> Result:
    return result | {"mean": round(result["mean"], 4), "interval": [round(bound, 4) for bound in result["interval"]]}


_MAKERS: dict[str, Callable[[Folder, Piece, Console], Result | None]] = {
    RUNS: _run,
    MATCHES: _match,
    CROSS: _match,
    RESPONSES: _response,
    EXACT: _exact,
}
