"""Stable-Baselines3 and sb3-contrib: learning in its VecEnv, and what was learned as a bot."""

import copy
import json
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="these tests are of sb3-contrib: pip install 'piquet-env[examples]'")

import gymnasium
import torch
from commands import run_command
from gymnasium import spaces
from opponents import Lowest, Passing
from sb3_contrib import MaskablePPO, RecurrentPPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize
from vectors import pick

from piquet_env import OpponentPool, SelfPlayVectorEnv
from piquet_env.arena.match import play_match
from piquet_env.bots import BotError, load_bot, views_of
from piquet_env.bots.policy import legal_actions_of, probabilities_of
from piquet_env.bots.sb3 import SB3Bot
from piquet_env.envs.sb3 import SB3VecEnv
from piquet_env.envs.single_agent import SingleAgentEnv
from piquet_env.envs.single_agent_vector import SingleAgentVectorEnv

torch.set_num_threads(1)  # tests run side by side
SMALL = {"policy_kwargs": {"net_arch": [16]}, "n_steps": 16, "batch_size": 64, "n_epochs": 1, "device": "cpu"}


@pytest.fixture(scope="module")
def model():
    """A small one that has learned a little."""
    made = MaskablePPO("MlpPolicy", SB3VecEnv(8, opponent="random", rules="micro", reward="win"), seed=1, **SMALL)
    return made.learn(256)


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("sb3") / "model.zip"
    model.save(path)
    return str(path)


def some_views(rules="auction", games=32, steps=9):
    env = SelfPlayVectorEnv(games, rules, seed=5)
    _, info = env.reset()
    for step in range(steps):
        *_, info = env.step(pick(info["action_mask"], step))
    return views_of(np.array(env.rows))


# ------------------------------------------------------------------ environments


def test_sb3_accepts_the_single_environment(recwarn):
    check_env(SingleAgentEnv("random"))
    check_env(gymnasium.make("piquet_env/AuctionPiquet-v0", opponent="greedy", rules="micro"))
    assert [str(warning.message) for warning in recwarn] == []
    assert not is_image_space(SingleAgentEnv("random").observation_space)


def test_masks_are_found_by_sb3_contrib():
    env = SB3VecEnv(5, opponent="random")
    env.seed(1)
    env.reset()
    for made in (env, VecMonitor(env)):
        assert is_masking_supported(made)
        masks = get_action_masks(made)
        assert masks.dtype == np.bool_
        assert np.array_equal(masks, env.env.action_masks())
    assert np.array_equal(env.env_method("action_masks", indices=[3, 1]), masks[[3, 1]])
    single = gymnasium.make("piquet_env/AuctionPiquet-v0", opponent="random")
    single.reset(seed=1)
    assert is_masking_supported(single)
    assert np.array_equal(get_action_masks(single), masks[0])


def test_the_vec_env_is_the_vector_environment():
    bots = [Lowest(), "greedy"]
    env, twin = SB3VecEnv(6, opponent=bots, rules="micro"), SingleAgentVectorEnv(6, bots, "micro")
    env.seed(40)
    observation = env.reset()
    expected, info = twin.reset(seed=list(range(40, 46)))
    assert np.array_equal(observation, expected)
    assert [entry["opponent"] for entry in env.reset_infos] == list(info["opponent"])
    ended = 0
    for step in range(40):
        actions = pick(info["action_mask"], step)
        if step % 7 == 3:
            actions[0] = info["action_mask"][0].argmin()  # is lost by it
        observation, rewards, dones, infos = env.step(actions)
        expected, reward, terminated, truncated, info = twin.step(actions)
        assert np.array_equal(observation, expected)
        assert np.array_equal(rewards, reward)
        assert rewards.dtype == np.float32
        assert np.array_equal(dones, terminated | truncated)
        for i, entry in enumerate(infos):
            assert entry["TimeLimit.truncated"] is False
            if dones[i]:
                ended += 1
                assert np.array_equal(entry["terminal_observation"], info["final_obs"][i])
                assert entry["opponent"] == info["final_info"]["opponent"][i]
                assert env.reset_infos[i]["opponent"] == info["opponent"][i]
                assert ("illegal_action" in entry) == (i == 0 and step % 7 == 3)
                assert ("deal" in entry) or reward[i] in (0, env.env.forfeit)
            else:
                assert np.array_equal(entry["action_mask"], info["action_mask"][i])
                assert "terminal_observation" not in entry
    assert ended > 20


def test_what_is_cut_off_is_marked():
    env = SB3VecEnv(2, opponent=Passing(), rules={"base": "auction", "max_thrown_in": 2})
    env.reset()
    passing = int(env.env.action_masks()[0].nonzero()[0][12])
    env.step(np.full(2, passing))
    _, _, dones, infos = env.step(np.full(2, passing))
    assert dones.all()
    assert all(entry["TimeLimit.truncated"] is True for entry in infos)


def test_monitors_see_episodes():
    env = VecMonitor(SB3VecEnv(4, opponent="random", rules="micro", reward="win"))
    env.reset()
    episodes = []
    for _ in range(30):
        _, _, _, infos = env.step(np.array([mask.nonzero()[0][-1] for mask in env.env_method("action_masks")]))
        episodes += [entry["episode"] for entry in infos if "episode" in entry]
    assert len(episodes) > 8
    assert {episode["r"] for episode in episodes} <= {-1, 0, 1}


def test_attributes_seeds_and_options():
    env = SB3VecEnv(3, opponent="random", rules="micro")
    assert env.get_attr("render_mode") == [None] * 3
    assert env.get_attr("forfeit", [0, 2]) == [env.env.forfeit] * 2
    with pytest.raises(AttributeError):
        env.get_attr("nonsense")
    assert env.env_is_wrapped(Monitor) == [False] * 3
    env.set_attr("pool", OpponentPool("greedy"))
    assert env.get_attr("pool", 0)[0].names == ("greedy",)
    env.reset()
    assert {entry["opponent"] for entry in env.reset_infos} == {"greedy"}
    env.set_attr("pool", "random")  # whatever `opponent` takes
    env.reset()
    assert {entry["opponent"] for entry in env.reset_infos} == {"random"}
    with pytest.raises(ValueError, match="for all of them only"):
        env.set_attr("pool", None, indices=[1])
    with pytest.raises(AttributeError, match="expected action_masks or render, got 'step'"):
        env.env_method("step")
    env.set_options({"seat": "player_1"})
    env.reset()
    assert {entry["player"] for entry in env.reset_infos} == {1}
    env.seed(3)
    first = env.reset()
    assert not np.array_equal(env.reset(), first)
    env.seed(3)
    assert np.array_equal(env.reset(), first)
    env.set_options([{}, {}, {"seat": "player_1"}])
    with pytest.raises(ValueError, match="the same for every game"):
        env.reset()


def test_without_sb3_it_is_said_what_to_install(tmp_path):
    program = (
        "import sys; sys.modules['stable_baselines3'] = None\n"
        "try:\n    import piquet_env.envs.sb3\nexcept ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "pip install 'piquet-env[examples]'" in done.stdout


def test_without_sb3_a_model_is_refused(monkeypatch, saved):
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BotError, match=r"needs stable_baselines3.*piquet-env\[examples\]"):
        load_bot(saved)


# ------------------------------------------------------------------ learning


def test_it_learns_to_beat_a_bot_that_always_plays_the_same():
    env = SB3VecEnv(64, opponent=Lowest(), rules="micro", reward="win")
    options = SMALL | {"learning_rate": 0.01, "gamma": 1.0, "batch_size": 256, "n_epochs": 4}
    learner = MaskablePPO("MlpPolicy", env, seed=0, **options)
    before, after = SB3Bot(learner), SB3Bot(learner.learn(16_384))
    assert abs(wins(before)) < 0.25
    assert wins(after) > 0.4


def wins(bot, games=400) -> float:
    """Mean of 1, 0, -1 in games of micro against `Lowest`."""
    env = SingleAgentVectorEnv(games, Lowest(), "micro", reward="win")
    env.reset(seed=77)
    results, going = np.zeros(games), np.ones(games, bool)
    rng = np.random.default_rng(0)
    while going.any():
        rows = env.rows
        _, reward, terminated, truncated, _ = env.step(bot.act(views_of(rows), rng))
        results[going] += reward[going]
        going &= ~(terminated | truncated)
    return float(results.mean())


def test_models_are_evaluated_with_masks(model):
    """An episode that is lost by an illegal move ends with less than any legal one."""
    env = SB3VecEnv(4, opponent="random", rules="micro")
    for made in (env, VecMonitor(env), VecNormalize(env, norm_obs=False, norm_reward=False)):
        rewards, lengths = evaluate_policy(model, made, 12, return_episode_rewards=True, warn=False)
        assert len(rewards) == 12
        assert min(rewards) > env.env.forfeit
        assert min(lengths) > 0


def test_self_play_through_a_growing_pool(model):
    pool = OpponentPool("random")
    env = SB3VecEnv(8, opponent=pool, rules="micro", reward="win")
    learner = MaskablePPO("MlpPolicy", VecMonitor(env), seed=1, **SMALL)
    for generation in range(3):
        learner.learn(128, reset_num_timesteps=False)
        pool.add(SB3Bot(learner), f"self {generation}", weight=2 + generation)
    assert pool.names == ("random", "self 0", "self 1", "self 2")
    assert {entry["opponent"] for _ in range(4) if env.reset() is not None for entry in env.reset_infos} > {"self 2"}


def test_a_model_with_its_environment_can_be_saved_and_go_on(model, tmp_path):
    model.save(tmp_path / "again")
    again = MaskablePPO.load(tmp_path / "again", env=SB3VecEnv(8, opponent="greedy", rules="micro"))
    again.learn(128)
    assert type(MaskablePPO.load(tmp_path / "again").action_space) is spaces.Discrete


# ------------------------------------------------------------------ bots


def test_a_model_is_a_bot(model):
    for bot in (SB3Bot(model), SB3Bot(model, deterministic=True)):
        for rules in ("auction", "micro"):
            views = some_views(rules)
            policy = probabilities_of("it", bot, views)  # checks it
            actions = legal_actions_of("it", bot, views, np.random.default_rng(0))
            assert (policy[np.arange(len(actions)), actions] > 0).all()
    likeliest = SB3Bot(model).probabilities(views).argmax(axis=1)
    assert np.array_equal(actions, likeliest)
    predicted, _ = model.predict(views.observation, action_masks=views.mask, deterministic=True)
    assert np.array_equal(actions, predicted)


def test_it_draws_by_its_probabilities(model):
    view = some_views(games=1, steps=2)
    many = type(view)(*(np.repeat(array, 4000, axis=0) for array in view))
    bot, rng = SB3Bot(model), np.random.default_rng(1)
    share = np.bincount(bot.act(many, rng), minlength=80) / 4000
    policy = bot.probabilities(view)[0]
    assert (np.abs(share - policy) < 5 * np.sqrt(policy * (1 - policy) / 4000) + 1e-9).all()


def test_a_bot_stays_what_it_was_when_training_goes_on(model):
    learner = MaskablePPO("MlpPolicy", SB3VecEnv(8, opponent="random", rules="micro"), seed=3, **SMALL)
    learner.learn(128)
    bot, views = SB3Bot(learner), some_views("micro", steps=2)
    before = bot.probabilities(views)
    learner.learn(256)
    assert np.array_equal(bot.probabilities(views), before)
    assert not np.array_equal(SB3Bot(learner).probabilities(views), before)
    for copied in (copy.deepcopy(bot), pickle.loads(pickle.dumps(bot))):
        assert np.array_equal(copied.probabilities(views), before)


def test_an_algorithm_without_masks_plays_legally():
    learner = PPO("MlpPolicy", SB3VecEnv(4, opponent="random", rules="micro"), seed=3, **SMALL)
    learner.learn(64)
    bot, views = SB3Bot(learner), some_views()
    assert (probabilities_of("ppo", bot, views) > 0).sum() > 100
    learner.policy.action_net.bias.data[0] = 1e6  # nothing is left for what is legal
    forced = SB3Bot(learner)
    views = some_views(steps=0)
    policy = probabilities_of("ppo", forced, views)
    assert np.allclose(policy, views.mask / views.mask.sum(axis=1, keepdims=True))


def test_a_saved_model_is_loaded_by_its_path(model, saved):
    bot, views = load_bot(saved), some_views()
    assert np.array_equal(bot.probabilities(views), SB3Bot(model).probabilities(views))
    assert len(bot.sha256) == 64
    pool = pickle.loads(pickle.dumps(OpponentPool(saved)))
    assert pool.names == (saved,)
    assert play_match(bot, load_bot("random"), "micro", 20).pairs == 20


def test_piquet_evaluate_takes_it(saved, capsys):
    status, out, _ = run_command(capsys, "evaluate", saved, "random", "--rules", "micro", "--deals", "20", "--json")
    assert status == 0
    made = json.loads(out)
    assert made["results"][0]["bot"] == saved
    assert len(made["provenance"]["weights"][saved]) == 64


def test_what_is_no_model_is_refused(tmp_path, saved, model):
    (tmp_path / "text.zip").write_text("no zip")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    whole = Path(saved).read_bytes()
    (tmp_path / "short.zip").write_bytes(whole[: len(whole) // 2])
    with zipfile.ZipFile(saved) as archive, zipfile.ZipFile(tmp_path / "bare.zip", "w") as bare:
        bare.writestr("data", archive.read("data"))
    for name in ("text", "empty", "short", "bare"):
        with pytest.raises(BotError, match=f"{name}.zip: "):
            load_bot(str(tmp_path / f"{name}.zip"))
    with pytest.raises(BotError, match="no trained bot at"):
        load_bot(str(tmp_path / "nothing.zip"))
    with pytest.raises(BotError, match="expected a model of Stable-Baselines3"):
        SB3Bot(saved)


def test_a_model_that_saw_other_numbers_is_refused(tmp_path):
    scaled = VecNormalize(SB3VecEnv(4, opponent="random", rules="micro"))
    learner = MaskablePPO("MlpPolicy", scaled, **SMALL).learn(64)
    learner.save(tmp_path / "scaled.zip")
    for made in (lambda: SB3Bot(learner), lambda: load_bot(str(tmp_path / "scaled.zip"))):
        with pytest.raises(BotError, match=r"other observations than 0 and 1: use VecNormalize with norm_obs=False"):
            made()
    scaled = VecNormalize(SB3VecEnv(4, opponent="random", rules="micro"), norm_obs=False)
    SB3Bot(MaskablePPO("MlpPolicy", scaled, **SMALL).learn(64))


def test_a_model_that_remembers_is_refused(tmp_path):
    options = {"n_steps": 16, "batch_size": 64, "device": "cpu", "policy_kwargs": {"lstm_hidden_size": 8}}
    learner = RecurrentPPO("MlpLstmPolicy", SB3VecEnv(4, opponent="random", rules="micro"), **options)
    learner.save(tmp_path / "recurrent.zip")
    for made in (lambda: SB3Bot(learner), lambda: load_bot(str(tmp_path / "recurrent.zip"))):
        with pytest.raises(BotError, match="expected a policy without a memory of its own, got Recurrent"):
            made()


def test_models_of_other_games_are_refused(tmp_path):
    for kind in (PPO, DQN):
        other = kind("MlpPolicy", "CartPole-v1", device="cpu")
        with pytest.raises(BotError, match=r"expected observations Box|expected a model of"):
            SB3Bot(other)
        other.save(tmp_path / "other.zip")
        with pytest.raises(BotError, match=r"other\.zip: expected (observations Box|a policy)"):
            load_bot(str(tmp_path / "other.zip"))
