"""The expert: no learning, no memory; it samples what is hidden from it, and solves the play of each sample."""

from piquet_env.bots.expert.bot import EFFORTS, Effort, ExpertBot, OmniscientBot

__all__ = ["EFFORTS", "Effort", "ExpertBot", "OmniscientBot"]
