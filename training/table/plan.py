"""The plan of a table: which algorithms learn which games, and how they are measured."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import Any

from training.config import TrainConfig, config_from
from training.exploit import usual_config

NAME = re.compile(r"[A-Za-z0-9_]+")  # of a folder; a hyphen parts it from the seed
NETWORKS = ("last", "chosen")
_OF_THE_GAME = ("rules", "episode", "deals", "reward", "reward_scale", "threads", "device")
"""What a best response has from the configuration of the runs that it responds to."""


class PlanError(ValueError):
    """A plan that cannot be, or a folder that holds another's results: says where and what was expected."""


@dataclass(frozen=True)
class Response:
    """A best response to every bot of a game, trained as `piquet exploit` does it."""

    decisions: int
    """Budget of each, both sides' decisions."""
    deals: int = 5000
    """Duplicate deals that its gain is measured on."""
    start: str = ""
    """scratch or bot; empty: as is usual for the game."""
    config: dict[str, Any] = field(default_factory=dict)
    """Fields of TrainConfig that are to be other than usual (training/exploit.yaml)."""


@dataclass(frozen=True)
class Game:
    """What is learnt, and what of it is measured."""

    about: str = ""
    """A sentence for the page."""
    config: dict[str, Any] = field(default_factory=dict)
    """Fields of TrainConfig for every run of this game."""
    algorithms: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Fields of TrainConfig for the runs of one algorithm in this game."""
    opponents: dict[str, int] = field(default_factory=dict)
    """The bots to be measured against, and on how many duplicate deals."""
    cross: int = 0
    """Duplicate deals of the match of every two runs of different algorithms; 0: no such matches."""
    stored: str = ""
    """Of episodes of an auction: the file of stored deals, of which every match plays the first so many; empty: every
    match has deals of its own, dealt by its seed."""
    response: Response | None = None
    """The best response to every run's bot, if there shall be one."""
    exact: bool = False
    """Whether exact exploitability is measured (packs as small as that of micro)."""


@dataclass(frozen=True)
class Plan:
    """All that a table depends on."""

    seeds: tuple[int, ...]
    """Of the runs of every algorithm in every game."""
    evaluation_seed: int
    """Every match has deals of its own, which follow from this and the match's name."""
    algorithms: dict[str, dict[str, Any]]
    """By name: fields of TrainConfig for its runs in all games; `algorithm` is the name where it is not among them."""
    games: dict[str, Game]
    """By name."""
    config: dict[str, Any] = field(default_factory=dict)
    """Fields of TrainConfig for every run."""
    network: str = "last"
    """Which network of a run is measured: the last one, or the one chosen on the learning curve's deals."""

    def config_of(self, game: str, algorithm: str, seed: int) -> TrainConfig:
        """The configuration of a run; what is said closest to it counts. Raises ConfigError."""
        here = self.games[game]
        parts = (self.config, here.config, self.algorithms[algorithm], here.algorithms.get(algorithm, {}))
        values = {"algorithm": algorithm}
        for part in parts:
            values |= part
        return config_from({**values, "seed": seed})

    def response_of(self, game: str, seed: int) -> tuple[TrainConfig, str]:
        """The configuration of best responses in a game, and how they begin. Raises ConfigError, ValueError."""
        here, response = {**self.config, **self.games[game].config}, self.games[game].response
        assert response is not None
        changes = {name: here[name] for name in _OF_THE_GAME if name in here} | response.config
        config, start = usual_config(changes, response.start or None)
        return dataclasses.replace(config, seed=seed, final_deals=response.deals), start
