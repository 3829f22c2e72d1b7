"""The belief weighted by how a bot would have acted, against every world tried one by one."""

import random
from collections import defaultdict
from dataclasses import replace
from math import comb

import helpers
import naive
import numpy as np
import positions
import pytest
import worlds
from helpers import hidden, mask_of

from piquet_env.belief import opponent_hands, weighted_hands
from piquet_env.bots import load_bot, views_of
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.rules import RULESETS, Rules

GREEDY = load_bot("greedy")
EPSILON = 0.2


class Uniform:
    def probabilities(self, views):
        return views.mask / views.mask.sum(axis=1, keepdims=True)


class Certain:
    """What greedy does, as a policy."""

    def probabilities(self, views):
        return np.eye(act.ACTIONS)[GREEDY.act(views, None)]


def distribution(bot, row):
    """Over all actions, for the player to act."""
    views = views_of(row)
    if hasattr(bot, "probabilities"):
        return bot.probabilities(views)[0]
    return np.eye(act.ACTIONS)[bot.act(views, np.random.default_rng(0))[0]]


# ------------------------------------------------------------------ every world, one by one


def likelihood(position, they, bot) -> float:
    """How likely he acts as in this position; his exchange is one decision."""
    row, rules, product = position.start.copy(), helpers.naive_rules(position.rules), 1.0
    cards = np.array([helpers.card_number(card) for card in position.cards], np.int64)
    game.set_up_deal(row, row[at.DEALER], cards)
    begun = False
    for player, text in position.actions:
        action = naive.action_index(rules, text)
        if player == they and row[at.PHASE] == at.EXCHANGE:
            if not begun:
                product *= _exchanges(position, row, they, bot)
            begun = True
        elif player == they:
            legal = helpers.legal(row)
            product *= (1 - EPSILON) * distribution(bot, row)[action] + EPSILON / len(legal)
        assert game.apply_action(row, action)
    return product


def _exchanges(position, row, they, bot) -> float:
    texts = [text for player, text in position.actions if player == they]
    if "stand" not in texts:
        return 1.0
    done = mask_of(text.removeprefix("discard ") for text in texts if text.startswith("discard"))
    number = done.bit_count()
    return (1 - EPSILON) * _chance_to_discard(row.copy(), they, bot, done) + EPSILON / comb(
        position.rules.hand_size, number
    )


def _chance_to_discard(row, they, bot, done) -> float:
    """Of the set of cards, in whatever order."""
    chances, total = distribution(bot, row), 0.0
    for action in helpers.legal(row):
        if chances[action] == 0:
            continue
        after = row.copy()
        assert game.apply_action(after, action)
        if action == act.STAND:
            total += chances[action] * float(row[at.DISCARDS + they] == done)
        elif done >> action & 1:
            total += chances[action] * _chance_to_discard(after, they, bot, done)
    return total


def expected_weights(position, twin, me, bot) -> dict[int, float]:
    """Over all deals and discards; the order of what nobody has seen does not matter, so each counts."""
    weights = defaultdict(float)
    size = position.rules.hand_size
    for world in worlds.all_worlds(position, twin, me):
        cards = list(position.cards)
        cards[(1 - me) * size : (2 - me) * size] = sorted(world.dealt)
        cards[2 * size :] = world.talon
        changed = replace(position, cards=tuple(cards))
        for actions in worlds.ways_to_act(changed, position, twin, me, sorted(world.discards)):
            weights[mask_of(world.holds)] += likelihood(replace(changed, actions=actions), 1 - me, bot)
    total = sum(weights.values())
    return {hand: weight / total for hand, weight in weights.items()}


CLASSIC = Rules.make(
    {"base": "rubicon", "suits": "SH", "ranks": "9TJQ", "hand_size": 3, "elder_talon": 1, "younger_talon": 1}
    | {"lowest_level": 1, "highest_level": 3, "repique": 5, "pique": 4}
)
SMALL = {
    "micro": RULESETS["micro"],
    "mini": RULESETS["mini"],
    "mini, one pile": replace(RULESETS["mini"], younger_draws_leftovers=True),
    "mini without sinking": replace(RULESETS["mini"], sinking=False),
    "classic": CLASSIC,
}


@pytest.mark.parametrize(
    ("bot", "name"),
    [
        pytest.param(bot, name, id=f"{said}-{name}", marks=[pytest.mark.long] * (said == "greedy" and name == "micro"))
        for said, bot in (("greedy", GREEDY), ("uniform", Uniform()))
        for name in SMALL
    ],
)
def test_against_every_world(bot, name):
    """Exact for a bot that draws no random numbers, but for the arrangements that it would not come to."""
    rng, compared = random.Random(f"weighted {name}"), 0
    for start in positions.starts(SMALL[name], False, rng, 6):
        for position in positions.positions(SMALL[name], start, rng, 3):
            twin, row = position.played(), position.row()
            if twin.phase == "over":
                continue
            for me in (0, 1):
                expected = expected_weights(position, twin, me, bot)
                hands, weights = weighted_hands(row, me, bot, EPSILON, per_hand=300)
                assert set(hands.tolist()) == set(expected)
                close = {"rtol": 0.25, "atol": 0.02}  # arrangements, and a policy's exchange, are drawn
                np.testing.assert_allclose(weights, [expected[hand] for hand in hands.tolist()], **close)
                compared += len(hands) > 1
    assert compared > 10


# ------------------------------------------------------------------ large packs


def played_by_greedy(name, seed):
    """A deal between two greedy bots: the rows after both exchanges."""
    row, rng = helpers.new_row(RULESETS[name], seed=seed), np.random.default_rng(0)
    while row[at.PHASE] < at.DEAL_OVER:
        if row[at.PHASE] >= at.IN_POINT:
            yield row
        assert game.apply_action(row, int(GREEDY.act(views_of(row), rng)[0]))


@pytest.mark.parametrize("name", ["auction", "auction-cavendish", "rubicon"])
def test_it_knows_more_of_a_greedy_player_than_chance(name):
    """By the mean logarithm of the weight of the true hand, in each role."""
    gains = {"elder": [], "younger": []}
    for seed in range(8):
        for n, row in enumerate(played_by_greedy(name, seed)):
            for me in (0, 1) if n % 8 == 0 else ():
                hands, weights = weighted_hands(row, me, GREEDY)
                true = weights[hands.tolist().index(row[at.HANDS + 1 - me])]
                gains["elder" if row[at.ELDER] == me else "younger"].append(np.log(true * len(hands)))
    for gained in gains.values():
        assert np.mean(gained) > 2 * np.std(gained) / len(gained) ** 0.5
        assert len(gained) > 15


@pytest.mark.parametrize("name", ["auction", "rubicon", "cavendish", "open"])
def test_nothing_hidden_is_read_and_a_seed_gives_the_same(name):
    for n, row in enumerate(played_by_greedy(name, 3)):
        if n % 11:
            continue
        for me in (0, 1):
            hands, weights = weighted_hands(row, me, GREEDY, seed=4)
            assert (hands == opponent_hands(row, me)[0]).all()
            assert weights.sum() == pytest.approx(1)
            assert (weights > 0).all()
            again = weighted_hands(hidden(row, me), me, GREEDY, seed=4)[1]
            assert (again == weights).all()
            np.testing.assert_allclose(weighted_hands(row, me, Certain(), seed=4)[1], weights)


def test_in_the_auction_a_bid_tells_of_the_cards():
    """Greedy, who opened with a minus bid, has fewer high cards than any player."""
    rng, row, bid = np.random.default_rng(0), None, -1
    for seed in range(200):
        row = helpers.new_row(RULESETS["mini"], seed=seed)
        bid = int(GREEDY.act(views_of(row), rng)[0])
        if bid == act.MINUS:
            break
    assert bid == act.MINUS
    me = 1 - int(row[at.ACTOR])
    assert game.apply_action(row, bid)
    hands, weights = weighted_hands(row, me, GREEDY, epsilon=0.01)
    ranks = np.array([sum(card & 7 for card in helpers.cards_of(hand)) for hand in hands.tolist()])
    assert ranks @ weights < ranks.mean()


# ------------------------------------------------------------------ refusals


class Says:
    def __init__(self, answer):
        self.answer = answer

    def act(self, views, rng):
        return self.answer(views)


class Has(Says):
    def probabilities(self, views):
        return self.answer(views)


BAD_BOTS = {
    "no bot": (object(), "^bot: expected"),
    "illegal": (Says(lambda views: views.mask.argmin(axis=1)), "legal action"),
    "out of range": (Says(lambda views: np.full(len(views.mask), 80)), "legal action"),
    "too few": (Says(lambda views: views.mask.argmax(axis=1)[:0]), "legal action"),
    "no numbers": (Says(lambda views: views.mask.argmax(axis=1) * 1.0), "legal action"),
    "not one": (Has(lambda views: views.mask * 1.0), "probabilities"),
    "of illegal actions": (Has(lambda views: np.full(views.mask.shape, 1 / 80)), "probabilities"),
    "negative": (Has(lambda views: -Uniform().probabilities(views)), "probabilities"),
    "not a number": (Has(lambda views: Uniform().probabilities(views) * np.nan), "probabilities"),
}


@pytest.fixture
def row():
    return next(played_by_greedy("auction", 3))


@pytest.mark.parametrize("which", BAD_BOTS)
def test_bots_that_are_refused(row, which):
    bot, said = BAD_BOTS[which]
    with pytest.raises(ValueError, match=said):
        weighted_hands(row, 0, bot)


BAD_ARGUMENTS = {"epsilon": [0, 1, "a", float("nan")], "per_hand": [0, 1001, 1.5, True], "seed": [-1]}


@pytest.mark.parametrize("argument", BAD_ARGUMENTS)
def test_arguments_that_are_refused(row, argument):
    for value in BAD_ARGUMENTS[argument]:
        with pytest.raises(ValueError, match=f"^{argument}: "):
            weighted_hands(row, 0, GREEDY, **{argument: value})


def test_players_and_games_that_are_refused(row):
    with pytest.raises(ValueError, match="player"):
        weighted_hands(row, 2, GREEDY)
    with pytest.raises(ValueError, match="hidden"):
        weighted_hands(hidden(row, 1), 0, GREEDY)
