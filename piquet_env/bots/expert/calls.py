"""The expert's auction: what every call brings, the other's answer and all that follows included."""

import numpy as np

from piquet_env.bots.expert.playout import leaders_tricks, play_by_rules, score_of_play
from piquet_env.bots.greedy_auction import prospects_of, worth_of_call
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import legal_actions, take_action
from piquet_env.engine.intrinsics import row_of

_CASES = 4  # who is elder, and the sign
_NOT_YET = -1


@compiled
def call_values(worlds, values, rows, table, unsettled):
    """Adds what each call is worth in the worlds to float64 (80,)."""
    cases, got = np.empty((_CASES, at.COLUMNS), np.int64), np.empty(_CASES, np.int64)
    for i in range(len(worlds)):
        world = row_of(worlds, i)
        got[:] = _NOT_YET
        for call in range(act.PLUS, act.REDOUBLE + 1):
            if act.contains(legal_actions(world), call):
                at.copy_row(world, row_of(rows, 0))
                take_action(row_of(rows, 0), call)
                play_by_rules(row_of(rows, 0), at.IN_CARTE_BLANCHE)
                values[call] += _contract_value(rows, world[at.ACTOR], cases, got, table, unsettled)


@compiled
def add_call_priors(row, count, values):
    """Adds what greedy thinks of each call, as if it had been so in `count` worlds, to float64 (80,)."""
    prospects = prospects_of(row)
    for call in range(act.PLUS, act.REDOUBLE + 1):
        if act.contains(legal_actions(row), call):
            values[call] += count * worth_of_call(row, call, prospects)


@compiled
def _contract_value(rows, me, cases, got, table, unsettled):
    """The score for `me` of what the auction in row 0 has come to.

    Whoever is elder in a contract of a sign, exchange and play are the same whatever its level and stake: `cases` and
    `got` keep the row at the play, and what its leader gets of the tricks.
    """
    row = row_of(rows, 0)
    if row[at.PHASE] == at.DEAL_OVER:
        return 0  # thrown in
    number = 2 * row[at.ELDER] + row[at.IS_MINUS]
    case = row_of(cases, number)
    if got[number] == _NOT_YET:
        at.copy_row(row, case)
        play_by_rules(case, at.PLAY)
        got[number] = leaders_tricks(case, table)
    level, stake = row[at.LEVEL], row[at.STAKE]
    at.copy_row(case, row)
    row[at.LEVEL], row[at.STAKE] = level, stake
    value = score_of_play(rows, got[number], table, unsettled)
    return value if me == 0 else -value
