"""The command `piquet evaluate`."""

from __future__ import annotations

import contextlib
import itertools
import json as json_module
import shlex
import sys
import time
from pathlib import Path
from typing import Annotated, Any, Literal

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from tyro.conf import arg

from piquet_env.arena.match import Match, match_deals, play_match
from piquet_env.bidding import BiddingDeals
from piquet_env.bots.base import Bot, BotError
from piquet_env.bots.registry import load_bot, note_rules
from piquet_env.files import file_to_write
from piquet_env.notation import read_rules
from piquet_env.options import announce_compiling, check_seed
from piquet_env.rules import Rules

OK, REFUSED = 0, 2
MOST_DEALS = 10_000_000  # all of them are kept in memory until the end
PATIENCE = 2.0  # seconds without a progress bar

Bots = Annotated[tuple[str, ...], arg(metavar="BOT BOT ...")]
"""The bots of a command line; `check_bots` refuses fewer than two."""
Deals = Annotated[int, arg(aliases=["--pairs"])]  # as `piquet tournament` calls them


def evaluate(
    bots: Bots,
    deals: Deals = 1000,
    seed: int = 0,
    rules: str = "auction",
    episode: Literal["deal", "partie", "auction"] = "deal",
    stored: Path | None = None,
    json: bool = False,
    rows: Path | None = None,
) -> int:
    """Play bots against one another on the same deals, and report points per deal.

    Every pair of the bots is played. Exit status 2: a bot, the rules, a number or a file cannot be used.

    Args:
        bots: two or more of: random, greedy, base (a trained network), expert (also expert:fast, expert:slow),
            omniscient (cheats: it sees all cards), the path of a trained bot (.onnx, .safetensors, .pt, .npz, .zip),
            package.module:factory, one of these with +search behind it (search on top of its policy), or cmd:PROGRAM.
            One bot twice is played against itself.
        deals: how many deals (or parties); each is played twice with the seats swapped, so the games are twice as many.
        seed: fixes the deals and the bots' random numbers; these deals never come up in training.
        rules: a ruleset's name, or a JSON object of changed fields as in '{"base": "rubicon", "sinking": false}'.
        episode: deal; partie: whole parties with their payments; or auction: the auction alone, after which a fixed
            playout settles the deal (the bidding benchmark).
        stored: of auctions: a file of `piquet bidding make`, whose deals are played in their order; the seed then says
            who deals.
        json: print one JSON object instead of tables.
        rows: write every deal to this CSV file.
    """
    from piquet_env.arena.provenance import provenance
    from piquet_env.arena.report import print_report, report

    try:
        made_rules = read_rules(rules)
        _check(bots, deals, seed)
        known = match_deals(episode, made_rules, stored, deals)
        file = None if rows is None else file_to_write("rows", rows)
        if file is not None and stored is not None and file == stored.resolve():
            raise ValueError(f"rows: {rows} is the file of stored deals")
    except (ValueError, TypeError) as error:
        return _refuse(str(error))
    try:
        with contextlib.redirect_stdout(sys.stderr):  # a bot may print what it likes
            players = {bot: load_bot(bot) for bot in bots}
            note_rules(players, made_rules)
            origin = provenance(_command(bots, deals, seed, rules, episode, stored), players)
            matches = _play(bots, players, deals, seed, made_rules, episode, known)
    except BotError as error:
        return _refuse(str(error))
    fault = "" if file is None else _write(matches, file)
    made = report(matches, origin)
    if json:
        print(json_module.dumps(made))
    else:
        print_report(made, Console())
    return _refuse(fault) if fault else OK


def _refuse(message: str) -> int:
    print(f"piquet evaluate: {message}", file=sys.stderr)
    return REFUSED


def _check(bots: tuple[str, ...], deals: int, seed: int) -> None:
    """Whatever can be refused before anything is loaded or played. Raises ValueError."""
    check_bots(bots)
    check_numbers(deals, seed)


def check_numbers(deals: int, seed: int) -> None:
    """Raises ValueError: too few deals for an interval, too many, or no seed."""
    check_seed(seed)
    if deals < 2:
        raise ValueError(f"deals: expected at least 2, got {deals}: an interval needs two pairs")
    if deals > MOST_DEALS:
        raise ValueError(f"deals: expected at most {MOST_DEALS}, got {deals}: all are kept in memory until the end")


def check_bots(bots: tuple[str, ...]) -> None:
    """Raises ValueError: too few to play, or one that would play itself among others."""
    if len(bots) < 2:
        raise ValueError(f"bots: expected at least two, got {len(bots)}")
    if len(bots) > 2 and len(set(bots)) < len(bots):
        raise ValueError("bots: of more than two each is named once")


def _write(matches: list[Match], file: Path) -> str:
    """Write the rows; what went wrong, as a message: the result is worth printing all the same."""
    from piquet_env.arena.report import write_rows

    try:
        write_rows(matches, file)
    except OSError as error:
        return f"rows: {file} cannot be written: {error.strerror}"
    return ""


def _play(
    bots: tuple[str, ...],
    players: dict[str, Bot],
    deals: int,
    seed: int,
    rules: Rules,
    episode: str,
    known: BiddingDeals | None,
) -> list[Match]:
    """A match of every two bots, in the order given."""
    announce_compiling()
    pairs = list(itertools.combinations(bots, 2))
    with GameProgress(2 * deals * len(pairs)) as progress:
        settings = {"progress": progress.advance, "deals": known}
        return [
            play_match(players[a], players[b], rules, deals, seed, episode, names=(a, b), **settings) for a, b in pairs
        ]


def _command(bots: tuple[str, ...], deals: int, seed: int, rules: str, episode: str, stored: Path | None) -> str:
    options: dict[str, Any] = {"deals": deals, "seed": seed, "rules": rules, "episode": episode}
    options |= {} if stored is None else {"stored": stored}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return shlex.join(["piquet", "evaluate", *bots, *words])


class GameProgress:
    """A bar on the terminal, on standard error, for what takes longer than `PATIENCE`; counts games or `what` it is."""

    def __init__(self, games: int, played: int = 0, what: str = "games"):
        console = Console(stderr=True)
        columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        hidden = not console.is_terminal
        self._bar = Progress(*columns, console=console, transient=True, disable=hidden, speed_estimate_period=600)
        self._task = self._bar.add_task(what, total=games, completed=played)
        self._begun = time.monotonic()
        self._shown = False

    def advance(self, games: float) -> None:
        """So many more games have ended, or whatever is counted."""
        self._bar.advance(self._task, games)
        if not self._shown and time.monotonic() - self._begun > PATIENCE:
            self._bar.start()
            self._shown = True

    def __enter__(self) -> GameProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._bar.stop()
