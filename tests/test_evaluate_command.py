"""The report of matches, and `piquet evaluate`: what it prints, keeps and refuses."""

import csv
import json
import os
import stat
import sys

import pytest
from commands import run_command

from piquet_env.arena import Match, command, play_match
from piquet_env.arena.report import report
from piquet_env.arena.statistics import pair_values
from piquet_env.bots import load_bot
from piquet_env.rules import Rules


def match_of(pairs: int, seed: int) -> Match:
    return play_match(load_bot("greedy"), load_bot("random"), pairs=pairs, seed=seed)


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    return run_command(capsys, "evaluate", *arguments)


def test_json_has_every_pair_of_bots_and_where_it_comes_from(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_bot.py").write_text("from piquet_env.bots.greedy import GreedyBot\n")
    bots = ("greedy", "random", "own_bot:GreedyBot")
    status, out, _ = run(capsys, *bots, "--deals", "20", "--seed", "5", "--rules", "rubicon", "--json")
    assert status == 0
    made = json.loads(out)
    results, provenance = made["results"], made["provenance"]
    assert [(r["bot"], r["against"]) for r in results] == [(bots[0], bots[1]), (bots[0], bots[2]), (bots[1], bots[2])]
    for result in results:
        assert result["deals"] == 20
        assert result["completed_deals"] == 40
        assert result["interval"][0] <= result["points_per_deal"] <= result["interval"][1]
    assert results[1]["points_per_deal"] == 0
    assert results[0]["points_per_deal"] > 0 > results[2]["points_per_deal"]
    assert (provenance["rules"], provenance["seed"], provenance["deals"]) == ("rubicon", 5, 20)
    expected = "piquet evaluate greedy random own_bot:GreedyBot --deals 20 --seed 5 --rules rubicon --episode deal"
    assert provenance["command"] == expected
    assert {"python", "numpy", "numba", "rules", "observation", "actions"} <= provenance["versions"].keys()
    assert {"commit", "dirty", "weights", "machine"} <= provenance.keys()


def test_a_result_is_what_the_match_was():
    match = match_of(30, seed=1)
    made = report([match], {})
    assert made["results"][0]["points_per_deal"] == pytest.approx(match.games["difference"].mean())
    json.dumps(made)


def test_tables_show_what_was_found(capsys):
    status, out, err = run(capsys, "greedy", "random", "--deals", "40")
    assert status == 0
    assert err == ""
    points = pair_values(match_of(40, seed=0)).mean()
    for text in ("greedy against random", f"{points:+.1f} [", "contract", "deals thrown in", "+12"):
        assert text in out


def test_pairs_are_deals_as_in_a_tournament(capsys):
    status, out, _ = run(capsys, "greedy", "random", "--pairs", "20", "--json")
    assert (status, json.loads(out)["results"][0]["deals"]) == (0, 20)


def test_parties_have_payments(capsys):
    rules = '{"base": "cent", "stop_at": 60}'
    arguments = ("greedy", "random", "--deals", "10", "--episode", "partie", "--rules", rules)
    status, out, _ = run(capsys, *arguments, "--json")
    assert status == 0
    result = json.loads(out)["results"][0]
    assert result["payment_interval"][0] <= result["payment_per_partie"] <= result["payment_interval"][1]
    assert sum(result["parties"].values()) == 20
    assert Rules.make(json.loads(out)["provenance"]["rules"]) == Rules.make({"base": "cent", "stop_at": 60})
    assert "payment per partie" in run(capsys, *arguments)[1]


def test_rows_are_kept_as_csv(capsys, tmp_path):
    path = tmp_path / "rows.csv"
    status, out, _ = run(capsys, "greedy", "random", "--deals", "15", "--json", "--rows", str(path))
    assert status == 0
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 30
    assert {(row["bot_a"], row["bot_b"]) for row in rows} == {("greedy", "random")}
    mean = sum(int(row["difference"]) for row in rows) / 30
    assert mean == pytest.approx(json.loads(out)["results"][0]["points_per_deal"])
    assert [file.name for file in tmp_path.iterdir()] == ["rows.csv"]


LOUD = """
print("imported")

class Loud:
    sha256 = b"no text"

    def __init__(self):
        print("made")

    def act(self, views, rng):
        print("acts")
        return views.mask.argmax(axis=1)

class Leaving(Loud):
    def act(self, views, rng):
        raise SystemExit
"""


@pytest.fixture
def loud(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loud_bot.py").write_text(LOUD)
    yield
    sys.modules.pop("loud_bot", None)


def test_what_a_bot_prints_is_no_part_of_the_report(loud, capsys):
    status, out, err = run(capsys, "loud_bot:Loud", "greedy", "--deals", "2", "--rules", "micro", "--json")
    assert status == 0
    assert json.loads(out)["provenance"]["weights"] == {}
    assert err.startswith("imported\nmade\nacts\n")


def test_a_bot_that_fails_in_play_is_refused_in_one_line(loud, capsys):
    status, out, err = run(capsys, "loud_bot:Leaving", "greedy", "--deals", "2", "--json")
    assert (status, out) == (2, "")
    assert err.splitlines()[-1].startswith("piquet evaluate: bot 'loud_bot:Leaving': act(views, rng) raised SystemExit")


MICRO = ("greedy", "random", "--deals", "4", "--rules", "micro", "--json")


def test_rows_follow_links(capsys, tmp_path):
    (tmp_path / "folder").mkdir()
    link, file = tmp_path / "link.csv", tmp_path / "folder" / "rows.csv"
    link.symlink_to(file)
    for _ in range(2):  # to a file that is not there, and to one that is
        assert run(capsys, *MICRO, "--rows", str(link))[0] == 0
        assert link.is_symlink()
        assert file.read_text().startswith("bot_a,")
        file.write_text("")


def test_rows_replace_nothing_but_files(capsys, tmp_path):
    pipe, loop, link = tmp_path / "pipe", tmp_path / "loop", tmp_path / "link"
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    link.symlink_to(os.devnull)
    for path in (pipe, loop, link, tmp_path, tmp_path / "none" / "x.csv", pipe / "x.csv"):
        status, out, err = run(capsys, *MICRO, "--rows", str(path))
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert f"rows: no file can be written at {path}" in err
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert len(list(tmp_path.iterdir())) == 3


def test_rows_that_cannot_be_written_do_not_lose_the_result(capsys, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("piquet_env.arena.report.csv.writer", full)
    status, out, err = run(capsys, *MICRO, "--rows", str(tmp_path / "rows.csv"))
    assert status == 2
    assert json.loads(out)["results"][0]["deals"] == 4
    assert err == f"piquet evaluate: rows: {tmp_path / 'rows.csv'} cannot be written: No space left on device\n"
    assert not list(tmp_path.iterdir())


def test_rules_that_json_cannot_hold_are_refused():
    texts = {
        '{"a":' * 100_000: "nested too deeply",
        '{"deals": ' + "9" * 5000 + "}": "a number of thousands of digits",
        "{" + "x" * 5000: "JSON object",
    }
    for text, message in texts.items():
        with pytest.raises(ValueError, match=message) as caught:
            command.read_rules(text)
        assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("greedy",), "at least two"),
        (("greedy", "gredy"), "did you mean 'greedy'"),
        (("greedy", "greedy", "random"), "each is named once"),
        (("greedy", "random", "--deals", "1"), "deals: expected at least 2"),
        (("greedy", "random", "--deals", str(10**29)), "deals: expected at most 10000000"),
        (("greedy", "random", "--seed", "-1"), "seed: expected"),
        (("greedy", "random", "--rules", "bridge"), "unknown ruleset 'bridge'"),
        (("greedy", "random", "--rules", "{sinking}"), "JSON object"),
        (("greedy", "random", "--rules", '{"sinks": 1}'), "'sinks'"),
        (("greedy", "random", "--rows", "no/such/folder/x.csv"), "rows: no file can be written"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(capsys, arguments, message):
    status, out, err = run(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_help_says_what_a_deal_is(capsys):
    status, out, _ = run(capsys, "--help")
    assert status == 0
    assert "each is played twice" in " ".join(out.replace("│", " ").split())
    assert "BOT BOT ..." in out
