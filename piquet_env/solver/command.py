"""The command `piquet solve`."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from tyro.conf import Positional

from piquet_env.notation import read_rules
from piquet_env.options import announce_compiling
from piquet_env.solver.analysis import analysis
from piquet_env.solver.given import Play, play_between, play_of, record_of
from piquet_env.solver.screen import print_analysis

OK, REFUSED = 0, 2


def solve(
    file: Positional[Path | None] = None,
    line: int | None = None,
    trick: int | None = None,
    hands: tuple[str, str] | None = None,
    contract: str | None = None,
    rules: str | None = None,
    elder: int | None = None,
    leader: int | None = None,
    won: tuple[int, int] | None = None,
    points: tuple[int, int] | None = None,
    json: bool = False,
) -> int:
    """Best play with all cards known: what every card is worth, of a recorded deal or of two hands.

    With a record of a deal that is over also what every card that was played cost. Exit status 2: the position cannot
    be read, or is none of the play.

    Args:
        file: a .json or .jsonl file of deal records, complete or not; of a partie its last deal.
        line: which of the file's records; where it is not given the first one.
        trick: from the lead to this trick of the record on; where it is not given from the first one, or from where
            a deal stands that is not over.
        hands: instead of a file, the hands of player_0 and player_1, as in AKJ.T87.Q98.A97 (suits S.H.D.C).
        contract: with --hands: +8, -7x (doubled), +9xx (redoubled); none in classic Piquet.
        rules: with --hands: a ruleset's name, or a JSON object of changed fields; where it is not given auction.
        elder: with --hands: 0 or 1, the maker of the contract; where it is not given 0.
        leader: with --hands: 0 or 1, who leads; where it is not given elder.
        won: with --hands of fewer cards than are dealt: the tricks that player_0 and player_1 have won before.
        points: with --hands: what player_0 and player_1 have scored so far in the deal, pique or repique included;
            where it is not given, a point for each trick won, and pique if these have earned it.
        json: print one JSON object instead of tables.
    """
    try:
        of_hands = {"contract": contract, "rules": rules, "elder": elder, "leader": leader, "won": won}
        play = _play(file, hands, _given({"line": line, "trick": trick}), _given(of_hands | {"points": points}))
    except (ValueError, OSError) as error:
        print(f"piquet solve: {_reason(error)}", file=sys.stderr)
        return REFUSED
    announce_compiling()
    made = analysis(play)
    if json:
        print(json_module.dumps(made))
    else:
        print_analysis(made, Console())
    return OK


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """Those that were given."""
    return {name: value for name, value in options.items() if value is not None}


def _play(file: Path | None, hands: tuple[str, str] | None, of_file: dict[str, Any], of_hands: dict[str, Any]) -> Play:
    """The position that is meant. Raises ValueError, OSError: it cannot be read, or options do not go together."""
    if (file is None) == (hands is None):
        raise ValueError("expected a file or --hands, one of the two")
    source, others = ("a file", of_hands) if hands is None else ("--hands", of_file)
    if others:
        raise ValueError(f"{', '.join(others)}: not with {source}")
    if hands is not None:
        options: dict[str, Any] = of_hands | {"rules": read_rules(of_hands.get("rules", "auction"))}
        return play_between(hands, **options)
    assert file is not None
    return play_of(record_of(file, of_file.get("line", 1)), of_file.get("trick"))


def _reason(error: ValueError | OSError) -> str:
    return f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
