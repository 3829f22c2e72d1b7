"""Whom the learner plays against, and in which seat."""

import random
from collections import Counter

import gymnasium
import pytest
from gymnasium.error import ResetNeeded
from opponents import PASS, Cheating, Floats, Highest, Lowest, Raising, Spy, hidden_columns
from single import finish, make

import piquet_env  # noqa: F401 (registers the environment)
from piquet_env import OpponentPool, SelfPlayVectorEnv
from piquet_env.bots import BotError
from piquet_env.engine import layout as at
from piquet_env.envs.single_agent import SingleAgentEnv
from piquet_env.rules import Rules

ID = "piquet_env/AuctionPiquet-v0"


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


def test_that_a_later_bot_was_trained_on_other_rules_is_said_too(capsys):
    pool, bot = OpponentPool("random"), Lowest()
    env = make(0, pool, rules="mini")
    bot.trained_on = Rules.make("rubicon")
    pool.add(bot, "late")
    env.reset(options={"opponent": "late"})
    assert capsys.readouterr().err.count("late was trained on rubicon; here it plays mini") == 1
