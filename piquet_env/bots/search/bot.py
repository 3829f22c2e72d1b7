"""Search on top of a policy: which decisions are searched, and how what is found is weighed against the policy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env import knowledge
from piquet_env.bots.base import Bot, Views, ask
from piquet_env.bots.expert.worlds import SEEDS
from piquet_env.bots.search.policy import Policy
from piquet_env.bots.search.rollouts import rollout_values
from piquet_env.bots.search.worlds import Worlds, weighted_worlds
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS
from piquet_env.rules import Rules
from piquet_env.solver.api import card_values

LEAST_CHANCE = 1e-4
"""A card that the policy never plays is taken to be as likely as this, so that search may find it after all."""
AT_ONCE = 32
"""Games whose worlds are looked at together."""

Search = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]], NDArray[np.int64]]
"""Of what players know, int64 (B, columns), seeds (B,) and the policy's probabilities (B, 80) to actions (B,)."""


class Effort(NamedTuple):
    """How many worlds a search looks at for each decision, and how much the policy counts beside what it finds."""

    calls: int
    discards: int
    cards: int
    prior: float = 1.5
    """In the auction and the exchange: points for each unit of the logarithm of an action's probability."""
    cards_prior: float = 1.0
    """The same for cards."""
    caution: float = 0.5
    """Standard errors of what another action gains over the policy's choice that are taken off: few worlds are a
    matter of chance."""
    least: float = 0.02
    """The probability of actions that are looked at before the play."""
    most: int = 4
    """So many of them at most, the likeliest."""


EFFORTS = {"fast": Effort(30, 30, 20), "normal": Effort(60, 60, 60), "slow": Effort(400, 400, 300)}


class SearchBot:
    """Does what its policy does, only better: it looks ahead where the policy leaves a choice.

    Before anything is searched stands the policy's likeliest action, not one drawn from its probabilities. Auction and
    exchange: the likely actions, each continued by the policy in both seats in the same sampled worlds, the play
    solved. Declarations: the policy's. Play: every card solved in every world. What the policy thinks counts on.

    Args:
        bot: has probabilities, or is deterministic.
        name: what it is called in messages.
        effort: how much is looked at.

    Raises:
        BotError: the bot says no probabilities and draws random numbers, or it sees all cards.
    """

    def __init__(self, bot: Bot, name: str, effort: Effort = EFFORTS["normal"]):
        self.policy, self.effort = Policy(name, bot), effort
        rules = ask(name, "its trained_on", getattr, bot, "trained_on", None)
        self.trained_on = rules if isinstance(rules, Rules) else None
        weights = ask(name, "its sha256", getattr, bot, "sha256", None)
        self.sha256 = weights if isinstance(weights, str) else None

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """The action of each game: int64 (B,). Raises BotError: the policy gives no probabilities."""
        seeds = rng.integers(SEEDS, size=len(views.rows))
        rows = np.array(views.rows, np.int64, order="C")
        knowledge.hide_rows(rows, np.ascontiguousarray(rows[:, at.ACTOR]))
        policy = self.policy.probabilities(views._replace(rows=rows))
        actions, likely = policy.argmax(axis=1), (policy >= self.effort.least).sum(axis=1)
        worth = np.where(rows[:, at.PHASE] == at.PLAY, views.mask.sum(axis=1) > 1, likely > 1)
        for phase, choose in self._searches():
            searched = np.flatnonzero(worth & (rows[:, at.PHASE] == phase))
            for first in range(0, len(searched), AT_ONCE):
                part = searched[first : first + AT_ONCE]
                actions[part] = choose(rows[part], seeds[part], policy[part])
        return actions

    def _searches(self) -> list[tuple[int, Search]]:
        """What is searched in which phase."""
        effort = self.effort
        numbers = {at.AUCTION: effort.calls, at.EXCHANGE: effort.discards}
        early = [(phase, partial(self._best_early, number)) for phase, number in numbers.items()]
        return [*early, (at.PLAY, partial(self._best_card, effort.cards))]

    def _best_card(
        self, number: int, rows: NDArray[np.int64], seeds: NDArray[np.int64], policy: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """The card of each game: int64 (B,)."""
        worlds = weighted_worlds(rows, number, seeds, self.policy)
        values = worlds.means(card_values(worlds.games, threads=1))
        priors = _logs(np.maximum(policy[:, :CARDS], LEAST_CHANCE))
        return (values + self.effort.cards_prior * priors).argmax(axis=1)

    def _best_early(
        self, number: int, rows: NDArray[np.int64], seeds: NDArray[np.int64], policy: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """The action of each game before the play: int64 (B,)."""
        effort = self.effort
        likely = np.argsort(-policy, axis=1, kind="stable")[:, : effort.most]
        chances = np.take_along_axis(policy, likely, axis=1)
        chances[chances < effort.least] = 0
        worlds = weighted_worlds(rows, number, seeds, self.policy)
        gains, errors = worlds.means_and_errors(self._gains(worlds, likely, chances > 0))
        priors = effort.prior * (_logs(chances) - _logs(chances[:, :1]))
        best = (gains - effort.caution * errors + priors).argmax(axis=1)
        return likely[np.arange(len(likely)), best]

    def _gains(self, worlds: Worlds, likely: NDArray[np.int64], looked_at: NDArray[np.bool_]) -> NDArray[np.float64]:
        """By how much each of the likely actions brings more than the first of them in each world: float64 (n, k)."""
        values = np.zeros((len(worlds.of), likely.shape[1]))
        world, place = np.nonzero(looked_at[worlds.of])
        values[world, place] = rollout_values(worlds.games[world], likely[worlds.of[world], place], self.policy)
        return values - values[:, :1]


def _logs(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms; -inf of 0."""
    with np.errstate(divide="ignore"):
        return np.log(chances)
