"""What has happened in a deal as one player knows it, in sentences.

The story of a later position begins with the story of every earlier one, so that news are what was added.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np

from piquet_env.engine import layout as at
from piquet_env.play.words import card_word, card_words, who, whom, wrapped
from piquet_env.records import contract
from piquet_env.render.spoken import CATEGORIES, counted, dialogue, scored
from piquet_env.views.sequence import auction_texts, tricks

_STAKES = {1: "", 2: ", doubled", 4: ", redoubled"}
_BONUSES = {at.ITEM_REPIQUE: "Repique", at.ITEM_PIQUE: "Pique"}


class Sentence(NamedTuple):
    """Those of one part of the deal, as a trick is, stand on one line."""

    part: str
    text: str


def story(known: np.ndarray, me: int) -> list[Sentence]:
    """All that has happened in the deal; `known` int64 (COLUMNS,) is the row as the player `me` knows it."""
    told = list(_auction(known, me))
    if known[at.ELDER] >= 0:
        told += [*_blanche(known, me), *_exchange(known, me), *_declarations(known, me), *_play(known, me)]
    return told


class Teller:
    """Tells the player `me` of a deal what he has not been told yet."""

    def __init__(self, me: int):
        self.me = me
        self._told = 0
        self._bonuses: set[int] = set()

    def begin_deal(self) -> None:
        """Another deal: nothing of it was told."""
        self._told = 0
        self._bonuses = set()

    def skip(self, known: np.ndarray, parts: int) -> None:
        """Take all but the last parts of the story as told."""
        sentences = story(known, self.me)
        lengths = [len(list(group)) for _, group in groupby(sentences, key=lambda sentence: sentence.part)]
        self._told = len(sentences) - sum(lengths[-parts:])

    def news(self, known: np.ndarray) -> list[str]:
        """Lines of what has happened since."""
        sentences = story(known, self.me)
        new, self._told = sentences[self._told :], len(sentences)
        lines = []
        for _, group in groupby(new, key=lambda sentence: sentence.part):
            text = " ".join(sentence.text for sentence in group)
            lines += wrapped(text[0].upper() + text[1:], "  ")
        return lines + self._new_bonuses(known)

    def _new_bonuses(self, known: np.ndarray) -> list[str]:
        lines = []
        for player in range(2):
            for item, name in _BONUSES.items():
                points = known[at.SCORE + player * len(at.ITEMS) + item]
                if points and item not in self._bonuses:
                    self._bonuses.add(item)
                    lines.append(f"{name}! {points} to {whom(player, self.me)}.")
        return lines


# ------------------------------------------------------------------ before the play


def _auction(known: np.ndarray, me: int) -> Iterator[Sentence]:
    for text in auction_texts(known):
        call = f"bid {text[2:]}" if text[2] in "+-" else text[2:]
        yield Sentence("auction", f"{_who(int(text[0]), me)} {call}.")
    if known[at.IS_THROWN_IN]:
        yield Sentence("auction", "Both have passed: the cards are thrown in.")
    elif known[at.ELDER] >= 0 and (made := contract(known)):
        elder, aim = _who(int(known[at.ELDER]), me), "lose" if known[at.IS_MINUS] else "win"
        words = f"{made['sign']}{made['level']}{_STAKES[made['stake']]}"
        tricks_to_make = counted(made["level"], "trick")
        yield Sentence("contract", f"Contract {words}: {elder.lower()} must {aim} at least {tricks_to_make}.")
        yield Sentence("contract", f"{elder} are elder.")


def _blanche(known: np.ndarray, me: int) -> Iterator[Sentence]:
    for player in range(2):
        if cards := known[at.BLANCHE + player]:
            points = known[at.SCORE + player * len(at.ITEMS) + at.ITEM_CARTE_BLANCHE]
            yield Sentence("blanche", f"{_who(player, me)} show carte blanche, {points} points: {card_words(cards)}.")


def _exchange(known: np.ndarray, me: int) -> Iterator[Sentence]:
    elder = int(known[at.ELDER])
    for player in (elder, 1 - elder):
        number = int(known[at.EXCHANGED + player])
        if number < 0:
            return
        discards, drawn = int(known[at.DISCARDS + player]), int(known[at.DRAWN + player])
        what = "nothing" if number == 0 else counted(number, "card")
        said = f"exchange {what}."
        if number and discards >= 0:
            said = f"throw {card_words(discards)} and draw {card_words(drawn)}."
        yield Sentence(f"exchange {player}", f"{_who(player, me)} {said}")
        seen = _seen_by_elder(known, me) if player == elder else _seen_by_younger(known, me)
        for text in seen:
            yield Sentence(f"exchange {player}", text)


def _seen_by_elder(known: np.ndarray, me: int) -> list[str]:
    left = int(known[at.ELDER_LEFT + me]) if me == known[at.ELDER] else 0
    return [f"You see what you left: {card_words(left)}."] if left else []


def _seen_by_younger(known: np.ndarray, me: int) -> list[str]:
    """What came to be known of the talon when younger stood."""
    retaken, elders, seen = (int(known[column]) for column in (at.RETAKEN, at.ELDER_LEFT + me, at.SEEN + me))
    if me == known[at.ELDER]:
        shown = elders and known[at.YOUNGER_SEES_LEFTOVERS]
        return [f"They draw {card_words(retaken)}, which you had left."] * bool(retaken) + [
            "They see the cards that you left."
        ] * bool(shown)
    if known[at.YOUNGER_DRAWS_LEFTOVERS]:
        elders = 0  # all that was left is his
    left = seen & ~elders
    return (
        [f"They had left, and know, {card_words(retaken)}."] * bool(retaken)
        + [f"You see what you left: {card_words(left)}."] * bool(left)
        + [f"You see what they left: {card_words(elders)}."] * bool(elders)
    )


def _declarations(known: np.ndarray, me: int) -> Iterator[Sentence]:
    younger = 1 - int(known[at.ELDER])
    for category, name in enumerate(CATEGORIES):
        for player, said in dialogue(known, category):
            yield Sentence(name, f'{_who(player, me)}: "{said}"')
        if known[at.SAID + 2 * category + younger] >= 0:
            yield Sentence(name, f"({_outcome(known, category, me)})")
        elif known[at.IS_MINUS] and known[at.EXCHANGED + younger] >= 0:
            yield Sentence("minus", f"{name.capitalize()}: {_outcome(known, category, me)}.")
    for player in range(2):
        if cards := known[at.SHOWN + player]:
            yield Sentence(f"shown {player}", f"{_who(player, me)} show {card_words(cards)}.")


def _outcome(known: np.ndarray, category: int, me: int) -> str:
    if (made := scored(known, category)) is None:
        return "nobody scores"
    scorer, points = made
    holder = f" for what {who(1 - scorer, me)} hold" if known[at.IS_MINUS] else ""
    return f"{points} to {whom(scorer, me)}{holder}"


# ------------------------------------------------------------------ the play


def _play(known: np.ndarray, me: int) -> Iterator[Sentence]:
    won = [0, 0]
    for number, (leader, cards, winner) in enumerate(tricks(known), 1):
        part = f"trick {number}"
        yield Sentence(part, f"{_who(leader, me)} lead {card_word(cards[0])}.")
        if len(cards) == 2:
            won[winner] += 1
            yield Sentence(part, f"{_who(1 - leader, me)} play {card_word(cards[1])}.")
            yield Sentence(part, f"Trick to {whom(winner, me)}, {won[me]} : {won[1 - me]}.")


def _who(player: int, me: int) -> str:
    return who(player, me).capitalize()
