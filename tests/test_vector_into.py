"""SelfPlayVectorEnv: observations written straight into a rollout buffer, and packed."""

import numpy as np
import pytest
from vectors import pick

from piquet_env import SelfPlayVectorEnv, knowledge
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.intrinsics import can_stream

D = knowledge.OBSERVATION_SIZE


def unaligned_buffer(steps: int, games: int) -> tuple[np.ndarray, np.ndarray]:
    """The same as `rollout_buffer`, one byte beside where it may be written past the cache."""
    observation, mask = SelfPlayVectorEnv(games).rollout_buffer(steps)
    room = np.zeros(observation.size + 65, np.int8)
    first = -room.ctypes.data % 64 + 1
    return room[first : first + observation.size].reshape(observation.shape), mask


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("is_aligned", [True, False])
def test_a_rollout_written_into_a_buffer_is_the_one_handed_out(threads, is_aligned):
    env = SelfPlayVectorEnv(33, "auction", seed=5, threads=threads)
    twin = SelfPlayVectorEnv(33, "auction", seed=5)
    observation, mask = (env.rollout_buffer if is_aligned else lambda steps: unaligned_buffer(steps, 33))(100)
    assert can_stream(observation) == is_aligned
    env.reset()
    _, info = twin.reset()
    expected = []
    for step in range(100):
        actions = pick(info["action_mask"], step)
        seen, reward, terminated, truncated, info = twin.step(actions)
        expected.append((seen.copy(), info["action_mask"].copy()))
        given = env.step(actions, into=(observation[step], mask[step]))
        assert given[0] is not seen
        assert np.shares_memory(given[0], observation[step])
        assert np.shares_memory(given[4]["action_mask"], mask[step])
        assert (given[1] == reward).all()
        assert (given[2] == terminated).all()
        assert (given[3] == truncated).all()
        assert (given[4]["player"] == info["player"]).all()
    for step, (seen, legal) in enumerate(expected):  # nothing was written over later, nor beside
        assert (observation[step] == seen).all()
        assert (mask[step] == legal).all()
    env.close()


def test_an_array_that_cannot_be_written_into_changes_nothing():
    env = SelfPlayVectorEnv(4, "auction", seed=6)
    _, info = env.reset()
    actions = pick(info["action_mask"], 0)
    before = env.rows.copy()
    good, good_mask = np.zeros((4, D), np.int8), np.zeros((4, act.ACTIONS), np.int8)
    fixed = good.copy()
    fixed.flags.writeable = False
    for into in (
        (good[:3], good_mask),
        (good.astype(np.float32), good_mask),
        (np.zeros((4, 2 * D), np.int8)[:, ::2], good_mask),
        (fixed, good_mask),
        (good.tolist(), good_mask),
        (good, good_mask[:, :79]),
        (good, None),
    ):
        with pytest.raises(ValueError, match=r"into, (observation|mask): expected"):
            env.step(actions, into=into)
        assert (env.rows == before).all()
    with pytest.raises(ValueError, match="into: expected"):
        env.step(actions, into=good)
    both = np.zeros(4 * (D + act.ACTIONS), np.int8)
    with pytest.raises(ValueError, match="into: expected two arrays that share no memory"):
        env.step(actions, into=(both[: 4 * D].reshape(4, D), both[: 4 * act.ACTIONS].reshape(4, act.ACTIONS)))
    assert (env.rows == before).all()
    env.step(actions, into=(good, good_mask))
    assert (env.rows != before).any()


def test_into_gives_back_the_arrays_themselves_also_where_others_are_copied():
    env = SelfPlayVectorEnv(4, "auction", seed=6, copy=True)
    _, info = env.reset()
    observation, mask = np.zeros((4, D), np.int8), np.zeros((4, act.ACTIONS), np.int8)
    given = env.step(pick(info["action_mask"], 0), into=(observation, mask))
    assert given[0] is observation
    assert given[4]["action_mask"] is mask


def test_packed_bits_are_the_same_bits():
    """knowledge writes int64 arrays as words of 64 bits, the lowest first."""
    env = SelfPlayVectorEnv(50, "cavendish", "partie", seed=7)
    _, info = env.reset()
    for step in range(60):
        observation, _, _, _, info = env.step(pick(info["action_mask"], step))
    rows, player = env.rows.copy(), np.zeros(50, np.int64)
    words, legal = np.zeros((50, D // 64), np.int64), np.zeros((50, 2), np.int64)
    knowledge.observe_rows(rows, words, legal, player)
    states = np.zeros((50, -(-knowledge.STATE_SIZE // 64)), np.int64)
    knowledge.state_rows(rows, rows[:, at.ACTOR], states)
    for packed, spread in ((words, observation), (legal, info["action_mask"]), (states, env.full_state())):
        bits = np.unpackbits(packed.view(np.uint8), axis=1, bitorder="little")
        assert (bits[:, : spread.shape[1]] == spread).all()
        assert not bits[:, spread.shape[1] :].any()
