"""The hands that the other player may have, weighted by how likely a bot would have acted as he did."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.belief.facts import begin_before, fitting_suits
from piquet_env.belief.hands import has_declared
from piquet_env.belief.sample import seed_samples
from piquet_env.belief.worlds import arrange, known_game, opponent_hands
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.engine.batch import begin_again, pack_as_dealt
from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.game import take_action
from piquet_env.engine.intrinsics import row_of
from piquet_env.envs.options import check_seed
from piquet_env.knowledge import Views, views_of
from piquet_env.knowledge.observe import put_mask

AT_ONCE = 4096  # games about which a bot is asked together
MOST_PER_HAND = 1000


def weighted_hands(
    row: Any, player: int, bot: Any, epsilon: float = 0.1, per_hand: int = 1, seed: int | None = 0
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The hands of `opponent_hands`, and the probability of each given how the other has acted in this deal.

    The other is taken to do at each decision what `bot` would do, with probability 1 - epsilon, and else any of his
    legal actions. Exact are the list, the prior (the arrangements) and the likelihood of the arrangements tried;
    sampled are the arrangements, `per_hand` of each hand, over which the likelihood is averaged. His decisions in this
    deal all count: auction, carte blanche (one not shown), his exchange if it is over, declarations, cards.

    Of his discards only the set is known, of his point often only the number: what counts there is the probability to
    discard any of the set that is still to come, or to name any suit that fits, and the bot's favourite among these is
    taken to have been the one. For a bot that decides on the set and not on the order, this is the set's likelihood.

    Args:
        row, player: as for `opponent_hands`.
        bot: has `policy(views) -> float (B, 80)`, probabilities of legal actions; or else `act(views, rng)`, which is
            asked once at each decision, so one that draws random numbers is better given as a policy.
        epsilon: above 0, at most 1.
        per_hand: arrangements tried of each hand, 1 to 1000; the time is proportional to it.
        seed: as for `sample_hidden`; the same one gives the same weights.

    Returns:
        hands int64 (H,), weights float64 (H,), which add up to 1.

    Raises:
        ValueError: as `opponent_hands`; a bad argument; actions that are not legal, or probabilities that are none.
    """
    known = known_game(row, player)
    _check(bot, epsilon, per_hand)
    hands, arrangements = opponent_hands(known, player)
    drawn = check_seed(seed)
    samples = np.zeros((len(hands) * per_hand, at.COLUMNS), np.int64)
    seed_samples(drawn, samples)
    picked = np.repeat(hands | known[at.PLAYED + 1 - player], per_hand)
    arrange(known, player, picked, samples)
    suits = np.empty(len(picked), np.int64)
    _suits_that_fit(known, player, picked, suits)
    rng, logs = np.random.default_rng(drawn), np.empty(len(samples))
    for first in range(0, len(samples), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        logs[part] = _likelihood(samples[part], 1 - player, suits[part], bot, epsilon, rng)
    likelihood = np.exp(logs - logs.max()).reshape(-1, per_hand).mean(axis=1)
    weights = arrangements * likelihood
    return hands, weights / weights.sum()


def _check(bot: Any, epsilon: float, per_hand: int) -> None:
    if not (callable(getattr(bot, "policy", None)) or callable(getattr(bot, "act", None))):
        raise ValueError(f"bot: expected a method act(views, rng) or policy(views), got {type(bot).__name__}")
    if not isinstance(epsilon, int | float | np.floating) or not 0 < epsilon <= 1:
        raise ValueError(f"epsilon: expected a number above 0, at most 1, got {epsilon!r}")
    if not isinstance(per_hand, int | np.integer) or not 1 <= per_hand <= MOST_PER_HAND:
        raise ValueError(f"per_hand: expected a whole number from 1 to {MOST_PER_HAND}, got {per_hand!r}")


@compiled
def _suits_that_fit(row, me, picked, suits):
    """The suits that the other may have named as his point, as bits, for each of his hands before the play."""
    scratch = np.empty((2, at.COLUMNS), np.int64)
    for i in range(len(picked)):
        suits[i] = _suits_of(row, me, picked[i], scratch)


@compiled
def _suits_of(row, me, hand, scratch):
    if not has_declared(row):
        return 0
    begin_before(row, me, row_of(scratch, 0))
    return fitting_suits(row, me, row_of(scratch, 0), row_of(scratch, 1), hand)


def _likelihood(
    samples: NDArray[np.int64],
    they: int,
    suits: NDArray[np.int64],
    bot: Any,
    epsilon: float,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """The logarithm of the probability that he acts as he did in each of these games: float64 (n,)."""
    games, logs = np.empty_like(samples), np.zeros(len(samples))
    _begin_again(samples, games)
    while True:
        _play_to_his_turn(samples, games, they)
        asked = np.flatnonzero(games[:, at.ACTED] < samples[:, at.ACTED])
        if not len(asked):
            return logs
        views = views_of(games[asked])
        done = np.empty((len(asked), ACTIONS), np.int8)
        _what_he_did(samples, games, asked, they, suits, done)
        likely = np.where(done, (1 - epsilon) * _policy(bot, views, rng) + epsilon * _any(views), 0)
        logs[asked] += np.log(likely.sum(axis=1))
        _take(games, asked, likely.argmax(axis=1))


def _policy(bot: Any, views: Views, rng: np.random.Generator) -> NDArray[np.float64]:
    """How likely the bot is to take each action: float64 (B, 80)."""
    shape = views.mask.shape
    if callable(getattr(bot, "policy", None)):
        policy = np.asarray(bot.policy(views), np.float64)
        if policy.shape != shape or not _is_distribution(policy, views.mask):
            raise ValueError(f"bot: policy(views) must give probabilities {shape} of legal actions")
        return policy
    actions = np.asarray(bot.act(views, rng))
    if actions.shape != shape[:1] or actions.dtype.kind not in "iu" or not _are_legal(actions, views.mask):
        raise ValueError(f"bot: act(views, rng) must give a legal action for each of {len(views.mask)} games")
    return np.eye(ACTIONS)[actions]


def _is_distribution(policy: NDArray[np.float64], mask: NDArray[np.int8]) -> bool:
    return bool((policy >= 0).all() and np.allclose(policy.sum(axis=1), 1, atol=1e-4) and not policy[mask == 0].any())


def _are_legal(actions: NDArray[np.int64], mask: NDArray[np.int8]) -> bool:
    in_range = ((actions >= 0) & (actions < ACTIONS)).all()
    return bool(in_range and mask[np.arange(len(mask)), actions].all())


def _any(views: Views) -> NDArray[np.float64]:
    """All legal actions equally likely."""
    return views.mask / views.mask.sum(axis=1, keepdims=True, dtype=np.int64)


# ------------------------------------------------------------------ the deals played again


@compiled
def _begin_again(samples, games):
    """Write each sample's deal as it was before the first action."""
    cards = np.empty(CARDS, np.int64)
    for i in range(len(samples)):
        sample = row_of(samples, i)
        pack_as_dealt(sample, cards)
        begin_again(sample, row_of(games, i), cards, sample[at.RANDOM])


@inlined
def _next_done(sample, game):
    """(player, action) of what is done next in the sample."""
    done = at.packed(sample, at.HISTORY, game[at.ACTED])
    return done >> 7, done & 127


@compiled
def _play_to_his_turn(samples, games, they):
    """Take the actions of the one who knows, up to the other's turn or the end."""
    for i in range(len(samples)):
        sample, game = row_of(samples, i), row_of(games, i)
        while game[at.ACTED] < sample[at.ACTED] and game[at.ACTOR] != they:
            take_action(game, _next_done(sample, game)[1])


@compiled
def _what_he_did(samples, games, asked, they, suits, done):
    """Write what the other may have done at his turn, for the games asked for, as masks int8 (B, 80)."""
    for n in range(len(asked)):
        i = asked[n]
        put_mask(_may_have_done(row_of(samples, i), row_of(games, i), they, suits[i]), row_of(done, n))


@compiled
def _may_have_done(sample, game, they, suits):
    """The two words of what leads to the sample: any discard of it, any suit that fits, else one action."""
    _, action = _next_done(sample, game)
    if game[at.PHASE] == at.EXCHANGE and action < CARDS:
        return sample[at.DISCARDS + they] & ~game[at.DISCARDS + they], 0
    if game[at.PHASE] == at.IN_POINT and action != act.NONE:
        return 0, suits << act.POINT - act.OTHERS
    return (1 << action, 0) if action < CARDS else (0, act.bit(action))


@compiled
def _take(games, asked, actions):
    for n in range(len(asked)):
        take_action(row_of(games, asked[n]), actions[n])
