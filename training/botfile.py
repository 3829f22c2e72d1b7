"""A trained bot in one file: weights as safetensors, and in the header all that is needed to play; no code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from piquet_env.files import whole_file
from piquet_env.knowledge import VERSIONS
from training.checkpoint import CheckpointError, checksum

FORMAT = "piquet-bot/1"
SUFFIX = ".safetensors"
VALUE = "value."
"""What the names of the value network's weights begin with, where there is one."""
_KEY = "piquet"
_LENGTH = 8  # bytes that say how long the header is


def save_bot_file(path: Path, weights: dict[str, Tensor], about: dict[str, Any]) -> None:
    """Write a `bot_file`, whole or not at all. Raises OSError."""
    content = bot_file(weights, about)
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def bot_file(weights: dict[str, Tensor], about: dict[str, Any]) -> bytes:
    """A bot's weights and what is said of it, as a file's content.

    Args:
        weights: float32, as `PolicyNetwork.state_dict()` names them; those of a value network begin with VALUE.
        about: plain values: `config` (the run's), `decisions` (after how many), `head` (`NetworkBot`), `temperature`
            (1 where that is not said: `piquet export`; the weights have it already); of a value
            network `value`, with its `width`, its `depth`, the `scale` of its unit in points, to how many `deals` it
            was fitted, its `explained_variance` and `root_mean_square_error`.
    """
    header = {"format": FORMAT, "versions": VERSIONS, "sha256": checksum(weights), **about}
    return save({name: tensor.contiguous() for name, tensor in weights.items()}, {_KEY: json.dumps(header)})


def load_bot_file(path: str | Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The weights, and what the header says. Raises CheckpointError."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path}: {error.strerror or error}") from error
    return parse_bot_file(path, content)


def parse_bot_file(path: str | Path, content: bytes) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The same of a file's content; the path is for messages. Raises CheckpointError."""
    header = _header(path, content)
    if header.get("format") != FORMAT:
        raise CheckpointError(f"{path}: no bot of this project (expected {FORMAT})")
    if header.get("versions") != VERSIONS:
        raise CheckpointError(f"{path}: versions {header.get('versions')}, but this program plays {VERSIONS}")
    try:
        weights = load(content)
    except (SafetensorError, ValueError) as error:
        raise CheckpointError(f"{path}: damaged: {error}") from error
    if header.get("sha256") != checksum(weights):
        raise CheckpointError(f"{path}: damaged: its weights do not have their checksum")
    if not all(torch.isfinite(tensor).all() for tensor in weights.values()):
        raise CheckpointError(f"{path}: its weights have numbers that are not finite")
    return weights, header


def _header(path: str | Path, content: bytes) -> dict[str, Any]:
    """What is written there about the bot; empty if nothing is."""
    try:
        length = int.from_bytes(content[:_LENGTH], "little")
        whole = json.loads(content[_LENGTH : _LENGTH + length])
        header = json.loads(whole["__metadata__"][_KEY])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CheckpointError(f"{path}: no bot of this project, or a damaged one") from error
    return header if isinstance(header, dict) else {}
