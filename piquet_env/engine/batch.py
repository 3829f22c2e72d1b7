"""Loops over rows: int64 (N, layout.COLUMNS), one game each, independent of one another. No rule is here.

The loops release the GIL and work on slices, so that threads can share a batch.
"""

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.game import difference, legal_actions, new_game, next_deal, payment, restart, take_action
from piquet_env.engine.intrinsics import row_of

REWARD_SCORE, REWARD_PAYMENT, REWARD_WIN = 0, 1, 2


@compiled
def new_games(rows, rules, partie, seed, first):
    """Begin games number `first`, `first` + 1, ... of a seed."""
    for i in range(len(rows)):
        new_game(row_of(rows, i), rules, partie, seed, first + i)


@compiled
def restart_games(rows):
    """Begin the next episode of every row; their generators go on."""
    for i in range(len(rows)):
        restart(row_of(rows, i))


@compiled
def first_illegal(rows, actions):
    """The first row whose action is not legal; -1: all are."""
    for i in range(len(rows)):
        if not act.contains(legal_actions(row_of(rows, i)), actions[i]):
            return i
    return -1


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
def copy_row(row, copy):
    """Write a row into another."""
    for column in range(at.COLUMNS):
        copy[column] = row[column]


@compiled
def _go_on(row, kind, finished):
    """A deal is over: keep its row in `finished`, deal the next one if there is one; player_0's reward."""
    copy_row(row, finished)
    next_deal(row)
    if row[at.PHASE] == at.GAME_OVER:
        copy_row(row, finished)
        return reward_of(row, kind)
    return reward_of(finished, kind)


@compiled
def _is_forced(row):
    return act.count(legal_actions(row)) == 1


@inlined
def step_row(row, action, kind, skip_forced, finished):
    """Take an action, go on to the next decision: (player_0's reward, whether a deal was finished)."""
    reward, deal_over = 0, False
    while True:
        take_action(row, action)
        if row[at.PHASE] == at.DEAL_OVER:
            reward += _go_on(row, kind, finished)
            deal_over = True
        if not skip_forced or row[at.PHASE] == at.GAME_OVER or not _is_forced(row):
            return reward, deal_over
        action = act.nth(legal_actions(row), 0)


@compiled
def step_rows(rows, actions, kind, skip_forced, reward, terminated, truncated, deal_over, finished):
    """One legal action in every game; games that end begin anew at once (same-step autoreset).

    Writes reward float32 (N, 2), the flags bool (N,), and where deal_over the row of the finished deal.
    """
    for i in range(len(rows)):
        gained, deal_over[i] = step_row(row_of(rows, i), actions[i], kind, skip_forced, row_of(finished, i))
        reward[i, 0] = gained
        reward[i, 1] = -gained
        over = rows[i, at.PHASE] == at.GAME_OVER
        truncated[i] = over and rows[i, at.TRUNCATED] == 1
        terminated[i] = over and not truncated[i]
        if over:
            restart(row_of(rows, i))
