"""Tournaments without their processes: who plays what, what is kept, and the report."""

import itertools
import json

import numpy as np
import pytest
from tournaments import JOB, plan_of, play

from piquet_env.arena.faults import ENDED, HUNG, RAISED, Fault
from piquet_env.arena.page import page
from piquet_env.arena.ratings import ratings
from piquet_env.arena.run_folder import RunError, RunFolder, check_can_be_made, open_run, settings_of
from piquet_env.arena.schedule import Job, Played, given_up, jobs_left
from piquet_env.arena.standings import gathered, tournament_report
from piquet_env.arena.task import lost_games

# ------------------------------------------------------------------ what is played


def test_blocks_cover_every_pair_of_every_two_bots_once():
    plan = plan_of("a", "b", "c")
    jobs = jobs_left(plan, 10, [])
    for match in [(0, 1), (0, 2), (1, 2)]:
        own = [job for job in jobs if (job.a, job.b) == match]
        assert [pair for job in own for pair in range(job.first, job.stop)] == list(range(10))
        assert [job.stop - job.first for job in own] == [4, 4, 2]
    assert [job.first for job in jobs] == sorted(job.first for job in jobs)  # all matches go forward together


def test_what_was_played_is_not_played_again():
    plan = plan_of()
    jobs = jobs_left(plan, 30, [])
    for done in itertools.combinations(jobs, 3):
        assert jobs_left(plan, 30, done) == [job for job in jobs if job not in done]
    assert jobs_left(plan, 30, jobs) == []


def test_a_longer_run_goes_on_where_the_shorter_one_ended():
    plan = plan_of()
    short = jobs_left(plan, 10, [])
    assert jobs_left(plan, 20, short) == [Job(10, 12, 0, 1), Job(12, 16, 0, 1), Job(16, 20, 0, 1)]
    assert jobs_left(plan, 5, short) == []


def test_random_numbers_depend_on_the_seed_the_two_bots_and_the_block_alone():
    def first(plan, job, *alone):
        return [int(rng.integers(2**60)) for rng in job.rngs(plan, *alone)]

    plan, job = plan_of("x", "y", "z"), Job(4, 8, 1, 2)
    assert first(plan, job) == first(plan_of("y", "z"), Job(4, 8, 0, 1))
    assert first(plan, job) == first(plan, Job(4, 6, 1, 2))
    others = [first(plan, Job(8, 12, 1, 2)), first(plan, Job(4, 8, 0, 1)), first(plan, job, 0), first(plan, job, 1)]
    drawn = [first(plan, job), *others]
    assert len({number for two in drawn for number in two}) == 2 * len(drawn)


def fault(side, kind, count):
    return Fault(side, kind, count, "")


def test_a_bot_has_lost_the_rest_in_the_order_of_blocks_not_of_the_clock():
    plan = plan_of("a", "b", "c")
    jobs = jobs_left(plan, 8, [])
    faults = {Job(0, 4, 0, 1): [fault(1, HUNG, 2)], Job(0, 4, 1, 2): [fault(0, HUNG, 1)]}  # bot b, three times
    lost = given_up(plan, faults, jobs)
    assert lost == {Job(4, 8, 0, 1): {1}, Job(4, 8, 1, 2): {0}}
    late = faults | {Job(4, 8, 1, 2): [fault(1, HUNG, 3)]}  # a block that is lost counts for nobody
    assert given_up(plan, late, jobs) == lost
    assert given_up(plan, {Job(4, 8, 1, 2): [fault(0, HUNG, 9)]}, jobs) == {}
    assert given_up(plan, {Job(0, 4, 0, 1): [fault(1, RAISED, 999), fault(1, ENDED, 9)]}, jobs) == {}


def test_faults_in_a_block_that_another_bot_has_lost_do_not_count():
    plan = plan_of("a", "b", "c")
    jobs = jobs_left(plan, 12, [])
    later = {Job(4, 8, 0, 1): [fault(1, HUNG, 3)]}
    assert {job for job, sides in given_up(plan, later, jobs).items()} == {
        Job(4, 8, 1, 2),
        Job(8, 12, 0, 1),
        Job(8, 12, 1, 2),
    }
    lost = given_up(plan, later | {Job(0, 4, 0, 2): [fault(0, HUNG, 3)]}, jobs)  # then a had lost that block
    assert Job(8, 12, 1, 2) not in lost
    assert lost[Job(8, 12, 0, 1)] == {0}


# ------------------------------------------------------------------ what is kept


@pytest.fixture
def folder(tmp_path):
    plan = plan_of()
    settings = settings_of(plan, {})
    with open_run(tmp_path, settings, {}) as (run, _):
        yield run, settings, play(plan, JOB)


def same(one: Played, other: Played) -> bool:
    tables = np.array_equal(one.deals, other.deals) and np.array_equal(one.games, other.games)
    return tables and (one.seconds, one.moves, one.faults) == (other.seconds, other.moves, other.faults)


def test_a_block_is_read_as_it_was_written(folder):
    run, _, played = folder
    played = Played(played.deals, played.games, (1.5, 2.5), (3, 4), (Fault(1, RAISED, 2, "hé"),))
    run.write(JOB, played)
    assert run.jobs() == [JOB]
    assert same(run.read(JOB), played)


def test_any_damage_to_a_block_is_noticed(folder):
    run, _, played = folder
    run.write(JOB, played)
    good = run.file(JOB).read_bytes()
    for bad in [b"", good[:100], good[:-1], b"x" + good[1:], good[: len(good) // 2], b"no archive"]:
        run.file(JOB).write_bytes(bad)
        with pytest.raises(RunError, match=r"00000000-00000004\.npz is damaged"):
            run.read(JOB)
    for place in range(0, len(good), 97):  # one bit anywhere: noticed, or it makes no difference
        run.file(JOB).write_bytes(good[:place] + bytes([good[place] ^ 16]) + good[place + 1 :])
        try:
            assert same(run.read(JOB), played)
        except RunError:
            continue


def test_a_block_of_another_place_or_run_is_refused(folder, tmp_path):
    run, settings, played = folder
    run.write(JOB, played)
    other = Job(4, 8, 0, 1)
    run.file(JOB).rename(run.file(other))
    with pytest.raises(RunError, match="no block of this run"):
        run.read(other)
    stranger = RunFolder(tmp_path, settings | {"seed": 1})
    run.write(JOB, played)
    with pytest.raises(RunError, match="no block of this run"):
        stranger.read(JOB)
    run.write(JOB, Played(played.deals, played.games[:-1], (0, 0), (0, 0), ()))
    with pytest.raises(RunError, match="not the games it should have"):
        run.read(JOB)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("seed", 1, "is of seed 0, not 1"),
        ("bots", ["greedy", "greedy"], 'is of bots \\["greedy", "random"\\], not'),
        ("rules", "mini", 'is of rules "micro", not "mini"'),
        ("weights", {"greedy": "12"}, "was played with other weights"),
    ],
)
def test_a_folder_of_another_tournament_is_refused(tmp_path, name, value, message):
    settings = settings_of(plan_of(), {})
    with open_run(tmp_path, settings, {}):
        pass
    with pytest.raises(RunError, match=message), open_run(tmp_path, settings | {name: value}, {}):
        pass


def test_two_processes_cannot_play_in_one_folder(folder, tmp_path):
    _, settings, _ = folder
    with pytest.raises(RunError, match="another process is playing"), open_run(tmp_path, settings, {}):
        pass


def test_another_version_of_the_package_is_remembered(tmp_path):
    settings = settings_of(plan_of(), {})
    for code, known in (({"commit": "a"}, 1), ({"commit": "b"}, 2), ({"commit": "a"}, 2)):
        with open_run(tmp_path, settings, code) as (_, codes):
            assert len(codes) == known


def test_damaged_settings_are_refused(tmp_path):
    (tmp_path / "settings.json").write_text('{"settings": ')
    with pytest.raises(RunError, match=r"settings.json is damaged"), open_run(tmp_path, {}, {}):
        pass


def test_no_folder_is_taken_that_holds_something_else(tmp_path):
    (tmp_path / "file").write_text("")
    for path, message in (
        (tmp_path, "is not empty"),
        (tmp_path / "file", "exists"),
        (tmp_path / "file" / "x", "Not a"),
    ):
        with pytest.raises(RunError, match=message):
            check_can_be_made(path)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


# ------------------------------------------------------------------ the report


def test_ratings_follow_the_wins_and_are_finite_for_who_wins_everything():
    even = ratings(np.array([[0, 50, 50], [50, 0, 50], [50, 50, 0]]))
    assert even == pytest.approx(np.zeros(3), abs=1e-6)
    ten_to_one = ratings(np.array([[0, 10_000_000], [1_000_000, 0]]))
    assert ten_to_one[0] - ten_to_one[1] == pytest.approx(400, abs=0.1)
    all_won = ratings(np.array([[0, 100, 100], [0, 0, 90], [0, 10, 0]]))
    assert np.all(np.isfinite(all_won))
    assert all_won[0] > all_won[1] > all_won[2]
    assert ratings(np.array([[0, 1000], [0, 0]]))[0] > ratings(np.array([[0, 10], [0, 0]]))[0]


def report_of(plan, pairs=8, faults=(), cheats=()):
    """The report; with some faults of B, which cost it the first deals of their blocks."""
    jobs = jobs_left(plan, pairs, [])
    played = {job: play(plan, job) for job in jobs}
    for job, fault in faults:
        block = played[job]
        block.deals[: fault.count] = lost_games(plan, job, {1}, range(fault.count)).deals
        played[job] = Played(block.deals, block.games, block.seconds, block.moves, (fault,))
    return tournament_report(gathered(plan, pairs, played, jobs), {"cheats": list(cheats)})


def test_the_report_has_a_result_for_every_two_and_a_line_for_every_bot():
    bots = ("greedy", "random", "piquet_env.bots.random:RandomBot")
    made = report_of(plan_of(*bots))
    assert [(r["bot"], r["against"]) for r in made["results"]] == list(itertools.combinations(bots, 2))
    best = made["bots"][0]
    assert best["bot"] == "greedy"
    assert best["rating"] > max(bot["rating"] for bot in made["bots"][1:])
    wins = [r["pairs"]["won"] + r["pairs"]["drawn"] / 2 for r in made["results"][:2]]
    assert best["win_share"] == sum(wins) / 16
    assert best["moves"] == 2 * 2 * 10  # two blocks against each, as `play` says
    assert best["seconds_per_move"] == 1.0 / 10
    assert sum(bot["rating"] for bot in made["bots"]) == pytest.approx(0)
    json.dumps(made)


def test_of_parties_the_share_is_of_parties():
    made = report_of(plan_of(rules={"base": "micro", "deals": 2}, episode="partie"))
    parties = made["results"][0]["parties"]
    assert sum(parties.values()) == 16
    assert made["bots"][0]["win_share"] == (parties["won"] + parties["drawn"] / 2) / 16


def test_one_bot_against_itself_has_no_rating():
    made = report_of(plan_of("random", "random"))
    assert [(bot["bot"], bot["rating"], bot["win_share"]) for bot in made["bots"]] == [("random", None, 0.5)]
    page(made)


def test_what_is_lost_unplayed_is_lost_and_said():
    plan = plan_of("greedy", "random", "piquet_env.bots.random:RandomBot")
    made = report_of(plan, 12, [(JOB, fault(1, HUNG, 3))])
    assert [bot["lost_unplayed"] for bot in made["bots"]] == [0, 2 * 8 + 3 * 8, 0]
    assert [result["forfeits"] for result in made["results"]] == [
        {"bot": 0, "against": 3 + 16},
        {"bot": 0, "against": 0},
        {"bot": 24, "against": 0},
    ]
    assert "random lost 40 more games unplayed: it took too long for a move 3 times" in page(made)
    for result in made["results"]:
        parts = result["make_up"].values()
        assert sum(part["difference"] for part in parts) == pytest.approx(result["points_per_deal"])


def test_who_sees_all_cards_is_named_and_his_luck_is_no_luck():
    made = report_of(plan_of("omniscient", "random", "greedy", orders=1), cheats=["omniscient"])
    assert [result["reduced"] is None for result in made["results"]] == [True, True, False]
    assert "omniscient cheats: it sees all cards." in page(made)
    assert "cheats:" not in page(report_of(plan_of()))


def test_the_page_needs_no_other_file_and_takes_any_name():
    made = report_of(plan_of())
    for result in made["results"]:
        result["bot"] = "<b>$x^2_$ & \udcff"
    made["bots"][0]["bot"] = "<b>$x^2_$ & \udcff"
    text = page(made)
    assert "<b>" not in text
    assert "http" not in text.replace("http://www.w3.org", "").split("<pre>")[0]
    assert text.count("data:image/svg+xml;base64,") == 3
    assert "src=" in text
    assert "href=" not in text
