"""Many games of a learner against a bot: what SyncVectorEnv makes of single ones, in one batch."""

import copy
import pickle
import random
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from opponents import PASS, Cheating, Highest, Lowest, Passing, Raising, Spy
from vectors import pick

from piquet_env import OpponentPool, SelfPlayVectorEnv
from piquet_env.bots import BotError
from piquet_env.bots.random import RandomBot
from piquet_env.engine import layout as at
from piquet_env.envs.single_agent import SingleAgentEnv
from piquet_env.envs.single_agent_vector import SingleAgentVectorEnv
from piquet_env.records import deal_result

ID = "piquet_env/AuctionPiquet-v0"
AutoresetMode = getattr(gymnasium.vector, "AutoresetMode", None)
needs_same_step = pytest.mark.skipif(AutoresetMode is None, reason="this Gymnasium resets in the next step only")
BOTS = [(Lowest(), 2), (Highest(), 1), ("greedy", 1)]


def make(n=16, seed=0, opponent=None, **options) -> SingleAgentVectorEnv:
    env = SingleAgentVectorEnv(n, Lowest() if opponent is None else opponent, **options)
    env.reset(seed=seed)
    return env


def play_on(env, steps=30) -> None:
    for _ in range(steps):
        env.step(env.action_space.sample())


def same(one, other) -> bool:
    """Infos, to any depth."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) and one.dtype == object:
        return all(map(same, one, other))
    return np.array_equal(one, other)


def without(info: dict, *names: str) -> dict:
    """An info without what only one of the two environments gives."""
    left = {key: value for key, value in info.items() if key.removeprefix("_") not in names}
    return left | ({"final_info": without(left["final_info"], *names)} if "final_info" in left else {})


@needs_same_step
@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize(
    ("rules", "episode", "seat"),
    [
        ("auction", "deal", "random"),
        ("micro", "deal", "alternate"),
        ("micro", "partie", "player_1"),
        ({"base": "rubicon", "deals": 2}, "partie", "random"),
        ({"base": "mini", "max_thrown_in": 2, "deals": 3}, "partie", "player_0"),
    ],
)
def test_it_is_what_gymnasium_makes_of_single_ones(rules, episode, seat, skip_forced):
    options = {"rules": rules, "episode": episode, "seat": seat, "skip_forced": skip_forced}
    fast = make(7, opponent=BOTS, **options)
    slow = SyncVectorEnv(
        [lambda: SingleAgentEnv(BOTS, **options) for _ in range(7)], autoreset_mode=AutoresetMode.SAME_STEP
    )
    assert (fast.observation_space, fast.single_observation_space) == (
        slow.observation_space,
        slow.single_observation_space,
    )
    assert (fast.action_space, fast.single_action_space) == (slow.action_space, slow.single_action_space)
    rng, ended = random.Random(0), 0
    seen, expected = fast.reset(seed=list(range(20, 27))), slow.reset(seed=20)
    assert np.array_equal(seen[0], expected[0])
    assert same(seen[1], expected[1])
    for step in range(120):
        actions = pick(seen[-1]["action_mask"], step)
        if rng.random() < 0.1:
            actions[rng.randrange(7)] = rng.randrange(80)
        seen, expected = fast.step(actions), slow.step(actions)
        for one, other in zip(seen[:4], expected[:4], strict=True):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)
        ended += int((seen[2] | seen[3]).sum())
        assert same(without(seen[4], "finished"), without(expected[4], "deal"))
    assert ended > 3


def test_finished_deals_are_told():
    env = make(32, 3, rules="auction", episode="partie", opponent="random", seat="player_0")
    _, info = env.reset(seed=3)
    told = 0
    for step in range(120):
        _, reward, _, _, info = env.step(pick(info["action_mask"], step))
        over = info.get("_finished", np.zeros(32, bool))
        assert not reward[~over].any()
        for i in np.flatnonzero(over):
            told += 1
            result = deal_result(info["finished"][i])
            assert info["finished"][i, at.RANDOM] == -1  # from which the next deal would follow
            if result is not None:
                score = result["score"]
                assert reward[i] == score["player_0"]["total"] - score["player_1"]["total"]
    assert told > 32


def test_game_i_of_a_seed_is_that_of_the_self_play_environment_whatever_n_is():
    dealt = [make(n, 9)._games.rows[:4, at.DEALT : at.DEALT + 2] for n in (4, 50)]
    expected = SelfPlayVectorEnv(4, seed=9).rows[:, at.DEALT : at.DEALT + 2]
    assert np.array_equal(dealt[0], expected)
    assert np.array_equal(dealt[1], expected)
    small, large = make(3, 9, BOTS, rules="mini"), make(40, 9, BOTS, rules="mini")
    for step in range(60):
        mask = large._mask.copy()
        assert np.array_equal(small._mask, mask[:3])
        one, other = small.step(pick(mask[:3], step)), large.step(pick(mask, step))
        assert all(np.array_equal(a, b[:3]) for a, b in zip(one[:4], other[:4], strict=True))
        assert list(one[4]["opponent"]) == list(other[4]["opponent"][:3])


def test_game_0_is_that_of_the_single_environment_also_where_bots_draw():
    env, single = make(1, 6, ["random", "greedy"]), SingleAgentEnv(["random", "greedy"])
    observation, info = single.reset(seed=6)
    for step in range(150):
        assert np.array_equal(env._mask[0], info["action_mask"])
        action = pick(info["action_mask"][None], step)
        observations, rewards, *_ = env.step(action)
        observation, reward, terminated, truncated, info = single.step(int(action[0]))
        assert rewards[0] == reward
        if terminated or truncated:
            observation, info = single.reset()
        assert np.array_equal(observations[0], observation)


def test_seeds():
    def trace(env, **reset):
        observation, info = env.reset(**reset)
        seen = [observation.tobytes(), str(list(info["opponent"]))]
        for step in range(60):
            observation, reward, _, _, info = env.step(pick(info["action_mask"], step))
            seen += [observation.tobytes(), reward.tobytes(), str(list(info["opponent"]))]
        return seen

    first = trace(make(8, 1, ["random", Lowest()], rules="mini"), seed=5)
    env = make(8, 2, ["random", Lowest()], rules="mini")
    assert trace(env, seed=5) == first
    assert trace(env) != first
    assert trace(env, seed=5) == first
    one, other = SingleAgentVectorEnv(4, "random"), SingleAgentVectorEnv(4, "random")
    assert not np.array_equal(one.reset()[0], other.reset()[0])


def test_a_seed_of_ones_own_for_each_game():
    env, twin = make(3, 5, BOTS, rules="mini"), make(3, 5, BOTS, rules="mini")
    mixed, gone_on = env.reset(seed=[1, None, 3]), twin.reset()
    for i, seed in ((0, 1), (2, 3)):
        observation, info = SingleAgentEnv(BOTS, "mini").reset(seed=seed)
        assert np.array_equal(mixed[0][i], observation)
        assert mixed[1]["opponent"][i] == info["opponent"]
    assert np.array_equal(mixed[0][1], gone_on[0][1])
    assert mixed[1]["opponent"][1] == gone_on[1]["opponent"][1]


@pytest.mark.parametrize("seed", range(4))
def test_what_was_played_before_has_no_part_in_the_chance_of_several_bots(seed):
    pool, traces = OpponentPool([RandomBot(), RandomBot()]), []
    for before in ("RandomBot", "RandomBot#2"):
        env = SingleAgentVectorEnv(8, pool, "mini")
        env.reset(seed=1, options={"opponent": before})
        _, info = env.reset(seed=seed)
        traces.append([])
        for step in range(40):
            observation, _, _, _, info = env.step(pick(info["action_mask"], step))
            traces[-1].append(observation.tobytes())
    assert traces[0] == traces[1]


def test_no_seeds_are_as_no_seed():
    one, other = make(4, 3, "random", rules="micro"), make(4, 3, "random", rules="micro")
    infos = one.reset(seed=[None] * 4)[1], other.reset()[1]
    for step in range(20):
        seen, expected = one.step(pick(infos[0]["action_mask"], step)), other.step(pick(infos[1]["action_mask"], step))
        assert np.array_equal(seen[0], expected[0])
        infos = seen[-1], expected[-1]


def test_make_vec_gives_it_and_says_how_it_resets(recwarn):
    env = gymnasium.make_vec(ID, num_envs=5, opponent="random", rules="micro", seat="player_1")
    assert isinstance(env, SingleAgentVectorEnv)
    assert getattr(env.metadata["autoreset_mode"], "value", "SameStep") == "SameStep"
    observation, info = env.reset(seed=1)
    assert observation.shape == (5, env.single_observation_space.shape[0])
    assert info["player"].tolist() == [1] * 5
    assert env.num_envs == 5
    env.close()
    assert [str(warning.message) for warning in recwarn] == []


def test_batches_of_legal_actions_are_sampled():
    env = make(64, opponent="random", illegal_action="raise")
    env.action_space.seed(1)
    for _ in range(50):
        actions = env.action_space.sample()
        assert actions.dtype == np.int64
        assert env._mask[np.arange(64), actions].all()
        env.step(actions)
    assert env.action_space == spaces.MultiDiscrete([80] * 64)
    fresh = SingleAgentVectorEnv(300, "random").action_space
    fresh.seed(2)
    assert len(set(fresh.sample().tolist())) > 60


@needs_same_step
def test_gymnasiums_wrappers_work():
    env = RecordEpisodeStatistics(make(8, opponent="random", rules="micro"))
    _, info = env.reset(seed=1)
    for step in range(40):
        _, reward, terminated, _, info = env.step(pick(info["action_mask"], step))
        for i in np.flatnonzero(info.get("_episode", ())):
            assert terminated[i]
            assert info["episode"]["r"][i] == reward[i]  # it all comes in the last step
    assert env.episode_count > 20
    listed = DictInfoToList(make(3, rules="micro"))
    _, infos = listed.reset(seed=1)
    assert [info["opponent"] for info in infos] == ["Lowest"] * 3
    for _ in range(12):
        *_, infos = listed.step(listed.action_space.sample())
    assert all(info["action_mask"].any() for info in infos)


def test_single_ones_run_in_processes_of_their_own():
    """Started afresh, so that pool and bots go there by pickle."""
    pool = OpponentPool([("base", 1), (Lowest(), 1)])
    made = [lambda: gymnasium.make(ID, opponent=pool, rules="mini")] * 2
    traces = []
    for env in (AsyncVectorEnv(made, context="spawn"), SyncVectorEnv(made)):
        _, info = env.reset(seed=1)
        traces.append([])
        for step in range(30):
            # In its mode a step after the end resets, whatever the action is.
            actions = np.where(info["action_mask"].any(axis=1), info["action_mask"].argmax(axis=1), step)
            observation, reward, _, _, info = env.step(actions)
            traces[-1] += [observation.tobytes(), reward.tobytes(), list(info["opponent"])]
        env.close()
    assert traces[0] == traces[1]


def test_a_pool_grows_between_episodes():
    pool = OpponentPool("random")
    env = SingleAgentVectorEnv(32, pool, "micro")
    _, info = env.reset(seed=1)
    assert set(info["opponent"]) == {"random"}
    spy = Spy()
    pool.add(spy, "spy")
    for step in range(30):
        *_, info = env.step(pick(info["action_mask"], step))
    assert 6 < sum(info["opponent"] == "spy") < 26
    pool.remove("random")
    for step in range(60):
        *_, info = env.step(pick(info["action_mask"], step))
    assert set(info["opponent"]) == {"spy"}
    assert len(env._games._known) <= 2
    assert set(env.reset(options={"opponent": "greedy", "seat": "player_0"})[1]["opponent"]) == {"greedy"}
    pool.remove("spy")
    with pytest.raises(ValueError, match="pool is empty"):
        env.reset()
    with pytest.raises(ValueError, match="pool is empty"):
        play_on(env)


def test_bots_are_asked_in_batches():
    class Counting(Lowest):
        calls = games = 0

        def act(self, views, rng):
            self.calls, self.games = self.calls + 1, self.games + len(views.mask)
            return super().act(views, rng)

    bot = Counting()
    env = make(200, opponent=bot)
    for step in range(30):
        env.step(pick(env._mask, step))
    assert bot.games > 10 * bot.calls


# ------------------------------------------------------------------ what is refused


def test_illegal_actions_are_refused_before_anything_changes():
    env = make(6, illegal_action="raise")
    rows, actions = env.rows.copy(), env._mask.argmax(axis=1)
    for wrong, message in (
        ([*actions[:4], 0, actions[5]], "game 4: action 0 is not legal; legal are"),
        ([*actions[:4], 80, actions[5]], "game 4: expected an action from 0 to 79, got 80"),
        ([*actions[:5], -1], "game 5: expected an action from 0 to 79, got -1"),
        (actions[:5], r"expected integers of shape \(6,\), got int64 \(5,\)"),
        (actions * 1.0, r"expected integers of shape \(6,\), got float64 \(6,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            env.step(wrong)
        assert np.array_equal(env.rows, rows)
    env.step(actions.astype(np.uint8))


def test_who_makes_an_illegal_move_loses_that_game_alone():
    env, other = make(6, 2), make(6, 2)
    actions = env._mask.argmax(axis=1)
    seen = env.reset(seed=2)[0]
    wrong = actions.copy()
    wrong[3] = int(env._mask[3].argmin())
    observation, reward, terminated, truncated, info = env.step(wrong)
    expected = other.step(actions)
    assert (reward[3], terminated[3], truncated[3]) == (env.forfeit, True, False)
    assert env.forfeit < -100
    assert info["final_info"]["illegal_action"][3] == wrong[3]
    assert info["final_info"]["_illegal_action"].tolist() == [i == 3 for i in range(6)]
    assert np.array_equal(info["final_obs"][3], seen[3])
    others = np.arange(6) != 3
    assert np.array_equal(observation[others], expected[0][others])
    assert np.array_equal(reward[others], expected[1][others])


def test_a_deal_is_told_once_also_where_the_next_move_is_illegal():
    env = make(1, 0, Highest(), rules={"base": "micro", "deals": 3}, episode="partie")
    info = {}
    while "finished" not in info:
        *_, info = env.step(env._mask.argmax(axis=1))
    *_, info = env.step(env._mask.argmin(axis=1))
    assert "illegal_action" in info["final_info"]
    assert "finished" not in info


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs: expected a whole number of at least 1, got 0"),
        ({"num_envs": True}, "num_envs"),
        ({"num_envs": 2.0}, "num_envs"),
        ({"num_envs": "8"}, "num_envs"),
        ({"skip_forced": "no"}, "skip_forced: expected one of False, True, got 'no'"),
        ({"seat": "left"}, "seat: expected one of random, alternate, player_0, player_1, got 'left'"),
        ({"illegal_action": "skip"}, "illegal_action"),
        ({"reward": "payment"}, "payment"),
        ({"render_mode": "text"}, "render_mode"),
        ({"opponent": "nobody"}, "unknown bot"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        SingleAgentVectorEnv(**options)


def test_bad_seeds_and_options_of_a_reset_change_nothing():
    env = make(3)
    rows = env.rows.copy()
    for reset, message in (
        ({"seed": -1}, "seed: expected 0 to"),
        ({"seed": [1, 2]}, "seed: expected 3 seeds, got 2"),
        ({"seed": [1, 2, -3]}, "seed: expected 0 to"),
        ({"options": {"record": {}}}, "options: expected one of seat, opponent"),
        ({"options": {"seat": 0}}, "seat: expected one of"),
        ({"options": {"opponent": "nobody"}}, "unknown bot"),
    ):
        with pytest.raises(ValueError, match=message):
            env.reset(**reset)
    assert np.array_equal(env.rows, rows)


def test_without_a_reset_nothing_can_be_done():
    env = SingleAgentVectorEnv(2, "random")
    for call in (lambda: env.step([0, 0]), env.action_masks, env.render):
        with pytest.raises(ResetNeeded):
            call()


@pytest.mark.parametrize(("bot", "said"), [(Raising(40), "out of ideas"), (Cheating(), "is not legal")])
def test_a_bot_that_fails_is_named_and_another_reset_is_needed(bot, said):
    env = SingleAgentVectorEnv(8, [Lowest(), bot])
    env.reset(options={"opponent": "random"})
    with pytest.raises(BotError, match=f"bot '{type(bot).__name__}': .*{said}"):
        play_on(env, 100)
    with pytest.raises(ResetNeeded):
        env.step(np.zeros(8, np.int64))
    env.reset(options={"opponent": "random"})


# ------------------------------------------------------------------ what is handed out


def test_what_was_handed_out_never_changes():
    env = make(8, opponent="random", rules="micro")
    kept = []
    _, info = env.reset(seed=0)
    for step in range(30):
        result = env.step(pick(info["action_mask"], step))
        info = result[-1]
        arrays = [*result[:4], info["action_mask"], info["player"], env.action_masks()]
        arrays += [info[name] for name in ("finished", "_finished") if name in info]
        kept += [(array, array.copy()) for array in arrays]
        kept += [(seen, seen.copy()) for seen in info.get("final_obs", ()) if seen is not None]
    assert all(np.array_equal(array, copied) for array, copied in kept)
    info["action_mask"][:] = 0
    assert env.action_masks().any()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("opponent", [["random", Lowest()], "base"])
def test_a_copy_goes_on_in_the_same_way(copied, opponent):
    env = gymnasium.make_vec(ID, num_envs=6, opponent=opponent, rules="mini", seat="alternate")
    env.reset(seed=3)
    env.action_space.seed(1)
    play_on(env, 8)
    other = copied(env)
    before = other.rows.copy()
    seen = [env.step(env.action_space.sample())[:4] for _ in range(30)]
    assert np.array_equal(other.rows, before)
    for step in seen:
        actions = other.action_space.sample()
        assert other._mask[np.arange(6), actions].all()
        assert all(map(np.array_equal, other.step(actions)[:4], step))


def test_a_copy_before_the_first_reset():
    for copied in (copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))):
        other = copied(SingleAgentVectorEnv(3, "random", "mini"))
        assert np.array_equal(other.reset(seed=1)[0], SingleAgentVectorEnv(3, "random", "mini").reset(seed=1)[0])


def test_an_endless_auction_is_cut_off():
    env = make(4, 0, Passing(), rules={"base": "auction", "max_thrown_in": 3})
    for ends in (False, False, True, False):
        _, reward, terminated, truncated, info = env.step([PASS] * 4)
        assert not reward.any()
        assert not terminated.any()
        assert truncated.tolist() == [ends] * 4
        assert info["_finished"].all()


def test_tables_are_rendered(capsys):
    texts = make(2, seat="player_1", render_mode="ansi").render()
    assert all("you are player_1" in text for text in texts)
    assert make(2, render_mode="human").render() == (None, None)
    assert capsys.readouterr().out.count("your score") == 2


def test_it_needs_nothing_that_is_not_installed():
    program = (
        "import sys; sys.modules['torch'] = sys.modules['stable_baselines3'] = sys.modules['training'] = None\n"
        "import gymnasium, piquet_env\n"
        f"env = gymnasium.make_vec({ID!r}, num_envs=2, opponent='random')\n"
        "print(env.reset(seed=0)[0].shape)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stderr, done.stdout) == ("", "(2, 1088)\n")
