"""How a deal is settled when its auction is over: by greedy's rules up to the play, and the play solved.

Greedy's exchange and declarations look at who is elder and at the sign of the contract, not at its level and stake,
and the points of a contract are 10 * stake for every trick beyond its level. So what a deal comes to in any contract
follows from twelve numbers, its `scores`: int64 or int16 (2, 2, 3), [elder][0 plus, 1 minus][stake 1, 2, 4], player_0's
score less player_1's in a contract of the lowest level.

rows, table and unsettled are those of a `solver.api.Workspace`.
"""

import numpy as np

from piquet_env.bots.expert.playout import leaders_tricks, play_by_rules, score_of_play
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.auction import DOUBLED, REDOUBLED, UNDOUBLED
from piquet_env.engine.batch import begin_as_dealt
from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import apply_action
from piquet_env.engine.intrinsics import pointer, row_of
from piquet_env.engine.scoring import PER_TRICK_OF_CONTRACT, add

PLAYOUT_VERSION = 1
"""Changes when a deal may come to another score: with greedy's exchange or declarations, the solver being exact."""

STAKES = (UNDOUBLED, DOUBLED, REDOUBLED)
"""The stakes of a contract, in the order of the last index of `scores`: a stake's place there is stake >> 1."""


@compiled
def deal_scores(row, scores, rows, table, unsettled):
    """What the deal comes to in every contract: writes `scores` (2, 2, 3). `row` is a game just dealt; it stays."""
    row = pointer(row)
    case = row_of(rows, 0)
    for elder in range(2):
        for is_minus in range(2):
            at.copy_row(row, case)
            _bid_lowest(case, elder, is_minus)
            play_by_rules(case, at.PLAY)
            tricks = leaders_tricks(case, table)
            for place in range(len(STAKES)):
                case[at.STAKE] = STAKES[place]
                scores[elder, is_minus, place] = score_of_play(rows, tricks, table, unsettled)


@compiled
def _bid_lowest(row, maker, is_minus):
    """The auction of a game just dealt: the lowest bid of a sign, passed by the other."""
    if row[at.ACTOR] != maker:
        apply_action(row, act.PASS)
    apply_action(row, act.MINUS if is_minus else act.PLUS)
    apply_action(row, act.PASS)


@compiled
def score_of(row, scores):
    """player_0's score less player_1's in the contract that the auction of `row` has come to; 0: thrown in.

    scores: those of the deal.
    """
    row = pointer(row)
    if row[at.IS_THROWN_IN]:
        return 0
    elder, stake = row[at.ELDER], row[at.STAKE]
    higher = PER_TRICK_OF_CONTRACT * stake * (row[at.LEVEL] - row[at.LOWEST_LEVEL])
    return scores[elder, row[at.IS_MINUS], stake >> 1] - (higher if elder == 0 else -higher)


@compiled
def score_now(row, rows, table, unsettled):
    """`score_of` without scores: the one case is solved. `row`, whose auction has just ended, stays as it is."""
    row = pointer(row)
    if row[at.IS_THROWN_IN]:
        return 0
    case = row_of(rows, 0)
    at.copy_row(row, case)
    play_by_rules(case, at.PLAY)
    return score_of_play(rows, leaders_tricks(case, table), table, unsettled)


@compiled
def settle(row, score):
    """The deal of `row`, whose auction has just ended, is over: player_0 has so many points more.

    Nothing is exchanged, declared or played, so nothing of the cards becomes known. Who has more gets the difference as
    points of the contract, the other nothing. A deal that was thrown in is over already, and stays as it is.
    """
    row = pointer(row)
    if row[at.PHASE] != at.DEAL_OVER:
        row[at.PHASE] = at.DEAL_OVER
        add(row, 0 if score >= 0 else 1, at.ITEM_CONTRACT, abs(score))


@compiled
def settle_now(row, rows, table, unsettled):
    """`settle` with the score that is solved for now, in half a millisecond or so."""
    row = pointer(row)
    settle(row, score_now(row, rows, table, unsettled))


# ------------------------------------------------------------------ of deals that were played on


@compiled
def auction_scores(played, scores, rows, table, unsettled):
    """`score_now` of games whose auction is over, however they went on: played int64 (N, columns) -> int64 (N,)."""
    again, cards = np.zeros(at.COLUMNS, np.int64), np.zeros(CARDS, np.int64)
    for i in range(len(played)):
        _auction_again(row_of(played, i), again, cards)
        scores[i] = score_now(again, rows, table, unsettled)


@compiled
def _auction_again(row, again, cards):
    """The deal of `row` as it was when its auction had just ended: `again`; `cards` is overwritten."""
    begin_as_dealt(row, again, cards)
    done = 0
    while again[at.PHASE] == at.AUCTION:
        apply_action(again, at.packed(row, at.HISTORY, done) & 127)
        done += 1
