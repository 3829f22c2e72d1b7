"""The actions of a deal in order, as far as a player knows them.

A row as a player knows it has no history. It has what was public, and that is enough: bids only rise and the
players alternate, discards are a set, who led each trick is kept.
"""

from __future__ import annotations

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.engine.auction import REDOUBLED
from piquet_env.engine.declarations import action_said
from piquet_env.engine.play import cards_of_trick
from piquet_env.notation import action_text, cards_of, rules_of
from piquet_env.rules import Rules
from piquet_env.views.form import UNKNOWN


def begin_as_dealt(row: np.ndarray, dealer: int, player: int, dealt: int) -> None:
    """Begin a deal in which `player` holds the cards `dealt`, and the others lie anywhere."""
    size = int(row[at.HAND_SIZE])
    rest = cards_of(int(row[at.PACK]) & ~dealt)
    first = size if player == 1 else 0
    cards = rest[:first] + cards_of(dealt) + rest[first:]
    game.set_up_deal(row, dealer, np.array(cards, np.int64))


def was_asked(row: np.ndarray, player: int) -> bool:
    """Whether `player` is asked for carte blanche in this deal; `row` is as he knows it."""
    if row[at.CARTE_BLANCHE_POINTS] == 0:
        return False
    again = row.copy()
    begin_as_dealt(again, int(row[at.DEALER]), player, int(row[at.DEALT + player]))
    return bool(again[at.PHASE] == at.IN_CARTE_BLANCHE and again[at.ACTOR] == player)


def auction_texts(row: np.ndarray) -> list[str]:
    """The auction as "1 +7", "0 pass", ...; empty in classic Piquet."""
    rules, first = rules_of(row), 1 - int(row[at.DEALER])
    return [f"{(first + place) % 2} {action_text(action, rules)}" for place, action in enumerate(auction_actions(row))]


def auction_actions(row: np.ndarray) -> list[int]:
    """The auction as actions in order; the players alternate, the non-dealer first."""
    if not row[at.HAS_AUCTION]:
        return []
    taken = [act.PASS] * int(row[at.PASSED])
    for step in range(act.BIDS):
        said = ((act.PLUS + step, at.BID_PLUS), (act.MINUS + step, at.BID_MINUS), (act.DOUBLE, at.BID_DOUBLED))
        taken += [action for action, levels in said if row[levels] >> step & 1]
    if row[at.STAKE] == REDOUBLED:
        taken.append(act.REDOUBLE)
    elif row[at.ELDER] >= 0:
        taken.append(act.PASS)
    return taken


def tricks(row: np.ndarray) -> list[tuple[int, list[int], int]]:
    """(leader, the card or the two cards in order, winner) of each trick; winner -1 while it lies on the table."""
    found = []
    completed, won_by_1 = int(row[at.TRICK]), 0
    for trick in range(completed + int(row[at.LED] >= 0)):
        leader = int(row[at.LED_BY_1]) >> trick & 1
        both = int(cards_of_trick(row, trick))
        cards = [cards_of(both & int(row[at.PLAYED + player])) for player in (leader, 1 - leader)]
        winner = -1
        if trick < completed:
            # Who wins leads the next trick; the last one is what is missing in the tricks won by player_1.
            is_led = trick + 1 < completed or row[at.LED] >= 0
            winner = int(row[at.LED_BY_1]) >> trick + 1 & 1 if is_led else int(row[at.WON + 1]) - won_by_1
            won_by_1 += winner
        found.append((leader, cards[0] + cards[1], winner))
    return found


def known_actions(row: np.ndarray, player: int) -> list[str]:
    """The deal's actions as a record has them, with the other's hidden choices as "?".

    Own discards stand in the order of the cards, for they are a set. The other's discards stand there once he has
    stood, and with open hands at once. Carte blanche that the other did not show leaves no trace.
    """
    rules = rules_of(row)
    texts = auction_texts(row) + _blanche(row, player)
    if row[at.ELDER] >= 0:
        roles = (int(row[at.ELDER]), 1 - int(row[at.ELDER]))
        texts += [text for who in roles for text in _exchange(row, who, rules)]
        if rules.sinking:
            texts += [
                text for category in range(3) for who in roles for text in _said(row, player, who, category, rules)
            ]
    for leader, cards, _ in tricks(row):
        texts += [f"{who} {action_text(card, rules)}" for who, card in zip((leader, 1 - leader), cards, strict=False)]
    return texts


def _blanche(row: np.ndarray, player: int) -> list[str]:
    for who in range(2):
        if row[at.BLANCHE + who]:
            return [f"{who} carte blanche"]
    has_answered = row[at.PHASE] != at.IN_CARTE_BLANCHE and was_asked(row, player)
    return [f"{player} none"] if has_answered else []


def _exchange(row: np.ndarray, who: int, rules: Rules) -> list[str]:
    discards, number = int(row[at.DISCARDS + who]), int(row[at.EXCHANGED + who])
    if discards < 0:
        texts = [f"{who} discard {UNKNOWN}"] * max(number, 0)
    else:
        texts = [f"{who} {action_text(card, rules, at.EXCHANGE)}" for card in cards_of(discards)]
    return texts + [f"{who} stand"] * (number >= 0)


def _said(row: np.ndarray, player: int, who: int, category: int, rules: Rules) -> list[str]:
    said = int(row[at.SAID + 2 * category + who])
    if said < 0:
        return []
    if category == 0 and said > 0 and who != player:
        return [f"{who} point {UNKNOWN}"]
    action = action_said(category, said, int(row[at.NAMED_SUIT + who]))
    return [f"{who} {action_text(int(action), rules)}"]
