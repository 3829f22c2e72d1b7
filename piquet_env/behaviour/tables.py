"""The report's tables, the same on the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from piquet_env.behaviour.auction_tables import auction_tables
from piquet_env.behaviour.cells import (
    Cells,
    Titled,
    average,
    bare_percent,
    count,
    group_name,
    lines_below,
    percent,
    percent_of,
    points,
    short_average,
    short_percent,
)
from piquet_env.behaviour.exchange import HOLDINGS
from piquet_env.behaviour.report import came_up, figures_of, groups, is_against_itself
from piquet_env.behaviour.score import ITEMS


def tables(made: dict[str, Any]) -> list[Titled]:
    """All tables of a `report.behaviour_report` after the summary; those without a case are left out."""
    found = [*auction_tables(made), *_exchange(made), *_declarations(made), *_play(made), *_score(made)]
    return [table for table in found if len(table.cells) > 1]


def _named(made: dict[str, Any], section: str) -> dict[str, Any]:
    """The groups of a section by the name that is shown, without those that no deal is of."""
    parts = ((group_name(group, made), made[section][group]) for group in groups(made))
    return {name: part for name, part in parts if any(figure["count"] for figure in figures_of(part))}


# ------------------------------------------------------------------ the exchange


def _exchange(made: dict[str, Any]) -> Iterator[Titled]:
    parts = _named(made, "exchange")
    yield Titled("Cards exchanged: mean, and how often so many", _numbers(parts))
    yield Titled("Cards exchanged, by contract", _by_contract(made))
    ranks = list(dict.fromkeys(rank for part in parts.values() for rank in reversed(part["kept"])))
    lines = ((name, *(short_percent(part["kept"][rank]) for rank in ranks)) for name, part in parts.items())
    yield Titled("What it keeps of the cards dealt, by rank", lines_below(("", *ranks), lines))
    lines = ((name, *(percent_of(part["holdings"][h]["kept"]) for h in HOLDINGS)) for name, part in parts.items())
    yield Titled("The best holding dealt: how often kept whole (of how many)", lines_below(("", *HOLDINGS), lines))
    lines = ((name, *(short_percent(part["holdings"][h]["after"]) for h in HOLDINGS)) for name, part in parts.items())
    yield Titled("The best holding after the exchange", lines_below(("", *HOLDINGS), lines))
    yield Titled("Cards in the longest suit; cards of the talon seen and not drawn", _suits(parts))


def _numbers(parts: dict[str, Any]) -> Cells:
    numbers = list(dict.fromkeys(number for part in parts.values() for number in part["distribution"]))
    lines = []
    for name, part in parts.items():
        shares = (short_percent(part["distribution"][n]) if n in part["distribution"] else "" for n in numbers)
        lines.append((name, short_average(part["exchanged"]), *shares))
    return lines_below(("", "mean", *numbers), lines)


def _by_contract(made: dict[str, Any]) -> Cells:
    lines = (
        (key, *(text for role in ("elder", "younger") for text in (average(part[role]), count(part[role]))))
        for key, part in came_up(made["exchange"].get("by_contract", {}))
    )
    return lines_below(("", "as elder", "deals", "as younger", "deals"), lines)


def _suits(parts: dict[str, Any]) -> Cells:
    names = ("dealt", "kept", "after")
    lines = (
        (name, *(short_average(part["longest_suit"][what]) for what in names), short_average(part["leftovers_seen"]))
        for name, part in parts.items()
    )
    return lines_below(("", *names, "talon"), lines)


# ------------------------------------------------------------------ declarations


def _declarations(made: dict[str, Any]) -> Iterator[Titled]:
    parts = {
        f"{name}: {category}": part
        for name, of_group in _named(made, "declarations").items()
        for category, part in of_group.items()
    }
    names = ("held", "declared", "good", "equal", "not_good")
    lines = (
        (name, *(short_percent(part[key]) for key in names), short_average(part["points"]))
        for name, part in parts.items()
        if "declared" in part
    )
    heading = ("", *(name.replace("_", " ") for name in names), "points")
    yield Titled("Declarations (good, equal, not good: of those declared)", lines_below(heading, lines))
    yield Titled("Sunk (its best would have been good, equal, not good)", _sunk(parts))
    lines = (
        (name, percent(part["scored"]), percent(part["given"]), short_average(part["points"]))
        for name, part in parts.items()
        if "given" in part
    )
    heading = ("", "it scores", "the other scores", "points")
    yield Titled("Minus contracts: the better hand is the other's gain", lines_below(heading, lines))
    lines = (
        (name.partition(":")[0], percent(part["dealt"]), percent(part["shown"]), count(part["shown"]))
        for name, part in parts.items()
        if "shown" in part
    )
    yield Titled("Carte blanche", lines_below(("", "dealt", "shown", "times"), lines))


def _sunk(parts: dict[str, Any]) -> Cells:
    """Where the best could have been named."""
    lines = []
    for name, part in parts.items():
        if "sunk" in part and part["sunk"]["any"]["count"]:
            sunk = part["sunk"]
            would = (bare_percent(sunk[f"would_be_{how}"]) for how in ("good", "equal", "not_good"))
            shares = (percent(sunk["any"]), bare_percent(sunk["whole"]))
            lines.append((name, count(sunk["any"]), *shares, *would))
    return lines_below(("", "could", "sunk", "whole", "good", "equal", "not"), lines)


# ------------------------------------------------------------------ play and score


def _play(made: dict[str, Any]) -> Iterator[Titled]:
    parts = _named(made, "play")
    shown = [(item, who) for item in ("cards", "capot") for who in ("bot", "against")]
    lines = (
        (name, average(part["tricks"]), *(short_percent(part[item][who]) for item, who in shown))
        for name, part in parts.items()
    )
    heading = ("", "tricks", "cards", "the other's", "capot", "the other's")
    yield Titled("Tricks, and who gets the cards or capot", lines_below(heading, lines))
    leads = {name: part["first_lead"] for name, part in parts.items() if "first_lead" in part}
    ranks = list(dict.fromkeys(rank for part in leads.values() for rank in reversed(part["rank"])))
    lines = ((name, *(bare_percent(part["rank"][rank]) for rank in ranks)) for name, part in leads.items())
    yield Titled("Its first lead, by rank, in %", lines_below(("", *ranks), lines))
    lengths = list(dict.fromkeys(length for part in leads.values() for length in part["suit_length"]))
    lines = (
        (name, *(bare_percent(part["suit_length"][n]) for n in lengths), bare_percent(part["longest_suit"]))
        for name, part in leads.items()
    )
    title = "Its first lead, by the length of its suit, and how often its longest, in %"
    yield Titled(title, lines_below(("", *lengths, "longest"), lines))


def _score(made: dict[str, Any]) -> Iterator[Titled]:
    """Where the bot plays itself younger's is elder's from the other side, and left out."""
    titles = {"all": "all deals"} | {group: group_name(group, made) for group in groups(made)}
    for group, title in titles.items():
        score = made["score"][group]
        deals = score["total"]["bot"]
        if deals["count"] and not (is_against_itself(made) and group.endswith("younger")):
            yield Titled(f"Points a deal: {title} ({count(deals)} deals)", _items(score))


def _items(score: dict[str, Any]) -> Cells:
    lines = []
    for item in ITEMS:
        mine, theirs, difference = (score[item][who] for who in ("bot", "against", "difference"))
        if mine["mean"] or theirs["mean"]:
            name = item.replace("_", " ")
            lines.append((name, short_average(mine), short_average(theirs), points(difference)))
    return lines_below(("", "it", "the other", "difference"), lines)
