"""The compiler: bounds checks on, compiler off, and where the compiled code is kept."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import pytest
import random_play

from piquet_env.engine import compiled

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent


def run(arguments, tmp_path, **variables) -> subprocess.CompletedProcess:
    """Python in another process, with a cache and a temporary folder of its own."""
    names = {"XDG_CACHE_HOME": tmp_path / "cache", "LOCALAPPDATA": tmp_path / "cache", "TMPDIR": tmp_path} | variables
    environment = os.environ | {name: str(value) for name, value in names.items()}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(TESTS), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-W", "error::RuntimeWarning", *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done


def random_play_in_another_process(deals, tmp_path, **variables) -> dict:
    return json.loads(run([TESTS / "random_play.py", deals], tmp_path, **variables).stdout)


@pytest.mark.long
def test_with_bounds_checks_and_without_a_home(tmp_path):
    """No access outside of an array in random games of every ruleset, and the same games.

    The user's cache directory cannot be written, so that the compiled code goes to a temporary folder.
    """
    (tmp_path / "file").write_text("no folder")
    cannot = {"XDG_CACHE_HOME": tmp_path / "file", "LOCALAPPDATA": tmp_path / "file", "HOME": tmp_path / "file"}
    answer = random_play_in_another_process(12, tmp_path, NUMBA_BOUNDSCHECK="1", **cannot)
    assert answer["jit"]
    assert answer["bounds"]
    assert answer["digests"] == random_play.digests(12)
    assert Path(answer["cache"]).is_relative_to(tmp_path)
    assert list(Path(answer["cache"]).rglob("*.nbc"))


def test_without_the_compiler(tmp_path):
    """The same source as plain Python gives the same games, bit for bit, without a numeric warning."""
    answer = random_play_in_another_process(5, tmp_path, NUMBA_DISABLE_JIT="1")
    assert not answer["jit"]
    assert answer["cache"] == "None"
    assert answer["digests"] == random_play.digests(5)


@pytest.mark.long
def test_for_another_processor(tmp_path):
    """Without the instructions that the fast forms ask for (AVX-512, BMI2), the same games."""
    answer = random_play_in_another_process(5, tmp_path, NUMBA_CPU_NAME="x86-64", NUMBA_CPU_FEATURES="+sse2")
    assert answer["jit"]
    assert answer["digests"] == random_play.digests(5)


# ------------------------------------------------------------------ where the compiled code is kept


def test_the_cache_folder_of_others_is_untouched(tmp_path):
    """Other users of numba in the process keep theirs."""
    source = "import numba, piquet_env; from piquet_env.engine.compiled import CACHE; "
    source += "print(numba.config.CACHE_DIR); print(CACHE)"
    theirs, ours = run(["-c", source], tmp_path, NUMBA_CACHE_DIR=tmp_path / "theirs").stdout.splitlines()
    assert theirs == str(tmp_path / "theirs")
    assert Path(ours).is_relative_to(tmp_path / "cache")
    assert compiled.CACHE is None or str(compiled.CACHE) != numba.config.CACHE_DIR


@pytest.fixture
def other_package(tmp_path, monkeypatch) -> Path:
    """A copy of the package's sources, whose hash is taken instead."""
    package = tmp_path / "piquet_env"
    shutil.copytree(ROOT / "piquet_env", package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compiled, "PACKAGE", package)
    return package


@pytest.mark.parametrize(
    "name", ["engine/play.py", "engine/cards.py", "knowledge/features.py", "rules.py", "engine/new.py"]
)
def test_a_changed_source_changes_the_cache(other_package, name):
    """In whatever file: numba alone would look at the file of the function only."""
    before = compiled._sources_hash()
    with (other_package / name).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert compiled._sources_hash() != before


def test_a_source_without_compiled_code_does_not(other_package):
    before = compiled._sources_hash()
    with (other_package / "notation.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert compiled._sources_hash() == before


def test_the_folder_does_not_depend_on_where_the_package_lies(other_package, monkeypatch):
    there = compiled._sources_hash()
    monkeypatch.setattr(compiled, "PACKAGE", ROOT / "piquet_env")
    assert compiled._sources_hash() == there


def test_the_users_cache_directory_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "_user_cache", lambda: tmp_path)
    assert compiled._cache_folder().parent == tmp_path / "piquet-env"


def _no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")


@pytest.mark.parametrize("kind", ["a file", "read-only", "no home"])
def test_a_home_that_cannot_be_written(tmp_path, monkeypatch, kind):
    """A temporary folder of the user's own instead, which others cannot write to."""
    home = tmp_path / "home"
    if kind == "read-only":
        home.mkdir(mode=0o500)
        if os.access(home, os.W_OK):
            pytest.skip("this user may write everywhere; the other cases stand for it")
    home.touch()
    monkeypatch.setattr(compiled, "_user_cache", _no_home if kind == "no home" else lambda: home)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    folder = compiled._cache_folder()
    assert folder.is_dir()
    assert folder.is_relative_to(tmp_path / "tmp")
    if os.name == "posix":
        assert folder.parent.stat().st_mode & 0o022 == 0


def test_needs_compiling(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "CACHE", tmp_path)
    assert compiled.needs_compiling()
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "play.nbc").touch()
    assert not compiled.needs_compiling()
    monkeypatch.setattr(compiled, "CACHE", None)
    assert not compiled.needs_compiling()
