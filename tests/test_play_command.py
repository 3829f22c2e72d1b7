"""`piquet play` as a command: the terminal, which game is meant, and what is refused."""

import json
import os
import re
import sys

import pytest
import sitting

from piquet_env.files import write_text
from piquet_env.play.game import Game
from piquet_env.play.screen import Screen


@pytest.fixture
def at_table(tmp_path, monkeypatch, capsys):
    """`at_table(typist, *arguments, lines=...)`: `piquet play` with the typist at the keyboard."""
    # Said once a machine, so in whichever test comes first there.
    monkeypatch.setattr("piquet_env.play.command.announce_compiling", lambda: None)
    return sitting.Table(tmp_path, monkeypatch, capsys)


# ------------------------------------------------------------------ the terminal


@pytest.mark.parametrize(
    ("term", "no_color", "coloured"), [("xterm", "", True), ("xterm", "1", False), ("dumb", "", False)]
)
def test_colour_on_a_terminal(term, no_color, coloured, monkeypatch, capsys):
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("NO_COLOR", no_color)
    if not no_color:
        monkeypatch.delenv("NO_COLOR")
    screen = on_a_terminal(monkeypatch, "utf-8")
    screen.say(["♥ A K   ♠ 7", "They lead ♦T."])
    out = capsys.readouterr().out
    assert ("\x1b[31m♥ A K" in out) == coloured
    assert ("\x1b[31m♦T" in out) == coloured
    assert ("31m♠" in out) is False
    assert re.sub(r"\x1b\[[0-9;]*m", "", out) == "♥ A K   ♠ 7\nThey lead ♦T.\n"


def test_letters_where_there_are_no_symbols(monkeypatch, capsys):
    screen = on_a_terminal(monkeypatch, "ascii")
    screen.say(["♥ A K   ♠ 7", "Sixième to the ace. They deal; Deal 1."])
    out = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert out == "H A K   S 7\nSixieme to the ace. They deal; Deal 1.\n"


def on_a_terminal(monkeypatch, encoding) -> Screen:
    """A screen that writes to standard output as if it were a terminal."""
    stdout = sys.stdout

    class Output:
        def __getattr__(self, name):
            return getattr(stdout, name)

        def isatty(self):
            return True

    Output.encoding = encoding
    monkeypatch.setattr("sys.stdout", Output())
    return Screen()


# ------------------------------------------------------------------ what is refused


def refused(at_table, *arguments) -> str:
    """One line on standard error, and nothing else."""
    _, status, out, err = at_table(sitting.typed(), *arguments, lines=0)
    assert (status, out, err.count("\n")) == (2, "", 1), (out, err)
    return err.removeprefix("piquet play: ").strip()


def test_refused_options(at_table, tmp_path):
    assert refused(at_table).startswith("bot: expected a bot to play against")
    assert refused(at_table, "--resume").startswith("no unfinished game in games")
    assert refused(at_table, "--resume", "greedy").startswith("no unfinished game against greedy in games")
    assert refused(at_table, "gredy").startswith("unknown bot 'gredy', did you mean 'greedy'?")
    assert refused(at_table, "greedy", "--rules", "whist").startswith("rules, field 'rules': unknown ruleset 'whist'")
    assert refused(at_table, "greedy", "--seed", "-1").startswith("seed: expected 0 to")
    assert refused(at_table, "greedy", "--hints", "omniscient").startswith("hints: omniscient sees all cards")
    assert refused(at_table, "greedy", "--game", "no/where.json").startswith("game: no file can be written at no/where")
    assert refused(at_table, "--resume", "--game", "none.json") == "game: there is no file none.json to go on with"
    assert refused(at_table, "--game", "none.json").startswith("bot: expected a bot to play against")
    assert refused(at_table, "--game", ".") == ".: Is a directory"
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []
    at_table(sitting.typed(), "greedy", "--game", "g.json", lines=0)
    assert refused(at_table, "random", "--game", "g.json") == "bot: the game at g.json is against greedy, not random"
    assert refused(at_table, "--game", "g.json", "--seed", 3) == "seed: not where a game goes on (g.json)"


def test_a_cheat_is_announced_and_gives_no_hints(at_table):
    _, status, out, _ = at_table(sitting.typed("?"), "omniscient", "--seed", 1, "--game", "g.json", lines=1)
    assert status == 0
    assert "omniscient cheats: it sees all cards." in out
    assert "omniscient sees all cards and gives no hints" in out


def test_the_newest_game_goes_on(at_table, tmp_path):
    """Of the folder, or of one bot."""
    for number, bot in enumerate(("greedy", "random")):
        at_table(sitting.typed(), bot, "--seed", number, lines=0)
        (file,) = (tmp_path / "games").glob(f"{bot}-*")
        os.utime(file, (number + 1, number + 1))
    (tmp_path / "games" / "notes.json").write_text("{}")
    assert "against random" in at_table(sitting.typed(), "--resume", lines=0)[2]
    os.utime(file, (0, 0))
    (tmp_path / "games" / "greedy-1.json").write_text("{}")
    assert "against greedy" in at_table(sitting.typed(), "--resume", lines=0)[2]
    (tmp_path / "games" / "greedy-20250101-120000.json").touch()  # by a process that was killed before it began
    assert "against greedy" in at_table(sitting.typed(), "--resume", lines=0)[2]
    assert "against random" in at_table(sitting.typed(), "random", "--resume", lines=0)[2]


DAMAGE = {
    "expected a game that piquet play kept, got no JSON": lambda text: text[:-20],
    "expected a game that piquet play kept, format": lambda text: '{"format": "piquet-deal/1"}',
    "the game is of the versions": lambda text: text.replace('"rules": 1,', '"rules": 99,', 1),
    "expected the fields": lambda text: text.replace('"hints": null, ', ""),
    "human: expected one of": lambda text: text.replace('"human": "player_0"', '"human": "me"'),
    "seed: expected a whole number": lambda text: text.replace('"seed": 1', '"seed": 1.5'),
    "thrown_in: expected 0": lambda text: text.replace('"thrown_in": 0', '"thrown_in": 3'),
    "record: field 'deals[0].actions[0]'": lambda text: text.replace('"actions": ["', '"actions": ["0 nothing", "'),
    "record: field 'deals'": lambda text: re.sub(r'"deals": .*', '"deals": []}}', text),
}


@pytest.mark.parametrize("message", DAMAGE)
def test_damaged_files_are_refused_and_left(message, at_table, tmp_path):
    at_table(sitting.typed("+7!"), "greedy", "--seed", 1, "--game", "g.json", lines=1)
    file = tmp_path / "g.json"
    damaged = DAMAGE[message](file.read_text())
    assert damaged != file.read_text()
    file.write_text(damaged)
    assert refused(at_table, "--resume", "--game", "g.json").startswith(f"g.json: {message}")
    assert file.read_text() == damaged
    assert len(list(tmp_path.iterdir())) == 1


def test_a_bot_that_fails_ends_nothing(at_table, tmp_path):
    """One line; the game can go on when the bot is mended."""
    name = at_table.bot("1 // 0")
    _, status, out, err = at_table(sitting.typed(), name, "--rules", "rubicon", "--seed", 2, "--game", "g.json")
    assert status == 2
    assert err.splitlines()[-1].startswith(f"piquet play: bot {name!r}: act(views, rng) raised ZeroDivisionError")
    assert err.splitlines()[-1].endswith("; the game is kept in g.json")
    assert "a bot may print" not in out
    assert json.loads((tmp_path / "g.json").read_text())["bot"] == name
    _, status, out, _ = at_table(
        sitting.typed("?"), "greedy", "--hints", name, "--seed", 1, "--game", "h.json", lines=1
    )
    assert status == 0
    assert "ZeroDivisionError" in out


def test_a_file_that_cannot_be_written(at_table, tmp_path, monkeypatch):
    """In the middle of a game."""
    monkeypatch.setattr("piquet_env.play.kept.write_text", Failing())
    _, status, _, err = at_table(sitting.typed("+7!"), "greedy", "--seed", 1, "--game", "g.json")
    assert status == 2
    assert err == "piquet play: the game cannot be written down: g.json: No space left on device\n"


def test_a_full_disk_is_told_with_the_file(at_table, tmp_path, monkeypatch):
    """The error of a full disk names no file."""

    def full(path, *_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    message = refused(at_table, "greedy", "--seed", 1, "--game", "g.json")
    assert message == "g.json: No space left on device"
    assert refused(at_table, "greedy").endswith(".json: No space left on device")
    assert [path.name for path in tmp_path.rglob("*")] == ["games"]


class Failing:
    """Writing works once."""

    def __init__(self):
        self.calls = 0

    def __call__(self, *arguments):
        self.calls += 1
        if self.calls > 1:
            raise OSError(28, "No space left on device", "g.json")
        write_text(*arguments)


# ------------------------------------------------------------------ several programs, one file


def test_games_that_begin_at_the_same_time_have_files_of_their_own(at_table, tmp_path, monkeypatch):
    """Both have found the name free before either has written."""
    monkeypatch.setattr("time.strftime", lambda form: "20250101-120000")
    other = tmp_path / "games/greedy-20250101-120000.json"

    def meanwhile(*arguments):
        other.write_text("another's")
        return new(*arguments)

    new = Game.new
    monkeypatch.setattr(Game, "new", meanwhile)
    _, status, out, _ = at_table(sitting.typed(), "greedy", "--seed", 1, lines=0)
    assert status == 0
    assert other.read_text() == "another's"
    assert "kept in games/greedy-20250101-120000-2.json" in out
    assert json.loads((tmp_path / "games/greedy-20250101-120000-2.json").read_text())["seed"] == 1


@pytest.mark.parametrize("meanwhile", ["changed", "removed"])
@pytest.mark.parametrize("then", ["+7!", KeyboardInterrupt])
def test_what_another_program_did_to_the_file_stays(meanwhile, then, at_table, tmp_path):
    """Two that play on in one game would each lose what the other has done; one that has ended it would begin again."""
    file = tmp_path / "g.json"

    def typist(known, me):
        file.unlink()
        if meanwhile == "changed":
            file.write_text("{}")
        if then is KeyboardInterrupt:
            raise then
        return then

    _, status, _, err = at_table(typist, "greedy", "--seed", 1, "--game", "g.json")
    assert status == 2
    assert (
        err == "piquet play: g.json: another program has changed or removed it; the last action is not written down\n"
    )
    assert (file.read_text() if file.exists() else None) == ("{}" if meanwhile == "changed" else None)


# ------------------------------------------------------------------ the end


def test_an_interruption_after_the_end_leaves_what_was_written(at_table, tmp_path, monkeypatch):
    """The record, or the game before its end; not a game that cannot go on."""
    for number, place in enumerate(("write_records", "pages.game_over_lines")):
        with monkeypatch.context() as patch:
            patch.setattr(f"piquet_env.play.command.{place}", interrupt)
            _, status, out, _ = at_table(
                lambda known, me: "p!", at_table.bot("act.PASS"), "--rules", CUT_OFF, "--game", f"{number}.json"
            )
            assert status == 130
    assert not (tmp_path / "1.json").exists()
    assert sitting.only_record(tmp_path / "1.record.json")
    assert "To go on" not in out
    _, status, out, _ = at_table(lambda known, me: "p!", "--game", "0.json")
    assert status == 0
    assert "The game is cut off" in out
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["0.record.json", "1.record.json"]


CUT_OFF = '{"base": "auction", "max_thrown_in": 2}'


def interrupt(*_):
    raise KeyboardInterrupt


def test_what_to_do_next_can_be_done(at_table, tmp_path):
    """A bot that sees all cards analyses no deal."""
    _, _, out, _ = at_table(sitting.typed(), "omniscient", "--rules", "micro", "--seed", 1, "--game", "g.json")
    assert out.endswith("\n  piquet analyse g.record.json\n")


def test_the_very_first_game_says_why_it_takes_so_long(at_table, monkeypatch):
    """Before anything is compiled, or it would be too late to say so."""
    told = []
    new = Game.new
    monkeypatch.setattr("piquet_env.play.command.announce_compiling", lambda: told.append("announced"))
    monkeypatch.setattr(Game, "new", lambda *arguments: told.append("dealt") or new(*arguments))
    at_table(sitting.typed(), "greedy", "--seed", 1, lines=0)
    assert told[:2] == ["announced", "dealt"]
