"""What the AEC environment hands out belongs to whoever got it: rewards, infos, observations, records."""

import random

import helpers
import numpy as np
import pytest

from piquet_env import auction_piquet_v0
from piquet_env.engine import actions as act
from piquet_env.notation import action_index

AGENTS = ("player_0", "player_1")


def step(env, rng) -> None:
    mask = env.observe(env.agent_selection)["action_mask"]
    env.step(helpers.choose(np.flatnonzero(mask).tolist(), rng))


def after_the_first_deal(**options):
    """A partie just after its first deal."""
    env, rng = auction_piquet_v0.env("auction", "partie", **options), random.Random(1)
    env.reset(seed=1)
    while "deal" not in env.infos["player_0"] or env.infos["player_0"]["deal"] is None:
        step(env, rng)
    return env, rng


def test_rewards_are_those_of_the_last_step():
    """Whatever was added to them before."""
    env, rng = after_the_first_deal()
    for _ in range(4):
        step(env, rng)
        assert env.rewards == dict.fromkeys(AGENTS, 0.0)
        env.rewards["player_0"] += 1


def test_the_result_of_a_deal_is_each_agents_own():
    env, _ = after_the_first_deal()
    right = dict(env.infos["player_1"]["deal"])
    env.infos["player_0"]["deal"]["score"] = "mine"
    assert env.infos["player_1"]["deal"] == right
    assert env.unwrapped.record()["deals"][0]["result"] == right


def test_a_record_that_was_loaded_is_not_handed_out():
    env, _ = after_the_first_deal()
    other = auction_piquet_v0.env("auction", "partie")
    other.reset(seed=2, options={"record": env.unwrapped.record()})
    right = other.unwrapped.record()
    other.unwrapped.record()["deals"][0]["result"]["score"] = None
    assert other.unwrapped.record() == right


def test_who_wins_by_the_others_illegal_move_keeps_his_news():
    env, _ = after_the_first_deal(illegal_action="lose")
    offender = env.agent_selection
    other = AGENTS[1 - AGENTS.index(offender)]
    env.step(act.REDOUBLE)
    assert "deal" in env.infos[other]
    assert "deal" not in env.infos[offender]


@pytest.mark.parametrize("looks", [1, 2])
def test_writing_into_an_observation_changes_nothing_but_it(looks):
    env, twin = (auction_piquet_v0.env("rubicon") for _ in range(2))
    env.reset(seed=3)
    twin.reset(seed=3)
    rng = random.Random(looks)
    for _ in range(60):
        for _ in range(looks):
            seen, *_ = env.last()
        wanted = twin.observe(twin.agent_selection)
        for name, array in seen.items():
            assert (array == wanted[name]).all()
            array[:] = 1
        for agent in AGENTS:
            assert all((env.observe(agent)[name] == twin.observe(agent)[name]).all() for name in seen)
        action = rng.choice(np.flatnonzero(wanted["action_mask"]).tolist())
        env.step(action)
        twin.step(action)
        if any(env.terminations.values()):
            break
    assert env.unwrapped.record() == twin.unwrapped.record()


def test_last_without_an_observation_leaves_it_for_later():
    env = auction_piquet_v0.env()
    env.reset(seed=4)
    assert env.last(observe=False)[0] is None
    seen = env.last()[0]
    assert (seen["observation"] == env.observe(env.agent_selection)["observation"]).all()
    env.step(action_index("+7"))
    assert (env.last()[0]["action_mask"] == env.infos[env.agent_selection]["action_mask"]).all()
