"""The environments' names in the registries of PettingZoo and of Gymnasium."""

from __future__ import annotations

import gymnasium
import pettingzoo

ENVIRONMENT_ID = "piquet/auction-v0"
ENTRY_POINT = "piquet_env.auction_piquet_v0:env"
GYMNASIUM_ID = "piquet_env/AuctionPiquet-v0"
BIDDING_ENVIRONMENT_ID = "piquet/auction-bidding-v0"
BIDDING_ENTRY_POINT = "piquet_env.auction_piquet_bidding_v0:env"
BIDDING_GYMNASIUM_ID = "piquet_env/AuctionPiquetBidding-v0"


def register() -> None:
    """Make `pettingzoo.make("aec", "piquet/auction-v0")` and `gymnasium.make("piquet_env/AuctionPiquet-v0")` work.

    And the same where an episode is the auction alone. Older versions of PettingZoo have no registry.
    """
    if hasattr(pettingzoo, "register"):
        for name, entry_point in ((ENVIRONMENT_ID, ENTRY_POINT), (BIDDING_ENVIRONMENT_ID, BIDDING_ENTRY_POINT)):
            if name not in pettingzoo.aec_registry:
                pettingzoo.register("aec", name, entry_point=entry_point)
    for name, fixed in ((GYMNASIUM_ID, {}), (BIDDING_GYMNASIUM_ID, {"episode": "auction"})):
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="piquet_env.envs.single_agent:SingleAgentEnv",
                vector_entry_point="piquet_env.envs.single_agent_vector:SingleAgentVectorEnv",
                kwargs=fixed,
            )
