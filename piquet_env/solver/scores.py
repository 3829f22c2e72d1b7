"""Exact play with all cards known, for the score of the deal.

Once no pique and no stop can come any more, the score is a rising function of the tricks, as `tricks.most_within`
counts them: then that search answers it. Until then the engine plays the tricks out, in a search of its own here.

Scores are player_0's less player_1's, of the whole deal; the rows are in the phase of play.
"""

import numpy as np

from piquet_env.engine import layout as at
from piquet_env.engine.cards import SUIT, up_to_highest
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.game import difference
from piquet_env.engine.intrinsics import lowest_bit, row_of
from piquet_env.engine.play import apply_play, legal_play
from piquet_env.engine.scoring import BONUS_PIQUE, CAPOT, earns_pique, finish_deal, reaches_stop
from piquet_env.solver.positions import key_of, relative, slot_of
from piquet_env.solver.tricks import CLASSIC, LOSE, WIN, most_within, whole

ENDLESS = 1 << 40  # beyond any score

# The table of positions that are not settled: int64 (a power of two, UNSETTLED_COLUMNS); the number of the search
# stands in column _NUMBER of row 0.
_KEY, _LEAST, _MOST, _SEARCH, _NUMBER = range(5)
UNSETTLED_COLUMNS = 5


@inlined
def kind_of(row):
    """What is counted of the tricks (solver.tricks)."""
    if not row[at.HAS_AUCTION]:
        return CLASSIC
    return LOSE if row[at.IS_MINUS] else WIN


@inlined
def tricks_left(row):
    """The tricks that are still to be completed."""
    return row[at.HAND_SIZE] - row[at.TRICK]


@compiled
def is_settled(row):
    """Whether the tricks alone decide the score from here: nobody can come to pique or to `stop_at` any more."""
    points = tricks_left(row) + 1  # a point for each trick, and for the last
    for player in range(2):
        if earns_pique(row, player, points) or reaches_stop(row, player, points + BONUS_PIQUE + CAPOT):
            return False
    return True


@compiled
def final_score(row, got, end):
    """The score when the player to lead gets so much of what is left (tricks.most_within). `end` is overwritten."""
    at.copy_row(row, end)
    kind, left, leader = kind_of(row), tricks_left(row), row[at.ACTOR]
    won = got // 2 if kind == CLASSIC else left - got if kind == LOSE else got
    end[at.WON + leader] += won
    end[at.WON + 1 - leader] += left - won
    finish_deal(end)
    points = 2 * won - left + (got & 1 if kind == CLASSIC else 0)
    return difference(end) + (points if leader == 0 else -points)


@compiled
def to_leader(row, least, most, table):
    """What the player to lead gets of the tricks that are left (tricks.most_within)."""
    leader = row[at.ACTOR]
    lead, other = relative(row[at.HANDS + leader], row[at.HANDS + 1 - leader])
    return most_within(kind_of(row), lead, other, tricks_left(row), least, most, table)


@compiled
def _settled_value(row, low, high, end, table):
    """The score at the lead to a trick of a settled row; at most `low`, at least `high` where it is not between."""
    sign = 1 if row[at.ACTOR] == 0 else -1
    under, over = (low, high) if sign == 1 else (-high, -low)
    least, most = 0, whole(kind_of(row), tricks_left(row))
    while least < most and sign * final_score(row, least + 1, end) <= under:
        least += 1
    while least < most and sign * final_score(row, most - 1, end) >= over:
        most -= 1
    return final_score(row, to_leader(row, least, most, table), end)


@inlined
def alike(row, cards):
    """Of the cards that the player to act may play, the lowest of every group that is equally good."""
    player = row[at.ACTOR]
    between = row[at.HANDS + 1 - player]
    if row[at.LED] >= 0:
        between |= 1 << row[at.LED]
    chosen, rest = 0, cards
    while rest:
        card = lowest_bit(rest)
        chosen |= 1 << card
        above = between & (SUIT << (card & ~7)) & -(1 << card)
        upto = lowest_bit(above) if above else (card | 7) + 1
        rest &= -(1 << upto)
    return chosen


@inlined
def _next_card(row, cards):
    """The card to try next: one that wins the trick, or that nobody can beat."""
    player = row[at.ACTOR]
    if row[at.LED] < 0:
        winners = cards & ~up_to_highest(row[at.HANDS + 1 - player])
    else:
        winners = cards & SUIT << (row[at.LED] & ~7) & -(1 << row[at.LED])
    return lowest_bit(winners if winners else cards)


@compiled
def play_into(rows, depth, card):
    """Row `depth` + 1 becomes row `depth` with a card played; it is not added to the deal's history."""
    row, after = row_of(rows, depth), row_of(rows, depth + 1)
    at.copy_row(row, after)
    apply_play(after, card)


@compiled
def value_of(rows, depth, low, high, table, unsettled):
    """The score of row `depth` with best play by both; at most `low`, at least `high` where it is not between.

    rows int64 (SCRATCH_ROWS, columns): row 0 is where the search began, those after `depth` are overwritten.
    """
    row = row_of(rows, depth)
    if row[at.PHASE] != at.PLAY:
        return difference(row)
    if row[at.LED] < 0:
        if is_settled(row):
            return _settled_value(row, low, high, row_of(rows, depth + 1), table)
        least, most = _look_up(unsettled, _key(row, row_of(rows, 0)))
        if least >= high or most <= low or least == most:
            return least if least >= high else most
    player, cards = row[at.ACTOR], alike(row, legal_play(row))
    best, worst = (
        -ENDLESS,
        ENDLESS,
    )  # of what has been tried: the one is meant if player_0 chooses, the other if player_1
    while cards and max(low, best) < min(high, worst):
        card = _next_card(row, cards)
        cards ^= 1 << card
        play_into(rows, depth, card)
        value = value_of(rows, depth + 1, max(low, best), min(high, worst), table, unsettled)
        if player == 0:
            best = max(best, value)
        else:
            worst = min(worst, value)
    value = best if player == 0 else worst
    if row[at.LED] < 0:
        _keep(unsettled, _key(row, row_of(rows, 0)), value, low, high)
    return value


@inlined
def _key(row, root):
    """What tells apart the positions of one search: the cards, who leads, and what has been scored since `root`."""
    leader = row[at.ACTOR]
    key = key_of(*relative(row[at.HANDS + leader], row[at.HANDS + 1 - leader])) << 1 | leader
    for player in range(2):
        total = at.score_item(player, at.ITEM_TOTAL)
        key = key << 7 | row[total] - root[total]
    return key


@inlined
def _entry(unsettled, key):
    return row_of(unsettled, slot_of(len(unsettled) - 1, key))


@inlined
def _look_up(unsettled, key):
    """(least, most) that this search knows of a position."""
    entry = _entry(unsettled, key)
    if entry[_KEY] == key and entry[_SEARCH] == unsettled[0, _NUMBER]:
        return entry[_LEAST], entry[_MOST]
    return -ENDLESS, ENDLESS


@inlined
def _keep(unsettled, key, value, low, high):
    least, most = _look_up(unsettled, key)
    entry = _entry(unsettled, key)
    entry[_KEY], entry[_SEARCH] = key, unsettled[0, _NUMBER]
    entry[_LEAST] = value if value > low else least
    entry[_MOST] = value if value < high else most


@inlined
def begin_search(unsettled):
    """Forget the positions of the last search, whose contract, or whose scores, were others."""
    unsettled[0, _NUMBER] += 1


@compiled
def exact_value(rows, depth, table, unsettled):
    """The score of row `depth` with best play by both (see value_of)."""
    # As numbers that are no constants: a function that calls itself must have one signature, or what numba keeps of it
    # on disk is broken.
    return value_of(rows, np.int64(depth), np.int64(-ENDLESS), np.int64(ENDLESS), table, unsettled)


# ------------------------------------------------------------------ every legal card


@compiled
def card_scores(rows, scores, table, unsettled):
    """For each card that may be played in row 0: writes the score, for the player to act, into int64 (32,)."""
    begin_search(unsettled)
    row = row_of(rows, 0)
    rest = legal_play(row)
    chosen, score = alike(row, rest), 0
    while rest:
        card = lowest_bit(rest)
        rest &= rest - 1
        if chosen >> card & 1:
            play_into(rows, 0, card)
            score = exact_value(rows, 1, table, unsettled)
        scores[card] = score if row[at.ACTOR] == 0 else -score


@compiled
def card_tricks(rows, tricks, table):
    """For each card that may be played in row 0: writes how many tricks of the deal the player to act wins in all."""
    row = row_of(rows, 0)
    rest = legal_play(row)
    chosen, won = alike(row, rest), 0
    while rest:
        card = lowest_bit(rest)
        rest &= rest - 1
        if chosen >> card & 1:
            play_into(rows, 0, card)
            won = tricks_of(rows, 1, row[at.ACTOR], table)
        tricks[card] = won


@compiled
def tricks_of(rows, depth, player, table):
    """The tricks of the deal that a player wins when both want tricks, or in a minus contract neither does."""
    row = row_of(rows, depth)
    if row[at.LED] < 0:
        return _tricks_at_lead(row, player, table)
    best, sign = -ENDLESS, 1 if (row[at.ACTOR] == player) != (row[at.IS_MINUS] == 1) else -1
    cards = alike(row, legal_play(row))
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        play_into(rows, depth, card)
        best = max(best, sign * _tricks_at_lead(row_of(rows, depth + 1), player, table))
    return sign * best


@compiled
def _tricks_at_lead(row, player, table):
    leader, left = row[at.ACTOR], tricks_left(row)
    kind = LOSE if row[at.IS_MINUS] else WIN
    lead, other = relative(row[at.HANDS + leader], row[at.HANDS + 1 - leader])
    got = most_within(kind, lead, other, left, 0, left, table)
    if (kind == LOSE) != (leader != player):
        got = left - got
    return row[at.WON + player] + got
