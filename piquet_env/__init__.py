"""Auction Piquet as a reinforcement-learning environment."""

from piquet_env import auction_piquet_bidding_v0, auction_piquet_v0
from piquet_env.envs.opponents import OpponentPool
from piquet_env.envs.registration import register as _register
from piquet_env.envs.vector import SelfPlayVectorEnv
from piquet_env.notation import action_index, action_text
from piquet_env.rules import Rules

__version__ = "0.1.0"
__all__ = [
    "OpponentPool",
    "Rules",
    "SelfPlayVectorEnv",
    "__version__",
    "action_index",
    "action_text",
    "auction_piquet_bidding_v0",
    "auction_piquet_v0",
]

_register()
