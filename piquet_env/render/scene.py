"""What lies on the table and what is written beside it, from one player's side, before anything is drawn.

Everything is taken from the player's view or from the row as he knows it, so nothing hidden can come into a picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.notation import action_text, card_index, cards_of, legal_indices, parse_hand
from piquet_env.records import PLAYERS
from piquet_env.render import captions
from piquet_env.render.captions import THEY, YOU
from piquet_env.render.replay import by_suit
from piquet_env.rules import Rules
from piquet_env.views import known_row, view


@dataclass(frozen=True)
class Pile:
    """Cards that lie together: those whose faces are seen, and how many lie face down."""

    faces: list[int]
    backs: int


@dataclass(frozen=True)
class Trick:
    """A trick of the deal: the cards of `YOU` and `THEY`, who led, who won (None: it is not over)."""

    cards: tuple[int | None, int | None]
    leader: int
    winner: int | None


@dataclass(frozen=True)
class Scene:
    """A position as one player sees it; pairs are his, then the other's."""

    title: tuple[str, str]
    roles: tuple[str, str]
    turn: int | None
    prompt: str
    hand: list[int]
    playable: list[int] | None
    """The cards of the hand that are legal; None where no card is to be chosen, or all are."""
    theirs: Pile
    talon: Pile
    discards: tuple[Pile, Pile]
    blanche: tuple[list[int], list[int]]
    """The hands that were shown as carte blanche, as they were dealt."""
    dealer: int
    calls: list[tuple[int, str]]
    contract: tuple[str, str, str] | None
    """The contract or the last bid, its stake, and what it asks for; None: there is no auction."""
    choices: list[str]
    words: list[tuple[int, str]]
    """What was said last."""
    tricks: list[Trick]
    hand_size: int
    sheet: list[tuple[str, tuple[str, str], tuple[int, int]]]
    """Item, what the two said, and their points."""
    totals: tuple[int, int] | None
    notice: list[str]
    """What stands in the middle where no trick lies and nothing has been declared; a headline first."""


def scene(row: np.ndarray, player: int) -> Scene:
    """What `player` (0 or 1) sees of a game: int64 (COLUMNS,), its row or the row as he knows it. Raises ValueError."""
    seen, known = view(row, player), known_row(row, player)
    rules, pair = Rules.make(seen["rules"]), (PLAYERS[player], PLAYERS[1 - player])
    legal = legal_indices(known) if seen["to_act"] == pair[YOU] else []
    hand = _cards(seen["holds"][pair[YOU]])
    cards = [card for card in hand if card in legal]
    return Scene(
        title=captions.title(seen, rules),
        roles=(captions.role(seen, pair[YOU]), captions.role(seen, pair[THEY])),
        turn=None if seen["to_act"] is None else pair.index(seen["to_act"]),
        prompt=captions.prompt(seen, pair),
        hand=hand,
        playable=cards if cards and len(cards) < len(hand) else None,
        theirs=_theirs(seen, pair[THEY], rules),
        talon=_talon(seen, rules),
        discards=(_discards(seen, pair[YOU]), _discards(seen, pair[THEY])),
        blanche=(_cards(seen["carte_blanche"][pair[YOU]] or "?"), _cards(seen["carte_blanche"][pair[THEY]] or "?")),
        dealer=pair.index(seen["dealer"]),
        calls=[(captions.side(text[0], player), text[2:]) for text in seen["auction"]],
        contract=captions.contract(seen, pair) if rules.auction else None,
        choices=[action_text(action, rules) for action in legal if action >= act.STAND],
        words=captions.words(known, player),
        tricks=[_trick(trick, pair) for trick in seen["tricks"]],
        hand_size=rules.hand_size,
        sheet=captions.sheet(seen, pair, rules),
        totals=(seen["totals"][pair[YOU]], seen["totals"][pair[THEY]]) if seen["episode"] == "partie" else None,
        notice=captions.ending(seen, known, player) or captions.notice(seen, pair, player),
    )


def _cards(text: str) -> list[int]:
    """The cards of a hand's text, by suits, high to low; none where it is not known."""
    return [] if text == "?" else by_suit(cards_of(parse_hand(text)))


def _theirs(seen: dict[str, Any], name: str, rules: Rules) -> Pile:
    """Their hand. How many cards it has while they discard is hidden, unless hands are open."""
    if seen["holds"][name] != "?":
        return Pile(_cards(seen["holds"][name]), 0)
    leads = sum(len(trick["cards"]) == 2 or trick["leader"] == name for trick in seen["tricks"])
    faces = _cards(seen["known_to_hold"])
    return Pile(faces, rules.hand_size - leads - len(faces))


def _talon(seen: dict[str, Any], rules: Rules) -> Pile:
    """What is left of it; face up what the player has looked at."""
    retaken = _cards(seen["retaken"])
    faces = [card for card in _cards(seen["seen"]) if card not in retaken]
    left = rules.elder_talon + rules.younger_talon - sum(number or 0 for number in seen["exchanged"].values())
    return Pile(faces, left - len(faces))


def _discards(seen: dict[str, Any], name: str) -> Pile:
    """Face up where the player knows them; the other's are counted when he has stood."""
    faces = _cards(seen["discards"][name])
    return Pile(faces, max(0, (seen["exchanged"][name] or 0) - len(faces)))


def _trick(trick: dict[str, Any], pair: tuple[str, str]) -> Trick:
    leader = pair.index(trick["leader"])
    cards = [card_index(text) for text in trick["cards"]]
    led, followed = cards[0], cards[1] if len(cards) > 1 else None
    both = (led, followed) if leader == YOU else (followed, led)
    return Trick(both, leader, pair.index(trick["winner"]) if trick["winner"] else None)
