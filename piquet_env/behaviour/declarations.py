"""Declarations: what the bot holds, names and scores, and what it sinks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from piquet_env.behaviour import kernels
from piquet_env.behaviour.deals import MINE, THEIRS, Booleans, Deals, Numbers
from piquet_env.behaviour.figures import Figure, mean, share
from piquet_env.engine import layout as at
from piquet_env.engine.cards import COURT_CARDS
from piquet_env.engine.declarations import CATEGORY_POINT, CATEGORY_SET, PER_CARD

CATEGORIES = ("point", "sequence", "set")


def figures(deals: Deals) -> Iterator[Figure]:
    """All figures of the section, for each group of deals."""
    for number, category in enumerate(CATEGORIES):
        said = _Category(deals, number)
        for group, chosen in deals.groups.items():
            path = f"{group}/{category}"
            if group.startswith("minus"):
                yield from _compared(said, path, chosen)
            else:
                yield from _named(said, path, chosen & (said.named[:, MINE] >= 0))
                yield from _sunk(said, path, chosen & (said.named[:, MINE] >= 0))
    if deals.rules.carte_blanche:
        has = deals.mine("dealt") & COURT_CARDS == 0
        for group, chosen in deals.groups.items():
            yield share(f"{group}/carte_blanche/dealt", has, chosen)
            yield share(f"{group}/carte_blanche/shown", deals.mine("blanche") != 0, chosen & has)


class _Category:
    """What is held and named in one category; strengths as in engine.declarations, arrays (N, 2) by MINE and THEIRS."""

    def __init__(self, deals: Deals, category: int):
        named = np.empty((len(deals.rows), 2, len(CATEGORIES)), np.int64)
        kernels.named_strengths(deals.rows, named)
        self.named = deals.of_both(named)[:, :, category]
        self.held = np.stack([deals.strengths(deals.hands[:, who])[:, category] for who in (MINE, THEIRS)], axis=1)
        scorer = deals.fields["scorer"][:, category]
        self.i_score, self.they_score = scorer == deals.seats, scorer == 1 - deals.seats
        self.points = deals.scores[:, MINE, at.ITEM_POINT + category]
        self.elder = deals.is_elder
        self.could_be_named = (self.held[:, MINE] > 0) & (self.elder | ~self._beaten(category))

    def _beaten(self, category: int) -> Booleans:
        """Whether younger may not even name his best, after what elder said."""
        best, said = self.held[:, MINE], self.named[:, THEIRS]
        if category == CATEGORY_POINT:  # elder said only the number of cards
            return best // PER_CARD < said // PER_CARD
        return best <= said if category == CATEGORY_SET else best < said


def _named(said: _Category, path: str, chosen: Booleans) -> Iterator[Figure]:
    """How often something is held and named, and how that fares."""
    mine = said.named[:, MINE] > 0
    yield share(f"{path}/held", said.held[:, MINE] > 0, chosen)
    yield share(f"{path}/declared", mine, chosen)
    yield share(f"{path}/good", said.i_score, chosen & mine)
    yield share(f"{path}/equal", ~said.i_score & ~said.they_score, chosen & mine)
    yield share(f"{path}/not_good", said.they_score, chosen & mine)
    yield mean(f"{path}/points", said.points, chosen)


def _sunk(said: _Category, path: str, chosen: Booleans) -> Iterator[Figure]:
    """Naming less than the best, or nothing, where the best could have been named; and what it would have been."""
    named, best = said.named[:, MINE], said.held[:, MINE]
    could = chosen & said.could_be_named
    sunk = could & (named < best)
    yield share(f"{path}/sunk/any", sunk, could)
    yield share(f"{path}/sunk/whole", named == 0, could)
    yield share(f"{path}/sunk/lower", (named > 0) & sunk, could)
    against = _to_beat(said)
    yield share(f"{path}/sunk/would_be_good", best > against, sunk)
    yield share(f"{path}/sunk/would_be_equal", best == against, sunk)
    yield share(f"{path}/sunk/would_be_not_good", best < against, sunk)


def _to_beat(said: _Category) -> Numbers:
    """What the bot's best would have met: what the other named, or could have named."""
    return np.where(said.elder, said.held[:, THEIRS], said.named[:, THEIRS])


def _compared(said: _Category, path: str, chosen: Booleans) -> Iterator[Figure]:
    """Minus contracts: the better hand gives its holdings to the other."""
    yield share(f"{path}/held", said.held[:, MINE] > 0, chosen)
    yield share(f"{path}/scored", said.i_score, chosen)
    yield share(f"{path}/given", said.they_score, chosen)
    yield mean(f"{path}/points", said.points, chosen)
