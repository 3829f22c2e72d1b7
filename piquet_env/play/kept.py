"""A game that goes on later, as a file: a `piquet-game/1` object, written whole after every action."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from piquet_env.bots.registry import load_bot
from piquet_env.engine import layout as at
from piquet_env.files import write_text
from piquet_env.knowledge import VERSIONS
from piquet_env.options import check_seed
from piquet_env.play.game import Game
from piquet_env.records import MOST_BYTES, PLAYERS, RecordError, is_partie, load_record, new_row

GAME_FORMAT = "piquet-game/1"
FOLDER = Path("games")
RECORD_SUFFIX = ".record.json"
_KEYS = ("format", "versions", "bot", "hints", "human", "seed", "generator", "thrown_in", "record")
_LONGEST_NAME = 40
_STATES = range(-(2**63), 2**63)


class GameFileError(ValueError):
    """A file that holds no game that can go on: one line that says what was expected."""


def kept(game: Game, hints: str | None) -> dict[str, Any]:
    """The game as a JSON object; `hints` is the bot that gives them, None: the opponent."""
    return {
        "format": GAME_FORMAT,
        "versions": dict(VERSIONS),
        "bot": game.name,
        "hints": hints,
        "human": PLAYERS[game.human],
        "seed": game.seed,
        "generator": int(game.row[at.RANDOM]),
        "thrown_in": int(game.row[at.THROWN_IN]),
        "record": game.record(),
    }


class GameFile:
    """The file of a game that this process plays; what others write there is not replaced."""

    def __init__(self, path: Path):
        self.path = path
        self._ours: list[str] = []

    def begin(self, game: Game, hints: str | None, goes_on: bool) -> None:
        """Write the game; a new one in a file of its own, in the folder `games` under another name. Raises OSError."""
        if not goes_on:
            self.path = _claimed(self.path)
        try:
            self.write(game, hints)
        except OSError:
            if not goes_on:
                self.path.unlink()
            raise

    def write(self, game: Game, hints: str | None) -> None:
        """Write the game, whole or not at all. Raises OSError; GameFileError as `check` does."""
        self.check()
        text = json.dumps(kept(game, hints)) + "\n"
        # An interruption finds the one or the other.
        self._ours = [*self._ours[-1:], text]
        write_text(self.path, text)

    def check(self) -> None:
        """Raises GameFileError: what is there is not what was written last."""
        try:
            is_ours = not self._ours or self.path.read_text(encoding="utf-8", errors="replace") in self._ours
        except OSError:
            is_ours = False
        if not is_ours:
            raise GameFileError(
                f"{self.path}: another program has changed or removed it; the last action is not written down"
            )


def _claimed(path: Path) -> Path:
    """The path, or in the folder `games` a numbered one beside it, as an empty file. Raises OSError: it exists."""
    while True:
        path = free(path, ".json") if path.parent == FOLDER else path
        try:
            os.close(os.open(os.path.realpath(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            if path.parent != FOLDER:
                raise
        else:
            return path


def read_game(path: Path) -> dict[str, Any]:
    """The object of a game file, its fields checked but for the record. Raises GameFileError, OSError."""
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise GameFileError(
            f"{path}: the file is longer than {MOST_BYTES} bytes: expected a game that piquet play kept"
        )
    try:
        data = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise GameFileError(f"{path}: expected a game that piquet play kept, got no JSON: {error}") from error
    try:
        _check(data)
    except ValueError as error:
        raise GameFileError(f"{path}: {error}") from error
    return data


def _check(data: Any) -> None:
    if not isinstance(data, dict) or data.get("format") != GAME_FORMAT:
        raise ValueError(f"expected a game that piquet play kept, format {GAME_FORMAT!r}")
    if set(data) != set(_KEYS):
        raise ValueError(f"expected the fields {', '.join(_KEYS)}, got {', '.join(map(str, data))[:200]}")
    if data["versions"] != VERSIONS:
        raise ValueError(f"the game is of the versions {str(data['versions'])[:100]}; this program plays {VERSIONS}")
    if not isinstance(data["bot"], str) or not isinstance(data["hints"], str | None):
        raise ValueError("bot, hints: expected a bot's name; hints may be null")
    if data["human"] not in PLAYERS:
        raise ValueError(f"human: expected one of {', '.join(PLAYERS)}")
    numbers = (("seed", range(2**63)), ("generator", _STATES), ("thrown_in", range(at.MANY)))
    for name, allowed in numbers:
        if type(data[name]) is not int or data[name] not in allowed:
            raise ValueError(f"{name}: expected a whole number from {allowed[0]} to {allowed[-1]}")


def game_of(data: Mapping[str, Any], path: Path) -> Game:
    """The game of a file that `read_game` has read. Raises GameFileError; BotError: its bot cannot be loaded."""
    row, record = new_row(), data["record"]
    try:
        earlier = load_record(record, row, is_partie(record), data["generator"])
    except RecordError as error:
        raise GameFileError(f"{path}: record: {error}") from error
    if not row[at.PARTIE]:
        if data["thrown_in"] >= row[at.MAX_THROWN_IN]:
            raise GameFileError(f"{path}: thrown_in: expected less than the rules' {row[at.MAX_THROWN_IN]}")
        row[at.THROWN_IN] = data["thrown_in"]
    elif data["thrown_in"] != row[at.THROWN_IN]:
        raise GameFileError(f"{path}: thrown_in: expected {row[at.THROWN_IN]}, as in the record")
    bot = load_bot(data["bot"])
    return Game(data["bot"], bot, PLAYERS.index(data["human"]), check_seed(data["seed"]), row, earlier)


# ------------------------------------------------------------------ names of files


def new_path(bot: str, now: str) -> Path:
    """Where a new game is kept: games/BOT-DATE-TIME.json; `now` is date and time as text."""
    return free(FOLDER / f"{_slug(bot)}-{now}.json", ".json")


def free(path: Path, suffix: str) -> Path:
    """The path, or where there is something a numbered one beside it."""
    stem, number = path.name.removesuffix(suffix), 1
    while os.path.lexists(path):
        number += 1
        path = path.with_name(f"{stem}-{number}{suffix}")
    return path


def record_path(path: Path) -> Path:
    """Where the record of a game goes that is kept at `path`."""
    return free(path.with_name(path.name.removesuffix(".json") + RECORD_SUFFIX), RECORD_SUFFIX)


def newest(bot: str | None) -> Path:
    """The newest unfinished game in the folder `games`, of this bot if one is named. Raises GameFileError."""
    name = re.compile((re.escape(_slug(bot)) if bot else ".+") + r"-\d{8}-\d{6}(-\d+)?\.json")
    # An empty one belonged to a process that was killed before it began.
    found = [path for path in FOLDER.glob("*.json") if name.fullmatch(path.name) and path.stat().st_size]
    if not found:
        against = f" against {bot}" if bot else ""
        raise GameFileError(f"no unfinished game{against} in {FOLDER}{os.sep}: expected one, or --game FILE")
    return max(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


def _slug(bot: str) -> str:
    """A bot's name as a part of a file's."""
    name = Path(bot).name if os.sep in bot else bot
    return re.sub(r"[^A-Za-z0-9._]+", "-", name)[-_LONGEST_NAME:].strip("-.") or "bot"
