"""The exact solver against brute force (tests/brute.py) on endings, and against itself on whole deals."""

import functools
import itertools
import random

import brute
import helpers
import numpy as np
import pytest

from piquet_env import Rules
from piquet_env.engine import layout as at
from piquet_env.rules import RULESETS
from piquet_env.solver import NOT_LEGAL, card_values, deal_values
from piquet_env.solver.positions import relative
from piquet_env.solver.scores import is_settled, kind_of
from piquet_env.solver.tricks import LOSE, WIN, bounds, most_within, whole

OBJECTIVES = ("score", "tricks")
# Hands so small that at the first lead somebody may have nothing, and thresholds that then can be reached.
FIVE = {"hand_size": 5, "elder_talon": 11, "younger_talon": 11, "lowest_level": 1, "highest_level": 5}
AUCTION = {"base": "auction", **FIVE}
EARLY_PIQUE = {
    "low": {**AUCTION, "pique": 4, "minus_pique": 4},
    "higher": {**AUCTION, "pique": 7, "minus_pique": 8, "sinking": False},
    "no declarations": {**AUCTION, "minimum_point": 8, "pique": 3, "minus_pique": 2},
    "classic": {"base": "rubicon", "pique": 7, "carte_blanche": 0, **FIVE},
    "with a stop": {"base": "cent", "pique": 6, "stop_at": 40, "carte_blanche": 0, **FIVE},
}


def named(values: np.ndarray) -> dict[str, int]:
    """The values of the legal cards, by name."""
    return {helpers.card_name(card): int(value) for card, value in enumerate(values) if value != NOT_LEGAL}


def check(endings: list[brute.Ending]) -> None:
    """Every legal card of every ending, and the deal, for both objectives."""
    rows = np.array([ending.row for ending in endings])
    for objective in OBJECTIVES:
        solved, best = card_values(rows, objective), deal_values(rows, objective)
        for (row, twin), values, value in zip(endings, solved, best, strict=True):
            expected = brute.card_values(twin, objective)
            assert named(values) == expected, (objective, sorted(map(sorted, twin.hands)), twin.led, twin.contract)
            assert value == _for_player_0(row, expected.values(), objective)


def _for_player_0(row, values, objective) -> int:
    """The best of the cards' values, which are those of the player to act."""
    wants_few = objective == "tricks" and row[at.IS_MINUS]
    best = min(values) if wants_few else max(values)
    if row[at.ACTOR] == 0:
        return best
    return row[at.HAND_SIZE] - best if objective == "tricks" else -best


# ------------------------------------------------------------------ against brute force


@pytest.mark.parametrize("name", RULESETS)
def test_endings_of_every_ruleset(name):
    check(brute.endings(RULESETS[name], random.Random(name), 150))


def test_endings_of_every_contract():
    """Plus and minus, undoubled, doubled and redoubled, either player elder; at the lead and within a trick."""
    endings = brute.endings(Rules(), random.Random(1), 700, most_cards=4)
    check(endings)
    seen = {tuple(ending.row[[at.IS_MINUS, at.STAKE, at.ELDER]].tolist()) for ending in endings}
    assert seen == set(itertools.product((0, 1), (1, 2, 4), (0, 1)))
    assert {(bool(ending.row[at.LED] >= 0), int(ending.row[at.ACTOR])) for ending in endings} == set(
        itertools.product((False, True), (0, 1))
    )


@pytest.mark.parametrize("spec", EARLY_PIQUE.values(), ids=EARLY_PIQUE.keys())
def test_endings_where_pique_comes_early(spec):
    endings = brute.endings(Rules.make(spec), random.Random(str(spec)), 150)
    check(endings)
    assert sum(not is_settled(ending.row) for ending in endings) > 10
    assert any(_wins_pique(ending) for ending in endings)


@pytest.mark.parametrize("name", ["auction", "rubicon", "cavendish"])
def test_endings_where_pique_is_still_open(name):
    """With the real thresholds: one has scored all but some of it, the other nothing (or one point)."""
    rng, endings = random.Random(name), []
    for ending in brute.endings(RULESETS[name], rng, 150, most_cards=4):
        threshold = ending.row[at.MINUS_PIQUE_AT if ending.row[at.IS_MINUS] else at.PIQUE_AT]
        points = [rng.choice((0, 0, 0, 1))] * 2
        points[ending.twin.elder if rng.random() < 0.7 else ending.twin.younger] = int(threshold) - rng.randint(1, 5)
        endings.append(brute.with_scores(ending, tuple(points)))
    check(endings)
    assert sum(not is_settled(ending.row) for ending in endings) > 30
    assert any(_wins_pique(ending) for ending in endings)


def _wins_pique(ending) -> bool:
    """Whether pique is worth something to the player to act: he gets more where there is none."""
    twin = ending.twin
    without = brute.with_scores(ending, tuple(score["total"] for score in twin.score)).twin
    without.rules = twin.rules | {"pique": 10**6, "minus_pique": 10**6}
    return brute.card_values(without, "score") != brute.card_values(twin, "score")


def test_endings_near_the_stop():
    """Piquet au cent: the totals are such that a point of the play may stop the deal, pique or not."""
    rng, endings = random.Random(2), []
    for ending in brute.endings(RULESETS["cent"], rng, 400, most_cards=4, partie=True):
        points = rng.choice(((0, 0), (rng.randint(20, 29), 0), (0, rng.randint(20, 29)), (7, 9)))
        totals = tuple(99 - n - rng.choice((0, 1, 2, 3, 5, 8, 13, 40)) for n in points)
        endings.append(brute.with_scores(ending, points, totals))
    check(endings)
    assert sum(not is_settled(ending.row) for ending in endings) > 200


def test_endings_of_odd_rules():
    """Odd packs, hands of any size, thresholds from 1 up, all by section 11 of the rules."""
    rng, endings = random.Random(3), []
    for seed in range(90):
        endings += brute.endings(helpers.odd_rules(seed), rng, 10, most_cards=4, partie=seed % 2 == 1)
    check(endings)
    assert len({ending.row[at.PACK] for ending in endings}) > 20


# ------------------------------------------------------------------ bounds


def test_bounds_never_exceed_the_truth():
    """`least` and `most` of the leader, without search; and they are not empty words: often they meet."""
    met = {WIN: 0, LOSE: 0}
    endings = brute.endings(Rules(), random.Random(4), 500, even=True)
    for row, twin in endings:
        kind, left = kind_of(row), int(row[at.HAND_SIZE] - row[at.TRICK])
        lead, other = relative(row[at.HANDS + row[at.ACTOR]], row[at.HANDS + 1 - row[at.ACTOR]])
        won = brute.card_values(twin, "tricks").values()
        got = (max(won) if kind == WIN else min(won)) - int(row[at.WON + row[at.ACTOR]])
        least, most = bounds(kind, lead, other, left)
        assert least <= (got if kind == WIN else left - got) <= most
        met[kind] += least == most
    assert min(met.values()) > len(endings) // 10


@pytest.mark.parametrize("kind", [0, 1, 2], ids=["win", "lose", "classic"])
def test_bounds_on_large_hands(kind):
    """Against the best lead found by search, in which the bounds of this very position are not used."""
    rng, table = np.random.default_rng(kind), np.zeros(1 << 12, np.int64)
    for _ in range(300):
        size = int(rng.integers(2, 13))
        cards = rng.permutation(32)[: 2 * size]
        lead, other = relative(helpers.mask_of(cards[:size]), helpers.mask_of(cards[size:]))
        least, most = bounds(kind, lead, other, size)
        assert least <= _by_leads(kind, lead, other, size, table) <= most


def _by_leads(kind, lead, other, size, table) -> int:
    """What the leader gets, from what there is after each trick that he can begin."""

    def rest(leader, follower, first):
        """What the leader of this trick gets in all, `first` for the trick and the rest by search."""
        return first(True) + most_within(kind, *relative(leader, follower), size - 1, 0, whole(kind, size - 1), table)

    def answered(card, answer):
        wins = answer >> 3 != card >> 3 or answer < card
        mine, theirs = lead ^ 1 << card, other ^ 1 << answer
        gain = functools.partial(_gain, kind, size)
        return rest(mine, theirs, gain) if wins else whole(kind, size) - rest(theirs, mine, gain)

    values = []
    for card in helpers.cards_of(lead):
        follows = [answer for answer in helpers.cards_of(other) if answer >> 3 == card >> 3]
        values.append(min(answered(card, answer) for answer in follows or helpers.cards_of(other)))
    return max(values)


def _gain(kind, size, wins) -> int:
    """For a trick, by what `tricks` says of each kind: the winner's share."""
    if kind == LOSE:
        return 0
    return 1 if kind == WIN else 3 if size == 1 else 2


# ------------------------------------------------------------------ whole deals


@pytest.fixture(scope="module")
def whole_deals() -> np.ndarray:
    """Whole deals at the first lead: contracts of both kinds, and classic ones."""
    rules = (Rules(), RULESETS["rubicon"], Rules.make({"base": "auction", "pique": 9, "minus_pique": 9}))
    return np.concatenate([brute.deals(made, random.Random(5), 50) for made in rules])


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_names_of_the_suits_do_not_matter(whole_deals, objective):
    values = card_values(whole_deals, objective)
    rng = np.random.default_rng(6)
    order = np.array([rng.permutation(4) for _ in whole_deals])
    changed = whole_deals.copy()
    for row, suits in zip(changed, order, strict=True):
        for column in (at.HANDS, at.HANDS + 1, at.PLAYED, at.PLAYED + 1, at.PACK):
            row[column] = sum((int(row[column]) >> 8 * suit & 255) << 8 * int(to) for suit, to in enumerate(suits))
    by_suit = card_values(changed, objective).reshape(-1, 4, 8)
    for before, after, suits in zip(values.reshape(-1, 4, 8), by_suit, order, strict=True):
        assert np.array_equal(before, after[suits])


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_deal_is_worth_what_the_best_card_is(whole_deals, objective):
    """And every card what the deal is worth once it is played."""
    solved, best = card_values(whole_deals, objective), deal_values(whole_deals, objective)
    for row, values, value in zip(whole_deals, solved, best, strict=True):
        assert value == _for_player_0(row, named(values).values(), objective)
    for row, values in zip(whole_deals[::9], solved[::9], strict=True):
        played = np.array([brute.play(row, card) for card in named(values)])
        after = deal_values(played, objective)
        if row[at.ACTOR] == 1:
            after = row[at.HAND_SIZE] - after if objective == "tricks" else -after
        assert after.tolist() == list(named(values).values())


def test_equal_cards_and_only_legal_ones():
    """A king that lies over the queen of the same hand is as good; what does not follow suit has no value."""
    for row in brute.deals(Rules(), random.Random(7), 30):
        card = next(iter(named(card_values(row, "tricks"))))
        after = brute.play(row, card)
        assert sorted(named(card_values(after))) == sorted(map(helpers.card_name, helpers.legal(after)))
        values = named(card_values(row))
        for lower, higher in itertools.pairwise(sorted(helpers.cards_of(row[at.HANDS + row[at.ACTOR]]))):
            if higher == lower + 1 and higher & 7:
                assert values[helpers.card_name(lower)] == values[helpers.card_name(higher)]
