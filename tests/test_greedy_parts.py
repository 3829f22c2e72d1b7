"""Each part of greedy is worth something: chance in its place costs points."""

import numpy as np
import pytest
from greedy_parts import PARTS, Part, Without, cost

from piquet_env.arena import play_match
from piquet_env.arena.statistics import mean_with_interval, pair_values
from piquet_env.bots import load_bot
from piquet_env.bots.greedy import GreedyBot


@pytest.mark.parametrize("part", PARTS, ids=[part.name for part in PARTS])
def test_chance_in_the_place_of_a_part_costs_points(part):
    assert cost(part, part.pairs).low > 0


def test_without_nothing_it_is_greedy():
    nothing = Part("nothing", "auction", lambda row, action: [])
    match = play_match(GreedyBot(), Without(nothing), "auction", 50)
    assert np.ptp(match.deals["difference"].reshape(-1, 2).sum(axis=1)) == 0


LEAST_AGAINST_RANDOM = {
    "auction": 100, "auction-parlett": 95, "auction-cavendish": 100, "rubicon": 37, "cavendish": 38, "cent": 37,
    "open": 38, "mini": 40, "micro": 33,
}  # fmt: skip
"""Points per deal; without contracts there is less to win. A little below the interval of 1,000 pairs."""


@pytest.mark.parametrize("rules", list(LEAST_AGAINST_RANDOM))
def test_greedy_beats_random_by_what_there_is_to_win(rules):
    match = play_match(GreedyBot(), load_bot("random"), rules, 1000)
    assert mean_with_interval(pair_values(match)).low > LEAST_AGAINST_RANDOM[rules]
