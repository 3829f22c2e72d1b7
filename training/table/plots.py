"""The pictures of a table: learning curves, and the measures with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from piquet_env.arena.plots import shown_name
from piquet_env.arena.statistics import Interval
from piquet_env.files import whole_file
from training.curves import EXPLOITABILITY, Curve, curve_of, plot_curves
from training.table.pieces import EXACT, RUNS
from training.table.shown import Shown

_SPREAD = 0.6  # of a line of the picture, that the algorithms take together


def pictures_of(shown: Shown, game: str) -> dict[str, Callable[[Path], None]]:
    """The pictures of a game, as far as there is something to be seen: by name, what writes it to a file."""
    pictures: dict[str, Callable[[Path], None]] = {}
    found = _curves(shown, game)
    if found:
        pictures[f"curves-{game}.png"] = partial(plot_curves, *found)
    points = {
        algorithm: {measure.title: shown.measured(measure, game, algorithm) for measure in shown.measures(game)}
        for algorithm in shown.algorithms
    }
    titles = [measure.title for measure in shown.measures(game) if measure.kind != EXACT]
    if any(of.get(title) for of in points.values() for title in titles):
        pictures[f"measures-{game}.png"] = partial(_plot_measures, points, titles, game)
    return pictures


def _curves(shown: Shown, game: str) -> tuple[list[Curve], str] | None:
    """The learning curves of the algorithms whose runs are all there, and by what they are measured."""
    runs = {algorithm: shown.of_seeds(RUNS, game, algorithm) for algorithm in shown.algorithms}
    there = {algorithm: found for algorithm, found in runs.items() if found}
    if not there:
        return None
    measured = list(next(iter(there.values()))[0]["curves"])
    # Exact where that is measured, else against the last opponent, by which `piquet train` chooses too.
    measure = EXPLOITABILITY if EXPLOITABILITY in measured else measured[-1]
    curves = [curve_of(algorithm, _points(found, measure)) for algorithm, found in there.items()]
    return curves, measure


def _points(runs: Sequence[dict[str, Any]], measure: str) -> dict[int, dict[int, float]]:
    return {run["runs"][0][1]: {int(at): value for at, value in run["curves"][measure].items()} for run in runs}


def _plot_measures(
    points: dict[str, dict[str, Interval | None]], titles: Sequence[str], game: str, picture: Path
) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 1.2 + 0.5 * len(titles)), layout="constrained")
    axes = figure.subplots()
    for number, (algorithm, of) in enumerate(points.items()):
        shift = _SPREAD * (number / max(len(points) - 1, 1) - 0.5)
        there = [(place + shift, of[title]) for place, title in enumerate(titles)]
        known = [(y, found) for y, found in there if found is not None]
        means = [found.mean for _, found in known]
        # A mean over few seeds may lie a rounding error outside its interval.
        below = [max(found.mean - found.low, 0) for _, found in known]
        above = [max(found.high - found.mean, 0) for _, found in known]
        axes.errorbar(means, [y for y, _ in known], xerr=[below, above], fmt="o", capsize=3, label=algorithm)
    axes.axvline(0, color="grey", linewidth=0.8)
    axes.set_yticks(range(len(titles)), [shown_name(title) for title in titles])
    axes.invert_yaxis()
    axes.set_xlabel("points per deal")
    axes.set_title(f"{game}: interquartile mean over seeds, 95 % bootstrap interval", fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    with whole_file(picture) as file:
        figure.savefig(file, dpi=100, format="png")
