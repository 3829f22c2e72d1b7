"""Files of decisions for several test files."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from dataset_bots import Meddling, Passing

from piquet_env.bots import load_bot
from piquet_env.dataset import read_decisions, write
from piquet_env.dataset.games import Plan
from piquet_env.dataset.players import Player
from piquet_env.dataset.workers import play_here
from piquet_env.rules import Rules

BOTS = {"passing": Passing, "meddling": Meddling}


def bot_of(name: str):
    """One of BOTS, or of the package's."""
    return BOTS[name]() if name in BOTS else load_bot(name)


def written(path, bots=("passing", "greedy"), rules="auction", episode="deal", games=30, seed=3, block=8, state=False):
    """A file of decisions, and its path."""
    plan = Plan(bots, Rules.make(rules), episode, games, seed, block, state)
    made = tuple(bot_of(name) for name in bots)
    players = [Player(name, bot) for name, bot in zip(bots, made, strict=True)]
    about = write.metadata(plan, players, {"weights": {}, "versions": {}})
    write.write_decisions(path, about, play_here(plan, made, lambda games: None), state)
    return path


def columns_of(path) -> dict[str, np.ndarray]:
    """All columns as numpy has them."""
    parts = [part._asdict() for part in read_decisions(path)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0] if parts[0][name] is not None}


def table_of(path) -> pa.Table:
    """The same as Arrow has them."""
    return pq.read_table(path)
