"""How greedy bids: it counts the tricks of its hand, and takes the call that should bring most points."""

from piquet_env.bots.greedy_cards import long_cards, may_hold, share_held, sure_tricks, turned
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.auction import DOUBLED, REDOUBLED, UNDOUBLED
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import legal_actions
from piquet_env.engine.scoring import PER_TRICK_OF_CONTRACT

# Tricks of the contract's sign that a maker takes: a part of all the tricks (what draws and the other hand bring),
# then for each sure trick, then for each long card. Fitted to deals that greedy played against itself.
MINE_IN_PLUS = (0.28, 0.95, 0.0)  # I am the maker, counted in my hand
MINE_IN_MINUS = (0.30, 1.05, -0.35)
HIS_IN_PLUS = (0.70, -0.83, 0.6)  # he is the maker, counted in my hand all the same
HIS_IN_MINUS = (0.83, -1.2, 0.35)
# What the maker scores apart from the contract: points for each trick beyond a part of all the tricks.
BESIDES_IN_PLUS = (10.0, 0.475)
BESIDES_IN_MINUS = (2.3, 0.53)
HIS_BID = 0.05  # part of all the tricks: what his having bid promises beyond that


@compiled
def bid(row):
    """The call of greatest worth; of equal ones that of the lowest number, plus before minus."""
    words = legal_actions(row)
    best, most = act.PASS, -1e9
    for call in range(act.PLUS, act.REDOUBLE + 1):
        if act.contains(words, call):
            worth = worth_of_call(row, call)
            if worth > most:
                best, most = call, worth
    return best


@compiled
def worth_of_call(row, call):
    """The points that it brings if the other then does his best without bidding."""
    minus, level, stake = row[at.IS_MINUS], row[at.LEVEL], row[at.STAKE]
    if call == act.PASS:
        return 0.0 if stake == 0 else -worth_of_his(row, minus, level, stake)
    if call == act.DOUBLE:
        return min(worth_of_mine(row, minus, level, DOUBLED), -worth_of_his(row, minus, level, REDOUBLED))
    if call == act.REDOUBLE:
        return worth_of_mine(row, minus, level, REDOUBLED)
    if call >= act.MINUS:
        return worth_of_mine(row, 1, row[at.LOWEST_LEVEL] + call - act.MINUS, UNDOUBLED)
    return worth_of_mine(row, 0, row[at.LOWEST_LEVEL] + call - act.PLUS, UNDOUBLED)


@compiled
def worth_of_mine(row, minus, level, stake):
    """Points that I expect from a contract as its maker."""
    tricks = tricks_expected(row, minus, MINE_IN_MINUS if minus else MINE_IN_PLUS)
    return worth_of_tricks(row, minus, level, stake, tricks)


@compiled
def worth_of_his(row, minus, level, stake):
    """Points that I expect him to get from it."""
    tricks = tricks_expected(row, minus, HIS_IN_MINUS if minus else HIS_IN_PLUS) + HIS_BID * row[at.HAND_SIZE]
    return worth_of_tricks(row, minus, level, stake, tricks)


@compiled
def worth_of_tricks(row, minus, level, stake, tricks):
    """The maker's points for so many tricks of the contract's sign, less the other's."""
    a_trick, beyond = BESIDES_IN_MINUS if minus else BESIDES_IN_PLUS
    besides = a_trick * (tricks - beyond * row[at.HAND_SIZE])
    return PER_TRICK_OF_CONTRACT * stake * (tricks - level) + besides


@compiled
def tricks_expected(row, minus, weights):
    """The tricks of the contract's sign that the maker takes, from what the player to act holds."""
    hand, theirs = row[at.HANDS + row[at.ACTOR]], may_hold(row)
    share = share_held(row, theirs)
    if minus:
        hand, theirs = turned(hand), turned(theirs)
    part, for_sure, for_long = weights
    tricks = part * row[at.HAND_SIZE] + for_sure * sure_tricks(hand, theirs, share)
    tricks += for_long * long_cards(hand, theirs, share)
    return min(max(tricks, 0.0), 1.0 * row[at.HAND_SIZE])
