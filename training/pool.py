"""Who sits opposite: the learner itself, one of its past selves, or a bot that does not learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots import Bot
from piquet_env.bots.base import Views
from piquet_env.bots.policy import draw_by, has_probabilities, legal_actions_of, one_hot, said_probabilities
from training.bot import NetworkBot
from training.config import TrainConfig
from training.network import PolicyNetwork

NAME = "the frozen or imitated bot"
NOBODY = -1  # the learner plays both seats


class Opponents:
    """For each game who plays which seat besides the learner; drawn anew when an episode begins."""

    def __init__(self, config: TrainConfig, games: int, head: str, frozen: Bot | None):
        self.config, self.head, self.frozen = config, head, frozen
        self.past: list[NetworkBot] = []
        self.who = np.full(games, NOBODY, np.int64)
        self.seat = np.zeros(games, np.int64)

    def draw(self, uniform: NDArray[np.float64], new: NDArray[np.bool_]) -> None:
        """Draw again for the games in `new`, with random numbers (games, 3)."""
        number = 1 if self.frozen else len(self.past)
        share = 1.0 if self.frozen else self.config.pool
        who = np.where((uniform[:, 0] < share) & (number > 0), (uniform[:, 1] * number).astype(np.int64), NOBODY)
        self.who = np.where(new, who, self.who)
        self.seat = np.where(new, (uniform[:, 2] * 2).astype(np.int64), self.seat)

    def are_to_act(self, player: NDArray[np.int64]) -> NDArray[np.bool_]:
        """In which games it is not the learner's turn."""
        return (self.who != NOBODY) & (self.seat == player)

    def act(
        self, views: Views, places: NDArray[np.int64], uniform: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Their actions (B,) in the games at `places` (B,)."""
        if self.frozen:
            return actions_of(self.frozen, views, uniform, rng)
        actions = np.zeros(len(places), np.int64)
        for number in np.unique(self.who[places]):
            theirs = self.who[places] == number
            actions[theirs] = actions_of(self.past[number], views.part(theirs), uniform[theirs], rng)
        return actions

    def add(self, policy: PolicyNetwork) -> None:
        """Remember the policy as it is now; the oldest of too many is forgotten, and games against it go on.

        They go on against the next one.
        """
        self.past.append(self._bot(policy.state_dict()))
        if len(self.past) > self.config.pool_size:
            del self.past[0]
            self.who = np.where(self.who > 0, self.who - 1, self.who)

    def _bot(self, weights: dict[str, Any]) -> NetworkBot:
        policy = PolicyNetwork(self.config.width, self.config.depth)
        policy.load_state_dict({name: tensor.detach().cpu().clone() for name, tensor in weights.items()})
        return NetworkBot(policy, self.head, self.config.symmetry == "canonical")

    def past_weights(self) -> list[dict[str, Any]]:
        """For a checkpoint."""
        return [bot.policy.state_dict() for bot in self.past]

    def load_past(self, weights: list[dict[str, Any]]) -> None:
        """From a checkpoint."""
        self.past = [self._bot(each) for each in weights]


def policy_shown(bot: Bot, views: Views, rng: np.random.Generator) -> NDArray[np.float32]:
    """A bot's probabilities (B, 80); of one that only acts, 1 for what it does. Raises BotError."""
    if has_probabilities(NAME, bot):
        return said_probabilities(NAME, bot, views)
    return one_hot(legal_actions_of(NAME, bot, views, rng))


def actions_of(bot: Bot, views: Views, uniform: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """What it does (B,): with the random numbers (B,) of the games where it says its probabilities. Raises BotError."""
    if has_probabilities(NAME, bot):
        return draw_by(said_probabilities(NAME, bot, views), uniform)
    return legal_actions_of(NAME, bot, views, rng)
