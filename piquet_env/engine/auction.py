"""Section 3 of the rules: the auction."""

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.exchange import begin_exchange

UNDOUBLED, DOUBLED, REDOUBLED = 1, 2, 4


@inlined
def _higher_bids(row):
    """The bids of every level above the last, both signs."""
    levels = row[at.HIGHEST_LEVEL] - row[at.LOWEST_LEVEL] + 1
    first = row[at.LEVEL] - row[at.LOWEST_LEVEL] + 1 if row[at.LEVEL] > 0 else 0
    bits = (1 << levels) - (1 << first)
    return bits * (act.bit(act.PLUS) | act.bit(act.MINUS))


@inlined
def legal_auction(row):
    """The second word of the legal actions."""
    words = _higher_bids(row)
    if row[at.STAKE] == 0:
        words |= act.bit(act.PASS)
    elif row[at.STAKE] == UNDOUBLED:
        words |= act.bit(act.PASS) | act.bit(act.DOUBLE)
    else:
        words |= act.bit(act.REDOUBLE)
        if row[at.PASS_AFTER_DOUBLE]:
            words |= act.bit(act.PASS)
    return words


@inlined
def apply_auction(row, action):
    """Bid, pass, double or redouble."""
    actor = row[at.ACTOR]
    row[at.ACTOR] = 1 - actor
    if action == act.PASS:
        _pass(row, actor)
    elif action == act.DOUBLE:
        row[at.STAKE] = DOUBLED
        row[at.BID_DOUBLED] |= 1 << row[at.LEVEL] - row[at.LOWEST_LEVEL]
    elif action == act.REDOUBLE:
        row[at.STAKE] = REDOUBLED
        _end_auction(row, actor)
    else:
        _bid(row, actor, action)


@compiled
def _bid(row, actor, action):
    row[at.IS_MINUS] = 1 if action >= act.MINUS else 0
    step = action - (act.MINUS if action >= act.MINUS else act.PLUS)
    row[at.BID_MINUS if action >= act.MINUS else at.BID_PLUS] |= 1 << step
    row[at.BID_BY_1] |= actor << step
    row[at.LEVEL] = row[at.LOWEST_LEVEL] + step
    row[at.BIDDER] = actor
    row[at.STAKE] = UNDOUBLED


@compiled
def _pass(row, actor):
    if row[at.STAKE] == 0:
        row[at.PASSED] += 1
        if row[at.PASSED] == 2:
            row[at.IS_THROWN_IN] = 1
            row[at.PHASE] = at.DEAL_OVER
    else:
        # Who passes lets the other be the maker: the bidder, or the doubler when a double is passed.
        _end_auction(row, 1 - actor)


@compiled
def _end_auction(row, maker):
    row[at.ELDER] = maker
    begin_exchange(row)
    if row[at.PLAYOUT] > 0:  # below 0 in rows as a player knows them, to whom it is a deal like others
        row[at.PHASE] = at.DEAL_OVER
