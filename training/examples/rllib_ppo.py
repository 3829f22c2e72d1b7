"""Self-play PPO with RLlib on the PettingZoo environment, with masks: python -m training.examples.rllib_ppo

Both agents have one policy. On a cluster: `ray start --head` on one machine and `ray start --address=HEAD:6379` on
each of the others, with piquet-env[ray] installed on all of them; then, on any of them,

    python -m training.examples.rllib_ppo --cluster auto --runners 32 --rules auction --decisions 20000000

Where Ray asks for a token (from version 2.59 on), put the one that `ray get-auth-token --generate` makes on one machine
into ~/.ray/auth_token of all, and set RAY_AUTH_MODE=token before each of these commands.
"""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.examples.extras import needed

with needed("ray"):
    import numpy as np
    import ray
    import torch
    from numpy.typing import NDArray
    from ray.rllib.algorithms.algorithm import Algorithm
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.apis import ValueFunctionAPI
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.tune import register_env
    from rich.progress import track
    from torch import Tensor, nn

    from piquet_env import auction_piquet_v0
    from piquet_env.bots import PolicyBot
    from piquet_env.knowledge import OBSERVATION_SIZE
    from training.examples.measure import Learnt, points, report, run


@dataclass(frozen=True)
class Options:
    """PPO with RLlib, here or on a cluster."""

    decisions: int = 60_000
    """Decisions to learn from."""
    rules: str = "micro"
    """The game."""
    seed: int = 0
    """Of deals, weights and sampling."""
    deals: int = 2000
    """Duplicate deals to measure on."""
    cluster: str = ""
    """Address of a Ray cluster; empty: this process alone."""
    runners: int = 0
    """Processes that play; 0: this one plays and learns in turn."""
    batch: int = 4000
    """Decisions between two updates."""
    out: str = ""
    """Folder for a checkpoint of RLlib; empty: none."""


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Policy and critic; the mask is applied in the one forward pass that acting and learning share."""

    def setup(self) -> None:
        self.policy, self.critic = mlp(80), mlp(1)

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        logits = self.policy(seen["observation"].float())
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, -1e9)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        return self.critic(batch[Columns.OBS]["observation"].float()).squeeze(-1)


def mlp(outputs: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(OBSERVATION_SIZE, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, outputs)
    )


def make_env(config: dict[str, Any]) -> PettingZooEnv:
    return PettingZooEnv(auction_piquet_v0.env(rules=config["rules"]))


def make_algorithm(options: Options) -> Algorithm:
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it is told at every start that the new API is new
    config = (
        PPOConfig()
        .environment("piquet", env_config={"rules": options.rules}, disable_env_checking=True)  # it knows no masks
        .env_runners(num_env_runners=options.runners, num_envs_per_env_runner=8)
        .multi_agent(policies={"both"}, policy_mapping_fn=lambda agent, episode, **_: "both")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule))
        .training(train_batch_size_per_learner=options.batch, minibatch_size=500, num_epochs=4, lr=1e-3)
        .training(gamma=1.0, lambda_=0.95, entropy_coeff=0.01, vf_clip_param=1e6, vf_loss_coeff=0.005)
        .debugging(seed=options.seed, log_level="ERROR")
    )
    return config.build_algo()


def as_bot(algorithm: Algorithm) -> PolicyBot:
    module: Any = algorithm.get_module("both")

    @torch.no_grad()
    def probabilities(observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.floating]:
        seen = {"observation": torch.from_numpy(observation), "action_mask": torch.from_numpy(mask)}
        return module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS].softmax(-1).numpy()

    return PolicyBot(probabilities)


def connect(options: Options) -> None:
    """Join the cluster, or start a small Ray of one's own."""
    register_env("piquet", make_env)
    quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if not options.cluster:
        ray.init("local", num_cpus=options.runners + 1, include_dashboard=False, object_store_memory=2**28, **quiet)
        return
    try:
        ray.init(options.cluster, **quiet)
    except (ConnectionError, ValueError) as error:
        print(f"error: cluster: {options.cluster!r}: {' '.join(str(error).split())}", file=sys.stderr)
        raise SystemExit(2) from None


def main(options: Options) -> Learnt:
    """Learn, and report how much better it plays against `random`."""
    connect(options)
    algorithm = make_algorithm(options)
    try:
        before = points(as_bot(algorithm), options.rules, options.deals)
        for _ in track(range(max(1, options.decisions // options.batch)), "learning"):
            algorithm.train()
        if options.out:
            algorithm.save_to_path(Path(options.out).absolute())
        return report("RLlib", before, points(as_bot(algorithm), options.rules, options.deals))
    finally:
        algorithm.stop()
        ray.shutdown()


if __name__ == "__main__":
    run(main, Options)
