"""Random games of every ruleset as digests, for comparing ways of running the engine; also a program.

    python tests/random_play.py DEALS

prints a JSON object: whether the functions are compiled, whether bounds are checked, and a digest for each ruleset.
"""

import hashlib
import json
import random
import sys

import helpers
import numpy as np

from piquet_env import SelfPlayVectorEnv, knowledge
from piquet_env.engine import compiled
from piquet_env.engine import layout as at
from piquet_env.rules import RULESETS, Rules


def all_rules() -> dict[str, Rules]:
    """Every ruleset, and some odd rules."""
    return RULESETS | {f"odd {seed}": helpers.odd_rules(seed) for seed in (1, 2, 3, 4)}


def digest(rules: Rules, deals: int) -> str:
    """Of the rows, the legal actions, the vectors and the hidden rows of random play, and of a batch."""
    seen, rng = hashlib.sha256(), random.Random(f"{deals}")
    for number in range(deals):
        row = helpers.new_row(rules, partie=number % 2 == 1, seed=number * 0x123456789ABCDEF % 2**63)
        for step, (actions, _) in enumerate(helpers.walk(row, rng, deals=1)):
            seen.update(row.tobytes() + bytes(actions))
            if step % 4 == 0 or row[at.PHASE] == at.DEAL_OVER:
                _look(row, seen)
    _batch(rules, 10 * deals, seen)
    return seen.hexdigest()


def _look(row, seen) -> None:
    for player in (0, 1):
        seen.update(knowledge.state(row, player).tobytes())
        seen.update(knowledge.action_mask(row, player).tobytes())
        seen.update(helpers.hidden(row, player).tobytes())


def _batch(rules, steps, seen) -> None:
    for skip_forced in (False, True):
        env = SelfPlayVectorEnv(3, rules, "partie", seed=5, skip_forced=skip_forced)
        _, info = env.reset()
        for step in range(steps):
            legal = [np.flatnonzero(mask) for mask in info["action_mask"]]
            actions = [actions[(step + 5) ** 2 % len(actions)] for actions in legal]
            observation, reward, terminated, truncated, info = env.step(actions)
            for array in (observation, reward, terminated, truncated, env.full_state(), env.known_rows(), env.rows):
                seen.update(array.tobytes())


@compiled.compiled
def _item(array, place):
    return array[place]


def bounds_are_checked() -> bool:
    """Whether reading far outside of an array is noticed."""
    try:
        _item(np.zeros(3, np.int64), 7)
    except IndexError:
        return True
    return False


def digests(deals: int) -> dict[str, str]:
    return {name: digest(rules, deals) for name, rules in all_rules().items()}


if __name__ == "__main__":
    answer = {"jit": compiled.JIT, "cache": str(compiled.CACHE), "bounds": bounds_are_checked()}
    print(json.dumps(answer | {"digests": digests(int(sys.argv[1]))}))
