"""The fields of the rules and the rulesets, as tests/naive.py has them from the rules page, and what is refused."""

import dataclasses
import json
import random

import helpers
import naive
import numpy as np
import pytest
from helpers import NAMES, any_rules
from hypothesis import given, settings

from piquet_env import SelfPlayVectorEnv
from piquet_env.engine import layout as at
from piquet_env.notation import rules_of
from piquet_env.rules import RULE_COLUMNS, RULESETS, Rules, RulesError


def test_the_rulesets_are_those_of_the_page():
    assert set(RULESETS) == set(naive.RULESETS)


def test_the_defaults():
    assert dataclasses.asdict(Rules()) == naive.DEFAULTS


@pytest.mark.parametrize("name", naive.RULESETS)
def test_every_ruleset(name):
    assert dataclasses.asdict(Rules.make(name)) == naive.RULESETS[name]


# ------------------------------------------------------------------ what is refused

TWO_CARDS = {"hand_size": 2, "elder_talon": 20, "younger_talon": 8, "lowest_level": 1, "highest_level": 2}

# (changes, the field that is named, a word of the reason)
REFUSED = [
    ({"hand_size": 11}, "highest_level", "hand_size"),
    ({"hand_size": 13}, "hand_size", "32"),
    ({"elder_talon": 6}, "hand_size", "33"),
    ({"younger_talon": 2}, "hand_size", "31"),
    ({"suits": "SHD"}, "hand_size", "24"),
    ({"ranks": "89TJQKA"}, "hand_size", "28"),
    ({"suits": "", "hand_size": 12}, "hand_size", "0 cards"),
    ({"elder_talon": -1, "younger_talon": 9}, "elder_talon", "at least 0"),
    ({"elder_talon": 9, "younger_talon": -1}, "younger_talon", "at least 0"),
    ({"lowest_level": 0}, "lowest_level", "1"),
    ({"lowest_level": -3}, "lowest_level", "1"),
    ({"lowest_level": 9, "highest_level": 8}, "lowest_level", "highest_level"),
    ({"highest_level": 13}, "highest_level", "hand_size"),
    ({"lowest_level": 6}, "highest_level", "11"),
    ({"lowest_level": 1, "highest_level": 7}, "highest_level", "6"),
    ({"minimum_exchange": 6}, "minimum_exchange", "5"),
    ({"minimum_exchange": -1}, "minimum_exchange", "0"),
    ({"younger_minimum_exchange": 4}, "younger_minimum_exchange", "3"),
    ({"younger_minimum_exchange": -1}, "younger_minimum_exchange", "0"),
    ({"repique": 0}, "repique", "at least 1"),
    ({"pique": 0}, "pique", "at least 1"),
    ({"minus_repique": 0}, "minus_repique", "at least 1"),
    ({"minus_pique": -5}, "minus_pique", "at least 1"),
    ({"carte_blanche": 10}, "carte_blanche", "auction"),
    ({"stop_at": 100}, "stop_at", "auction"),
    ({"base": "rubicon", "stop_at": 0}, "stop_at", "at least 1"),
    ({"base": "rubicon", "carte_blanche": -1}, "carte_blanche", "at least 0"),
    ({"max_thrown_in": 0}, "max_thrown_in", "at least 1"),
    ({"deals": 0}, "deals", "at least 1"),
    ({"minimum_point": 0}, "minimum_point", "at least 1"),
    ({"suits": "SHDX"}, "suits", "X"),
    ({"suits": "shdc"}, "suits", "s"),
    ({"suits": "SHDD"}, "suits", "D"),
    ({"ranks": "6789TJQK"}, "ranks", "6"),
    ({"ranks": "77TJQKA9"}, "ranks", "7"),
    ({"younger_draws_leftovers": True}, "younger_sees_leftovers", "younger_draws_leftovers"),
    # The classic ones too: the levels of an auction that is not held must still be possible.
    ({"base": "rubicon", "highest_level": 13}, "highest_level", "hand_size"),
    ({"base": "rubicon", "lowest_level": 0}, "lowest_level", "1"),
    ({"base": "rubicon", "repique": 0}, "repique", "at least 1"),
    ({"base": "rubicon", "max_thrown_in": 0}, "max_thrown_in", "at least 1"),
    ({"base": "cent", "deals": 0}, "deals", "at least 1"),
    ({"base": "cent", "rubicon": -1}, "rubicon", "at least 0"),
    ({"base": "cent", "extra_deals_on_tie": -1}, "extra_deals_on_tie", "at least 0"),
    ({"base": "cent", "stop_double_below": -1}, "stop_double_below", "at least 0"),
    # 20 cards of a pack of 32 are no K, Q, J: with hands of 10 both could have none.
    ({"base": "rubicon", "hand_size": 10, "elder_talon": 9, "highest_level": 10}, "carte_blanche", "20"),
    # Neither minimum above the hand.
    (TWO_CARDS | {"minimum_exchange": 3}, "minimum_exchange", "2"),
    (TWO_CARDS | {"younger_minimum_exchange": 3}, "younger_minimum_exchange", "2"),
    # The wrong types.
    ({"hand_size": 12.0}, "hand_size", "whole number"),
    ({"hand_size": True}, "hand_size", "whole number"),
    ({"hand_size": "12"}, "hand_size", "whole number"),
    ({"hand_size": None}, "hand_size", "whole number"),
    ({"deals": 10**30}, "deals", "at most"),
    ({"sinking": 1}, "sinking", "true or false"),
    ({"sinking": None}, "sinking", "true or false"),
    ({"suits": 4}, "suits", "letters"),
    ({"suits": ["S", "H"]}, "suits", "letters"),
    ({"base": "rubicon", "stop_at": "100"}, "stop_at", "whole number"),
    # What is not there.
    ({"hands": 12}, "hands", "unknown"),
    ({"base": "bridge"}, "rules", "bridge"),
    ({"base": None}, "base", "name"),
    ({"base": {"base": "auction"}}, "base", "name"),
    ({3: 4}, "3", "unknown"),
    ("whist", "rules", "whist"),
    (None, "rules", "None"),
    (["auction"], "rules", "auction"),
]


@pytest.mark.parametrize(("changes", "field", "word"), REFUSED, ids=lambda value: str(value)[:60])
def test_rules_that_cannot_be(changes, field, word):
    with pytest.raises(RulesError) as caught:
        Rules.make(changes)
    assert caught.value.field == field
    assert f"{field!r}" in str(caught.value)
    assert word in str(caught.value)


def test_a_refusal_is_a_value_error():
    with pytest.raises(ValueError, match="'hand_size': 2 \\* hand_size"):
        Rules(hand_size=13)


def test_refused_wherever_rules_are_made():
    with pytest.raises(RulesError):
        dataclasses.replace(Rules(), elder_talon=6)
    with pytest.raises(RulesError):
        SelfPlayVectorEnv(1, {"elder_talon": 6})
    with pytest.raises(dataclasses.FrozenInstanceError):
        Rules().deals = 7  # type: ignore[misc] (what is tested)


# ------------------------------------------------------------------ what is allowed

ONE_CARD = {"hand_size": 1, "elder_talon": 0, "younger_talon": 0, "lowest_level": 1, "highest_level": 1}

ALLOWED = [
    {"hand_size": 16, "elder_talon": 0, "younger_talon": 0, "lowest_level": 11, "highest_level": 16},
    ONE_CARD | {"younger_talon": 30},
    ONE_CARD | {"suits": "D", "ranks": "7A"},
    ONE_CARD | {"elder_talon": 30, "minimum_exchange": 1},
    TWO_CARDS | {"minimum_exchange": 2, "younger_minimum_exchange": 2},
    {"minimum_exchange": 5, "younger_minimum_exchange": 3},
    {"lowest_level": 12},
    {"highest_level": 7},
    {"elder_talon": 0, "younger_talon": 8, "younger_draws_leftovers": True, "younger_sees_leftovers": False},
    {"younger_draws_leftovers": False, "younger_sees_leftovers": False},
    {"repique": 1, "pique": 1, "minus_repique": 1, "minus_pique": 1},
    {"rubicon": 0, "stop_double_below": 0, "minimum_point": 9, "deals": 1, "max_thrown_in": 1},
    {"base": "rubicon", "hand_size": 11, "elder_talon": 7, "highest_level": 11},  # 22 cards, only 20 are no K, Q, J
    {"base": "cent", "stop_at": 1, "carte_blanche": 40, "open_hands": True},
    {"base": "rubicon", "stop_at": None, "sinking": False},
    TWO_CARDS | {"suits": "CS", "ranks": "A7", "elder_talon": 0, "younger_talon": 0},
]


@pytest.mark.parametrize("changes", ALLOWED, ids=str)
def test_odd_rules_are_taken_and_can_be_played(changes):
    rules = Rules.make(changes)
    for seed in range(5):
        row = helpers.new_row(rules, partie=True, seed=seed)
        for _ in helpers.walk(row, random.Random(seed)):
            pass
        assert row[at.PHASE] == at.GAME_OVER


def test_the_order_of_letters_does_not_matter():
    assert Rules(suits="CDHS", ranks="AKQJT987") == Rules()
    assert Rules.make({"suits": "CDHS"}).spec() == "auction"


def test_numpy_numbers_become_numbers():
    """So that the rules can be written as JSON."""
    rules = Rules(deals=np.int64(4), sinking=np.bool_(False))
    assert rules == Rules(deals=4, sinking=False)
    assert json.loads(json.dumps(rules.spec())) == {"base": "auction", "deals": 4, "sinking": False}


# ------------------------------------------------------------------ there and back


@pytest.mark.parametrize("name", NAMES)
def test_a_ruleset_is_told_by_its_name(name):
    assert Rules.make(name).spec() == name
    assert Rules.make(Rules.make(name)) is RULESETS[name]
    assert Rules.make({"base": name}) == RULESETS[name]


@given(rules=any_rules())
@settings(max_examples=300)
def test_there_and_back(rules):
    """As text, and as the columns of a game's row."""
    assert Rules.make(rules.spec()) == rules
    assert rules_of(helpers.new_row(rules)) == rules
    columns = rules.columns()
    assert columns.dtype == np.int64
    assert columns.shape == (len(RULE_COLUMNS),)
    assert hash(Rules.make(rules.spec())) == hash(rules)


def test_the_pack():
    assert Rules().pack == 2**32 - 1
    assert sorted(helpers.card_name(card) for card in helpers.cards_of(Rules.make("micro").pack)) == sorted(
        ["SQ", "SK", "SA", "HQ", "HK", "HA"]
    )
    assert list(Rules.make("mini").levels) == [2, 3]
