"""PPO that is guided, in the play, by what every card is worth with open hands.

The advantage of PPO is that of the one card that was played, and most of it is the luck of what came after. The solver
says of all cards at once what they are worth if both see all hands, without any luck. Averaged over the deals in which
a player sees the same, that is what players who sample worlds and solve them go by (perfect-information Monte Carlo,
PIMC), with the right beliefs. It is not the truth: who plays so believes that he will know the cards at the next trick.
So its share falls, and what is learnt in the end is mostly what came of the play.
"""

from __future__ import annotations

from torch import Tensor

from training.algorithms.base import Minibatch
from training.algorithms.ppo import PPO
from training.config import ConfigError, TrainConfig
from training.network import expectation


class Guided(PPO):
    """In the play a share of PPO's objective, `open_hand`, gives way to the mean of the policy's open-hand values."""

    uses_solver = True
    last_open_hand = 0.1
    """Of the share, at the end."""

    def __init__(self, config: TrainConfig):
        if config.episode != "deal" or config.reward != "score":
            raise ConfigError("algorithm: guided learns for the score of a deal; set episode: deal, reward: score")
        super().__init__(config)

    def policy_loss(self, log_probabilities: Tensor, ratio: Tensor, batch: Minibatch, progress: float) -> Tensor:
        """See `PPO.policy_loss`."""
        loss = super().policy_loss(log_probabilities, ratio, batch, progress)
        if batch.open_hand is None:
            return loss
        share = self.config.open_hand * (1 - (1 - self.last_open_hand) * progress)
        is_solved = ~batch.open_hand.isnan().all(-1)
        shown = -expectation(log_probabilities, batch.open_hand.nan_to_num(0.0))
        return loss * (1 - share * is_solved) + share * shown * is_solved
