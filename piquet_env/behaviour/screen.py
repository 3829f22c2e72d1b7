"""The report on a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from piquet_env.arena.report import cells_table, print_table
from piquet_env.behaviour.report import is_against_itself
from piquet_env.behaviour.summary import summary_cells
from piquet_env.behaviour.tables import tables


def print_behaviour(made: dict[str, Any], console: Console) -> None:
    """The tables of a `report.behaviour_report`, the summary first."""
    console.print(heading(made), highlight=False, markup=False)
    print_table(console, "In short", cells_table(summary_cells(made)))
    for title, cells in tables(made):
        print_table(console, title, cells_table(cells))


def heading(made: dict[str, Any]) -> str:
    """What was played, in words, and who cheats."""
    bot, settings = made["bot"], made["provenance"]
    other, sides = ("itself", ", one of the two") if is_against_itself(made) else (made["against"], "")
    return (
        f"{bot} against {other}, {settings['rules']}: {made['deals']:,} deals, each played twice with the seats "
        f'swapped (seed {settings["seed"]}). What is said of "it" is of {bot}\'s side alone{sides}. In brackets: 95 % '
        "intervals; their unit is the deal played twice."
        + "".join(f" {name} cheats: it sees all cards." for name in settings["cheats"])
    )
