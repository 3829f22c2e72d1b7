"""The pictures in the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from matplotlib.axes import Axes

from piquet_env.arena.plots import picture, shown_name
from piquet_env.behaviour.cells import group_name
from piquet_env.behaviour.report import groups, is_against_itself
from piquet_env.behaviour.score import ITEMS

_BLUE, _LIGHT, _ORANGE, _GREY = "tab:blue", "lightsteelblue", "tab:orange", "silver"
_FEWEST = 10  # cases: of fewer the interval is wider than the picture
Figures = Sequence[dict[str, Any]]


def plots(made: dict[str, Any]) -> list[tuple[str, bytes]]:
    """Titles and pictures (SVG) of a `report.behaviour_report`; those of the auction only where there is one."""
    found = []
    if "auction" in made:
        of_auction = (
            ("Contracts: how often bid, played and made", _contracts),
            ("Points a deal, by contract", _points),
            ("How often it doubles a bid", _doubles),
        )
        lines = len(_levels(made)) + 2
        found += [(title, picture(lines, _drawing(draw, made))) for title, draw in of_auction]
    found.append(("What it keeps, by rank", picture(9, _drawing(_kept, made))))
    found.append(
        ("Declarations: held, declared, good", picture(2 + 1.3 * len(groups(made)), _drawing(_declared, made)))
    )
    found.append(("How the score is made up", picture(12, _drawing(_make_up, made))))
    return found


def _drawing(draw: Callable[[Axes, dict[str, Any]], None], made: dict[str, Any]) -> Callable[[Axes], None]:
    return lambda axes: draw(axes, made)


def _levels(made: dict[str, Any]) -> list[str]:
    """The contracts by themselves, not the sums over several."""
    return [key for key in made["auction"]["own"] if len(key) > 1 and key != "all"]


def _percents(figures: Figures) -> list[float]:
    return [100 * (figure["share"] or 0.0) for figure in figures]


def _by_name(axes: Axes, names: Sequence[str]) -> None:
    """Names from top to bottom."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)


def _contracts(axes: Axes, made: dict[str, Any]) -> None:
    keys, bids, own = _levels(made), made["auction"]["bids"], made["auction"]["own"]
    played = _percents([bids[key]["own"] for key in keys])
    is_made = [share * (own[key]["made"]["share"] or 0.0) for share, key in zip(played, keys, strict=True)]
    axes.barh(range(len(keys)), _percents([bids[key]["bid"] for key in keys]), 0.8, color=_LIGHT, label="bid")
    axes.barh(range(len(keys)), played, 0.5, color=_ORANGE, label="played by it, not made")
    axes.barh(range(len(keys)), is_made, 0.5, color=_BLUE, label="played by it and made")
    _by_name(axes, keys)
    axes.set_xlabel("% of the deals dealt")
    axes.legend()


def _points(axes: Axes, made: dict[str, Any]) -> None:
    keys = _levels(made)
    shown = [("own", -0.12, "its contracts"), ("others", 0.12, "the other's contracts")]
    for whose, shift, label in shown[:1] if is_against_itself(made) else shown:
        figures = [made["auction"][whose][key]["points"] for key in keys]
        _intervals(axes, figures, "mean", 1.0, shift, label)
    axes.axvline(0, color="grey", linewidth=0.8)
    _by_name(axes, keys)
    axes.set_xlabel(f"its points a deal less the other's, 95 % intervals, where there are {_FEWEST} deals")
    axes.legend()


def _doubles(axes: Axes, made: dict[str, Any]) -> None:
    keys = _levels(made)
    doubles = [made["auction"]["to_a_bid"][key]["double"] for key in keys]
    redoubles = [made["auction"]["to_a_double"][key]["redouble"] for key in keys]
    _intervals(axes, doubles, "share", 100.0, -0.12, "doubles a bid")
    _intervals(axes, redoubles, "share", 100.0, 0.12, "redoubles when its bid is doubled")
    _by_name(axes, keys)
    axes.set_xlim(-2, 102)
    axes.set_xlabel(f"% of the times it could, 95 % intervals, where there are {_FEWEST}")
    axes.legend()


def _intervals(axes: Axes, figures: Figures, kind: str, scale: float, shift: float, label: str) -> None:
    """Of the figures that have enough cases."""
    there = [(place + shift, figure) for place, figure in enumerate(figures) if figure["count"] >= _FEWEST]
    there = [(place, figure) for place, figure in there if figure["interval"] is not None]
    values = [scale * figure[kind] for _, figure in there]
    below = [max(scale * (figure[kind] - figure["interval"][0]), 0) for _, figure in there]
    above = [max(scale * (figure["interval"][1] - figure[kind]), 0) for _, figure in there]
    axes.errorbar(values, [y for y, _ in there], xerr=[below, above], fmt="o", capsize=3, label=label)


def _kept(axes: Axes, made: dict[str, Any]) -> None:
    for group in groups(made):
        kept = made["exchange"][group]["kept"]
        there = {rank: figure for rank, figure in kept.items() if figure["count"]}
        axes.plot(list(there), _percents(list(there.values())), "o-", label=group_name(group, made))
    axes.set_ylim(0, 103)
    axes.set_ylabel("% of the cards dealt")
    axes.legend()


def _declared(axes: Axes, made: dict[str, Any]) -> None:
    """Held, of that declared, of that good; in minus contracts, where nothing is declared, what it scores."""
    parts = [
        (f"{group_name(group, made)}: {category}", part)
        for group in groups(made)
        for category, part in made["declarations"][group].items()
        if "held" in part
    ]
    named = [(place, part) for place, (_, part) in enumerate(parts) if "declared" in part]
    declared = _percents([part["declared"] for _, part in named])
    good = [share * (part["good"]["share"] or 0.0) for share, (_, part) in zip(declared, named, strict=True)]
    places = [place for place, _ in named]
    axes.barh(places, _percents([part["held"] for _, part in named]), 0.8, color=_GREY, label="held")
    axes.barh(places, declared, 0.6, color=_LIGHT, label="declared")
    axes.barh(places, good, 0.4, color=_BLUE, label="declared and good")
    scored = [(place, part["scored"]) for place, (_, part) in enumerate(parts) if "scored" in part]
    if scored:
        shares = _percents([figure for _, figure in scored])
        axes.barh([place for place, _ in scored], shares, 0.4, color=_ORANGE, label="scored by it in a minus contract")
    _by_name(axes, [name for name, _ in parts])
    axes.set_xlim(0, 102)
    axes.set_xlabel("% of the deals")
    axes.legend(loc="lower right")


def _make_up(axes: Axes, made: dict[str, Any]) -> None:
    score = made["score"]["all"]
    items = [
        item for item in ITEMS if item != "total" and (score[item]["bot"]["mean"] or score[item]["against"]["mean"])
    ]
    for who, shift, label in (("bot", -0.2, made["bot"]), ("against", 0.2, made["against"])):
        values = [score[item][who]["mean"] or 0.0 for item in items]
        name = shown_name(label) + (", the other side" if is_against_itself(made) and who == "against" else "")
        axes.barh([place + shift for place in range(len(items))], values, 0.4, label=name)
    _by_name(axes, [item.replace("_", " ") for item in items])
    axes.set_xlabel("points a deal")
    axes.legend()
