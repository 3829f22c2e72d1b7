"""One learner against a bot through Gymnasium: the game is that of the AEC environment, the learner sees its part."""

import copy
import gc
import inspect
import pickle
import random
import subprocess
import sys
import weakref

import gymnasium
import helpers
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from opponents import PASS, Highest, Lowest, Passing
from single import choose, finish, make, plain, trace

import piquet_env  # noqa: F401 (registers the environment)
from piquet_env import SelfPlayVectorEnv, auction_piquet_v0, knowledge
from piquet_env.bots import act_in, load_bot
from piquet_env.engine import layout as at
from piquet_env.envs.registration import register
from piquet_env.envs.single_agent import SingleAgentEnv
from piquet_env.envs.single_agent_vector import SingleAgentVectorEnv
from piquet_env.rules import RULESETS

ID = "piquet_env/AuctionPiquet-v0"
BOTH_EPISODES = [(name, episode) for name in RULESETS for episode in ("deal", "partie")]

# ------------------------------------------------------------------ Gymnasium


@pytest.mark.parametrize(("rules", "episode"), [("auction", "deal"), ("auction", "partie"), ("rubicon", "deal")])
def test_gymnasium_accepts_it(rules, episode, recwarn):
    check_env(gymnasium.make(ID, opponent="greedy", rules=rules, episode=episode).unwrapped)
    check_env(
        gymnasium.make(ID, opponent="random", rules="micro", render_mode="ansi").unwrapped, skip_render_check=True
    )
    check_env(gymnasium.make(ID).unwrapped)
    assert [str(warning.message) for warning in recwarn] == []


def test_it_is_registered_once():
    register()
    register()
    for name in (ID, f"piquet_env:{ID}"):
        env = gymnasium.make(name, opponent="random", seat="player_1")
        assert isinstance(env.unwrapped, SingleAgentEnv)
        _, info = env.reset(seed=1)
        assert (info["player"], info["opponent"]) == (1, "random")
        assert env.get_wrapper_attr("action_masks")().dtype == np.bool_


def test_importing_the_package_loads_no_bots():
    program = (
        "import sys, piquet_env, gymnasium\n"
        f"assert {ID!r} in gymnasium.registry\n"
        "names = ('piquet_env.bots', 'onnxruntime', 'stable_baselines3', 'torch', 'piquet_env.envs.single_agent')\n"
        "print([name for name in names if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"


def test_a_newcomers_loop_takes_legal_actions():
    env = gymnasium.make(ID, opponent="random", illegal_action="raise")
    env.reset(seed=0)
    env.action_space.seed(0)
    ended = 0
    for _ in range(200):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
            ended += 1
    assert ended > 2


def test_the_spaces():
    env = make()
    assert env.observation_space == spaces.Box(0, 1, (knowledge.OBSERVATION_SIZE,), np.int8)
    assert env.action_space == spaces.Discrete(80)
    assert spaces.Discrete(80) == env.action_space
    only = np.zeros(80, np.int8)
    only[3] = 1
    assert env.action_space.sample(only) == 3
    if "probability" in inspect.signature(spaces.Discrete.sample).parameters:  # from Gymnasium 1.1 on
        assert env.action_space.sample(probability=only.astype(np.float64)) == 3
    fresh = SingleAgentEnv("random")
    fresh.action_space.seed(1)
    assert len({int(fresh.action_space.sample()) for _ in range(400)}) > 70


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda space: pickle.loads(pickle.dumps(space))])
def test_a_copied_action_space_is_gymnasiums_own_and_goes_on_alike(copied):
    env = make()
    env.action_space.seed(4)
    other, mask = copied(env.action_space), np.ones(80, np.int8)
    assert type(other) is spaces.Discrete
    assert other == env.action_space
    assert [other.sample(mask) for _ in range(9)] == [env.action_space.sample(mask) for _ in range(9)]
    gone = weakref.ref(env)
    space = env.action_space
    del env
    gc.collect()
    assert gone() is None
    assert 0 <= space.sample() < 80


# ------------------------------------------------------------------ the game


class Through:
    """The same game through the AEC environment, where both players' steps are seen."""

    def __init__(self, seed, player, bot, **options):
        self.env, self.bot, self.me = auction_piquet_v0.env(**options), bot, f"player_{player}"
        self.env.reset(seed=seed)
        self.deal = None
        self._wait()

    def step(self, action):
        self.deal = None
        self.env.step(action)
        self._wait()

    def _wait(self):
        """The bot's moves, up to the learner's next one."""
        self._note()
        while self.env.agent_selection != self.me and not self.over:
            self.env.step(act_in(self.env, self.bot, np.random.default_rng(0)))
            self._note()

    def _note(self):
        self.deal = self.env.infos[self.me].get("deal") or self.deal

    @property
    def over(self):
        return self.env.terminations[self.me] or self.env.truncations[self.me]

    @property
    def reward(self):
        return self.env._cumulative_rewards[self.me]


@pytest.mark.parametrize("bot", [Lowest(), Highest(), load_bot("greedy")], ids=["lowest", "highest", "greedy"])
@pytest.mark.parametrize(("rules", "episode"), BOTH_EPISODES)
def test_it_is_the_aec_game_and_the_learner_sees_its_part(rules, episode, bot):
    rng = random.Random(rules)
    reward = ("score", "win", "payment" if episode == "partie" else "score")[rng.randrange(3)]
    options = {"rules": rules, "episode": episode, "reward": reward}
    env = SingleAgentEnv(bot, **options)
    for seed in (3, 4):
        observation, info = env.reset(seed=seed)
        through = Through(seed, info["player"], bot, **options)
        given, over = 0.0, False
        while not over:
            assert np.array_equal(observation, through.env.observe(through.me)["observation"])
            assert np.array_equal(info["action_mask"], through.env.infos[through.me]["action_mask"])
            assert info["phase"] == through.env.infos[through.me]["phase"]
            action = choose(info["action_mask"], rng)
            observation, gained, terminated, truncated, info = env.step(action)
            through.step(action)
            assert gained == through.reward
            assert info.get("deal") == through.deal
            given, over = given + gained, terminated or truncated
        assert (terminated, truncated) == (through.env.terminations[through.me], through.env.truncations[through.me])
        assert through.over
        assert np.array_equal(observation, through.env.observe(through.me)["observation"])
        assert not info["action_mask"].any()
        assert not env.action_masks().any()
        assert env.record() == through.env.record()
        if reward == "score" and episode == "deal":
            score = env.record()["result"]["score"]
            assert given == score[through.me]["total"] - score[f"player_{1 - info['player']}"]["total"]


def test_of_thrown_in_deals_there_is_one_terminal_step():
    env = make(0, Passing(), rules="micro", seat="player_0")  # a deal that is thrown in is over
    for seed in range(10):
        env.reset(seed=seed)
        _, reward, terminated, truncated, info = env.step(PASS)
        assert (reward, terminated, truncated, "deal" in info) == (0.0, True, False, False)
        with pytest.raises(ResetNeeded):
            env.step(PASS)


def test_an_endless_auction_is_cut_off_with_nothing():
    env = make(0, Passing(), rules={"base": "auction", "max_thrown_in": 4})
    steps = [env.step(PASS)]
    while not (steps[-1][2] or steps[-1][3]):
        steps.append(env.step(PASS))
    assert [step[1:4] for step in steps] == [(0.0, False, False)] * 3 + [(0.0, False, True)]


@pytest.mark.parametrize("rules", ["auction", "rubicon", "micro", "mini"])
def test_forced_moves_are_skipped_and_change_nothing_else(rules):
    env, short = (make(0, Lowest(), rules=rules, episode="partie", skip_forced=skip) for skip in (False, True))
    fewer = 0
    for seed in range(6):
        env.reset(seed=seed)
        short.reset(seed=seed)
        rewards, is_first, over = [0.0, 0.0], True, False
        while not over:
            mask = short.action_masks()
            assert mask.sum() > 1 or is_first
            while env.action_masks().sum() == 1 and not is_first:
                rewards[0] += env.step(int(env.action_masks().argmax()))[1]
                fewer += 1
            assert np.array_equal(mask, env.action_masks())
            action = choose(mask, random.Random(seed))
            rewards[0] += env.step(action)[1]
            _, reward, terminated, truncated, _ = short.step(action)
            rewards[1], is_first, over = rewards[1] + reward, False, terminated or truncated
        while env.action_masks().any():
            rewards[0] += env.step(int(env.action_masks().argmax()))[1]
            fewer += 1
        assert rewards[0] == rewards[1]
        assert env.record() == short.record()
    assert fewer > 0


# A carte blanche, which elder declares before anything else, is all that is played for.
AT_ONCE = {"base": "micro", "auction": False, "ranks": "78QK", "hand_size": 3, "elder_talon": 2, "younger_talon": 0,
           "carte_blanche": 40, "stop_at": 20}  # fmt: skip


def test_a_partie_that_the_learner_has_no_part_in_is_no_episode():
    env = SingleAgentEnv(Highest(), AT_ONCE, "partie", seat="player_0")
    over_at_once = 0
    for seed in range(60):
        _, info = env.reset(seed=seed)
        assert info["action_mask"].any()
        assert len(env.record()["deals"]) == 1
        first = SelfPlayVectorEnv(1, AT_ONCE, "partie", seed=seed).rows[0]
        over_at_once += not np.array_equal(first[at.DEALT : at.DEALT + 2], env._row[at.DEALT : at.DEALT + 2])
    assert 0 < over_at_once < 20
    vector = SingleAgentVectorEnv(60, Highest(), AT_ONCE, "partie", seat="player_0")
    _, info = vector.reset(seed=0)
    for _ in range(30):
        assert info["action_mask"].any(axis=1).all()
        _, _, _, _, info = vector.step(info["action_mask"].argmax(axis=1))


def test_odd_rules():
    for number in range(12):
        rules, rng = helpers.odd_rules(number), random.Random(number)
        env = SingleAgentEnv("random", rules, ("deal", "partie")[number % 2], skip_forced=number % 3 == 0)
        env.reset(seed=number)
        results = [step for step in finish(env, rng) if "deal" in step[-1]]
        assert all(set(step[-1]["deal"]) == {"contract", "tricks", "score"} for step in results)


# ------------------------------------------------------------------ chance


def test_a_seed_fixes_everything():
    def played(seed, opponent):
        return trace(SingleAgentEnv(opponent, rules="mini"), random.Random(1), 4, seed=seed)

    opponents = [("random", 1), ("greedy", 1), (Lowest(), 1)]
    assert played(7, opponents) == played(7, opponents)
    assert played(7, opponents) != played(8, opponents)
    env = make(1, opponents, rules="mini")
    names = [env.reset(seed=3, options={"opponent": opponents, "seat": "player_0"})[1]["opponent"] for _ in range(5)]
    assert len(set(names)) == 1
    finish(env, random.Random(3))
    assert trace(env, random.Random(1), 4, seed=7) == played(7, opponents)


def test_it_deals_what_the_self_play_environment_deals():
    vector = SelfPlayVectorEnv(1, seed=11)
    env = make(11)
    assert np.array_equal(env._row[at.DEALT : at.DEALT + 2], vector.rows[0, at.DEALT : at.DEALT + 2])


def test_bad_seeds_and_options_change_nothing():
    env = make(3)
    before = plain(env.step(int(env.action_masks().argmax())))
    record = env.record()
    for seed in (-1, 2**63):
        with pytest.raises(ValueError, match="seed: expected 0 to"):
            env.reset(seed=seed)
    for seed in (True, 1.5, "1"):
        with pytest.raises(TypeError, match="seed: expected a whole number"):
            env.reset(seed=seed)
    for options, message in (
        ({"seats": 1}, "options: expected one of record, seat, opponent, got 'seats'"),
        ({"seat": "random"}, "seat: expected one of player_0, player_1, got 'random'"),
        ({"opponent": "nobody"}, "unknown bot 'nobody'"),
        ({"record": {}}, "format"),
        (["seat"], "options: expected a mapping"),
    ):
        with pytest.raises(ValueError, match=message):
            env.reset(seed=3, options=options)
    assert env.record() == record
    assert before == plain(make(3).step(int(make(3).action_masks().argmax())))


@pytest.mark.parametrize("name", ["rules", "episode", "reward", "seat", "illegal_action", "skip_forced", "render_mode"])
def test_bad_options_are_refused(name):
    with pytest.raises(ValueError, match=name):
        SingleAgentEnv("random", **{name: "nonsense"})
    for odd in (["deal"], np.array(["deal", "partie"])):
        with pytest.raises(ValueError, match=f"{name}.*expected"):
            SingleAgentEnv("random", **{name: odd})


def test_without_a_reset_nothing_can_be_done():
    env = SingleAgentEnv("random")
    for call in (lambda: env.step(0), env.action_masks, env.render, env.record, env.view, env.state, env.known_row):
        with pytest.raises(ResetNeeded):
            call()
