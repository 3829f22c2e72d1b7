"""One learner against a bot through Gymnasium: the game is that of the AEC environment, the learner sees its part."""

import copy
import gc
import inspect
import itertools
import json
import pickle
import random
import subprocess
import sys
import weakref
from collections import Counter

import gymnasium
import helpers
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from opponents import PASS, Cheating, Floats, Highest, Lowest, Passing, Raising, Spy, hidden_columns

import piquet_env  # noqa: F401 (registers the environment)
from piquet_env import OpponentPool, SelfPlayVectorEnv, action_index, auction_piquet_v0, knowledge
from piquet_env.bots import BotError, act_in, load_bot
from piquet_env.engine import layout as at
from piquet_env.envs.forfeit import most_points_of_a_deal
from piquet_env.envs.registration import register
from piquet_env.envs.single_agent import SingleAgentEnv
from piquet_env.render.table import table_text
from piquet_env.rules import RULESETS, Rules

ID = "piquet_env/AuctionPiquet-v0"
BOTH_EPISODES = [(name, episode) for name in RULESETS for episode in ("deal", "partie")]


def make(seed=0, opponent=None, **options) -> SingleAgentEnv:
    env = SingleAgentEnv(opponent=Lowest() if opponent is None else opponent, **options)
    env.reset(seed=seed)
    return env


def choose(mask, rng) -> int:
    return helpers.choose(np.flatnonzero(mask).tolist(), rng)


def finish(env, rng) -> list[tuple]:
    """All steps of the rest of the episode, by random legal actions."""
    steps = [env.step(choose(env.action_masks(), rng))]
    while not (steps[-1][2] or steps[-1][3]):
        steps.append(env.step(choose(env.action_masks(), rng)))
    return steps


def plain(result) -> str:
    """What `reset` or `step` gave, as a text."""
    return repr([x.tolist() if isinstance(x, np.ndarray) else x for x in result[:-1]]) + repr(
        {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in result[-1].items()}
    )


def trace(env, rng, episodes=3, **reset) -> list[str]:
    seen = []
    for _ in range(episodes):
        seen.append(plain(env.reset(**reset)))
        seen += map(plain, finish(env, rng))
        reset = {}
    return seen


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


def test_odd_rules():
    for number in range(12):
        rules, rng = helpers.odd_rules(number), random.Random(number)
        env = SingleAgentEnv("random", rules, ("deal", "partie")[number % 2], skip_forced=number % 3 == 0)
        env.reset(seed=number)
        results = [step for step in finish(env, rng) if "deal" in step[-1]]
        assert all(set(step[-1]["deal"]) == {"contract", "tricks", "score"} for step in results)


# ------------------------------------------------------------------ who plays


def test_seats():
    for seat, player in (("player_0", 0), ("player_1", 1)):
        env = make(rules="micro", seat=seat)
        assert {env.reset()[1]["player"] for _ in range(20)} == {player}
    env = SingleAgentEnv("random", "micro", seat="alternate")
    assert [env.reset()[1]["player"] for _ in range(6)] == [0, 1] * 3
    assert env.reset(seed=2)[1]["player"] == 0
    assert env.reset()[1]["player"] == 1
    env = make(rules="micro", seed=1)
    counts = Counter(env.reset()[1]["player"] for _ in range(1000))
    assert 430 < counts[0] < 570  # 4.4 standard deviations
    assert {env.reset(options={"seat": "player_1"})[1]["player"] for _ in range(9)} == {1}


def test_opponents_are_drawn_by_weight():
    bots = [Lowest(), (Highest(), 3), ("random", 6)]
    for opponent in (bots, OpponentPool(bots), {Lowest(): 1, Highest(): 3, "random": 6}):
        env = make(2, opponent, rules="micro")
        counts = Counter(env.reset()[1]["opponent"] for _ in range(2000))
        for name, share in (("Lowest", 0.1), ("Highest", 0.3), ("random", 0.6)):
            expected, deviation = 2000 * share, (2000 * share * (1 - share)) ** 0.5
            assert abs(counts[name] - expected) < 4 * deviation, name
    assert {env.reset(options={"opponent": "Highest"})[1]["opponent"] for _ in range(9)} == {"Highest"}
    assert env.reset(options={"opponent": "greedy"})[1]["opponent"] == "greedy"
    assert "greedy" not in env.pool.names


def test_a_pool_grows_and_shrinks_between_episodes():
    pool = OpponentPool("random")
    env = gymnasium.make(ID, opponent=pool, rules="micro")
    assert env.unwrapped.pool is pool
    assert {env.reset(seed=1)[1]["opponent"] for _ in range(5)} == {"random"}
    spy = Spy()
    assert pool.add(spy, name="spy", weight=50) == "spy"
    assert pool.weights == {"random": 1.0, "spy": 50.0}
    assert "spy" in {env.reset()[1]["opponent"] for _ in range(10)}
    assert spy.rows
    pool.remove("random")
    observed = [env.reset()[1] for _ in range(5)]
    pool.remove("spy")
    before = env.unwrapped.record()
    with pytest.raises(ValueError, match="pool is empty"):
        env.reset()
    assert env.unwrapped.record() == before
    over = False  # an episode against who is gone is played to its end
    while not over:
        _, _, terminated, truncated, info = env.step(env.action_space.sample())
        over = terminated or truncated
        assert info["opponent"] == observed[-1]["opponent"] == "spy"


def test_names_in_a_pool():
    pool = OpponentPool(["random", "random", Lowest(), Lowest()])
    assert pool.names == ("random", "random#2", "Lowest", "Lowest#2")
    assert len(pool) == 4
    assert "Lowest#2" in repr(pool)
    with pytest.raises(ValueError, match="already an opponent 'random'"):
        pool.add("greedy", name="random")
    with pytest.raises(ValueError, match="name: expected a text"):
        pool.add("greedy", name="")
    with pytest.raises(ValueError, match="expected one of random, random#2, Lowest, Lowest#2, got 'greedy'"):
        pool.remove("greedy")
    assert len(pool) == 4


@pytest.mark.parametrize(
    ("opponent", "message"),
    [
        ("greedi", "unknown bot 'greedi', did you mean 'greedy'"),
        (3, "expected a bot's name or an object with a method act"),
        (Lowest, "expected a bot's name or an object with a method act"),
        (None, "expected at least one bot"),
        ([], "expected at least one bot"),
        ({}, "expected at least one bot"),
        (("greedy", 3), "expected a bot's name or an object"),
        ([("greedy", 0)], "weight: expected a finite number above 0, got 0"),
        ({"greedy": -1}, "weight: expected a finite number above 0"),
        ({"greedy": float("nan")}, "weight: expected a finite number above 0"),
        ({"greedy": float("inf")}, "weight: expected a finite number above 0"),
        ({"greedy": "3"}, "weight: expected a finite number above 0"),
        ({"greedy": True}, "weight: expected a finite number above 0"),
        ({"greedy": None}, "weight: expected a finite number above 0"),
    ],
)
def test_wrong_opponents_are_refused(opponent, message):
    with pytest.raises(ValueError, match=message):
        SingleAgentEnv(opponent)


def test_an_opponent_is_told_what_it_may_know():
    for sees_all, hidden in ((False, at.TALON_WORDS), (True, 0)):
        spy = Spy(sees_all)
        env = make(5, spy)
        finish(env, random.Random(0))
        assert spy.rows
        assert {hidden_columns(row) for row in spy.rows} == {hidden}
        for row in spy.rows:
            player = int(row[at.ACTOR])
            assert player != env.known_row()[at.ACTOR] or env.known_row()[at.PHASE] >= at.DEAL_OVER
            assert (row[at.HANDS + 1 - player] == -1) != sees_all


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        (Raising(), r"bot 'Raising': act\(views, rng\) raised RuntimeError: out of ideas"),
        (Cheating(), "bot 'Cheating': 0 is not legal where it was asked"),
        (Floats(), "bot 'Floats': expected integer actions"),
    ],
)
def test_a_bot_that_fails_is_named(bot, message):
    env = SingleAgentEnv(Lowest(), seat="player_0")
    env.reset(seed=0)
    begun_by_1 = next(seed for seed in range(20) if SelfPlayVectorEnv(1, seed=seed).rows[0, at.ACTOR] == 1)
    with pytest.raises(BotError, match=message):
        env.reset(seed=begun_by_1, options={"opponent": bot})
    with pytest.raises(ResetNeeded):
        env.step(PASS)
    env.reset()
    env.step(PASS)


def test_a_bot_that_fails_later_leaves_an_environment_to_reset():
    env = make(0, Raising(6))
    with pytest.raises(BotError, match="out of ideas"):
        finish(env, random.Random(0))
    with pytest.raises(ResetNeeded):
        env.step(int(env.action_masks().argmax()))


def test_that_a_bot_was_trained_on_other_rules_is_said_once(capsys):
    bot = Lowest()
    bot.trained_on = Rules.make("rubicon")
    for _ in range(3):
        SingleAgentEnv([(bot, 1)], rules={"base": "auction", "deals": 5})
    assert capsys.readouterr().err.count("Lowest was trained on rubicon") == 1


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
        ({"seat": "random"}, "agent: expected one of player_0, player_1"),
        ({"opponent": "nobody"}, "unknown bot 'nobody'"),
        ({"record": {}}, "format"),
        (["seat"], "options: expected a mapping"),
    ):
        with pytest.raises(ValueError, match=message):
            env.reset(seed=3, options=options)
    assert env.record() == record
    assert before == plain(make(3).step(int(make(3).action_masks().argmax())))


@pytest.mark.parametrize("name", ["rules", "episode", "reward", "seat", "illegal_action", "render_mode"])
def test_bad_options_are_refused(name):
    with pytest.raises(ValueError, match=name):
        SingleAgentEnv("random", **{name: "nonsense"})


def test_without_a_reset_nothing_can_be_done():
    env = SingleAgentEnv("random")
    for call in (lambda: env.step(0), env.action_masks, env.render, env.record, env.view, env.state, env.known_row):
        with pytest.raises(ResetNeeded):
            call()


# ------------------------------------------------------------------ illegal actions


def test_an_illegal_action_is_refused_and_changes_nothing():
    env = make(2, illegal_action="raise")
    before = env.record(), env.action_masks().tolist()
    for action in np.flatnonzero(~env.action_masks()).tolist():
        with pytest.raises(ValueError, match=f"action {action} is not legal; legal are"):
            env.step(action)
    assert (env.record(), env.action_masks().tolist()) == before
    for one in (make(2, illegal_action="raise"), make(2)):
        for action in (-1, 80, 1.0, True, None, "pass"):
            with pytest.raises(ValueError, match="expected an action from 0 to 79"):
                one.step(action)
        assert one.record() == before[0]


@pytest.mark.parametrize("reward", ["score", "win", "payment"])
def test_who_makes_an_illegal_move_loses(reward):
    env = make(2, reward=reward, episode="partie")
    seen = env.observation_space.sample()
    for _ in range(6):
        seen = env.step(int(env.action_masks().argmax()))[0]
    record, action = env.record(), int(env.action_masks().argmin())
    observation, gained, terminated, truncated, info = env.step(action)
    assert (gained, terminated, truncated, info["illegal_action"]) == (env.forfeit, True, False, action)
    assert np.array_equal(observation, seen)
    assert not info["action_mask"].any()
    assert env.record() == record
    with pytest.raises(ResetNeeded):
        env.step(action)
    assert "illegal_action" not in env.reset()[1]


def test_no_legal_loss_is_worse():
    """Random play comes near to no bound; so games in which one makes all and doubles, too, in small packs."""
    for number, seed in itertools.product(range(25), range(4)):
        rules = helpers.odd_rules(number)
        rng = random.Random(seed)
        for episode, reward in (("deal", "score"), ("partie", "score"), ("partie", "win"), ("partie", "payment")):
            env = make(seed, (Lowest(), Highest())[seed % 2], rules=rules, episode=episode, reward=reward)
            rewards = [step[1] for step in finish(env, rng)]
            worst = min(itertools.accumulate(reversed(rewards)))  # of what is still to come
            assert worst >= env.forfeit, (rules, episode, reward)
            if env.forfeit < -2:
                assert worst > env.forfeit


def test_the_bound_of_a_deal_by_hand():
    """A redoubled contract of all tricks without one, against a repique, and capot; without an auction far less."""
    assert most_points_of_a_deal(Rules.make("micro")) >= 2 * 10 * 4 + 60 + 40 + 2
    assert most_points_of_a_deal(Rules.make("auction")) >= 12 * 10 * 4 + 60 + 40 + 12 + 30
    assert 60 + 40 + 10 + 25 + 30 <= most_points_of_a_deal(Rules.make("rubicon")) < 480


# ------------------------------------------------------------------ copies and records


def pickled(env):
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, pickled, SingleAgentEnv.clone])
def test_a_copy_goes_on_in_the_same_way(copied):
    for episode, moves in (("deal", 0), ("deal", 9), ("partie", 60)):
        env = make(9, ["random", "greedy", Lowest()], episode=episode)
        rng = random.Random(episode)
        for _ in range(moves):
            if not env.action_masks().any():
                env.reset()
            env.step(choose(env.action_masks(), rng))
        if not env.action_masks().any():
            env.reset()
        other = copied(env)
        before = other.record()
        assert type(other.action_space) is type(env.action_space)
        env.action_space.seed(1)
        other.action_space.seed(1)
        assert other.action_space.sample() == env.action_space.sample()
        first = [*map(plain, finish(env, random.Random(5))), *trace(env, random.Random(5), 2)]
        assert other.record() == before
        assert first == [*map(plain, finish(other, random.Random(5))), *trace(other, random.Random(5), 2)]


def test_a_copy_shares_the_pool_and_a_wrapped_one_goes_on():
    pool = OpponentPool("random")
    env = gymnasium.make(ID, opponent=pool, rules="mini")
    env.reset(seed=1)
    other = copy.deepcopy(env)
    assert other.unwrapped.pool is pool
    assert other.unwrapped.record() == env.unwrapped.record()
    assert copy.copy(pool) is pool
    env.step(env.action_space.sample())
    assert other.unwrapped.record() != env.unwrapped.record()


def test_a_copy_before_the_first_reset():
    for copied in (copy.deepcopy, pickled):
        other = copied(SingleAgentEnv("random", "mini"))
        assert plain(other.reset(seed=1)) == plain(SingleAgentEnv("random", "mini").reset(seed=1))


def test_a_pickled_pool_loads_its_named_bots_again():
    pool = pickled(OpponentPool([("base", 2), ("random", 1)]))  # a session of onnxruntime cannot be pickled
    assert pool.weights == {"base": 2.0, "random": 1.0}
    env = SingleAgentEnv(pool)
    env.reset(seed=0)
    env.step(int(env.action_masks().argmax()))
    with_base = gymnasium.make(ID, opponent=load_bot("base"))
    with_base.reset(seed=0)
    copy.deepcopy(with_base.unwrapped).step(with_base.action_space.sample())


def test_a_reseeded_clone_has_this_deal_and_another_future():
    env = make(10, "random", episode="partie")
    clones = [env.clone(reseed=seed) for seed in (1, 1, 2)]
    assert all(clone.record() == env.record() for clone in clones)
    records = [
        json.dumps(finish(one, random.Random(0)) and one.record()["deals"][1]["hands"]) for one in (env, *clones)
    ]
    assert records[1] == records[2]
    assert len(set(records)) == 3
    actions = [one.record()["deals"][0]["actions"] for one in (env, *clones)]  # the bot draws otherwise, too
    assert actions[1] == actions[2]
    assert actions[0] != actions[1] != actions[3]
    with pytest.raises(ValueError, match="seed"):
        env.clone(reseed=-1)


@pytest.mark.parametrize("episode", ["deal", "partie"])
def test_a_record_is_set_up_and_gone_on_with(episode):
    env = make(4, rules="mini" if episode == "deal" else {"base": "mini", "deals": 4}, episode=episode)
    rng, again = random.Random(4), SingleAgentEnv(Lowest(), rules=env.rules, episode=episode)
    for _ in range(20):
        env.reset(options={"seat": "player_1"})
        over = False
        while not over:
            observation, info = again.reset(options={"record": env.record(), "seat": "player_1"})
            assert again.record() == env.record()
            assert np.array_equal(observation, knowledge.observation(env._row, 1))
            assert np.array_equal(info["action_mask"], env.action_masks())
            _, _, terminated, truncated, _ = env.step(choose(env.action_masks(), rng))
            over = terminated or truncated
    with pytest.raises(ValueError, match="record: the episode is over"):
        again.reset(options={"record": env.record()})
    with pytest.raises(ResetNeeded):
        again.step(PASS)
    with pytest.raises(ValueError, match="the environment plays"):
        make(4, episode=episode).reset(options={"record": env.record()})


def test_what_else_it_tells_is_the_learners_view(capsys):
    env = make(6, seat="player_1", render_mode="ansi")
    assert env.view()["player"] == "player_1"
    assert env.known_row()[at.HANDS] == -1
    assert np.array_equal(env.state()[: knowledge.OBSERVATION_SIZE], knowledge.observation(env._row, 1))
    assert env.render() == table_text(env.known_row(), 1)
    human = make(6, seat="player_1", render_mode="human")
    assert capsys.readouterr().out == f"{env.render()}\n"
    human.step(int(human.action_masks().argmax()))
    assert len(capsys.readouterr().out) > 100
    assert action_index("pass") == PASS
