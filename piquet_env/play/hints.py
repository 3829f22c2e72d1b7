"""What a bot thinks of a person's choices."""

from __future__ import annotations

import contextlib
import sys

from piquet_env.bots.base import Bot, BotError, sees_all, views_for
from piquet_env.bots.policy import has_probabilities, has_value, said_probabilities, values_of
from piquet_env.bots.registry import load_bot
from piquet_env.engine import actions as act
from piquet_env.engine import game as engine
from piquet_env.engine import layout as at
from piquet_env.play.choices import choices
from piquet_env.play.game import Game
from piquet_env.play.words import WIDTH, card_words, wrapped
from piquet_env.views import known_row

_LEAST = 0.01  # probability that is shown
_HINT = 1  # a hint's random numbers are others than those of the game


class Hints:
    """The bot `name` looks at the choices of the person to act in a game; it changes nothing there."""

    def __init__(self, name: str, bot: Bot):
        self.name, self._bot = name, bot

    @classmethod
    def by(cls, name: str) -> Hints:
        """Hints by a bot of this name. Raises BotError: there is none, or it sees all cards."""
        bot = load_bot(name)
        if sees_all(bot):
            raise BotError(f"hints: {name} sees all cards, its hints would tell them; expected another bot")
        return cls(name, bot)

    def lines(self, game: Game, chosen: list[int]) -> list[str]:
        """Probabilities, what it would do, and the points that it expects; with these discards chosen already.

        Raises BotError.
        """
        row = game.row.copy()
        for card in chosen:
            engine.apply_action(row, card)
        names = {
            choice.action: choice.label.partition(":")[0] for choice in choices(known_row(row, game.human), game.human)
        }
        with contextlib.redirect_stdout(sys.stderr):
            views = views_for(self._bot, row)
            lines = self._probabilities(views, names) if has_probabilities(self.name, self._bot) else []
            value = self._value(views)
        return [*lines, *wrapped(f"{self.name} would {self._would(game, row, names)}.{value}")]

    def _probabilities(self, views, names: dict[int, str]) -> list[str]:
        policy = said_probabilities(self.name, self._bot, views)[0]
        ranked = sorted((-float(policy[action]), action) for action in names)
        shown = [f"{names[action]} {-negative:.0%}" for negative, action in ranked if -negative >= _LEAST]
        return wrapped(f"{self.name}: " + ", ".join(shown), "  ")

    def _value(self, views) -> str:
        if not has_value(self.name, self._bot):
            return ""
        value = float(values_of(self.name, self._bot, views)[0])
        return f" It expects {value:+.1f} points for you in this deal, yours less theirs."

    def _would(self, game: Game, row, names: dict[int, str]) -> str:
        """What it would do; in the exchange with all the cards that it would throw."""
        action = game.answer(self.name, self._bot, row, _HINT)
        if row[at.PHASE] == at.AUCTION:
            return f"bid {names[action]}" if act.PLUS <= action < act.PASS else names[action]
        if row[at.PHASE] == at.PLAY:
            return f"play {names[action]}"
        if row[at.PHASE] == at.EXCHANGE:
            return self._throw(game, row.copy(), action)
        return f"choose: {names[action]}"

    def _throw(self, game: Game, row, action: int) -> str:
        thrown = 0
        while action != act.STAND:
            thrown |= 1 << action
            engine.apply_action(row, action)
            action = game.answer(self.name, self._bot, row, _HINT)
        number = f" ({thrown.bit_count()})" if thrown else ""
        return f"throw {card_words(thrown) or 'nothing more'}{number}"[:WIDTH]
