"""The play: tricks, the first lead, cards and capot."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from piquet_env.behaviour import kernels
from piquet_env.behaviour.deals import MINE, THEIRS, Booleans, Deals, of_suit
from piquet_env.behaviour.figures import Figure, mean, share
from piquet_env.engine import layout as at
from piquet_env.engine.cards import RANKS as ALL_RANKS
from piquet_env.rules import RANKS


def figures(deals: Deals) -> Iterator[Figure]:
    """All figures of the section, for each group of deals."""
    to_the_end = deals.fields["trick"] == deals.rules.hand_size  # in Piquet au cent a deal may be over before
    for group, chosen in deals.groups.items():
        played = chosen & to_the_end
        yield mean(f"{group}/tricks", deals.mine("won"), played)
        for name, item in (("cards", at.ITEM_CARDS), ("capot", at.ITEM_CAPOT)):
            yield share(f"{group}/{name}/bot", deals.scores[:, MINE, item] > 0, played)
            yield share(f"{group}/{name}/against", deals.scores[:, THEIRS, item] > 0, played)
        if group.endswith("elder"):
            yield from _leads(deals, f"{group}/first_lead", chosen)


def _leads(deals: Deals, path: str, chosen: Booleans) -> Iterator[Figure]:
    """Elder's first lead: its rank, and the length of its suit in his hand."""
    card = np.empty(len(deals.rows), np.int64)
    kernels.first_leads(deals.rows, card)
    chosen = chosen & (card >= 0)
    lengths = of_suit(deals.hands[:, MINE])
    length = lengths[np.arange(len(card)), np.maximum(card, 0) // ALL_RANKS]
    for place, rank in enumerate(RANKS):
        if rank in deals.rules.ranks:
            yield share(f"{path}/rank/{rank}", card % ALL_RANKS == place, chosen)
    for cards in range(1, min(deals.rules.hand_size, len(deals.rules.ranks)) + 1):
        yield share(f"{path}/suit_length/{cards}", length == cards, chosen)
    yield share(f"{path}/longest_suit", length == lengths.max(axis=1), chosen)
