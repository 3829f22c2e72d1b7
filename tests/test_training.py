"""Training: advantages by hand, one masked softmax, checkpoints, resuming, the command, and that it learns."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")

from commands import run_command
from trainers import TINY

from piquet_env.bots.base import views_of
from piquet_env.engine import layout as at
from piquet_env.files import locked
from piquet_env.knowledge.features import PHASE
from training.algorithms import Minibatch
from training.bot import NetworkBot, load_network_bot
from training.checkpoint import CheckpointError, checksum, load_checkpoint, save_checkpoint
from training.config import as_dict
from training.network import PolicyNetwork, masked_log_probabilities, normalised_entropy
from training.returns import advantages_per_player
from training.runlog import MEASURES
from training.trainer import LARGEST_FIRST_CHANGE, Trainer, TrainingError


def naive_advantages(reward, done, player, value, last_value, lam):
    """One game at a time, from the definition: a player's own decisions, and what each brought until his next."""
    steps, games = reward.shape
    out = np.zeros((steps, games))
    for g in range(games):
        for me in (0, 1):
            sign = 1 if me == 0 else -1
            mine = [t for t in range(steps) if player[t, g] == me]
            for i, t in enumerate(mine):
                total, weight, now = 0.0, 1.0, t
                for later in [*mine[i + 1 :], None]:
                    stop = steps if later is None else later
                    ends = [u for u in range(now, stop) if done[u, g]]
                    last = ends[0] if ends else stop - 1
                    gained = sign * sum(reward[u, g] for u in range(now, last + 1))
                    if ends:
                        after = 0.0
                    elif later is None:
                        after = last_value[g] if player[steps, g] == me else -last_value[g]
                    else:
                        after = value[later, g]
                    total += weight * (gained + after - value[now, g])
                    weight *= lam
                    if ends or later is None:
                        break
                    now = later
                out[t, g] = total
    return out


@pytest.mark.parametrize("lam", [0.0, 0.7, 1.0])
def test_advantages_are_those_of_each_player(lam):
    rng = np.random.default_rng(5)
    steps, games = 30, 12
    reward = (rng.normal(size=(steps, games)) * (rng.random((steps, games)) < 0.3)).astype(np.float32)
    done = rng.random((steps, games)) < 0.12
    player = rng.integers(0, 2, (steps + 1, games))
    value = rng.normal(size=(steps, games)).astype(np.float32)
    last = rng.normal(size=games).astype(np.float32)
    fast = advantages_per_player(reward, done, player, value, last, lam)
    assert np.allclose(fast, naive_advantages(reward, done, player, value, last, lam), atol=1e-4)


def test_with_lambda_1_the_advantage_is_the_return_less_the_value():
    # Two decisions of player_0, one of player_1 between them, then the deal ends with -3 for player_0.
    reward = np.array([[0.0], [0.0], [-3.0]], np.float32)
    done = np.array([[False], [False], [True]])
    player = np.array([[0], [1], [0], [1]])
    value = np.array([[0.5], [0.25], [-1.0]], np.float32)
    advantage = advantages_per_player(reward, done, player, value, np.array([9.0], np.float32), 1.0)
    assert advantage[:, 0].tolist() == [-3.5, 2.75, -2.0]


def test_illegal_actions_have_probability_zero_and_extreme_logits_give_no_nan():
    logits = torch.tensor([[1e8, -1e8, 3.0], [0.0, 1e30, -1e30], [-3e38, -3e38, 3e38]])
    mask = torch.tensor([[False, True, True], [True, False, True], [True, True, False]])
    logits.requires_grad_(True)
    log_probabilities = masked_log_probabilities(logits, mask)
    assert (log_probabilities.exp()[~mask] == 0).all()
    assert torch.allclose(log_probabilities.exp().sum(-1), torch.ones(3))
    entropy = normalised_entropy(log_probabilities, mask)
    (entropy.sum() + log_probabilities[mask].sum()).backward()
    assert torch.isfinite(entropy).all()
    assert torch.isfinite(logits.grad).all()


def test_normalised_entropy_is_one_for_a_uniform_policy_whatever_the_number_of_actions():
    mask = torch.zeros(3, 80, dtype=torch.bool)
    mask[0, :2] = True
    mask[1, :13] = True
    mask[2, :1] = True
    entropy = normalised_entropy(masked_log_probabilities(torch.zeros(3, 80), mask), mask)
    assert torch.allclose(entropy, torch.tensor([1.0, 1.0, 0.0]))


def minibatch(trainer: Trainer, update: int = 0) -> Minibatch:
    batch, _ = trainer.rollout.collect(update)
    return batch.minibatch(np.arange(len(batch.action)), torch.device("cpu"))


@pytest.mark.parametrize("symmetry", ["canonical", "none"])
def test_acting_and_learning_agree_on_every_probability(symmetry):
    trainer = Trainer(replace(TINY, symmetry=symmetry))
    with torch.no_grad():
        trainer.networks.policy.layers[-1].weight.mul_(100)  # far from uniform
    mini = minibatch(trainer)
    again = masked_log_probabilities(trainer.networks.policy(mini.state), mini.mask)
    assert mini.mask.gather(-1, mini.action[:, None]).all()
    assert torch.allclose(again.exp(), mini.acting.exp(), atol=1e-5)
    chosen = mini.acting.gather(-1, mini.action[:, None]).exp()
    assert chosen.max() - chosen.min() > 0.3


def test_whether_acting_and_learning_agree_is_checked_before_anything_is_learnt(monkeypatch):
    monkeypatch.setitem(LARGEST_FIRST_CHANGE, "float32", -1.0)  # what nothing keeps to
    with pytest.raises(TrainingError, match="disagree"):
        Trainer(TINY).step()


def test_random_auctions_are_played_and_not_learnt_from():
    trainer = Trainer(replace(TINY, play_first=1.0, games=64))
    trainer.rollout.random_share = trainer.random_share
    mini = minibatch(trainer)
    assert len(mini.action) > 0
    assert not mini.state[:, PHASE].any(), "no decision of an auction"
    assert not (trainer.rollout.env.rows[:, at.PHASE] == at.AUCTION).all()


def test_resuming_gives_the_same_weights_bit_for_bit(tmp_path):
    whole = Trainer(TINY)
    for _ in range(3):
        whole.step()
    first = Trainer(TINY)
    first.step()
    first.save(tmp_path / "c.pt")
    second = Trainer.resume(tmp_path / "c.pt")
    for _ in range(2):
        second.step()
    assert (whole.decisions, whole.updates) == (second.decisions, second.updates)
    for name, tensor in whole.networks.state_dict().items():
        assert torch.equal(tensor, second.networks.state_dict()[name]), name


def test_a_checkpoint_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "c.pt"
    save_checkpoint(path, {"a": torch.ones(3)})
    before = path.read_bytes()

    def full_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(OSError, match="No space"):
        save_checkpoint(path, {"a": torch.zeros(3)})
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["c.pt"]


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")  # torch's, of the pickle that is none of its own
def test_files_that_are_no_checkpoint_are_refused(tmp_path):
    path = tmp_path / "c.pt"
    Trainer(TINY).save(path)
    good = path.read_bytes()
    damaged = {"cut": good[: len(good) // 2], "junk": b"junk" * 99, "empty": b"", "pickle": b"\x80\x04."}
    for name, content in damaged.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(CheckpointError, match=name):
            load_network_bot(tmp_path / name)
    with pytest.raises(CheckpointError, match="absent"):
        load_checkpoint(tmp_path / "absent")
    torch.save({"model": torch.ones(2)}, tmp_path / "foreign")
    with pytest.raises(CheckpointError, match="no checkpoint of this project"):
        load_checkpoint(tmp_path / "foreign")
    file = torch.load(path, weights_only=True)
    for changed, what in (
        ({"versions": {**file["versions"], "observation": 99}}, "'observation': 99"),
        ({"versions": 7}, "versions"),
        ({"content": {**file["content"], "decisions": 7}}, "checksum"),
        ({"content": 7}, "no checkpoint of this project"),
    ):
        torch.save({**file, **changed}, tmp_path / "changed")
        with pytest.raises(CheckpointError, match=what):
            load_network_bot(tmp_path / "changed")
    for changed, what in (({"networks": {"policy": {}}}, "does not fit"), ({"config": {"width": "wide"}}, "width")):
        save_checkpoint(tmp_path / "changed", {**file["content"], **changed})
        with pytest.raises(CheckpointError, match=what):
            load_network_bot(tmp_path / "changed")
    rows = torch.full_like(file["content"]["rollout"]["rows"], 10**6)
    for changed in ({"decisions": "many"}, {"rollout": 7}, {"rollout": {**file["content"]["rollout"], "rows": rows}}):
        save_checkpoint(tmp_path / "changed", {**file["content"], **changed})
        with pytest.raises(CheckpointError, match="cannot be gone on with"):
            Trainer.resume(tmp_path / "changed")


def test_one_flipped_bit_is_noticed(tmp_path):
    path = tmp_path / "c.pt"
    Trainer(TINY).save(path)
    whole = path.read_bytes()
    weights = load_checkpoint(path)["networks"]["policy"]["layers.0.weight"].numpy().tobytes()
    place = whole.index(weights) + len(weights) // 2
    path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    with pytest.raises(CheckpointError, match="checksum"):
        load_network_bot(path)


def test_gradients_that_are_not_finite_end_the_run_and_are_not_learnt_from():
    trainer = Trainer(TINY)
    before = checksum(trainer.networks.policy.state_dict())
    trainer.networks.critic.layers[-1].bias.register_hook(lambda gradient: gradient * torch.inf)
    with pytest.raises(TrainingError, match="was finite"):
        trainer.step()
    assert checksum(trainer.networks.policy.state_dict()) == before


def test_so_they_do_where_most_minibatches_are_empty():
    trainer = Trainer(replace(TINY, minibatch=1))
    trainer.networks.critic.layers[-1].bias.register_hook(lambda gradient: gradient * torch.inf)
    with pytest.raises(TrainingError, match="was finite"):
        trainer.step()


def test_the_network_as_a_bot_plays_its_probabilities_and_only_legal_actions():
    trainer = Trainer(replace(TINY, games=200))
    views = views_of(trainer.rollout.env.rows)
    bot = trainer.bot()
    probabilities = bot.probabilities(views)
    assert np.allclose(probabilities.sum(-1), 1, atol=1e-5)
    assert (probabilities[views.mask == 0] == 0).all()
    rng = np.random.default_rng(0)
    for _ in range(20):
        actions = bot.act(views, rng)
        assert views.mask[np.arange(len(actions)), actions].all()

    class LastRandom:  # the largest number that random() gives, and the smallest
        def __init__(self, value):
            self.value = value

        def random(self, shape):
            return np.full(shape, self.value)

    for value in (0.0, 1 - 2**-53):
        actions = bot.act(views, LastRandom(value))
        assert views.mask[np.arange(len(actions)), actions].all()


# ------------------------------------------------------------------ the command


def piquet(*arguments: object, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "piquet_env.cli", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, **options)


@pytest.fixture
def tiny_config(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.yaml"
    path.write_text(json.dumps(as_dict(TINY)))  # JSON is YAML
    return path


def test_a_run_ends_with_table_picture_log_and_a_bot_that_others_can_name(tiny_config):
    folder = tiny_config.parent
    done = piquet("train", tiny_config, "--out", "here", cwd=folder)
    assert done.returncode == 0, done.stderr
    for words in ("random", "greedy", "95 % interval", "bot.safetensors"):
        assert words in done.stdout
    assert (folder / "here/learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert list((folder / "here").glob("events.out.tfevents.*"))
    entries = [json.loads(line) for line in (folder / "here/log.jsonl").read_text().splitlines()]
    assert [e["decisions"] for e in entries if e["kind"] == "update"] == [128, 256, 384]
    assert [e["decisions"] for e in entries if e["kind"] == "evaluation"] == [0, 256, 384]
    assert {name for e in entries if e["kind"] == "update" for name in e} - {"kind"} <= set(MEASURES)
    results = json.loads((folder / "here/results.json").read_text())
    assert [r["against"] for r in results["results"]] == ["random", "greedy"]
    assert list(results["provenance"]["weights"].values()) == [load_network_bot(folder / "here/bot.safetensors").sha256]
    match = piquet("evaluate", "here/checkpoint.pt", "random", "--deals", 5, "--json", cwd=folder)
    assert match.returncode == 0, match.stderr
    assert json.loads(match.stdout)["results"][0]["bot"] == "here/checkpoint.pt"
    again = piquet("train", tiny_config, "--out", "here", cwd=folder)
    assert again.returncode == 2
    assert "--resume" in again.stderr


def test_without_a_file_a_run_has_a_name_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    given = ["--decisions", "384", "--games", "16", "--steps", "8", "--width", "16", "--depth", "1", "--threads", "1"]
    given += ["--evaluate-deals", "2", "--final-deals", "2", "--opponents", "random"]
    for name in ("train", "train-2"):
        status, out, err = run_command(capsys, "train", *given)
        assert (status, err) == (0, "")
        assert f"train -> runs/{name}: 384 decisions of auction" in out
        assert Path("runs", name, "bot.safetensors").exists()


def test_a_name_may_hold_brackets_and_no_run_is_written_over(tiny_config, monkeypatch, capsys):
    monkeypatch.chdir(tiny_config.parent)
    Path("a[b].yaml").write_text(tiny_config.read_text())
    for folder in ("runs/a[b]", "runs/a[b]-2"):
        status, out, err = run_command(capsys, "train", "a[b].yaml", "--opponents", "random")
        assert (status, err) == (0, "")
        assert f"{folder}/results.json" in out
    status, out, _ = run_command(capsys, "train", "a[b].yaml", "--opponents", "random", "--resume")
    assert (status, "runs/a[b]-2/results.json" in out) == (0, True)


def test_a_folder_is_one_runs_alone(tiny_config, monkeypatch, capsys):
    monkeypatch.chdir(tiny_config.parent)
    Path("here").mkdir()
    with locked(Path("here")):
        status, _, err = run_command(capsys, "train", "tiny.yaml", "--out", "here")
        assert (status, err) == (2, "piquet train: here: another process is at the run in it\n")
    assert run_command(capsys, "train", "tiny.yaml", "--out", "here")[0] == 0


def test_a_full_disk_is_said_in_one_line_and_leaves_nothing_half_written(tiny_config):
    resource = pytest.importorskip("resource", reason="limits are POSIX's")
    small = 50_000  # bytes a file; the log fits, the checkpoint does not

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (small, small))

    done = piquet("train", tiny_config, "--out", "full", cwd=tiny_config.parent, preexec_fn=limit)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("piquet train: ")
    assert "Traceback" not in done.stderr
    assert not list((tiny_config.parent / "full").glob("*checkpoint*"))


@pytest.mark.long
def test_ctrl_c_saves_and_resuming_gives_what_an_unbroken_run_gives(tiny_config):
    folder = tiny_config.parent
    long = ["--decisions", 128 * 40, "--opponents", "random"]
    command = [sys.executable, "-m", "piquet_env.cli", "train", str(tiny_config), "--out", "broken", *map(str, long)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        log = folder / "broken/log.jsonl"
        while process.poll() is None and not (log.exists() and log.read_text().count("update") >= 3):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert "Traceback" not in err
    assert process.returncode == 130, (out, err)
    assert "--resume" in out
    other = piquet("train", tiny_config, "--out", "broken", "--resume", *long, "--clip", "0.3", cwd=folder)
    assert other.returncode == 2
    assert "clip" in other.stderr
    resumed = piquet("train", tiny_config, "--out", "broken", "--resume", *long, cwd=folder)
    assert resumed.returncode == 0, resumed.stderr
    whole = piquet("train", tiny_config, "--out", "whole", *long, cwd=folder)
    assert whole.returncode == 0, whole.stderr
    broken, unbroken = (load_network_bot(folder / name / "checkpoint.pt") for name in ("broken", "whole"))
    assert broken.sha256 == unbroken.sha256
    updates = [e["decisions"] for e in map(json.loads, log.read_text().splitlines()) if e["kind"] == "update"]
    assert updates == [128 * (n + 1) for n in range(40)], "nothing is logged twice"


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["absent.yaml"], "absent.yaml"),
        (["tiny.yaml", "--decisions", "-5"], "decisions"),
        (["tiny.yaml", "--rules", "bridge"], "bridge"),
        (["tiny.yaml", "--opponents", "nobody"], "nobody"),
        (["tiny.yaml", "--resume"], "--resume"),
        (["tiny.yaml", "--out", "tiny.yaml"], "tiny.yaml"),
        (["tiny.yaml", "--out", "/proc/here"], "/proc/here"),
        (["tiny.yaml", "--decisionz", "5"], "decisionz"),
        (["tiny.yaml", "--width", "three"], "width: expected a number, got 'three'"),
        (["tiny.yaml", "--skip-forced", "maybe"], "skip_forced: expected true or false, got 'maybe'"),
        (["tiny.yaml", "--settings", "{1"], "settings: expected a JSON object"),
        (["tiny.yaml", "--imitate", "gredy", "--imitate-decisions", "9"], "imitate: unknown bot 'gredy'"),
    ],
)
def test_a_bad_command_line_is_refused_before_anything_is_made(tiny_config, capsys, monkeypatch, arguments, what):
    monkeypatch.chdir(tiny_config.parent)
    status, _, err = run_command(capsys, "train", *arguments)
    assert status == 2
    assert what in err
    assert "Traceback" not in err
    assert not (tiny_config.parent / "runs").exists()


def test_a_networks_policy_is_measured_exactly():
    """An untrained one plays nearly at random; and it is the same in both seats."""
    from piquet_env.bots.random import RandomBot
    from piquet_env.exact import exploitability

    rules = {"base": "micro", "ranks": "KA", "hand_size": 1, "highest_level": 1}
    torch.manual_seed(3)
    bot = NetworkBot(PolicyNetwork(16, 1), "softmax", canonical=True)
    one, both = exploitability(bot, rules, dealers=(0,)), exploitability(bot, rules)
    assert one.exploitability == pytest.approx(both.exploitability)
    assert both.exploitability == pytest.approx(exploitability(RandomBot(), rules).exploitability, rel=0.2)
    assert both.value[0] == pytest.approx(both.value[1][::-1])
