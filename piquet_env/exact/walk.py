"""The game tree of some deals, walked by the engine: its information sets with a choice, and its ends.

Depth first with a stack of rows, so that the walk can stop where an array is full and go on in a larger one. The
players are told apart by their roles: 0 is the dealer, 1 the other.

What is found is the game's *sequence form* (von Stengel 1996). A sequence is what one player has done so far: 0 and 1
are those of the dealer and the other before their first choice, and each action at each information set is one more. As
nobody forgets what he has done, an information set has one sequence that leads to it; and an end is where two
sequences meet, with the points.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.belief.sample import take
from piquet_env.bots.tabular import WORDS, observation_key
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.game import difference, legal_actions, reseed, set_up_deal
from piquet_env.engine.intrinsics import pointer, row_of
from piquet_env.knowledge.encode import encode

DEPTH = 64  # choices one after another; a deal has at most 54 actions
FREE = -1


class Stack(NamedTuple):
    """Where the walk is; entry d of each is the decision at depth d."""

    rows: NDArray[np.int64]
    """(DEPTH, COLUMNS): the games."""
    next: NDArray[np.int64]
    """(DEPTH,): which of its actions is taken next, from 0."""
    infosets: NDArray[np.int64]
    """(DEPTH,): the information set."""
    sequences: NDArray[np.int64]
    """(DEPTH, 2): of the dealer and the other, that lead there."""
    words: NDArray[np.int64]
    """(1, WORDS): an observation, packed."""


class Found(NamedTuple):
    """What has been found; longer than what is in use (`Counts`)."""

    keys: NDArray[np.int64]
    """(I, 2): of each information set, `observation_key` 0 and 1."""
    players: NDArray[np.int8]
    """(I,): who acts."""
    parents: NDArray[np.int32]
    """(I,): his sequence that leads there."""
    firsts: NDArray[np.int32]
    """(I + 1,): the sequence of its first action; the others follow."""
    deals: NDArray[np.int32]
    """(I,): the deal in which it was found, and"""
    paths: NDArray[np.int64]
    """(I, 1 + HISTORY_WORDS): all that was done up to there, as in the row: ACTED and HISTORY."""
    ends: NDArray[np.int32]
    """(E, 3): the dealer's sequence, the other's, and the dealer's score less the other's."""
    slots: NDArray[np.int32]
    """(2**k,): information sets by key, FREE where there is none."""


INFOSETS, ENDS, SEQUENCES, HERE, NODES, FORGOTTEN = range(6)
"""Of the counts, int64 (6,): how many there are; the depth, -1 when the walk is over; 1 if somebody forgets."""


def new_stack() -> Stack:
    """An empty one."""
    rows, words = np.zeros((DEPTH, at.COLUMNS), np.int64), np.zeros((1, WORDS), np.int64)
    return Stack(rows, np.zeros(DEPTH, np.int64), np.zeros(DEPTH, np.int64), np.zeros((DEPTH, 2), np.int64), words)


def no_counts() -> NDArray[np.int64]:
    """Those of a walk that has not begun."""
    return np.array([0, 0, 2, -1, 0, 0], np.int64)


def empty(infosets: int, ends: int) -> Found:
    """Room for so many, which are powers of two."""
    found = Found(
        keys=np.empty((infosets, 2), np.int64),
        players=np.empty(infosets, np.int8),
        parents=np.empty(infosets, np.int32),
        firsts=np.empty(infosets + 1, np.int32),
        deals=np.empty(infosets, np.int32),
        paths=np.empty((infosets, 1 + at.HISTORY_WORDS), np.int64),
        ends=np.empty((ends, 3), np.int32),
        slots=np.full(2 * infosets, FREE, np.int32),
    )
    found.firsts[0] = 2
    return found


@compiled
def set_up(row, rules, dealer, cards):
    """A deal at its start, as every episode of one deal begins."""
    row, rules, cards = pointer(row), pointer(rules), pointer(cards)
    reseed(row, rules, 0, 0)
    set_up_deal(row, dealer, cards)


@compiled
def begin_deal(stack, found, counts, rules, cards, deal):
    """Put deal number `deal`, with player_0 as dealer, on the empty stack."""
    row = row_of(stack.rows, 0)
    set_up(row, rules, 0, cards)
    counts[NODES] += 1 + _pass_over_forced(row)
    stack.sequences[0, 0], stack.sequences[0, 1] = 0, 1
    counts[HERE] = -1
    _arrive(stack, found, counts, deal)


@compiled
def walk_on(stack, found, counts, deal):
    """Walk to the end of the deal's tree, or to where an array is full: whether it is over."""
    while counts[HERE] >= 0:
        if counts[INFOSETS] + 1 >= len(found.players) or counts[ENDS] == len(found.ends):
            return False
        here = counts[HERE]
        row = row_of(stack.rows, here)
        legal = legal_actions(row)
        n = stack.next[here]
        if n == act.count(legal):
            counts[HERE] -= 1
            continue
        stack.next[here] += 1
        counts[NODES] += 1 + _descend(stack, found, here, act.nth(legal, n), n)
        _arrive(stack, found, counts, deal)
    return True


@inlined
def _descend(stack, found, here, action, n):
    """Take the n-th action in the row above, up to the next choice or the end, and write the sequences there.

    The number of actions that were forced.
    """
    row, child = row_of(stack.rows, here), row_of(stack.rows, here + 1)
    at.copy_row(row, child)
    take(child, action)
    forced = _pass_over_forced(child)
    player = row[at.ACTOR]
    stack.sequences[here + 1, 1 - player] = stack.sequences[here, 1 - player]
    stack.sequences[here + 1, player] = found.firsts[stack.infosets[here]] + n
    return forced


@compiled
def _pass_over_forced(row):
    """Play on to the next choice or the end; how many actions that were."""
    legal, forced = legal_actions(row), 0
    while act.count(legal) == 1:
        take(row, act.nth(legal, 0))
        legal = legal_actions(row)
        forced += 1
    return forced


@compiled
def _arrive(stack, found, counts, deal):
    """What stands above the top of the stack is an end, or becomes the top."""
    here = counts[HERE] + 1
    row = row_of(stack.rows, here)
    if row[at.PHASE] == at.DEAL_OVER:
        for player in range(2):
            found.ends[counts[ENDS], player] = stack.sequences[here, player]
        found.ends[counts[ENDS], 2] = difference(row)
        counts[ENDS] += 1
        return
    counts[HERE] = here
    stack.next[here] = 0
    player = row[at.ACTOR]
    infoset = _infoset(row, row_of(stack.words, 0), found, counts, stack.sequences[here, player], deal)
    stack.infosets[here] = infoset
    if found.parents[infoset] != stack.sequences[here, player]:
        counts[FORGOTTEN] = 1


@inlined
def _infoset(row, words, found, counts, parent, deal):
    """The number of the information set of a row at a choice; a new one is written down."""
    player = row[at.ACTOR]
    encode(row, player, words)
    key, second = observation_key(words, player, 0), observation_key(words, player, 1)
    slot = _slot_of(found.slots, found.keys, key, second)
    if found.slots[slot] != FREE:
        return np.int64(found.slots[slot])
    infoset = counts[INFOSETS]
    found.slots[slot] = infoset
    found.keys[infoset, 0], found.keys[infoset, 1] = key, second
    found.players[infoset], found.parents[infoset], found.deals[infoset] = player, parent, deal
    found.paths[infoset, 0] = row[at.ACTED]
    for word in range(at.HISTORY_WORDS):
        found.paths[infoset, 1 + word] = row[at.HISTORY + word]
    counts[SEQUENCES] += act.count(legal_actions(row))
    counts[INFOSETS] += 1
    found.firsts[counts[INFOSETS]] = counts[SEQUENCES]
    return infoset


@inlined
def _slot_of(slots, keys, key, second):
    """Where the keys stand in the table, or may be written."""
    most = len(slots) - 1
    slot = key & most
    while slots[slot] != FREE and (keys[slots[slot], 0] != key or keys[slots[slot], 1] != second):
        slot = slot + 1 & most
    return slot


@compiled
def fill_slots(slots, keys, infosets):
    """The table of so many information sets, anew."""
    for infoset in range(infosets):
        slots[_slot_of(slots, keys, keys[infoset, 0], keys[infoset, 1])] = infoset


@compiled
def go_to(rows, rules, packs, dealer, deals, paths, infosets):
    """Write the true row of each of these information sets, as it was found, with `dealer` as the dealer.

    packs int64 (deals, cards of the pack): the dealer's hand, the other's, the talon.
    """
    cards = np.empty(packs.shape[1], np.int64)
    for i in range(len(infosets)):
        infoset = infosets[i]
        row = row_of(rows, i)
        _seat(packs[deals[infoset]], dealer, rules[at.HAND_SIZE], cards)
        set_up(row, rules, dealer, cards)
        for n in range(paths[infoset, 0]):
            take(row, at.packed(paths[infoset], 1, n) & 127)


@compiled
def _seat(pack, dealer, hand_size, cards):
    """The pack with player_0's hand first."""
    for place in range(len(pack)):
        swapped = place if dealer == 0 or place >= 2 * hand_size else (place + hand_size) % (2 * hand_size)
        cards[place] = pack[swapped]
