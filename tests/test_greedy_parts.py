"""Each part of greedy is worth something: chance in its place costs points."""

import numpy as np
import pytest
from greedy_parts import PARTS, Part, Without, cost

from piquet_env.arena import play_match
from piquet_env.bots.greedy import GreedyBot


@pytest.mark.parametrize("part", PARTS, ids=[part.name for part in PARTS])
def test_chance_in_the_place_of_a_part_costs_points(part):
    assert cost(part, part.pairs).low > 0


def test_without_nothing_it_is_greedy():
    nothing = Part("nothing", "auction", lambda row, action: [])
    match = play_match(GreedyBot(), Without(nothing), "auction", 50)
    assert np.ptp(match.deals["difference"].reshape(-1, 2).sum(axis=1)) == 0
