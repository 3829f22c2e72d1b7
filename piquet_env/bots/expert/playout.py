"""How a world goes on: by greedy's rules up to the play, and the play solved."""

from piquet_env.bots.greedy import choose
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import take_action
from piquet_env.solver.scores import begin_search, exact_value


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
