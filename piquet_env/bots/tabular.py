"""A bot that is a table: the probabilities of what it does, for each observation of one small ruleset."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.base import BotError, Views
from piquet_env.bots.policy import draw
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.deal import random_state
from piquet_env.engine.intrinsics import row_of
from piquet_env.files import read_arrays, write_arrays
from piquet_env.knowledge import OBSERVATION_SIZE, VERSIONS
from piquet_env.rules import Rules

FORMAT = "piquet-table/1"
SUFFIX = ".npz"
WORDS = OBSERVATION_SIZE // 64
_ARRAYS = {"keys": np.int64, "first": np.int64, "policy": np.float64}
_SECOND_KEY = 2


@compiled
def observation_key(words, seat, number):
    """One of the two keys, number 0 or 1, of what the player in `seat` observes: 64 bits as an int64.

    words: the packed observation, int64 (WORDS,).
    """
    key = random_state(np.int64(seat + _SECOND_KEY * number), 0)
    for k in range(WORDS):
        key = random_state(key ^ words[k], k)
    return key


@compiled
def observation_keys(observations, seats, keys):
    """Both keys of many: packed int64 (N, WORDS), seats int64 (N,); writes int64 (N, 2)."""
    for i in range(len(observations)):
        words = row_of(observations, i)
        for number in range(2):
            keys[i, number] = observation_key(words, seats[i], number)


def keys_of(views: Views) -> NDArray[np.int64]:
    """The two keys of each view: int64 (B, 2)."""
    packed = np.packbits(views.observation, axis=1, bitorder="little").view(np.int64)
    keys = np.empty((len(packed), 2), np.int64)
    observation_keys(packed, np.ascontiguousarray(views.rows[:, at.ACTOR]), keys)
    return keys


class TabularBot:
    """Plays a table of probabilities.

    Args:
        rules: what it is for.
        keys: int64 (N, 2): `keys_of` the views, in any order; the seat of the player is part of it.
        first: int64 (N + 1,): where each one's probabilities begin in `policy`, and the end of the last.
        policy: float64 (first[-1],): those of the legal actions, in the order of their numbers; each add up to 1.
    """

    def __init__(self, rules: Rules, keys: NDArray[np.int64], first: NDArray[np.int64], policy: NDArray[np.float64]):
        order = np.argsort(keys[:, 0], kind="stable")
        sizes = np.diff(first)[order]
        self.rules = rules
        self.keys = np.ascontiguousarray(keys[order])
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.policy = np.empty(len(policy))
        _reorder(first[:-1][order], self.first, np.ascontiguousarray(policy, np.float64), self.policy)
        self.sha256 = _checksum(self)

    def probabilities(self, views: Views) -> NDArray[np.float64]:
        """The policy: float64 (B, 80), 0 for illegal actions. Raises BotError for what is not in the table."""
        keys = keys_of(views)
        places = np.searchsorted(self.keys[:, 0], keys[:, 0]).clip(max=len(self.keys) - 1)
        found = (self.keys[places] == keys).all(axis=1)
        sizes = views.mask.sum(axis=1, dtype=np.int64)
        if (~found & (sizes > 1)).any() or (self.first[places + 1] - self.first[places] != sizes)[found].any():
            raise BotError(f"the table is for rules {self.rules.spec()!r}, and this situation is not in it")
        made = np.array(views.mask, np.float64)
        _spread(np.where(found, self.first[places], -1), self.policy, made)
        return made

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """The action of each game: int64 (B,)."""
        return draw(self.probabilities(views), rng)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as one .npz file, whole or not at all. Raises OSError."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        write_arrays(path, _header(self) | {"sha256": self.sha256}, arrays)


@compiled
def _reorder(starts, first, policy, made):
    for i in range(len(starts)):
        for k in range(first[i + 1] - first[i]):
            made[first[i] + k] = policy[starts[i] + k]


@compiled
def _spread(starts, policy, made):
    """Put the probabilities that begin at `starts` (-1: none) in the places of `made` that are not 0."""
    for i in range(len(starts)):
        place = starts[i]
        if place >= 0:
            for action in range(made.shape[1]):
                if made[i, action] > 0:
                    made[i, action] = policy[place]
                    place += 1


# ------------------------------------------------------------------ files


def load_tabular_bot(path: str | os.PathLike[str]) -> TabularBot:
    """The bot in a .npz file that `TabularBot.save` wrote. Raises BotError for any other file."""
    try:
        header, arrays = read_arrays(path, _ARRAYS, _check_header)
        _check_arrays(arrays)
        bot = TabularBot(Rules.make(header.get("rules", "")), **arrays)
        if bot.sha256 != header.get("sha256"):
            raise ValueError("its content does not fit its checksum")
    except ValueError as error:
        raise BotError(f"{os.fspath(path)}: no table of a bot: {error}") from error
    return bot


def _header(bot: TabularBot) -> dict[str, Any]:
    return {"format": FORMAT, "versions": VERSIONS, "rules": bot.rules.spec()}


def _checksum(bot: TabularBot) -> str:
    digest = hashlib.sha256(json.dumps(_header(bot), sort_keys=True).encode())
    for name in _ARRAYS:
        digest.update(getattr(bot, name).tobytes())
    return digest.hexdigest()


def _check_header(header: Any) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(f"expected the format {FORMAT!r}")
    if header.get("versions") != VERSIONS:
        raise ValueError(f"it is of the versions {header.get('versions')}, this program has {VERSIONS}")


def _check_arrays(arrays: dict[str, NDArray[Any]]) -> None:
    """Raises ValueError: types, shapes or numbers are not those of a table."""
    for name, dtype in _ARRAYS.items():
        if arrays[name].dtype != dtype:
            raise ValueError(f"{name}: expected {np.dtype(dtype)}, got {arrays[name].dtype}")
    keys, first, policy = (arrays[name] for name in _ARRAYS)
    if keys.ndim != 2 or keys.shape[1] != 2 or first.shape != (len(keys) + 1,) or policy.ndim != 1 or not len(keys):
        raise ValueError(f"keys {keys.shape}, first {first.shape} and policy {policy.shape} do not go together")
    if first[0] != 0 or first[-1] != len(policy) or (np.diff(first) < 1).any():
        raise ValueError("first: expected rising places in policy")
    sums = np.add.reduceat(policy, first[:-1])
    if not ((policy >= 0).all() and np.allclose(sums, 1, atol=1e-6)):
        raise ValueError("policy: expected probabilities that add up to 1")
