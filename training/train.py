"""A training run, from top to bottom: config, environment and network, rollout and update, evaluate, log."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console

from piquet_env.arena.match import Match, play_match
from piquet_env.arena.provenance import provenance
from piquet_env.arena.report import report, write_rows
from piquet_env.arena.statistics import summary
from piquet_env.bots.registry import load_bot
from piquet_env.files import whole_file
from training.bot import NetworkBot
from training.config import as_dict
from training.runlog import RunLog, TrainingProgress, plot_learning_curve, results_table
from training.trainer import Trainer

CHECKPOINT = "checkpoint.pt"
CONFIG = "config.yaml"
CURVE = "learning_curve.png"
LOG = "log.jsonl"
RESULTS = "results.json"
DEALS = "deals.csv"

# Of evaluation deals. Those of the curve are played again and again; those at the end once.
CURVE_SEED, FINAL_SEED = 1, 2


def run(trainer: Trainer, folder: Path, console: Console) -> bool:
    """Train to the end of the budget and measure the result, or stop at Ctrl-C. True when the budget is spent."""
    with whole_file(folder / CONFIG) as file:
        file.write_text(yaml.safe_dump(as_dict(trainer.config), sort_keys=False), encoding="utf-8")
    with stop_on_signal() as stopped:
        learn(trainer, folder, console, stopped)
    trainer.save(folder / CHECKPOINT)
    plot_learning_curve(folder / LOG, folder / CURVE, trainer.config.play_first * trainer.config.decisions)
    if trainer.decisions < trainer.config.decisions:
        console.print(f"Stopped after {trainer.decisions:,} decisions and saved; --resume goes on.", highlight=False)
        return False
    console.print(results_table(final_evaluation(trainer, folder, console)))
    for name, what in ((CHECKPOINT, "the bot"), (CURVE, "learning curve"), (RESULTS, "results in full"), (LOG, "log")):
        console.print(f"{what:>16}: {folder / name}", highlight=False, soft_wrap=True)
    return True


def learn(trainer: Trainer, folder: Path, console: Console, stopped: Callable[[], bool]) -> None:
    """Rollout, update, log; now and then evaluate and save."""
    config = trainer.config
    log = RunLog(folder, trainer.decisions)
    if trainer.decisions == 0:
        with console.status("measuring the untrained policy"):
            measure(trainer, log, console)
    began_with, began = trainer.decisions, time.monotonic()
    with TrainingProgress(console, config.decisions, trainer.decisions) as progress:
        while trainer.decisions < config.decisions and not stopped():
            before = trainer.decisions
            figures = trainer.step()
            figures["decisions_per_second"] = (trainer.decisions - began_with) / (time.monotonic() - began)
            log.update(figures)
            progress.update(figures)
            if is_due(config.evaluate_every, before, trainer):
                measure(trainer, log, console)
            if is_due(config.checkpoint_every, before, trainer):
                trainer.save(folder / CHECKPOINT)
    log.close()


def is_due(every: int, before: int, trainer: Trainer) -> bool:
    """Whether a multiple of `every`, or the end of the budget, has just been passed."""
    return before // every != trainer.decisions // every or trainer.decisions >= trainer.config.decisions


def measure(trainer: Trainer, log: RunLog, console: Console) -> None:
    """A point of the learning curve."""
    results = [summary(match) for match in matches(trainer, trainer.config.evaluate_deals, CURVE_SEED)]
    log.evaluation(trainer.decisions, results)
    points = ", ".join(f"{result['points_per_deal']:+.1f} against {result['against']}" for result in results)
    console.print(f"{trainer.decisions:,} decisions, points per deal: {points}", highlight=False)


def matches(trainer: Trainer, deals: int, seed: int) -> list[Match]:
    """The present policy against each opponent, on duplicate deals fixed by `seed`."""
    bot, rules = NetworkBot(trainer.policy), trainer.config.rules
    return [
        play_match(bot, load_bot(name), rules, deals, seed, names=("the trained bot", name))
        for name in trainer.config.opponents
    ]


def final_evaluation(trainer: Trainer, folder: Path, console: Console) -> list[dict[str, Any]]:
    """Play the deals kept for the end; write the results in full, and every deal."""
    config = trainer.config
    with console.status(f"playing {config.final_deals:,} deals twice against each of {', '.join(config.opponents)}"):
        played = matches(trainer, config.final_deals, FINAL_SEED)
    bot = {str(folder / CHECKPOINT): NetworkBot(trainer.policy)}
    made = report(played, provenance(f"piquet train {folder / CONFIG}", bot))
    made["provenance"]["decisions"] = trainer.decisions
    with whole_file(folder / RESULTS) as file:
        file.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    write_rows(played, folder / DEALS)
    return made["results"]


@contextmanager
def stop_on_signal() -> Iterator[Callable[[], bool]]:
    """Ctrl-C and SIGTERM end the run after the present update; a second one at once."""
    asked: list[int] = []

    def ask(number: int, _: Any) -> None:
        asked.append(number)
        signal.signal(number, signal.default_int_handler)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
