"""Checkpoints: everything needed to resume, or to play. Written whole or not at all; never code inside."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from piquet_env.files import whole_file
from piquet_env.knowledge import VERSIONS

FORMAT = "piquet-checkpoint/2"


class CheckpointError(ValueError):
    """A file that is no checkpoint, or one of another version: says which file and what was expected."""


def checksum(content: Any) -> str:
    """The sha256 of tensors and plain values in dictionaries and lists: of weights, or of a whole checkpoint."""
    digest = hashlib.sha256()
    for place, value in _leaves(content, ""):
        if isinstance(value, Tensor):
            array = value.detach().cpu().contiguous().numpy()
            digest.update(f"{place} {array.dtype} {array.shape}".encode() + array.tobytes())
        else:
            digest.update(f"{place} {value!r}".encode())
    return digest.hexdigest()


def _leaves(content: Any, place: str) -> Iterator[tuple[str, Any]]:
    if isinstance(content, Mapping | list | tuple):
        items = content.items() if isinstance(content, Mapping) else enumerate(content)
        for key, value in sorted(items, key=lambda item: str(item[0])):
            yield from _leaves(value, f"{place}/{key}")
    else:
        yield place, content


def save_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Write tensors and plain values with format, versions and checksum, whole or not at all. Raises OSError."""
    # By way of memory, as torch reports a full disk as an error of its own kind.
    memory = io.BytesIO()
    torch.save({"format": FORMAT, "versions": VERSIONS, "checksum": checksum(content), "content": content}, memory)
    with whole_file(path) as temporary:
        temporary.write_bytes(memory.getbuffer())


def load_checkpoint(path: str | Path) -> dict[str, Any]:
    """Read a checkpoint. Raises CheckpointError."""
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise CheckpointError(f"{path}: {error.strerror or error}") from error
    except Exception as error:  # torch's reader fails in many ways on what it has not written
        raise CheckpointError(f"{path}: no checkpoint, or a damaged one") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(content.get("content"), dict):
        raise CheckpointError(f"{path}: no checkpoint of this project (expected {FORMAT})")
    if content.get("versions") != VERSIONS:
        raise CheckpointError(f"{path}: versions {content.get('versions')}, but this program plays {VERSIONS}")
    if content.get("checksum") != checksum(content["content"]):
        raise CheckpointError(f"{path}: damaged: its content does not have its checksum")
    return _finite(path, content["content"])


def _finite(path: str | Path, content: dict[str, Any]) -> dict[str, Any]:
    """The content, if there are only numbers in what is learnt. Raises CheckpointError."""
    for name in ("networks", "optimizer", "algorithm"):
        for place, value in _leaves(content.get(name), name):
            if isinstance(value, Tensor) and not torch.isfinite(value).all():
                raise CheckpointError(f"{path}: {place} has numbers that are not finite")
    return content
