"""What a bot is given and what it gives back: the one call signature of all bots."""

from __future__ import annotations

import importlib
import os
import traceback
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine.actions import ACTIONS
from piquet_env.knowledge import Views, views_of

__all__ = [
    "Bot",
    "BotError",
    "Views",
    "ask",
    "draw_actions",
    "one_hot",
    "probabilities_of",
    "sees_all",
    "views_for",
    "views_of",
]

_LONGEST = 300  # characters of what a bot's own code says


class BotError(ValueError):
    """A bot that cannot be found or loaded, or that does what no bot may do."""


@runtime_checkable
class Bot(Protocol):
    """A player of any number of games at once. It keeps no state between calls: a view has all that a player knows.

    One that has an attribute `sees_all = True` cheats: matches give it the true rows, and reports say so.
    Optional: `probabilities(views) -> float (B, 80)`, how likely it is to take each action, 0 for illegal ones; or
    `deterministic = True`, if it draws no random numbers. Exact measures (`piquet_env.exact`) need one of the two.
    """

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """The action of each game: int64 (B,), each one legal; all chance comes from `rng`."""
        ...


def ask(name: str, doing: str, code: Callable[..., Any], *arguments: Any) -> Any:
    """What the code of the bot `name` gives for the arguments; `doing` says what it was asked for.

    Raises:
        BotError: the code raised anything at all, SystemExit too; in one line. Only KeyboardInterrupt passes.
    """
    try:
        return code(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise BotError(f"bot {name!r}: {doing} raised {_said(error)}{_where(error)}") from error


def _said(error: BaseException) -> str:
    """Type and message in one line."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg}"
    said = " ".join(traceback.format_exception_only(error)[0].split())
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}..."


def _where(error: BaseException) -> str:
    """The line of the bot's own code, not of a library that it called: the last one in the folder of the first."""
    if isinstance(error, SyntaxError) and os.path.isfile(error.filename or ""):
        return f" ({error.filename}:{error.lineno})"
    lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    theirs = [(file, line) for file, line in lines if not _is_ours(file)]
    own = [f" ({file}:{line})" for file, line in theirs if os.path.dirname(file) == os.path.dirname(theirs[0][0])]
    return own[-1] if own else ""


def _is_ours(file: str) -> bool:
    """Whether a line of this file is between the question and the bot's own code."""
    return file in (__file__, importlib.__file__) or file.startswith("<frozen importlib")


def sees_all(bot: Bot) -> bool:
    """Whether a bot cheats: its attribute `sees_all` is true."""
    return bool(getattr(bot, "sees_all", False))


def views_for(bot: Bot, rows: NDArray[np.int64]) -> Views:
    """What a bot is given in the true games int64 (B, columns): what the players know; the true rows if it cheats."""
    views = views_of(rows)
    return views._replace(rows=np.array(rows, np.int64, order="C", ndmin=2)) if sees_all(bot) else views


# ------------------------------------------------------------------ policies


def draw_actions(probabilities: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """An action for each row of probabilities (B, 80): int64 (B,)."""
    cumulated = probabilities.cumsum(-1, dtype=np.float64)
    # Counting "<=" steps over actions of probability 0; the last entry is 1 but for rounding.
    return (cumulated <= rng.random((len(cumulated), 1)) * cumulated[:, -1:]).sum(-1)


def one_hot(actions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Actions (B,) as probabilities (B, 80)."""
    return np.eye(ACTIONS)[actions]


def probabilities_of(name: str, bot: Bot, views: Views) -> NDArray[np.float64]:
    """How likely the bot is to take each action: float64 (B, 80), each row adding up to 1.

    Raises:
        BotError: it gives no probabilities and is not deterministic, cheats, or what it gives is no policy.
    """
    if sees_all(bot):
        raise BotError(f"bot {name!r}: it sees all cards, so it has no policy")
    if callable(getattr(bot, "probabilities", None)):
        given = ask(name, "probabilities(views)", bot.probabilities, views)  # type: ignore[attr-defined]
    elif getattr(bot, "deterministic", False) is True:
        given = _one_hot_checked(name, ask(name, "act(views, rng)", bot.act, views, np.random.default_rng(0)), views)
    else:
        raise BotError(f"bot {name!r}: expected probabilities(views), or deterministic = True (piquet_env.bots.Bot)")
    policy = ask(name, "making an array of its probabilities", np.asarray, given, np.float64)
    if policy.shape != views.mask.shape or not _is_policy(policy, views.mask):
        raise BotError(f"bot {name!r}: expected probabilities {views.mask.shape} of legal actions that add up to 1")
    return policy / policy.sum(axis=1, keepdims=True)


def _one_hot_checked(name: str, given: Any, views: Views) -> NDArray[np.float64]:
    actions = ask(name, "making an array of what act gave", np.asarray, given)
    if actions.shape != (len(views.mask),) or actions.dtype.kind not in "iu":
        raise BotError(f"bot {name!r}: expected integer actions of shape ({len(views.mask)},), got {actions.dtype}")
    if not ((actions >= 0) & (actions < ACTIONS)).all():
        raise BotError(f"bot {name!r}: expected actions from 0 to {ACTIONS - 1}")
    return one_hot(actions)


def _is_policy(policy: NDArray[np.float64], mask: NDArray[np.int8]) -> bool:
    is_one = np.allclose(policy.sum(axis=1), 1, atol=1e-4)  # float32 will do
    return bool(is_one and (policy >= 0).all() and not policy[mask == 0].any())
