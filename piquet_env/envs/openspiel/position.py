"""Where a game of one deal stands, as OpenSpiel divides it: chance deals card by card, and the players decide.

Chance says of each card of the pack, in the order of the cards, to which *place* it goes: 0 and 1 are the hands of
player_0 and player_1, 2 + k is `T[k]` of the talon. So each deal comes about in one way. A card that can go to one
place only is not asked about. A deal that is thrown in is dealt anew, as the rules have it. No rule is here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env import knowledge
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.notation import card_text, cards_of, hand_text, legal_indices
from piquet_env.options import AGENTS, illegal_action_message
from piquet_env.records import history, talon_of
from piquet_env.rules import Rules
from piquet_env.views import phase_name

CHANCE, TERMINAL = -1, -4  # as pyspiel.PlayerId has them
TALON = len(AGENTS)  # the place of T[0]

Places = tuple[int, ...]
"""Where each card of the pack goes, in the order of the cards; while dealing, the first of them."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is played: the same all through a game."""

    rules: Rules
    dealer: int | None
    """The seat that deals; None: chance says."""
    skip_forced: bool
    """Nobody is asked where one action alone is legal."""

    @property
    def pack(self) -> list[int]:
        """The cards, in the order in which they are dealt."""
        return cards_of(self.rules.pack)

    @property
    def room(self) -> list[int]:
        """How many cards go to each place."""
        return [self.rules.hand_size] * len(AGENTS) + [1] * (self.rules.elder_talon + self.rules.younger_talon)


@dataclass(frozen=True, eq=False, slots=True)
class Position:
    """Never changed, so that copies of a state share it."""

    setting: Setting
    row: NDArray[np.int64]
    """The deal; while cards are dealt, the one before."""
    dealer: int | None
    places: Places | None = ()
    """Where the cards go that chance has dealt; None: all are dealt."""
    thrown_in: tuple[Places, ...] = ()
    """The deals before this one."""
    texts: dict[tuple[int, bool], str] = field(default_factory=dict)
    """What `knows` has given."""

    @classmethod
    def start(cls, setting: Setting) -> Position:
        """Before anything is dealt."""
        row = np.zeros(at.COLUMNS, np.int64)
        game.reseed(row, setting.rules.columns(), 0, 0)
        return cls(setting, row, setting.dealer)

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self

    @property
    def player(self) -> int:
        """Who is to act: 0, 1, CHANCE, or TERMINAL."""
        if self.places is not None:
            return CHANCE
        return TERMINAL if self.row[at.PHASE] == at.GAME_OVER else int(self.row[at.ACTOR])

    def legal(self) -> list[int]:
        """The legal actions of the player to act, ascending."""
        return legal_indices(self.row)

    def outcomes(self) -> list[tuple[int, float]]:
        """What chance may do, ascending, and how likely it is."""
        if self.dealer is None:
            return [(seat, 1 / len(AGENTS)) for seat in range(len(AGENTS))]
        room = _left(self.setting, self.places or ())
        return [(place, number / sum(room)) for place, number in enumerate(room) if number]

    def after(self, action: int) -> Position:
        """The position that an action, or what chance does, leads to. Raises ValueError: not possible here."""
        if self.places is None:
            row = self.row.copy()
            if not game.apply_action(row, action):
                raise ValueError(illegal_action_message(row, action))
            return self._settled(row)
        possible = [outcome for outcome, _ in self.outcomes()]
        if action not in possible:
            raise ValueError(f"chance: expected one of {possible}, got {action}")
        if self.dealer is None:
            return replace(self, dealer=action, texts={})
        return self._dealt_on((*self.places, action))

    def _dealt_on(self, places: Places) -> Position:
        """Where the next card can go to one place only, it goes there."""
        while sum(left := _left(self.setting, places)):
            if np.count_nonzero(left) > 1:
                return replace(self, places=places, texts={})
            places = (*places, int(np.argmax(left)))
        row, pack = self.row.copy(), self.setting.pack
        order = sorted(range(len(pack)), key=places.__getitem__)
        game.set_up_deal(row, self.dealer, np.array([pack[card] for card in order], np.int64))
        return self._settled(row)

    def _settled(self, row: NDArray[np.int64]) -> Position:
        """Forced actions are taken; a deal that is over ends the game, or is thrown in and chance deals again."""
        while self.setting.skip_forced and act.count(words := game.legal_actions(row)) == 1:
            game.apply_action(row, act.nth(words, 0))
        if row[at.PHASE] != at.DEAL_OVER:
            return replace(self, row=row, places=None, texts={})
        game.close_deal(row)
        if row[at.PHASE] == at.GAME_OVER:
            return replace(self, row=row, places=None, texts={})
        return replace(self, row=row, places=(), thrown_in=(*self.thrown_in, places_of(row)), texts={})

    def chance_text(self, place: int) -> str:
        """What chance does, in words."""
        if self.dealer is None:
            return f"{AGENTS[place]} deals"
        card = card_text(self.setting.pack[len(self.places or ())])
        return f"{card} to {AGENTS[place]}" if place < TALON else f"{card} to T[{place - TALON}]"

    def observation(self, player: int) -> NDArray[np.int8]:
        """What a player observes: int8 (OBSERVATION_SIZE,); all 0 until the cards are dealt."""
        if self.places is not None:
            return np.zeros(knowledge.OBSERVATION_SIZE, np.int8)
        return knowledge.observation(self.row, player)

    def knows(self, player: int, perfect_recall: bool) -> str:
        """All that a player knows: in words, and as the bits of the observation, lowest first, in hexadecimal digits.

        With perfect recall also the hands that he had in deals thrown in, and the order of his discards.
        """
        key = (player, perfect_recall)
        if key not in self.texts:
            self.texts[key] = " ".join(self._known(player, perfect_recall))
        return self.texts[key]

    def _known(self, player: int, perfect_recall: bool) -> list[str]:
        known = [AGENTS[player]]
        if perfect_recall:
            known += [f"thrown-in:{_hand(self.setting, places, player)}" for places in self.thrown_in]
        if self.places is not None:
            return known
        known += [phase_name(knowledge.phase_seen_by(self.row, player)), hand_text(self.row[at.HANDS + player])]
        if perfect_recall and (discards := own_discards(self.row, player)):
            known.append(f"discards:{','.join(map(card_text, discards))}")
        return [*known, np.packbits(self.observation(player), bitorder="little").tobytes().hex()]


def _left(setting: Setting, places: Places) -> list[int]:
    """How many cards still go to each place."""
    return [number - places.count(place) for place, number in enumerate(setting.room)]


def _hand(setting: Setting, places: Places, player: int) -> str:
    cards = zip(setting.pack, places, strict=True)
    return hand_text(sum(1 << card for card, place in cards if place == player))


def places_of(row: NDArray[np.int64]) -> Places:
    """How the row's deal was dealt."""
    talon = talon_of(row)
    return tuple(
        0 if row[at.DEALT] >> card & 1 else 1 if row[at.DEALT + 1] >> card & 1 else TALON + talon.index(card)
        for card in cards_of(row[at.PACK])
    )


def own_discards(row: NDArray[np.int64], player: int) -> list[int]:
    """The cards that a player has discarded in the row's deal, in his order."""
    if row[at.PHASE] < at.EXCHANGE:
        return []
    number = int(row[at.DISCARDS + player]).bit_count()
    return [action for who, action in history(row) if who == player and action < act.STAND][:number]


def in_own_order(taken: list[tuple[int, int]], player: int, discards: list[int]) -> list[int]:
    """The actions of a deal, `history`, in which the player discards the same cards in this order."""
    ordered = iter(discards)
    return [next(ordered, action) if who == player and action < act.STAND else action for who, action in taken]


def reshuffled(places: Places, player: int, rng: np.random.Generator) -> Places:
    """Another deal in which the player has the same hand."""
    rest = iter(rng.permutation([place for place in places if place != player]).tolist())
    return tuple(place if place == player else next(rest) for place in places)
