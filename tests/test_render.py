"""The table as text: bounded, plain, and true to what the player knows."""

import random

import helpers
import pytest

from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.notation import legal_texts
from piquet_env.render import deal_text
from piquet_env.render.table import table_text
from piquet_env.rules import RULESETS


def rows(rules, rng, count):
    for number in range(count):
        row = helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng), partie=number % 2 == 1)
        for _ in helpers.walk(row, rng, deals=2):
            yield row
        yield row


@pytest.mark.parametrize("name", RULESETS)
def test_the_table_is_a_small_plain_text(name):
    tables = 0
    for row in rows(RULESETS[name], random.Random(f"table {name}"), 2):
        for player in range(2):
            text = table_text(row, player)
            lines = text.split("\n")
            assert text.isascii()
            assert max(map(len, lines)) <= 80
            assert len(lines) <= 32
            tables += 1
    assert tables > 20


def test_the_table_is_the_same_from_the_row_as_the_player_knows_it():
    rng, tables = random.Random("hidden tables"), 0
    for rules in [*RULESETS.values(), *map(helpers.odd_rules, range(20))]:
        for row in rows(rules, rng, 1):
            for player in range(2):
                assert table_text(row, player) == table_text(helpers.hidden(row, player), player)
                tables += 1
    assert tables > 500


@pytest.fixture
def deal():
    """player_0 deals; player_1 passes, player_0 bids +8, player_1 doubles, player_0 redoubles: he is elder."""
    hands = [*range(12), *range(12, 20), *range(24, 28)]  # AKQJT987.T987.. and .AKQJ.T987.T987
    row = helpers.set_up(RULESETS["auction"], 0, [*hands, *range(20, 24), *range(28, 32)])
    for action in (act.PASS, act.PLUS + 1, act.DOUBLE, act.REDOUBLE):
        assert game.apply_action(row, action)
    return row


def entry(text: str, name: str) -> str:
    """What stands behind a name, on one line."""
    lines = text.split("\n")
    start = next(n for n, line in enumerate(lines) if line[:12].rstrip() == name)
    stop = next((n for n in range(start + 1, len(lines)) if lines[n][:1] != " "), len(lines))
    return " ".join(" ".join(lines[start:stop])[len(name) :].split())


def test_what_stands_on_the_table(deal):
    text = table_text(deal, 0)
    assert entry(text, "auction") == "they pass, you +8, they double, you redouble"
    assert entry(text, "contract") == "+8, redoubled: you must win 8 tricks"
    assert entry(text, "legal") == "discard S7 S8 S9 ST SJ SQ SK SA H7 H8 H9 HT, stand"
    assert "S  A K Q J T 9 8 7" in text
    assert "you are player_0, elder" in text
    other = table_text(deal, 1)
    assert entry(other, "turn") == "they are to act (exchange)"
    assert "legal" not in other
    assert "A K Q J T 9 8 7" not in other


def test_exchange_declarations_and_tricks_on_the_table(deal):
    for card in ("H7", "H8"):
        assert game.apply_action(deal, helpers.card_number(card))
    assert entry(table_text(deal, 0), "exchange") == "you H8 H7"
    assert "exchange " not in table_text(deal, 1).replace("(exchange)", "")
    for action in (act.STAND, act.STAND, act.POINT, act.NONE, act.sequence_action(8, 7), act.NONE, act.NONE, act.NONE):
        assert game.apply_action(deal, action)
    text = table_text(deal, 1)
    assert entry(text, "exchange") == "you 0; they 2"
    assert "8 to them" in entry(text, "point")
    assert "18 to them" in entry(text, "sequence")
    assert entry(text, "shown") == "they SA SK SQ SJ ST S9 S8 S7"
    assert text.count("A K Q J T 9 8 7") == 1  # the other holds them for certain
    assert game.apply_action(deal, helpers.card_number("SA"))
    text = table_text(deal, 1)
    assert entry(text, "on table") == "they led SA"
    assert entry(text, "turn") == "you are to act (play)"
    assert entry(text, "their score").startswith("26, 0 tricks (point 8, sequences 18)")


def test_one_trick_is_one_trick():
    row = helpers.set_up(RULESETS["micro"], 0, helpers.cards_of(RULESETS["micro"].pack))
    for action in (act.PLUS, act.PASS):
        assert game.apply_action(row, action)
    assert entry(table_text(row, 0), "contract") == "+1: they must win 1 trick"
    assert "Contract: player_1, to win 1 trick; he is elder." in deal_text(row)
    for _ in helpers.walk(row, random.Random(1)):
        if 1 in row[at.WON : at.WON + 2]:
            break
    assert ", 1 trick" in table_text(row, 0)
    assert "1 tricks" not in table_text(row, 0)


def test_the_end_is_said():
    rng = random.Random("end")
    row = helpers.new_row(RULESETS["micro"], seed=5)
    for _ in helpers.walk(row, rng):
        pass
    assert row[at.PHASE] == at.GAME_OVER
    assert entry(table_text(row, 0), "turn") == "the game is over"
    thrown = helpers.new_row(RULESETS["auction"], seed=5)
    while thrown[at.PHASE] != at.GAME_OVER:
        assert "pass" in legal_texts(thrown)
        assert game.apply_action(thrown, act.PASS)
        if thrown[at.PHASE] == at.DEAL_OVER:
            game.next_deal(thrown)
    assert entry(table_text(thrown, 0), "turn") == "the game was cut off"
    assert entry(table_text(thrown, 0), "thrown in").startswith("100 in a row")


def test_no_such_player(deal):
    with pytest.raises(ValueError, match="player"):
        table_text(deal, -1)


@pytest.mark.parametrize("name", [name for name, rules in RULESETS.items() if rules.auction])
def test_in_the_auction_nothing_has_been_declared_shown_or_exchanged_yet(name):
    rng, tables = random.Random(name), 0
    for row in rows(RULESETS[name], rng, 10):
        if row[at.PHASE] == at.AUCTION:
            text = table_text(row, rng.randrange(2))
            assert not {"point", "sequence", "set", "shown", "exchange", "tricks"} & {
                line.split(" ")[0] for line in text.split("\n")
            }
            tables += 1
    assert tables > 10
