"""Several processes of one run: the same updates, one that speaks, and none that hangs."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")
if not hasattr(os, "fork"):
    pytest.skip("processes are forked, which this system cannot", allow_module_level=True)

import dying
from trainers import TINY

from training.checkpoint import load_checkpoint, save_checkpoint
from training.config import TrainConfig, as_dict
from training.processes import Processes, joined
from training.train import BEFORE, BOT, CHECKPOINT, LOG, RESULTS
from training.trainer import Trainer

SETTINGS = {
    "ppo, sorted suits": TINY,
    "ppo, suits in random order": replace(TINY, symmetry="augment", random_contracts=0.5, play_first=0.0),
    "ppo, suits as they are": replace(TINY, symmetry="none", play_first=0.0),
    "ppo, past selves": replace(TINY, pool=0.7, pool_every=128, pool_size=2),
    "mmd": replace(TINY, algorithm="mmd", magnet_average=0.5),
    "dmc, whole episodes": replace(TINY, algorithm="dmc", rules="micro", epsilon=0.2, play_first=0.0),
    "imitation": replace(TINY, imitate="greedy", imitate_decisions=300),
    "partie": replace(TINY, episode="partie", reward="win", play_first=0.0),
}
UPDATES = 4


# ------------------------------------------------------------------ in two processes


def join(rank: int, number: int, port: int) -> None:
    """What torchrun tells a process."""
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(number)}
    os.environ |= {"LOCAL_WORLD_SIZE": str(number), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _as_process(rank: int, number: int, port: int, work: Any, answer: Any) -> None:
    join(rank, number, port)
    with joined():
        answer.send(work(rank))


def together(work: Any, number: int = 2) -> list[Any]:
    """What `work(rank)` gives in each of so many processes that are joined as torchrun joins them."""
    port, pipes = free_port(), [dying.context().Pipe(duplex=False) for _ in range(number)]
    made = [
        dying.context().Process(target=_as_process, args=(rank, number, port, work, pipe[1]))
        for rank, pipe in enumerate(pipes)
    ]
    for process in made:
        process.start()
    answers = [pipe[0].recv() if pipe[0].poll(200) else None for pipe in pipes]
    for process in made:
        process.join(60)
        assert process.exitcode == 0
    return answers


def piquet_together(arguments: list[object], number: int = 2) -> list[tuple[int, str]]:
    """(exit status, what it printed) of each of so many processes of `piquet ARGUMENTS`."""
    port = free_port()
    runs = [dying.Run(arguments, join, rank, number, port) for rank in range(number)]
    return [run.end() for run in runs]


def trained(config: TrainConfig) -> dict[str, Any]:
    """What some updates give: the weights after each, and where all games stand."""
    trainer, weights = Trainer(config), []
    for _ in range(UPDATES):
        figures = trainer.step()
        weights.append(torch.cat([p.detach().flatten() for p in trainer.networks.parameters()]).numpy().copy())
    rows = trainer.rollout.state_dict()["rows"].numpy()
    return {"weights": weights, "rows": rows, "figures": figures, "games": trainer.processes.games}


def train_all(_: int) -> dict[str, Any]:
    return {name: trained(config) for name, config in SETTINGS.items()}


@pytest.fixture(scope="module")
def of_two() -> list[dict[str, Any]]:
    return together(train_all)


@pytest.mark.parametrize("name", SETTINGS)
def test_two_processes_make_the_same_updates_as_one_with_twice_the_games_and_minibatches(name, of_two):
    """`games` and `minibatch` are those of all processes, so it is one with all the games, and twice those of each."""
    one, (first, second) = trained(SETTINGS[name]), (answer[name] for answer in of_two)
    assert (one["games"], first["games"], second["games"]) == (16, 8, 8)
    assert np.abs(one["weights"][-1] - one["weights"][0]).max() > 1e-3
    for update in range(UPDATES):
        assert np.array_equal(first["weights"][update], second["weights"][update]), "to the bit, in both"
        assert np.allclose(first["weights"][update], one["weights"][update], atol=1e-6), update
    assert np.array_equal(first["rows"], one["rows"]), "the same games, move for move"
    for figure, value in one["figures"].items():
        assert first["figures"][figure] == pytest.approx(value, rel=1e-3, abs=1e-4), figure
        assert first["figures"][figure] == second["figures"][figure]


# ------------------------------------------------------------------ the command


@pytest.fixture
def config(tmp_path) -> Path:
    path = tmp_path / "tiny.yaml"
    path.write_text(json.dumps(as_dict(replace(TINY, opponents=("random",), evaluate_deals=3, final_deals=4))))
    return path


def weights_of(folder: Path) -> torch.Tensor:
    policy = load_checkpoint(folder / CHECKPOINT)["networks"]["policy"]
    return torch.cat([policy[name].flatten() for name in sorted(policy)])


def test_the_first_process_alone_writes_and_prints(config, tmp_path):
    (status, said), (status_2, said_2) = piquet_together(["train", config, "--out", tmp_path / "two"])
    assert (status, status_2) == (0, 0), said + said_2
    assert said_2 == ""
    assert said.count("384 of 384 decisions") == said.count("The trained bot on 4 deals") == 1
    lines = (tmp_path / "two" / LOG).read_text().splitlines()
    assert [json.loads(line)["decisions"] for line in lines] == [0, 128, 256, 256, 384, 384]
    assert len(list((tmp_path / "two").glob("events.*"))) == 1
    assert dying.piquet(["train", config, "--out", tmp_path / "one"])[0] == 0
    assert torch.allclose(weights_of(tmp_path / "one"), weights_of(tmp_path / "two"), atol=1e-6)
    results = [json.loads((tmp_path / name / RESULTS).read_text())["results"] for name in ("one", "two")]
    assert results[0][0]["deals"] == results[1][0]["deals"] == 4
    assert (tmp_path / "two" / BOT).exists()


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--games", 15], "games: 15 cannot be shared out evenly among 2 processes"),
        (["--resume"], "--resume: there is no "),
        (["--opponents", "nobody"], "nobody"),
        (["--device", "cuda"], "device: cuda"),
    ],
)
def test_what_cannot_be_is_said_once_and_nothing_is_made(config, tmp_path, arguments, what):
    if "cuda" in arguments and torch.cuda.device_count() > 1:
        pytest.skip("here are GPUs for both processes")
    (status, said), (_, said_2) = piquet_together(["train", config, "--out", tmp_path / "run", *arguments])
    assert (status, said.count("\n")) == (2, 1), said
    assert what in said
    assert said_2 == ""
    assert not (tmp_path / "run").exists()


def test_a_run_goes_on_with_another_number_of_processes(config, tmp_path):
    """Also from the checkpoint before, which the first process alone decides."""
    for run in ("one", "two"):
        assert dying.piquet(["train", config, "--out", tmp_path / run, "--decisions", 256])[0] == 0
    # The budget is part of the configuration: what would be refused is changed in the checkpoint.
    for run in ("one", "two"):
        content = load_checkpoint(tmp_path / run / CHECKPOINT)
        content["config"]["decisions"] = 768
        save_checkpoint(tmp_path / run / BEFORE, content)
        (tmp_path / run / CHECKPOINT).write_bytes(b"damaged")
    more = ["--resume", "--decisions", 768]
    assert dying.piquet(["train", config, "--out", tmp_path / "one", *more])[0] == 0
    (status, said), (_, said_2) = piquet_together(["train", config, "--out", tmp_path / "two", *more])
    assert (status, said_2) == (0, ""), said
    assert said.count(BEFORE) == 1
    assert torch.allclose(weights_of(tmp_path / "one"), weights_of(tmp_path / "two"), atol=1e-6)


@pytest.mark.parametrize("killed", [0, 1])
def test_when_one_process_is_killed_the_other_does_not_hang(config, tmp_path, killed):
    port, folder = free_port(), tmp_path / "run"
    arguments = ["train", config, "--out", folder, "--decisions", 10**7, "--evaluate-every", 10**6]
    runs = [dying.Run(arguments, join, rank, 2, port) for rank in range(2)]
    wait_for_updates(folder, 3)
    runs[killed].kill()
    status, said = runs[1 - killed].end()
    assert status == 2
    assert "lost contact with the other processes" in said.splitlines()[-1]
    assert "Traceback" not in said
    load_checkpoint(folder / CHECKPOINT)


def wait_for_updates(folder: Path, number: int) -> None:
    limit = time.monotonic() + 200
    while not (folder / LOG).exists() or (folder / LOG).read_text().count("update") < number:
        assert time.monotonic() < limit, "it does not begin"
        time.sleep(0.02)


@pytest.mark.long
def test_torchrun_that_is_asked_to_stop_saves(config, tmp_path):
    """The launcher itself; it passes SIGTERM, or Ctrl-C, on to its processes."""
    folder = tmp_path / "run"
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "-m", "training"]
    command = [*launcher, str(config), "--out", str(folder), "--decisions", "10000000", "--evaluate-every", "1000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for_updates(folder, 3)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=100)
    assert out.count("--resume goes on") == 1, err
    done = [json.loads(line)["decisions"] for line in (folder / LOG).read_text().splitlines()]
    assert load_checkpoint(folder / CHECKPOINT)["decisions"] == done[-1] >= 3 * 128


def test_threads_are_the_machines_cores_shared_by_its_processes(monkeypatch):
    monkeypatch.setattr("training.processes.cores", lambda: 8)
    for processes, threads in (("1", 8), ("2", 4), ("8", 1), ("16", 1)):
        monkeypatch.setenv("LOCAL_WORLD_SIZE", processes)
        assert Processes(replace(TINY, threads=0)).threads == threads
        assert Processes(replace(TINY, threads=3)).threads == 3
