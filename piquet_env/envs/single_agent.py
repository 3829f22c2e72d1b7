"""One game, one learner: the other player is a bot, whose moves happen within `reset` and `step`. For Gymnasium."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from piquet_env import knowledge
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.engine.deal import random_state
from piquet_env.envs.auctions import Stored
from piquet_env.envs.learner import LearnerGames, Setting, chance_of_bots
from piquet_env.envs.learner_env import LearnerEnv
from piquet_env.envs.legal_spaces import LegalDiscrete
from piquet_env.envs.opponents import Opponents, as_pool
from piquet_env.envs.recorded import record_of, set_up
from piquet_env.envs.rendered import RENDER_MODES, rendered
from piquet_env.options import (
    announce_compiling,
    check_choice,
    check_seed,
    checked_action,
    checked_options,
    illegal_action_message,
    note_illegal_action,
)
from piquet_env.records import Record, deal_result
from piquet_env.rules import Rules
from piquet_env.views import known_row, phase_name, view

_OPTIONS = ("record", "seat", "opponent")
_PLACE = np.zeros(1, np.int64)  # of the only game
_NEEDS_RESET = "call reset() first, and again when an episode is over"


class SingleAgentEnv(LearnerEnv, gymnasium.Env[NDArray[np.int8], int]):
    """Auction Piquet and its relatives for one learner against a bot: `gymnasium.make("piquet_env/AuctionPiquet-v0")`.

    The learner sees only its own decisions; what a step is rewarded with is all that it gains until its next one.

    Args:
        opponent: a bot or its name (`piquet_env.bots.load_bot`); a list of them; weights, as `{"greedy": 3, "base": 1}`
            or `[("greedy", 3), (bot, 1)]`; or an `OpponentPool`, which may grow meanwhile. One is drawn for each
            episode.
        rules: a ruleset's name, a `Rules`, or `{"base": name, field: value}`.
        episode: "deal" (one completed deal), "partie", or "auction": the deal ends with its auction, and is settled by
            a fixed playout (piquet_env.bidding).
        reward: "score" (the deal's own score less the opponent's, when a deal ends), "payment" (what the partie pays,
            at its end; parties only) or "win" (1, 0 or -1 at the end of the episode).
        seat: the learner is "player_0", "player_1", one of them by chance ("random"), or each in turn, from player_0
            after every `reset` with a seed ("alternate").
        illegal_action: "lose": the episode ends at once, with a reward (`forfeit`) that is no better than any legal
            loss: -1 with "win", and with "score" and "payment" less than the rules let anybody lose; a warning is
            logged, once in a process. "raise": `step` raises ValueError and nothing has changed. Not the default as in
            the AEC environment: Gymnasium's own checker steps with actions that it drew in another position.
        skip_forced: the learner is not asked where it has a single legal action, but for its first in an episode.
        render_mode: "ansi": `render` returns the table, as the learner sees it, as text; "human": it is printed, after
            each step too; "rgb_array": as a picture, uint8 (720, 1280, 3), which needs Pillow.
        deals: of episodes of an auction: stored deals (`piquet_env.bidding.BiddingDeals`), or the path of a file of
            them, one of which each episode is of. None: they are dealt anew, and settled when the auction is over.

    Observation: int8 (D,) of 0 and 1 (`piquet_env.knowledge.fields()`). Action: Discrete(80); `action_space.sample()`
    draws a legal one. `action_masks()` says which are legal, as sb3-contrib asks for it. The info of `reset` and `step`
    has:

    * `action_mask` int8 (80,), all 0 at the end,
    * `phase`, its name; `player`, 0 or 1, who the learner is; `opponent`, the bot's name,
    * `deal`, where a deal was completed: its result as in a record (contract, tricks, score item by item),
    * `illegal_action`: the action by which the episode was lost.

    A bot that fails (piquet_env.bots.BotError) leaves an environment that must be reset.

    Raises:
        ValueError: an option that does not exist, rules that cannot be, an unknown bot, an object that is none.
    """

    _games: _OneGame
    action_space: LegalDiscrete
    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 (Gymnasium's protocol)

    def __init__(
        self,
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
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        setting = Setting.make(rules, episode, reward, seat, illegal_action, skip_forced, deals)
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0, 1, (knowledge.OBSERVATION_SIZE,), np.int8)
        self.action_space = LegalDiscrete()
        self._games = _OneGame(setting, as_pool(opponent))
        self._mask = np.zeros(ACTIONS, np.int8)
        self._is_dealt = self._goes_on = False
        announce_compiling()

    # -------------------------------------------------------------- the interface

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin a new episode, up to the learner's first decision.

        Args:
            seed: 0 <= seed < 2**63; fixes the deals (those of game 0 of `SelfPlayVectorEnv(seed=seed)`), the seats, the
                choice of opponents and their chance. Without one all generators go on.
            options: `seat` ("player_0" or "player_1") and `opponent` (the name of one in the pool, or what
                the argument takes) of this episode; `record`, a deal or partie record: it is set up and replayed, and
                the game goes on from there. What was scored before the learner's first action is no part of its
                rewards.

        Raises:
            ValueError: a bad seed or option, an empty pool, a record that is wrong, or of other rules: nothing has
                changed. A record after which the learner has nothing to do: another reset is needed.
            BotError: (a ValueError) the opponent fails.
        """
        asked = checked_options(options, _OPTIONS)
        player, pool = self._games.asked_for(asked)
        number = check_seed(seed) if seed is not None or not self._is_dealt else None
        self._deal(number, asked)
        if seed is not None or self._np_random is None:
            super().reset(seed=number)
        if number is not None:
            self._games.chance = chance_of_bots(number)
        self._is_dealt, self._goes_on = True, False
        self._games.seat(0, self.np_random, player, pool)
        if "record" not in asked:
            self._games.start(_PLACE)
        else:
            self._games.lead_up(_PLACE)
            if self._row[at.PHASE] == at.GAME_OVER:
                raise ValueError("record: the episode is over before the learner has anything to do")
        self._goes_on = True
        return self._look()

    def step(self, action: int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Take the learner's action and all that follows until it is to act again, or the episode is over.

        Raises:
            ValueError: no action of the action space; an illegal one unless `illegal_action` is "lose". Nothing has
                changed.
            ResetNeeded: there is no episode, or it is over.
            BotError: (a ValueError) the opponent fails; the environment must be reset.
        """
        if not self._goes_on:
            raise ResetNeeded(_NEEDS_RESET)
        chosen = checked_action(action)
        if not self._mask[chosen]:
            return self._refuse(chosen)
        self._goes_on = False
        self._games.play(_PLACE, np.array([chosen]))
        is_over, is_cut_off = self._row[at.PHASE] == at.GAME_OVER, bool(self._row[at.TRUNCATED])
        self._goes_on = not is_over
        observation, info = self._look()
        return observation, float(self._games.gained[0]), bool(is_over and not is_cut_off), is_cut_off, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal: bool (80,), a new array. Raises ResetNeeded before the first reset."""
        self._needs_reset()
        return self._mask != 0

    def render(self) -> str | NDArray[np.uint8] | None:  # type: ignore[override] (text is what "ansi" means)
        """The table from the learner's side, as `render_mode` says. Raises ResetNeeded before the first reset."""
        self._needs_reset()
        return rendered(self.render_mode, self._row, self._player)

    # -------------------------------------------------------------- beyond Gymnasium

    def record(self) -> Record:
        """The deal, or the partie, so far as a record, with the result when it is over: all cards, the opponent's too.

        In an episode of one deal, earlier deals that were thrown in are not part of it.
        """
        self._needs_reset()
        return record_of(self._row, self._games.earlier)

    def view(self) -> dict[str, Any]:
        """What the learner knows of the game, as JSON (`piquet_env.views`)."""
        self._needs_reset()
        return view(self._row, self._player)

    def known_row(self) -> NDArray[np.int64]:
        """The game's row as the learner knows it, for bots: int64 (columns,), -1 for the rest; a new array."""
        self._needs_reset()
        return known_row(self._row, self._player)

    def state(self) -> NDArray[np.int8]:
        """Everything about the deal from the learner's side, for critics: int8 (S,), `knowledge.state_fields()`."""
        self._needs_reset()
        return knowledge.state(self._row, self._player)

    def clone(self, reseed: int | None = None) -> SingleAgentEnv:
        """An independent copy that goes on like the original; bots and pool are the same ones, not copies.

        Args:
            reseed: a seed: all that is still to be dealt, and the opponents' chance, differs from the original's; the
                present deal keeps its cards, the talon too.

        Raises:
            ValueError: a bad seed.
        """
        other = copy.deepcopy(self)
        if reseed is not None:
            before, seed = int(self._row[at.RANDOM]) & 2**63 - 1, check_seed(reseed)
            other._row[at.RANDOM] = random_state(before, seed)
            other._games.chance = chance_of_bots([before, seed])
            other.np_random = np.random.default_rng([before, seed])
        return other

    # -------------------------------------------------------------- within

    @property
    def _row(self) -> NDArray[np.int64]:
        return self._games.rows[0]

    @property
    def _player(self) -> int:
        return int(self._games.seats[0])

    def _needs_reset(self) -> None:
        if not self._is_dealt:
            raise ResetNeeded(_NEEDS_RESET)

    def _deal(self, seed: int | None, options: Mapping[str, Any]) -> None:
        """The first position of the episode; where the record is wrong, nothing has changed."""
        before, earlier = (self._row.copy(), self._games.begun.copy(), self._games.earlier), []
        try:
            if seed is None:
                self._games.deal_next(_PLACE)
            else:
                self._games.deal(0, seed, 0)
            if "record" in options:
                earlier = set_up(options["record"], self._row, self.rules)
        except ValueError:
            self._row[:], self._games.begun, self._games.earlier = before
            raise
        self._games.earlier = earlier

    def _look(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Observation and info after a reset or a step."""
        observations, masks = self._games.look(_PLACE)
        self._mask = self.action_space.legal = masks[0]
        info = self._info()
        if self._games.deal_over[0] and (result := deal_result(self._games.finished[0])) is not None:
            info["deal"] = result  # never None: SyncVectorEnv cannot put dicts and None together
        if self.render_mode == "human":
            self.render()
        return observations[0], info

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._mask.copy(),
            "phase": phase_name(knowledge.phase_seen_by(self._row, self._player)),
            "player": self._player,
            "opponent": self._games.opponent(0).name,
        }

    def _refuse(self, action: int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """An illegal action: nothing has changed, or the episode is lost."""
        if self._games.setting.illegal_action == "raise":
            raise ValueError(illegal_action_message(self._row, action))
        note_illegal_action()
        self._goes_on = False
        observations, _ = self._games.look(_PLACE)
        self._mask = self.action_space.legal = np.zeros(ACTIONS, np.int8)
        return observations[0], self.forfeit, True, False, self._info() | {"illegal_action": action}

    def _renew_spaces(self) -> None:
        self.action_space = LegalDiscrete(self.action_space._np_random)
        self.action_space.legal = self._mask if self._is_dealt else None


class _OneGame(LearnerGames):
    """One game that keeps the deals of its partie."""

    def __init__(self, setting: Setting, pool: Any):
        super().__init__(1, setting, pool)
        self.earlier: list[Any] = []
        """The deals before the present one, as records or as their rows."""

    def deal_next(self, places: NDArray[np.int64]) -> None:
        """And forget what was before."""
        super().deal_next(places)
        self.earlier = []

    def on_deal(self, places: NDArray[np.int64]) -> None:
        """Keep the row of a deal that is not the last."""
        if self.setting.partie and self.rows[0, at.PHASE] != at.GAME_OVER:
            self.earlier.append(self.finished[0].copy())
