"""Whole games drawn for what a player does not know: he cannot tell them from the true one, and all are as likely."""

import itertools
import json
import random
from collections import Counter
from dataclasses import replace

import by_hand
import helpers
import positions
import pytest
import worlds
from helpers import NAMES, hidden, mask_of
from scipy.stats import chisquare, norm

from piquet_env import auction_piquet_v0, knowledge
from piquet_env.belief import opponent_hands, sample_hidden
from piquet_env.engine import actions as act
from piquet_env.engine import batch, game
from piquet_env.engine import layout as at
from piquet_env.records import check_record, deal_record
from piquet_env.rules import RULESETS, Rules
from piquet_env.views import view

LEAST_P = 1e-4


# ------------------------------------------------------------------ the same to him


def check_same(row, samples, me):
    """Bit for bit; the mask where he is to act for certain. And every sample is a game that can come about."""
    known = hidden(row, me)
    for sample in samples:
        assert (hidden(sample, me) == known).all()
        assert (knowledge.observation(sample, me) == knowledge.observation(row, me)).all()
    assert json.dumps(view(samples[-1], me)) == json.dumps(view(row, me))
    if row[at.ACTOR] == me:
        assert (knowledge.action_mask(samples[-1], me) == knowledge.action_mask(row, me)).all()
    assert batch.first_unreachable(samples) == -1
    states = {int(state) for state in samples[:, at.RANDOM]} | {int(row[at.RANDOM])}
    assert len(states) == len(samples) + 1


def walk_and_check(rules, rng, partie) -> Counter:
    start = helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng), partie=partie)
    row, phases = start, Counter()
    for _, action in helpers.walk(row, rng, deals=1):
        if action is None:
            break
        me = rng.randrange(2)
        seed = rng.getrandbits(62)
        samples = sample_hidden(row, me, 2, seed)
        check_same(row, samples, me)
        assert (sample_hidden(hidden(row, me), me, 2, seed) == samples).all()  # nothing hidden was read
        phases[at.Phase(int(row[at.PHASE])).name] += 1
    return phases


@pytest.mark.parametrize("name", NAMES)
def test_he_cannot_tell_them_apart(name):
    rng, phases = random.Random(f"samples {name}"), Counter()
    for deal in range(14):
        phases += walk_and_check(RULESETS[name], rng, partie=deal % 2 == 0)
    assert {"EXCHANGE", "POINT", "PLAY"} <= set(phases)
    assert phases.total() > 60


def test_he_cannot_tell_them_apart_under_any_rules():
    rng, phases = random.Random("samples odd"), Counter()
    for _ in range(60):
        rules = helpers.build_rules(rng.randint)
        if rules.hand_size in range(8, 11) and rules.elder_talon + rules.younger_talon > 8:
            continue  # lists of hundreds of thousands
        phases += walk_and_check(rules, rng, partie=False)
    assert phases.total() > 1000


def test_the_same_seed_gives_the_same_and_another_others():
    row = helpers.new_row(RULESETS["auction"], seed=8)
    first = sample_hidden(row, 0, 5, 1)
    assert (sample_hidden(row, 0, 5, 1) == first).all()
    assert (sample_hidden(row, 0, 3, 1) == first[:3]).all()
    assert (sample_hidden(row, 0, 5, 2)[:, at.DEALT + 1] != first[:, at.DEALT + 1]).all()
    assert sample_hidden(row, 0, 0, 1).shape == (0, at.COLUMNS)
    assert sample_hidden(row, 0, 2, None).shape == (2, at.COLUMNS)


def test_they_play_on_and_their_records_replay():
    rng = random.Random("play on")
    for name in NAMES:
        row = helpers.new_row(RULESETS[name], seed=rng.getrandbits(62))
        moves = rng.randrange(2, 12)
        for _ in itertools.islice(helpers.walk(row, rng, deals=1), moves):
            pass
        if row[at.PHASE] >= at.DEAL_OVER:
            continue
        for sample in sample_hidden(row, rng.randrange(2), 3, 5):
            for _ in helpers.walk(sample, rng, deals=1):
                pass
            assert sample[at.PHASE] >= at.DEAL_OVER
            record = deal_record(sample)
            check_record(record)
            assert "result" in record


def test_what_is_dealt_later_differs():
    row = helpers.new_row(RULESETS["rubicon"], partie=True, seed=5)
    games, later = [row, *sample_hidden(row, 1, 6, 5)], set()
    for one in games:
        for _ in helpers.walk(one, random.Random(3), deals=1):
            pass
        game.next_deal(one)
        later.add((int(one[at.DEALT]), int(one[at.DEALT + 1])))
    assert len(later) == len(games)


# ------------------------------------------------------------------ what is settled by agreement


def test_who_is_in_the_middle_of_his_exchange_begins_it():
    row = helpers.new_row(RULESETS["rubicon"], seed=5)
    elder = int(row[at.ELDER])
    for card in helpers.cards_of(row[at.HANDS + elder])[:3]:
        assert game.apply_action(row, card)
    samples = sample_hidden(row, 1 - elder, 20, 1)
    assert (samples[:, at.DISCARDS + elder] == 0).all()
    assert (samples[:, at.HANDS + elder] == samples[:, at.DEALT + elder]).all()
    own = sample_hidden(row, elder, 20, 1)
    assert (own[:, at.DISCARDS + elder] == row[at.DISCARDS + elder]).all()


@pytest.mark.parametrize("answer", [None, "none"])
def test_a_carte_blanche_that_was_not_shown_has_been_refused(answer):
    """Asked or not, the other cannot tell; in a sample in which he holds one, it is past."""
    row = by_hand.deal("rubicon", "A987.A987.A987.", "KQJT.KQJT.KQJT.", dealer=1)
    assert row[at.PHASE] == at.IN_CARTE_BLANCHE
    if answer:
        by_hand.play(row, f"0 {answer}")
    samples = sample_hidden(row, 1, 30000, 1)
    assert (samples[:, at.PHASE] == at.EXCHANGE).all()
    court = mask_of([suit + rank for suit in "SHDC" for rank in "KQJ"])
    blank = samples[samples[:, at.DEALT] & court == 0]
    assert len(blank) > 0  # of eight unseen cards that are none but A987 and clubs, about one hand in 125,970 / 455
    assert (blank[:, at.ACTED] == 1).all()
    assert helpers.history(blank[0]) == [(0, act.NONE)]
    assert (samples[samples[:, at.DEALT] & court != 0][:, at.ACTED] == 0).all()


def test_who_is_asked_for_carte_blanche_has_not_answered():
    row = by_hand.deal("rubicon", "KQJT.KQJT.KQJT.", "A987.A987.A987.", dealer=1)
    samples = sample_hidden(row, 1, 20, 1)
    assert (samples[:, at.PHASE] == at.IN_CARTE_BLANCHE).all()
    check_same(row, samples, 1)


# ------------------------------------------------------------------ all are as likely


def world_of(sample, me) -> worlds.World:
    they = 1 - me
    cards = [
        frozenset(map(helpers.card_name, helpers.cards_of(sample[column + they])))
        for column in (at.DEALT, at.DISCARDS, at.DRAWN, at.HANDS)
    ]
    size = 2 * int(sample[at.HAND_SIZE])
    return worlds.World(*cards, tuple(helpers.card_name(card) for card in helpers.dealt_cards(sample)[size:]))


SMALL = {
    "micro": RULESETS["micro"],
    "mini": RULESETS["mini"],
    "mini without sinking": replace(RULESETS["mini"], sinking=False),
    "mini, one pile": replace(RULESETS["mini"], younger_draws_leftovers=True),
    "mini, leftovers seen": replace(RULESETS["mini"], younger_sees_leftovers=True),
    "mini, open": replace(RULESETS["mini"], open_hands=True),
    "classic": Rules.make(
        {"base": "rubicon", "suits": "SH", "ranks": "9TJQ", "hand_size": 3, "elder_talon": 1, "younger_talon": 1}
        | {"lowest_level": 1, "highest_level": 3, "repique": 5, "pique": 4}
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_chi_square_against_all_worlds(name):
    """Every deal, discard and order of the talon that is possible comes as often as every other."""
    rng, compared = random.Random(f"chi {name}"), 0
    for start in positions.starts(SMALL[name], False, rng, 12):
        for position in positions.positions(SMALL[name], start, rng, 3):
            twin, row, me = position.played(), position.row(), rng.randrange(2)
            if twin.phase == "over":
                continue
            expected = worlds.all_worlds(position, twin, me)
            samples = sample_hidden(row, me, 30 * len(expected), rng.getrandbits(62))
            counts = Counter(world_of(sample, me) for sample in samples)
            assert set(counts) <= set(expected)
            if len(expected) > 1:
                assert chisquare([counts[world] for world in expected]).pvalue > LEAST_P, (position, me)
                compared += 1
    assert compared > 8


def late_positions(name, count):
    """After both exchanges, where there are 2 to 400 hands: (row, me)."""
    rng, found = random.Random(f"late chi {name}"), []
    while len(found) < count:
        row = helpers.new_row(RULESETS[name], seed=rng.getrandbits(62))
        for _, action in helpers.walk(row, rng, deals=1):
            me = rng.randrange(2)
            if action is None or row[at.PHASE] < at.IN_POINT or rng.random() > 0.2:
                continue
            if 1 < len(opponent_hands(row, me)[0]) <= 400:
                found.append((row.copy(), me))
                break
    return found


@pytest.mark.parametrize("name", [name for name in NAMES if RULESETS[name].hand_size == 12 and name != "open"])
def test_chi_square_in_late_positions_of_large_packs(name):
    """Hands by their list; and, the hand aside, which cards were drawn and in which place of the talon they lay."""
    for row, me in late_positions(name, 8):
        hands, _ = opponent_hands(row, me)
        samples = sample_hidden(row, me, 30 * len(hands), 77)
        counts = Counter(samples[:, at.HANDS + 1 - me].tolist())
        assert set(counts) <= set(hands.tolist())
        assert chisquare([counts[hand] for hand in hands.tolist()]).pvalue > LEAST_P
        drawn = samples[:, at.DRAWN + 1 - me] & ~row[at.RETAKEN]
        final = samples[:, at.HANDS + 1 - me] | samples[:, at.PLAYED + 1 - me]
        _check_share(drawn, final & ~row[at.RETAKEN])


def _check_share(drawn, final):
    """Of his cards, as they stand in order, each was drawn as often as the others."""
    places = Counter()
    for some, cards in zip(drawn.tolist(), final.tolist(), strict=True):
        places.update(place for place, card in enumerate(helpers.cards_of(cards)) if some >> card & 1)
    if places:
        size = int(final[0]).bit_count()
        counts = [places[place] for place in range(size)]
        # Draws without return are spread more evenly than chi-square expects; so this only finds what is uneven.
        assert chisquare(counts).pvalue > LEAST_P


def test_the_true_cards_come_no_more_often_than_chance():
    """Also when the seed is the one that dealt them."""
    found, expected, variance = 0, 0.0, 0.0
    for seed in range(150):
        env = auction_piquet_v0.env("micro")
        env.reset(seed=seed)
        row = env.unwrapped._row.copy()
        for _, action in helpers.walk(row, random.Random(seed), deals=1):
            if action is None:
                break
            for me in (0, 1):
                hands, _ = opponent_hands(row, me)
                if row[at.HANDS + 1 - me] in hands:
                    chance = 1 / len(hands)
                    found += int(
                        (sample_hidden(row, me, 10, seed)[:, at.HANDS + 1 - me] == row[at.HANDS + 1 - me]).sum()
                    )
                    expected += 10 * chance
                    variance += 10 * chance * (1 - chance)
    # One seed serves every position of a deal, so the draws of a deal hang together: about ten positions each.
    assert abs(found - expected) < norm.isf(LEAST_P) * (10 * variance) ** 0.5
    assert expected > 1000


def test_the_true_hand_is_not_dealt_again_from_its_own_seed():
    """Of 125,970 hands."""
    for seed in range(60):
        env = auction_piquet_v0.env("auction")
        env.reset(seed=seed)
        for me in (0, 1):
            samples = sample_hidden(env, me, 20, seed)
            assert (samples[:, at.DEALT + 1 - me] != env.unwrapped._row[at.DEALT + 1 - me]).all()


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize("n", [-1, 1.5, "3", None, True, 10**9])
def test_numbers_that_are_refused(n):
    with pytest.raises(ValueError, match=r"^n: "):
        sample_hidden(helpers.new_row(RULESETS["micro"]), 0, n, 1)


@pytest.mark.parametrize(("seed", "error"), [(-1, ValueError), (2**63, ValueError), ("a", TypeError), (0.5, TypeError)])
def test_seeds_that_are_refused(seed, error):
    with pytest.raises(error, match=r"^seed: "):
        sample_hidden(helpers.new_row(RULESETS["micro"]), 0, 1, seed)


def test_games_that_are_refused():
    row = helpers.new_row(RULESETS["micro"], seed=1)
    with pytest.raises(ValueError, match="player"):
        sample_hidden(row, 2, 1, 1)
    with pytest.raises(ValueError, match="hidden"):
        sample_hidden(hidden(row, 1), 0, 1, 1)
    for _ in helpers.walk(row, random.Random(1), deals=1):
        pass
    with pytest.raises(ValueError, match="over"):
        sample_hidden(row, 0, 1, 1)
    with pytest.raises(ValueError, match="game"):
        sample_hidden("micro", 0, 1, 1)
