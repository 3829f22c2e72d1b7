"""Games of OpenSpiel, and walks through them."""

import json

import helpers
import pyspiel

NAME = "python_auction_piquet"
THRICE = '{"base": "micro", "max_thrown_in": 3}'
LEFTOVERS = json.dumps(
    {"base": "mini", "hand_size": 2, "elder_talon": 2, "younger_talon": 2, "highest_level": 2}
    | {"younger_draws_leftovers": True}
)


def load(rules="micro", **parameters):
    return pyspiel.load_game(NAME, {"rules": rules, **parameters})


def playout(game, rng, choose=helpers.choose):
    """All states of a random game, the last one terminal."""
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state
        if state.is_chance_node():
            places, weights = zip(*state.chance_outcomes(), strict=True)
            action = rng.choices(places, weights)[0]
        else:
            action = choose(state.legal_actions(), rng)
        state = state.child(action)
    yield state


def decisions(game, rng, choose=helpers.choose):
    return [state for state in playout(game, rng, choose) if state.current_player() >= 0]
