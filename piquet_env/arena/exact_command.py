"""The command `piquet exact`."""

from __future__ import annotations

import contextlib
import json as json_module
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from rich.table import Table
from tyro.conf import Positional, arg

from piquet_env.arena.command import GameProgress
from piquet_env.arena.provenance import provenance
from piquet_env.bots.registry import load_bot, note_rules
from piquet_env.bots.tabular import SUFFIX
from piquet_env.exact import Equilibrium, Exploitability, equilibrium, exploitability, work
from piquet_env.files import file_to_write
from piquet_env.notation import read_rules
from piquet_env.options import AGENTS, announce_compiling
from piquet_env.rules import Rules

OK, REFUSED = 0, 2
Output = Annotated[Path | None, arg(aliases=["-o"])]


def exact(
    bot: Positional[str | None] = None,
    rules: str = "micro",
    solve: int | None = None,
    output: Output = None,
    json: bool = False,
) -> int:
    """Exactly how good a bot is in a small ruleset, against its best responder; or solve one.

    The whole game tree is gone through: micro in seconds, mini in tens of minutes. Exit status
    2: the bot, the rules or the file cannot be used.

    Args:
        bot: random, greedy, base, the path of a trained bot (.onnx, .safetensors, .pt, .zip) or a table (.npz), or
            package.module:factory; one that gives probabilities or is deterministic.
        rules: micro, mini, or a JSON object of changed fields as in '{"base": "micro", "highest_level": 1}'.
        solve: instead of a bot: so many iterations of CFR+ towards an equilibrium; not of mini, which is too large.
        output: with --solve: write it to this file (.npz), which is a bot.
        json: print one JSON object instead of tables.
    """
    try:
        made = _solved(rules, solve, output) if bot is None else _measured(bot, rules, solve, output)
    except (ValueError, OSError) as error:
        print(f"piquet exact: {error}", file=sys.stderr)
        return REFUSED
    if json:
        print(json_module.dumps(made))
    else:
        _print(made, Console())
    return OK


# ------------------------------------------------------------------ a bot


def _measured(name: str, rules: str, solve: int | None, output: Path | None) -> dict[str, Any]:
    """The report on a bot. Raises ValueError, BotError."""
    if solve is not None or output is not None:
        raise ValueError("expected a bot or --solve, one of the two")
    made_rules = read_rules(rules)
    parts = work(made_rules)
    with contextlib.redirect_stdout(sys.stderr):  # a bot may print what it likes
        bot = load_bot(name)
        note_rules({name: bot}, made_rules)
        origin = provenance(shlex.join(["piquet", "exact", name, "--rules", rules]), {name: bot})
        announce_compiling()
        with GameProgress(parts, what="deals") as progress:
            measured = exploitability(bot, made_rules, name=name, progress=progress.advance)
    return {"results": [_result(name, measured)], "provenance": origin}


def _result(name: str, measured: Exploitability) -> dict[str, Any]:
    seats = [
        {
            "dealer": AGENTS[dealer],
            "seat": AGENTS[seat],
            "value": measured.value[d][seat],
            "best_response": measured.best_response[d][seat],
            "gain": measured.gains[d][seat],
        }
        for d, dealer in enumerate(measured.dealers)
        for seat in range(2)
    ]
    spec = measured.rules.spec()
    return {"bot": name, "rules": spec, "exploitability": measured.exploitability, "seats": seats}


# ------------------------------------------------------------------ an equilibrium


def _solved(rules: str, solve: int | None, output: Path | None) -> dict[str, Any]:
    """The report on an equilibrium, which is written to its file. Raises ValueError."""
    if solve is None:
        raise ValueError("expected a bot or --solve, one of the two")
    if output is None or output.suffix != SUFFIX:
        raise ValueError(f"output: with --solve expected a file -o NAME{SUFFIX}, got {output}")
    made_rules, file = read_rules(rules), file_to_write("output", output)
    announce_compiling()
    with GameProgress(max(solve, 1), what="iterations") as progress:
        solved = equilibrium(made_rules, solve, progress=progress.advance)
    _save(solved, file)
    command = ["piquet", "exact", "--solve", str(solve), "-o", str(output), "--rules", rules]
    origin = provenance(shlex.join(command), {str(output): solved.bot})
    return {"solved": _equilibrium(solved, made_rules, output), "provenance": origin}


def _save(solved: Equilibrium, file: Path) -> None:
    try:
        solved.bot.save(file)
    except OSError as error:  # whose file name is none, or that of the partial file
        raise ValueError(f"output: {file} cannot be written: {error.strerror or error}") from error


def _equilibrium(solved: Equilibrium, rules: Rules, output: Path) -> dict[str, Any]:
    points = [
        {"iterations": point.iterations, "exploitability": point.exploitability, "dealer": list(point.dealer)}
        for point in solved.points
    ]
    return {
        "file": str(output),
        "rules": rules.spec(),
        "exploitability": solved.exploitability,
        "dealer": solved.value,
        "points": points,
    }


# ------------------------------------------------------------------ for the terminal


def _print(made: dict[str, Any], console: Console) -> None:
    """The tables of a report."""
    if "solved" in made:
        _print_equilibrium(made["solved"], console)
    for result in made.get("results", ()):
        _print_result(result, console)


def _print_result(result: dict[str, Any], console: Console) -> None:
    table = Table()
    for column in ("dealer", "seat", "against itself", "best response", "gain"):
        table.add_column(column, justify="left" if column in ("dealer", "seat") else "right")
    for row in result["seats"]:
        numbers = (f"{row[key]:+.3f}" for key in ("value", "best_response", "gain"))
        table.add_row(row["dealer"], row["seat"], *numbers)
    title = f"{result['bot']} on {_rules_text(result['rules'])}, exactly: points per deal"
    console.print(title, style="bold", highlight=False, markup=False)
    console.print(table)
    text = f"exploitability: a best responder gains {result['exploitability']:.6g} points per deal"
    console.print(text, highlight=False, markup=False)


def _print_equilibrium(solved: dict[str, Any], console: Console) -> None:
    table = Table()
    for column in ("iterations", "exploitability", "the dealer's value is between", "and"):
        table.add_column(column, justify="right")
    for point in solved["points"]:
        low, high = point["dealer"]
        table.add_row(f"{point['iterations']:,}", f"{point['exploitability']:.6f}", f"{low:+.6f}", f"{high:+.6f}")
    title = f"CFR+ on {_rules_text(solved['rules'])}: points per deal"
    console.print(title, style="bold", highlight=False, markup=False)
    console.print(table)
    console.print(f"the bot: {solved['file']}", highlight=False, markup=False)


def _rules_text(spec: str | dict[str, Any]) -> str:
    return spec if isinstance(spec, str) else json_module.dumps(spec)
