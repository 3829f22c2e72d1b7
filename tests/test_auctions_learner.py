"""Episodes that are an auction alone, for Gymnasium: one learner against a bot, and many."""

import copy
import pickle
import random
import warnings

import gymnasium
import numpy as np
import pytest
from auctions import call, calls, full_deal, looked_up, stored
from bidding_parts import played_out
from gymnasium.utils.env_checker import check_env

import piquet_env  # noqa: F401 (registers the environment)
from piquet_env import SelfPlayVectorEnv
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at

ID = "piquet_env/AuctionPiquetBidding-v0"


def make(seed=0, **options):
    env = gymnasium.make(ID, **{"opponent": "greedy", **options}).unwrapped
    env.reset(seed=seed)
    return env


def finish(env, rng) -> tuple:
    """The last step of the episode."""
    over = False
    while not over:
        step = env.step(call(env.action_masks(), rng))
        over = step[2]
        assert not step[3]
        assert over or step[1] == 0
    return step


@pytest.mark.parametrize("source", [None, "stored"])
def test_gymnasium_accepts_it(source):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(ID, rules="micro", deals=stored("micro") if source else None).unwrapped)


@pytest.mark.parametrize("source", [None, "stored"])
def test_the_learner_gets_what_the_deal_comes_to(source):
    deals, rng, seats = stored() if source else None, random.Random(1), set()
    env = make(opponent="random", deals=deals)
    for seed in range(25):
        env.reset(seed=seed)
        _, reward, _, _, info = finish(env, rng)
        row, sign = env._row, 1 - 2 * info["player"]
        seats.add(info["player"])
        assert reward == sign * (looked_up(deals, row) if source else game.difference(played_out(full_deal(row))))
        assert ("deal" in info) == (not row[at.IS_THROWN_IN])
        assert "result" not in env.record() or row[at.IS_THROWN_IN]
    assert seats == {0, 1}


def test_it_deals_what_the_batches_deal():
    deals = stored("mini")
    games = SelfPlayVectorEnv(3, "mini", "auction", seed=7, deals=deals)
    many = gymnasium.make_vec(ID, num_envs=3, opponent="random", rules="mini", deals=deals, seat="player_0")
    many.reset(seed=7)
    alone = make(7, rules="mini", deals=deals)
    dealt = slice(at.DEALT, at.DEALT + 2)
    assert (many.unwrapped.rows[:, dealt] == games.rows[:, dealt]).all()
    assert (alone._row[dealt] == games.rows[0, dealt]).all()
    assert (many.unwrapped.rows[:, at.PLAYOUT] > 1).all()


@pytest.mark.parametrize("skip_forced", [False, True])
def test_many_are_what_single_ones_are(skip_forced):
    """Against a bot that draws nothing each game of a batch, with a seed of its own, is the single one of that seed."""
    options = {"opponent": "greedy", "rules": "micro", "deals": stored("micro"), "skip_forced": skip_forced}
    many = gymnasium.make_vec(ID, num_envs=4, **options)
    singles = [make(seed, **options) for seed in range(4)]
    rng, ended = random.Random(3), 0
    observation, info = many.reset(seed=[0, 1, 2, 3])
    for _ in range(60):
        actions = calls(info["action_mask"], rng)
        observation, reward, terminated, truncated, info = many.step(actions)
        assert not truncated.any()
        for place, single in enumerate(singles):
            seen, gained, over, _, told = single.step(int(actions[place]))
            assert (gained, over) == (reward[place], terminated[place])
            if over:
                assert (info["final_obs"][place] == seen).all()
                assert ("deal" in told) == (not single._row[at.IS_THROWN_IN])
                seen, told = single.reset()
                ended += 1
            assert (observation[place] == seen).all()
            assert (info["action_mask"][place] == told["action_mask"]).all()
    assert ended > 40


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("many", [False, True])
def test_a_copy_goes_on_in_the_same_way(copied, many):
    options = {"opponent": "random", "rules": "micro", "deals": stored("micro")}
    env = gymnasium.make_vec(ID, num_envs=3, **options).unwrapped if many else make(**options)
    env.reset(seed=5)
    other, rng = copied(env), random.Random(5)
    for _ in range(20):
        mask = env._mask
        action = calls(mask, rng) if many else call(mask, rng)
        step, again = env.step(action), other.step(action)
        for one, two in zip(step[:4], again[:4], strict=True):
            assert np.array_equal(one, two)
        if not many and step[2]:
            assert np.array_equal(env.reset()[0], other.reset()[0])


def test_a_record_is_set_up_and_one_that_goes_on_is_refused():
    env = make(seed=2, seat="player_0", opponent="random")
    record = env.record() | {"actions": []}
    env.reset(options={"record": record, "seat": "player_0"})
    assert env.record()["hands"] == record["hands"]
    finish(env, random.Random(2))
    with pytest.raises(ValueError, match="the episode is over before the learner has anything to do"):
        env.reset(options={"record": record | {"actions": [*_bid_and_pass(record)]}, "seat": "player_0"})
    env.reset(seed=3)
    before = env.record()
    goes_on = [*_bid_and_pass(record), f"{1 - int(record['dealer'][-1])} stand"]
    with pytest.raises(ValueError, match="expected no more than its 2 actions"):
        env.reset(options={"record": record | {"actions": goes_on}})
    assert env.record() == before


def _bid_and_pass(record):
    first = 1 - int(record["dealer"][-1])
    return f"{first} +7", f"{1 - first} pass"


def test_who_calls_illegally_loses_more_than_any_contract_costs():
    env = make(seed=1, seat="player_0", opponent="random")
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    _, reward, terminated, _, info = env.step(illegal)
    assert terminated
    assert info["illegal_action"] == illegal
    assert reward == env.forfeit < -(4 * 10 * 12)


def test_what_cannot_be_is_refused():
    for build in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ValueError, match="expected rules with an auction"):
            build(ID, rules="cent")
        with pytest.raises(ValueError, match='"payment" is what a partie pays'):
            build(ID, reward="payment")
        with pytest.raises(ValueError, match="the deals are of auction"):
            build(ID, rules="mini", deals=stored())
        with pytest.raises(ValueError, match="stored ones are for episode"):
            build("piquet_env/AuctionPiquet-v0", deals=stored())


def test_two_passes_end_it():
    env = make(seed=1, seat="player_0", opponent="random", rules="auction")
    for seed in range(60):
        _, info = env.reset(seed=seed)
        _, reward, terminated, truncated, info = env.step(act.PASS if info["action_mask"][act.PASS] else act.REDOUBLE)
        if terminated and env._row[at.IS_THROWN_IN]:
            assert (reward, truncated) == (0.0, False)
            return
    raise AssertionError("no deal was thrown in")
