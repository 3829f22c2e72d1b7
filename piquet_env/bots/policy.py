"""Policies of bots: probabilities of actions, checked, and drawn from."""

from __future__ import annotations

from collections.abc import Callable
from operator import methodcaller
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.base import Bot, BotError, Views, ask, sees_all
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.notation import action_text, rules_of
from piquet_env.views import views_from_view

_ROUNDING = 1e-3  # by which a sum of 80 float32 or float16 may miss 1


Policy = Callable[[NDArray[np.int8], NDArray[np.int8]], NDArray[np.floating]]
"""Observations int8 (B, D) and masks int8 (B, 80) to probabilities (B, 80), 0 for illegal actions."""


class PolicyBot:
    """A policy of your own as a bot, for matches, tournaments and all else that takes one.

    Args:
        policy: a function of observations int8 (B, D) and masks int8 (B, 80); it gives the probability of each action,
            float (B, 80), 0 for illegal ones, each row with sum 1.
    """

    def __init__(self, policy: Policy):
        self.policy = policy

    def probabilities(self, views: Views) -> NDArray[np.float32]:
        """The policy: float32 (B, 80)."""
        return np.asarray(self.policy(views.observation, views.mask), np.float32)

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """One action (B,) for each view. Raises BotError: what the function gives is no policy."""
        return draw(said_probabilities(type(self).__name__, self, views), rng)


def draw(probabilities: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.int64]:
    """An action int64 (B,) for each row of probabilities (B, 80), whose sum is about 1; never one of probability 0."""
    return draw_by(probabilities, rng.random(len(probabilities)))


def draw_by(probabilities: NDArray[np.floating], uniform: NDArray[np.float64]) -> NDArray[np.int64]:
    """The same with random numbers (B,) in [0, 1) of one's own."""
    cumulated = probabilities.cumsum(-1, dtype=np.float64)
    # Counting "<=" steps over actions of probability 0; the last entry is 1 but for rounding.
    return (cumulated <= uniform[:, None] * cumulated[:, -1:]).sum(-1)


def one_hot(actions: NDArray[np.int64]) -> NDArray[np.float32]:
    """Actions (B,) as probabilities float32 (B, 80)."""
    return np.eye(ACTIONS, dtype=np.float32)[actions]


def has_probabilities(name: str, bot: Bot) -> bool:
    """Whether a bot says how likely it is to take each action."""
    return callable(ask(name, "finding its probabilities", getattr, bot, "probabilities", None))


def probabilities_of(name: str, bot: Bot, views: Views) -> NDArray[np.float64]:
    """How likely the bot is to take each action: float64 (B, 80), each row with sum 1.

    Raises:
        BotError: it gives no probabilities and is not deterministic, cheats, or what it gives is no policy.
    """
    if sees_all(bot):
        raise BotError(f"bot {name!r}: it sees all cards, so it has no policy")
    if has_probabilities(name, bot):
        policy = said_probabilities(name, bot, views).astype(np.float64)
        return policy / policy.sum(axis=1, keepdims=True)
    if getattr(bot, "deterministic", False) is not True:
        raise BotError(f"bot {name!r}: expected probabilities(views), or deterministic = True (piquet_env.bots.Bot)")
    return one_hot(legal_actions_of(name, bot, views, np.random.default_rng(0))).astype(np.float64)


def said_probabilities(name: str, bot: Bot, views: Views) -> NDArray[np.float32]:
    """What a bot's `probabilities(views)` gives, float32 (B, 80), checked. Raises BotError."""
    mask = views.mask != 0  # before the bot is asked, which may write into what it is given
    given = ask(name, "probabilities(views)", bot.probabilities, views)  # type: ignore[attr-defined] (it has)
    policy = ask(name, "making an array of what probabilities gave", np.asarray, given)
    if policy.shape != mask.shape or policy.dtype.kind != "f":
        raise BotError(f"bot {name!r}: expected probabilities float {mask.shape}, got {policy.dtype} {policy.shape}")
    if not (np.abs(policy.sum(axis=1, dtype=np.float64) - 1) <= _ROUNDING).all() or not (policy >= 0).all():
        raise BotError(f"bot {name!r}: probabilities: expected 0 or more each and a sum of 1 in every game")
    if policy[~mask].any():
        raise BotError(f"bot {name!r}: probabilities: expected 0 for illegal actions")
    return policy.astype(np.float32)


def has_value(name: str, bot: Bot) -> bool:
    """Whether a bot says what it expects to score."""
    return callable(ask(name, "finding its value", getattr, bot, "value", None))


def values_of(name: str, bot: Bot, views: Views) -> NDArray[np.float32]:
    """What a bot's `value(views)` gives, float32 (B,), checked. Raises BotError."""
    games = len(views.rows)  # before the bot is asked
    given = ask(name, "value(views)", bot.value, views)  # type: ignore[attr-defined] (it has)
    values = ask(name, "making an array of what value gave", np.asarray, given)
    if values.shape != (games,) or values.dtype.kind != "f" or not np.isfinite(values).all():
        expected = f"expected finite values float ({games},)"
        raise BotError(f"bot {name!r}: {expected}, got {values.dtype} {values.shape}")
    return values.astype(np.float32)


def legal_actions_of(name: str, bot: Bot, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
    """What a bot's `act(views, rng)` gives, int64 (B,), checked. Raises BotError."""
    mask = views.mask != 0
    actions = answers_of(name, bot, views, rng)
    inside = actions.clip(0, ACTIONS - 1)
    illegal = np.flatnonzero((inside != actions) | ~mask[np.arange(len(mask)), inside])
    if len(illegal):
        raise BotError(f"bot {name!r}: {actions[illegal[0]]} is not legal where it was asked")
    return actions


def answers_of(name: str, bot: Bot, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
    """The same, legal or not. Raises BotError: it is no array of so many whole numbers."""
    games = len(views.rows)  # before the bot is asked
    given: Any = ask(name, "act(views, rng)", methodcaller("act", views, rng), bot)
    actions = ask(name, "making an array of what act gave", np.asarray, given)
    if actions.shape != (games,) or actions.dtype.kind not in "iu":
        expected = f"expected integer actions of shape ({games},)"
        raise BotError(f"bot {name!r}: {expected}, got {actions.dtype} {actions.shape}")
    return np.ascontiguousarray(actions, np.int64)


def act_in(env: Any, bot: Bot, rng: np.random.Generator) -> int:
    """What a bot does where an AEC environment of this package, wrapped or not, waits for its agent.

    It is given what that agent knows. Raises BotError.
    """
    agent = env.agent_selection
    seen, row = env.observe(agent), env.unwrapped.known_row(agent)
    views = Views(seen["observation"][None], seen["action_mask"][None], row[None])
    return int(legal_actions_of(type(bot).__name__, bot, views, rng)[0])


def act_on_view(view: dict[str, Any], bot: Bot, rng: np.random.Generator) -> str:
    """What a bot does, as records have it ("+7"), where it is given what its player knows as JSON and nothing else.

    Args:
        view: `env.unwrapped.view(agent)`, or one made of what a player knows (piquet_env/view.schema.json).

    Raises:
        ViewError: the view cannot be understood, contradicts itself, or is not of the player to act.
        BotError: the bot fails.
    """
    views = views_from_view(view)
    action = int(legal_actions_of(type(bot).__name__, bot, views, rng)[0])
    row = views.rows[0]
    return action_text(action, rules_of(row), int(row[at.PHASE]))
