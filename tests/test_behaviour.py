"""The figures of `piquet report`, against a slow recount and by hand."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from helpers import card_number, field, naive_rules, set_up
from scipy.stats import binomtest, ttest_1samp
from slow_behaviour import Recount

from piquet_env.arena import match, play_match
from piquet_env.arena.statistics import make_up, pair_values
from piquet_env.behaviour import declarations, exchange
from piquet_env.behaviour.deals import Deals
from piquet_env.behaviour.figures import MEAN, SHARE, Sums
from piquet_env.behaviour.page import behaviour_page
from piquet_env.behaviour.report import at_path, behaviour_report, figures_of
from piquet_env.behaviour.score import ITEMS
from piquet_env.behaviour.summary import summary_cells
from piquet_env.behaviour.tables import tables
from piquet_env.behaviour.watch import watch
from piquet_env.bots import load_bot
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.notation import action_index
from piquet_env.records.made import deal_record
from piquet_env.rules import RULESETS, Rules

SCHEMA = json.loads((Path(match.__file__).parents[1] / "report.schema.json").read_text())
PROVENANCE = {key: None for key in ("command", "versions", "commit", "dirty", "weights", "machine")} | {"cheats": []}


class Odd:
    """Chance and habit: a third of its moves are greedy's, in the auction it passes often; it sinks and doubles."""

    def act(self, views, rng):
        chance = load_bot("random").act(views, rng)
        chosen = np.where(rng.random(len(chance)) < 0.3, load_bot("greedy").act(views, rng), chance)
        passes = (views.mask[:, act.PASS] == 1) & (rng.random(len(chance)) < 0.4)
        return np.where(passes, act.PASS, chosen)


def report_of(bot="greedy", against="random", rules="auction", pairs=30, seed=3, names=("it", "other")) -> dict:
    made = Rules.make(rules)
    bots = [load_bot(name) if isinstance(name, str) else name for name in (bot, against)]
    return behaviour_report(names, made, pairs, seed, watch(*bots, made, pairs, seed), PROVENANCE)


# ------------------------------------------------------------------ what is shown of a match


@pytest.mark.parametrize("rules", ["auction", "mini"])
def test_a_witness_is_shown_every_deal_that_is_over(rules):
    shown = []
    played = play_match(Odd(), Odd(), rules, 40, 2, witness=lambda rows, games: shown.append((rows, games)))
    rows, games = (np.concatenate(parts) for parts in zip(*shown, strict=True))
    assert (rows[:, at.PHASE] == at.DEAL_OVER).all()
    thrown = rows[:, at.IS_THROWN_IN] == 1
    assert thrown.sum() == played.games["thrown_in"].sum() > 0
    completed = ~thrown if rules == "auction" else np.ones(len(rows), bool)
    assert completed.sum() == len(played.deals)
    totals = rows[np.arange(len(rows)), at.SCORE + len(at.ITEMS) * games["seat_of_a"] + at.ITEM_TOTAL]
    assert totals[completed].sum() == played.deals["total_a"].sum()


# ------------------------------------------------------------------ every figure, counted again


@pytest.mark.parametrize(
    ("rules", "pairs"),
    [
        ("auction", 60),
        ("auction-cavendish", 25),
        ("auction-parlett", 25),
        ("mini", 60),
        ("micro", 60),
        ("rubicon", 40),
        ("cavendish", 20),
        ("cent", 20),
        ("open", 10),
        ({"base": "auction", "sinking": False}, 25),
        ({"base": "cent", "stop_at": 12}, 25),
        ({"base": "auction", "minimum_point": 5}, 20),
    ],
)
def test_every_figure_is_what_a_slow_recount_finds(rules, pairs):
    made = Rules.make(rules)
    sections = watch(Odd(), Odd(), made, pairs, 4)
    recount = Recount(naive_rules(made))

    def again(rows, games):
        for row, seat in zip(rows, games["seat_of_a"], strict=True):
            recount.deal(deal_record(row), int(seat))

    play_match(Odd(), Odd(), made, pairs, 4, witness=again)
    found = dict(leaves(sections))
    assert {path for path, figure in found.items() if figure["count"]} == set(recount.cases)
    for path, cases in recount.cases.items():
        figure = found[path]
        assert figure["count"] == len(cases), path
        assert figure.get("share", figure.get("mean")) == pytest.approx(sum(cases) / len(cases)), path
        if figure["interval"]:
            low, high = figure["interval"]
            assert low - 1e-9 <= sum(cases) / len(cases) <= high + 1e-9, path


def leaves(part: dict, path: str = ""):
    if "count" in part:
        yield path.removeprefix("/"), part
        return
    for name, inner in part.items():
        yield from leaves(inner, f"{path}/{name}")


def test_figures_do_not_depend_on_how_many_are_played_at_once(monkeypatch):
    whole = report_of("greedy", "greedy", pairs=50)
    monkeypatch.setattr(match, "BLOCK", 7)
    parts = report_of("greedy", "greedy", pairs=50)
    for (path, figure), (other, again) in zip(leaves(whole["score"]), leaves(parts["score"]), strict=True):
        assert path == other
        assert figure["count"] == again["count"]
        if figure["count"]:
            assert figure["mean"] == pytest.approx(again["mean"])
            assert figure["interval"] == pytest.approx(again["interval"])


# ------------------------------------------------------------------ the score


@pytest.mark.parametrize("rules", list(RULESETS))
def test_the_items_of_a_score_add_up_to_its_total(rules):
    made = report_of(Odd(), "greedy", rules)
    for group, score in made["score"].items():
        assert set(score) == set(ITEMS)
        for who in ("bot", "against", "difference"):
            total = score["total"][who]
            if total["count"]:
                parts = [score[item][who]["mean"] for item in ITEMS if item != "total"]
                assert sum(parts) == pytest.approx(total["mean"]), (group, who)
                assert {score[item][who]["count"] for item in ITEMS} == {total["count"]}


def test_the_total_is_what_a_match_finds():
    made = report_of("greedy", "random", pairs=40)
    played = play_match(load_bot("greedy"), load_bot("random"), "auction", 40, 3)
    assert at_path(made, "score/all/total/difference")["mean"] == pytest.approx(pair_values(played).mean())
    items = make_up(played)
    for item in ("repique", "cards", "tricks"):
        assert at_path(made, f"score/all/{item}/bot")["mean"] == pytest.approx(items[item]["bot"])
    contract = sum(at_path(made, f"score/all/{item}/against")["mean"] for item in ("overtricks", "undertricks"))
    assert contract == pytest.approx(items["contract"]["against"])


# ------------------------------------------------------------------ sinking, by hand


ELDER = "SA SK SQ SJ ST HK H8 H7 DQ D7 C8 C7"  # a quint to the ace; a point of five
YOUNGER = "S9 S8 S7 HA HQ HJ HT DA DK CA CT C9"  # a point of four, 41; two tierces; three aces
TALON = "H9 DJ DT D9 D8 CK CQ CJ"
SUNK = (
    "discard C8", "stand",  # elder draws H9: now hearts are a point of four, 34
    "stand",
    "point H", "point H",  # elder sinks the five spades, which would be good; younger's four hearts are his best
    "none", "sequence 3 Q",  # elder sinks the quint; younger names his better tierce, which is no tierce more
    "none", "none",  # elder has no set; younger sinks three aces, which would be good
)  # fmt: skip


def after(texts) -> Deals:
    """Both sides of the deal: first elder's, player_1, then younger's."""
    row = set_up(RULESETS["rubicon"], 0, [card_number(card) for card in f"{YOUNGER} {ELDER} {TALON}".split()])
    for text in texts:
        assert game.apply_action(row, action_index(text, "rubicon")), text
    return Deals(RULESETS["rubicon"], np.stack([row, row]), np.array([1, 0]))


def figures(found) -> dict:
    """By path (sum of values, cases)."""
    return {figure.path: (int(figure.values.sum()), int(figure.among.sum())) for figure in found}


def test_sinking_is_naming_less_than_the_best_that_could_be_named():
    found = figures(declarations.figures(after(SUNK)))

    def sunk(what):
        names = ("any", "whole", "lower", "would_be_good", "would_be_not_good")
        return [found[f"classic_{what}/sunk/{name}"] for name in names]

    assert sunk("elder/point") == [(1, 1), (0, 1), (1, 1), (1, 1), (0, 1)]
    assert sunk("elder/sequence") == [(1, 1), (1, 1), (0, 1), (1, 1), (0, 1)]
    assert sunk("elder/set") == [(0, 0)] * 5
    assert sunk("younger/point") == [(0, 1), (0, 1), (0, 1), (0, 0), (0, 0)]
    assert sunk("younger/sequence") == [(0, 1), (0, 1), (0, 1), (0, 0), (0, 0)]
    assert sunk("younger/set") == [(1, 1), (1, 1), (0, 1), (1, 1), (0, 1)]
    assert found["classic_younger/point/points"] == (4, 1)
    assert found["classic_younger/sequence/points"] == (6, 1)
    assert found["classic_elder/point/not_good"] == (1, 1)


def test_good_is_no_sinking_where_elder_has_said_more():
    texts = (*SUNK[:3], "point S", "none", "sequence 5 A", "none", "none", "none")
    found = figures(declarations.figures(after(texts)))
    assert found["classic_younger/point/sunk/any"] == (0, 0)
    assert found["classic_younger/sequence/sunk/any"] == (0, 0)
    assert found["classic_elder/point/good"] == (1, 1)
    assert found["classic_elder/sequence/points"] == (15 + 3, 1)  # and the tierce of hearts with it


def test_what_is_kept():
    found = figures(exchange.figures(after(SUNK)))
    assert found["classic_elder/exchanged"] == (1, 1)
    assert found["classic_elder/kept/8"] == (1, 2)
    assert found["classic_elder/kept/A"] == (1, 1)
    assert found["classic_elder/holdings/point/kept"] == (1, 1)
    assert found["classic_elder/leftovers_seen"] == (4, 1)
    assert found["classic_younger/leftovers_seen"] == (3 + 4, 1)  # his own three, and elder's four
    assert found["classic_younger/holdings/trio/dealt"] == (1, 1)
    deals = after(SUNK)
    assert field(deals.rows[0], "exchanged") == [0, 1]


# ------------------------------------------------------------------ intervals


def sums_of(kind, values, among) -> dict:
    sums = Sums(kind)
    for part in (slice(0, 3), slice(3, None)):  # as two blocks
        sums.add(np.asarray(values, float)[part], np.asarray(among, float)[part])
    return sums.leaf()


def test_a_mean_of_independent_cases_has_a_student_interval():
    values = np.random.default_rng(1).normal(3, 10, 25)
    found = sums_of(MEAN, values, np.ones(25))
    expected = ttest_1samp(values, 0).confidence_interval(0.95)
    assert found["interval"] == pytest.approx([expected.low, expected.high])
    assert found["mean"] == pytest.approx(values.mean())


def test_cases_of_one_pair_are_no_more_than_one_observation():
    happened = np.array([1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0])
    once = sums_of(SHARE, happened, np.ones(12))
    fivefold = sums_of(SHARE, 5 * happened, np.full(12, 5))
    assert (fivefold["count"], fivefold["share"]) == (60, once["share"])
    assert fivefold["interval"] == pytest.approx(once["interval"])


def test_what_never_happened_is_not_sure():
    found = sums_of(SHARE, np.zeros(20), np.ones(20))
    exact = binomtest(0, 20).proportion_ci(0.95, "exact")
    assert found["interval"] == pytest.approx([exact.low, exact.high])
    always = sums_of(SHARE, np.ones(20), np.ones(20))
    assert always["interval"] == pytest.approx([1 - exact.high, 1])


def test_intervals_of_shares_cover_the_truth():
    rng, covered = np.random.default_rng(5), 0
    for _ in range(400):
        own = rng.beta(1, 4, 60)  # pairs differ: 0.2 on average
        among = rng.integers(0, 5, 60)
        low, high = sums_of(SHARE, rng.binomial(among, own), among)["interval"]
        covered += low <= 0.2 <= high
    assert 0.93 * 400 <= covered < 400


def test_without_a_case_there_is_nothing_and_of_one_pair_no_interval_of_a_mean():
    assert sums_of(SHARE, np.zeros(9), np.zeros(9)) == {"count": 0, "share": None, "interval": None}
    alone = np.eye(9)[2]
    assert sums_of(MEAN, 7 * alone, alone) == {"count": 1, "mean": 7.0, "interval": None}
    assert sums_of(SHARE, alone, 2 * alone)["interval"][1] > 0.95


# ------------------------------------------------------------------ the report


@pytest.mark.parametrize("rules", [*RULESETS, {"base": "auction", "sinking": False}])
def test_the_report_is_as_its_schema_says_and_can_be_shown(rules):
    for bots in ((Odd(), "greedy"), ("greedy", "greedy")):
        made = report_of(*bots, rules, 6)
        jsonschema.validate(json.loads(json.dumps(made)), SCHEMA)
        assert ("auction" in made) == Rules.make(rules).auction
    assert behaviour_page(made)  # of the bot against itself


def test_tables_fit_eighty_columns():
    for rules in ("auction", "cavendish"):
        made = report_of(Odd(), "greedy", rules, 150)
        shown = [("summary", summary_cells(made)), *tables(made)]
        assert len(shown) > 12
        for title, cells in shown:
            widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
            assert sum(widths) + 3 * len(widths) + 1 <= 80, title
            assert len(title) <= 80


def test_a_cell_has_its_figure():
    made = report_of(Odd(), "greedy", "auction", 60)
    by_title = {title.partition(" (")[0]: {line[0]: line[1:] for line in cells} for title, cells in tables(made)}
    plus = made["auction"]["own"]["+"]
    line = by_title["Its contracts"]["+"]
    assert line[2] == f"{plus['made']['count']:,}"
    assert line[3].startswith(f"{100 * plus['made']['share']:.0f} % [")
    assert line[4].startswith(f"{plus['points']['mean']:+.1f} [")
    facing = by_title["What it does facing a bid"]["all"]
    shares = [made["auction"]["to_a_bid"]["all"][name]["share"] for name in ("pass", "bid", "double")]
    assert sum(shares) == pytest.approx(1)
    assert [float(cell.split(" %")[0]) for cell in facing[:3]] == pytest.approx([100 * s for s in shares], abs=0.5)


def test_the_page_has_every_plot_and_needs_no_other_file():
    for rules, pictures in (("auction", 6), ("rubicon", 3)):
        text = behaviour_page(report_of(Odd(), "greedy", rules, 20, names=("<b>$x_1$ & \udcff", "greedy")))
        assert text.count("data:image/svg+xml;base64,") == pictures
        assert "<b>" not in text
        assert "http" not in text.split("<pre>")[0]
        assert text.count("src=") == pictures
        assert "href=" not in text


@pytest.mark.filterwarnings("error")
def test_a_report_of_deals_that_were_all_thrown_in_can_be_shown():
    class Passing:
        def act(self, views, rng):
            return np.full(len(views.mask), act.PASS)

    made = report_of(Passing(), Passing(), "micro", 3)
    jsonschema.validate(json.loads(json.dumps(made)), SCHEMA)
    assert made["auction"]["thrown_in"]["share"] == 1
    assert behaviour_page(made)
    assert ["points a deal", "+0.0 [+0.0, +0.0]", "6"] in summary_cells(made)
    assert "never came up" in summary_cells(made)[2]


def test_every_figure_has_one_kind():
    made = report_of()
    sections = [made[name] for name in ("auction", "exchange", "declarations", "play", "score")]
    kinds = {tuple(sorted(figure)) for section in sections for figure in figures_of(section)}
    assert kinds == {("count", "interval", "share"), ("count", "interval", "mean")}
