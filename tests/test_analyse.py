"""What `piquet analyse` says of a deal, against the solver and deals of which it is known what they are."""

import itertools

import helpers
import numpy as np
import pytest
from analysing import (
    GREEDY,
    TINY,
    Scrambled,
    after,
    alone,
    analysed,
    at_random,
    check,
    decisions_of,
    of_bot,
    played,
    printed,
)

from piquet_env import Rules
from piquet_env.analyse import analysis, deals_of
from piquet_env.analyse.answers import answer_of
from piquet_env.analyse.decisions import Decision
from piquet_env.arena.match import Side
from piquet_env.bots.base import views_of
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.records import deal_record
from piquet_env.solver.analysis import analysis as solver_analysis
from piquet_env.solver.api import deal_values
from piquet_env.solver.given import play_of

# ------------------------------------------------------------------ deals of which it is known what they are


@pytest.mark.parametrize("rules", helpers.NAMES)
def test_what_the_bot_itself_played_costs_nothing(rules):
    made = analysed(played(rules, 4, of_bot(GREEDY)), GREEDY)
    check(made)
    for each in decisions_of(made):
        assert each["bot"] == each["played"]
        assert each["probability"] == {"bot": 1, "played": 1}
        assert each["cost"] == {"points": 0, "standard_error": 0, "interval": [0, 0], "worlds": 0}
        assert each["all_cards"]["played_loses"] == each["all_cards"]["bot_loses"]
    for summary in made["players"].values():
        assert summary["as_the_bot"] == summary["decisions"]
        assert (summary["cost"]["points"], summary["costliest"]) == (0, [])


def test_aces_thrown_away_show():
    """Elder in a plus contract who discards his aces: dear, with the bot, and with all cards known."""
    row = next(row for row in map(_to_elders_exchange, range(100)) if not row[at.IS_MINUS] and _aces(row) >= 3)
    elder, number = int(row[at.ELDER]), int(row[at.ACTED]) + 1
    while row[at.ACTOR] == elder and _aces(row):
        aces = [card for card in helpers.cards_of(row[at.HANDS + elder]) if card & 7 == 7]
        assert game.apply_action(row, aces[0])
    while row[at.PHASE] < at.DEAL_OVER:
        assert game.apply_action(row, of_bot(GREEDY)(row))
    made = analysed(row, GREEDY)
    blunder = next(each for each in decisions_of(made) if each["number"] == number)
    assert blunder["phase"] == "exchange"
    assert blunder["cost"]["interval"][0] > 10
    assert blunder["all_cards"]["played_loses"] > 10
    costliest = made["players"][f"player_{elder}"]["costliest"]
    assert costliest == [{"deal": 1, "number": number, "points": blunder["cost"]["points"]}]
    assert made["players"][f"player_{elder}"]["cost"]["points"] == blunder["cost"]["points"]
    assert printed(made).count("♠A" if "SA" in blunder["played"] else "♥A") >= 2  # in its table and in the summary


def _to_elders_exchange(seed: int) -> np.ndarray:
    row = helpers.new_row(Rules.make("auction"), seed=seed)
    while row[at.PHASE] < at.EXCHANGE:
        assert game.apply_action(row, of_bot(GREEDY)(row))
    return row


def _aces(row: np.ndarray) -> int:
    return sum(card & 7 == 7 for card in helpers.cards_of(row[at.HANDS + row[at.ACTOR]]))


# ------------------------------------------------------------------ all cards known


@pytest.mark.parametrize("rules", helpers.NAMES)
def test_cards_lose_what_solve_says(rules):
    """Every card with a choice; the others cost nothing there."""
    record = deal_record(played(rules, 9, at_random(3)))
    made = [
        each for each in decisions_of(analysis(deals_of(record), "bot", GREEDY, samples=2)) if each["phase"] == "play"
    ]
    solved = {(p["trick"], p["player"]): p["cost"] for p in solver_analysis(play_of(record, None))["played"]}
    losses = {(each["trick"], each["player"]): each["all_cards"]["played_loses"] for each in made}
    assert losses == {key: solved[key] for key in losses}
    assert not any(cost for key, cost in solved.items() if key not in losses)
    for each in made:
        assert (each["all_cards"]["best"] == each["played"]) == (each["all_cards"]["played_loses"] == 0)


@pytest.mark.parametrize(("rules", "seed"), [("micro", 1), ("micro", 2), ("mini", 5), (TINY, 7), ("rubicon", 0)])
def test_before_the_play_greedy_goes_on_and_the_play_is_solved(rules, seed):
    """Every choice tried, in plain steps: greedy up to the play, then `best_play`."""
    deal = deals_of(deal_record(played(rules, seed, at_random(seed))))[0]
    for decision in [d for d in deal.decisions if d.row[at.PHASE] < at.PLAY][-3 if rules == "rubicon" else -20 :]:
        if rules == "rubicon" and decision.row[at.PHASE] == at.EXCHANGE:
            continue  # thousands of sets, each solved by the slow twin
        known = alone(decision, GREEDY)["all_cards"]
        values = {choice: _value_after(decision, choice) for choice in _all_choices(decision.row)}
        assert known["played_loses"] == max(values.values()) - values[decision.played]


def _all_choices(row: np.ndarray) -> set[tuple]:
    """By search: every action, or every set of cards and stand."""
    if row[at.PHASE] != at.EXCHANGE:
        return {(action,) for action in helpers.legal(row)}
    found = {(act.STAND,)} if act.STAND in helpers.legal(row) else set()
    for card in helpers.legal(row):
        if card != act.STAND:
            found |= {tuple(sorted((card, *rest))) for rest in _all_choices(after(row, [card]))}
    return found


def _value_after(decision: Decision, choice) -> int:
    row = after(decision.row, choice)
    while row[at.PHASE] < at.PLAY:
        row = after(row, [of_bot(GREEDY)(row)])
    return _best_play(row) * (1 - 2 * decision.player)


def _best_play(row: np.ndarray) -> int:
    """player_0's score less player_1's, with best play by both; the last tricks of small hands, or the solver's."""
    if row[at.PHASE] >= at.DEAL_OVER:
        return int(game.difference(row))
    if row[at.HAND_SIZE] > 3:
        return int(deal_values(row[None])[0])
    values = [_best_play(after(row, [card])) for card in helpers.legal(row)]
    return min(values) if row[at.ACTOR] else max(values)


# ------------------------------------------------------------------ what the bot would have done


def test_a_set_of_discards_is_as_likely_as_its_orders_together():
    bot, checked = Scrambled(2), 0
    for seed in range(8):
        for decision in deals_of(deal_record(played("rubicon", seed, at_random(seed))))[0].decisions:
            if decision.row[at.PHASE] == at.EXCHANGE and len(decision.played) <= 4:
                answer = answer_of(Side("bot", bot), decision, np.random.default_rng(0))
                orders = itertools.permutations(decision.played[:-1])
                expected = sum(_likelihood(bot, decision.row, (*order, act.STAND)) for order in orders)
                assert answer.likely[1] == pytest.approx(expected, rel=1e-4)
                checked += len(decision.played) == 4
    assert checked >= 2


def _likelihood(bot, row, actions) -> float:
    product = 1.0
    for action in actions:
        product *= bot.probabilities(views_of(row[None]))[0, action]
        row = after(row, [action])
    return product


class Peeping(Scrambled):
    """Says what it has been given."""

    def __init__(self):
        super().__init__(1)
        self.asked = 0

    def probabilities(self, views):
        they = 1 - views.rows[:, at.ACTOR]
        for column in (at.HANDS, at.DEALT, at.DISCARDS, at.DRAWN):
            assert (views.rows[np.arange(len(they)), column + they] == -1).all()
        assert (views.rows[:, [at.RANDOM, at.ACTED, at.HISTORY, at.TALON]] == -1).all()
        self.asked += len(they)
        return super().probabilities(views)


def test_the_bot_is_given_views_only():
    bot = Peeping()
    analysed(played("auction", 2, at_random(2)), bot, samples=3)
    assert bot.asked > 100


def test_a_bot_that_says_no_probabilities_is_asked_once_and_its_chance_is_the_seeds():
    class Silent:
        def act(self, views, rng):
            return Scrambled(1).act(views, rng)

    row = played("mini", 1, at_random(8))
    made = [analysed(row, Silent(), samples=5, seed=seed) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    assert all(each["probability"] is None for each in decisions_of(made[0]))


# ------------------------------------------------------------------ the whole report


@pytest.mark.parametrize("rules", helpers.NAMES)
def test_the_report_is_as_its_schema_says_and_fits_the_screen(rules):
    row = played(rules, 6, at_random(6))
    advanced = []
    made = analysed(row, Scrambled(4), samples=3, progress=advanced.append)
    check(made)
    assert sum(advanced) == pytest.approx(len(decisions_of(made)))
    assert sum(part["decisions"] for part in made["players"].values()) == len(decisions_of(made)) > 0
    text = printed(made)
    assert max(map(len, text.splitlines())) <= 80
    assert "Traceback" not in text


def test_the_cards_of_the_deal_are_there():
    """As a record of the deal has them; nobody follows a deal without."""
    row = played("rubicon", 6, at_random(6))
    made, record = analysed(row, GREEDY, samples=2), deal_record(row)
    deal = made["deals"][0]
    assert (deal["hands"], deal["talon"], deal["dealer"]) == (record["hands"], record["talon"], record["dealer"])
    lines = printed(made).splitlines()
    place = lines.index("Dealt:")
    for name, line in zip(("player_0", "player_1"), lines[place + 1 :], strict=False):
        shown = {part[0]: part[2:].replace(" ", "") for part in line.removeprefix(f"{name}: ").split("   ")}
        hand = zip("♠♥♦♣", record["hands"][name].split("."), strict=True)
        assert shown == {suit: ranks for suit, ranks in hand if ranks}
    talon = dict(zip("SHDC", "♠♥♦♣", strict=True))
    assert lines[place + 3].split() == ["talon:", *(talon[card[0]] + card[1] for card in record["talon"].split())]


def test_every_choice_is_a_decision_and_nothing_else():
    """Of the numbers of the actions: those with a choice, of an exchange the first."""
    row, begun = played("auction", 2, at_random(5)), helpers.new_row(Rules.make("auction"), seed=2)
    expected, exchanging = [], None
    for number, (player, action) in enumerate(helpers.history(row), 1):
        in_exchange = begun[at.PHASE] == at.EXCHANGE
        if len(helpers.legal(begun)) > 1 and not (in_exchange and exchanging == player):
            expected.append(number)
        exchanging = player if in_exchange else None
        assert game.apply_action(begun, action)
    assert [each["number"] for each in decisions_of(analysed(row, GREEDY, samples=2))] == expected


def test_the_decisions_of_one_player():
    made = analysed(played("rubicon", 5, at_random(5)), GREEDY, players=(1,), samples=2)
    assert list(made["players"]) == ["player_1"]
    assert {each["player"] for each in decisions_of(made)} == {"player_1"}
    check(made)
