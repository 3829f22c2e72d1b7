"""How greedy bids: it counts the tricks and points that its hand promises, and takes the call that should bring most.

The tricks and points of a hand were fitted to deals that greedy played against itself, 40,000 of each sign with the
contract forced, as a line through the ranks as dealt; the rest by matches between variants.
"""

from piquet_env.bots.greedy_cards import longest, weighed
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.auction import DOUBLED, REDOUBLED, UNDOUBLED
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import legal_actions
from piquet_env.engine.intrinsics import popcount
from piquet_env.engine.scoring import PER_TRICK_OF_CONTRACT

# In pairs: plus, minus. What a card of each rank brings, the strongest first: ace to 7 in plus, 7 to ace in minus.
TRICKS_OF_MAKER = ((1.33, 0.68, 0.08, 0.0, 0.0, 0.0, 0.0, 0.0), (1.62, 0.96, 0.65, 0.26, 0.13, 0.07, 0.03, 0.0))
TRICKS_OF_OTHER = ((1.53, 0.8, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0), (1.87, 1.15, 0.78, 0.35, 0.21, 0.1, 0.03, 0.0))
LENGTH_OF_MAKER = (0.34, -0.18)  # tricks for every card of the longest suit: he can play it out
LENGTH_OF_OTHER = (-0.43, -0.26)  # and the other has nothing else to follow with
PART_OF_MAKER = (0.58, 0.54)  # of all tricks, with an average hand
POINTS = ((17.5, 12.0, 8.3, 7.6, 6.4, 2.5, 1.1, 0.0), (4.7, 2.5, 0.95, 0.0, 0.0, 0.0, 0.0, 0.0))  # beside the contract
POINTS_OF_MAKER = (15.5, -1.1)  # for leading and exchanging first
# What his calls show of his hand, in tricks of the sign.
BID_SHOWS = 0.5  # for every bid of the sign
OTHER_BID_SHOWS = (-0.8, -0.3)  # for every bid of the other sign
DOUBLE_SHOWS = 0.5  # in the sign of what he doubled, and as many less in the other
# At the first call, in points.
MINUS_COSTS = 5.0  # he will bid plus over it, on the high cards


@compiled
def bid(row):
    """The call of greatest worth; of equal ones that of the lowest number, plus before minus."""
    words = legal_actions(row)
    prospects = prospects_of(row)
    best, most = act.PASS, -1e9
    for call in range(act.PLUS, act.REDOUBLE + 1):
        if act.contains(words, call):
            worth = worth_of_call(row, call, prospects)
            if worth > most:
                best, most = call, worth
    return best


@compiled
def prospects_of(row):
    """(plus, minus): what the player to act can expect (`prospect`)."""
    return prospect(row, 0), prospect(row, 1)


@compiled
def worth_of_call(row, call, prospects):
    """The points that it brings if the other then does his best without bidding."""
    stake = row[at.STAKE]
    if call < act.MINUS:
        return worth_of_mine(prospects[0], row[at.LOWEST_LEVEL] + call - act.PLUS, UNDOUBLED)
    if call < act.PASS:
        worth = worth_of_mine(prospects[1], row[at.LOWEST_LEVEL] + call - act.MINUS, UNDOUBLED)
        return worth - MINUS_COSTS if stake == 0 else worth
    if stake == 0:
        return 0.0
    last = prospects[row[at.IS_MINUS]]
    if call == act.PASS:
        return -worth_of_his(last, row[at.LEVEL], stake)
    return worth_of_doubling(last, row[at.LEVEL], stake)


@compiled
def worth_of_doubling(prospect, level, stake):
    """The other then takes what is better for him: he leaves me the contract, or redoubles a double."""
    if stake == DOUBLED:
        return worth_of_mine(prospect, level, REDOUBLED)
    return min(worth_of_mine(prospect, level, DOUBLED), -worth_of_his(prospect, level, REDOUBLED))


@compiled
def worth_of_mine(prospect, level, stake):
    """Points that I expect from a contract as its maker."""
    mine, _, besides, of_maker = prospect
    return PER_TRICK_OF_CONTRACT * stake * (mine - level) + besides + of_maker


@compiled
def worth_of_his(prospect, level, stake):
    """Points that I expect him to get from it as its maker."""
    _, his, besides, of_maker = prospect
    return PER_TRICK_OF_CONTRACT * stake * (his - level) - besides + of_maker


@compiled
def prospect(row, minus):
    """Of a sign: my tricks as the maker, his as the maker, my points beside the contract, and the maker's."""
    besides = weighed(row, minus, POINTS[minus])
    return tricks_of_mine(row, minus), tricks_of_his(row, minus), besides, POINTS_OF_MAKER[minus]


@compiled
def tricks_of_mine(row, minus):
    """The tricks of the sign that I take as the maker: for high cards (low ones in minus) and a long suit."""
    tricks = PART_OF_MAKER[minus] * row[at.HAND_SIZE] + weighed(row, minus, TRICKS_OF_MAKER[minus])
    tricks += LENGTH_OF_MAKER[minus] * longest(row) - shown(row, minus)
    return min(max(tricks, 0.0), 1.0 * row[at.HAND_SIZE])


@compiled
def tricks_of_his(row, minus):
    """The tricks of the sign that he takes as the maker, against my hand."""
    tricks = PART_OF_MAKER[minus] * row[at.HAND_SIZE] - weighed(row, minus, TRICKS_OF_OTHER[minus])
    tricks += shown(row, minus) - LENGTH_OF_OTHER[minus] * longest(row)
    return min(max(tricks, 0.0), 1.0 * row[at.HAND_SIZE])


@compiled
def shown(row, minus):
    """The tricks of the sign, beyond what my cards tell, that his calls show him to have."""
    tricks = BID_SHOWS * bids_of_his(row, minus) + OTHER_BID_SHOWS[minus] * bids_of_his(row, 1 - minus)
    if row[at.STAKE] == DOUBLED:
        tricks += DOUBLE_SHOWS if row[at.IS_MINUS] == minus else -DOUBLE_SHOWS
    return tricks


@compiled
def bids_of_his(row, minus):
    """How many bids of a sign he has made."""
    by_him = row[at.BID_BY_1] if row[at.ACTOR] == 0 else ~row[at.BID_BY_1]
    return popcount((row[at.BID_MINUS] if minus else row[at.BID_PLUS]) & by_him)
