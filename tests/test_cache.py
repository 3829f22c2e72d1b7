"""The compiled code on disk: shared by processes, half written, damaged, not writable. It never gives wrong results."""

import errno
import importlib.util
import itertools
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import playing
import pytest
from test_compiled import ROOT, TESTS

from piquet_env.engine import compiled

pytestmark = pytest.mark.skipif(not compiled.JIT, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")

# ------------------------------------------------------------------ one function

_SOURCE = """
from piquet_env.engine.compiled import compiled

@compiled
def half(x):
    return x / 2

@compiled
def quarter(x):
    return half(half(x))
"""


@pytest.fixture
def process(tmp_path, monkeypatch):
    """Compiled functions as a new process has them, which share an empty cache: `process()`, a module."""
    monkeypatch.setattr(compiled, "CACHE", tmp_path / "cache")
    (tmp_path / "parts.py").write_text(_SOURCE)

    def new_process():
        spec = importlib.util.spec_from_file_location("parts", tmp_path / "parts.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return new_process


def written(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_later_process_need_not_compile(process):
    assert process().quarter(3) == 0.75
    later = process()
    assert (later.quarter(3), later.half(3)) == (0.75, 1.5)
    assert not later.quarter.stats.cache_misses
    assert not later.half.stats.cache_misses
    assert later.quarter(3.0) == 0.75
    assert later.quarter.stats.cache_misses


def test_two_processes_that_compile_for_different_types_at_once(process, monkeypatch):
    """In an order of writing in which numba's own files hold the integer's code for the float's: 3.5 / 2 is 1.5.

    Both are about to write their first file. First comes that of the first process, then all of the second's, then
    the rest of the first one's.
    """
    first, second, replace, waiting = process(), process(), os.replace, []

    def interleaved(*paths):
        if not waiting:
            waiting.append(paths)
            assert second.half(3.5) == 1.75
        else:
            if len(waiting) == 1:
                waiting.append(paths)
                replace(*waiting[0])
            replace(*paths)

    monkeypatch.setattr(os, "replace", interleaved)
    assert first.half(3) == 1.5
    monkeypatch.setattr(os, "replace", replace)
    assert len(waiting) == 2
    later = process()
    assert (later.half(3.5), later.half(3)) == (1.75, 1.5)
    assert not later.half.stats.cache_misses


def _cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _flip(path: Path) -> None:
    """One bit, in the middle of the machine code or of what is said about it."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def _make_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGE = {
    "empty": lambda path: os.truncate(path, 0),
    "cut short": _cut_short,
    "a byte missing": lambda path: os.truncate(path, path.stat().st_size - 1),
    "the checksum alone": lambda path: os.truncate(path, 32),
    "junk": lambda path: path.write_bytes(b"junk" * 999),
    "a pickle": lambda path: path.write_bytes(b"\x80\x04N."),
    "flipped": _flip,
    "gone": Path.unlink,
    "a folder": _make_a_folder,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_file_is_compiled_again(process, tmp_path, damage):
    process().half(3)
    (path,) = written(tmp_path / "cache")
    damage(path)
    again = process()
    assert again.half(3) == 1.5
    assert again.half.stats.cache_misses
    if path.is_file():
        later = process()
        assert later.half(3) == 1.5
        assert later.half.stats.cache_hits


@pytest.mark.parametrize("reason", ["full disk", "folder gone", "no folder"])
def test_what_cannot_be_written_is_compiled_all_the_same(process, tmp_path, monkeypatch, reason):
    def refuse(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    module = process()
    if reason == "full disk":
        monkeypatch.setattr(os, "replace", refuse)
    else:
        shutil.rmtree(tmp_path / "cache")
    if reason == "no folder":
        (tmp_path / "cache").touch()
    assert module.quarter(3) == 0.75
    assert bool(written(tmp_path / "cache")) == (reason == "folder gone")


def test_to_forget_what_was_compiled(process, tmp_path):
    """numba's own call, of this function only."""
    module = process()
    module.quarter(3)
    before = {path: path.stat().st_mtime_ns for path in written(tmp_path / "cache")}
    module.quarter.recompile()
    assert module.quarter(3) == 0.75
    changed = {path for path in before if path.stat().st_mtime_ns != before[path]}
    assert changed == {path for path in before if "quarter" in path.name}
    assert set(written(tmp_path / "cache")) == set(before)


# ------------------------------------------------------------------ the engine, in processes of its own

_GAMES = """
import sys, playing
print("ready", flush=True)
sys.stdin.readline()
print(playing.a_few_games())
"""
_DEALS = "import playing; print(playing.a_few_deals())"
# Killed while it writes its 10th file, of which half is there by then.
_KILLED = """
import os, signal, playing
replace, whole = os.replace, iter(range(9))
def write(source, target):
    if next(whole, None) is None:
        os.truncate(source, os.stat(source).st_size // 2)
        os.kill(os.getpid(), signal.SIGKILL)
    replace(source, target)
os.replace = write
playing.a_few_deals()
"""


def start(code: str, folder: Path) -> subprocess.Popen:
    """Python in another process, which keeps its compiled code in this folder."""
    environment = os.environ | {name: str(folder) for name in ("XDG_CACHE_HOME", "LOCALAPPDATA")}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(TESTS), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def answer_of(process: subprocess.Popen, said: str = "") -> str:
    answer, _ = process.communicate(said, timeout=600)
    assert process.returncode == 0
    return answer.strip()


@pytest.mark.long
def test_two_processes_with_the_same_empty_cache(tmp_path):
    """They compile at once, and both play right. Later what some functions were compiled to is damaged."""
    both = [start(_GAMES, tmp_path) for _ in range(2)]
    for process in both:
        assert process.stdout.readline() == "ready\n"
    for process in both:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [answer_of(process) for process in both] == [playing.a_few_games()] * 2
    assert all(path.suffix == ".nbc" for path in written(tmp_path))

    damaged = [path for path in written(tmp_path) if path.name.startswith(("game.new_game-", "batch.reward_of-"))]
    assert len(damaged) >= 2
    for path, damage in zip(damaged, itertools.cycle((_cut_short, _flip)), strict=False):
        damage(path)
    broken = [path.read_bytes() for path in damaged]
    assert answer_of(start(_GAMES, tmp_path), "go\n") == f"ready\n{playing.a_few_games()}"
    assert not set(broken) & {path.read_bytes() for path in damaged}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
def test_a_process_killed_while_it_compiles(tmp_path):
    killed = start(_KILLED, tmp_path)
    killed.communicate(timeout=600)
    assert killed.returncode == -signal.SIGKILL
    left = written(tmp_path)
    assert sum(path.suffix == ".nbc" for path in left) == 9
    assert len(left) == 10  # and the half file, which nobody will read
    before = {path: path.stat().st_mtime_ns for path in left}
    assert answer_of(start(_DEALS, tmp_path)) == playing.a_few_deals()
    after = {path: path.stat().st_mtime_ns for path in written(tmp_path)}
    assert before.items() <= after.items()  # what was whole has been used
    assert len(after) > len(before)
