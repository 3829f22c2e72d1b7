"""The only entry to the rules: set up a game, what is legal, what an action does, and how it goes on.

    new_game(row, rules.columns(), partie, seed, index)
    while row[layout.PHASE] != layout.GAME_OVER:
        apply_action(row, nth(legal_actions(row), 0))
        if row[layout.PHASE] == layout.DEAL_OVER:     # scored; its result can be read here
            next_deal(row)

A row is int64 (layout.COLUMNS,), contiguous. Only the functions of this module are meant for other packages, and from
Python too; so each takes the row's bare address first (intrinsics.pointer), with which all others are compiled. They
look at no shape, and write where a shorter row would have ended.
"""

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.auction import apply_auction, legal_auction
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.deal import clear_deal, deal_order, random_below, random_state, shuffled_pack
from piquet_env.engine.declarations import apply_declaration, legal_declaration
from piquet_env.engine.exchange import (
    apply_carte_blanche,
    apply_exchange,
    begin_exchange,
    legal_carte_blanche,
    legal_exchange,
)
from piquet_env.engine.intrinsics import pointer
from piquet_env.engine.play import apply_play, legal_play
from piquet_env.engine.scoring import payment

__all__ = [
    "apply_action",
    "close_deal",
    "difference",
    "legal_actions",
    "new_game",
    "next_deal",
    "payment",
    "renew",
    "reseed",
    "restart",
    "set_up_deal",
    "take_action",
]


@compiled
def new_game(row, rules, partie, seed, index):
    """Begin an episode in `row`: rules `Rules.columns()`, partie 0 or 1; (seed, index) fixes all that is dealt."""
    row, rules = pointer(row), pointer(rules)
    reseed(row, rules, partie, random_state(seed, index))
    row[at.DEALER] = random_below(row, 2)
    _deal(row)


@compiled
def reseed(row, rules, partie, state):
    """An empty row with these rules and this state of the random generator."""
    row, rules = pointer(row), pointer(rules)
    for column in range(at.COLUMNS):
        row[column] = rules[column] if column < at.PARTIE else 0
    row[at.PARTIE] = partie
    row[at.RANDOM] = state


@compiled
def restart(row):
    """Begin the row's next episode: the same rules, its generator going on."""
    row = pointer(row)
    renew(row)
    _deal(row)


@compiled
def renew(row):
    """The row's next episode before its first deal; who deals it is drawn."""
    row = pointer(row)
    reseed(row, row, row[at.PARTIE], row[at.RANDOM])
    row[at.DEALER] = random_below(row, 2)


@compiled
def _deal(row):
    set_up_deal(row, row[at.DEALER], shuffled_pack(row))


@compiled
def set_up_deal(row, dealer, cards):
    """Begin a deal with given cards: int64 (pack,): player_0's hand, player_1's, the talon in order."""
    row, cards = pointer(row), pointer(cards)
    row[at.DEALER] = dealer
    clear_deal(row)
    deal_order(row, cards)
    row[at.ACTOR] = 1 - dealer
    if not row[at.HAS_AUCTION]:
        row[at.ELDER] = 1 - dealer
        begin_exchange(row)


@inlined
def legal_actions(row):
    """(cards, others): the two words of legal actions for the player to act; (0, 0) when the deal is over."""
    row = pointer(row)
    phase = row[at.PHASE]
    if phase == at.PLAY:
        return legal_play(row), 0
    if phase == at.EXCHANGE:
        return legal_exchange(row)
    if phase == at.AUCTION:
        return 0, legal_auction(row)
    if phase == at.IN_CARTE_BLANCHE:
        return 0, legal_carte_blanche(row)
    if phase >= at.DEAL_OVER:
        return 0, 0
    return 0, legal_declaration(row)


@compiled
def apply_action(row, action):
    """Take an action. False, and an untouched row, when it is not legal."""
    row = pointer(row)
    if not act.contains(legal_actions(row), action):
        return False
    take_action(row, action)
    return True


@inlined
def take_action(row, action):
    """`apply_action` for an action that is known to be legal."""
    row = pointer(row)
    _remember(row, action)
    phase = row[at.PHASE]
    if phase == at.PLAY:
        apply_play(row, action)
    elif phase == at.EXCHANGE:
        apply_exchange(row, action)
    elif phase == at.AUCTION:
        apply_auction(row, action)
    elif phase == at.IN_CARTE_BLANCHE:
        apply_carte_blanche(row, action)
    else:
        apply_declaration(row, action)


@inlined
def _remember(row, action):
    at.put_packed(row, at.HISTORY, row[at.ACTED], action | row[at.ACTOR] << 7)
    row[at.ACTED] += 1


@compiled
def next_deal(row):
    """When a deal is over: add it up, and deal the next or end the episode."""
    row = pointer(row)
    close_deal(row)
    if row[at.PHASE] != at.GAME_OVER:
        _deal(row)


@compiled
def close_deal(row):
    """Add a deal that is over to the episode; the phase is GAME_OVER if that was the last, the next dealer is set."""
    row = pointer(row)
    if row[at.IS_THROWN_IN]:
        row[at.THROWN_IN] += 1
        if row[at.MAX_THROWN_IN] > 1 and row[at.PLAYOUT] <= 0:
            if row[at.THROWN_IN] == row[at.MAX_THROWN_IN]:
                row[at.TRUNCATED] = 1
                row[at.PHASE] = at.GAME_OVER
            return
    row[at.THROWN_IN] = 0
    row[at.COMPLETED] += 1
    for player in range(2):
        row[at.TOTALS + player] += row[at.score_item(player, at.ITEM_TOTAL)]
    if is_last_deal(row):
        row[at.PHASE] = at.GAME_OVER
    else:
        row[at.DEALER] = 1 - row[at.DEALER]


@compiled
def is_last_deal(row):
    """Section 10 of the rules: after this completed deal, is the episode over?"""
    row = pointer(row)
    if not row[at.PARTIE]:
        return True
    mine, theirs = row[at.TOTALS], row[at.TOTALS + 1]
    if row[at.STOP_AT] > 0:
        return mine >= row[at.STOP_AT] or theirs >= row[at.STOP_AT]
    if row[at.COMPLETED] == row[at.DEALS]:
        return mine != theirs or row[at.EXTRA_DEALS_ON_TIE] == 0
    return row[at.COMPLETED] == row[at.DEALS] + row[at.EXTRA_DEALS_ON_TIE]


@compiled
def difference(row):
    """player_0's score less player_1's, of the present deal."""
    row = pointer(row)
    return row[at.score_item(0, at.ITEM_TOTAL)] - row[at.score_item(1, at.ITEM_TOTAL)]
