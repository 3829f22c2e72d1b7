"""Where a reported number comes from."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from piquet_env.bidding import BiddingDeals
from piquet_env.bidding.playout import PLAYOUT_VERSION
from piquet_env.bots.base import Bot, ask, sees_all
from piquet_env.envs.auctions import AUCTION
from piquet_env.knowledge import VERSIONS

PACKAGES = ("piquet-env", "numpy", "numba", "scipy", "choix", "torch", "onnxruntime")
_PATIENCE = 10  # seconds


def provenance(command: str, bots: Mapping[str, Bot]) -> dict[str, Any]:
    """The command, versions, commit, weights and machine, as a JSON object.

    Args:
        command: what was typed, or could have been.
        bots: by name; the weights of those that have an attribute `sha256`, a text, are named by it.
    """
    return origin(command, facts_of(bots))


class Facts(NamedTuple):
    """What is said of the bots."""

    weights: dict[str, str]
    """The sha256 of those that name one, by the bot's name."""
    cheats: list[str]
    """The names of those that are given all cards."""


def origin(command: str, facts: Facts) -> dict[str, Any]:
    """`provenance` where the facts of the bots are known."""
    versions = {"python": platform.python_version()} | {name: _version(name) for name in PACKAGES}
    versions |= VERSIONS
    return {
        "command": command,
        "versions": versions,
        **_commit(),
        "weights": dict(facts.weights),
        "cheats": list(facts.cheats),
        "machine": {"system": platform.system(), "architecture": platform.machine(), "cores": os.cpu_count()},
    }


def about_playout(episode: str, stored: BiddingDeals | None) -> dict[str, Any]:
    """How deals were settled of which the auction alone was played, as a JSON object; empty where they were played."""
    if episode != AUCTION:
        return {}
    deals = None if stored is None else {"sha256": stored.checksum, "number": len(stored), "part": _part_name(stored)}
    return {"playout": PLAYOUT_VERSION, "stored_deals": deals}


def _part_name(stored: BiddingDeals) -> str | None:
    """What part of the benchmark these deals are."""
    return None if stored.part is None else stored.part.name


def facts_of(bots: Mapping[str, Bot]) -> Facts:
    """The facts of bots, by name. Raises BotError."""
    named = {name: ask(name, "its sha256", getattr, bot, "sha256", None) for name, bot in bots.items()}
    weights = {name: sha256 for name, sha256 in named.items() if isinstance(sha256, str)}
    return Facts(weights, [name for name, bot in bots.items() if sees_all(bot)])


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def code_version() -> dict[str, Any]:
    """Of this package: its version and commit, as a JSON object."""
    return {"version": _version(PACKAGES[0]), **_commit()}


def _commit() -> dict[str, Any]:
    """The commit of the tree that this package is tracked in, and whether that tree was changed; None: in no tree."""
    here = Path(__file__).resolve()
    if _git(here.parent, "ls-files", "--error-unmatch", here.name) is None:
        return {"commit": None, "dirty": None}
    changes = _git(here.parent, "status", "--porcelain")
    return {"commit": _git(here.parent, "rev-parse", "HEAD"), "dirty": None if changes is None else bool(changes)}


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
