"""Imitating a bot, or a file of its decisions, before learning by self-play."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")
pytest.importorskip("pyarrow", reason="files of decisions need pyarrow: pip install 'piquet-env[data]'")

from commands import run_command
from trainers import TINY, run_to_the_end

from piquet_env import cli
from piquet_env.arena.match import play_match
from piquet_env.arena.statistics import pair_values
from piquet_env.bots import load_bot
from piquet_env.dataset import Decisions
from training.config import ConfigError, TrainConfig, as_dict
from training.processes import Processes
from training.trainer import Trainer


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """Greedy's decisions on micro, with states."""
    path = tmp_path_factory.mktemp("data") / "data.parquet"
    options = ["--deals", "3000", "--rules", "micro", "--state", "-o", str(path)]
    assert cli.main(["selfplay", "greedy", "greedy", *options]) == 0
    return path


def from_file(data: Path, **changes) -> TrainConfig:
    changes = {"rules": "micro", "imitate": str(data), "play_first": 0.0, **changes}
    return replace(TINY, imitate_decisions=changes.get("decisions", TINY.decisions), **changes)


@pytest.mark.parametrize("symmetry", ["none", "canonical", "augment"])
def test_a_batch_of_a_file_is_what_the_file_says(data, symmetry):
    trainer = Trainer(from_file(data, symmetry=symmetry))
    batch = trainer.imitated.batch(0, trainer.processes)
    mini = batch.minibatch(np.arange(len(batch.action)), torch.device("cpu"))
    assert mini.mask.gather(-1, mini.action[:, None]).all(), "what was done is legal"
    assert torch.allclose(mini.acting.exp().sum(-1), torch.ones(len(mini.action)))
    assert (mini.acting.gather(-1, mini.action[:, None]) == 0).all(), "greedy does one thing"
    with Decisions.open(data) as decisions:
        rows = decisions.read(0)
    if symmetry == "none":
        assert np.array_equal(batch.action, rows.action)
        assert np.array_equal(np.packbits(mini.state.numpy().astype(np.uint8), axis=-1), rows.state)
    assert np.allclose(batch.value_target * 50, rows.return_)


def test_processes_share_the_rows_of_a_file(data):
    trainer = Trainer(from_file(data))
    whole = trainer.imitated.batch(3, trainer.processes)
    parts = []
    for rank in (0, 1):
        processes = Processes(trainer.config)
        processes.rank, processes.number = rank, 2
        parts.append(trainer.imitated.batch(3, processes))
    together = np.concatenate([part.place for part in parts])
    assert np.array_equal(np.sort(together), whole.place)
    assert np.array_equal(np.concatenate([part.action for part in parts]), whole.action[together])


@pytest.mark.parametrize("algorithm", ["ppo", "dmc"])
def test_training_can_start_from_a_file(data, algorithm):
    config = from_file(data, algorithm=algorithm, decisions=200_000, width=64, minibatch=512, learning_rate=3e-3)
    bot = run_to_the_end(replace(config, reward_scale=10.0)).bot()
    players = {"it": bot, "greedy": load_bot("greedy")}
    points = {
        name: pair_values(play_match(player, load_bot("random"), "micro", 1000, 3)).mean()
        for name, player in players.items()
    }
    assert points["it"] > 0.7 * points["greedy"]


def test_after_the_file_it_goes_on_by_self_play_and_resumes_to_the_same_weights(data, tmp_path):
    config = replace(from_file(data, decisions=60_000, games=256, minibatch=512), imitate_decisions=30_000)
    whole = run_to_the_end(config)
    part = Trainer(config)
    part.step()
    part.step()
    part.save(tmp_path / "c.pt")
    resumed = Trainer.resume(tmp_path / "c.pt")
    while resumed.decisions < config.decisions:
        resumed.step()
    assert whole.decisions == resumed.decisions
    for name, value in whole.networks.state_dict().items():
        assert torch.equal(value, resumed.networks.state_dict()[name])


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"rules": "mini"}, "another rules"),
        ({"episode": "partie"}, "another episode"),
        ({"imitate": "absent.parquet"}, "absent.parquet"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(data, changes, what):
    with pytest.raises(ConfigError, match=what):
        Trainer(replace(from_file(data), **changes))


def test_a_file_without_states_needs_a_critic_without_them(tmp_path, capsys):
    path = str(tmp_path / "d.parquet")
    status, _, err = run_command(
        capsys, "selfplay", "greedy", "random", "--deals", "50", "--rules", "micro", "-o", path
    )
    assert status == 0, err
    with pytest.raises(ConfigError, match="--state"):
        Trainer(from_file(path))
    Trainer(from_file(path, critic="observation")).step()


def test_a_file_that_is_damaged_inside_ends_the_run_in_one_line(data, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content = bytearray(data.read_bytes())
    content[len(content) // 3] ^= 255
    Path("bad.parquet").write_bytes(content)
    Path("c.yaml").write_text(json.dumps(as_dict(from_file(Path("bad.parquet")))))
    status, _, err = run_command(capsys, "train", "c.yaml")
    assert status == 2
    fault = [line for line in err.splitlines() if line.startswith("piquet train: ")]
    assert (len(fault), "imitate: bad.parquet" in fault[0], "Traceback" in err) == (1, True, False)


def test_who_sees_all_cards_cannot_be_imitated():
    with pytest.raises(ConfigError, match="'omniscient' sees all cards"):
        Trainer(replace(TINY, imitate="omniscient", imitate_decisions=100))


def test_the_command_refuses_a_file_that_is_none_in_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.parquet").write_bytes(b"junk")
    (tmp_path / "c.yaml").write_text(json.dumps(as_dict(replace(TINY, imitate="bad.parquet", imitate_decisions=100))))
    status, _, err = run_command(capsys, "train", "c.yaml")
    assert status == 2
    assert err.startswith("piquet train: imitate: bad.parquet")
    assert len(err.splitlines()) == 1
