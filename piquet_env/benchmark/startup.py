"""How long it takes to begin: compiling on a machine that has never run this, and importing on one that has."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from piquet_env.benchmark.measure import as_json, figure
from piquet_env.benchmark.options import BenchmarkError
from piquet_env.engine.compiled import PACKAGE

IMPORTS = 5
RUNS = IMPORTS + 1

_CODE = """
from time import perf_counter
begun = perf_counter()
import piquet_env
from piquet_env import auction_piquet_v0
imported = perf_counter()
import json, random, sys
from piquet_env.benchmark.agents import play_episode
ready = perf_counter()
play_episode(auction_piquet_v0.env(), random.Random(0).random)
over = perf_counter()
print(json.dumps({"import": imported - begun, "episode": over - ready}))
"""


def measure_startup(progress: Callable[[str], object]) -> dict[str, Any]:
    """`cold_compile`, `warm_import` and `warm_episode` in seconds, the last two with their ranges.

    Each is measured in a process of its own, with a cache folder that is empty at first. The cold one counts the
    import and an episode of the AEC environment, played to its end; the warm ones tell them apart.

    Args:
        progress: called before each of the `RUNS` processes.

    Raises:
        BenchmarkError: a process failed.
    """
    with tempfile.TemporaryDirectory(prefix="piquet-benchmark-") as folder:
        progress("cold compile")
        cold = _run(folder)
        warm = []
        for _ in range(IMPORTS):
            progress("warm import")
            warm.append(_run(folder))
    return {
        "cold_compile": sum(cold.values()),
        "warm_import": as_json(figure([run["import"] for run in warm])),
        "warm_episode": as_json(figure([run["episode"] for run in warm])),
        "unit": "s",
    }


def _run(folder: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", _CODE], env=_environment(folder), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise BenchmarkError(f"startup: a new process failed: {said[-1]}")
    return json.loads(done.stdout)


def _environment(folder: str) -> dict[str, str]:
    """This process's, with another home for the compiled code (engine/compiled.py), and this package first."""
    home = "HOME" if sys.platform == "darwin" else "XDG_CACHE_HOME"
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {
        home: folder,
        "LOCALAPPDATA": folder,
        "PYTHONUSERBASE": site.getuserbase(),
        "PYTHONPATH": os.pathsep.join(paths),
    }
