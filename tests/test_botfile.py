"""A trained bot in one file: it plays as it did, and nothing else passes for one."""

from __future__ import annotations

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")

from safetensors.torch import save_file
from trainers import TINY

from piquet_env.bots import BotError, load_bot, views_of
from training.botfile import load_bot_file, save_bot_file
from training.checkpoint import CheckpointError
from training.config import as_dict
from training.train import save_bot
from training.trainer import Trainer


@pytest.fixture
def trainer() -> Trainer:
    made = Trainer(TINY)
    made.is_best(0.0)
    return made


@pytest.mark.parametrize("kind", ["bot.safetensors", "checkpoint.pt"])
def test_a_saved_bot_plays_with_the_same_probabilities(trainer, tmp_path, kind):
    save_bot(trainer, tmp_path / "bot.safetensors")
    trainer.save(tmp_path / "checkpoint.pt")
    views = views_of(trainer.rollout.env.rows)
    loaded = load_bot(str(tmp_path / kind))
    assert np.array_equal(loaded.probabilities(views), trainer.bot().probabilities(views))
    assert loaded.sha256 == trainer.bot().sha256


def test_a_bot_file_says_how_it_was_trained(trainer, tmp_path):
    save_bot(trainer, tmp_path / "bot.safetensors")
    weights, about = load_bot_file(tmp_path / "bot.safetensors")
    assert about["config"] == as_dict(TINY)
    assert (about["decisions"], about["head"]) == (0, "softmax")
    assert sum(tensor.numel() for tensor in weights.values()) * 4 < (tmp_path / "bot.safetensors").stat().st_size


def test_files_that_are_no_bot_are_refused(trainer, tmp_path):
    path = tmp_path / "bot.safetensors"
    save_bot(trainer, path)
    good = path.read_bytes()
    flipped = bytearray(good)
    flipped[-3] ^= 1
    cases = {"cut": good[:-100], "header": good[:50], "junk": b"junk" * 99, "empty": b"", "flipped": bytes(flipped)}
    for name, content in cases.items():
        (tmp_path / f"{name}.safetensors").write_bytes(content)
        with pytest.raises(BotError, match=rf"{name}\.safetensors"):
            load_bot(str(tmp_path / f"{name}.safetensors"))
    save_file({"a": torch.ones(2)}, tmp_path / "foreign.safetensors")
    with pytest.raises(BotError, match="no bot of this project"):
        load_bot(str(tmp_path / "foreign.safetensors"))
    with pytest.raises(BotError, match=r"no trained bot at .*absent\.safetensors"):
        load_bot(str(tmp_path / "absent.safetensors"))


def test_other_versions_other_networks_and_numbers_that_are_none_are_refused(trainer, tmp_path):
    path = tmp_path / "bot.safetensors"
    weights = trainer.best["policy"]
    about = {"config": as_dict(TINY), "decisions": 0, "head": "softmax"}
    for changed, what in (
        ({"versions": {"observation": 99}}, "versions"),
        ({"format": "piquet-bot/9"}, "no bot of this project"),
        ({"sha256": "0"}, "checksum"),
        ({"config": {**as_dict(TINY), "width": 32}}, "does not fit"),
        ({"config": 7}, "does not fit"),
    ):
        save_bot_file(path, weights, {**about, **changed})
        with pytest.raises(BotError, match=what):
            load_bot(str(path))
    name = next(iter(weights))
    save_bot_file(path, {**weights, name: torch.full_like(weights[name], float("nan"))}, about)
    with pytest.raises(CheckpointError, match="not finite"):
        load_bot_file(path)


def test_a_header_that_is_no_object_is_refused(tmp_path):
    header = json.dumps({"__metadata__": {"piquet": "[1]"}}).encode()
    (tmp_path / "odd.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(CheckpointError, match="no bot of this project"):
        load_bot_file(tmp_path / "odd.safetensors")
