"""SelfPlayVectorEnv: thousands of games in arrays, each of them the game that it would be alone."""

import random

import helpers
import numpy as np
import pytest
from helpers import NAMES
from vectors import assert_same, pick, play

from piquet_env import SelfPlayVectorEnv, knowledge
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.rules import RULESETS

KINDS = [("deal", "score"), ("deal", "win"), ("partie", "score"), ("partie", "payment"), ("partie", "win")]


# ------------------------------------------------------------------ what comes out


def test_shapes_and_types():
    env = SelfPlayVectorEnv(5, "auction", seed=1)
    observation, info = env.reset()
    size = env.single_observation_space.shape[0]
    assert size == knowledge.OBSERVATION_SIZE <= 1400
    assert env.single_action_space.n == 80
    observation, reward, terminated, truncated, info = env.step(pick(info["action_mask"], 0))
    expected = {
        "observation": (observation, (5, size), np.int8),
        "reward": (reward, (5, 2), np.float32),
        "terminated": (terminated, (5,), np.bool_),
        "truncated": (truncated, (5,), np.bool_),
        "mask": (info["action_mask"], (5, 80), np.int8),
        "player": (info["player"], (5,), np.int64),
        "deal_over": (info["deal_over"], (5,), np.bool_),
        "finished": (info["finished"], (5, at.COLUMNS), np.int64),
        "final_obs": (info["final_obs"], (5, 2, size), np.int8),
        "_final_obs": (info["_final_obs"], (5,), np.bool_),
        "state": (env.full_state(), (5, knowledge.STATE_SIZE), np.int8),
        "known_rows": (env.known_rows(), (5, at.COLUMNS), np.int64),
    }
    for name, (array, shape, kind) in expected.items():
        assert (array.shape, array.dtype) == (shape, kind), name
        assert array.flags.c_contiguous, name
    assert env.single_observation_space.contains(observation[0])


def test_what_is_handed_out_belongs_to_the_rows():
    env = SelfPlayVectorEnv(40, "auction", "partie", seed=2)
    observation, info = env.reset()
    for step in range(300):
        states, known = env.full_state(), env.known_rows()
        for i in range(0, 40, 7):
            row, player = env.rows[i], int(info["player"][i])
            assert player == row[at.ACTOR]
            assert (observation[i] == knowledge.observation(row, player)).all()
            assert (info["action_mask"][i] == knowledge.action_mask(row, player)).all()
            assert (states[i] == knowledge.state(row, player)).all()
            assert (known[i] == helpers.hidden(row, player)).all()
        observation, _, _, _, info = env.step(pick(info["action_mask"], step))


# ------------------------------------------------------------------ the same game


@pytest.mark.parametrize("name", NAMES)
def test_a_game_does_not_depend_on_the_batch(name):
    """Nor on threads: game i is game i in any batch that is large enough."""
    large = play(SelfPlayVectorEnv(23, name, "partie", seed=3), 150)
    small = play(SelfPlayVectorEnv(4, name, "partie", seed=3), 150)
    assert_same(large, small, slice(0, 4))
    for threads in (2, 3, 100):
        env = SelfPlayVectorEnv(23, name, "partie", seed=3, threads=threads)
        assert_same(large, play(env, 150))
        env.close()


@pytest.mark.parametrize(("episode", "reward"), KINDS)
@pytest.mark.parametrize("name", ["auction", "cent", "mini"])
def test_against_the_single_game(name, episode, reward):
    """Autoreset in the same step, with the final values kept: compared with the game stepped by hand."""
    env = SelfPlayVectorEnv(6, name, episode, reward, seed=4)
    alone = [helpers.new_row(RULESETS[name], episode == "partie", 4, i) for i in range(6)]
    _, info = env.reset()
    ends = 0
    for step in range(900 if episode == "partie" else 200):
        actions = pick(info["action_mask"], step)
        observation, rewards, terminated, truncated, info = env.step(actions)
        for i, row in enumerate(alone):
            finished, gained = _step_by_hand(row, actions[i], reward)
            is_over = row[at.PHASE] == at.GAME_OVER
            assert info["deal_over"][i] == (finished is not None)
            assert rewards[i].tolist() == [gained, -gained]
            assert (terminated[i], truncated[i]) == (is_over and not row[at.TRUNCATED], is_over and row[at.TRUNCATED])
            assert info["_final_obs"][i] == is_over
            if finished is not None:
                assert (info["finished"][i] == finished).all()
            if is_over:
                ends += 1
                for player in (0, 1):
                    assert (info["final_obs"][i, player] == knowledge.observation(finished, player)).all()
                game.restart(row)
            assert (env.rows[i] == row).all()
            assert (observation[i] == knowledge.observation(row, int(row[at.ACTOR]))).all()
    assert ends > 5


def _step_by_hand(row, action, reward):
    """(the row of the deal that was finished or None, player_0's reward); the row may be left in GAME_OVER."""
    assert game.apply_action(row, action)
    if row[at.PHASE] != at.DEAL_OVER:
        return None, 0
    finished, lead = row.copy(), int(game.difference(row))
    game.next_deal(row)
    if row[at.PHASE] == at.GAME_OVER:
        finished = row.copy()
    if row[at.TRUNCATED]:
        return finished, 0
    if reward == "score":
        return finished, lead
    if row[at.PHASE] != at.GAME_OVER:
        return finished, 0
    total = int(row[at.TOTALS] - row[at.TOTALS + 1])
    return finished, int(game.payment(row, 0)) if reward == "payment" else (total > 0) - (total < 0)


def test_the_new_episode_is_another():
    env = SelfPlayVectorEnv(3, "micro", seed=5)
    _, info = env.reset()
    dealt = {(int(row[at.DEALER]), *helpers.dealt_cards(row)) for row in env.rows}
    for step in range(300):
        _, _, terminated, _, info = env.step(pick(info["action_mask"], step))
        for i in np.flatnonzero(terminated):
            dealt.add((int(env.rows[i, at.DEALER]), *helpers.dealt_cards(env.rows[i])))
    assert len(dealt) > 40


def test_reset():
    env = SelfPlayVectorEnv(4, "auction", seed=6)
    first = play(env, 60)
    again = play(env, 60, seed=6)
    assert_same(first, again)
    third = play(env, 60)  # no seed: the generators go on
    assert not (third[0]["observation"] == first[0]["observation"]).all()
    other = play(SelfPlayVectorEnv(4, "auction", seed=7), 60)
    assert not (other[0]["observation"] == first[0]["observation"]).all()
    assert not (SelfPlayVectorEnv(2, seed=None).rows == SelfPlayVectorEnv(2, seed=None).rows).all()
    _, info = env.reset()
    assert not info["deal_over"].any()
    assert not info["_final_obs"].any()


# ------------------------------------------------------------------ forced moves


def decisions(env: SelfPlayVectorEnv, steps: int) -> list[list[tuple]]:
    """For each game what was dealt and gained, deal by deal; actions come from the position alone."""
    _, info = env.reset()
    deals: list[list[tuple]] = [[] for _ in range(env.num_envs)]
    gained = np.zeros(env.num_envs)
    for _ in range(steps):
        chosen = np.array([_by_position(row) for row in env.rows], np.int64)
        _, reward, _, _, info = env.step(chosen)
        gained += reward[:, 0]
        for i in np.flatnonzero(info["deal_over"]):
            row = info["finished"][i]
            deals[i].append((tuple(helpers.dealt_cards(row)), tuple(helpers.history(row)), gained[i]))
            gained[i] = 0
    return deals


def _by_position(row) -> int:
    legal = helpers.legal(row)
    return random.Random(row[at.PHASE :].tobytes()).choice(legal)


@pytest.mark.parametrize("name", NAMES)
def test_skipping_forced_moves_changes_no_deal_and_no_reward(name):
    arguments = {"num_envs": 5, "rules": name, "episode": "partie", "seed": 8}
    every = decisions(SelfPlayVectorEnv(**arguments), 260)
    skipping = decisions(SelfPlayVectorEnv(**arguments, skip_forced=True), 260)
    for one, other in zip(every, skipping, strict=True):
        assert len(other) > len(one) > 3  # fewer steps to a deal
        assert other[: len(one)] == one


def test_skipped_moves_are_forced_and_no_other():
    env = SelfPlayVectorEnv(30, "auction", seed=9, skip_forced=True)
    _, info = env.reset()
    for step in range(400):
        before = env.rows.copy()
        actions = pick(info["action_mask"], step)
        _, _, _, _, info = env.step(actions)
        assert (info["action_mask"].sum(1) > 1).all()  # the first move of an episode of this game is a bid
        if step % 20 == 0:
            for i in np.flatnonzero(~info["deal_over"]):
                row = before[i]
                assert game.apply_action(row, actions[i])
                while len(helpers.legal(row)) == 1:
                    assert game.apply_action(row, helpers.legal(row)[0])
                assert (row == env.rows[i]).all()


# ------------------------------------------------------------------ arrays


def test_what_a_call_returns_is_intact_after_the_next():
    """Last and next observation are different arrays."""
    env = SelfPlayVectorEnv(20, "auction", seed=10)
    observation, info = env.reset()
    for step in range(200):
        kept = (observation.copy(), {name: array.copy() for name, array in info.items()})
        following = env.step(pick(info["action_mask"], step))
        assert not np.shares_memory(observation, following[0])
        assert (observation == kept[0]).all()
        assert all((array == kept[1][name]).all() for name, array in info.items())
        observation, info = following[0], following[4]


def test_copies_to_keep():
    env = SelfPlayVectorEnv(8, "auction", seed=11, copy=True)
    _, info = env.reset()
    kept, given = [], []
    for step in range(120):
        result = env.step(pick(info["action_mask"], step))
        info = result[4]
        arrays = [*result[:4], *info.values()]
        given.append(arrays)
        kept.append([array.copy() for array in arrays])
    for first, second in zip(given, kept, strict=True):
        assert all((a == b).all() for a, b in zip(first, second, strict=True))
    copying = SelfPlayVectorEnv(8, "auction", seed=11, copy=True)
    assert_same(play(copying, 50), play(SelfPlayVectorEnv(8, "auction", seed=11), 50))


def test_torch_takes_the_arrays_without_copying():
    torch = pytest.importorskip("torch", reason="torch is an extra")
    env = SelfPlayVectorEnv(8, "auction", seed=12)
    _, info = env.reset()
    observation, reward, _, _, info = env.step(pick(info["action_mask"], 0))
    for array in (observation, reward, info["action_mask"], info["player"], env.full_state()):
        assert torch.from_numpy(array).data_ptr() == array.ctypes.data
        assert np.shares_memory(torch.from_numpy(array).numpy(), array)


def test_the_caller_may_write_into_what_he_was_given():
    """The environment reads nothing back from the arrays that it hands out."""
    env, other = SelfPlayVectorEnv(6, seed=13), SelfPlayVectorEnv(6, seed=13)
    _, info = env.reset()
    other.reset()
    for step in range(100):
        actions = pick(info["action_mask"], step)
        info["action_mask"][:] = 1
        info["finished"][:] = 99
        observation, reward, terminated, _, info = env.step(actions)
        result = other.step(actions)
        assert (reward == result[1]).all()
        assert (observation == result[0]).all()
        observation[:], reward[:], terminated[:] = 1, 5, True
