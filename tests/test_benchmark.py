"""`piquet benchmark`: what it prints and refuses, and that everything it measures really happens."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import helpers
import numpy as np
import pytest
from commands import run_command
from pettingzoo.test import api_test

from piquet_env import SelfPlayVectorEnv, knowledge
from piquet_env.benchmark import bidding, command, loops, measure, soak, solving, startup, targets
from piquet_env.benchmark.agents import NothingEnv, episodes, play_episode
from piquet_env.benchmark.measure import Figure, Measure, Sample, timed
from piquet_env.benchmark.options import BenchmarkError
from piquet_env.benchmark.peers import PEERS, Peer, find_peers
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.envs.aec import AuctionPiquetEnv
from piquet_env.knowledge import OBSERVATION_SIZE
from piquet_env.rules import Rules

AUCTION = Rules.make("auction")
SMALL = ("--games", "12", "--steps", "8", "--repeats", "2", "--seconds", "0")
OWN = (
    "vector",
    "vector-into",
    "fill-whole",
    "fill",
    "batch",
    "batch-bare",
    "gym-vector",
    "bidding",
    "aec",
    "aec-nothing",
)
ROOT = Path(__file__).resolve().parent.parent


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    return run_command(capsys, "benchmark", *arguments)


# ------------------------------------------------------------------ the command


def test_json(capsys):
    status, out, _ = run(capsys, *SMALL, "--threads", "1", "--json")
    assert status == 0
    assert out.count("\n") == 1
    made = json.loads(out)
    assert tuple(made["rates"]) == OWN
    assert made["unit"] == "decisions/s"
    assert made["other_units"] == {"bidding": "auctions/s"}
    for name, rate in made["rates"].items():
        low, high = made["ranges"][name]
        assert 0 < low <= rate <= high
    filled = {f"{name}/{fill}" for name in ("batch", "vector", "vector-into") for fill in ("fill", "fill-whole")}
    assert set(made["ratios"]) == filled | {"aec/aec-nothing"}
    for ratio in made["ratios"].values():
        assert 0 < ratio["range"][0] <= ratio["median"] <= ratio["range"][1]
    assert made["calibration"]["median"] > 0
    assert made["sizes"] == {"row": 8 * at.COLUMNS, "observation": OBSERVATION_SIZE, "mask": ACTIONS, "unit": "bytes"}
    assert made["settings"] == {"rules": "auction", "games": 12, "steps": 8, "threads": 1, "repeats": 2}
    assert {"system", "architecture", "cores", "processor", "load", "pinned"} <= made["machine"].keys()
    assert {"python", "numpy", "numba", "piquet-env"} <= made["versions"].keys()
    assert {"command", "commit", "dirty"} <= made.keys()


def test_several_threads(capsys, monkeypatch):
    """Their ratio to one thread, where there are so many cores; else they are left out."""
    monkeypatch.setattr("piquet_env.benchmark.options.cores", lambda: 2)
    made = json.loads(run(capsys, *SMALL, "--only", "batch", "batch-2", "--json")[1])
    assert set(made["rates"]) == {"batch", "batch-2"}
    assert set(made["ratios"]) == {"batch-2/batch", "calibration-2/calibration"}
    monkeypatch.setattr("piquet_env.benchmark.options.cores", lambda: 1)
    status, _, err = run(capsys, *SMALL, "--only", "batch-2")
    assert (status, "batch-2" in err) == (2, True)


def test_cores_that_are_not_free_are_said(capsys, monkeypatch):
    monkeypatch.setattr("piquet_env.benchmark.options.cores", lambda: 2)
    for free, is_said in ((2.0, False), (1.1, True)):
        monkeypatch.setattr("piquet_env.benchmark.report.ratio", lambda *_, free=free: Figure(free, free, free))
        _, out, _ = run(capsys, *SMALL, "--only", "fill")
        assert ("The cores were not free: 2 threads did 1.1 times" in out) == is_said


SMALL_SETTINGS = {"rules": "auction", "games": 12, "steps": 8}


def test_there_are_no_targets_for_other_settings(capsys):
    assert json.loads(run(capsys, *SMALL, "--only", "fill", "--json")[1])["targets"] == []
    assert "Targets are set for the defaults" in run(capsys, *SMALL, "--only", "fill")[1]


def test_what_others_print_does_not_reach_standard_output():
    """From Python, and from within a library."""
    source = "import os, sys; from piquet_env import cli; from piquet_env.benchmark import command, loops; "
    source += (
        "own = loops.own_measures; command.own_measures = lambda s: (print('x'), os.write(1, b'y\\n'), own(s))[2]; "
    )
    source += f"sys.exit(cli.main({['benchmark', *SMALL, '--only', 'fill', '--json']}))"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)["rates"]) == ["fill"]
    assert {"x", "y"} <= set(done.stderr.splitlines())


def test_targets_of_a_run(capsys, monkeypatch):
    monkeypatch.setattr("piquet_env.benchmark.report.SETTINGS", SMALL_SETTINGS)
    made = json.loads(run(capsys, *SMALL, "--only", "batch", "fill", "--json")[1])
    judged = {target["name"]: target for target in made["targets"]}
    assert len(judged) == len(made["targets"]) == len(targets.TARGETS)
    ratio = judged["batch/fill"]
    assert ratio["value"] == made["ratios"]["batch/fill"]["median"]
    assert ratio["reached"] == (ratio["value"] >= 0.5)
    assert judged["state row"]["value"] == 8 * at.COLUMNS
    assert judged["aec/leduc_holdem_v4.env"]["reached"] is None
    assert judged["aec/leduc_holdem_v4.env"]["option"] == "--peers"


def test_tables_fit_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("piquet_env.benchmark.report.SETTINGS", SMALL_SETTINGS)
    status, out, _ = run(capsys, *SMALL)
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    for word in (*OWN, "batch/fill", "calibration", "needs --peers", "<= 1,536 bytes"):
        assert word in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rules", "bridge"), "bridge"),
        (("--repeats", "0"), "repeats: expected 1 to 1,000, got 0"),
        (("--seconds", "nan"), "seconds: expected 0 to 60, got nan"),
        (("--seconds", "-1"), "seconds: expected 0 to 60, got -1.0"),
        (("--games", "0"), "games: expected 1 to 1,000,000, got 0"),
        (("--steps", "-3"), "steps: expected 1 to"),
        (("--threads", "0"), "threads: expected 1 to"),
        (
            ("--games", "1000000", "--steps", "64"),
            "games and steps: expected a product of at most 4,000,000, got 64,000,000",
        ),
        (("--only", "batch", "fil"), "only: expected names among calibration, "),
        (("--soak", "0"), "soak: expected more than 0 and at most 10,000 minutes, got 0.0"),
        (("--soak", "1", "--peers"), "soak: nothing is measured beside it"),
        (("--repeats", "many"), "many"),
    ],
)
def test_bad_input(capsys, arguments, said):
    status, out, err = run(capsys, "--games", "4", "--steps", "2", *arguments)
    assert status == 2
    assert out == ""
    assert said in err
    assert "Traceback" not in err


WITHOUT = """
import sys
class Without:
    def find_spec(self, name, path=None, target=None):
        if name in ("torch", "scipy"):
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Without())
from piquet_env import cli
sys.exit(cli.main(["benchmark", "--json", *sys.argv[1:]]))
"""


def test_neither_torch_nor_scipy_is_needed():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *SMALL], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert set(OWN) <= json.loads(done.stdout)["rates"].keys()


# ------------------------------------------------------------------ what is measured


def dealt_again(row: np.ndarray) -> np.ndarray:
    """The deal of a row before its first action."""
    again = row.copy()
    game.set_up_deal(again, int(row[at.DEALER]), np.array(helpers.dealt_cards(row), np.int64))
    return again


def replayed(row: np.ndarray):
    """Every position of a row's deal with the action that was taken there, from its history; it ends at the row."""
    again = dealt_again(row)
    for player, action in helpers.history(row):
        assert player == again[at.ACTOR]
        yield again, action
        assert game.apply_action(again, action)
    assert np.array_equal(again, row)


def test_bidding_counts_the_auctions_that_end(monkeypatch):
    ended, step = [], SelfPlayVectorEnv.step

    def counted(env, actions):
        made = step(env, actions)
        ended.append(int(made[2].sum()))
        assert (env.episode, len(env.deals)) == ("auction", 12 * bidding.STORED)
        return made

    monkeypatch.setattr(SelfPlayVectorEnv, "step", counted)
    sample = bidding.Bidding(AUCTION, 12, 40, 2)()
    assert sample.count == sum(ended) > 40
    assert sample.seconds > 0
    assert not bidding.bidding_measures(Rules.make("rubicon"), 12, 8, 2)


@pytest.mark.parametrize("threads", [1, 2])
def test_batch_writes_what_the_players_see(threads):
    """The last deal of each game, replayed with the engine, gives what stands in the buffer step by step."""
    buffer = loops.Buffer(60, 11)
    batch, seen = loops.Batch(AUCTION, buffer, threads), 0
    before = batch.rows.copy()
    assert batch() == 60 * 11
    assert (batch.rows[:, at.RANDOM] != before[:, at.RANDOM]).all()  # all have ended and begun anew
    for i, row in enumerate(batch.rows):
        for t, (position, action) in enumerate(replayed(row), start=60 - int(row[at.ACTED])):
            player = int(position[at.ACTOR])
            assert np.array_equal(buffer.observation[t, i], knowledge.observation(position, player))
            assert np.array_equal(buffer.mask[t, i], knowledge.action_mask(position, player))
            assert buffer.mask[t, i, action] == 1
            seen += 1
    assert seen > 100
    assert (buffer.mask.sum(axis=2) > 0).all()


def test_batch_goes_on_where_it_was():
    """The games are played to their ends, however short the buffer is."""
    batch = loops.Batch(AUCTION, loops.Buffer(5, 7))
    before = batch.rows.copy()
    assert batch() == 35
    assert (batch.rows[:, at.ACTED] + (batch.rows[:, at.RANDOM] != before[:, at.RANDOM]) > 0).all()
    after = batch.rows.copy()
    assert batch() == 35
    same_deal = (after[:, at.DEALT] == batch.rows[:, at.DEALT]) & (after[:, at.ACTED] > 0)
    assert same_deal.any()
    assert (batch.rows[same_deal, at.ACTED] == after[same_deal, at.ACTED] + 5).all()


def test_choices_differ_between_games_and_are_not_the_games_own_chance():
    rules = Rules.make("rubicon")  # without an auction no deal is thrown in
    batch = loops.Batch(rules, loops.Buffer(4, 200))
    before = batch.rows.copy()
    batch()
    assert np.array_equal(batch.rows[:, at.RANDOM], before[:, at.RANDOM])
    assert len({row.tobytes() for row in batch.rows[:, at.HISTORY : at.HISTORY + 1]}) > 100


def test_bare_plays():
    bare = loops.Bare(AUCTION, 9, 60)
    before = bare.rows.copy()
    assert bare() == 540
    assert (bare.rows[:, at.RANDOM] != before[:, at.RANDOM]).all()
    assert sum(len(list(replayed(row))) for row in bare.rows) > 50


def test_fill_fills_every_byte():
    for threads in (1, 3):
        buffer = loops.Buffer(4, 10)
        buffer.observation[:], buffer.mask[:] = 5, 5
        assert loops.Fill(buffer, threads)() == 40
        assert (buffer.observation == 1).all()
        assert (buffer.mask == 1).all()


def test_vector_steps():
    vector = loops.Vector(AUCTION, 10, 60)
    before = vector.env.rows.copy()
    sample = vector()
    assert sample.count == 600
    assert sample.seconds > 0
    assert (vector.env.rows[:, at.RANDOM] != before[:, at.RANDOM]).all()
    assert sum(len(list(replayed(row))) for row in vector.env.rows) > 50


class Counting(AuctionPiquetEnv):
    """Counts the actions that are taken, and the ends of episodes."""

    taken = ends = 0

    def step(self, action):
        self.taken += action is not None
        super().step(action)
        self.ends += not self.agents


def test_aec_plays_whole_episodes():
    env = Counting()
    play = episodes(env)
    assert play() == env.taken > 8 * 20
    assert env.ends == 8


@pytest.mark.filterwarnings("ignore::UserWarning:pettingzoo")
def test_doing_nothing_is_an_aec_environment():
    api_test(NothingEnv(), num_cycles=200)
    assert play_episode(NothingEnv(), random.Random(0).random) == NothingEnv.LENGTH
    assert episodes(NothingEnv())() == 8 * NothingEnv.LENGTH


# ------------------------------------------------------------------ how it is measured


def counted(name: str, log: list[str], rate: float) -> Measure:
    """A measure that takes half a second by its own clock."""

    def run() -> Sample:
        log.append(name)
        return Sample(int(rate / 2), 0.5)

    return Measure(name, "", run)


def test_rounds_are_interleaved_and_the_first_run_does_not_count():
    log: list[str] = []
    told: list[str] = []
    rates = measure.rounds([counted(name, log, rate) for name, rate in (("a", 10), ("b", 40))], 3, 1.0, told.append)
    assert told == ["a", "b", *"ab", *"ba", *"ab"]
    assert "".join(log) == "ab" + "aabb" + "bbaa" + "aabb"
    assert rates == {"a": [10.0] * 3, "b": [40.0] * 3}


def test_a_ratio_is_taken_within_a_round():
    """The machine became twice as fast and then slower; one measure is always twice the other."""
    fast, slow = [20.0, 40.0, 10.0], [10.0, 20.0, 5.0]
    assert measure.ratio(fast, slow) == Figure(2.0, 2.0, 2.0)
    assert measure.figure(fast) == Figure(20.0, 10.0, 40.0)


def test_time_is_taken_around_the_work():
    sample = timed(lambda: 7)()
    assert sample.count == 7
    assert sample.seconds >= 0


@pytest.mark.skipif(not measure.can_pin(), reason="this system does not let a process choose its cores")
def test_one_core_meanwhile_and_all_of_them_again():
    before, seen = os.sched_getaffinity(0), []

    def run() -> Sample:
        seen.append(len(os.sched_getaffinity(0)))
        return Sample(1, 1.0)

    measure.rate(Measure("pinned", "", run), 0.0)
    measure.rate(Measure("free", "", run, one_core=False), 0.0)
    assert seen == [1, len(before)]
    with pytest.raises(ZeroDivisionError):
        measure.rate(Measure("fails", "", lambda: Sample(1 // 0, 1.0)), 0.0)
    assert os.sched_getaffinity(0) == before


def test_judged_by_the_limit_itself():
    judged = {made["name"]: made for made in targets.judge({"batch/fill": 0.5, "warm import": 1.5, "batch-bare": 9e6})}
    assert judged["batch/fill"]["reached"]
    assert judged["warm import"]["reached"]
    assert judged["batch-bare"]["reached"] is False
    assert not any(made["reached"] for made in targets.judge({"batch/fill": 0.49, "warm import": 1.51}))


# ------------------------------------------------------------------ the solver


def test_the_solver(capsys, monkeypatch):
    monkeypatch.setattr("piquet_env.benchmark.report.SETTINGS", SMALL_SETTINGS)
    monkeypatch.setattr("piquet_env.benchmark.command.measure_solver", lambda told: solving.measure_solver(told, 4))
    made = json.loads(run(capsys, *SMALL, "--only", "fill", "--solver", "--json")[1])
    solver = made["solver"]
    assert solver["deals"] == 4
    assert list(solver["milliseconds"]) == [f"{kind} {each}" for each in ("tricks", "score") for kind in solving.KINDS]
    for taken in solver["milliseconds"].values():
        assert 0 < taken["mean"] <= taken["most"]
        assert 0 < taken["p99"] <= taken["most"]
    assert min(solver["per_second"].values()) > 0
    judged = {target["name"]: target["value"] for target in made["targets"]}
    assert judged["solver minus tricks p99"] == solver["milliseconds"]["minus tricks"]["p99"]
    out = run(capsys, *SMALL, "--only", "fill", "--solver")[1]
    assert "Exact play of a whole deal" in out
    assert max(map(len, out.splitlines())) <= 80


def test_what_the_solver_is_given():
    """The kind that is meant, at the first lead, the same deals every time, no two alike."""
    for kind in solving.KINDS:
        rows = solving.first_leads(kind, 20)
        assert np.array_equal(rows, solving.first_leads(kind, 20))
        assert len(np.unique(rows[:, at.HANDS])) == 20
        assert set(zip(rows[:, at.HAS_AUCTION], rows[:, at.IS_MINUS], strict=True)) == {
            (int(kind != "classic"), int(kind == "minus"))
        }
        assert not rows[:, at.TRICK].any()


# ------------------------------------------------------------------ other libraries


def fails(_: int) -> list[Measure]:
    raise RuntimeError("made for another\nversion")


def is_missing(_: int) -> list[Measure]:
    import no_such_library  # type: ignore[import-not-found]  # noqa: F401 (what is tested)

    return []


def works(games: int) -> list[Measure]:
    return [Measure("numpy game", "one decision", lambda: Sample(games, 0.5), against="aec")]


FAKES = (
    Peer("absent", "pip install absent", is_missing),
    Peer("broken", "pip install broken", fails),
    Peer("numpy", "pip install numpy", works),
)


def test_other_libraries_in_the_report(capsys, monkeypatch):
    monkeypatch.setattr(command, "PEERS", FAKES)
    status, out, _ = run(capsys, *SMALL, "--only", "aec", "--peers", "--json")
    assert status == 0
    made = json.loads(out)
    (peer,) = made["peers"]
    assert (peer["library"], peer["name"], peer["against"], peer["rate"]) == ("numpy", "numpy game", "aec", 24.0)
    assert peer["ratio"] == made["ratios"]["aec/numpy game"]
    assert peer["ratio"]["range"][0] * 24 == pytest.approx(made["ranges"]["aec"][0])
    assert made["peer_versions"] == {"numpy": np.__version__}
    absent, broken = made["missing"]
    expected = {"library": "absent", "reason": "no_such_library is not installed", "install": "pip install absent"}
    assert absent == expected
    assert broken["reason"] == "RuntimeError: made for another version"


def test_other_libraries_on_the_screen(capsys, monkeypatch):
    monkeypatch.setattr(command, "PEERS", FAKES)
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = run(capsys, *SMALL, "--only", "fill", "--peers")
    assert status == 0
    assert "numpy game" in out
    assert "aec/numpy game" not in out  # ours was not measured
    said = " ".join(out.split())
    assert "Not measured: absent: no_such_library is not installed (pip install absent)" in said


def test_what_is_not_installed_is_said(monkeypatch):
    for module in ("pygame", "pyspiel", "colver", "pgx"):
        monkeypatch.setitem(sys.modules, module, None)
    told: list[str] = []
    found = find_peers(PEERS, 2, told.append)
    assert told == ["pettingzoo", "open_spiel", "colver", "pgx"]
    assert found.measures == {}
    reasons = [f"{module} is not installed" for module in ("pygame", "pyspiel", "colver", "pgx")]
    assert [missing["reason"] for missing in found.missing] == reasons
    assert all(missing["install"].startswith("pip install ") for missing in found.missing)


# ------------------------------------------------------------------ beginning, and going on for long


def test_startup(monkeypatch):
    """In processes that compile nothing, so that this test is short; the measure is the same."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(startup, "IMPORTS", 1)
    told: list[str] = []
    made = startup.measure_startup(told.append)
    assert told == ["cold compile", "warm import"]
    assert made["unit"] == "s"
    low, high = made["warm_import"]["range"]
    assert 0 < low <= made["warm_import"]["median"] <= high
    assert made["cold_compile"] > 0
    assert made["warm_episode"]["median"] > 0


def test_startup_begins_without_compiled_code(tmp_path):
    from piquet_env.engine.compiled import CACHE

    source = "from piquet_env.engine.compiled import CACHE, needs_compiling; print(CACHE); print(needs_compiling())"
    environment = startup._environment(str(tmp_path))
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=True)
    folder, needs = done.stdout.splitlines()
    if CACHE is not None:
        assert Path(folder).is_relative_to(tmp_path)
        assert needs == "True"


def test_startup_that_fails_is_said(capsys, monkeypatch):
    monkeypatch.setattr(startup, "_CODE", "raise SystemExit('out of order')")
    status, out, err = run(capsys, *SMALL, "--only", "fill", "--startup")
    assert (status, out) == (2, "")
    assert err == "piquet benchmark: startup: a new process failed: out of order\n"


def test_a_soak_of_seconds_shows_no_growth(capsys):
    status, out, _ = run(capsys, "--soak", "0.03", "--games", "64", "--json")
    assert status == 0
    made = json.loads(out)
    assert made["decisions"] > 0
    assert made["decisions"] % (64 * soak.ROUND) == 0
    assert made["terminated"] + made["truncated"] + made["thrown_in"] >= made["deals"] > made["terminated"] > 0
    assert made["seconds"] >= 1.8
    assert made["memory"]["growth"] == made["memory"]["at_the_end"] - made["memory"]["after_first_round"]
    assert not made["grew"]


def test_growth_is_noticed(capsys, monkeypatch):
    kept: list[np.ndarray] = []
    play = soak.Soak.play
    monkeypatch.setattr(soak.Soak, "play", lambda self, steps: kept.append(np.ones(2**20)) or play(self, steps))
    status, out, _ = run(capsys, "--soak", "0.0001", "--games", "8")
    assert status == 1
    assert "Memory has grown." in out


def test_a_system_that_does_not_tell_its_memory(capsys, monkeypatch):
    def refuse() -> int:
        raise BenchmarkError("this system does not say how much memory a process has")

    monkeypatch.setattr(soak, "resident_memory", refuse)
    status, out, err = run(capsys, "--soak", "0.01", "--games", "8")
    assert (status, out) == (2, "")
    assert "this system does not say" in err
