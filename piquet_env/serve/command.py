"""The command `piquet serve`."""

from __future__ import annotations

import json
import math
import signal
import sys
from collections.abc import Callable
from typing import IO, Any, NoReturn

from piquet_env.arena.provenance import code_version
from piquet_env.bots.base import BotError
from piquet_env.bots.protocol import LineError, first_line, read_line
from piquet_env.notation import legal_indices, legal_texts
from piquet_env.options import announce_compiling, check_seed
from piquet_env.serve.child import Answer
from piquet_env.serve.keeper import Keeper
from piquet_env.serve.request import Question, Quit, hello, read_request

OK, REFUSED = 0, 2
MOVE_LIMIT, LOAD_LIMIT = 10.0, 300.0  # seconds
_DIGITS = 6  # of a probability or a value: more say nothing


def serve(
    bot: str,
    seed: int = 0,
    best: bool = False,
    move_limit: float = MOVE_LIMIT,
    load_limit: float = LOAD_LIMIT,
) -> int:
    """Have a bot play for programs in any language: a view on standard input, its action on standard output.

    Each is a line of JSON, and so is the hello at the start; piquet_env/serve/PROTOCOL.md describes them. What cannot
    be understood is answered by an error, and serving goes on until the input ends. Exit status 2: the bot or an
    option cannot be used.

    Args:
        bot: any that `piquet evaluate` takes, but none that cheats.
        seed: fixes the bot's random numbers where a request has no seed of its own.
        best: take the likeliest action instead of one drawn.
        move_limit: seconds that the bot may think about a move; then its process is ended, and another started.
        load_limit: seconds for loading it.
    """
    try:
        check_seed(seed)
        _check_seconds("move_limit", move_limit)
        _check_seconds("load_limit", load_limit)
        if sys.stdin is None:
            raise ValueError("standard input: it is closed")
    except ValueError as error:
        return _refuse(str(error))
    signal.signal(signal.SIGTERM, _terminate)
    announce_compiling()
    with Keeper(bot, best, move_limit, load_limit) as keeper:
        try:
            facts = keeper.facts()
        except BotError as error:
            return _refuse(str(error))
        _write(hello(bot, facts, code_version()["version"], move_limit))
        answer_lines(sys.stdin.buffer, _write, keeper, seed)
    return OK


def _refuse(message: str) -> int:
    print(f"piquet serve: {message}", file=sys.stderr)
    return REFUSED


def _check_seconds(name: str, seconds: float) -> None:
    if not 0 < seconds < math.inf:
        raise ValueError(f"{name}: expected more than 0 seconds, got {seconds}")


def _terminate(number: int, _: object) -> NoReturn:
    """End by way of all that has still to be ended."""
    sys.exit(128 + number)


def _write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer_lines(lines: IO[bytes], write: Callable[[dict[str, Any]], None], keeper: Keeper, seed: int) -> None:
    """Write a reply for each line, up to the end or "quit"."""
    asked = 0
    while (line := read_line(lines)) != b"":
        given, request = read_request(line)
        if isinstance(request, Quit):
            return
        if isinstance(request, LineError):
            write(_error(given, request.field or None, request.reason))
            continue
        asked += 1
        write(_reply(given, request, keeper, (seed, asked) if request.seed is None else (request.seed,)))


def _reply(given: Any, question: Question, keeper: Keeper, seeds: tuple[int, ...]) -> dict[str, Any]:
    try:
        answer = keeper.ask(question.views, seeds)
    except BotError as error:
        return _error(given, None, first_line(str(error)))
    return action_message(given, question, answer)


def _error(given: Any, field: str | None, reason: str) -> dict[str, Any]:
    return {"type": "error", "id": given, "field": field, "error": reason}


def action_message(given: Any, question: Question, answer: Answer) -> dict[str, Any]:
    """The reply to a question with this id."""
    row = question.views.rows[0]
    texts = dict(zip(legal_indices(row), legal_texts(row), strict=True))
    policy = answer.probabilities
    return {
        "type": "action",
        "id": given,
        "action": texts[answer.action],
        "index": answer.action,
        "probabilities": None if policy is None else {text: _short(policy[index]) for index, text in texts.items()},
        "value": None if answer.value is None else _short(answer.value),
    }


def _short(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}")
