"""Whole parties of programs that know their own cards and what they hear: the views that they make, and the answers."""

import random

import helpers
import numpy as np
import pytest
import serve_bots
from hearing import play_partie
from serving import Server, expected

from piquet_env.bots import load_bot
from piquet_env.engine import layout as at
from piquet_env.notation import action_index, rules_of
from piquet_env.rules import RULESETS
from piquet_env.views import row_from_view

SPECS = [*RULESETS, {"base": "auction", "sinking": False}, {"base": "cavendish", "sinking": False, "deals": 2}]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_what_is_heard_is_all_that_a_player_knows(spec):
    rng, phases = random.Random(f"heard {spec}"), set()

    def choose(row, seen):
        assert np.array_equal(row_from_view(seen), helpers.hidden(row, int(row[at.ACTOR])))
        phases.add(seen["phase"])
        return helpers.choose(helpers.legal(row), rng)

    for seed in range(3):
        assert sum(1 for _ in play_partie(spec, seed, choose)) >= 1
    assert {"exchange", "play"} <= phases


@pytest.mark.parametrize("name", ["greedy", "serve_bots:Odd"])
def test_a_served_bot_plays_whole_parties_as_it_does_here(name):
    bot = load_bot(name) if name == "greedy" else serve_bots.Odd()
    with Server(name) as server:

        def choose(row, seen):
            seed = int(row[at.RANDOM]) % 2**63
            reply = server.ask({"id": seed, "view": seen, "seed": seed})
            assert reply == expected(bot, row, seed, seed)
            return action_index(reply["action"], rules_of(row))

        for spec in ("auction", "rubicon", "cavendish", "cent"):
            deals = sum(1 for _ in play_partie(spec, 1, choose))
            assert deals >= (1 if spec == "cent" else 6)
        assert server.end()[0] == 0
