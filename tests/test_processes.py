"""Several environments in one process, in threads, in forked and in spawned processes: each as it is alone."""

import concurrent.futures
import copy
import functools
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from playing import Game, many_games, one_game
from test_compiled import ROOT, TESTS

from piquet_env.rules import RULESETS

STEPS = 60
# Of every ruleset one game, a batch, and a batch with threads of its own.
CASES = [
    functools.partial(make, rules, number, *threads)
    for number, rules in enumerate(RULESETS)
    for make, threads in ((one_game, ()), (many_games, (1,)), (many_games, (2,)))
]
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
WAIT = 300  # seconds, until a test that hangs is given up


@functools.cache
def alone() -> list[list[str]]:
    """What each of CASES gives with no other environment beside it."""
    return [make().go_on(STEPS) for make in CASES]


def test_the_cases_differ():
    seen = alone()
    assert len({tuple(digests) for digests in seen}) == len(RULESETS) * 2  # threads change nothing
    assert all(len(set(digests)) == STEPS for digests in seen)


# ------------------------------------------------------------------ one process


def test_stepped_in_turn():
    games = [make().play(STEPS) for make in CASES]
    assert [list(seen) for seen in zip(*zip(*games, strict=True), strict=True)] == alone()


def test_each_in_a_thread():
    """All at once: the compiled loops release the GIL."""
    alone()
    together = threading.Barrier(len(CASES))

    def work(make):
        game = make()
        together.wait(WAIT)
        return game.go_on(STEPS)

    with concurrent.futures.ThreadPoolExecutor(len(CASES)) as pool:
        assert list(pool.map(work, CASES)) == alone()


def test_from_one_thread_to_another():
    """Made in one, reset and stepped in others: nothing is tied to the thread that it was made in."""
    games = [make() for make in CASES]
    players = [game.play(STEPS) for game in games]
    seen = [[] for _ in CASES]
    for _ in range(4):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            quarters = pool.map(lambda player: [next(player) for _ in range(STEPS // 4)], players)
            for part, digests in zip(quarters, seen, strict=True):
                digests += part
    assert seen == alone()


def new_python(code: str) -> list[str]:
    """The lines that another process prints."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(TESTS)])}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True, timeout=WAIT, check=True
    )
    return done.stdout.splitlines()


_AT_ONCE = """
import concurrent.futures, threading, playing
together = threading.Barrier(4)
def work(number):
    together.wait(60)
    game = playing.many_games("micro", number, 2) if number % 2 else playing.one_game("micro", number)
    return game.go_on(30)
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    print(*pool.map(work, range(4)), sep="\\n")
"""


def test_threads_that_load_the_engine_at_once():
    """In a process where nothing has been played yet, so that they all want it compiled, or from the disk."""
    games = [one_game("micro", 0), many_games("micro", 1, 2), one_game("micro", 2), many_games("micro", 3, 2)]
    assert new_python(_AT_ONCE) == [str(game.go_on(30)) for game in games]


# ------------------------------------------------------------------ other processes


def in_a_process(context, work, *arguments):
    """What `work(*arguments)` returns there."""
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(sender, work, *arguments))
    child.start()
    sender.close()
    try:
        assert receiver.poll(WAIT)
        answer = receiver.recv()  # EOFError, where the child has failed
        child.join(WAIT)
        assert child.exitcode == 0
    finally:
        child.kill()
    return answer


def _answer(sender, work, *arguments) -> None:
    sender.send(work(*arguments))


def in_mid_game() -> list[Game]:
    """Of every kind, some steps after the reset."""
    games = [one_game("auction", 3), many_games("cavendish", 4, 1), many_games("auction", 5, 2)]
    return moved(games, 37)


def moved(games: list[Game], steps: int) -> list[Game]:
    for game in games:
        game.go_on(steps)
    return games


def all_go_on(games: list[Game]) -> list[list[str]]:
    return [game.go_on(50) for game in games]


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_sent_to_another_process_in_mid_game(method):
    """By fork as they are, by spawn and forkserver pickled; here they go on the same afterwards."""
    games = in_mid_game()
    there = in_a_process(multiprocessing.get_context(method), all_go_on, games)
    assert there == all_go_on(games)


def test_there_and_back_again():
    """Through the processes of an executor."""
    games = in_mid_game()
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for steps in (20, 21, 22):
            games = pool.submit(moved, games, steps).result(WAIT)
    stayed = in_mid_game()
    for steps in (20, 21, 22):
        moved(stayed, steps)
    assert all_go_on(games) == all_go_on(stayed)


@pytest.mark.parametrize("kind", range(3))
def test_pickled_out_of_band(kind):
    """As some frameworks send arrays: they come as memory that is shared, or may not be written to."""
    game, buffers = in_mid_game()[kind], []
    data = pickle.dumps(game, protocol=5, buffer_callback=buffers.append)
    kept = [bytes(buffer.raw()) for buffer in buffers]
    assert kept
    shared, unwritable = pickle.loads(data, buffers=buffers), pickle.loads(data, buffers=kept)
    expected = pickle.loads(pickle.dumps(game)).go_on(50)
    assert shared.go_on(50) == expected
    assert unwritable.go_on(50) == expected
    assert kept == [bytes(buffer.raw()) for buffer in buffers]
    assert game.go_on(50) == expected


@pytest.mark.parametrize("kind", range(3))
def test_a_shallow_copy_shares_no_game(kind):
    game, twin = in_mid_game()[kind], in_mid_game()[kind]
    twin.env = copy.copy(game.env)
    assert game.go_on(50) == twin.go_on(50)
    assert game.go_on(50) == twin.go_on(50)


@needs_fork
def test_in_the_parent_and_in_forked_children_in_turn():
    """The children begin where the parent is; what they do is not seen here. The threads are each process's own."""
    fork = multiprocessing.get_context("fork")
    games = in_mid_game()
    for _ in range(3):
        of_child = in_a_process(fork, all_go_on, games)
        assert all_go_on(games) == of_child


def _in_a_grandchild(games):
    moved(games, 5)
    return in_a_process(multiprocessing.get_context("fork"), all_go_on, games), all_go_on(games)


@needs_fork
def test_a_child_that_forks():
    games = in_mid_game()
    of_grandchild, of_child = in_a_process(multiprocessing.get_context("fork"), _in_a_grandchild, games)
    assert of_grandchild == of_child == all_go_on(moved(games, 5))


@needs_fork
def test_forked_from_a_thread():
    """By a thread that plays, while another one's environments stand still.

    It is no thread of an executor: Python makes the child of one fail at its end, whatever it did.
    """
    fork, games, others, seen = multiprocessing.get_context("fork"), in_mid_game(), in_mid_game(), []

    def work():
        moved(games, 5)
        seen.append(in_a_process(fork, all_go_on, games + others))
        seen.append(all_go_on(games))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    of_child, of_thread = seen
    assert of_child == of_thread + all_go_on(others)


# The child and the parent end as any program does, without closing anything.
_FORKING = """
import os, sys, playing
games = [playing.one_game("micro", 1), playing.many_games("micro", 2, 2)]
for game in games:
    game.go_on(9)
child = os.fork()
if child:
    assert os.waitpid(child, 0)[1] == 0
print([game.go_on(30) for game in games], flush=True)
"""


@needs_fork
def test_the_end_of_a_process_that_has_forked():
    of_child, of_parent = new_python(_FORKING)
    assert of_child == of_parent


# ------------------------------------------------------------------ PyTorch


class Episodes:
    """A data set whose item i is the seed's i-th batch, made with an environment that every worker has a copy of."""

    def __init__(self, game: Game):
        self.game = game

    def __len__(self) -> int:
        return 6

    def __getitem__(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        observation, info = self.game.env.reset(seed=i)
        actions = info["action_mask"].argmax(axis=1)
        return observation.copy(), self.game.env.step(actions)[0].copy()


@needs_fork
@pytest.mark.parametrize("threads", [1, 2])
def test_in_the_workers_of_a_data_loader(threads):
    data = pytest.importorskip("torch.utils.data", reason="torch is not installed")
    episodes = Episodes(many_games("auction", 7, threads))
    expected = [episodes[i] for i in range(len(episodes))]
    loader = data.DataLoader(episodes, batch_size=None, num_workers=2, multiprocessing_context="fork")
    for _ in range(2):
        for given, here in zip(loader, expected, strict=True):
            assert all(np.array_equal(one, other) for one, other in zip(given, here, strict=True))
