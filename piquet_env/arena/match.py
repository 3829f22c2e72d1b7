"""Duplicate matches: every deal is played twice with the seats swapped, thousands of games in lockstep."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.arena.tables import DEAL, GAME, close_forfeited, close_games, deal_entries, forfeited_deals
from piquet_env.bidding import BiddingDeals
from piquet_env.bots.base import Bot, BotError, views_for
from piquet_env.bots.policy import answers_of
from piquet_env.engine import batch
from piquet_env.engine import layout as at
from piquet_env.engine.actions import count, nth
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import legal_actions, next_deal, take_action
from piquet_env.engine.intrinsics import row_of
from piquet_env.envs.auctions import Playout, Stored, begin_numbered, new_playout, settle_rows, stored_deals
from piquet_env.options import EPISODES, check_choice, check_seed, illegal_action_message
from piquet_env.rules import Rules

BLOCK = 1024
"""Pairs that are played at once, with random numbers of their own."""

LOST = -1
"""What a `Side` may choose instead of an action: its bot has lost this deal by a fault."""


@dataclass(frozen=True)
class Match:
    """What two bots did on the same deals."""

    names: tuple[str, str]
    """A and B."""
    rules: Rules
    episode: str
    seed: int
    deals: NDArray[np.void]
    """DEAL (completed deals,), in the order of pair, half, deal."""
    games: NDArray[np.void]
    """GAME (2 * pairs,), in the order of pair, half."""
    stored: BiddingDeals | None = None
    """Of auctions: the deals that were played, if those were stored ones."""

    @property
    def pairs(self) -> int:
        """How many pairs were played."""
        return len(self.games) // 2


def play_match(
    bot_a: Bot,
    bot_b: Bot,
    rules: str | Rules | Mapping[str, Any] = "auction",
    pairs: int = 1000,
    seed: int = 0,
    episode: str = "deal",
    *,
    names: tuple[str, str] = ("A", "B"),
    progress: Callable[[int], object] | None = None,
    witness: Witness | None = None,
    deals: Stored | None = None,
) -> Match:
    """Play `pairs` games twice, the second time with the seats swapped: the same cards, the same dealer.

    A deal that is thrown in is followed by the same cards in both halves, and so are the deals of a partie.
    Game number i is dealt by (seed, i) alone, from seeds that no environment can be given (`deal_seed`).
    The bots' random numbers come from (seed, block, side): the same call gives the same match.

    Args:
        bot_a, bot_b: the bots; the same one twice is allowed.
        rules: a ruleset's name, a `Rules`, or `{"base": name, field: value}`.
        pairs: how many pairs of games, at least 1.
        seed: 0 <= seed < 2**63.
        episode: what a game is: "deal", "partie", or "auction": the deal ends with its auction, and is settled by a
            fixed playout (piquet_env.bidding).
        names: what the bots are called in errors and reports.
        progress: called with the number of games that have ended since the last call.
        witness: is shown every deal that is over, block by block.
        deals: of auctions: pair i plays number i of these stored deals, or those in the file of this path. The seed
            says who deals. None: they are dealt by the seed.

    Raises:
        BotError: a bot raised anything but KeyboardInterrupt, or gave what is no array of legal actions.
        ValueError: bad rules, pairs, seed, episode or deals, or fewer deals than pairs.
    """
    made = Rules.make(rules)
    if isinstance(pairs, bool) or not isinstance(pairs, int | np.integer) or pairs < 1:
        raise ValueError(f"pairs: expected a whole number of at least 1, got {pairs!r}")
    check_choice("episode", episode, EPISODES)
    seed, stored = check_seed(seed), match_deals(episode, made, deals, int(pairs))
    sides = (Side(names[0], bot_a), Side(names[1], bot_b))
    parts = []
    for first in range(0, int(pairs), BLOCK):
        rngs = [np.random.default_rng([seed, first // BLOCK, side]) for side in range(2)]
        numbers = range(first, min(first + BLOCK, int(pairs)))
        block = Block(made, episode, seed, numbers, rngs, witness=witness, stored=stored)
        parts.append(block.play(sides, progress or _ignore))
    deals_played, games = (np.concatenate(tables) for tables in zip(*parts, strict=True))
    return Match(names, made, episode, seed, deals_played, games, stored)


def match_deals(episode: str, rules: Rules, deals: Stored | None, pairs: int) -> BiddingDeals | None:
    """`stored_deals`, of which there must be one for each pair. Raises ValueError."""
    stored = stored_deals(episode, rules, deals)
    if stored is not None and len(stored) < pairs:
        raise ValueError(f"deals: {len(stored):,} are stored, too few for {pairs:,} pairs of games")
    return stored


def deal_seed(seed: int) -> np.int64:
    """The engine's seed for the evaluation seed `seed`: a negative one, which no environment takes.

    So training with seed s and evaluation with seed s have no deal in common.
    """
    return np.int64(seed - 2**63)


Luck = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]

Witness = Callable[[NDArray[np.int64], NDArray[np.void]], object]
"""Is shown the rows int64 (N, columns) of deals that are over, thrown-in ones too, and the GAME entries of their games;
they are its own to keep."""


def _ignore(games: int) -> None:
    pass


class Side:
    """A bot in a match, under its name."""

    def __init__(self, name: str, bot: Bot):
        self.name, self.bot = name, bot

    def choose(self, rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """The bot's actions int64 (B,) in the true games `rows`, checked. Raises BotError."""
        return self.checked(rows, self.answers(rows, rng))

    def checked(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions int64 (B,), each of which is legal in its game. Raises BotError: one is not."""
        illegal = _first_illegal(rows, actions)
        if illegal >= 0:
            raise BotError(f"bot {self.name!r}: {illegal_action_message(rows[illegal], int(actions[illegal]))}")
        return actions

    def answers(self, rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """What the bot gives, int64 (B,), legal or not. Raises BotError: it is no array of so many whole numbers."""
        return answers_of(self.name, self.bot, views_for(self.bot, rows), rng)


def _first_illegal(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> int:
    legal = np.empty((len(rows), 2), np.int64)
    batch.legal_words(rows, legal)
    return batch.first_illegal(legal, actions, 0)


class Block:
    """The games of some pairs, half 0 and half 1 of each in turn, and what has been kept of them.

    Args:
        pairs: the numbers of the pairs, one after another.
        rngs: the random numbers of A and of B.
        forfeit: points that a bot loses with a deal in which its side chose `LOST`; the game ends there.
        luck: gives a DEAL's `luck`, seen from player_0, float64 (N,), for the rows int64 (N, columns) of deals that
            are over and their pairs' numbers.
        witness: is shown every deal that is over, before the next is dealt.
        stored: of auctions: the deals that are played, by the pairs' numbers.
    """

    def __init__(
        self,
        rules: Rules,
        episode: str,
        seed: int,
        pairs: range,
        rngs: Sequence[np.random.Generator],
        forfeit: int = 0,
        luck: Luck | None = None,
        witness: Witness | None = None,
        stored: BiddingDeals | None = None,
    ):
        self.playout = new_playout(episode, stored)
        self.rows, self.games = new_pairs(rules, episode, seed, pairs, self.playout)
        self.deals: list[NDArray[np.void]] = []
        self.rngs, self.forfeit, self.luck, self.witness = rngs, forfeit, luck, witness

    def keep_only(self, places: Sequence[int]) -> Block:
        """Of the games, two to a pair, only those in these places."""
        self.rows, self.games = self.rows[list(places)], self.games[list(places)]
        return self

    def play(
        self, sides: tuple[Side, Side], progress: Callable[[int], object]
    ) -> tuple[NDArray[np.void], NDArray[np.void]]:
        """Play all games to their end: (DEAL entries, GAME entries)."""
        going = np.arange(len(self.rows))
        while len(going):
            self._step(going, sides)
            ended = self.rows[going, at.PHASE] == at.GAME_OVER
            progress(int(ended.sum()))
            going = going[~ended]
        deals = np.concatenate([np.zeros(0, DEAL), *self.deals])
        return deals[np.lexsort((deals["deal"], deals["half"], deals["pair"]))], self.games

    def lose(self, sides: Collection[int]) -> tuple[NDArray[np.void], NDArray[np.void]]:
        """End all games before they begin, lost by A (0), by B (1) or, without points, by both: as `play`."""
        points = self.forfeit * ((1 in sides) - (0 in sides))
        self._end_lost(self.rows, np.arange(len(self.rows)), points)
        return np.concatenate(self.deals), self.games

    def _step(self, going: NDArray[np.int64], sides: tuple[Side, Side]) -> None:
        """One decision in every game that goes on, one call for each bot."""
        is_b = self.rows[going, at.ACTOR] != self.games["seat_of_a"][going]
        for side, theirs in enumerate((going[~is_b], going[is_b])):
            if len(theirs):
                rows = self.rows[theirs]
                actions = sides[side].choose(rows, self.rngs[side])
                lost = actions == LOST
                self._end_lost(rows[lost], theirs[lost], self.forfeit if side else -self.forfeit)
                if lost.any():
                    rows, actions, theirs = rows[~lost], actions[~lost], theirs[~lost]
                play_on(rows, actions)
                self._finish_deals(rows, theirs)
                self.rows[theirs] = rows

    def _end_lost(self, rows: NDArray[np.int64], places: NDArray[np.int64], points: int) -> None:
        """End games in a deal that is lost by a fault; A is given the points."""
        if len(places):
            self.deals.append(forfeited_deals(rows, self.games[places], points))
            close_forfeited(rows, self.games, places, points)
            self.rows[places, at.PHASE] = at.GAME_OVER

    def _finish_deals(self, rows: NDArray[np.int64], places: NDArray[np.int64]) -> None:
        """Keep the deals that are over, deal the next ones, and close the games that have ended; changes `rows`."""
        over = np.flatnonzero(rows[:, at.PHASE] == at.DEAL_OVER)
        settle_rows(rows, over, self.playout)
        deals = rows[over]
        if self.witness is not None and len(over):
            self.witness(deals, self.games[places[over]])
        self.games["thrown_in"][places[over]] += deals[:, at.IS_THROWN_IN]
        deal_again(rows, over)
        # Whether a thrown-in deal counts is the engine's to say.
        completed = rows[over, at.COMPLETED] > deals[:, at.COMPLETED]
        if completed.any():
            self.deals.append(self._entries(deals[completed], self.games[places[over[completed]]]))
        ended = rows[:, at.PHASE] == at.GAME_OVER
        close_games(rows[ended], self.games, places[ended])

    def _entries(self, rows: NDArray[np.int64], games: NDArray[np.void]) -> NDArray[np.void]:
        entries = deal_entries(rows, games)
        if self.luck is not None:
            entries["luck"] = self.luck(rows, games["pair"]) * (1 - 2 * games["seat_of_a"])
        return entries


def new_pairs(
    rules: Rules, episode: str, seed: int, pairs: range, playout: Playout | None = None
) -> tuple[NDArray[np.int64], NDArray[np.void]]:
    """The games of these pairs, dealt: (rows int64 (2 * pairs, columns), their GAME entries)."""
    rows = np.zeros((len(pairs), at.COLUMNS), np.int64)
    batch.new_games(rows, rules.columns(), int(episode == "partie"), deal_seed(seed), pairs.start)
    if playout is not None:
        begin_numbered(rows, np.array(pairs), playout)
    games = np.zeros(2 * len(pairs), GAME)
    games["pair"] = np.repeat(pairs, 2)
    games["half"] = games["seat_of_a"] = np.tile([0, 1], len(pairs))
    return np.repeat(rows, 2, axis=0), games


@compiled
def play_on(rows, actions):
    """Take a legal action in every game, and then all that are forced, up to a choice or the end of the deal."""
    for i in range(len(rows)):
        row = row_of(rows, i)
        take_action(row, actions[i])
        words = legal_actions(row)
        while count(words) == 1:
            take_action(row, nth(words, 0))
            words = legal_actions(row)


@compiled
def deal_again(rows, chosen):
    """The next deal of the games `chosen`, int64 (n,), whose deal is over."""
    for i in chosen:
        next_deal(row_of(rows, i))
