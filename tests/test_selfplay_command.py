"""`piquet selfplay`: what it writes and prints, what it refuses, and that a file is written whole or not at all."""

import json
import os
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest
from commands import run_command
from dataset_files import table_of
from test_compiled import ROOT, TESTS

from piquet_env.dataset import Decisions
from piquet_env.rules import Rules

MICRO = ("greedy", "random", "--rules", "micro", "--deals", "40")
WAIT = 120  # seconds, until a test that hangs is given up


def run(capsys, *arguments) -> tuple[int, str, str]:
    return run_command(capsys, "selfplay", *map(str, arguments))


def process(*arguments, code: str = "", **options) -> subprocess.Popen:
    """`piquet selfplay` in a process of its own, after the code."""
    source = f"import sys\n{code}\nfrom piquet_env.cli import main\nsys.exit(main(['selfplay', *sys.argv[1:]]))"
    path = os.pathsep.join([str(ROOT), str(TESTS), os.environ.get("PYTHONPATH", "")])
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", source, *map(str, arguments)]
    return subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path}, **pipes, **options)


# ------------------------------------------------------------------ what it writes


def test_it_writes_a_file_and_says_how_much(capsys, tmp_path):
    path = tmp_path / "data.parquet"
    status, out, err = run(capsys, "greedy", "random", "--deals", "30", "--seed", "4", "-o", path)
    assert (status, err, out.count("\n")) == (0, "", 1)
    with Decisions.open(path) as data:
        assert f"{path}: {data.rows:,} decisions of 30 deals" in out
        assert "deals/s" in out
        assert (data.rules, data.has_state) == (Rules.make("auction"), False)
        about = data.metadata
    assert (about["games"], about["seed"], about["episode"]) == (30, 4, "deal")
    command = "piquet selfplay greedy random --deals 30 --seed 4 --rules auction --episode deal --block 1024"
    assert about["provenance"]["command"] == command
    assert {"commit", "dirty", "weights", "machine", "cheats"} <= about["provenance"].keys()
    assert {"pyarrow", "numpy", "numba"} <= about["provenance"]["versions"].keys()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_json_is_one_object(capsys, tmp_path):
    path = tmp_path / "data.parquet"
    rules = '{"base": "micro", "sinking": false}'
    arguments = ("omniscient", "dataset_bots:Passing", "--deals", "5", "--episode", "partie", "--rules", rules)
    status, out, _ = run(capsys, *arguments, "--state", "--json", "--out", path)
    assert status == 0
    made = json.loads(out)
    with Decisions.open(path) as data:
        assert made["decisions"] == data.rows
        assert data.has_state
        assert data.rules == Rules.make({"base": "micro", "sinking": False})
    assert made["bytes"] == path.stat().st_size
    assert made["seconds"] > 0
    assert made["bots"] == [
        {"name": "omniscient", "sha256": None, "policy": "action"},
        {"name": "dataset_bots:Passing", "sha256": "passing", "policy": "probabilities"},
    ]
    assert made["provenance"]["cheats"] == ["omniscient"]
    assert made["provenance"]["command"].endswith("--state")


def test_processes_change_nothing(capsys, tmp_path):
    tables = []
    for workers in (1, 2):
        path = tmp_path / str(workers)
        status, out, err = run(capsys, *MICRO, "--block", "7", "--workers", workers, "-o", path, "--json")
        assert (status, err) == (0, "")
        assert json.loads(out)["workers"] == workers
        tables.append(table_of(path))
    assert tables[0].num_rows > 40
    assert tables[0].equals(tables[1])
    assert tables[0].schema.metadata == tables[1].schema.metadata


def test_groups_of_rows_are_of_one_size(capsys, tmp_path):
    """So that a reader's memory is bounded, whatever the number of deals and blocks."""
    path = tmp_path / "a"
    assert run(capsys, "greedy", "greedy", "--deals", "2100", "--block", "1000", "-o", path)[0] == 0
    file = pq.ParquetFile(path)
    sizes = [file.metadata.row_group(n).num_rows for n in range(file.metadata.num_row_groups)]
    assert len(sizes) > 2
    assert set(sizes[:-1]) == {32_768}
    assert 0 < sizes[-1] <= 32_768
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"


def test_a_file_that_is_there_is_replaced_and_links_are_followed(capsys, tmp_path):
    (tmp_path / "real").write_text("before")
    (tmp_path / "link").symlink_to("real")
    assert run(capsys, *MICRO, "-o", tmp_path / "link")[0] == 0
    assert (tmp_path / "link").is_symlink()
    Decisions.open(tmp_path / "real").close()


# ------------------------------------------------------------------ what it refuses


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("greedy",), "bots: expected two, got 1"),
        (("greedy", "random", "greedy"), "bots: expected two, got 3"),
        (("greedy", "gredy"), "did you mean 'greedy'"),
        (("greedy", "no.pt"), "no trained bot at 'no.pt'"),
        (("greedy", "random", "--deals", "0"), "deals: expected 1 to"),
        (("greedy", "random", "--seed", "-1"), "seed: expected"),
        (("greedy", "random", "--rules", "bridge"), "unknown ruleset 'bridge'"),
        (("greedy", "random", "--workers", "0"), "workers: expected 1 to"),
        (("greedy", "random", "--block", "0"), "block: expected 1 to"),
        (("dataset_bots:Failing", "greedy"), "raised RuntimeError: enough"),
        (("dataset_bots:Failing", "greedy", "--workers", "2", "--block", "500"), "raised RuntimeError: enough"),
        (("dataset_bots:Stopped", "greedy", "--workers", "2", "--block", "500"), "a bot raised KeyboardInterrupt"),
        (("dataset_bots:Leaving", "greedy", "--workers", "2", "--block", "500"), "ended with exit status 3"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line_and_nothing_is_lost(capsys, tmp_path, arguments, message):
    path = tmp_path / "data.parquet"
    path.write_text("before")
    status, out, err = run(capsys, *arguments, "-o", path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("piquet selfplay: ")
    assert message in err
    assert path.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1


def test_where_no_file_can_be_written_is_said_at_once(capsys, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "none" / "x", tmp_path, tmp_path / "pipe"):
        status, out, err = run(capsys, "no such bot", "greedy", "-o", path)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert f"out: no file can be written at {path}" in err
    status, _, err = run(capsys, "greedy", "greedy")
    assert (status, err) == (2, "piquet selfplay: out: expected a file to write to, as in -o data.parquet\n")


def test_a_full_disk_is_said_in_one_line_and_leaves_no_file(tmp_path):
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))"
    played = process("greedy", "greedy", "--deals", "5000", "--workers", "1", "-o", tmp_path / "a", code=limit)
    out, err = played.communicate(timeout=WAIT)
    assert (played.returncode, out, err.count("\n")) == (2, "", 1), err
    assert f"out: {tmp_path / 'a'} cannot be written: " in err
    assert not list(tmp_path.iterdir())


def test_ctrl_c_leaves_no_file(capsys, tmp_path):
    status, out, _ = run(capsys, "dataset_bots:Stopped", "greedy", "-o", tmp_path / "a")
    assert (status, out) == (130, "")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill on this system")
def test_killed_in_the_middle_there_is_no_file_of_that_name(tmp_path):
    path = tmp_path / "data.parquet"
    played = process("greedy", "greedy", "--deals", "100000000", "--workers", "1", "-o", path)
    until = time.monotonic() + WAIT
    while not any(file.stat().st_size > 100_000 for file in tmp_path.iterdir()) and time.monotonic() < until:
        assert played.poll() is None
        time.sleep(0.02)
    played.kill()
    played.communicate()
    left = list(tmp_path.iterdir())
    assert [file.suffix for file in left] == [".tmp"]
    assert not path.exists()


def test_without_pyarrow_it_says_what_to_install():
    without = "sys.modules['pyarrow'] = None"
    for arguments in (("greedy", "greedy", "-o", "x"), ("--help",)):
        done = process(*arguments, code=without)
        out, err = done.communicate(timeout=WAIT)
        assert (done.returncode, out) == (2, "")
        assert err.endswith("needs pyarrow, which is not installed: pip install 'piquet-env[data]'\n")
        assert err.count("\n") == 1


def test_help_has_every_option(capsys):
    status, out, _ = run(capsys, "--help")
    assert status == 0
    text = " ".join(out.replace("│", " ").split())
    options = ("--deals", "--out", "-o", "--seed", "--rules", "--episode", "--state", "--workers", "--block", "--json")
    for said in ("BOT BOT", *options, "one that is there is replaced", "each is played once"):
        assert said in text
