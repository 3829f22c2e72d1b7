"""PPO with TorchRL through PettingZoo, with masks: python -m training.examples.torchrl_ppo

Both agents are one group of two with one policy. At every step both see something and both are rewarded, one acts
(`mask`): advantages are made of all steps of an agent, and learnt is from those in which it acted. TorchRL steps one
game in Python, about 500 decisions a second, so the game is a small one.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from training.examples.extras import needed

with needed("examples"):
    import numpy as np
    import torch
    from numpy.typing import NDArray
    from rich.progress import track
    from tensordict import TensorDict, TensorDictBase
    from tensordict.nn import TensorDictModule
    from torch import nn
    from torchrl.collectors import Collector
    from torchrl.envs import PettingZooWrapper
    from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
    from torchrl.objectives import ClipPPOLoss
    from torchrl.objectives.value import GAE

    from piquet_env import auction_piquet_v0
    from piquet_env.bots import PolicyBot
    from piquet_env.envs.bare import BareInfos
    from piquet_env.knowledge import OBSERVATION_SIZE
    from training.examples.measure import Learnt, points, report, run

SEEN, MASK = ("players", "observation", "observation"), ("players", "action_mask")
DISTRIBUTION: Any = {"logits": ("players", "logits"), "mask": MASK}


@dataclass(frozen=True)
class Options:
    """PPO with TorchRL's PettingZooWrapper."""

    decisions: int = 40_000
    """Decisions to learn from."""
    rules: str = "micro"
    """The game."""
    seed: int = 0
    """Of deals, weights and sampling."""
    deals: int = 2000
    """Duplicate deals to measure on."""
    batch: int = 2000
    """Decisions between two updates."""
    epochs: int = 4
    minibatch: int = 500
    learning_rate: float = 1e-3
    scale: float = 10.0
    """Points that count as a reward of 1."""
    out: str = ""
    """Where to save the network; empty: nowhere."""


def make_env(options: Options) -> PettingZooWrapper:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PettingZoo in TorchRL is tested")
        env = BareInfos(auction_piquet_v0.env(rules=options.rules))
        made = PettingZooWrapper(env, use_mask=True, group_map={"players": list(env.possible_agents)})
    made.set_seed(options.seed)
    return made


def mlp(outputs: int) -> nn.Module:
    return nn.Sequential(
        ToFloat(), nn.Linear(OBSERVATION_SIZE, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, outputs)
    )


class ToFloat(nn.Module):
    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return observation.float()


def make_actor(env: PettingZooWrapper) -> ProbabilisticActor:
    return ProbabilisticActor(
        TensorDictModule(mlp(80), in_keys=[SEEN], out_keys=[("players", "logits")]),
        in_keys=DISTRIBUTION,
        out_keys=[("players", "action")],
        spec=env.full_action_spec,
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=("players", "log_probability"),
    )


class Learner:
    def __init__(self, options: Options, actor: ProbabilisticActor):
        self.options = options
        critic = ValueOperator(mlp(1), in_keys=[SEEN], out_keys=[("players", "state_value")])
        self.loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01, normalize_advantage=True)
        keys = {"value": "state_value", "reward": "reward", "done": "done", "terminated": "terminated"}
        keys |= {"advantage": "advantage", "value_target": "value_target"}
        shared = {name: ("players", key) for name, key in keys.items()}
        self.loss.set_keys(**shared, action=("players", "action"), sample_log_prob=("players", "log_probability"))
        self.advantages = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
        self.advantages.set_keys(**shared)
        self.optimizer = torch.optim.Adam(self.loss.parameters(), options.learning_rate)

    def learn(self, data: TensorDictBase) -> None:
        data["next", "players", "reward"] /= self.options.scale
        with torch.no_grad():
            self.advantages(data)
        acted = data["players"][data["players", "mask"]]  # (decisions,): of both agents, where they acted
        for _ in range(self.options.epochs):
            for chosen in torch.randperm(len(acted)).split(self.options.minibatch):
                losses = self.loss(TensorDict({"players": acted[chosen]}, [len(chosen)]))
                loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.loss.parameters(), 0.5)
                self.optimizer.step()


def as_bot(actor: ProbabilisticActor) -> PolicyBot:
    @torch.no_grad()
    def probabilities(observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.floating]:
        seen: Any = {SEEN: torch.from_numpy(observation), MASK: torch.from_numpy(mask).bool()}
        policy: Any = actor.get_dist(TensorDict(seen, [len(mask)]))
        return policy.probs.numpy()

    return PolicyBot(probabilities)


def main(options: Options) -> Learnt:
    """Learn, and report how much better it plays against `random`."""
    torch.manual_seed(options.seed)
    env = make_env(options)
    actor = make_actor(env)
    before = points(as_bot(actor), options.rules, options.deals)
    learner = Learner(options, actor)
    collector = Collector(
        env,
        actor,
        frames_per_batch=options.batch,
        total_frames=options.decisions,
        auto_register_policy_transforms=False,
    )
    for data in track(collector, "learning", total=-(-options.decisions // options.batch)):
        learner.learn(data)
    collector.shutdown()
    if options.out:
        torch.save(actor.state_dict(), options.out)
    return report("TorchRL", before, points(as_bot(actor), options.rules, options.deals))


if __name__ == "__main__":
    run(main, Options)
