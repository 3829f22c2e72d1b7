"""Decisions of bots in self-play as a file, for imitation and offline learning: DATASET.md says what is in it."""

from piquet_env.dataset.form import DatasetError, schema, spread
from piquet_env.dataset.read import Batch, Columns, Decisions, read_decisions

__all__ = ["Batch", "Columns", "DatasetError", "Decisions", "read_decisions", "schema", "spread"]
