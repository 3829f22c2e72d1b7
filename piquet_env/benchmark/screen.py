"""A report of the benchmark, or of a soak, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

_FREE = 0.93  # of a core, at least, that a thread has on an idle machine
_SCALES = ((1e6, " M"), (1e3, " k"))


def print_report(made: dict[str, Any], console: Console) -> None:
    """The tables of a `report.report`."""
    _say(console, *_machine(made), _settings(made), _calibration(made))
    _say(console, "Median of the repeats; in brackets their range.")
    _print(console, "Decisions per second", _rates_table(made))
    if made["ratios"]:
        _print(console, "Ratios, each within one round", _ratios_table(made))
    if made.get("peers"):
        _print(console, "Other libraries", _peers_table(made))
    if "startup" in made:
        _print(console, "To begin with", _startup_table(made["startup"]))
    if "solver" in made:
        _print(console, "Exact play of a whole deal, milliseconds on one core", _solver_table(made["solver"]))
        _say(console, *_solved_at_once(made["solver"]))
    if made["targets"]:
        _print(console, "Targets", _targets_table(made["targets"]))
    else:
        _say(console, "Targets are set for the defaults of --rules, --games and --steps: here there are none.")
    _say(console, *_crowded(made))
    for absent in made.get("missing", ()):
        _say(console, f"Not measured: {absent['library']}: {absent['reason']} ({absent['install']})")


def print_soak(made: dict[str, Any], console: Console) -> None:
    """The result of a `soak.play_soak`."""
    memory = made["memory"]
    table = _table("", "")
    for name in ("games", "decisions", "deals", "thrown_in", "terminated", "truncated"):
        table.add_row(name.replace("_", " "), f"{made[name]:,}")
    table.add_row("minutes after the first round", f"{made['seconds'] / 60:.1f}")
    for name in ("after_first_round", "at_the_end", "growth", "allowed"):
        table.add_row(f"memory, MB: {name.replace('_', ' ')}", f"{memory[name] / 1e6:,.1f}")
    table.show_header = False
    _say(console, *_machine(made))
    console.print(table)
    _say(console, "Memory has grown." if made["grew"] else "Memory has not grown.")


def _say(console: Console, *lines: str) -> None:
    for line in lines:
        console.print(line, highlight=False, markup=False)


def _print(console: Console, title: str, table: Table) -> None:
    console.print(f"\n{title}", style="bold", highlight=False, markup=False)
    console.print(table)


def _table(*columns: str) -> Table:
    """The first column to the left, numbers to the right."""
    table = Table()
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left", overflow="fold")
    return table


def _machine(made: dict[str, Any]) -> list[str]:
    machine = made["machine"]
    load = "" if machine["load"] is None else f", load {machine['load']:.1f}"
    named = [f"{name} {made['versions'][name]}" for name in ("piquet-env", "python", "numpy", "numba")]
    system = f"{machine['system']} {machine['architecture']}"
    return [f"{machine['processor']} ({system}), {machine['usable_cores']} cores{load}", ", ".join(named)]


def _settings(made: dict[str, Any]) -> str:
    settings = made["settings"]
    counts = ", ".join(f"{name} {settings[name]:,}" for name in ("games", "steps", "repeats"))
    where = "one core" if made["machine"]["pinned"] else "one thread"
    return f"{settings['rules']}: {counts}; on {where} where nothing else is said"


def _crowded(made: dict[str, Any]) -> list[str]:
    """A warning, where several threads did less of what needs nothing but a core than they do on free ones."""
    threads = made["settings"]["threads"]
    ratio = made["ratios"].get(f"calibration-{threads}/calibration")
    if ratio is None or ratio["median"] >= _FREE * threads:
        return []
    work = f"{threads} threads did {ratio['median']:.3g} times the work of one"
    return [f"The cores were not free: {work}. What is measured on {threads} threads says little."]


def _calibration(made: dict[str, Any]) -> str:
    calibration = made["calibration"]
    rate, spread = _scaled(calibration["median"], calibration["range"])
    return f"calibration: {rate} [{spread}] {calibration['unit']}"


def _rates_table(made: dict[str, Any]) -> Table:
    table = _table("", "rate", "range")
    table.add_column("what")
    for name, rate in made["rates"].items():
        unit = f" ({made['other_units'][name]})" if name in made["other_units"] else ""
        table.add_row(escape(name), *_scaled(rate, made["ranges"][name]), escape(made["what"][name] + unit))
    return table


def _scaled(value: float, spread: Sequence[float] = ()) -> tuple[str, str]:
    """A rate, and its range in the same unit: thousands or millions."""
    scale, unit = next(((scale, unit) for scale, unit in _SCALES if value >= scale), (1.0, ""))
    return f"{value / scale:,.3g}{unit}", " - ".join(f"{number / scale:,.3g}" for number in spread) + unit


def _ratios_table(made: dict[str, Any]) -> Table:
    """Those of this project's own measures."""
    theirs = {f"{peer['against']}/{peer['name']}" for peer in made.get("peers", ())}
    table = _table("", "ratio", "range")
    for name, ratio in made["ratios"].items():
        if name not in theirs:
            table.add_row(escape(name), *_ratio(ratio))
    return table


def _ratio(made: dict[str, Any] | None) -> tuple[str, str]:
    if made is None:
        return "", ""
    return f"{made['median']:.3g}", " - ".join(f"{number:.3g}" for number in made["range"])


def _peers_table(made: dict[str, Any]) -> Table:
    """One section for each way of playing."""
    table = _table("", "rate", "ours to it", "range")
    section = ""
    for peer in made["peers"]:
        version = made["peer_versions"][peer["library"]]
        heading = f"{peer['library']} {version}: {peer['what']} (ours: {peer['against']})"
        if heading != section:
            table.add_section()
            table.add_row(f"[italic]{escape(heading)}[/italic]")
        section = heading
        table.add_row(escape(f"  {peer['name']}"), _scaled(peer["rate"])[0], *_ratio(peer["ratio"]))
    return table


def _startup_table(startup: dict[str, Any]) -> Table:
    table = _table("", "seconds", "range")
    table.add_row("cold compile: import and one episode", f"{startup['cold_compile']:.1f}", "")
    for name, what in (("warm_import", "warm import"), ("warm_episode", "first episode after it")):
        table.add_row(what, *_ratio(startup[name]))
    return table


def _solver_table(solver: dict[str, Any]) -> Table:
    table = _table("", "mean", "99 %", "most")
    for name, taken in solver["milliseconds"].items():
        table.add_row(name, *(f"{taken[which]:.3f}" for which in ("mean", "p99", "most")))
    return table


def _solved_at_once(solver: dict[str, Any]) -> list[str]:
    rates = ", ".join(f"{name} {_scaled(rate)[0]}" for name, rate in solver["per_second"].items())
    return [f"{solver['deals']} deals of each kind; all in one call, {solver['threads']} threads, deals/s: {rates}"]


def _targets_table(targets: Sequence[dict[str, Any]]) -> Table:
    table = _table("", "asked for", "measured")
    table.add_column("")
    for target in targets:
        sign, limit = ("<=", target["at_most"]) if "at_most" in target else (">=", target["at_least"])
        unit = f" {target['unit']}" if target["unit"] else ""
        table.add_row(escape(target["name"]), f"{sign} {_number(limit)}{unit}", *_outcome(target))
    return table


def _number(value: float) -> str:
    return _scaled(value)[0] if value >= _SCALES[0][0] else f"{value:,.4g}"


def _outcome(target: dict[str, Any]) -> tuple[str, str]:
    if target["value"] is None:
        return "", f"needs {target['option']}" if "option" in target else "not measured"
    return _number(target["value"]), "reached" if target["reached"] else "not reached"
