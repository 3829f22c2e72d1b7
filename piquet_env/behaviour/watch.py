"""Playing a bot, and summing up what it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.arena import match
from piquet_env.behaviour import auction, declarations, exchange, play, score
from piquet_env.behaviour.deals import Deals
from piquet_env.behaviour.figures import Sums
from piquet_env.bots.base import Bot
from piquet_env.rules import Rules

SECTIONS = {
    "auction": auction.figures,
    "exchange": exchange.figures,
    "declarations": declarations.figures,
    "play": play.figures,
    "score": score.figures,
}


def watch(
    bot: Bot,
    against: Bot,
    rules: Rules,
    pairs: int,
    seed: int,
    *,
    names: tuple[str, str] = ("A", "B"),
    progress: Callable[[int], object] | None = None,
) -> dict[str, Any]:
    """Play a match (arena.match.play_match) and sum up what the first bot did: the sections of the report.

    Each figure is `{"count": cases, "share" or "mean": ..., "interval": [low, high]}`, in dicts by the parts of its
    path. Raises BotError, ValueError.
    """
    watcher = _Watcher(rules)
    match.play_match(bot, against, rules, pairs, seed, names=names, progress=progress, witness=watcher)
    return watcher.sections()


class _Watcher:
    """Keeps the deals of a block until all are there, then adds them to the sums."""

    def __init__(self, rules: Rules):
        self._rules = rules
        self._block = 0
        self._shown: list[tuple[NDArray[np.int64], NDArray[np.void]]] = []
        self._sums: dict[str, Sums] = {}

    def __call__(self, rows: NDArray[np.int64], games: NDArray[np.void]) -> None:
        block = int(games["pair"][0]) // match.BLOCK
        if block != self._block:
            self._sum_up()
            self._block = block
        self._shown.append((rows, games))

    def sections(self) -> dict[str, Any]:
        """Everything so far, as nested dicts."""
        self._sum_up()
        found: dict[str, Any] = {}
        for path, sums in self._sums.items():
            *folders, name = path.split("/")
            place = found
            for folder in folders:
                place = place.setdefault(folder, {})
            place[name] = sums.leaf()
        return found

    def _sum_up(self) -> None:
        if not self._shown:
            return
        rows, games = (np.concatenate(parts) for parts in zip(*self._shown, strict=True))
        self._shown = []
        deals = Deals(self._rules, rows, games["seat_of_a"].astype(np.int64))
        place = games["pair"] % match.BLOCK
        for section, figures in SECTIONS.items():
            for figure in figures(deals):
                sums = self._sums.setdefault(f"{section}/{figure.path}", Sums(figure.kind))
                values, among = (
                    np.bincount(place, part, match.BLOCK).astype(np.float64) for part in (figure.values, figure.among)
                )
                sums.add(values, among)
