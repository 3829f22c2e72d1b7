"""The cost of a decision in `piquet analyse`, against plain enumeration of all worlds."""

import exact_twin
import helpers
import numpy as np
import pytest
from analysing import GREEDY, TINY, Scrambled, after, alone, analysed, at_random, check, decisions_of, played, printed

from piquet_env import Rules
from piquet_env.analyse import deals_of
from piquet_env.analyse.answers import answer_of
from piquet_env.analyse.cost import weighted_mean
from piquet_env.analyse.decisions import Decision
from piquet_env.arena.match import Side
from piquet_env.belief import sample_hidden
from piquet_env.bots.expert.likelihood import log_likelihood
from piquet_env.bots.policy import one_hot
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.records import deal_record
from piquet_env.views import view


class Stubborn(exact_twin.Scrambled):
    """Always does what Scrambled is likeliest to do."""

    deterministic = True

    def act(self, views, rng):
        return super().probabilities(views).argmax(axis=1)

    def probabilities(self, views):
        return one_hot(self.act(views, None))


def worlds_of(rules: Rules, row: np.ndarray, me: int) -> list[tuple[np.ndarray, float]]:
    """All games that look the same to `me`, from every deal, where he did what he did, each with a weight.

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
        [(after(world, choice), weight) for (world, _), weight in zip(worlds, weights, strict=True)]
        for choice in (answer, decision.played)
    )
    return (exact_twin.value(better, (bot, bot)) - exact_twin.value(worse, (bot, bot))) * (1 - 2 * me), weights


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
    assert len(misses) >= 24
    assert uniform >= 3  # where the other has not acted yet, none is likelier than another
    assert sum(misses) <= 0.12 * len(misses)


@pytest.mark.parametrize("rules", ["auction", "auction-cavendish", "rubicon", "cavendish", "mini"])
def test_what_is_hidden_changes_no_cost(rules):
    """In another world that the player cannot tell from the true one a decision costs the same, to the last bit."""
    bot, checked = Scrambled(5), 0
    for decision in deals_of(deal_record(played(rules, 11, at_random(2))))[0].decisions[::3]:
        other = sample_hidden(decision.row, decision.player, 1, 77)[0]
        made = [alone(decision._replace(row=row), bot) for row in (decision.row, other)]
        keys = ("phase", "trick", "player", "played", "bot", "probability", "cost")
        assert [made[0][key] for key in keys] == [made[1][key] for key in keys]
        checked += made[0]["cost"]["worlds"] > 0 and (other[at.DEALT] != decision.row[at.DEALT]).any()
    assert checked


def test_a_mean_of_draws_that_count_several_times():
    """Draws of 3, 3 and 6, the last twice: 4.5; squares of the shares' errors 2.25, 2.25 and 9 by 16, times 3 / 2."""
    made = weighted_mean(np.array([3, 3, 6]), np.array([1, 1, 2]))
    assert (made.mean, made.worlds) == (4.5, 3)
    assert made.error == pytest.approx((13.5 / 16 * 3 / 2) ** 0.5)
    assert weighted_mean(np.array([3]), np.array([200])) == (3.0, None, 1)


def test_one_likely_world_has_no_interval(monkeypatch):
    """All worlds that are looked at are the same draw: a mean, and nothing to say how good it is."""

    def one(row, player, number, seed, scratch):
        return sample_hidden(row, player, 1, seed), np.zeros(number, np.int64)

    monkeypatch.setattr("piquet_env.analyse.cost.likely_worlds", one)
    made = analysed(played("rubicon", 3, at_random(1)), GREEDY, samples=5)
    costs = [each["cost"] for each in decisions_of(made) if each["bot"] != each["played"]]
    assert costs
    assert all((cost["worlds"], cost["standard_error"], cost["interval"]) == (1, None, None) for cost in costs)
    assert made["players"]["player_0"]["cost"]["interval"] is None
    check(made)
    assert "±?" in printed(made)
