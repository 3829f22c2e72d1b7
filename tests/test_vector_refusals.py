"""SelfPlayVectorEnv: what it refuses, and deals that are thrown in."""

import random

import numpy as np
import pytest
from helpers import NAMES
from vectors import pick

from piquet_env import Rules, SelfPlayVectorEnv, action_index
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.rules import RULE_COLUMNS

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


def test_restore_goes_on_from_rows_and_refuses_what_are_none():
    env, other = SelfPlayVectorEnv(5, "auction", seed=3), SelfPlayVectorEnv(5, "auction", seed=4)
    _, info = env.reset()
    for _ in range(20):
        _, _, _, _, info = env.step(info["action_mask"].argmax(1))
    observation, again = other.restore(env.rows)
    assert (again["action_mask"] == info["action_mask"]).all()
    assert (observation == env.full_state()[:, : observation.shape[1]]).all()
    actions = info["action_mask"].argmax(1)
    assert (env.step(actions)[0] == other.step(actions)[0]).all()
    before = other.rows.copy()
    junk = np.full_like(before, 10**6)
    junk[:, : len(RULE_COLUMNS) + 1] = before[:, : len(RULE_COLUMNS) + 1]
    for rows in ("x", before[:2], before.astype(np.int32), SelfPlayVectorEnv(5, "mini").rows, junk):
        with pytest.raises(ValueError, match="rows"):
            other.restore(rows)
        assert (other.rows == before).all()


@pytest.mark.parametrize("name", NAMES)
def test_restore_refuses_a_row_in_which_one_number_is_wrong(name):
    """Whatever it is: no such game can be. What earlier deals brought is all that may differ."""
    rng = random.Random(f"restore {name}")
    env, other = SelfPlayVectorEnv(40, name, "partie", seed=5), SelfPlayVectorEnv(40, name, "partie", seed=6)
    _, info = env.reset()
    for _ in range(25):
        _, _, _, _, info = env.step(pick(info["action_mask"], rng.getrandbits(30)))
    other.restore(env.rows)
    before = other.rows.copy()
    for column in range(at.PHASE, at.COLUMNS):
        field = next(f for f in at.FIELDS if f.start <= column < f.start + f.size)
        rows, game = before.copy(), rng.randrange(40)
        right = int(rows[game, column])
        wrong = {rng.randint(field.low, field.high), field.low, field.high, right ^ 32, right ^ 1 << rng.randrange(61)}
        wrong = {number for number in wrong - {right} if field.low <= number <= field.high}
        for rows[game, column] in wrong:
            with pytest.raises(ValueError, match=f"rows: game {game}: no game comes to this row"):
                other.restore(rows)
    assert (other.rows == before).all()


def test_restore_refuses_earlier_deals_that_would_have_ended_the_episode():
    def refused(env, column, number):
        rows = env.rows.copy()
        rows[0, column] = number
        with pytest.raises(ValueError, match="rows: game 0: no game comes to this row"):
            env.restore(rows)

    deal = SelfPlayVectorEnv(2, {"base": "auction", "max_thrown_in": 3}, seed=7)
    refused(deal, at.THROWN_IN, 3)
    refused(deal, at.COMPLETED, 1)
    refused(deal, at.TOTALS + 1, 5)
    refused(SelfPlayVectorEnv(2, "auction", "partie", seed=7), at.COMPLETED, 6)
    refused(SelfPlayVectorEnv(2, "cent", "partie", seed=7), at.TOTALS, 100)


def test_seeds_and_actions_of_other_integer_types():
    assert (SelfPlayVectorEnv(2, seed=np.array(5)).rows == SelfPlayVectorEnv(2, seed=np.int8(5)).rows).all()
    for seed, error in ((True, TypeError), (1.0, TypeError), ("1", TypeError), (-1, ValueError), (2**63, ValueError)):
        with pytest.raises(error, match="seed"):
            SelfPlayVectorEnv(2, seed=seed)
    env = SelfPlayVectorEnv(1, seed=1)
    env.reset()
    for action in (np.array([2**64 - 30], np.uint64), np.array([-30]), np.array([200], np.uint8)):
        with pytest.raises(ValueError, match=rf"action {action[0]} is not legal"):
            env.step(action)
    env.step(np.array([action_index("pass")], np.uint8))
