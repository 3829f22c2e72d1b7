"""Bots for the auction alone: one bot's bidding with another's play, and one that passes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from piquet_env import knowledge
from piquet_env.bots.base import Bot, Views, sees_all
from piquet_env.bots.policy import one_hot
from piquet_env.bots.registry import load_bot
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at

PASS = "pass"


class BidsAs:
    """Bids as one bot does, and exchanges, declares and plays as another.

    If one of the two cheats, only that one is given the true rows.
    """

    def __init__(self, bidder: Bot, player: Bot):
        self.bidder, self.player = bidder, player
        self.sees_all = sees_all(bidder) or sees_all(player)

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """The action of each game: int64 (B,)."""
        in_auction = views.rows[:, at.PHASE] == at.AUCTION
        chosen = np.empty(len(views.rows), np.int64)
        for bot, asked in ((self.bidder, in_auction), (self.player, ~in_auction)):
            if asked.any():
                own = Views(views.observation[asked], views.mask[asked], views.rows[asked])
                chosen[asked] = bot.act(self._seen_by(bot, own), rng)
        return chosen

    def _seen_by(self, bot: Bot, views: Views) -> Views:
        if not self.sees_all or sees_all(bot):
            return views
        rows = np.ascontiguousarray(views.rows)
        knowledge.hide_rows(rows, np.ascontiguousarray(rows[:, at.ACTOR]))
        return views._replace(rows=rows)


class PassBot:
    """Passes, where it may; else it takes the legal action of the highest number: it redoubles."""

    deterministic = True

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """The action of each game: int64 (B,)."""
        highest = act.ACTIONS - 1 - views.mask[:, ::-1].argmax(axis=1)
        return np.where(views.mask[:, act.PASS] == 1, act.PASS, highest).astype(np.int64)

    def probabilities(self, views: Views) -> NDArray[np.float32]:
        """1 for what it does, else 0: float32 (B, 80)."""
        return one_hot(self.act(views, np.random.default_rng(0)))


def load_bidder(spec: str) -> Bot:
    """A bot by its name (`bots.load_bot`), or "pass". Raises BotError."""
    return PassBot() if spec == PASS else load_bot(spec)
