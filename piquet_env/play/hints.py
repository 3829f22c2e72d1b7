"""What a bot thinks of a person's choices."""

from __future__ import annotations

import contextlib
import sys

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.base import Bot, BotError, Views, sees_all, views_for
from piquet_env.bots.policy import has_probabilities, has_value, said_probabilities, values_of
from piquet_env.bots.registry import load_bot
from piquet_env.engine import actions as act
from piquet_env.engine import game as engine
from piquet_env.engine import layout as at
from piquet_env.play.choices import choices
from piquet_env.play.game import Game, answer
from piquet_env.play.words import card_words, wrapped
from piquet_env.views import known_row
from piquet_env.views.sequence import known_actions

_LEAST = 0.01  # probability that is shown
_HINT = 1  # a hint's random numbers are others than those of the game


class Hints:
    """The bot `name` looks at the choices of the person to act in a game; it changes nothing there."""

    def __init__(self, name: str, bot: Bot):
        self.name, self.bot = name, bot

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
        row, me = game.row.copy(), game.human
        for card in chosen:
            engine.apply_action(row, card)
        known = known_row(row, me)
        names = {choice.action: choice.label.partition(":")[0] for choice in choices(known, me)}
        # Not the number of actions, among which may be one that the person is not told of.
        rng = game.chance(len(known_actions(known, me)), _HINT)
        with contextlib.redirect_stdout(sys.stderr):
            views = views_for(self.bot, row)
            lines = self._probabilities(views, names) if has_probabilities(self.name, self.bot) else []
            value = self._value(views)
            would = self._would(row, names, rng)
        return [*lines, *wrapped(f"{self.name} would {would}.{value}", "  ")]

    def _probabilities(self, views: Views, names: dict[int, str]) -> list[str]:
        policy = said_probabilities(self.name, self.bot, views)[0]
        ranked = sorted((-float(policy[action]), action) for action in names)
        shown = [f"{names[action]} {-negative:.0%}" for negative, action in ranked if -negative >= _LEAST]
        return wrapped(f"{self.name}: {', '.join(shown)}", "  ")

    def _value(self, views: Views) -> str:
        if not has_value(self.name, self.bot):
            return ""
        value = float(values_of(self.name, self.bot, views)[0])
        return f" It expects {value:+.1f} for you in this deal, your points less theirs."

    def _action(self, row: NDArray[np.int64], rng: np.random.Generator) -> int:
        """Its likeliest action, where it gives probabilities; else what it does, once."""
        if has_probabilities(self.name, self.bot):
            return int(said_probabilities(self.name, self.bot, views_for(self.bot, row))[0].argmax())
        return answer(self.name, self.bot, row, rng)

    def _would(self, row: NDArray[np.int64], names: dict[int, str], rng: np.random.Generator) -> str:
        """What it would do; in the exchange with all the cards that it would throw."""
        action = self._action(row, rng)
        if row[at.PHASE] == at.EXCHANGE:
            return self._throw(row.copy(), action, rng)
        if row[at.PHASE] == at.PLAY:
            return f"play {names[action]}"
        if row[at.PHASE] <= at.IN_CARTE_BLANCHE:
            return f"bid {names[action]}" if act.PLUS <= action < act.PASS else names[action]
        return f'say "{names[action]}"'

    def _throw(self, row: NDArray[np.int64], action: int, rng: np.random.Generator) -> str:
        thrown = 0
        while action != act.STAND:
            thrown |= 1 << action
            engine.apply_action(row, action)
            action = self._action(row, rng)
        return f"throw {card_words(thrown)} ({thrown.bit_count()})" if thrown else "throw nothing more"
