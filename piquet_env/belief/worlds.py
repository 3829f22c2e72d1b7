"""What the hidden cards may be, from Python."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.belief.sample import arrange_hands, deal_hands, pick_hands, play_again, seed_samples
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled
from piquet_env.knowledge.checks import check_player, check_row
from piquet_env.knowledge.hands import has_declared, most_hands, possible_hands
from piquet_env.options import AGENTS, check_seed
from piquet_env.views import known_row
from piquet_env.views.sequence import auction_actions, tricks

MOST_SAMPLES = 10**7  # of 1 KB each


def known_game(game: Any, player: int) -> NDArray[np.int64]:
    """The row of a game, or of an AEC environment, as `player` knows it: a copy.

    Raises:
        ValueError: no such player; no game, or one whose deal is over; a row that hides what he knows.
    """
    player = check_player(player)
    if isinstance(game, np.ndarray):
        known = known_row(check_row(game), player)
    elif hasattr(getattr(game, "unwrapped", None), "known_row"):
        known = game.unwrapped.known_row(AGENTS[player])
    else:
        raise ValueError(f"game: expected a game's row or an AEC environment, got {type(game).__name__}")
    if known[at.DEALT + player] < 0:
        raise ValueError(f"row: the cards of player {player} are hidden in it")
    if known[at.DEALT + player] == 0 or not at.AUCTION <= known[at.PHASE] < at.DEAL_OVER:
        raise ValueError("row: expected a deal that is not over, in which the cards are dealt")
    return known


def opponent_hands(row: Any, player: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every hand that the other may hold now, as far as `player` (0 or 1) knows: (hands, arrangements).

    As long as the other has not stood in the exchange, these are his cards as dealt: how many of them he has already
    discarded is hidden.

    Args:
        row: int64 (COLUMNS,), a game's row or the row as he knows it; or an AEC environment.

    Returns:
        hands int64 (H,): masks of 32 cards, each different, H at most `MOST_HANDS`; arrangements int64 (H,): the number
        of ways in which he may have been dealt, have discarded and have drawn cards to come to it. The orders of the
        cards in the parts of the talon are not counted, for there are as many for each.

    Raises:
        ValueError: no such player, no game, a deal that is over, or a row that no game comes to.
    """
    known = known_game(row, player)
    bound = most_hands(known, player)
    hands, arrangements = np.empty(bound, np.int64), np.empty(bound, np.int64)
    found = possible_hands(known, player, hands, arrangements)
    if found == 0:
        raise ValueError("row: no cards of the other player fit what is public in it")
    return hands[:found], arrangements[:found]


def marginals(row: Any, player: int) -> NDArray[np.float64]:
    """The probability that the other holds each card now: float64 (32,), exact, from `opponent_hands`; raises the same.

    All arrangements count alike, whatever a player would do with them (see `weighted_hands`).
    """
    hands, arrangements = opponent_hands(row, player)
    counts = np.zeros(CARDS, np.int64)
    _count_cards(hands, arrangements, counts)
    return counts / arrangements.sum()


@compiled
def _count_cards(hands, weights, counts):
    for i in range(len(hands)):
        for card in range(CARDS):
            counts[card] += (hands[i] >> card & 1) * weights[i]


def sample_hidden(game: Any, player: int, n: int, seed: int | None) -> NDArray[np.int64]:
    """Full games that `player` (0 or 1) cannot tell from this one: int64 (n, COLUMNS).

    What he knows is the same in each, bit for bit: the observation, the row as `knowledge.hide` leaves it, the view as
    JSON, and the mask when he is to act. All arrangements and orders of the talon are equally likely, whatever a player
    would do with them. The games can be played on, and their records replay; the other's discards stand in them in the
    order of the cards, and where several suits may have been the point that he named, one of them is taken at random.
    What is dealt after this deal differs from the truth and between samples.

    How far the other is with his exchange is hidden: in every sample he begins it. A carte blanche that he holds and
    has not shown he has already answered with none, which leaves no trace; so it is `player`'s turn wherever he sees
    that it is elder's and he is elder.

    Args:
        game: int64 (COLUMNS,), a game's row or the row as he knows it; or an AEC environment. Nothing hidden is read.
        n: how many, from 0.
        seed: 0 <= seed < 2**63; None: one of the system. The same seed, row and n give the same games; take another
            seed for another position, or their hidden cards are not independent.

    Raises:
        ValueError: as `opponent_hands`; a bad n or seed. TypeError: a seed that is no whole number.
    """
    known = known_game(game, player)
    samples = np.zeros((_checked_number(n), at.COLUMNS), np.int64)
    seed_samples(check_seed(seed), 0, samples)
    picked = np.empty(len(samples), np.int64)
    if has_declared(known) and not known[at.OPEN_HANDS]:
        hands, _ = opponent_hands(known, player)  # each has as many arrangements
        pick_hands(hands, known[at.PLAYED + 1 - player], samples, picked)
    else:
        deal_hands(known, player, samples, picked)
    arrangements = np.empty((len(samples), 3), np.int64)
    arrange_hands(known, player, picked, samples, arrangements)
    write_games(known, player, arrangements, samples)
    return samples


def write_games(
    known: NDArray[np.int64], player: int, arrangements: NDArray[np.int64], samples: NDArray[np.int64]
) -> None:
    """Write the games int64 (n, COLUMNS), whose random states are set, from what the other got, int64 (n, 3)."""
    calls = np.array(auction_actions(known), np.int64)
    plays = np.array([card for _, cards, _ in tricks(known) for card in cards], np.int64)
    play_again(known, player, arrangements, calls, plays, samples)


def _checked_number(n: int) -> int:
    try:
        number = operator.index(n)
    except TypeError:
        number = -1
    if isinstance(n, bool | np.bool_) or not 0 <= number <= MOST_SAMPLES:
        raise ValueError(f"n: expected a whole number from 0 to {MOST_SAMPLES}, got {n!r}")
    return number
