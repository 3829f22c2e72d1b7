"""What numbers mean to a saved bot: versions, and a hash of each table behind them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

from piquet_env import knowledge
from piquet_env.notation import action_names
from piquet_env.rules import Rules

FORMS = {
    "cards": "a bit for each card: card 8 * suit + rank, suits S H D C, ranks 7 8 9 T J Q K A",
    "digits": "a number for each card, binary: 32 bits as cards for each digit, ones first",
    "flag": "one bit: it is so",
    "one-hot": "the bit of the number is 1; where none is, there is no such number",
    "thermometer": "a number n as n ones",
    "bits": "each bit for itself",
}
"""How a feature of the observation or the state is written in bits."""


def hash_of(value: Any) -> str:
    """The sha256 of JSON values, whatever the order of their keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def observation_table() -> list[dict[str, Any]]:
    """The features of the observation: `{"name", "start", "stop", "form", "meaning"}`, one behind the other."""
    return [feature._asdict() for feature in knowledge.features()]


def hashes(rules: Rules) -> dict[str, str]:
    """Of the rules' fields, of the actions' names and of the observation's table, but for the prose in it."""
    features = [[f.name, f.start, f.stop, f.form] for f in knowledge.features()]
    return {"rules": hash_of(asdict(rules)), "actions": hash_of(action_names()), "observation": hash_of(features)}
