"""Positions of a deal that can be replayed with other cards or other choices, and what a player knows of one.

Written from the rules page with tests/naive.py alone, independent of piquet_env.knowledge: `knowledge_key` is
all that a player may tell apart in a position, and `redistribute` makes another position that is the same to him.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from zlib import crc32

import helpers
import naive
import numpy as np

from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.rules import Rules


@dataclass(frozen=True)
class Position:
    """A deal of an episode up to some action."""

    rules: Rules
    start: np.ndarray  # the row before the first action of the deal
    cards: tuple[str, ...]  # player_0's hand, player_1's, the talon
    actions: tuple[tuple[int, str], ...]  # (player, text)

    def twin(self) -> naive.NaiveGame:
        """The deal before its first action, for naive.py."""
        size = self.rules.hand_size
        hands = (self.cards[:size], self.cards[size : 2 * size])
        totals = self.start[at.TOTALS : at.TOTALS + 2].tolist()
        rules, dealer = helpers.naive_rules(self.rules), int(self.start[at.DEALER])
        return naive.NaiveGame(rules, dealer, hands, self.cards[2 * size :], totals)

    def played(self) -> naive.NaiveGame | None:
        """The position in naive.py; None when an action is out of turn or not legal."""
        twin = self.twin()
        for player, text in self.actions:
            if twin.to_act != player or text not in twin.legal():
                return None
            twin.act(text)
        return twin

    def row(self) -> np.ndarray:
        """The position in the engine, with another state of the random generator."""
        row = self.start.copy()
        row[at.RANDOM] = crc32(" ".join(self.cards).encode())
        cards = np.array([helpers.card_number(card) for card in self.cards], np.int64)
        game.set_up_deal(row, row[at.DEALER], cards)
        rules = helpers.naive_rules(self.rules)
        for _, text in self.actions:
            assert game.apply_action(row, naive.action_index(rules, text))
        return row


def positions(rules: Rules, start: np.ndarray, rng: random.Random, count: int) -> list[Position]:
    """The deal that begins with the row `start`, played at random: `count` positions of it, the last one its end."""
    row, twin, actions = start.copy(), helpers.naive_twin(start, rules), []
    cards = tuple(helpers.card_name(card) for card in helpers.dealt_cards(start))
    for _, action in helpers.walk(row, rng, deals=1):
        if action is not None:
            text = next(text for text in twin.legal() if naive.action_index(twin.rules, text) == action)
            actions.append((twin.to_act, text))
            twin.act(text)
    lengths = rng.sample(range(len(actions)), min(count - 1, len(actions)))
    return [Position(rules, start, cards, tuple(actions[:n])) for n in (*lengths, len(actions))]


def starts(rules: Rules, partie: bool, rng: random.Random, count: int) -> list[np.ndarray]:
    """Rows at the start of deals: of an episode as dealt, or with lumpy cards and any totals."""
    found: list[np.ndarray] = []
    row = helpers.new_row(rules, partie, rng.getrandbits(63))
    while len(found) < count:
        if row[at.PHASE] == at.GAME_OVER:
            row = helpers.new_row(rules, partie, rng.getrandbits(63))
        most = rules.stop_at or 300
        totals = (rng.randrange(most), rng.randrange(most)) if partie else (0, 0)
        found += [row.copy(), helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng), totals, partie)]
        for _ in helpers.walk(row, rng, deals=1):
            pass
        game.next_deal(row)
    return found[:count]


# ------------------------------------------------------------------ what a player knows


def knowledge_key(position: Position, twin: naive.NaiveGame, me: int) -> tuple:
    """All that a player can tell apart (RULES.md 4, 6, 7 and 9; DESIGN.md 4), as a value to compare.

    `twin` is the position in naive.py. Own draws and discards count as sets. What both know of the episode
    before this deal is not in it.
    """
    they = 1 - me
    public = (
        _phase_seen(twin, me),
        twin.dealer,
        twin.elder,
        twin.thrown_in,
        tuple(action for action in position.actions if _is_call(action[1])),
        str(twin.contract),
        tuple(twin.exchanged),
        str(twin.said),
        str(twin.score),
        tuple(twin.tricks),
        tuple(twin.played),
        tuple(map(frozenset, twin.shown)),
        tuple(map(frozenset, shown_holdings(twin))),
    )
    own_suit = next((text for player, text in position.actions if player == me and text.startswith("point")), None)
    own = (twin.hands[me], twin.discards[me], twin.drawn[me], twin.looked_at[me])
    own = (*own, elders_leftovers(twin, me), retaken(twin))
    opened = (twin.hands[they], twin.discards[they], twin.drawn[they]) if twin.rules["open_hands"] else ()
    return (public, own_suit, *map(frozenset, own), *map(frozenset, opened))


def _phase_seen(twin, me):
    """That the other is asked for carte blanche shows only to him: to me it is the exchange."""
    if twin.phase == "carte blanche" and twin.to_act != me:
        return "exchange"
    return twin.phase


def shown_holdings(twin) -> list[set]:
    """What each has shown of the holdings that scored; nothing before the declarations are done."""
    done = twin.phase == "play" or twin.played or any(score["set"] or score["pique"] for score in twin.score)
    return twin.to_show if done else [set(), set()]


def elders_leftovers(twin, me) -> set:
    """The cards of elder's part that he left, as far as this player has seen them, drawn or left lying."""
    if twin.elder is None or twin.exchanged[twin.elder] is None:
        return set()
    left = set(twin.talon[twin.exchanged[twin.elder] : twin.rules["elder_talon"]])
    return left & (twin.looked_at[me] | (twin.drawn[me] if me != twin.elder else set()))


def retaken(twin) -> set:
    """What younger drew of elder's leftovers: elder saw them in order, so he knows these."""
    if twin.elder is None or twin.exchanged[1 - twin.elder] is None:
        return set()
    left = set(twin.talon[twin.exchanged[twin.elder] : twin.rules["elder_talon"]])
    return left & twin.drawn[1 - twin.elder]


# ------------------------------------------------------------------ the same to one player


def redistribute(position: Position, twin: naive.NaiveGame, me: int, rng: random.Random) -> Position | None:
    """Other unknown cards and other hidden choices of the other player; None when they do not fit what is public.

    `twin` is the position in naive.py. Whether the result is the same to `me` is for the caller to check.
    """
    cards = _other_cards(position, twin, me, rng)
    discards = _other_discards(position, twin, me, cards, rng)
    if discards is None:
        return None
    script = _Script(position, twin, me, discards)
    changed = replace(position, cards=tuple(cards))
    game_of_it = changed.twin()
    actions = []
    while (text := script.next_text(game_of_it, rng)) is not None:
        if text not in game_of_it.legal():
            return None
        actions.append((game_of_it.to_act, text))
        game_of_it.act(text)
    return replace(changed, actions=tuple(actions))


def _other_cards(position, twin, me, rng) -> list[str]:
    """Deal the cards that `me` has not seen anew; what the other surely holds stays in his hands or draws."""
    they, size = 1 - me, position.rules.hand_size
    cards, rules = list(position.cards), position.rules
    known = twin.drawn[me] | twin.looked_at[me]
    if rules.open_hands:
        known = known | twin.drawn[they]
    free = [place for place in range(2 * size, len(cards)) if cards[place] not in known]
    if not rules.open_hands and not twin.score[they]["carte_blanche"]:
        free += range(they * size, (they + 1) * size)
    held = surely_held(twin, they)
    holds = [place for place in free if place < 2 * size or cards[place] in twin.drawn[they]]
    if rng.random() < 0.5:
        _swap_some(cards, free, holds, held, rng)
    else:
        _deal_anew(cards, free, holds, held, rng)
    return cards


def surely_held(twin, player) -> set:
    """Cards that were in his hand after the exchange, as everybody knows."""
    return shown_holdings(twin)[player] | {card for p, card in twin.played if p == player}


def _swap_some(cards, free, holds, held, rng):
    for _ in range(rng.choice((1, 1, 2, 4))):
        certain = rng.random() < 0.3
        places = [n for n in (holds if certain else free) if (cards[n] in held) == certain]
        if len(places) > 1:
            a, b = rng.sample(places, 2)
            cards[a], cards[b] = cards[b], cards[a]


def _deal_anew(cards, free, holds, held, rng):
    pool = [cards[n] for n in free]
    certain = [card for card in pool if card in held]
    rest = [card for card in pool if card not in held]
    rng.shuffle(rest)
    chosen = set(rng.sample(holds, len(certain)))
    for n in free:
        cards[n] = certain.pop() if n in chosen else rest.pop()


def _other_discards(position, twin, me, cards, rng) -> list[str] | None:
    """As many as the other has discarded; while he is still at it, any number."""
    they, size = 1 - me, position.rules.hand_size
    if position.rules.open_hands:
        texts = [text for player, text in position.actions if player == they]
        return [text.removeprefix("discard ") for text in texts if text.startswith("discard")]
    held = surely_held(twin, they)
    loose = sorted(set(cards[they * size : (they + 1) * size]) - held)
    number = len(twin.discards[they])
    if twin.exchanged[they] is None and twin.phase == "exchange" and twin.to_act == they:
        number = rng.randint(0, min(len(twin.part_of_the_talon()), len(loose)))
    return rng.sample(loose, number) if number <= len(loose) else None


class _Script:
    """What each player does when the position is played again: `me` the same, the other what looks the same."""

    def __init__(self, position: Position, twin: naive.NaiveGame, me: int, discards: list[str]):
        self.me, self.twin = me, twin
        self.mine = [text for player, text in position.actions if player == me]
        self.calls = [text for player, text in position.actions if player != me and _is_call(text)]
        self.discards = [f"discard {card}" for card in discards]
        if twin.exchanged[1 - me] is not None:
            self.discards.append("stand")
        self.cards = [f"play {card}" for player, card in twin.played if player != me]

    def next_text(self, now: naive.NaiveGame, rng: random.Random) -> str | None:
        """None: the position is reached (or cannot be)."""
        if now.phase == "over":
            return None
        if now.to_act == self.me:
            return self.mine.pop(0) if self.mine else None
        if now.phase == "carte blanche":
            return self._carte_blanche(now, rng)
        queue = {"auction": self.calls, "exchange": self.discards, "play": self.cards}.get(now.phase)
        if queue is None:
            return self._declaration(now, rng)
        return queue.pop(0) if queue else None

    def _carte_blanche(self, now, rng) -> str | None:
        they = 1 - self.me
        if self.twin.score[they]["carte_blanche"]:
            return "carte blanche"
        at_the_start = self.twin.to_act == they and not self.twin.discards[they] and self.twin.exchanged[they] is None
        return None if at_the_start and not self.discards and rng.random() < 0.5 else "none"

    def _declaration(self, now, rng) -> str | None:
        """Any declaration with the words that were said."""
        words = self.twin.said[now.phase][1 - self.me]
        if words is None:
            return None
        said = {key: value for key, value in words.items() if key != "pips"}
        found = [holding for holding in now.holdings(now.phase, now.to_act) if naive.words(now.phase, holding) == said]
        if "none" in said:
            return "none"
        return rng.choice(found).text if found else "impossible"


def _is_call(text) -> bool:
    return text[0] in "+-" or text in ("pass", "double", "redouble")


# ------------------------------------------------------------------ something else


def vary(position: Position, rng: random.Random) -> Position:
    """Two cards change places, or one action is another one; the rest is kept as far as it is legal."""
    cards = list(position.cards)
    other = -1
    if position.actions and rng.random() < 0.5:
        other = rng.randrange(len(position.actions))
    else:
        a, b = rng.sample(range(len(cards)), 2)
        cards[a], cards[b] = cards[b], cards[a]
    changed = replace(position, cards=tuple(cards))
    twin, actions = changed.twin(), []
    for number, (_, text) in enumerate(position.actions):
        if twin.phase == "over":
            break
        options = twin.legal()
        if number == other or text not in options:
            text = rng.choice(options)
        actions.append((twin.to_act, text))
        twin.act(text)
    return replace(changed, actions=tuple(actions))
