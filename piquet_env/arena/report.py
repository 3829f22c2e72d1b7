"""Matches as tables for the terminal and as the JSON object of `piquet evaluate --json`."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from piquet_env.arena.faults import KINDS, PATIENCE
from piquet_env.arena.match import Match
from piquet_env.arena.provenance import about_playout
from piquet_env.arena.statistics import summary
from piquet_env.arena.tables import DEAL
from piquet_env.envs.auctions import AUCTION
from piquet_env.files import whole_file


def report(matches: Sequence[Match], provenance: dict[str, Any]) -> dict[str, Any]:
    """The JSON object: `{"results": [...], "provenance": {...}}`, one result for each match, in order.

    All matches must have the same rules, seed and kind of episode.
    """
    first = matches[0]
    settings = {"rules": first.rules.spec(), "episode": first.episode, "seed": first.seed, "deals": first.pairs}
    settings |= about_playout(first.episode, first.stored)
    return {"results": [summary(match) for match in matches], "provenance": settings | provenance}


def print_report(made: dict[str, Any], console: Console) -> None:
    """The tables of a `report`."""
    results, settings = made["results"], made["provenance"]
    console.print(heading(settings), highlight=False, markup=False)
    if len(results) > 1:
        print_table(console, _CROSS_TITLE, cells_table(_narrow_cross(results, _names(results))))
    for result in results:
        print_table(console, f"{result['bot']} against {result['against']}", _headline(result))
        if settings["episode"] != AUCTION:  # after which all points are those of the contract
            print_table(console, "What makes up the difference, points per deal", _make_up_table(result))
        if result["contracts"]:
            how = "made" if settings["episode"] != AUCTION else "the maker has more points"
            print_table(console, f"Contracts played ({how}, doubled, redoubled)", _contracts_table(result))


_CROSS_TITLE = "Points per deal, row against column"


def print_table(console: Console, title: str, table: Table) -> None:
    """A table below its title."""
    console.print(f"\n{title}", style="bold", highlight=False, markup=False)
    console.print(table)


def print_tournament(made: dict[str, Any], console: Console) -> None:
    """The tables of a `standings.tournament_report`."""
    results, settings = made["results"], made["provenance"]
    console.print(heading(settings), highlight=False, markup=False)
    ranked = [bot["bot"] for bot in _best_first(made["bots"])]
    print_table(console, "The bots", cells_table(_numbered(bots_cells(made["bots"]))))
    if len(ranked) > 2:
        print_table(console, _CROSS_TITLE, cells_table(_narrow_cross(results, ranked)))
    print_table(console, "Every two bots, by their numbers above", cells_table(_narrow_matches(results, ranked)))
    if settings["luck_orders"] and not all(result["reduced"] for result in results):
        console.print("No estimate without the luck of the draw where a bot cheats or a deal was lost by a fault.")
    for line in fault_lines(made):
        console.print(line, highlight=False, markup=False)


def _numbered(cells: Sequence[Sequence[str]]) -> list[list[str]]:
    """Lines below a heading, numbered in the first column."""
    return [list(cells[0]), *([f"{number} {line[0]}", *line[1:]] for number, line in enumerate(cells[1:], 1))]


def _narrow_cross(results: Sequence[dict[str, Any]], bots: Sequence[str]) -> list[list[str]]:
    """`cross_cells` for a terminal, which is narrow: numbers for the bots' names above, intervals in a second line."""
    heading, *lines = _numbered(cross_cells(results, bots))
    numbers = [str(number) for number in range(1, len(heading))]
    return [["", *numbers], *([line[0], *map(_in_two_lines, line[1:])] for line in lines)]


def _narrow_matches(results: Sequence[dict[str, Any]], bots: Sequence[str]) -> list[list[str]]:
    """`matches_cells` for a terminal: numbers for the bots' names, intervals in a second line."""
    heading, *lines = matches_cells(results)
    heading = [title.replace(" luck", "\nluck").replace("won ", "\nwon ") for title in heading]
    found = []
    for result, (_, *cells) in zip(results, lines, strict=True):
        who = f"{bots.index(result['bot']) + 1} against {bots.index(result['against']) + 1}"
        found.append([who, *map(_in_two_lines, cells)])
    return [heading, *found]


def _in_two_lines(cell: str) -> str:
    return cell.replace(" [", "\n[")


def matches_cells(results: Sequence[dict[str, Any]]) -> list[list[str]]:
    """A heading and a line for each match, for the terminal and the page."""
    counted = "parties" if results and "parties" in results[0] else "pairs"
    lines = [["", "points per deal", "without the luck of the draw", "gain", f"{counted} won / drawn / lost"]]
    for result in results:
        reduced, counts = result["reduced"], result[counted]
        without = "" if reduced is None else _with_interval(reduced["points_per_deal"], reduced["interval"])
        gain = "" if reduced is None else f"{reduced['gain']:.2f}"
        points = _with_interval(result["points_per_deal"], result["interval"])
        lines.append([f"{result['bot']} against {result['against']}", points, without, gain, _counts(counts)])
    return lines


def bots_cells(bots: Sequence[dict[str, Any]]) -> list[list[str]]:
    """A heading and a line for each bot, the best first."""
    lines = [["", "rating", "wins", "a move", "a deal and seat", "faults"]]
    for bot in _best_first(bots):
        rating = "" if bot["rating"] is None else f"{bot['rating']:+.0f}"
        times = (_seconds(bot["seconds_per_move"]), _seconds(bot["seconds_per_deal"]))
        faults = sum(fault["count"] for fault in bot["faults"])
        lines.append([bot["bot"], rating, f"{100 * bot['win_share']:.1f} %", *times, f"{faults:,}"])
    return lines


def _best_first(bots: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(bots, key=lambda bot: -(bot["rating"] or 0))


def _seconds(seconds: float) -> str:
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def fault_lines(made: dict[str, Any]) -> list[str]:
    """What the bots did wrong and what it cost them, in words."""
    bots, settings = made["bots"], made["provenance"]
    lines = [
        f"{bot['bot']} {KINDS[fault['kind']]}, {fault['count']:,} times; first: {fault['message']}"
        for bot in bots
        for fault in bot["faults"]
    ]
    most = " or ".join(f"{KINDS[kind]} {count} times" for kind, count in PATIENCE.items())
    for bot in bots:
        if bot["lost_unplayed"]:
            lines.append(f"{bot['bot']} lost {bot['lost_unplayed']:,} more games unplayed: it {most}.")
    return [f"Each fault loses the deal by {settings['forfeit']} points.", *lines] if lines else []


def cells_table(cells: Sequence[Sequence[str]]) -> Table:
    """A heading and lines, the first column to the left."""
    table = Table()
    for place, title in enumerate(cells[0]):
        table.add_column(escape(title), justify="right" if place else "left", overflow="fold")
    for line in cells[1:]:
        table.add_row(*map(escape, line))
    return table


def heading(settings: dict[str, Any]) -> str:
    """What was played, in words, and who cheats."""
    what = {"deal": "deals", "partie": "parties", AUCTION: "auctions"}[settings["episode"]]
    return (
        f"{settings['rules']}: {settings['deals']:,} {what}, each played twice with the seats swapped "
        f"(seed {settings['seed']}{_stored(settings)}). In brackets: 95 % intervals, bootstrap over the pairs."
        + "".join(f" {bot} cheats: it sees all cards." for bot in settings["cheats"])
    )


def _stored(settings: dict[str, Any]) -> str:
    """Which stored deals were played."""
    stored = settings.get("stored_deals")
    if stored is None:
        return ""
    part = f", the part {stored['part']} of the benchmark" if stored["part"] else ""
    return f"; of {stored['number']:,} stored deals{part}"


def _with_interval(mean: float, interval: Sequence[float]) -> str:
    return f"{mean:+.1f} [{interval[0]:+.1f}, {interval[1]:+.1f}]"


def _names(results: Sequence[dict[str, Any]]) -> list[str]:
    """The bots of these matches, in the order in which they come."""
    return list(dict.fromkeys(name for result in results for name in (result["bot"], result["against"])))


def cross_cells(results: Sequence[dict[str, Any]], bots: Sequence[str]) -> list[list[str]]:
    """A heading and a line for each bot, in this order: its points per deal against every other."""
    cells = {}
    for result in results:
        low, high = result["interval"]
        cells[result["bot"], result["against"]] = _with_interval(result["points_per_deal"], (low, high))
        cells[result["against"], result["bot"]] = _with_interval(-result["points_per_deal"], (-high, -low))
    return [["", *bots], *([row, *(cells.get((row, column), "") for column in bots)] for row in bots)]


def _headline(result: dict[str, Any]) -> Table:
    table = Table(show_header=False)
    table.add_column("")
    table.add_column("", justify="right")
    table.add_row("points per deal", _with_interval(result["points_per_deal"], result["interval"]))
    table.add_row("pairs won / drawn / lost", _counts(result["pairs"]))
    if "parties" in result:
        table.add_row("payment per partie", _with_interval(result["payment_per_partie"], result["payment_interval"]))
        table.add_row("parties won / drawn / lost", _counts(result["parties"]))
    if result["contracts"] or result["thrown_in"]:
        table.add_row("deals thrown in", f"{100 * result['thrown_in']:.1f} %")
    if result["truncated"]:
        table.add_row("games cut off", f"{result['truncated']:,}")
    return table


def _counts(counts: dict[str, int]) -> str:
    return " / ".join(f"{counts[name]:,}" for name in ("won", "drawn", "lost"))


def _make_up_table(result: dict[str, Any]) -> Table:
    table = Table()
    table.add_column("")
    for name in (result["bot"], result["against"], "difference"):
        table.add_column(escape(name), justify="right", overflow="fold")
    rows = {item: part for item, part in result["make_up"].items() if part["bot"] or part["against"]}
    columns = ("bot", "against", "difference")
    for item, part in rows.items():
        table.add_row(
            item.replace("_", " "), f"{part['bot']:.1f}", f"{part['against']:.1f}", f"{part['difference']:+.1f}"
        )
    totals = [sum(part[column] for part in rows.values()) for column in columns]
    table.add_section()
    table.add_row("total", f"{totals[0]:.1f}", f"{totals[1]:.1f}", f"{totals[2]:+.1f}")
    return table


def _contracts_table(result: dict[str, Any]) -> Table:
    table = Table()
    table.add_column("")
    makers = {"bot": result["bot"], "against": result["against"]}
    for name in makers.values():
        table.add_column(escape(name), justify="right", overflow="fold")
    cells = {(c["sign"], c["level"], c["maker"]): c for c in result["contracts"]}
    for sign, level in sorted({(c["sign"], c["level"]) for c in result["contracts"]}):
        table.add_row(f"{sign}{level}", *(_contract(cells.get((sign, level, maker))) for maker in makers))
    return table


def _contract(counts: dict[str, Any] | None) -> str:
    if counts is None:
        return ""
    share = 100 * counts["made"] / counts["bid"]
    return f"{counts['bid']:,} ({share:.0f} %, {counts['doubled']:,}, {counts['redoubled']:,})"


def write_rows(matches: Sequence[Match], path: Path) -> None:
    """Every completed deal of the matches as CSV, with the two bots' names; the file is written whole or not at all.

    Raises:
        OSError: the file cannot be written.
    """
    with (
        whole_file(path) as partial,
        partial.open("x", newline="", encoding="utf-8", errors="backslashreplace") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(["bot_a", "bot_b", *(DEAL.names or ())])
        for match in matches:
            writer.writerows([*match.names, *values] for values in match.deals.tolist())
