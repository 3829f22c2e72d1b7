"""Players of one call signature: `load_bot("greedy").act(views, rng)`."""

from piquet_env.bots.base import Bot, BotError, Views, views_of
from piquet_env.bots.registry import load_bot

__all__ = ["Bot", "BotError", "Views", "load_bot", "views_of"]
