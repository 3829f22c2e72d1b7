"""Loops over rows: int64 (N, layout.COLUMNS), one game each, independent of one another. No rule is here.

The loops release the GIL and work on slices, so that threads can share a batch.
"""

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled
from piquet_env.engine.deal import talon_card
from piquet_env.engine.game import (
    apply_action,
    difference,
    legal_actions,
    new_game,
    next_deal,
    payment,
    reseed,
    set_up_deal,
)
from piquet_env.engine.intrinsics import copy_streamed, nth_bit, popcount, row_of

REWARD_SCORE, REWARD_PAYMENT, REWARD_WIN = 0, 1, 2


@compiled
def new_games(rows, rules, partie, seed, first):
    """Begin games number `first`, `first` + 1, ... of a seed."""
    for i in range(len(rows)):
        new_game(row_of(rows, i), rules, partie, seed, first + i)


@compiled
def legal_words(rows, legal):
    """The two words of legal actions of each game: writes int64 (N, 2)."""
    for i in range(len(rows)):
        legal[i, 0], legal[i, 1] = legal_actions(row_of(rows, i))


@compiled
def first_illegal(legal, actions, first):
    """The number of the first game whose action is not legal, where they are numbered from `first`; -1: all are.

    legal int64 (N, 2): the two words of each game (engine.actions).
    """
    for i in range(len(legal)):
        if not act.contains((legal[i, 0], legal[i, 1]), actions[i]):
            return first + i
    return -1


@compiled
def first_unreachable(rows):
    """The first row that no game, dealt and played by the rules, comes to before its deal is over; -1: there is none.

    Each is dealt and played again from what it says was dealt and done; of earlier deals only their numbers are known.
    Its rules must be right, its fields in range.
    """
    cards, again = np.zeros(CARDS, np.int64), np.zeros(at.COLUMNS, np.int64)
    for i in range(len(rows)):
        row = row_of(rows, i)
        if not (_can_go_on(row) and pack_as_dealt(row, cards) and _is_played_again(row, again, cards)):
            return i
    return -1


@compiled
def _can_go_on(row):
    """Whether the numbers of the earlier deals are those of an episode that has not ended."""
    if row[at.THROWN_IN] >= row[at.MAX_THROWN_IN]:
        return False
    if not row[at.PARTIE]:
        return row[at.COMPLETED] == 0 and row[at.TOTALS] == 0 and row[at.TOTALS + 1] == 0
    if row[at.STOP_AT] > 0:
        return row[at.TOTALS] < row[at.STOP_AT] and row[at.TOTALS + 1] < row[at.STOP_AT]
    return row[at.COMPLETED] < row[at.DEALS] + row[at.EXTRA_DEALS_ON_TIE]


@compiled
def pack_as_dealt(row, cards):
    """Whether both hands and the talon make up the pack; writes it, as set_up_deal takes it."""
    place, seen = 0, 0
    for player in range(2):
        if popcount(row[at.DEALT + player]) != row[at.HAND_SIZE]:
            return False
        for n in range(row[at.HAND_SIZE]):
            cards[place] = nth_bit(row[at.DEALT + player], n)
            seen |= 1 << cards[place]
            place += 1
    for n in range(row[at.ELDER_TALON] + row[at.YOUNGER_TALON]):
        cards[place] = talon_card(row, n)
        if cards[place] >= CARDS:
            return False
        seen |= 1 << cards[place]
        place += 1
    return seen == row[at.PACK]


@compiled
def begin_again(row, again, cards, state):
    """The present deal of `row` at its start, with these cards and this state of the random generator: `again`."""
    reseed(again, row, row[at.PARTIE], state)
    for column in range(at.COMPLETED, at.TRUNCATED):
        again[column] = row[column]
    set_up_deal(again, row[at.DEALER], cards)


@compiled
def begin_as_dealt(row, again, cards):
    """The present deal of `row`, whose cards are known, at its start: `again`; `cards` is overwritten."""
    pack_as_dealt(row, cards)
    begin_again(row, again, cards, row[at.RANDOM])


@compiled
def _is_played_again(row, again, cards):
    begin_again(row, again, cards, row[at.RANDOM])
    again[at.PLAYOUT] = row[at.PLAYOUT]
    for n in range(row[at.ACTED]):
        done = at.packed(row, at.HISTORY, n)
        if again[at.ACTOR] != done >> 7 or not apply_action(again, done & 127):
            return False
    for column in range(at.COLUMNS):
        if again[column] != row[column]:
            return False
    return row[at.PHASE] < at.DEAL_OVER


@compiled
def reward_of(row, kind):
    """What player_0 gets when a deal is over; for payment and win the deal must have been closed (game.close_deal)."""
    if row[at.TRUNCATED]:
        return 0
    if kind == REWARD_SCORE:
        return difference(row)
    if row[at.PHASE] != at.GAME_OVER:
        return 0
    if kind == REWARD_PAYMENT:
        return payment(row, 0)
    lead = row[at.TOTALS] - row[at.TOTALS + 1]
    return int(lead > 0) - int(lead < 0)


@compiled
def end_deal(row, kind, finished):
    """A deal is over: keep its row in `finished`, a streamed_row_of, deal the next one, if any; player_0's reward."""
    copy_streamed(finished, row, at.COLUMNS)
    reward = reward_of(row, kind)
    next_deal(row)
    if row[at.PHASE] != at.GAME_OVER:
        return reward
    copy_streamed(finished, row, at.COLUMNS)
    return reward_of(row, kind)
