"""Runs that begin with networks that there are already, and what runs compute in."""

from __future__ import annotations

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")

import yaml
from commands import run_command
from trainers import TINY, run_to_the_end

from training.checkpoint import checksum
from training.config import ConfigError, as_dict
from training.start import begin_with
from training.train import save_bot
from training.trainer import Trainer


@pytest.fixture
def made(tmp_path):
    """A run's folder with its last checkpoint, and a bot's file beside it; and the trainer."""
    trainer = run_to_the_end(TINY)
    trainer.is_best(0.0)
    trainer.save(tmp_path / "checkpoint.pt")
    save_bot(trainer, tmp_path / "bot.safetensors")
    return tmp_path, trainer


def weights(network) -> str:
    return checksum(network.state_dict())


def test_a_run_begins_with_the_networks_of_another(made):
    folder, before = made
    for start in (folder, folder / "checkpoint.pt"):
        trainer = Trainer(replace(TINY, seed=5, start=str(start)))
        begin_with(trainer, str(start))
        assert weights(trainer.networks) == weights(before.networks)
        assert checksum(trainer.optimizer.state_dict()["state"]) == checksum(before.optimizer.state_dict()["state"])
        assert trainer.decisions == trainer.updates == 0
        trainer.step()
        assert weights(trainer.networks.policy) != weights(before.networks.policy)


def test_of_a_bot_it_has_the_policy_alone(made):
    folder, before = made
    trainer = Trainer(replace(TINY, seed=5))
    new_critic = weights(trainer.networks.critic)
    begin_with(trainer, str(folder / "bot.safetensors"))
    assert weights(trainer.networks.policy) == weights(before.networks.policy)
    assert weights(trainer.networks.critic) == new_critic


@pytest.mark.parametrize(
    ("changes", "file", "what"),
    [
        ({"width": 8}, "checkpoint.pt", "made with width: 16, not 8"),
        ({"depth": 2}, "bot.safetensors", "made with depth: 1, not 2"),
        ({"symmetry": "none"}, "bot.safetensors", "made with symmetry: canonical, not none"),
        ({"critic_width": 8}, "checkpoint.pt", "made with critic_width: 16, not 8"),
        ({"critic": "observation"}, "", "made with critic: state, not observation"),
        ({"algorithm": "dmc"}, "bot.safetensors", "softmax head"),
        ({}, "none.pt", "No such file"),
        ({}, "text.pt", "no checkpoint"),
    ],
)
def test_networks_that_do_not_fit_are_refused(made, changes, file, what):
    folder, _ = made
    (folder / "text.pt").write_text("nothing")
    with pytest.raises(ConfigError, match="start: ") as refused:
        begin_with(Trainer(replace(TINY, **changes)), str(folder / file))
    assert what in str(refused.value)


def test_the_command_begins_so_and_goes_on_without_what_it_began_with(made, tmp_path, capsys):
    folder, _ = made
    config = tmp_path / "next.yaml"
    config.write_text(yaml.safe_dump({**as_dict(TINY), "start": str(folder), "evaluate_deals": 2, "final_deals": 2}))
    out = tmp_path / "next"
    assert run_command(capsys, "train", str(config), "--out", str(out))[0] == 0
    (folder / "checkpoint.pt").unlink()
    assert run_command(capsys, "train", str(config), "--out", str(out), "--resume")[0] == 0
    status, _, told = run_command(capsys, "train", str(config), "--out", str(tmp_path / "other"))
    assert status == 2
    assert "start: " in told
    assert not (tmp_path / "other").exists()


def test_bfloat16_is_for_the_hidden_layers_alone():
    trainer = Trainer(replace(TINY, precision="bfloat16", width=64, critic_width=64))
    states = torch.randint(0, 2, (32, trainer.networks.critic.inputs)).float()
    plain = trainer.networks.policy(states)
    with trainer.networks.computing():
        rough, value = trainer.networks.policy(states), trainer.networks.critic(states)
    assert plain.dtype == rough.dtype == value.dtype == torch.float32
    assert not torch.equal(plain, rough)
    assert torch.allclose(plain, rough, atol=0.02 * float(plain.detach().abs().max()))
    trainer.step()
    assert all(p.dtype == torch.float32 and torch.isfinite(p).all() for p in trainer.parameters)


def test_an_unknown_precision_is_refused():
    with pytest.raises(ConfigError, match="precision: expected one of float32, bfloat16, got 'half'"):
        replace(TINY, precision="half")
