"""The expert: no learning, no memory; it samples what is hidden from it, and solves the play of each sample."""

from piquet_env.bots.expert.bot import EFFORTS, Effort, ExpertBot, OmniscientBot
from piquet_env.bots.expert.plan import DiscardEffort, Round

__all__ = ["EFFORTS", "DiscardEffort", "Effort", "ExpertBot", "OmniscientBot", "Round"]
