"""Section 8 of the rules: play."""

from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.scoring import finish_deal, point_in_play


@inlined
def begin_play(row):
    """Elder leads."""
    row[at.PHASE] = at.PLAY
    row[at.ACTOR] = row[at.ELDER]


@compiled
def cards_of_trick(row, trick):
    """The one or two cards played to a trick, by its number from 0."""
    cards = row[at.PLAYED] | row[at.PLAYED + 1]
    for digit in range(at.TRICK_DIGITS):
        cards &= row[at.TRICKS + digit] if trick >> digit & 1 else ~row[at.TRICKS + digit]
    return cards


@inlined
def legal_play(row):
    """The cards that may be played: follow suit if you can."""
    hand = row[at.HANDS + row[at.ACTOR]]
    if row[at.LED] < 0:
        return hand
    following = hand & (0xFF << 8 * (row[at.LED] >> 3))
    return following if following else hand


@inlined
def apply_play(row, card):
    """Lead, or follow and complete the trick."""
    player = row[at.ACTOR]
    trick = row[at.TRICK]
    row[at.HANDS + player] ^= 1 << card
    row[at.PLAYED + player] |= 1 << card
    for digit in range(at.TRICK_DIGITS):
        row[at.TRICKS + digit] |= (trick >> digit & 1) << card
    row[at.ACTOR] = 1 - player
    if row[at.LED] < 0:
        _lead(row, player, card)
    else:
        _complete_trick(row, player, card)


@inlined
def _lead(row, player, card):
    row[at.LED] = card
    row[at.LED_BY_1] |= player << row[at.TRICK]
    if not row[at.HAS_AUCTION]:
        point_in_play(row, player)


@inlined
def _complete_trick(row, follower, card):
    led = row[at.LED]
    leader = 1 - follower
    if card >> 3 != led >> 3:
        row[at.VOIDS + follower] |= 1 << (led >> 3)
    winner = follower if card >> 3 == led >> 3 and card > led else leader
    row[at.LED] = -1
    row[at.TRICK] += 1
    row[at.WON + winner] += 1
    row[at.ACTOR] = winner
    is_last = row[at.TRICK] == row[at.HAND_SIZE]
    # In classic Piquet the leader had his point when he led, and the last trick has one more.
    if (row[at.HAS_AUCTION] or winner == follower) and not point_in_play(row, winner):
        return
    if is_last and not row[at.HAS_AUCTION] and not point_in_play(row, winner):
        return
    if is_last:
        finish_deal(row)
