"""The report in a screen: what characterises the bot."""

from __future__ import annotations

from typing import Any

from piquet_env.behaviour.cells import Cells, average, count, group_name, percent, points
from piquet_env.behaviour.deals import ROLES
from piquet_env.behaviour.report import at_path, groups, is_against_itself

_POINTS = "total/difference"
_AUCTION = (
    ("deals thrown in", "thrown_in", percent),
    ("opens as non-dealer", "openings/non_dealer/bids", percent),
    ("opens as dealer, after a pass", "openings/dealer/bids", percent),
    ("bids plus in a deal", "bids/+/bid", percent),
    ("bids minus in a deal", "bids/-/bid", percent),
    ("its contract, not the other's", "declares", percent),
    ("its plus contracts made", "own/+/made", percent),
    ("its minus contracts made", "own/-/made", percent),
    ("points in its plus contracts", "own/+/points", points),
    ("points in its minus contracts", "own/-/points", points),
    ("doubles a bid", "to_a_bid/all/double", percent),
    ("points where it doubled", "doubles/all/points", points),
    ("redoubles when doubled", "to_a_double/all/redouble", percent),
)


def summary_cells(made: dict[str, Any]) -> Cells:
    """A heading and lines."""
    chosen = [] if is_against_itself(made) else [("points a deal", f"score/all/{_POINTS}", points)]
    roles = ("elder, the maker", "younger") if "auction" in made else ROLES
    chosen += [
        (f"points a deal as {name}", f"score/{role}/{_POINTS}", points) for name, role in zip(roles, ROLES, strict=True)
    ]
    if "auction" in made:
        chosen += [(name, f"auction/{path}", form) for name, path, form in _AUCTION]
    for group in groups(made):
        name = group_name(group, made)
        chosen.append((f"cards exchanged: {name}", f"exchange/{group}/exchanged", average))
    for group in groups(made):
        chosen.append((f"tricks: {group_name(group, made)}", f"play/{group}/tricks", average))
    chosen += _sunk(made)
    lines = []
    for name, path, form in chosen:
        figure = at_path(made, path)
        lines.append([name, form(figure) or "never came up", count(figure)])
    return [["", "points: its own less the other's", "cases"], *lines]


def _sunk(made: dict[str, Any]) -> list[tuple[str, str, Any]]:
    """Lines for the sinking of each category, of the kinds of contract in which there is any."""
    found = []
    for group in groups(made):
        for category, part in made["declarations"][group].items():
            if part.get("sunk", {}).get("any", {"count": 0, "share": 0})["share"]:
                path = f"declarations/{group}/{category}/sunk/any"
                found.append((f"{category} sunk: {group_name(group, made)}", path, percent))
    return found
