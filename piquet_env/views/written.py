"""A view made from a game's row."""

from __future__ import annotations

from typing import Any

import numpy as np

from piquet_env import knowledge
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.exchange import part_start, part_stop
from piquet_env.notation import action_text, card_text, cards_of, hand_text, legal_texts, rules_of
from piquet_env.records import PLAYERS, contract
from piquet_env.rules import SUITS
from piquet_env.views.form import CATEGORIES, NONE, UNKNOWN, VIEW_FORMAT, phase_name
from piquet_env.views.sequence import auction_texts, known_actions, tricks


def known_row(row: np.ndarray, player: int) -> np.ndarray:
    """A copy of a game's row with every column that `player` (0 or 1) may not know set to -1. Raises ValueError."""
    if player not in (0, 1):
        raise ValueError(f"player: expected 0 or 1, got {player!r}")
    known = row.copy()
    knowledge.hide(known, player)
    return known


def view(row: np.ndarray, player: int) -> dict[str, Any]:
    """What `player` (0 or 1) knows of a game, as JSON values.

    Args:
        row: int64 (COLUMNS,), the game's row, or the row as he knows it: both give the same view.

    Raises:
        ValueError: no such player.
    """
    known = known_row(row, player)
    return (
        _episode(known, player) | _hands(known, player) | _turn(known) | _exchange(known, player) | _play(known, player)
    )


def _episode(row: np.ndarray, player: int) -> dict[str, Any]:
    return {
        "format": VIEW_FORMAT,
        "versions": dict(knowledge.VERSIONS),
        "rules": rules_of(row).spec(),
        "player": PLAYERS[player],
        "episode": "partie" if row[at.PARTIE] else "deal",
        "completed": int(row[at.COMPLETED]),
        "thrown_in": int(row[at.THROWN_IN]),
        "totals": _pair(row[at.TOTALS : at.TOTALS + 2].tolist()),
        "truncated": bool(row[at.TRUNCATED]),
        "dealer": PLAYERS[row[at.DEALER]],
    }


def _hands(row: np.ndarray, player: int) -> dict[str, Any]:
    dealt = [
        int(row[at.DEALT + who]) if row[at.DEALT + who] >= 0 else int(row[at.BLANCHE + who]) or -1 for who in range(2)
    ]
    they = 1 - player
    return {
        "hands": _pair([_cards(mask) for mask in dealt]),
        "talon": " ".join(_talon(row, player)),
        "holds": _pair([_cards(mask) for mask in row[at.HANDS : at.HANDS + 2]]),
        "known_to_hold": _cards(knowledge.their_known_hand(row, player, they)),
    }


def _turn(row: np.ndarray) -> dict[str, Any]:
    is_over = row[at.PHASE] >= at.DEAL_OVER
    return {
        "phase": phase_name(row[at.PHASE]),
        "to_act": None if is_over else PLAYERS[row[at.ACTOR]],
        "elder": _player(row[at.ELDER]),
        "auction": auction_texts(row),
        "contract": contract(row) if row[at.ELDER] >= 0 else None,
    }


def _exchange(row: np.ndarray, player: int) -> dict[str, Any]:
    exchanged = row[at.EXCHANGED : at.EXCHANGED + 2].tolist()
    shown = row[at.BLANCHE : at.BLANCHE + 2].tolist()
    return {
        "discards": _pair([_cards(mask) for mask in row[at.DISCARDS : at.DISCARDS + 2]]),
        "drawn": _pair([_cards(mask) for mask in row[at.DRAWN : at.DRAWN + 2]]),
        "exchanged": _pair([number if number >= 0 else None for number in exchanged]),
        "seen": _cards(row[at.SEEN + player]),
        "elder_left": _cards(row[at.ELDER_LEFT + player]),
        "retaken": _cards(row[at.RETAKEN]),
        "carte_blanche": _pair([_cards(mask) if mask else None for mask in shown]),
    }


def _play(row: np.ndarray, player: int) -> dict[str, Any]:
    score = row[at.SCORE : at.SCORE + 2 * len(at.ITEMS)].reshape(2, -1).tolist()
    is_to_act = row[at.ACTOR] == player
    return {
        "declarations": {name: _declaration(row, player, category) for category, name in enumerate(CATEGORIES)},
        "shown": _pair([_cards(mask) for mask in row[at.SHOWN : at.SHOWN + 2]]),
        "tricks": [
            {"leader": PLAYERS[leader], "cards": [card_text(card) for card in cards], "winner": _player(winner)}
            for leader, cards, winner in tricks(row)
        ],
        "tricks_won": _pair(row[at.WON : at.WON + 2].tolist()),
        "score": _pair([dict(zip(at.ITEMS, items, strict=True)) for items in score]),
        "legal": legal_texts(row) if is_to_act else [],
        "actions": known_actions(row, player),
    }


# ------------------------------------------------------------------ the parts


def _pair(values: list[Any]) -> dict[str, Any]:
    return dict(zip(PLAYERS, values, strict=True))


def _player(number: int) -> str | None:
    return PLAYERS[number] if number >= 0 else None


def _cards(mask: int) -> str:
    return hand_text(mask) if mask >= 0 else UNKNOWN


def _declaration(row: np.ndarray, player: int, category: int) -> dict[str, Any]:
    said = [_said(row, player, who, category) for who in range(2)]
    return _pair(said) | {"scored_by": _player(row[at.SCORER + category])}


def _said(row: np.ndarray, player: int, who: int, category: int) -> Any:
    """What a player said: None for nothing yet, "none", or the holding as far as it was named aloud."""
    said = int(row[at.SAID + 2 * category + who])
    if said <= 0:
        return NONE if said == 0 else None
    if category == 0:
        suit = SUITS[row[at.NAMED_SUIT + who]] if who == player else UNKNOWN
        return {"number": said, "pips": int(row[at.PIPS_SAID + who]) or None, "suit": suit}
    if category == 1:
        _, length, top = action_text(act.SEQUENCE + said - 1).split()
        return {"length": int(length), "top": top}
    is_quatorze, place = divmod(said - 1, act.SET_RANKS)
    return {"number": 4 if is_quatorze else 3, "rank": action_text(act.SET + place)[-1]}


def _talon(row: np.ndarray, player: int) -> list[str]:
    """The talon in order of its places, "?" where he does not know the very place of a card.

    Drawn and seen cards are known as sets; where a set lies on a single place, its card is known to lie there.
    """
    regions = _regions(row, player)
    texts = []
    for place in range(int(row[at.ELDER_TALON] + row[at.YOUNGER_TALON])):
        possible = int(row[at.PACK]) if any(start <= place < stop for start, stop, _ in regions) else 0
        for start, stop, mask in regions:
            possible &= mask if start <= place < stop else ~mask
        cards = cards_of(possible)
        texts.append(card_text(cards[0]) if len(cards) == 1 else UNKNOWN)
    return texts


def _regions(row: np.ndarray, player: int) -> list[tuple[int, int, int]]:
    """(start, stop, cards) of the places of the talon whose cards, as a set, the player knows."""
    elder = int(row[at.ELDER])
    if elder < 0 or row[at.EXCHANGED + elder] < 0:
        return []
    stood, elders = int(row[at.EXCHANGED + elder]), int(row[at.ELDER_TALON])
    regions = [(0, stood, row[at.DRAWN + elder]), (stood, elders, row[at.ELDER_LEFT + player])]
    number = int(row[at.EXCHANGED + 1 - elder])
    if number >= 0:
        start, stop = int(part_start(row, 1 - elder)), int(part_stop(row, 1 - elder))
        regions.append((start, start + number, row[at.DRAWN + 1 - elder]))
        regions.append((start, min(start + number, elders), row[at.RETAKEN]))
        if player != elder:
            regions.append((max(start + number, elders), stop, row[at.SEEN + player] & ~row[at.ELDER_LEFT + player]))
    return [(first, last, int(mask)) for first, last, mask in regions if mask > 0 and first < last]
