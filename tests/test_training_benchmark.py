"""`piquet benchmark --training`: what it measures really happens, and what it says."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")

from commands import run_command
from trainers import TINY

from piquet_env.benchmark import training as found
from piquet_env.benchmark.options import BenchmarkError
from training import benchmark

SMALL = ("--games", "12", "--steps", "8", "--repeats", "2", "--seconds", "0", "--threads", "1")
SIZES = replace(TINY, decisions=10**9, play_first=0.0)
NAMES = ["training", "training-network", "training-processes-1", "training-processes-2"]


@pytest.fixture
def small(monkeypatch) -> None:
    """The trainer's measures as they are found, but of a small one."""
    monkeypatch.setattr(benchmark, "SIZES", SIZES)
    monkeypatch.setattr("training.benchmark.cores", lambda: 2)
    point = EntryPoint(found.NAME, "training.benchmark:measures", found.GROUP)
    monkeypatch.setattr(found, "entry_points", lambda group, name: [point])


@pytest.mark.long
def test_the_trainers_rates_and_ratios(capsys, small):
    status, out, _ = run_command(capsys, "benchmark", *SMALL, "--training", "--only", *NAMES, "--json")
    assert status == 0
    made = json.loads(out)
    assert list(made["rates"]) == NAMES
    assert set(made["ratios"]) == {"training/training-network", "training-processes-2/training-processes-1"}
    for name in NAMES:
        low, high = made["ranges"][name]
        assert 0 < low <= made["rates"][name] <= high
    assert "--training" in made["command"]


def test_the_measures_do_what_they_say(monkeypatch):
    monkeypatch.setattr("training.benchmark.cores", lambda: 1)
    with benchmark.measures(1, SIZES) as made:
        counts = [measure.run().count for measure in made]
    assert counts == [128, 128], "with one core there is nothing for a second process"
    alone = benchmark.NetworksAlone(SIZES)
    learnt = sum(len(minibatch.action) for minibatch in alone.minibatches)
    assert 64 < learnt <= 128
    before = [p.detach().clone() for p in alone.trainer.networks.parameters()]
    alone.update()
    after = list(alone.trainer.networks.parameters())
    assert not any(torch.equal(a, b) for a, b in zip(before, after, strict=True)), "all that is learnt is moved"


def test_a_package_that_is_not_there_is_said(capsys, monkeypatch):
    monkeypatch.setattr(found, "entry_points", lambda group, name: [])
    status, out, err = run_command(capsys, "benchmark", *SMALL, "--training")
    assert (status, out) == (2, "")
    assert "training: no installed package" in err
    point = EntryPoint(found.NAME, "no_such_library:measures", found.GROUP)
    monkeypatch.setattr(found, "entry_points", lambda group, name: [point])
    with ExitStack() as stack, pytest.raises(BenchmarkError, match=r"no_such_library is not installed: pip install"):
        found.training_measures(1, stack)
