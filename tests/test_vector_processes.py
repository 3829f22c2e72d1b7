"""SelfPlayVectorEnv: copies in mid-game, threads, and other processes."""

import copy
import multiprocessing
import os
import pickle

import pytest
from vectors import assert_same, pick, play

from piquet_env import SelfPlayVectorEnv

# ------------------------------------------------------------------ copies and processes


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("copied", [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy])
def test_a_copy_in_mid_game_goes_on_the_same(threads, copied):
    env = SelfPlayVectorEnv(8, "auction", "partie", seed=21, threads=threads)
    _, info = env.reset()
    for step in range(70):
        _, _, _, _, info = env.step(pick(info["action_mask"], step))
    twin = copied(env)
    mask = info["action_mask"].copy()
    first = _go_on(env, mask, 100)
    assert _go_on(twin, mask, 100) == first
    env.close()
    twin.close()


def _go_on(env, mask, steps) -> bytes:
    """Everything observed, and the last rows."""
    seen = b""
    for step in range(steps):
        observation, reward, _, _, info = env.step(pick(mask, step))
        mask = info["action_mask"]
        seen += observation.tobytes() + reward.tobytes()
    return seen + env.rows.tobytes()


def test_a_copy_before_the_first_reset():
    env = SelfPlayVectorEnv(3, "auction", seed=22)
    twin = pickle.loads(pickle.dumps(env))
    assert_same(play(env, 20), play(twin, 20))


def test_closing_ends_nothing_but_the_threads():
    env = SelfPlayVectorEnv(6, "auction", seed=23, threads=2)
    _, info = env.reset()
    env.close()
    env.close()
    env.step(pick(info["action_mask"], 0))
    env.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_works_in_a_forked_child(threads):
    """Stepped before the fork, so that the threads of the parent exist, and in both afterwards."""
    env = SelfPlayVectorEnv(16, "auction", "partie", seed=24, threads=threads)
    _, info = env.reset()
    _, _, _, _, info = env.step(pick(info["action_mask"], 0))
    mask = info["action_mask"].copy()
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=lambda: answers.put(_go_on(env, mask, 40)))
    child.start()
    of_child = answers.get(timeout=120)
    child.join(timeout=60)
    assert child.exitcode == 0
    assert of_child == _go_on(env, mask, 40)
    env.close()


def _in_another_process(arguments: dict, steps: int, answers) -> None:
    """A module's function, as spawn needs."""
    env = SelfPlayVectorEnv(**arguments)
    _, info = env.reset()
    answers.put(_go_on(env, info["action_mask"], steps))


def test_a_spawned_process_deals_the_same():
    arguments = {"num_envs": 4, "rules": "cavendish", "episode": "partie", "seed": 25}
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    child = context.Process(target=_in_another_process, args=(arguments, 50, answers))
    child.start()
    of_child = answers.get(timeout=300)
    child.join(timeout=60)
    assert child.exitcode == 0
    env = SelfPlayVectorEnv(**arguments)
    _, info = env.reset()
    assert of_child == _go_on(env, info["action_mask"], 50)
