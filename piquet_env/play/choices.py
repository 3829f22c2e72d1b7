"""The choices of the player to act in words, and what he means by what he types."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS, pips, suit_bits
from piquet_env.engine.declarations import scored_cards, sequences, sets, words_said
from piquet_env.notation import action_text, legal_indices, rules_of
from piquet_env.play.words import card_word, card_words
from piquet_env.render.spoken import CATEGORIES, holding, in_words
from piquet_env.rules import RANKS, SUITS

_SUIT_WORDS = {"S": ("s", "spades"), "H": ("h", "hearts"), "D": ("d", "diamonds"), "C": ("c", "clubs")}
_RANK_WORDS = {
    "7": ("7", "seven", "sevens"), "8": ("8", "eight", "eights"), "9": ("9", "nine", "nines"),
    "T": ("t", "10", "ten", "tens"), "J": ("j", "jack", "jacks"), "Q": ("q", "qq", "queen", "queens"),
    "K": ("k", "king", "kings"), "A": ("a", "ace", "aces"),
}  # fmt: skip
_SIGNS = str.maketrans("♠♤♥♡♦♢♣♧−–—", "sshhddcc---")  # noqa: RUF001 (what a keyboard or a copied line may have)
_FILLERS = {"of", "to", "the"}
_QUOTED = 24


class Unclear(ValueError):
    """What was typed means nothing here, or more than one thing; the message is for the person."""


class Choice(NamedTuple):
    """A legal action: what it is called, and the words by which it can be named."""

    action: int
    label: str
    words: frozenset[str]


def choices(known: np.ndarray, me: int) -> list[Choice]:
    """The legal actions of the player `me`, who is to act, in the order of a menu.

    `known` int64 (COLUMNS,) is the row as he knows it.
    """
    phase = int(known[at.PHASE])
    actions = legal_indices(known)
    if phase == at.AUCTION:
        return [_call(known, action) for action in actions]
    if phase == at.IN_CARTE_BLANCHE:
        yes, no = frozenset({"carte", "blanche", "show", "yes"}), frozenset({"none", "no", "hide"})
        return [
            Choice(act.CARTE_BLANCHE, "show carte blanche", yes),
            Choice(act.NONE, "keep it to yourself", no),
        ]
    if at.IN_POINT <= phase <= at.IN_SET:
        return _declarations(known, me, actions)
    return [card_choice(action) if action < CARDS else Choice(action, "stand", frozenset()) for action in actions]


def _call(known: np.ndarray, action: int) -> Choice:
    text = action_text(action, rules_of(known))
    return Choice(action, text, frozenset({text, "p"} if action == act.PASS else {text}))


def card_choice(card: int) -> Choice:
    """A card to play or to discard."""
    suits, ranks = _SUIT_WORDS[SUITS[card >> 3]], _RANK_WORDS[RANKS[card & 7]]
    joined = {text for rank in ranks for text in (suits[0] + rank, rank + suits[0])}
    return Choice(card, card_word(card), frozenset({*suits, *ranks, *joined}))


# ------------------------------------------------------------------ declarations


def _declarations(known: np.ndarray, me: int, actions: list[int]) -> list[Choice]:
    """The best holding first, none last."""
    category, hand = int(known[at.PHASE]) - at.IN_POINT, int(known[at.HANDS + me])
    said = {action: int(words_said(known, hand, category, action)) for action in actions}
    named = [action for action in actions if action != act.NONE]
    named.sort(key=lambda action: (said[action], _pips(hand, action)), reverse=True)
    found = [_holding(known, hand, action, said[action]) for action in named]
    return found + [_none(known, me, category)] * (act.NONE in actions)


def _pips(hand: int, action: int) -> int:
    """Of a point, to put the better of two equally long ones first; 0 for other declarations."""
    return int(pips(suit_bits(hand, action - act.POINT))) if action < act.SEQUENCE else 0


def _cards_named(hand: int, action: int, said: int) -> int:
    """The cards of a declaration, as a mask; of two runs that are called the same both."""
    if action < act.SEQUENCE:
        suit = action - act.POINT
        return int(suit_bits(hand, suit)) << len(RANKS) * suit
    return int((sequences if action < act.SET else sets)(hand, said, said)[2])


def _holding(known: np.ndarray, hand: int, action: int, said: int) -> Choice:
    """With its cards, and the points that it scores if it is good."""
    category = int(known[at.PHASE]) - at.IN_POINT
    label, text = holding(category, said), action_text(action).lower()
    words = {*label.replace("è", "e").split(), *text.split()}
    if category == 0:
        words |= {str(said), *_SUIT_WORDS[text[-1].upper()]}
        label += f" making {in_words(_pips(hand, action))}"
    else:
        words |= set(_RANK_WORDS[text[-1].upper()])
    if category == 2:
        words.add("4" if said > act.SET_RANKS else "3")
    points = scored_cards(known, category, hand, 1 + action - act.POINT if category == 0 else said)[0]
    cards = card_words(_cards_named(hand, action, said))
    return Choice(action, f"{label}: {cards} (scores {points})", frozenset(words - _FILLERS))


def _none(known: np.ndarray, me: int, category: int) -> Choice:
    """To name nothing; after elder has named something that is to say "good"."""
    answers = me != known[at.ELDER] and known[at.SAID + 2 * category + 1 - me] > 0
    words = {"none", "no", "nothing", "sink"} | ({"good"} if answers else set())
    return Choice(act.NONE, "good" if answers else f"no {CATEGORIES[category]}", frozenset(words))


# ------------------------------------------------------------------ what was meant


def plain(text: str) -> str:
    """What was typed in small letters without accents; suits as letters, signs as - and +, words for signs too."""
    text = text.translate(_SIGNS)
    text = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    text = re.sub(r"[^a-z0-9+\-!?]+", " ", text.lower())
    return " ".join(text.split())


def meant(text: str, offered: list[Choice], is_menu: bool) -> Choice:
    """The choice that a `plain` text means; a menu's can be named by number. Raises Unclear."""
    if is_menu and text.isdigit():
        if 1 <= int(text[:4]) <= len(offered):
            return offered[int(text[:4]) - 1]
        raise Unclear(f"There is no number {text[:_QUOTED]}: 1 to {len(offered)}.")
    tokens = _tokens(text)
    found = [choice for choice in offered if choice.words.issuperset(tokens)] if tokens else []
    if not found and tokens:
        found = [choice for choice in offered if all(_begins(token, choice.words) for token in tokens)]
    if len(found) == 1:
        return found[0]
    if found:
        raise Unclear(f"Which? {either([choice.label.partition(' (')[0] for choice in found])}.")
    raise Unclear(f"Not understood, or not possible now: {text[:_QUOTED] or '(no letters)'} (h: help).")


def either(labels: list[str], most: int = 5) -> str:
    """A few of the things that may have been meant: "♥K or ♥7"."""
    return " or ".join(labels[:most]) + (" or another" if len(labels) > most else "")


def _tokens(text: str) -> list[str]:
    """The words of a text; calls in the way they are written, however they were typed."""
    call = re.sub(r"^plus(?=\d)", "+", re.sub(r"^minus(?=\d)", "-", text.replace(" ", "")))
    if turned := re.fullmatch(r"(\d+)([+-])", call):
        call = turned[2] + turned[1]
    if re.fullmatch(r"[+-]\d+", call):
        return [call]
    tokens = [token for token in text.split() if token not in _FILLERS]
    return tokens[:1] if tokens[:1] in (["no"], ["none"]) else tokens


def _begins(token: str, words: frozenset[str]) -> bool:
    """Whether a word begins so; numbers must be whole."""
    return token.isalpha() and any(word.startswith(token) for word in words)
