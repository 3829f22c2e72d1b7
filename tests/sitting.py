"""A person at `piquet play` who types something legal at random, and what he is shown, block by block."""

import io
import random
import re
from collections.abc import Callable
from pathlib import Path

from piquet_env import cli
from piquet_env.engine import layout as at
from piquet_env.notation import action_text, legal_texts, rules_of
from piquet_env.play import talk
from piquet_env.play.screen import PROMPT
from piquet_env.records import read_records

WIDTH, HEIGHT = 80, 24


class Person(io.StringIO):
    """Standard input: each line is what `typist(known, me)` types where the game stands; at the end of the input ""."""

    def __init__(self, typist: Callable, lines: int = 100_000):
        super().__init__()
        self.typist, self.left, self.talk, self.typed = typist, lines, None, []

    def readline(self, *_) -> str:
        if self.left == 0:
            return ""
        self.left -= 1
        game = self.talk._game
        text = "" if game.is_deal_over else self.typist(game.known, game.human)
        self.typed.append(text)
        return text + "\n"


def sit_down(monkeypatch, person: Person) -> None:
    """Let the person type what the command reads."""

    def remember(self, *arguments):
        begin(self, *arguments)
        person.talk = self

    begin = talk.Talk.__init__
    monkeypatch.setattr(talk.Talk, "__init__", remember)
    monkeypatch.setattr("sys.stdin", person)


def at_random(seed: int) -> Callable:
    """Types something legal in one of the ways in which it can be typed, and sends it at once."""
    rng = random.Random(seed)

    def typed(known, me: int) -> str:
        if known[at.PHASE] == at.EXCHANGE:
            return _discards(known, me, rng)
        text = rng.choice(legal_texts(known))
        if rng.random() < 0.5 and "pass" in legal_texts(known):
            text = "pass"
        return rng.choice((str.upper, str.lower))(in_another_way(text, rng)) + "!"

    return typed


def in_another_way(text: str, rng: random.Random) -> str:
    """An action as a person may type it."""
    text = text.removeprefix("play ")
    if text[0] in "+-":
        return rng.choice((text, text[1:] + text[0], f"{text[0]} {text[1:]}"))
    if re.fullmatch("[SHDC].", text):
        rank = "10" if text[1] == "T" else text[1]
        symbol = "♠♥♦♣"["SHDC".index(text[0])]
        return rng.choice((text, text[0] + rank, rank + text[0], symbol + rank, f'{text}"', f" {text[0]} {rank}"))
    return rng.choice((text, text[: max(3, len(text) // 2 + 1)])) if text in ("pass", "double", "redouble") else text


def _discards(known, me: int, rng: random.Random) -> str:
    rules = rules_of(known)
    hand = [card for card in range(32) if known[at.HANDS + me] >> card & 1]
    is_elder = known[at.ELDER] == me
    least = rules.minimum_exchange if is_elder else rules.younger_minimum_exchange
    most = rules.elder_talon if is_elder else rules.younger_talon
    number = min(rng.randint(least, most), len(hand))
    cards = [action_text(card, rules)[5:] for card in rng.sample(hand, number)]
    return (rng.choice((" ", ", ", "")).join(cards) or "none") + "!"


def blocks(transcript: str) -> list[str]:
    """The transcript from one line that was typed to the next."""
    found, block = [], []
    for line in transcript.splitlines():
        block.append(line)
        if PROMPT in line:
            found.append("\n".join(block))
            block = []
    return [*found, "\n".join(block)]


def check_size(transcript: str) -> None:
    """Every block fits the terminal."""
    for block in blocks(transcript):
        lines = block.splitlines()
        assert len(lines) <= HEIGHT, block
        assert max(map(len, lines), default=0) <= WIDTH, block


def run(capsys, *arguments) -> tuple[int, str, str]:
    """(exit status, standard output, standard error) of `piquet play ARGUMENTS`."""
    try:
        status = cli.main(["play", *map(str, arguments)])
    except SystemExit as ended:
        status = ended.code
    captured = capsys.readouterr()
    return status, captured.out, captured.err


class Table:
    """`piquet play` in an empty folder, with a typist at the keyboard."""

    def __init__(self, folder: Path, monkeypatch, capsys):
        self.folder, self._monkeypatch, self._capsys = folder, monkeypatch, capsys
        monkeypatch.chdir(folder)
        monkeypatch.setattr("os.fsync", lambda file: None)  # which takes most of the time

    def __call__(self, typist: Callable, *arguments, lines: int = 100_000) -> tuple[Person, int, str, str]:
        """(the person, exit status, standard output, standard error); after so many lines the input ends."""
        with self._monkeypatch.context() as patch:
            person = Person(typist, lines)
            sit_down(patch, person)
            return person, *run(self._capsys, *arguments)

    def bot(self, code: str) -> str:
        """The name of a bot that does what the code says where it is legal, else the first legal action."""
        name = f"bot_{self.folder.name}"
        (self.folder / f"{name}.py").write_text(BOT.format(code=code), encoding="utf-8")
        self._monkeypatch.syspath_prepend(self.folder)
        return f"{name}:Bot"


BOT = """
import numpy as np
from piquet_env.engine import actions as act

class Bot:
    def act(self, views, rng):
        print("a bot may print what it likes")
        wanted = {code}
        return np.array([wanted if mask[wanted] else mask.argmax() for mask in views.mask])
"""


def typed(*lines: str) -> Callable:
    """Types these lines, then sends whatever is legal first."""
    left = list(lines)

    def typist(known, me: int) -> str:
        if left:
            return left.pop(0)
        legal = legal_texts(known)
        if known[at.PHASE] == at.EXCHANGE and "stand" in legal:
            return "none!"
        return legal[0].removeprefix("play ").removeprefix("discard ") + "!"

    return typist


def only_record(file: Path) -> dict:
    """The one record of a file, which replays."""
    ((_, record),) = read_records(file)
    return record
