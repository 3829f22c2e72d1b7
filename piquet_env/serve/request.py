"""A line of who asks: what it asks for."""

from __future__ import annotations

from typing import Any, NamedTuple

from piquet_env import knowledge
from piquet_env.bots.base import Views
from piquet_env.bots.protocol import PROTOCOL, LineError, parse_line
from piquet_env.records.form import shown
from piquet_env.views import VIEW_FORMAT, ViewError, views_from_view

KEYS = ("id", "type", "view", "seed")
_MOST = 2**63 - 1
_SCALARS = str | int | float | bool | None


class Question(NamedTuple):
    """A view whose player is to act."""

    views: Views
    """Of this one game."""
    seed: int | None


class Quit(NamedTuple):
    """The end."""


def read_request(line: bytes | None) -> tuple[Any, Question | Quit | LineError]:
    """The request's id, None where it has none or cannot be read, and the request, or what is wrong with it."""
    given = None
    try:
        request = parse_line(line)
        given = _id(request)
        return given, _read(request)
    except LineError as error:
        return given, error


def _id(request: dict[str, Any]) -> Any:
    value = request.get("id")
    if not isinstance(value, _SCALARS):
        raise LineError("id", f"expected a text, a number, true, false or null, got {shown(value)}")
    return value


def _read(request: dict[str, Any]) -> Question | Quit:
    for key in request:
        if key not in KEYS:
            raise LineError(key, f"unknown field: expected {', '.join(KEYS)}")
    if "type" in request:
        if request["type"] != "quit":
            raise LineError("type", f'expected "quit", or a view and no type, got {shown(request["type"])}')
        if len(request) > 1 + ("id" in request):
            raise LineError("type", '"quit" goes with no view and no seed')
        return Quit()
    if "view" not in request:
        raise LineError("view", "missing")
    seed = request.get("seed")
    if seed is not None and (type(seed) is not int or not 0 <= seed <= _MOST):
        raise LineError("seed", f"expected a whole number from 0 to {_MOST}, got {shown(seed)}")
    return Question(_views(request["view"]), seed)


def _views(view: Any) -> Views:
    """The view of one game, in which its player is to act. Raises LineError."""
    try:
        return views_from_view(view)
    except ViewError as error:
        raise LineError(f"view.{error.field}" if error.field else "view", error.reason) from error


def hello(name: str, facts: dict[str, Any], package: str | None, move_limit: float) -> dict[str, Any]:
    """The first line, of the bot `name`; facts: `child.Player.facts`."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "package": package,
        "versions": dict(knowledge.VERSIONS),
        "view": VIEW_FORMAT,
        "bot": name,
        **facts,
        "move_limit": move_limit,
    }
