"""Cards and players in the words of this package: suits as symbols, "you" and "they"."""

from __future__ import annotations

import textwrap

from piquet_env.notation import cards_of
from piquet_env.render.replay import SYMBOLS, by_suit
from piquet_env.rules import RANKS

WIDTH = 80


def card_word(card: int) -> str:
    """A card as "♠A"."""
    return SYMBOLS[card >> 3] + RANKS[card & 7]


def card_words(mask: int) -> str:
    """A set of cards by suits, high to low: "♠A ♠K ♥7"."""
    return " ".join(card_word(card) for card in by_suit(cards_of(mask)))


def ranks_of(mask: int, suit: int) -> str:
    """The ranks of one suit in a set of cards, high to low: "A K 7"."""
    return " ".join(RANKS[card & 7] for card in reversed(cards_of(mask)) if card >> 3 == suit)


def who(player: int, me: int) -> str:
    """ "you" or "they"."""
    return "you" if player == me else "they"


def whom(player: int, me: int) -> str:
    """ "you" or "them"."""
    return "you" if player == me else "them"


def wrapped(text: str, indent: str = "") -> list[str]:
    """A text as lines that fit the terminal."""
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
