"""The game tree in sequence form, as arrays, and what the players know in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.base import Views, views_of
from piquet_env.engine import layout as at
from piquet_env.exact.deals import WHOLE, all_deals, check_rules
from piquet_env.exact.walk import (
    ENDS,
    FORGOTTEN,
    INFOSETS,
    NODES,
    SEQUENCES,
    Found,
    begin_deal,
    empty,
    fill_slots,
    go_to,
    new_stack,
    no_counts,
    walk_on,
)
from piquet_env.rules import Rules

_FIRST_ROOM = 2**14
_MOST_ROOM = 2**28


@dataclass(frozen=True)
class Tree:
    """The game tree of some deals, all equally likely, in sequence form (`walk`).

    The players are the dealer, 0, and the other, 1. Who deals changes nothing but the seats.
    """

    rules: Rules
    packs: NDArray[np.int64]
    """(deals, cards of the pack): the dealer's hand, the other's, the talon."""
    nodes: int
    """Positions, those with a forced action and the ends too."""
    sequences: int
    """How many there are; 0 and 1 are those of the dealer and the other before their first choice."""
    keys: NDArray[np.int64]
    """(I, 2): of each information set, for the seats with player_0 as dealer (`bots.tabular.keys_of`)."""
    players: NDArray[np.int8]
    """(I,): who acts, 0 the dealer."""
    parents: NDArray[np.int32]
    """(I,): his sequence that leads there."""
    firsts: NDArray[np.int32]
    """(I + 1,): the sequence of its first action; those of the others follow, in the order of the actions' numbers."""
    deals: NDArray[np.int32]
    """(I,): a deal in which it is reached, and"""
    paths: NDArray[np.int64]
    """(I, 1 + HISTORY_WORDS): by which actions (ACTED and HISTORY of the row)."""
    ends: NDArray[np.int32]
    """(E, 3): sequence of the dealer, of the other, and the dealer's score less the other's."""

    def __len__(self) -> int:
        """How many information sets with a choice there are."""
        return len(self.players)

    def rows(self, infosets: NDArray[np.int64], dealer: int = 0) -> NDArray[np.int64]:
        """A game in each of these information sets, all cards in it: int64 (B, columns); `dealer` is a seat."""
        rows = np.empty((len(infosets), at.COLUMNS), np.int64)
        go_to(rows, self.rules.columns(), self.packs, dealer, self.deals, self.paths, infosets)
        return rows

    def views(self, infosets: NDArray[np.int64], dealer: int = 0) -> Views:
        """What the player knows in each of these information sets, int64 (B,); `dealer` is the dealer's seat."""
        return views_of(self.rows(infosets, dealer))


def build_tree(rules: Rules, packs: NDArray[np.int64]) -> Tree:
    """Walk through these deals, int64 (n, cards). Raises ValueError: somebody forgets, or there is too much."""
    columns, stack, counts = rules.columns(), new_stack(), no_counts()
    found = empty(_FIRST_ROOM, _FIRST_ROOM)
    for deal, cards in enumerate(packs):
        found = _with_room(found, counts)
        begin_deal(stack, found, counts, columns, cards, deal)
        while not walk_on(stack, found, counts, deal):
            found = _with_room(found, counts)
    if counts[FORGOTTEN]:
        raise ValueError("rules: a player may discard two cards and forgets in which order; expected at most one each")
    infosets, arrays = int(counts[INFOSETS]), found._asdict()
    kept = {name: arrays[name][:infosets].copy() for name in ("keys", "players", "parents", "deals", "paths")}
    firsts, ends = found.firsts[: infosets + 1].copy(), found.ends[: counts[ENDS]].copy()
    return Tree(rules, packs, int(counts[NODES]), int(counts[SEQUENCES]), **kept, firsts=firsts, ends=ends)


def _with_room(found: Found, counts: NDArray[np.int64]) -> Found:
    """Of what is full twice as much."""
    infosets, ends = len(found.players), len(found.ends)
    more = (infosets * (1 + (counts[INFOSETS] + 1 >= infosets)), ends * (1 + (counts[ENDS] + 1 >= ends)))
    if max(more) > _MOST_ROOM:
        raise ValueError(f"rules: expected a game tree of at most {_MOST_ROOM} ends")
    if more == (infosets, ends):
        return found
    larger = empty(*map(int, more))
    for name in set(Found._fields) - {"slots"}:
        old = getattr(found, name)
        getattr(larger, name)[: len(old)] = old
    fill_slots(larger.slots, larger.keys, counts[INFOSETS])
    return larger


@lru_cache(maxsize=2)
def _whole_tree(rules: Rules) -> Tree:
    return build_tree(rules, all_deals(rules))


def information_sets(rules: str | Rules | Mapping[str, Any] = "micro") -> Tree:
    """All information sets with a choice, and the tree they stand in; kept for the process.

    `views(infosets, dealer)` gives what a bot is given in any of them.

    Raises:
        ValueError: bad rules, or such as are too large.
    """
    made = Rules.make(rules)
    check_rules(made, WHOLE)
    return _whole_tree(made)
