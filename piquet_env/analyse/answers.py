"""What a bot would have done in a decision, and how likely."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.analyse.decisions import Choice, Decision
from piquet_env.arena.match import Side
from piquet_env.bots.base import ask, views_for
from piquet_env.bots.policy import has_probabilities, probabilities_of
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at


class Answer(NamedTuple):
    """What the bot would have done."""

    choice: Choice
    likely: tuple[float, float] | None
    """The probability that it gives to this and to what was played; None where it gives none."""


def answer_of(side: Side, decision: Decision, rng: np.random.Generator) -> Answer:
    """Its likeliest action, where it gives probabilities or is deterministic; else what it does, once.

    Discards are chosen as the bot chooses them, one after another, each the likeliest. The probability of a set of
    discards is that of all orders in which it may come to them. The bot is given what the player knew. Raises BotError.
    """
    if not _has_policy(side):
        return Answer(_follow(decision.row, lambda row: int(side.choose(row[None], rng)[0])), None)
    choice = _follow(decision.row, lambda row: int(_policy(side, row[None])[0].argmax()))
    likely = (_probability(side, decision.row, choice), _probability(side, decision.row, decision.played))
    return Answer(choice, likely)


def _has_policy(side: Side) -> bool:
    is_deterministic = ask(side.name, "finding whether it is deterministic", getattr, side.bot, "deterministic", False)
    return is_deterministic is True or has_probabilities(side.name, side.bot)


def _policy(side: Side, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """How likely each action is in the true games (B, columns): float64 (B, 80)."""
    return probabilities_of(side.name, side.bot, views_for(side.bot, rows))


def _follow(row: NDArray[np.int64], choose: Callable[[NDArray[np.int64]], int]) -> Choice:
    """What comes of choosing action by action, to the end of the exchange where it is one."""
    row, done = row.copy(), []
    is_one = row[at.PHASE] != at.EXCHANGE
    while True:
        done.append(choose(row))
        if is_one or done[-1] == act.STAND:
            return tuple(sorted(done))  # stand has a higher number than any card
        game.apply_action(row, done[-1])


def _probability(side: Side, row: NDArray[np.int64], choice: Choice) -> float:
    """How likely the bot comes to a choice: for discards the sum over their orders."""
    *cards, last = choice
    rows = np.repeat(row[None], 1 << len(cards), axis=0)
    for thrown, after in enumerate(rows):
        for place, card in enumerate(cards):
            if thrown >> place & 1:
                game.apply_action(after, card)
    policy, reached = _policy(side, rows), np.zeros(len(rows))
    reached[0] = 1
    for thrown in range(1, len(rows)):
        before = [(thrown ^ 1 << place, card) for place, card in enumerate(cards) if thrown >> place & 1]
        reached[thrown] = sum(reached[fewer] * policy[fewer, card] for fewer, card in before)
    return float(reached[-1] * policy[-1, last])
