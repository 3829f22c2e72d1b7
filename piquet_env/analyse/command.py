"""The command `piquet analyse`."""

from __future__ import annotations

import contextlib
import json as json_module
import shlex
import sys
from pathlib import Path
from typing import Any, Literal

from rich.console import Console

from piquet_env.analyse.decisions import Deal, deals_of
from piquet_env.analyse.report import analysis
from piquet_env.analyse.screen import print_deals
from piquet_env.arena.command import OK, REFUSED, GameProgress
from piquet_env.arena.provenance import provenance
from piquet_env.bots.base import Bot
from piquet_env.bots.expert import ExpertBot
from piquet_env.bots.registry import load_bot, note_rules
from piquet_env.engine import layout as at
from piquet_env.notation import rules_of
from piquet_env.options import announce_compiling
from piquet_env.play.kept import GAME_FORMAT, read_game
from piquet_env.records import Record, is_partie
from piquet_env.solver.given import record_of

_BEGINNING = 100  # bytes of a file, where a game's format stands
SAMPLES, SAMPLES_OF_SLOW = 200, 20


def analyse(
    file: Path,
    bot: str = "base",
    line: int = 1,
    deal: int | None = None,
    player: Literal[0, 1] | None = None,
    samples: int | None = None,
    seed: int = 0,
    json: bool = False,
) -> int:
    """What a bot makes of every decision of a finished deal: what it would have done, and what that was worth.

    The cost of a decision is how many points more the bot's choice brings (the player's score of the deal less the
    other's), as far as he could know. It is a mean, with its 95 % interval, over sampled cards that fit what he knew,
    weighed by how well they explain the other's calls and discards; the bot plays on in both seats. Below 0: what was
    played was better. Best with all cards known is exact in the play. Before it, it is not: the rest of the auction,
    the exchange and the declarations go by the rules of the bot greedy, and only the play is solved. Exit status 2:
    the deal, the bot or a number cannot be used.

    Args:
        file: a .json or .jsonl file of deal or partie records, or of a game that `piquet play` keeps.
        bot: random, greedy, base (a trained network), expert (also expert:fast, expert:slow), the path of a trained
            bot (.onnx, .safetensors, .pt, .npz, .zip), package.module:factory, or cmd:PROGRAM.
        line: which of the file's records.
        deal: of a partie this deal only, those thrown in counted; where it is not given all that are over.
        player: only the decisions of player_0 or player_1.
        samples: in so many sampled worlds both choices are played to the end; where it is not given 200, and 20 for
            an expert, which would need an hour.
        seed: fixes the sampled cards and the bot's random numbers.
        json: print one JSON object instead of tables (piquet_env/analysis.schema.json).
    """
    try:
        meant = _chosen(_record(file, line), deal)
        with contextlib.redirect_stdout(sys.stderr):  # a bot may print what it likes
            loaded = load_bot(bot)
            taken = samples if samples is not None else _samples_for(loaded)
            note_rules({bot: loaded}, rules_of(meant[0].end))
            made = _made(meant, bot, loaded, (0, 1) if player is None else (player,), taken, seed)
            options = {"bot": bot, "line": line, "deal": deal, "player": player, "samples": taken, "seed": seed}
            origin = provenance(_command(file, options), {bot: loaded})
    except (ValueError, OSError) as error:
        return _refuse(f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error))
    if json:
        print(json_module.dumps(made | {"provenance": origin}))
    else:
        print_deals(made, Console())
    return OK


def _record(file: Path, line: int) -> Record:
    """The record that is meant; of a game that goes on, what has been played of it. Raises ValueError, OSError."""
    with file.open("rb") as opened:
        is_game = opened.read(_BEGINNING).startswith(f'{{"format": "{GAME_FORMAT}"'.encode())
    if not is_game:
        return record_of(file, line)
    announce_compiling()
    return read_game(file)["record"]


def _refuse(message: str) -> int:
    print(f"piquet analyse: {message}", file=sys.stderr)
    return REFUSED


def _command(file: Path, options: dict[str, Any]) -> str:
    given = {name: str(value) for name, value in options.items() if value is not None}
    return shlex.join(["piquet", "analyse", str(file), *(word for n, v in given.items() for word in (f"--{n}", v))])


def _samples_for(bot: Bot) -> int:
    return SAMPLES_OF_SLOW if isinstance(bot, ExpertBot) else SAMPLES


def _chosen(record: Record, number: int | None) -> list[Deal]:
    """The deals that are meant. Raises ValueError: there is none, or it is not over."""
    deals = deals_of(record)
    if number is not None and not 1 <= number <= len(deals):
        raise ValueError(f"deal: expected 1 to {len(deals)}, as many as the record has, got {number}")
    meant = deals if number is None else deals[number - 1 : number]
    over = [deal for deal in meant if deal.is_over]
    if not over:
        last = meant[-1]
        which = f"deal {last.number}" if is_partie(record) else "the deal"
        raise ValueError(f"{which} is not over after {last.end[at.ACTED]} actions: expected a finished one")
    if len(over) < len(meant):
        print(f"note: deal {meant[-1].number} is not over and is left out", file=sys.stderr)
    return over


def _made(deals: list[Deal], name: str, bot: Bot, players: tuple[int, ...], samples: int, seed: int) -> dict[str, Any]:
    """The analysis. Raises BotError, ValueError."""
    decisions = sum(decision.player in players for deal in deals for decision in deal.decisions)
    with GameProgress(decisions, what="decisions") as progress:
        return analysis(deals, name, bot, players, samples, seed, progress.advance)
