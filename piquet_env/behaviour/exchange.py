"""The exchange: how many cards, and what is kept of what was dealt."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from piquet_env.behaviour.auction import contract_keys, is_of
from piquet_env.behaviour.deals import Booleans, Deals, number, of_rank, of_suit
from piquet_env.behaviour.figures import Figure, mean, part, share
from piquet_env.engine import actions as act
from piquet_env.rules import RANKS, Rules

HOLDINGS = ("point", "sequence", "trio", "quatorze")


def figures(deals: Deals) -> Iterator[Figure]:
    """All figures of the section, for each group of deals."""
    exchanged = deals.mine("exchanged")
    stood = exchanged >= 0  # in Piquet au cent a deal may be over before
    kept = deals.mine("dealt") & ~deals.mine("discards")
    for group, chosen in deals.groups.items():
        chosen = chosen & stood
        yield mean(f"{group}/exchanged", exchanged, chosen)
        for cards in range(most_exchanged(deals.rules, group) + 1):
            yield share(f"{group}/distribution/{cards}", exchanged == cards, chosen)
        yield mean(f"{group}/leftovers_seen", number(deals.mine("seen")), chosen)
        yield from _by_rank(deals, group, chosen, kept)
        yield from _suits(deals, group, chosen, kept)
        yield from _holdings(deals, group, chosen, kept)
    for key in contract_keys(deals.rules)[1:] if deals.rules.auction else ():
        of_key = stood & is_of(key, deals.sign, deals.fields["level"])
        yield mean(f"by_contract/{key}/elder", exchanged, of_key & deals.is_elder)
        yield mean(f"by_contract/{key}/younger", exchanged, of_key & deals.is_younger)


def most_exchanged(rules: Rules, group: str) -> int:
    """The largest number of cards that elder, or younger, may exchange."""
    if group.endswith("elder"):
        return min(rules.elder_talon, rules.hand_size)
    leftovers = rules.elder_talon - rules.minimum_exchange if rules.younger_draws_leftovers else 0
    return min(rules.younger_talon + leftovers, rules.hand_size)


def _by_rank(deals: Deals, group: str, chosen: Booleans, kept: np.ndarray) -> Iterator[Figure]:
    """Of the cards dealt, by rank, the share kept."""
    dealt_of, kept_of = of_rank(deals.mine("dealt")), of_rank(kept)
    for place, rank in enumerate(RANKS):
        if rank in deals.rules.ranks:
            yield part(f"{group}/kept/{rank}", kept_of[:, place] * chosen, dealt_of[:, place] * chosen)


def _suits(deals: Deals, group: str, chosen: Booleans, kept: np.ndarray) -> Iterator[Figure]:
    """The length of the longest suit as dealt, of what was kept of the hand, and after the exchange."""
    for name, hand in (("dealt", deals.mine("dealt")), ("kept", kept), ("after", deals.hands[:, 0])):
        yield mean(f"{group}/longest_suit/{name}", of_suit(hand).max(axis=1), chosen)


def _holdings(deals: Deals, group: str, chosen: Booleans, kept: np.ndarray) -> Iterator[Figure]:
    """Of the best point, sequence and set dealt, the share kept whole; and the hands that have one afterwards."""
    dealt = deals.strengths(deals.mine("dealt"))
    left, after = deals.strengths(kept), deals.strengths(deals.hands[:, 0])
    for name, (category, of_kind) in _KINDS.items():
        has = chosen & of_kind(dealt[:, category])
        yield share(f"{group}/holdings/{name}/dealt", of_kind(dealt[:, category]), chosen)
        yield share(f"{group}/holdings/{name}/kept", left[:, category] == dealt[:, category], has)
        yield share(f"{group}/holdings/{name}/after", of_kind(after[:, category]), chosen)


_KINDS = {
    "point": (0, lambda strength: strength > 0),
    "sequence": (1, lambda strength: strength > 0),
    "trio": (2, lambda strength: (strength > 0) & (strength <= act.SET_RANKS)),
    "quatorze": (2, lambda strength: strength > act.SET_RANKS),
}
