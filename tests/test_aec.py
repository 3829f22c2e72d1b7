"""The AEC environment: PettingZoo's own tests, and what its users have found broken elsewhere."""

import copy
import json
import pickle
import random
import subprocess
import sys
import warnings
from pathlib import Path

import helpers
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

from piquet_env import SelfPlayVectorEnv, action_index, auction_piquet_v0, knowledge, options
from piquet_env.envs.registration import register
from piquet_env.rules import RULESETS
from piquet_env.views import observation_from_view, view

AGENTS = ["player_0", "player_1"]
DATA = Path(__file__).parent / "data"
BOTH_EPISODES = [(name, episode) for name in RULESETS for episode in ("deal", "partie")]


def make(rules="auction", seed=0, **options):
    env = auction_piquet_v0.env(rules=rules, **options)
    env.reset(seed=seed)
    return env


def legal(env) -> list[int]:
    return np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist()


def step(env, rng) -> int | None:
    """A random legal action, or None when the agent's episode is over."""
    over = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
    action = None if over else helpers.choose(legal(env), rng)
    env.step(action)
    return action


def is_over(env) -> bool:
    return any(env.terminations.values()) or any(env.truncations.values())


def finish(env, rng) -> None:
    while not is_over(env):
        step(env, rng)


def deals(limit=None) -> list[dict]:
    lines = (DATA / "deals.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[:limit]]


def snapshot(env) -> tuple:
    """Everything that users read from an environment."""
    agents = tuple(env.agents)
    observations = tuple(
        env.observe(agent)[key].tobytes() for agent in AGENTS for key in ("observation", "action_mask")
    )
    said = (env.rewards, env._cumulative_rewards, env.terminations, env.truncations)
    infos = {
        agent: {k: v.tolist() if k == "action_mask" else v for k, v in i.items()} for agent, i in env.infos.items()
    }
    return agents, env.agent_selection, observations, json.dumps(said), json.dumps(infos), env.state().tobytes()


# ------------------------------------------------------------------ PettingZoo's own tests


@pytest.mark.parametrize(("rules", "episode"), BOTH_EPISODES)
def test_pettingzoo_accepts_it(rules, episode, capsys):
    def build(render_mode=None):
        return auction_piquet_v0.env(rules=rules, episode=episode, render_mode=render_mode)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # PettingZoo 1.27 gives these two to every environment whose observations are dicts.
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        warnings.filterwarnings("ignore", message="Observation space for each agent probably should be")
        api_test(build(), num_cycles=150)
        seed_test(build, num_cycles=100)
        render_test(build, custom_tests={"ansi": lambda text: text.isascii() and len(text) > 100})
    assert "Passed API test" in capsys.readouterr().out


def test_it_is_registered():
    env = pettingzoo.make("aec", "piquet/auction-v0", rules="mini", render_mode="ansi")
    assert isinstance(env, auction_piquet_v0.raw_env)
    assert env.rules == RULESETS["mini"]
    assert str(env) == "auction_piquet_v0"
    assert env.unwrapped is env
    assert not env.metadata["is_parallelizable"]


def test_spaces():
    env = auction_piquet_v0.env()
    assert env.possible_agents == AGENTS
    assert env.action_space("player_0").n == 80
    assert env.observation_space("player_1")["observation"].shape == (knowledge.OBSERVATION_SIZE,)
    env.reset()
    for agent in AGENTS:
        assert env.observation_space(agent).contains(env.observe(agent))
    assert env.state_space.contains(env.state())
    assert (env.state() == knowledge.state(env._row, 0)).all()


# ------------------------------------------------------------------ order of calls, bad calls


def test_calls_before_reset_are_refused():
    env = auction_piquet_v0.env(render_mode="ansi")
    calls = (lambda: env.step(0), lambda: env.observe("player_0"), env.state, env.render, env.agent_iter, env.record)
    for call in calls:
        with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before"):
            call()
    for name in ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "num_agents"):
        with pytest.raises(AttributeError, match="before the first reset"):
            getattr(env, name)
    with pytest.raises(AttributeError, match="'nonsense'"):
        _ = env.nonsense


def test_a_loop_without_steps_is_refused():
    env = make()
    agents = iter(env.agent_iter())
    next(agents)
    with pytest.raises(AssertionError, match="need to call step"):
        next(agents)


def test_a_step_after_all_agents_are_done_only_warns(caplog):
    env = make("micro")
    finish(env, random.Random(1))
    for _ in AGENTS:
        env.step(None)
    assert env.agents == []
    env.step(0)
    assert "Should reset() first" in caplog.text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rules": "whist"}, "unknown ruleset"),
        ({"episode": "match"}, "episode"),
        ({"reward": "points"}, "reward"),
        ({"reward": "payment"}, "partie"),
        ({"illegal_action": "ignore"}, "illegal_action"),
        ({"render_mode": "depth_array"}, "render_mode"),
    ],
)
def test_bad_options_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        auction_piquet_v0.env(**wrong)


def test_bad_seeds_and_agents_are_refused_and_change_nothing():
    env = make(seed=3)
    before = snapshot(env)
    for seed in (-1, 2**63):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)
    with pytest.raises(TypeError, match="seed"):
        env.reset(seed="3")
    for call in (env.observe, env.observation_space, env.action_space, env.view):
        with pytest.raises(ValueError, match="expected one of player_0, player_1, got 'elder'"):
            call("elder")
    assert snapshot(env) == before


def test_an_unknown_option_is_logged(caplog):
    env = auction_piquet_v0.env()
    env.reset(options={"records": {}})
    assert "'records' is not known" in caplog.text


# ------------------------------------------------------------------ illegal actions


def test_an_illegal_action_is_refused_with_the_legal_ones_named():
    env = make(seed=4)
    before, row = snapshot(env), env._row.copy()
    with pytest.raises(ValueError, match=r"48 is not legal; legal are \+7, \+8.*pass"):
        env.step(action_index("redouble"))
    for action in (-1, 80, 10**30, 1.0, "pass", None, True, np.float64(46), np.array([46])):
        with pytest.raises(ValueError, match="expected an action from 0 to 79"):
            env.step(action)
    assert snapshot(env) == before
    assert (env._row == row).all()
    for action in (46, np.int8(46), np.array(46)):
        make(seed=4).step(action)


def test_exactly_what_the_mask_says_is_accepted():
    rng, tried = random.Random("mask"), 0
    for rules in RULESETS:
        env = make(rules, seed=2)
        while not is_over(env):
            mask = env.observe(env.agent_selection)["action_mask"]
            for action in rng.sample(range(80), 8):
                if not mask[action]:
                    with pytest.raises(ValueError, match="not legal"):
                        env.step(action)
                    tried += 1
            step(env, rng)
    assert tried > 500


@pytest.mark.parametrize("moves", [0, 1, 6])
def test_who_makes_an_illegal_move_loses_as_with_pettingzoos_wrapper(moves, caplog):
    env, other = make("rubicon", illegal_action="lose"), make("rubicon")
    wrapped = TerminateIllegalWrapper(other, illegal_reward=-1)
    rng = random.Random(moves)
    for _ in range(moves):
        wrapped.step(step(env, rng))
    offender = env.agent_selection
    for one in (env, wrapped):
        one.step(action_index("pass"))
        assert one.terminations == one.truncations == {"player_0": True, "player_1": True}
    assert caplog.text.count("Illegal move made") == 2
    got = []
    for one in (env, wrapped):
        ends = {}
        for agent in one.agent_iter():
            _, reward, termination, truncation, _ = one.last()
            ends[agent] = (reward, termination, truncation)
            one.step(None)
        got.append(ends)
    assert got[0] == got[1]
    assert got[0][offender] == (-1.0, True, True)
    assert not env.observe(offender)["action_mask"].any()


# ------------------------------------------------------------------ rewards


def loop(env, rng):
    """The usual loop: what each agent was given by last(), and how often it was told that its episode is over."""
    given, ends = dict.fromkeys(AGENTS, 0.0), dict.fromkeys(AGENTS, 0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        given[agent] += reward
        if termination or truncation:
            ends[agent] += 1
            assert not observation["action_mask"].any()
            env.step(None)
        else:
            assert (observation["action_mask"] == info["action_mask"]).all()
            env.step(helpers.choose(np.flatnonzero(observation["action_mask"]).tolist(), rng))
    return given, ends


@pytest.mark.parametrize(
    ("episode", "reward"),
    [("deal", "score"), ("deal", "win"), ("partie", "score"), ("partie", "win"), ("partie", "payment")],
)
@pytest.mark.parametrize("rules", RULESETS)
def test_each_agent_gets_its_rewards_once(rules, episode, reward):
    env, rng = auction_piquet_v0.env(rules=rules, episode=episode, reward=reward), random.Random(f"{rules} {reward}")
    for seed in range(3):
        env.reset(seed=seed)
        given, ends = loop(env, rng)
        assert ends == {"player_0": 1, "player_1": 1}
        assert given["player_0"] == -given["player_1"]
        assert given["player_0"] == due(env.record(), reward)


def due(record: dict, reward: str) -> float:
    """What player_0 gets for a complete episode, from its record."""
    results = [deal["result"] for deal in record.get("deals", [record]) if deal["result"]]
    mine, theirs = (sum(result["score"][agent]["total"] for result in results) for agent in AGENTS)
    if reward == "payment":
        return record["result"]["payment"]["player_0"]
    return mine - theirs if reward == "score" else (mine > theirs) - (mine < theirs)


def test_each_agent_is_told_the_score_of_each_deal_of_a_partie_through_last():
    env = make("rubicon", episode="partie")
    env.reset(seed=3)
    told = {agent: [] for agent in env.possible_agents}
    for agent in env.agent_iter():
        observation, _, termination, truncation, info = env.last()
        if "deal" in info and (not told[agent] or told[agent][-1] is not info["deal"]):
            told[agent].append(info["deal"])
        done = termination or truncation
        env.step(None if done else int(observation["action_mask"].argmax()))
    results = [deal["result"] for deal in env.record()["deals"]]
    assert len(results) == 6
    assert told == {"player_0": results, "player_1": results}


def test_an_endless_auction_is_cut_off_with_nothing():
    env = make({"base": "auction", "max_thrown_in": 3})
    for number in range(6):
        assert not is_over(env)
        assert env.infos[env.agent_selection].get("deal", "none") == (None if number >= 2 else "none")
        env.step(action_index("pass"))
    assert env.truncations == {"player_0": True, "player_1": True}
    assert not any(env.terminations.values())
    given, ends = loop(env, random.Random(0))
    assert given == {"player_0": 0, "player_1": 0}
    assert ends == {"player_0": 1, "player_1": 1}


def test_a_thrown_in_deal_of_a_small_game_is_over():
    env = make("mini")
    env.step(action_index("pass", "mini"))
    env.step(action_index("pass", "mini"))
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.record()["result"] is None


# ------------------------------------------------------------------ what agents are told


def test_the_same_deals_as_the_vector_environment():
    for rules, episode in BOTH_EPISODES:
        vector = SelfPlayVectorEnv(1, rules=rules, episode=episode, seed=77)
        env, rng = make(rules, 77, episode=episode), random.Random(rules)
        observation, info = vector.reset()
        for number in range(150):
            player = int(info["player"][0])
            assert env.agent_selection == AGENTS[player]
            assert (observation[0] == env.observe(AGENTS[player])["observation"]).all()
            assert (info["action_mask"][0] == env.infos[AGENTS[player]]["action_mask"]).all()
            action = helpers.choose(legal(env), rng)
            env.step(action)
            observation, reward, terminated, truncated, info = vector.step(np.array([action]))
            assert reward[0].tolist() == [env.rewards[agent] for agent in AGENTS], (rules, number)
            if info["deal_over"][0]:
                assert set(env.infos["player_0"]) == {"action_mask", "phase", "deal"}
            if terminated[0] or truncated[0]:
                assert is_over(env)
                env.reset()  # the generator goes on, as in the vector environment


def test_infos_and_waiting_masks():
    env, rng = make("rubicon", 5), random.Random(5)
    phases = set()
    while not is_over(env):
        for agent in AGENTS:
            info, observation = env.infos[agent], env.observe(agent)
            assert (info["action_mask"] == observation["action_mask"]).all()
            assert info["action_mask"].any() == (agent == env.agent_selection)
            assert info["phase"] == env.view(agent)["phase"]
            assert "deal" not in info
        phases.add(env.infos[env.agent_selection]["phase"])
        step(env, rng)
    assert phases == {"exchange", "point", "sequence", "set", "play"}
    result = env.record()["result"]
    for agent in AGENTS:
        assert env.infos[agent]["deal"] == result
        assert env.infos[agent]["phase"] == "game_over"
        assert not env.observe(agent)["action_mask"].any()
    for _ in AGENTS:
        env.step(None)
    for agent in AGENTS:
        assert env.observation_space(agent).contains(env.observe(agent))
        assert not env.observe(agent)["action_mask"].any()


def test_that_the_other_is_asked_for_carte_blanche_is_not_told():
    low = "T987.T987.T987."
    record = {
        "format": "piquet-deal/1",
        "rules": "rubicon",
        "dealer": "player_1",
        "hands": {"player_0": "AKQJ.AKQJ.AKQJ.", "player_1": low},
        "talon": "CA CK CQ CJ CT C9 C8 C7",
        "actions": [],
    }
    env = auction_piquet_v0.env("rubicon")
    env.reset(options={"record": record})
    assert env.agent_selection == "player_1"
    assert env.infos["player_1"]["phase"] == "carte_blanche"
    assert env.infos["player_0"]["phase"] == "exchange"
    before = env.observe("player_0")["observation"], env.view("player_0")
    env.step(action_index("none", "rubicon"))
    assert env.agent_selection == "player_0"
    assert (before[0] == env.observe("player_0")["observation"]).all()
    assert before[1] == env.view("player_0")


def test_what_was_handed_out_never_changes():
    env, rng = make(seed=6), random.Random(6)
    kept = []
    while not is_over(env):
        handed = [
            *env.observe(env.agent_selection).values(),
            env.infos[env.agent_selection]["action_mask"],
            env.state(),
        ]
        kept += [(array, array.copy()) for array in handed]
        env.observe("player_0")["action_mask"][:] = 7  # nor do changes by the user come back
        step(env, rng)
    assert all((array == then).all() for array, then in kept)
    assert all(array.max() <= 1 for array, _ in kept)


def test_views_of_agents():
    env, rng = make("auction-cavendish", 8, episode="partie"), random.Random(8)
    for _ in range(150):
        for player, agent in enumerate(AGENTS):
            assert env.view(agent) == view(env._row, player)
            assert (observation_from_view(env.view(agent)) == env.observe(agent)["observation"]).all()
        if is_over(env):
            break
        step(env, rng)


# ------------------------------------------------------------------ seeds and copies


def test_seeds():
    first = [snapshot(make(seed=seed)) for seed in (0, 1, 2**63 - 1)]
    assert len(set(first)) == 3
    env = make(seed=1)
    assert snapshot(env) == first[1]
    env.reset()
    assert snapshot(env) != first[1]
    again = make(seed=1)
    again.reset()
    assert snapshot(again) == snapshot(env)
    unseeded = [auction_piquet_v0.env() for _ in range(2)]
    for one in unseeded:
        one.reset()
    assert snapshot(unseeded[0]) != snapshot(unseeded[1])


def pickled(env):
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled, auction_piquet_v0.raw_env.clone])
@pytest.mark.parametrize("build", [auction_piquet_v0.env, auction_piquet_v0.raw_env])
def test_a_copy_goes_on_in_the_same_way(copied, build):
    for episode, moves in (("deal", 0), ("deal", 5), ("deal", 25), ("partie", 120)):
        env, rng = build(episode=episode), random.Random(episode)
        env.reset(seed=9)
        for _ in range(moves):
            step(env, rng)
        follow(env, copied(env))


def test_a_wrapped_copy_goes_on_in_the_same_way():
    env = OrderEnforcingWrapper(make(seed=9))
    env.reset(seed=9)
    for _ in range(10):
        step(env, random.Random(0))
    follow(env, copy.deepcopy(env))


def test_a_copy_of_an_environment_before_its_first_reset():
    for copied in (copy.deepcopy, pickled):
        other = copied(auction_piquet_v0.env("mini"))
        other.reset(seed=1)
        assert snapshot(other) == snapshot(make("mini", seed=1))


def follow(env, other):
    """The two go on alike, also into the next episode; and neither changes the other."""
    rng, twin = random.Random(1), random.Random(1)
    before = snapshot(other.unwrapped)
    taken = []
    for _ in range(400):
        if not env.agents:
            break
        taken.append(step(env, rng))
    env.reset()
    assert snapshot(other.unwrapped) == before
    for action in taken:
        assert step(other, twin) == action
    other.reset()
    assert snapshot(other.unwrapped) == snapshot(env.unwrapped)
    assert other.unwrapped.record() == env.unwrapped.record()


def test_a_reseeded_clone_has_this_deal_and_another_future():
    env = make(seed=10, episode="partie")
    clones = [env.clone(reseed=seed) for seed in (1, 1, 2, 10)]
    records = []
    for one in (env, *clones):
        rng = random.Random(3)
        while len(one.record()["deals"]) < 3:
            step(one, rng)
        records.append([(deal["hands"], deal["talon"]) for deal in one.record()["deals"]])
    assert all(record[0] == records[0][0] for record in records)
    assert records[1] == records[2]
    for number in (1, 2):
        dealt = [json.dumps(record[number]) for record in (records[0], records[1], records[3], records[4])]
        assert len(set(dealt)) == 4
    with pytest.raises(ValueError, match="seed"):
        env.clone(reseed=-1)


# ------------------------------------------------------------------ records


def test_every_recorded_deal_can_be_set_up():
    """Complete: it is over, with its result and its reward."""
    rng, over = random.Random("deals"), 0
    for record in deals():
        env = auction_piquet_v0.env(rules=record["rules"])
        env.reset(options={"record": record})
        if record["result"] is None:
            continue
        over += 1
        assert env.terminations == {"player_0": True, "player_1": True}
        again = env.record()
        assert {key: again[key] for key in ("hands", "talon", "actions", "result")} == {
            key: record[key] for key in ("hands", "talon", "actions", "result")
        }
        assert loop(env, rng)[0]["player_0"] == due(record, "score")
    assert over > 500


def test_a_recorded_deal_is_gone_on_with():
    """From any point: the same decisions as if it had been played from the start, and the same end."""
    rng = random.Random("prefixes")
    for record in rng.sample([deal for deal in deals() if deal["result"]], 60):
        cut = rng.randrange(len(record["actions"]))
        env = auction_piquet_v0.env(rules=record["rules"])
        part = {key: value for key, value in record.items() if key != "result"} | {"actions": record["actions"][:cut]}
        env.reset(seed=1, options={"record": part})
        assert not is_over(env)
        assert env.record()["actions"] == part["actions"]
        assert "result" not in env.record()
        for text in record["actions"][cut:]:
            assert env.agent_selection == AGENTS[int(text[0])]
            env.step(action_index(text[2:], record["rules"]))
        assert env.record()["result"] == record["result"]
        assert loop(env, rng)[0]["player_0"] == due(record, "score")


@pytest.mark.parametrize(("rules", "episode"), BOTH_EPISODES)
def test_a_record_sets_up_what_it_was_made_of(rules, episode):
    """Also in the middle, with the infos and rewards of the last action."""
    env, rng = make(rules, 12, episode=episode), random.Random(f"{rules} {episode}")
    for _ in range(400):
        other = auction_piquet_v0.env(rules=rules, episode=episode)
        other.reset(options={"record": json.loads(json.dumps(env.record()))})
        assert other.record() == env.record()
        for agent in AGENTS:
            same_as_before(env, other, agent)
        if is_over(env):
            break
        for _ in range(rng.randrange(1, 12)):
            if not is_over(env):
                step(env, rng)
    assert is_over(env)
    assert is_over(other)
    assert other.rewards == env.rewards
    assert other.infos["player_0"]["deal"] == env.infos["player_0"]["deal"]


def same_as_before(env, other, agent):
    assert env.agent_selection == other.agent_selection
    mine, theirs = env.observe(agent), other.observe(agent)
    if env.episode == "deal":  # the record of a deal knows nothing of deals thrown in before it
        start = next(start for name, start, _, _ in knowledge.fields() if name == "thrown_in_tens")
        mine["observation"][start:] = theirs["observation"][start:] = 0
    assert (mine["observation"] == theirs["observation"]).all()
    assert (mine["action_mask"] == theirs["action_mask"]).all()


def test_a_complete_deal_of_a_partie_goes_on_with_the_next():
    record = next(deal for deal in deals() if deal["rules"] == "auction" and deal["result"])
    env = auction_piquet_v0.env(episode="partie")
    env.reset(seed=3, options={"record": record})
    assert not is_over(env)
    assert env.rewards["player_0"] == due(record, "score")
    assert env.infos["player_1"]["deal"] == record["result"]
    assert env.record()["deals"][0]["hands"] == record["hands"]
    assert len(env.record()["deals"]) == 2
    assert env.record()["deals"][1]["dealer"] != record["dealer"]
    finish(env, random.Random(3))
    assert due(env.record(), "score") == sum(
        deal["result"]["score"]["player_0"]["total"] - deal["result"]["score"]["player_1"]["total"]
        for deal in env.record()["deals"]
        if deal["result"]
    )


def test_wrong_records_are_refused_and_change_nothing():
    record = next(deal for deal in deals() if deal["rules"] == "auction" and deal["result"])
    env = make(seed=2)
    before = snapshot(env)
    wrong = [
        (record | {"actions": ["0 double", "1 double"]}, "illegal action"),
        (record | {"rules": "rubicon"}, "rules|illegal"),
        (record | {"result": None}, "result"),
        ({"format": "piquet-partie/1", "rules": "auction", "deals": [record]}, "one deal"),
        (None, "object"),
    ]
    for bad, message in wrong:
        with pytest.raises(ValueError, match=message):
            env.reset(options={"record": bad})
    classic = next(deal for deal in deals() if deal["rules"] == "rubicon")
    with pytest.raises(ValueError, match="plays 'auction'"):
        env.reset(options={"record": classic})
    assert snapshot(env) == before


# ------------------------------------------------------------------ rendering


def test_rendering_is_from_the_acting_players_side(capsys):
    env, rng = make(seed=3, render_mode="ansi"), random.Random(3)
    while not is_over(env):
        assert f"you are {env.agent_selection}" in env.render()
        step(env, rng)
    assert capsys.readouterr().out == ""


def test_human_rendering_prints_after_each_step(capsys):
    env = make("micro", 3, render_mode="human")
    first = capsys.readouterr().out
    assert f"you are {env.agent_selection}" in first
    step(env, random.Random(0))
    second = capsys.readouterr().out
    assert second
    assert second != first
    assert env.render() is None
    assert capsys.readouterr().out == second


def test_rendering_without_a_mode_warns():
    env = make()
    with pytest.warns(UserWarning, match="without specifying any render mode"):
        assert env.render() is None


# ------------------------------------------------------------------ the package


def test_importing_says_nothing_and_needs_no_torch():
    code = "import piquet_env, sys; assert 'torch' not in sys.modules; piquet_env.auction_piquet_v0.env"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""


def test_that_it_compiles_is_said_once(monkeypatch, capsys):
    monkeypatch.setattr(options, "needs_compiling", lambda: True)
    options.announce_compiling.cache_clear()
    auction_piquet_v0.env()
    SelfPlayVectorEnv(1)
    told = "compiling the engine, once, about 15 seconds; bots some more when they first play"
    assert capsys.readouterr().err == f"piquet-env: {told}\n"


def test_without_a_registry_nothing_is_registered(monkeypatch):
    monkeypatch.delattr(pettingzoo, "register", raising=False)
    monkeypatch.delattr(pettingzoo, "aec_registry", raising=False)
    register()
