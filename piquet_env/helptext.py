"""Functions that are commands, made such that the help which tyro writes of them reads well."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable
from typing import Any

from tyro.conf import arg

_BREAKS = re.compile(r"(?<=\S)\n(?=\S| {8})\s*")
"""Between lines of one paragraph, or of what is said of one argument."""


def readable(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function: arguments by their names, optional ones without None, lines as wide as the terminal."""
    hints = typing.get_type_hints(function, include_extras=True)
    parameters = [
        parameter.replace(annotation=_annotated(parameter, hints[parameter.name]))
        for parameter in inspect.signature(function).parameters.values()
    ]

    def same(*arguments: Any, **named: Any) -> Any:
        return function(*arguments, **named)

    same.__name__, same.__doc__ = function.__name__, _BREAKS.sub(" ", inspect.getdoc(function) or "")
    same.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] (functions may have one)
    same.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return same


def _annotated(parameter: inspect.Parameter, hint: Any) -> Any:
    """The parameter's type with what its value is called; one that says so itself stays as it is."""
    kind, *extras = typing.get_args(hint) if typing.get_origin(hint) is typing.Annotated else (hint,)
    kinds = [each for each in typing.get_args(kind) if each is not type(None)]
    settings = [extra for extra in extras if hasattr(extra, "metavar")]
    if any(setting.metavar for setting in settings):
        return hint
    if parameter.default is None and len(kinds) == 1:
        is_option = not extras or settings  # else it is marked as positional
        name = _value_word(kinds[0]) if is_option else f"[{parameter.name.upper()}]"
        return typing.Annotated[hint, arg(metavar=name, help_behavior_hint="")]
    if parameter.default is parameter.empty and not kinds:
        return typing.Annotated[hint, arg(metavar=parameter.name.upper())]
    return hint


def _value_word(kind: Any) -> str:
    """What the value of an option is called: INT, PATH, {deal,partie}, INT INT."""
    if typing.get_origin(kind) is typing.Literal:
        return f"{{{','.join(map(str, typing.get_args(kind)))}}}"
    return " ".join(each.__name__.upper() for each in typing.get_args(kind) or (kind,))
