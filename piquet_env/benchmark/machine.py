"""On what a benchmark ran."""

from __future__ import annotations

import contextlib
import os
import platform
from typing import Any

from piquet_env.arena.provenance import provenance
from piquet_env.arena.worker import cores
from piquet_env.benchmark.measure import can_pin


def origin(command: str) -> dict[str, Any]:
    """The command, versions, commit and machine, as a JSON object; call it before anything is measured.

    The machine's `load` is the system's average of the last minute: an idle one is near 0.
    """
    made = provenance(command, {})
    del made["weights"]
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    made["machine"] |= {"processor": _processor(), "usable_cores": cores(), "pinned": can_pin(), "load": load}
    return made


def _processor() -> str:
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
