"""Games played by the network against itself, thousands at once, into one preallocated buffer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from piquet_env import Rules, SelfPlayVectorEnv
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.knowledge import OBSERVATION_SIZE, STATE_SIZE
from training.config import TrainConfig
from training.losses import advantages_per_player
from training.network import Critic, PolicyNetwork, masked_log_probabilities, sample

STATE_BYTES = -(-STATE_SIZE // 8)
MASK_BYTES = act.ACTIONS // 8


def spread_bits(packed: NDArray[np.uint8], size: int) -> Tensor:
    """Packed bits (B, bytes) to float32 (B, size)."""
    return torch.from_numpy(np.unpackbits(packed, axis=-1, count=size)).float()


@dataclass
class Batch:
    """Decisions to learn from, in one line (M,): those of random auctions are left out."""

    state: NDArray[np.uint8]
    """Packed bits (M, bytes): the state; its first OBSERVATION_SIZE bits are the observation."""
    mask: NDArray[np.uint8]
    """Packed bits (M, 10)."""
    action: Tensor
    log_probability: Tensor
    advantage: Tensor
    value_target: Tensor

    def minibatch(self, chosen: NDArray[np.int64]) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        """(state float32, mask bool, action, stored log-probability, advantage, value target) of some decisions."""
        index = torch.from_numpy(chosen)
        state = spread_bits(self.state[chosen], STATE_SIZE)
        mask = torch.from_numpy(np.unpackbits(self.mask[chosen], axis=-1)).bool()
        acted = (self.action, self.log_probability, self.advantage, self.value_target)
        action, log_probability, advantage, value_target = (values[index] for values in acted)
        return state, mask, action, log_probability, advantage, value_target


class Deals:
    """What the deals that were finished in a rollout looked like."""

    def __init__(self) -> None:
        self.rows: list[NDArray[np.int64]] = []

    def add(self, finished: NDArray[np.int64], over: NDArray[np.bool_], by_choice: NDArray[np.bool_]) -> None:
        self.rows.append(finished[over & by_choice])

    def figures(self, has_auction: bool) -> dict[str, float]:
        """Shares and means over the deals whose auction was the network's own."""
        rows = np.concatenate(self.rows)
        if not len(rows) or not has_auction:
            return {"deals": float(len(rows))}
        played = rows[rows[:, at.IS_THROWN_IN] == 0]
        shares = {"deals": float(len(rows)), "thrown_in": float(rows[:, at.IS_THROWN_IN].mean())}
        if len(played):
            maker = played[:, at.ELDER]
            won = np.take_along_axis(played[:, at.WON : at.WON + 2], maker[:, None], 1)[:, 0]
            tricks = np.where(played[:, at.IS_MINUS] == 1, played[:, at.HAND_SIZE] - won, won)
            shares |= {
                "level": float(played[:, at.LEVEL].mean()),
                "minus": float(played[:, at.IS_MINUS].mean()),
                "doubled": float((played[:, at.STAKE] > 1).mean()),
                "made": float((tricks >= played[:, at.LEVEL]).mean()),
            }
        return shares


class Rollout:
    """Collects `steps` decisions of each of `games` games; the games go on from one call to the next."""

    def __init__(self, config: TrainConfig, policy: PolicyNetwork, critic: Critic):
        self.config, self.policy, self.critic = config, policy, critic
        self.has_auction = Rules.make(config.rules).auction
        self.env = SelfPlayVectorEnv(
            config.games, config.rules, config.episode, config.reward, config.seed, config.threads, skip_forced=True
        )
        self.random = np.random.default_rng([config.seed, 1])
        self.generator = torch.Generator().manual_seed(config.seed)
        _, self.info = self.env.reset()
        self.random_share = 1.0 if config.play_first > 0 else config.random_contracts
        self.is_random = self._draw_random_auctions()
        shape = (config.steps, config.games)
        self.state = np.zeros((*shape, STATE_BYTES), np.uint8)
        self.mask = np.zeros((*shape, MASK_BYTES), np.uint8)
        self.action = np.zeros(shape, np.int64)
        self.log_probability = np.zeros(shape, np.float32)
        self.value = np.zeros(shape, np.float32)
        self.reward = np.zeros(shape, np.float32)
        self.done = np.zeros(shape, np.bool_)
        self.learn = np.zeros(shape, np.bool_)
        self.player = np.zeros((config.steps + 1, config.games), np.int64)

    def collect(self) -> tuple[Batch, dict[str, float]]:
        """Play on; the decisions to learn from, and figures about the deals that ended."""
        deals = Deals()
        for step in range(self.config.steps):
            state = self.env.full_state()
            action = self._act(step, state)
            _, reward, terminated, truncated, info = self.env.step(action)
            deals.add(info["finished"], info["deal_over"], ~self.is_random)
            self.reward[step] = reward[:, 0] / self.config.reward_scale
            self.done[step] = terminated | truncated
            self.is_random = np.where(info["deal_over"], self._draw_random_auctions(), self.is_random)
            self.info = info
        self.player[-1] = self.info["player"]
        with torch.no_grad():
            last_value = self.critic(torch.from_numpy(self.env.full_state()).float()).numpy()
        return self._batch(last_value), deals.figures(self.has_auction)

    @torch.no_grad()
    def _act(self, step: int, state: NDArray[np.int8]) -> NDArray[np.int64]:
        inputs = torch.from_numpy(state).float()
        mask = torch.from_numpy(self.info["action_mask"]).bool()
        log_probabilities = masked_log_probabilities(self.policy(inputs[:, :OBSERVATION_SIZE]), mask)
        chosen = sample(log_probabilities, self.generator)
        in_random_auction = self.is_random & (self.env.rows[:, at.PHASE] == at.AUCTION)
        action = np.where(in_random_auction, self._random_auction(), chosen.numpy())
        self.state[step] = np.packbits(state, axis=-1)
        self.mask[step] = np.packbits(self.info["action_mask"], axis=-1)
        self.action[step] = action
        self.log_probability[step] = log_probabilities.gather(-1, chosen[:, None]).squeeze(-1).numpy()
        self.value[step] = self.critic(inputs).numpy()
        self.player[step] = self.info["player"]
        self.learn[step] = ~in_random_auction
        return action

    def _draw_random_auctions(self) -> NDArray[np.bool_]:
        return self.random.random(self.config.games) < self.random_share * self.has_auction

    def _random_auction(self) -> NDArray[np.int64]:
        """A random contract: one bid, low levels more often, then a pass or now and then a double."""
        games = self.config.games
        levels = self.env.rules.highest_level - self.env.rules.lowest_level + 1
        level = np.minimum(self.random.geometric(0.5, games) - 1, levels - 1)
        bid = np.where(self.random.random(games) < 0.5, act.PLUS, act.MINUS) + level
        double = (self.random.random(games) < 0.15) & (self.env.rows[:, at.STAKE] == 1)
        after_double = act.PASS if self.env.rules.pass_after_double else act.REDOUBLE
        answer = np.where(self.env.rows[:, at.STAKE] == 2, after_double, np.where(double, act.DOUBLE, act.PASS))
        return np.where(self.env.rows[:, at.STAKE] == 0, bid, answer)

    def _batch(self, last_value: NDArray[np.float32]) -> Batch:
        advantage = advantages_per_player(
            self.reward, self.done, self.player, self.value, last_value, self.config.gae_lambda
        )
        learn = self.learn
        return Batch(
            state=self.state[learn],
            mask=self.mask[learn],
            action=torch.from_numpy(self.action[learn]),
            log_probability=torch.from_numpy(self.log_probability[learn]),
            advantage=torch.from_numpy(advantage[learn]),
            value_target=torch.from_numpy((advantage + self.value)[learn]),
        )

    def state_dict(self) -> dict[str, Any]:
        """What the games need to go on as if nothing had happened: tensors and text."""
        return {
            "rows": torch.from_numpy(self.env.rows.copy()),
            "is_random": torch.from_numpy(self.is_random.copy()),
            "random": json.dumps(self.random.bit_generator.state),
            "generator": self.generator.get_state(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from there."""
        _, self.info = self.env.restore(state["rows"].numpy())
        self.is_random = state["is_random"].numpy()
        self.random.bit_generator.state = json.loads(state["random"])
        self.generator.set_state(state["generator"])
