"""PPO for one player against a bot that does not change: a game against nature, with nothing to hide."""

from __future__ import annotations

from training.algorithms.ppo import PPO


class BestResponse(PPO):
    """Learns by chance as PPO, but plays its likeliest action: some best response is always without chance.

    A learner that always begins alike never sees what the bot would have done otherwise. So chance is to be large at
    first; and as it is worth nothing in itself, next to none in the end.
    """

    head = "greedy"
    last_share = 0.02
