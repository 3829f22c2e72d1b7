"""OpenSpiel: hidden cards drawn anew, and IS-MCTS, which lives on that."""

import random
from collections import Counter

import helpers
import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel: pip install 'piquet-env[examples]'")

from open_spiel.python.algorithms import ismcts, mcts
from openspiel_parts import LEFTOVERS, THRICE, decisions, load, playout

from piquet_env.engine import layout as at
from piquet_env.envs.openspiel import AuctionPiquetState

SEATS = (0, 1)


@pytest.mark.parametrize("rules", ["micro", THRICE, LEFTOVERS, "mini", "auction", "rubicon", "auction-cavendish"])
def test_a_resampled_state_is_one_that_the_player_cannot_tell_from_the_true_one(rules):
    game, rng = load(rules), random.Random(7)
    for _ in range(6):
        for state in decisions(game, rng, helpers.choose_passing if rules == THRICE else helpers.choose):
            for player in SEATS:
                sample = state.resample_from_infostate(player, rng.random)
                assert isinstance(sample, AuctionPiquetState)
                _check_alike(state, sample, player)
                _check_history(game, sample)


def _check_alike(state, sample, player):
    assert sample.information_state_string(player) == state.information_state_string(player)
    assert sample.information_state_tensor(player) == state.information_state_tensor(player)
    assert sample.current_player() == state.current_player()
    if player == state.current_player():
        assert sample.legal_actions() == state.legal_actions()
    before = str(state)
    sample.child(sample.legal_actions()[0])
    sample.clone().apply_action(sample.legal_actions()[-1])
    assert str(state) == before


def _check_history(game, sample):
    again = game.new_initial_state()
    for action in sample.history():
        assert action in again.legal_actions()
        again.apply_action(action)
    assert str(again) == str(sample)


def test_resampled_hands_are_drawn_evenly():
    """micro: the other's hand is any 2 of 4 cards, 6 hands; 600 draws, each 100 times with deviation 9.1."""
    rng = random.Random(11)
    state = decisions(load(), rng)[0]
    player = state.current_player()
    rows = [state.resample_from_infostate(player, rng.random).position.row for _ in range(600)]
    hands = Counter(int(row[at.HANDS + 1 - player]) for row in rows)
    assert len(hands) == 6
    assert all(55 < number < 145 for number in hands.values())
    assert len({str(row[at.TALON : at.TALON + at.TALON_WORDS]) for row in rows}) == 12


def test_resampling_draws_new_cards_in_auction_and_in_deals_thrown_in():
    rng = random.Random(12)
    state = decisions(load("auction"), rng)[0]
    other = 1 - state.current_player()
    samples = [state.resample_from_infostate(1 - other, rng.random) for _ in range(20)]
    assert len({int(sample.position.row[at.HANDS + other]) for sample in [state, *samples]}) == 21
    state = decisions(load(THRICE), rng, lambda legal, rng: max(legal))[-1]
    earlier = {state.resample_from_infostate(0, rng.random).position.thrown_in for _ in range(60)}
    assert len(earlier) > 20


def test_resampling_needs_somebody_to_act():
    states = list(playout(load(), random.Random(1)))
    for state in (states[0], states[-1]):
        with pytest.raises(ValueError, match="a player is to act"):
            state.resample_from_infostate(0, random.random)


@pytest.mark.parametrize("rules", ["micro", "auction"])
def test_information_set_search_plays_a_deal(rules):
    game, rng = load(rules), random.Random(13)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = ismcts.ISMCTSBot(game, evaluator, uct_c=50, max_simulations=12, random_state=np.random.RandomState(2))
    states = [state for state in playout(game, rng) if state.is_chance_node()]
    state = states[-1].child(states[-1].legal_actions()[0])
    while not state.is_terminal():
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(int(action))
    assert sum(state.returns()) == 0
