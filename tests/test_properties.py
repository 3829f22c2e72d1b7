"""What holds in every game of any rules: cards, legality, ranges, rewards, ends, and independence in a batch."""

import random

import helpers
import numpy as np
import pytest
from helpers import BIGGEST_SEED, NAMES
from hypothesis import given, settings
from hypothesis import strategies as st

from piquet_env import knowledge
from piquet_env.engine import actions as act
from piquet_env.engine import batch, game
from piquet_env.engine import layout as at
from piquet_env.envs.loops import Buffers, step_games, step_row
from piquet_env.rules import RULESETS, Rules

SEEDS = st.integers(0, BIGGEST_SEED)
KINDS = {"score": batch.REWARD_SCORE, "payment": batch.REWARD_PAYMENT, "win": batch.REWARD_WIN}


def check_cards(row):
    """Hands, discards, cards played and what is left of the talon are the pack, each card in one place."""
    v = row.view(at.LAYOUT)[0]
    drawn = sum(max(0, int(n)) for n in v["exchanged"])
    talon = helpers.dealt_cards(row)[2 * int(row[at.HAND_SIZE]) :]
    in_talon = helpers.mask_of(talon) & ~int(v["drawn"][0]) & ~int(v["drawn"][1])
    places = [int(mask) for name in ("hands", "discards", "played") for mask in v[name]] + [in_talon]
    assert sum(mask.bit_count() for mask in places) == int(row[at.PACK]).bit_count()
    assert sum(places) == row[at.PACK]  # each card once: the masks add up without a carry
    assert in_talon.bit_count() == len(talon) - drawn
    if row[at.PHASE] == at.PLAY:
        held = [int(mask).bit_count() for mask in v["hands"]]
        assert sum(held) == 2 * (row[at.HAND_SIZE] - row[at.TRICK]) - (row[at.LED] >= 0)


def check_ranges(row):
    """Every column lies in the range that its field states, and a known row's in that or at -1."""
    assert ((row >= _LOW) & (row <= _HIGH)).all(), _outside(row)
    for player in (0, 1):
        known = helpers.hidden(row, player)
        assert (((known >= _LOW) & (known <= _HIGH)) | (known == -1)).all()


_LOW = np.concatenate([np.full(f.size, f.low, np.int64) for f in at.FIELDS])
_HIGH = np.concatenate([np.full(f.size, f.high, np.int64) for f in at.FIELDS])


def _outside(row) -> list[str]:
    bad = np.flatnonzero((row < _LOW) | (row > _HIGH))
    return [f"{f.name}: {row[c]}" for c in bad for f in at.FIELDS if f.start <= c < f.start + f.size]


def check_score(row):
    for player in (0, 1):
        items = row[at.SCORE + player * len(at.ITEMS) :][: len(at.ITEMS)]
        assert items[:-1].sum() == items[-1]
    bonuses = [at.ITEM_REPIQUE, at.ITEM_PIQUE]
    both = row[at.SCORE : at.SCORE + 2 * len(at.ITEMS)].reshape(2, -1)[:, bonuses]
    assert (both > 0).sum() <= 1


def check_vector(row):
    """0 and 1, and each feature in the form that it claims."""
    for player in (0, 1):
        vector = knowledge.state(row, player)
        assert set(np.unique(vector).tolist()) <= {0, 1}
        assert (vector[: knowledge.OBSERVATION_SIZE] == knowledge.observation(row, player)).all()
        for feature in knowledge.features(knowledge.STATE_SIZE):
            bits = vector[feature.start : feature.stop].tolist()
            if feature.form == "one-hot":
                assert sum(bits) <= 1, feature
            elif feature.form == "thermometer":
                assert bits == sorted(bits, reverse=True), feature


# ------------------------------------------------------------------ hypothesis


@given(rules=helpers.any_rules(), seed=SEEDS, partie=st.booleans())
@settings(max_examples=150)
def test_every_step_keeps_the_books(rules, seed, partie):
    rng = random.Random(seed)
    row = helpers.new_row(rules, partie, seed)
    for actions, action in helpers.walk(row, rng, deals=2):
        check_cards(row)
        check_ranges(row)
        check_score(row)
        assert (action is None) == (row[at.PHASE] == at.DEAL_OVER) == (not actions)
    check_ranges(row)


@given(rules=helpers.any_rules(), seed=SEEDS)
@settings(max_examples=120)
def test_every_vector_has_the_form_it_claims(rules, seed):
    rng = random.Random(seed)
    row = helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng))
    for _ in helpers.walk(row, rng, deals=1):
        if rng.random() < 0.3 or row[at.PHASE] == at.DEAL_OVER:
            check_vector(row)


@pytest.mark.parametrize(
    ("hands", "sequences"),
    [((5, 5, 5), 15 + 15 + 15), ((8, 5, 2), 18 + 15), ((4, 4, 4), 4 + 4 + 4)],
)
def test_the_most_that_sequences_can_score(hands, sequences):
    """Hands of 16 cards: the digits of the score must have room."""
    rules = Rules(hand_size=16, elder_talon=0, younger_talon=0, lowest_level=11, highest_level=16, sinking=False)
    mine = [8 * suit + 7 - n for suit, length in enumerate(hands) for n in range(length)]
    mine += [8 * 3 + rank for rank in (4, 1, 6, 2)[: 16 - len(mine)]]  # these break the other's clubs
    row = helpers.set_up(rules, 1, mine + [card for card in range(32) if card not in mine])
    for action in (act.PLUS, act.PASS, act.STAND, act.STAND):
        assert game.apply_action(row, action)
    assert helpers.score_of(row, 0)["sequence"] == sequences
    check_vector(row)
    seen = knowledge.describe(knowledge.observation(row, 0))
    tens = 0 if seen["sequence_tens"] is None else seen["sequence_tens"] + 1
    assert 10 * tens + seen["sequence_units"] == sequences


# ------------------------------------------------------------------ legality

HUGE = (-(2**63), -(2**31), -81, -80, -1, 80, 81, 127, 128, 255, 2**31, 2**32, 2**62, 2**63 - 1)


@given(rules=helpers.any_rules(), seed=SEEDS, others=st.lists(st.integers(-(2**63), 2**63 - 1), max_size=3))
@settings(max_examples=250)
def test_an_action_is_accepted_just_when_the_mask_has_it(rules, seed, others):
    rng = random.Random(seed)
    row = helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng))
    for actions, _ in helpers.walk(row, rng, deals=1):
        mask = knowledge.action_mask(row, int(row[at.ACTOR]))
        assert np.flatnonzero(mask).tolist() == actions
        assert not knowledge.action_mask(row, 1 - int(row[at.ACTOR])).any()
        for action in (*range(act.ACTIONS), *HUGE, *others):
            tried = row.copy()
            accepted = game.apply_action(tried, action)
            assert accepted == (action in actions)
            assert accepted != (tried == row).all()  # a refused one leaves the row untouched


# ------------------------------------------------------------------ ends


def longest(actions, rng):
    """Whatever makes a deal long: every bid doubled, every card exchanged, nothing left out."""
    if act.DOUBLE in actions:
        return act.DOUBLE
    bids = [a for a in actions if act.PLUS <= a < act.PASS]
    if act.PASS in actions and len(bids) == 2 * act.BIDS:
        return act.PASS if rng.random() < 0.5 else bids[0]
    cards = [a for a in actions if a < act.CARDS]
    return bids[0] if bids else rng.choice(cards or actions)


def always_passing(actions, rng):
    return act.PASS if act.PASS in actions else actions[0]


@pytest.mark.parametrize("chooser", [helpers.choose, longest, helpers.choose_passing])
def test_every_deal_ends_within_its_history(chooser):
    """A deal has room for 56 actions; the auction and the exchange cannot be longer than that allows."""
    rng, most = random.Random("ends"), 0
    for n in range(2000):
        rules = RULESETS[NAMES[n % 9]] if n % 3 == 0 else helpers.build_rules(rng.randint)
        row = helpers.new_row(rules, seed=rng.getrandbits(63))
        steps = 0
        for actions, action in helpers.walk(row, rng, 1, chooser):
            assert row[at.ACTED] == steps
            steps += 1
            taken = (int(row[at.ACTOR]), action)
            most = max(most, steps - 1)
            assert action in actions or not actions
        assert most <= 8 * at.HISTORY_WORDS
        assert steps == 1 or taken[1] is None
    assert most >= (50 if chooser is longest else 30)


def test_the_history_is_what_was_played():
    rng = random.Random("history")
    for n in range(150):
        rules = RULESETS[NAMES[n % 9]] if n % 2 else helpers.build_rules(rng.randint)
        row, taken = helpers.new_row(rules, seed=n), []
        for _, action in helpers.walk(row, rng, 1, longest if n % 3 else helpers.choose):
            if action is not None:
                taken.append((int(row[at.ACTOR]), action))
        assert helpers.history(row) == taken


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("partie", [False, True])
def test_every_episode_ends(name, partie):
    """Played at random, and by two that always pass where they can."""
    rules = RULESETS[name]
    row = helpers.new_row(rules, partie, seed=8)
    for _ in helpers.walk(row, random.Random(8), deals=3000):
        pass
    assert row[at.PHASE] == at.GAME_OVER
    row, steps = helpers.new_row(rules, partie, seed=9), 0
    for _ in helpers.walk(row, random.Random(9), 3000, always_passing):
        steps += 1
    assert row[at.PHASE] == at.GAME_OVER
    assert row[at.TRUNCATED] == (rules.auction and rules.max_thrown_in > 1)
    if row[at.TRUNCATED]:
        assert row[at.THROWN_IN] == rules.max_thrown_in == 100
        assert steps == 100 * 3


# ------------------------------------------------------------------ rewards


def rewards_of_an_episode(row, kind, rng) -> tuple[list[int], list[int], np.ndarray]:
    """(player_0's reward at each step, the difference of each finished deal, the finished row), by the batch loop."""
    finished, gained, deals = np.zeros_like(row), [], []
    while row[at.PHASE] != at.GAME_OVER:
        reward, deal_over = step_row(row, helpers.choose(helpers.legal(row), rng), kind, False, None, finished)
        gained.append(int(reward))
        if deal_over:
            deals.append(int(game.difference(finished)))
    return gained, deals, finished


@pytest.mark.parametrize(("partie", "reward"), [(False, "score"), (False, "win"), *((True, kind) for kind in KINDS)])
@pytest.mark.parametrize("name", NAMES)
def test_rewards_are_the_result(name, partie, reward):
    rng = random.Random(f"{name} {reward}")
    for seed in range(30):
        row = helpers.new_row(RULESETS[name], partie, seed)
        gained, deals, finished = rewards_of_an_episode(row, KINDS[reward], rng)
        lead = int(row[at.TOTALS] - row[at.TOTALS + 1])
        expected = {"score": lead, "payment": int(game.payment(row, 0)), "win": (lead > 0) - (lead < 0)}[reward]
        assert (finished == row).all()
        assert sum(gained) == expected
        assert sum(deals) == lead
        given = [n for n in gained if n]
        if reward == "score":
            assert given == [n for n in deals if n]  # each deal's own, when it ends
        else:
            assert given == ([gained[-1]] if expected else [])


# ------------------------------------------------------------------ a batch


def test_a_row_of_a_batch_is_the_game_played_alone():
    """Each game with its own actions; the neighbours differ in rules, episode and progress."""
    rng = random.Random("batch")
    rules = [RULESETS[name] for name in NAMES] + [helpers.build_rules(rng.randint) for _ in range(30)]
    rows = np.stack([helpers.new_row(r, rng.random() < 0.5, rng.getrandbits(63)) for r in rules])
    alone = [row.copy() for row in rows]
    n = len(rows)
    buffers, legal = Buffers.make(n), np.zeros((n, 2), np.int64)
    ends = 0
    for _ in range(300):
        actions = np.array([helpers.choose(helpers.legal(row), rng) for row in rows], np.int64)
        step_games(rows, legal, actions, batch.REWARD_SCORE, False, False, None, buffers)
        for i, row in enumerate(alone):
            gained, over = _step_alone(row, actions[i])
            ends += over
            assert buffers.reward[i].tolist() == [gained, -gained]
            assert buffers.terminated[i] | buffers.truncated[i] == over
            assert (rows[i] == row).all()
    assert ends > 100


def _step_alone(row, action) -> tuple[int, bool]:
    """One action by the functions of engine.game; (player_0's reward, whether the episode ended and began anew)."""
    assert game.apply_action(row, action)
    gained = 0
    if row[at.PHASE] == at.DEAL_OVER:
        gained = int(game.difference(row))
        game.next_deal(row)
    if row[at.PHASE] != at.GAME_OVER:
        return gained, False
    gained = 0 if row[at.TRUNCATED] else gained
    game.restart(row)
    return gained, True


def test_a_seed_deals_the_same_whatever_else_is_dealt():
    rules = RULESETS["auction"]
    rows = np.zeros((50, at.COLUMNS), np.int64)
    batch.new_games(rows, rules.columns(), 1, 77, 0)
    some = np.zeros((3, at.COLUMNS), np.int64)
    batch.new_games(some, rules.columns(), 1, 77, 20)
    assert (some == rows[20:23]).all()
    assert (helpers.new_row(rules, True, 77, 49) == rows[49]).all()
    assert len({row.tobytes() for row in rows}) == 50
    other = np.zeros((50, at.COLUMNS), np.int64)
    batch.new_games(other, rules.columns(), 1, 78, 0)
    assert not {row.tobytes() for row in rows} & {row.tobytes() for row in other}
