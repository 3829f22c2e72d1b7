"""What an illegal action costs where it ends the episode: no less than any legal way of losing it.

A learner that could end a bad deal cheaply would learn to make illegal moves.
"""

from __future__ import annotations

from piquet_env.envs.limits import most_points
from piquet_env.rules import Rules


def forfeit(rules: Rules, episode: str, reward: str) -> float:
    """The reward, below 0, that a learner gets who loses the episode by an illegal action.

    "win": -1. "score": as many points as a player can at most lose by in a deal, for every deal of the episode.
    "payment": as much as a partie can cost at most. What had been gained before in the episode is thereby lost too.
    """
    if reward == "win":
        return -1.0
    if reward == "payment" and rules.stop_at is not None:
        return -2.0
    most = _most_points(rules, episode)
    return -float(most + rules.rubicon + most if reward == "payment" else most)


def _most_points(rules: Rules, episode: str) -> int:
    """More than a player can score in the episode, and so more than he can be ahead by."""
    deal = 1 + most_points(rules)
    if episode != "partie":
        return deal
    if rules.stop_at is not None:
        return rules.stop_at + deal
    return (rules.deals + rules.extra_deals_on_tie) * deal
