"""What several test files need: rules of every allowed kind, deals, walks through games, rows in words."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import asdict

import naive
import numpy as np
from hypothesis import strategies as st

from piquet_env import knowledge
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.rules import RULESETS, Rules

NAMES = tuple(RULESETS)
BIGGEST_SEED = 2**63 - 1
Pick = Callable[[int, int], int]  # a number from the first to the second, both included


# ------------------------------------------------------------------ rules


def build_rules(pick: Pick) -> Rules:
    """Any rules that section 11 allows, as `pick` chooses: odd packs, no talon, a talon larger than the hands."""
    pack = _pick_pack(pick)
    size = pick(1, pack["hand_size"])
    talon = len(pack["suits"]) * len(pack["ranks"]) - 2 * size
    elders = pick(0, talon)
    lowest = pick(1, size)
    leftovers = pick(0, 2)
    fields = {
        **pack,
        "hand_size": size,
        "elder_talon": elders,
        "younger_talon": talon - elders,
        "lowest_level": lowest,
        "highest_level": pick(lowest, min(size, lowest + 5)),
        "minimum_exchange": pick(0, min(elders, size)),
        "younger_minimum_exchange": pick(0, min(talon - elders, size)),
        "younger_draws_leftovers": leftovers == 1,
        "younger_sees_leftovers": leftovers == 2,
    }
    return Rules(**fields, **_pick_switches(pick), **_pick_scoring(pick), **_pick_classic(pick, fields))


def _pick_pack(pick: Pick) -> dict:
    """`hand_size` is here the largest there can be. Half of the packs are the whole one."""
    if pick(0, 1):
        return {"suits": "SHDC", "ranks": "789TJQKA", "hand_size": 16}
    suits = [suit for place, suit in enumerate("SHDC") if pick(1, 15) >> place & 1] or ["S", "D"]
    ranks = [rank for place, rank in enumerate("789TJQKA") if pick(1, 255) >> place & 1] or ["7", "A"]
    if len(suits) * len(ranks) < 2:
        ranks = ["7", "A"]
    return {"suits": "".join(suits), "ranks": "".join(ranks), "hand_size": len(suits) * len(ranks) // 2}


def _pick_switches(pick: Pick) -> dict:
    return {
        "pass_after_double": bool(pick(0, 1)),
        "max_thrown_in": (1, 2, 3, 100)[pick(0, 3)],
        "minimum_point": (1, 1, 2, 4, 6)[pick(0, 4)],
        "sinking": pick(0, 3) > 0,
        "open_hands": pick(0, 4) == 4,
    }


def _pick_scoring(pick: Pick) -> dict:
    thresholds = ("repique", "pique", "minus_repique", "minus_pique")
    return {
        **{name: (1, 3, 8, 21, 29, 30)[pick(0, 5)] for name in thresholds},
        "deals": pick(1, 3),
        "rubicon": (0, 20, 100, 150)[pick(0, 3)],
        "extra_deals_on_tie": pick(0, 2),
    }


def _pick_classic(pick: Pick, fields: dict) -> dict:
    if pick(0, 1):
        return {"auction": True}
    low_cards = len(fields["suits"]) * sum(rank not in "JQK" for rank in fields["ranks"])
    blanche = low_cards < 2 * fields["hand_size"]
    return {
        "auction": False,
        "carte_blanche": (0, 1, 10, 40)[pick(0, 3)] if blanche else 0,
        "stop_at": (None, None, 1, 20, 100)[pick(0, 4)],
        "stop_double_below": (0, 10, 50)[pick(0, 2)],
    }


def odd_rules(seed: int) -> Rules:
    """Some allowed rules, fixed by the seed."""
    return build_rules(random.Random(seed).randint)


@st.composite
def any_rules(draw) -> Rules:
    """A named ruleset, or any rules that section 11 allows."""
    if draw(st.booleans()):
        return RULESETS[draw(st.sampled_from(NAMES))]
    return build_rules(lambda low, high: draw(st.integers(low, high)))


def naive_rules(rules: Rules) -> dict:
    """The same rules as tests/naive.py takes them."""
    return asdict(rules)


# ------------------------------------------------------------------ cards and rows


def cards_of(mask: int) -> list[int]:
    return [card for card in range(32) if int(mask) >> card & 1]


def mask_of(cards) -> int:
    """Cards as texts ("SA") or numbers to a mask."""
    return sum(1 << (card_number(card) if isinstance(card, str) else int(card)) for card in cards)


def card_number(text: str) -> int:
    return 8 * "SHDC".index(text[0]) + "789TJQKA".index(text[1])


def card_name(card: int) -> str:
    return "SHDC"[card >> 3] + "789TJQKA"[card & 7]


def new_row(rules: Rules, partie: bool = False, seed: int = 0, index: int = 0) -> np.ndarray:
    """A game at its start: int64 (COLUMNS,)."""
    row = np.zeros(at.COLUMNS, np.int64)
    game.new_game(row, rules.columns(), int(partie), seed, index)
    return row


def set_up(rules: Rules, dealer: int, cards: list[int], totals=(0, 0), partie: bool = False) -> np.ndarray:
    """A deal with given cards in the order player_0's hand, player_1's, talon."""
    row = np.zeros(at.COLUMNS, np.int64)
    game.reseed(row, rules.columns(), int(partie), 12345)
    row[at.TOTALS : at.TOTALS + 2] = totals
    game.set_up_deal(row, dealer, np.array(cards, np.int64))
    return row


def lumpy_pack(rules: Rules, rng: random.Random) -> list[int]:
    """The pack shuffled so that long suits, sets and hands without K, Q, J are often dealt."""
    noise = rng.choice((0.3, 1, 3, 100))
    order = rng.choice(
        (
            lambda card: card >> 3,  # by suits: long points and sequences
            lambda card: -(card & 7),  # by ranks: sets
            lambda card: card & 7,
            lambda card: (card & 7) in (4, 5, 6),  # carte blanche
        )
    )
    size = rules.hand_size
    cards = sorted(cards_of(rules.pack), key=lambda card: order(card) + noise * rng.random())
    first, second, talon = cards[:size], cards[size : 2 * size], cards[2 * size :]
    if rng.random() < 0.5:
        first, second = second, first
    rng.shuffle(talon)
    return first + second + talon


def legal(row: np.ndarray) -> list[int]:
    """The legal actions, from the engine's two words."""
    cards, others = game.legal_actions(row)
    return [a for a in range(32) if cards >> a & 1] + [32 + b for b in range(48) if others >> b & 1]


def choose(actions: list[int], rng: random.Random) -> int:
    """A random legal action; bids of a high level, passes at once and sinking are rarer than in a uniform choice."""
    habit = rng.random()
    if habit < 0.25 and act.STAND in actions:
        return act.STAND
    if habit < 0.4 and act.PASS in actions and act.DOUBLE in actions:
        return act.PASS
    if habit < 0.6 and act.NONE in actions:
        return actions[-1]
    bids = [a for a in actions if act.PLUS <= a < act.PASS]
    if habit < 0.7 and bids:
        return rng.choice((bids[0], bids[len(bids) // 2]))
    return rng.choice(actions)


def choose_passing(actions: list[int], rng: random.Random) -> int:
    """The same by somebody who seldom opens the auction."""
    if act.PASS in actions and rng.random() < 0.7:
        return act.PASS
    return choose(actions, rng)


def walk(
    row: np.ndarray, rng: random.Random, deals: int = 1000, chooser=choose
) -> Iterator[tuple[list[int], int | None]]:
    """Play on at random to the end of the episode (or of so many deals): (legal actions, the one to be taken).

    It is yielded before the action is taken. A deal that is over gives ([], None) before the next is dealt.
    The walk changes `row`; who changes it in between must put it back.
    """
    while row[at.PHASE] != at.GAME_OVER:
        actions = legal(row)
        if row[at.PHASE] == at.DEAL_OVER:
            yield actions, None
            deals -= 1
            if deals == 0:
                return
            game.next_deal(row)
        else:
            action = chooser(actions, rng)
            yield actions, action
            assert game.apply_action(row, action)


def field(row: np.ndarray, name: str):
    """The named field of a row: a number or a list of numbers."""
    return row.view(at.LAYOUT)[name][0].tolist()


def score_of(row: np.ndarray, player: int) -> dict[str, int]:
    """The score sheet of a player, without the items that are 0."""
    start = at.SCORE + player * len(at.ITEMS)
    return {item: int(n) for item, n in zip(at.ITEMS, row[start : start + len(at.ITEMS)], strict=True) if n}


def history(row: np.ndarray) -> list[tuple[int, int]]:
    """(player, action) of all actions of the deal."""
    taken = []
    for n in range(int(row[at.ACTED])):
        byte = int(at.packed(row, at.HISTORY, n))
        taken.append((byte >> 7, byte & 0x7F))
    return taken


def dealt_cards(row: np.ndarray) -> list[int]:
    """The pack as this deal was dealt, as `game.set_up_deal` takes it."""
    talon = [int(at.packed(row, at.TALON, n)) for n in range(int(row[at.ELDER_TALON] + row[at.YOUNGER_TALON]))]
    return cards_of(row[at.DEALT]) + cards_of(row[at.DEALT + 1]) + talon


def hidden(row: np.ndarray, player: int) -> np.ndarray:
    """The row as this player knows it."""
    row = row.copy()
    knowledge.hide(row, player)
    return row


def naive_twin(row: np.ndarray, rules: Rules) -> naive.NaiveGame:
    """The deal of a row, before its first action, for tests/naive.py."""
    cards = [card_name(card) for card in dealt_cards(row)]
    size = rules.hand_size
    hands = (cards[:size], cards[size : 2 * size])
    totals = row[at.TOTALS : at.TOTALS + 2].tolist()
    return naive.NaiveGame(naive_rules(rules), int(row[at.DEALER]), hands, cards[2 * size :], totals)
