"""The report as one HTML page that needs no other file."""

from __future__ import annotations

from html import escape
from typing import Any

from piquet_env.arena.page import origin_of, pictures, table, whole_page
from piquet_env.behaviour.plots import plots
from piquet_env.behaviour.screen import heading
from piquet_env.behaviour.summary import summary_cells
from piquet_env.behaviour.tables import tables


def behaviour_page(made: dict[str, Any]) -> str:
    """The HTML text of a `report.behaviour_report`: the summary, the plots, then every table."""
    parts = [f"<p>{escape(heading(made))}</p>", "<h2>In short</h2>", table(summary_cells(made))]
    parts += pictures(plots(made))
    for title, cells in tables(made):
        parts += [f"<h2>{escape(title)}</h2>", table(cells)]
    return whole_page(f"Piquet: how {made['bot']} plays", [*parts, *origin_of(made["provenance"])])
