"""SelfPlayVectorEnv: thousands of games in arrays, each of them the game that it would be alone."""

import copy
import multiprocessing
import os
import pickle
import random

import helpers
import numpy as np
import pytest
from helpers import NAMES

from piquet_env import Rules, SelfPlayVectorEnv, knowledge
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.rules import RULESETS

KINDS = [("deal", "score"), ("deal", "win"), ("partie", "score"), ("partie", "payment"), ("partie", "win")]


def pick(mask: np.ndarray, step: int) -> np.ndarray:
    """A legal action in each game that depends on the game's mask and the step alone, and passes now and then."""
    chosen = np.zeros(len(mask), np.int64)
    for i, row in enumerate(mask):
        legal = np.flatnonzero(row)
        chosen[i] = legal[(7919 * step + 31 * int(legal.sum()) + len(legal)) % len(legal)]
    return chosen


def play(env: SelfPlayVectorEnv, steps: int, seed=None) -> list[dict[str, np.ndarray]]:
    """Everything that the environment hands out, copied."""
    observation, info = env.reset(seed=seed)
    seen = [_copied(observation, info)]
    for step in range(steps):
        observation, reward, terminated, truncated, info = env.step(pick(info["action_mask"], step))
        seen.append(_copied(observation, info, reward=reward, terminated=terminated, truncated=truncated))
    return seen


def _copied(observation, info, **arrays):
    """Without what is not valid."""
    kept = {name: np.copy(array) for name, array in {"observation": observation, **info, **arrays}.items()}
    kept["finished"][~kept["deal_over"]] = 0
    kept["final_obs"][~kept["_final_obs"]] = 0
    return kept


def assert_same(first, second, part=slice(None)):
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        assert one.keys() == other.keys()
        for name in one:
            assert np.array_equal(one[name][part], other[name]), name


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


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize("bad", [-1, 80, 81, 2**40, -(2**40), act.REDOUBLE, 0])
@pytest.mark.parametrize("threads", [1, 3])
def test_an_illegal_action_leaves_every_game_as_it_was(bad, threads):
    env = SelfPlayVectorEnv(9, "auction", seed=14, threads=threads)
    observation, info = env.reset()
    before, seen = env.rows.copy(), observation.copy()
    actions = pick(info["action_mask"], 0)
    for place in (0, 4, 8):
        wrong = actions.copy()
        wrong[place] = bad
        with pytest.raises(ValueError, match=rf"game {place}: .*{bad}.*legal are"):
            env.step(wrong)
        assert (env.rows == before).all()
        assert (observation == seen).all()
    env.step(actions)
    assert (env.rows != before).any(axis=1).all()


@pytest.mark.parametrize(
    "bad",
    [
        np.zeros(4, np.float64),
        np.zeros(4, np.bool_),
        np.zeros(3, np.int64),
        np.zeros(5, np.int64),
        np.zeros((4, 1), np.int64),
        np.int64(3),
        None,
        ["+7", "+7", "+7", "+7"],
        np.array([34.0, 34.0, 34.0, np.nan]),
    ],
)
def test_actions_of_the_wrong_kind(bad):
    env = SelfPlayVectorEnv(4, "auction", seed=15)
    env.reset()
    before = env.rows.copy()
    with pytest.raises(ValueError, match=r"actions: expected integers of shape \(4,\)"):
        env.step(bad)
    assert (env.rows == before).all()


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, np.int64, list, tuple])
def test_integers_of_every_kind_are_taken(kind):
    env = SelfPlayVectorEnv(3, "auction", seed=16)
    env.reset()
    actions = [act.PLUS] * 3
    env.step(kind(actions) if kind in (list, tuple) else np.array(actions, kind))
    assert (env.rows[:, at.LEVEL] == 7).all()


def test_huge_unsigned_numbers_are_not_taken_for_others():
    env = SelfPlayVectorEnv(1, "auction", seed=16)
    env.reset()
    with pytest.raises(ValueError, match="game 0"):
        env.step(np.array([2**64 - 1 - (2**63 - 1 - act.PLUS)], np.uint64))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"num_envs": 0}, ValueError, "num_envs"),
        ({"num_envs": -3}, ValueError, "num_envs"),
        ({"num_envs": 2.0}, ValueError, "num_envs"),
        ({"num_envs": True}, ValueError, "num_envs"),
        ({"threads": 0}, ValueError, "threads"),
        ({"threads": "2"}, ValueError, "threads"),
        ({"episode": "match"}, ValueError, "episode"),
        ({"reward": "points"}, ValueError, "reward"),
        ({"reward": "payment"}, ValueError, "payment"),
        ({"rules": "bridge"}, ValueError, "bridge"),
        ({"rules": {"hand_size": 5}}, ValueError, "highest_level"),
        ({"rules": {"handsize": 5}}, ValueError, "handsize"),
        ({"rules": 7}, ValueError, "rules"),
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": 2**63}, ValueError, "seed"),
        ({"seed": 1.5}, TypeError, "seed"),
        ({"seed": True}, TypeError, "seed"),
    ],
)
def test_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        SelfPlayVectorEnv(**{"num_envs": 2, **arguments})


def test_bad_calls():
    env = SelfPlayVectorEnv(2, "auction", seed=17)
    with pytest.raises(ValueError, match="reset"):
        env.step([act.PASS, act.PASS])
    with pytest.raises(ValueError, match="options"):
        env.reset(options={"record": {}})
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=-1)
    env.reset(options={})
    env.step([act.PASS, act.PASS])


def test_rules_in_every_form():
    for rules in ("rubicon", Rules.make("rubicon"), {"base": "rubicon"}, {"base": "rubicon", "sinking": True}):
        assert (SelfPlayVectorEnv(3, rules, seed=18).rows == SelfPlayVectorEnv(3, "rubicon", seed=18).rows).all()


# ------------------------------------------------------------------ thrown in


@pytest.mark.parametrize("episode", ["deal", "partie"])
def test_two_that_always_pass_are_cut_off(episode):
    env = SelfPlayVectorEnv(3, {"max_thrown_in": 4}, episode, seed=19)
    env.reset()
    dealers = env.rows[:, at.DEALER].copy()
    for step in range(1, 9):
        _, reward, terminated, truncated, info = env.step([act.PASS] * 3)
        assert (reward == 0).all()
        assert not terminated.any()
        assert (info["deal_over"] == (step % 2 == 0)).all()
        assert (truncated == (step == 8)).all()
        if step < 8:
            assert (env.rows[:, at.DEALER] == dealers).all()  # the same dealer deals again
    assert (info["finished"][:, at.TRUNCATED] == 1).all()
    assert (env.rows[:, at.THROWN_IN] == 0).all()


def test_a_deal_thrown_in_is_over_where_the_rules_say_so():
    env = SelfPlayVectorEnv(3, "micro", seed=20)
    env.reset()
    env.step([act.PASS] * 3)
    _, reward, terminated, truncated, _ = env.step([act.PASS] * 3)
    assert terminated.all()
    assert not truncated.any()
    assert (reward == 0).all()


# ------------------------------------------------------------------ copies and processes


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("copied", [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy])
def test_a_copy_in_mid_game_goes_on_the_same(threads, copied):
    env = SelfPlayVectorEnv(8, "auction", "partie", seed=21, threads=threads)
    _, info = env.reset()
    for step in range(70):
        _, _, _, _, info = env.step(pick(info["action_mask"], step))
    twin = copied(env)
    mask = info["action_mask"].copy()
    first = _go_on(env, mask, 100)
    assert _go_on(twin, mask, 100) == first
    env.close()
    twin.close()


def _go_on(env, mask, steps) -> bytes:
    """Everything observed, and the last rows."""
    seen = b""
    for step in range(steps):
        observation, reward, _, _, info = env.step(pick(mask, step))
        mask = info["action_mask"]
        seen += observation.tobytes() + reward.tobytes()
    return seen + env.rows.tobytes()


def test_a_copy_before_the_first_reset():
    env = SelfPlayVectorEnv(3, "auction", seed=22)
    twin = pickle.loads(pickle.dumps(env))
    assert_same(play(env, 20), play(twin, 20))


def test_closing_ends_nothing_but_the_threads():
    env = SelfPlayVectorEnv(6, "auction", seed=23, threads=2)
    _, info = env.reset()
    env.close()
    env.close()
    env.step(pick(info["action_mask"], 0))
    env.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_works_in_a_forked_child(threads):
    """Stepped before the fork, so that the threads of the parent exist, and in both afterwards."""
    env = SelfPlayVectorEnv(16, "auction", "partie", seed=24, threads=threads)
    _, info = env.reset()
    _, _, _, _, info = env.step(pick(info["action_mask"], 0))
    mask = info["action_mask"].copy()
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=lambda: answers.put(_go_on(env, mask, 40)))
    child.start()
    of_child = answers.get(timeout=120)
    child.join(timeout=60)
    assert child.exitcode == 0
    assert of_child == _go_on(env, mask, 40)
    env.close()


def _in_another_process(arguments: dict, steps: int, answers) -> None:
    """A module's function, as spawn needs."""
    env = SelfPlayVectorEnv(**arguments)
    _, info = env.reset()
    answers.put(_go_on(env, info["action_mask"], steps))


def test_a_spawned_process_deals_the_same():
    arguments = {"num_envs": 4, "rules": "cavendish", "episode": "partie", "seed": 25}
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    child = context.Process(target=_in_another_process, args=(arguments, 50, answers))
    child.start()
    of_child = answers.get(timeout=300)
    child.join(timeout=60)
    assert child.exitcode == 0
    env = SelfPlayVectorEnv(**arguments)
    _, info = env.reset()
    assert of_child == _go_on(env, info["action_mask"], 50)
