"""The command `piquet` and its `replay`: what a person reads, what a program reads, and how it ends."""

import errno
import io
import json
import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from piquet_env import cli
from piquet_env.records import RecordError, write_records
from piquet_env.render import replay_text

ROOT = Path(__file__).parent.parent
DATA = Path(__file__).parent / "data"


def data(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


DEALS, PARTIES = data("deals.jsonl"), data("parties.jsonl")


def piquet(*arguments, **options):
    """The command as a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": options.pop("encoding", "utf-8")}
    command = [sys.executable, "-m", "piquet_env.cli", *map(str, arguments)]
    return subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, encoding="utf-8", **({"stdout": subprocess.PIPE} | options)
    )


# ------------------------------------------------------------------ what is printed

CLASSIC = {
    "format": "piquet-deal/1",
    "id": "for the eye",
    "rules": "rubicon",
    "dealer": "player_1",
    "hands": {"player_0": "AKQJT.AK7.A7.97", "player_1": "987.QJT.KQJT.KQ"},
    "talon": "CA C8 H9 H8 D9 D8 CJ CT",
    "actions": [
        *("0 discard C7", "0 discard H7", "0 stand", "1 stand"),
        *("0 point S", "1 none", "0 sequence 5 A", "1 none", "0 set A", "1 none"),
    ],
}


def test_deal_reads_like_cards():
    """Four aces, a quint and a point of five against nothing: 5 + 15 + 14, repique."""
    lines = replay_text(CLASSIC).splitlines()
    assert "    ♠ A K Q J T                 ♠ 9 8 7" in lines
    assert "Talon, elder's part: ♣A ♣8 ♥9 ♥8 ♦9" in lines
    assert "player_0 (elder) discards: ♥7 ♣7" in lines
    assert "  draws: ♣A ♣8" in lines
    assert "player_1 (younger) exchanges nothing." in lines
    assert "Left in the talon: ♥9 ♥8 ♦9 ♦8 ♣J ♣T" in lines
    said = lines[lines.index("Declarations") + 2 :][:9]
    assert said == [
        "point     player_0: Point of five.",
        "          player_1: Good.",
        "          -> player_0 scores 5",
        "sequence  player_0: Quint to the ace.",
        "          player_1: Good.",
        "          -> player_0 scores 15",
        "set       player_0: Quatorze of aces.",
        "          player_1: Good.",
        "          -> player_0 scores 14",
    ]
    assert "Repique: player_0 scores 60." in lines
    assert "TOTAL                   94         0" in lines
    assert lines[-1] == "The deal is not over: player_0 is to act."


def said_of(elder, younger, *actions):
    """What is said about the point in a classic deal of these hands."""
    hands = {"player_0": elder, "player_1": younger}
    pack = [suit + rank for suit in "SHDC" for rank in "789TJQKA"]
    held = {s + r for hand in hands.values() for s, ranks in zip("SHDC", hand.split("."), strict=True) for r in ranks}
    record = CLASSIC | {
        "rules": {"base": "rubicon", "minimum_exchange": 0},
        "hands": hands,
        "talon": " ".join(card for card in pack if card not in held),
        "actions": ["0 stand", "1 stand", *actions],
    }
    lines = replay_text(record).splitlines()
    said = lines[lines.index("Declarations") + 2 :]
    return [line.removeprefix("point").strip() for line in said[: said.index("")]]


def test_points_of_one_length_are_decided_by_pips():
    higher = said_of("AKQJ.AKQ.KQJ.KQ", "T987.JT9.A98.AJ", "0 point S", "1 point S")
    assert higher[1:] == ["player_1: Making?", "player_0: Forty-one.", "player_1: Good.", "-> player_0 scores 4"]
    lower = said_of("T987.JT9.A98.AJ", "AKQJ.AKQ.KQJ.KQ", "0 point S", "1 point S")
    assert lower[2:] == ["player_0: Thirty-four.", "player_1: Not good: forty-one.", "-> player_1 scores 4"]
    equal = said_of("KQJ7.T98.A98.AJ", "T98.KQJ7.KQJ.KQ", "0 point S", "1 point H")
    assert equal[3:] == ["player_1: Equal.", "-> nobody scores"]


def test_nothing_named_and_something_better():
    sunk = said_of("AKQJ.AKQ.KQJ.KQ", "T987.JT9.A98.AJ", "0 none", "1 point S")
    assert sunk == ["player_0: No point.", "player_1: Point of four.", "-> player_1 scores 4"]


def test_minus_contract_says_who_holds_what():
    record = next(one for one in DEALS if one["result"] and (one["result"]["contract"] or {}).get("sign") == "-")
    text = replay_text(record)
    assert "he is elder" in text
    assert "for what player_" in text
    assert "Good." not in text


@pytest.mark.parametrize("record", DEALS[::5] + PARTIES[::2], ids=lambda record: record.get("id", "partie"))
def test_every_record_fits_the_screen(record):
    text = replay_text(record)
    assert all(len(line) <= 80 and line == line.rstrip() for line in text.splitlines())
    assert replay_text(record, symbols=False).isascii()
    results = [deal["result"] for deal in record.get("deals", [record]) if deal["result"]]
    for result in results:
        totals = [result["score"][player]["total"] for player in ("player_0", "player_1")]
        assert f"TOTAL           {totals[0]:>10}{totals[1]:>10}" in text


def test_every_trick_has_its_winner():
    """The tricks as printed, counted, are those of the result."""
    for record in DEALS[::9]:
        if record["result"] is None or record["rules"] == "cent":
            continue
        lines = replay_text(record).splitlines()
        won = [line.split()[-1] for line in lines if line[:1].isdigit() and len(line.split()) == 6]
        counted = {player: won.count(player) for player in ("player_0", "player_1")}
        assert counted == record["result"]["tricks"], record["id"]


def test_partie_ends_with_totals_and_payment():
    for record in PARTIES:
        lines = replay_text(record).splitlines()
        totals, payment = (list(record["result"][key].values()) for key in ("totals", "payment"))
        assert f"points          {totals[0]:>10}{totals[1]:>10}" in lines
        assert (
            f"payment         {payment[0]:>+10}{payment[1]:>+10}" if any(payment) else "A draw: nobody pays."
        ) == lines[-1]


def test_incomplete_records_are_printed_at_every_step():
    whole = next(
        one for one in DEALS if one["rules"] == "auction" and (one["result"]["contract"] or {}).get("sign") == "+"
    )
    for stop in range(len(whole["actions"]) + 1):
        part = {key: value for key, value in whole.items() if key != "result"} | {"actions": whole["actions"][:stop]}
        assert ("The deal is not over" in replay_text(part)) == (stop < len(whole["actions"]))
    part = {key: value for key, value in PARTIES[0].items() if key != "result"} | {"deals": PARTIES[0]["deals"][:2]}
    assert "The partie so far" in replay_text(part)


def test_wrong_record_is_not_printed():
    for junk in (None, [], {}, {"format": "piquet-partie/1"}, CLASSIC | {"talon": ""}):
        with pytest.raises(RecordError):
            replay_text(junk)


def test_name_cannot_move_the_cursor():
    assert "\x1b" not in replay_text(CLASSIC | {"id": "\x1b[2J\nx"})


# ------------------------------------------------------------------ piquet replay


def test_replay_prints_every_record(capsys):
    assert cli.main(["replay", str(DATA / "parties.jsonl")]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("of the partie") == sum(len(record["deals"]) for record in PARTIES)
    assert printed.err == ""


def test_replay_for_programs(capsys):
    assert cli.main(["replay", "--json", str(DATA / "deals.jsonl")]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is True
    assert report["records"] == len(DEALS) == len(report["results"])
    assert [one["result"] for one in report["results"]] == [one["result"] for one in DEALS]


def test_wrong_record_in_a_file(tmp_path, capsys):
    path = tmp_path / "deals.jsonl"
    bad = json.loads(json.dumps(DEALS[1]))
    bad["result"]["score"]["player_0"]["total"] += 1
    write_records(path, [DEALS[0], bad])
    assert cli.main(["replay", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"piquet: {path}, line 2: field 'result.score.player_0.total': ")
    assert printed.err.count("\n") == 1
    assert DEALS[0]["id"] in printed.out

    assert cli.main(["replay", str(path), "--json"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert (report["ok"], report["records"]) == (False, 1)
    assert "line 2" in report["error"]


@pytest.mark.parametrize("content", [b"", b"\x00\xff\x80", b"[[[[", b"\x1b[31m"])
@pytest.mark.parametrize("name", ["junk.jsonl", "junk.json", "junk"])
def test_junk_file(content, name, tmp_path, capsys):
    path = tmp_path / name
    path.write_bytes(content)
    assert cli.main(["replay", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"piquet: {path}, line 1: ")
    assert printed.err.count("\n") == 1


def test_file_that_cannot_be_read(tmp_path, capsys):
    for path in (tmp_path, tmp_path / "none.jsonl"):
        assert cli.main(["replay", str(path)]) == 2
        assert capsys.readouterr().err.startswith(f"piquet: {path}: ")


# ------------------------------------------------------------------ the command


def test_help_lists_the_commands(capsys):
    assert cli.main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name in cli.find_commands():
        words = name.split()  # `bidding make` has two
        assert any(line.split()[: len(words)] == words and len(line.split()) > len(words) + 1 for line in lines)


def test_no_command_shows_the_help_as_an_error(capsys):
    assert cli.main([]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "usage" in printed.err


def test_help_of_a_command(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["replay", "--help"])
    assert ended.value.code == 0
    assert "--json" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["replay"], ["replay", "a", "b"], ["replay", "a", "--xml"]])
def test_wrong_arguments(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().out == ""


def test_version(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("piquet ")


def test_unknown_command(capsys):
    assert cli.main(["repaly"]) == 2
    assert "did you mean 'replay'" in capsys.readouterr().err
    assert cli.main(["zzz"]) == 2
    assert "replay" in capsys.readouterr().err


def added_command(monkeypatch, tmp_path, source):
    """A command of another package, as an entry point with the extra `train`."""
    (tmp_path / "added_commands.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "added_commands", raising=False)
    point = EntryPoint("learn", "added_commands:learn [train]", cli.GROUP)
    monkeypatch.setattr(cli, "entry_points", lambda group: [point] if group == cli.GROUP else [])


LEARN = """
def learn(name: str, times: int = 1) -> int:
    '''Learn it.

    Slowly.'''
    print(name * times)
    return 1
"""


def test_command_of_another_package(monkeypatch, tmp_path, capsys):
    added_command(monkeypatch, tmp_path, LEARN)
    assert cli.main(["learn", "ab", "--times", "2"]) == 1
    assert capsys.readouterr().out == "abab\n"
    assert cli.main(["--help"]) == 0
    assert re.search(r"^  learn +Learn it\.$", capsys.readouterr().out, re.MULTILINE)


def test_command_whose_library_is_missing(monkeypatch, tmp_path, capsys):
    added_command(monkeypatch, tmp_path, "import a_library_that_is_not_there\n" + LEARN)
    assert cli.main(["learn", "ab"]) == 2
    printed = capsys.readouterr().err
    assert "needs a_library_that_is_not_there" in printed
    assert "pip install 'piquet-env[train]'" in printed
    assert cli.main(["--help"]) == 0
    assert "Learn it." in capsys.readouterr().out


def test_own_module_that_is_missing_is_a_fault(monkeypatch, tmp_path):
    added_command(monkeypatch, tmp_path, "import piquet_env.no_such_module\n" + LEARN)
    with pytest.raises(ModuleNotFoundError):
        cli.main(["learn", "ab"])


def test_interrupt_ends_without_traceback(monkeypatch, capsys):
    def interrupted(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_main", interrupted)
    assert cli.main(["replay", "x"]) == 130
    assert capsys.readouterr().err == ""


def test_reader_that_has_seen_enough():
    process = piquet("replay", DATA / "deals.jsonl")
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(60) == 1


class FullDevice(io.StringIO):
    def write(self, text):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["replay", "--help"], ["replay", "FILE"], ["replay", "FILE", "--json"]]
)
def test_standard_output_that_fails(arguments, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", FullDevice())
    assert cli.main([str(DATA / "deals.jsonl") if word == "FILE" else word for word in arguments]) == 2
    assert capsys.readouterr().err == "piquet: standard output: No space left on device\n"


@pytest.mark.parametrize("arguments", [["--help"], ["replay", "--help"]])
def test_standard_output_that_fails_only_at_the_end(arguments):
    """What is printed is still in the buffer when the command is done."""
    with open(os.devnull, "rb") as not_for_writing:
        process = piquet(*arguments, stdout=not_for_writing)
    assert process.stderr.read() == f"piquet: standard output: {os.strerror(errno.EBADF)}\n"
    assert process.wait(60) == 2


def test_standard_output_that_is_closed(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", None)
    assert cli.main(["replay", str(DATA / "deals.jsonl")]) == 2
    assert capsys.readouterr().err == "piquet: standard output: it is closed\n"


def test_terminal_without_suit_symbols():
    process = piquet("replay", DATA / "parties.jsonl", encoding="ascii")
    printed, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert "♠" not in printed
    assert "Hands as dealt" in printed
