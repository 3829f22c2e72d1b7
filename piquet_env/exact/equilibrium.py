"""CFR+ on a whole game tree (Tammelin 2014): both players' regrets in turn, and the linear average of what they played.

In sequence form one player's update is three sweeps: the other's plan, the gains of the ends against it, and the
regrets from the last choice to the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.tabular import TabularBot
from piquet_env.exact.measure import DEALER, OTHER, RulesLike, plan_of, respond
from piquet_env.exact.policies import Progress, table_of
from piquet_env.exact.sweeps import match_regrets, policy_of_plan, value_between, write_gains, write_plan
from piquet_env.exact.tree import Tree, information_sets

MOST_ITERATIONS = 10**7


@dataclass(frozen=True)
class Point:
    """How far the average policy was from an equilibrium, in points per deal."""

    iterations: int
    exploitability: float
    """As `Exploitability.exploitability`; the two dealers are the same game."""
    dealer: tuple[float, float]
    """The dealer's value of the game is between these: what he is sure of, and what the other lets him have."""


@dataclass(frozen=True)
class Equilibrium:
    """An approximate equilibrium."""

    bot: TabularBot
    points: tuple[Point, ...]
    """On the way, and at the end."""
    value: float
    """What the dealer gets per deal when both play it."""

    @property
    def exploitability(self) -> float:
        """Of the bot."""
        return self.points[-1].exploitability


def equilibrium(rules: RulesLike = "micro", iterations: int = 1000, *, progress: Progress | None = None) -> Equilibrium:
    """Solve a small game by so many iterations of CFR+, each an update of both players.

    Args:
        rules: `micro`, or as small a pack.
        progress: called with 1 after each iteration.

    Raises:
        ValueError: bad rules, rules too large for the tree to be kept as a whole, as `mini` is; bad iterations.
    """
    is_number = isinstance(iterations, int | np.integer) and not isinstance(iterations, bool)
    if not is_number or not 1 <= iterations <= MOST_ITERATIONS:
        raise ValueError(f"iterations: expected a whole number from 1 to {MOST_ITERATIONS}, got {iterations!r}")
    tree = information_sets(rules)
    state, points = _State(tree), []
    for iteration in range(1, int(iterations) + 1):
        state.update(iteration)
        if iteration == iterations or _is_round(iteration):
            points.append(_point(tree, iteration, state.average()))
        if progress is not None:
            progress(1)
    policy = state.average()
    plan = plan_of(tree, policy)
    dealers = value_between(tree.ends, plan, plan) / len(tree.packs)
    return Equilibrium(table_of(tree, (policy, policy)), tuple(points), dealers)


def _is_round(number: int) -> bool:
    """1, 3, 10, 30, 100, ..."""
    while number % 10 == 0:
        number //= 10
    return number in (1, 3)


class _State:
    """What CFR+ keeps for each sequence."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self.policy, self.regrets, self.total = (
            np.ones(tree.sequences),
            np.zeros(tree.sequences),
            np.zeros(tree.sequences),
        )
        policy_of_plan(tree.firsts, self.regrets, self.policy)
        self._plan, self._gains = np.empty(tree.sequences), np.empty(tree.sequences)

    def update(self, iteration: int) -> None:
        """Both players, one after the other; the plans count as often as the iteration's number."""
        tree = self.tree
        for player in (DEALER, OTHER):
            write_plan(tree.firsts, tree.parents, self.policy, self._plan)
            write_gains(tree.ends, self._plan, player, self._gains)
            match_regrets(tree.firsts, tree.parents, tree.players, player, self._gains, self.regrets, self.policy)
        write_plan(tree.firsts, tree.parents, self.policy, self._plan)
        self.total += iteration * self._plan

    def average(self) -> NDArray[np.float64]:
        """The average policy."""
        policy = np.ones(self.tree.sequences)
        policy_of_plan(self.tree.firsts, self.total, policy)
        return policy


def _point(tree: Tree, iteration: int, policy: NDArray[np.float64]) -> Point:
    plan, response = plan_of(tree, policy), np.empty(tree.sequences)
    dealer, other = (respond(tree, plan, role, response) / len(tree.packs) for role in (DEALER, OTHER))
    return Point(iteration, (dealer + other) / 2, (-other, dealer))
