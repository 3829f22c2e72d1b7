"""SelfPlayVectorEnv: copies in mid-game, threads, and another process; more of processes in test_processes.py."""

import copy
import gc
import itertools
import multiprocessing
import pickle
import threading

import numpy as np
import pytest
from vectors import assert_same, pick, play

from piquet_env import SelfPlayVectorEnv
from piquet_env.envs import vector

# ------------------------------------------------------------------ copies


def pickled(env: SelfPlayVectorEnv) -> SelfPlayVectorEnv:
    return pickle.loads(pickle.dumps(env))


def arrays_of(seen) -> list[np.ndarray]:
    """All that `reset` or `step` has returned."""
    return [*seen[:-1], *seen[-1].values()]


COPIED = (pickled, copy.deepcopy, copy.copy)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("copied", COPIED)
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
    twin = pickled(env)
    with pytest.raises(ValueError, match="reset"):
        twin.step(np.zeros(3, np.int64))
    assert_same(play(env, 20), play(twin, 20))


@pytest.mark.parametrize("options", [{}, {"skip_forced": True, "copy": True}, {"reward": "payment", "threads": 2}])
def test_pickled_at_every_step(options):
    """Whatever stands in a row: deals and parties that begin, go on and end."""
    env = SelfPlayVectorEnv(6, "micro", "partie", seed=27, **options)
    twin = pickled(env)
    expected, seen = env.reset(), twin.reset()
    for step in range(120):
        assert_same_arrays(expected, seen)
        actions = pick(expected[-1]["action_mask"], step)
        twin = pickled(twin)
        expected, seen = env.step(actions), twin.step(actions)
    assert env.rows.tobytes() == twin.rows.tobytes()


def assert_same_arrays(one, other):
    """Where they are valid."""
    over, ended = one[-1]["deal_over"], one[-1]["_final_obs"]
    valid = {"finished": over, "final_obs": ended}
    assert one[-1].keys() == other[-1].keys()
    for name in one[-1]:
        part = valid.get(name, slice(None))
        assert np.array_equal(one[-1][name][part], other[-1][name][part]), name
    for first, second in zip(one[:-1], other[:-1], strict=True):
        assert np.array_equal(first, second)


@pytest.mark.parametrize("copied", COPIED)
def test_a_copy_has_memory_of_its_own(copied):
    """And what the original has handed out stays what it is, and its own, for as long as it says."""
    env = SelfPlayVectorEnv(5, "auction", seed=28)
    seen = env.step(pick(env.reset()[-1]["action_mask"], 0))
    before = [array.copy() for array in arrays_of(seen)]
    twin, rows = copied(env), env.rows.copy()
    of_twin = [twin.step(pick(seen[-1]["action_mask"], 1))]
    of_twin += [twin.step(pick(of_twin[0][-1]["action_mask"], 2)), twin.reset()]
    assert all(np.array_equal(array, was) for array, was in zip(arrays_of(seen), before, strict=True))
    assert np.array_equal(env.rows, rows)
    ours, theirs = [env.rows, *arrays_of(seen)], [twin.rows, *itertools.chain(*map(arrays_of, of_twin))]
    assert not any(np.shares_memory(one, other) for one in ours for other in theirs)
    env.step(pick(seen[-1]["action_mask"], 1))  # overwritten by the second call after it only
    assert all(np.array_equal(array, was) for array, was in zip(arrays_of(seen), before, strict=True))


@pytest.mark.parametrize("copied", COPIED)
def test_the_rows_of_a_copy_are_to_read_only(copied):
    env = SelfPlayVectorEnv(2, "auction", seed=29)
    twin = copied(env)
    with pytest.raises(ValueError, match="read-only"):
        twin.rows[0, 0] = 1
    assert_same(play(twin, 5), play(env, 5))


def test_a_pickle_holds_the_games_and_little_else():
    """Not the arrays that are handed out, ten times as large."""
    small, large = (SelfPlayVectorEnv(games, "auction", seed=30) for games in (1, 501))
    grown = len(pickle.dumps(large)) - len(pickle.dumps(small))
    assert large.rows[1:].nbytes <= grown <= 1.1 * large.rows[1:].nbytes


# ------------------------------------------------------------------ threads


def threads_since(before: list[threading.Thread]) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread not in before]


def with_threads(seed: int) -> tuple[SelfPlayVectorEnv, np.ndarray, list[threading.Thread]]:
    """An environment after its reset, its masks, and its threads."""
    before = threading.enumerate()
    env = SelfPlayVectorEnv(6, "auction", seed=seed, threads=2)
    mask = env.reset()[1]["action_mask"]
    threads = threads_since(before)
    assert 1 <= len(threads) <= 2
    return env, mask, threads


def test_closing_ends_nothing_but_the_threads():
    env, mask, threads = with_threads(23)
    twin = SelfPlayVectorEnv(6, "auction", seed=23)
    twin.reset()
    for step in range(3):
        env.close()
        env.close()
        assert not any(thread.is_alive() for thread in threads)
        before, actions = threading.enumerate(), pick(mask, step)
        mask = env.step(actions)[-1]["action_mask"]
        twin.step(actions)
        threads = threads_since(before)
        assert threads
    env.close()
    assert env.rows.tobytes() == twin.rows.tobytes()


def test_without_threads_there_are_none():
    before = threading.enumerate()
    with_one = SelfPlayVectorEnv(6, "auction", seed=31, threads=1)
    play(with_one, 5)
    alone = SelfPlayVectorEnv(1, "auction", seed=31, threads=9)  # no more threads than games
    play(alone, 5)
    pickled(with_one)
    assert not threads_since(before)


def test_threads_end_with_their_environment():
    """Nothing keeps it alive, and nobody need close it."""
    env, mask, threads = with_threads(32)
    env.step(pick(mask, 0))
    twin = copy.deepcopy(env)
    del env
    gc.collect()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    twin.step(pick(mask, 1))
    twin.close()


@pytest.mark.parametrize("copied", COPIED)
def test_a_copy_has_threads_of_its_own(copied):
    env, mask, threads = with_threads(33)
    mask = mask.copy()
    twin = copied(env)
    before = threading.enumerate()
    first = _go_on(twin, mask, 20)
    own = threads_since(before)
    assert own
    twin.close()
    assert not any(thread.is_alive() for thread in own)
    assert all(thread.is_alive() for thread in threads)
    assert _go_on(env, mask, 20) == first
    env.close()
    assert not any(thread.is_alive() for thread in threads)


def test_closed_by_another_thread_in_a_step(monkeypatch):
    """The step is finished first."""
    env, mask, _ = with_threads(34)
    twin = SelfPlayVectorEnv(6, "auction", seed=34)
    twin.reset()
    playing, go = threading.Barrier(3), threading.Event()

    def step_games(*arguments):
        playing.wait(60)
        assert go.wait(60)
        real(*arguments)

    real = vector.step_games
    monkeypatch.setattr(vector, "step_games", step_games)
    actions, seen = pick(mask, 0), []
    stepping = threading.Thread(target=lambda: seen.append(env.step(actions)))
    stepping.start()
    playing.wait(60)  # both halves are being played
    closing = threading.Thread(target=env.close)
    closing.start()
    go.set()
    stepping.join(60)
    closing.join(60)
    monkeypatch.setattr(vector, "step_games", real)
    assert_same_arrays(twin.step(actions), seen[0])
    assert_same(play(env, 5, seed=1), play(twin, 5, seed=1))


# ------------------------------------------------------------------ processes


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
