"""What a person types at `piquet play`: calls, cards, discards and declarations, undone, unclear, or garbage."""

import contextlib
import json
import random

import helpers
import numpy as np
import pytest
import sitting
from helpers import new_row, walk
from hypothesis import given
from hypothesis import strategies as st

from piquet_env.bots.random import RandomBot
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.notation import action_text
from piquet_env.play.choices import Unclear, choices, meant, plain
from piquet_env.play.exchange import Discards
from piquet_env.play.game import Game
from piquet_env.play.hints import Hints
from piquet_env.play.questions import question
from piquet_env.play.story import story
from piquet_env.rules import RULESETS, Rules
from piquet_env.views import known_row


@pytest.fixture
def at_table(tmp_path, monkeypatch, capsys):
    """`at_table(typist, *arguments, lines=...)`: `piquet play` with the typist at the keyboard."""
    return sitting.Table(tmp_path, monkeypatch, capsys)


def test_undo_and_another_choice(at_table, tmp_path):
    """Nothing is sent before Enter; u takes back; another choice takes the place of the first."""
    lines = ("+7", "u", "", "-8", "+9", "t", "")
    _, _, out, _ = at_table(sitting.typed(*lines), "greedy", "--seed", 1, "--game", "g.json", lines=len(lines))
    game = json.loads((tmp_path / "g.json").read_text())
    mine = [text for text in game["record"]["deals"][0]["actions"] if text[0] == "0"]
    assert mine == ["0 +9"]
    assert "+7? Enter sends it" in out
    lines = ("u",)
    _, _, out, _ = at_table(sitting.typed(*lines), "greedy", "--seed", 1, "--game", "h.json", lines=1)
    assert "There is nothing to take back" in out


@pytest.mark.parametrize("unreadable", ["да", "...", "♠", "\ufffd\ufffd", "、"])
def test_what_cannot_be_read_sends_nothing(unreadable, at_table, tmp_path):
    """It is no Enter."""
    _, _, out, _ = at_table(sitting.typed("+7", unreadable), "greedy", "--seed", 1, "--game", "g.json", lines=2)
    assert "0 +7" not in json.loads((tmp_path / "g.json").read_text())["record"]["deals"][0]["actions"]
    assert ("cannot be read" in out or "can be read" in out) == (unreadable != "♠")


def test_no_confirm(at_table, tmp_path):
    at_table(sitting.typed("+9"), "greedy", "--seed", 1, "--game", "g.json", "--no-confirm", lines=1)
    game = json.loads((tmp_path / "g.json").read_text())
    assert "0 +9" in game["record"]["deals"][0]["actions"]
    at_table(sitting.typed("+9"), "greedy", "--seed", 1, "--game", "h.json", lines=1)
    game = json.loads((tmp_path / "h.json").read_text())
    assert "0 +9" not in game["record"]["deals"][0]["actions"]


CALLS = {"+7": ["+7", "7+", " + 7", "plus 7", "PLUS 7"], "-12": ["-12", "12-", "\u2212 12", "minus 12", "12 -"]}
CALLS |= {"pass": ["pass", "p", "PA", "Pass."], "+10": ["+10", "10+"]}


@pytest.mark.parametrize(("call", "text"), [(call, text) for call, texts in CALLS.items() for text in texts])
def test_calls_as_they_are_typed(call, text):
    known = known_row(new_row(Rules()), 1 - int(new_row(Rules())[at.DEALER]))
    assert meant(plain(text), choices(known, int(known[at.ACTOR])), is_menu=False).label == call


def play_row(mine: list[str], theirs: list[str], led: str | None = None):
    """player_0 has these cards left, and leads or follows."""
    row = new_row(RULESETS["rubicon"])
    row[at.PHASE], row[at.ACTOR], row[at.ELDER] = at.PLAY, 0, 0
    row[at.HANDS : at.HANDS + 2] = helpers.mask_of(mine), helpers.mask_of(theirs)
    row[at.LED] = -1 if led is None else helpers.card_number(led)
    return row


def play_position(*position):
    """The same as player_0 knows it."""
    return known_row(play_row(*position), 0)


CARDS = {
    "SA": ["sa", "SA", "AS", "as", "♠A", "A♠", 'AS"', "ace of spades", "a", "s a", "sp ace"],
    "HT": ["ht", "h10", "10h", "10", "ten", "HT", "♥ 10", "\u266110", "hearts ten"],
    "DQ": ["qq", "dq", "queen", "Q♦", "the queen of diamonds"],
}


@pytest.mark.parametrize(("card", "text"), [(card, text) for card, texts in CARDS.items() for text in texts])
def test_cards_as_they_are_typed(card, text):
    known = play_position(["SA", "SK", "HT", "HK", "DQ", "C7"], ["C8"])
    assert meant(plain(text), choices(known, 0), is_menu=False).action == helpers.card_number(card)


def test_what_is_not_clear_is_said():
    known = play_position(["SA", "SK", "HT", "HK", "DQ", "C7"], ["C8"])
    for text, message in (("k", "Which? ♠K or ♥K."), ("ca", "Not understood"), ("hk sa", "Not understood")):
        with pytest.raises(Unclear, match=message.replace("?", "[?]")):
            meant(plain(text), choices(known, 0), is_menu=False)
    asked = question(play_position(["SA", "SK", "HT"], ["C8"], "S7"), 0, confirm=True)
    with pytest.raises(Unclear, match="♥T cannot be played now: follow ♠"):
        asked.answer("ht")
    with pytest.raises(Unclear, match="Not understood"):
        asked.answer("c7")


def test_the_queen_and_quitting(at_table, tmp_path):
    """A lone q may be the queen where one can be played: only the second one stops."""
    asked = question(play_position(["DQ", "C7"], ["C8"]), 0, confirm=True)
    assert asked.may_mean("q")
    assert not asked.may_mean("quit")
    assert not question(play_position(["DK", "C7"], ["C8"]), 0, confirm=True).may_mean("q")
    person, _, out, _ = at_table(sitting.typed("q"), "greedy", "--seed", 1, "--game", "g.json")
    assert len(person.typed) == 1
    assert out.endswith("To go on: piquet play --game g.json\n")


def exchange_position(rules="rubicon", hand="SA SK ST S9 HA HK H7 DT D9 D7 CK C7"):
    """player_0 is elder, before the exchange."""
    row = helpers.set_up(RULESETS[rules], 1, _pack_with(cards(hand)))
    return known_row(row, 0)


def cards(text: str) -> list[str]:
    return text.split()


def _pack_with(hand):
    held = [helpers.card_number(card) for card in hand]
    return held + [card for card in range(32) if card not in held]


def chosen(*lines, rules="rubicon") -> list[str]:
    discards = Discards(exchange_position(rules))
    for line in lines:
        discards.toggle(plain(line))
    return [helpers.card_name(card) for card in discards.chosen]


def test_discards_as_they_are_typed():
    assert chosen("s9 h7 d10") == ["S9", "H7", "DT"]
    assert chosen("9♠, 7♥ 10d") == ["S9", "H7", "DT"]
    assert chosen("s9h7d10") == ["S9", "H7", "DT"]
    assert chosen("9s7h10d") == ["S9", "H7", "DT"]
    assert chosen("d1097") == ["DT", "D9", "D7"]
    assert chosen("s9 h7", "h7 d7") == ["S9", "D7"]
    assert chosen("d7") == ["D7"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("7", "Which? ♥7 or ♦7 or ♣7."),
        ("s7", "You do not hold ♠7."),
        ("s79", "You do not hold ♠7."),
        ("s9 h7 d7 d9 c7", "That would be 6 cards: you may throw 5 at most."),
        ("s9 what", "Not understood"),
    ],
)
def test_discards_that_are_refused_change_nothing(line, message):
    discards = Discards(exchange_position())
    discards.toggle("sa")
    with pytest.raises(Unclear) as refused:
        discards.toggle(plain(line))
    assert str(refused.value).startswith(message)
    assert discards.chosen == [helpers.card_number("SA")]


def test_choosing_what_to_throw():
    asked = question(exchange_position(), 0, confirm=True)
    assert asked.prompt() == "Throw 1 to 5 cards"
    with pytest.raises(Unclear, match="You must throw at least 1"):
        asked.answer("none")
    with pytest.raises(Unclear, match="Nothing is chosen"):
        asked.actions()
    assert not asked.answer("c7 s9")
    assert asked.prompt() == "Throw ♠9 ♣7 (2 of 5)? Enter exchanges"
    assert asked.undo()
    assert not asked.undo()
    assert asked.answer("h7 done")
    assert asked.actions() == [helpers.card_number("H7"), act.STAND]
    asked = question(exchange_position("cavendish"), 0, confirm=True)
    assert not asked.answer("c7")
    assert not asked.answer("clear")
    assert not asked.is_ready()


def test_a_card_at_the_end_of_a_line_is_a_card():
    """The ten of spades is no beginning of "stand"."""
    asked = question(exchange_position(), 0, confirm=True)
    assert not asked.answer("s9 st")
    assert asked.prompt() == "Throw ♠T ♠9 (2 of 5)? Enter exchanges"
    assert not asked.answer("st")
    assert asked.chosen() == [helpers.card_number("S9")]
    assert asked.answer("st done")
    assert asked.actions() == [helpers.card_number("S9"), helpers.card_number("ST"), act.STAND]


def test_declarations_as_they_are_typed():
    """A hand with a point of four twice, a quart, a trio."""
    row = new_row(RULESETS["rubicon"])
    hand = cards("SA SK SQ SJ HA H9 H8 H7 DA DT CT C7")
    row[at.ELDER], row[at.ACTOR], row[at.HANDS] = 0, 0, helpers.mask_of(hand)
    said = {
        at.IN_POINT: ({"point S": ["1", "point s", "s", "spades", "four s"], "point H": ["2"]}, "no point"),
        at.IN_SEQUENCE: ({"sequence 4 A": ["1", "quart", "q", "sequence 4 a", "quart to the ace"]}, "no sequence"),
        at.IN_SET: ({"set A": ["1", "trio", "set a", "aces", "3 aces", "trio of aces"]}, "no set"),
    }
    for phase, (texts, none) in said.items():
        row[at.PHASE] = phase
        offered = choices(known_row(row, 0), 0)
        for action, ways in texts.items():
            for text in ways:
                assert action_text(meant(plain(text), offered, is_menu=True).action) == action, text
        for text in ("none", "no", "sink", none, str(len(offered))):
            assert meant(plain(text), offered, is_menu=True).action == act.NONE
        assert offered[-1].label == none
    row[at.PHASE] = at.IN_POINT
    labels = [choice.label for choice in choices(known_row(row, 0), 0)]
    assert labels[0] == "point of four making forty-one: ♠A ♠K ♠Q ♠J (scores 4)"
    assert labels[1] == "point of four making thirty-five: ♥A ♥9 ♥8 ♥7 (scores 4)"
    row[at.ELDER], row[at.SAID + 1] = 1, 4
    assert choices(known_row(row, 0), 0)[-1].label == "good"
    assert meant("good", choices(known_row(row, 0), 0), is_menu=True).action == act.NONE


def test_carte_blanche(at_table, tmp_path):
    """A hand without K, Q, J is asked for, and shown."""
    row = helpers.set_up(RULESETS["rubicon"], 1, _pack_with(cards("SA ST S9 S8 HA HT H7 DT D9 D7 C8 C7")))
    game = Game("random", RandomBot(), 0, 3, row)
    asked = question(game.known, 0, confirm=False)
    assert asked.lines()[1:] == ["  1  show carte blanche", "  2  keep it to yourself"]
    for text in ("1", "show", "y", "carte blanche"):
        assert asked.answer(text)
        assert asked.actions() == [act.CARTE_BLANCHE]
    for text in ("2", "no", "hide"):
        assert asked.answer(text)
        assert asked.actions() == [act.NONE]
    game.take([act.CARTE_BLANCHE])
    shown = "♠A ♠T ♠9 ♠8 ♥A ♥T ♥7 ♦T ♦9 ♦7 ♣8 ♣7"
    for me, name in ((0, "You"), (1, "They")):
        told = story(known_row(game.row, me), me)
        assert told[0].text == f"{name} show carte blanche, 10 points: {shown}."


GARBAGE = st.text(max_size=90) | st.text("shdcatjkq789+-? !0123456789.,", max_size=12)


@given(st.lists(GARBAGE, min_size=5, max_size=5), st.integers(0, 40))
def test_garbage_is_refused_in_words(lines, steps):
    """At any decision, whatever is typed is either understood as something legal, or Unclear."""
    row = new_row(RULESETS[("auction", "rubicon", "mini")[steps % 3]], seed=steps)
    for number, (_, action) in enumerate(walk(row, random.Random(steps), deals=1)):
        if action is None or number == steps:
            break
    if row[at.PHASE] == at.DEAL_OVER:
        return
    asked = question(known_row(row, int(row[at.ACTOR])), int(row[at.ACTOR]), confirm=True)
    for line in lines:
        text = plain(line).rstrip("! ")
        with contextlib.suppress(Unclear):
            if text:
                asked.answer(text)
            asked.actions()
        assert len(asked.prompt()) <= sitting.WIDTH - 3


def test_a_deal_with_garbage_between(at_table):
    """Lines of any kind are no end, and what is written stays within the terminal."""
    rng, chooser, calls = random.Random(7), sitting.at_random(4), []
    letters = "shdcatjk789+-?tu!0123 \x00\x1b♥\u0130\ud7ff" + "x" * 3

    def garbage(known, me):
        calls.append(1)
        if len(calls) % 4:
            return "".join(rng.choice(letters) for _ in range(rng.choice((1, 3, 9, 200))))
        return chooser(known, me)

    _, status, out, _ = at_table(garbage, "greedy", "--seed", 5, "--episode", "deal", "--game", "g.json", lines=1200)
    assert status == 0
    sitting.check_size(out)
    assert "\x1b" not in out


# ------------------------------------------------------------------ hints


class Certain:
    """Says how likely its choices are, and what it expects."""

    def act(self, views, rng):
        return self.probabilities(views).argmax(axis=1)

    def probabilities(self, views):
        policy = np.zeros(views.mask.shape)
        for place, mask in enumerate(views.mask):
            legal = np.flatnonzero(mask)
            policy[place, legal] = 0.005
            policy[place, legal[0]] = 1 - 0.005 * (len(legal) - 1)
        return policy

    def value(self, views):
        return np.full(len(views.rows), -7.25)


def test_hints_have_probabilities_what_it_would_do_and_its_value():
    """The least likely choices are left out; in the exchange all the cards that it would throw."""
    row = play_row(["SA", "HT", "DQ"], ["C8", "C9", "CT"])
    game = Game("random", RandomBot(), 0, 3, row)
    expects = "It expects -7.2 for you in this deal, your points less theirs."
    lines = Hints("certain", Certain()).lines(game, [])
    assert " ".join(" ".join(lines).split()) == f"certain: ♠A 99% certain would play ♠A. {expects}"
    exchange = helpers.set_up(RULESETS["rubicon"], 1, _pack_with(cards("SA SK ST S9 HA HK H7 DT D9 D7 CK C7")))
    lines = Hints("certain", Certain()).lines(Game("random", RandomBot(), 0, 3, exchange), [helpers.card_number("S9")])
    assert " ".join(" ".join(lines).split()).startswith("certain: ♠T 94% certain would throw ♠A ♠K ♠T ♥7 (4).")


class Drawing(Certain):
    """Likes its first legal action a little better than the second, and plays the second."""

    def act(self, views, rng):
        return np.array([np.flatnonzero(mask)[1] for mask in views.mask])

    def probabilities(self, views):
        policy = np.zeros(views.mask.shape)
        for place, mask in enumerate(views.mask):
            policy[place, np.flatnonzero(mask)[:2]] = 0.6, 0.4
        return policy


def test_a_hint_is_the_likeliest_choice():
    """A bot that leaves it to chance may play another one; a person is told the one that it likes best."""
    game = Game("random", RandomBot(), 0, 3, play_row(["SA", "HT", "DQ"], ["C8", "C9", "CT"]))
    lines = Hints("drawing", Drawing()).lines(game, [])
    assert lines[0] == "drawing: ♠A 60%, ♥T 40%"
    assert lines[1].startswith("drawing would play ♠A.")
