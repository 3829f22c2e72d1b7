"""What the environments do in one call of compiled code: play and look, in one game or in every game of a batch.

A call costs Python more than playing does; and in a batch each game's row comes into the processor's cache once in a
step, whatever is done with it. No rule is here.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS, count, nth
from piquet_env.engine.batch import end_deal
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.game import apply_action, legal_actions, take_action
from piquet_env.engine.intrinsics import CACHE_LINE, fence, pointer, row_of, streamed_row_of
from piquet_env.envs.auctions import begin_episode, settle_deal
from piquet_env.knowledge import OBSERVATION_SIZE, phase_seen_by
from piquet_env.knowledge.encode import encode
from piquet_env.knowledge.observe import put_mask

ILLEGAL, DEAL_IS_OVER = -1, -2  # what play_one returns instead


def aligned_zeros(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Zeros that begin at a line of the processor's cache."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    room = np.zeros(size + CACHE_LINE, np.int8)
    first = -room.ctypes.data % CACHE_LINE
    return room[first : first + size].view(dtype).reshape(shape)


class Buffers(NamedTuple):
    """What a step writes, an entry for each of N games. `make` aligns what is written past the cache."""

    observation: NDArray[np.int8]
    """(N, D)"""
    mask: NDArray[np.int8]
    """(N, 80)"""
    player: NDArray[np.int64]
    """(N,)"""
    reward: NDArray[np.float32]
    """(N, 2)"""
    terminated: NDArray[np.bool_]
    """(N,)"""
    truncated: NDArray[np.bool_]
    """(N,)"""
    deal_over: NDArray[np.bool_]
    """(N,)"""
    finished: NDArray[np.int64]
    """(N, columns), valid where deal_over"""
    final_observation: NDArray[np.int8]
    """(2 * N, D), valid where the episode ended: of player_0 and player_1 of the first game, of the second, ..."""

    @classmethod
    def make(cls, n: int) -> Buffers:
        """All zeros."""
        return cls(
            observation=np.zeros((n, OBSERVATION_SIZE), np.int8),
            mask=np.zeros((n, ACTIONS), np.int8),
            player=np.zeros(n, np.int64),
            reward=np.zeros((n, 2), np.float32),
            terminated=np.zeros(n, np.bool_),
            truncated=np.zeros(n, np.bool_),
            deal_over=np.zeros(n, np.bool_),
            finished=aligned_zeros((n, at.COLUMNS), np.int64),
            final_observation=aligned_zeros((2 * n, OBSERVATION_SIZE), np.int8),
        )

    def of(self, part: slice) -> Buffers:
        """Views for the games of a slice."""
        twice = slice(2 * part.start, 2 * part.stop)
        return Buffers._make([*(array[part] for array in self[:-1]), self.final_observation[twice]])


def rollout_buffer(steps: int, games: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Observations (steps, games, D) and masks (steps, games, 80), all 0, that begin at a multiple of 64 bytes."""
    observation = aligned_zeros((steps, games, OBSERVATION_SIZE), np.int8)
    return observation, np.zeros((steps, games, ACTIONS), np.int8)


@compiled
def observe_games(rows, legal, out):
    """What the player to act in each game sees and may do: writes observation, mask, player of `out`, and `legal`."""
    observation, mask, player = out.observation, out.mask, out.player
    for i in range(len(rows)):
        _observe(row_of(rows, i), row_of(legal, i), row_of(observation, i), row_of(mask, i))
        player[i] = rows[i, at.ACTOR]


@inlined
def _observe(row, legal, observation, mask):
    words = legal_actions(row)
    legal[0], legal[1] = words
    encode(row, row[at.ACTOR], observation)
    put_mask(words, mask)


@inlined
def step_row(row, action, kind, skip_forced, playout, finished):
    """Take an action, go on to the next decision: (player_0's reward, whether a deal was finished).

    `finished`, a streamed_row_of, becomes the row of the deal that was.
    """
    reward, deal_over = 0, False
    while True:
        take_action(row, action)
        if row[at.PHASE] == at.DEAL_OVER:
            settle_deal(row, playout)
            reward += end_deal(row, kind, finished)
            deal_over = True
        if not skip_forced or row[at.PHASE] == at.GAME_OVER or not _is_forced(row):
            return reward, deal_over
        action = nth(legal_actions(row), 0)


@compiled
def _is_forced(row):
    return count(legal_actions(row)) == 1


@compiled
def step_games(rows, legal, actions, kind, skip_forced, streams, playout, out):
    """One legal action in every game; games that end begin anew at once (same-step autoreset).

    rows int64 (N, columns), actions int64 (N,), kind of reward (engine.batch), playout (bidding.episodes). Writes all
    of `out` (Buffers), its observations past the cache if `streams` is true (intrinsics.can_stream), and the legal
    actions of the new position into `legal`, int64 (N, 2).
    """
    observation, mask, player, reward, terminated, truncated, deal_over, finished, final_observation = out
    for i in range(len(rows)):
        row = row_of(rows, i)
        gained, deal_over[i] = step_row(row, actions[i], kind, skip_forced, playout, streamed_row_of(finished, i))
        reward[i, 0] = gained
        reward[i, 1] = -gained
        over = row[at.PHASE] == at.GAME_OVER
        truncated[i] = over and row[at.TRUNCATED] == 1
        terminated[i] = over and row[at.TRUNCATED] == 0
        if over:
            encode(row, 0, streamed_row_of(final_observation, 2 * i))
            encode(row, 1, streamed_row_of(final_observation, 2 * i + 1))
            begin_episode(row, playout)
        player[i] = row[at.ACTOR]
        if streams:
            _observe(row, row_of(legal, i), streamed_row_of(observation, i), row_of(mask, i))
        else:
            _observe(row, row_of(legal, i), row_of(observation, i), row_of(mask, i))
    fence()


@compiled
def play_one(row, action, observation, mask):
    """Take an action in a single game, and `look_at` what has come of it unless that ends the deal.

    Returns what `look_at` does; DEAL_IS_OVER; or, where the action is not legal, ILLEGAL, and the row is untouched.
    """
    row = pointer(row)
    if not apply_action(row, action):
        return ILLEGAL
    if row[at.PHASE] == at.DEAL_OVER:
        return DEAL_IS_OVER
    return look_at(row, observation, mask)


@compiled
def look_at(row, observation, mask):
    """What the player to act sees and may do: writes int8 (D,) and int8 (80,).

    Returns the player, 2 * the phase, and 32 * the phase as the other player sees it, in one number.
    """
    row, words, player = pointer(row), legal_actions(row), row[at.ACTOR]
    encode(row, player, pointer(observation))
    put_mask(words, pointer(mask))
    return player | row[at.PHASE] << 1 | phase_seen_by(row, 1 - player) << 5
