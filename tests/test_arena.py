"""Duplicate matches, and what is computed from them."""

import math

import numpy as np
import pytest
from helpers import new_row, odd_rules

from piquet_env.arena import Match, play_match
from piquet_env.arena.match import BLOCK, deal_seed
from piquet_env.arena.statistics import (
    contracts,
    make_up,
    mean_with_interval,
    pair_values,
    summary,
    thrown_in_share,
)
from piquet_env.arena.tables import DEAL, GAME
from piquet_env.bots import BotError, load_bot
from piquet_env.engine import batch
from piquet_env.engine import layout as at
from piquet_env.engine.actions import PASS
from piquet_env.rules import RULESETS, Rules


class Recorder:
    """Plays like another bot; remembers (deal of the partie, thrown in before it, seat): (hand as dealt, dealer)."""

    def __init__(self, bot):
        self.bot, self.dealt = bot, {}

    def act(self, views, rng):
        for row in views.rows:
            seat = int(row[at.ACTOR])
            key = int(row[at.COMPLETED]), int(row[at.THROWN_IN]), seat
            self.dealt.setdefault(key, set()).add((int(row[at.DEALT + seat]), int(row[at.DEALER])))
        return self.bot.act(views, rng)


class Passing:
    """Passes as long as it can, else plays as greedy does; with every second hand it bids."""

    def act(self, views, rng):
        own = views.rows[np.arange(len(views.rows)), at.DEALT + views.rows[:, at.ACTOR]]
        passes = (own % 31 % 2 == 0) & (views.mask[:, PASS] == 1)
        return np.where(passes, PASS, load_bot("greedy").act(views, rng))


class AlwaysPassing:
    def act(self, views, rng):
        return np.where(views.mask[:, PASS] == 1, PASS, views.mask.argmax(axis=1))


class Giving:
    """Gives always the same."""

    def __init__(self, given):
        self.given = given

    def act(self, views, rng):
        return self.given(len(views.mask))


def match_of(a="greedy", b="random", rules="auction", pairs=60, seed=1, episode="deal", **more) -> Match:
    bots = [load_bot(bot) if isinstance(bot, str) else bot for bot in (a, b)]
    return play_match(*bots, rules, pairs, seed, episode, **more)


# ------------------------------------------------------------------ the duplicate


@pytest.mark.parametrize("episode", ["deal", "partie"])
def test_a_deterministic_bot_against_itself_is_level_in_every_pair(episode):
    for rules in [*RULESETS.values(), *map(odd_rules, range(8))]:
        for bot in ("greedy", Passing()):
            if isinstance(bot, Passing) and not rules.auction:
                continue
            match = match_of(bot, bot, rules, 12, episode=episode)
            halves = match.games["difference"].reshape(-1, 2)
            assert np.array_equal(halves[:, 0], -halves[:, 1]), rules.spec()
            assert not pair_values(match).any()
            thrown = match.games["thrown_in"].reshape(-1, 2)
            assert np.array_equal(thrown[:, 0], thrown[:, 1])


@pytest.mark.parametrize("episode", ["deal", "partie"])
@pytest.mark.parametrize("rules", ["auction", "rubicon", "mini"])
def test_both_halves_have_the_same_cards_and_dealers_with_the_seats_swapped(rules, episode):
    a, b = Recorder(load_bot("greedy")), Recorder(load_bot("greedy"))
    match = match_of(a, b, rules, 1, seed=4, episode=episode)
    assert a.dealt == b.dealt  # from either seat in turn, both saw the same
    assert all(len(hands) == 1 for hands in a.dealt.values())
    seats = {seat for _, _, seat in a.dealt}
    assert seats == {0, 1}
    dealers = match.deals["dealer"].reshape(2, -1)
    assert np.array_equal(dealers[0], dealers[1])
    assert match.games["seat_of_a"].tolist() == [0, 1]


def test_deals_after_thrown_in_ones_are_the_same_cards_in_both_halves():
    a, b = Recorder(AlwaysPassing()), Recorder(AlwaysPassing())
    match = match_of(a, b, "auction", 1)
    assert match.games["thrown_in"].tolist() == [100, 100]
    assert match.games["truncated"].all()
    assert len(match.deals) == 0
    assert a.dealt == b.dealt
    assert len(a.dealt) == 200  # a hundred deals, from both seats
    assert all(len(hands) == 1 for hands in a.dealt.values())


def test_the_deals_are_fixed_by_seed_and_index_and_are_none_of_training():
    seen = Recorder(load_bot("greedy"))
    match_of(seen, seen, "rubicon", 1, seed=9)
    row = np.zeros((1, at.COLUMNS), np.int64)
    batch.new_games(row, RULESETS["rubicon"].columns(), 0, deal_seed(9), 0)
    assert seen.dealt[0, 0, 0] == {(int(row[0, at.DEALT]), int(row[0, at.DEALER]))}
    assert int(row[0, at.DEALT]) != int(new_row(RULESETS["rubicon"], seed=9)[at.DEALT])
    assert -(2**63) <= deal_seed(0) < deal_seed(2**63 - 1) < 0  # environments take 0 to 2**63 - 1


# ------------------------------------------------------------------ the same again


def test_the_same_call_gives_the_same_match_and_another_seed_another():
    first, again, other = match_of(), match_of(), match_of(seed=2)
    assert np.array_equal(first.deals, again.deals)
    assert np.array_equal(first.games, again.games)
    assert not np.array_equal(first.games, other.games)


def test_games_do_not_depend_on_how_many_are_played_at_once(monkeypatch):
    long = match_of(Passing(), "greedy", pairs=50)
    short = match_of(Passing(), "greedy", pairs=7)
    assert np.array_equal(long.games[:14], short.games)
    monkeypatch.setattr("piquet_env.arena.match.BLOCK", 11)
    assert np.array_equal(match_of(Passing(), "greedy", pairs=50).deals, long.deals)


def test_bots_that_draw_random_numbers_repeat_whole_blocks():
    long = match_of("random", "random", "micro", BLOCK + 30)
    assert np.array_equal(match_of("random", "random", "micro", BLOCK).games, long.games[: 2 * BLOCK])
    assert long.games["pair"].tolist() == [pair for pair in range(BLOCK + 30) for _ in range(2)]


def test_progress_counts_every_game():
    counted: list[int] = []
    match_of(pairs=20, progress=counted.append)
    assert sum(counted) == 40


# ------------------------------------------------------------------ what is kept


@pytest.mark.parametrize("rules", list(RULESETS))
def test_score_sheets_add_up(rules):
    for episode in ("deal", "partie"):
        match = match_of("greedy", "random", rules, 25, episode=episode)
        deals, games = match.deals, match.games
        for side in ("a", "b"):
            assert np.array_equal(deals[f"total_{side}"], sum(deals[f"{item}_{side}"] for item in at.ITEMS[:-1]))
        assert np.array_equal(deals["difference"], deals["total_a"] - deals["total_b"])
        for game in games:
            own = deals[(deals["pair"] == game["pair"]) & (deals["half"] == game["half"])]
            assert own["difference"].sum() == game["difference"]
            assert own["deal"].tolist() == list(range(1, int(game["deals"]) + 1))
        parts = make_up(match)
        assert math.isclose(sum(p["difference"] for p in parts.values()), pair_values(match).mean(), abs_tol=1e-9)


def test_contracts_and_tricks_are_the_makers():
    match = match_of("greedy", "random", "auction", 200)
    assert np.all(match.deals["tricks_won_a"] + match.deals["tricks_won_b"] == 12)
    for deal in match.deals:  # section 9: 10 for each trick beyond or short, times the stake
        side, other = ("a", "b") if deal["elder"] == 0 else ("b", "a")
        tricks = int(deal[f"tricks_won_{side if deal['sign'] == 1 else other}"])
        points = 10 * int(deal["stake"]) * (tricks - int(deal["level"]))
        assert deal[f"contract_{side}"] == max(points, 0)
        assert deal[f"contract_{other}"] == max(-points, 0)


def test_payments_of_parties_are_those_of_the_rules_and_cancel():
    match = match_of("greedy", "greedy", "rubicon", 30, episode="partie")
    for game in match.games:
        own = match.deals[(match.deals["pair"] == game["pair"]) & (match.deals["half"] == game["half"])]
        mine, theirs = int(own["total_a"].sum()), int(own["total_b"].sum())
        paid = 100 + (abs(mine - theirs) if min(mine, theirs) >= 100 else mine + theirs)
        assert game["payment"] == (paid if mine > theirs else -paid if mine < theirs else 0)
    assert not match.games["payment"].reshape(-1, 2).sum(axis=1).any()


def test_points_of_the_largest_rules_are_counted_in_full():
    small = {"suits": "S", "ranks": "789JQK", "hand_size": 2, "elder_talon": 1, "younger_talon": 1, "deals": 20}
    levels = {"lowest_level": 1, "highest_level": 2}
    rules = {"base": "rubicon", "carte_blanche": 10**9, "rubicon": 10**9, **small, **levels}
    match = match_of("greedy", "random", rules, 8, episode="partie")
    for game in match.games:
        own = match.deals[(match.deals["pair"] == game["pair"]) & (match.deals["half"] == game["half"])]
        mine, theirs = (sum(map(int, own[f"total_{side}"])) for side in "ab")
        assert game["difference"] == mine - theirs
        paid = 10**9 + (abs(mine - theirs) if min(mine, theirs) >= 10**9 else mine + theirs)
        assert game["payment"] == (paid if mine > theirs else -paid if mine < theirs else 0)
    assert abs(match.games["payment"]).max() > 2**32


def made_match(deals, pairs=2, thrown_in=0, rules="auction") -> Match:
    """A match with these deals: (pair, half, {field: value})."""
    table, games = np.zeros(len(deals), DEAL), np.zeros(2 * pairs, GAME)
    for entry, (pair, half, values) in zip(table, deals, strict=True):
        entry["pair"], entry["half"] = pair, half
        for name, value in values.items():
            entry[name] = value
    games["pair"] = np.repeat(np.arange(pairs), 2)
    games["thrown_in"][0] = thrown_in
    return Match(("x", "y"), Rules.make(rules), "deal", 0, table, games)


def test_contracts_are_counted_by_maker_sign_and_level():
    plus = {"elder": 0, "sign": 1, "level": 8, "stake": 1, "tricks_won_a": 8, "tricks_won_b": 4}
    short = plus | {"stake": 2, "tricks_won_a": 7, "tricks_won_b": 5}
    minus = {"elder": 1, "sign": -1, "level": 7, "stake": 4, "tricks_won_a": 7, "tricks_won_b": 5}
    match = made_match([(0, 0, plus), (0, 1, short), (1, 0, minus), (1, 1, plus | {"sign": 0, "elder": -1})])
    assert contracts(match) == [
        {"maker": "bot", "sign": "+", "level": 8, "bid": 2, "made": 1, "doubled": 1, "redoubled": 0},
        {"maker": "against", "sign": "-", "level": 7, "bid": 1, "made": 1, "doubled": 0, "redoubled": 1},
    ]


def test_the_share_of_thrown_in_deals_is_of_all_that_were_dealt():
    deals = [(pair, half, {"difference": 4}) for pair in range(2) for half in range(2)]
    assert thrown_in_share(made_match(deals, thrown_in=1)) == 1 / 5
    deals[0][2]["is_thrown_in"] = True  # in `mini` it is a completed deal too
    assert thrown_in_share(made_match(deals, thrown_in=1)) == 1 / 4


def test_the_pair_is_the_unit():
    match = made_match(
        [
            (0, 0, {"difference": 30}),
            (0, 1, {"difference": -10}),
            (1, 0, {"difference": 5}),
            (1, 1, {"difference": 1}),
        ]
    )
    assert pair_values(match).tolist() == [10, 3]
    assert summary(match)["pairs"] == {"won": 2, "drawn": 0, "lost": 0}
    assert summary(match)["points_per_deal"] == 6.5


# ------------------------------------------------------------------ intervals


def test_an_interval_is_about_two_standard_errors_wide_and_always_the_same():
    values = np.random.default_rng(0).normal(3.0, 50.0, 2000)
    found = mean_with_interval(values)
    error = values.std() / 2000**0.5
    assert found.mean == pytest.approx(values.mean())
    assert found.low == pytest.approx(values.mean() - 1.96 * error, abs=0.15 * error)
    assert found.high == pytest.approx(values.mean() + 1.96 * error, abs=0.15 * error)
    assert mean_with_interval(values) == found


def test_intervals_cover_the_truth_as_often_as_they_should():
    rng = np.random.default_rng(1)
    found = [mean_with_interval(rng.exponential(1.0, 60)) for _ in range(200)]
    covered = sum(interval.low <= 1.0 <= interval.high for interval in found)
    assert 176 <= covered <= 198  # 190 expected of 200; skewed values and few pairs cost a little


def test_values_that_are_all_alike_have_an_interval_of_no_width():
    assert mean_with_interval(np.full(50, 0.1)) == pytest.approx((0.1, 0.1, 0.1))
    with pytest.raises(ValueError, match="at least two pairs"):
        mean_with_interval(np.array([1.0]))


# ------------------------------------------------------------------ strength


@pytest.mark.parametrize("rules", list(RULESETS))
def test_greedy_beats_random(rules):
    assert mean_with_interval(pair_values(match_of("greedy", "random", rules, 300))).low > 0


def test_greedy_bids_against_itself():
    match = match_of("greedy", "greedy", "auction", 300)
    assert thrown_in_share(match) < 0.2
    bid = {(entry["sign"], entry["level"]) for entry in contracts(match)}
    assert {("+", 7), ("-", 7), ("+", 9), ("-", 9)} <= bid


# ------------------------------------------------------------------ what is refused


def test_bad_answers_of_a_bot_name_it():
    answers = {
        "action 79 is not legal": lambda n: np.full(n, 79),
        "action -1 is not legal": lambda n: np.full(n, -1),
        "got float64": lambda n: np.zeros(n),
        "integer actions of shape": lambda n: np.zeros(n + 1, np.int64),
        "got object": lambda n: None,
    }
    for message, given in answers.items():
        with pytest.raises(BotError, match=message) as caught:
            match_of(Giving(given), "greedy", names=("Clumsy", "greedy"))
        assert "'Clumsy'" in str(caught.value)


class WrongSignature:
    def act(self, views): ...


def leaves(n):
    raise SystemExit(0)


def test_what_a_bot_raises_names_it():
    bots = {
        r"raised SystemExit: 0 \(.*test_arena.py:\d+\)$": Giving(leaves),
        r"raised ZeroDivisionError: .* \(.*test_arena.py:\d+\)$": Giving(lambda n: n // 0),
        r"raised TypeError: .*act\(\) takes 2 positional arguments": WrongSignature(),
        r"an array of what act gave raised ValueError": Giving(lambda n: [[1], [1, 2]]),
    }
    for message, bot in bots.items():
        with pytest.raises(BotError, match=message) as caught:
            match_of(bot, "greedy", names=("Clumsy", "greedy"))
        assert str(caught.value).startswith("bot 'Clumsy': ")


def test_an_interrupt_ends_a_match():
    def interrupted(n):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        match_of(Giving(interrupted))


def test_bad_settings_are_refused():
    for more in ({"pairs": 0}, {"pairs": 1.5}, {"seed": -1}, {"episode": "hand"}, {"rules": "bridge"}):
        with pytest.raises(ValueError, match=next(iter(more))):
            match_of(**more)
