"""The game of OpenSpiel: its own tests, our environment beside it, chance, and what players know."""

import copy
import importlib
import itertools
import json
import pickle
import random
import re
import sys

import helpers
import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel: pip install 'piquet-env[examples]'")

from openspiel_parts import LEFTOVERS, NAME, THRICE, decisions, load, playout

from piquet_env import Rules, action_index, auction_piquet_bidding_v0, auction_piquet_v0
from piquet_env.engine import layout as at
from piquet_env.envs.openspiel.observer import Observer
from piquet_env.exact.deals import all_deals, number_of_deals
from piquet_env.knowledge import OBSERVATION_SIZE
from piquet_env.records import deal_record
from piquet_env.rules import RULESETS

# ------------------------------------------------------------------ the game


@pytest.mark.parametrize("rules", [*RULESETS, THRICE, LEFTOVERS])
@pytest.mark.parametrize("skip_forced", [True, False])
def test_openspiel_s_own_test(rules, skip_forced):
    pyspiel.random_sim_test(load(rules, skip_forced=skip_forced), num_sims=3, serialize=True, verbose=False)


def test_bounds_hold_in_all_kinds_of_games():
    for seed in range(60):
        rules, rng = helpers.odd_rules(seed), random.Random(seed)
        game = load(json.dumps(rules.spec()) if isinstance(rules.spec(), dict) else rules.spec())
        for choose in (helpers.choose, helpers.choose_passing):
            states = list(playout(game, rng, choose))
            asked = [state for state in states if state.current_player() >= 0]
            assert len(asked) <= game.max_game_length()
            assert sum(state.is_chance_node() for state in states) <= game.max_chance_nodes_in_history()
            assert abs(states[-1].returns()[0]) <= game.max_utility() == -game.min_utility()
            assert sum(states[-1].returns()) == 0
            assert all(len(state.legal_actions()) > 1 for state in asked)


def test_the_longest_game_reaches_the_bound():
    """micro, nothing skipped: 6 calls, a discard and `stand` of each, 6 declarations, 4 cards."""
    calls = iter(["pass", "+1", "double", "+2", "double", "redouble"])
    game = load(skip_forced=False)

    def longest(legal, rng):
        call = next(calls, None)
        return min(legal) if call is None else action_index(call, "micro")

    assert len(decisions(game, random.Random(6), longest)) == game.max_game_length() == 6 + 4 + 6 + 4


def test_numbers_of_the_game():
    game = load("auction")
    assert game.num_distinct_actions() == 80
    assert game.max_chance_outcomes() == 2 + 8
    assert game.information_state_tensor_shape() == game.observation_tensor_shape() == [2 + OBSERVATION_SIZE]
    assert game.utility_sum() == 0


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"rules": "mikro"}, "unknown ruleset 'mikro'"),
        ({"rules": '{"base": "micro", "sinkin": true}'}, "'sinkin': unknown"),
        ({"rules": '{"base": "micro"'}, "expected a ruleset's name or a JSON object"),
        ({"rules": '{"base": "micro", "hand_size": 3}'}, "the pack has 6 cards"),
        ({"dealer": "elder"}, "dealer: expected one of player_0, player_1, random, got 'elder'"),
    ],
)
def test_bad_parameters_are_refused(parameters, expected):
    with pytest.raises(ValueError, match=re.escape(expected)):
        pyspiel.load_game(NAME, parameters)


def test_without_openspiel_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "piquet_env.envs.openspiel")
    with pytest.raises(ImportError, match=re.escape("pip install 'piquet-env[examples]'")):
        importlib.import_module("piquet_env.envs.openspiel")


def test_changed_rules_are_read_from_the_game_s_own_string():
    game = load('{"base": "micro", "highest_level": 1, "sinking": false}')
    again = pyspiel.load_game(str(game))
    assert str(again) == str(game)
    assert again.setting.rules == Rules.make({"base": "micro", "highest_level": 1, "sinking": False})


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s)), lambda s: s.clone()])
def test_copies_go_on_alone(copied):
    for state in decisions(load("rubicon"), random.Random(5)):
        before, other = str(state), copied(state)
        assert (str(other), other.history()) == (before, state.history())
        other.apply_action(other.legal_actions()[0])
        assert str(state) == before != str(other)


def test_actions_and_chance_in_words():
    state = load().new_initial_state()
    assert [state.action_to_string(a) for a in state.legal_actions()] == ["player_0 deals", "player_1 deals"]
    state.apply_action(0)
    assert [state.action_to_string(a) for a in state.legal_actions()] == [
        "SQ to player_0", "SQ to player_1", "SQ to T[0]", "SQ to T[1]",
    ]  # fmt: skip
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    assert [state.action_to_string(a) for a in state.legal_actions()] == ["+1", "+2", "-1", "-2", "pass"]
    assert "'player_0': 'KQ...', 'player_1': 'A.Q..'" in str(state)
    assert state.string_to_action("-2") == 41


def test_an_illegal_action_changes_nothing():
    state = decisions(load(), random.Random(1))[0]
    before = str(state)
    with pytest.raises(ValueError, match="legal are"):
        state.apply_action(48)
    assert str(state) == before


# ------------------------------------------------------------------ beside our environment


@pytest.mark.parametrize("rules", ["micro", "mini", "auction", "rubicon", "cent", "auction-cavendish"])
def test_same_deal_and_actions_give_the_same_observations_and_result(rules):
    compared = 0
    for seed in range(12):
        states = list(playout(load(rules), random.Random(seed)))
        if states[-1].position.thrown_in:
            continue  # the environment deals the next one by itself
        dealt = deal_record(states[-1].position.row) | {"actions": []}
        dealt.pop("result")
        env = auction_piquet_v0.env(rules=rules).unwrapped
        env.reset(options={"record": dealt})
        for state, following in itertools.pairwise(states):
            if not state.is_chance_node():
                _play_forced(env)
                _compare(env, state)
                env.step(following.history()[-1])
                compared += 1
        _play_forced(env)
        assert [env._cumulative_rewards[agent] for agent in env.possible_agents] == states[-1].returns()
        assert all(env.terminations.values())
    assert compared > 30


def _play_forced(env):
    while not any(env.terminations.values()) and env.infos[env.agent_selection]["action_mask"].sum() == 1:
        env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))


def _compare(env, state):
    assert env.agent_selection == f"player_{state.current_player()}"
    assert np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist() == state.legal_actions()
    for seat, agent in enumerate(env.possible_agents):
        tensor = [1 - seat, seat, *env.observe(agent)["observation"]]
        assert state.information_state_tensor(seat) == state.observation_tensor(seat) == tensor


# ------------------------------------------------------------------ chance


@pytest.mark.parametrize("rules", ["micro", "mini"])
def test_each_deal_comes_about_in_one_way_and_all_are_equally_likely(rules):
    made, dealt = Rules.make(rules), []
    _deal_all(load(rules, dealer="player_0").new_initial_state(), 1.0, dealt)
    assert len(dealt) == number_of_deals(made)
    assert np.allclose([probability for _, probability in dealt], 1 / len(dealt))
    assert {cards for cards, _ in dealt} == {tuple(cards) for cards in all_deals(made).tolist()}


def _deal_all(state, probability, dealt):
    if not state.is_chance_node():
        dealt.append((tuple(helpers.dealt_cards(state.position.row)), probability))
        return
    outcomes = state.chance_outcomes()
    assert len(outcomes) > 1
    assert sum(p for _, p in outcomes) == pytest.approx(1)
    for place, p in outcomes:
        _deal_all(state.child(place), probability * p, dealt)


@pytest.mark.parametrize(("dealer", "seats"), [("player_0", {0}), ("player_1", {1}), ("random", {0, 1})])
def test_who_deals(dealer, seats):
    rng = random.Random(2)
    found = {int(decisions(load(dealer=dealer), rng)[0].position.row[at.DEALER]) for _ in range(20)}
    assert found == seats


def test_a_deal_thrown_in_is_dealt_again_up_to_the_limit():
    states = list(playout(load(THRICE, dealer="player_1"), random.Random(3), lambda legal, rng: max(legal)))
    assert [len(states[-1].position.thrown_in), states[-1].returns()] == [2, [0, 0]]
    assert [state.current_player() for state in states if state.current_player() >= 0] == [0, 1] * 3
    assert states[-1].position.row[at.TRUNCATED] == 1


def test_a_deal_that_was_over_with_its_auction_is_no_state_of_it():
    env, game = auction_piquet_bidding_v0.env("micro"), load()
    env.reset(seed=1)
    env.step(action_index("+1", "micro"))
    assert game.state_of(env._row).current_player() >= 0
    env.step(action_index("pass", "micro"))
    with pytest.raises(ValueError, match="row: its deal was over with the auction"):
        game.state_of(env._row)


# ------------------------------------------------------------------ what players know


def test_before_the_cards_are_dealt_nothing_is_known():
    state = load().new_initial_state()
    assert state.information_state_string(1) == "player_1"
    assert state.information_state_tensor(1) == [0, 1] + [0] * OBSERVATION_SIZE


def test_the_order_of_own_discards_and_hands_thrown_in_are_recalled():
    state = decisions(load("rubicon"), random.Random(4))[0]
    first, second = state.legal_actions()[:2]
    one, two = state.child(first).child(second), state.child(second).child(first)
    elder = state.current_player()
    assert one.information_state_string(elder) != two.information_state_string(elder)
    assert one.observation_string(elder) == two.observation_string(elder)
    assert one.information_state_string(1 - elder) == two.information_state_string(1 - elder)
    last = list(playout(load(THRICE), random.Random(3), lambda legal, rng: max(legal)))[-1]
    assert last.information_state_string(0).count("thrown-in:") == 2
    assert "thrown-in" not in last.observation_string(0)


def test_observers_give_one_player_s_knowledge_and_nothing_else():
    for private in (pyspiel.PrivateInfoType.ALL_PLAYERS, pyspiel.PrivateInfoType.NONE):
        with pytest.raises(ValueError, match="that of a single player"):
            Observer(pyspiel.IIGObservationType(perfect_recall=True, private_info=private))
    with pytest.raises(ValueError, match="expected no parameters"):
        Observer(None, {"cards": 1})
