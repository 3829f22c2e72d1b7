"""Playing SelfPlayVectorEnv, for several test files."""

import numpy as np

from piquet_env import SelfPlayVectorEnv


def pick(mask: np.ndarray, step: int) -> np.ndarray:
    """A legal action in each game that depends on the game's mask and the step alone, and passes now and then."""
    chosen = np.zeros(len(mask), np.int64)
    for i, row in enumerate(mask):
        legal = np.flatnonzero(row)
        chosen[i] = legal[(7919 * step + 31 * int(legal.sum()) + len(legal)) % len(legal)]
    return chosen


def play(env: SelfPlayVectorEnv, steps: int, seed=None) -> list[dict[str, np.ndarray]]:
    """Everything that the environment hands out, copied."""
    observation, info = env.reset(seed=seed)
    seen = [_copied(observation, info)]
    for step in range(steps):
        observation, reward, terminated, truncated, info = env.step(pick(info["action_mask"], step))
        seen.append(_copied(observation, info, reward=reward, terminated=terminated, truncated=truncated))
    return seen


def _copied(observation, info, **arrays):
    """Without what is not valid."""
    kept = {name: np.copy(array) for name, array in {"observation": observation, **info, **arrays}.items()}
    kept["finished"][~kept["deal_over"]] = 0
    kept["final_obs"][~kept["_final_obs"]] = 0
    return kept


def assert_same(first, second, part=slice(None)):
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        assert one.keys() == other.keys()
        for name in one:
            assert np.array_equal(one[name][part], other[name]), name
