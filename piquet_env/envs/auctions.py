"""Episodes that are an auction alone: how their deals begin and how they are settled, one by one and in batches.

The row of such a game says so itself (`engine.layout.PLAYOUT`): the engine ends its deal with the auction. No rule is
here. What takes a `Playout` takes None too, for deals that are played to their end, and does nothing then.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.deal import random_below
from piquet_env.engine.game import renew, restart, set_up_deal
from piquet_env.engine.intrinsics import nth_bit, pointer, row_of
from piquet_env.rules import Rules

if TYPE_CHECKING:  # greedy and the solver are imported when the first auction is played: `import piquet_env` stays fast
    from piquet_env.bidding import BiddingDeals

AUCTION = "auction"
"""The kind of episode."""
NOW, STORED = 1, 2
"""In the column PLAYOUT: the deal is settled from its cards; from 2 on it is the stored one of this number less 2."""

Stored: TypeAlias = "BiddingDeals | str | os.PathLike[str]"
"""What `deals=` takes: deals, or the path of a file of them."""


class Playout(NamedTuple):
    """What a thread needs for such episodes; the first three arrays are empty where no deals are stored."""

    hands: NDArray[np.uint32]
    talon: NDArray[np.uint8]
    scores: NDArray[np.int16]
    """As of `BiddingDeals`."""
    cards: NDArray[np.int64]
    """(32,): scratch."""
    rows: NDArray[np.int64]
    table: NDArray[np.int64]
    unsettled: NDArray[np.int64]
    """Of a `solver.api.Workspace`."""


def stored_deals(episode: str, rules: Rules, deals: Stored | None) -> BiddingDeals | None:
    """The deals that episodes are to be of; None: they are dealt by the environment.

    Raises:
        ValueError: the episode is an auction and the rules have none; deals for another kind of episode, of other
            rules, or what is none.
    """
    if episode == AUCTION and not rules.auction:
        raise ValueError(f"episode: expected rules with an auction where it is all that is played, got {rules.spec()}")
    if deals is None:
        return None
    if episode != AUCTION:
        raise ValueError(f'deals: stored ones are for episode="{AUCTION}", got episode={episode!r}')
    from piquet_env.bidding import BiddingDeals, DealsError

    if isinstance(deals, str | os.PathLike):
        return BiddingDeals.load(deals, rules)
    if not isinstance(deals, BiddingDeals):
        raise DealsError(f"deals: expected BiddingDeals or the path of a file of them, got {type(deals).__name__}")
    deals.check_rules(rules)
    return deals


def new_playout(episode: str, deals: BiddingDeals | None) -> Playout | None:
    """What a thread needs; None where deals are played."""
    if episode != AUCTION:
        return None
    from piquet_env.bidding.making import ONE
    from piquet_env.bidding.playout import score_of, settle, settle_now
    from piquet_env.solver.api import workspace

    globals().update(score_of=score_of, settle=settle, settle_now=settle_now)
    none = np.zeros((0, 2), np.uint32), np.zeros((0, 0), np.uint8), np.zeros((0, *ONE), np.int16)
    stored = none if deals is None else (deals.hands, deals.talon, deals.scores)
    return Playout(*stored, np.zeros(CARDS, np.int64), *workspace())


# ------------------------------------------------------------------ a deal

# Those of bidding.playout, put in by `new_playout`: what is compiled without a Playout never looks at them.
score_of: Any = None
settle: Any = None
settle_now: Any = None


@inlined
def begin_deal(row, playout):
    """A game has been dealt: its deal shall end with the auction, and is one of those stored, if there are any.

    Which one the row's random generator says, each as likely.
    """
    if playout is not None:
        _begin(row, playout)


@inlined
def begin_episode(row, playout):
    """Begin the row's next episode; its generator goes on."""
    if playout is None:
        restart(row)
    else:
        _begin_next(row, playout)


@inlined
def settle_deal(row, playout):
    """The deal of `row` is over: unless it was thrown in, or played, write what the contract comes to as its score."""
    if playout is not None:
        _settle(row, playout)


@compiled
def _begin_next(row, playout):
    row = pointer(row)
    if len(playout.scores) > 0:
        renew(row)  # what would be dealt is not needed
    else:
        restart(row)
    _begin(row, playout)


@compiled
def _begin(row, playout):
    row = pointer(row)
    number = len(playout.scores)
    if number > 0:
        _lay(row, random_below(row, number), playout)
    else:
        row[at.PLAYOUT] = NOW


@compiled
def _lay(row, number, playout):
    """Stored deal `number` takes the place of that of `row`; the dealer stays."""
    hands, talon, cards = playout.hands, playout.talon, playout.cards
    place = 0
    for player in range(2):
        for n in range(row[at.HAND_SIZE]):
            cards[place] = nth_bit(np.int64(hands[number, player]), n)  # type: ignore[arg-type] (a number to numba)
            place += 1
    for n in range(talon.shape[1]):
        cards[place] = talon[number, n]
        place += 1
    set_up_deal(row, row[at.DEALER], cards)
    row[at.PLAYOUT] = STORED + number


@compiled
def _settle(row, playout):
    row = pointer(row)
    if row[at.IS_THROWN_IN]:
        return
    row[at.PHASE] = at.EXCHANGE  # where it would go on
    if row[at.PLAYOUT] >= STORED:
        settle(row, score_of(row, playout.scores[row[at.PLAYOUT] - STORED]))
    else:
        settle_now(row, playout.rows, playout.table, playout.unsettled)


# ------------------------------------------------------------------ many


@compiled
def begin_rows(rows, playout):
    """`begin_deal` in every row."""
    for i in range(len(rows)):
        begin_deal(row_of(rows, i), playout)


@compiled
def restart_rows(rows, playout):
    """`begin_episode` in every row."""
    for i in range(len(rows)):
        begin_episode(row_of(rows, i), playout)


@compiled
def begin_numbered(rows, numbers, playout):
    """The same, where which deal it is is given, int64 (N,), if any are stored."""
    for i in range(len(rows)):
        if len(playout.scores) > 0:
            _lay(row_of(rows, i), numbers[i], playout)
        else:
            _begin(row_of(rows, i), playout)


@compiled
def settle_rows(rows, chosen, playout):
    """`settle_deal` in these rows, int64 (n,)."""
    for i in chosen:
        settle_deal(row_of(rows, i), playout)


@compiled
def first_unplayable(rows, playout):
    """The first row whose column PLAYOUT is none of such an episode, or whose cards are not those stored; -1: none."""
    for i in range(len(rows)):
        row = row_of(rows, i)
        number = row[at.PLAYOUT] - STORED
        if number < 0:
            if row[at.PLAYOUT] != NOW:
                return i
        elif number >= len(playout.scores) or not _is_stored(row, number, playout):
            return i
    return -1


@compiled
def _is_stored(row, number, playout):
    for player in range(2):
        if row[at.DEALT + player] != playout.hands[number, player]:
            return False
    for place in range(playout.talon.shape[1]):
        if at.packed(row, at.TALON, place) != playout.talon[number, place]:
            return False
    return True
