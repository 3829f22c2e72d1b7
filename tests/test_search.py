"""Search on top of a policy: its parts against slow ones, what it may see, that it is better."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from helpers import NAMES, legal, new_row, odd_rules, walk

from piquet_env.arena import play_match
from piquet_env.arena.statistics import mean_with_interval, pair_values
from piquet_env.belief import sample_hidden
from piquet_env.bots import BotError, PolicyBot, load_bot, views_of
from piquet_env.bots.search import Effort, SearchBot
from piquet_env.bots.search.policy import Policy
from piquet_env.bots.search.rollouts import rollout_values
from piquet_env.bots.search.worlds import EPSILON, Worlds, drawn_worlds, weighted_worlds
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.knowledge import OBSERVATION_SIZE
from piquet_env.rules import Rules
from piquet_env.solver import card_values, deal_values

QUICK = Effort(calls=4, discards=4, cards=5, caution=0.5, prior=1.0)
"""Enough to go through every line."""


WEIGHTS = np.random.default_rng(1).normal(size=(OBSERVATION_SIZE, act.ACTIONS)) / 6


def by_what_is_seen(observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """A policy that depends on every bit of the observation."""
    exps = np.where(mask != 0, np.exp((observation @ WEIGHTS).clip(-20, 20)), 0)
    return exps / exps.sum(axis=1, keepdims=True)


def bot(effort: Effort = QUICK) -> SearchBot:
    return SearchBot(PolicyBot(by_what_is_seen), "seen", effort)


POLICY = Policy("seen", PolicyBot(by_what_is_seen))


def likeliest(row: np.ndarray) -> int:
    return int(POLICY.likeliest(views_of(row))[0])


def decisions(rules: str | Rules, phase: int, number: int) -> np.ndarray:
    """True rows at a decision with a choice in this phase, each of another game, come to by chance."""
    rng, rows = random.Random(number), []
    for index in range(1000):
        row = new_row(Rules.make(rules), seed=5, index=index)
        for actions, action in walk(row, rng, deals=1):
            if action is not None and row[at.PHASE] == phase and len(actions) > 1 and rng.random() < 0.4:
                rows.append(row.copy())
                break
        if len(rows) == number:
            return np.stack(rows)
    raise AssertionError("too few such positions")


# ------------------------------------------------------------------ its parts, against slow ones


@pytest.mark.parametrize("phase", [at.AUCTION, at.PLAY])
def test_a_world_is_as_likely_as_the_policy_makes_what_was_done(phase):
    rows = decisions("auction", phase, 3)
    worlds = weighted_worlds(rows, 6, np.arange(3) * 10**9, POLICY)
    assert np.bincount(worlds.of, worlds.weights) == pytest.approx(np.ones(3))
    for number, row in enumerate(rows):
        mine = worlds.of == number
        games, times = drawn_worlds(row, 6, number * 10**9)
        assert (worlds.games[mine] == games).all()
        slow = [n * _likelihood(world, row, phase) for world, n in zip(games, times, strict=True)]
        assert worlds.weights[mine] == pytest.approx(np.array(slow) / sum(slow), rel=1e-6)


def _likelihood(world: np.ndarray, row: np.ndarray, phase: int) -> float:
    """By playing the world's deal again."""
    again, product = new_row(Rules.make("auction")), 1.0
    cards = [card for player in range(2) for card in range(32) if world[at.DEALT + player] >> card & 1]
    cards += [int(at.packed(world, at.TALON, place)) for place in range(8)]
    game.set_up_deal(again, world[at.DEALER], np.array(cards, np.int64))
    for place in range(int(world[at.ACTED])):
        done = int(at.packed(world, at.HISTORY, place)) & 127
        views = views_of(again)
        if again[at.PHASE] == phase and again[at.ACTOR] != row[at.ACTOR] and views.mask.sum() > 1:
            chance = POLICY.probabilities(views)[0, done]
            product *= (1 - EPSILON) * chance + EPSILON / views.mask.sum()
        assert game.apply_action(again, done)
    return product


def test_means_and_errors_are_those_of_weighted_draws():
    worlds = Worlds(np.zeros((5, 1), np.int64), np.array([0, 0, 0, 1, 1]), np.array([0.5, 0.25, 0.25, 0.5, 0.5]))
    means, errors = worlds.means_and_errors(np.array([[4.0], [0.0], [8.0], [1.0], [1.0]]))
    assert means.tolist() == [[4.0], [1.0]]
    assert errors[0, 0] == pytest.approx(math.sqrt((0.25 * 4) ** 2 + (0.25 * 4) ** 2))
    assert errors[1, 0] == 0


@pytest.mark.parametrize(
    ("rules", "phase"),
    [("auction", at.AUCTION), ("auction-parlett", at.AUCTION), ("auction", at.EXCHANGE), ("cavendish", at.EXCHANGE)],
)
def test_an_action_is_worth_what_the_policy_makes_of_it(rules, phase):
    for row in decisions(rules, phase, 4):
        actions = np.array(legal(row))[:4]
        expected = [_played_out(row, action) for action in actions]
        assert rollout_values(np.stack([row] * len(actions)), actions, POLICY).tolist() == expected


def _played_out(row: np.ndarray, action: int) -> int:
    after, player = row.copy(), row[at.ACTOR]
    assert game.apply_action(after, action)
    while after[at.PHASE] < at.PLAY:
        assert game.apply_action(after, likeliest(after))
    value = deal_values(after, threads=1) if after[at.PHASE] == at.PLAY else game.difference(after)
    return int(value if player == 0 else -value)


def test_with_little_of_the_policy_it_plays_the_best_card_of_what_is_certain():
    """Where all worlds are alike the search is exact."""
    for row, _ in zip(_certain_endings(), range(5), strict=False):
        chosen = int(bot(QUICK._replace(cards_prior=1e-6)).act(views_of(row), np.random.default_rng(0))[0])
        values = card_values(row, threads=1)
        assert values[chosen] == values.max() > values[legal(row)].min()


def _certain_endings():
    """Rows at a card that matters, where the player can know all hands."""
    rng = random.Random(7)
    for index in range(10**4):
        row = new_row(Rules.make("rubicon"), seed=5, index=index)
        for actions, action in walk(row, rng, deals=1):
            if action is None or row[at.PHASE] != at.PLAY or row[at.TRICK] < 7 or len(actions) == 1:
                continue
            worlds = sample_hidden(row, int(row[at.ACTOR]), 30, 1)
            values = card_values(row, threads=1)[actions]
            if len({tuple(world[at.HANDS : at.HANDS + 2]) for world in worlds}) == 1 and values.min() < values.max():
                yield row


def test_the_policy_decides_where_it_counts_for_all():
    for phase in (at.AUCTION, at.EXCHANGE, at.PLAY):
        for row in decisions("auction", phase, 3):
            deaf = bot(QUICK._replace(prior=1e6, cards_prior=1e6))
            assert deaf.act(views_of(row), np.random.default_rng(0))[0] == likeliest(row)


# ------------------------------------------------------------------ as a bot


@pytest.mark.parametrize("rules", NAMES)
def test_it_plays_every_ruleset(rules):
    assert play_match(bot(), load_bot("random"), rules, pairs=2, seed=1).pairs == 2


def test_it_plays_odd_rules_and_parties():
    for seed in range(8):
        play_match(bot(), load_bot("random"), odd_rules(seed), pairs=1, seed=seed)
    play_match(bot(), load_bot("random"), "cent", pairs=1, seed=2, episode="partie")


def test_same_seed_same_moves():
    matches = [play_match(bot(), load_bot("greedy"), "auction", pairs=3, seed=3) for _ in range(2)]
    assert (matches[0].deals == matches[1].deals).all()


def test_games_of_a_batch_are_independent():
    """In a batch of all phases each game is decided as alone, with the same random numbers."""
    phases = (at.AUCTION, at.EXCHANGE, at.IN_POINT, at.PLAY)
    rows = np.concatenate([decisions("auction", phase, 3) for phase in phases])
    rows = rows[np.random.default_rng(0).permutation(len(rows))]
    views, rng = views_of(rows), np.random.default_rng(1)
    together = bot().act(views, np.random.default_rng(1))
    assert [int(bot().act(views.part(slice(n, n + 1)), rng)[0]) for n in range(len(rows))] == together.tolist()
    assert (bot().act(views.part(slice(0, 0)), rng)).tolist() == []


@pytest.mark.parametrize("rules", [*NAMES, *range(6)])
def test_it_does_the_same_whatever_is_hidden(rules):
    """In worlds that differ only in what he cannot know, given to him whole."""
    made = odd_rules(rules) if isinstance(rules, int) else Rules.make(rules)
    rng, row = random.Random(3), new_row(made, seed=3)
    for actions, action in walk(row, rng, deals=1):
        if action is not None and len(actions) > 1 and rng.random() < 0.4:
            worlds = np.concatenate([row[None], sample_hidden(row, int(row[at.ACTOR]), 2, rng.randrange(2**60))])
            views = views_of(worlds)._replace(rows=worlds)
            chosen = [bot().act(views.part(slice(n, n + 1)), np.random.default_rng(1))[0] for n in range(3)]
            assert chosen[0] in actions
            assert len(set(chosen)) == 1


def test_it_is_better_than_its_policy():
    for rules, pairs in (("auction", 40), ("rubicon", 40)):
        match = play_match(load_bot("greedy+search:fast"), load_bot("greedy"), rules, pairs, seed=1)
        assert mean_with_interval(pair_values(match)).low > 0


# ------------------------------------------------------------------ by name


def test_names():
    fast, normal = load_bot("greedy+search:fast"), load_bot("greedy+search")
    assert isinstance(fast, SearchBot)
    assert isinstance(normal, SearchBot)
    assert fast.effort.cards < normal.effort.cards < load_bot("random+search:slow").effort.cards
    assert load_bot("greedy+search:normal").effort == normal.effort


def test_it_says_what_its_policy_says_of_itself():
    class Trained(PolicyBot):
        trained_on, sha256 = Rules.make("rubicon"), "0" * 64

    made = SearchBot(Trained(by_what_is_seen), "trained")
    assert (made.trained_on, made.sha256) == (Rules.make("rubicon"), "0" * 64)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("expert+search", "bot 'expert' cannot be searched on: expected probabilities"),
        ("greedy+search+search", "cannot be searched on"),
        ("omniscient+search", "it sees all cards"),
        ("greedy+search:quick", "expected it to end in one of .*, \\+search:fast"),
        ("+search", "expected the name of a bot before"),
        ("nobody+search", "unknown bot 'nobody'"),
        ("a+search/nobody.onnx", "No such file"),
    ],
)
def test_what_cannot_be_searched_on_is_refused(name, message):
    with pytest.raises(BotError, match=message):
        load_bot(name)


def test_a_policy_may_write_into_what_it_is_given():
    def careless(views):
        made = by_what_is_seen(views.observation, views.mask)
        for array in views:
            array[:] = 0
        return made

    rows = np.concatenate([decisions("auction", phase, 2) for phase in (at.AUCTION, at.EXCHANGE, at.PLAY)])
    policy = PolicyBot(by_what_is_seen)
    policy.probabilities = careless
    found = SearchBot(policy, "careless", QUICK).act(views_of(rows), np.random.default_rng(1))
    assert found.tolist() == bot().act(views_of(rows), np.random.default_rng(1)).tolist()


def test_a_policy_that_is_none_is_named_once_and_not_by_a_line_of_the_search():
    broken = SearchBot(PolicyBot(lambda _, mask: mask * np.nan), "broken", QUICK)
    with pytest.raises(BotError) as told:
        play_match(broken, load_bot("random"), "micro", 1, names=("broken+search", "random"))
    expected = "probabilities: expected 0 or more each and a sum of 1 in every game"
    assert str(told.value) == f"bot 'broken+search': bot 'broken': {expected}"


def test_any_trained_bot_by_its_path():
    pytest.importorskip("onnxruntime", reason="exported bots need it")
    path = Path(__file__).parent.parent / "piquet_env" / "bots" / "trained" / "base.onnx"
    assert play_match(load_bot(f"{path}+search:fast"), load_bot("random"), pairs=1).pairs == 1
