"""Cards, hands, talons and actions as text: the written form of the records page."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from piquet_env.engine import game, layout
from piquet_env.engine.actions import ACTIONS
from piquet_env.engine.cards import CARDS
from piquet_env.notation import (
    action_index,
    action_text,
    card_index,
    card_text,
    cards_of,
    hand_text,
    legal_indices,
    legal_texts,
    parse_hand,
    parse_talon,
    rules_of,
    talon_text,
)
from piquet_env.rules import RULESETS, Rules

DATA = Path(__file__).parent / "data"


def meaningful(rules):
    """{action: text} of those that a ruleset does not refuse."""
    texts = {}
    for action in range(ACTIONS):
        try:
            texts[action] = action_text(action, rules)
        except ValueError:
            continue
    return texts


# ------------------------------------------------------------------ cards


@pytest.mark.parametrize(("text", "card"), [("S7", 0), ("SA", 7), ("H7", 8), ("DT", 19), ("C7", 24), ("CA", 31)])
def test_card_is_suit_then_rank(text, card):
    assert card_index(text) == card
    assert card_text(card) == text


@pytest.mark.parametrize("text", ["AKJ.T87.Q98.A97", "AKQJT987..AKQJ.", "..."])
def test_hands_of_the_rules_page(text):
    assert hand_text(parse_hand(text)) == text


def test_hand_means_its_cards():
    assert parse_hand("A7..T.K") == sum(1 << card_index(text) for text in ("SA", "S7", "DT", "CK"))


@given(st.integers(0, 2**CARDS - 1))
def test_every_set_of_cards_reads_back(mask):
    assert parse_hand(hand_text(mask)) == mask
    assert sum(1 << card for card in cards_of(mask)) == mask


def test_masks_of_the_engine_are_taken():
    assert hand_text(np.int64(1 << card_index("CA"))) == "...A"


@given(st.permutations(range(CARDS)))
def test_talon_keeps_its_order(cards):
    assert parse_talon(talon_text(cards[:8])) == cards[:8]


@pytest.mark.parametrize("text", ["", "S", "AS", "s7", "S1", "SAA", "S 7", "7", None, 7, ["S7"]])
def test_what_is_no_card_is_refused(text):
    with pytest.raises(ValueError, match="expected a card"):
        card_index(text)


@pytest.mark.parametrize("card", [-1, CARDS])
def test_number_of_no_card_is_refused(card):
    with pytest.raises(ValueError, match="expected a card"):
        card_text(card)


@pytest.mark.parametrize("text", ["AK", "A.K.Q", "A.K.Q.J.T", "AA...", "A.K.Q.1", "A,K,Q,J", "♠A", None, 7, []])
def test_what_is_no_hand_is_refused(text):
    with pytest.raises(ValueError, match=r"expected|twice"):
        parse_hand(text)


@pytest.mark.parametrize("text", ["S9,S8", "S9S8", "9S", None, ["S9"]])
def test_what_is_no_talon_is_refused(text):
    with pytest.raises(ValueError, match="expected"):
        parse_talon(text)


# ------------------------------------------------------------------ actions


@pytest.mark.parametrize("name", RULESETS)
def test_actions_of_every_ruleset_read_back(name):
    texts = meaningful(name)
    assert len(set(texts.values())) == len(texts)
    for action, text in texts.items():
        assert action_index(text, name) == action
        in_exchange = action_text(action, name, layout.Phase.EXCHANGE)
        assert action_index(in_exchange, name) == action
        assert (in_exchange != text) == (action < CARDS)


def test_table_of_the_records_page():
    texts = meaningful("auction") | meaningful("rubicon")
    assert sorted(texts) == list(range(ACTIONS))  # between them, every action has a use
    expected = ["stand", "none", "+7", "+8", "+9", "+10", "+11", "+12", "-7", "-8", "-9", "-10", "-11", "-12"]
    expected += ["pass", "double", "redouble", "point S", "point H", "point D", "point C"]
    expected += [f"sequence {length} {top}" for length in range(3, 9) for top in "789TJQKA"[length - 1 :]]
    expected += ["set T", "set J", "set Q", "set K", "set A", "carte blanche"]
    assert [texts[action] for action in range(CARDS, ACTIONS)] == expected


def test_bids_start_at_the_lowest_level():
    assert action_index("+7") == action_index("+2", "mini") == action_index("+1", rules="micro") == 34
    assert action_text(action_index("-8"), "mini") == "-3"
    assert action_index("+6", {"base": "auction", "lowest_level": 6, "highest_level": 10}) == 34


def test_a_card_has_one_number():
    assert action_index("discard SA") == action_index("play SA") == card_index("SA")


def test_rules_may_be_given_in_every_form():
    for rules in ("mini", Rules.make("mini"), {"base": "mini"}):
        assert action_text(34, rules) == "+2"


NO_ACTIONS = [
    ("+7", "rubicon"),
    ("pass", "rubicon"),
    ("carte blanche", "auction"),
    ("+7", "mini"),
    ("+13", "auction"),
    ("+6", "auction"),
    ("play S7", "mini"),
    ("discard DA", "mini"),
    ("point D", "mini"),
    ("set K", "mini"),  # three cards of a rank, but two suits
    ("sequence 4 A", "mini"),  # four cards, but hands of three
    ("sequence 3 A", "micro"),
    ("sequence 3 8", "auction"),
    ("point S", {"base": "auction", "sinking": False}),
    ("none", {"base": "auction", "sinking": False}),
    ("SA", "auction"),
    ("play", "auction"),
    ("Play SA", "auction"),
    ("play SA ", "auction"),
    ("", "auction"),
    (None, "auction"),
    (34, "auction"),
    (["pass"], "auction"),
]


@pytest.mark.parametrize(("text", "rules"), NO_ACTIONS)
def test_text_of_no_action_is_refused(text, rules):
    with pytest.raises(ValueError, match="expected one like"):
        action_index(text, rules)


@pytest.mark.parametrize("action", [-1, ACTIONS, 1.0, True, "7", None])
def test_number_of_no_action_is_refused(action):
    with pytest.raises(ValueError, match="expected an action"):
        action_text(action)


def test_number_without_meaning_is_refused():
    with pytest.raises(ValueError, match="no meaning in the rules rubicon"):
        action_text(action_index("+7"), "rubicon")


def test_unknown_rules_are_refused():
    with pytest.raises(ValueError, match="unknown ruleset"):
        action_index("pass", rules="bridge")


# ------------------------------------------------------------------ rows


@pytest.mark.parametrize("name", RULESETS)
def test_every_legal_action_has_a_text(name):
    """Random games: whatever the engine allows can be written down and read back."""
    rules, choose = Rules.make(name), random.Random(5)
    row = np.zeros(layout.COLUMNS, np.int64)
    for seed in range(8):
        game.new_game(row, rules.columns(), 0, seed, 0)
        assert rules_of(row) == rules
        while row[layout.PHASE] < layout.DEAL_OVER:
            legal = legal_indices(row)
            assert legal == sorted(legal)
            assert [action_index(text, name) for text in legal_texts(row)] == legal
            assert game.apply_action(row, choose.choice(legal))
        assert legal_texts(row) == []


def test_rules_of_a_row_are_those_it_was_begun_with():
    row = np.zeros(layout.COLUMNS, np.int64)
    lines = (DATA / "deals.jsonl").read_text(encoding="utf-8").splitlines()
    for spec in [json.loads(line)["rules"] for line in lines]:
        game.reseed(row, Rules.make(spec).columns(), 0, 1)
        assert rules_of(row) == Rules.make(spec)
