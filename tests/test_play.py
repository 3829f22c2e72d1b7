"""The command `piquet play`: whole games typed by a person, what he is shown, and games that go on later."""

import json
import random

import helpers
import pytest
import sitting
from helpers import NAMES, new_row, walk

from piquet_env.belief import sample_hidden
from piquet_env.bots.random import RandomBot
from piquet_env.engine import game as engine
from piquet_env.engine import layout as at
from piquet_env.notation import legal_indices
from piquet_env.play import pages
from piquet_env.play.game import Game
from piquet_env.play.hints import Hints
from piquet_env.play.questions import question
from piquet_env.play.story import Teller, story
from piquet_env.records import read_records
from piquet_env.render.table import table_text
from piquet_env.rules import RULESETS
from piquet_env.views import known_row


@pytest.fixture
def at_table(tmp_path, monkeypatch, capsys):
    """`at_table(typist, *arguments, lines=...)`: `piquet play` with the typist at the keyboard."""
    return sitting.Table(tmp_path, monkeypatch, capsys)


# ------------------------------------------------------------------ whole games


@pytest.mark.parametrize("bot", ["greedy", "random"])
@pytest.mark.parametrize("rules", NAMES)
def test_a_whole_partie(rules, bot, at_table, tmp_path):
    """Everything fits the terminal; the record replays, and is what was played; the game's file is gone."""
    seed = NAMES.index(rules)
    _, status, out, err = at_table(
        sitting.at_random(seed), bot, "--rules", rules, "--seed", seed, "--seat", seed % 2, "--game", "g.json"
    )
    assert (status, err) == (0, "")
    sitting.check_size(out)
    record = sitting.only_record(tmp_path / "g.record.json")
    assert record["format"] == "piquet-partie/1"
    assert not (tmp_path / "g.json").exists()
    mine, theirs = (record["result"]["totals"][f"player_{player}"] for player in (seed % 2, 1 - seed % 2))
    assert f"you {mine}, they {theirs}." in out
    assert out.endswith("  piquet analyse g.record.json --bot " + bot + "\n")
    scored = [deal for deal in record["deals"] if deal["result"]]
    assert out.count("The deal is over.") == len(scored)
    for deal in scored:
        totals = [deal["result"]["score"][f"player_{player}"]["total"] for player in (seed % 2, 1 - seed % 2)]
        assert f"{'TOTAL':<16}{totals[0]:>10}{totals[1]:>10}" in out


def test_one_deal_and_the_folder(at_table, tmp_path):
    _, status, out, _ = at_table(sitting.at_random(1), "greedy", "--episode", "deal", "--seed", 4)
    assert status == 0
    (record,) = (tmp_path / "games").iterdir()
    assert record.name.startswith("greedy-")
    assert str(record.relative_to(tmp_path)) in out
    ((_, deal),) = read_records(record)
    assert (deal["format"], "result" in deal) == ("piquet-deal/1", True)
    sitting.check_size(out)


def test_a_small_game_word_by_word(at_table):
    """Two cards each, checked against the rules page by hand: one trick each, a contract made exactly."""
    lines = ("d", "", "none", "", "1", "")
    _, _, out, _ = at_table(sitting.typed(*lines), "greedy", "--rules", "micro", "--seed", 2, "--game", "g.json")
    assert [line.rstrip() for line in out.splitlines()] == MICRO.splitlines()


MICRO = """\
A partie against greedy, rules: micro (you are player_0, seed 2).
Type h for help. It is kept in g.json

--- Deal 1 of 1. You deal, they speak first.
They bid +1.

  ♠ Q
  ♥ K
Your call: +2, -2, pass, double > d
Double? Enter sends it, u takes it back >
You double. They redouble.
Contract +1, redoubled: they must win at least 1 trick. They are elder.
They exchange 1 card.

  ♠ Q
  ♥ K
Throw up to 1 card, or none > none
Exchange nothing? Enter sends it, u takes it back >
You exchange nothing. You see what you left: ♠K.
They: "Point of one."

  ♠ Q
  ♥ K

  1  point of one making ten: ♠Q (scores 1)
  2  point of one making ten: ♥K (scores 1)
  3  good
Your answer, 1 to 3 > 1
Point of one making ten: ♠Q? Enter sends it, u takes it back >
You: "Making?" They: "Eleven." You: "Good." (1 to them)
They: "No sequence." You: "No sequence." (nobody scores)
They: "No set." You: "No set." (nobody scores)
They show ♠A.
They lead ♥Q. You play ♥K. Trick to you, 1 : 0.
You lead ♠Q. They play ♠A. Trick to them, 1 : 1.
(You had no other choice: no sequence, no set, ♥K, ♠Q.)

The deal is over.
                       you      they
point                    0         1
tricks                   1         1
TOTAL                    1         2
They held   ♠A ♥Q
They threw  ♥A
The partie is theirs: you 1, they 2.
You pay them 153, as 1 is below the rubicon of 150.
The record is in g.record.json; to look into it:
  piquet analyse g.record.json --bot greedy
"""


@pytest.mark.parametrize(
    ("rules", "totals", "lines"),
    [
        ("rubicon", (36, 67), ["The partie is theirs: you 36, they 67.",
                               "You pay them 203, as 36 is below the rubicon of 100."]),
        ("rubicon", (167, 100), ["The partie is yours: you 167, they 100.", "They pay you 167."]),
        ("auction", (149, 160), ["The partie is theirs: you 149, they 160.",
                                 "You pay them 459, as 149 is below the rubicon of 150."]),
        ("rubicon", (80, 80), ["The partie is a draw: you 80, they 80. Nobody pays."]),
        ("cent", (104, 49), ["The partie is yours: you 104, they 49.", "They pay you 2, as 49 is below 50."]),
        ("cent", (50, 104), ["The partie is theirs: you 50, they 104.", "You pay them 1."]),
    ],
)  # fmt: skip
def test_what_a_partie_pays(rules, totals, lines):
    """Section 10: who has fewer points than the rubicon pays it and the sum, else it and the difference."""
    row = new_row(RULESETS[rules], partie=True)
    row[at.PHASE], row[at.TOTALS : at.TOTALS + 2] = at.GAME_OVER, totals
    assert pages.game_over_lines(Game("random", RandomBot(), 0, 3, row)) == lines


def test_thrown_in_hands_are_not_shown(at_table, tmp_path):
    """Both pass: in `micro` that ends the game, and nothing is said of the other's cards."""
    _, status, out, _ = at_table(
        sitting.typed("pass!"), at_table.bot("act.PASS"), "--rules", "micro", "--seed", 1, "--game", "g.json"
    )
    assert status == 0
    assert "Both have passed: the cards are thrown in." in out
    assert "They held" not in out
    assert sitting.only_record(tmp_path / "g.record.json")["deals"][0]["result"] is None


def test_dealt_again_until_the_game_is_cut_off(at_table, tmp_path):
    """As the rules say after three in a row; in between the game is interrupted, and forgets none of them."""
    rules = '{"base": "auction", "max_thrown_in": 3}'
    for episode in ("deal", "partie"):
        file = f"{episode}.json"
        arguments = (at_table.bot("act.PASS"), "--rules", rules, "--seed", 1, "--episode", episode, "--game", file)
        _, status, out, _ = at_table(lambda known, me: "p!", *arguments, lines=2)
        assert out.count("dealt again") == 2
        assert json.loads((tmp_path / file).read_text())["thrown_in"] == 2
        _, status, out, err = at_table(lambda known, me: "p!", "--game", file)
        assert (status, err.replace("a bot may print what it likes\n", "")) == (0, "")
        assert "The game is cut off: 3 deals in a row thrown in." in out


# ------------------------------------------------------------------ nothing hidden, nothing lost


def shown_to(row, me: int, hints: Hints) -> list[str]:
    """All that the person may be shown where he is to act."""
    game = Game("random", RandomBot(), me, 5, row)
    known = game.known
    asked = question(known, me, confirm=True)
    lines = [*pages.title(game), *Teller(me).news(known), *pages.standing(known, me), *pages.hand_lines(known, me)]
    lines += [*asked.lines(), asked.prompt(), *pages.score_lines(game), *hints.lines(game, [])]
    return lines + table_text(known, me).splitlines()


@pytest.mark.parametrize("rules", NAMES)
def test_what_is_shown_does_not_depend_on_hidden_cards(rules):
    hints, rng, compared = Hints("random", RandomBot()), random.Random(rules), 0
    for seed in range(3):
        row = new_row(RULESETS[rules], seed=seed)
        for actions, action in walk(row, rng, deals=1):
            if action is None or len(actions) < 2 or rng.random() < 0.5:
                continue
            me = int(row[at.ACTOR])
            here = shown_to(row.copy(), me, hints)
            for other in sample_hidden(row, me, 2, seed=seed):
                assert shown_to(other.copy(), me, hints) == here
                compared += bool((other[at.HANDS : at.HANDS + 2] != row[at.HANDS : at.HANDS + 2]).any())
    assert compared > 3 or rules == "open"


@pytest.mark.parametrize("rules", [*NAMES, "odd 1", "odd 2", "odd 3"])
def test_the_story_only_grows(rules):
    """What was told once stays what it was, for either player; every card played is told."""
    made = helpers.odd_rules(int(rules[-1])) if rules.startswith("odd") else RULESETS[rules]
    rng = random.Random(rules)
    for seed in range(4):
        row, told = new_row(made, seed=seed), {0: [], 1: []}
        for _ in walk(row, rng, deals=1):
            for me in (0, 1):
                now = story(known_row(row, me), me)
                assert now[: len(told[me])] == told[me]
                told[me] = now
        for me in (0, 1):
            played = [text for part, text in told[me] if part.startswith("trick") and "Trick to" not in text]
            assert len(played) == row[at.PLAYED].bit_count() + row[at.PLAYED + 1].bit_count()


def test_the_help_and_the_table_fit(at_table):
    """At every decision of a partie."""
    commands = ["h", "s", "t", "?"]
    for rules in ("auction", "rubicon", "open"):
        random_typist, pending = sitting.at_random(3), []

        def typist(known, me, random_typist=random_typist, pending=pending):
            if not pending:
                pending.extend([*commands, None])
            return pending.pop(0) or random_typist(known, me)

        _, status, out, _ = at_table(typist, "greedy", "--rules", rules, "--seed", 3, "--game", f"{rules}.json")
        assert status == 0
        sitting.check_size(out)


# ------------------------------------------------------------------ games that go on later


def test_hints_and_breaks_change_nothing(at_table, tmp_path):
    """The random bot draws the same whether hints are asked, the game goes on later, or all is played at once."""
    options = ("random", "--rules", "rubicon", "--seed", 11)
    at_table(sitting.at_random(2), *options, "--game", "whole.json")
    whole = sitting.only_record(tmp_path / "whole.record.json")

    asker, asked = sitting.at_random(2), []

    def asks_first(known, me):
        asked.append(1)
        return "?" if len(asked) % 2 else asker(known, me)

    at_table(asks_first, *options, "--game", "asked.json", "--hints", "greedy")
    assert sitting.only_record(tmp_path / "asked.record.json") == whole

    goes_on = sitting.at_random(2)
    _, status, out, _ = at_table(goes_on, *options, "--game", "parts.json", lines=3)
    assert (status, out.splitlines()[-1]) == (0, "To go on: piquet play --game parts.json")
    while (tmp_path / "parts.json").exists():
        _, status, out, err = at_table(goes_on, "--game", "parts.json", lines=7)
        assert (status, err) == (0, "")
        sitting.check_size(out)
    assert sitting.only_record(tmp_path / "parts.record.json") == whole


class Killed(BaseException):
    """As if the process were killed."""


@pytest.mark.parametrize("rules", ["auction", "mini"])
def test_a_kill_loses_nothing(rules, at_table, tmp_path, monkeypatch):
    """Killed at any call of the bot, the game goes on to the same end."""
    options = ("random", "--rules", rules, "--episode", "deal", "--seed", 6)
    at_table(sitting.at_random(2), *options, "--game", "whole.json")
    typist, bots_action, calls = sitting.at_random(2), Game.bots_action, []

    def dies(self):
        calls.append(1)
        if len(calls) % 4 == 0:
            raise Killed
        return bots_action(self)

    monkeypatch.setattr(Game, "bots_action", dies)
    arguments = (*options, "--game", "killed.json")
    while not (tmp_path / "killed.record.json").exists():
        try:
            at_table(typist, *arguments)
        except Killed:
            arguments = ("--resume", "--game", "killed.json")
    assert len(calls) > 3 or rules == "mini"
    assert sitting.only_record(tmp_path / "killed.record.json") == sitting.only_record(tmp_path / "whole.record.json")


def test_interrupted(at_table, tmp_path):
    def interrupts(known, me):
        raise KeyboardInterrupt

    _, status, out, _ = at_table(interrupts, "greedy", "--seed", 1)
    assert status == 130
    assert out.endswith("\nTo go on: piquet play --resume\n")
    _, status, out, _ = at_table(sitting.typed("q"), "--resume")
    assert status == 0
    assert "The game goes on." in out


@pytest.mark.parametrize("done", [True, False])
def test_an_interruption_between_two_deals_loses_none(done, monkeypatch):
    """Whether it comes before or after the next deal is dealt."""
    game = Game.new("random", RandomBot(), RULESETS["rubicon"], "partie", 0, 3)
    while not game.is_deal_over:
        game.take([legal_indices(game.row)[0]])
    record, row, next_deal = game.record(), game.row.copy(), engine.next_deal

    def interrupted(row):
        if done:
            next_deal(row)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("piquet_env.play.game.engine.next_deal", interrupted)
        with pytest.raises(KeyboardInterrupt):
            game.next_deal()
    assert game.record() == record
    assert (game.row == row).all()
    game.next_deal()
    assert game.record()["deals"][:1] == record["deals"]
