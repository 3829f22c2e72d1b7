"""The conversation with the person: news, questions, answers, from the first deal to the end of the game."""

from __future__ import annotations

from collections.abc import Callable

from piquet_env.bots.base import BotError
from piquet_env.engine import layout as at
from piquet_env.notation import legal_indices
from piquet_env.play import pages
from piquet_env.play.choices import Unclear, choices, plain
from piquet_env.play.game import Game
from piquet_env.play.hints import Hints
from piquet_env.play.questions import Question, question
from piquet_env.play.screen import Screen, thinking
from piquet_env.play.story import Teller
from piquet_env.play.words import wrapped
from piquet_env.views import phase_name

_RECAP = 5  # parts of the deal that are told again when a game goes on
_COMMANDS = {
    "h": "help", "help": "help", "t": "table", "table": "table", "s": "score", "score": "score", "sheet": "score",
    "?": "hint", "hint": "hint", "u": "undo", "undo": "undo", "q": "quit", "quit": "quit", "exit": "quit",
}  # fmt: skip


class Quit(Exception):
    """The person wants to stop."""


class Talk:
    """A game's conversation.

    Args:
        keep: called after every action of either side; writes the game down.
        hints: who gives them; None: nobody can.
        confirm: what is typed is sent by another Enter.
    """

    def __init__(self, game: Game, screen: Screen, keep: Callable[[], None], hints: Hints | None, confirm: bool):
        self._game, self._screen, self._keep, self._hints, self._confirm = game, screen, keep, hints, confirm
        self._teller = Teller(game.human)
        self._was_asked_to_quit = False

    def play(self, goes_on: bool) -> None:
        """Play to the end of the game; `goes_on`: it was interrupted before.

        Raises Quit, EOFError, KeyboardInterrupt: the person stops; BotError: the bot fails; what `keep` raises.
        """
        self._say(pages.title(self._game))
        if goes_on:
            self._teller.skip(self._game.known, _RECAP)
        while not self._game.is_over:
            self._go_on()
            if self._game.is_deal_over:
                self._end_deal()
            else:
                self._decide()

    def _say(self, lines: list[str]) -> None:
        self._screen.say(lines)

    # -------------------------------------------------------------- without the person

    def _go_on(self) -> None:
        """The bot's actions, and those of the person where he has no choice; then the news."""
        game, forced = self._game, []
        while not game.is_deal_over:
            if game.is_humans_turn:
                known = game.known
                if len(legal_indices(known)) > 1:
                    break
                only = choices(known, game.human)[0]
                forced.append(only.label.partition(":")[0])
                action = only.action
            else:
                with thinking(game.name):
                    action = game.bots_action()
            game.take([action])
            self._keep()
        self._say(self._teller.news(game.known))
        if forced:
            self._say(wrapped(f"(You had no other choice: {', '.join(forced)}.)"))

    def _end_deal(self) -> None:
        """The score sheet; then the next deal, when the person has read it."""
        game = self._game
        self._say(pages.deal_over_lines(game.row, game.human))
        is_last = game.ends_the_game
        if not is_last and not game.row[at.IS_THROWN_IN]:
            mine, theirs = pages.totals_with_this(game)
            self._wait(f"You {mine}, they {theirs}. Enter: the next deal")
        game.next_deal()
        if not game.is_over:  # else there is nothing to go on with
            self._keep()
            self._teller.begin_deal()
            self._say(pages.title(game))

    def _wait(self, prompt: str) -> None:
        while text := plain(self._screen.ask(prompt)):
            if not self._command(text, None):
                self._say(["Enter goes on to the next deal; s, t, h and q can be typed too."])

    # -------------------------------------------------------------- with the person

    def _decide(self) -> None:
        """Ask until something is sent, and take it."""
        game = self._game
        asked = question(game.known, game.human, self._confirm)
        self._show(asked)
        while (actions := self._answer(asked)) is None:
            pass
        game.take(actions)
        self._keep()

    def _show(self, asked: Question) -> None:
        known, me = self._game.known, self._game.human
        self._say(["", *pages.standing(known, me), *pages.hand_lines(known, me), *asked.lines()])

    def _answer(self, asked: Question) -> list[int] | None:
        """Take one line: the actions that it sends, None where it sends nothing."""
        typed = self._screen.ask(asked.prompt())
        text = plain(typed)
        if not text and typed.strip():  # letters of another script, say: no Enter, which would send
            self._say(["Nothing that was typed can be read here (h: help)."])
            return None
        is_sent = text.endswith("!")
        text = text.rstrip("! ")
        if self._command(text, asked):
            return None
        try:
            if text:
                is_sent = asked.answer(text) or is_sent
            if is_sent or (not text and asked.is_ready()):
                return asked.actions()
        except Unclear as error:
            self._say(wrapped(str(error)))
            return None
        if not text:
            self._show(asked)
        return None

    def _command(self, text: str, asked: Question | None) -> bool:
        """Do what a command means; whether it was one. Raises Quit."""
        command = _COMMANDS.get(text)
        if command is None:
            self._was_asked_to_quit = False
        elif command == "quit":
            self._quit(text, asked)
        elif command == "undo":
            if asked is None or not asked.undo():
                self._say(["There is nothing to take back: what was sent is sent."])
        else:
            self._say(self._page(command, asked))
        return command is not None

    def _quit(self, text: str, asked: Question | None) -> None:
        """At once, unless the letter may have been meant as the queen."""
        if asked is None or not asked.may_mean(text) or self._was_asked_to_quit:
            raise Quit
        self._was_asked_to_quit = True
        self._say(["q stops the game: type it again to stop. The queen is qq, or with its suit."])

    def _page(self, command: str, asked: Question | None) -> list[str]:
        game = self._game
        if command == "help":
            return pages.help_lines(phase_name(int(game.known[at.PHASE])))
        if command == "table":
            return pages.table_lines(game.known, game.human)
        if command == "score":
            return pages.score_lines(game)
        if asked is None:
            return ["There is nothing to choose now."]
        return self._hint(asked)

    def _hint(self, asked: Question) -> list[str]:
        if self._hints is None:
            return wrapped(f"{self._game.name} sees all cards and gives no hints; --hints BOT names another bot.")
        try:
            with thinking(self._hints.name):
                return self._hints.lines(self._game, asked.chosen())
        except BotError as error:
            return wrapped(str(error))
