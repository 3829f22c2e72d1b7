"""Reports as one HTML page that needs no other file: of a tournament, and the parts that others are made of."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from html import escape
from typing import Any

from piquet_env.arena.plots import plots
from piquet_env.arena.report import bots_cells, cross_cells, fault_lines, heading, matches_cells

_STYLE = """
body { font-family: system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 0.5em 0 1.5em; display: block; overflow-x: auto; }
th, td { border: 1px solid #ccc; padding: 0.3em 0.7em; text-align: right; overflow-wrap: anywhere; }
th:first-child, td:first-child { text-align: left; }
img { max-width: 100%; }
pre { background: #f4f4f4; padding: 1em; overflow-x: auto; }
"""

EXPLANATION = (
    "Each deal is played twice with the seats swapped; such a pair is the unit of all intervals (95 %, bootstrap). "
    "Without the luck of the draw: the same mean, estimated with a control variate that is fixed before the deals are "
    "seen: what the cards drawn were worth with open hands and best play by both, less the mean over other orders of "
    "the talon. Gain: how many times fewer deals that estimate needs for an interval of the same width. "
    "Rating: Bradley-Terry on pairs won, 400 points for odds of ten to one, mean 0; for display, the points decide."
)


def page(made: dict[str, Any]) -> str:
    """The HTML text of a `standings.tournament_report`."""
    parts = [f"<p>{escape(heading(made['provenance']))}</p>", f"<p>{EXPLANATION}</p>"]
    if len(made["bots"]) > 2:
        cross = cross_cells(made["results"], [bot["bot"] for bot in made["bots"]])
        parts += ["<h2>Points per deal, row against column</h2>", table(cross)]
    parts += ["<h2>Every two bots</h2>", table(matches_cells(made["results"]))]
    parts += ["<h2>The bots</h2>", table(bots_cells(made["bots"]))]
    parts += [f"<p>{escape(line)}</p>" for line in fault_lines(made)]
    return whole_page("Piquet tournament", [*parts, *pictures(plots(made)), *origin_of(made["provenance"])])


def whole_page(title: str, parts: Sequence[str]) -> str:
    """An HTML text with this title, plain text, and these parts, HTML, below it."""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    body = "\n".join([f"<h1>{escape(title)}</h1>", *parts])
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def pictures(found: Sequence[tuple[str, bytes]]) -> list[str]:
    """Titles and SVG pictures as parts of a page, which has them within itself."""
    parts = []
    for title, picture in found:
        source = base64.b64encode(picture).decode("ascii")
        parts += [f"<h2>{title}</h2>", f'<img alt="{title}" src="data:image/svg+xml;base64,{source}">']
    return parts


def origin_of(provenance: dict[str, Any]) -> list[str]:
    """The part of a page that says where its numbers come from."""
    return ["<h2>Where it comes from</h2>", f"<pre>{escape(json.dumps(provenance, indent=2))}</pre>"]


def table(cells: Sequence[Sequence[str]]) -> str:
    """A heading and lines as a part of a page."""
    rows = [
        "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in line)
        for tag, line in zip(["th"] + ["td"] * len(cells), cells, strict=False)
    ]
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
