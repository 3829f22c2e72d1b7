"""A program at the table: it has its own cards and what it heard, and makes of that the views that it asks a bot with.

It knows nothing of the package but the form of a view (piquet_env/serve/PROTOCOL.md). `deals_of` is who tells it: plays
a partie in the engine, and says aloud what tests/naive.py makes public.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import helpers
import naive
import numpy as np

from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.rules import Rules

PLAYERS = ("player_0", "player_1")
Choose = Callable[[np.ndarray, dict[str, Any]], int]
"""What is done in a true row, and the view of who is to act: an action."""


class Hearer:
    """One player of a partie. `spec`: the rules as a view has them."""

    def __init__(self, spec: Any, rules: Rules, me: int):
        self.spec, self.rules, self.me = spec, rules, me

    def begin(self, dealer: int, hand: list[str], completed: int, thrown_in: int, totals: list[int]) -> None:
        self.dealer, self.hand, self.state = dealer, hand, (completed, thrown_in, totals)
        self.auction: list[str] = []
        self.discards: list[str] = []
        self.drawn: list[str] = []
        self.left: list[str] = []
        self.played: list[str] = []
        self.exchanged: dict[int, int] = {}
        self.said: dict[str, dict[str, Any]] = {}
        self.scored: dict[str, dict[str, Any]] = {}
        self.shown: dict[str, str] = {}
        self.blanche: dict[str, str] = {}
        self.other: dict[str, list[str]] = {}
        self.elder = -1

    def acts(self, who: int, text: str) -> None:
        """An action that all hear, or his own."""
        word, _, rest = text.partition(" ")
        if word in ("pass", "double", "redouble") or word[0] in "+-":
            self.auction.append(f"{who} {text}")
        elif word == "discard" and who == self.me:
            self.discards.append(rest)
        elif word == "play":
            self.played.append(rest)
        elif word == "point" and who == self.me:
            self.said.setdefault("point", {})[PLAYERS[who]] = {"suit": rest}

    def stands(self, who: int, number: int) -> None:
        self.exchanged[who] = number

    def says(self, category: str, who: int, words: dict[str, Any]) -> None:
        of_category = self.said.setdefault(category, {})
        if category == "point" and who == self.me and "none" not in words:
            words = of_category.get(PLAYERS[who], {"suit": self._best_suit()})
        of_category[PLAYERS[who]] = "none" if "none" in words else words

    def _best_suit(self) -> str:
        """What he names where there is no choice."""
        held = [card for card in self.hand if card not in self.discards] + self.drawn
        pips = {"A": 11, "9": 9, "8": 8, "7": 7}
        strengths = {
            suit: (len(ranks := [card[1] for card in held if card[0] == suit]), sum(pips.get(r, 10) for r in ranks))
            for suit in "SHDC"
        }
        return max("SHDC", key=strengths.__getitem__)

    def scores(self, category: str, who: int, points: int, is_minus: bool) -> None:
        self.scored.setdefault(PLAYERS[who], {})[category] = points
        if is_minus:
            self.said.setdefault(category, {})["scored_by"] = PLAYERS[who]

    def view(self, phase: str) -> dict[str, Any]:
        """What he asks with, when he is to act."""
        me, they = PLAYERS[self.me], PLAYERS[1 - self.me]
        completed, thrown_in, totals = self.state
        heard = {
            "discards": {me: self._cards(self.discards)},
            "drawn": {me: self._cards(self.drawn)},
            "seen": self._cards(self.left),
            "exchanged": {they: self.exchanged[1 - self.me]} if 1 - self.me in self.exchanged else {},
            "carte_blanche": self.blanche,
            "declarations": self.said,
            "shown": {they: self.shown[they]} if they in self.shown else {},
            "score": self.scored,
            "tricks": [{"cards": self.played[n : n + 2]} for n in range(0, len(self.played), 2)],
        }
        if self.other:
            for field, cards in self.other.items():
                heard[field] = heard.get(field, {}) | {they: self._cards(cards)}
        return {
            "format": "piquet-view/1",
            "versions": {"rules": 1, "actions": 1, "observation": 1},
            "rules": self.spec,
            "player": me,
            "episode": "partie",
            "completed": completed,
            "thrown_in": thrown_in,
            "totals": dict(zip(PLAYERS, totals, strict=True)),
            "dealer": PLAYERS[self.dealer],
            "phase": phase,
            "auction": self.auction,
            **{field: value for field, value in heard.items() if value},
            **self._leftovers(),
            "hands": {me: self._cards(self.hand)} | heard.get("hands", {}),
        }

    def _leftovers(self) -> dict[str, str]:
        """Of the cards that he saw or drew: what elder left, which lies first, and what younger took of it."""
        if len(self.exchanged) < 2 or not (self.rules.younger_draws_leftovers or self.rules.younger_sees_leftovers):
            return {}
        left = self.rules.elder_talon - self.exchanged[self.elder]
        if not self.rules.younger_draws_leftovers:
            return {"elder_left": self._cards(self.left[:left])}
        lay = self.left if self.me == self.elder else [*self.drawn, *self.left]
        taken = lay[: min(left, self.exchanged[1 - self.elder])]
        return {"elder_left": self._cards(lay[:left]), "retaken": self._cards(taken)}

    def _cards(self, cards: list[str]) -> str:
        """A hand, as in bridge."""
        suits = [sorted((c[1] for c in cards if c[0] == suit), key="AKQJT987".index) for suit in "SHDC"]
        return ".".join("".join(ranks) for ranks in suits)


class Table:
    """Two who hear, and the deal that they play."""

    def __init__(self, rules: Rules, spec: Any):
        self.rules = rules
        self.players = [Hearer(spec, rules, me) for me in range(2)]

    def begin(self, row: np.ndarray) -> None:
        self.twin = helpers.naive_twin(row, self.rules)
        self.told = json.loads(json.dumps([self.twin.said, self.twin.score, self.twin.exchanged]))
        state = int(row[at.COMPLETED]), int(row[at.THROWN_IN]), row[at.TOTALS : at.TOTALS + 2].tolist()
        for me, player in enumerate(self.players):
            player.begin(self.twin.dealer, sorted(self.twin.hands[me]), *state)
        self._open(dealt=True)

    def phase(self) -> str:
        return self.twin.phase.replace(" ", "_")

    def act(self, action: int) -> None:
        twin, who = self.twin, self.twin.to_act
        text = next(t for t in twin.legal() if naive.action_index(twin.rules, t) == action)
        secret = twin.phase == "carte blanche" or text.startswith("discard")
        twin.act(text)
        for me, player in enumerate(self.players):
            player.elder = -1 if twin.elder is None else twin.elder
            if not secret or me == who:
                player.acts(who, text)
        self._tell()
        self._open()

    def _tell(self) -> None:
        """What was not public before."""
        twin = self.twin
        said, score, exchanged = self.told
        for who in range(2):
            if exchanged[who] is None and twin.exchanged[who] is not None:
                self._draw(who)
            for category in naive.CATEGORIES:
                if said[category][who] != twin.said[category][who]:
                    for player in self.players:
                        player.says(category, who, dict(twin.said[category][who]))
                if score[who][category] != twin.score[who][category]:
                    for player in self.players:
                        player.scores(category, who, twin.score[who][category], twin.minus)
            for player in self.players:
                if twin.score[who]["carte_blanche"]:
                    player.blanche[PLAYERS[who]] = player._cards(self.players[who].hand)
                elif twin.shown[who]:
                    player.shown[PLAYERS[who]] = player._cards(sorted(twin.shown[who]))
        self.told = json.loads(json.dumps([twin.said, twin.score, twin.exchanged]))

    def _draw(self, who: int) -> None:
        """He takes cards from the talon and looks at those that he leaves, in order."""
        twin, number, elders = self.twin, self.twin.exchanged[who], self.rules.elder_talon
        for player in self.players:
            player.stands(who, number)
        if who == twin.elder:
            part = twin.talon[:elders]
        else:
            part = twin.talon[twin.exchanged[twin.elder] if self.rules.younger_draws_leftovers else elders :]
        player = self.players[who]
        player.drawn, player.left = part[:number], part[number:]
        if who != twin.elder and self.rules.younger_sees_leftovers:
            player.left = twin.talon[twin.exchanged[twin.elder] : elders] + player.left

    def _open(self, dealt: bool = False) -> None:
        """With open hands each sees the other's cards."""
        if self.rules.open_hands:
            for me, player in enumerate(self.players):
                if dealt:
                    player.other = {"hands": sorted(self.twin.hands[1 - me])}
                player.other |= {"discards": [*self.twin.discards[1 - me]], "drawn": [*self.twin.drawn[1 - me]]}


def play_partie(spec: Any, seed: int, choose: Choose) -> Iterator[None]:
    """Play a whole partie; every choice is `choose`'s. Yields after each deal."""
    rules = Rules.make(spec)
    row, table = helpers.new_row(rules, partie=True, seed=seed), Table(rules, spec)
    while row[at.PHASE] != at.GAME_OVER:
        table.begin(row)
        while row[at.PHASE] < at.DEAL_OVER:
            asked = table.players[int(row[at.ACTOR])]
            action = choose(row, asked.view(table.phase()))
            table.act(action)
            assert game.apply_action(row, action)
        game.next_deal(row)
        yield
