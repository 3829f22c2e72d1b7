"""The command `piquet exact`: what a person reads, what a program reads, and what is refused."""

import json

import pytest
from commands import run_command

from piquet_env.bots import load_bot
from piquet_env.exact import exploitability

TINY = {"base": "micro", "ranks": "KA", "hand_size": 1, "highest_level": 1}
RULES = ("--rules", json.dumps(TINY))


def exact(capsys, *arguments):
    return run_command(capsys, "exact", *map(str, arguments))


def test_a_bot_as_an_object(capsys):
    status, out, err = exact(capsys, "greedy", *RULES, "--json")
    made = json.loads(out)
    assert (status, err) == (0, "")
    (result,) = made["results"]
    expected = exploitability(load_bot("greedy"), TINY)
    assert (result["bot"], result["rules"]) == ("greedy", TINY)
    assert result["exploitability"] == expected.exploitability
    seats = {(row["dealer"], row["seat"]): row for row in result["seats"]}
    assert len(seats) == 4
    for (dealer, seat), row in seats.items():
        d, s = int(dealer[-1]), int(seat[-1])
        assert (row["value"], row["best_response"]) == (expected.value[d][s], expected.best_response[d][s])
        assert row["gain"] == pytest.approx(row["best_response"] - row["value"])
    assert made["provenance"]["command"].startswith("piquet exact greedy --rules ")


def test_a_bot_as_a_table(capsys):
    status, out, err = exact(capsys, "random", *RULES)
    assert (status, err) == (0, "")
    assert out.count("player_0 │ player_1") == 1
    gain = exploitability(load_bot("random"), TINY).exploitability
    assert out.splitlines()[-1] == f"exploitability: a best responder gains {gain:.6g} points per deal"


def test_an_equilibrium_and_then_the_bot_that_it_is(capsys, tmp_path):
    file = tmp_path / "equilibrium.npz"
    status, out, err = exact(capsys, "--solve", 100, "-o", file, *RULES, "--json")
    solved = json.loads(out)["solved"]
    assert (status, err, solved["file"]) == (0, "", str(file))
    assert [point["iterations"] for point in solved["points"]] == [1, 3, 10, 30, 100]
    assert solved["exploitability"] == solved["points"][-1]["exploitability"] < 0.1
    low, high = solved["points"][-1]["dealer"]
    assert low < solved["dealer"] < high
    status, out, _ = exact(capsys, file, *RULES, "--json")
    made = json.loads(out)
    assert made["results"][0]["exploitability"] == pytest.approx(solved["exploitability"])
    assert made["provenance"]["weights"] == {str(file): load_bot(str(file)).sha256}
    status, out, err = exact(capsys, "--solve", 3, "--output", file, *RULES)
    assert (status, err) == (0, "")
    assert [line.split("│")[1].strip() for line in out.splitlines() if line.startswith("│")] == ["1", "3"]


def test_a_full_disk_is_said_and_loses_no_file(capsys, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    file = tmp_path / "equilibrium.npz"
    file.write_text("before")
    monkeypatch.setattr("numpy.savez_compressed", full)
    status, out, err = exact(capsys, "--solve", 3, "-o", file, *RULES)
    assert (status, out) == (2, "")
    assert err == f"piquet exact: output: {file} cannot be written: No space left on device\n"
    assert file.read_text() == "before"
    assert [there.name for there in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "expected a bot or --solve, one of the two"),
        (("greedy", "--solve", "3"), "expected a bot or --solve, one of the two"),
        (("greedy", "-o", "x.npz"), "expected a bot or --solve, one of the two"),
        (("gredy",), "unknown bot 'gredy', did you mean 'greedy'"),
        (("expert",), "bot 'expert': expected probabilities(views)"),
        (("omniscient",), "bot 'omniscient': it sees all cards"),
        (("greedy", "--rules", "auction"), "rules: expected at most 3,000 deals"),
        (("greedy", "--rules", "small"), "unknown ruleset 'small'"),
        (("--solve", "3"), "output: with --solve expected a file -o NAME.npz, got None"),
        (("--solve", "3", "-o", "x.txt"), "output: with --solve expected a file -o NAME.npz, got x.txt"),
        (("--solve", "3", "-o", "no/folder/x.npz"), "output: no file can be written at no/folder/x.npz"),
        (("--solve", "0", "-o", "x.npz"), "iterations: expected a whole number from 1"),
        (("--solve", "3", "-o", "x.npz", "--rules", "mini"), "rules: expected at most 360 deals"),
        (("absent.npz",), "absent.npz: no table of a bot: No such file or directory"),
    ],
)
def test_what_is_refused(capsys, tmp_path, monkeypatch, arguments, reason):
    monkeypatch.chdir(tmp_path)
    status, out, err = exact(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("piquet exact: ")
    assert reason in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())
