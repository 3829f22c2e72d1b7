"""What the cards drawn were worth: a control variate for the points of a deal.

A player chooses all his discards before he sees a card of the talon, and nobody sees what the other draws. So given
both hands as dealt and both discards, the talon may as well have lain in any other order, each as likely. The luck of
a deal is what it is worth when both declare their best and play with open hands, less the mean of the same over
other orders of the talon, drawn at random: the actual order is one like the others, and so the expected luck is
exactly zero, whoever plays. Taken off the points with a factor that was fixed beforehand, it leaves their mean alone.

Not so in rulesets with open hands, where younger sees what elder has drawn before he discards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.greedy import declare
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled
from piquet_env.engine.deal import talon_card
from piquet_env.engine.game import difference, set_up_deal, take_action
from piquet_env.engine.intrinsics import row_of
from piquet_env.rules import Rules
from piquet_env.solver import deal_values

ORDERS = 8
"""Other orders of the talon that are looked at."""

SLOPES = {0: 0.85, 1: 0.95, -1: 0.65}
"""Points for a point of luck, by the sign of the contract (0: classic).

Fitted by least squares on 1,500 pairs of deals of `greedy` against itself in `rubicon` and in `auction`, seed 777:
0.84, 0.94 and 0.66, each within 0.1. (In deals.csv: the covariance of `difference` and `luck` over the variance of
`luck`.) Another slope would be less precise, and no less right.
"""
_STREAM = 1_000_003  # apart from the random numbers of the bots


def can_be_measured(rules: Rules) -> bool:
    """Whether the luck of the draw has mean zero in these rules."""
    return not rules.open_hands


def slopes(signs: NDArray[np.integer]) -> NDArray[np.float64]:
    """The `SLOPES` of deals with contracts of these signs, both int (N,)."""
    return np.array([SLOPES[0], SLOPES[1], SLOPES[-1]])[np.asarray(signs, np.int64)]


class DrawLuck:
    """`draw_luck` with orders that depend on nothing but the seed, the pair and the deal of its game.

    So both halves of a pair are compared with the same other orders, and what is random in these cancels.
    """

    def __init__(self, seed: int, orders: int = ORDERS):
        self.seed, self.orders = seed, orders

    def __call__(self, rows: NDArray[np.int64], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """The luck of player_0, float64 (N,), in the deals int64 (N, columns), all over, of these pairs int64 (N,)."""
        size = int(rows[0, at.ELDER_TALON] + rows[0, at.YOUNGER_TALON])
        orders = np.empty((len(rows), self.orders, size), np.int64)
        for place, (row, pair) in enumerate(zip(rows, pairs, strict=True)):
            rng = np.random.default_rng([self.seed, int(pair), int(row[at.COMPLETED]), _STREAM])
            orders[place] = rng.permuted(np.tile(np.arange(size), (self.orders, 1)), axis=1)
        return draw_luck(rows, orders)


def draw_luck(rows: NDArray[np.int64], orders: NDArray[np.int64]) -> NDArray[np.float64]:
    """What the cards drawn were worth to player_0, in points: float64 (N,).

    Args:
        rows: int64 (N, columns), deals that are over. Those that ended before the exchange did have no luck: 0.
        orders: int64 (N, K, cards of the talon), K >= 1: other orders of each talon, as places in the actual one.
    """
    luck = np.zeros(len(rows))
    drawn = np.flatnonzero((rows[:, [at.EXCHANGED, at.EXCHANGED + 1]] >= 0).all(axis=1))
    if len(drawn):
        actual = np.broadcast_to(np.arange(orders.shape[2]), (len(drawn), 1, orders.shape[2]))
        all_orders = np.concatenate([actual, orders[drawn]], axis=1)
        worlds = np.repeat(rows[drawn], all_orders.shape[1], axis=0)
        redraw(worlds, np.ascontiguousarray(all_orders.reshape(len(worlds), -1)))
        values = _values(worlds).reshape(len(drawn), -1)
        luck[drawn] = values[:, 0] - values[:, 1:].mean(axis=1)
    return luck


def _values(worlds: NDArray[np.int64]) -> NDArray[np.float64]:
    """player_0's points less player_1's with best play, float64 (N,); what has been scored where the deal is over."""
    values = np.array([difference(row) for row in worlds], np.float64)
    played = worlds[:, at.PHASE] == at.PLAY
    if played.any():
        values[played] = deal_values(np.ascontiguousarray(worlds[played]), threads=1)
    return values


def redraw(rows: NDArray[np.int64], orders: NDArray[np.int64]) -> None:
    """Set up deals again whose talon lies in other orders, up to the first lead: changes `rows`.

    The auction and the discards are those of the deal; both declare the best they may name.

    Args:
        rows: int64 (N, columns), deals in which both players have exchanged.
        orders: int64 (N, cards of the talon): the new order as places in the present one.
    """
    _redraw_rows(rows, orders, np.zeros(CARDS, np.int64), np.zeros(8 * at.HISTORY_WORDS, np.int64))


@compiled
def _redraw_rows(rows, orders, cards, actions):
    for i in range(len(rows)):
        _redraw(row_of(rows, i), orders[i], cards, actions)


@compiled
def _redraw(row, order, cards, actions):
    acted = row[at.ACTED]
    for place in range(acted):
        actions[place] = at.packed(row, at.HISTORY, place) & 127
    _cards_in_order(row, order, cards)
    set_up_deal(row, row[at.DEALER], cards)
    place = 0
    while row[at.PHASE] < at.IN_POINT and place < acted:
        take_action(row, actions[place])
        place += 1
    while at.IN_POINT <= row[at.PHASE] <= at.IN_SET:
        take_action(row, declare(row))


@compiled
def _cards_in_order(row, order, cards):
    """Writes the pack as `set_up_deal` takes it, the talon in the new order."""
    count = 0
    for player in range(2):
        for card in range(CARDS):
            if row[at.DEALT + player] >> card & 1:
                cards[count] = card
                count += 1
    for place in order:
        cards[count] = talon_card(row, place)
        count += 1
