"""What the person is asked, and what he has chosen but not sent."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from piquet_env.engine import layout as at
from piquet_env.play.choices import Choice, Unclear, choices, meant
from piquet_env.play.exchange import Discards
from piquet_env.play.screen import PROMPT
from piquet_env.play.words import WIDTH
from piquet_env.render.replay import SYMBOLS
from piquet_env.render.spoken import CATEGORIES, counted

_SENDS = "Enter sends it, u takes it back"
_ENDS = ("do", "done", "exchange", "stand")  # in whole words: st is a card


class Question(Protocol):
    """A decision of the player to act; every text that it takes is `plain`."""

    def lines(self) -> list[str]:
        """What stands below the hand: a menu."""
        ...

    def prompt(self) -> str:
        """What is asked, or what is chosen and would be sent."""
        ...

    def answer(self, text: str) -> bool:
        """Choose; true: to be sent at once. Raises Unclear: nothing has changed."""
        ...

    def undo(self) -> bool:
        """Take the last choice back; false where there is none."""
        ...

    def is_ready(self) -> bool:
        """Whether something is chosen that Enter sends."""
        ...

    def actions(self) -> list[int]:
        """What is chosen, as actions to take. Raises Unclear: it cannot be sent."""
        ...

    def chosen(self) -> list[int]:
        """Discards that are chosen already, for hints."""
        ...

    def may_mean(self, word: str) -> bool:
        """Whether a word that is also a command may be meant as a choice."""
        ...


def question(known: np.ndarray, me: int, confirm: bool) -> Question:
    """What the player `me` is to decide, in the row as he knows it; `confirm`: what he types is sent by Enter."""
    return ExchangeQuestion(known) if known[at.PHASE] == at.EXCHANGE else OneQuestion(known, me, confirm)


class OneQuestion:
    """One action of several: a call, a declaration, a card to play."""

    def __init__(self, known: np.ndarray, me: int, confirm: bool):
        self._known, self._me, self._confirm = known, me, confirm
        self._offered = choices(known, me)
        self._is_menu = at.IN_POINT <= known[at.PHASE] <= at.IN_SET or known[at.PHASE] == at.IN_CARTE_BLANCHE
        self._chosen: Choice | None = None

    def lines(self) -> list[str]:
        """A numbered list of what can be said."""
        if not self._is_menu:
            return []
        return ["", *(f"  {number}  {choice.label}" for number, choice in enumerate(self._offered, 1))]

    def prompt(self) -> str:
        """What is asked, or what would be sent."""
        if self._chosen is not None:
            return f"{_short(self._chosen, WIDTH - len(_SENDS) - 6)}? {_SENDS}"
        phase = self._known[at.PHASE]
        if phase == at.AUCTION:
            return f"Your call: {_ranges([choice.label for choice in self._offered])}"
        if phase == at.IN_CARTE_BLANCHE:
            return "You hold carte blanche, 1 or 2"
        if phase == at.PLAY:
            return self._card_to_play()
        is_answer = self._me != self._known[at.ELDER]
        asked = "answer" if is_answer else CATEGORIES[phase - at.IN_POINT]
        return f"Your {asked}, 1 to {len(self._offered)}"

    def _card_to_play(self) -> str:
        led = int(self._known[at.LED])
        if led < 0:
            return "You lead"
        suit = SYMBOLS[led >> 3]
        return f"Follow {suit}" if self._offered[0].action >> 3 == led >> 3 else f"No {suit}: any card"

    def answer(self, text: str) -> bool:
        """Choose one, in place of what was chosen before."""
        try:
            self._chosen = meant(text, self._offered, self._is_menu)
        except Unclear:
            if self._known[at.PHASE] == at.PLAY:
                self._explain(text)
            raise
        return not self._confirm

    def _explain(self, text: str) -> None:
        """Raises Unclear with a better reason, for a card that is held but may not be played."""
        free = self._known.copy()
        free[at.LED] = -1
        held = meant(text, choices(free, self._me), is_menu=False)
        if held.action not in [choice.action for choice in self._offered]:
            raise Unclear(f"{held.label} cannot be played now: follow {SYMBOLS[int(self._known[at.LED]) >> 3]}.")

    def undo(self) -> bool:
        """Forget what was chosen."""
        was_chosen, self._chosen = self._chosen is not None, None
        return was_chosen

    def is_ready(self) -> bool:
        """Whether one is chosen."""
        return self._chosen is not None

    def actions(self) -> list[int]:
        """The one that is chosen."""
        if self._chosen is None:
            raise Unclear("Nothing is chosen yet.")
        return [self._chosen.action]

    def chosen(self) -> list[int]:
        """No discards."""
        return []

    def may_mean(self, word: str) -> bool:
        """A rank alone, of a card that can be played."""
        return bool(self._known[at.PHASE] == at.PLAY) and any(word in choice.words for choice in self._offered)


class ExchangeQuestion:
    """Any number of cards to throw; Enter exchanges them."""

    def __init__(self, known: np.ndarray):
        self._discards = Discards(known)
        self._is_nothing = False

    def lines(self) -> list[str]:
        """No menu."""
        return []

    def prompt(self) -> str:
        """How many may be thrown, or what is chosen."""
        discards = self._discards
        if not discards.chosen:
            return f"Exchange nothing? {_SENDS}" if self._is_nothing else f"Throw {self._bounds()}"
        number = f"({len(discards.chosen)} of {discards.most})"
        prompt = f"Throw {discards.words()} {number}? Enter exchanges"
        return prompt if len(prompt) <= WIDTH - len(PROMPT) else f"Throw {number}? {discards.words()}"

    def _bounds(self) -> str:
        least, most = self._discards.least, self._discards.most
        if least == 0:
            return f"up to {counted(most, 'card')}, or none"
        return f"{least} to {counted(most, 'card')}" if least < most else counted(most, "card")

    def answer(self, text: str) -> bool:
        """Choose cards or take them back; "done" exchanges, "none" chooses to exchange nothing."""
        tokens = text.split()
        ends = tokens[-1] in _ENDS
        if ends:
            tokens.pop()
        if tokens in (["none"], ["nothing"], ["clear"]):
            if tokens != ["clear"] and self._discards.least:
                raise Unclear(f"You must throw at least {self._discards.least}.")
            self._discards.clear()
            self._is_nothing = tokens != ["clear"]
        elif tokens:
            self._discards.toggle(" ".join(tokens))
            self._is_nothing = False
        return ends

    def undo(self) -> bool:
        """What the last line has changed."""
        was_nothing, self._is_nothing = self._is_nothing, False
        return self._discards.undo() or was_nothing

    def is_ready(self) -> bool:
        """Whether cards are chosen, or to exchange none."""
        return bool(self._discards.chosen) or self._is_nothing

    def actions(self) -> list[int]:
        """The discards, and to stand."""
        if not self.is_ready():
            raise Unclear(f"Nothing is chosen: type cards{'' if self._discards.least else ', or none'}.")
        self._discards.check()
        return self._discards.actions

    def chosen(self) -> list[int]:
        """The cards that are chosen."""
        return self._discards.chosen

    def may_mean(self, word: str) -> bool:
        """No: cards to throw are named with their suits."""
        return False


def _short(choice: Choice, most: int) -> str:
    """A choice without what it scores; without its cards where these have no room."""
    label = choice.label.partition(" (")[0]
    label = label if len(label) <= most else label.partition(":")[0]
    return label[0].upper() + label[1:]


def _ranges(labels: list[str]) -> str:
    """Bids as "+8 to +12", the other calls one by one."""
    parts = []
    for sign in "+-":
        bids = [label for label in labels if label.startswith(sign)]
        parts += [f"{bids[0]} to {bids[-1]}"] if len(bids) > 1 else bids
    return ", ".join([*parts, *(label for label in labels if label[0] not in "+-")])
