"""What a trained bot expects: a network fitted to how the deals ended that the bot played against itself.

The critic of training sees both hands, and so it cannot be asked at a table; this one sees what its player sees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import mse_loss

from piquet_env import SelfPlayVectorEnv
from piquet_env.bots.base import Views
from piquet_env.engine import layout as at
from piquet_env.knowledge import OBSERVATION_SIZE, canonical_orders, reorder
from training.bot import NetworkBot, Value
from training.config import TrainConfig
from training.network import Critic

WIDTH, DEPTH = 128, 2
DEALS = 50_000
GAMES = 1000
"""Of them at once."""
KEPT = 0.25
"""Share of the decisions that are learnt from: those of one deal have one outcome, and tell nearly the same."""
HELD_OUT = 0.1
"""Share of the deals on which it is measured how well it expects."""
EPOCHS, BATCH, LEARNING_RATE, DECAY = 6, 2048, 2e-3, 0.1

Progress = Callable[[float], object]
"""Told how much more of the work, of 1 in all, is done."""


@dataclass(frozen=True)
class Outcomes:
    """Decisions and what came of them."""

    seen: NDArray[np.uint8]
    """(M, bytes): packed observations, as the networks see them."""
    points: NDArray[np.float32]
    """(M,): the deal's score of the player to act less the other's; 0 where it was thrown in."""
    deal: NDArray[np.int64]
    """(M,): the number of the deal."""


def fitted_value(
    bot: NetworkBot, config: TrainConfig, deals: int, seed: int, progress: Progress
) -> tuple[Value, dict[str, Any]]:
    """A value for a bot, and plain values that say how it was made and how good it is.

    Args:
        bot: plays both seats.
        config: of the run that trained it: rules, episode and reward_scale count.
        deals: how many are played, at least 20.
        seed: of the deals, of what the bot draws and of the fit.
        progress: is told how the work goes on.

    Raises:
        ValueError: too few deals: of those held out, or of the others, no decision was kept.
    """
    outcomes = played(bot, config, deals, seed, progress)
    held_out = outcomes.deal >= deals - max(1, int(HELD_OUT * deals))
    if not 0 < held_out.sum() < len(held_out):
        raise ValueError(f"value_deals: {deals} have too few decisions to fit a value to and to measure it; take more")
    network = _fit(outcomes, ~held_out, config.reward_scale, seed, progress)
    value = Value(network, config.reward_scale)
    errors = outcomes.points[held_out] - value.points(_spread(outcomes.seen[held_out]))
    variance = float(outcomes.points[held_out].var())
    about = {
        "width": WIDTH,
        "depth": DEPTH,
        "scale": config.reward_scale,
        "deals": deals,
        "seed": seed,
        "decisions": int((~held_out).sum()),
        "held_out_decisions": int(held_out.sum()),
        "root_mean_square_error": round(float(np.sqrt(np.mean(errors**2))), 3),
        "explained_variance": round(1 - float(errors.var()) / variance, 4) if variance else 0.0,
    }
    return value, about


def played(bot: NetworkBot, config: TrainConfig, deals: int, seed: int, progress: Progress) -> Outcomes:
    """The bot against itself: a share of the decisions of exactly so many deals, whatever their lengths."""
    games = min(GAMES, deals)
    wanted = np.full(games, deals // games) + (np.arange(games) < deals % games)
    env = SelfPlayVectorEnv(games, config.rules, config.episode, seed=seed, threads=torch.get_num_threads())
    rng = np.random.default_rng([seed, 0])
    scores = np.zeros((games, wanted.max()), np.float32)  # of player_0
    done, game, parts = np.zeros(games, np.int64), np.arange(games), []
    observation, info = env.reset()
    while (done < wanted).any():
        kept = np.flatnonzero((done < wanted) & (rng.random(games) < KEPT))
        seen = _as_seen(bot, observation[kept], env.rows[kept])
        parts.append((np.packbits(seen, axis=-1), kept, done[kept], 1 - 2 * info["player"][kept]))
        views = Views(observation, info["action_mask"], env.known_rows())
        observation, reward, _, _, info = env.step(bot.act(views, rng))
        over = info["deal_over"] & (done < wanted)
        scores[game[over], done[over]] = reward[over, 0]
        done += over
        progress(float(over.sum()) / deals / 2)
    seen, kept, number, sign = (np.concatenate(part) for part in zip(*parts, strict=True))
    points = scores[kept, number] * sign.astype(np.float32)
    return Outcomes(seen, points, kept + games * number)


def _as_seen(bot: NetworkBot, observation: NDArray[np.int8], rows: NDArray[np.int64]) -> NDArray[np.int8]:
    if not bot.canonical:
        return observation
    return reorder(observation, canonical_orders(observation, np.ascontiguousarray(rows[:, at.PACK])))


def _spread(packed: NDArray[np.uint8]) -> NDArray[np.int8]:
    return np.unpackbits(packed, axis=-1, count=OBSERVATION_SIZE).view(np.int8)


def _fit(outcomes: Outcomes, chosen: NDArray[np.bool_], scale: float, seed: int, progress: Progress) -> Critic:
    """Least squares, by Adam with a step size that falls to 0."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Critic(OBSERVATION_SIZE, WIDTH, DEPTH)
    optimizer = torch.optim.AdamW(network.parameters(), LEARNING_RATE, weight_decay=DECAY)
    places, rng = np.flatnonzero(chosen), np.random.default_rng([seed, 1])
    steps = EPOCHS * max(1, -(-len(places) // BATCH))
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 1 / steps, steps)
    for _ in range(EPOCHS):
        order = rng.permutation(places)
        for first in range(0, len(order), BATCH):
            part = order[first : first + BATCH]
            target = torch.from_numpy(outcomes.points[part] / np.float32(scale))
            loss = mse_loss(network(torch.from_numpy(_spread(outcomes.seen[part])).float()), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            progress(1 / steps / 2)
    return network.eval()
