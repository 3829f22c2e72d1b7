"""The command `piquet`: its subcommands, and how it ends.

A subcommand is a function: its required arguments are positional, the others options, its docstring is the help, and
what it returns is the exit status (None: 0). Other packages add theirs as entry points of the group `piquet.commands`;
the extra that one needs stands behind it in brackets: `train = "training.commands:train [train]"`.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint, entry_points
from json import dumps
from pathlib import Path
from typing import Any, TextIO

from piquet_env import __version__

GROUP = "piquet.commands"
DISTRIBUTION = "piquet-env"

OWN_COMMANDS = {
    "play": "piquet_env.play.command:play",
    "analyse": "piquet_env.analyse.command:analyse",
    "replay": "piquet_env.cli:replay",
    "solve": "piquet_env.solver.command:solve",
    "spaces": "piquet_env.spaces:spaces",
    "evaluate": "piquet_env.arena.command:evaluate [arena]",
    "tournament": "piquet_env.arena.tournament:tournament [arena]",
    "serve": "piquet_env.serve.command:serve",
    "exact": "piquet_env.arena.exact_command:exact",
    "selfplay": "piquet_env.dataset.command:selfplay [data]",
    "report": "piquet_env.behaviour.command:report [arena]",
    "bidding make": "piquet_env.arena.bidding_command:make",
    "bidding check": "piquet_env.arena.bidding_command:check",
    "bidding agreement": "piquet_env.arena.agreement_command:agreement [arena]",
    "benchmark": "piquet_env.benchmark.command:benchmark",
}
"""The commands of this package, by one word or two, as entry points are written: "module:function [extra]"."""

OK, REFUSED, INTERRUPTED = 0, 2, 130
OUTPUT_CLOSED = 1


class OutputError(Exception):
    """Standard output failed, whose errors are not those of any other file; the cause is the OSError."""


class _Output:
    """Standard output as a stream whose failures are OutputErrors."""

    def __init__(self, stream: TextIO):
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            raise OutputError from error

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            raise OutputError from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `piquet ARGUMENTS` (default: those of the process); the exit status."""
    if sys.stderr is None:  # its number is taken here and in other processes, so that no pipe has it
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (open to the end)
        os.set_inheritable(sys.stderr.fileno(), True)
    if sys.stdout is None:
        return _refuse("standard output: it is closed")
    # An id or a path may hold letters that the terminal has not.
    getattr(sys.stdout, "reconfigure", lambda **_: None)(errors="backslashreplace")
    output: Any = _Output(sys.stdout)
    try:
        with contextlib.redirect_stdout(output):
            try:
                return _main(list(sys.argv[1:] if arguments is None else arguments))
            finally:
                output.flush()
    except OutputError as failed:
        return _output_failed(failed.__cause__)
    except KeyboardInterrupt:
        return INTERRUPTED


def _output_failed(error: BaseException | None) -> int:
    with contextlib.suppress(OSError):  # so that what is still to be written does not fail again at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):  # whoever reads the output has seen enough, as `head` has
        return OUTPUT_CLOSED
    return _refuse(f"standard output: {getattr(error, 'strerror', None) or error}")


def _main(arguments: list[str]) -> int:
    commands = find_commands()
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_help(commands), file=sys.stdout if arguments else sys.stderr)
        return OK if arguments else REFUSED
    name, *rest = arguments
    if name == "--version":
        print(f"piquet {__version__}")
        return OK
    if rest and f"{name} {rest[0]}" in commands:
        name, rest = f"{name} {rest[0]}", rest[1:]
    if name in commands:
        return _run(commands[name], rest)
    of_two_words = {found: command for found, command in commands.items() if found.startswith(f"{name} ")}
    return _second_word(rest, of_two_words) if of_two_words else _unknown(name, commands)


def _second_word(rest: list[str], commands: dict[str, EntryPoint]) -> int:
    """What follows the first word of these commands is none of theirs."""
    if rest[:1] in (["-h"], ["--help"]):
        print(_help(commands))
        return OK
    return _refuse(f"expected {' or '.join(map(repr, commands))}, got {' '.join(rest[:1]) or 'no more'!r}")


def find_commands() -> dict[str, EntryPoint]:
    """All subcommands by name; this package's own come first and cannot be replaced."""
    own = [EntryPoint(name, target, GROUP) for name, target in OWN_COMMANDS.items()]
    added = sorted(entry_points(group=GROUP), key=lambda command: command.name)
    return {command.name: command for command in [*own, *(c for c in added if c.name not in OWN_COMMANDS)]}


def _run(command: EntryPoint, arguments: list[str]) -> int:
    import tyro  # here, so that --help and --version answer at once

    from piquet_env.helptext import readable

    style = (tyro.conf.PositionalRequiredArgs, tyro.conf.FlagCreatePairsOff)
    try:
        function: Callable[..., Any] = command.load()
        status = tyro.cli(readable(function), prog=f"piquet {command.name}", args=arguments, config=style)
    except ModuleNotFoundError as error:
        return _missing(command, error)
    return OK if status is None else int(status)


def _missing(command: EntryPoint, error: ModuleNotFoundError) -> int:
    """Say what to install; a missing module of our own is a fault, and stays one."""
    missing = (error.name or "").partition(".")[0]
    if missing in ("", "piquet_env", command.module.partition(".")[0]):
        raise error
    distribution = command.dist.name if command.dist else DISTRIBUTION
    what = f"'{distribution}[{command.extras[0]}]'" if command.extras else missing
    return _refuse(f"`piquet {command.name}` needs {missing}, which is not installed: pip install {what}")


def _unknown(name: str, commands: dict[str, EntryPoint]) -> int:
    close = difflib.get_close_matches(name, commands, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(commands)}"
    return _refuse(f"unknown command {name!r}; {hint} (piquet --help)")


def _refuse(message: str) -> int:
    print(f"piquet: {message}", file=sys.stderr)
    return REFUSED


def _help(commands: dict[str, EntryPoint]) -> str:
    width = max(map(len, commands)) + 2
    lines = ["usage: piquet COMMAND ...", "", "Auction Piquet: play it, train for it, and look at it.", "", "commands:"]
    lines += [f"  {name:<{width}}{_first_line(command)}".rstrip() for name, command in commands.items()]
    return "\n".join([*lines, "", "piquet COMMAND --help tells more; piquet --version prints the version."])


def _first_line(command: EntryPoint) -> str:
    """The first line of the function's docstring, read without importing what may be heavy or missing."""
    try:
        spec = importlib.util.find_spec(command.module)
        tree = ast.parse(Path(spec.origin).read_bytes()) if spec and spec.origin else ast.Module([], [])
    except (ImportError, OSError, SyntaxError, ValueError):
        return ""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == command.attr:
            return (ast.get_docstring(node) or "").partition("\n")[0]
    return ""


# ------------------------------------------------------------------ piquet replay


def replay(file: Path, json: bool = False) -> int:
    """Print recorded deals and parties, and check them.

    Args:
        file: a .jsonl file with one record to a line, or a .json file with one record.
        json: print one JSON object instead: the number of records and their results.
    """
    from piquet_env.options import announce_compiling
    from piquet_env.records import RecordError, read_records

    if file.is_file():  # records are played when they are read
        announce_compiling()
    results: list[dict[str, Any]] = []
    fault: dict[str, str] = {}
    try:
        for line, record in read_records(file):
            results.append(_summary(line, record))
            if not json:
                print(_text(record) + "\n")
    except (RecordError, OSError) as error:
        fault = {"error": f"{file}: {error.strerror}" if isinstance(error, OSError) else str(error)}
    if json:
        print(dumps({"file": str(file), "records": len(results), "ok": not fault, "results": results} | fault))
    return _refuse(fault["error"]) if fault else OK


def _summary(line: int, record: dict[str, Any]) -> dict[str, Any]:
    """What --json says of a record; `result` stays absent where it is."""
    keys = ("format", "id", "rules", "result")
    return {"line": line} | {key: record[key] for key in keys if key in record}


def _text(record: dict[str, Any]) -> str:
    from piquet_env.render.replay import SYMBOLS, replay_text, suits_for

    return replay_text(record, symbols=suits_for(sys.stdout.encoding) == SYMBOLS)


if __name__ == "__main__":
    sys.exit(main())
