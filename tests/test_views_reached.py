"""A view that is accepted is one that some deal comes to; what contradicts rules, cards or itself is refused."""

import copy
import json
import random

import helpers
import pytest
from reaching import is_reached, small_rules
from test_views import given_deal, parts_of, play  # noqa: F401 (the fixture `deal`)
from told import told

from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.views import ViewError, row_from_view, view

FIXED = ("format", "versions", "rules", "player")


def views_of_games(rules, rng: random.Random) -> list[dict]:
    """Whole views and such as say only what they must, of deals from the first to the last decision and over."""
    found = []
    for number in range(8):
        row = helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng), partie=number % 2 == 1)
        if number % 4 == 3 and rules.deals > 1:
            most = rules.stop_at or 300
            row[at.COMPLETED], row[at.TOTALS], row[at.TOTALS + 1] = 1, rng.randrange(most), rng.randrange(most)
        for _ in helpers.walk(row, rng, deals=1):
            found += [view(row, player) for player in range(2)]
        game.next_deal(row)
        found += [view(row, player) for player in range(2)]
    found = json.loads(json.dumps(found))
    return found + [told(seen) for seen in found]


def place_of(path) -> tuple:
    """The same for both players, and for all items of a list."""
    return tuple("*" if isinstance(key, int) or key in ("player_0", "player_1") else key for key in path)


def value_at(part, path):
    for key in path:
        part = part[key]
    return part


def changed(seen, values, rng: random.Random) -> dict:
    """A view with a field that stands in another view, or without one."""
    seen = copy.deepcopy(seen)
    for _ in range(rng.choice((1, 1, 2))):
        path = rng.choice([path for path in parts_of(seen) if path[0] not in FIXED])
        part = value_at(seen, path[:-1])
        if rng.random() < 0.1:
            del part[path[-1]]
        else:
            part[path[-1]] = copy.deepcopy(rng.choice(values[place_of(path)]))
    return seen


@pytest.mark.parametrize("seed", range(20))
def test_what_is_accepted_is_reached(seed):
    rng = random.Random(f"reached {seed}")
    views, values = views_of_games(small_rules(rng), rng), {}
    for seen in views:
        for path in parts_of(seen):
            values.setdefault(place_of(path), []).append(value_at(seen, path))
    for _ in range(100):
        seen = changed(rng.choice(views), values, rng)
        try:
            row = row_from_view(seen)
        except ViewError:
            continue
        assert is_reached(row, ("player_0", "player_1").index(seen["player"])), seen


@pytest.mark.parametrize(
    ("path", "value", "blamed"),
    [
        (("declarations", "point", "player_1", "number"), 7, "declarations"),  # player_0 has two cards of each suit
        (("declarations", "point", "player_1", "pips"), 20, "declarations"),
        (("declarations", "sequence", "player_1"), {"length": 3, "top": "J"}, "declarations"),
        (("declarations", "set", "player_1"), {"number": 3, "rank": "T"}, "declarations"),
        (("declarations", "set", "player_1"), {"number": 4, "rank": "K"}, "declarations"),  # player_0 has one
        (("shown", "player_1"), "...", "declarations"),
        (("shown", "player_1"), "T.AKQ.AKJT.KT", "declarations"),
        (("score", "player_1", "sequence"), 4, "declarations"),
        (("completed",), 1, "completed"),
        (("episode",), "partie", None),
        (("totals", "player_0"), 7, "totals"),
        (("thrown_in",), 99, None),
    ],
)
def test_one_field_that_the_rules_do_not_allow(deal, path, value, blamed):
    """After an exchange of one card each, points of three (29 and 27), a tierce and a trio of the other's, a lead."""
    play(deal, "CT", act.STAND, "H7", act.STAND)
    play(deal, act.POINT, act.POINT + 3, act.sequence_action(3, 7), act.NONE, act.SET + 3, act.NONE, "DA")
    least = told(json.loads(json.dumps(view(deal, 0))))
    value_at(least, path[:-1])[path[-1]] = value
    if blamed is None:
        row_from_view(least)
        return
    with pytest.raises(ViewError) as caught:
        row_from_view(least)
    assert caught.value.field.split(".")[0] == blamed


def said(**points):
    """Declarations in which only points were named."""
    none = {"player_0": "none", "player_1": "none"}
    return {"point": none | points, "sequence": none, "set": none}


TWO_SUITS = {"base": "auction", "suits": "HD", "hand_size": 4, "elder_talon": 0, "younger_talon": 0}
OPEN = {
    "base": "open",
    "carte_blanche": 0,
    "suits": "D",
    "ranks": "TJQKA",
    "hand_size": 1,
    "lowest_level": 1,
    "highest_level": 1,
}
FOUND = {
    ("a card shown was to be played", "tricks[0].cards[1]"): {
        "rules": TWO_SUITS | {"suits": "SDC", "ranks": "KA", "hand_size": 3, "lowest_level": 1, "highest_level": 1},
        "hands": {"player_1": "A..K.K"},
        "auction": ["1 +1", "0 pass"],
        "exchanged": {"player_0": 0},
        "shown": {"player_0": "...A"},
        "declarations": said(player_0={"number": 1}),
        "tricks": [{"cards": ["CK", "DA"]}],
    },
    ("without sinking the first of equal suits is named", "declarations"): {
        "rules": TWO_SUITS | {"ranks": "JQKA", "lowest_level": 1, "highest_level": 4, "sinking": False},
        "hands": {"player_1": ".QJ.QJ."},
        "auction": ["1 pass", "0 +1", "1 pass"],
        "exchanged": {"player_0": 0},
        "shown": {"player_0": ".AK.."},
        "declarations": said(player_0={"number": 2, "pips": 21}, player_1={"suit": "D"}),
        "tricks": [{"cards": ["HA"]}],
    },
    ("cards in two places", "hands.player_0"): {
        "rules": OPEN | {"elder_talon": 2, "younger_talon": 1},
        "hands": {"player_1": "..A.", "player_0": "..A."},
        "phase": "exchange",
    },
    ("younger took what elder left", "retaken"): {
        "rules": OPEN
        | {"elder_talon": 2, "younger_talon": 1, "younger_draws_leftovers": True, "younger_sees_leftovers": False},
        "hands": {"player_1": "..A.", "player_0": "..K."},
        "discards": {"player_1": "..A.", "player_0": "..K."},
        "drawn": {"player_1": "..T.", "player_0": "..J."},
        "exchanged": {"player_0": 1},
        "seen": "..Q.",
        "phase": "point",
    },
    ("fewer exchanged than is asked", "exchanged.player_1"): {
        "rules": "rubicon",
        "hands": {"player_1": "AKQJT98.AKQJT.."},
        "exchanged": {"player_0": 0, "player_1": 0},
        "seen": "7.98.AK.",
        "phase": "point",
    },
    ("carte blanche has ended it", "declarations"): {
        "rules": "cent",
        "hands": {"player_1": "T987.T987.T987."},
        "carte_blanche": {"player_1": "T987.T987.T987."},
        "discards": {"player_1": "7..."},
        "completed": 1,
        "totals": {"player_0": 0, "player_1": 95},
        "phase": "deal_over",
    },
}


@pytest.mark.parametrize(("name", "blamed"), FOUND)
def test_what_was_accepted_once(name, blamed):
    seen = {
        "format": "piquet-view/1",
        "versions": {"rules": 1, "actions": 1, "observation": 1},
        "player": "player_1",
        "episode": "partie",
        "completed": 0,
        "thrown_in": 0,
        "totals": {"player_0": 0, "player_1": 0},
        "dealer": "player_0",
        "phase": "play",
        "auction": [],
    }
    with pytest.raises(ViewError) as caught:
        row_from_view(seen | FOUND[name, blamed])
    assert caught.value.field == blamed
