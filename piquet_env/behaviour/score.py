"""How the score is made up: points per deal, item by item of the score sheet."""

from __future__ import annotations

from collections.abc import Iterator

from piquet_env.behaviour.deals import MINE, THEIRS, Booleans, Deals, Numbers
from piquet_env.behaviour.figures import Figure, mean
from piquet_env.engine import layout as at

CONTRACT_ITEMS = ("overtricks", "undertricks")
ITEMS = (*(item for item in at.ITEMS if item not in ("contract", "total")), *CONTRACT_ITEMS, "total")
"""The score sheet's, with what a maker gets for the contract apart from what his opponent gets."""
WHO = ("bot", "against", "difference")


def figures(deals: Deals) -> Iterator[Figure]:
    """Of all completed deals, and for each role and group: `{group}/{item}/{bot, against, difference}`."""
    points = [_sheet(deals, who, maker) for who, maker in ((MINE, deals.is_elder), (THEIRS, deals.is_younger))]
    groups = {"all": deals.completed, "elder": deals.is_elder, "younger": deals.is_younger}
    for group, chosen in (groups | deals.groups).items():
        for item in ITEMS:
            mine, theirs = points[MINE][item], points[THEIRS][item]
            for who, values in zip(WHO, (mine, theirs, mine - theirs), strict=True):
                yield mean(f"{group}/{item}/{who}", values, chosen & deals.completed)


def _sheet(deals: Deals, who: int, maker: Booleans) -> dict[str, Numbers]:
    """A side's points by item."""
    sheet = {item: deals.scores[:, who, place] for place, item in enumerate(at.ITEMS)}
    contract = sheet.pop("contract")
    return sheet | dict(zip(CONTRACT_ITEMS, (contract * maker, contract * ~maker), strict=True))
