"""Checkpoints: everything needed to resume, or to play. Written whole or not at all; never code inside."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from piquet_env.engine.actions import ACTION_VERSION
from piquet_env.knowledge import OBSERVATION_VERSION
from piquet_env.rules import RULES_VERSION

FORMAT = "piquet-checkpoint/1"
VERSIONS = {"rules": RULES_VERSION, "observation": OBSERVATION_VERSION, "actions": ACTION_VERSION}


class CheckpointError(ValueError):
    """A file that is no checkpoint, or one of another version: says which file and what was expected."""


def weights_sha256(weights: dict[str, Tensor]) -> str:
    """A name for the weights alone: sha256 over names, shapes and values."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        array = weights[name].detach().cpu().contiguous().numpy()
        digest.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()


def save_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Write tensors and plain values with format and versions, whole or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            torch.save({"format": FORMAT, "versions": VERSIONS, **content}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load_checkpoint(path: str | Path) -> dict[str, Any]:
    """Read a checkpoint. Raises CheckpointError."""
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise CheckpointError(f"{path}: {error.strerror or error}") from error
    except Exception as error:  # torch's reader fails in many ways on what it has not written
        raise CheckpointError(f"{path}: no checkpoint, or a damaged one") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise CheckpointError(f"{path}: no checkpoint of this project (expected {FORMAT})")
    if content.get("versions") != VERSIONS:
        raise CheckpointError(f"{path}: versions {content.get('versions')}, but this program plays {VERSIONS}")
    return content
