"""Choosing what to throw in the exchange, before anything is sent."""

from __future__ import annotations

import re

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.notation import cards_of, legal_indices
from piquet_env.play.choices import Unclear, card_choice, either, meant
from piquet_env.play.words import card_words
from piquet_env.rules import RANKS, SUITS

_CARD = r"(?:10|[789tjqka])"
_SEVERAL = re.compile(rf"([shdc])({_CARD}+)")
_RUN_TOGETHER = re.compile(rf"(?:[shdc]{_CARD})+|(?:{_CARD}[shdc])+")


class Discards:
    """The cards that the player to act has chosen; `known` int64 (COLUMNS,) is the row as he knows it."""

    def __init__(self, known: np.ndarray):
        self._start = known.copy()
        # The history is hidden: an empty one can be written on.
        self._start[at.ACTED : at.HISTORY + at.HISTORY_WORDS] = 0
        self.chosen: list[int] = []
        self._before: list[list[int]] = []
        self.least, self.most = self._bounds()

    def _bounds(self) -> tuple[int, int]:
        """How many cards may be thrown, by the engine's own answers."""
        row, number, least = self._start.copy(), 0, -1
        while True:
            legal = legal_indices(row)
            if act.STAND in legal and least < 0:
                least = number
            if legal[0] == act.STAND:
                return least, number
            game.apply_action(row, legal[0])
            number += 1

    @property
    def actions(self) -> list[int]:
        """The engine's actions that exchange the chosen cards."""
        return [*self.chosen, act.STAND]

    def words(self) -> str:
        """The chosen cards by suits; "nothing"."""
        return card_words(sum(1 << card for card in self.chosen)) or "nothing"

    def toggle(self, text: str) -> None:
        """Choose the cards of a `plain` text; one that is chosen already is taken back. Raises Unclear: all stays."""
        chosen = list(self.chosen)
        for card in [card for token in _split(text) for card in self._cards(token)]:
            if card in chosen:
                chosen.remove(card)
            else:
                chosen.append(card)
        if len(chosen) > self.most:
            raise Unclear(f"That would be {len(chosen)} cards: you may throw {self.most} at most.")
        self._keep(chosen)

    def clear(self) -> None:
        """Choose none."""
        self._keep([])

    def undo(self) -> bool:
        """Go back to what was chosen before the last change; false where nothing was."""
        if not self._before:
            return False
        self.chosen = self._before.pop()
        return True

    def check(self) -> None:
        """Raises Unclear: too few are chosen."""
        if len(self.chosen) < self.least:
            raise Unclear(f"You must throw at least {self.least}; chosen: {self.words()}.")

    def _keep(self, chosen: list[int]) -> None:
        self._before.append(self.chosen)
        self.chosen = chosen

    def _cards(self, token: str) -> list[int]:
        """The card, or cards of a suit, that a word means."""
        held = cards_of(self._hand)
        if several := _SEVERAL.fullmatch(token):
            suit = SUITS.index(several[1].upper())
            ranks = re.findall(_CARD, several[2].replace("10", "t"))
            return [self._held(8 * suit + RANKS.index(rank.upper())) for rank in ranks]
        found = [card for card in held if token in card_choice(card).words]
        if len(found) > 1:
            raise Unclear(f"Which? {either([card_choice(card).label for card in found])}.")
        if not found:
            return [meant(token, [card_choice(card) for card in held], is_menu=False).action]
        return found

    @property
    def _hand(self) -> int:
        return int(self._start[at.HANDS + self._start[at.ACTOR]])

    def _held(self, card: int) -> int:
        if not self._hand >> card & 1:
            raise Unclear(f"You do not hold {card_choice(card).label}.")
        return card


def _split(text: str) -> list[str]:
    """The words of a line; cards that are written together one by one."""
    tokens = []
    for token in text.split():
        is_run = len(token) > 3 and _RUN_TOGETHER.fullmatch(token)
        one = re.compile(rf"[shdc]{_CARD}" if token[0] in "shdc" else rf"{_CARD}[shdc]")
        tokens += one.findall(token) if is_run else [token]
    return [token for token in tokens if token not in ("of", "and", "the")]
