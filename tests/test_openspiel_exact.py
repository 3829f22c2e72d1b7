"""OpenSpiel's exact measures beside ours, policies both ways, and the example.

OpenSpiel's game has a dealer, and so has an entry of our `Exploitability`: [d][seat] is for dealer `dealers[d]`.
NashConv is the sum of both seats' gains; our `exploitability` is their mean, over the dealers too. With dealer "random"
chance deals half the time each, so OpenSpiel's NashConv is the mean over the dealers, and half of it our number again.

OpenSpiel's `cached_tree` keeps each state that Python has made: the game is walked through once, in all its 352,903
states, and not six times.
"""

import itertools
import json

import exact_twin
import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel: pip install 'piquet-env[examples]'")

from open_spiel.python.algorithms import exploitability as openspiel
from open_spiel.python.policy import UniformRandomPolicy
from test_exact import LOW, TINIES, TINY

from piquet_env.bots import BotError, load_bot, views_of
from piquet_env.bots.policy import probabilities_of
from piquet_env.envs.openspiel import BotPolicy, SpielBot
from piquet_env.exact import exploitability, information_sets
from piquet_env.exact.policies import everywhere
from piquet_env.views import view
from training.examples import openspiel_cfr

CLOSE = 1e-9


def load(rules, dealer="random"):
    return pyspiel.load_game("python_auction_piquet", {"rules": json.dumps(rules), "dealer": dealer})


def cached(game):
    return pyspiel.load_game(f"cached_tree(game={game})")


def all_states(state):
    """Every state from here on, the last ones too."""
    yield state
    for action in state.legal_actions():
        yield from all_states(state.child(action))


def seats(measure, dealer):
    """Gains and values of both seats in our numbers."""
    assert measure.dealers == (dealer,)
    return measure.gains[0], measure.value[0]


# ------------------------------------------------------------------ micro at level 1


@pytest.fixture(scope="module")
def low():
    return cached(load(LOW, "player_0"))


@pytest.mark.long
def test_the_tree_is_ours(low):
    """As many ends, and as many information sets, one for each string."""
    tree = information_sets(LOW)
    ends, known = 0, set()
    for state in all_states(low.new_initial_state()):
        ends += state.is_terminal()
        if state.current_player() >= 0:
            known.add(state.information_state_string())
    assert (ends, len(known)) == (len(tree.ends), len(tree))


def test_uniform_policy_on_micro_at_level_1(low):
    found = openspiel.nash_conv(low, UniformRandomPolicy(low), return_only_nash_conv=False)
    gains, _ = seats(exploitability(load_bot("random"), LOW, dealers=(0,)), 0)
    assert found.player_improvements == pytest.approx(gains, abs=CLOSE)
    assert found.nash_conv / 2 == pytest.approx(np.mean(gains), abs=CLOSE)


@pytest.mark.long
def test_greedy_on_micro_at_level_1(low):
    policy, table = BotPolicy(load(LOW, "player_0"), load_bot("greedy")), {}
    for state in all_states(low.new_initial_state()):
        if state.current_player() >= 0:
            table[state.information_state_string()] = list(policy.action_probabilities(state).items())
    gains, value = seats(exploitability(load_bot("greedy"), LOW, dealers=(0,)), 0)
    assert pyspiel.exploitability(low, table) == pytest.approx(np.mean(gains), abs=CLOSE)
    assert openspiel._state_values(low.new_initial_state(), 2, policy) == pytest.approx(value, abs=CLOSE)


# ------------------------------------------------------------------ tiny packs, OpenSpiel asking Python every time


@pytest.mark.parametrize(("dealer", "name"), list(itertools.product((0, 1), TINIES)))
def test_a_policy_that_differs_everywhere(dealer, name):
    rules, bot = TINIES[name], exact_twin.Scrambled(3)
    game = load(rules, f"player_{dealer}")
    policy = BotPolicy(game, bot)
    gains, value = seats(exploitability(bot, rules, dealers=(dealer,)), dealer)
    found = openspiel.nash_conv(game, policy, return_only_nash_conv=False)
    assert found.player_improvements == pytest.approx(gains, abs=CLOSE)
    assert openspiel._state_values(game.new_initial_state(), 2, policy) == pytest.approx(value, abs=CLOSE)


def test_dealer_by_chance_is_the_mean_over_the_dealers():
    game, bot = load(TINY), exact_twin.Scrambled(4)
    assert openspiel.exploitability(game, BotPolicy(game, bot)) == pytest.approx(
        exploitability(bot, TINY).exploitability, abs=CLOSE
    )


@pytest.mark.parametrize("name", TINIES)
def test_information_states_tell_apart_what_views_do(name):
    """One string for each view as JSON, which is written from the row and not from the observation."""
    strings, views = {}, {}
    for state in all_states(load(TINIES[name]).new_initial_state()):
        player = state.current_player()
        if player >= 0:
            known, seen = state.information_state_string(), json.dumps(view(state.position.row, player))
            assert strings.setdefault(seen, known) == known
            assert views.setdefault(known, seen) == seen
    assert len(strings) > 50


# ------------------------------------------------------------------ policies both ways


def test_a_policy_solved_by_openspiel_is_a_bot():
    game = load(TINY)
    solver = pyspiel.CFRPlusSolver(cached(game))
    for _ in range(20):
        solver.evaluate_and_update_policy()
    bot = SpielBot(game, solver.average_policy())
    theirs = pyspiel.exploitability(cached(game), solver.average_policy())
    assert exploitability(bot, TINY).exploitability == pytest.approx(theirs, abs=CLOSE)
    assert 0 < theirs < 1


@pytest.mark.parametrize("rules", ["mini", "auction", "rubicon"])
def test_a_bot_that_became_a_policy_and_a_bot_again_plays_the_same(rules):
    bot, game = load_bot("greedy"), pyspiel.load_game("python_auction_piquet", {"rules": rules})
    state, rng, compared = game.new_initial_state(), np.random.default_rng(8), 0
    twice = SpielBot(game, BotPolicy(game, bot))
    while not state.is_terminal():
        if not state.is_chance_node():
            views = views_of(state.position.row[None])
            assert (twice.probabilities(views) == probabilities_of("greedy", bot, views)).all()
            compared += 1
        state.apply_action(int(rng.choice(state.legal_actions())))
    assert compared > 2


def test_policies_for_other_games_are_refused():
    row = information_sets(LOW).rows(np.array([0]))
    game = load(LOW, "player_1")
    with pytest.raises(BotError, match="a game in which player_1 deals"):
        SpielBot(game, UniformRandomPolicy(game)).probabilities(views_of(row))
    game = load(TINY)
    with pytest.raises(BotError, match="single deals of the rules"):
        SpielBot(game, UniformRandomPolicy(game)).probabilities(views_of(row))
    game = load(LOW)
    with pytest.raises(BotError, match="has nothing for the state 'player_1 auction"):
        SpielBot(game, pyspiel.TabularPolicy({})).probabilities(views_of(row))


def test_a_bot_without_a_policy_is_refused():
    state = next(s for s in all_states(load(TINY).new_initial_state()) if s.current_player() >= 0)
    with pytest.raises(BotError, match="'expert': expected probabilities"):
        BotPolicy(load(TINY), load_bot("expert:fast"), "expert").action_probabilities(state)


def test_forced_actions_are_no_question_to_a_policy():
    tree, game = information_sets(TINY), load(TINY)
    bot = SpielBot(game, UniformRandomPolicy(game))
    views = tree.views(everywhere(tree)[:20])
    views.mask[:] = np.eye(80, dtype=np.int8)[views.mask.argmax(axis=1)]
    assert (bot.act(views, np.random.default_rng(1)) == views.mask.argmax(axis=1)).all()


def test_the_example_comes_near_an_equilibrium(capsys):
    openspiel_cfr.main(openspiel_cfr.Options(iterations=100), TINY)
    lines = [line for line in capsys.readouterr().out.splitlines() if "iterations:" in line or "as a bot" in line]
    first, second, third, ours = (float(line.split(":")[1]) for line in lines)
    assert first > 10 * second > 100 * third
    assert ours == pytest.approx(third, abs=1e-4)
