"""Learning curves of several runs, by hand-made logs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")

from commands import run_command
from trainers import TINY

from training.config import as_dict
from training.curves import CurveError, interquartile_mean, read_curves


def run(folder: Path, values: dict[int, float], **changes) -> Path:
    """The folder of a run that was measured so, after these decisions."""
    folder.mkdir()
    (folder / "config.yaml").write_text(json.dumps(as_dict(replace(TINY, **changes))))
    lines = [{"kind": "update", "decisions": 5}]
    for decisions, value in values.items():
        results = [{"against": "greedy", "points_per_deal": -value}]
        lines.append({"kind": "evaluation", "decisions": decisions, "results": results, "exploitability": value})
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    folders = [run(tmp_path / f"ppo{s}", {0: 9.0, 100: float(s)}, seed=s) for s in (1, 2, 3, 6)]
    return [*folders, run(tmp_path / "dmc1", {0: 8.0, 50: 4.0, 100: 3.0}, seed=1, algorithm="dmc", epsilon=0.1)]


def test_runs_that_differ_in_the_seed_alone_are_one_line(runs):
    ppo, dmc = read_curves(runs, "exploitability")
    assert (ppo.name, ppo.seeds, ppo.decisions.tolist()) == ("ppo", (1, 2, 3, 6), [0, 100])
    assert ppo.mean.tolist() == [9.0, 2.5], "the mean of the middle two of 1, 2, 3, 6"
    assert ppo.low[1] < 2.5 < ppo.high[1]
    assert (dmc.name, dmc.mean.tolist(), dmc.low.tolist()) == ("dmc", [8.0, 4.0, 3.0], [8.0, 4.0, 3.0])
    against, _ = read_curves(runs, "greedy")
    assert against.mean.tolist() == [-9.0, -2.5]


def test_lines_of_one_algorithm_are_told_apart_by_what_differs(tmp_path):
    folders = [run(tmp_path / str(clip), {0: 1.0}, clip=clip) for clip in (0.1, 0.2)]
    assert [curve.name for curve in read_curves(folders, "greedy")] == ["ppo, clip 0.1", "ppo, clip 0.2"]


def test_the_interval_of_the_interquartile_mean_covers_the_truth():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(150):
        _, low, high = interquartile_mean(rng.normal(3.0, 1.0, (20, 1)))
        covered += bool(low[0] <= 3.0 <= high[0])
    assert 0.83 < covered / 150 <= 1


def test_the_command_draws_and_tells(runs, tmp_path, capsys):
    picture = tmp_path / "curves[b].png"
    status, out, err = run_command(capsys, "curves", *map(str, runs), "-o", str(picture))
    assert (status, err) == (0, "")
    assert "ppo" in out
    assert "2.50" in out
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"picture: {picture}" in out
    assert " to " not in run_command(capsys, "curves", str(runs[0]))[1], "one seed has no interval"
    status, out, _ = run_command(capsys, "curves", *map(str, runs), "--json")
    made = json.loads(out)
    assert [curve["name"] for curve in made["curves"]] == ["ppo", "dmc"]
    assert made["curves"][0]["values"] == [[9.0, 1.0], [9.0, 2.0], [9.0, 3.0], [9.0, 6.0]]


def test_what_holds_no_such_runs_is_refused_in_one_line(runs, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    for arguments, what in (
        ([], "folders"),
        ([str(tmp_path / "empty")], "empty"),
        ([str(tmp_path / "absent")], "absent"),
        ([str(runs[0]), "--measure", "expert"], "expert"),
        ([str(runs[0]), str(runs[0])], "twice"),
        ([str(runs[0]), "-o", str(tmp_path / "no/such.png")], "output: no file can be written"),
        ([str(runs[0]), "-o", str(tmp_path / "curves.txt")], "output: expected a name that ends in .png"),
    ):
        status, _, err = run_command(capsys, "curves", *arguments)
        assert status == 2, arguments
        assert err.startswith("piquet curves: ")
        assert what in err
        assert len(err.splitlines()) == 1
    (runs[0] / "log.jsonl").write_text('{"kind": "evaluation", "decisions": 3, "results": [{"points": 1}]}')
    with pytest.raises(CurveError, match=r"log\.jsonl: .*damaged"):
        read_curves(runs[:1], "greedy")
    with pytest.raises(CurveError, match="never measured"):
        read_curves([runs[1], run(tmp_path / "other", {7: 1.0}, seed=9)], "greedy")
