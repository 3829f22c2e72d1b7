"""The pictures in a tournament's report."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_WIDTH = 8.0  # inches
_LONGEST = 40  # letters of a bot's name; what is left out of a path is its beginning
_OF_EACH = 0.35  # inches for a line of a picture


def plots(made: dict[str, Any]) -> list[tuple[str, bytes]]:
    """Titles and pictures (SVG) of a `standings.tournament_report`."""
    results, bots = made["results"], made["bots"]
    found = [("Points per deal with 95 % intervals", picture(len(results), lambda axes: _points(axes, results)))]
    if len(bots) > 1:
        found.append(("Strength and time", picture(10, lambda axes: _strength_and_time(axes, bots))))
        found.append(("What makes up the points", picture(10, lambda axes: _make_up(axes, results))))
    return found


def picture(lines: float, draw: Callable[[Axes], None]) -> bytes:
    """What `draw` draws, as SVG, high enough for so many lines; the same each time."""
    figure = Figure(figsize=(_WIDTH, 1.2 + _OF_EACH * lines), layout="constrained")
    draw(figure.add_subplot())
    with warnings.catch_warnings(), rc_context({"svg.hashsalt": "piquet"}):
        warnings.simplefilter("ignore")  # letters that the font has not
        stream = io.BytesIO()
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()


def shown_name(bot: str) -> str:
    """A bot's name as matplotlib can write it, where a dollar begins a formula."""
    shown = bot if len(bot) <= _LONGEST else f"…{bot[-_LONGEST:]}"
    return shown.encode("utf-8", "replace").decode().replace("$", r"\$")


def _points(axes: Axes, results: Sequence[dict[str, Any]]) -> None:
    names = [f"{shown_name(result['bot'])}\nagainst {shown_name(result['against'])}" for result in results]
    _intervals(axes, results, 0.12, "points as played")
    reduced = [result["reduced"] for result in results]
    if any(reduced):
        _intervals(axes, reduced, -0.12, "without the luck of the draw")
    axes.axvline(0, color="grey", linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel("points per deal")
    axes.legend()


def _intervals(axes: Axes, estimates: Sequence[dict[str, Any] | None], shift: float, label: str) -> None:
    there = [(place + shift, estimate) for place, estimate in enumerate(estimates) if estimate is not None]
    points = [estimate["points_per_deal"] for _, estimate in there]
    below = [max(estimate["points_per_deal"] - estimate["interval"][0], 0) for _, estimate in there]
    above = [max(estimate["interval"][1] - estimate["points_per_deal"], 0) for _, estimate in there]
    axes.errorbar(points, [y for y, _ in there], xerr=[below, above], fmt="o", capsize=3, label=label)


def _strength_and_time(axes: Axes, bots: Sequence[dict[str, Any]]) -> None:
    for bot in bots:
        seconds = max(bot["seconds_per_deal"], 1e-7)
        axes.plot(seconds, bot["rating"], "o")
        axes.annotate(shown_name(bot["bot"]), (seconds, bot["rating"]), xytext=(6, 4), textcoords="offset points")
    axes.set_xscale("log")
    axes.margins(0.15)
    axes.set_xlabel("seconds a deal and seat")
    axes.set_ylabel("rating")


def _make_up(axes: Axes, results: Sequence[dict[str, Any]]) -> None:
    """Bars from left to right: what a bot scores more than the other by each item of the score sheet."""
    items = list(dict.fromkeys(item for result in results for item in result["make_up"]))
    height = 0.8 / len(results)
    for place, result in enumerate(results):
        more = [result["make_up"].get(item, {"difference": 0.0})["difference"] for item in items]
        label = f"{shown_name(result['bot'])} against {shown_name(result['against'])}"
        axes.barh([y + height * place for y in range(len(items))], more, height, label=label)
    axes.set_yticks([y + 0.4 - height / 2 for y in range(len(items))], [item.replace("_", " ") for item in items])
    axes.invert_yaxis()
    axes.set_xlabel("points per deal, the first bot's less the other's")
    if len(results) <= 6:
        axes.legend()
