"""Learning curves of several runs: those that differ in the seed alone are one line, with an interval over seeds."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from piquet_env.cli import OK, REFUSED
from piquet_env.files import file_to_write, whole_file
from training.config import TrainConfig, as_dict, load_config
from training.runlog import read_log
from training.train import CONFIG, LOG

EXPLOITABILITY = "exploitability"
_LEFT_OUT = ("seed", "threads", "device")  # what runs of one line may differ in
_RESAMPLES = 2000


class CurveError(ValueError):
    """Runs of which no curves can be made: says which and why."""


@dataclass(frozen=True)
class Curve:
    """One line: runs of one configuration with several seeds."""

    name: str
    seeds: tuple[int, ...]
    decisions: NDArray[np.int64]
    """(K,): when it was measured."""
    values: NDArray[np.float64]
    """(seeds, K)."""
    mean: NDArray[np.float64]
    """(K,): the interquartile mean over the seeds."""
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    """(K,): its 95 % interval, by bootstrap over the seeds."""


def read_curves(folders: Sequence[Path], measure: str) -> list[Curve]:
    """The curves of the runs in these folders; `measure` is "exploitability", or a bot they were measured against.

    Raises CurveError: there are no folders, one holds no run, a run was not measured so, or two runs are the same.
    """
    if not folders:
        raise CurveError("expected the folders of one or more runs")
    runs = [(folder, _config(folder), measured_points(folder, measure)) for folder in folders]
    names = _names([config for _, config, _ in runs])
    groups: dict[str, dict[int, dict[int, float]]] = {}
    for (folder, config, measured), name in zip(runs, names, strict=True):
        seeds = groups.setdefault(name, {})
        if config.seed in seeds:
            raise CurveError(f"{folder}: seed {config.seed} of the same configuration is there twice")
        seeds[config.seed] = measured
    return [curve_of(name, seeds) for name, seeds in groups.items()]


def _config(folder: Path) -> TrainConfig:
    try:
        return load_config(folder / CONFIG)
    except ValueError as error:
        raise CurveError(f"{folder}: no run: {error}") from error


def measured_points(folder: Path, measure: str) -> dict[int, float]:
    """Decisions of a run and what was measured after them, as `read_curves`. Raises CurveError."""
    found = {}
    for entry in read_log(folder / LOG):
        if entry["kind"] == "evaluation":
            try:
                measured = {result["against"]: result["points_per_deal"] for result in entry["results"]}
                measured |= {EXPLOITABILITY: entry[EXPLOITABILITY]} if EXPLOITABILITY in entry else {}
                found |= {int(entry["decisions"]): float(measured[measure])} if measure in measured else {}
            except (KeyError, TypeError, ValueError) as error:
                raise CurveError(f"{folder / LOG}: an evaluation in it is damaged: {entry}") from error
    if not found:
        raise CurveError(f"{folder}: was not measured by {measure!r}")
    return found


def _names(configs: Sequence[TrainConfig]) -> list[str]:
    """What the configurations are called: by the algorithm, and where that is not enough, by all that differs."""
    dicts = [{name: value for name, value in as_dict(c).items() if name not in _LEFT_OUT} for c in configs]
    varying = [name for name in dicts[0] if any(d[name] != dicts[0][name] for d in dicts)]
    names = []
    for mine in dicts:
        alike = [other for other in dicts if other["algorithm"] == mine["algorithm"]]
        more = [f"{f} {mine[f]}" for f in varying if f != "algorithm" and any(o[f] != mine[f] for o in alike)]
        names.append(", ".join([mine["algorithm"], *more]))
    return names


def curve_of(name: str, seeds: dict[int, dict[int, float]]) -> Curve:
    """The line of runs: for each seed, what was measured after so many decisions. Raises CurveError."""
    common = sorted(set.intersection(*(set(points) for points in seeds.values())))
    if not common:
        raise CurveError(f"{name}: its runs were never measured after the same number of decisions")
    ordered = sorted(seeds)
    values = np.array([[seeds[seed][decisions] for decisions in common] for seed in ordered])
    mean, low, high = interquartile_mean(values)
    return Curve(name, tuple(ordered), np.array(common), values, mean, low, high)


def middle(sample: NDArray[np.float64], axis: int = 0) -> NDArray[np.float64]:
    """The mean of the middle half along an axis; of three numbers, of which no quarter is a whole one, of all."""
    from scipy.stats import trim_mean

    return trim_mean(sample, 0.25, axis=axis)


def interquartile_mean(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The mean (K,) of the middle half of values (seeds, K), with its 95 % interval by bootstrap over the seeds."""
    from scipy.stats import bootstrap

    mean = middle(values)
    if len(values) == 1:
        return mean, mean, mean
    rng = np.random.default_rng(0)
    made = bootstrap((values,), middle, n_resamples=_RESAMPLES, method="percentile", rng=rng, axis=0)
    return mean, made.confidence_interval.low, made.confidence_interval.high


def curves_report(curves: Sequence[Curve], measure: str) -> dict[str, Any]:
    """The JSON object: for each curve its seeds, decisions, values of each seed, mean and interval."""
    return {
        "measure": measure,
        "curves": [
            {
                "name": curve.name,
                "seeds": list(curve.seeds),
                "decisions": curve.decisions.tolist(),
                "values": curve.values.tolist(),
                "interquartile_mean": curve.mean.tolist(),
                "low": curve.low.tolist(),
                "high": curve.high.tolist(),
            }
            for curve in curves
        ],
    }


def plot_curves(curves: Sequence[Curve], measure: str, picture: Path) -> None:
    """A PNG: a line for each curve, and a thin one for each seed."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for number, curve in enumerate(curves):
        colour = f"C{number}"
        axes.plot(curve.decisions, curve.mean, color=colour, label=f"{curve.name} ({len(curve.seeds)} seeds)")
        axes.fill_between(curve.decisions, curve.low, curve.high, color=colour, alpha=0.2)
        for values in curve.values:
            axes.plot(curve.decisions, values, color=colour, linewidth=0.4, alpha=0.6)
    exact = measure == EXPLOITABILITY
    axes.set_ylabel("exploitability, points per deal" if exact else f"points per deal against {measure}")
    if exact:
        axes.set_yscale("log")
    axes.set_xlabel("decisions")
    axes.set_title("Interquartile mean over seeds, 95 % bootstrap interval")
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    with whole_file(picture) as file:
        figure.savefig(file, dpi=120, format="png")


def curves(
    folders: tyro.conf.Positional[tuple[Path, ...]],
    measure: Annotated[str, tyro.conf.arg(metavar="exploitability|BOT")] = EXPLOITABILITY,
    output: Annotated[Path | None, tyro.conf.arg(aliases=["-o"], metavar="PNG")] = None,
    as_json: Annotated[bool, tyro.conf.arg(name="json")] = False,
) -> int:
    """Draw the learning curves of several runs; those that differ in the seed alone are one line.

    Args:
        folders: the folders of the runs.
        measure: what is drawn: exact exploitability (runs with `exploitability: true`), or points against a bot.
        output: a picture to write, a PNG.
        as_json: print one JSON object instead of a table.
    """
    try:
        found = read_curves(folders, measure)
        if output is not None:
            if output.suffix != ".png":
                raise CurveError(f"output: expected a name that ends in .png, got {output}")
            file_to_write("output", output)
            plot_curves(found, measure, output)
    except (CurveError, OSError, ValueError) as error:
        print(f"piquet curves: {error}", file=sys.stderr)
        return REFUSED
    if as_json:
        print(json.dumps(curves_report(found, measure)))
    else:
        console = Console()
        console.print(_table(found, measure))
        console.print("Interquartile means over the seeds, bootstrap intervals over them; few seeds say little.")
        console.print(
            f"picture: {output}" if output else "-o FILE.png draws them.", highlight=False, markup=False, soft_wrap=True
        )
    return OK


def _table(found: Sequence[Curve], measure: str) -> Table:
    """What each curve ends at."""
    what = f"{measure}, points per deal" if measure == EXPLOITABILITY else f"points per deal against {measure}"
    table = Table("", "decisions", "seeds", what, "95 % interval", title="At the end of the curves")
    for curve in found:
        interval = f"{curve.low[-1]:.2f} to {curve.high[-1]:.2f}" if len(curve.seeds) > 1 else ""
        cells = (f"{curve.decisions[-1]:,}", str(len(curve.seeds)), f"{curve.mean[-1]:.2f}", interval)
        table.add_row(curve.name, *cells)
    return table
