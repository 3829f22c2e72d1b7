"""How good a policy is, exactly: against itself or another, and against its best responder.

All values are expected points per deal, own score less the other's: what a duplicate match (`arena.play_match`, single
deals) measures by sampling.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.base import Bot
from piquet_env.bots.tabular import TabularBot
from piquet_env.exact.deals import WHOLE, check_rules, deals_by_hand, number_of_deals
from piquet_env.exact.policies import Progress, everywhere, of_player, policy_of, table_of
from piquet_env.exact.sweeps import maximise, value_between, write_gains, write_plan
from piquet_env.exact.tree import Tree, build_tree, information_sets
from piquet_env.rules import Rules

RulesLike = str | Rules | Mapping[str, Any]
Pairs = tuple[tuple[float, float], ...]
DEALERS = (0, 1)
DEALER, OTHER = 0, 1


@dataclass(frozen=True)
class Exploitability:
    """The exact measures of a bot, in points per deal; entry [d][seat] is for dealer `dealers[d]`."""

    rules: Rules
    dealers: tuple[int, ...]
    """The seats that dealt."""
    value: Pairs
    """What the bot gets in each seat against itself; the two seats add up to 0."""
    best_response: Pairs
    """What a best responder in this seat gets against the bot in the other."""

    @property
    def gains(self) -> Pairs:
        """What a best responder in this seat gets more than the bot itself would, never below 0 but for rounding."""
        pairs = zip(self.best_response, self.value, strict=True)
        return tuple((best[0] - own[0], best[1] - own[1]) for best, own in pairs)

    @property
    def exploitability(self) -> float:
        """The mean gain of a best responder per deal: over the dealers and both seats.

        That is NashConv / 2, averaged over the dealers, and what a best responder, who knows the bot's policy, wins per
        deal in a duplicate match. 0: the policy is an equilibrium.
        """
        return float(np.mean(self.gains))


def exploitability(
    bot: Bot,
    rules: RulesLike = "micro",
    *,
    name: str = "bot",
    dealers: Sequence[int] = DEALERS,
    progress: Progress | None = None,
) -> Exploitability:
    """The value of a bot against itself and of the best responses to it, from the whole game tree.

    A best response is to all that the bot does and knows as much as a player does. `micro` takes a second beside the
    bot's own time, `mini` tens of minutes (its tree is gone through hand by hand, in about a gigabyte).

    Args:
        bot: has `probabilities(views) -> float (B, 80)`, or is `deterministic` (`piquet_env.bots.Bot`).
        rules: `micro`, `mini`, or as small a pack.
        name: what the bot is called in errors.
        dealers: (0, 1), or one of them: half the time, and the same result for a bot that goes by the observation
            alone, which does not tell the seats apart.
        progress: called after each question to the bot with how far that is, in deals; in all `work(rules)`.

    Raises:
        ValueError: bad rules, or such as are too large; bad dealers.
        BotError: (a ValueError) the bot has neither, cheats, raised an error, or gave what is no policy.
    """
    made, chosen = Rules.make(rules), _checked_dealers(dealers)
    value, best = np.zeros((len(chosen), 2)), np.zeros((len(chosen), 2))
    for tree, roles in _parts(made):
        told = _share(progress, len(tree.packs) * len(roles) / len(chosen))
        for d, dealer in enumerate(chosen):
            value[d, DEALER] += _measure(bot, name, tree, roles, dealer, best[d], told)
    value[:, OTHER] = -value[:, DEALER]
    number = number_of_deals(made)
    return Exploitability(made, chosen, _by_seat(value / number, chosen), _by_seat(best / number, chosen))


def work(rules: RulesLike) -> int:
    """What the numbers add up to that `exploitability` calls `progress` with. Raises ValueError: rules too large."""
    made = Rules.make(rules)
    check_rules(made)
    return 2 * number_of_deals(made)


def _checked_dealers(dealers: Sequence[int]) -> tuple[int, ...]:
    chosen = tuple(dealers)
    if chosen not in ((0,), (1,), (0, 1)):
        raise ValueError(f"dealers: expected (0, 1), (0,) or (1,), got {dealers!r}")
    return chosen


def _parts(rules: Rules) -> Iterator[tuple[Tree, tuple[int, ...]]]:
    """The game in parts, and the roles whose information sets each has whole: all in one, or a role's hand in each."""
    check_rules(rules)
    if number_of_deals(rules) <= WHOLE:
        yield information_sets(rules), (DEALER, OTHER)
        return
    for role in (DEALER, OTHER):
        for packs in deals_by_hand(rules, role):
            yield build_tree(rules, packs), (role,)


def _share(progress: Progress | None, deals: float) -> Progress | None:
    """What is told of parts of a whole, and tells of parts of so many deals."""
    return None if progress is None else (lambda part: progress(part * deals))


def _measure(
    bot: Bot,
    name: str,
    tree: Tree,
    roles: tuple[int, ...],
    dealer: int,
    best: NDArray[np.float64],
    progress: Progress | None,
) -> float:
    """Of one part: adds each role's best response to `best`; the dealer's value, if he is among the roles."""
    asked = everywhere(tree) if DEALER in roles else of_player(tree, DEALER)
    plan = plan_of(tree, policy_of(bot, tree, asked, dealer, name, progress))
    for role in roles:
        best[role] += respond(tree, plan, role, np.empty(tree.sequences))
    return value_between(tree.ends, plan, plan) if DEALER in roles else 0.0


def plan_of(tree: Tree, policy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Both players' plans (`sweeps`): float64 (sequences,)."""
    plan = np.empty(tree.sequences)
    write_plan(tree.firsts, tree.parents, policy, plan)
    return plan


def respond(tree: Tree, plan: NDArray[np.float64], role: int, policy: NDArray[np.float64]) -> float:
    """The value of a role's best response, summed over the deals; writes it into `policy`."""
    gains = np.empty(tree.sequences)
    write_gains(tree.ends, plan, role, gains)
    return maximise(tree.firsts, tree.parents, tree.players, role, gains, policy)


def _by_seat(by_role: NDArray[np.float64], dealers: tuple[int, ...]) -> Pairs:
    """The dealer sits in the dealer's seat."""
    seats = [pair[::-1] if dealer else pair for pair, dealer in zip(by_role.tolist(), dealers, strict=True)]
    return tuple((pair[0], pair[1]) for pair in seats)


# ------------------------------------------------------------------ two bots, and a best response as a bot


def value(
    bot_a: Bot, bot_b: Bot, rules: RulesLike = "micro", *, names: tuple[str, str] = ("A", "B"), progress: Any = None
) -> float:
    """The expected points per deal of A less B's, over both dealers and both seats.

    Args and errors as for `exploitability`; progress is called with half as many deals.
    """
    made, total = Rules.make(rules), 0.0
    for tree, roles in _parts(made):
        if DEALER not in roles:
            break
        for dealer in DEALERS:
            bots = zip((bot_a, bot_b), names, strict=True)
            plan_a, plan_b = (plan_of(tree, policy_of(bot, tree, everywhere(tree), dealer, name)) for bot, name in bots)
            total += value_between(tree.ends, plan_a, plan_b) - value_between(tree.ends, plan_b, plan_a)
        if progress is not None:
            progress(len(tree.packs))
    return total / number_of_deals(made) / 4


def best_response(bot: Bot, rules: RulesLike = "micro", *, name: str = "bot") -> TabularBot:
    """A bot that plays a best response to `bot` in every seat: it gains `exploitability(bot, rules)` per deal.

    Of equally good actions it takes the first; so too where `bot` never lets it come.

    Raises:
        ValueError, BotError: as `exploitability`; rules too large for the tree to be kept as a whole, as `mini` is.
    """
    tree = information_sets(rules)
    policies = []
    for dealer in DEALERS:
        plan = plan_of(tree, policy_of(bot, tree, everywhere(tree), dealer, name))
        policies.append(np.ones(tree.sequences))
        for role in (DEALER, OTHER):
            respond(tree, plan, role, policies[-1])
    return table_of(tree, policies)
