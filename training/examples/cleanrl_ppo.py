"""PPO in one file, in the manner of CleanRL, on `SelfPlayVectorEnv`: python -m training.examples.cleanrl_ppo

One network plays both seats of many games at once. A step's rewards are (N, 2), one for each player; a player may act
several times in a row; when an episode ends the next one has already begun in the same step. So the critic, which may
see all cards, gives the value for the player to act; what the next position is worth to another player is its negative.
Who cannot play yet does best by passing, and then learns nothing else: some deals begin with a random auction, which is
played but not learnt from.
"""

from __future__ import annotations

from dataclasses import dataclass

from training.examples.extras import needed

with needed("train"):
    import numpy as np
    import torch
    from numpy.typing import NDArray
    from rich.progress import track
    from torch import Tensor, nn
    from torch.distributions import Categorical

    from piquet_env import SelfPlayVectorEnv
    from piquet_env.bots import PolicyBot
    from piquet_env.engine import layout
    from piquet_env.knowledge import OBSERVATION_SIZE, STATE_SIZE
    from training.auctions import random_auction
    from training.examples.measure import Learnt, points, report, run


@dataclass(frozen=True)
class Options:
    """PPO on SelfPlayVectorEnv."""

    decisions: int = 1_000_000
    """Decisions to learn from."""
    rules: str = "auction"
    """The game."""
    seed: int = 0
    """Of deals, weights and sampling."""
    deals: int = 1000
    """Duplicate deals to measure on."""
    games: int = 512
    """Games played at once."""
    steps: int = 32
    """Decisions of each game between two updates."""
    random_auctions: float = 0.5
    """Share of the deals that begin with a random auction."""
    epochs: int = 2
    minibatch: int = 2048
    learning_rate: float = 1e-3
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.02
    out: str = ""
    """Where to save the network; empty: nowhere."""


class Agent(nn.Module):
    """The actor sees the observation, which is the first part of a state; the critic sees all of it."""

    def __init__(self, width: int = 256):
        super().__init__()
        self.actor = mlp(OBSERVATION_SIZE, width, 80, 0.01)
        self.critic = mlp(STATE_SIZE, width // 2, 1, 1.0)

    def policy(self, observation: Tensor, mask: Tensor) -> Categorical:
        """The one place where illegal actions are masked, in acting and in learning."""
        logits = self.actor(observation[:, :OBSERVATION_SIZE].float())
        return Categorical(logits=logits.masked_fill(~mask.bool(), -1e9))

    def value(self, state: Tensor) -> Tensor:
        return self.critic(state.float()).squeeze(-1)


def mlp(inputs: int, width: int, outputs: int, last_gain: float) -> nn.Sequential:
    head = nn.Linear(width, outputs)
    nn.init.orthogonal_(head.weight, last_gain)
    nn.init.zeros_(head.bias)
    return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), head)


class Rollouts:
    """Plays on and on; each call gives the decisions of `steps` steps, flat."""

    def __init__(self, options: Options, agent: Agent):
        self.options, self.agent = options, agent
        self.env = SelfPlayVectorEnv(options.games, options.rules, seed=options.seed, skip_forced=True)
        _, self.info = self.env.reset()
        self.random = np.random.default_rng(options.seed)
        self.is_random = self.random.random(options.games) < options.random_auctions

    @torch.no_grad()
    def collect(self) -> dict[str, Tensor]:
        steps = [self._step() for _ in range(self.options.steps)]
        data = {name: torch.stack([step[name] for step in steps]) for name in steps[0]}
        value = torch.cat([data["value"], self.agent.value(torch.from_numpy(self.env.full_state()))[None]])
        player = torch.cat([data["player"], torch.from_numpy(self.info["player"].copy())[None]])
        data["advantage"] = self._advantages(data["reward"], data["done"], value, player)
        data["target"] = data["advantage"] + data["value"]
        data = {name: tensor[data["learn"]] for name, tensor in data.items()}
        data["advantage"] /= data["advantage"].std(correction=0) + 1e-8
        return data

    def _step(self) -> dict[str, Tensor]:
        state = torch.from_numpy(self.env.full_state())
        mask, player = (torch.from_numpy(self.info[name].copy()) for name in ("action_mask", "player"))
        policy = self.agent.policy(state, mask)
        action = policy.sample()
        bids_at_random = self._bid_at_random(action)
        _, reward, terminated, truncated, self.info = self.env.step(action.numpy())
        done = terminated | truncated
        self.is_random[done] = self.random.random(done.sum()) < self.options.random_auctions
        return {
            "state": state,
            "mask": mask,
            "player": player,
            "action": action,
            "log_probability": policy.log_prob(action),
            "value": self.agent.value(state),
            "reward": torch.from_numpy(reward / 50).gather(1, player[:, None]).squeeze(1),  # of who acted
            "done": torch.from_numpy(done),
            "learn": torch.from_numpy(~bids_at_random),
        }

    def _bid_at_random(self, action: Tensor) -> NDArray[np.bool_]:
        """Replace the actions (N,) of random auctions; in which games it is one."""
        bids = self.is_random & (self.env.rows[:, layout.PHASE] == layout.AUCTION)
        uniform = self.random.random((len(bids), 3))
        action[torch.from_numpy(bids)] = torch.from_numpy(random_auction(self.env.rows, uniform, self.env.rules)[bids])
        return bids

    def _advantages(self, reward: Tensor, done: Tensor, value: Tensor, player: Tensor) -> Tensor:
        """Generalised advantages (T, N) for whoever acted, without discount; value and player are (T + 1, N)."""
        advantage = torch.zeros_like(value)
        # 1 where the same player goes on, -1 where the other does, 0 where the next position is another game's.
        sign = torch.where(player[1:] == player[:-1], 1.0, -1.0).masked_fill(done, 0.0)
        for t in reversed(range(len(reward))):
            error = reward[t] + sign[t] * value[t + 1] - value[t]
            advantage[t] = error + self.options.gae_lambda * sign[t] * advantage[t + 1]
        return advantage[:-1]


def update(options: Options, agent: Agent, optimizer: torch.optim.Optimizer, data: dict[str, Tensor]) -> None:
    for _ in range(options.epochs):
        order = torch.randperm(len(data["action"]))
        for first in range(0, len(order), options.minibatch):
            part = {name: tensor[order[first : first + options.minibatch]] for name, tensor in data.items()}
            loss = ppo_loss(options, agent, part)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def ppo_loss(options: Options, agent: Agent, part: dict[str, Tensor]) -> Tensor:
    policy = agent.policy(part["state"], part["mask"])
    ratio = (policy.log_prob(part["action"]) - part["log_probability"]).exp()
    clipped = ratio.clamp(1 - options.clip, 1 + options.clip)
    gained = torch.min(ratio * part["advantage"], clipped * part["advantage"])
    miss = (agent.value(part["state"]) - part["target"]) ** 2
    return (-gained + 0.5 * miss - options.entropy * policy.entropy()).mean()


def as_bot(agent: Agent) -> PolicyBot:
    @torch.no_grad()
    def probabilities(observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.floating]:
        return agent.policy(torch.from_numpy(observation), torch.from_numpy(mask)).probs.numpy()

    return PolicyBot(probabilities)


def main(options: Options) -> Learnt:
    """Learn, and report how much better it plays against `random`."""
    torch.manual_seed(options.seed)
    agent = Agent()
    optimizer = torch.optim.Adam(agent.parameters(), options.learning_rate, eps=1e-5)
    before = points(as_bot(agent), options.rules, options.deals)
    rollouts = Rollouts(options, agent)
    updates = max(1, options.decisions // (options.games * options.steps))
    for number in track(range(updates), "learning"):
        optimizer.param_groups[0]["lr"] = options.learning_rate * (1 - number / updates)
        update(options, agent, optimizer, rollouts.collect())
    if options.out:
        torch.save(agent.state_dict(), options.out)
    return report("PPO", before, points(as_bot(agent), options.rules, options.deals))


if __name__ == "__main__":
    run(main, Options)
