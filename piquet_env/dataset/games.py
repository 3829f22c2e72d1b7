"""Games of two bots in lockstep, and every decision in them that was one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.arena.match import deal_again, play_on
from piquet_env.dataset.form import STATE, STATE_BYTES
from piquet_env.dataset.players import Decided, Player
from piquet_env.engine import batch
from piquet_env.engine import layout as at
from piquet_env.engine.game import payment
from piquet_env.knowledge import STATE_SIZE, state_rows
from piquet_env.rules import Rules

BLOCK = 1024
"""Games that are played at once, with random numbers of their own, unless another number is asked for."""

Table = dict[str, NDArray[Any]]
"""Decisions: by the names of the columns, as `form.record_batch` takes them."""


@dataclass(frozen=True)
class Plan:
    """All that the decisions depend on."""

    bots: tuple[str, str]
    """As `load_bot` takes them."""
    rules: Rules
    episode: str
    games: int
    seed: int
    block: int = BLOCK
    with_state: bool = False

    @property
    def blocks(self) -> int:
        """How many there are; the last one may be smaller."""
        return -(-self.games // self.block)


class Block:
    """The games of a block: dealt by (seed, game) alone, as an environment deals them."""

    def __init__(self, plan: Plan, number: int):
        first = number * plan.block
        self.plan = plan
        self.numbers = np.arange(first, min(first + plan.block, plan.games))
        self.rngs = [np.random.default_rng([plan.seed, number, side]) for side in range(2)]
        self.rows = np.zeros((len(self.numbers), at.COLUMNS), np.int64)
        batch.new_games(self.rows, plan.rules.columns(), int(plan.episode == "partie"), np.int64(plan.seed), first)
        self.deal = np.zeros(len(self.rows), np.int64)  # the number of the present deal
        self.payment = np.zeros(len(self.rows), np.int64)  # to player_0
        self.decisions: list[Table] = []
        self.results: list[NDArray[np.int64]] = []  # (place of the game, deal, points of player_0 less player_1's)

    def play(self, players: tuple[Player, Player], progress: Callable[[int], object]) -> Table:
        """Play all games to their end: the decisions, in the order of game, deal and step. Raises BotError."""
        going = np.arange(len(self.rows))
        while len(going):
            self._step(going, players)
            ended = self.rows[going, at.PHASE] == at.GAME_OVER
            progress(int(ended.sum()))
            going = going[~ended]
        return self._table()

    def _step(self, going: NDArray[np.int64], players: tuple[Player, Player]) -> None:
        """One decision in every game that goes on, one call for each bot."""
        acting = self.rows[going, at.ACTOR] ^ self.numbers[going] & 1
        for side, player in enumerate(players):
            places = going[acting == side]
            if len(places):
                rows = self.rows[places]
                decided = player.decide(rows, self.rngs[side])
                self._keep(rows, places, side, decided)
                play_on(rows, decided.action)
                self._finish_deals(rows, places)
                self.rows[places] = rows

    def _keep(self, rows: NDArray[np.int64], places: NDArray[np.int64], side: int, decided: Decided) -> None:
        """Keep the decisions in these games, but for forced moves."""
        free = decided.mask.sum(axis=1) > 1
        rows, places = rows[free], places[free]
        mask = decided.mask[free]
        kept: Table = {
            "place": places,
            "deal": self.deal[places],
            "step": rows[:, at.ACTED],
            "player": rows[:, at.ACTOR],
            "bot": np.full(len(rows), side, np.uint8),
            "phase": rows[:, at.PHASE],
            "observation": decided.observation[free],
            "mask": np.packbits(mask, axis=-1),
            "action": decided.action[free].astype(np.uint8),
            "policy": decided.policy[free][mask],
            "legal": mask.sum(axis=1),
        }
        if self.plan.with_state:
            kept[STATE.name] = _packed_states(rows)
        self.decisions.append(kept)

    def _finish_deals(self, rows: NDArray[np.int64], places: NDArray[np.int64]) -> None:
        """Keep how the deals went that are over, and deal the next ones; changes `rows`."""
        over = np.flatnonzero(rows[:, at.PHASE] == at.DEAL_OVER)
        if len(over):
            dealt = places[over]
            mine, theirs = (rows[over, at.score_item(player, at.ITEM_TOTAL)] for player in (0, 1))
            self.results.append(np.stack([dealt, self.deal[dealt], mine - theirs], axis=1))
            self.deal[dealt] += 1
            deal_again(rows, over)
            for i in over[(rows[over, at.PHASE] == at.GAME_OVER) & (rows[over, at.PARTIE] == 1)]:
                self.payment[places[i]] = payment(rows[i], 0)

    def _table(self) -> Table:
        table = {name: np.concatenate([kept[name] for kept in self.decisions]) for name in self.decisions[0]}
        place, legal = table.pop("place"), table.pop("legal")
        order = np.lexsort((table["step"], table["deal"], place))
        table["policy"] = _ragged(table["policy"], legal, order)
        for name in table.keys() - {"policy"}:
            table[name] = table[name][order]
        place, sign = place[order], 1 - 2 * table["player"]
        of_deal, rest = _returns(np.concatenate(self.results), place, table["deal"])
        returns = {"deal_return": sign * of_deal, "return": sign * rest, "payment": sign * self.payment[place]}
        return table | {"game": self.numbers[place]} | returns


def _packed_states(rows: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The states from the side of the players to act: uint8 (N, bytes)."""
    states = np.empty((len(rows), STATE_SIZE), np.int8)
    state_rows(rows, np.ascontiguousarray(rows[:, at.ACTOR]), states)
    packed = np.packbits(states, axis=-1)
    assert packed.shape[1] == STATE_BYTES
    return packed


def _ragged(values: NDArray[np.float32], lengths: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.float32]:
    """Values that stand one row behind the other, with the rows in another order."""
    starts = (np.cumsum(lengths) - lengths)[order]
    lengths = lengths[order]
    shift = starts - (np.cumsum(lengths) - lengths)
    return values[np.repeat(shift, lengths) + np.arange(len(values))]


def _returns(
    results: NDArray[np.int64], place: NDArray[np.int64], deal: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What player_0 got in these deals of these games, and in them and all later ones of the game: int64 (N,) each."""
    results = results[np.lexsort((results[:, 1], results[:, 0]))]
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(results[:, 2])])
    first = np.searchsorted(results[:, 0], place)
    end = np.searchsorted(results[:, 0], place, side="right")
    return results[first + deal, 2], before[end] - before[first + deal]
