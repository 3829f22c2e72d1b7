"""PPO for one player against a bot that does not change: a game against nature, with nothing to hide."""

from __future__ import annotations

from training.algorithms.ppo import PPO


class BestResponse(PPO):
    """Learns by chance as PPO, but plays its likeliest action: some best response is always without chance."""

    head = "greedy"
