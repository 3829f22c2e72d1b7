"""How a world goes on: by greedy's rules up to the play, and the play solved."""

from piquet_env.bots.greedy import choose
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import take_action
from piquet_env.engine.intrinsics import row_of
from piquet_env.solver.scores import begin_search, exact_value, final_score, is_settled, kind_of, to_leader, tricks_left
from piquet_env.solver.tricks import whole


@compiled
def play_by_rules(row, phase):
    """Let greedy act for both until the phase is reached, or a later one."""
    while row[at.PHASE] < phase:
        take_action(row, choose(row))


@compiled
def solved(rows, me, table, unsettled):
    """The score of the deal in row 0, in the play or over, with best play: his less the other's."""
    begin_search(unsettled)
    value = exact_value(rows, 0, table, unsettled)
    return value if me == 0 else -value


@compiled
def leaders_tricks(row, table):
    """What the leader to the first trick gets of the tricks with best play, whatever the contract's level and stake.

    0, which is not asked for, where a pique is still open: there the play is for more than tricks.
    """
    return to_leader(row, 0, whole(kind_of(row), tricks_left(row)), table) if is_settled(row) else 0


@compiled
def score_of_play(rows, tricks, table, unsettled):
    """The score of the deal in row 0, at the first lead, with best play: player_0's less player_1's.

    tricks: `leaders_tricks`, also of the same deal in a contract of another level and stake.
    """
    row = row_of(rows, 0)
    if is_settled(row):
        return final_score(row, tricks, row_of(rows, 1))
    return solved(rows, 0, table, unsettled)
