"""Whom a learner plays against: one bot, several by weight, or a pool that grows while it learns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from piquet_env.rules import Rules

if TYPE_CHECKING:  # the bots are imported when the first is asked for: `import piquet_env` stays fast
    from piquet_env.bots import Bot

_noted: set[tuple[str, Rules]] = set()  # what has been said in this process


class Opponent:
    """A bot of a pool under its name; never changed, and never copied with an environment.

    One that was loaded by its name (`spec`) is pickled as that name, and loaded again.
    """

    def __init__(self, name: str, bot: Bot, weight: float, spec: str | None):
        self.name, self.bot, self.weight, self.spec = name, bot, weight, spec

    def choose(self, rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Its legal actions int64 (B,) in the true games int64 (B, columns). Raises BotError: whatever it does wrong."""
        from piquet_env.bots.base import views_for
        from piquet_env.bots.policy import legal_actions_of

        return legal_actions_of(self.name, self.bot, views_for(self.bot, rows), rng)

    def note_rules(self, rules: Rules) -> None:
        """Say on standard error, once in a process, that it was trained on other rules. Raises BotError."""
        if (self.name, rules) not in _noted:
            from piquet_env.bots.registry import note_rules

            _noted.add((self.name, rules))
            note_rules({self.name: self.bot}, rules)

    def __copy__(self) -> Opponent:
        return self

    def __deepcopy__(self, memo: Any) -> Opponent:
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "bot": self.bot if self.spec is None else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.spec is not None:
            self.bot = _loaded(self.spec)


class OpponentPool:
    """Bots by weight, of which one is drawn at the start of each episode; it may grow and shrink at any time.

    A copy of an environment shares its pool; a pickled one has a pool of its own.

    Args:
        opponents: those to begin with, as `opponent=` takes them; None: nobody yet.

    Raises:
        ValueError: what `add` raises.
    """

    def __init__(self, opponents: Any = None):
        self._entries: list[Opponent] = []
        self._cumulated = np.zeros(0)
        for bot, weight in () if opponents is None else _weighted(opponents):
            self.add(bot, weight=weight)

    @property
    def names(self) -> tuple[str, ...]:
        """Of its bots, in the order in which they came."""
        return tuple(entry.name for entry in self._entries)

    @property
    def weights(self) -> dict[str, float]:
        """By name."""
        return {entry.name: entry.weight for entry in self._entries}

    def add(self, bot: str | Bot, name: str | None = None, weight: float = 1.0) -> str:
        """Put a bot in; episodes that begin from now on may be against it.

        Args:
            bot: a bot (`piquet_env.bots.Bot`), or the name of one (`load_bot`).
            name: what it is called in `info["opponent"]` and in errors; None: its name, or its type's, with a number
                where that is taken.
            weight: how often it is drawn, beside the others' weights: finite, more than 0.

        Returns:
            Its name.

        Raises:
            ValueError: no such bot, an object that is none, a name that is taken, or a bad weight; nothing has changed.
        """
        weight = _checked_weight(weight)
        if name is not None and (not isinstance(name, str) or not name):
            raise ValueError(f"name: expected a text or None, got {name!r}")
        if name in self.names:
            raise ValueError(f"name: there is already an opponent {name!r}")
        spec = bot if isinstance(bot, str) else None
        made = _checked_bot(bot)
        called = name or self._free_name(spec or type(made).__name__)
        self._set([*self._entries, Opponent(called, made, weight, spec)])
        return called

    def remove(self, name: str) -> None:
        """Take a bot out; episodes against it are played to their end. Raises ValueError: there is none of this name."""
        self.named(name)
        self._set([entry for entry in self._entries if entry.name != name])

    def named(self, name: str) -> Opponent:
        """The entry of this name. Raises ValueError: there is none."""
        for entry in self._entries:
            if entry.name == name:
                return entry
        raise ValueError(f"opponent: expected one of {', '.join(self.names) or 'an empty pool'}, got {name!r}")

    def draw(self, rng: np.random.Generator) -> Opponent:
        """One of them by weight, by one random number. Raises ValueError: the pool is empty."""
        self.check_not_empty()
        drawn = rng.random() * self._cumulated[-1]
        return self._entries[min(int(self._cumulated.searchsorted(drawn, side="right")), len(self._entries) - 1)]

    def check_not_empty(self) -> None:
        """Raises ValueError: there is nobody to play against."""
        if not self._entries:
            raise ValueError("opponent: the pool is empty; add a bot before an episode begins")

    def note_rules(self, rules: Rules) -> None:
        """Say on standard error which of them were trained on other rules. Raises BotError."""
        for entry in self._entries:
            entry.note_rules(rules)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"OpponentPool({self.weights})"

    def __copy__(self) -> OpponentPool:
        return self

    def __deepcopy__(self, memo: Any) -> OpponentPool:
        return self

    def _set(self, entries: list[Opponent]) -> None:
        self._entries = entries
        self._cumulated = np.cumsum([entry.weight for entry in entries])

    def _free_name(self, wanted: str) -> str:
        name, number = wanted, 2
        while name in self.names:
            name, number = f"{wanted}#{number}", number + 1
        return name


Opponents: TypeAlias = "str | Bot | list[Any] | tuple[Any, ...] | Mapping[str, float] | OpponentPool"
"""What `opponent=` takes: a bot or its name, a list of them or of pairs (bot, weight), weights by name, or a pool."""


def as_pool(opponent: Opponents) -> OpponentPool:
    """The pool itself, or one of what was given.

    Raises:
        ValueError: an unknown bot, an object without `act`, a bad weight, an empty list.
    """
    if isinstance(opponent, OpponentPool):
        return opponent
    pool = OpponentPool(opponent)
    if not len(pool):
        raise ValueError(f"opponent: expected at least one bot, got {opponent!r}")
    return pool


def _weighted(opponents: Any) -> list[tuple[Any, Any]]:
    """(bot, weight) of whatever was given."""
    if isinstance(opponents, OpponentPool):
        return [(entry.spec or entry.bot, entry.weight) for entry in opponents._entries]
    if isinstance(opponents, Mapping):
        return list(opponents.items())
    if isinstance(opponents, list | tuple):
        return [item if isinstance(item, tuple) and len(item) == 2 else (item, 1.0) for item in opponents]
    return [(opponents, 1.0)]


def _checked_weight(weight: Any) -> float:
    try:
        number = math.nan if isinstance(weight, bool | str | bytes) else float(weight)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 < number < math.inf:
        raise ValueError(f"opponent: weight: expected a finite number above 0, got {weight!r}")
    return number


def _checked_bot(bot: Any) -> Bot:
    from piquet_env.bots.base import Bot, BotError, ask

    if isinstance(bot, str):
        return _loaded(bot)
    if isinstance(bot, type) or not ask(type(bot).__name__, "finding its act", isinstance, bot, Bot):
        expected = "a bot's name or an object with a method act(views, rng)"
        raise BotError(f"opponent: expected {expected}, got {bot!r}")
    return bot


def _loaded(spec: str) -> Bot:
    from piquet_env.bots import load_bot

    return load_bot(spec)
