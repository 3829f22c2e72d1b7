"""`piquet tournament` with its processes: what it prints, keeps, survives and refuses."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import run_command

BOTS = """
import os, sys, time
import numpy as np
from piquet_env.bots.greedy import GreedyBot
from piquet_env.engine import layout as at

class Failing(GreedyBot):
    of, chosen = 4, 0

    def act(self, views, rng):
        actions = super().act(views, rng)
        own = views.rows[np.arange(len(views.rows)), at.DEALT + views.rows[:, at.ACTOR]]
        failing = own % self.of == self.chosen
        return self.fail(actions, failing) if failing.any() else actions

class Illegal(Failing):
    def fail(self, actions, failing):
        return np.where(failing, 79, actions)

class Leaves(Failing):
    def fail(self, actions, failing):
        os._exit(3)

class Hangs(Failing):
    of = 1

    def fail(self, actions, failing):
        while True:
            pass

class Slow(GreedyBot):
    def act(self, views, rng):
        print("acts")
        time.sleep(0.02)
        return super().act(views, rng)

class Unloadable:
    def __init__(self):
        os._exit(4)

class Weighted(GreedyBot):
    @property
    def sha256(self):
        return open("weights").read()
"""

QUICK = ("--rules", "micro", "--block", "2", "--luck-orders", "0", "--workers", "1")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_bots.py").write_text(BOTS)


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    return run_command(capsys, "tournament", *arguments)


def deals_of(folder: str) -> list[dict[str, str]]:
    with Path(folder, "deals.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def blocks_of(folder: str) -> dict[str, int]:
    """The files of blocks, and when each was written."""
    return {str(file): file.stat().st_mtime_ns for file in Path(folder, "blocks").glob("*/*.npz")}


def test_the_result_is_the_same_with_any_number_of_workers(capsys):
    bots = ("greedy", "random", "own_bots:Illegal")
    common = (*bots, "--pairs", "10", "--block", "4", "--rules", "mini", "--luck-orders", "2", "--json")
    made = {}
    for workers in ("1", "3"):
        status, out, _ = run(capsys, *common, "--out", workers, "--workers", workers)
        assert status == 0
        made[workers] = json.loads(out)
        assert json.loads(Path(workers, "report.json").read_text()) == made[workers]
        assert "Piquet tournament" in Path(workers, "report.html").read_text()
    assert deals_of("1") == deals_of("3")
    assert made["1"]["results"] == made["3"]["results"]
    results, provenance = made["1"]["results"], made["1"]["provenance"]
    assert [(r["bot"], r["against"]) for r in results] == [(bots[0], bots[1]), (bots[0], bots[2]), (bots[1], bots[2])]
    for result in results:
        assert result["deals"] == 10
        assert result["interval"][0] <= result["points_per_deal"] <= result["interval"][1]
    assert results[0]["reduced"]["gain"] > 0
    assert results[2]["reduced"] is None
    (faults,) = made["1"]["bots"][2]["faults"]
    assert (faults["kind"], faults["count"]) == ("illegal", sum(r["forfeits"]["against"] for r in results))
    expected = "piquet tournament greedy random own_bots:Illegal --pairs 10 --seed 0 --rules mini --episode deal"
    assert provenance["command"] == f"{expected} --luck-orders 2 --forfeit 150 --move-limit 60.0 --block 4"
    assert {"versions", "commit", "weights", "machine", "code", "forfeit"} <= provenance.keys()


def test_tables_show_what_was_found(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = run(capsys, "greedy", "random", "own_bots:Illegal", "--pairs", "4", *QUICK)
    assert status == 0
    for text in ("row against column", "1 greedy", "3 own_bots:Illegal", "rating", "a move", "is not legal", "by 150"):
        assert text in out
    (folder,) = Path("tournaments").iterdir()  # the default
    for result in json.loads(Path(folder, "report.json").read_text())["results"]:
        low, high = result["interval"]
        assert f"│ [{low:+.1f}, {high:+.1f}] │" in re.sub(" +", " ", out)  # whole, in each table
    assert folder.name.startswith("greedy-random-own_bots_Illegal-")
    assert str(folder) in out
    assert "bot 'own_bots:Illegal' loses a deal: action 79" in err


def start(*arguments: str) -> subprocess.Popen:
    code = "import sys; from piquet_env.cli import main; sys.exit(main())"
    return subprocess.Popen([sys.executable, "-c", code, "tournament", *arguments], stderr=subprocess.DEVNULL)


def test_a_run_that_is_killed_goes_on_and_plays_no_block_twice(capsys):
    arguments = ("own_bots:Slow", "random", "--pairs", "16", "--json", *QUICK)
    process = start(*arguments, "--out", "killed")
    while len(blocks_of("killed")) < 3:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.3)  # its worker ends with it
    before = blocks_of("killed")
    assert 3 <= len(before) < 8
    assert not Path("killed", "deals.csv").exists()
    assert run(capsys, *arguments, "--out", "killed")[0] == 0
    assert {file: written for file, written in blocks_of("killed").items() if file in before} == before
    assert run(capsys, *arguments, "--out", "whole")[0] == 0
    assert deals_of("killed") == deals_of("whole")
    assert len(deals_of("whole")) == 32


def test_more_pairs_go_on_and_fewer_are_reported(capsys):
    def play(pairs, out, bot="random"):
        status, text, err = run(capsys, "greedy", bot, "--pairs", pairs, "--out", out, "--json", *QUICK)
        return status, json.loads(text)["results"] if text else [], err

    assert play("4", "grown")[0] == 0
    before, short = blocks_of("grown"), deals_of("grown")
    _, longer, _ = play("8", "grown")
    assert blocks_of("grown").items() > before.items()
    assert play("8", "at_once")[1] == longer
    assert deals_of("grown") == deals_of("at_once")
    assert play("4", "grown")[1][0]["deals"] == 4
    assert deals_of("grown") == short
    status, _, err = play("4", "grown", "greedy")
    assert status == 2
    assert 'is of bots ["greedy", "random"], not ["greedy", "greedy"]' in err


def test_a_damaged_block_is_played_again_and_said(capsys):
    arguments = ("greedy", "random", "--pairs", "6", "--out", "run", *QUICK)
    assert run(capsys, *arguments)[0] == 0
    good, (first, second, third) = deals_of("run"), sorted(blocks_of("run"))
    Path(second).write_bytes(Path(second).read_bytes()[:300])
    kept = blocks_of("run")
    status, _, err = run(capsys, *arguments)
    assert status == 0
    assert f"{second} is damaged" in err
    assert "played again" in err
    assert deals_of("run") == good
    assert all(blocks_of("run")[file] == kept[file] for file in (first, third))


@pytest.mark.long
def test_bots_that_end_the_process_or_hang_are_named_and_the_tournament_goes_on(capsys):
    arguments = ("own_bots:Leaves", "greedy", "own_bots:Hangs", "--pairs", "2", "--move-limit", "0.2", "--json", *QUICK)
    status, out, err = run(capsys, *arguments, "--rules", "auction")
    assert status == 0
    made = json.loads(out)
    leaves, greedy, hangs = made["bots"]
    assert leaves["faults"][0]["kind"] == "ended"
    assert leaves["faults"][0]["message"] == "ended the process with exit status 3"
    assert greedy["faults"] == []
    assert [(f["kind"], f["count"]) for f in hangs["faults"]] == [("hung", 3)]
    assert "took longer than 0.2 s for a move" in hangs["faults"][0]["message"]
    assert "own_bots.py:" in hangs["faults"][0]["message"]
    results = {(r["bot"], r["against"]): r for r in made["results"]}
    lost = sum(r["forfeits"]["against"] for r in made["results"] if r["against"] == "own_bots:Hangs")
    assert lost == 3 + hangs["lost_unplayed"]
    assert results["greedy", "own_bots:Hangs"]["points_per_deal"] == 150  # of which it played none
    forfeits = [result["forfeits"]["bot"] for result in made["results"] if result["bot"] == "own_bots:Leaves"]
    assert sum(forfeits) == sum(f["count"] for f in leaves["faults"]) > 0
    assert results["own_bots:Leaves", "greedy"]["forfeits"]["against"] == 0
    assert err.count("loses a deal") == 2


def test_other_weights_in_the_same_folder_are_refused(capsys):
    arguments = ("own_bots:Weighted", "random", "--pairs", "2", "--out", "run", *QUICK)
    Path("weights").write_text("12")
    assert run(capsys, *arguments)[0] == 0
    Path("weights").write_text("13")
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert "other weights" in err


def full(*_, **__):
    raise OSError(28, "No space left on device", "a file")


def test_a_full_disk_loses_nothing_that_was_kept(capsys, monkeypatch):
    arguments = ("greedy", "random", "--pairs", "6", "--out", "run", *QUICK)
    with monkeypatch.context() as patch:
        patch.setattr("piquet_env.arena.run_folder.np.savez_compressed", full)
        status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert "cannot be written: No space left on device; the same command goes on" in err
    assert not [file for file in Path("run").rglob("*") if file.suffix == ".tmp"]
    with monkeypatch.context() as patch:
        patch.setattr("piquet_env.arena.report.csv.writer", full)
        status, out, err = run(capsys, *arguments, "--json")
    assert status == 2
    assert json.loads(out)["results"][0]["deals"] == 6
    assert "No space left on device" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("greedy", "gredy"), "did you mean 'greedy'"),
        (("greedy", "own_bots:Unloadable"), "while it was loaded it ended the process with exit status 4"),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_refused_before_anything_is_played(capfd, arguments, message):
    status, out, err = run(capfd, *arguments, "--out", "run", *QUICK)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert not blocks_of("run")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("greedy",), "at least two"),
        (("greedy", "greedy", "random"), "each is named once"),
        (("greedy", "random", "--pairs", "0"), "pairs: expected at least 2, got 0"),
        (("greedy", "random", "--pairs", "1"), "pairs: expected at least 2, got 1"),
        (("greedy", "random", "--pairs", str(10**29)), "pairs: expected 2 to"),
        (("greedy", "random", "--seed", "-1"), "seed: expected"),
        (("greedy", "random", "--rules", "bridge"), "unknown ruleset 'bridge'"),
        (("greedy", "random", "--workers", "0"), "workers: expected 1 to"),
        (("greedy", "random", "--block", "0"), "block: expected 1 to"),
        (("greedy", "random", "--forfeit", "-5"), "forfeit: expected 0 to"),
        (("greedy", "random", "--move-limit", "0"), "move_limit: expected more than 0"),
        (("greedy", "random", "--move-limit", "nan"), "move_limit: expected more than 0"),
        (("greedy", "random", "--luck-orders", "-1"), "luck_orders: expected 0 to"),
        (("greedy", "random", "--out", "own_bots.py"), "no tournament can be kept in own_bots.py"),
        (("greedy", "random", "--out", "own_bots.py/x"), "no tournament can be kept in own_bots.py/x"),
        (("greedy", "random", "--out", "."), "is not empty"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(capsys, arguments, message):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert os.listdir() == ["own_bots.py"]


def test_help_says_how_it_goes_on(capsys):
    status, out, _ = run(capsys, "--help")
    assert status == 0
    assert "the same command goes on where it was" in " ".join(out.replace("│", " ").split())


def test_what_has_no_estimate_without_the_luck_of_the_draw_is_explained(capsys):
    options = ("--rules", "mini", "--pairs", "4", "--workers", "1", "--luck-orders", "1")
    said = "No estimate without the luck of the draw"
    assert said in run(capsys, "omniscient", "random", *options)[1]
    assert said not in run(capsys, "greedy", "random", *options)[1]
