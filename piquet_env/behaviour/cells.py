"""Figures as the texts of a table's cells; empty where there is no case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

NOTHING = ""
Cells = list[list[str]]
_SIGNS = {"plus": "+", "minus": "-"}


class Titled(NamedTuple):
    """A table with its title."""

    title: str
    cells: Cells


def lines_below(heading: Sequence[str], lines: Iterable[Sequence[str]]) -> Cells:
    """A table's cells: a heading and lines."""
    return [list(heading), *map(list, lines)]


def percent(figure: dict[str, Any]) -> str:
    """A share with its interval, as in 38 % [36, 39]."""
    if not figure["count"]:
        return NOTHING
    low, high = (_percent(bound, figure["share"]) for bound in figure["interval"])
    return f"{short_percent(figure)} [{low}, {high}]"


def short_percent(figure: dict[str, Any]) -> str:
    """As in 38 %."""
    return f"{bare_percent(figure)} %" if figure["count"] else NOTHING


def bare_percent(figure: dict[str, Any]) -> str:
    """As in 38, under a title that says what it is."""
    return _percent(figure["share"], figure["share"]) if figure["count"] else NOTHING


def percent_of(figure: dict[str, Any]) -> str:
    """As in 38 % (1,161): of how many."""
    return f"{short_percent(figure)} ({count(figure)})" if figure["count"] else NOTHING


def _percent(value: float, share: float) -> str:
    """With a decimal where the share is below 10 %."""
    return f"{100 * value:.1f}" if share < 0.0995 and value > 0 else f"{100 * value:.0f}"


def points(figure: dict[str, Any]) -> str:
    """A difference with its interval, as in +12.3 [+8.1, +16.0]."""
    return _with_interval(figure, "+.1f")


def average(figure: dict[str, Any]) -> str:
    """As in 3.42 [3.38, 3.46]."""
    return _with_interval(figure, ".2f")


def _with_interval(figure: dict[str, Any], form: str) -> str:
    """Without it where there is none: of one pair."""
    if not figure["count"]:
        return NOTHING
    if figure["interval"] is None:
        return format(figure["mean"], form)
    low, high = figure["interval"]
    return f"{figure['mean']:{form}} [{low:{form}}, {high:{form}}]"


def short_average(figure: dict[str, Any]) -> str:
    """As in 3.42."""
    return f"{figure['mean']:.2f}" if figure["count"] else NOTHING


def count(figure: dict[str, Any]) -> str:
    """How many cases."""
    return f"{figure['count']:,}"


def group_name(group: str, made: dict[str, Any]) -> str:
    """Of "plus_elder" + elder; in classic Piquet elder alone."""
    kind, role = group.split("_")
    return f"{_SIGNS[kind]} {role}" if "auction" in made else role
