"""Does each example learn something, at its own budget? About six minutes; collected only when it is named:
python -m pytest -n 0 tests/learn_examples.py
"""

import importlib

import pytest

EXAMPLES = {  # the points per deal against `random` that it must be sure to exceed
    "cleanrl_ppo": 37,  # who always passes gets 35 [33, 37]
    "maskable_ppo": 37,
    "torchrl_ppo": 20,  # greedy gets 36
    "rllib_ppo": 20,
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_learns(name):
    example = importlib.import_module(f"training.examples.{name}")
    learnt = example.main(example.Options())
    assert learnt.gain.low > 0
    assert learnt.after.low > EXAMPLES[name]


def test_the_example_of_openspiel_solves_its_game(capsys):
    example = importlib.import_module("training.examples.openspiel_cfr")
    example.main(example.Options())
    reached = [line.split(":") for line in capsys.readouterr().out.splitlines() if ": " in line and "CFR+" not in line]
    assert float(reached[0][1]) > 10
    assert max(float(number) for _, number in reached[-2:]) < 0.1  # by OpenSpiel's measure, and by ours
