"""What a bot is given and what it gives back: the one call signature of all bots."""

from __future__ import annotations

import importlib
import os
import traceback
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import layout as at
from piquet_env.knowledge import Views, views_of

__all__ = ["Bot", "BotError", "Views", "ask", "sees_all", "views_for", "views_of"]

_LONGEST = 300  # characters of what a bot's own code says


class BotError(ValueError):
    """A bot that cannot be found or loaded, or that does what no bot may do."""


class ProgramError(BotError):
    """What a program did that is a bot, in words: which line of Python noticed it tells nobody anything."""

    def __init__(self, name: str, fault: str):
        super().__init__(f"bot {name!r}: {fault}")
        self.fault = fault


@runtime_checkable
class Bot(Protocol):
    """A player of any number of games at once. It keeps no state between calls: a view has all that a player knows.

    One that has an attribute `sees_all = True` cheats: matches give it the true rows, and reports say so.

    Optional: `probabilities(views)`, how likely it is to take each action: float (B, 80), 0 for illegal ones, each row
    with sum 1; or `deterministic = True`, if it draws no random numbers. Exact measures (`piquet_env.exact`) need one
    of the two. Data for learning hold the probabilities, and there `bots.policy.draw` gives its actions.
    `value(views)`: what it expects the deal to come to in points, float (B,), the score of the player to act less the
    other's, all of the deal's points counted, those scored already too.
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
        raise BotError(f"bot {name!r}: {_told(doing, error)}") from error


def _told(doing: str, error: BaseException) -> str:
    """What went wrong, and in which line of the bot's."""
    if isinstance(error, ProgramError):
        return error.fault
    if isinstance(error, BotError):  # of a bot that it asks, which says all
        return str(error)
    return f"{doing} raised {_said(error)}{_where(error)}"


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
    """What a bot is given in the true games int64 (B, columns): what the players know; the true rows if it cheats.

    No bot is told that a deal will end with its auction: it bids as in any other.
    """
    views = views_of(rows)
    if not sees_all(bot):
        return views
    true = np.array(rows, np.int64, order="C", ndmin=2)
    true[:, at.PLAYOUT] = 0
    return views._replace(rows=true)
