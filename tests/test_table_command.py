"""`piquet table`: a small table is made, stopped, gone on with, shared, and written anew from its JSON."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")

from commands import run_command
from rich.console import Console

from piquet_env.arena.match import play_match
from piquet_env.arena.statistics import mean_with_interval, pair_values
from piquet_env.bots import load_bot
from piquet_env.exact import exploitability
from piquet_env.files import locked
from training.bot import load_network_bot
from training.table import work
from training.table.figures import over_pairs, over_seeds
from training.table.pieces import Folder
from training.table.reading import load_plan, plan_from

TESTS = Path(__file__).parent
PLAN = TESTS / "data" / "table.yaml"
TAKES_TIME = {"seconds", "decisions_per_second", "code"}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """The folder of the whole table."""
    folder = tmp_path_factory.mktemp("whole")
    out = Folder(folder, load_plan(PLAN))
    out.begin()
    assert work.work(out, out.pieces, Console(quiet=True)) == 0
    return folder


@pytest.fixture(scope="module")
def table(made) -> dict[str, Any]:
    """What the command writes of it."""
    from piquet_env import cli

    assert cli.main(["table", str(PLAN), "--out", str(made)]) == 0
    return json.loads((made / "table.json").read_text())


def of(table: dict[str, Any], kind: str, game: str, *runs: tuple[str, int], against: str | None = None):
    (found,) = (
        piece
        for piece in table["pieces"]
        if (piece["kind"], piece["game"], piece.get("against")) == (kind, game, against)
        and piece["runs"] == [list(run) for run in runs]
    )
    return found


def test_a_match_is_that_of_the_run_s_last_network_on_its_own_deals(table, made):
    found = of(table, "matches", "mini", ("ppo", 2), against="greedy")
    bot = load_bot(str(made / "runs/mini/ppo-2/checkpoint.pt"))
    match = play_match(bot, load_bot("greedy"), "mini", 30, found["evaluation_seed"])
    points = mean_with_interval(pair_values(match))
    assert [found["mean"], *found["interval"]] == pytest.approx(list(points), abs=1e-4)
    assert (found["deals"], found["weights"]) == (30, [bot.sha256])
    assert of(table, "runs", "mini", ("ppo", 2))["weights"] == [bot.sha256]


def test_two_runs_play_each_other(table, made):
    found = of(table, "cross", "mini", ("ppo", 1), ("slow_dmc", 2))
    bots = [load_network_bot(made / f"runs/mini/{name}/checkpoint.pt") for name in ("ppo-1", "slow_dmc-2")]
    match = play_match(*bots, "mini", 20, found["evaluation_seed"])
    assert found["mean"] == pytest.approx(pair_values(match).mean(), abs=1e-4)
    assert found["weights"] == [bot.sha256 for bot in bots]


def test_a_best_response_is_measured_on_deals_of_its_own(table, made):
    found = of(table, "responses", "mini", ("slow_dmc", 1))
    response = load_network_bot(made / "responses/mini/slow_dmc-1/bot.safetensors")
    bot = load_network_bot(made / "runs/mini/slow_dmc-1/checkpoint.pt")
    match = play_match(response, bot, "mini", 40, found["evaluation_seed"])
    assert found["mean"] == pytest.approx(pair_values(match).mean(), abs=1e-4)
    assert (found["decisions"], found["start"], found["response"]) == (512, "bot", response.sha256)


def test_bidders_are_measured_by_their_auctions_alone(table, made):
    found = of(table, "matches", "bidding", ("slow_dmc", 2), against="greedy")
    bot = load_network_bot(made / "runs/bidding/slow_dmc-2/checkpoint.pt")
    match = play_match(bot, load_bot("greedy"), "mini", 20, found["evaluation_seed"], "auction")
    assert found["mean"] == pytest.approx(pair_values(match).mean(), abs=1e-4)
    assert table["playouts"] == {"mini": {}, "micro": {}, "bidding": {"playout": 1, "stored_deals": None}}


def test_exploitability_is_that_of_the_network(table, made):
    bot = load_network_bot(made / "runs/micro/slow_dmc-1/checkpoint.pt")
    found, rules = of(table, "exact", "micro", ("slow_dmc", 1)), table["configs"]["micro/ppo"]["rules"]
    assert found["mean"] == pytest.approx(exploitability(bot, rules, dealers=(0,)).exploitability, abs=1e-4)


def test_the_curves_are_those_of_the_logs(table, made):
    lines = [json.loads(line) for line in (made / "runs/mini/ppo-1/log.jsonl").read_text().splitlines()]
    logged = {
        str(line["decisions"]): round(result["points_per_deal"], 4)
        for line in lines
        if line["kind"] == "evaluation"
        for result in line["results"]
        if result["against"] == "greedy"
    }
    assert of(table, "runs", "mini", ("ppo", 1))["curves"]["greedy"] == logged
    assert list(logged) == ["0", "256", "512"]


def test_the_page_has_every_table_and_says_where_it_comes_from(table, made):
    page = (made / "TABLE.md").read_text()
    strata = [[of(table, "matches", "mini", ("ppo", s), against=b) for s in (1, 2)] for b in ("random", "greedy")]
    for found in (over_seeds(strata), over_seeds(strata[:1]), over_seeds(strata[1:])):
        assert f"{found.mean:+.1f} [{found.low:+.1f}, {found.high:+.1f}]" in page
    pairs = [[of(table, "cross", "mini", ("ppo", s), ("slow_dmc", t)) for t in (1, 2)] for s in (1, 2)]
    mean, low, high = over_pairs(pairs)
    assert f"{mean:+.1f} [{low:+.1f}, {high:+.1f}]" in page
    assert f"{-mean:+.1f} [{-high:+.1f}, {-low:+.1f}]" in page
    exact = over_seeds([[of(table, "exact", "micro", ("ppo", s)) for s in (1, 2)]])
    assert f"{exact.mean:.2f} [{exact.low:.2f}, {exact.high:.2f}]" in page
    for said in (
        "512 decisions a run",
        "256 decisions a run",
        "40 against random",
        "A small game.",
        "1 of 2 cases",
        "version 1 of the playout",
    ):
        assert said in page
    for said in (
        f"`piquet table {PLAN} --out {made}`",
        "observation 1",
        table["finished"],
        "The network measured is the last",
    ):
        assert said in page
    for piece in table["pieces"]:
        if piece["kind"] == "runs":
            assert piece["weights"][0][:12] in page
    pictures = {
        "curves-mini.png",
        "curves-bidding.png",
        "curves-micro.png",
        "measures-mini.png",
        "measures-bidding.png",
    }
    assert {path.name for path in made.glob("*.png")} == pictures
    for name in pictures:
        assert (made / name).read_bytes().startswith(b"\x89PNG")
        assert f"]({name})" in page
    assert "Unfinished" not in page


def test_from_the_json_alone_the_page_comes_out_the_same(table, made, tmp_path, capsys):
    shutil.copy(made / "table.json", tmp_path / "table.json")
    status, out, err = run_command(capsys, "table", "--report", str(tmp_path / "table.json"))
    assert (status, err) == (0, "")
    assert f"the page: {tmp_path / 'TABLE.md'}" in out
    for name in ("TABLE.md", "curves-mini.png", "measures-mini.png"):
        assert (tmp_path / name).read_bytes() == (made / name).read_bytes()
    status, _, _ = run_command(capsys, "table", "--report", str(made / "table.json"), "--out", str(tmp_path / "page"))
    assert status == 0
    assert json.loads((tmp_path / "page/table.json").read_text()) == table


def test_the_json_has_all_settings_and_is_small(table, made):
    assert table["configs"]["mini/ppo"]["clip"] == 0.1
    assert table["configs"]["mini/slow_dmc"]["algorithm"] == "dmc"
    assert table["plan"]["games"]["mini"]["response"]["deals"] == 40
    assert table["expected"] == {"runs": 12, "matches": 12, "cross": 4, "responses": 8, "exact": 4}
    assert len(table["pieces"]) == 40
    assert (made / "table.json").stat().st_size < 40 * 700


def test_what_is_finished_is_left_as_it_is_and_the_rest_comes_out_the_same(table, made, tmp_path, capsys):
    """One run is half done, one not begun, some matches are lost: as if killed. The rest was made by a whole run."""
    out = tmp_path / "out"
    shutil.copytree(made, out, ignore=shutil.ignore_patterns("ppo-1*", "table.json", "TABLE.md"))
    kept = {path: path.read_bytes() for path in out.rglob("piece.json")}
    assert kept
    status, said, err = run_command(capsys, "table", str(PLAN), "--out", str(out), "--only", "*/mini/*")
    assert status == 0, err
    assert "cross/mini/ppo-1-slow_dmc-1: " in said
    assert "runs/micro/ppo-1" not in said
    assert all(path.read_bytes() == content for path, content in kept.items())
    assert "**Unfinished**: 35 of 40 pieces" in (out / "TABLE.md").read_text()
    again = json.loads((out / "table.json").read_text())
    timeless = [{k: v for k, v in piece.items() if k not in TAKES_TIME} for piece in table["pieces"]]
    for piece in again["pieces"]:
        assert {k: v for k, v in piece.items() if k not in TAKES_TIME} in timeless


def test_the_list_says_what_is_left_and_makes_nothing(made, tmp_path, capsys):
    status, out, _ = run_command(capsys, "table", str(PLAN), "--out", str(made), "--list")
    assert status == 0
    assert "40 of 40 pieces are finished" in out
    status, out, _ = run_command(
        capsys, "table", str(PLAN), "--out", str(tmp_path / "new"), "--list", "--only", "cross/*"
    )
    assert status == 0
    assert "0 of 8 pieces are finished, about 0:00:0" in out, "4 matches, and the runs that they need"
    assert "to make   runs/mini/slow_dmc-2" in out
    assert not (tmp_path / "new").exists()


def changed(tmp_path: Path, **changes) -> str:
    """The file of a plan that differs."""
    path = tmp_path / "other.yaml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(PLAN.read_text()), **changes}))
    return str(path)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"evaluation_seed": 9}, "is of another plan: evaluation_seed was"),
        ({"network": "chosen"}, "is of another plan: network was 'last', not 'chosen'"),
        ({"seeds": [1]}, "is of another plan: give another folder"),
        ({"algorithms": {"ppo": {"clip": 0.3}, "slow_dmc": {"algorithm": "dmc"}}}, "is of another plan: "),
    ],
)
def test_a_folder_with_another_plan_s_results_is_refused(made, tmp_path, capsys, changes, expected):
    before = {path: path.stat().st_mtime_ns for path in made.rglob("*")}
    status, _, err = run_command(capsys, "table", changed(tmp_path, **changes), "--out", str(made))
    assert status == 2
    assert err.startswith("piquet table: out: ")
    assert expected in err
    assert len(err.splitlines()) == 1
    assert {path: path.stat().st_mtime_ns for path in made.rglob("*")} == before


def test_more_seeds_go_on_in_the_same_folder(made, tmp_path, capsys):
    more = changed(tmp_path, seeds=[1, 2, 3])
    status, out, err = run_command(capsys, "table", more, "--out", str(made), "--list")
    assert (status, err) == (0, "")
    assert "40 of 63 pieces are finished" in out


def test_damaged_files_and_other_folders_are_refused(made, tmp_path, capsys):
    out = tmp_path / "out"
    shutil.copytree(made, out)
    match = out / "matches/mini/ppo-1-random/piece.json"

    def refused(*arguments: str) -> str:
        status, _, err = run_command(capsys, "table", *arguments)
        assert status == 2
        assert len(err.splitlines()) == 1
        return err

    match.write_text(match.read_text()[:50])
    assert f"out: {match} is damaged" in refused(str(PLAN), "--out", str(out))
    match.unlink()
    run = out / "runs/mini/ppo-1/piece.json"
    content = json.loads(run.read_text())
    content["result"]["weights"] = ["0" * 64]
    run.write_text(json.dumps(content))
    assert "is of another network than runs/mini/ppo-1 now has" in refused(str(PLAN), "--out", str(out))
    (tmp_path / "full").mkdir()
    (tmp_path / "full/notes.txt").touch()
    assert "holds other files" in refused(str(PLAN), "--out", str(tmp_path / "full"))
    (tmp_path / "file").touch()
    assert "no folder can be made" in refused(str(PLAN), "--out", str(tmp_path / "file"))
    assert "no piece is called 'runs/maxi/*'" in refused(str(PLAN), "--out", str(out), "--only", "runs/maxi/*")
    assert "jobs: expected at least 1" in refused(str(PLAN), "--jobs", "0")
    assert "expected a plan" in refused()
    assert "no table (expected piquet-table/1)" in refused("--report", str(out / "plan.json"))
    assert "No such file" in refused("--report", str(tmp_path / "none.json"))
    broken = json.loads((made / "table.json").read_text())
    del broken["pieces"][0]["runs"]
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    assert "broken.json is damaged" in refused("--report", str(tmp_path / "broken.json"))


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("runs", {"curves": None}),
        ("matches", {"mean": "x"}),
        ("responses", {"interval": None}),
        ("exact", {"mean": []}),
    ],
)
def test_a_piece_without_its_results_is_refused(made, tmp_path, capsys, kind, changes):
    shutil.copytree(made, tmp_path / "out")
    file = next((tmp_path / "out" / kind).rglob("piece.json"))
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | {"result": content["result"] | changes}))
    status, _, err = run_command(capsys, "table", str(PLAN), "--out", str(tmp_path / "out"))
    assert status == 2
    assert err.startswith(f"piquet table: out: {file} is damaged ({next(iter(changes))} is ")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("plan/games", ["mini"]),
        ("plan/games", {"../../mini": {}}),
        ("plan/games/mini/response", "none"),
        ("plan/seeds", 3),
        ("pieces/0/decisions", "many"),
        ("pieces/20/interval", [0, 10**400]),
        ("provenance/machine", 5),
    ],
)
def test_of_a_damaged_table_nothing_is_written(table, tmp_path, capsys, place, value):
    content = at = json.loads(json.dumps(table))
    *path, last = (int(name) if name.isdigit() else name for name in place.split("/"))
    for name in path:
        at = at[name]
    at[last] = value
    file = tmp_path / "damaged.json"
    for text in (json.dumps(content), json.dumps(table).replace('"mean": ', '"mean": 1e999, "was": ')):
        file.write_text(text)
        status, _, err = run_command(capsys, "table", "--report", str(file), "--out", str(tmp_path / "page"))
        assert status == 2
        assert err.startswith(f"piquet table: report: {file}")
        assert len(err.splitlines()) == 1
        assert not list((tmp_path / "page").glob("*"))


def test_runs_begin_with_the_networks_that_the_plan_names(made, tmp_path):
    values = yaml.safe_load(PLAN.read_text())
    start = made / "runs/mini/ppo-1"
    values["games"] = {"mini": {"config": {"rules": "mini", "start": str(start)}}}
    values["algorithms"] = {"ppo": None}
    folder = Folder(tmp_path / "out", plan_from(values))
    folder.begin()
    (tmp_path / "out/runs/mini").mkdir(parents=True)
    (tmp_path / "out/runs/mini/.DS_Store").touch()
    folder.check()
    assert work.work(folder, folder.pieces[:1], Console(quiet=True)) == 0
    curve = folder.finished(folder.pieces[0])["result"]["curves"]["greedy"]
    before = json.loads((start / "piece.json").read_text())["result"]["curves"]["greedy"]
    assert curve["0"] == before["512"], "measured before it learns, on the same deals"


def test_what_another_process_is_making_is_left_to_it(made, tmp_path, monkeypatch):
    out = tmp_path / "out"
    shutil.copytree(made, out)
    folder = Folder(out, load_plan(PLAN))
    mine, theirs = (out / f"matches/mini/ppo-{seed}-random/piece.json" for seed in (1, 2))
    content = theirs.read_text()
    mine.unlink()
    theirs.unlink()
    waited = []

    def they_finish(_: float) -> None:
        waited.append(mine.exists())
        theirs.write_text(content)

    monkeypatch.setattr(work, "time", SimpleNamespace(sleep=they_finish))
    with locked(theirs.parent):
        assert work.work(folder, folder.pieces, Console(quiet=True)) == 0
    assert waited == [True], "what is free was made first, then waited for the other"
    assert theirs.read_text() == content


@pytest.mark.long
def test_killed_at_any_moment_and_gone_on_with_in_two_processes_it_comes_out_the_same(table, tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, "-m", "piquet_env.cli", "table", str(PLAN), "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS.parent), *sys.path])}
    for sign, until in (
        (signal.SIGKILL, "runs/mini/ppo-2/checkpoint.pt"),
        (signal.SIGTERM, "responses/mini/ppo-1/*.pt"),
    ):
        with subprocess.Popen([*command, "--jobs", "2"], env=environment, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and not list(out.glob(until)):
                time.sleep(0.01)
            process.send_signal(sign)
            if sign == signal.SIGTERM:
                assert process.wait() == 130
        time.sleep(2.0)  # its processes end with it
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    again = json.loads((out / "table.json").read_text())
    for one, other in zip(again["pieces"], table["pieces"], strict=True):
        assert {k: v for k, v in one.items() if k not in TAKES_TIME} == {
            k: v for k, v in other.items() if k not in TAKES_TIME
        }
    assert not list(out.rglob(".*.tmp"))
