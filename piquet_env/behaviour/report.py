"""The report on a bot as a JSON object; piquet_env/report.schema.json has its keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from piquet_env.rules import Rules

FORMAT = "piquet-report/1"


def behaviour_report(
    names: tuple[str, str], rules: Rules, deals: int, seed: int, sections: dict[str, Any], provenance: dict[str, Any]
) -> dict[str, Any]:
    """The JSON object.

    Args:
        names: the bot's, and the other's.
        deals: how many were played, each twice.
        sections: what `watch.watch` found.
    """
    settings = {"rules": rules.spec(), "seed": seed, "deals": deals}
    head = {"format": FORMAT, "bot": names[0], "against": names[1], "deals": deals}
    return head | sections | {"provenance": settings | provenance}


def is_against_itself(made: dict[str, Any]) -> bool:
    """Whether what the other side did is what the bot itself did."""
    return made["bot"] == made["against"]


def groups(made: dict[str, Any]) -> list[str]:
    """The groups of deals in a report: kind of contract and role."""
    return list(made["play"])


def at_path(made: dict[str, Any], path: str) -> dict[str, Any]:
    """The part of a report with this path: "exchange/plus_elder/kept". Raises KeyError."""
    for name in path.split("/"):
        made = made[name]
    return made


def figures_of(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every figure in a part of a report."""
    if "count" in part:
        yield part
    else:
        for inner in part.values():
            yield from figures_of(inner)


def came_up(parts: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of parts by key those with something to show."""
    for key, part in parts.items():
        if any(figure["count"] and figure.get("share", 1) != 0 for figure in figures_of(part)):
            yield key, part
