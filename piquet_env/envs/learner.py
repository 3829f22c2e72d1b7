"""Games in each of which one player is a learner and the other a bot: what the single-agent environments share.

The learner's actions come from outside; the bots' are made here, one call for all games in which a bot is to act, until
every game waits for its learner or is over. No rule is here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import batch, game
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.envs import learner_loops as loops
from piquet_env.envs.auctions import Stored, begin_deal, begin_rows, new_playout, stored_deals
from piquet_env.envs.forfeit import forfeit
from piquet_env.envs.loops import aligned_zeros
from piquet_env.envs.opponents import Opponent, OpponentPool, as_pool
from piquet_env.knowledge import OBSERVATION_SIZE
from piquet_env.options import (
    AGENTS,
    ILLEGAL_ACTION,
    REWARDS,
    check_choice,
    check_episode_and_reward,
)
from piquet_env.rules import Rules

if TYPE_CHECKING:
    from piquet_env.bidding import BiddingDeals

RANDOM_SEAT, ALTERNATE_SEAT = "random", "alternate"
SEATS = (RANDOM_SEAT, ALTERNATE_SEAT, *AGENTS)
_NOBODY = -1
_SCRATCH = ("finished",)  # aligned, which no copy would be
_ARRAYS = ("rows", "seats", "gained", "deal_over", "numbers", "begun")


@dataclass(frozen=True)
class Setting:
    """What is played, and how it is told. Raises ValueError for an option that does not exist."""

    rules: Rules
    episode: str
    reward: str
    seat: str
    illegal_action: str
    skip_forced: bool
    deals: BiddingDeals | None = None
    """Of episodes of an auction: those stored."""

    @classmethod
    def make(
        cls,
        rules: str | Rules | Mapping[str, Any],
        episode: str,
        reward: str,
        seat: str,
        illegal_action: str,
        skip_forced: bool,
        deals: Stored | None,
    ) -> Setting:
        """As the environments are given it."""
        made = Rules.make(rules)
        check_episode_and_reward(episode, reward)
        return cls(made, episode, reward, seat, illegal_action, skip_forced, stored_deals(episode, made, deals))

    def __post_init__(self) -> None:
        check_episode_and_reward(self.episode, self.reward)
        check_choice("seat", self.seat, SEATS)
        check_choice("illegal_action", self.illegal_action, ILLEGAL_ACTION)
        check_choice("skip_forced", self.skip_forced, (False, True))

    @property
    def partie(self) -> int:
        """1: an episode is a partie."""
        return int(self.episode == "partie")

    @cached_property
    def forfeit(self) -> float:
        """The reward of an illegal action that loses the episode."""
        return forfeit(self.rules, self.episode, self.reward)


def chance_of_bots(seeds: int | Sequence[int]) -> np.random.Generator:
    """The bots' random numbers, apart from those that choose seats and opponents."""
    return np.random.default_rng(np.random.SeedSequence(seeds, spawn_key=(1,)))


class LearnerGames:
    """N games. Arrays have an entry for each; `places`, int64 (n,), are the numbers of those that are meant.

    Args:
        n: how many games.
        setting: what is played.
        pool: whom the learners play against.
    """

    def __init__(self, n: int, setting: Setting, pool: OpponentPool):
        self.setting, self.pool = setting, pool
        pool.note_rules(setting.rules)
        self.rows = aligned_zeros((n, at.COLUMNS), np.int64)
        """int64 (N, columns): the games."""
        self.seats = np.zeros(n, np.int64)
        """int64 (N,): which player the learner is."""
        self.gained = np.zeros(n, np.int64)
        """int64 (N,): what the learner got since it acted."""
        self.deal_over = np.zeros(n, np.bool_)
        """bool (N,): a deal was finished since the learner acted."""
        self.numbers = np.zeros(n, np.int64)
        self.begun = np.zeros(n, np.int64)
        self.chance = np.random.default_rng(0)
        self._known: dict[int, Opponent] = {}
        self._number_of: dict[Opponent, int] = {}
        self._make_scratch()

    # -------------------------------------------------------------- episodes begin

    def deal(self, place: int, seed: int, index: int) -> None:
        """The first deal of a game: that of game number `index` of a seed. The seats alternate from player_0 on."""
        row = self.rows[place]
        game.new_game(row, self.setting.rules.columns(), self.setting.partie, seed, index)
        begin_deal(row, self._playout)
        self.begun[place] = 0

    def deal_all(self, seed: int) -> None:
        """The first deals of games 0, 1, ... of a seed."""
        batch.new_games(self.rows, self.setting.rules.columns(), self.setting.partie, seed, 0)
        begin_rows(self.rows, self._playout)
        self.begun[:] = 0

    def deal_next(self, places: NDArray[np.int64]) -> None:
        """The next episode's first deal in each of these games; their generators go on."""
        loops.restart_at(self.rows, places, self._playout)

    def asked_for(self, options: Mapping[str, Any]) -> tuple[int | None, OpponentPool]:
        """The options `seat` and `opponent` of a reset: who the learner is, None: to be drawn; and of whom to draw.

        Raises:
            ValueError: there is no such seat or opponent, or nobody to draw.
        """
        player = None
        if "seat" in options:
            check_choice("seat", options["seat"], AGENTS)
            player = AGENTS.index(options["seat"])
        wanted = options.get("opponent", self.pool)
        pool = self.pool.only(wanted) if isinstance(wanted, str) and wanted in self.pool.names else as_pool(wanted)
        pool.check_not_empty()
        return player, pool

    def seat(self, place: int, rng: np.random.Generator, player: int | None, pool: OpponentPool) -> None:
        """Who plays the episode that begins; always two random numbers. Raises ValueError: the pool is empty."""
        drawn = int(rng.integers(2))
        self.numbers[place] = self._number(pool.draw(rng))
        self.seats[place] = self._seat_of(place, drawn) if player is None else player
        self.begun[place] += 1

    def start(self, places: NDArray[np.int64]) -> None:
        """Once they are dealt and seated: what the bots do before the learner, whose first move is never skipped.

        A game that is over by then (a carte blanche that is all that is played for) is no episode: another is dealt.
        """
        self.lead_up(places)
        while len(over := places[self.rows[places, at.PHASE] == at.GAME_OVER]):
            self.deal_next(over)
            self.lead_up(over)

    def lead_up(self, places: NDArray[np.int64]) -> None:
        """The same, though nothing may be left for the learner to do."""
        self.gained[places], self.deal_over[places] = 0, False
        spared = self.seats
        self._settle(places, spared)
        loops.play_forced_at(self.rows, places, spared)
        self._go_on(places, spared)

    # -------------------------------------------------------------- and go on

    def play(self, places: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """The learners' legal actions, int64 (n,), and all that follows until they are to act. Raises BotError."""
        self.gained[places], self.deal_over[places] = 0, False
        spared = np.full(len(self.rows), _NOBODY) if self.setting.skip_forced else self.seats
        loops.take_at(self.rows, places, actions, spared)
        self._go_on(places, spared)

    def look(self, places: NDArray[np.int64]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """What these learners see, int8 (n, D), and may do, int8 (n, 80), all 0 where the game is over: new arrays."""
        observation = np.empty((len(places), OBSERVATION_SIZE), np.int8)
        mask = np.empty((len(places), ACTIONS), np.int8)
        loops.look_at_places(self.rows, places, self.seats, observation, mask)
        return observation, mask

    def opponent(self, place: int) -> Opponent:
        """Who plays against the learner of a game."""
        return self._known[int(self.numbers[place])]

    def opponent_names(self) -> NDArray[np.object_]:
        """Of all games, as texts (N,)."""
        names = np.empty(1 + max(self._known, default=0), object)
        for number, opponent in self._known.items():
            names[number] = opponent.name
        return names[self.numbers]

    def on_deal(self, places: NDArray[np.int64]) -> None:
        """Is called when deals were finished, whose rows are in `finished` until the next one is."""

    # -------------------------------------------------------------- within

    def _seat_of(self, place: int, random_seat: int) -> int:
        seat = self.setting.seat
        if seat == RANDOM_SEAT:
            return random_seat
        return int(self.begun[place] % 2) if seat == ALTERNATE_SEAT else AGENTS.index(seat)

    def _number(self, opponent: Opponent) -> int:
        """What stands for an opponent in `numbers`. Those that nobody plays against any more are forgotten."""
        if opponent not in self._number_of:
            opponent.note_rules(self.setting.rules)
            used = set(self.numbers.tolist())
            self._known = {number: known for number, known in self._known.items() if number in used}
            self._known[1 + max(self._known, default=0)] = opponent
            self._number_of = {known: number for number, known in self._known.items()}
        return self._number_of[opponent]

    def _go_on(self, places: NDArray[np.int64], spared: NDArray[np.int64]) -> None:
        """The bots' moves, until each of these games waits for its learner or is over."""
        going = self._settle(places, spared)
        while len(going):
            for opponent, theirs in self._by_opponent(going):
                actions = opponent.choose(self.rows[theirs], self.chance)
                loops.take_at(self.rows, theirs, actions, spared)
            going = self._settle(going, spared)

    def _settle(self, places: NDArray[np.int64], spared: NDArray[np.int64]) -> NDArray[np.int64]:
        """Deals that are over are added up, the next dealt; of these games, those in which a bot is to act."""
        kind = REWARDS[self.setting.reward]
        while len(over := places[self.rows[places, at.PHASE] == at.DEAL_OVER]):
            loops.end_deals_at(self.rows, over, kind, self._playout, self.seats, self.gained, self.finished)
            self.deal_over[over] = True
            self.on_deal(over)
            loops.play_forced_at(self.rows, over, spared)
        going = self.rows[places, at.PHASE] != at.GAME_OVER
        return places[going & (self.rows[places, at.ACTOR] != self.seats[places])]

    def _by_opponent(self, places: NDArray[np.int64]) -> Iterator[tuple[Opponent, NDArray[np.int64]]]:
        if len(self._known) == 1:
            yield next(iter(self._known.values())), places
            return
        numbers = self.numbers[places]
        _, first = np.unique(numbers, return_index=True)
        for number in numbers[np.sort(first)].tolist():  # the numbers themselves tell of episodes long past
            yield self._known[number], places[numbers == number]

    def _make_scratch(self) -> None:
        self.finished = aligned_zeros(self.rows.shape, np.int64)
        """int64 (N, columns): the row of the last deal that was finished, valid where `deal_over`."""
        self._playout = new_playout(self.setting.episode, self.setting.deals)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, **{name: np.array(self.__dict__[name]) for name in _SCRATCH}, "_playout": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrays of its own: pickled out of band they may be the original's, or read-only."""
        self.__dict__.update(state, **{name: np.array(state[name]) for name in _ARRAYS})
        self._make_scratch()
        self.finished[:] = state["finished"]
