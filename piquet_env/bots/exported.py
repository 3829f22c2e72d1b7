"""A trained bot in one ONNX file, played by onnxruntime: no torch, and no code from the file.

`piquet export` makes such files. What the graph takes and gives is INPUTS and OUTPUTS; any other program can run it.
Its metadata has one entry, `piquet`, a JSON object that says what the numbers mean (`about` of a loaded bot).
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.base import BotError, Views
from piquet_env.bots.meaning import hashes
from piquet_env.bots.policy import draw
from piquet_env.engine.actions import ACTIONS
from piquet_env.knowledge import OBSERVATION_SIZE, VERSIONS
from piquet_env.rules import Rules

FORMAT = "piquet-onnx/1"
SUFFIX = ".onnx"
KEY = "piquet"
"""The entry of the metadata."""
INPUTS = {
    "observation": f"int8 (batch, {OBSERVATION_SIZE}): what the player to act sees, as the environment gives it",
    "action_mask": f"int8 (batch, {ACTIONS}): 1 for each legal action",
}
OUTPUTS = {
    "probabilities": f"float32 (batch, {ACTIONS}): the policy; 0 for illegal actions",
    "value": "float32 (batch,): what it expects the deal to come to in points, its score less the other's",
    "action": "int64 (batch,): the likeliest action, the first of equal ones",
}
LARGEST_BATCH = 8192
MOST_BYTES = 2**31
"""An ONNX file has fewer."""
UNSIGNED = "0" * 64
"""What stands in a file in the place of its checksum while that is computed."""
_CHECKSUM = re.compile(rb'"content": "([0-9a-f]{64})"')
_TYPES = {"observation": "tensor(int8)", "action_mask": "tensor(int8)", "probabilities": "tensor(float)",
          "value": "tensor(float)", "action": "tensor(int64)"}  # fmt: skip
_WIDTHS = {"observation": OBSERVATION_SIZE, "action_mask": ACTIONS, "probabilities": ACTIONS}


class ExportedBot:
    """Plays the policy of an ONNX file that `piquet export` wrote.

    Args:
        content: the file.
        name: what it is called in messages.

    Raises:
        BotError: it is no such file, damaged, or of other versions; or onnxruntime is not installed.
    """

    def __init__(self, content: bytes, name: str):
        self._content, self._name = content, name
        with _no_bot(name):
            _check_content(content)
            self._session = _session(content, name)
            self.about: dict[str, Any] = json.loads(self._session.get_modelmeta().custom_metadata_map[KEY])
            self.trained_on = check_about(self.about, FORMAT)
            self.sha256 = str(self.about["sha256"])
            _check_graph(self._session)

    def outputs(self, views: Views) -> dict[str, NDArray]:
        """All that the graph gives, by the names of OUTPUTS. Raises BotError: the graph cannot be run."""
        arrays = {"observation": np.ascontiguousarray(views.observation, np.int8),
                  "action_mask": np.ascontiguousarray(views.mask, np.int8)}  # fmt: skip
        # One call at least, so that no games give arrays of the right shapes.
        chunks = range(0, max(1, len(views.mask)), LARGEST_BATCH)
        with _no_bot(self._name):
            parts = [
                self._session.run(list(OUTPUTS), {k: a[i : i + LARGEST_BATCH] for k, a in arrays.items()})
                for i in chunks
            ]
        return {name: np.concatenate(made) for name, made in zip(OUTPUTS, zip(*parts, strict=True), strict=True)}

    def probabilities(self, views: Views) -> NDArray[np.float32]:
        """The policy: float32 (B, 80), 0 for illegal actions."""
        return self.outputs(views)["probabilities"]

    def value(self, views: Views) -> NDArray[np.float32]:
        """What it expects the deal to come to: float32 (B,), in points."""
        return self.outputs(views)["value"]

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """One action (B,) for each view, drawn from the probabilities."""
        return draw(self.probabilities(views), rng)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as the file: what runs it cannot be."""
        return ExportedBot, (self._content, self._name)

    def __deepcopy__(self, memo: Any) -> ExportedBot:
        return self  # which never changes


def load_exported_bot(path: str | os.PathLike[str], name: str = "") -> ExportedBot:
    """The bot in a file that `piquet export` wrote; the name is for messages. Raises BotError."""
    name = name or os.fspath(path)
    try:
        if not os.path.isdir(path) and os.path.exists(path) and not os.path.isfile(path):
            raise BotError(f"{name}: not a regular file")
        if os.path.getsize(path) > MOST_BYTES:
            raise BotError(f"{name}: no exported bot: longer than {MOST_BYTES} bytes")
        content = Path(path).read_bytes()
    except OSError as error:
        raise BotError(f"{name}: {error.strerror or error}") from error
    return ExportedBot(content, name)


def signed(content: bytes) -> bytes:
    """The file with its checksum in the place of UNSIGNED. Raises ValueError: there is not one such place."""
    unsigned, _ = _apart(content)
    return unsigned.replace(_place(UNSIGNED), _place(hashlib.sha256(unsigned).hexdigest()))


def check_about(about: Any, expected: str) -> Rules:
    """The rules that a bot was trained on, of what its file says of it.

    Raises:
        ValueError: it is of another format, or of other versions or tables than this program has.
    """
    if not isinstance(about, dict) or about.get("format") != expected:
        found = about.get("format") if isinstance(about, dict) else about
        raise ValueError(f"expected the format {expected!r}, got {found!r}")
    if about.get("versions") != VERSIONS:
        raise ValueError(f"versions: it is of {about.get('versions')}, and this program plays {VERSIONS}")
    rules = Rules.make(about["rules"])
    for field, value in about["rule_fields"].items():  # those of its time: this program may have more
        if getattr(rules, field, None) != value:
            raise ValueError(f"rule_fields: {field} was {value!r} in {about['rules']!r}")
    for table in ("actions", "observation"):
        if about["hashes"].get(table) != hashes(rules)[table]:
            raise ValueError(f"hashes: its table of {table} is another than this program's")
    return rules


# ------------------------------------------------------------------ a file


@contextlib.contextmanager
def _no_bot(name: str) -> Iterator[None]:
    """Whatever is wrong with a file, as one BotError."""
    try:
        yield
    except BotError:
        raise
    except Exception as error:  # onnxruntime has a dozen errors of its own, which share no base
        said = f"it has no {error}" if isinstance(error, KeyError) else " ".join(str(error).split())
        raise BotError(f"{name}: no exported bot, or a damaged one: {said[:300]}") from error


def _place(checksum: str) -> bytes:
    return f'"content": "{checksum}"'.encode()


def _apart(content: bytes) -> tuple[bytes, str]:
    """The file without its checksum, and the checksum."""
    found = _CHECKSUM.findall(content)
    if len(found) != 1:
        raise ValueError("it has no checksum of `piquet export`")
    return content.replace(_place(found[0].decode()), _place(UNSIGNED)), found[0].decode()


def _check_content(content: bytes) -> None:
    unsigned, checksum = _apart(content)
    if hashlib.sha256(unsigned).hexdigest() != checksum:
        raise ValueError("its content does not have its checksum: it was cut short or changed")


def _session(content: bytes, name: str) -> Any:
    if importlib.util.find_spec("onnxruntime") is None:
        needs = "needs onnxruntime, which is not installed: pip install 'piquet-env[play]'"
        raise BotError(f"the bot {name!r} {needs}")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # One thread: a pool of threads does not survive a fork, and tournaments have a process for each core.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what is wrong comes as an exception
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _check_graph(session: Any) -> None:
    """Raises ValueError: it takes or gives something else than INPUTS and OUTPUTS."""
    for expected, ports in ((INPUTS, session.get_inputs()), (OUTPUTS, session.get_outputs())):
        if [port.name for port in ports] != list(expected):
            raise ValueError(f"expected {', '.join(expected)}, got {', '.join(port.name for port in ports)}")
        for port in ports:
            width = [_WIDTHS[port.name]] if port.name in _WIDTHS else []
            if port.type != _TYPES[port.name] or port.shape[1:] != width or isinstance(port.shape[0], int):
                raise ValueError(f"{port.name}: expected {expected[port.name]}, got {port.type} {port.shape}")
