"""Training that can be killed at any moment, whose files may be damaged, and whose numbers stay finite."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")
if not hasattr(os, "fork"):
    pytest.skip("processes are forked to be killed, which this system cannot", allow_module_level=True)

import dying
import soak_training
from trainers import TINY

from piquet_env.bots.base import views_of
from training.bot import NetworkBot, load_network_bot
from training.checkpoint import CheckpointError, checksum, load_checkpoint, save_checkpoint
from training.config import TrainConfig, as_dict
from training.runlog import read_log
from training.train import BEFORE, BOT, CHECKPOINT, LOG, RESULTS
from training.trainer import Trainer

SHORT = replace(
    TINY, decisions=6 * 128, evaluate_every=200, evaluate_deals=3, final_deals=4, checkpoint_every=130,
    opponents=("random",),
)  # fmt: skip


def written(folder: Path, config: TrainConfig) -> Path:
    path = folder / "config.yaml"
    path.write_text(json.dumps(as_dict(config)))  # JSON is YAML
    return path


# ------------------------------------------------------------------ kill -9


RUNS = {
    "ppo, imitation, past selves": replace(
        SHORT, imitate="greedy", imitate_decisions=300, pool=0.5, pool_every=128, pool_size=2, symmetry="none"
    ),
    "mmd, averaged weights, parties": replace(
        SHORT, algorithm="mmd", magnet_average=0.9, symmetry="augment", episode="partie", reward="payment"
    ),
    "dmc, carried decisions": replace(SHORT, algorithm="dmc", epsilon=0.3, rules="micro"),
}
PLACES = (  # and how often each is called before a run is over, at least, wherever it goes on
    ("os.replace", 4),
    ("os.fsync", 4),
    ("training.rollout.Rollout.collect", 1),
    ("training.rollout.Rollout.state_dict", 1),
    ("training.train.play_match", 1),
    ("training.runlog.RunLog._write", 2),
    ("training.train.shutil.copyfile", 1),
)
AT_THE_END = (("os.replace", 3), ("training.train.write_rows", 1))


def result_of(folder: Path) -> dict[str, Any]:
    """Everything that a run leaves behind, but for how fast it was and when."""
    log = [{k: v for k, v in entry.items() if k != "decisions_per_second"} for entry in read_log(folder / LOG)]
    checkpoint = checksum(load_checkpoint(folder / CHECKPOINT))
    results = json.loads((folder / RESULTS).read_text())["results"]
    return {"checkpoint": checkpoint, "bot": load_network_bot(folder / BOT).sha256, "log": log, "results": results}


def result_after(config: Path, folder: Path) -> dict[str, Any]:
    """`result_of` a run that nothing breaks."""
    status, said = dying.piquet(["train", config, "--out", folder])
    assert status == 0, said
    return result_of(folder)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_that_is_killed_again_and_again_ends_as_one_that_is_not(name, tmp_path):
    """At calls of what matters, drawn by chance: while it plays, evaluates, logs, writes and replaces files."""
    config, rng = written(tmp_path, RUNS[name]), random.Random(name)
    unbroken = result_after(config, tmp_path / "whole")
    folder = tmp_path / "broken"
    places = [(place, rng.randint(1, most)) for place, most in rng.sample(PLACES, 4)]
    for death in (*places, *AT_THE_END, None):
        resume = ["--resume"] if (folder / CHECKPOINT).exists() else []
        dies = (dying.die_at, *death) if death else ()
        status, said = dying.piquet(["train", config, "--out", folder, *resume], *dies)
        assert status == (-signal.SIGKILL if death else 0), (death, said)
    assert result_of(folder) == unbroken
    assert not list(folder.glob(".*.tmp")), "nothing half-written is left lying about"


def test_a_run_that_is_killed_at_moments_of_the_clock_ends_as_one_that_is_not(tmp_path):
    config, rng = written(tmp_path, SHORT), random.Random(3)
    unbroken, folder = result_after(config, tmp_path / "whole"), tmp_path / "broken"
    for _ in range(6):
        resume = ["--resume"] if (folder / CHECKPOINT).exists() else []
        run = dying.Run(["train", config, "--out", folder, *resume])
        run.wait(rng.uniform(0.02, 0.3))
        run.kill()
    resume = ["--resume"] if (folder / CHECKPOINT).exists() else []
    status, said = dying.piquet(["train", config, "--out", folder, *resume])
    assert status == 0, said
    assert result_of(folder) == unbroken


# ------------------------------------------------------------------ damaged files, full disks


@pytest.fixture(scope="module")
def stopped(tmp_path_factory) -> Path:
    """A run that was killed after some updates, in the folder `run` of this one."""
    folder = tmp_path_factory.mktemp("stopped")
    config = written(folder, SHORT)
    dies = dying.die_at, "training.rollout.Rollout.collect", 6
    status, said = dying.piquet(["train", config, "--out", folder / "run"], *dies)
    assert status == -signal.SIGKILL, said
    return folder


@pytest.fixture
def run_folder(stopped, tmp_path) -> Path:
    """A copy of it, to be damaged."""
    shutil.copytree(stopped, tmp_path / "copy")
    return tmp_path / "copy" / "run"


def resume(folder: Path, *more: Any) -> tuple[int, str]:
    """(exit status, what was printed) of going on."""
    status, said = dying.piquet(["train", folder.parent / "config.yaml", "--out", folder, "--resume"], *more)
    assert "Traceback" not in said
    return status, said


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1000])


@pytest.fixture(scope="module")
def unbroken(stopped) -> dict[str, Any]:
    return result_after(stopped / "config.yaml", stopped / "whole")


def test_with_a_damaged_checkpoint_a_run_goes_on_from_the_one_before(run_folder, unbroken):
    cut(run_folder / CHECKPOINT)
    good = (run_folder / BEFORE).read_bytes()
    status, said = resume(run_folder, dying.die_at, "training.train.shutil.copyfile", 2)
    assert status == -signal.SIGKILL
    assert "checkpoint.pt: no checkpoint, or a damaged one; going on with the one before it" in " ".join(said.split())
    assert (run_folder / BEFORE).read_bytes() == good, "the damaged one must not take its place"
    status, said = resume(run_folder)
    assert (status, "going on with the one before it" in said) == (0, False)
    assert result_of(run_folder) == unbroken


def test_with_both_checkpoints_damaged_a_run_is_refused_in_one_line(run_folder):
    cut(run_folder / CHECKPOINT)
    cut(run_folder / BEFORE)
    status, said = resume(run_folder)
    assert status == 2
    assert said.count("\n") == 1
    assert BEFORE in said
    (run_folder / BEFORE).unlink()
    status, said = resume(run_folder)
    assert (status, said.count("\n"), CHECKPOINT in said) == (2, 1, True)


def test_weights_that_are_no_numbers_are_refused(run_folder):
    content = load_checkpoint(run_folder / CHECKPOINT)
    content["networks"]["policy"]["layers.0.bias"][3] = torch.nan
    save_checkpoint(run_folder / CHECKPOINT, content)
    with pytest.raises(CheckpointError, match=r"networks/policy/layers\.0\.bias .*not finite"):
        load_network_bot(run_folder / CHECKPOINT)


def test_a_checkpoint_of_another_version_is_refused(run_folder):
    for name in (CHECKPOINT, BEFORE):
        file = torch.load(run_folder / name, weights_only=True)
        torch.save({**file, "versions": {**file["versions"], "rules": 99}}, run_folder / name)
    status, said = resume(run_folder)
    assert (status, said.count("\n"), "'rules': 99" in said) == (2, 1, True)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-20]),
        lambda path: path.write_bytes(b"\xff\xfe\x00 garbage\n" + path.read_bytes()),
        lambda path: path.write_text('7\n[1]\n{"decisions": "many", "kind": 3}\n' + path.read_text()),
    ],
)
def test_a_damaged_log_does_not_hinder(run_folder, damage):
    damage(run_folder / LOG)
    status, said = resume(run_folder)
    assert status == 0, said
    assert [entry["decisions"] for entry in read_log(run_folder / LOG)][-1] == SHORT.decisions


@pytest.mark.parametrize(
    ("place", "number"),
    [
        ("training.rollout.Rollout.collect", 1),
        ("training.train.save", 1),
        ("training.train.save_bot_file", 1),
        ("training.trainer.save_checkpoint", 1),
        ("training.runlog.RunLog.evaluation", 1),
        ("training.runlog.Board.write", 1),
        ("training.train.plot_learning_curve", 1),
        ("training.train.write_rows", 1),
    ],
)
def test_a_disk_that_is_full_is_said_in_one_line_and_the_last_checkpoint_is_good(run_folder, unbroken, place, number):
    status, said = resume(run_folder, dying.full_disk_at, place, number)
    fault = [line for line in said.splitlines() if line.startswith("piquet train: ")]
    assert (status, len(fault)) == (2, 1), said
    assert "File too large" in fault[0], "the limit that stands for a full disk"
    load_checkpoint(run_folder / CHECKPOINT)
    assert not list(run_folder.glob(".*.tmp"))
    assert resume(run_folder)[0] == 0
    assert result_of(run_folder) == unbroken


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_cannot_be_written_to_is_said_in_one_line(run_folder):
    run_folder.chmod(0o500)
    status, said = resume(run_folder)
    run_folder.chmod(0o700)
    assert (status, said.count("\n"), "Permission denied" in said) == (2, 1, True)


# ------------------------------------------------------------------ extreme numbers


def test_extreme_weights_rewards_and_steps_give_nothing_that_is_not_finite_or_not_legal():
    """A short form of `python tests/soak_training.py --decisions 10000000`."""
    for done, seen in soak_training.soak(130_000, seed=1):  # noqa: B007 (the last is looked at)
        pass
    assert done >= 130_000
    assert list(seen) == list(soak_training.SETTINGS)
    assert max(setting["largest weight"] for setting in seen.values()) > 1e5
    assert max(setting["furthest log-probability"] for setting in seen.values()) > 1e4
    assert sum(setting.get("checkpoints", 0) for setting in seen.values()) > 5


def test_whatever_the_weights_a_bot_plays_legal_moves():
    """Not even numbers: what no run can come to, as gradients that are not finite are not learnt from."""
    trainer = Trainer(replace(TINY, games=50))
    views = views_of(trainer.rollout.env.rows)
    for value in (torch.nan, torch.inf, -torch.inf, 3e38):
        for parameter in trainer.networks.policy.parameters():
            parameter.data.fill_(value)
        soak_training.check_policy("bot", trainer.bot().probabilities(views), views.mask)
        for head in ("softmax", "greedy"):
            actions = NetworkBot(trainer.networks.policy, head, True).act(views, np.random.default_rng(0))
            assert views.mask[np.arange(50), actions].all()


def test_a_trained_policy_with_large_logits_goes_on(tmp_path):
    """That acting and learning agree to 1e-5 is asked of the first update: rounding of large logits is more."""
    trainer = Trainer(replace(TINY, symmetry="none"))
    trainer.step()
    with torch.no_grad():
        trainer.networks.policy.layers[-1].weight.mul_(3e5)
    trainer.save(tmp_path / "c.pt")
    Trainer.resume(tmp_path / "c.pt").step()
