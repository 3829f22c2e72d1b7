"""The command `piquet play`."""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from tyro.conf import Positional

from piquet_env.bots.base import BotError, sees_all
from piquet_env.bots.registry import load_bot, note_rules
from piquet_env.files import file_to_write
from piquet_env.notation import read_rules
from piquet_env.options import announce_compiling, check_seed
from piquet_env.play import kept, pages
from piquet_env.play.game import Game
from piquet_env.play.hints import Hints
from piquet_env.play.screen import Screen
from piquet_env.play.talk import Quit, Talk
from piquet_env.records import write_records

OK, REFUSED = 0, 2


def play(
    bot: Positional[str | None] = None,
    rules: str | None = None,
    episode: Literal["deal", "partie"] | None = None,
    seat: Literal[0, 1] | None = None,
    seed: int | None = None,
    game: Path | None = None,
    resume: bool = False,
    hints: str | None = None,
    no_confirm: bool = False,
) -> int:
    """Play a partie against a bot in the terminal.

    The game is kept in a file after every action; `q` stops, and `piquet play --resume` goes on. When it is over, its
    record is written beside. Exit status 2: a bot, an option or a file cannot be used, or the bot failed.

    Args:
        bot: random, greedy, base, expert or any other bot (piquet evaluate --help); not needed where a game goes on.
        rules: a ruleset's name, or a JSON object of changed fields; where it is not given auction.
        episode: partie, or deal: one deal; where it is not given partie.
        seat: 0 or 1, yours; where it is not given 0. Who deals first is drawn.
        seed: fixes the deals and what the bot draws; where it is not given one of the system.
        game: the file that keeps the game; one that exists goes on. Where it is not given games/BOT-DATE-TIME.json.
        resume: go on with the newest unfinished game in games/, or with --game.
        hints: the bot whose view of your choices `?` shows; where it is not given the opponent.
        no_confirm: what you type is sent at once; discards are sent by `done` or a line that ends in `!`.
    """
    new: dict[str, Any] = {"rules": rules, "episode": episode, "seat": seat, "seed": seed}
    try:
        goes_on = resume or (game is not None and game.exists())
        path = _path(bot, game, resume)
        begin: Callable[..., tuple[Game, str | None]] = _resumed if goes_on else _begun
        with contextlib.redirect_stdout(sys.stderr):  # a bot may print what it likes
            made, named = begin(bot, path, {name: value for name, value in new.items() if value is not None})
            helper = _helper(made, hints or named)
            note_rules({made.name: made.bot} | ({helper.name: helper.bot} if helper else {}), made.rules)
        file = kept.GameFile(path)
        file.begin(made, hints or named, goes_on)
    except (ValueError, TypeError, OSError) as error:
        return _refuse(_reason(error))
    return Session(made, file, hints or named).play(helper, goes_on, not no_confirm)


# ------------------------------------------------------------------ which game


def _path(bot: str | None, game: Path | None, resume: bool) -> Path:
    """The file of the game that is meant. Raises ValueError."""
    if game is not None:
        if resume and not game.exists():
            raise ValueError(f"game: there is no file {game} to go on with")
        return game
    if resume:
        return kept.newest(bot)
    if bot is None:
        raise ValueError("bot: expected a bot to play against, as in `piquet play greedy`, or --resume")
    return kept.new_path(bot, time.strftime("%Y%m%d-%H%M%S"))


def _begun(bot: str | None, path: Path, options: dict[str, Any]) -> tuple[Game, str | None]:
    """A new game. Raises ValueError, TypeError, OSError."""
    if bot is None:
        raise ValueError(f"bot: expected a bot to play against, as there is no game at {path}")
    made_rules, seed = read_rules(options.get("rules", "auction")), check_seed(options.get("seed"))
    opponent = load_bot(bot)
    if path.parent == kept.FOLDER:
        path.parent.mkdir(exist_ok=True)
    file_to_write("game", path)
    announce_compiling()
    return Game.new(bot, opponent, made_rules, options.get("episode", "partie"), options.get("seat", 0), seed), None


def _resumed(bot: str | None, path: Path, options: dict[str, Any]) -> tuple[Game, str | None]:
    """The game of a file, and who gives hints there. Raises ValueError, OSError."""
    data = kept.read_game(path)
    if options:
        raise ValueError(f"{', '.join(options)}: not where a game goes on ({path})")
    if bot not in (None, data["bot"]):
        raise ValueError(f"bot: the game at {path} is against {data['bot']}, not {bot}")
    file_to_write("game", path)
    announce_compiling()
    return kept.game_of(data, path), data["hints"]


def _helper(game: Game, hints: str | None) -> Hints | None:
    """Who gives hints: the bot named, or the opponent unless it cheats. Raises BotError."""
    if hints is not None:
        return Hints.by(hints)
    return None if sees_all(game.bot) else Hints(game.name, game.bot)


# ------------------------------------------------------------------ the game


class Session:
    """A game with its file, from where it stands to its end or to an interruption."""

    def __init__(self, game: Game, file: kept.GameFile, hints: str | None):
        self._game, self._file, self._hints = game, file, hints

    def play(self, helper: Hints | None, goes_on: bool, confirm: bool) -> int:
        """The exit status. Raises KeyboardInterrupt, after it has said how to go on."""
        screen = Screen()
        screen.say(self._opening(goes_on))
        try:
            self._play(Talk(self._game, screen, self._keep, helper, confirm), screen, goes_on)
        except BotError as error:
            return _refuse(f"{error}; the game is kept in {self._file.path}")
        except kept.GameFileError as error:
            return _refuse(str(error))
        except OSError as error:
            return _refuse(f"the game cannot be written down: {_reason(error)}")
        return OK

    def _play(self, talk: Talk, screen: Screen, goes_on: bool) -> None:
        try:
            talk.play(goes_on)
            screen.say(self._closed())
        except (Quit, EOFError):
            screen.say(["", *self._how_to_go_on()])
        except KeyboardInterrupt:
            if not self._game.is_over:
                self._keep()  # it may have come just before
            if self._file.path.exists():
                screen.say(["", *self._how_to_go_on()])
            raise

    def _keep(self) -> None:
        self._file.write(self._game, self._hints)

    def _opening(self, goes_on: bool) -> list[str]:
        cheats = [f"{self._game.name} cheats: it sees all cards."] if sees_all(self._game.bot) else []
        begun = "The game goes on." if goes_on else "Type h for help."
        return [*pages.opening(self._game), *cheats, f"{begun} It is kept in {self._file.path}"]

    def _how_to_go_on(self) -> list[str]:
        path = self._file.path
        which = ["--resume"] if path.parent == kept.FOLDER else ["--game", str(path)]
        return [f"The game is kept in {path}", f"To go on: {shlex.join(['piquet', 'play', *which])}"]

    def _closed(self) -> list[str]:
        """Write the record, remove the game's file, and say how it ended. Raises OSError, GameFileError."""
        self._file.check()
        record = kept.record_path(self._file.path)
        write_records(record, [self._game.record()])
        self._file.path.unlink()
        by = [] if sees_all(self._game.bot) else ["--bot", self._game.name]
        look = shlex.join(["piquet", "analyse", str(record), *by])
        return [*pages.game_over_lines(self._game), f"The record is in {record}; to look into it:", f"  {look}"]


def _refuse(message: str) -> int:
    print(f"piquet play: {message}", file=sys.stderr)
    return REFUSED


def _reason(error: Exception) -> str:
    return f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
