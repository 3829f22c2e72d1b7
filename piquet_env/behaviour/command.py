"""The command `piquet report`."""

from __future__ import annotations

import contextlib
import json as json_module
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from tyro.conf import arg

from piquet_env.arena.command import OK, REFUSED, GameProgress, check_numbers
from piquet_env.arena.provenance import provenance
from piquet_env.behaviour.page import behaviour_page
from piquet_env.behaviour.report import behaviour_report
from piquet_env.behaviour.screen import print_behaviour
from piquet_env.behaviour.watch import watch
from piquet_env.bots.base import BotError
from piquet_env.bots.registry import load_bot, note_rules
from piquet_env.files import file_to_write, write_text
from piquet_env.notation import read_rules
from piquet_env.options import announce_compiling
from piquet_env.rules import Rules


def report(
    bot: Annotated[str, arg(metavar="BOT")],
    against: str | None = None,
    rules: str = "auction",
    deals: int = 1000,
    seed: int = 0,
    json: bool = False,
    html: Path | None = None,
) -> int:
    """Play a bot and show how it behaves: what it bids, doubles, keeps, declares, sinks, and how its score is made up.

    Only this bot's side is reported. Exit status 2: a bot, the rules, a number or the file cannot be used.

    Args:
        bot: random, greedy, base (a trained network), expert (also expert:fast, expert:slow), omniscient (cheats: it
            sees all cards), the path of a trained bot (.onnx, .safetensors, .pt, .npz, .zip), package.module:factory,
            one of these with +search behind it, or cmd:PROGRAM.
        against: the bot that it plays; where none is given it plays itself.
        rules: a ruleset's name, or a JSON object of changed fields as in '{"base": "rubicon", "sinking": false}'.
        deals: how many deals; each is played twice with the seats swapped.
        seed: fixes the deals and the bots' random numbers; these deals never come up in training.
        json: print one JSON object instead of tables.
        html: write the report with plots to this file, one page that needs no other.
    """
    names = (bot, bot if against is None else against)
    try:
        made_rules = read_rules(rules)
        check_numbers(deals, seed)
        file = None if html is None else file_to_write("html", html)
    except (ValueError, TypeError) as error:
        return _refuse(str(error))
    command = _command(bot, against, rules, deals, seed)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # a bot may print what it likes
            made = _made(names, made_rules, deals, seed, command)
    except BotError as error:
        return _refuse(str(error))
    fault = "" if file is None else _write(made, file)
    if json:
        print(json_module.dumps(made))
    else:
        print_behaviour(made, Console())
    return _refuse(fault) if fault else OK


def _refuse(message: str) -> int:
    print(f"piquet report: {message}", file=sys.stderr)
    return REFUSED


def _made(names: tuple[str, str], rules: Rules, deals: int, seed: int, command: str) -> dict[str, Any]:
    """Load the bots, play, and make the report. Raises BotError."""
    players = {name: load_bot(name) for name in names}
    note_rules(players, rules)
    origin = provenance(command, players)
    announce_compiling()
    bot, against = (players[name] for name in names)
    with GameProgress(2 * deals) as progress:
        sections = watch(bot, against, rules, deals, seed, names=names, progress=progress.advance)
    return behaviour_report(names, rules, deals, seed, sections, origin)


def _write(made: dict[str, Any], file: Path) -> str:
    """Write the page; what went wrong, as a message: the report is worth printing all the same."""
    try:
        write_text(file, behaviour_page(made))
    except OSError as error:
        return f"html: {file} cannot be written: {error.strerror}"
    return ""


def _command(bot: str, against: str | None, rules: str, deals: int, seed: int) -> str:
    other = [] if against is None else ["--against", against]
    return shlex.join(["piquet", "report", bot, *other, "--rules", rules, "--deals", str(deals), "--seed", str(seed)])
