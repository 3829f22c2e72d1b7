"""Thousands of games at once, both seats played by whoever gives the actions: for self-play."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from piquet_env import knowledge
from piquet_env.engine import batch
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.engine.intrinsics import can_stream
from piquet_env.envs.auctions import Stored, begin_rows, first_unplayable, new_playout, restart_rows, stored_deals
from piquet_env.envs.loops import Buffers, aligned_zeros, observe_games, rollout_buffer, step_games
from piquet_env.knowledge import OBSERVATION_SIZE
from piquet_env.knowledge.checks import check_written
from piquet_env.options import (
    REWARDS,
    announce_compiling,
    check_episode_and_reward,
    check_seed,
    illegal_action_message,
)
from piquet_env.rules import Rules


class SelfPlayVectorEnv:
    """N games of Auction Piquet in one batch; `step` takes one action for the player to act in each.

    Game i is dealt by (seed, i) and the rules alone, whatever `num_envs` and `threads` are.

    Args:
        num_envs: how many games.
        rules: a ruleset's name, a `Rules`, or `{"base": name, field: value}`.
        episode: "deal" (one completed deal), "partie", or "auction": the deal ends with its auction, and is settled by
            a fixed playout (piquet_env.bidding).
        reward: "score", "payment" (parties only) or "win".
        seed: 0 <= seed < 2**63; None draws one from the system.
        threads: how many threads share a step.
        skip_forced: moves with a single legal action are played at once. Only the first move of an
            episode is never skipped. What is dealt, and every reward, stays the same.
        copy: False: the arrays handed out are the environment's own (two sets in turn: what a call
            returns is overwritten by the second call after it). True: they are copies to keep.
        first_game: the number of the first game, so that several processes can share the games of one seed: game i
            here is game first_game + i of an environment that has them all.
        deals: of episodes of an auction: stored deals (`piquet_env.bidding.BiddingDeals`), or the path of a file of
            them. Each episode is of one of them, each as likely, drawn by the game's own generator; its score is looked
            up. None: every auction's deal is dealt anew and settled when it is over, which takes some 100 microseconds.

    `reset(seed=None)` returns `(observation, info)`, `step(actions)` returns `(observation, reward,
    terminated, truncated, info)` as in Gymnasium:

    * observation int8 (N, D): what the player to act sees (`knowledge.fields()`),
    * reward float32 (N, 2): of player_0 and player_1, zero-sum, what this step brought,
    * terminated, truncated bool (N,): the episode ended in this step. The game has already begun anew
      (same-step autoreset): observation and mask are those of the new episode,
    * info: `action_mask` int8 (N, 80); `player` int64 (N,), who is to act; `deal_over` bool (N,), a deal
      was finished in this step; `finished` int64 (N, columns), the row of that deal (the last of them, where
      forced moves finished several; `engine.layout.LAYOUT`), valid where `deal_over`; `final_obs` int8
      (N, 2, D), what both players saw at the end of the episode, valid where `_final_obs` bool (N,).
    """

    def __init__(
        self,
        num_envs: int,
        rules: str | Rules | Mapping[str, Any] = "auction",
        episode: str = "deal",
        reward: str = "score",
        seed: int | None = None,
        threads: int = 1,
        *,
        skip_forced: bool = False,
        copy: bool = False,
        first_game: int = 0,
        deals: Stored | None = None,
    ):
        check_episode_and_reward(episode, reward)
        for name, value, least in (("num_envs", num_envs, 1), ("threads", threads, 1), ("first_game", first_game, 0)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ValueError(f"{name}: expected a whole number of at least {least}, got {value!r}")
        self.num_envs = int(num_envs)
        self.rules = Rules.make(rules)
        self.deals = stored_deals(episode, self.rules, deals)
        self.episode = episode
        self.reward = reward
        self.threads = min(int(threads), self.num_envs)
        self.skip_forced = bool(skip_forced)
        self.copy = bool(copy)
        self.first_game = int(first_game)
        self.single_observation_space = spaces.Box(0, 1, (OBSERVATION_SIZE,), np.int8)
        self.single_action_space = spaces.Discrete(ACTIONS)
        self._rows = aligned_zeros((self.num_envs, at.COLUMNS), np.int64)
        self._legal = np.zeros((self.num_envs, 2), np.int64)
        self._make_scratch()
        announce_compiling()
        self._begin(check_seed(seed))
        self._is_new = True

    @property
    def rows(self) -> NDArray[np.int64]:
        """The games themselves, int64 (N, columns; `engine.layout.LAYOUT`): to read only, `restore` sets them."""
        view = self._rows.view()
        view.flags.writeable = False
        return view

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin new episodes everywhere: those of `seed`, or without one those that the generators give next."""
        if options:
            raise ValueError(f"options: this environment has none, got {sorted(options)}")
        if seed is not None:
            self._begin(check_seed(seed))
        elif not self._is_new:
            self._in_slices(lambda part: restart_rows(self._rows[part], self._playouts[part.start]))
        return self._first_observation()

    def restore(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Go on from a copy of another environment's `rows`, int64 (N, columns); returns what `reset` does.

        Raises:
            ValueError: another shape or type, rows of other rules or another kind of episode, or what is no row.
        """
        rows = np.asarray(rows)
        if rows.shape != self._rows.shape or rows.dtype != np.int64:
            raise ValueError(f"rows: expected int64 {self._rows.shape}, got {rows.dtype} {rows.shape}")
        if not np.array_equal(rows[:, : at.RANDOM], self._rows[:, : at.RANDOM]):
            raise ValueError("rows: of other rules, or another kind of episode")
        for field in at.FIELDS:
            part = rows[:, field.start : field.start + field.size]
            if part.min() < field.low or part.max() > field.high:
                raise ValueError(f"rows: {field.name}: expected {field.low} to {field.high}")
        unreachable = self._first_unreachable(np.ascontiguousarray(rows))
        if unreachable >= 0:
            raise ValueError(f"rows: game {unreachable}: no game comes to this row")
        self._rows[:] = rows
        return self._first_observation()

    def _first_unreachable(self, rows: NDArray[np.int64]) -> int:
        """The first row that no game here comes to; -1: there is none."""
        if (playout := next(iter(self._playouts.values()))) is not None:
            wrong = first_unplayable(rows, playout)
        else:
            wrong = int(rows[:, at.PLAYOUT].argmax()) if rows[:, at.PLAYOUT].any() else -1
        return wrong if wrong >= 0 else batch.first_unreachable(rows)

    def _first_observation(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        self._is_new = False
        buffers = self._next_buffers()
        for flags in (buffers.terminated, buffers.truncated, buffers.deal_over, buffers.reward):
            flags[:] = 0
        self._in_slices(lambda part: observe_games(self._rows[part], self._legal[part], buffers.of(part)))
        return self._handed_out(buffers.observation), self._info(buffers)

    def step(
        self, actions: ArrayLike, *, into: tuple[NDArray[np.int8], NDArray[np.int8]] | None = None
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One action in each game.

        Args:
            actions: integers (N,).
            into: arrays of your own, int8 (N, D) and (N, 80), C-contiguous, to which observation and mask are written,
                and which are returned: a step of a rollout buffer, which need not be copied to then
                (`rollout_buffer`). Of a torch tensor `.numpy()` is such an array.

        Raises:
            ValueError: before any game has changed, if an action is not legal (names the game, the
                action and the legal ones), or an array's shape or type is wrong.
        """
        chosen = self._checked(actions)
        if into is not None:
            self._check_into(into)
        buffers, kind = self._next_buffers(), REWARDS[self.reward]
        streams = into is not None and can_stream(into[0])
        if into is not None:
            buffers = buffers._replace(observation=into[0], mask=into[1])
        self._in_slices(
            lambda part: step_games(
                self._rows[part],
                self._legal[part],
                chosen[part],
                kind,
                self.skip_forced,
                streams,
                self._playouts[part.start],
                buffers.of(part),
            )
        )
        handed = (buffers.observation, buffers.reward, buffers.terminated, buffers.truncated)
        observation, reward, terminated, truncated = (self._handed_out(array) for array in handed)
        info = self._info(buffers)
        if into is not None:
            observation, info["action_mask"] = into
        return observation, reward, terminated, truncated, info

    def rollout_buffer(self, steps: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Observations int8 (steps, N, D) and masks (steps, N, 80), all 0, for `step(..., into=...)`.

        They lie so in memory that writing is fastest.
        """
        return rollout_buffer(steps, self.num_envs)

    def full_state(self) -> NDArray[np.int8]:
        """Everything about each game from the side of the player to act, for critics: int8 (N, S), a new array.

        `knowledge.state_fields()` lists the features; the first D are the observation.
        """
        states = np.empty((self.num_envs, knowledge.STATE_SIZE), np.int8)
        self._in_slices(lambda part: knowledge.state_rows(self._rows[part], self._rows[part, at.ACTOR], states[part]))
        return states

    def known_rows(self) -> NDArray[np.int64]:
        """The rows as the players to act know them, for bots: int64 (N, columns), -1 where unknown; a new array."""
        rows = self._rows.copy()
        knowledge.hide_rows(rows, rows[:, at.ACTOR].copy())
        return rows

    def close(self) -> None:
        """End the threads, if any; a step that they are at is finished first."""
        pool, self._pool = self._pool, None
        if pool is not None and pool[0] == os.getpid():
            pool[1].shutdown()

    def _make_scratch(self) -> None:
        """What is no part of the games' state: it is not pickled."""
        self._buffers = (Buffers.make(self.num_envs), Buffers.make(self.num_envs))
        self._pool: tuple[int, ThreadPoolExecutor] | None = None  # and the process that made it
        self._playouts = {part.start: new_playout(self.episode, self.deals) for part in self._slices()}

    def _begin(self, seed: int) -> None:
        rules, partie = self.rules.columns(), int(self.episode == "partie")
        self._in_slices(
            lambda part: batch.new_games(self._rows[part], rules, partie, seed, self.first_game + part.start)
        )
        self._in_slices(lambda part: begin_rows(self._rows[part], self._playouts[part.start]))

    def _checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        array = np.asarray(actions)
        if array.shape != (self.num_envs,) or array.dtype.kind not in "iu":
            raise ValueError(f"actions: expected integers of shape ({self.num_envs},), got {array.dtype} {array.shape}")
        chosen = np.ascontiguousarray(np.minimum(array, ACTIONS) if array.dtype.kind == "u" else array, np.int64)
        if self._is_new:
            raise ValueError("step: call reset() first")
        for illegal in self._in_slices(lambda part: batch.first_illegal(self._legal[part], chosen[part], part.start)):
            if illegal >= 0:
                raise ValueError(f"game {illegal}: {illegal_action_message(self._rows[illegal], int(array[illegal]))}")
        return chosen

    def _check_into(self, into: tuple[NDArray[np.int8], NDArray[np.int8]]) -> None:
        if not isinstance(into, tuple | list) or len(into) != 2:
            raise ValueError(f"into: expected (observation, mask), got {type(into).__name__}")
        for name, array, size in zip(("observation", "mask"), into, (OBSERVATION_SIZE, ACTIONS), strict=True):
            check_written(f"into, {name}", array, np.int8, (self.num_envs, size))
        if np.may_share_memory(*into):
            raise ValueError("into: expected two arrays that share no memory")

    def _next_buffers(self) -> Buffers:
        self._buffers = self._buffers[::-1]
        return self._buffers[0]

    def _handed_out(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array

    def _info(self, buffers: Buffers) -> dict[str, Any]:
        info = {
            "action_mask": buffers.mask,
            "player": buffers.player,
            "deal_over": buffers.deal_over,
            "finished": buffers.finished,
            "final_obs": buffers.final_observation.reshape(self.num_envs, 2, -1),
            "_final_obs": buffers.terminated | buffers.truncated,
        }
        return {name: self._handed_out(array) for name, array in info.items()}

    def _in_slices(self, work: Callable[[slice], Any]) -> list[Any]:
        """Call `work(slice)` for the rows, one slice to a thread; what it returns, in order."""
        if self.threads == 1:
            return [work(slice(0, self.num_envs))]
        return list(self._executor().map(work, self._slices()))

    def _slices(self) -> list[slice]:
        edges = np.linspace(0, self.num_envs, self.threads + 1).astype(int).tolist()
        return [slice(first, stop) for first, stop in itertools.pairwise(edges)]

    def _executor(self) -> ThreadPoolExecutor:
        """Made anew in a forked child, where the threads of the parent do not exist."""
        pool = self._pool
        if pool is None or pool[0] != os.getpid():
            pool = self._pool = (os.getpid(), ThreadPoolExecutor(self.threads, thread_name_prefix="piquet"))
        return pool[1]

    def __getstate__(self) -> dict[str, Any]:
        """Without the threads, and without what a step writes, nine tenths of the memory."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_buffers", "_pool", "_playouts")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrays of its own: pickled out of band they may be the original's, or read-only."""
        self.__dict__.update(state, _rows=np.array(state["_rows"]), _legal=np.array(state["_legal"]))
        self._make_scratch()
