"""The commands that need torch: `piquet train`."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import os
import sys
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import tyro
from rich.console import Console

from piquet_env.bots import Bot, BotError, load_bot
from piquet_env.cli import INTERRUPTED, OK, REFUSED
from piquet_env.notation import read_rules
from training.checkpoint import CheckpointError
from training.config import ConfigError, TrainConfig, as_dict, config_from, load_config
from training.processes import joined
from training.train import BEFORE, CHECKPOINT, run
from training.trainer import Trainer, TrainingError

RUNS = Path("runs")


def _sentences() -> dict[str, str]:
    """What the docstring under each field of the configuration says."""
    body = ast.parse(inspect.getsource(TrainConfig)).body[0].body  # type: ignore[attr-defined] (it is a class)
    pairs = itertools.pairwise(body)
    fields = [(a, b) for a, b in pairs if isinstance(a, ast.AnnAssign) and isinstance(b, ast.Expr)]
    return {a.target.id: b.value.value for a, b in fields}  # type: ignore[attr-defined] (a name, and a text)


def _overrides() -> type:
    """The fields of the configuration as options that may be absent."""
    hints, sentences = get_type_hints(TrainConfig), _sentences()
    fields: list[tuple[str, Any, Any]] = []
    for field in dataclasses.fields(TrainConfig):
        if field.name == "settings":  # no single value; the file has them
            continue
        kind = str if field.name == "rules" else hints[field.name]
        default = f"(default: the file's, or {field.default})"
        about = tyro.conf.arg(help=" ".join(sentences[field.name].split()), help_behavior_hint=default, metavar="VALUE")
        option = Annotated[kind | None, about]
        fields.append((field.name, option, None))
    return dataclasses.make_dataclass("Overrides", fields, frozen=True)


Overrides = _overrides()


def train(
    config: Path,
    out: Path | None = None,
    resume: bool = False,
    # The class is made above, which type checkers cannot follow; it is frozen, so one instance can be the default.
    changes: Annotated[Overrides, tyro.conf.OmitArgPrefixes] = Overrides(),  # type: ignore[valid-type]  # noqa: B008
) -> int:
    """Train a policy by self-play, and measure it against the scripted bots.

    Ctrl-C saves and ends; the same command with --resume goes on.

    Args:
        config: a YAML file with any of the fields below; those given here take precedence.
        out: the folder of the run (default: runs/NAME of the file, with a number behind it if that is taken).
        resume: go on with the run in that folder (default: the last one of that name).
    """
    console = Console(quiet=os.environ.get("RANK", "0") != "0")
    try:
        chosen = changed(load_config(config), changes)
        for name in chosen.opponents:
            load_bot(name)  # better refused now than after the first hour
        with joined(chosen.device):
            folder = run_folder(out, config.stem, resume)
            folder.mkdir(parents=True, exist_ok=True)
            trainer = resumed(folder, chosen, console) if resume else Trainer(chosen)
            console.print(f"{config} -> {folder}: {chosen.decisions:,} decisions of {chosen.rules}", highlight=False)
            return OK if run(trainer, folder, console) else INTERRUPTED
    except (ConfigError, CheckpointError, BotError, TrainingError, OSError, MemoryError) as error:
        print(f"piquet train: {error or 'not enough memory'}", file=sys.stderr)
        return REFUSED


def changed(config: TrainConfig, changes: Any) -> TrainConfig:
    """The configuration with the fields that were given on the command line. Raises ConfigError."""
    given = {name: value for name, value in dataclasses.asdict(changes).items() if value is not None}
    if "rules" in given:
        try:
            given["rules"] = read_rules(given["rules"]).spec()
        except ValueError as error:
            raise ConfigError(str(error)) from error
    return config_from({**as_dict(config), **given})


def run_folder(out: Path | None, name: str, resume: bool, sign: str = CHECKPOINT) -> Path:
    """Where a run is, or goes: never into one that is there already, as the file `sign` shows. Raises ConfigError."""
    taken = [folder for folder in RUNS.glob(f"{name}*") if (folder / sign).exists()]
    numbered = {1 if f.name == name else int(f.name[len(name) + 1 :]): f for f in taken if _is_numbered(f.name, name)}
    if resume:
        folder = out or numbered.get(max(numbered, default=0), RUNS / name)
        if not (folder / sign).exists():
            raise ConfigError(f"--resume: there is no {folder / sign}")
        return folder
    if out is None:
        number = max(numbered, default=0) + 1
        return RUNS / (name if number == 1 else f"{name}-{number}")
    if (out / sign).exists():
        raise ConfigError(f"--out: {out} holds a run already; go on with --resume, or choose another folder")
    return out


def _is_numbered(folder: str, name: str) -> bool:
    return folder == name or (folder.startswith(f"{name}-") and folder[len(name) + 1 :].isdecimal())


def resumed(folder: Path, config: TrainConfig, console: Console, frozen: Bot | None = None) -> Trainer:
    """The run as it was saved, by the checkpoint before the last if that is damaged; `frozen` as for `Trainer`.

    Raises ConfigError if it was begun with another configuration, CheckpointError if there is no good checkpoint.
    """
    try:
        trainer = Trainer.resume(folder / CHECKPOINT, frozen)
    except CheckpointError as error:
        if not (folder / BEFORE).exists():
            raise
        trainer = Trainer.resume(folder / BEFORE, frozen)
        console.print(f"{error}; going on with the one before it, {BEFORE}", style="yellow", highlight=False)
    saved, asked = as_dict(trainer.config), as_dict(config)
    for name, value in saved.items():
        if asked[name] != value:
            raise ConfigError(f"{name}: the run in {folder} was begun with {value!r}, not {asked[name]!r}")
    return trainer
