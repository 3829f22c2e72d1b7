"""Writing files of decisions: a group of rows at a time, and whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from piquet_env.dataset.form import BITS, COLUMNS, FORMAT, KEY, ROWS_PER_GROUP, schema
from piquet_env.dataset.games import Plan
from piquet_env.dataset.players import Player
from piquet_env.files import whole_file
from piquet_env.knowledge import VERSIONS

_PLAIN = [c.name for c in COLUMNS if not (pa.types.is_fixed_size_binary(c.kind) or pa.types.is_list(c.kind))]


def metadata(plan: Plan, players: Iterable[Player], provenance: dict[str, Any]) -> dict[str, Any]:
    """What stands in the metadata of the file: page.METADATA says what each entry is."""
    origin = {**provenance, "versions": {**provenance["versions"], "pyarrow": pa.__version__}}
    weights = provenance["weights"]
    return {
        "format": FORMAT,
        "versions": dict(VERSIONS),
        "rules": plan.rules.spec(),
        "episode": plan.episode,
        "games": plan.games,
        "seed": plan.seed,
        "block": plan.block,
        "bots": [{"name": p.name, "sha256": weights.get(p.name), "policy": p.policy} for p in players],
        "bits": BITS,
        "provenance": origin,
    }


def write_decisions(
    path: Path, made: dict[str, Any], batches: Iterable[pa.RecordBatch], with_state: bool = False
) -> int:
    """Write decisions to a file as they come; how many there were.

    What is kept in memory is less than two batches and a group of rows.

    Args:
        path: takes the place of a file that is there, when all are written.
        made: the `metadata`.
        batches: of `schema(with_state)`.

    Raises:
        OSError: the file cannot be written; `path` is as it was. So it is after an error in making the batches.
    """
    form = schema(with_state).with_metadata({KEY: json.dumps(made)})
    written = 0
    with whole_file(path) as partial, _writer(partial, form) as writer:
        waiting = form.empty_table()
        for batch in batches:
            waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch], form)])
            while waiting.num_rows >= ROWS_PER_GROUP:
                writer.write_table(waiting.slice(0, ROWS_PER_GROUP), ROWS_PER_GROUP)
                waiting = waiting.slice(ROWS_PER_GROUP).combine_chunks()
                written += ROWS_PER_GROUP
        if waiting.num_rows:
            writer.write_table(waiting, ROWS_PER_GROUP)
    return written + waiting.num_rows


def _writer(path: Path, form: pa.Schema) -> pq.ParquetWriter:
    return pq.ParquetWriter(
        path,
        form,
        compression="zstd",
        compression_level=3,
        use_dictionary=_PLAIN,  # type: ignore[arg-type] (pyarrow says bool, and takes names)
        write_statistics=_PLAIN,  # type: ignore[arg-type] (the same)
        write_page_checksum=True,
    )
