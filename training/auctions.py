"""Random contracts: deals whose auction is drawn by chance and not learnt from, so that all kinds get played."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from piquet_env import Rules
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at

_TOTALS = [int(at.score_item(player, at.ITEM_TOTAL)) for player in range(2)]


def random_auction(rows: NDArray[np.int64], uniform: NDArray[np.float64], rules: Rules) -> NDArray[np.int64]:
    """One bid, low levels more often, then a pass or now and then a double: actions (N,) for rows in an auction.

    Args:
        rows: int64 (N, columns).
        uniform: random numbers (N, 3) in [0, 1).
        rules: of all the games.
    """
    levels = rules.highest_level - rules.lowest_level + 1
    level = np.minimum(-np.log2(1 - uniform[:, 0]).astype(np.int64), levels - 1)  # each half as often as the one below
    bid = np.where(uniform[:, 1] < 0.5, act.PLUS, act.MINUS) + level
    double = (uniform[:, 2] < 0.15) & (rows[:, at.STAKE] == 1)
    after_double = act.PASS if rules.pass_after_double else act.REDOUBLE
    answer = np.where(rows[:, at.STAKE] == 2, after_double, np.where(double, act.DOUBLE, act.PASS))
    return np.where(rows[:, at.STAKE] == 0, bid, answer)


class Deals:
    """What the deals that were finished in a rollout looked like."""

    def __init__(self) -> None:
        self.rows: list[NDArray[np.int64]] = []

    def add(self, finished: NDArray[np.int64], over: NDArray[np.bool_], by_choice: NDArray[np.bool_]) -> None:
        """The rows (N, columns) of deals where they are over and the auction was not a random one."""
        self.rows.append(finished[over & by_choice])

    def sums(self) -> NDArray[np.float64]:
        """Deals, thrown in, played, and over those played: levels, minus, doubled, made. They add up.

        Where the auction was all that was played nobody knows the tricks, and made is where the maker had more points.
        """
        rows = np.concatenate(self.rows)
        played = rows[rows[:, at.IS_THROWN_IN] == 0]
        maker_ahead = (1 - 2 * played[:, at.ELDER]) * (played[:, _TOTALS[0]] - played[:, _TOTALS[1]]) > 0
        won = np.take_along_axis(played[:, at.WON : at.WON + 2], played[:, at.ELDER, None], 1)[:, 0]
        tricks = np.where(played[:, at.IS_MINUS] == 1, played[:, at.HAND_SIZE] - won, won)
        of_played = (
            played[:, at.LEVEL],
            played[:, at.IS_MINUS],
            played[:, at.STAKE] > 1,
            np.where(played[:, at.PLAYOUT] > 0, maker_ahead, tricks >= played[:, at.LEVEL]),
        )
        numbers = [len(rows), rows[:, at.IS_THROWN_IN].sum(), len(played), *(values.sum() for values in of_played)]
        return np.array(numbers, np.float64)


def deal_figures(sums: NDArray[np.float64], has_auction: bool) -> dict[str, float]:
    """Shares and means of `Deals.sums`, those of several rollouts or processes added."""
    deals, thrown_in, played, *of_played = sums.tolist()
    figures = {"deals": deals}
    if has_auction and deals:
        figures["thrown_in"] = thrown_in / deals
    if has_auction and played:
        figures |= {
            name: total / played for name, total in zip(("level", "minus", "doubled", "made"), of_played, strict=True)
        }
    return figures
