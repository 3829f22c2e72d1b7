"""The expert's exchange: what many sets of discards are worth in the same worlds."""

from piquet_env.bots.expert.playout import play_by_rules, solved
from piquet_env.bots.greedy_exchange import cards_out, point_kept, worth_of_card, worth_of_new
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.declarations import begin_declarations
from piquet_env.engine.game import difference, legal_actions, take_action
from piquet_env.engine.intrinsics import lowest_bit, popcount, row_of
from piquet_env.solver.positions import relative
from piquet_env.solver.scores import final_score, kind_of, tricks_left
from piquet_env.solver.tricks import bounds

DRAWN, THEIRS = 0, 1
CANNOT = -1
# What greedy counts in tricks.
POINTS_OF_TRICK, POINTS_OF_TRICK_IN_CLASSIC = 12.0, 4.0


@compiled
def exchange_all(worlds, outcomes, rows):
    """What comes of exchanging k cards in each world, whichever they are: writes int64 (N, 17, 2).

    outcomes[i, k]: the cards DRAWN, and THEIRS: what the other then holds at the play, having exchanged by greedy's
    rules; CANNOT where k cards may not be exchanged.
    """
    outcomes[:] = CANNOT
    for i in range(len(worlds)):
        row, after = row_of(rows, 0), row_of(rows, 1)
        at.copy_row(row_of(worlds, i), row)
        me = row[at.ACTOR]
        for k in range(at.MOST_TRICKS + 1):
            words = legal_actions(row)
            if act.contains(words, act.STAND):
                at.copy_row(row, after)
                take_action(after, act.STAND)
                outcomes[i, k, DRAWN] = after[at.DRAWN + me]
                play_by_rules(after, at.EXCHANGE + 1)
                outcomes[i, k, THEIRS] = after[at.HANDS + 1 - me]
            if words[0] == 0:
                break
            take_action(row, lowest_bit(words[0]))


@compiled
def _exchange(world, discards, outcomes, row):
    """Writes the world's row as it is when both have exchanged and declared their best."""
    me, k = world[at.ACTOR], popcount(discards)
    at.copy_row(world, row)
    row[at.HANDS + me] = world[at.HANDS + me] & ~discards | outcomes[k, DRAWN]
    row[at.HANDS + 1 - me] = outcomes[k, THEIRS]
    row[at.SINKING] = 0
    begin_declarations(row)


@compiled
def add_discard_priors(row, sets, count, values):
    """Adds what greedy thinks of each set of discards, as if it had been so in `count` worlds, to float64 (M,)."""
    his, point = cards_out(row), point_kept(row)
    for j in range(len(sets)):
        cards = sets[j]
        while cards:
            card = lowest_bit(cards)
            cards &= cards - 1
            gain = worth_of_new(row) - worth_of_card(row, card, his, point)
            values[j] += count * gain * (POINTS_OF_TRICK if row[at.HAS_AUCTION] else POINTS_OF_TRICK_IN_CLASSIC)


@compiled
def estimate_discards(worlds, outcomes, sets, values, rows):
    """Adds about what each set of discards is worth in the worlds, without search, to float64 (M,)."""
    for i in range(len(worlds)):
        world, row = row_of(worlds, i), row_of(rows, 0)
        for j in range(len(sets)):
            _exchange(world, sets[j], outcomes[i], row)
            value = _estimate(row, row_of(rows, 1))
            values[j] += value if world[at.ACTOR] == 0 else -value


@compiled
def _estimate(row, end):
    """The score of the deal, halfway between what is certain of the tricks."""
    if row[at.PHASE] != at.PLAY:
        return 1.0 * difference(row)
    leader = row[at.ACTOR]
    lead, other = relative(row[at.HANDS + leader], row[at.HANDS + 1 - leader])
    least, most = bounds(kind_of(row), lead, other, tricks_left(row))
    return (final_score(row, least, end) + final_score(row, most, end)) / 2


@compiled
def solve_discards(worlds, outcomes, sets, values, rows, table, unsettled):
    """Adds what each set of discards is worth in the worlds to float64 (M,)."""
    for i in range(len(worlds)):
        for j in range(len(sets)):
            _exchange(row_of(worlds, i), sets[j], outcomes[i], row_of(rows, 0))
            values[j] += solved(rows, worlds[i, at.ACTOR], table, unsettled)
