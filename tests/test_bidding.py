"""The bidding benchmark's playout and its deals: against deals played to their end in the engine."""

from __future__ import annotations

import json
import pickle
import random

import numpy as np
import pytest
from bidding_parts import bid_at_random, bid_to, played_out
from helpers import NAMES, hidden, mask_of, new_row, odd_rules, score_of

from piquet_env import auction_piquet_v0, bidding
from piquet_env.bidding import TEST, TRAIN, BiddingDeals, DealsError, held_out_seed
from piquet_env.bidding.playout import score_now
from piquet_env.engine import actions as act
from piquet_env.engine import batch, game
from piquet_env.engine import layout as at
from piquet_env.engine.deal import talon_card
from piquet_env.options import check_seed
from piquet_env.rules import RULESETS, Rules
from piquet_env.solver.api import workspace

# By name, besides odd ones whose hands are so small that the solver has little to do.
WITH_AUCTION = [name for name in NAMES if RULESETS[name].auction]
OTHER_LEVELS = {"base": "auction", "lowest_level": 4, "highest_level": 9}
EARLY_PIQUE = {"base": "auction", "hand_size": 5, "elder_talon": 11, "younger_talon": 11, "lowest_level": 1}
EARLY_PIQUE |= {"highest_level": 5, "pique": 4, "minus_pique": 4}
ODD = [rules for rules in map(odd_rules, range(60)) if rules.auction and rules.hand_size <= 7][:8]
ALL_RULES = [*map(Rules.make, [*WITH_AUCTION, OTHER_LEVELS, EARLY_PIQUE]), *ODD]
SPACE = workspace()


def scores_of(row: np.ndarray) -> np.ndarray:
    """The look-up of a game just dealt: int64 (2, 2, 3)."""
    scores, before = np.full((2, 2, 3), 10**6), row.copy()
    bidding.deal_scores(row, scores, *SPACE)
    assert (row == before).all()
    return scores


# ------------------------------------------------------------------ the playout


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: str(rules.spec())[:40])
def test_a_deal_comes_to_what_it_comes_to_when_it_is_played_out(rules):
    rng = random.Random(1)
    for index in range(4):
        row = new_row(rules, seed=5, index=index)
        scores = scores_of(row)
        bid = bid_at_random(row, rng)
        end = played_out(bid)
        assert bidding.score_of(bid, scores) == score_now(bid, *SPACE) == game.difference(end)


@pytest.mark.parametrize("spec", ["mini", "micro", EARLY_PIQUE], ids=str)
def test_every_contract_of_a_deal(spec):
    rules = Rules.make(spec)
    for index in range(3):
        row = new_row(rules, seed=8, index=index)
        scores = scores_of(row)
        for elder in range(2):
            for is_minus in range(2):
                for level in rules.levels:
                    for stake in bidding.STAKES:
                        bid = bid_to(row, elder, is_minus, level, stake)
                        assert bidding.score_of(bid, scores) == game.difference(played_out(bid))


def test_some_of_these_deals_have_a_pique_that_depends_on_the_stake():
    """So that the search for the score, with a table of its own, is tested by these deals."""
    rules, found = Rules.make(EARLY_PIQUE), 0
    for index in range(100):
        scores = scores_of(new_row(rules, seed=8, index=index))
        steps = np.diff(scores, axis=-1)  # of 1 and of 2 times what a stake adds
        found += int((steps[..., 1] != 2 * steps[..., 0]).sum())
    assert found > 0


# (sign, level, stake, tricks of elder) and what the two get, elder first: the rules page, section 9
ON_THE_PAGE = [
    (0, 8, 1, 10, (40, 2)),
    (0, 8, 2, 7, (17, 25)),
    (0, 12, 1, 12, (52, 0)),
    (1, 7, 1, 4, (24, 8)),
    (1, 7, 1, 7, (7, 35)),
    (1, 7, 1, 0, (90, 12)),
    (1, 9, 4, 6, (6, 126)),
    (1, 12, 1, 0, (40, 12)),
]


@pytest.mark.parametrize("elder", [0, 1])
@pytest.mark.parametrize(("is_minus", "level", "stake", "tricks", "points"), ON_THE_PAGE)
def test_the_level_counts_as_the_page_says(elder, is_minus, level, stake, tricks, points):
    of_sign = 12 - tricks if is_minus else tricks
    besides = points[0] - points[1] - 10 * stake * (of_sign - level)  # tricks, cards and capot
    scores = np.full((2, 2, 3), 10**6)
    scores[elder, is_minus, stake >> 1] = (besides + 10 * stake * (of_sign - 7)) * (1 if elder == 0 else -1)
    row = bid_to(new_row(Rules()), elder, is_minus, level, stake)
    assert bidding.score_of(row, scores) == (points[0] - points[1]) * (1 if elder == 0 else -1)


@pytest.mark.parametrize("score", [-37, 0, 52])
def test_a_settled_deal_is_over_with_its_score(score):
    row = bid_to(new_row(Rules(), seed=3), 1, 1, 9, 2)
    before, seen = row.copy(), [hidden(row, player) for player in range(2)]
    bidding.settle(row, score)
    assert row[at.PHASE] == at.DEAL_OVER
    assert batch.reward_of(row, batch.REWARD_SCORE) == game.difference(row) == score
    for player, points in enumerate((max(score, 0), max(-score, 0))):
        assert score_of(row, player) == ({"contract": points, "total": points} if points else {})
    changed = set(np.flatnonzero(row != before))
    assert changed <= {at.PHASE, *range(at.SCORE, at.SCORE + 2 * len(at.ITEMS))}
    for player in range(2):  # nor does he see anything else
        assert set(np.flatnonzero(hidden(row, player) != seen[player])) == changed
    game.next_deal(row)
    assert row[at.PHASE] == at.GAME_OVER
    assert batch.reward_of(row, batch.REWARD_WIN) == np.sign(score)


def test_settling_now_is_settling_by_the_look_up():
    row = bid_to(new_row(Rules(), seed=4), 0, 0, 8, 1)
    again = row.copy()
    bidding.settle(row, bidding.score_of(row, scores_of(new_row(Rules(), seed=4))))
    bidding.settle_now(again, *SPACE)
    assert (row == again).all()


def test_a_deal_thrown_in_comes_to_nothing():
    row = new_row(Rules(), seed=3)
    scores = scores_of(row)
    for _ in range(2):
        assert game.apply_action(row, act.PASS)
    before = row.copy()
    assert bidding.score_of(row, scores) == score_now(row, *SPACE) == 0
    bidding.settle_now(row, *SPACE)
    assert (row == before).all()


# ------------------------------------------------------------------ the deals


@pytest.fixture(scope="module")
def deals() -> BiddingDeals:
    return BiddingDeals.make(130, 5)


def same(a: BiddingDeals, b: BiddingDeals) -> bool:
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in ("hands", "talon", "scores"))


def test_the_deals_are_those_of_an_environment(deals):
    assert (deals.hands.dtype, deals.talon.dtype, deals.scores.dtype) == (np.uint32, np.uint8, np.int16)
    for index in (0, 77):
        row = new_row(Rules(), seed=5, index=index)
        assert deals.hands[index].tolist() == row[at.HANDS : at.HANDS + 2].tolist()
        assert deals.talon[index].tolist() == [talon_card(row, place) for place in range(8)]
        assert (deals.scores[index] == scores_of(row)).all()
    env = auction_piquet_v0.env()
    env.reset(seed=5)
    cards = env.unwrapped.record()["talon"].split()
    assert mask_of(cards) == sum(1 << int(card) for card in deals.talon[0])


def test_the_deals_depend_on_their_numbers_alone(deals):
    told = []
    part = BiddingDeals.make(70, 5, first=60, threads=3, progress=told.append)
    whole = {name: getattr(deals, name)[60:] for name in ("hands", "talon", "scores")}
    assert same(part, BiddingDeals(Rules(), 5, 60, **whole))
    assert sum(told) == len(part) == 70
    assert not same(part, BiddingDeals.make(70, held_out_seed(5), first=60))


def test_no_environment_deals_what_is_for_tests():
    for seed in (0, 2**63 - 1):
        assert len(BiddingDeals.make(1, held_out_seed(seed), rules="micro")) == 1
        with pytest.raises(ValueError, match="seed"):
            check_seed(held_out_seed(seed))
    assert (TRAIN.seed, TRAIN.number, TEST.seed, TEST.number) == (0, 10**6, held_out_seed(0), 10**4)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"number": 0}, "number: expected a whole number from 1"),
        ({"number": 2.0}, "number: expected a whole number"),
        ({"seed": 2**63}, "seed: expected a whole number from"),
        ({"first": -1}, "first: expected a whole number from 0"),
        ({"first": 2**63 - 2, "number": 3}, "first: the last of 3 games from 9223372036854775806 on"),
        ({"threads": 0}, "threads: expected"),
        ({"rules": "rubicon"}, "rules: expected a game with an auction, got rubicon"),
        ({"rules": "bridge"}, "unknown ruleset"),
    ],
)
def test_deals_that_cannot_be_made(arguments, reason):
    with pytest.raises(ValueError, match=reason):
        BiddingDeals.make(**{"number": 1, "seed": 0, **arguments})


def test_the_last_games_have_deals_too():
    assert len(BiddingDeals.make(2, 0, first=2**63 - 2, rules="micro")) == 2


def test_arrays_of_ones_own(deals):
    arrays = {name: getattr(deals, name) for name in ("hands", "talon", "scores")}
    every_other = BiddingDeals(Rules(), 5, 0, **{name: array[::2] for name, array in arrays.items()})
    assert every_other.hands.flags.c_contiguous
    assert (every_other.hands == deals.hands[::2]).all()
    wrong = {
        "scores: expected int16": {"scores": arrays["scores"][:100]},
        r"hands: expected uint32 \(130, 2\), got int64": {"hands": arrays["hands"].astype(np.int64)},
        r"talon: expected uint8 \(130, 8\)": {"talon": arrays["talon"][:, :7]},
        r"hands: expected uint32 \(N, 2\), got list": {"hands": arrays["hands"].tolist()},
        "expected at least one deal": {name: array[:0] for name, array in arrays.items()},
    }
    for reason, others in wrong.items():
        with pytest.raises(DealsError, match=reason):
            BiddingDeals(Rules(), 5, 0, **arrays | others)
    with pytest.raises(DealsError, match="a game with an auction"):
        BiddingDeals(Rules.make("rubicon"), 5, 0, **arrays)


def test_deals_pickled_out_of_band_are_like_others(deals):
    buffers: list[pickle.PickleBuffer] = []
    content = pickle.dumps(deals, 5, buffer_callback=buffers.append)
    again = pickle.loads(content, buffers=[bytes(buffer) for buffer in buffers])
    assert same(again, deals)
    assert all(getattr(again, name).flags.writeable for name in ("hands", "talon", "scores"))


# ------------------------------------------------------------------ files


@pytest.fixture
def file(deals, tmp_path):
    deals.save(tmp_path / "deals.npz")
    return tmp_path / "deals.npz"


def refused(file, reason, rules=None):
    with pytest.raises(DealsError, match=reason) as error:
        BiddingDeals.load(file, rules)
    assert str(error.value).startswith(f"{file}: no deals for bidding: ")
    assert "\n" not in str(error.value)


def test_a_file_is_the_same_deals(deals, file):
    loaded = BiddingDeals.load(file)
    assert same(loaded, deals)
    assert (loaded.rules, loaded.seed, loaded.first, len(loaded)) == (Rules(), 5, 0, 130)
    assert loaded.checksum == deals.checksum
    assert loaded.part is None
    odd = BiddingDeals.make(3, 1, rules={"base": "micro", "sinking": False})
    odd.save(file)
    assert same(BiddingDeals.load(file), odd)


def test_files_are_for_the_rules_that_they_were_made_for(file):
    assert len(BiddingDeals.load(file, "auction-parlett")) == 130  # another auction about the same deals
    assert len(BiddingDeals.load(file, {"base": "auction", "max_thrown_in": 1, "highest_level": 9})) == 130
    refused(file, "rules: the deals are of auction, and here auction-cavendish is played", "auction-cavendish")
    refused(file, "the deals are of auction, and here .*lowest_level", {"lowest_level": 8})
    refused(file, "here rubicon is played", "rubicon")


def test_files_that_are_damaged(file):
    content = file.read_bytes()
    for length in (0, 10, len(content) // 2, len(content) - 1):
        file.write_bytes(content[:length])
        refused(file, ".")
    for place in (100, len(content) // 2, len(content) - 60):
        damaged = bytearray(content)
        damaged[place] ^= 0xFF
        file.write_bytes(damaged)
        refused(file, ".")
    refused(file.with_name("absent.npz"), "No such file")


def test_deals_are_shown_in_a_line(deals):
    assert repr(deals) == "<BiddingDeals: 130 of auction, seed 5, from number 0>"


def test_files_of_another_kind(file):
    """numpy would load the one, and advise to have the other's pickled objects run."""
    np.save(file.with_suffix(".npy"), np.zeros(3))
    for content in (file.with_suffix(".npy").read_bytes(), b"pair,half,deal\n1,0,0\n"):
        file.write_bytes(content)
        refused(file, "it is no .npz file$")


def changed(file, header=None, **arrays):
    """The same file with other arrays, or another header."""
    with np.load(file) as content:
        kept = {name: content[name] for name in content.files}
    made = json.dumps(json.loads(str(kept["header"])) | (header or {}))
    np.savez(file, **kept | arrays | {"header": np.array(made)})


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"format": "piquet-bidding/2"}, "expected the format 'piquet-bidding/1'"),
        ({"playout": 2}, "it is of playout 2, this program has 1"),
        ({"versions": {"rules": 0}}, "it is of versions {'rules': 0}, this program has"),
        ({"rules": "bridge"}, "unknown ruleset 'bridge'"),
        ({"rules": "mini"}, "talon: expected uint8 "),
        ({"rules": "rubicon"}, "a game with an auction"),
        ({"number": 129}, r"hands: expected uint32 \(129, 2\), got uint32 \(130, 2\)"),
        ({"seed": "0"}, "its header has no 'seed'"),
        ({"seed": True}, "seed: expected a whole number"),
        ({"seed": 2**63}, "seed: expected a whole number from"),
        ({"first": -1}, "first: expected a whole number from 0"),
        ({"first": 2**63 - 9}, "first: the last of 130 games"),
        ({"number": 2**80}, "number: expected a whole number from 1"),
        ({"sha256": "0"}, "does not fit its checksum"),
    ],
)
def test_headers_that_do_not_fit(file, header, reason):
    changed(file, header)
    refused(file, reason)


def test_arrays_that_do_not_fit(deals, file):
    other = deals.scores.copy()
    other[7, 0, 1, 2] += 1
    twice = deals.talon.copy()
    twice[3, 0] = twice[3, 1]
    wrong = {
        "does not fit its checksum": {"scores": other},
        "scores: expected int16": {"scores": deals.scores.astype(np.int32)},
        "its cards are not those of the pack": {"talon": twice},
        "cards are not those of": {"talon": deals.talon + 32},
        "cards are not those of the pack": {"hands": deals.hands[::-1].copy()},
    }
    content = file.read_bytes()
    for reason, arrays in wrong.items():
        file.write_bytes(content)
        changed(file, **arrays)
        refused(file, reason)
