"""Best play with all cards known by trying everything, on tests/naive.py alone; and endings to try it on.

No bounds, no equal cards, no pruning: only positions that are the same in all that still counts are tried once.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import NamedTuple

import helpers
import naive
import numpy as np

from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.rules import Rules


class Ending(NamedTuple):
    """A position of the play, in the engine and in naive.py."""

    row: np.ndarray
    twin: naive.NaiveGame


def card_values(twin: naive.NaiveGame, objective: str) -> dict[str, int]:
    """What each legal card ("SA") leads to, for the player to act: points of difference ("score"), or "tricks".

    In a minus contract both want few tricks. Tricks are counted to the last one: nothing stops the deal.
    """
    player, known = twin.to_act, {}
    if objective == "tricks":
        twin = copy.copy(twin)
        twin.rules = twin.rules | {"stop_at": None}
    return {card: _value(after(twin, card), player, objective, known) for card in legal_cards(twin)}


def legal_cards(twin: naive.NaiveGame) -> list[str]:
    return [text.removeprefix("play ") for text in twin.legal_cards()]


def after(twin: naive.NaiveGame, card: str) -> naive.NaiveGame:
    """The game with a card played; `twin` stays as it is."""
    made = copy.copy(twin)
    made.hands, made.score = [set(hand) for hand in twin.hands], [dict(score) for score in twin.score]
    made.tricks, made.played = list(twin.tricks), list(twin.played)
    made.play(card)
    return made


def _value(twin, player, objective, known) -> int:
    """For `player`, with best play by both."""
    if twin.phase == "over":
        return worth(twin, player, objective)
    key = _key(twin)
    if key not in known:
        values = [_value(after(twin, card), player, objective, known) for card in legal_cards(twin)]
        wants_most = (twin.to_act == player) != (objective == "tricks" and twin.minus)
        known[key] = max(values) if wants_most else min(values)
    return known[key]


def worth(twin, player, objective) -> int:
    """Of a deal that is over."""
    if objective == "tricks":
        return twin.tricks[player]
    return twin.score[player]["total"] - twin.score[1 - player]["total"]


def _key(twin) -> tuple:
    """All that can still matter within one search."""
    scored = tuple((score["total"], score["pique"]) for score in twin.score)
    return frozenset(twin.hands[0]), frozenset(twin.hands[1]), twin.to_act, twin.led, scored, tuple(twin.tricks)


# ------------------------------------------------------------------ endings


def endings(
    rules: Rules, rng: random.Random, count: int, most_cards: int = 5, partie: bool = False, even: bool = False
) -> list[Ending]:
    """So many, from deals with lumpy cards played at random; at most so many cards in the hand of who is to act.

    even: positions at the lead to a trick only. Fewer than asked for under rules with which the play is seldom reached.
    """
    found: list[Ending] = []
    for _ in range(2 * count):
        if len(found) >= count:
            break
        start = helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng), partie=partie)
        found += _some_of(start, rules, rng, most_cards, even)
    return found[:count]


def _some_of(start, rules, rng, most_cards, even) -> Iterator[Ending]:
    """From one deal: about a third of those that there are."""
    row, twin = start.copy(), helpers.naive_twin(start, rules)
    for _, action in helpers.walk(row, rng, deals=1):
        if action is None:
            return
        left = row[at.HAND_SIZE] - row[at.TRICK]
        if row[at.PHASE] == at.PLAY and left <= most_cards and not (even and row[at.LED] >= 0) and rng.random() < 0.3:
            yield Ending(row.copy(), copy.deepcopy(twin))
        texts = {naive.action_index(twin.rules, text): text for text in twin.legal()}
        twin.act(texts[action])


def with_scores(ending: Ending, points: tuple[int, int], totals: tuple[int, int] = (0, 0)) -> Ending:
    """The same cards, where so much has been scored in this deal (as point), and so much in earlier ones."""
    row, twin = ending.row.copy(), copy.deepcopy(ending.twin)
    row[at.SCORE : at.SCORE + 2 * len(at.ITEMS)] = 0
    row[at.TOTALS : at.TOTALS + 2] = totals
    twin.totals = totals
    for player in (0, 1):
        for item in ("point", "total"):
            row[at.SCORE + player * len(at.ITEMS) + at.ITEMS.index(item)] = points[player]
        twin.score[player] = {**dict.fromkeys(twin.score[player], 0), "point": points[player], "total": points[player]}
    return Ending(row, twin)


def deals(rules: Rules, rng: random.Random, count: int) -> np.ndarray:
    """Positions at the first lead, from lumpy deals played on at random: int64 (count, columns)."""
    rows = []
    while len(rows) < count:
        row = helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng))
        for _, action in helpers.walk(row, rng, deals=1):
            if action is None or row[at.PHASE] == at.PLAY:
                break
        if row[at.PHASE] == at.PLAY:
            rows.append(row)
    return np.array(rows)


def play(row: np.ndarray, card: str) -> np.ndarray:
    """A copy of the row with a card played."""
    made = row.copy()
    assert game.apply_action(made, helpers.card_number(card))
    return made
