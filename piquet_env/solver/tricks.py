"""Exact play with all cards known, for tricks: can the player to lead get so many?

Three things can be asked for (`kind`), each of which the two players divide between them:

    WIN      tricks won: plus contracts                              all together `tricks`
    LOSE     tricks lost: minus contracts                            all together `tricks`
    CLASSIC  twice the tricks won, and 1 for winning the last        all together 2 * tricks + 1

In classic Piquet the leader scores for leading and the follower for winning, which adds up to a point for every
trick, half a point for who leads now, and half a point for who wins the last trick: so more tricks are always better,
and of equal numbers the one with the last trick.

Alpha-beta with windows of width 0: `can_get` asks one yes-or-no question, `most` asks until the answer is exact.
What was found stands in a table of int64 (entries,), a power of two: the position's key (positions.key_of), the kind,
and the least and most that the leader gets. It stays true for ever, so one table serves any number of deals.
"""

from piquet_env.engine.cards import SUIT, from_lowest, up_to_highest
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.intrinsics import lowest_bit
from piquet_env.solver.bounds import least_lost, most_lost, most_tricks, sure_tricks
from piquet_env.solver.positions import feet, heads, key_of, removed, slot_of

WIN, LOSE, CLASSIC = 0, 1, 2

_BOUND = 6  # bits of a bound in an entry of the table: at most 2 * 16 + 1
_BOUND_MASK = (1 << _BOUND) - 1


@inlined
def whole(kind, tricks):
    """What both get together."""
    return 2 * tricks + 1 if kind == CLASSIC else tricks


@inlined
def gain(kind, tricks, leader_wins):
    """What the leader gets for the first of so many tricks."""
    if kind == LOSE:
        return 0 if leader_wins else 1
    if not leader_wins:
        return 0
    return 1 if kind == WIN else 3 if tricks == 1 else 2


@inlined
def bounds(kind, lead, other, tricks):
    """(least, most) that the leader gets, without search."""
    if kind == LOSE:
        return _bounds_to_lose(lead, other, tricks)
    sure, behind = sure_tricks(lead, other)
    most = most_tricks(lead, other, tricks, behind)
    if kind == WIN:
        return sure, most
    return (2 * sure + 1 if sure == tricks else 2 * sure), (0 if most == 0 else 2 * most + 1)


@inlined
def _bounds_to_lose(lead, other, tricks):
    return least_lost(lead, other, tricks), most_lost(lead, other, tricks)


@inlined
def _one_trick(kind, lead, other):
    """What the leader gets when each has one card."""
    led, answer = lowest_bit(lead), lowest_bit(other)
    return gain(kind, 1, led >> 3 != answer >> 3 or led > answer)


@compiled
def can_get(kind, lead, other, tricks, wanted, table):
    """Whether the player to lead can get `wanted`: relative hands of `tricks` cards each."""
    if tricks <= 1 or wanted <= 0 or wanted > whole(kind, tricks):
        return wanted <= (_one_trick(kind, lead, other) if tricks == 1 and wanted > 0 else 0)
    least, most = bounds(kind, lead, other, tricks)
    if least >= wanted or most < wanted:
        return least >= wanted
    key = key_of(lead, other) << 2 | kind
    least, most = look_up(table, key, least, most)
    if least >= wanted or most < wanted:
        return least >= wanted
    if_won, if_lost = wanted - gain(kind, tricks, True), wanted - gain(kind, tricks, False)
    if_lost = whole(kind, tricks - 1) - if_lost + 1  # what the other may then not get
    found, leads = False, heads(lead)
    while leads and not found:  # is there a lead ...
        card = _next_lead(kind, leads, lead, other)
        leads ^= 1 << card
        mine, theirs, losing, winning = after_lead(lead, other, card)
        found = True
        while found and losing | winning:  # ... against which there is no answer?
            if wins_next(kind, losing, winning):
                answer, winning = lowest_bit(winning), winning & winning - 1
                found = not can_get(kind, removed(theirs, answer), removed(mine, answer), tricks - 1, if_lost, table)
            else:
                answer = _next_loser(kind, losing)
                losing ^= 1 << answer
                found = can_get(kind, removed(mine, answer), removed(theirs, answer), tricks - 1, if_won, table)
    keep(table, key, wanted if found else least, most if found else wanted - 1)
    return found


@inlined
def look_up(table, key, least, most):
    """The bounds that are in the table, or else those given."""
    entry = table[slot_of(len(table) - 1, key)]
    if entry >> 2 * _BOUND != key:
        return least, most
    return max(least, entry & _BOUND_MASK), min(most, entry >> _BOUND & _BOUND_MASK)


@inlined
def keep(table, key, least, most):
    """Put the bounds into the table."""
    table[slot_of(len(table) - 1, key)] = key << 2 * _BOUND | most << _BOUND | least


@inlined
def _next_lead(kind, leads, lead, other):
    """The lead to try next: a card that nobody can beat, or, to lose, one that the other must beat; else any."""
    if kind == LOSE:
        promising = leads & up_to_highest(other) & ~from_lowest(other)
        if promising == 0:
            promising = leads & 0x07070707
    else:
        promising = leads & ~up_to_highest(other)
    return lowest_bit(promising if promising else leads)


@inlined
def _next_loser(kind, losing):
    if kind == LOSE:
        high = losing & 0xF0F0F0F0
        return lowest_bit(high if high else losing)
    return lowest_bit(losing)


@inlined
def wins_next(kind, losing, winning):
    """Whether the answer to try next wins the trick: those who want tricks try that first."""
    return winning != 0 and (kind != LOSE or losing == 0)


@inlined
def after_lead(lead, other, card):
    """(lead, other, losing, winning): the hands without the card's place, and the other's answers, one of each run."""
    suit, below = SUIT << (card & ~7), (1 << card) - 1
    follows = other & suit
    lead, other = removed(lead, card), removed(other, card)
    if follows == 0:
        return lead, other, feet(other), 0
    return lead, other, feet(other & suit & below), feet(other & suit & ~below)


@compiled
def most_within(kind, lead, other, tricks, low, high, table):
    """How much the player to lead gets: relative hands of `tricks` cards each; `low` if less, `high` if more."""
    if tricks == 0:
        return 0
    least, most = bounds(kind, lead, other, tricks)
    least, most = min(max(least, low), high), max(min(most, high), low)
    guess = (least + most) // 2
    while least < most:
        if can_get(kind, lead, other, tricks, guess + 1, table):
            least = guess + 1
        else:
            most = guess
        guess = least if least > guess else most - 1
    return least
