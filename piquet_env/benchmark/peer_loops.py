"""The measures of other libraries; each function imports one and returns its measures.

Each is used as its own documentation shows, by the fastest of its ways that gives the same: for each decision an
observation, a mask of the legal actions, and a random legal action. (colver's rollouts give neither of the first two,
like our `batch-bare`.) Dealing and other chance takes its time but is no decision.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import os
import random
from collections.abc import Callable
from time import perf_counter
from typing import Any

from piquet_env.benchmark.agents import EPISODES, episodes
from piquet_env.benchmark.measure import Measure, Sample, timed

# ------------------------------------------------------------------ PettingZoo


def pettingzoo(_: int) -> list[Measure]:
    """Card games of PettingZoo's classic collection, in the loop of `aec`."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    from pettingzoo.classic import leduc_holdem_v4, texas_holdem_no_limit_v6

    envs = {
        "leduc_holdem_v4.env": leduc_holdem_v4.env(),
        "leduc_holdem_v4.raw_env": leduc_holdem_v4.raw_env(),
        "texas_holdem_no_limit_v6.env": texas_holdem_no_limit_v6.env(),
    }
    what = "last() and step()"
    return [Measure(name, what, timed(episodes(env)), against="aec") for name, env in envs.items()]


# ------------------------------------------------------------------ OpenSpiel

SPIEL_GAMES = ("leduc_poker", "bridge(use_double_dummy_result=false)", "euchre", "hearts")


def open_spiel(_: int) -> list[Measure]:
    """Card games, each decision from Python."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    def play(text: str) -> Callable[[], int]:
        game, chance = pyspiel.load_game(text), random.Random(0).random
        observer = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
        return lambda: sum(_spiel_episode(game, observer, chance) for _ in range(EPISODES))

    what = "Python: observer, legal_actions_mask, apply_action"
    return [
        Measure(f"open_spiel {text.partition('(')[0]}", what, timed(play(text)), against="aec") for text in SPIEL_GAMES
    ]


def _spiel_episode(game: Any, observer: Any, chance: Callable[[], float]) -> int:
    state, decisions = game.new_initial_state(), 0
    while not state.is_terminal():
        if not state.is_chance_node():
            observer.set_from(state, state.current_player())  # into an array, much faster than as a list
            state.legal_actions_mask()
            decisions += 1
        legal = state.legal_actions()  # of chance too: in these games all that it may do is equally likely
        state.apply_action(legal[int(chance() * len(legal))])
    return decisions


# ------------------------------------------------------------------ colver

_DEALS = 16
_ROLLOUTS = 1000
_CARDS = 32
_PASS, _LOWEST_BID = 0, 1
_BIDDING = 0


def colver(_: int) -> list[Measure]:
    """Coinche: random play within the Rust engine, and its environment from Python."""
    import colver as module

    deals = [_bid_out(module.Env.deal(dealer=number % 4, seed=number)) for number in range(_DEALS)]
    env, chance = module.Env(), random.Random(0).random

    def rollouts() -> int:
        for deal in deals:
            deal.rollout(_ROLLOUTS)
        return _DEALS * _ROLLOUTS * _CARDS

    def games() -> int:
        return sum(_colver_episode(env, chance) for _ in range(EPISODES))

    in_rust = "random card plays in Rust, cards dealt and contract made before"
    in_python = "Python: step(), which gives observation and legal actions"
    return [
        Measure("colver rollout", in_rust, timed(rollouts), against="batch-bare"),
        Measure("colver Env", in_python, timed(games), against="aec"),
    ]


def _bid_out(deal: Any) -> Any:
    """Leave a deal with its 32 cards to play: the first to speak bids the least, the others pass."""
    deal.step(_LOWEST_BID)
    while deal.phase() == _BIDDING:
        deal.step(_PASS)
    return deal


def _colver_episode(env: Any, chance: Callable[[], float]) -> int:
    decisions, is_over = 0, False
    _, legal = env.reset()
    while not is_over:
        _, _, is_over, legal = env.step(legal[int(chance() * len(legal))])
        decisions += 1
    return decisions


# ------------------------------------------------------------------ pgx

PGX_GAMES = ("leduc_holdem", "sparrow_mahjong")  # two of those that need no download
_STEPS = 8  # of all games, between two looks at the clock


def pgx(games: int) -> list[Measure]:
    """A batch of games in JAX on the CPU: step by step with the actions given, and as one compiled loop."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    import pgx as module

    played = {name: _Pgx(module.make(name), games) for name in PGX_GAMES}
    step, scan = "jitted step of the batch, actions given", "jitted loop of the batch, into a buffer"
    return [
        *(Measure(f"pgx {name} step", step, each.step, against="vector") for name, each in played.items()),
        *(Measure(f"pgx {name} scan", scan, timed(each.scan), against="batch") for name, each in played.items()),
    ]


class _Pgx:
    """A batch of games of one environment, which begin anew when they end."""

    def __init__(self, env: Any, games: int):
        import jax
        from pgx.experimental import auto_reset

        self._jax, self._games = jax, games
        self._advance = jax.vmap(auto_reset(env.step, env.init))
        self._key = jax.random.PRNGKey(0)
        self._state = jax.jit(jax.vmap(env.init))(jax.random.split(self._key, games))
        self._jitted = [jax.jit(function) for function in (self._choose, self._advance, self._loop)]

    def step(self) -> Sample:
        """Some steps of all games; the choice of the actions is not timed."""
        choose, advance, _ = self._jitted
        spent = 0.0
        for _ in range(_STEPS):
            chosen = self._jax.block_until_ready(choose(self._state, self._next_key()))
            begun = perf_counter()
            self._state = self._jax.block_until_ready(advance(self._state, *chosen))
            spent += perf_counter() - begun
        return Sample(_STEPS * self._games, spent)

    def scan(self) -> int:
        """The same steps as one compiled loop that chooses the actions and keeps each observation and mask."""
        keys = self._jax.random.split(self._next_key(), _STEPS)
        self._state, _ = self._jax.block_until_ready(self._jitted[2](self._state, keys))
        return _STEPS * self._games

    def _next_key(self) -> Any:
        self._key, key = self._jax.random.split(self._key)
        return key

    def _choose(self, state: Any, key: Any) -> Any:
        """Actions, and the keys of what chance does next."""
        mine, others = self._jax.random.split(key)
        weights = self._jax.numpy.where(state.legal_action_mask, 0.0, -self._jax.numpy.inf)
        return self._jax.random.categorical(mine, weights), self._jax.random.split(others, self._games)

    def _loop(self, state: Any, keys: Any) -> Any:
        def once(state: Any, key: Any) -> Any:
            seen = (state.observation, state.legal_action_mask)
            return self._advance(state, *self._choose(state, key)), seen

        return self._jax.lax.scan(once, state, keys)
