"""The commands that need torch: `piquet train`."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import glob
import inspect
import itertools
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console

from piquet_env.bots import BotError, load_bot
from piquet_env.cli import INTERRUPTED, OK, REFUSED
from piquet_env.files import LockedError, locked, whole_file
from piquet_env.notation import read_rules
from training.checkpoint import CheckpointError, load_checkpoint
from training.config import SWITCHES, ConfigError, TrainConfig, as_dict, config_from, load_config
from training.processes import FirstFailed, ProcessesError, from_first, is_first, joined, together
from training.start import begin_with
from training.train import BEFORE, CHECKPOINT, run
from training.trainer import Trainer, TrainingError, config_of

RUNS = Path("runs")


def _sentences() -> dict[str, str]:
    """What the docstring under each field of the configuration says."""
    body = ast.parse(inspect.getsource(TrainConfig)).body[0].body  # type: ignore[attr-defined] (it is a class)
    pairs = itertools.pairwise(body)
    fields = [(a, b) for a, b in pairs if isinstance(a, ast.AnnAssign) and isinstance(b, ast.Expr)]
    return {a.target.id: b.value.value for a, b in fields}  # type: ignore[attr-defined] (a name, and a text)


def _overrides() -> type:
    """The fields of the configuration as options that may be absent, in text: `changed` reads it as YAML is read."""
    sentences = _sentences()
    fields: list[tuple[str, Any, Any]] = []
    for field in dataclasses.fields(TrainConfig):
        kind = tuple[str, ...] if field.name == "opponents" else str
        usual = _usual(field)
        default = f"(default: the file's{f', or {usual}' if usual else ''})"
        about = tyro.conf.arg(help=" ".join(sentences[field.name].split()), help_behavior_hint=default, metavar="VALUE")
        option = Annotated[kind | None, about]
        fields.append((field.name, option, None))
    return dataclasses.make_dataclass("Overrides", fields, frozen=True)


def _usual(field: dataclasses.Field[Any]) -> str:
    """Its default as one would write it."""
    if isinstance(field.default, bool):
        return str(field.default).lower()
    if isinstance(field.default, tuple):
        return " ".join(field.default)
    return "" if field.default is dataclasses.MISSING else str(field.default)


Overrides = _overrides()


def train(
    config: tyro.conf.Positional[Path | None] = None,
    out: Path | None = None,
    resume: bool = False,
    # The class is made above, which type checkers cannot follow; it is frozen, so one instance can be the default.
    changes: Annotated[Overrides, tyro.conf.OmitArgPrefixes] = Overrides(),  # type: ignore[valid-type]  # noqa: B008 (made above; frozen)
) -> int:
    """Train a policy by self-play, and measure it against the scripted bots.

    Ctrl-C saves and ends; the same command with --resume goes on.

    Args:
        config: a YAML file with any of the fields below; those given here take precedence. Without one all are as they
            are by default: some minutes of `auction`.
        out: the folder of the run (default: runs/NAME of the file, or runs/train; with a number behind it if that is
            taken).
        resume: go on with the run in that folder (default: the last one of that name).
    """
    console = Console(quiet=not is_first(), markup=False)
    try:
        with joined(), contextlib.ExitStack() as held:
            chosen = from_first(lambda: chosen_config(config, changes))
            folder = from_first(lambda: run_folder(out, config.stem if config else "train", resume))
            content = from_first(lambda: saved(folder, chosen, console)) if resume else None
            trainer = together(lambda: new_trainer(chosen) if content is None else Trainer.restored(content, folder))
            from_first(lambda: held.enter_context(own(folder)))
            console.print(
                f"{config or 'train'} -> {folder}: {chosen.decisions:,} decisions of {chosen.rules}", highlight=False
            )
            if trainer.decisions >= chosen.decisions:
                console.print("It had come to its end already, and is only measured again.")
            return OK if run(trainer, folder, console) else INTERRUPTED
    except (ConfigError, CheckpointError, BotError, TrainingError, ProcessesError, OSError, MemoryError) as error:
        which = "" if is_first() else f" (process {os.environ['RANK']})"
        print(f"piquet train{which}: {error or 'not enough memory'}", file=sys.stderr)
        return REFUSED
    except FirstFailed:
        return OK  # torchrun stops all when one fails, and the first one shall be able to say why


def new_trainer(config: TrainConfig) -> Trainer:
    """A run before its first decision. Raises ConfigError."""
    trainer = Trainer(config)
    if config.start:
        begin_with(trainer, config.start)
    return trainer


def chosen_config(path: Path | None, changes: Any) -> TrainConfig:
    """The configuration, with bots that there are: better refused now than after the first hour. Raises ConfigError."""
    chosen = changed(load_config(path) if path else TrainConfig(), changes)
    for name in chosen.opponents:
        try:
            load_bot(name)
        except BotError as error:
            raise ConfigError(f"opponents: {error}") from error
    return chosen


def changed(config: TrainConfig, changes: Any) -> TrainConfig:
    """The configuration with the fields that were given on the command line. Raises ConfigError."""
    given = {name: value for name, value in dataclasses.asdict(changes).items() if value is not None}
    try:
        if "rules" in given:
            given["rules"] = read_rules(given["rules"]).spec()
        if "settings" in given:
            given["settings"] = json.loads(given["settings"])
    except json.JSONDecodeError as error:
        raise ConfigError(f"settings: expected a JSON object, got {given['settings']!r}: {error}") from error
    except ValueError as error:
        raise ConfigError(str(error)) from error
    for name in given.keys() & SWITCHES:
        given[name] = {"true": True, "false": False}.get(given[name].lower(), given[name])
    return config_from({**as_dict(config), **given})


def run_folder(out: Path | None, name: str, resume: bool, sign: str = CHECKPOINT) -> Path:
    """Where a run is, or goes: never into one that is there already, as the file `sign` shows. Raises ConfigError."""
    taken = [folder for folder in RUNS.glob(f"{glob.escape(name)}*") if (folder / sign).exists()]
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


@contextlib.contextmanager
def own(folder: Path) -> Iterator[None]:
    """The folder, made if it is not there, for this run alone. Raises ConfigError, OSError."""
    make_folder(folder)
    try:
        with locked(folder):
            yield
    except LockedError as error:
        raise ConfigError(f"{folder}: another process is at the run in it") from error


def make_folder(folder: Path) -> None:
    """Make it if it is not there. Raises ConfigError: that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--out: no folder can be made at {folder}: {error.strerror or error}") from error


def _is_numbered(folder: str, name: str) -> bool:
    return folder == name or (folder.startswith(f"{name}-") and folder[len(name) + 1 :].isdecimal())


def saved(folder: Path, config: TrainConfig, console: Console) -> dict[str, Any]:
    """The run's last checkpoint, or the one before it if that is damaged.

    Raises ConfigError if the run was begun with another configuration, CheckpointError if there is no good checkpoint.
    """
    try:
        content = load_checkpoint(folder / CHECKPOINT)
    except CheckpointError as error:
        if not (folder / BEFORE).exists():
            raise
        content = load_checkpoint(folder / BEFORE)
        told = f"{error}; going on with the one before it, {BEFORE}"
        console.print(told, style="yellow", highlight=False, soft_wrap=True)
        # Else the next checkpoint would have the damaged one before it.
        with whole_file(folder / CHECKPOINT) as copy:
            shutil.copyfile(folder / BEFORE, copy)
    asked = as_dict(config)
    for name, value in as_dict(config_of(content, folder)).items():
        if asked[name] != value:
            raise ConfigError(f"{name}: the run in {folder} was begun with {value!r}, not {asked[name]!r}")
    return content
