"""The environment's name in PettingZoo's registry."""

from __future__ import annotations

import pettingzoo

ENVIRONMENT_ID = "piquet/auction-v0"
ENTRY_POINT = "piquet_env.auction_piquet_v0:env"


def register() -> None:
    """Make `pettingzoo.make("aec", "piquet/auction-v0")` work; older versions of PettingZoo have no registry."""
    if hasattr(pettingzoo, "register") and ENVIRONMENT_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", ENVIRONMENT_ID, entry_point=ENTRY_POINT)
