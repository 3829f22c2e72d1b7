"""The form of a file of decisions: one table of columns, from which the schema, its page and its reader all come."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from piquet_env.engine.actions import ACTIONS
from piquet_env.engine.layout import Phase
from piquet_env.knowledge import OBSERVATION_SIZE, STATE_SIZE, VERSIONS

FORMAT = "piquet-decisions/1"
KEY = b"piquet"
"""Under which the file's metadata hold a JSON object."""
_NEEDED = ("rules", "episode")  # by who reads it
BITS = "the first bit is the highest of the first byte, as numpy.packbits has it"
ROWS_PER_GROUP = 32_768
"""Rows that are compressed, and read, together; the last group of a file may have fewer."""

OBSERVATION_BYTES, MASK_BYTES, STATE_BYTES = (-(-size // 8) for size in (OBSERVATION_SIZE, ACTIONS, STATE_SIZE))
_PHASES = ", ".join(
    f"{phase.value} {phase.name.lower().replace('_', ' ')}" for phase in Phase if phase < Phase.DEAL_OVER
)
_ENTRY = pa.field("element", pa.float32(), nullable=False)


class DatasetError(ValueError):
    """A file that is none of decisions, is damaged, or is one of another version: says which file and what is wrong."""


class Column(NamedTuple):
    """A column of the file."""

    name: str
    kind: pa.DataType
    meaning: str


COLUMNS = (
    Column("game", pa.int64(), "number of the game, from 0: one deal, or a partie; it is dealt by (seed, game) alone"),
    Column("deal", pa.int32(), "number of the deal in its game, from 0; deals that were thrown in count"),
    Column("step", pa.uint8(), "actions that were taken in this deal before, by both players, forced ones too"),
    Column("player", pa.uint8(), "who acted: 0 player_0, 1 player_1"),
    Column(
        "bot", pa.uint8(), "which of the two bots acted, 0 or 1: player_0 is bot 0 in even games, bot 1 in odd ones"
    ),
    Column("phase", pa.uint8(), _PHASES),
    Column("observation", pa.binary(OBSERVATION_BYTES), f"what the player observed: {OBSERVATION_SIZE:,} bits, packed"),
    Column("mask", pa.binary(MASK_BYTES), f"what he might do: {ACTIONS} bits, packed"),
    Column("action", pa.uint8(), "what he did"),
    Column(
        "policy",
        pa.list_(_ENTRY),
        "the probability of each legal action, in the order of the actions: as many as the mask has ones",
    ),
    Column("deal_return", pa.float32(), "points of the player who acted less the other's, in this deal; thrown in: 0"),
    Column("return", pa.float32(), "the same for this deal and all that followed in its game: what he was playing for"),
    Column("payment", pa.float32(), "what the partie paid to the player who acted; 0 where a game is one deal"),
)
STATE = Column(
    "state", pa.binary(STATE_BYTES), f"everything, from the side of the player who acted: {STATE_SIZE:,} bits, packed"
)


def schema(with_state: bool = False) -> pa.Schema:
    """The columns of a file, with the state or without."""
    return pa.schema([pa.field(c.name, c.kind, nullable=False) for c in columns(with_state)])


def columns(with_state: bool) -> tuple[Column, ...]:
    """Those of a file, in order."""
    return (*COLUMNS, STATE) if with_state else COLUMNS


def spread(packed: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """Packed bits (B, bytes) as uint8 (B, size) of 0 and 1, for size OBSERVATION_SIZE, STATE_SIZE or 80."""
    return np.unpackbits(packed, axis=-1, count=size)


def record_batch(values: dict[str, NDArray[Any]]) -> pa.RecordBatch:
    """The columns as Arrow has them.

    Args:
        values: by the names of the columns; packed bits as uint8 (N, bytes), all others (N,), and the policy in one
            line as float32 (legal actions of all rows,).
    """
    with_state = STATE.name in values
    legal = spread(values["mask"], ACTIONS).sum(axis=1, dtype=np.int32)
    offsets = pa.array(np.concatenate([np.zeros(1, np.int32), np.cumsum(legal, dtype=np.int32)]))
    made = []
    for column in columns(with_state):
        array = values[column.name]
        if pa.types.is_fixed_size_binary(column.kind):
            buffers = [None, pa.py_buffer(np.ascontiguousarray(array))]
            made.append(pa.FixedSizeBinaryArray.from_buffers(column.kind, len(array), buffers))
        elif pa.types.is_list(column.kind):
            made.append(pa.ListArray.from_arrays(offsets, pa.array(array), type=column.kind))
        else:
            made.append(pa.array(array, column.kind))
    return pa.record_batch(made, schema=schema(with_state))


def metadata_from(found: pa.Schema) -> dict[str, Any]:
    """What the metadata of a file say. Raises DatasetError, which does not name the file: it is none of ours."""
    try:
        made = json.loads((found.metadata or {})[KEY])
        said = made["format"]
        versions = {name: made["versions"][name] for name in VERSIONS}
    except (KeyError, TypeError, ValueError, RecursionError):
        raise DatasetError(f"it is no file of decisions (no {FORMAT!r} in its metadata)") from None
    if said != FORMAT:
        raise DatasetError(f"its format is {said!r}, expected {FORMAT!r}")
    for name, version in VERSIONS.items():
        if versions[name] != version:
            raise DatasetError(f"it was made with version {versions[name]} of the {name}, expected {version}")
    if not found.equals(schema(STATE.name in found.names)):
        raise DatasetError(f"its columns are not those of {FORMAT!r}")
    for name in _NEEDED:
        if name not in made:
            raise DatasetError(f"its metadata have no {name!r}")
    return made
