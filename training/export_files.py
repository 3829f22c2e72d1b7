"""Where `piquet export` writes: a file, or a folder of its own, in which nothing of others is lost."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from piquet_env.bots.exported import SUFFIX
from piquet_env.files import file_to_write, write_all
from training.train import BOT

MANIFEST, CARD = "manifest.json", "README.md"
MANIFEST_FORMAT = "piquet-manifest/1"
CARD_SHA256 = "card_sha256"
"""The manifest's entry by which a card that was filled in is told from one that was not."""


def target_of(checkpoint: Path, out: Path | None) -> Path:
    """The file, or the folder. Raises ValueError: nothing can be written there, or what others wrote would be lost."""
    target = out or _beside(checkpoint)
    if target.suffix == SUFFIX or not os.path.lexists(target):
        file_to_write("out", target)
    elif not target.is_dir():
        raise ValueError(f"out: {target} is no folder, and does not end in {SUFFIX}")
    else:
        _check_folder(target)
    return target


def _beside(checkpoint: Path) -> Path:
    """A folder's whole name with .onnx, or a file's without its own suffix."""
    place = Path(os.path.abspath(checkpoint)) if checkpoint.name in ("", "..") else checkpoint
    return place.parent / ((place.name if place.is_dir() else place.stem) + SUFFIX)


def _check_folder(target: Path) -> None:
    """Raises ValueError: a file cannot be written there, or would take the place of one that is not ours."""
    names = (BOT, CARD, MANIFEST)
    for name in names:
        file_to_write("out", target / name)
    manifest = _manifest(target)
    for name in names:
        if os.path.lexists(target / name) and not _is_ours(target / name, manifest):
            raise ValueError(f"out: {target} has a {name} that piquet export did not write, or was changed")


def _manifest(target: Path) -> dict[str, Any] | None:
    """The manifest of an export that is there."""
    try:
        manifest = json.loads((target / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return manifest if isinstance(manifest, dict) and manifest.get("format") == MANIFEST_FORMAT else None


def _is_ours(file: Path, manifest: dict[str, Any] | None) -> bool:
    """Whether an export wrote it; a card, that nobody has changed it since."""
    if manifest is None or file.name != CARD:
        return manifest is not None
    return manifest.get(CARD_SHA256) == hashlib.sha256(file.read_bytes()).hexdigest()


def write(files: dict[Path, bytes], target: Path) -> None:
    """All or none of the files, in their folder if that is what the target is. Raises OSError."""
    is_new = target.suffix != SUFFIX and not target.exists()
    if is_new:
        target.mkdir()
    try:
        write_all(files)
    except OSError:
        if is_new:
            target.rmdir()
        raise
