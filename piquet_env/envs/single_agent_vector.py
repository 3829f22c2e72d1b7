"""Many games at once, a learner in each against a bot; the bots' moves are made in batches. For Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from numpy.typing import ArrayLike, NDArray

from piquet_env import knowledge
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.envs.auctions import Stored
from piquet_env.envs.learner import LearnerGames, Setting, chance_of_bots
from piquet_env.envs.learner_env import LearnerEnv
from piquet_env.envs.legal_spaces import LegalMultiDiscrete
from piquet_env.envs.opponents import Opponents, as_pool
from piquet_env.envs.rendered import RENDER_MODES, rendered
from piquet_env.options import (
    announce_compiling,
    check_choice,
    check_seed,
    checked_options,
    illegal_action_message,
    note_illegal_action,
)
from piquet_env.rules import Rules
from piquet_env.views import phase_name

_OPTIONS = ("seat", "opponent")
_PHASES = np.array([phase_name(phase) for phase in at.Phase], object)
# The first versions of Gymnasium have no such type.
_SAME_STEP = getattr(getattr(gymnasium.vector, "AutoresetMode", None), "SAME_STEP", "SameStep")

Step = tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class SingleAgentVectorEnv(LearnerEnv, gymnasium.vector.VectorEnv):
    """N games of Auction Piquet, a learner in each against a bot: `gymnasium.make_vec("piquet_env/AuctionPiquet-v0")`.

    What `SingleAgentEnv` is, in one batch: a bot is asked once for all the games in which it is to act. A game that
    ends begins anew in the same step (`AutoresetMode.SAME_STEP`). All arrays that are handed out are new ones.

    Args:
        num_envs: how many games.
        opponent, rules, episode, reward, seat, illegal_action, skip_forced: as of `SingleAgentEnv`.
        render_mode: "ansi": `render` returns the tables as texts; "human": it prints them; "rgb_array": as pictures.
        deals: as of `SingleAgentEnv`.

    Observation: int8 (N, D). Action: MultiDiscrete([80] * N); `action_space.sample()` draws legal ones. Reward: float64
    (N,). The info has, as Gymnasium's SyncVectorEnv gives it, for each `name` an array, and in `_name`, bool (N,),
    where it is valid:

    * `action_mask` int8 (N, 80); `player` int64 (N,); `phase` and `opponent`, texts (N,),
    * in steps in which a deal was over somewhere, `finished` int64 (N, columns): the row of that deal
      (`piquet_env.records.deal_result` reads it), but for the generator, -1, which would tell the next one,
    * in steps in which an episode ended somewhere, `final_obs`, an array (N,) of observations or None, and
      `final_info`, with `action_mask`, `player`, `phase`, `opponent` of the episode that ended, and `illegal_action`
      int64 (N,) if one was lost so.

    Raises:
        ValueError: an option that does not exist, rules that cannot be, an unknown bot, an object that is none.
    """

    action_space: LegalMultiDiscrete
    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1, "autoreset_mode": _SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Opponents = "greedy",
        rules: str | Rules | Mapping[str, Any] = "auction",
        episode: str = "deal",
        reward: str = "score",
        seat: str = "random",
        illegal_action: str = "lose",
        skip_forced: bool = False,
        render_mode: str | None = None,
        deals: Stored | None = None,
    ):
        if isinstance(num_envs, bool) or not isinstance(num_envs, int | np.integer) or num_envs < 1:
            raise ValueError(f"num_envs: expected a whole number of at least 1, got {num_envs!r}")
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        setting = Setting.make(rules, episode, reward, seat, illegal_action, skip_forced, deals)
        self.num_envs, self.render_mode = int(num_envs), render_mode
        self.single_observation_space = spaces.Box(0, 1, (knowledge.OBSERVATION_SIZE,), np.int8)
        self.observation_space = spaces.Box(0, 1, (self.num_envs, knowledge.OBSERVATION_SIZE), np.int8)
        self.single_action_space = spaces.Discrete(ACTIONS)
        self.action_space = LegalMultiDiscrete(self.num_envs)
        self._games = LearnerGames(self.num_envs, setting, as_pool(opponent))
        self._choices: list[np.random.Generator] = []
        self._mask = np.zeros((self.num_envs, ACTIONS), np.int8)
        self._goes_on = False
        announce_compiling()

    @property
    def rows(self) -> NDArray[np.int64]:
        """The games themselves, true cards and all, int64 (N, columns; `engine.layout.LAYOUT`): to read only."""
        view = self._games.rows.view()
        view.flags.writeable = False
        return view

    # -------------------------------------------------------------- the interface

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin new episodes everywhere.

        Args:
            seed: 0 <= seed < 2**63: game i deals as game i of `SelfPlayVectorEnv(seed=seed)`. N seeds: game i is the
                one that `SingleAgentEnv` plays with seed i, but for the chance of the opponents, which is one for all
                games; where that is None it goes on. A seed fixes everything, the seats, the choice of opponents and
                their chance too. Without one all generators go on.
            options: `seat` and `opponent` of the episodes that begin now, as of `SingleAgentEnv`.

        Raises:
            ValueError: a bad seed or option, or an empty pool; nothing has changed.
            BotError: (a ValueError) an opponent fails; another reset is needed.
        """
        asked = checked_options(options, _OPTIONS)
        seeds = self._checked_seeds(seed)
        player, pool = self._games.asked_for(asked)
        self._deal(seeds)
        self._goes_on = False
        places = np.arange(self.num_envs)
        for place in range(self.num_envs):
            self._games.seat(place, self._choices[place], player, pool)
        self._games.start(places)
        self._goes_on = True
        return self._look()

    def step(self, actions: ArrayLike) -> Step:
        """The learner's action in each game, integers (N,), and all that follows until it is to act again.

        Raises:
            ValueError: before any game has changed: a wrong shape or type, no action of the action space, an illegal
                one unless `illegal_action` is "lose" (names the game, the action and the legal ones).
            ResetNeeded: before the first reset.
            BotError: (a ValueError) an opponent fails; the environment must be reset.
        """
        chosen = self._checked(actions)
        games = self._games
        is_legal = self._mask[np.arange(self.num_envs), chosen] != 0
        self._goes_on = False
        games.play(np.flatnonzero(is_legal), chosen[is_legal])
        games.deal_over[~is_legal] = False
        over = games.rows[:, at.PHASE] == at.GAME_OVER
        truncated = over & (games.rows[:, at.TRUNCATED] == 1)
        reward = np.where(is_legal, games.gained, self.forfeit)
        terminated = (over & ~truncated) | ~is_legal
        told = self._finished() | self._finals(terminated | truncated, is_legal, chosen)
        self._begin_anew(np.flatnonzero(terminated | truncated))
        self._goes_on = True
        observation, info = self._look()
        return observation, reward, terminated, truncated, info | told

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal: bool (N, 80), a new array. Raises ResetNeeded before the first reset."""
        self._needs_reset()
        return self._mask != 0

    def render(self) -> tuple[str | NDArray[np.uint8] | None, ...]:  # type: ignore[override] (texts for "ansi")
        """Each table from its learner's side, as `render_mode` says. Raises ResetNeeded before the first reset."""
        self._needs_reset()
        games = zip(self._games.rows, self._games.seats.tolist(), strict=True)
        return tuple(rendered(self.render_mode, row, player) for row, player in games)

    # -------------------------------------------------------------- within

    def _needs_reset(self) -> None:
        if not self._goes_on:
            raise ResetNeeded("call reset() first")

    def _checked_seeds(self, seed: Any) -> int | list[int | None] | None:
        if seed is None:
            return None if self._choices else check_seed(None)
        if not isinstance(seed, list | tuple | np.ndarray):
            return check_seed(seed)
        if len(seed) != self.num_envs:
            raise ValueError(f"seed: expected {self.num_envs} seeds, got {len(seed)}")
        going = bool(self._choices)
        return [None if one is None and going else check_seed(one) for one in seed]

    def _deal(self, seeds: int | list[int | None] | None) -> None:
        """The first deals of the episodes, and the generators that choose in them."""
        if seeds is None:
            self._games.deal_next(np.arange(self.num_envs))
        elif isinstance(seeds, int):
            super().reset(seed=seeds)
            self._games.deal_all(seeds)
            self._games.chance = chance_of_bots(seeds)
            others = [np.random.default_rng([seeds, place]) for place in range(1, self.num_envs)]
            self._choices = [seeding.np_random(seeds)[0], *others]  # as SingleAgentEnv(seed), then others
        else:
            self._deal_each(seeds)

    def _deal_each(self, seeds: list[int | None]) -> None:
        self._choices = self._choices or [self.np_random] * self.num_envs
        if given := [seed for seed in seeds if seed is not None]:
            self._games.chance = chance_of_bots(given)
        for place, seed in enumerate(seeds):
            if seed is None:
                self._games.deal_next(np.array([place]))
            else:
                self._games.deal(place, seed, 0)
                self._choices[place] = seeding.np_random(seed)[0]

    def _checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        self._needs_reset()
        array = np.asarray(actions)
        if array.shape != (self.num_envs,) or array.dtype.kind not in "iu":
            raise ValueError(f"actions: expected integers of shape ({self.num_envs},), got {array.dtype} {array.shape}")
        outside = np.flatnonzero((array < 0) | (array >= ACTIONS))
        if len(outside):
            got = f"got {array[outside[0]]}"
            raise ValueError(f"game {outside[0]}: expected an action from 0 to {ACTIONS - 1}, {got}")
        chosen = np.ascontiguousarray(array, np.int64)
        if self._games.setting.illegal_action == "raise":
            for illegal in np.flatnonzero(self._mask[np.arange(self.num_envs), chosen] == 0)[:1]:
                message = illegal_action_message(self._games.rows[illegal], int(chosen[illegal]))
                raise ValueError(f"game {illegal}: {message}")
        return chosen

    def _begin_anew(self, places: NDArray[np.int64]) -> None:
        if len(places):
            self._games.deal_next(places)
            for place in places.tolist():
                self._games.seat(place, self._choices[place], None, self.pool)
            self._games.start(places)

    def _look(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        observation, mask = self._games.look(np.arange(self.num_envs))
        self._mask = self.action_space.legal = mask
        return observation, _info(np.ones(self.num_envs, np.bool_), **self._told(mask.copy()))

    def _told(self, mask: NDArray[np.int8]) -> dict[str, NDArray[Any]]:
        """What every info has."""
        return {
            "action_mask": mask,
            "phase": _PHASES[self._games.rows[:, at.PHASE]],
            "player": self._games.seats.copy(),
            "opponent": self._games.opponent_names(),
        }

    def _finished(self) -> dict[str, Any]:
        """The rows of deals that were over."""
        over = self._games.deal_over.copy()
        if not over.any():
            return {}
        finished = np.zeros_like(self._games.finished)
        finished[over] = self._games.finished[over]
        finished[over, at.RANDOM] = -1  # as in hidden rows: what is still to be dealt follows from it
        return _info(over, finished=finished)

    def _finals(
        self, ended: NDArray[np.bool_], is_legal: NDArray[np.bool_], chosen: NDArray[np.int64]
    ) -> dict[str, Any]:
        """What the learners saw last in the episodes that ended."""
        if not ended.any():
            return {}
        places = np.flatnonzero(ended)
        last = np.full(self.num_envs, None, object)
        for place, seen in zip(places, self._games.look(places)[0], strict=True):
            last[place] = seen
        told = self._told(np.zeros((self.num_envs, ACTIONS), np.int8))
        final = _info(ended, **{name: _only(values, ended) for name, values in told.items()})
        if not is_legal.all():
            note_illegal_action()
            final |= _info(~is_legal, illegal_action=np.where(is_legal, 0, chosen))
        return _info(ended, final_obs=last, final_info=final)

    def _renew_spaces(self) -> None:
        self.action_space = LegalMultiDiscrete(self.num_envs, self.action_space._np_random)
        self.action_space.legal = self._mask if self._choices else None


def _only(values: NDArray[Any], valid: NDArray[np.bool_]) -> NDArray[Any]:
    """The entries that are valid; 0 or None for all others."""
    kept = np.zeros_like(values) if values.dtype != object else np.full(len(values), None, object)
    kept[valid] = values[valid]
    return kept


def _info(valid: NDArray[np.bool_], **values: Any) -> dict[str, Any]:
    """Each `name`, and `_name`: where it is valid."""
    return {key: value for name in values for key, value in ((name, values[name]), (f"_{name}", valid.copy()))}
