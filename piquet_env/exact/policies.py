"""What a bot does in the information sets of a tree, and a policy as a bot."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.base import Bot
from piquet_env.bots.policy import probabilities_of
from piquet_env.bots.tabular import TabularBot, keys_of
from piquet_env.exact.sweeps import spread_policy
from piquet_env.exact.tree import Tree

AT_ONCE = 8192
"""Information sets about which a bot is asked together, at most."""

Progress = Callable[[float], object]


def policy_of(
    bot: Bot,
    tree: Tree,
    infosets: NDArray[np.int64],
    dealer: int,
    name: str = "bot",
    progress: Progress | None = None,
) -> NDArray[np.float64]:
    """What the bot does in these information sets, int64 (n,), where `dealer` (a seat) deals: float64 (sequences,).

    It is 0 where the bot is not asked. `progress` is called after each question with its part of all, from 0 to 1.

    Raises:
        BotError: the bot has no policy (`bots.policy.probabilities_of`), or raised an error.
    """
    policy = np.zeros(tree.sequences)
    policy[:2] = 1
    for start in range(0, len(infosets), AT_ONCE):
        part = infosets[start : start + AT_ONCE]
        views = tree.views(part, dealer)
        legal = views.mask == 1  # before the bot is asked, which may write into what it is given
        given = probabilities_of(name, bot, views)
        spread_policy(tree.firsts, part, np.where(legal, given, -1), policy)
        if progress is not None:
            progress(len(part) / len(infosets))
    return policy


def everywhere(tree: Tree) -> NDArray[np.int64]:
    """All its information sets."""
    return np.arange(len(tree))


def of_player(tree: Tree, player: int) -> NDArray[np.int64]:
    """Those of the dealer, 0, or the other, 1."""
    return np.flatnonzero(tree.players == player)


def table_of(tree: Tree, policies: Sequence[NDArray[np.float64]]) -> TabularBot:
    """A bot that plays a policy where player_0 deals, and one where player_1 does.

    Raises ValueError: there is nothing to play.
    """
    if not len(tree):
        raise ValueError("rules: expected a game in which somebody has a choice")
    keys = np.concatenate([tree.keys, _keys_of_second_dealer(tree)])
    firsts = tree.firsts.astype(np.int64) - 2
    first = np.concatenate([firsts, firsts[1:] + firsts[-1]])
    return TabularBot(tree.rules, keys, first, np.concatenate([policy[2:] for policy in policies]))


def _keys_of_second_dealer(tree: Tree) -> NDArray[np.int64]:
    parts = range(0, len(tree), AT_ONCE)
    return np.concatenate([keys_of(tree.views(everywhere(tree)[start : start + AT_ONCE], 1)) for start in parts])
