"""Reading files of decisions: group by group, or as random minibatches."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from piquet_env.dataset.form import STATE, DatasetError, columns, metadata_from, spread
from piquet_env.engine.actions import ACTIONS
from piquet_env.rules import Rules

POOL = 8
"""Groups of rows among which minibatches are drawn: memory for some 8 * 32,768 rows, half a kilobyte each."""


class Columns(NamedTuple):
    """Some rows of a file, in its order: `form.COLUMNS` says what each is. The arrays may be read-only."""

    game: NDArray[np.int64]
    deal: NDArray[np.int32]
    step: NDArray[np.uint8]
    player: NDArray[np.uint8]
    bot: NDArray[np.uint8]
    phase: NDArray[np.uint8]
    observation: NDArray[np.uint8]
    """(B, bytes), packed bits: `spread(observation, OBSERVATION_SIZE)`."""
    mask: NDArray[np.uint8]
    """(B, 10), packed bits: `spread(mask, 80)`."""
    action: NDArray[np.uint8]
    policy: NDArray[np.float32]
    """(B, 80): 0 for illegal actions."""
    deal_return: NDArray[np.float32]
    return_: NDArray[np.float32]
    payment: NDArray[np.float32]
    state: NDArray[np.uint8] | None
    """(B, bytes), packed bits: `spread(state, STATE_SIZE)`; None: the file has none."""


class Batch(NamedTuple):
    """Decisions to learn from."""

    observation: NDArray[np.uint8]
    """(B, bytes), packed bits: `spread(observation, OBSERVATION_SIZE)`."""
    mask: NDArray[np.uint8]
    """(B, 10), packed bits: `spread(mask, 80)`."""
    action: NDArray[np.int64]
    """(B,)."""
    policy: NDArray[np.float32]
    """(B, 80): 0 for illegal actions."""
    return_: NDArray[np.float32]
    """(B,), in points."""
    state: NDArray[np.uint8] | None
    """(B, bytes), packed bits: `spread(state, STATE_SIZE)`; None: the file has none."""


class Decisions:
    """A file of decisions, open for reading; a context manager.

    with Decisions.open("data.parquet") as data:
        for batch in data.batches(4096, np.random.default_rng(0)): ...
    """

    def __init__(self, path: str, file: pq.ParquetFile, metadata: dict[str, Any]):
        """As `open` makes it."""
        self.path, self._file = path, file
        self.metadata = metadata
        """The JSON object of the file: DATASET.md."""
        self.rules = Rules.make(metadata["rules"])
        """The rules that were played."""
        self.rows: int = file.metadata.num_rows
        """How many decisions it has."""
        self.row_groups: int = file.metadata.num_row_groups
        """How many groups these stand in."""
        self.has_state = STATE.name in file.schema_arrow.names
        """Whether the full-information states are there."""

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Decisions:
        """Open a file. Raises DatasetError: it is not there, is no file of decisions, or one of another version."""
        name = os.fspath(path)
        with _blamed(name):
            file = pq.ParquetFile(name, page_checksum_verification=True)
            try:
                _check_numbers(file.metadata)
                return cls(name, file, metadata_from(file.schema_arrow))
            except BaseException:
                file.close()
                raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Decisions:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, group: int) -> Columns:
        """A group of rows, 0 <= group < row_groups. Raises DatasetError: it is damaged; IndexError: there is none."""
        found = self._read(group, [column.name for column in columns(self.has_state)])
        found["return_"] = found.pop("return")
        return Columns(**{STATE.name: None, **found})

    def batches(self, size: int, rng: np.random.Generator) -> Iterator[Batch]:
        """Every decision once, in random order, `size` to a batch; the last one may be smaller.

        Groups are drawn at random, and rows among `POOL` groups at a time: a file of fewer is shuffled through.

        Raises:
            ValueError: size is less than 1.
            DatasetError: the file is damaged.
        """
        if size < 1:
            raise ValueError(f"size: expected at least 1, got {size}")
        return self._batches(size, rng)

    def _batches(self, size: int, rng: np.random.Generator) -> Iterator[Batch]:
        groups = rng.permutation(self.row_groups)
        left: list[Batch] = []
        for first in range(0, len(groups), POOL):
            pool = _joined([*left, *map(self._batch, groups[first : first + POOL])])
            order = rng.permutation(len(pool.action))
            whole = len(order) - len(order) % size
            for start in range(0, whole, size):
                yield _taken(pool, order[start : start + size])
            left = [_taken(pool, order[whole:])]
        if left and len(left[0].action):
            yield left[0]

    def _batch(self, group: int) -> Batch:
        names = ["observation", "mask", "action", "policy", "return"] + [STATE.name] * self.has_state
        found = self._read(int(group), names)
        state, action = found.get(STATE.name), found["action"].astype(np.int64)
        return Batch(found["observation"], found["mask"], action, found["policy"], found["return"], state)

    def _read(self, group: int, names: list[str]) -> dict[str, NDArray[Any]]:
        if not 0 <= group < self.row_groups:
            raise IndexError(f"{self.path}: group {group}: expected 0 to {self.row_groups - 1}")
        with _blamed(self.path):
            table = self._file.read_row_group(group, columns=names).combine_chunks()
            found = {name: table.column(name).combine_chunks() for name in names}
            made = {name: _array(array) for name, array in found.items() if name != "policy"}
            return made | {"policy": _policy(found["policy"], made["mask"])}


def read_decisions(path: str | os.PathLike[str], order: Iterable[int] | None = None) -> Iterator[Columns]:
    """The rows of a file with all columns, a group at a time.

    Args:
        path: the file.
        order: the numbers of the groups in the order in which they are read (`Decisions.row_groups` says how many
            there are); as they stand if none is given.

    Raises:
        DatasetError: at once: there is no such file, it is none of decisions, or one of another version; later: it is
            damaged.
        IndexError: there is no group of such a number.
    """
    return _read_on(Decisions.open(path), order)


def _read_on(data: Decisions, order: Iterable[int] | None) -> Iterator[Columns]:
    with data:
        for group in range(data.row_groups) if order is None else order:
            yield data.read(group)


@contextlib.contextmanager
def _blamed(path: str) -> Iterator[None]:
    """Whatever is wrong with the file as a DatasetError that names it."""
    try:
        yield
    except DatasetError as error:
        raise DatasetError(f"{path}: {error}") from error
    except FileNotFoundError as error:
        raise DatasetError(f"{path}: there is no such file") from error
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DatasetError(f"{path}: it is no file of decisions, or damaged ({reason})") from error


def _check_numbers(footer: pq.FileMetaData) -> None:
    """What has no checksum. Raises DatasetError."""
    rows = sum(footer.row_group(group).num_rows for group in range(footer.num_row_groups))
    if rows != footer.num_rows:
        raise DatasetError(f"it is damaged: its groups have {rows:,} rows, and it says {footer.num_rows:,}")


def _array(array: Any) -> NDArray[Any]:
    """Numbers (N,), and fixed-size binaries as uint8 (N, bytes)."""
    if not isinstance(array, pa.FixedSizeBinaryArray):
        return array.to_numpy(zero_copy_only=False)
    size = array.type.byte_width
    held = np.frombuffer(array.buffers()[1], np.uint8)[array.offset * size :]
    return held[: len(array) * size].reshape(-1, size)


def _policy(array: Any, mask: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Probabilities of the legal actions as float32 (N, 80)."""
    legal = spread(mask, ACTIONS).astype(np.bool_)
    if not np.array_equal(np.diff(array.offsets.to_numpy()), legal.sum(axis=1)):
        raise DatasetError("the policy of a row has not as many entries as there are legal actions")
    policy = np.zeros(legal.shape, np.float32)
    policy[legal] = array.flatten().to_numpy()
    return policy


def _joined(batches: list[Batch]) -> Batch:
    parts = [None if values[0] is None else np.concatenate(values) for values in zip(*batches, strict=True)]
    return Batch(*parts)  # type: ignore[arg-type] (only states are None, and then all)


def _taken(batch: Batch, rows: NDArray[np.int64]) -> Batch:
    return Batch(*(None if values is None else values[rows] for values in batch))  # type: ignore[arg-type] (as above)
