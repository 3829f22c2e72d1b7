"""A training run, from top to bottom: config, environment and network, rollout and update, evaluate, log."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

from piquet_env.arena.match import play_match
from piquet_env.bots.registry import load_bot
from training.bot import NetworkBot
from training.config import TrainConfig
from training.runlog import RunLog, TrainingProgress, plot_learning_curve
from training.trainer import Trainer

CHECKPOINT = "checkpoint.pt"
CURVE = "learning_curve.png"
LOG = "log.jsonl"

CURVE_SEED, FINAL_SEED = 1, 2  # of evaluation deals: those of the curve are looked at often, those at the end once


def run(trainer: Trainer, folder: Path, console: Console) -> bool:
    """Run to the end of the budget, or to Ctrl-C; True when the budget is spent. The checkpoint is always current."""
    config = trainer.config
    log = RunLog(folder, trainer.decisions)
    with stop_on_signal() as stopped, TrainingProgress(console, config.decisions, trainer.decisions) as progress:
        started, already = time.monotonic(), trainer.decisions
        if trainer.decisions == 0:
            log.evaluation(0, measure(trainer, config.evaluate_deals, CURVE_SEED))
        while trainer.decisions < config.decisions and not stopped():
            before = trainer.decisions
            figures = trainer.step()
            rate = (trainer.decisions - already) / (time.monotonic() - started)
            log.update({**figures, "decisions_per_second": rate})
            progress.update({**figures, "decisions_per_second": rate})
            if is_due(config.evaluate_every, before, trainer.decisions, config.decisions):
                log.evaluation(trainer.decisions, measure(trainer, config.evaluate_deals, CURVE_SEED))
            if is_due(config.checkpoint_every, before, trainer.decisions, config.decisions):
                trainer.save(folder / CHECKPOINT)
    trainer.save(folder / CHECKPOINT)
    log.close()
    plot_learning_curve(folder / LOG, folder / CURVE)
    return trainer.decisions >= config.decisions


def is_due(every: int, before: int, after: int, total: int) -> bool:
    """Whether a multiple of `every`, or the end of the budget, lies between the two counts of decisions."""
    return before // every != after // every or before < total <= after


def measure(trainer: Trainer, deals: int, seed: int) -> list[dict[str, Any]]:
    """Points per deal of the present policy against each opponent, on duplicate deals fixed by `seed`."""
    bot = NetworkBot(trainer.policy)
    config = trainer.config
    matches = [(name, play_match(bot, load_bot(name), config.rules, deals, seed)) for name in config.opponents]
    return [{"against": name, **summary(match)} for name, match in matches]


@contextmanager
def stop_on_signal() -> Iterator[Callable[[], bool]]:
    """Ctrl-C and SIGTERM end the run after the present update; a second Ctrl-C ends it at once."""
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
