"""The compiled loops that are measured, and those that only choose actions for what is measured.

`chance` is an int64 (layout.COLUMNS,) row that no game is played in: only its random generator is used, so that the
choices take nothing from the games' own generators.
"""

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.deal import random_below, random_state
from piquet_env.engine.game import legal_actions, next_deal, restart, take_action
from piquet_env.engine.intrinsics import fence, pointer, row_of, streamed_row_of
from piquet_env.knowledge.encode import encode
from piquet_env.knowledge.observe import put_mask


def new_chance(number: int) -> NDArray[np.int64]:
    """A source of random choices: int64 (layout.COLUMNS,); different for each number."""
    chance = np.zeros(at.COLUMNS, np.int64)
    chance[at.RANDOM] = random_state(1, number)
    return chance


@compiled
def play_into(rows, first, observation, mask, streams, chance):
    """Random legal actions in every game, one for each step of the buffer, where each decision is written.

    rows int64 (n, columns) are the games `first`, `first` + 1, ... of the buffer, observation int8 (T, N, D) and
    mask int8 (T, N, 80). A game that ends begins anew. `streams`: intrinsics.can_stream of the observations.
    """
    chance = pointer(chance)
    for t in range(len(observation)):
        observations, masks = observation[t], mask[t]
        for i in range(len(rows)):
            row = row_of(rows, i)
            legal = legal_actions(row)
            if streams:
                encode(row, row[at.ACTOR], streamed_row_of(observations, first + i))
            else:
                encode(row, row[at.ACTOR], row_of(observations, first + i))
            put_mask(legal, row_of(masks, first + i))
            _take_one(row, legal, chance)
    fence()


@compiled
def play_bare(rows, steps, chance):
    """So many random legal actions in every game, and nothing written but the games themselves."""
    chance = pointer(chance)
    for _ in range(steps):
        for i in range(len(rows)):
            row = row_of(rows, i)
            _take_one(row, legal_actions(row), chance)


@compiled
def choose(rows, actions, chance):
    """A random legal action for each game: writes int64 (N,)."""
    chance = pointer(chance)
    for i in range(len(rows)):
        actions[i] = _one_of(legal_actions(row_of(rows, i)), chance)


@compiled
def mix(count, state):
    """A chain of 2 * `count` splitmix64 outputs, each seeded by the one before: nothing in it can be done at once."""
    for k in range(count):
        state = random_state(state, k)
    return state


@inlined
def _one_of(legal, chance):
    return act.nth(legal, random_below(chance, act.count(legal)))


@inlined
def _take_one(row, legal, chance):
    take_action(row, _one_of(legal, chance))
    if row[at.PHASE] == at.DEAL_OVER:
        next_deal(row)
        if row[at.PHASE] == at.GAME_OVER:
            restart(row)
