"""Which columns of the observation can vary in an auction: all that a network for bidding need be given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import actions as act
from piquet_env.engine.cards import CARDS
from piquet_env.knowledge import Feature, features
from piquet_env.rules import SUITS, Rules

_CARDS = ("my_hand", "unseen", "my_winners", "my_losers")
_LENGTHS = dict(zip(("my_spades", "my_hearts", "my_diamonds", "my_clubs"), SUITS, strict=True))
# A redouble ends the auction: nobody has it before him when he calls.
_CALLS = ("i_deal", "i_passed", "they_passed", "bid_plus", "bid_minus", "bid_doubled", "bid_by_me")
_LAST_BID = ("is_plus", "is_minus", "level", "is_doubled", "is_my_bid")
_OPEN = ("their_dealt", "their_hand")
NAMES = (*_CARDS, *_LENGTHS, *_CALLS, *_LAST_BID)
"""The features that these columns are of; with open hands `their_dealt` and `their_hand` too."""


def columns(rules: str | Rules | Mapping[str, Any] = "auction") -> NDArray[np.int64]:
    """The columns that can vary from decision to decision in the auctions of these rules, in order: int64 (K,).

    `observation[..., columns(rules)]` tells a bidder all that the whole observation does, in episodes of an auction.

    Raises:
        ValueError: bad rules, or rules without an auction.
    """
    made = Rules.make(rules)
    if not made.auction:
        raise ValueError(f"rules: expected a game with an auction, got {made.spec()}")
    names = (*NAMES, *_OPEN) if made.open_hands else NAMES
    chosen = [feature.start + place for feature in features() if feature.name in names for place in _of(feature, made)]
    return np.array(chosen, np.int64)


def _of(feature: Feature, rules: Rules) -> Iterable[int]:
    """The bits of a feature that can be set and not set."""
    if feature.name in _LENGTHS:
        longest = min(len(rules.ranks), rules.hand_size) if _LENGTHS[feature.name] in rules.suits else 0
        return range(longest)
    if feature.form == "cards":
        return (card for card in range(CARDS) if rules.pack >> card & 1)
    if feature.stop - feature.start == act.BIDS:
        return range(len(rules.levels))
    return range(feature.stop - feature.start)
