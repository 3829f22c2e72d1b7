"""Games played by the learner against itself or others, thousands at once, into one preallocated buffer."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from piquet_env import Rules, SelfPlayVectorEnv
from piquet_env.bidding.deals import BiddingDeals, DealsError
from piquet_env.bots import Bot
from piquet_env.bots.base import Views
from piquet_env.bots.policy import draw_by
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.engine.cards import CARDS
from piquet_env.envs.auctions import stored_deals
from piquet_env.knowledge import ACTION_TABLE, OBSERVATION_SIZE, canonical_orders, hide_rows, reorder, reorder_mask
from piquet_env.solver import NOT_LEGAL, card_values
from training.algorithms import Algorithm
from training.auctions import Deals, deal_figures, random_auction
from training.buffer import FIELDS, Batch, Buffer, renamed, renamed_columns
from training.config import ConfigError, TrainConfig
from training.network import Networks
from training.pool import Opponents, policy_shown
from training.processes import Processes
from training.returns import advantages_per_player

MOST_CARRIED = 1024
"""Steps that are kept for episodes that are not over; decisions before that are not learnt from."""


def _stored(config: TrainConfig) -> BiddingDeals | None:
    """The deals that auctions are of. Raises ConfigError: the file that is named has none."""
    try:
        return stored_deals(config.episode, Rules.make(config.rules), config.deals or None)
    except DealsError as error:
        raise ConfigError(f"deals: {error}") from error


class Rollout:
    """Collects `steps` decisions of each game; the games go on from one call to the next.

    All chance comes from (seed, number of the update) and the number of the game among those of all processes, so that
    what is played depends neither on how many processes share the games nor on where a run was resumed. Only bots that
    do not say their probabilities draw numbers of their own, others in each process.
    """

    def __init__(
        self,
        config: TrainConfig,
        networks: Networks,
        algorithm: Algorithm,
        processes: Processes,
        frozen: Bot | None = None,
    ):
        self.config, self.networks, self.algorithm, self.processes = config, networks, algorithm, processes
        self.rules = Rules.make(config.rules)
        self.env = SelfPlayVectorEnv(
            processes.games,
            config.rules,
            config.episode,
            config.reward,
            config.seed,
            min(processes.threads, processes.games),
            skip_forced=config.skip_forced,
            first_game=processes.mine.start,
            deals=_stored(config),
        )
        self.teacher: Bot | None = None
        """A bot that plays all games instead of the learner, to be imitated."""
        self.random_share = 0.0
        """Share of the deals that begin with a random auction."""
        self.opponents = Opponents(config, processes.games, algorithm.head, frozen)
        self.is_random = np.zeros(processes.games, np.bool_)
        self.buffer = Buffer(config.steps, processes.games)
        self.packs = np.full(processes.games, self.rules.pack, np.int64)
        self.random = np.random.default_rng()
        _, self.info = self.env.reset()
        self._is_new = True

    def collect(self, update: int) -> tuple[Batch, dict[str, float]]:
        """Play on; the decisions to learn from, and figures about the deals that ended."""
        self.random = np.random.default_rng([self.config.seed, 1, update])
        self.own_random = np.random.default_rng([self.config.seed, 2, update, self.processes.rank])
        if self._is_new:
            self._begin(np.ones(self.processes.games, np.bool_), np.ones(self.processes.games, np.bool_))
            self._is_new = False
        deals = Deals()
        for _ in range(self.config.steps):
            step = self.buffer.begin_step()
            _, reward, terminated, truncated, info = self.env.step(self._act(step))
            deals.add(info["finished"], info["deal_over"], ~self.is_random)
            step["reward"][:] = reward[:, 0] / self.config.reward_scale
            step["done"][:] = terminated | truncated
            self.info = info
            self._begin(info["deal_over"], step["done"])
        batch = self._batch()
        self._carry()
        return batch, deal_figures(self.processes.sum(deals.sums()), self.rules.auction)

    def _uniform(self, *shape: int) -> NDArray[np.float64]:
        """Random numbers (games, *shape) in [0, 1), of the games played here."""
        return self.random.random((self.config.games, *shape))[self.processes.mine]

    def _begin(self, deal: NDArray[np.bool_], episode: NDArray[np.bool_]) -> None:
        """Draw what is drawn when a deal, or an episode, begins."""
        is_random = self._uniform() < self.random_share * self.rules.auction
        self.is_random = np.where(deal, is_random, self.is_random)
        self.opponents.draw(self._uniform(3), episode)

    def _act(self, step: dict[str, NDArray]) -> NDArray[np.int64]:
        """The next action of every game; writes what the buffer keeps, with the suits in the learner's order."""
        state, mask, player = self.env.full_state(), self.info["action_mask"], self.info["player"]
        seen, seen_mask, orders = self._as_seen(state, mask)
        in_random_auction = self.is_random & (self.env.rows[:, at.PHASE] == at.AUCTION)
        is_theirs = self._are_theirs(player) & ~in_random_auction
        uniform, auctions = self._uniform(), self._uniform(3)
        acting = self._policy(seen, seen_mask, state, mask, orders)
        chosen = draw_by(np.exp(acting), uniform)
        action = chosen if orders is None else ACTION_TABLE[orders, chosen]
        if is_theirs.any():
            places = np.flatnonzero(is_theirs)
            views = self._views(state, mask, places)
            action[places] = self.opponents.act(views, places, uniform[places], self.own_random)
        if in_random_auction.any():
            action = np.where(in_random_auction, random_auction(self.env.rows, auctions, self.rules), action)
        step["state"][:] = np.packbits(seen, axis=-1)
        step["mask"][:] = np.packbits(seen_mask, axis=-1)
        step["action"][:] = action if orders is None else renamed(action, orders)
        step["acting"][:] = acting
        if self.algorithm.uses_solver:
            step["open_hand"][:] = self._open_hand(orders)
        step["value"][:] = self._value(seen)
        step["player"][:] = player
        step["learn"][:] = ~(in_random_auction | is_theirs)
        return action

    def _are_theirs(self, player: NDArray[np.int64]) -> NDArray[np.bool_]:
        """In which games it is an opponent's turn; while a bot is imitated, it plays both seats."""
        return self.opponents.are_to_act(player) & (self.teacher is None)

    def _as_seen(
        self, state: NDArray[np.int8], mask: NDArray[np.int8]
    ) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int64] | None]:
        """State and mask as the networks see them, and the order of the suits if it is another."""
        if self.config.symmetry != "canonical":
            return state, mask, None
        orders = canonical_orders(state, self.packs)
        return reorder(state, orders), reorder_mask(mask, orders), orders

    def _views(self, state: NDArray[np.int8], mask: NDArray[np.int8], places: NDArray[np.int64]) -> Views:
        """What bots are given in the games at `places`."""
        rows = self.env.rows[places]
        hide_rows(rows, rows[:, at.ACTOR].copy())
        return Views(np.ascontiguousarray(state[places, :OBSERVATION_SIZE]), mask[places], rows)

    @torch.no_grad()
    def _policy(
        self,
        seen: NDArray[np.int8],
        seen_mask: NDArray[np.int8],
        state: NDArray[np.int8],
        mask: NDArray[np.int8],
        orders: NDArray[np.int64] | None,
    ) -> NDArray[np.float32]:
        """Log-probabilities (N, 80) of the learner, or of the bot that it imitates, in the learner's order."""
        if self.teacher is None:
            with self.networks.computing():
                outputs = self.networks.policy(self._tensor(seen[:, :OBSERVATION_SIZE]).float())
            return self.algorithm.acting(outputs, self._tensor(seen_mask).bool()).cpu().numpy()
        made = policy_shown(self.teacher, self._views(state, mask, np.arange(len(state))), self.own_random)
        with np.errstate(divide="ignore"):
            return np.log(made if orders is None else renamed_columns(made, orders))

    @torch.no_grad()
    def _value(self, seen: NDArray[np.int8]) -> NDArray[np.float32]:
        """The critic's values (N,) for the players to act."""
        if not self.algorithm.uses_critic:
            return np.zeros(len(seen), np.float32)
        critic = self.networks.critic
        with self.networks.computing():
            return critic(self._tensor(seen[:, : critic.inputs]).float()).cpu().numpy()

    def _open_hand(self, orders: NDArray[np.int64] | None) -> NDArray[np.float32]:
        """What each card (N, 80) loses to the best one where one is to be played, all cards known.

        Scaled, in the learner's order; NaN for all other actions, and while a bot is imitated.
        """
        values = np.full((self.processes.games, ACTIONS), np.nan, np.float32)
        places = np.flatnonzero(self.env.rows[:, at.PHASE] == at.PLAY)
        if len(places) and self.teacher is None:
            solved = card_values(self.env.rows[places], threads=self.processes.threads)
            lost = (solved - solved.max(-1, keepdims=True)) / self.config.reward_scale
            values[places, :CARDS] = np.where(solved == NOT_LEGAL, np.nan, lost)
        return values if orders is None else renamed_columns(values, orders)

    def _tensor(self, array: NDArray) -> Tensor:
        return torch.from_numpy(array).to(self.processes.device, non_blocking=True)

    def _batch(self) -> Batch:
        buffer, whole = self.buffer, self.algorithm.whole_episodes
        player = np.concatenate([buffer["player"], self.info["player"][None]])
        last_value = self._last_value()
        gae_lambda = 1.0 if whole else self.config.gae_lambda
        advantage = advantages_per_player(
            buffer["reward"], buffer["done"], player, buffer["value"], last_value, gae_lambda
        )
        learn = buffer["learn"] & (self._is_over() if whole else ~self._are_unanswered())
        places = np.arange(buffer.length * self.config.games).reshape(buffer.length, -1)[:, self.processes.mine]
        return Batch(
            state=buffer["state"][learn],
            mask=buffer["mask"][learn],
            action=buffer["action"][learn],
            acting=buffer["acting"][learn],
            advantage=advantage[learn],
            value_target=(advantage + buffer["value"])[learn],
            open_hand=buffer["open_hand"][learn] if self.algorithm.uses_solver else None,
            place=places[learn],
            places=buffer.length * self.config.games,
            played=self.config.steps * self.config.games,
        )

    def _last_value(self) -> NDArray[np.float32]:
        """The value (N,) after the last step for the player to act.

        Where a frozen bot is to act the critic, which knows the learner's play alone, has no say: the value of the
        learner's last decision stands for all that comes after it, what has come since included.
        """
        value = self._value(self._as_seen(self.env.full_state(), self.info["action_mask"])[0])
        if self.opponents.frozen is None:
            return value
        steps, games = np.nonzero(self._are_unanswered())
        reward, player = self.buffer["reward"], self.buffer["player"][steps, games]
        since = np.where(np.arange(len(reward))[:, None] >= steps, reward[:, games], 0).sum(0, dtype=np.float32)
        value[games] = np.where(player == 0, since, -since) - self.buffer["value"][steps, games]
        return value

    def _are_unanswered(self) -> NDArray[np.bool_]:
        """The learner's last decision (T, N) in each game where a frozen bot is to act next, and has not yet."""
        last = np.zeros(self.buffer["done"].shape, np.bool_)
        if self.opponents.frozen is None:
            return last
        steps = len(last) - 1 - self.buffer["learn"][::-1].argmax(0)
        games = np.flatnonzero(self._are_theirs(self.info["player"]) & self.buffer["learn"].any(0))
        last[steps[games], games] = True
        return last & ~self._is_over()

    def _is_over(self) -> NDArray[np.bool_]:
        """Of which decisions (T, N) the episode has ended."""
        return np.logical_or.accumulate(self.buffer["done"][::-1])[::-1]

    def _carry(self) -> None:
        """Keep for the next update what is to be learnt from, and could not be yet."""
        waiting = 0.0
        if self.algorithm.whole_episodes:
            self.buffer["learn"][self._is_over()] = False
            steps = np.flatnonzero(self.buffer["learn"].any(-1))
            waiting = float(self.buffer.length - steps[0]) if len(steps) else 0.0
            # All processes keep as many steps, so that places are counted alike.
            waiting = self.processes.largest(waiting)
        self.buffer.keep_last(min(int(waiting), MOST_CARRIED))

    def state_dict(self) -> dict[str, Any]:
        """What the games of all processes need to go on as if nothing had happened."""
        whole = self.processes.all_games
        return {
            "is_new": self._is_new,
            "rows": whole(torch.from_numpy(self.env.rows.copy())),
            "is_random": whole(torch.from_numpy(self.is_random)),
            "who": whole(torch.from_numpy(self.opponents.who)),
            "seat": whole(torch.from_numpy(self.opponents.seat)),
            "past": self.opponents.past_weights(),
            "carried": {name: whole(torch.from_numpy(self.buffer[name].copy()), dim=1) for name in FIELDS},
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from there, each process with its own games."""
        mine = self.processes.mine
        _, self.info = self.env.restore(state["rows"][mine].numpy())
        self.is_random = state["is_random"][mine].numpy()
        self.opponents.load_past(state["past"])
        self.opponents.who, self.opponents.seat = state["who"][mine].numpy(), state["seat"][mine].numpy()
        # Runs that were begun before there was such a field have not got it.
        carried = {name: state["carried"][name] for name in FIELDS if name in state["carried"]}
        self.buffer.fill({name: steps[:, mine].numpy() for name, steps in carried.items()})
        self._is_new = bool(state["is_new"])
