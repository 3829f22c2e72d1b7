"""How likely a bot would have acted as a player did in whole games, and how it would have exchanged in them.

Games of one deal are played again side by side, so that the bot is asked about many together.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.belief.sample import take
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.engine.batch import begin_as_dealt
from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.game import legal_actions
from piquet_env.engine.intrinsics import row_of
from piquet_env.knowledge import Views, views_of
from piquet_env.knowledge.observe import put_mask

BUT_EXCHANGE = frozenset(range(at.DEAL_OVER)) - {at.EXCHANGE}


def log_likelihood(
    samples: NDArray[np.int64],
    they: NDArray[np.int64],
    suits: NDArray[np.int64],
    bot: Any,
    epsilon: float,
    rng: np.random.Generator,
    phases: Collection[int] = BUT_EXCHANGE,
) -> NDArray[np.float64]:
    """The logarithm of the probability that a player acts as he did in each game, his exchange left out.

    Args:
        samples: int64 (n, COLUMNS).
        they: int64 (n,), the player of each.
        suits: int64 (n,), as bits: those among which his point may have been.
        phases: whose decisions count; not the exchange, of which the order of the discards is not known.

    Returns:
        float64 (n,).
    """
    games, logs = np.empty_like(samples), np.zeros(len(samples))
    counted = sum(1 << phase for phase in phases)
    _begin_again(samples, games)
    while True:
        _play_to_his_turn(samples, games, they, counted)
        asked = np.flatnonzero(games[:, at.ACTED] < samples[:, at.ACTED])
        if not len(asked):
            return logs
        views = views_of(games[asked])
        done = np.empty((len(asked), ACTIONS), np.int8)
        _what_he_did(samples, games, asked, suits, done)
        likely = np.where(done, (1 - epsilon) * _policy(bot, views, rng) + epsilon * _any(views), 0)
        logs[asked] += np.log(likely.sum(axis=1))
        _take(games, asked, likely.argmax(axis=1))


def exchanges(samples: NDArray[np.int64], they: int, bot: Any, rng: np.random.Generator) -> NDArray[np.int64]:
    """What the bot would discard as player `they` in each game, int64 (n, COLUMNS), in which he has: masks int64 (n,).

    Of a bot that gives probabilities: what it does once.
    """
    games = np.empty_like(samples)
    _begin_again(samples, games)
    _play_to_his_exchange(samples, games, they)
    while True:
        asked = np.flatnonzero(games[:, at.EXCHANGED + they] < 0)
        if not len(asked):
            return games[:, at.DISCARDS + they]
        so_far = _policy(bot, views_of(games[asked]), rng).cumsum(axis=1)
        # Below the last sum, which rounding may have brought under 1.
        chosen = (so_far > rng.random(len(asked))[:, None] * so_far[:, -1:]).argmax(axis=1)
        _take(games, asked, chosen)


def _policy(bot: Any, views: Views, rng: np.random.Generator) -> NDArray[np.float64]:
    """How likely the bot is to take each action: float64 (B, 80)."""
    shape = views.mask.shape
    if callable(getattr(bot, "probabilities", None)):
        policy = np.asarray(bot.probabilities(views), np.float64)
        if policy.shape != shape or not _is_distribution(policy, views.mask):
            raise ValueError(f"bot: probabilities(views) must give probabilities {shape} of legal actions")
        return policy
    actions = np.asarray(bot.act(views, rng))
    if actions.shape != shape[:1] or actions.dtype.kind not in "iu" or not _are_legal(actions, views.mask):
        raise ValueError(f"bot: act(views, rng) must give a legal action for each of {shape[0]} games")
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
        begin_as_dealt(sample, row_of(games, i), cards)


@inlined
def _next_done(sample, game):
    """The action that is taken next in the sample."""
    return at.packed(sample, at.HISTORY, game[at.ACTED]) & 127


@compiled
def _play_to_his_turn(samples, games, they, counted):
    """Play on to the next decision of the player in a phase that counts, or to the end."""
    for i in range(len(samples)):
        sample, game = row_of(samples, i), row_of(games, i)
        while game[at.ACTED] < sample[at.ACTED] and not _is_asked(game, they[i], counted):
            take(game, _next_done(sample, game))


@inlined
def _is_asked(game, player, counted):
    """Whether it is a decision of the player's that counts, with a choice."""
    return game[at.ACTOR] == player and counted >> game[at.PHASE] & 1 and act.count(legal_actions(game)) > 1


@compiled
def _play_to_his_exchange(samples, games, they):
    for i in range(len(samples)):
        sample, game = row_of(samples, i), row_of(games, i)
        while game[at.ACTOR] != they or game[at.PHASE] != at.EXCHANGE:
            take(game, _next_done(sample, game))


@compiled
def _what_he_did(samples, games, asked, suits, done):
    """Write what he may have done at his turn, for the games asked for, as masks int8 (B, 80)."""
    for n in range(len(asked)):
        i = asked[n]
        put_mask(_may_have_done(row_of(samples, i), row_of(games, i), suits[i]), row_of(done, n))


@compiled
def _may_have_done(sample, game, suits):
    """The two words of what looks the same: any suit that fits, else one action."""
    action = _next_done(sample, game)
    if game[at.PHASE] == at.IN_POINT and action != act.NONE:
        return 0, suits << act.POINT - act.OTHERS
    return (1 << action, 0) if action < CARDS else (0, act.bit(action))


@compiled
def _take(games, asked, actions):
    for n in range(len(asked)):
        take(row_of(games, asked[n]), actions[n])
