"""Suits are interchangeable: the same situation with the suits in another order.

Orders are numbered as `SUIT_ORDERS` lists them; order 0 changes nothing. Vectors are observations or states; of the
actions, cards and points have suits.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import actions as act
from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled
from piquet_env.knowledge.checks import check_array, check_written
from piquet_env.knowledge.features import (
    LED,
    MY_DISCARDS,
    MY_HAND,
    MY_LENGTHS,
    MY_PLAYED,
    OBSERVATION_SIZE,
    STATE_SIZE,
    THEIR_PLAYED,
    UNSEEN,
    features,
)

SUITS, RANKS = 4, 8
SUIT_ORDERS = np.array(list(permutations(range(SUITS))), np.int64)
"""(24, 4): the suit that order k puts in place s is `SUIT_ORDERS[k, s]`."""

_ONE_BIT_A_SUIT = ("my_voids", "their_voids", "my_point_suit", "state_their_point_suit")
# What the canonical order sorts by, the first first; before all of them, how many cards I hold of the suit.
_SORTED_BY = (MY_HAND, MY_PLAYED, MY_DISCARDS, THEIR_PLAYED, UNSEEN, LED)


def _table(groups: list[tuple[int, int]], size: int) -> NDArray[np.int64]:
    """(24, size): the old place of what is at each new place. Groups are (first place of S H D C, places a suit)."""
    table = np.tile(np.arange(size), (len(SUIT_ORDERS), 1))
    for start, width in groups:
        places = np.arange(SUITS * width).reshape(SUITS, width) + start
        table[:, start : start + SUITS * width] = places[SUIT_ORDERS].reshape(len(SUIT_ORDERS), -1)
    return table


def _groups_of_features() -> list[tuple[int, int]]:
    groups = [(MY_LENGTHS, RANKS)]
    for feature in features(STATE_SIZE):
        if feature.form in ("cards", "digits"):
            groups += [(start, RANKS) for start in range(feature.start, feature.stop, CARDS)]
        elif feature.name in _ONE_BIT_A_SUIT:
            groups.append((feature.start, 1))
    return groups


VECTOR_TABLE = _table(_groups_of_features(), STATE_SIZE)
"""(24, STATE_SIZE): in order k, what stands at place j of a state stood at `VECTOR_TABLE[k, j]` before; the first
OBSERVATION_SIZE columns are those of observations."""
ACTION_TABLE = _table([(0, RANKS), (act.POINT, 1)], act.ACTIONS)
"""(24, 80): in order k, action a is called what `ACTION_TABLE[k, a]` was called before."""

_NUMBER_OF_ORDER = np.full(SUITS**SUITS, -1, np.int64)
_PLACE_VALUES = SUITS ** np.arange(SUITS)[::-1]
_NUMBER_OF_ORDER[SUIT_ORDERS @ _PLACE_VALUES] = np.arange(len(SUIT_ORDERS))


def canonical_orders(observations: NDArray[np.int8], packs: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each observation the order that sorts its suits, by what its player sees of them: int64 (N,).

    Args:
        observations: observations or states, int8 (N, size), C-contiguous.
        packs: int64 (N,), the cards of each game's pack as 32 bits; suits that are not in it keep their places.

    Raises ValueError for other arrays.
    """
    _check_vectors(observations)
    check_array("packs", packs, np.int64, (len(observations),))
    orders = np.empty(len(observations), np.int64)
    _canonical_orders(observations, packs, np.array(_SORTED_BY), _NUMBER_OF_ORDER, orders)
    return orders


def suit_keys() -> NDArray[np.int64]:
    """(OBSERVATION_SIZE, 4): `observation @ suit_keys()` is what `canonical_orders` sorts the suits by; below 2**53."""
    keys = np.empty((OBSERVATION_SIZE, SUITS), np.int64)
    _keys(np.eye(OBSERVATION_SIZE, dtype=np.int8), np.array(_SORTED_BY), keys)
    return keys


def reorder(vectors: NDArray[np.int8], orders: NDArray[np.int64]) -> NDArray[np.int8]:
    """Observations or states int8 (N, size) with the suits in another order, int64 (N,); a new array.

    Raises ValueError for other arrays.
    """
    _check_vectors(vectors)
    _check_orders(orders, len(vectors))
    out = np.empty_like(vectors)
    _gather(vectors, VECTOR_TABLE, orders, out)
    return out


def reorder_mask(masks: NDArray[np.int8], orders: NDArray[np.int64]) -> NDArray[np.int8]:
    """The masks int8 (N, 80) that belong to it; a new array. Raises ValueError for other arrays."""
    check_written("masks", masks, np.int8, (len(masks), act.ACTIONS))
    _check_orders(orders, len(masks))
    out = np.empty_like(masks)
    _gather(masks, ACTION_TABLE, orders, out)
    return out


def inverse_orders(orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """The orders (N,) that undo these."""
    return _NUMBER_OF_ORDER[np.argsort(SUIT_ORDERS[orders], axis=-1) @ _PLACE_VALUES]


def _check_vectors(vectors: NDArray[np.int8]) -> None:
    shape = np.shape(vectors)
    if len(shape) != 2 or shape[1] not in (OBSERVATION_SIZE, STATE_SIZE):
        raise ValueError(f"vectors: expected int8 (N, {OBSERVATION_SIZE} or {STATE_SIZE}), got shape {shape}")
    check_written("vectors", vectors, np.int8, shape)


def _check_orders(orders: NDArray[np.int64], number: int) -> None:
    check_array("orders", orders, np.int64, (number,))
    if number and not (orders.min() >= 0 and orders.max() < len(SUIT_ORDERS)):
        raise ValueError(f"orders: expected numbers from 0 to {len(SUIT_ORDERS) - 1}")


@compiled
def _gather(vectors, table, orders, out):
    for i in range(len(vectors)):
        order = orders[i]
        for j in range(vectors.shape[1]):
            out[i, j] = vectors[i, table[order, j]]


@compiled
def _canonical_orders(observations, packs, sorted_by, number_of_order, orders):
    keys = np.zeros(4, np.int64)
    place = np.zeros(4, np.int64)
    for i in range(len(observations)):
        for suit in range(4):
            keys[suit] = _key(observations, i, suit, sorted_by)
            place[suit] = suit
        _sort(packs[i], keys, place)
        orders[i] = number_of_order[place[0] * 64 + place[1] * 16 + place[2] * 4 + place[3]]


@compiled
def _keys(observations, sorted_by, keys):
    for i in range(len(observations)):
        for suit in range(4):
            keys[i, suit] = _key(observations, i, suit, sorted_by)


@compiled
def _key(observations, i, suit, sorted_by):
    """More cards in hand first, then the cards themselves: 4 + 6 * 8 bits at most."""
    key = 0
    for rank in range(8):
        key += observations[i, sorted_by[0] + 8 * suit + rank]
    for first in sorted_by:
        for rank in range(7, -1, -1):
            key = 2 * key + observations[i, first + 8 * suit + rank]
    return key


@compiled
def _sort(pack, keys, place):
    """The highest key first, among the places of the suits in the pack; what is sorted stays as it is."""
    for first in range(4):
        for second in range(first + 1, 4):
            in_pack = pack >> 8 * first & 255 > 0 and pack >> 8 * second & 255 > 0
            if in_pack and keys[place[second]] > keys[place[first]]:
                later = place[first]
                place[first] = place[second]
                place[second] = later
