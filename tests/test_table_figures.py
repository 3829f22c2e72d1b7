"""What is said of several seeds: by hand, by a slow twin, and whether the intervals hold what they say."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")

from training.table.figures import over_pairs, over_seeds, what_it_means


def results(means, half=0.0):
    return [{"mean": float(mean), "interval": [mean - half, mean + half]} for mean in means]


def test_of_three_seeds_without_chance_the_interval_is_their_range():
    found = over_seeds([results([1.0, 2.0, 6.0])])
    assert found == pytest.approx((3.0, 1.0, 6.0))
    assert "from the lowest seed to the highest" in what_it_means(3)
    assert over_seeds([[{"mean": 2.5}, {"mean": 3.5}]]) == pytest.approx((3.0, 2.5, 3.5)), "exact results have none"


def test_of_four_the_highest_and_the_lowest_are_left_out():
    assert over_seeds([results([0.0, 1.0, 3.0, 100.0])]).mean == 2.0
    two = over_seeds([results([0.0, 1.0]), results([3.0, 100.0])])
    assert two.mean == 2.0, "the middle half of all runs against all opponents"


def test_one_seed_has_the_interval_of_its_deals():
    mean, low, high = over_seeds([results([4.0], half=2.0)])
    assert mean == 4.0
    assert (low, high) == pytest.approx((2.0, 6.0), abs=0.1)
    assert over_pairs([results([4.0], half=2.0)]) == pytest.approx((4.0, 2.0, 6.0), abs=0.1)


def test_a_run_is_drawn_with_all_its_opponents():
    """Two opponents against whom every seed does alike say no more than one: apart they would seem to say twice."""
    rng = np.random.default_rng(5)
    seeds = rng.normal(0.0, 10.0, 8)
    one, two = over_seeds([results(seeds)]), over_seeds([results(seeds), results(seeds)])
    assert two.high - two.low == pytest.approx(one.high - one.low, rel=0.1)


def test_the_interval_agrees_with_a_slow_twin():
    means, half, rng = [3.0, -1.0, 7.0, 4.0, 2.0], 1.5, np.random.default_rng(1)
    sample = []
    for _ in range(4000):
        drawn = sorted(rng.normal(mean, half / 1.959964) for mean in rng.choice(means, 5))
        sample.append(sum(drawn[1:4]) / 3)
    found = over_seeds([results(means, half)])
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(sample, [0.025, 0.975])), abs=0.15)


def test_the_seeds_of_two_algorithms_are_drawn_apart():
    """A match is the difference of two strengths: the variance of its mean is that of either algorithm's mean."""
    rng = np.random.default_rng(2)
    ours, theirs = rng.normal(0, 6.0, 30), rng.normal(0, 8.0, 20)
    mean, low, high = over_pairs([results(mine - theirs) for mine in ours])
    assert mean == pytest.approx(ours.mean() - theirs.mean())
    expected = 2 * 1.96 * np.sqrt(ours.var() / 30 + theirs.var() / 20)
    assert high - low == pytest.approx(expected, rel=0.1)


def test_the_interval_covers_the_truth_nearly_as_often_as_it_says():
    rng, covered = np.random.default_rng(0), 0
    for _ in range(60):
        truth = rng.normal(3.0, 1.0, 20)
        found = over_seeds([[{"mean": m, "interval": [m - 1, m + 1]} for m in truth + rng.normal(0, 0.51, 20)]])
        covered += found.low <= 3.0 <= found.high
    assert covered >= 50


@pytest.mark.parametrize(("seeds", "told"), [(1, "alone"), (2, "1 of 2"), (3, "3 of 4"), (5, "few"), (20, "somewhat")])
def test_the_page_says_what_so_few_seeds_can_mean(seeds, told):
    assert told in what_it_means(seeds)


def test_the_range_of_three_holds_the_median_in_three_of_four_cases():
    sample = np.random.default_rng(3).exponential(size=(4000, 3)) - np.log(2)
    held = ((sample.min(axis=1) < 0) & (sample.max(axis=1) > 0)).mean()
    assert held == pytest.approx(0.75, abs=0.03)
