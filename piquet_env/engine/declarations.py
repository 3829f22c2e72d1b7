"""Sections 5 to 7 of the rules: holdings, and the declarations in plus and in minus contracts.

Each holding has a strength, a number that orders the holdings of its category; 0 is none.
Point: 128 * number + pips. Sequence: 1 + its place among the sequence actions. Set: 1-5 trios, 6-10 quatorzes, T to A.
"""

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.cards import SUIT, SUIT_OF_RANK, SUITS, TEN, pips, suit_bits
from piquet_env.engine.compiled import compiled
from piquet_env.engine.intrinsics import lowest_bit, pointer, popcount
from piquet_env.engine.play import begin_play
from piquet_env.engine.scoring import add, look_for_pique, look_for_repique, stop_if_reached

CATEGORY_POINT, CATEGORY_SEQUENCE, CATEGORY_SET = 0, 1, 2
CATEGORIES = 3
SEQUENCE_POINTS = (0, 0, 0, 3, 4, 15, 16, 17, 18)  # by length
TRIO, QUATORZE = 3, 14
PER_CARD = 128  # of a point's strength; pips are at most 75


@compiled
def point_strength(row, hand, suit):
    """Of the point in one suit; 0 where it is too short to count."""
    ranks = suit_bits(hand, suit)
    number = popcount(ranks)
    return number * PER_CARD + pips(ranks) if number >= row[at.MINIMUM_POINT] else 0


@compiled
def best_point(row, hand):
    """The suit of the best point, the first of equal ones; -1: none."""
    best, strength = -1, 0
    for suit in range(SUITS):
        if point_strength(row, hand, suit) > strength:
            best, strength = suit, point_strength(row, hand, suit)
    return best


@compiled
def run_from(ranks, start):
    """The length of the run that starts at a rank of one suit."""
    return lowest_bit(~(ranks >> start))


@compiled
def sequences(hand, least, most):
    """The maximal runs with a strength of least to most: (their strengths as bits, points, cards)."""
    strengths, points, cards = 0, 0, 0
    for suit in range(SUITS):
        ranks = suit_bits(hand, suit)
        starts = ranks & ~(ranks << 1)
        while starts:
            start = lowest_bit(starts)
            starts &= starts - 1
            length = run_from(ranks, start)
            if length < act.SHORTEST_SEQUENCE:
                continue
            strength = 1 + act.sequence_action(length, start + length - 1) - act.SEQUENCE
            if least <= strength <= most:
                strengths |= 1 << strength
                points += SEQUENCE_POINTS[length]
                cards |= ((1 << length) - 1) << (8 * suit + start)
    return strengths, points, cards


@compiled
def sets(hand, least, most):
    """The sets with a strength of least to most: (their strengths as bits, points, cards)."""
    strengths, points, cards = 0, 0, 0
    for place in range(act.SET_RANKS):
        of_rank = hand & SUIT_OF_RANK << TEN + place
        number = popcount(of_rank)
        strength = 1 + place if number == 3 else 1 + act.SET_RANKS + place
        if number >= 3 and least <= strength <= most:
            strengths |= 1 << strength
            points += TRIO if number == 3 else QUATORZE
            cards |= of_rank
    return strengths, points, cards


@compiled
def _highest(bits):
    """The index of the highest set bit; 0 for none."""
    highest = 0
    while bits:
        highest = lowest_bit(bits)
        bits &= bits - 1
    return highest


@compiled
def best_sequence(hand):
    """The strength of the best sequence."""
    return _highest(sequences(hand, 1, act.SEQUENCES)[0])


@compiled
def best_set(hand):
    """The strength of the best set."""
    return _highest(sets(hand, 1, 2 * act.SET_RANKS)[0])


@compiled
def said(row, category, player):
    """The column of what a player said in a category."""
    return at.SAID + 2 * category + player


@compiled
def begin_declarations(row):
    """After the exchange: choices in plus contracts and classic Piquet, none in minus contracts or without sinking."""
    if row[at.IS_MINUS]:
        _score_minus(row)
    else:
        row[at.PHASE] = at.IN_POINT
        row[at.ACTOR] = row[at.ELDER]
        if not row[at.SINKING]:
            _declare_the_best(row)


@compiled
def legal_declaration(row):
    """The second word of the legal actions: `none`, and what may be named."""
    player, elder = row[at.ACTOR], row[at.ELDER]
    hand = row[at.HANDS + player]
    category = row[at.PHASE] - at.IN_POINT
    to_beat = row[said(row, category, elder)] if player != elder else 0
    words = act.bit(act.NONE)
    if category == CATEGORY_POINT:
        for suit in range(SUITS):
            strength = point_strength(row, hand, suit)
            if strength > 0 and strength // PER_CARD >= to_beat:
                words |= act.bit(act.POINT + suit)
    elif category == CATEGORY_SEQUENCE:
        words |= (sequences(hand, max(to_beat, 1), act.SEQUENCES)[0] >> 1) << act.SEQUENCE - act.OTHERS
    else:
        words |= _sets_by_rank(sets(hand, to_beat + 1, 2 * act.SET_RANKS)[0]) << act.SET - act.OTHERS
    return words


@compiled
def _sets_by_rank(strengths):
    trios = strengths >> 1 & (1 << act.SET_RANKS) - 1
    return trios | strengths >> 1 + act.SET_RANKS


@compiled
def apply_declaration(row, action):
    """Name a holding, or none; when both have, the category is scored."""
    player = row[at.ACTOR]
    category = row[at.PHASE] - at.IN_POINT
    row[said(row, category, player)] = words_said(row, row[at.HANDS + player], category, action)
    if category == CATEGORY_POINT and action != act.NONE:
        row[at.NAMED_SUIT + player] = action - act.POINT
    row[at.ACTOR] = 1 - player
    if player != row[at.ELDER]:
        _score_category(row, category)


@compiled
def words_said(row, hand, category, action):
    """What is said with a declaration (layout.SAID)."""
    if action == act.NONE:
        return 0
    if category == CATEGORY_POINT:
        return popcount(suit_bits(hand, action - act.POINT))
    if category == CATEGORY_SEQUENCE:
        return 1 + action - act.SEQUENCE
    place = action - act.SET
    is_quatorze = popcount(hand & SUIT_OF_RANK << TEN + place) == 4
    return 1 + place + (act.SET_RANKS if is_quatorze else 0)


@compiled
def action_said(category, words, suit):
    """The action with which these words (layout.SAID, not -1) are said; `suit`: of the point."""
    if words == 0:
        return act.NONE
    if category == CATEGORY_POINT:
        return act.POINT + suit
    if category == CATEGORY_SEQUENCE:
        return act.SEQUENCE + words - 1
    return act.SET + (words - 1) % act.SET_RANKS


@compiled
def _say_pips(row, elder):
    """Points of the same number are told apart by pips: elder says his, younger, unless they are fewer, his."""
    mine = pips(suit_bits(row[at.HANDS + elder], row[at.NAMED_SUIT + elder]))
    theirs = pips(suit_bits(row[at.HANDS + 1 - elder], row[at.NAMED_SUIT + 1 - elder]))
    row[at.PIPS_SAID + elder] = mine
    if theirs >= mine:
        row[at.PIPS_SAID + 1 - elder] = theirs


@compiled
def better_said(row, category):
    """Who said the better holding, of two that have spoken, pips too; -1: a tie, or neither named one."""
    row = pointer(row)
    first, second = row[said(row, category, 0)], row[said(row, category, 1)]
    if category == CATEGORY_POINT and first == second:  # pips are 0 where they were not said
        first, second = row[at.PIPS_SAID], row[at.PIPS_SAID + 1]
    if first == second:
        return -1
    return 0 if first > second else 1


@compiled
def scored_cards(row, category, hand, named):
    """(points, cards) of what is scored from a hand where `named` is the strength of the best that counts.

    For points, `named` is 1 + the suit. 0 scores nothing.
    """
    if named == 0:
        return 0, 0
    if category == CATEGORY_POINT:
        cards = hand & (SUIT << 8 * (named - 1))
        return popcount(cards), cards
    if category == CATEGORY_SEQUENCE:
        _, points, cards = sequences(hand, 1, named)
    else:
        _, points, cards = sets(hand, 1, named)
    return points, cards


@compiled
def _named(row, category, player):
    """What he named, as `scored_cards` takes it."""
    if category == CATEGORY_POINT:
        return 1 + row[at.NAMED_SUIT + player]
    return row[said(row, category, player)]


@compiled
def _score_category(row, category):
    elder = row[at.ELDER]
    words = row[said(row, category, elder)]
    if category == CATEGORY_POINT and words == row[said(row, category, 1 - elder)] and words > 0:
        _say_pips(row, elder)
    winner = better_said(row, category)
    row[at.SCORER + category] = winner
    if winner >= 0:
        points, _ = scored_cards(row, category, row[at.HANDS + winner], _named(row, category, winner))
        add(row, winner, at.ITEM_POINT + category, points)
        look_for_repique(row)
    row[at.PHASE] += 1
    row[at.ACTOR] = row[at.ELDER]
    if category == CATEGORY_SET:
        _show_and_begin_play(row)
    else:
        stop_if_reached(row)


@compiled
def _show_and_begin_play(row):
    """Every holding that scored is shown; then pique, and, unless the deal stops, play."""
    for category in range(CATEGORIES):
        winner = row[at.SCORER + category]
        if winner >= 0:
            _, cards = scored_cards(row, category, row[at.HANDS + winner], _named(row, category, winner))
            row[at.SHOWN + winner] |= cards
    _pique_and_play(row)


@compiled
def _pique_and_play(row):
    begin_play(row)
    look_for_pique(row, 0)
    look_for_pique(row, 1)
    stop_if_reached(row)


@compiled
def _declare_the_best(row):
    """Without sinking: elder names his best, younger his best unless elder's words beat it."""
    for category in range(CATEGORIES):
        for _ in range(2):
            if row[at.PHASE] == at.IN_POINT + category:
                best = _best_action(row, category, row[at.HANDS + row[at.ACTOR]])
                words = legal_declaration(row)
                apply_declaration(row, best if words & act.bit(best) else act.NONE)


@compiled
def _best_action(row, category, hand):
    if category == CATEGORY_POINT:
        suit = best_point(row, hand)
        return act.POINT + suit if suit >= 0 else act.NONE
    if category == CATEGORY_SEQUENCE:
        strength = best_sequence(hand)
        return act.SEQUENCE + strength - 1 if strength > 0 else act.NONE
    strength = best_set(hand)
    return act.SET + (strength - 1) % act.SET_RANKS if strength > 0 else act.NONE


@compiled
def _score_minus(row):
    """Minus contracts: the better hand wins a category, its opponent scores it; what was scored is shown."""
    for category in range(CATEGORIES):
        strengths = (best_holding(row, category, row[at.HANDS])[0], best_holding(row, category, row[at.HANDS + 1])[0])
        if strengths[0] == strengths[1]:
            continue
        winner = 0 if strengths[0] > strengths[1] else 1
        hand = row[at.HANDS + winner]
        points, cards = scored_cards(row, category, hand, best_holding(row, category, hand)[1])
        row[at.SCORER + category] = 1 - winner
        row[at.SHOWN + winner] |= cards
        add(row, 1 - winner, at.ITEM_POINT + category, points)
        look_for_repique(row)
    _pique_and_play(row)


@compiled
def best_holding(row, category, hand):
    """(strength, what to name for `scored_cards`) of a hand's best holding; (0, 0): it has none."""
    if category == CATEGORY_POINT:
        suit = best_point(row, hand)
        return (point_strength(row, hand, suit), suit + 1) if suit >= 0 else (0, 0)
    strength = best_sequence(hand) if category == CATEGORY_SEQUENCE else best_set(hand)
    return strength, strength
