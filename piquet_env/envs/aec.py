"""One game with two agents who act in turn, by PettingZoo's AEC interface."""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable
from pettingzoo.utils.env_logger import EnvLogger

from piquet_env import knowledge
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.engine.batch import reward_of
from piquet_env.engine.deal import random_state
from piquet_env.envs.auctions import Stored, begin_deal, begin_episode, new_playout, settle_deal, stored_deals
from piquet_env.envs.loops import DEAL_IS_OVER, ILLEGAL, look_at, play_one
from piquet_env.envs.order import AgentIterable
from piquet_env.envs.recorded import record_of, set_up
from piquet_env.envs.rendered import RENDER_MODES, rendered
from piquet_env.knowledge import OBSERVATION_SIZE
from piquet_env.options import (
    AGENTS,
    ILLEGAL_ACTION,
    REWARDS,
    announce_compiling,
    check_choice,
    check_episode_and_reward,
    check_seed,
    checked_action,
    illegal_action_message,
    player_of,
)
from piquet_env.records import Record, deal_result
from piquet_env.rules import Rules
from piquet_env.views import known_row, phase_name, view

_NOBODY = -1
_NEEDS_RESET = ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "num_agents")
_LOG = logging.getLogger("piquet_env")
_INT8 = np.dtype(np.int8)  # numpy takes twice as long to make an array of what it must first make a dtype of
# What `look_at` returns, as the player and the two phases' names.
_POSITIONS = {
    player | phase << 1 | other << 5: (player, phase_name(phase), phase_name(other))
    for player in range(2)
    for phase in at.Phase
    for other in at.Phase
}


class AuctionPiquetEnv(AECEnv[str, Any, Any]):
    """Auction Piquet and its relatives for two agents, `player_0` and `player_1`.

    Args:
        rules: a ruleset's name, a `Rules`, or `{"base": name, field: value}`.
        episode: "deal" (one completed deal), "partie", or "auction": the deal ends with its auction, and is settled by
            a fixed playout (piquet_env.bidding).
        reward: "score" (the deal's own score less the opponent's, when a deal ends), "payment" (what the partie
            pays, at its end; parties only) or "win" (1, 0 or -1 at the end of the episode).
        illegal_action: "raise": `step` raises ValueError and nothing has changed; "lose": as with PettingZoo's
            TerminateIllegalWrapper the episode ends, the offender gets -1 and the other 0; the position, and with it
            `record`, `view` and `render`, stays what it was.
        render_mode: "ansi": `render` returns the table as text; "human": it is printed, after each step too;
            "rgb_array": a picture of it, uint8 (height, width, 3), for which Pillow is needed (`piquet-env[render]`).
        deals: of episodes of an auction: stored deals (`piquet_env.bidding.BiddingDeals`), or the path of a file of
            them, one of which each episode is of. None: they are dealt anew.

    An agent may act several times in a row. What an agent observes is
    `{"observation": int8 (D,), "action_mask": int8 (80,)}` (`piquet_env.knowledge.fields()`); the mask of who is not
    to act is all 0. `infos[agent]` has `action_mask`, `phase` (its name, as that agent sees it) and, from the end of a
    deal until that agent acts again, `deal`: its result as in a record (contract, tricks, score item by item), None
    where it was thrown in. After an auction that is all that is played it has no tricks, and what the deal came to
    stands as points of the contract.

    Raises:
        ValueError: an option that does not exist, or rules that cannot be.
    """

    metadata = {  # noqa: RUF012 (PettingZoo's protocol)
        "name": "auction_piquet_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        rules: str | Rules | Mapping[str, Any] = "auction",
        episode: str = "deal",
        reward: str = "score",
        illegal_action: str = "raise",
        render_mode: str | None = None,
        deals: Stored | None = None,
    ):
        super().__init__()
        check_episode_and_reward(episode, reward)
        check_choice("illegal_action", illegal_action, ILLEGAL_ACTION)
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.rules = Rules.make(rules)
        self.deals = stored_deals(episode, self.rules, deals)
        self._playout = new_playout(episode, self.deals)
        self.episode = episode
        self.reward = reward
        self.illegal_action = illegal_action
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.observation_spaces: dict[str, spaces.Space[Any]] = {agent: _observation_space() for agent in AGENTS}
        self.action_spaces: dict[str, spaces.Space[Any]] = {agent: spaces.Discrete(ACTIONS) for agent in AGENTS}
        self.state_space = spaces.Box(0, 1, (knowledge.STATE_SIZE,), np.int8)
        self._row = np.zeros(at.COLUMNS, np.int64)
        self._has_reset = False
        announce_compiling()

    # -------------------------------------------------------------- the interface

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call. Raises ValueError for an unknown agent."""
        player_of(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call. Raises ValueError for an unknown agent."""
        player_of(agent)
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a new episode.

        Args:
            seed: 0 <= seed < 2**63; deals the same as game 0 of `SelfPlayVectorEnv(seed=seed)`. Without one the
                generator goes on, the first time from a seed of the system.
            options: `{"record": …}`, a deal or partie record, complete or not: it is set up and replayed, and the
                game goes on from there as if it had been played here; what is dealt later comes from the generator.
                A complete record is an episode at its end, with the rewards that its last action brought. Options
                that are not known are logged and ignored, as PettingZoo's own test passes one.

        Raises:
            ValueError: a bad seed; a record that is wrong, or that is of other rules. Nothing has changed.
        """
        options = {} if options is None else options
        if not isinstance(options, Mapping):
            raise ValueError(f"options: expected a mapping such as {{'record': ...}}, got {options!r}")
        row, records = self._new_row(seed), []
        if "record" in options:
            records = set_up(options["record"], row, self.rules)
        for name in options:
            if name != "record":
                _LOG.warning("reset: the option %r is not known and is ignored; known is 'record'", name)
        self._row, self._records = row, records
        self._has_reset = self._has_moved = True
        self._skip_agent_selection = None
        self.agents = list(AGENTS)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self._news: dict[str, dict[str, Any]] = {}
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._settle()

    def step(self, action: int | None) -> None:
        """Take the action of `agent_selection`; None for an agent whose episode is over.

        Raises:
            ValueError: no action of the action space; an illegal one unless `illegal_action` is "lose". Nothing has
                changed.
        """
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        self._has_moved = True
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)  # type: ignore[arg-type] (anything else than None raises there)
            return
        chosen = checked_action(action)
        observation, mask = np.empty(OBSERVATION_SIZE, _INT8), np.empty(ACTIONS, _INT8)
        position = play_one(self._row, chosen, observation, mask)
        if position == ILLEGAL:
            self._refuse(chosen)
            return
        self._cumulative_rewards[agent] = 0.0
        if self._news:
            self._news.pop(agent, None)
        self.rewards = {"player_0": 0.0, "player_1": 0.0}
        if position == DEAL_IS_OVER:
            self._settle()
        else:
            self._show(position, observation, mask)

    def observe(self, agent: str) -> dict[str, NDArray[np.int8]]:
        """What an agent sees, at any time after the first reset: new arrays. Raises ValueError for an unknown agent."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        player = player_of(agent)
        if player != self._actor or self._fresh is None:
            return {"observation": knowledge.observation(self._row, player), "action_mask": self._mask(player)}
        fresh, self._fresh = self._fresh, None  # made when the position came about, and handed out once
        return fresh

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation (None if not wanted), reward since it acted, terminated, truncated and info of the next agent."""
        agent = self.agent_selection
        seen = None
        if observe:
            seen, self._fresh = self._fresh, None
            if seen is None or agent != AGENTS[self._actor]:
                seen = self.observe(agent)
        reward, info = self._cumulative_rewards[agent], self.infos[agent]
        return seen, reward, self.terminations[agent], self.truncations[agent], info

    def state(self) -> NDArray[np.int8]:
        """Everything about the deal from the side of player_0, for critics: int8 (S,), `knowledge.state_fields()`."""
        if not self._has_reset:
            EnvLogger.error_state_before_reset()
        return knowledge.state(self._row, 0)

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table from the side of `agent_selection`, who may see all that stands there.

        Raises:
            DependencyNotInstalled: `render_mode` is "rgb_array", and there is no Pillow.
        """
        if not self._has_reset:
            EnvLogger.error_render_before_reset()
        return rendered(self.render_mode, self._row, player_of(self.agent_selection))

    def close(self) -> None:
        """There is nothing to release."""

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Any, int]:
        """The agents in the order in which they act; step or reset between them."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return AgentIterable(self, max_iter)

    # -------------------------------------------------------------- beyond PettingZoo

    def record(self) -> Record:
        """The deal, or the partie, so far as a record, with the result when it is over.

        In an episode of one deal, earlier deals that were thrown in are not part of it.
        """
        self._needs_reset("record()")
        return record_of(self._row, self._records)

    def view(self, agent: str) -> dict[str, Any]:
        """What an agent knows of the game, as JSON (`piquet_env.views`). Raises ValueError for an unknown agent."""
        self._needs_reset("view()")
        return view(self._row, player_of(agent))

    def known_row(self, agent: str) -> NDArray[np.int64]:
        """The game's row as an agent knows it, int64 (columns,): -1 for the rest. ValueError for an unknown agent."""
        self._needs_reset("known_row()")
        return known_row(self._row, player_of(agent))

    def clone(self, reseed: int | None = None) -> AuctionPiquetEnv:
        """An independent copy that goes on like the original, spaces and their generators included.

        Args:
            reseed: a seed: all that is still to be dealt differs from what the original will deal; the present
                deal keeps its cards, the talon too.

        Raises:
            ValueError: a bad seed.
        """
        other = copy.deepcopy(self)
        if reseed is not None:
            before = int(self._row[at.RANDOM]) & 2**63 - 1
            other._row[at.RANDOM] = random_state(before, check_seed(reseed))
        return other

    # -------------------------------------------------------------- within

    def __getattr__(self, name: str) -> NoReturn:
        """Only for what is missing: before the first reset there are no agents."""
        reason = " before the first reset()" if name in _NEEDS_RESET else ""
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{reason}")

    def __copy__(self) -> AuctionPiquetEnv:
        """A clone too: a game shared by half is none."""
        return self.clone()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A row of its own: pickled out of band it may be the original's, or read-only."""
        self.__dict__.update(state, _row=np.array(state["_row"]))
        self._playout = new_playout(self.episode, self.deals)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_playout": None}

    def _needs_reset(self, call: str) -> None:
        if not self._has_reset:
            raise AssertionError(f"reset() needs to be called before {call}.")

    def _new_row(self, seed: int | None) -> NDArray[np.int64]:
        """The first position of the next episode."""
        row = self._row.copy()
        if seed is None and self._has_reset:
            begin_episode(row, self._playout)
        else:
            game.new_game(row, self.rules.columns(), int(self.episode == "partie"), check_seed(seed), 0)
            begin_deal(row, self._playout)
        return row

    def _settle(self) -> None:
        """At the start, or when a deal is over: end it, give the rewards, go on to the next deal or end the episode."""
        if self._row[at.PHASE] == at.DEAL_OVER:
            gained, finished = self._end_deal()
            self.rewards = {AGENTS[0]: gained, AGENTS[1]: 0.0 - gained}  # never -0.0
            self._accumulate_rewards()
            self._news = {agent: {"deal": deal_result(finished)} for agent in AGENTS}  # to each his own
        if self._row[at.PHASE] == at.GAME_OVER:
            self._end_episode()
        observation, mask = np.empty(OBSERVATION_SIZE, _INT8), np.empty(ACTIONS, _INT8)
        self._show(look_at(self._row, observation, mask), observation, mask)

    def _show(self, position: int, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> None:
        """Who is next, what he will be told, and the infos; `position` is what `look_at` gave."""
        player, phase, phase_of_other = _POSITIONS[position]
        self.agent_selection = AGENTS[player]
        self._actor = player
        self._fresh = {"observation": observation, "action_mask": mask}
        mine = {"action_mask": mask, "phase": phase}
        theirs = {"action_mask": np.zeros(ACTIONS, _INT8), "phase": phase_of_other}
        self.infos = {"player_0": mine, "player_1": theirs} if player == 0 else {"player_0": theirs, "player_1": mine}
        if self._news:
            self._tell_news()
        if self.render_mode == "human":
            self.render()

    def _tell_news(self) -> None:
        """The result of a deal stays in an agent's info until that agent acts again."""
        for agent, news in self._news.items():
            self.infos[agent] |= news

    def _end_deal(self) -> tuple[float, NDArray[np.int64]]:
        """Add the deal up and deal the next; player_0's reward, and the row of the deal."""
        settle_deal(self._row, self._playout)
        finished = self._row.copy()
        game.next_deal(self._row)
        if self._row[at.PHASE] == at.GAME_OVER:
            finished[:] = self._row
        elif self.episode == "partie":
            self._records.append(finished)
        return float(reward_of(finished, REWARDS[self.reward])), finished

    def _end_episode(self) -> None:
        is_cut_off = bool(self._row[at.TRUNCATED])
        self.terminations = dict.fromkeys(AGENTS, not is_cut_off)
        self.truncations = dict.fromkeys(AGENTS, is_cut_off)

    def _refuse(self, action: int) -> None:
        """An illegal action: nothing has changed, or the agent loses as with TerminateIllegalWrapper."""
        if self.illegal_action == "raise":
            raise ValueError(illegal_action_message(self._row, action))
        EnvLogger.warn_on_illegal_move()
        offender = self.agent_selection
        self._actor = _NOBODY
        self._cumulative_rewards[offender] = 0.0
        self.terminations = dict.fromkeys(AGENTS, True)
        self.truncations = dict.fromkeys(AGENTS, True)
        self.rewards = dict.fromkeys(AGENTS, 0.0) | {offender: -1.0}
        self._accumulate_rewards()
        self._news.pop(offender, None)
        self.infos = {agent: self._info(player) for player, agent in enumerate(AGENTS)}
        self._tell_news()
        self._deads_step_first()

    def _info(self, player: int) -> dict[str, Any]:
        return {"action_mask": self._mask(player), "phase": phase_name(knowledge.phase_seen_by(self._row, player))}

    def _mask(self, player: int) -> NDArray[np.int8]:
        if player == self._actor:
            return knowledge.action_mask(self._row, player)
        return np.zeros(ACTIONS, np.int8)


def _observation_space() -> spaces.Dict:
    observation = spaces.Box(0, 1, (knowledge.OBSERVATION_SIZE,), np.int8)
    return spaces.Dict({"observation": observation, "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8)})
