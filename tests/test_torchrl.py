"""TorchRL's wrapper on the environment, and the wrapper of ours that it needs."""

import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test

from piquet_env import auction_piquet_v0
from piquet_env.envs.bare import BareInfos

PLAYERS = ["player_0", "player_1"]


def wrapped(**options):
    libs = pytest.importorskip("torchrl.envs", reason="pip install 'piquet-env[examples]'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of PettingZoo's version
        return libs.PettingZooWrapper(BareInfos(auction_piquet_v0.env(rules="mini")), use_mask=True, **options)


@pytest.mark.filterwarnings("ignore::UserWarning:pettingzoo")
def test_infos_are_empty_and_the_rest_is_the_environments_own():
    api_test(BareInfos(auction_piquet_v0.env(rules="mini")), num_cycles=200)
    bare, env = BareInfos(auction_piquet_v0.env(rules="mini")), auction_piquet_v0.env(rules="mini")
    rng = np.random.default_rng(0)
    for seed in range(20):
        bare.reset(seed=seed)
        env.reset(seed=seed)
        for agent in env.agent_iter():
            seen, *rest, info = bare.last()
            expected, *others, _ = env.last()
            assert bare.agent_selection == agent
            assert rest == others
            assert (info, bare.infos) == ({}, {key: {} for key in env.infos})
            np.testing.assert_array_equal(seen["observation"], expected["observation"])
            is_over = rest[1] or rest[2]
            action = None if is_over else int(rng.choice(np.flatnonzero(expected["action_mask"])))
            bare.step(action)
            env.step(action)


@pytest.mark.parametrize("options", [{}, {"return_state": True}, {"group_map": {"players": PLAYERS}}])
def test_torchrl_finds_its_specs_right(options):
    env = wrapped(**options)
    # By chance alone both may pass at once; the game is over then, and TorchRL finds no action to draw.
    pytest.importorskip("torch", reason="TorchRL needs it").manual_seed(0)
    env.set_seed(0)
    pytest.importorskip("torchrl.envs", reason="pip install 'piquet-env[examples]'").check_env_specs(env, seed=0)


def test_torchrl_plays_legal_actions_and_is_given_both_rewards():
    env = wrapped(group_map={"players": PLAYERS})
    env.set_seed(0)
    played = env.rollout(400, break_when_any_done=False)
    players, after = played["players"], played["next", "players"]
    assert players["mask"].sum(-1).eq(1).all()  # one of the two acts
    taken = players["action_mask"].gather(-1, players["action"][..., None])
    assert taken.squeeze(-1)[players["mask"]].all()
    assert after["reward"].sum(1).eq(0).all()
    assert after["reward"].ne(0).any()
    is_over = played["next", "done"].squeeze(-1)
    assert is_over.sum() > 10
    assert after["reward"][~is_over].eq(0).all()
