"""Deals that are over, seen from the side of one bot: arrays with an entry for each deal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from piquet_env.behaviour import kernels
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS, RANKS, SUITS
from piquet_env.rules import Rules

Booleans = NDArray[np.bool_]
Numbers = NDArray[np.int64]
ROLES = ("elder", "younger")
MINE, THEIRS = 0, 1


@dataclass(frozen=True)
class Deals:
    """Rows of deals that are over, thrown-in ones too, and who is meant by "mine"."""

    rules: Rules
    rows: Numbers
    """int64 (N, columns)."""
    seats: Numbers
    """int64 (N,): the bot's seat."""

    @cached_property
    def fields(self) -> NDArray[np.void]:
        """The rows by field, (N,)."""
        return np.ascontiguousarray(self.rows).view(at.LAYOUT).reshape(len(self.rows))

    def of_both(self, values: NDArray) -> NDArray:
        """Of an array (N, 2, ...) by player the same by MINE and THEIRS."""
        each = np.arange(len(self.rows))[:, None]
        return values[each, np.stack([self.seats, 1 - self.seats], axis=1)]

    def both(self, field: str) -> Numbers:
        """A field that each player has: int64 (N, 2), MINE and THEIRS."""
        return self.of_both(self.fields[field])

    def mine(self, field: str) -> Numbers:
        """The bot's own entry of it: int64 (N,)."""
        return self.both(field)[:, MINE]

    # ------------------------------------------------------------------ which deals

    @cached_property
    def all(self) -> Booleans:
        """Every deal that was dealt."""
        return np.ones(len(self.rows), bool)

    @cached_property
    def thrown_in(self) -> Booleans:
        """Those in which both passed."""
        return self.fields["is_thrown_in"] == 1

    @cached_property
    def completed(self) -> Booleans:
        """Those that count; where `max_thrown_in` is 1, all."""
        return ~self.thrown_in | (self.rules.max_thrown_in == 1)

    @cached_property
    def is_elder(self) -> Booleans:
        """Those in which the bot is elder; with an auction the maker."""
        return self.fields["elder"] == self.seats

    @cached_property
    def is_younger(self) -> Booleans:
        """Those in which the other is."""
        return self.fields["elder"] == 1 - self.seats

    @cached_property
    def sign(self) -> Numbers:
        """Of the contract: 1 plus, -1 minus, 0 none."""
        return np.where(self.fields["stake"] > 0, 1 - 2 * self.fields["is_minus"], 0) * ~self.thrown_in

    @cached_property
    def groups(self) -> dict[str, Booleans]:
        """The deals by kind of contract and role: "plus_elder" ... "minus_younger", or "classic_elder", ..."""
        kinds = {"plus": self.sign > 0, "minus": self.sign < 0} if self.rules.auction else {"classic": self.all}
        roles = dict(zip(ROLES, (self.is_elder, self.is_younger), strict=True))
        return {f"{kind}_{role}": of_kind & roles[role] for kind, of_kind in kinds.items() for role in ROLES}

    # ------------------------------------------------------------------ what was done

    @cached_property
    def actions(self) -> Numbers:
        """int64 (N, MOST_ACTIONS): action + 128 * player; -1 after the last."""
        taken = np.empty((len(self.rows), kernels.MOST_ACTIONS), np.int64)
        kernels.unpack_actions(self.rows, taken)
        return taken

    @cached_property
    def scores(self) -> Numbers:
        """int64 (N, 2, items): MINE and THEIRS, as in layout.ITEMS."""
        return self.of_both(self.fields["score"].reshape(len(self.rows), 2, len(at.ITEMS)))

    @cached_property
    def difference(self) -> Numbers:
        """The bot's points less the other's: int64 (N,)."""
        return self.scores[:, MINE, at.ITEM_TOTAL] - self.scores[:, THEIRS, at.ITEM_TOTAL]

    @cached_property
    def hands(self) -> Numbers:
        """int64 (N, 2): MINE and THEIRS, the cards after the exchange."""
        return self.both("hands") | self.both("played")

    def strengths(self, hands: Numbers) -> Numbers:
        """Of the bot's hands int64 (N,) the best point, sequence and set: int64 (N, 3), 0 for none."""
        found = np.empty((len(self.rows), 3), np.int64)
        kernels.best_strengths(self.rows, np.ascontiguousarray(hands), found)
        return found


def cards(hands: Numbers) -> Numbers:
    """Sets of cards int64 (N,) as 0 and 1: int64 (N, SUITS, RANKS)."""
    return (hands[:, None] >> np.arange(CARDS) & 1).reshape(len(hands), SUITS, RANKS)


def number(hands: Numbers) -> Numbers:
    """How many cards: int64 (N,)."""
    return cards(hands).sum(axis=(1, 2))


def of_rank(hands: Numbers) -> Numbers:
    """How many of each rank: int64 (N, RANKS)."""
    return cards(hands).sum(axis=1)


def of_suit(hands: Numbers) -> Numbers:
    """How many of each suit: int64 (N, SUITS)."""
    return cards(hands).sum(axis=2)
