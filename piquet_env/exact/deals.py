"""Every deal of a small pack, and which rules are small enough."""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray

from piquet_env.notation import cards_of
from piquet_env.rules import Rules

WHOLE = 360
"""Deals of a game whose tree is kept as a whole; `micro` has 180."""
MOST = 3000
"""Deals of a game that is gone through hand by hand; `mini` has 1,120."""


def number_of_deals(rules: Rules) -> int:
    """Hands and orders of the talon, for one dealer."""
    size, talon = rules.hand_size, rules.elder_talon + rules.younger_talon
    return comb(2 * size + talon, size) * comb(size + talon, size) * factorial(talon)


def check_rules(rules: Rules, most: int = MOST) -> None:
    """Raises ValueError: a game that is too large, or has no end."""
    number = number_of_deals(rules)
    small = "micro" if most == WHOLE else "micro or mini"
    if number > most:
        raise ValueError(
            f"rules: expected a small pack, as in {small}, of at most {most} deals; these have {number:.3g}"
        )
    if rules.auction and rules.max_thrown_in > 1:
        raise ValueError(f"rules: expected max_thrown_in = 1, so that a deal has an end; got {rules.max_thrown_in}")


def all_deals(rules: Rules) -> NDArray[np.int64]:
    """All deals: int64 (number, cards of the pack): the dealer's hand, the other's, the talon in order."""
    pack, size = cards_of(rules.pack), rules.hand_size
    made = []
    for dealers in combinations(pack, size):
        left = [card for card in pack if card not in dealers]
        for others in combinations(left, size):
            talon = [card for card in left if card not in others]
            made += [[*dealers, *others, *order] for order in permutations(talon)]
    return np.array(made, np.int64)


def deals_by_hand(rules: Rules, role: int) -> list[NDArray[np.int64]]:
    """The same in parts: all that the dealer (role 0), or the other (1), cannot tell apart when they are dealt."""
    deals, size = all_deals(rules), rules.hand_size
    _, which = np.unique(deals[:, role * size : (role + 1) * size], axis=0, return_inverse=True)
    which = which.reshape(-1)
    return [deals[which == hand] for hand in range(which.max() + 1)]
