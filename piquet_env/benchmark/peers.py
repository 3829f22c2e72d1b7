"""Which other libraries are there to be measured, and why the others are not."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from piquet_env.benchmark import peer_loops
from piquet_env.benchmark.measure import Measure, one_core, rate

_LONGEST = 200  # characters of what a library's own code says


@dataclass(frozen=True)
class Peer:
    """Another library."""

    library: str
    """The distribution whose version is reported."""
    install: str
    """What to type to have all that is needed of it."""
    make: Callable[[int], list[Measure]]
    """Its measures, for so many games where they are played in a batch; imports it."""


PEERS = (
    Peer("pettingzoo", "pip install 'pettingzoo[classic]' rlcard", peer_loops.pettingzoo),
    Peer("open_spiel", "pip install open_spiel", peer_loops.open_spiel),
    Peer("colver", "pip install colver", peer_loops.colver),
    Peer("pgx", "pip install pgx jax", peer_loops.pgx),
)


@dataclass(frozen=True)
class Found:
    """What of the peers can be measured, and why the others cannot."""

    measures: dict[str, list[Measure]]
    """By library."""
    versions: dict[str, str | None]
    missing: list[dict[str, str]]
    """`{"library": ..., "reason": ..., "install": ...}`."""


def find_peers(peers: Sequence[Peer], games: int, progress: Callable[[str], object]) -> Found:
    """Import each and try its measures once; whatever goes wrong with one of them, the others are measured.

    Args:
        peers: the libraries.
        games: how many are played where they are played in a batch.
        progress: called with a library's name before it is imported.
    """
    found = Found({}, {}, [])
    for peer in peers:
        progress(peer.library)
        try:
            made = _made(peer, games)
        except Exception as error:  # it is other people's code
            found.missing.append({"library": peer.library, "reason": _reason(error), "install": peer.install})
        else:
            found.measures[peer.library] = made
            found.versions[peer.library] = _version(peer.library)
    return found


def _made(peer: Peer, games: int) -> list[Measure]:
    with one_core(), warnings.catch_warnings():  # the threads that a library starts stay on one core too
        warnings.simplefilter("ignore")
        measures = peer.make(games)
        for measure in measures:
            rate(measure, 0.0)
    return measures


def _reason(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"{error.name} is not installed"
    return " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST]


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
