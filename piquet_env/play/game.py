"""A game between a person and a bot: the truth, what the bot does, and how deals follow one another."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.base import Bot, views_for
from piquet_env.bots.policy import legal_actions_of
from piquet_env.engine import game as engine
from piquet_env.engine import layout as at
from piquet_env.notation import legal_indices, rules_of
from piquet_env.records import Record, deal_record, new_row, partie_record
from piquet_env.rules import Rules
from piquet_env.views import known_row


def answer(name: str, bot: Bot, row: NDArray[np.int64], rng: np.random.Generator) -> int:
    """What a bot does in a true row, int64 (COLUMNS,). Raises BotError."""
    return int(legal_actions_of(name, bot, views_for(bot, row), rng)[0])


@dataclass
class Game:
    """A game from its first deal on, or as a file has kept it.

    The bot's random numbers come from the seed and the number of the action, so that it plays the same after a break,
    and whatever hints were asked.
    """

    name: str
    """The bot, as it was named."""
    bot: Bot
    human: int
    """The person's seat, 0 or 1."""
    seed: int
    row: NDArray[np.int64]
    """int64 (COLUMNS,), the true game."""
    earlier: list[Record] = field(default_factory=list)
    """The deals of the partie before the row's, thrown-in ones too."""

    @classmethod
    def new(cls, name: str, bot: Bot, rules: Rules, episode: str, human: int, seed: int) -> Game:
        """The first deal of an episode, "deal" or "partie"; the seed, 0 <= seed < 2**63, fixes all that is dealt."""
        row = new_row()
        engine.new_game(row, rules.columns(), int(episode == "partie"), seed, 0)
        return cls(name, bot, human, seed, row)

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return rules_of(self.row)

    @property
    def known(self) -> NDArray[np.int64]:
        """The row as the person knows it: a copy."""
        return known_row(self.row, self.human)

    @property
    def is_deal_over(self) -> bool:
        """Whether the deal is over, and not yet added up."""
        return bool(self.row[at.PHASE] == at.DEAL_OVER)

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return bool(self.row[at.PHASE] == at.GAME_OVER)

    @property
    def is_humans_turn(self) -> bool:
        """Whether the person is to act; false when the deal is over."""
        return bool(self.row[at.PHASE] < at.DEAL_OVER and self.row[at.ACTOR] == self.human)

    @property
    def ends_the_game(self) -> bool:
        """Whether no other deal follows the row's, which is over."""
        closed = self.row.copy()
        engine.close_deal(closed)
        return bool(closed[at.PHASE] == at.GAME_OVER)

    def take(self, actions: list[int]) -> None:
        """Take legal actions of the player to act, all or none. Raises ValueError: one is illegal."""
        row = self.row.copy()
        for action in actions:
            if not engine.apply_action(row, action):
                raise ValueError(f"expected a legal action, {legal_indices(row)}, got {action}")
        self.row[:] = row

    def bots_action(self) -> int:
        """What the bot does, whose turn it is. Raises BotError."""
        with contextlib.redirect_stdout(sys.stderr):  # a bot may print what it likes
            return answer(self.name, self.bot, self.row, self.chance(int(self.row[at.ACTED])))

    def chance(self, *numbers: int) -> np.random.Generator:
        """Random numbers of this deal, for an action with these numbers."""
        return np.random.default_rng([self.seed, self.deal_number, *numbers])

    @property
    def deal_number(self) -> int:
        """How many deals were dealt before this one; in an episode of one deal those were thrown in."""
        return len(self.earlier) if self.row[at.PARTIE] else int(self.row[at.THROWN_IN])

    def next_deal(self) -> None:
        """After a deal that is over: the next one, or the end of the episode."""
        row, earlier = self.row.copy(), [*self.earlier, deal_record(self.row)]
        engine.next_deal(row)
        if not row[at.PARTIE] or row[at.PHASE] == at.GAME_OVER:
            earlier = self.earlier
        self.row, self.earlier = row, earlier  # at once: an interruption finds the game before or after it

    def record(self) -> Record:
        """The partie, or the deal, so far as a record; without a result as long as it is not over."""
        return partie_record(self.earlier, self.row) if self.row[at.PARTIE] else deal_record(self.row)
