"""`piquet bidding`: making and checking the deals, how far their scores agree with the full game's, what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from commands import run_command
from helpers import new_row

from piquet_env import bidding
from piquet_env.arena import play_match
from piquet_env.arena.agreement import correlation, interval_of, matches_agreement, over_matches, slope
from piquet_env.arena.match import deal_seed
from piquet_env.arena.statistics import pair_values
from piquet_env.bidding import TEST, BiddingDeals, keeping
from piquet_env.bidding.bots import BidsAs, PassBot
from piquet_env.bots import load_bot, views_of
from piquet_env.bots.base import views_for
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.files import locked
from piquet_env.rules import Rules
from piquet_env.solver.api import workspace

RANDOM, GREEDY = load_bot("random"), load_bot("greedy")


def run(capsys, *arguments) -> tuple[int, str, str]:
    return run_command(capsys, "bidding", *map(str, arguments))


def bytes_of(deals: BiddingDeals) -> list[bytes]:
    return [getattr(deals, name).tobytes() for name in ("hands", "talon", "scores")]


# ------------------------------------------------------------------ make


def test_both_files_are_made_and_described(capsys, tmp_path):
    arguments = ("make", "-o", tmp_path / "a", "--seed", 3, "--train", 30, "--test", 20, "--json")
    status, out, err = run(capsys, *arguments)
    assert (status, err) == (0, "")
    made = json.loads(out)
    assert [file["file"] for file in made["files"]] == [
        str(tmp_path / "a" / f"{name}.npz") for name in ("test", "train")
    ]
    for file, number, seed in zip(made["files"], (20, 30), (bidding.held_out_seed(3), 3), strict=True):
        expected = BiddingDeals.make(number, seed)
        assert bytes_of(BiddingDeals.load(file["file"])) == bytes_of(expected)
        assert (file["deals"], file["seed"], file["first"], file["rules"]) == (number, seed, 0, "auction")
        assert (file["sha256"], file["part"]) == (expected.checksum, None)
    assert made["provenance"]["command"].startswith("piquet bidding make --output ")
    assert {entry.name for entry in (tmp_path / "a").iterdir()} == {"test.npz", "train.npz"}
    status, again, _ = run(capsys, *arguments)  # they are there
    assert (status, json.loads(again)["files"]) == (0, made["files"])


def test_a_table_says_whether_they_are_the_benchmarks_own(capsys, tmp_path, monkeypatch):
    part = bidding.Part("test", -1, 8, BiddingDeals.make(8, -1).checksum)
    monkeypatch.setattr("piquet_env.bidding.deals.PARTS", (part,))
    status, out, err = run(capsys, "make", "-o", tmp_path, "--train", 5, "--test", 8)
    assert (status, err) == (0, "")
    lines = {line.split("│")[2].strip(): line for line in out.splitlines() if line.startswith("│")}
    assert "yes: test" in lines["8"]
    assert "no: other deals" in lines["5"]
    assert f"test.npz: {part.sha256}" in out


def test_what_was_made_before_a_kill_is_not_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(keeping, "PART", 10)
    rules, path, told = Rules.make("micro"), tmp_path / "train.npz", []

    def killed_at_30(number):
        told.append(number)
        if sum(told) > 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keeping.make_file(path, 45, 1, rules, 1, killed_at_30)
    parts = sorted((tmp_path / "train.parts").glob("*.npz"))
    assert [part.name for part in parts] == ["000000000.npz", "000000010.npz", "000000020.npz"]
    parts[1].write_bytes(parts[1].read_bytes()[:-9])  # and one was damaged
    BiddingDeals.make(10, 2, 20, rules).save(parts[2])  # and one is of another seed
    firsts, made = [], BiddingDeals.make

    def counting(number, seed, first, *others):
        firsts.append(first)
        return made(number, seed, first, *others)

    monkeypatch.setattr(BiddingDeals, "make", counting)
    told.clear()
    deals = keeping.make_file(path, 45, 1, rules, 1, told.append)
    assert firsts == [10, 20, 30, 40]
    assert sum(told) == 45
    assert bytes_of(deals) == bytes_of(BiddingDeals.load(path)) == bytes_of(made(45, 1, 0, rules))
    assert [entry.name for entry in tmp_path.iterdir()] == ["train.npz"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--rules", "rubicon"), "rules: expected a game with an auction, got rubicon"),
        (("--rules", "bridge"), "rules"),
        (("--train", -1), "train: expected 0 to 100,000,000 deals, got -1"),
        (("--test", 10**9), "test: expected 0 to 100,000,000 deals, got 1000000000"),
        (("--train", 0, "--test", 0), "train, test: expected deals for one of them at least, got 0 for both"),
        (("--seed", -1), "seed: expected 0 to 2**63 - 1, got -1"),
        (("--threads", 0), "threads: expected a whole number of at least 1, got 0"),
    ],
)
def test_what_cannot_be_made(capsys, tmp_path, arguments, reason):
    status, out, err = run(capsys, "make", "-o", tmp_path, "--train", 5, "--test", 5, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("piquet bidding make: ")
    assert reason in err
    assert len(err.splitlines()) == 1
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_a_file_is_made_by_one_process_at_a_time(capsys, tmp_path):
    folder = tmp_path / "train.parts"
    folder.mkdir()
    arguments = ("make", "-o", tmp_path, "--train", 5, "--test", 0)
    with locked(folder):
        assert run(capsys, *arguments) == (2, "", f"piquet bidding make: {folder}: another process has it\n")
    (folder / ".000000000.npz.1234.tmp").write_bytes(b"begun")  # by one that was killed
    assert run(capsys, *arguments)[0] == 0
    assert [entry.name for entry in tmp_path.iterdir()] == ["train.npz"]


def test_parts_are_removed_and_nothing_else(tmp_path):
    """Also those of a process that was killed when the file was whole."""
    path, folder, rules = tmp_path / "train.npz", tmp_path / "train.parts", Rules.make("micro")
    for entries in ([], ["000000000.npz", ".lock", ".000000000.npz.12.tmp"], ["notes.txt", "000000000.npz"]):
        folder.mkdir()
        for entry in entries:
            (folder / entry).write_text("mine")
        keeping.make_file(path, 5, 1, rules, 1, int)
        assert [entry.name for entry in folder.glob("*")] == [entry for entry in entries if entry == "notes.txt"]
    path.unlink()
    (folder / "000000000.npz").write_text("damaged")
    keeping.make_file(path, 5, 1, rules, 1, int)
    assert [entry.name for entry in folder.iterdir()] == ["notes.txt"]


def test_a_file_that_cannot_be_written_is_refused_before_it_is_made(capsys, tmp_path):
    (tmp_path / "train.npz").symlink_to("nowhere/deals.npz")
    status, out, err = run(capsys, "make", "-o", tmp_path, "--train", 5, "--test", 0)
    assert (status, out) == (2, "")
    assert err.startswith("piquet bidding make: output: no file can be written at ")
    assert [entry.name for entry in tmp_path.iterdir()] == ["train.npz"]


def test_a_file_with_other_deals_is_kept(capsys, tmp_path):
    file = tmp_path / "train.npz"
    BiddingDeals.make(5, 7).save(file)
    before = file.read_bytes()
    status, out, err = run(capsys, "make", "-o", tmp_path, "--train", 5, "--test", 0)
    assert (status, out) == (2, "")
    assert err == f"piquet bidding make: {file} has other deals: remove it, or give another folder\n"
    assert file.read_bytes() == before
    status, _, err = run(capsys, "make", "-o", file, "--train", 5, "--test", 0)
    assert status == 2
    assert err.startswith("piquet bidding make: output: ")
    assert "Not a directory" in err


# ------------------------------------------------------------------ check


def test_a_file_is_checked(capsys, tmp_path):
    file, deals = tmp_path / "deals.npz", BiddingDeals.make(40, 2, first=100)
    deals.save(file)
    status, out, err = run(capsys, "check", file, "--json")
    assert (status, err) == (0, "")
    (told,) = json.loads(out)["files"]
    assert (told["sha256"], told["deals"], told["first"]) == (deals.checksum, 40, 100)
    assert "no: other deals" in run(capsys, "check", file, "--sample", 3)[1]
    deals.scores[17, 1, 0, 2] += 10  # the file is whole, but its deals are not what they say
    del deals.__dict__["checksum"]
    deals.save(file)
    status, out, err = run(capsys, "check", file)
    assert (status, out) == (2, "")
    assert err.startswith("piquet bidding check: deal 117: scores: expected [")
    file.write_bytes(file.read_bytes()[:-5])
    assert run(capsys, "check", file)[2].startswith(f"piquet bidding check: {file}: no deals for bidding: ")
    deals.save(file)
    assert "sample: expected at least 1 deal, got 0" in run(capsys, "check", file, "--sample", 0)[2]


@pytest.mark.long
def test_the_deals_to_test_on_are_the_benchmarks():
    assert BiddingDeals.make(TEST.number, TEST.seed).part == TEST


# ------------------------------------------------------------------ bots


def at_phases(rules: str = "auction") -> np.ndarray:
    """True rows of some games as greedy plays them, at each decision: int64 (N, columns)."""
    found = []
    for index in range(3):
        row = new_row(Rules.make(rules), seed=6, index=index)
        while row[at.PHASE] < at.DEAL_OVER:
            found.append(row.copy())
            game.apply_action(row, int(GREEDY.act(views_of(row[None]), np.random.default_rng(0))[0]))
    return np.array(found)


def test_one_bids_and_the_other_plays():
    rows = at_phases()
    in_auction = rows[:, at.PHASE] == at.AUCTION
    views, rng = views_of(rows), np.random.default_rng(0)
    assert in_auction.any()
    chosen = BidsAs(PassBot(), GREEDY).act(views, rng)
    assert (chosen == np.where(in_auction, PassBot().act(views, rng), GREEDY.act(views, rng))).all()
    chosen = BidsAs(GREEDY, PassBot()).act(views, rng)
    assert (chosen == np.where(in_auction, GREEDY.act(views, rng), PassBot().act(views, rng))).all()


def test_only_who_cheats_is_given_the_true_rows():
    given = {}

    class Spy:
        def __init__(self, name, sees_all):
            self.name, self.sees_all = name, sees_all

        def act(self, views, rng):
            given[self.name] = views.rows
            return views.mask.argmax(axis=1)

    rows = at_phases()
    bot = BidsAs(Spy("honest", False), Spy("cheat", True))
    assert bot.sees_all
    bot.act(views_for(bot, rows), np.random.default_rng(0))
    in_auction = rows[:, at.PHASE] == at.AUCTION
    assert (given["cheat"] == rows[~in_auction]).all()
    assert (given["honest"] == views_of(rows).rows[in_auction]).all()
    assert not BidsAs(GREEDY, RANDOM).sees_all


def test_who_passes_passes_where_he_may():
    row = new_row(Rules.make("auction-parlett"))
    bot = PassBot()

    def chosen() -> int:
        views = views_of(row[None])
        assert bot.probabilities(views).argmax() == bot.act(views, np.random.default_rng(0))[0]
        return int(bot.act(views, np.random.default_rng(0))[0])

    assert chosen() == act.PASS
    game.apply_action(row, act.PLUS)
    assert chosen() == act.PASS
    game.apply_action(row, act.DOUBLE)  # in this ruleset he may not pass now
    assert chosen() == act.REDOUBLE


# ------------------------------------------------------------------ agreement


def test_statistics():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = 2 * x + rng.normal(size=300)
    assert correlation(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert slope(x, y) == pytest.approx(np.polyfit(x, y, 1)[0])
    value, low, high = interval_of(slope, x, y)
    assert value == pytest.approx(slope(x, y))
    assert low < value < high
    spread = 1 / np.sqrt(300)  # of the slope, by theory
    assert (high - low) / 4 == pytest.approx(spread, rel=0.2)
    assert interval_of(correlation, x, np.ones(300)) is None
    assert interval_of(correlation, x[:2], y[:2]) is None
    assert interval_of(slope, x[:4], y[:4]) is None  # of four deals some resamples are one deal four times
    matches = [{"benchmark": [b, 0, 0], "full": [f, 0, 0]} for b, f in ((1, 2), (-3, -6), (1, -1))]
    assert over_matches(matches)["same_winner"] == 2
    assert over_matches(matches)["absolute_difference"] == 2
    assert over_matches(matches[:1])["correlation"] is None


def slow_benchmark(a, b, rules: Rules, pairs: int, seed: int) -> list[float]:
    """Each pair's points in the benchmark, by look-up; the bots draw no random numbers."""
    values, rng = [], np.random.default_rng(0)
    for index in range(pairs):
        dealt, scores, points = new_row(rules, seed=deal_seed(seed), index=index), np.zeros((2, 2, 3), np.int64), 0
        bidding.deal_scores(dealt, scores, *workspace())
        for seat_of_a in range(2):
            row = dealt.copy()
            while row[at.PHASE] == at.AUCTION:
                bot = a if row[at.ACTOR] == seat_of_a else b
                game.apply_action(row, int(bot.act(views_of(row[None]), rng)[0]))
            score = bidding.score_of(row, scores)
            points += score if seat_of_a == 0 else -score
        values.append(points / 2)
    return values


@pytest.mark.parametrize("rules", ["auction", "mini"])
def test_a_match_is_scored_both_ways(rules):
    made = Rules.make(rules)
    told = []
    (found,) = matches_agreement({"pass": PassBot(), "greedy": GREEDY}, GREEDY, made, 20, 3, told.append)
    full = play_match(BidsAs(PassBot(), GREEDY), BidsAs(GREEDY, GREEDY), made, 20, 3)
    here = slow_benchmark(PassBot(), GREEDY, made, 20, 3)
    assert found["benchmark"][0] == pytest.approx(np.mean(here))
    assert found["full"][0] == pytest.approx(pair_values(full).mean())
    assert found["more_in_benchmark"][0] == pytest.approx(np.mean(here) - pair_values(full).mean())
    assert (found["bot"], found["against"], found["deals"], sum(told)) == ("pass", "greedy", 20, 40)


def test_agreement_as_an_object(capsys):
    status, out, err = run(capsys, "agreement", "--deals", 40, "--rules", "mini", "--contracts", "random", "--json")
    assert status == 0
    made = json.loads(out)
    by_deal = made["deals"]
    assert by_deal["all"]["number"] == by_deal["plus"]["number"] + by_deal["minus"]["number"]
    assert by_deal["all"]["number"] + by_deal["thrown_in"] == by_deal["deals"] == 40
    for name in ("correlation", "slope", "more_to_maker", "absolute_difference", "same_player_gains"):
        value, low, high = by_deal["all"][name]
        assert low <= value <= high
    assert len(made["matches"]) == made["over_matches"]["number"] == 6
    settings = made["provenance"]
    assert (settings["rules"], settings["play"], settings["contracts"]) == ("mini", "greedy", "random")
    assert settings["command"].startswith("piquet bidding agreement --play greedy --contracts random --deals 40 ")
    assert "base" in settings["weights"]
    assert "base was trained on auction" in err


def test_agreement_as_tables(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_bidder.py").write_text("from piquet_env.bots.greedy import GreedyBot\n")
    status, out, _ = run(capsys, "agreement", "own_bidder:GreedyBot", "--deals", 10, "--rules", "micro")
    assert status == 0
    for text in ("micro: 10 deals (seed 0), greedy exchanges", "correlation", "pass against", "Over these 10 matches"):
        assert text in out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--rules", "rubicon"), "rules: expected a game with an auction, got rubicon"),
        (("--deals", 1), "deals: expected at least 2, got 1"),
        (("--play", "pass"), "unknown bot 'pass'"),
        (("nobody",), "unknown bot 'nobody'"),
        (("--contracts", "nobody"), "unknown bot 'nobody'"),
    ],
)
def test_agreement_that_cannot_be_measured(capsys, arguments, reason):
    status, out, err = run(capsys, "agreement", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("piquet bidding agreement: ")
    assert reason in err


# ------------------------------------------------------------------ a command of two words


def test_the_second_word(capsys):
    status, out, err = run(capsys, "--help")
    assert (status, err) == (0, "")
    for name in ("make", "check", "agreement"):
        assert f"  bidding {name} " in out
    expected = "piquet: expected 'bidding make' or 'bidding check' or 'bidding agreement', got "
    assert run(capsys) == (2, "", f"{expected}'no more'\n")
    assert run(capsys, "win") == (2, "", f"{expected}'win'\n")
    assert "usage: piquet bidding make " in run(capsys, "make", "--help")[1]
