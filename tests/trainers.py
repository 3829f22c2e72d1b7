"""What the tests of training share: a run that takes no time."""

from __future__ import annotations

from training.config import TrainConfig
from training.trainer import Trainer

TINY = TrainConfig(
    decisions=3 * 16 * 8,
    games=16,
    steps=8,
    threads=1,
    width=16,
    critic_width=16,
    depth=1,
    minibatch=32,
    evaluate_every=200,
    evaluate_deals=10,
    final_deals=20,
    checkpoint_every=200,
)


def run_to_the_end(config: TrainConfig) -> Trainer:
    """A run without evaluations."""
    trainer = Trainer(config)
    while trainer.decisions < config.decisions:
        trainer.step()
    return trainer
