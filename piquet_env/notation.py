"""Cards, hands, talons and actions as text, and back.

    card    "SA"                    index 8 * suit + rank, suits S H D C, ranks 7 8 9 T J Q K A
    hand    "AKJ.T87.Q98.A97"       suits in the order S.H.D.C, ranks high to low; an empty suit is empty
    talon   "S9 S8 S7 HJ"           in order
    action  "+7", "discard SA", ... one of the 80 actions (piquet_env.engine.actions)

Sets of cards are ints with bit `card` set. What cannot be read is a ValueError that says what was expected.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS, SUIT, SUIT_OF_RANK
from piquet_env.rules import RANKS, RULE_COLUMNS, SUITS, Rules, RulesError

RulesLike = str | Mapping[str, Any] | Rules
_LONGEST = 80  # characters of a text that is quoted


# ------------------------------------------------------------------ cards


def card_text(card: int) -> str:
    """The card's suit and rank: 7 is "SA". Raises ValueError outside 0 to 31."""
    if not 0 <= card < CARDS:
        raise ValueError(f"expected a card from 0 to {CARDS - 1}, got {card!r}")
    return SUITS[card >> 3] + RANKS[card & 7]


def card_index(text: str) -> int:
    """The card's number: "SA" is 7. Raises ValueError."""
    if not isinstance(text, str) or len(text) != 2 or text[0] not in SUITS or text[1] not in RANKS:
        raise ValueError(f"expected a card: a suit of {SUITS} and a rank of {RANKS}, as in SA, got {text!r}")
    return 8 * SUITS.index(text[0]) + RANKS.index(text[1])


def cards_of(mask: int) -> list[int]:
    """The cards of a set, in the order of their numbers."""
    return [card for card in range(CARDS) if int(mask) >> card & 1]


def hand_text(mask: int) -> str:
    """A set of cards as "AKJ.T87.Q98.A97"."""
    cards = reversed(cards_of(mask))
    by_suit = [""] * len(SUITS)
    for card in cards:
        by_suit[card >> 3] += RANKS[card & 7]
    return ".".join(by_suit)


def parse_hand(text: str) -> int:
    """The set of cards of "AKJ.T87.Q98.A97", as a mask. Raises ValueError."""
    if not isinstance(text, str) or text.count(".") != len(SUITS) - 1:
        raise ValueError(f"expected a hand: ranks of four suits S.H.D.C, as in AKJ.T87.Q98.A97, got {text!r}")
    mask = 0
    for suit, ranks in zip(SUITS, text.split("."), strict=True):
        for rank in ranks:
            card = card_index(suit + rank)
            if mask >> card & 1:
                raise ValueError(f"the card {suit}{rank} stands in the hand twice")
            mask |= 1 << card
    return mask


def talon_text(cards: list[int]) -> str:
    """The cards in order, as "S9 S8 S7 HJ"."""
    return " ".join(card_text(card) for card in cards)


def parse_talon(text: str) -> list[int]:
    """The cards of "S9 S8 S7 HJ" in order. Raises ValueError."""
    if not isinstance(text, str):
        raise ValueError(f"expected cards with a space between them, as in S9 S8 S7, got {text!r}")
    return [card_index(word) for word in text.split()]


# ------------------------------------------------------------------ actions


def action_text(action: int, rules: RulesLike = "auction", phase: int | None = None) -> str:
    """The action as text: a card is "discard SA" in `Phase.EXCHANGE`, else "play SA".

    Raises:
        ValueError: no action of these rules, or unknown rules.
    """
    made = Rules.make(rules)
    if isinstance(action, bool) or not isinstance(action, int | np.integer) or not 0 <= action < act.ACTIONS:
        raise ValueError(f"expected an action from 0 to {act.ACTIONS - 1}, got {action!r}")
    text = _texts(made).get(int(action))
    if text is None:
        raise ValueError(f"the action {action} has no meaning in the rules {made.spec()}")
    if action < CARDS:
        return ("discard " if phase == at.EXCHANGE else "play ") + text
    return text


def action_index(text: str, rules: RulesLike = "auction") -> int:
    """The number of an action; "discard SA" and "play SA" are the same number.

    Raises:
        ValueError: no action of these rules, or unknown rules.
    """
    made = Rules.make(rules)
    action = _indices(made).get(text) if isinstance(text, str) else None
    if action is None:
        raise ValueError(f"no action of the rules {made.spec()}: {text!r}; expected one like {_samples(made)}")
    return action


def action_names() -> list[str]:
    """The texts of all actions in order: cards alone, bids as in the rules `auction`, carte blanche too."""
    texts = _texts(Rules.make("auction")) | {act.CARTE_BLANCHE: "carte blanche"}
    return [texts[action] for action in range(act.ACTIONS)]


def legal_indices(row: np.ndarray) -> list[int]:
    """The numbers of the legal actions in a game's row, ascending; none when the deal is over."""
    words = game.legal_actions(row)
    return [int(act.nth(words, n)) for n in range(act.count(words))]


def legal_texts(row: np.ndarray) -> list[str]:
    """The legal actions in a game's row as text."""
    rules, phase = rules_of(row), int(row[at.PHASE])
    return [action_text(action, rules, phase) for action in legal_indices(row)]


def read_rules(text: str) -> Rules:
    """The rules of a name, or of a JSON object's text. Raises ValueError."""
    if not text.lstrip().startswith("{"):
        return Rules.make(text)
    try:
        return Rules.make(json.loads(text))
    except RulesError:
        raise
    except json.JSONDecodeError as error:
        raise _no_rules(text, str(error)) from error
    except RecursionError as error:
        raise _no_rules(text, "nested too deeply") from error
    except ValueError as error:
        raise _no_rules(text, "a number of thousands of digits") from error


def _no_rules(text: str, reason: str) -> ValueError:
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    return ValueError(f"rules: expected a ruleset's name or a JSON object, got {shown!r}: {reason}")


def rules_of(row: np.ndarray) -> Rules:
    """The rules that a game's row was begun with."""
    return _rules_of(row[: len(RULE_COLUMNS)].tobytes())


@lru_cache(maxsize=128)
def _rules_of(columns: bytes) -> Rules:
    values = dict(zip(RULE_COLUMNS, np.frombuffer(columns, np.int64).tolist(), strict=True))
    pack = values.pop("pack")
    suits = "".join(suit for place, suit in enumerate(SUITS) if pack >> 8 * place & SUIT)
    ranks = "".join(rank for place, rank in enumerate(RANKS) if pack & SUIT_OF_RANK << place)
    default = Rules()
    changed = {
        name: bool(value) if isinstance(getattr(default, name), bool) else value for name, value in values.items()
    }
    changed["stop_at"] = changed["stop_at"] or None  # the row has 0 for none
    return Rules(suits=suits, ranks=ranks, **changed)


# ------------------------------------------------------------------ the actions of a ruleset


@lru_cache(maxsize=128)
def _texts(rules: Rules) -> dict[int, str]:
    """The actions that the rules have a use for, with their texts; cards without their verb."""
    texts = {card: card_text(card) for card in cards_of(rules.pack)}
    texts[act.STAND] = "stand"
    if rules.sinking or rules.carte_blanche:
        texts[act.NONE] = "none"
    if rules.auction:
        texts |= {act.PLUS + step: f"+{level}" for step, level in enumerate(rules.levels)}
        texts |= {act.MINUS + step: f"-{level}" for step, level in enumerate(rules.levels)}
        texts |= {act.PASS: "pass", act.DOUBLE: "double", act.REDOUBLE: "redouble"}
    if rules.sinking:
        texts |= _declarations(rules)
    if rules.carte_blanche:
        texts[act.CARTE_BLANCHE] = "carte blanche"
    return texts


def _declarations(rules: Rules) -> dict[int, str]:
    """What can be named, as far as the pack and the hand's size allow it."""
    texts = {act.POINT + SUITS.index(suit): f"point {suit}" for suit in rules.suits}
    for length in range(act.SHORTEST_SEQUENCE, min(rules.hand_size, len(RANKS)) + 1):
        for top in range(length - 1, len(RANKS)):
            if RANKS[top - length + 1 : top + 1] in rules.ranks:
                texts[int(act.sequence_action(length, top))] = f"sequence {length} {RANKS[top]}"
    for place, rank in enumerate(RANKS[-act.SET_RANKS :]):
        if rank in rules.ranks and min(len(rules.suits), rules.hand_size) >= 3:
            texts[act.SET + place] = f"set {rank}"
    return texts


@lru_cache(maxsize=128)
def _indices(rules: Rules) -> dict[str, int]:
    texts = _texts(rules)
    indices = {text: action for action, text in texts.items() if action >= CARDS}
    for verb in ("discard", "play"):
        indices |= {f"{verb} {texts[card]}": card for card in cards_of(rules.pack)}
    return indices


def _samples(rules: Rules) -> str:
    """An action of each kind, for messages."""
    kinds: dict[str, str] = {}
    for text in _indices(rules):
        kinds.setdefault(text.split()[0], text)
    return ", ".join(repr(text) for text in kinds.values())
