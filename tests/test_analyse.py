"""What `piquet analyse` says of a decision, against plain enumeration, the solver, and deals whose faults are known."""

import itertools
import json
import random
from pathlib import Path

import exact_twin
import helpers
import jsonschema
import numpy as np
import pytest

from piquet_env import Rules
from piquet_env.analyse import analysis, deals_of
from piquet_env.analyse.answers import answer_of
from piquet_env.analyse.cost import weighted_mean
from piquet_env.analyse.decisions import Deal, Decision
from piquet_env.arena.match import Side
from piquet_env.belief import sample_hidden
from piquet_env.bots import load_bot
from piquet_env.bots.expert.likelihood import log_likelihood
from piquet_env.bots.policy import draw, legal_actions_of, one_hot
from piquet_env.bots.base import views_of
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.records import deal_record
from piquet_env.solver.analysis import analysis as solver_analysis
from piquet_env.solver.given import play_of
from piquet_env.views import view

SCHEMA = json.loads((Path(game.__file__).parents[1] / "analysis.schema.json").read_text(encoding="utf-8"))
TINY = {"base": "micro", "ranks": "KA", "hand_size": 1, "highest_level": 1}
GREEDY = load_bot("greedy")


class Scrambled(exact_twin.Scrambled):
    """Draws its actions."""

    def act(self, views, rng):
        return draw(self.probabilities(views), rng)


class Stubborn(exact_twin.Scrambled):
    """Always does what Scrambled is likeliest to do."""

    deterministic = True

    def act(self, views, rng):
        return super().probabilities(views).argmax(axis=1)

    def probabilities(self, views):
        return one_hot(self.act(views, None))


def played(rules, seed: int, chooser) -> np.ndarray:
    """A deal that is over; `chooser(row)` acts for both."""
    row = helpers.new_row(Rules.make(rules), seed=seed)
    while row[at.PHASE] < at.DEAL_OVER:
        assert game.apply_action(row, chooser(row))
    return row


def at_random(seed: int):
    rng = random.Random(seed)
    return lambda row: helpers.choose(helpers.legal(row), rng)


def of_bot(bot):
    return lambda row: int(legal_actions_of("bot", bot, views_of(row[None]), np.random.default_rng(0))[0])


def analysed(row, bot, **options) -> dict:
    return analysis(deals_of(deal_record(row)), "bot", bot, **options)


def decisions_of(made: dict) -> list[dict]:
    return [each for deal in made["deals"] for each in deal["decisions"]]


# ------------------------------------------------------------------ the cost


def worlds_of(rules: Rules, row: np.ndarray, me: int) -> list[tuple[np.ndarray, float]]:
    """All games that look the same to `me`, from every deal, where he did what he did, by plain search: each with a weight.

    All cards and discards are equally likely; of the same ones, all suits that the other may have named as his point.
    """
    mine = [action for player, action in helpers.history(row) if player == me]
    found = {}
    for start, _ in exact_twin.all_games(rules, int(row[at.DEALER])):
        if start[at.DEALT + me] == row[at.DEALT + me]:
            for world in _the_same(start, mine, me, view(row, me)):
                found.setdefault(tuple(world[[at.DEALT + 1 - me, at.TALON, at.DISCARDS + 1 - me]]), []).append(world)
    return [(world, 1 / len(alike)) for alike in found.values() for world in alike]


def _the_same(row, mine, me, seen):
    if row[at.PHASE] >= at.DEAL_OVER:
        return
    if row[at.ACTOR] == me and not mine:
        if view(row, me) == seen:
            yield row
        return
    for action in mine[:1] if row[at.ACTOR] == me else helpers.legal(row):
        after = row.copy()
        if game.apply_action(after, action):
            yield from _the_same(after, mine[1:] if row[at.ACTOR] == me else mine, me, seen)


def weights_of(worlds, they: int) -> np.ndarray:
    """How well each explains what the other did, as the expert weighs it."""
    scratch = np.zeros(at.COLUMNS, np.int64), np.zeros(32, np.int64)
    logs = np.array([log_likelihood(world, they, *scratch) for world, _ in worlds])
    weights = np.exp(logs - logs.max()) * [weight for _, weight in worlds]
    return weights / weights.sum()


def exact_cost(rules: Rules, decision: Decision, bot) -> tuple[float, np.ndarray]:
    """(the cost, the weights of the worlds)."""
    me = decision.player
    worlds = worlds_of(rules, decision.row, me)
    assert any((world[: at.HISTORY] == decision.row[: at.HISTORY])[at.DEALT :].all() for world, _ in worlds)
    weights = weights_of(worlds, 1 - me)
    answer = answer_of(Side("bot", bot), decision, np.random.default_rng(0)).choice
    better, worse = (
        [(_after(world, choice), weight) for (world, _), weight in zip(worlds, weights, strict=True)]
        for choice in (answer, decision.played)
    )
    return (exact_twin.value(better, (bot, bot)) - exact_twin.value(worse, (bot, bot))) * (1 - 2 * me), weights


def _after(world, choice):
    world = world.copy()
    for action in choice:
        assert game.apply_action(world, action)
    return world


@pytest.mark.parametrize(("spec", "bot", "deals"), [("micro", Stubborn(3), 6), (TINY, Scrambled(1), 12)])
def test_the_cost_is_that_over_all_worlds(spec, bot, deals):
    """Every world that looks the same, each weighed and played to its end with every action of the bot."""
    rules, misses, uniform = Rules.make(spec), [], 0
    for seed in range(deals):
        row = played(rules, seed, at_random(seed))
        deal = deals_of(deal_record(row))[0]
        made = decisions_of(analysed(row, bot, samples=400, seed=seed))
        for decision, each in zip(deal.decisions, made, strict=True):
            if each["cost"]["worlds"]:
                exact, weights = exact_cost(rules, decision, bot)
                uniform += len(weights) > 1 and np.ptp(weights) == 0
                error = each["cost"]["standard_error"]
                assert abs(each["cost"]["points"] - exact) <= 4.5 * error + 1e-9
                misses.append(not each["cost"]["interval"][0] - 1e-9 <= exact <= each["cost"]["interval"][1] + 1e-9)
    print(len(misses), sum(misses), uniform)
    assert len(misses) >= 24
    assert uniform >= 3  # where the other has not acted yet, none is likelier than another
    assert sum(misses) <= 0.12 * len(misses)
