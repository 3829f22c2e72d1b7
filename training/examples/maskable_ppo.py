"""Self-play with sb3-contrib's MaskablePPO and a growing pool: python -m training.examples.maskable_ppo

The learner plays one seat, a bot of the pool the other, drawn for each episode. Every so often a copy of the learner
joins the pool. MaskablePPO asks the environment for its masks, in acting and in learning.
"""

from __future__ import annotations

from dataclasses import dataclass

from training.examples.extras import needed

with needed("examples"):
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback, EveryNTimesteps, ProgressBarCallback
    from stable_baselines3.common.vec_env import VecNormalize

    from piquet_env.bots.sb3 import SB3Bot
    from piquet_env.envs.opponents import OpponentPool
    from piquet_env.envs.sb3 import SB3VecEnv
    from training.examples.measure import Learnt, points, report, run


@dataclass(frozen=True)
class Options:
    """MaskablePPO against a pool of past selves."""

    decisions: int = 200_000
    """Decisions to learn from."""
    rules: str = "auction"
    """The game."""
    seed: int = 0
    """Of deals, weights and sampling."""
    deals: int = 1000
    """Duplicate deals to measure on."""
    games: int = 64
    """Games played at once."""
    steps: int = 64
    """Decisions of each game between two updates."""
    pool_every: int = 20_000
    """Decisions between two copies of the learner in the pool."""
    opponents: tuple[str, ...] = ("random", "greedy")
    """The first bots of the pool. `random` bids anything, so that all kinds of contracts go on being played."""
    out: str = ""
    """Where to save the model (.zip); empty: nowhere."""


class JoinPool(BaseCallback):
    """Puts a copy of the learner into the pool whenever it is called."""

    def __init__(self, pool: OpponentPool):
        super().__init__()
        self.pool = pool

    def _on_step(self) -> bool:
        self.pool.add(SB3Bot(self.model), f"self at {self.num_timesteps}")
        return True


def main(options: Options) -> Learnt:
    """Learn, and report how much better it plays against `random`."""
    torch.manual_seed(options.seed)
    pool = OpponentPool(options.opponents)
    games = SB3VecEnv(options.games, opponent=pool, rules=options.rules, skip_forced=True)
    env = VecNormalize(games, norm_obs=False, gamma=1.0)  # scores are tens of points
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=1e-3,
        n_steps=options.steps,
        batch_size=1024,
        n_epochs=4,
        gamma=1.0,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [256, 256]},
        seed=options.seed,
        device="cpu",
    )
    before = points(SB3Bot(model), options.rules, options.deals)
    callbacks = [EveryNTimesteps(options.pool_every, JoinPool(pool)), ProgressBarCallback()]
    model.learn(options.decisions, callbacks)
    if options.out:
        model.save(options.out)
    print("the pool:", ", ".join(pool.names))
    return report("MaskablePPO", before, points(SB3Bot(model), options.rules, options.deals))


if __name__ == "__main__":
    run(main, Options)
