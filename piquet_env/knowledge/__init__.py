"""What a player may know: the observation, its documentation and its printed form, and hiding the rest."""

from piquet_env.engine.actions import ACTION_VERSION
from piquet_env.knowledge.encode import may_hold, their_known_hand
from piquet_env.knowledge.features import (
    DIFFERENCES,
    OBSERVATION_SIZE,
    OBSERVATION_VERSION,
    STATE_SIZE,
    Feature,
    describe,
    features,
    fields,
    state_fields,
)
from piquet_env.knowledge.given import Views, views_of
from piquet_env.knowledge.hide import hide, hide_rows, phase_seen_by
from piquet_env.knowledge.observe import action_mask, observation, observe_rows, state, state_rows
from piquet_env.knowledge.suits import (
    ACTION_TABLE,
    SUIT_ORDERS,
    VECTOR_TABLE,
    canonical_orders,
    inverse_orders,
    reorder,
    reorder_mask,
    suit_keys,
)
from piquet_env.rules import RULES_VERSION

VERSIONS = {"rules": RULES_VERSION, "actions": ACTION_VERSION, "observation": OBSERVATION_VERSION}
"""What everything that is saved carries, and what a reader compares."""

__all__ = [
    "ACTION_TABLE",
    "DIFFERENCES",
    "OBSERVATION_SIZE",
    "OBSERVATION_VERSION",
    "STATE_SIZE",
    "SUIT_ORDERS",
    "VECTOR_TABLE",
    "VERSIONS",
    "Feature",
    "Views",
    "action_mask",
    "canonical_orders",
    "describe",
    "features",
    "fields",
    "hide",
    "hide_rows",
    "inverse_orders",
    "may_hold",
    "observation",
    "observe_rows",
    "phase_seen_by",
    "reorder",
    "reorder_mask",
    "state",
    "state_fields",
    "state_rows",
    "suit_keys",
    "their_known_hand",
    "views_of",
]
