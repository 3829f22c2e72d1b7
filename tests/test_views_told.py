"""Views of programs that say only what they must: what they leave out follows, and what does not follow is missed."""

import json
import random

import helpers
import jsonschema
import numpy as np
import pytest
from test_views import THEIRS, games, given_deal, play  # noqa: F401 (the fixture `deal`)
from told import told

from piquet_env.engine import actions as act
from piquet_env.rules import RULESETS
from piquet_env.views import ViewError, row_from_view, view, view_schema


def parts_left_out(seen, rng: random.Random) -> dict:
    """A view of which all that need not be said is left out, but for fields chosen at random."""
    least = told(seen)
    return least | {key: seen[key] for key in seen if key not in least and rng.random() < 0.3}


@pytest.mark.parametrize("name", [*RULESETS, *range(40)])
def test_what_follows_may_be_left_out(name):
    """The view of a program that says only what it must gives the same row, bit for bit."""
    validator = jsonschema.Draft202012Validator(view_schema())
    rules = RULESETS[name] if name in RULESETS else helpers.odd_rules(name)
    rng, views = random.Random(f"told {name}"), 0
    for row in games(rules, rng, 8 if name in RULESETS else 2):
        player = rng.randrange(2)
        seen = json.loads(json.dumps(view(row, player)))
        for least in (told(seen), parts_left_out(seen, rng)):
            assert np.array_equal(row_from_view(least), helpers.hidden(row, player))
            if views % 5 == 0:
                validator.validate(least)
        views += 1
    assert views > 10


def test_the_first_view_of_a_deal_is_short(deal):
    rules = {name: 1 for name in ("rules", "actions", "observation")}
    own = {"player": "player_1", "hands": {"player_1": THEIRS}, "dealer": "player_0", "rules": "auction"}
    state = {"episode": "deal", "completed": 0, "thrown_in": 0, "totals": {"player_0": 0, "player_1": 0}}
    said = {"format": "piquet-view/1", "versions": rules, "phase": "auction", "auction": []}
    row = helpers.set_up(RULESETS["auction"], 0, helpers.dealt_cards(deal))
    assert np.array_equal(row_from_view(own | state | said), helpers.hidden(row, 1))


@pytest.mark.parametrize(
    ("path", "blamed"),
    [
        ("exchanged.player_1", "exchanged.player_1"),
        ("seen", "seen"),
        ("elder_left", "elder_left"),
        ("drawn.player_0", "drawn.player_0"),
        ("discards.player_0", "drawn.player_0"),
        ("declarations.point.player_1.number", "declarations.point.player_1.number"),
        ("declarations.point.player_1.pips", "declarations.point.player_1.pips"),
        ("declarations.point.player_0.suit", "declarations.point.player_0.suit"),
        ("declarations.set.player_1", "declarations.set.player_0"),
        ("shown.player_1", "shown.player_1"),
        ("score.player_1.sequence", "score.player_1.sequence"),
        ("tricks[0].cards", "tricks[0].cards"),
    ],
)
def test_what_does_not_follow_is_missed(deal, path, blamed):
    """After an exchange of one card each, points of three (29 and 27), a tierce and a trio of the other's, a lead."""
    play(deal, "CT", act.STAND, "H7", act.STAND)
    play(deal, act.POINT, act.POINT + 3, act.sequence_action(3, 7), act.NONE, act.SET + 3, act.NONE, "DA")
    least = told(view(deal, 0))
    assert np.array_equal(row_from_view(least), helpers.hidden(deal, 0))
    part, keys = least, path.replace("[", ".[").split(".")
    for key in keys[:-1]:
        part = part[int(key[1:-1]) if key[0] == "[" else key]
    del part[keys[-1]]
    with pytest.raises(ViewError) as caught:
        row_from_view(least)
    assert caught.value.field == blamed
