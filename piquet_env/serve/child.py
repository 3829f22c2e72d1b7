"""The process that the bot plays in, which may hang or end.

From it come (`READY`, facts of the bot) or (`REFUSED`, why) once; then for each (views of one game, seeds) that it is
sent (`ANSWER`, an `Answer`) or (`FAULT`, what the bot did wrong).
"""

from __future__ import annotations

import os
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.arena.provenance import facts_of
from piquet_env.arena.worker import begin_as_worker
from piquet_env.bots.base import Bot, BotError, Views, ask, sees_all, views_of
from piquet_env.bots.policy import has_probabilities, has_value, legal_actions_of, probabilities_of, values_of
from piquet_env.bots.program import end_with_parent
from piquet_env.bots.registry import load_bot
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.notation import legal_indices
from piquet_env.rules import Rules

READY, REFUSED, ANSWER, FAULT = "ready", "refused", "answer", "fault"


class Answer(NamedTuple):
    """What a bot says in one game."""

    action: int
    probabilities: NDArray[np.float64] | None
    """(80,), where it gives them."""
    value: float | None
    """Points, where it gives one."""


def work(name: str, is_best: bool, connection: Connection) -> None:
    """The process: loads the bot, and answers."""
    end_with_parent(os.getppid())
    begin_as_worker()
    try:
        player = Player(name, load_bot(name), is_best)
        connection.send((READY, player.facts()))
        player.warm()
    except BotError as error:
        connection.send((REFUSED, str(error)))
        return
    connection.send((READY, None))
    try:
        while True:
            views, seeds = connection.recv()
            try:
                connection.send((ANSWER, player.answer(views, np.random.default_rng(seeds))))
            except (BotError, KeyboardInterrupt) as error:  # the bot's own, for nobody else interrupts this process
                connection.send((FAULT, str(error) or "it raised KeyboardInterrupt"))
    except (EOFError, OSError):
        return


class Player:
    """A bot that is asked in one game at a time.

    Args:
        is_best: it takes its likeliest action instead of one drawn.

    Raises:
        BotError: it cheats, or is to take the likeliest action and does not say how likely they are.
    """

    def __init__(self, name: str, bot: Bot, is_best: bool):
        self.name, self.bot, self.is_best = name, bot, is_best
        if sees_all(bot):
            raise BotError(f"bot {name!r}: it sees all cards, and a view has what one player knows")
        self.has_policy = has_probabilities(name, bot) or getattr(bot, "deterministic", False) is True
        self.has_value = has_value(name, bot)
        if is_best and not self.has_policy:
            raise BotError(f"bot {name!r}: it does not say how likely its actions are, so none is the best")

    def facts(self) -> dict[str, Any]:
        """What `hello` says of it, as JSON values."""
        trained_on = ask(self.name, "its trained_on", getattr, self.bot, "trained_on", None)
        return {
            "sha256": facts_of({self.name: self.bot}).weights.get(self.name),
            "rules": trained_on.spec() if isinstance(trained_on, Rules) else None,
            "probabilities": self.has_policy,
            "value": self.has_value,
        }

    def answer(self, views: Views, rng: np.random.Generator) -> Answer:
        """What it does in the first game. Raises BotError."""
        policy = probabilities_of(self.name, self.bot, copied(views)) if self.has_policy else None
        value = float(values_of(self.name, self.bot, copied(views))[0]) if self.has_value else None
        if self.is_best and policy is not None:
            action = policy[0].argmax()
        else:
            action = legal_actions_of(self.name, self.bot, copied(views), rng)[0]
        return Answer(int(action), None if policy is None else policy[0], value)

    def warm(self) -> None:
        """Have it answer in every phase, so that what is compiled then does not count as thinking.

        What it does wrong here it will do again when it is asked.
        """
        trained_on = getattr(self.bot, "trained_on", None)
        views = views_of(one_of_each_phase(trained_on if isinstance(trained_on, Rules) else Rules()))
        for place in range(len(views.rows)):
            try:
                self.answer(views.part(slice(place, place + 1)), np.random.default_rng(0))
            except BotError:
                return


def copied(views: Views) -> Views:
    """Views that the bot may write into."""
    return Views(views.observation.copy(), views.mask.copy(), views.rows.copy())


def one_of_each_phase(rules: Rules) -> NDArray[np.int64]:
    """Rows of a deal in which each takes the first of his actions: the first decision of every phase."""
    row = np.zeros(at.COLUMNS, np.int64)
    game.new_game(row, rules.columns(), 0, 0, 0)
    found: dict[int, NDArray[np.int64]] = {}
    while row[at.PHASE] < at.DEAL_OVER:
        found.setdefault(int(row[at.PHASE]), row.copy())
        game.apply_action(row, legal_indices(row)[0])
    return np.array(list(found.values()))
