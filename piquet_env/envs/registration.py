"""The environments' names in the registries of PettingZoo and of Gymnasium."""

from __future__ import annotations

import gymnasium
import pettingzoo

ENVIRONMENT_ID = "piquet/auction-v0"
ENTRY_POINT = "piquet_env.auction_piquet_v0:env"
GYMNASIUM_ID = "piquet_env/AuctionPiquet-v0"


def register() -> None:
    """Make `pettingzoo.make("aec", "piquet/auction-v0")` and `gymnasium.make("piquet_env/AuctionPiquet-v0")` work.

    Older versions of PettingZoo have no registry.
    """
    if hasattr(pettingzoo, "register") and ENVIRONMENT_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", ENVIRONMENT_ID, entry_point=ENTRY_POINT)
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="piquet_env.envs.single_agent:SingleAgentEnv",
            vector_entry_point="piquet_env.envs.single_agent_vector:SingleAgentVectorEnv",
        )
