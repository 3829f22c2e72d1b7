"""The examples of training/examples run to their end; whether they learn is asked in tests/learn_examples.py."""

import importlib
import re
import runpy
import subprocess
import sys

import numpy as np
import pytest

from training.examples.extras import needed

LIBRARIES = {"cleanrl_ppo": "torch", "maskable_ppo": "sb3_contrib", "torchrl_ppo": "torchrl", "rllib_ppo": "ray.rllib"}
EVERY = LIBRARIES | {"openspiel_cfr": "pyspiel"}
EXAMPLES, EXTRAS = "examples", {"cleanrl_ppo": "train", "rllib_ppo": "ray"}
NUMBER = r"[+-]\d+\.\d"
INTERVAL = rf"{NUMBER} \[{NUMBER}, {NUMBER}\]"
REPORT = rf"\w+: points per deal against random: before {INTERVAL}, after {INTERVAL}, gain {INTERVAL}"


def run_example(name, *options):
    command = [sys.executable, "-m", f"training.examples.{name}", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.long
@pytest.mark.parametrize("name", LIBRARIES)
def test_an_example_runs_to_its_end(name, tmp_path):
    pytest.importorskip(LIBRARIES[name], reason="pip install 'piquet-env[examples]', or [ray] for RLlib")
    made = tmp_path / "made.zip"
    done = run_example(name, "--rules", "micro", "--decisions", "4000", "--deals", "20", "--out", str(made))
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(REPORT, done.stdout.splitlines()[-1]), done.stdout
    assert "Traceback" not in done.stderr
    assert made.exists()


@pytest.mark.parametrize("name", EVERY)
def test_an_example_says_what_its_options_are(name):
    pytest.importorskip(EVERY[name], reason="pip install 'piquet-env[examples]', or [ray] for RLlib")
    done = run_example(name, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: python -m training.examples.{name} ")
    assert ("--iterations" if name == "openspiel_cfr" else "--decisions") in done.stdout


@pytest.mark.parametrize("name", EVERY)
def test_without_its_library_an_example_says_what_to_install(name, monkeypatch, capsys):
    pytest.importorskip("torch", reason="pip install 'piquet-env[train]'")
    library = EVERY[name].partition(".")[0]
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"training.examples.{name}", raising=False)  # run as if it were the first import
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(f"training.examples.{name}", run_name="__main__")
    assert ended.value.code == 2
    how = f"pip install 'piquet-env[{EXTRAS.get(name, EXAMPLES)}]'"
    assert capsys.readouterr().err == f"error: this example needs {library}, which is not installed: {how}\n"


def test_a_fault_of_our_own_is_not_said_to_be_a_missing_library():
    with pytest.raises(ModuleNotFoundError, match=r"piquet_env\.nothing"), needed("train"):
        importlib.import_module("piquet_env.nothing")


def test_an_interrupted_example_ends_without_a_traceback(monkeypatch):
    pytest.importorskip("torch", reason="pip install 'piquet-env[train]'")
    from training.examples import cleanrl_ppo, measure

    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["cleanrl_ppo"])
    with pytest.raises(SystemExit) as ended:
        measure.run(interrupted, cleanrl_ppo.Options)
    assert ended.value.code == 130


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--rules", "whist", "unknown ruleset 'whist'"),
        ("--decisions", "0", "decisions: expected at least 1, got 0"),
        ("--deals", "1", "deals: expected at least 2, got 1"),
        ("--learning-rate", "nan", "learning_rate: expected 0 or more, got nan"),
        ("--entropy", "-0.1", "entropy: expected 0 or more, got -0.1"),
        ("--seed", "-1", "seed: expected 0 to 2**31 - 1, got -1"),
        ("--out", "nowhere/made", "out: nowhere: no such folder"),
        ("--out", ".", "out: .: exists already"),
    ],
)
def test_bad_options_are_refused_in_one_line(option, value, said, monkeypatch, capsys):
    pytest.importorskip("torch", reason="pip install 'piquet-env[train]'")
    from training.examples import cleanrl_ppo, measure

    monkeypatch.setattr(sys, "argv", ["cleanrl_ppo", option, value])
    with pytest.raises(SystemExit) as ended:
        measure.run(cleanrl_ppo.main, cleanrl_ppo.Options)
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert said in line


def test_advantages_of_the_cleanrl_example_are_those_of_the_trainer():
    """Its critic gives the value for the player to act; the trainer's function keeps two accounts instead."""
    torch = pytest.importorskip("torch", reason="pip install 'piquet-env[train]'")
    from training.examples.cleanrl_ppo import Agent, Options, Rollouts
    from training.returns import advantages_per_player

    rng = np.random.default_rng(0)
    steps, games = 40, 30
    gained = rng.normal(size=(steps, games)).astype(np.float32)  # by player_0
    done, player = rng.random((steps, games)) < 0.1, rng.integers(2, size=(steps + 1, games))
    value = rng.normal(size=(steps + 1, games)).astype(np.float32)
    expected = advantages_per_player(gained, done, player, value[:-1], value[-1], 1.0)
    rollouts = Rollouts(Options(rules="micro", games=games, gae_lambda=1.0), Agent())
    of_who_acted = np.where(player[:-1] == 0, gained, -gained)
    found = rollouts._advantages(*map(torch.from_numpy, (of_who_acted, done, value, player)))
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-4)
