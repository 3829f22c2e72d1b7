"""One learner: illegal actions, copies, records, and what else the environment tells."""

import copy
import itertools
import json
import pickle
import random

import gymnasium
import helpers
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from opponents import PASS, Highest, Lowest
from single import choose, finish, make, plain, trace

import piquet_env  # noqa: F401 (registers the environment)
from piquet_env import OpponentPool, action_index, knowledge
from piquet_env.bots import load_bot
from piquet_env.engine import layout as at
from piquet_env.envs.limits import most_points
from piquet_env.envs.single_agent import SingleAgentEnv
from piquet_env.envs.single_agent_vector import SingleAgentVectorEnv
from piquet_env.exact import information_sets
from piquet_env.options import note_illegal_action
from piquet_env.render.table import table_text
from piquet_env.rules import Rules

ID = "piquet_env/AuctionPiquet-v0"

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


def test_that_moves_are_illegal_is_said_once(caplog):
    note_illegal_action.cache_clear()
    for one in (make(2), make(2), SingleAgentVectorEnv(2, Lowest())):
        one.reset(seed=1)
        one.step(int(one.action_masks().argmin()) if one.action_masks().ndim == 1 else [79, 79])
    assert caplog.text.count("an illegal action has ended an episode") == 1
    note_illegal_action.cache_clear()
    one.step([79, 79])
    assert caplog.text.count("an illegal action has ended an episode") == 2


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
    assert most_points(Rules.make("auction")) >= 12 * 10 * 4 + 60 + 40 + 12 + 30
    assert 60 + 40 + 10 + 25 + 30 <= most_points(Rules.make("rubicon")) < 480


def test_the_bound_of_a_deal_holds_at_every_end_of_micro():
    """Two cards declare a point of two at most: no repique, whose threshold is three there."""
    dearest = np.abs(information_sets("micro").ends[:, 2]).max()
    assert 2 * 10 * 4 <= dearest <= most_points(Rules.make("micro")) < -make(0, Lowest(), rules="micro").forfeit


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


def test_what_it_was_made_with_makes_another_one(recwarn):
    bot = load_bot("base")  # what runs it cannot be copied or pickled
    for opponent in (bot, OpponentPool(bot), [(bot, 2), ("greedy", 1)]):
        env = gymnasium.make(ID, opponent=opponent, seat="player_1")
        for made in (gymnasium.make(env.spec), gymnasium.make(env.unwrapped.spec)):
            assert made.reset(seed=3)[1] | {"action_mask": 0} == env.reset(seed=3)[1] | {"action_mask": 0}
            assert made.unwrapped.pool.names == env.unwrapped.pool.names
        env.reset(seed=1)
        assert copy.deepcopy(env).unwrapped.record() == env.unwrapped.record() == pickled(env).unwrapped.record()
    assert [str(warning.message) for warning in recwarn] == []
