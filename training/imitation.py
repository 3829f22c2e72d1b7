"""What is imitated before learning by self-play: a bot, or a file of `piquet selfplay`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from piquet_env import Rules
from piquet_env.bots import Bot, BotError, load_bot
from piquet_env.bots.base import sees_all
from piquet_env.knowledge import OBSERVATION_SIZE, STATE_SIZE, canonical_orders, reorder, reorder_mask
from training.buffer import STATE_BYTES, Batch, renamed, renamed_columns
from training.config import ConfigError, TrainConfig
from training.processes import Processes

DATA = ".parquet"


def imitated(config: TrainConfig) -> Bot | DecisionsFile | None:
    """The bot or the file that a config names. Raises ConfigError."""
    if not config.imitate:
        return None
    if config.imitate.endswith(DATA):
        return DecisionsFile(config)
    try:
        bot = load_bot(config.imitate)
    except BotError as error:
        raise ConfigError(f"imitate: {error}, or a file of `piquet selfplay` ({DATA})") from error
    if sees_all(bot):
        raise ConfigError(f"imitate: {config.imitate!r} sees all cards, so no player can do as it does")
    return bot


class DecisionsFile:
    """Gives the decisions of a file, one of its groups an update: in random order, all of them before one again.

    Raises ConfigError: no such file, or one of other rules, or without what the config asks for.
    """

    def __init__(self, config: TrainConfig):
        from piquet_env.dataset import Decisions  # needs pyarrow, which is asked for only here

        self.config, self.rules = config, Rules.make(config.rules)
        try:
            self.data = Decisions.open(Path(config.imitate))
        except ValueError as error:
            raise ConfigError(f"imitate: {error}") from error
        self._check()

    def _check(self) -> None:
        config, data = self.config, self.data
        for name, asked, has in (
            ("rules", self.rules.spec(), data.rules.spec()),
            ("episode", config.episode, data.metadata["episode"]),
        ):
            if asked != has:
                raise ConfigError(f"imitate: {data.path} has another {name}: {has}, not {asked}")
        if config.critic == "state" and not data.has_state:
            raise ConfigError(f"imitate: {data.path} has no states: make it with --state, or set critic: observation")
        if config.reward == "win" and config.episode == "partie":
            raise ConfigError(f"imitate: {data.path} does not say who won a partie; choose reward: payment")
        if not data.rows:
            raise ConfigError(f"imitate: {data.path} has no decisions")

    def batch(self, update: int, processes: Processes) -> Batch:
        """What is learnt from in an update: each process takes its share of the rows.

        Raises ConfigError: the file is damaged there.
        """
        round_, place = divmod(update, self.data.row_groups)
        order = np.random.default_rng([self.config.seed, 4, round_]).permutation(self.data.row_groups)
        try:
            rows = self.data.read(int(order[place]))
        except ValueError as error:
            raise ConfigError(f"imitate: {error}") from error
        places = np.arange(processes.rank, len(rows.action), processes.number)
        state = np.zeros((len(places), STATE_BYTES), np.uint8)
        bits = rows.observation if rows.state is None else rows.state
        state[:, : bits.shape[1]] = bits[places]
        action, policy = rows.action[places].astype(np.int64), rows.policy[places]
        state, mask, action, policy = self._as_seen(state, rows.mask[places], action, policy)
        with np.errstate(divide="ignore"):
            acting = np.log(policy)
        target = self._target(rows.return_[places], rows.payment[places])
        number = len(rows.action)
        return Batch(state, mask, action, acting, np.zeros_like(target), target, None, places, number, number)

    def _as_seen(
        self, state: NDArray[np.uint8], mask: NDArray[np.uint8], action: NDArray[np.int64], policy: NDArray[np.float32]
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64], NDArray[np.float32]]:
        """With the suits in the order in which the networks see them."""
        if self.config.symmetry != "canonical":
            return state, mask, action, policy
        spread = np.unpackbits(state, axis=-1, count=STATE_SIZE).view(np.int8)
        observation = np.ascontiguousarray(spread[:, :OBSERVATION_SIZE])
        orders = canonical_orders(observation, np.full(len(state), self.rules.pack, np.int64))
        masks = reorder_mask(np.unpackbits(mask, axis=-1).view(np.int8), orders)
        seen = np.packbits(reorder(spread, orders), axis=-1), np.packbits(masks, axis=-1)
        return *seen, renamed(action, orders), renamed_columns(policy, orders)

    def _target(self, points: NDArray[np.float32], payment: NDArray[np.float32]) -> NDArray[np.float32]:
        """What came of each decision, as the config's reward has it, scaled."""
        reward = {"score": points, "payment": payment, "win": np.sign(points)}[self.config.reward]
        return (reward / self.config.reward_scale).astype(np.float32)
