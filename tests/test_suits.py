"""Suits are interchangeable: a deal with its suits renamed is the same deal, and the canonical order forgets names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from piquet_env import knowledge
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS
from piquet_env.knowledge import ACTION_TABLE, SUIT_ORDERS, canonical_orders, inverse_orders, reorder, reorder_mask
from piquet_env.records import steps

RECORDS = [json.loads(line) for line in (Path(__file__).parent / "data/deals.jsonl").read_text().splitlines()]
NAMES = "SHDC"


def renamed_record(record: dict[str, Any], order: list[int]) -> dict[str, Any]:
    """The deal with other names for its suits: the suit in place `order[s]` is now called by the name of place s."""
    names = {NAMES[old]: NAMES[new] for new, old in enumerate(order)}
    hands = {}
    for player, hand in record["hands"].items():
        parts = hand.split(".")
        hands[player] = ".".join(parts[old] for old in order)
    talon = " ".join(names[card[0]] + card[1:] for card in record["talon"].split())
    actions = []
    for text in record["actions"]:
        player, verb, *rest = text.split(" ")
        if verb in ("discard", "play", "point"):
            rest = [names[rest[0][0]] + rest[0][1:]]
        actions.append(" ".join([player, verb, *rest]))
    return {**record, "hands": hands, "talon": talon, "actions": actions}


def seen(row: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """State and mask of the player to act, and his pack."""
    player = int(row[at.ACTOR])
    return knowledge.state(row, player)[None], knowledge.action_mask(row, player)[None], row[at.PACK : at.PACK + 1]


def full_packs() -> list[dict[str, Any]]:
    return [r for r in RECORDS if r["rules"] in ("auction", "auction-parlett", "rubicon", "cavendish", "open", "cent")]


@pytest.mark.parametrize("number", [1, 5, 9, 16, 23])
def test_renaming_the_suits_of_a_deal_reorders_every_vector_mask_and_action(number):
    order = SUIT_ORDERS[number].tolist()
    orders = np.array([number])
    decisions = 0
    for record in full_packs()[number::29]:
        for (row, action), (other, other_action) in zip(
            map(copied, steps(record)), map(copied, steps(renamed_record(record, order))), strict=True
        ):
            state, mask, pack = seen(row)
            other_state, other_mask, _ = seen(other)
            assert np.array_equal(reorder(state, orders), other_state)
            assert np.array_equal(reorder_mask(mask, orders), other_mask)
            assert ACTION_TABLE[number, other_action] == action
            # The canonical form is the same for both, and so is the action in it.
            forms = []
            for vector, taken in ((state, action), (other_state, other_action)):
                canonical = canonical_orders(vector, pack)
                forms.append((reorder(vector, canonical), ACTION_TABLE[inverse_orders(canonical), taken]))
            if is_told_apart(state[0]):
                assert np.array_equal(
                    forms[0][0][:, : knowledge.OBSERVATION_SIZE], forms[1][0][:, : knowledge.OBSERVATION_SIZE]
                )
                assert forms[0][1] == forms[1][1]
            decisions += 1
    assert decisions > 300


def copied(step: tuple[np.ndarray, int]) -> tuple[np.ndarray, int]:
    return step[0].copy(), step[1]


def is_told_apart(observation: np.ndarray) -> bool:
    """Whether no two suits hold the same of all that the player has and has seen."""
    told = knowledge.describe(observation)
    names = ("my_hand", "my_played", "my_discards", "their_played", "unseen")
    suits = [tuple(tuple(c % 8 for c in told[name] if c // 8 == suit) for name in names) for suit in range(4)]
    return len(set(suits)) == 4


def test_the_canonical_order_puts_the_longest_suit_first_and_does_not_look_at_what_is_hidden():
    row = next(steps(RECORDS[0]))[0]
    state, _, pack = seen(row)
    orders = canonical_orders(state, pack)
    hand = knowledge.describe(reorder(state, orders)[0])["my_hand"]
    lengths = [sum(card // 8 == suit for card in hand) for suit in range(4)]
    assert lengths == sorted(lengths, reverse=True)
    hidden = state.copy()
    hidden[:, knowledge.OBSERVATION_SIZE :] ^= 1
    assert canonical_orders(hidden, pack) == orders


def test_suits_that_are_not_in_the_pack_stay_where_they_are():
    rng = np.random.default_rng(0)
    vectors = rng.integers(0, 2, (500, knowledge.OBSERVATION_SIZE)).astype(np.int8)
    pack = np.full(500, 0xFF | 0xFF << 16)  # spades and diamonds
    kept = SUIT_ORDERS[canonical_orders(vectors, pack)]
    assert (kept[:, [1, 3]] == [1, 3]).all()
    assert set(map(tuple, kept.tolist())) == {(0, 1, 2, 3), (2, 1, 0, 3)}


def test_orders_are_undone_by_their_inverses():
    orders = np.arange(24)
    vectors = np.random.default_rng(0).integers(0, 2, (24, knowledge.STATE_SIZE)).astype(np.int8)
    assert np.array_equal(reorder(reorder(vectors, orders), inverse_orders(orders)), vectors)
    assert SUIT_ORDERS[0].tolist() == [0, 1, 2, 3]
    assert np.array_equal(ACTION_TABLE[0], np.arange(80))
    assert (np.sort(ACTION_TABLE, axis=-1) == np.arange(80)).all()
    assert (ACTION_TABLE[:, :CARDS] < CARDS).all()


@pytest.mark.parametrize(
    "vectors",
    [
        np.zeros(8, np.int8),
        np.zeros((2, 8), np.int8),
        np.zeros((2, 1100), np.int8),
        np.zeros((2, 5000), np.int8),
        np.zeros((2, 1088)),
        np.zeros((2, 2176), np.int8)[:, ::2],
    ],
)
def test_other_arrays_are_refused(vectors):
    with pytest.raises(ValueError, match="vectors"):
        reorder(vectors, np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="vectors"):
        canonical_orders(vectors, np.zeros(2, np.int64))


@pytest.mark.parametrize(
    "orders", [np.zeros(1, np.int64), np.zeros(3, np.int64), np.zeros(2), np.array([0, 24]), np.array([-1, 0])]
)
def test_other_orders_are_refused(orders):
    with pytest.raises(ValueError, match="orders"):
        reorder(np.zeros((2, knowledge.OBSERVATION_SIZE), np.int8), orders)
    with pytest.raises(ValueError, match="orders"):
        reorder_mask(np.zeros((2, 80), np.int8), orders)
