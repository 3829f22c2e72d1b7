"""Matches of bidders: duplicate auctions, of stored deals too, in `evaluate` and in tournaments."""

import json
from pathlib import Path

import numpy as np
import pytest
from auctions import full_deal, looked_up, stored
from bidding_parts import played_out
from commands import run_command

from piquet_env.arena import play_match
from piquet_env.arena.statistics import contracts, pair_values, summary
from piquet_env.bots import load_bot
from piquet_env.bots.policy import PolicyBot
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at

GREEDY, RANDOM = load_bot("greedy"), load_bot("random")


def passes(observation, mask):
    wanted = np.zeros_like(mask, np.float32)
    wanted[:, act.PASS] = 1
    return np.where(mask[:, [act.PASS]] > 0, wanted, mask / mask.sum(1, keepdims=True))


class Kept:
    """A witness: the rows of all deals that were over, by pair and half."""

    def __init__(self):
        self.rows = {}

    def __call__(self, rows, games):
        for row, entry in zip(rows.copy(), games, strict=True):
            self.rows[int(entry["pair"]), int(entry["half"])] = row


@pytest.mark.parametrize("source", [None, "stored"])
def test_each_deal_comes_to_what_it_comes_to_and_is_played_twice(source):
    deals, kept = stored() if source else None, Kept()
    match = play_match(GREEDY, RANDOM, pairs=12, seed=4, episode="auction", witness=kept, deals=deals)
    assert len(match.deals) == len(match.games) == len(kept.rows) == 24
    for entry, played in zip(match.deals, match.games, strict=True):
        row = kept.rows[int(entry["pair"]), int(entry["half"])]
        value = looked_up(deals, row) if source else game.difference(played_out(full_deal(row)))
        assert entry["difference"] == played["difference"] == (1 - 2 * int(entry["seat_of_a"])) * value
        assert played["deals"] == 1
        assert not played["truncated"]
    for pair in range(12):
        first, second = kept.rows[pair, 0], kept.rows[pair, 1]
        for column in (at.DEALT, at.DEALT + 1, at.TALON, at.DEALER):
            assert first[column] == second[column]
        if source:
            assert first[at.DEALT] == deals.hands[pair, 0], "pair i plays deal i"
    assert {row[at.DEALER] for row in kept.rows.values()} == {0, 1}


def test_a_bot_against_itself_comes_out_even_and_a_seed_fixes_all():
    def play(seed, **more):
        return play_match(GREEDY, GREEDY, "mini", 40, seed, "auction", **more)

    assert not pair_values(play(1)).any()
    assert (play(1).deals == play(1).deals).all()
    assert (play(1).deals["total_a"] != play(2).deals["total_a"]).any()
    dealers = [play(seed, deals=stored("mini", 40)).deals["dealer"].tolist() for seed in (1, 1, 2)]
    assert dealers[0] == dealers[1] != dealers[2]


def test_two_that_pass_end_each_game_with_nothing():
    match = play_match(PolicyBot(passes), PolicyBot(passes), pairs=10, episode="auction", deals=stored())
    assert match.deals["is_thrown_in"].all()
    assert not match.deals["difference"].any()
    assert len(match.deals) == 20
    made = summary(match)
    assert (made["thrown_in"], made["contracts"], made["completed_deals"]) == (1.0, [], 20)


def test_what_a_match_shows():
    match = play_match(GREEDY, RANDOM, "micro", 300, 3, "auction")
    made = summary(match)
    assert made["points_per_deal"] > 10
    assert made["points_per_deal"] == pytest.approx(match.games["difference"].mean())
    assert sum(part["difference"] for part in made["make_up"].values()) == pytest.approx(made["points_per_deal"])
    ahead = 0
    for side, name in ((0, "bot"), (1, "against")):
        won = match.deals["difference"] * (1 - 2 * side) > 0
        ahead += int((won & (match.deals["elder"] == side)).sum())
        assert sum(entry["bid"] for entry in contracts(match) if entry["maker"] == name) > 20
    assert sum(entry["made"] for entry in contracts(match)) == ahead


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="expected rules with an auction"):
        play_match(GREEDY, RANDOM, "rubicon", 2, episode="auction")
    with pytest.raises(ValueError, match="12 are stored, too few for 13 pairs"):
        play_match(GREEDY, RANDOM, pairs=13, episode="auction", deals=stored())
    with pytest.raises(ValueError, match="stored ones are for episode"):
        play_match(GREEDY, RANDOM, pairs=2, deals=stored())


# ------------------------------------------------------------------ the commands


@pytest.fixture
def file(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    stored("micro", 30).save("deals.npz")
    return "deals.npz"


def test_evaluate(capsys, file):
    arguments = ("greedy", "random", "--rules", "micro", "--episode", "auction", "--stored", file, "--deals", "30")
    status, out, err = run_command(capsys, "evaluate", *arguments)
    assert (status, err) == (0, "")
    for text in ("30 auctions, each played twice", "of 30 stored deals", "the maker has more points"):
        assert text in " ".join(out.split())
    assert "What makes up" not in out
    status, out, _ = run_command(capsys, "evaluate", *arguments, "--json", "--rows", "rows.csv")
    made = json.loads(out)
    direct = play_match(GREEDY, RANDOM, "micro", 30, 0, "auction", deals=stored("micro", 30))
    assert made["results"][0]["points_per_deal"] == pytest.approx(pair_values(direct).mean())
    about = {"sha256": stored("micro", 30).checksum, "number": 30, "part": None}
    assert (made["provenance"]["stored_deals"], made["provenance"]["playout"]) == (about, 1)
    assert made["provenance"]["command"].endswith("--episode auction --stored deals.npz")
    assert len(Path("rows.csv").read_text().splitlines()) == 61


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--stored", "deals.npz"], "stored ones are for episode"),
        (["--stored", "deals.npz", "--episode", "auction"], "the deals are of micro"),
        (["--stored", "none.npz", "--episode", "auction"], "none.npz"),
        (["--episode", "auction", "--rules", "rubicon"], "expected rules with an auction"),
        (["--stored", "deals.npz", "--episode", "auction", "--rules", "micro", "{number}", "31"], "too few for 31"),
    ],
)
@pytest.mark.parametrize(("command", "number"), [("evaluate", "--deals"), ("tournament", "--pairs")])
def test_what_the_commands_refuse(capsys, file, command, number, arguments, message):
    words = [word.format(number=number) for word in arguments]
    status, out, err = run_command(capsys, command, "greedy", "random", *words)
    assert (status, out) == (2, "")
    assert err.startswith(f"piquet {command}: ")
    assert message in err
    assert len(err.splitlines()) == 1


def test_rows_never_take_the_place_of_the_deals(capsys, file):
    before = Path(file).read_bytes()
    Path("link").symlink_to(file)
    arguments = ("greedy", "random", "--rules", "micro", "--episode", "auction", "--deals", "9", "--stored", file)
    for rows in (file, "link"):
        status, out, err = run_command(capsys, "evaluate", *arguments, "--rows", rows)
        assert (status, out) == (2, "")
        assert err == f"piquet evaluate: rows: {rows} is the file of stored deals\n"
    assert Path(file).read_bytes() == before


def test_a_tournament(capsys, file):
    common = ("greedy", "random", "--rules", "micro", "--episode", "auction", "--stored", file, "--workers", "1")
    status, out, _ = run_command(capsys, "tournament", *common, "--pairs", "10", "--json", "--out", "t")
    assert status == 0
    first = json.loads(out)
    assert first["results"][0]["reduced"] is None, "no card is drawn"
    assert first["provenance"]["stored_deals"]["number"] == 30
    blocks = {path: path.stat().st_mtime_ns for path in Path("t", "blocks").glob("*/*.npz")}
    status, out, _ = run_command(capsys, "tournament", *common, "--pairs", "20", "--json", "--out", "t")
    assert status == 0
    assert json.loads(out)["results"][0]["deals"] == 20
    assert len(blocks) == 2
    assert [path.stat().st_mtime_ns for path in blocks] == list(blocks.values()), "what was played is played on with"
    assert "auctions" in Path("t", "report.html").read_text()
    stored("micro", 25).save("deals.npz")
    status, _, err = run_command(capsys, "tournament", *common, "--pairs", "20", "--out", "t")
    assert status == 2
    assert "is of stored_deals" in err
