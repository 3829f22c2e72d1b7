"""Slow and obvious: whether some deal, played by the engine, comes to a row as a player knows it; and small packs."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import helpers
import numpy as np

from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.notation import legal_indices, legal_texts, rules_of
from piquet_env.rules import Rules, RulesError
from piquet_env.views.sequence import known_actions


def is_reached(row: np.ndarray, player: int) -> bool:
    """Try all deals of the cards that the player does not know, with all that the other may have done in secret."""
    texts = known_actions(row, player)
    for start in _starts(row):
        for cards in _deals(row, player):
            deal = start.copy()
            game.set_up_deal(deal, int(row[at.DEALER]), np.array(cards, np.int64))
            if row[at.DEALT + 1 - player] in (-1, deal[at.DEALT + 1 - player]) and _reaches(deal, texts, row, player):
                return True
    return False


def _starts(row: np.ndarray) -> Iterator[np.ndarray]:
    """The episode before this deal: of one that is over, the totals have the points of the deal too."""
    start = np.zeros(at.COLUMNS, np.int64)
    game.reseed(start, rules_of(row).columns(), int(row[at.PARTIE]), 0)
    start[at.COMPLETED : at.PHASE] = row[at.COMPLETED : at.PHASE]
    start[at.TRUNCATED] = 0
    if row[at.PHASE] < at.GAME_OVER:
        yield start
    elif row[at.TRUNCATED]:
        start[at.THROWN_IN] -= 1
        yield start
    else:
        start[at.COMPLETED] -= 1
        start[at.TOTALS : at.TOTALS + 2] -= [helpers.score_of(row, who).get("total", 0) for who in range(2)]
        yield start


def _deals(row: np.ndarray, player: int) -> Iterator[list[int]]:
    mine = helpers.cards_of(row[at.DEALT + player])
    rest = [card for card in helpers.cards_of(row[at.PACK]) if card not in mine]
    for theirs in itertools.combinations(rest, int(row[at.HAND_SIZE])):
        hands = [mine, list(theirs)] if player == 0 else [list(theirs), mine]
        for talon in itertools.permutations([card for card in rest if card not in theirs]):
            yield [*hands[0], *hands[1], *talon]


def _reaches(deal: np.ndarray, texts: list[str], row: np.ndarray, player: int) -> bool:
    if not texts and _is_seen(deal, row, player):
        return True
    if deal[at.PHASE] >= at.DEAL_OVER:
        return False
    for action, text in zip(legal_indices(deal), legal_texts(deal), strict=True):
        rest = _after(f"{deal[at.ACTOR]} {text}", texts, deal, player)
        if rest is not None:
            following = deal.copy()
            game.apply_action(following, action)
            if _reaches(following, rest, row, player):
                return True
    return False


def _after(text: str, texts: list[str], deal: np.ndarray, player: int) -> list[str] | None:
    """What is heard after an action; None: it is not what was heard."""
    who, word = text[0], text[2:].split()[0]
    if deal[at.PHASE] == at.IN_CARTE_BLANCHE and deal[at.ACTOR] != player and word == "none":
        return texts
    masked = f"{who} {word} ?" if word in ("discard", "point") else text
    return texts[1:] if texts and texts[0] in (text, masked) else None


def _is_seen(deal: np.ndarray, row: np.ndarray, player: int) -> bool:
    if row[at.PHASE] == at.GAME_OVER and deal[at.PHASE] == at.DEAL_OVER:
        deal = deal.copy()
        game.next_deal(deal)
    return np.array_equal(helpers.hidden(deal, player), row)


# ------------------------------------------------------------------ rules with few cards


def small_rules(rng: random.Random) -> Rules:
    """Rules of any kind for packs of 4 to 9 cards, so that all deals can be tried."""
    while True:
        try:
            return _any_small(rng)
        except RulesError:
            continue


def _any_small(rng: random.Random) -> Rules:
    suits = [suit for suit in "SHDC" if rng.random() < 0.5]
    length = rng.choice((2, 3, 3, 4, 4, 5))
    first = rng.randrange(9 - length) if rng.random() < 0.5 else 8 - length
    cards = len(suits) * length
    size = rng.randint(1, 4)
    talon = cards - 2 * size
    if not 4 <= cards <= 9 or not 0 <= talon <= 4:
        raise RulesError("suits", "too many cards or too few")
    elders, leftovers, lowest = rng.randint(0, talon), rng.choice((0, 0, 1, 2)), rng.randint(1, size)
    fields = {
        "suits": "".join(suits),
        "ranks": "789TJQKA"[first : first + length],
        "hand_size": size,
        "elder_talon": elders,
        "younger_talon": talon - elders,
        "lowest_level": lowest,
        "highest_level": rng.randint(lowest, size),
        "minimum_exchange": rng.randint(0, min(elders, 1)),
        "younger_minimum_exchange": rng.randint(0, min(talon - elders, 1)),
        "younger_draws_leftovers": leftovers == 1,
        "younger_sees_leftovers": leftovers == 2,
    }
    classic = helpers._pick_classic(rng.randint, fields)
    if classic.get("stop_at"):
        classic["stop_at"] = rng.choice((3, 6, 20, 60))
    return Rules(**fields, **helpers._pick_switches(rng.randint), **helpers._pick_scoring(rng.randint), **classic)
