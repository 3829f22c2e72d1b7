"""The expert: its parts against slow ones, what it may see, that it is reproducible, and that it is strong."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from helpers import NAMES, hidden, legal, new_row, odd_rules, walk

from piquet_env.arena import play_match
from piquet_env.arena.statistics import mean_with_interval, pair_values
from piquet_env.belief import sample_hidden
from piquet_env.bots import BotError, load_bot, views_of
from piquet_env.bots.expert import DiscardEffort, Effort, ExpertBot, OmniscientBot, Round
from piquet_env.bots.expert.calls import call_values
from piquet_env.bots.expert.cards import card_values
from piquet_env.bots.expert.discards import CANNOT, DRAWN, exchange_all, solve_discards
from piquet_env.bots.expert.likelihood import draw, log_likelihood
from piquet_env.bots.expert.plan import choices
from piquet_env.bots.greedy import choose
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.rules import Rules
from piquet_env.solver import card_values as solver_values
from piquet_env.solver import deal_values
from piquet_env.solver.api import workspace

QUICK = Effort(calls=3, discards=DiscardEffort(2, (Round(6, 2), Round(3, 2))), cards=4)
"""Enough to go through every line."""
CARDS_ROOM = np.empty(32, np.int64)


def position(rules: str | Rules, phase: int, seed: int, acting=choose) -> np.ndarray:
    """A true row at a decision with a choice in this phase, come to by greedy's rules."""
    for index in range(1000):
        row = new_row(Rules.make(rules), seed=seed, index=index)
        while row[at.PHASE] < at.DEAL_OVER:
            if row[at.PHASE] == phase and len(legal(row)) > 2:
                return row
            game.take_action(row, acting(row))
    raise AssertionError("no such position")


def played_on(world: np.ndarray, action: int) -> np.ndarray:
    """After the action, by greedy's rules to the play or the end of the deal."""
    row = world.copy()
    assert game.apply_action(row, action)
    while row[at.PHASE] < at.PLAY:
        assert game.apply_action(row, int(choose(row)))
    return row


def value_for(row: np.ndarray, player: int) -> int:
    """The score with best play, the player's less the other's."""
    value = deal_values(row, threads=1) if row[at.PHASE] == at.PLAY else game.difference(row)
    return int(value if player == 0 else -value)


# ------------------------------------------------------------------ its parts, against slow ones


@pytest.mark.parametrize("rules", ["auction", "auction-parlett", "auction-cavendish", "mini", "micro"])
def test_a_call_is_worth_what_it_leads_to(rules):
    for seed in range(3):
        row = position(rules, at.AUCTION, seed)
        player = int(row[at.ACTOR])
        worlds = sample_hidden(row, player, 4, seed)
        values = np.zeros(act.ACTIONS)
        call_values(worlds, values, *workspace())
        for call in legal(row):
            ends = [played_on(world, call) for world in worlds]
            expected = sum(0 if end[at.IS_THROWN_IN] else value_for(end, player) for end in ends)
            assert values[call] == expected


@pytest.mark.parametrize("rules", NAMES)
def test_a_card_is_worth_its_mean_over_the_worlds(rules):
    row = position(rules, at.PLAY, 2) if rules not in ("micro", "mini") else _any_play(rules)
    worlds = sample_hidden(row, int(row[at.ACTOR]), 20, 1)
    values = np.zeros(act.ACTIONS)
    card_values(worlds, values, *workspace())
    cards = legal(row)
    assert values[cards].tolist() == solver_values(worlds, threads=1).sum(axis=0)[cards].tolist()


def _any_play(rules: str) -> np.ndarray:
    row = new_row(Rules.make(rules), seed=3)
    while row[at.PHASE] < at.PLAY:
        game.take_action(row, choose(row))
    return row


@pytest.mark.parametrize("rules", ["auction", "rubicon", "cavendish", "auction-cavendish", "mini"])
def test_discards_are_worth_what_they_lead_to(rules):
    for seed in range(3):
        row = position(rules, at.EXCHANGE, seed)
        player = int(row[at.ACTOR])
        row[at.HANDS + player] |= row[at.DISCARDS + player]
        row[at.DISCARDS + player] = 0
        worlds = sample_hidden(row, player, 3, seed)
        outcomes = np.empty((3, at.MOST_TRICKS + 1, 2), np.int64)
        exchange_all(worlds, outcomes, workspace().rows)
        sets = np.random.default_rng(seed).permutation(choices(int(row[at.HANDS + player]), 0, outcomes[0]))[:20]
        values = np.zeros(len(sets))
        solve_discards(worlds, outcomes, sets, values, *workspace())
        for chosen, value in zip(sets, values, strict=True):
            assert value == sum(value_for(_exchanged(world, int(chosen)), player) for world in worlds)


def _exchanged(world: np.ndarray, discards: int) -> np.ndarray:
    row = world.copy()
    for card in range(32):
        if discards >> card & 1:
            assert game.apply_action(row, card)
    return played_on(row, act.STAND)


@pytest.mark.parametrize(
    ("rules", "elders", "youngers"),
    [
        ("auction", range(6), range(4)),
        ("rubicon", range(1, 6), range(4)),
        ("cavendish", range(1, 6), range(1, 4)),
        ("mini", range(2), range(2)),
    ],
)
def test_all_choices_of_discards_are_looked_at(rules, elders, youngers):
    """For elder 1,586 in `auction`, for younger 299; in cavendish elder has left nothing for younger to draw."""
    row = position(rules, at.EXCHANGE, 0)
    for numbers in (elders, youngers):
        hand = int(row[at.HANDS + row[at.ACTOR]])
        outcomes = np.empty((1, at.MOST_TRICKS + 1, 2), np.int64)
        exchange_all(row[None], outcomes, workspace().rows)
        assert [k for k in range(at.MOST_TRICKS + 1) if outcomes[0, k, DRAWN] != CANNOT] == list(numbers)
        sets = choices(hand, 0, outcomes[0]).tolist()
        assert len(set(sets)) == len(sets) == sum(math.comb(hand.bit_count(), k) for k in numbers)
        assert all(chosen & ~hand == 0 for chosen in sets)
        for card in [card for card in range(32) if hand >> card & 1][: max(numbers)]:
            assert game.apply_action(row, card)
        assert game.apply_action(row, act.STAND)


def test_worlds_are_drawn_as_often_as_they_are_likely():
    row = position("auction", at.PLAY, 1)
    player = int(row[at.ACTOR])
    worlds = sample_hidden(row, player, 200, 3)
    scratch = workspace().rows
    logs = np.array([log_likelihood(world, 1 - player, scratch[0], CARDS_ROOM) for world in worlds])
    assert logs.min() < logs.max() <= 0
    expected = 50 * np.exp(logs) / np.exp(logs).sum()
    for start in (0.0, 0.3, 0.999):
        picked = np.empty(50, np.int64)
        draw(worlds, player, start, picked, scratch)
        counts = np.bincount(picked, minlength=len(worlds))
        assert (np.abs(counts - expected) < 1 + 1e-9).all()


def test_likelihood_speaks_for_the_worlds_in_which_greedy_acts_so():
    """Against greedy itself the true cards are more likely than those of a sample, on average by far."""
    gains = []
    for seed in range(30):
        row = position("auction", at.PLAY, 100 + seed)
        player = int(row[at.ACTOR])
        scratch = workspace().rows
        worlds = sample_hidden(row, player, 50, seed)
        logs = [log_likelihood(world, 1 - player, scratch[0], CARDS_ROOM) for world in (row, *worlds)]
        gains.append(logs[0] - np.mean(logs[1:]))
    assert np.mean(gains) > 1


# ------------------------------------------------------------------ as a bot


@pytest.mark.parametrize("rules", NAMES)
@pytest.mark.parametrize("bot", [ExpertBot, OmniscientBot])
def test_they_play_every_ruleset(rules, bot):
    made = bot(QUICK) if bot is ExpertBot else bot()
    assert play_match(made, load_bot("random"), rules, pairs=2, seed=1).pairs == 2


def test_it_plays_odd_rules():
    for seed in range(12):
        play_match(ExpertBot(QUICK), load_bot("random"), odd_rules(seed), pairs=1, seed=seed)


def test_it_plays_a_partie():
    for rules in ("cent", "auction"):
        play_match(ExpertBot(QUICK), load_bot("random"), rules, pairs=1, seed=2, episode="partie")


def test_same_seed_same_moves():
    matches = [play_match(ExpertBot(QUICK), load_bot("greedy"), "auction", pairs=4, seed=3) for _ in range(2)]
    assert (matches[0].deals == matches[1].deals).all()
    other = play_match(ExpertBot(QUICK), load_bot("greedy"), "auction", pairs=4, seed=4)
    assert not (matches[0].deals == other.deals).all()


def test_discards_are_one_plan_whoever_makes_it():
    """Asked anew before every card, by another bot and with other random numbers, it discards what it planned."""
    row = position("auction", at.EXCHANGE, 7)
    first, discarded = ExpertBot(QUICK), []
    player = int(row[at.ACTOR])
    while row[at.PHASE] == at.EXCHANGE and row[at.ACTOR] == player:
        views = views_of(row)
        action = int(first.act(views, np.random.default_rng(len(discarded)))[0])
        assert ExpertBot(QUICK).act(views, np.random.default_rng(99))[0] == action
        assert game.apply_action(row, action)
        discarded.append(action)
    assert len(discarded) > 1
    assert discarded[-1] == act.STAND


def test_it_goes_on_from_discards_that_it_did_not_plan():
    row = position("rubicon", at.EXCHANGE, 7)
    bot, rng = ExpertBot(QUICK), np.random.default_rng(0)
    planned = int(bot.act(views_of(row), rng)[0])
    assert game.apply_action(row, next(card for card in reversed(legal(row)) if card < 32 and card != planned))
    while row[at.PHASE] == at.EXCHANGE:
        assert game.apply_action(row, int(bot.act(views_of(row), rng)[0]))


def test_it_is_given_no_more_than_a_player_knows():
    """The true row and the row as he knows it come to the same worlds, so to the same action."""
    for phase in (at.AUCTION, at.EXCHANGE, at.IN_POINT, at.PLAY):
        row = position("auction", phase, 11)
        views = views_of(row)
        assert (views.rows[0] == hidden(row, int(row[at.ACTOR]))).all()
        known = ExpertBot(QUICK).act(views, np.random.default_rng(1))
        assert (known == ExpertBot(QUICK).act(views._replace(rows=row[None]), np.random.default_rng(1))).all()


@pytest.mark.parametrize("rules", [*NAMES, *range(12)])
def test_it_does_the_same_whatever_is_hidden(rules):
    """In worlds that differ only in what he cannot know, given to him whole; own discards under way included."""
    made = odd_rules(rules) if isinstance(rules, int) else Rules.make(rules)
    for seed in range(2):
        rng, row = random.Random(seed), new_row(made, partie=seed == 1, seed=seed)
        for actions, action in walk(row, rng, deals=1):
            if action is not None and len(actions) > 1 and rng.random() < 0.3:
                player = int(row[at.ACTOR])
                worlds = np.concatenate([row[None], sample_hidden(row, player, 2, rng.randrange(2**60))])
                views = views_of(worlds)._replace(rows=worlds)
                chosen = [ExpertBot(QUICK).act(_one_of(views, n), np.random.default_rng(1))[0] for n in range(3)]
                assert chosen[0] in actions
                assert len(set(chosen)) == 1


def _one_of(views, n):
    return type(views)(*(array[n : n + 1] for array in views))


def test_omniscient_exchanges_by_one_plan():
    row = position("auction", at.EXCHANGE, 7)
    player, bot, first = int(row[at.ACTOR]), OmniscientBot(), views_of(row)._replace(rows=row[None].copy())
    while row[at.PHASE] == at.EXCHANGE and row[at.ACTOR] == player:
        assert game.apply_action(row, int(bot.act(views_of(row)._replace(rows=row[None]), np.random.default_rng(0))[0]))
    assert len(bot._plans._made) == 1
    assert (first.rows[0, at.HANDS + player] & row[at.DISCARDS + player]).bit_count() == row[at.EXCHANGED + player]


def test_omniscient_refuses_what_a_player_knows():
    row = position("auction", at.PLAY, 1)
    with pytest.raises(BotError, match="needs all cards"):
        OmniscientBot().act(views_of(row), np.random.default_rng(0))


def test_omniscient_plans_for_the_cards_that_are_there():
    """Not for those of an earlier game that was the same to the player, as every third is in a small pack."""
    used, rng = OmniscientBot(), np.random.default_rng(0)
    for index in range(200):
        row = new_row(Rules.make("micro"), seed=5, index=index)
        while row[at.PHASE] < at.PLAY:
            views = views_of(row)._replace(rows=row[None])
            if row[at.PHASE] == at.EXCHANGE:
                assert used.act(views, rng) == OmniscientBot().act(views, rng)
            game.take_action(row, choose(row))


def test_only_who_says_that_he_cheats_is_given_all_cards():
    given = {}

    class Spy:
        def __init__(self, name, **attributes):
            self.name = name
            self.__dict__.update(attributes)

        def act(self, views, rng):
            given.setdefault(self.name, []).append(views.rows[:, at.HANDS : at.HANDS + 2].min())
            return views.mask.argmax(axis=1)

    play_match(Spy("honest"), Spy("cheat", sees_all=True), "rubicon", pairs=2)
    assert min(given["cheat"]) >= 0
    assert max(given["honest"]) == -1


@pytest.mark.parametrize(("rules", "pairs"), [("auction", 40), ("rubicon", 100)])
def test_it_beats_greedy(rules, pairs):
    match = play_match(load_bot("expert:fast"), load_bot("greedy"), rules, pairs, seed=1)
    assert mean_with_interval(pair_values(match)).low > 0


def test_seeing_all_cards_is_better_still():
    match = play_match(load_bot("omniscient"), load_bot("expert:fast"), "auction", 40, seed=1)
    assert mean_with_interval(pair_values(match)).low > 0
