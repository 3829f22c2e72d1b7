"""Players of one call signature: `load_bot("greedy").act(views, rng)`."""

from piquet_env.bots.base import Bot, BotError, Views, views_of
from piquet_env.bots.policy import PolicyBot, act_in, act_on_view
from piquet_env.bots.registry import load_bot

__all__ = ["Bot", "BotError", "PolicyBot", "Views", "act_in", "act_on_view", "load_bot", "views_of"]
