"""Exact measures of small games: against a plain twin (tests/exact_twin.py), against matches, against themselves."""

import json
import random

import exact_program
import exact_twin
import helpers
import numpy as np
import pytest
from test_compiled import TESTS, run

from piquet_env import Rules
from piquet_env.arena import play_match
from piquet_env.bots import BotError, load_bot, views_of
from piquet_env.bots.tabular import keys_of
from piquet_env.engine import layout as at
from piquet_env.exact import best_response, equilibrium, exploitability, information_sets, measure, value, work
from piquet_env.exact.deals import all_deals, deals_by_hand
from piquet_env.exact.policies import everywhere, policy_of
from piquet_env.exact.tree import build_tree

MICRO = Rules.make("micro")
LOW = {"base": "micro", "highest_level": 1}
TINY = {"base": "micro", "ranks": "KA", "hand_size": 1, "highest_level": 1}
CLASSIC = {
    "base": "rubicon",
    "carte_blanche": 0,
    "lowest_level": 1,
    "suits": "SH",
    "elder_talon": 1,
    "younger_talon": 1,
}
TINIES = {
    "micro": TINY,
    "no pass after a double": {**TINY, "ranks": "QK", "pass_after_double": False},
    "no sinking": {**TINY, "ranks": "7A", "sinking": False},
    "classic": TINY | CLASSIC,
    "no talon for elder": {**TINY, "suits": "S", "ranks": "QKA", "elder_talon": 0},
}


class Uniform:
    """Asked for nothing but probabilities."""

    def __init__(self, given):
        self.given = given

    def act(self, views, rng):
        raise ValueError("no")

    def probabilities(self, views):
        return self.given(views)


# ------------------------------------------------------------------ against the twin


@pytest.mark.parametrize(("dealer", "name"), list(enumerate(TINIES)))
def test_value_and_best_responses_are_those_of_the_twin(dealer, name):
    dealer %= 2
    rules, bot = Rules.make(TINIES[name]), exact_twin.Scrambled(1)
    made, games = exploitability(bot, rules), exact_twin.all_games(rules, dealer)
    itself = exact_twin.value(games, (bot, bot))
    assert made.value[dealer] == pytest.approx((itself, -itself))
    best = [exact_twin.best_response(games, bot, seat) for seat in range(2)]
    assert made.best_response[dealer] == pytest.approx(best)
    assert made.exploitability == pytest.approx(np.mean(made.best_response))


def test_the_value_between_two_bots_is_that_of_the_twin():
    rules, bots = Rules.make(TINIES["no talon for elder"]), (exact_twin.Scrambled(1), exact_twin.Scrambled(2))
    expected = 0.0
    for dealer in range(2):
        games = exact_twin.all_games(rules, dealer)
        expected += (exact_twin.value(games, bots) - exact_twin.value(games, bots[::-1])) / 4
    assert value(*bots, rules) == pytest.approx(expected)
    assert value(*bots[::-1], rules) == pytest.approx(-expected)


def test_some_deals_of_micro_against_the_twin():
    """Two deals in which the dealer holds the same cards, as if no others could be dealt."""
    packs, bot = deals_by_hand(MICRO, 0)[3][::4][:2], exact_twin.Scrambled(4)
    tree = build_tree(Rules.make(LOW), packs)
    games = [(helpers.set_up(tree.rules, 0, cards.tolist()), 1 / len(packs)) for cards in packs]
    plan = measure.plan_of(tree, policy_of(bot, tree, everywhere(tree), 0))
    response = measure.respond(tree, plan, 0, np.empty(tree.sequences)) / len(packs)
    assert response == pytest.approx(exact_twin.best_response(games, bot, 0))


# ------------------------------------------------------------------ against matches


def test_a_match_comes_to_the_exact_value():
    bots = load_bot("greedy"), load_bot("random")
    _check_match(bots, value(*bots))


def test_a_best_response_gains_in_a_match_what_it_should():
    greedy = load_bot("greedy")
    best, gain = best_response(greedy), exploitability(greedy).exploitability
    assert value(best, greedy) == pytest.approx(gain)
    _check_match((best, greedy), gain)


def _check_match(bots, expected: float):
    """2,000 pairs: within four standard errors."""
    deals = play_match(*bots, "micro", 2000, seed=5).deals
    pairs = deals["difference"].reshape(-1, 2).mean(axis=1)
    assert abs(pairs.mean() - expected) < 4 * pairs.std() / len(pairs) ** 0.5


# ------------------------------------------------------------------ what must hold


@pytest.mark.parametrize("bot", [load_bot("random"), load_bot("greedy"), exact_twin.Scrambled(3)])
def test_a_best_responder_never_loses_by_it(bot):
    made = exploitability(bot, LOW)
    assert np.sum(made.value, axis=1) == pytest.approx([0, 0])
    assert np.min(made.gains) > 0
    assert made.exploitability == pytest.approx(np.mean(made.gains))
    assert value(bot, bot, LOW) == pytest.approx(0)


def test_the_best_response_to_a_best_response():
    first = best_response(load_bot("random"), LOW)
    second = best_response(first, LOW)
    assert value(second, first, LOW) == pytest.approx(exploitability(first, LOW).exploitability)
    assert value(second, first, LOW) > value(load_bot("greedy"), first, LOW)


def test_one_dealer_is_enough_for_a_bot_that_does_not_tell_the_seats_apart():
    bot = load_bot("greedy")
    both = exploitability(bot, LOW)
    for dealer in range(2):
        one = exploitability(bot, LOW, dealers=[dealer])
        assert (one.value, one.best_response) == (
            both.value[dealer : dealer + 1],
            both.best_response[dealer : dealer + 1],
        )
        assert one.exploitability == pytest.approx(both.exploitability)
    for wrong in ((), (2,), (0, 0), (1, 0)):
        with pytest.raises(ValueError, match="dealers: expected"):
            exploitability(bot, LOW, dealers=wrong)


def test_hand_by_hand_is_the_same_as_all_at_once(monkeypatch):
    bots, done = (exact_twin.Scrambled(7), load_bot("greedy")), []
    whole, between = exploitability(bots[0], LOW), value(*bots, LOW)
    monkeypatch.setattr(measure, "WHOLE", 0)
    parts = exploitability(bots[0], LOW, progress=done.append)
    assert np.array(parts.value) == pytest.approx(np.array(whole.value))
    assert np.array(parts.best_response) == pytest.approx(np.array(whole.best_response))
    assert value(*bots, LOW) == pytest.approx(between)
    assert len(done) >= 2 * 2 * 15  # for each dealer, role, and hand
    assert sum(done) == pytest.approx(work(LOW))


def test_suits_are_but_names():
    packs = deals_by_hand(MICRO, 1)[2]
    trees = [build_tree(Rules.make(LOW), cards) for cards in (packs, packs ^ 8)]  # S is 0-7, H is 8-15
    sizes = {(len(tree), tree.nodes, tree.sequences, len(tree.ends)) for tree in trees}
    assert len(sizes) == 1
    values = []
    for tree in trees:
        plan = measure.plan_of(tree, policy_of(load_bot("random"), tree, everywhere(tree), 0))
        values.append([measure.respond(tree, plan, role, np.empty(tree.sequences)) for role in range(2)])
    assert values[0] == pytest.approx(values[1])


# ------------------------------------------------------------------ the information sets


def test_every_deal_once():
    deals = all_deals(MICRO)
    assert len(deals) == len({(frozenset(d[:2]), frozenset(d[2:4]), *d[4:]) for d in deals.tolist()}) == 180
    assert (np.sort(deals, axis=1) == helpers.cards_of(MICRO.pack)).all()


def test_the_size_of_micro():
    tree = information_sets("micro")
    assert (len(tree), tree.nodes, len(tree.ends)) == (339_222, 6_591_564, 1_143_252)
    assert information_sets(MICRO) is tree


def test_information_sets_are_what_can_be_told_apart():
    """No two have the same observation, and their keys are different in the first half already."""
    tree = information_sets("micro")
    parts = [everywhere(tree)[start : start + 50_000] for start in range(0, len(tree), 50_000)]
    seen = np.concatenate([np.packbits(tree.views(part).observation, axis=1) for part in parts])
    assert len(np.unique(seen.view(f"V{seen.shape[1]}"))) == len(tree)
    assert len(np.unique(tree.keys[:, 0])) == len(np.unique(tree.keys[:, 1])) == len(tree)


def test_positions_of_one_information_set_look_the_same():
    """Whatever game comes there: observation, mask, and all that a bot is given of the row."""
    tree, rng = information_sets("micro"), random.Random(8)
    places = {key: place for place, key in enumerate(map(tuple, tree.keys.tolist()))}
    rows = []
    for number in range(300):
        row = helpers.new_row(MICRO, seed=6, index=number)
        for actions, _ in helpers.walk(row, rng, deals=1):
            if len(actions) > 1 and row[at.DEALER] == 0:
                rows.append(row.copy())
    views = views_of(np.array(rows))
    found = tree.views(np.array([places[key] for key in map(tuple, keys_of(views).tolist())]))
    assert len(rows) > 1000
    for one, other in zip(views, found, strict=True):
        assert (one == other).all()


def test_the_seats_are_but_names():
    tree = information_sets(LOW)
    views, swapped = (tree.views(everywhere(tree), dealer) for dealer in range(2))
    assert (views.observation == swapped.observation).all()
    assert (views.mask == swapped.mask).all()
    assert (views.rows[:, at.ACTOR] == tree.players).all()
    assert (swapped.rows[:, at.ACTOR] == 1 - tree.players).all()
    assert (views.mask.sum(axis=1) == np.diff(tree.firsts)).all()


# ------------------------------------------------------------------ equilibrium


@pytest.fixture(scope="module")
def solved():
    return equilibrium("micro", 100)


def test_cfr_comes_near_an_equilibrium(solved):
    points = [point.exploitability for point in solved.points]
    assert [point.iterations for point in solved.points] == [1, 3, 10, 30, 100]
    assert points == sorted(points, reverse=True)
    assert 0 < solved.exploitability < 0.02
    for point in solved.points:
        low, high = point.dealer
        assert low < solved.points[-1].dealer[1]
        assert high > solved.points[-1].dealer[0]
        assert high - low == pytest.approx(2 * point.exploitability)
        assert low < solved.value < high


def test_the_equilibrium_is_a_bot_as_good_as_was_said(solved):
    made = exploitability(solved.bot)
    assert made.exploitability == pytest.approx(solved.exploitability)
    assert made.value[0] == made.value[1][::-1] == pytest.approx((solved.value, -solved.value))
    assert value(solved.bot, load_bot("greedy")) > -solved.exploitability


def test_cfr_needs_a_whole_number_of_iterations():
    for wrong in (0, -1, 1.5, True, None, 10**8):
        with pytest.raises(ValueError, match="iterations: expected a whole number"):
            equilibrium(TINY, wrong)


# ------------------------------------------------------------------ another process


def test_without_the_compiler(tmp_path):
    """The same numbers as plain Python, without a numeric warning."""
    answer = json.loads(run([TESTS / "exact_program.py"], tmp_path, NUMBA_DISABLE_JIT="1").stdout)
    assert not answer["jit"]
    for name, numbers in exact_program.numbers().items():
        expected = numbers if isinstance(numbers, str) else pytest.approx(np.array(numbers))
        assert (answer["numbers"][name] if isinstance(numbers, str) else np.array(answer["numbers"][name])) == expected


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ("auction", r"rules: expected at most 3,000 deals, as micro or mini has, got 1\.1e\+18"),
        ({"base": "micro", "max_thrown_in": 2}, "rules: expected max_thrown_in = 1"),
        ({"base": "micro", "elder_talon": 2, "younger_talon": 0}, "discard two cards and forgets in which order"),
        ("tiny", "unknown ruleset"),
    ],
)
def test_rules_that_are_refused(rules, reason):
    with pytest.raises(ValueError, match=reason):
        exploitability(load_bot("random"), rules)


def test_where_nobody_has_a_choice_there_is_a_value_and_no_bot():
    changes = {"ranks": "KA", "hand_size": 1, "elder_talon": 0, "younger_talon": 0, "minimum_exchange": 0}
    rules = {**CLASSIC, "suits": "S", "sinking": False, "highest_level": 1, **changes}
    made = exploitability(load_bot("random"), rules)
    assert made.gains == ((0, 0), (0, 0))
    for call in (lambda: equilibrium(rules, 1), lambda: best_response(load_bot("random"), rules)):
        with pytest.raises(ValueError, match="rules: expected a game in which somebody has a choice"):
            call()


def test_mini_is_too_large_for_a_whole_tree():
    for call in (lambda: information_sets("mini"), lambda: equilibrium("mini", 1)):
        with pytest.raises(ValueError, match="at most 360 deals, as micro has, got 1,120"):
            call()
    with pytest.raises(ValueError, match="at most 360 deals"):
        best_response(load_bot("random"), "mini")


class _Acts:
    def act(self, views, rng):
        return views.mask.argmax(axis=1)


class _Deterministic(_Acts):
    deterministic = True


class _Illegal(_Deterministic):
    def act(self, views, rng):
        return np.zeros(len(views.mask), np.int64)


class _NoAction(_Deterministic):
    def act(self, views, rng):
        return np.full(len(views.mask), 80)


def _raise(views):
    raise KeyError("lost")


@pytest.mark.parametrize(
    ("bot", "reason"),
    [
        (_Acts(), r"bot 'it': expected probabilities\(views\), or deterministic = True"),
        (load_bot("expert:fast"), "expected probabilities"),
        (load_bot("omniscient"), "bot 'it': it sees all cards"),
        (_Illegal(), "0 is not legal where it was asked"),
        (_NoAction(), "80 is not legal where it was asked"),
        (Uniform(_raise), "bot 'it': probabilities.* raised KeyError"),
        (Uniform(lambda views: views.mask[:, :79]), "expected probabilities"),
        (Uniform(lambda views: views.mask), "expected probabilities float"),
        (Uniform(lambda views: np.full(views.mask.shape, 1 / 80)), "expected 0 for illegal actions"),
        (Uniform(lambda views: views.mask * np.nan), "a sum of 1 in every game"),
    ],
)
def test_bots_that_are_refused(bot, reason):
    with pytest.raises(BotError, match=reason):
        exploitability(bot, TINY, name="it")


def test_what_a_bot_writes_into_its_view_changes_nothing():
    bot = load_bot("random")

    def meddling(views):
        made = bot.probabilities(views)
        for array in views:
            array[:] = 0
        return made

    assert exploitability(Uniform(meddling), TINY) == exploitability(bot, TINY)


def test_a_deterministic_bot_is_its_own_policy():
    bot = _Deterministic()
    twin = Uniform(lambda views: np.eye(80)[views.mask.argmax(axis=1)])
    assert exploitability(bot, TINY) == exploitability(twin, TINY)
