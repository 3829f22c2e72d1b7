"""Does each example learn something, at its own budget? About five minutes; collected only when it is named:
python -m pytest -n 0 tests/learn_examples.py
"""

import importlib

import pytest

EXAMPLES = {  # the points per deal against `random` that it must be sure to exceed
    "cleanrl_ppo": 40,  # who always passes gets 35
    "maskable_ppo": 40,
    "torchrl_ppo": 20,  # greedy gets 36
    "rllib_ppo": 20,
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_learns(name):
    example = importlib.import_module(f"training.examples.{name}")
    learnt = example.main(example.Options())
    assert learnt.gain.low > 0
    assert learnt.after.low > EXAMPLES[name]
