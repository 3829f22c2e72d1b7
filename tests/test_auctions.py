"""Episodes that are an auction alone: PettingZoo's environment and the batch, against deals that are played out."""

import copy
import json
import pickle
import random
import warnings

import numpy as np
import pettingzoo
import pytest
from auctions import call, calls, full_deal, looked_up, number_of, stored, unsettled
from bidding_parts import played_out
from helpers import hidden
from pettingzoo.test import api_test, render_test, seed_test
from vectors import assert_same, play

from piquet_env import SelfPlayVectorEnv, auction_piquet_bidding_v0, auction_piquet_v0, bidding, knowledge
from piquet_env.bots import load_bot
from piquet_env.bots.base import views_for
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.notation import card_text, cards_of, hand_text, parse_hand
from piquet_env.records import check_record

SOURCES = [None, "stored"]


def deals_of(source, rules="micro"):
    return None if source is None else stored(rules)


def finished(env, rng) -> dict:
    """The rewards, when the auction has been called to its end."""
    while env.agents and not any(env.terminations.values()):
        env.step(call(env.observe(env.agent_selection)["action_mask"], rng))
    assert not any(env.truncations.values())
    return dict(env.rewards)


# ------------------------------------------------------------------ PettingZoo


@pytest.mark.parametrize("source", SOURCES)
def test_pettingzoo_accepts_it(source, capsys):
    def build(render_mode=None):
        return auction_piquet_bidding_v0.env("micro", deals=deals_of(source), render_mode=render_mode)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        warnings.filterwarnings("ignore", message="Observation space for each agent probably should be")
        api_test(build(), num_cycles=60)
        seed_test(build, num_cycles=40)
        render_test(build, custom_tests={"ansi": lambda text: text.isascii() and len(text) > 100})
    assert "Passed API test" in capsys.readouterr().out


def test_it_is_registered_and_is_the_same_as_the_option():
    env = pettingzoo.make("aec", "piquet/auction-bidding-v0", rules="mini", reward="win")
    assert isinstance(env, auction_piquet_bidding_v0.raw_env)
    assert (str(env), env.episode, env.reward) == ("auction_piquet_bidding_v0", "auction", "win")
    same = auction_piquet_v0.env("mini", episode="auction", reward="win")
    for seed in range(30):
        env.reset(seed=seed)
        same.reset(seed=seed)
        assert finished(env, random.Random(seed)) == finished(same, random.Random(seed))
        assert env.infos["player_0"]["deal"] == same.infos["player_0"]["deal"]


def test_an_auction_comes_to_what_the_deal_comes_to_when_it_is_played_out():
    rng, env, thrown_in, gained = random.Random(4), auction_piquet_bidding_v0.env(), 0, set()
    for seed in range(30):
        env.reset(seed=seed)
        rewards = finished(env, rng)
        row = env.unwrapped._row
        full, told = full_deal(row), env.infos["player_1"]["deal"]
        value = game.difference(played_out(full))
        assert rewards == {"player_0": value, "player_1": -value}
        thrown_in += told is None
        gained.add(value)
        if told is not None:
            assert told["contract"]["level"] == full[at.LEVEL]
            assert told["score"]["player_0"]["total"] - told["score"]["player_1"]["total"] == value
            assert "tricks" not in told
    assert thrown_in
    assert len(gained) > 15


@pytest.mark.parametrize("name", ["auction", "auction-parlett", "mini", "micro"])
def test_two_passes_end_it_with_nothing(name):
    """Also where a thrown-in deal is dealt again when whole deals are played."""
    env = auction_piquet_bidding_v0.env(name, deals=stored(name))
    env.reset(seed=1)
    for _ in range(2):
        env.step(act.PASS)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    assert env.infos["player_0"]["deal"] is None
    record = env.unwrapped.record()
    assert record["result"] is None
    check_record(record)


def test_stored_deals_are_looked_up_and_come_equally_often():
    deals, rng, env = stored("auction", 5), random.Random(5), auction_piquet_bidding_v0.env(deals=stored("auction", 5))
    env.reset(seed=9)
    count, dealers = np.zeros(5, int), set()
    for _ in range(600):
        rewards, row = finished(env, rng), env.unwrapped._row
        assert rewards["player_0"] == looked_up(deals, row)
        count[number_of(deals, row)] += 1
        dealers.add((number_of(deals, row), int(row[at.DEALER])))
        env.reset()
    assert len(dealers) == 10
    assert count.min() > 85  # of 120; a binomial's standard deviation is 10


def test_the_score_is_the_same_looked_up_and_settled_anew():
    deals = stored("auction")
    known, anew = auction_piquet_bidding_v0.env(deals=deals), auction_piquet_bidding_v0.env()
    for seed in range(20):
        known.reset(seed=seed)
        record = known.unwrapped.record()
        anew.reset(options={"record": record})
        assert finished(known, random.Random(seed)) == finished(anew, random.Random(seed))
        record = known.unwrapped.record()
        anew.reset(options={"record": record})  # at its end already
        assert anew.rewards == known.rewards


# ------------------------------------------------------------------ records, views, copies


def test_the_record_is_one_of_a_deal_that_can_be_gone_on_with():
    env, rng = auction_piquet_bidding_v0.env(deals=stored()), random.Random(7)
    env.reset(seed=2)
    for seed in range(10):
        env.reset(seed=seed)
        finished(env, rng)
        record = json.loads(json.dumps(env.unwrapped.record()))
        check_record(record)
        if record.get("result", "") is None:
            continue
        assert "result" not in record
        whole = auction_piquet_v0.env()
        whole.reset(options={"record": record})
        assert whole.infos[whole.agent_selection]["phase"] == "exchange"
        whole.step(act.STAND)
        with pytest.raises(ValueError, match="expected no more than its"):
            env.reset(options={"record": whole.unwrapped.record()})
        assert env.unwrapped.record() == record, "nothing has changed"


def test_what_can_be_asked_of_it_when_it_is_over():
    env = auction_piquet_bidding_v0.env(deals=stored(), render_mode="ansi")
    env.reset(seed=3)
    rewards = finished(env, random.Random(3))
    for player, agent in enumerate(env.possible_agents):
        seen = env.unwrapped.view(agent)
        assert (seen["phase"], seen["to_act"], seen["tricks"]) == ("game_over", None, [])
        assert seen["holds"][f"player_{1 - player}"] == "?", "the other's cards stay hidden"
        assert "?" in seen["talon"]
        assert seen["score"][agent]["total"] == max(rewards[agent], 0)
        assert not knowledge.describe(env.observe(agent)["observation"])["their_hand"]
    assert "the game is over" in env.render()
    assert env.state().any()


def pickled(env):
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, pickled, auction_piquet_bidding_v0.raw_env.clone])
@pytest.mark.parametrize("source", SOURCES)
def test_a_copy_goes_on_in_the_same_way(copied, source):
    env = auction_piquet_bidding_v0.env("mini", deals=deals_of(source, "mini"))
    env.reset(seed=4)
    env.step(act.PASS)
    other = copied(env)
    for _ in range(6):
        rng = random.Random(str(env.unwrapped.record()))
        assert finished(env, copy.deepcopy(rng)) == finished(other, rng)
        assert env.unwrapped.record() == other.unwrapped.record()
        env.reset()
        other.reset()
    if copied is not pickled:
        assert other.unwrapped.deals is env.unwrapped.deals, "stored deals may take 40 MB"


def test_a_reseeded_clone_has_this_deal_and_another_future():
    env = auction_piquet_bidding_v0.env(deals=stored())
    env.reset(seed=4)
    other = env.unwrapped.clone(reseed=1)
    assert finished(env, random.Random(1)) == finished(other, random.Random(1))
    numbers = []
    for each in (env.unwrapped, other):
        each.reset()
        numbers.append([])
        for _ in range(12):
            numbers[-1].append(number_of(stored(), each._row))
            each.reset()
    assert numbers[0] != numbers[1]


# ------------------------------------------------------------------ what is hidden


def given_to(env, agent) -> dict:
    """All that an agent, or the bot that plays for it, is given."""
    env = env.unwrapped
    seen, info = env.observe(agent), env.infos[agent]
    row = views_for(load_bot("greedy"), env._row[None]).rows if env.agent_selection == agent else np.zeros(1)
    return {
        "observation": seen["observation"].tobytes(),
        "mask": seen["action_mask"].tobytes(),
        "info": {**info, "action_mask": info["action_mask"].tobytes()},
        "view": json.dumps(env.view(agent)),
        "known row": env.known_row(agent).tobytes(),
        "bot's row": row.tobytes(),
    }


@pytest.mark.parametrize("source", SOURCES)
def test_the_other_hand_and_the_talon_leave_no_trace_in_the_auction(source):
    """The same hand and calls, all other cards redistributed; and nothing says that the deal ends with its auction."""
    rng, compared = random.Random(8), 0
    env, other = (auction_piquet_bidding_v0.env(deals=deals_of(source, "auction")) for _ in range(2))
    whole = auction_piquet_v0.env()
    for seed in range(25):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            record = env.unwrapped.record()
            for me, agent in enumerate(env.possible_agents):
                other.reset(options={"record": redistributed(record, me, rng)})
                whole.reset(options={"record": redistributed(record, me, rng)})
                assert given_to(env, agent) == given_to(other, agent) == given_to(whole, agent)
                compared += 1
            env.step(call(env.observe(env.agent_selection)["action_mask"], rng))
    assert compared > 100


def redistributed(record: dict, me: int, rng: random.Random) -> dict:
    """The record with the cards that player `me` does not hold dealt anew."""
    mine = f"player_{me}"
    rest = [card for card in range(32) if card not in cards_of(parse_hand(record["hands"][mine]))]
    rng.shuffle(rest)
    theirs = sum(1 << card for card in rest[:12])
    hands = {mine: record["hands"][mine], f"player_{1 - me}": hand_text(theirs)}
    return record | {"hands": hands, "talon": " ".join(map(card_text, rest[12:]))}


@pytest.mark.parametrize("name", ["omniscient", "expert:fast"])
def test_bots_that_play_out_what_they_bid_do_so(name):
    """They are not told that the deal ends with the auction: they call as in a whole deal."""
    bot, env = load_bot(name), auction_piquet_bidding_v0.env(deals=stored())
    for seed in range(3):
        env.reset(seed=seed)
        row = env.unwrapped._row
        assert row[at.PLAYOUT] > 1
        chosen = [bot.act(views_for(bot, each[None]), np.random.default_rng(1))[0] for each in (row, full_deal(row))]
        assert chosen[0] == chosen[1]


# ------------------------------------------------------------------ many at once


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("reward", ["score", "win"])
def test_the_batch_against_the_single_game(source, reward):
    deals = deals_of(source, "mini")
    games = SelfPlayVectorEnv(4, "mini", "auction", reward, seed=11, deals=deals)
    alone = auction_piquet_bidding_v0.env("mini", reward=reward, deals=deals)
    rng, episodes = random.Random(11), 0
    observation, info = games.reset()
    alone.reset(seed=11)
    for _ in range(120):
        seen = alone.observe(alone.agent_selection)
        assert (observation[0] == seen["observation"]).all()
        assert (info["action_mask"][0] == seen["action_mask"]).all()
        actions = calls(info["action_mask"], rng)
        observation, rewards, terminated, truncated, info = games.step(actions)
        assert not truncated.any()
        assert (info["deal_over"] == terminated).all()
        alone.step(int(actions[0]))
        assert rewards[0].tolist() == list(alone.rewards.values())
        assert terminated[0] == any(alone.terminations.values())
        if terminated[0]:
            assert (info["final_obs"][0, 1] == alone.observe("player_1")["observation"]).all()
            assert (hidden(info["finished"][0], 0) == alone.unwrapped.known_row("player_0")).all()
            episodes += 1
            alone.reset()
    assert episodes > 20


@pytest.mark.parametrize("skip_forced", [False, True])
def test_a_game_does_not_depend_on_the_batch(skip_forced):
    options = {"episode": "auction", "seed": 5, "deals": stored("micro"), "skip_forced": skip_forced}
    whole = play(SelfPlayVectorEnv(7, "micro", threads=3, **options), 30)
    part = play(SelfPlayVectorEnv(3, "micro", first_game=2, **options), 30)
    assert_same([{k: v[2:5] for k, v in step.items()} for step in whole], part)


@pytest.mark.parametrize("source", SOURCES)
def test_copies_and_rows_of_the_batch_go_on_alike(source):
    def new(seed):
        return SelfPlayVectorEnv(6, "mini", "auction", seed=seed, deals=deals_of(source, "mini"))

    env, rng = new(5), random.Random(5)
    _, info = env.reset()
    for _ in range(5):
        _, _, _, _, info = env.step(calls(info["action_mask"], rng))
    restored = new(6)
    restored.restore(env.rows.copy())
    others = [restored, pickled(env), copy.deepcopy(env)]
    for _ in range(25):
        actions = calls(info["action_mask"], rng)
        _, reward, _, _, info = env.step(actions)
        for other in others:
            assert (other.step(actions)[1] == reward).all()
            assert (other.rows == env.rows).all()


def test_rows_of_another_kind_of_episode_are_refused():
    deals = stored("mini")
    whole, anew = SelfPlayVectorEnv(3, "mini", seed=1), SelfPlayVectorEnv(3, "mini", "auction", seed=1)
    known = SelfPlayVectorEnv(3, "mini", "auction", seed=1, deals=deals)
    for env, rows in ((whole, anew.rows), (anew, whole.rows), (anew, known.rows), (known, whole.rows)):
        with pytest.raises(ValueError, match="rows: game 0: no game comes to this row"):
            env.restore(rows.copy())
    known.restore(anew.rows.copy())  # settled from their cards
    rows = known.rows.copy()
    rows[1, at.PLAYOUT] = 2 + len(deals)
    with pytest.raises(ValueError, match="rows: game 1"):
        known.restore(rows)
    rows = SelfPlayVectorEnv(3, "mini", "auction", seed=1, deals=deals).rows.copy()
    rows[2, at.PLAYOUT] = 2 + (rows[2, at.PLAYOUT] - 1) % len(deals)
    with pytest.raises(ValueError, match="rows: game 2"):
        known.restore(rows)


def test_what_cannot_be_is_refused(tmp_path):
    for build in (auction_piquet_v0.env, lambda **options: SelfPlayVectorEnv(2, **options)):
        with pytest.raises(ValueError, match="expected rules with an auction"):
            build(rules="rubicon", episode="auction")
        with pytest.raises(ValueError, match='"payment" is what a partie pays'):
            build(episode="auction", reward="payment")
        with pytest.raises(ValueError, match="stored ones are for episode"):
            build(episode="deal", deals=stored())
        with pytest.raises(ValueError, match="the deals are of auction"):
            build(rules="mini", episode="auction", deals=stored())
        with pytest.raises(ValueError, match=r"none\.npz"):
            build(episode="auction", deals=tmp_path / "none.npz")
        with pytest.raises(ValueError, match="expected BiddingDeals or the path"):
            build(episode="auction", deals=[1])


# ------------------------------------------------------------------ the columns that vary


@pytest.mark.parametrize("name", ["auction", "auction-parlett", "mini", "micro", "open"])
def test_no_other_column_varies(name):
    rules = {"base": "auction", "open_hands": True} if name == "open" else name
    columns = bidding.columns(rules)
    assert columns.dtype == np.int64
    assert (np.diff(columns) > 0).all()
    env, rng = SelfPlayVectorEnv(400, rules, "auction", seed=2, deals=unsettled(rules, 5000)), random.Random(2)
    observation, info = env.reset()
    low, high = observation.min(0), observation.max(0)
    for _ in range(100):
        observation, _, _, _, info = env.step(calls(info["action_mask"], rng))
        low, high = np.minimum(low, observation.min(0)), np.maximum(high, observation.max(0))
    varied = np.flatnonzero(low != high)
    assert set(varied) <= set(columns.tolist())
    missing = [knowledge_name(column) for column in columns if column not in varied]
    assert set(missing) <= {"my_spades", "my_hearts", "my_diamonds", "my_clubs", "my_winners", "my_losers"}, missing
    assert len(varied) > 0.9 * len(columns)


def knowledge_name(column: int) -> str:
    return next(name for name, start, stop, _ in knowledge.fields() if start <= column < stop)


def test_the_columns_tell_all_that_the_observation_does():
    """Two decisions that look alike in these columns look alike in all others."""
    env, rng = SelfPlayVectorEnv(500, "micro", "auction", seed=3), random.Random(3)
    observation, info = env.reset()
    seen: dict[bytes, bytes] = {}
    for _ in range(40):
        for vector in observation:
            assert seen.setdefault(vector[bidding.columns("micro")].tobytes(), vector.tobytes()) == vector.tobytes()
        observation, _, _, _, info = env.step(calls(info["action_mask"], rng))
    assert len(seen) > 200


def test_there_are_none_without_an_auction():
    with pytest.raises(ValueError, match="expected a game with an auction"):
        bidding.columns("rubicon")
