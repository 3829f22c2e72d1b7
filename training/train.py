"""A training run, from top to bottom: config, environment and network, rollout and update, evaluate, log."""

from __future__ import annotations

import json
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from rich.console import Console

from piquet_env import Rules
from piquet_env.arena.match import Match, play_match
from piquet_env.arena.provenance import provenance
from piquet_env.arena.report import report, write_rows
from piquet_env.arena.statistics import pair_values, summary
from piquet_env.bots import Bot, load_bot
from piquet_env.envs.auctions import AUCTION
from piquet_env.exact import exploitability
from piquet_env.files import remove_partial_files, whole_file, write_text
from training.bot import NetworkBot, load_network_bot
from training.botfile import save_bot_file
from training.config import TrainConfig, as_dict
from training.runlog import RunLog, TrainingProgress, plot_learning_curve, results_table
from training.trainer import Trainer

CHECKPOINT = "checkpoint.pt"
BEFORE = "checkpoint-before.pt"
BOT = "bot.safetensors"
CONFIG = "config.yaml"
CURVE = "learning_curve.png"
LOG = "log.jsonl"
RESULTS = "results.json"
DEALS = "deals.csv"

# Of evaluation deals. Those of the curve are played again and again, and the best network is chosen by them; those at
# the end are played once.
CURVE_SEED, FINAL_SEED = 1, 2


def run(trainer: Trainer, folder: Path, console: Console) -> bool:
    """Train to the end of the budget and measure the result, or stop at Ctrl-C. True when the budget is spent.

    All processes of a run call it; the first one writes and prints.
    """
    is_first, config = trainer.processes.is_first, trainer.config
    if is_first:
        remove_partial_files(folder)
        write_text(folder / CONFIG, yaml.safe_dump(as_dict(config), sort_keys=False))
    if trainer.decisions == 0:
        save(trainer, folder)
    with stop_on_signal() as stopped:
        learn(trainer, folder, console, stopped)
    save(trainer, folder)
    is_over = trainer.decisions >= config.decisions
    if is_first:
        plot_learning_curve(folder / LOG, folder / CURVE, auctions_from(config))
        finish(trainer, folder, console) if is_over else console.print(
            f"Stopped after {trainer.decisions:,} decisions and saved; --resume goes on.", highlight=False
        )
    return is_over


def learn(trainer: Trainer, folder: Path, console: Console, stopped: Callable[[], bool]) -> None:
    """Rollout, update, log; now and then evaluate and save."""
    config, is_first = trainer.config, trainer.processes.is_first
    log = RunLog(folder, trainer.decisions) if is_first else None
    if log and trainer.decisions == 0:
        with console.status("measuring the untrained policy"):
            measure(trainer, log, folder, console)
    began_with, began = trainer.decisions, time.monotonic()
    with TrainingProgress(console, config.decisions, trainer.decisions) as progress:
        while trainer.decisions < config.decisions and not trainer.processes.any(stopped()):
            before = trainer.decisions
            figures = trainer.step()
            figures["decisions_per_second"] = (trainer.decisions - began_with) / (time.monotonic() - began)
            if log:
                log.update(figures)
                progress.update(figures)
                if is_due(config.evaluate_every, before, trainer):
                    measure(trainer, log, folder, console)
            if is_due(config.checkpoint_every, before, trainer):
                save(trainer, folder)
    if log:
        log.close()


def save(trainer: Trainer, folder: Path) -> None:
    """The checkpoint; the one before it is kept."""
    if trainer.processes.is_first and (folder / CHECKPOINT).exists():
        with whole_file(folder / BEFORE) as copy:
            shutil.copyfile(folder / CHECKPOINT, copy)
    trainer.save(folder / CHECKPOINT)


def auctions_from(config: TrainConfig) -> float:
    """After how many decisions auctions are learnt; 0: from the start, or there are none."""
    if not Rules.make(config.rules).auction or config.episode == AUCTION:
        return 0.0
    imitated = config.imitate_decisions if config.imitate else 0
    return imitated + config.play_first * (config.decisions - imitated)


def is_due(every: int, before: int, trainer: Trainer) -> bool:
    """Whether a multiple of `every`, or the end of the budget, has just been passed."""
    return before // every != trainer.decisions // every or trainer.decisions >= trainer.config.decisions


def measure(trainer: Trainer, log: RunLog, folder: Path, console: Console) -> None:
    """A point of the learning curve; the best network so far becomes the bot of the run."""
    bot, config = trainer.bot(), trainer.config
    played = matches(bot, config, config.evaluate_deals, CURVE_SEED)
    results = [summary(match) for match in played]
    more = exact_measures(bot, config)
    log.evaluation(trainer.decisions, results, more)
    if trainer.is_best(objective(played[-1], config)):
        save_bot(trainer, folder / BOT)
    points = ", ".join(f"{result['points_per_deal']:+.1f} against {result['against']}" for result in results)
    points += "".join(f", {name} {value:.2f}" for name, value in more.items())
    console.print(f"{trainer.decisions:,} decisions, points per deal: {points}", highlight=False)


def objective(match: Match, config: TrainConfig) -> float:
    """What of a match is learned for, and by which the best network is chosen."""
    if config.reward == "payment":
        return float(match.games["payment"].mean())
    if config.reward == "win":  # the games, and not the pairs, in which one may be lost as high as the other is won
        return float(np.sign(match.games["difference"]).mean())
    return float(pair_values(match).mean())


def exact_measures(bot: NetworkBot, config: TrainConfig) -> dict[str, float]:
    """What is measured by the whole game tree, if the config asks for it."""
    if not config.exploitability:
        return {}
    # One dealer will do: the network does not see the seats' numbers.
    return {"exploitability": exploitability(bot, config.rules, dealers=(0,)).exploitability}


def save_bot(trainer: Trainer, path: Path) -> None:
    """The best network so far, enough to play."""
    best = trainer.best
    about = {"config": as_dict(trainer.config), "decisions": best["decisions"], "head": trainer.algorithm.head}
    save_bot_file(path, best["policy"], about)


def matches(bot: Bot, config: TrainConfig, deals: int, seed: int) -> list[Match]:
    """The bot against each opponent, on duplicate deals (or parties) fixed by `seed`."""
    return [
        play_match(bot, load_bot(name), config.rules, deals, seed, config.episode, names=("the trained bot", name))
        for name in config.opponents
    ]


def finish(trainer: Trainer, folder: Path, console: Console) -> None:
    """Play the deals kept for the end with the best network; write the results in full, and every deal."""
    config = trainer.config
    save_bot(trainer, folder / BOT)
    bot = load_network_bot(folder / BOT)
    with console.status(f"playing {config.final_deals:,} deals twice against each of {', '.join(config.opponents)}"):
        played = matches(bot, config, config.final_deals, FINAL_SEED)
    made = report(played, provenance(f"piquet train {folder / CONFIG}", {str(folder / BOT): bot}))
    made["provenance"]["decisions"] = trainer.decisions
    made["provenance"]["chosen_at"] = trainer.best["decisions"]
    write_text(folder / RESULTS, json.dumps(made, indent=1) + "\n")
    write_rows(played, folder / DEALS)
    console.print(results_table(made["results"]))
    for name, what in ((BOT, "the bot"), (CURVE, "learning curve"), (RESULTS, "results in full"), (LOG, "log")):
        console.print(f"{what:>16}: {folder / name}", highlight=False, soft_wrap=True)


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
