"""The command `piquet selfplay`."""

from __future__ import annotations

import contextlib
import json as json_module
import shlex
import sys
import time
from pathlib import Path
from typing import Annotated, Any, Literal

from tyro.conf import arg

from piquet_env.arena.command import OK, REFUSED, GameProgress
from piquet_env.arena.provenance import provenance
from piquet_env.arena.worker import cores
from piquet_env.bots.registry import load_bot, note_rules
from piquet_env.dataset.games import BLOCK, Plan
from piquet_env.dataset.players import Player
from piquet_env.dataset.workers import play_here, play_in_processes
from piquet_env.dataset.write import metadata, write_decisions
from piquet_env.files import file_to_write
from piquet_env.notation import read_rules
from piquet_env.options import announce_compiling, check_seed

_MOST_GAMES, _LARGEST_BLOCK, _MOST_WORKERS = 10**12, 100_000, 1024


def selfplay(
    bots: Annotated[tuple[str, ...], arg(metavar="BOT BOT")],
    deals: int = 1000,
    out: Annotated[Path | None, arg(aliases=("-o",))] = None,
    seed: int = 0,
    rules: str = "auction",
    episode: Literal["deal", "partie"] = "deal",
    state: bool = False,
    workers: int | None = None,
    block: int = BLOCK,
    json: bool = False,
) -> int:
    """Let two bots play, and write every decision to a Parquet file: data for imitation and offline learning.

    A row is a decision between two or more legal actions: what the player observed, what he might do and did, with
    which probabilities, and what came of it; piquet_env/dataset/DATASET.md has all columns. In Python
    piquet_env.dataset.Decisions reads it. Exit status 2: a bot, the rules, a number or the file cannot be used; then no
    file is written.

    Args:
        bots: two of: random, greedy, base (a trained network), expert (also expert:fast, expert:slow), omniscient
            (cheats: it sees all cards), the path of a trained bot (.onnx, .safetensors, .pt, .npz, .zip),
            package.module:factory, one of these with +search behind it, or cmd:PROGRAM; one may be named twice. They
            change seats from deal to deal.
        deals: how many deals (or parties); each is played once.
        out: the file, as in -o data.parquet; one that is there is replaced when all has been played.
        seed: fixes the deals and the bots' random numbers; these deals never come up in evaluations.
        rules: a ruleset's name, or a JSON object of changed fields as in '{"base": "rubicon", "sinking": false}'.
        episode: deal, or partie: whole parties.
        state: write a column with all cards too, for critics.
        workers: processes; if none is given as many as there are cores, or blocks if these are fewer. What is
            written does not depend on it.
        block: deals (or parties) that are played at once. The random numbers of a bot depend on it. Small blocks let
            bots that think for long share the work of few deals.
        json: print one JSON object instead of a line.
    """
    try:
        plan = _plan(bots, deals, seed, rules, episode, state, block)
        _check_between("workers", 1 if workers is None else workers, 1, _MOST_WORKERS)
        file = _file(out)
        made = _write(plan, file, min(cores() if workers is None else workers, plan.blocks))
    except (ValueError, TypeError) as error:  # BotError is one
        return _refuse(str(error))
    except OSError as error:
        return _refuse(f"out: {out} cannot be written: {error.strerror or error}")
    except MemoryError:
        return _refuse("not enough memory: play fewer at once with a smaller --block")
    print(json_module.dumps(made) if json else _said(made))
    return OK


def _refuse(message: str) -> int:
    print(f"piquet selfplay: {message}", file=sys.stderr)
    return REFUSED


def _plan(bots: tuple[str, ...], deals: int, seed: int, rules: str, episode: str, state: bool, block: int) -> Plan:
    """The plan, checked. Raises ValueError, TypeError."""
    if len(bots) != 2:
        raise ValueError(f"bots: expected two, got {len(bots)}")
    _check_between("deals", deals, 1, _MOST_GAMES)
    _check_between("block", block, 1, _LARGEST_BLOCK)
    return Plan((bots[0], bots[1]), read_rules(rules), episode, deals, check_seed(seed), block, state)


def _check_between(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise ValueError(f"{name}: expected {low} to {high}, got {value}")


def _file(out: Path | None) -> Path:
    if out is None:
        raise ValueError("out: expected a file to write to, as in -o data.parquet")
    return file_to_write("out", out)


def _write(plan: Plan, file: Path, workers: int) -> dict[str, Any]:
    """Play and write: what --json prints. Raises BotError, OSError."""
    begun = time.perf_counter()
    with contextlib.redirect_stdout(sys.stderr), GameProgress(plan.games) as progress:  # a bot may print what it likes
        bots = load_bot(plan.bots[0]), load_bot(plan.bots[1])
        named = dict(zip(plan.bots, bots, strict=True))
        note_rules(named, plan.rules)
        origin = provenance(_command(plan), named)
        about = metadata(plan, [Player(name, bot) for name, bot in zip(plan.bots, bots, strict=True)], origin)
        announce_compiling()
        if workers == 1:
            batches = play_here(plan, bots, progress.advance)
        else:
            batches = play_in_processes(plan, workers, progress.advance)
        decisions = write_decisions(file, about, batches, plan.with_state)
    seconds = time.perf_counter() - begun
    size = file.stat().st_size
    return {"file": str(file), "decisions": decisions, "bytes": size, "seconds": seconds, "workers": workers, **about}


def _said(made: dict[str, Any]) -> str:
    """What was written, and how fast."""
    decisions, games, seconds = made["decisions"], made["games"], made["seconds"]
    what = "deals" if made["episode"] == "deal" else "parties"
    written = f"{made['file']}: {decisions:,} decisions of {games:,} {what}, {made['bytes'] / 1e6:,.1f} MB"
    return f"{written}, in {seconds:,.1f} s ({games / seconds:,.0f} {what}/s, {decisions / seconds:,.0f} decisions/s)"


def _command(plan: Plan) -> str:
    rules = plan.rules.spec()
    options = {
        "deals": plan.games,
        "seed": plan.seed,
        "rules": rules if isinstance(rules, str) else json_module.dumps(rules),
        "episode": plan.episode,
        "block": plan.block,
    }
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return shlex.join(["piquet", "selfplay", *plan.bots, *words, *["--state"] * plan.with_state])
