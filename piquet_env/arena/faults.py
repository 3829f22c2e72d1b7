"""What a bot does wrong in a tournament, and what it costs: the deal, and nothing else."""

from __future__ import annotations

import time
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from piquet_env.arena.match import LOST, Side
from piquet_env.bots.base import Bot, BotError
from piquet_env.engine import batch
from piquet_env.options import illegal_action_message

RAISED, ILLEGAL, HUNG, ENDED = "raised", "illegal", "hung", "ended"
KINDS = {
    RAISED: "raised an error",
    ILLEGAL: "gave no legal action",
    HUNG: "took too long for a move",
    ENDED: "ended the process",
}
"""What a bot may do wrong."""

PATIENCE = {HUNG: 3, ENDED: 10}
"""So many of these faults, which cost minutes or seconds each, and a bot has lost all that is still to be played."""


class Fault(NamedTuple):
    """Faults of one kind by one side in one block."""

    side: int
    """0: A, 1: B."""
    kind: str
    count: int
    message: str
    """What the first one was."""


class Watch(Protocol):
    """Who is told when a bot is asked, so that somebody knows whose fault it is when no answer comes."""

    def begin(self, side: int, games: int) -> None:
        """This side is asked for its moves in so many games."""
        ...

    def end(self) -> None:
        """It has answered."""
        ...


def merged(faults: list[Fault]) -> list[Fault]:
    """Those of one side and kind as one, in the order in which they first came up."""
    found: dict[tuple[int, str], Fault] = {}
    for fault in faults:
        key = (fault.side, fault.kind)
        before = found.get(key)
        found[key] = fault if before is None else before._replace(count=before.count + fault.count)
    return list(found.values())


class ForgivingSide(Side):
    """A bot whose faults are kept, not raised; it loses the deal (`LOST`). Its time is taken."""

    def __init__(self, side: int, name: str, bot: Bot, watch: Watch):
        super().__init__(name, bot)
        self.side, self._watch = side, watch
        self.faults: list[Fault] = []
        self.seconds, self.moves = 0.0, 0

    def choose(self, rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """The bot's actions int64 (B,) in the true games `rows`; `LOST` where it gave no legal one."""
        actions = self._asked(rows, rng)
        legal = np.empty((len(rows), 2), np.int64)
        batch.legal_words(rows, legal)
        given = np.flatnonzero(actions != LOST)
        legal, first = legal[given], batch.first_illegal(legal[given], actions[given], 0)
        while first >= 0:
            place = given[first]
            self._note(ILLEGAL, illegal_action_message(rows[place], int(actions[place])))
            actions[place] = LOST
            first = batch.first_illegal(legal[first + 1 :], actions[given[first + 1 :]], first + 1)
        return actions

    def _asked(self, rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """What it gives; where it fails for all games together it is asked for each alone."""
        try:
            return self._timed(rows, rng)
        except BotError as error:
            kind = RAISED if error.__cause__ is not None else ILLEGAL
            message = str(error).removeprefix(f"bot {self.name!r}: ")
        except KeyboardInterrupt:  # the bot's own, for nobody else interrupts a worker
            kind, message = RAISED, "act(views, rng) raised KeyboardInterrupt"
        if len(rows) == 1:
            self._note(kind, message)
            return np.array([LOST])
        actions = np.concatenate([self._asked(rows[i : i + 1], rng) for i in range(len(rows))])
        if not (actions == LOST).any():  # somebody must pay, or a bot that fails now and then goes free
            self._note(kind, f"{message} (asked for {len(rows)} games at once, and for none of them alone)")
            actions[0] = LOST
        return actions

    def _timed(self, rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        begun = time.perf_counter()
        self._watch.begin(self.side, len(rows))
        try:
            # LOST is ours to say: a bot that gives it has given an illegal action like any other negative one.
            answers = self.answers(rows, rng)
            return np.where(answers == LOST, LOST - 1, answers)
        finally:
            self._watch.end()
            self.seconds += time.perf_counter() - begun
            self.moves += len(rows)

    def _note(self, kind: str, message: str) -> None:
        self.faults.append(Fault(self.side, kind, 1, message))
