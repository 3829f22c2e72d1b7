"""Section 4 of the rules: carte blanche before the exchange (section 9), and the exchange."""

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.cards import COURT_CARDS
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.deal import talon_cards
from piquet_env.engine.declarations import begin_declarations
from piquet_env.engine.intrinsics import popcount
from piquet_env.engine.scoring import add, look_for_repique, stop_if_reached


@compiled
def begin_exchange(row):
    """Elder is known. Who holds carte blanche is asked first."""
    row[at.PHASE] = at.EXCHANGE
    row[at.ACTOR] = row[at.ELDER]
    if row[at.CARTE_BLANCHE_POINTS] > 0:
        for player in range(2):
            if row[at.HANDS + player] & COURT_CARDS == 0:
                row[at.PHASE] = at.IN_CARTE_BLANCHE
                row[at.ACTOR] = player


@compiled
def legal_carte_blanche(row):
    """Show it or not."""
    return act.bit(act.CARTE_BLANCHE) | act.bit(act.NONE)


@compiled
def apply_carte_blanche(row, action):
    """The exchange follows, unless the points end the deal."""
    player = row[at.ACTOR]
    row[at.PHASE] = at.EXCHANGE
    row[at.ACTOR] = row[at.ELDER]
    if action == act.CARTE_BLANCHE:
        row[at.BLANCHE + player] = row[at.DEALT + player]
        add(row, player, at.ITEM_CARTE_BLANCHE, row[at.CARTE_BLANCHE_POINTS])
        look_for_repique(row)
        stop_if_reached(row)


@inlined
def part_start(row, player):
    """The first place in the talon of a player's part; elder must have stood before younger's is asked for."""
    if player == row[at.ELDER]:
        return 0
    return row[at.EXCHANGED + row[at.ELDER]] if row[at.YOUNGER_DRAWS_LEFTOVERS] else row[at.ELDER_TALON]


@inlined
def part_stop(row, player):
    """One past the last place of his part."""
    return row[at.ELDER_TALON] if player == row[at.ELDER] else row[at.ELDER_TALON] + row[at.YOUNGER_TALON]


@inlined
def legal_exchange(row):
    """Both words: cards to discard, and `stand`."""
    player = row[at.ACTOR]
    discarded = popcount(row[at.DISCARDS + player])
    is_elder = player == row[at.ELDER]
    least = row[at.MINIMUM_EXCHANGE] if is_elder else row[at.YOUNGER_MINIMUM_EXCHANGE]
    cards = row[at.HANDS + player] if discarded < part_stop(row, player) - part_start(row, player) else 0
    return cards, act.bit(act.STAND) if discarded >= least else 0


@inlined
def apply_exchange(row, action):
    """Discard a card, or stand and draw."""
    player = row[at.ACTOR]
    if action != act.STAND:
        row[at.HANDS + player] ^= 1 << action
        row[at.DISCARDS + player] |= 1 << action
        return
    _draw(row, player)
    if player == row[at.ELDER]:
        row[at.ACTOR] = 1 - player
    else:
        begin_declarations(row)


@compiled
def _draw(row, player):
    start, stop = part_start(row, player), part_stop(row, player)
    number = popcount(row[at.DISCARDS + player])
    row[at.EXCHANGED + player] = number
    row[at.DRAWN + player] = talon_cards(row, start, start + number)
    row[at.HANDS + player] |= row[at.DRAWN + player]
    row[at.SEEN + player] = talon_cards(row, start + number, stop)
    if player == row[at.ELDER]:
        row[at.ELDER_LEFT + player] = row[at.SEEN + player]
    else:
        _younger_learns(row, player)


@compiled
def _younger_learns(row, younger):
    """What younger comes to know of elder's leftovers when he stands."""
    elder = 1 - younger
    left = row[at.ELDER_LEFT + elder]
    if row[at.YOUNGER_SEES_LEFTOVERS]:
        row[at.SEEN + younger] |= left
        row[at.ELDER_LEFT + younger] = left
    elif row[at.YOUNGER_DRAWS_LEFTOVERS]:
        row[at.ELDER_LEFT + younger] = left
        row[at.RETAKEN] = left & row[at.DRAWN + younger]
