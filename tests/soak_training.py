"""Provoke every trainer with extremes and see that its numbers stay finite and its moves legal.

    python tests/soak_training.py --decisions 10000000

plays that many decisions in all, over all the settings of `SETTINGS` in turn, and prints what was seen. Now and then
the weights of a layer are multiplied by up to a million. Exit status 1: something was not finite, or not legal.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.progress import Progress
from trainers import TINY

from piquet_env.bots.base import views_of
from training.bot import load_network_bot
from training.config import TrainConfig
from training.network import Networks
from training.trainer import Trainer, TrainingError

BASE = replace(TINY, games=64, steps=16, learning_rate=1.0, gradient_norm=1e6, minibatch=256, decisions=10**15)
SETTINGS: dict[str, TrainConfig] = {
    "ppo": BASE,
    "ppo, tiny scale": replace(BASE, reward_scale=1e-6, symmetry="augment", clip=1.0),
    "ppo, past selves": replace(BASE, pool=0.5, pool_every=5000, pool_size=3, symmetry="none", play_first=0.0),
    "ppo, cut off": replace(
        BASE, rules={"base": "auction", "max_thrown_in": 2}, random_contracts=0.0, play_first=0.0, entropy=1e6
    ),
    "mmd": replace(BASE, algorithm="mmd", magnet=1e3, stay=1e3, symmetry="augment"),
    "mmd, averaged weights": replace(BASE, algorithm="mmd", magnet_average=0.5, reward_scale=1e-6, play_first=0.0),
    "dmc": replace(BASE, algorithm="dmc", reward_scale=1e-6, epsilon=0.0, rules="micro"),
    "dmc, suits as they are": replace(BASE, algorithm="dmc", symmetry="none", rules="mini"),
    "imitation": replace(BASE, imitate="greedy", imitate_decisions=10**14),
    "imitation, dmc": replace(BASE, algorithm="dmc", imitate="greedy", imitate_decisions=10**14, symmetry="augment"),
    "partie": replace(BASE, episode="partie", reward="payment", reward_scale=1e-6, play_first=0.0),
    "rubicon": replace(BASE, rules="rubicon", value_weight=1e6),
}


class NotFinite(Exception):
    """What the soak looks for: says where."""


class Provoked:
    """A trainer whose weights are now and then multiplied, and everything that it makes looked at."""

    def __init__(self, config: TrainConfig, seed: list[int]):
        self.trainer, self.random = Trainer(config), np.random.default_rng(seed)
        self.trainer.is_checked = True  # of logits so large rounding differs between acting and learning
        self.seen: dict[str, float] = defaultdict(float)
        self.folder = tempfile.TemporaryDirectory(prefix="piquet-soak-")

    def step(self) -> None:
        """One update, mostly after a provocation. Raises NotFinite."""
        if self.random.random() < 0.2:
            self._multiply()
        try:
            figures = self.trainer.step()
        except TrainingError:  # the trainer says so and ends: here it goes on as one begun anew
            self.seen["no finite gradient"] += 1
            self._begin_anew()
            return
        self.seen["skipped"] += figures.get("skipped", 0)
        check("figures", np.array(list(figures.values())))
        buffer, networks = self.trainer.rollout.buffer, self.trainer.networks
        for name in ("value", "reward"):
            check(name, buffer.arrays[name])
        check_policy("acting", np.exp(buffer.arrays["acting"]), np.unpackbits(buffer.arrays["mask"], axis=-1))
        for name, tensor in networks.state_dict().items():
            check(name, tensor.numpy())
            self._note("largest weight", float(tensor.abs().max()))
        unlikely = -buffer.arrays["acting"]
        self._note("furthest log-probability", float(unlikely[np.isfinite(unlikely)].max()))
        if self.random.random() < 0.2:
            self._look_at_bot()
        if self.random.random() < 0.05:
            self._begin_anew()

    def _multiply(self) -> None:
        name = self.random.choice(["policy", "critic"])
        tensors = list(getattr(self.trainer.networks, name).parameters())
        with torch.no_grad():
            tensors[self.random.integers(len(tensors))].mul_(10.0 ** self.random.uniform(3, 6))
        self.seen["provocations"] += 1

    def _look_at_bot(self) -> None:
        """Save, load, resume, and play."""
        path = Path(self.folder.name, "checkpoint.pt")
        self.trainer.save(path)
        views = views_of(self.trainer.rollout.env.rows)
        bot = load_network_bot(path)
        check_policy("bot", bot.probabilities(views), views.mask)
        actions = bot.act(views, self.random)
        if not views.mask[np.arange(len(actions)), actions].all():
            raise NotFinite("the bot's move is not legal")
        self.trainer = Trainer.resume(path)
        self.seen["checkpoints"] += 1

    def _begin_anew(self) -> None:
        config = self.trainer.config
        networks = Networks(config.width, config.depth, config.critic_width, config.critic)
        self.trainer.networks.load_state_dict(networks.state_dict())
        self.trainer.optimizer.state.clear()
        self.seen["begun anew"] += 1

    def _note(self, name: str, number: float) -> None:
        self.seen[name] = max(self.seen[name], number)


def check(what: str, values: np.ndarray) -> None:
    """Raises NotFinite."""
    if not np.isfinite(values).all():
        raise NotFinite(f"{what} is not finite")


def check_policy(what: str, probabilities: np.ndarray, mask: np.ndarray) -> None:
    """Raises NotFinite: they are no probabilities, or of illegal actions."""
    check(what, probabilities)
    played = mask.any(-1)  # of a buffer not all steps are
    is_one = np.allclose(probabilities[played].sum(-1), 1, atol=1e-4)
    if not is_one or (probabilities[played][mask[played] == 0] != 0).any():
        raise NotFinite(f"{what}: no probabilities of legal actions")


def soak(
    decisions: int, seed: int, settings: dict[str, TrainConfig] = SETTINGS
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Provoke each setting for its share; after each update (decisions so far, what was seen). Raises NotFinite."""
    seen: dict[str, Any] = {}
    done = 0
    for number, (name, config) in enumerate(SETTINGS.items()):
        provoked = Provoked(replace(config, seed=seed), [seed, number])
        share = decisions * (number + 1) // len(SETTINGS)
        while done < share:
            try:
                provoked.step()
            except NotFinite as fault:
                raise NotFinite(f"{name}: {fault}") from fault
            done += config.games * config.steps
            seen[name] = dict(provoked.seen)
            yield done, seen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    done, seen = 0, {}
    try:
        with Progress() as progress:
            task = progress.add_task("provoking", total=given.decisions)
            for done, seen in soak(given.decisions, given.seed):
                progress.update(task, completed=done, description=list(seen)[-1])
    except NotFinite as fault:
        print(f"{fault}, after {done:,} decisions", file=sys.stderr)
        return 1
    print(json.dumps({"decisions": done, "seed": given.seed, "seen": seen}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
