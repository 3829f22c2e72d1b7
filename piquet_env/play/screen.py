"""The terminal: lines out, in colour where there is any, and lines in; a transcript where it is a pipe."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from piquet_env.play.words import WIDTH
from piquet_env.render.replay import SYMBOLS, suits_for

_CARDS = r"(?<!\w)[{}] {{0,2}}(?:[789TJQKA]\b ?)+"
_PATIENCE = 1.0  # seconds until a bot is said to think
PROMPT = " > "


class Screen:
    """Standard input and output as a person has them before him."""

    def __init__(self) -> None:
        # rich heeds NO_COLOR and TERM=dumb, and writes no colour into files and pipes.
        self._console = Console(highlight=False, markup=False, emoji=False)
        self._suits = suits_for(getattr(sys.stdout, "encoding", None))
        self._is_typed = sys.stdin is not None and sys.stdin.isatty()
        getattr(sys.stdin, "reconfigure", lambda **_: None)(errors="replace")
        if self._is_typed:
            with contextlib.suppress(ImportError):  # Windows
                import readline  # noqa: F401 (lines can be edited, and earlier ones called back)

    def say(self, lines: Iterable[str]) -> None:
        """Print lines; red suits are red where there is colour."""
        for line in lines:
            text = Text(self._shown(line))
            text.highlight_regex(_CARDS.format(self._suits[1:3]), "red")
            text.highlight_regex(_CARDS.format(self._suits[::3]), "bold")
            self._console.print(text, soft_wrap=True)

    def ask(self, question: str) -> str:
        """The next line that is typed; one that comes from a pipe is written after the question. Raises EOFError."""
        prompt = self._shown(question) + PROMPT
        try:
            return input(prompt) if self._is_typed else self._read(prompt)
        except OSError as error:  # the terminal is gone, or what is read is no text
            raise EOFError from error

    def _read(self, prompt: str) -> str:
        print(prompt, end="", flush=True)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        typed = "".join(letter if letter.isprintable() else "?" for letter in line.rstrip("\r\n"))
        print(typed[: WIDTH - len(prompt)])
        if not line:
            raise EOFError
        return line

    def _shown(self, text: str) -> str:
        """With letters where the terminal has no symbols."""
        return text if self._suits == SYMBOLS else text.translate(str.maketrans(SYMBOLS + "è", self._suits + "e"))


@contextlib.contextmanager
def thinking(name: str) -> Iterator[None]:
    """Says on the terminal that a bot thinks, where it takes long."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    status = console.status(f"{name} is thinking")
    timer = threading.Timer(_PATIENCE, status.start)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
