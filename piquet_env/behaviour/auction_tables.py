"""The report's tables of the auction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from piquet_env.behaviour.cells import Cells, Titled, count, lines_below, percent, points, short_average, short_percent
from piquet_env.behaviour.report import came_up, is_against_itself


def auction_tables(made: dict[str, Any]) -> Iterator[Titled]:
    """None in classic Piquet; of the other's contracts none where the bot plays itself."""
    if "auction" not in made:
        return
    auction = made["auction"]
    lines = ((name, percent(figure), count(figure)) for name, figure in auction["calls"].items())
    yield Titled("What it calls", lines_below(("", "of all its calls", "calls"), lines))
    yield Titled("The bids it opens with, of its openings", _openings(auction["openings"]))
    yield Titled("Its contracts (bid, played: of all deals dealt)", _contracts(auction))
    if not is_against_itself(made):
        yield Titled("The other's contracts", _others(auction["others"]))
    yield Titled("What it does facing a bid", _answers(auction["to_a_bid"], "double"))
    yield Titled("What it does when its bid is doubled", _answers(auction["to_a_double"], "redouble"))
    yield Titled("Its doubles, and the answer (passed: it becomes the maker)", _doubles(auction["doubles"]))
    yield Titled("Contracts played doubled and redoubled", _stakes(auction["stakes"]))


def _openings(openings: dict[str, Any]) -> Cells:
    names = ("non_dealer", "dealer")
    lines = [["opens at all", *(percent(openings[name]["bids"]) for name in names)]]
    for key in openings["dealer"]["with"]:
        parts = [openings[name]["with"][key] for name in names]
        if any(part["share"] for part in parts):
            lines.append([key, *map(percent, parts)])
    return lines_below(("", "as non-dealer", "as dealer, after a pass"), lines)


def _contracts(auction: dict[str, Any]) -> Cells:
    lines = []
    for key, bids in came_up(auction["bids"]):
        own = auction["own"][key]
        shares = (short_percent(bids["bid"]), short_percent(bids["own"]))
        lines.append((key, *shares, count(own["made"]), percent(own["made"]), points(own["points"])))
    return lines_below(("", "bid", "played", "deals", "made", "points a deal"), lines)


def _others(others: dict[str, Any]) -> Cells:
    lines = (
        (key, count(part["made"]), percent(part["made"]), short_average(part["tricks"]), points(part["points"]))
        for key, part in came_up(others)
    )
    return lines_below(("", "deals", "made", "tricks", "its points a deal"), lines)


def _answers(answers: dict[str, Any], last: str) -> Cells:
    lines = (
        (key, *(percent(part[name]) for name in ("pass", "bid", last)), count(part["pass"]))
        for key, part in came_up(answers)
    )
    return lines_below(("", "passes", "bids on", f"{last}s", "times"), lines)


def _doubles(doubles: dict[str, Any]) -> Cells:
    names = ("passed", "outbid", "redoubled")
    lines = (
        (key, *(short_percent(part[name]) for name in names), count(part["passed"]), points(part["points"]))
        for key, part in came_up(doubles)
    )
    return lines_below(("", *names, "times", "points a deal"), lines)


def _stakes(stakes: dict[str, Any]) -> Cells:
    lines = []
    for stake, parts in stakes.items():
        for whose, maker in (("own", "its"), ("others", "the other's")):
            part = parts[whose]
            if part["made"]["count"]:
                lines.append((f"{stake}, {maker}", count(part["made"]), percent(part["made"]), points(part["points"])))
    return lines_below(("", "deals", "made", "its points a deal"), lines)
