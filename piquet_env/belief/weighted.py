"""The hands that the other player may have, weighted by how likely a bot would have acted as he did."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.belief.exchanges import (
    count_exchanges,
    discard_lowest,
    exchange_all,
    suits_that_fit,
    write_exchanges,
)
from piquet_env.belief.likelihood import exchanges, log_likelihood
from piquet_env.belief.sample import arrange_hands, seed_samples
from piquet_env.belief.worlds import known_game, opponent_hands, write_games
from piquet_env.engine import layout as at
from piquet_env.knowledge.hands import arrangements_of_each, exchanged, ways_to_choose
from piquet_env.options import check_seed

AT_ONCE = 4096  # games about which a bot is asked together
MOST_PER_HAND = 1000
MOST_EXCHANGES = 10**6  # deals, with what may have been drawn, of which a bot's exchange is tried


class _Question(NamedTuple):
    """What is asked of whom."""

    known: NDArray[np.int64]
    player: int
    bot: Any
    epsilon: float
    seed: int
    rng: np.random.Generator


def weighted_hands(
    row: Any, player: int, bot: Any, epsilon: float = 0.1, per_hand: int = 1, seed: int | None = 0
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The hands of `opponent_hands`, and the probability of each given how the other has acted in this deal.

    At each decision the other is taken to do what `bot` would do, with probability 1 - epsilon, and else any of his
    legal actions. His exchange is one decision: as the bot would, or else any set of as many cards. All his decisions
    in this deal count: auction, carte blanche that he holds, exchange once he has stood, declarations, cards. Of his
    point often only the number is known; then naming any suit that fits counts, and the likeliest is taken.

    Exact: the list; the prior; and, for a bot that draws no random numbers, every deal from which its own exchange
    leads to a hand (where there are more than `MOST_EXCHANGES`, so many random ones). Sampled: of each hand `per_hand`
    arrangements that stand for all those which the bot would not have come to; a hand has the same cards in each, but
    what he was dealt, discarded and drew also bears on the auction and on what the bot knows in the play.

    Args:
        row, player: as for `opponent_hands`.
        bot: has `probabilities(views) -> float (B, 80)`, of legal actions, from which its exchange is drawn
            `per_hand` times for each deal; or else `act(views, rng)`, which is asked once at each decision, so a bot
            that draws random numbers is better given by its probabilities.
        epsilon: above 0 and below 1.
        per_hand: 1 to 1000; the time is nearly proportional to it.
        seed: as for `sample_hidden`; the same one gives the same weights.

    Returns:
        hands int64 (H,), weights float64 (H,), which add up to 1.

    Raises:
        ValueError: as `opponent_hands`; a bad argument; actions that are not legal, or probabilities that are none.
    """
    known = known_game(row, player)
    _check(bot, epsilon, per_hand)
    seed = check_seed(seed)
    asked = _Question(known, int(player), bot, float(epsilon), seed, np.random.default_rng(seed))
    hands, _ = opponent_hands(known, player)
    finals = hands | known[at.PLAYED + 1 - player]
    has_stood = known[at.EXCHANGED + 1 - player] >= 0 and not known[at.OPEN_HANDS]
    places, logs = _any_way(asked, finals, per_hand, has_stood)
    if has_stood:
        more_places, more_logs = _as_the_bot_exchanges(asked, finals, per_hand if _draws(bot) else 1)
        places, logs = np.append(places, more_places), np.append(logs, more_logs)
    weights = np.bincount(places, np.exp(logs - logs.max()), len(hands))
    return hands, weights / weights.sum()


def _check(bot: Any, epsilon: float, per_hand: int) -> None:
    if not (callable(getattr(bot, "probabilities", None)) or callable(getattr(bot, "act", None))):
        raise ValueError(f"bot: expected a method act(views, rng) or probabilities(views), got {type(bot).__name__}")
    if not isinstance(epsilon, int | float | np.floating) or not 0 < epsilon < 1:
        raise ValueError(f"epsilon: expected a number between 0 and 1, got {epsilon!r}")
    is_number = isinstance(per_hand, int | np.integer) and not isinstance(per_hand, bool)
    if not is_number or not 1 <= per_hand <= MOST_PER_HAND:
        raise ValueError(f"per_hand: expected a whole number from 1 to {MOST_PER_HAND}, got {per_hand!r}")


def _draws(bot: Any) -> bool:
    """Whether its exchange is drawn from probabilities that may be other than 0 and 1."""
    return hasattr(bot, "probabilities") and not getattr(bot, "deterministic", False)


def _any_way(
    asked: _Question, finals: NDArray[np.int64], per_hand: int, has_stood: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(place of its hand, logarithm of its weight) of arrangements drawn for each hand before the play."""
    known, player = asked.known, asked.player
    places, logs = np.repeat(np.arange(len(finals)), per_hand), np.empty(len(finals) * per_hand)
    for first in range(0, len(places), AT_ONCE):
        part = places[first : first + AT_ONCE]
        samples, arrangements = _samples(asked, first, len(part)), np.empty((len(part), 3), np.int64)
        arrange_hands(known, player, finals[part], samples, arrangements)
        logs[first : first + AT_ONCE] = _likelihood(asked, arrangements, samples)
    if has_stood:
        number = exchanged(known, 1 - player)
        ways = arrangements_of_each(known, player)
        logs += np.log(asked.epsilon * ways / ways_to_choose(known[at.HAND_SIZE], number) / per_hand)
    return places, logs


def _as_the_bot_exchanges(
    asked: _Question, finals: NDArray[np.int64], times: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The same for the arrangements in which he was dealt any cards and exchanged as the bot does, so many times."""
    total = count_exchanges(asked.known, asked.player)
    tried = np.arange(total) if total <= MOST_EXCHANGES else asked.rng.integers(total, size=MOST_EXCHANGES)
    found, places = zip(*(_exchanged_to_hands(asked, finals, tried) for _ in range(times)), strict=True)
    arrangements, logs = np.concatenate(found), np.empty(sum(map(len, found)))
    for first in range(0, len(logs), AT_ONCE):
        part = arrangements[first : first + AT_ONCE]
        logs[first : first + AT_ONCE] = _likelihood(asked, part, _samples(asked, first, len(part)))
    return np.concatenate(places), logs + np.log((1 - asked.epsilon) * total / len(tried) / times)


def _exchanged_to_hands(
    asked: _Question, finals: NDArray[np.int64], tried: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of the pairs of cards dealt and drawn those with which the bot comes to a hand: (arrangements, its place)."""
    known, player = asked.known, asked.player
    found, hands = np.empty((len(tried), 3), np.int64), np.empty(len(tried), np.int64)
    write_exchanges(known, player, tried, found)
    dealt, first, which = np.unique(found[:, 0], return_index=True, return_inverse=True)
    found[:, 1] = _discards(asked, dealt, found[first, 2])[which]
    exchange_all(found, exchanged(known, 1 - player), hands)
    places = np.minimum(np.searchsorted(finals, hands), len(finals) - 1)
    fits = finals[places] == hands
    return found[fits], places[fits]


def _discards(asked: _Question, dealt: NDArray[np.int64], drawn: NDArray[np.int64]) -> NDArray[np.int64]:
    """What the bot discards of each hand as dealt, int64 (n,); what it then draws it does not know."""
    undeclared = asked.known.copy()
    undeclared[at.SAID : at.SAID + 6] = -1
    undeclared[at.PLAYED : at.PLAYED + 2] = 0
    undeclared[at.TRICK], undeclared[at.LED] = 0, -1
    number = int(exchanged(undeclared, 1 - asked.player))
    arrangements, discards = np.stack([dealt, dealt, drawn], axis=1), np.empty(len(dealt), np.int64)
    discard_lowest(arrangements, number)
    for first in range(0, len(dealt), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        samples = _samples(asked, first, len(dealt[part]))
        write_games(undeclared, asked.player, arrangements[part], samples)
        discards[part] = exchanges(samples, 1 - asked.player, asked.bot, asked.rng)
    return discards


def _samples(asked: _Question, first: int, number: int) -> NDArray[np.int64]:
    samples = np.zeros((number, at.COLUMNS), np.int64)
    seed_samples(asked.seed, first, samples)
    return samples


def _likelihood(asked: _Question, arrangements: NDArray[np.int64], samples: NDArray[np.int64]) -> NDArray[np.float64]:
    """The logarithm of the likelihood of each arrangement int64 (n, 3), his exchange left out: float64 (n,)."""
    write_games(asked.known, asked.player, arrangements, samples)
    suits = np.empty(len(samples), np.int64)
    suits_that_fit(asked.known, asked.player, arrangements, suits)
    they = np.full(len(samples), 1 - asked.player)
    return log_likelihood(samples, they, suits, asked.bot, asked.epsilon, asked.rng)
