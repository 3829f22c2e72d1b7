"""Programs as bots (`cmd:...`): they play as bots do, and what they do wrong costs what it costs other bots."""

import copy
import gc
import json
import os
import pickle
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from commands import run_command
from serving import ENVIRONMENT, PIQUET, ROOT, TESTS, all_end, is_alive, opening, positions, view_to_act
from test_faults import NoWatch

from piquet_env.arena import play_match
from piquet_env.arena.faults import RAISED, ForgivingSide
from piquet_env.arena.match import Block
from piquet_env.arena.provenance import facts_of
from piquet_env.bots import BotError, load_bot, program
from piquet_env.bots.base import views_of
from piquet_env.bots.program import MOST_ENDS, MOST_HANGS, ProgramBot
from piquet_env.engine.actions import PLUS
from piquet_env.envs.single_agent import SingleAgentEnv
from piquet_env.rules import RULESETS, Rules

EXAMPLES = ROOT / "piquet_env" / "examples"
SERVE_GREEDY = "cmd:" + shlex.join([*PIQUET, "serve", "greedy"])
needs_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="asks Linux which processes there are")


def odd(*arguments: object) -> str:
    return "cmd:" + shlex.join([sys.executable, str(TESTS / "odd_program.py"), *map(str, arguments)])


def moves(bot, rows) -> list[int]:
    return bot.act(views_of(np.array(rows)), np.random.default_rng(0)).tolist()


@pytest.fixture(autouse=True)
def _path(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", ENVIRONMENT["PYTHONPATH"])


# ------------------------------------------------------------------ they play


@pytest.fixture(scope="module")
def served():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", ENVIRONMENT["PYTHONPATH"])
        yield load_bot(SERVE_GREEDY)


def test_piquet_serve_is_a_bot_and_plays_what_it_serves(served):
    rows = positions(11)
    assert moves(served, rows) == moves(load_bot("greedy"), rows)


@pytest.mark.parametrize("rules", ["auction", "cent", "micro"])
def test_a_whole_match_is_that_of_the_bot_itself(served, rules):
    made = play_match(served, load_bot("greedy"), rules, 1, episode="partie")
    same = play_match(load_bot("greedy"), load_bot("greedy"), rules, 1, episode="partie")
    assert np.array_equal(made.deals, same.deals)


@pytest.mark.parametrize(
    "example",
    [
        [sys.executable, "bot.py"],
        pytest.param(["node", "bot.js"], marks=pytest.mark.skipif(not shutil.which("node"), reason="needs Node")),
    ],
)
def test_the_examples_play_every_ruleset(example):
    name = "cmd:" + shlex.join([example[0], str(EXAMPLES / example[1])])
    for rules in RULESETS:
        first, again = (play_match(load_bot(name), load_bot("random"), rules, 2) for _ in range(2))
        assert np.array_equal(first.deals, again.deals)
        assert (first.deals["forfeit"] == 0).all()


def test_the_chance_is_the_matchs():
    name = "cmd:" + shlex.join([sys.executable, str(EXAMPLES / "bot.py")])
    bot, views = load_bot(name), views_of(np.array([opening()] * 40))
    first, same, other = (bot.act(views, np.random.default_rng(seed)).tolist() for seed in (1, 1, 2))
    assert first == same != other
    assert len(set(first)) > 3


def test_what_it_says_of_itself(capfd, served):
    bot = load_bot(odd("right"))
    assert facts_of({"a": bot, "b": served}).weights == {"a": "5" * 64}
    assert (bot.trained_on, served.trained_on) == (Rules.make("micro"), None)
    assert moves(bot, [opening()]) == [PLUS]
    assert "says this to standard error" in capfd.readouterr().err


# ------------------------------------------------------------------ they cannot be loaded


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cmd:", "expected a program and its arguments"),
        ("cmd:   ", "expected a program and its arguments"),
        ("cmd:'open", "No closing quotation"),
        ("cmd:no-such-program --fast", "'no-such-program' cannot be started: No such file or directory"),
        (f"cmd:{TESTS}", "cannot be started: Permission denied"),
        (f"cmd:{TESTS / 'helpers.py'}", "cannot be started: Permission denied"),
        ("cmd:a\0b", "cannot be started: embedded null byte"),
        ("cmd:true", "it ended with exit status 0"),
        ("cmd:cat", "took longer than 1 s to say hello"),
        (odd("hello-late"), "took longer than 1 s to say hello"),
        (odd("hello-none"), "its line cannot be read: expected JSON"),
        (odd("hello-text"), "its line cannot be read: expected JSON"),
        (odd("hello-long"), "its line cannot be read: expected a line of at most 65536 bytes"),
        (odd("hello-type"), "hello, field 'type': expected \"hello\", got 'hallo'"),
        (odd("hello-protocol"), "hello, field 'protocol': expected \"piquet-serve/1\", got 'piquet-serve/2'"),
        (odd("hello-versions"), "hello, field 'versions'"),
        (odd("hello-view"), "hello, field 'view'"),
    ],
)
def test_what_is_no_bot(name, reason):
    limit = 1 if "took longer" in reason else 60
    with pytest.raises(BotError) as caught:
        ProgramBot(name, load_limit=limit)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_command_says_what_is_wrong(capsys):
    status, out, err = run_command(capsys, "evaluate", odd("hello-view"), "greedy")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "hello, field 'view'" in err


# ------------------------------------------------------------------ they fail


def test_a_fault_in_a_match_is_said_without_our_own_code(capsys):
    """Whoever wrote the program wants to know what it did, and not which line of this package noticed."""
    name = odd("garbage", 1)
    status, out, err = run_command(capsys, "evaluate", name, "greedy", "--deals", "2")
    assert (status, out) == (2, "")
    line = err.splitlines()[-1]
    assert line.startswith(f"piquet evaluate: bot {name!r}: its line cannot be read: expected JSON: ")
    assert "BotError" not in line
    assert ".py:" not in line


FAULTS = [
    ("hangs", "it took longer than 1 s for a move"),
    ("exits", "it ended with exit status 3"),
    ("killed", "it was ended by SIGKILL"),
    ("closes", "it closed its standard output"),
    ("garbage", "enclosed in double quotes at letter 2; the line: '{'"),
    ("long", "expected a line of at most 65536 bytes"),
    ("nan", "its line cannot be read: expected JSON: NaN"),
    ("list", "its line cannot be read: expected an object"),
    ("id", "field 'id': expected 1, got 0"),
    ("id-true", "field 'id': expected 1, got True"),
    ("type", "field 'type': expected \"action\" or \"error\", got 'hello'"),
    ("no-action", "field 'action': expected one of +7, +8"),
    ("illegal", "field 'action': expected one of +7, +8"),
    ("number", "got 34"),
    ("odd-action", "field 'action': expected one of +7, +8"),
    ("error", "it answered by an error: field 'view.x': oh no"),
    ("bare-error", "it answered by an error: None"),
]


@pytest.mark.parametrize(("how", "reason"), FAULTS)
def test_a_fault_is_said_and_the_next_question_is_answered(monkeypatch, how, reason):
    if how == "closes":
        monkeypatch.setattr(program, "_GRACE", 0.1)  # in which it would have ended
    bot = ProgramBot(odd(how), move_limit=1 if how == "hangs" else 60)
    for said in (reason, reason.replace("expected 1", "expected 3")):
        with pytest.raises(BotError) as caught:
            moves(bot, [opening(1001)])
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)
        assert moves(bot, [opening()]) == [PLUS]


def test_lines_that_nobody_asked_for_are_not_taken_for_answers():
    before = threading.active_count()
    bot = ProgramBot(odd("flood"))
    for _ in range(3):
        assert moves(bot, [opening(1001)]) == [PLUS]
        with pytest.raises(BotError, match="field 'id'"):
            moves(bot, [opening()])
    del bot
    gc.collect()
    until = time.monotonic() + 30
    while threading.active_count() > before:  # threads that read
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_program_that_does_not_read_what_it_is_asked():
    """The pipe to it is full after some questions."""
    bot = ProgramBot(odd("deaf"), move_limit=1)
    with pytest.raises(BotError, match="took longer than 1 s for a move"):
        moves(bot, [opening(1001)] * 200)
    assert moves(bot, [opening()]) == [PLUS]


@pytest.mark.parametrize(("how", "most"), [("hangs", MOST_HANGS), ("exits", MOST_ENDS)])
def test_it_is_not_started_again_for_ever(how, most):
    bot = ProgramBot(odd(how), move_limit=0.3 if how == "hangs" else 60)
    for _ in range(most):
        with pytest.raises(BotError, match=r"longer than|exit status 3"):
            moves(bot, [opening(1001)])
    with pytest.raises(BotError, match="not started again"):
        moves(bot, [opening()])


def test_a_fault_costs_the_deal_and_nothing_else():
    """With a seat's faults in one of five hands: those deals, and all others as without."""

    def played(*arguments):
        bot = load_bot(odd(*arguments))
        sides = ForgivingSide(0, "odd", bot, NoWatch()), ForgivingSide(1, "greedy", load_bot("greedy"), NoWatch())
        rngs = [np.random.default_rng(side) for side in range(2)]
        deals, _ = Block(Rules(), "deal", 0, range(15), rngs, forfeit=150).play(sides, lambda ended: None)
        return deals, sides[0].faults

    right, none = played("right")
    deals, faults = played("illegal", 5)
    lost = deals["forfeit"] != 0
    assert not none
    assert 0 < lost.sum() < 15
    assert len(faults) == lost.sum()
    assert {fault.kind for fault in faults} == {RAISED}
    assert all("field 'action'" in fault.message for fault in faults)
    assert np.array_equal(deals[~lost], right[~lost])


# ------------------------------------------------------------------ they end


def processes_with(mark: str) -> list[int]:
    """Those whose command line has this text."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark in (folder / "cmdline").read_text():
                found.append(int(folder.name))
        except OSError:  # it has ended
            continue
    return [pid for pid in found if pid != os.getpid() and is_alive(pid)]


@needs_proc
@pytest.mark.parametrize("how", ["right", "lingers"])
def test_a_program_ends_with_its_bot(how):
    bot = load_bot(odd(how, 0, "ends-with-its-bot"))
    assert moves(bot, [opening()]) == [PLUS]
    started = processes_with("ends-with-its-bot")
    assert len(started) == 1
    del bot
    gc.collect()
    assert all_end(started)


@needs_proc
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_program_ends_with_the_process_of_its_bot(sent):
    """Also one that does not look at its input."""
    name = odd("stays", 0, f"ends-with-{sent}")
    code = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from serving import opening
from test_program_bot import moves
from piquet_env.bots import load_bot
bot = load_bot({name!r})
print("ready", flush=True)
moves(bot, [opening(1001)])
"""
    ours = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert ours.stdout.readline() == b"ready\n"
    time.sleep(0.2)
    started = processes_with(f"ends-with-{sent}")
    assert any(pid != ours.pid for pid in started)
    ours.send_signal(sent)
    assert ours.wait(30) != 0
    ours.stdout.close()
    assert all_end(started)


@needs_proc
def test_what_a_program_has_started_is_ended_with_it():
    bot = load_bot(odd("child", 0, "has-a-child"))
    bot._move_limit = 1.0
    with pytest.raises(BotError, match="took longer"):
        moves(bot, [opening(1001)])
    assert all_end(processes_with("has-a-child"))


@needs_proc
def test_a_program_ends_with_the_environments_that_it_plays_in():
    env = SingleAgentEnv(load_bot(odd("right", 0, "of-an-environment")))
    started = processes_with("of-an-environment")
    copied, pickled = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    assert copied.pool is env.pool
    assert len(processes_with("of-an-environment")) == 2 * len(started) > 0  # the pickled one has its own
    del env, copied, pickled
    gc.collect()
    assert all_end(started)
    assert not processes_with("of-an-environment")


# ------------------------------------------------------------------ in the commands


@pytest.mark.long
@needs_proc
def test_a_tournament_with_a_program_that_hangs(capsys, tmp_path):
    """Its worker is ended for it, again and again; no program is left behind."""
    name = odd("stays", 4, f"in-a-tournament-{os.getpid()}")
    options = ["--pairs", "2", "--workers", "2", "--move-limit", "1", "--luck-orders", "0", "--json", "--out"]
    status, out, _ = run_command(capsys, "tournament", name, "greedy", *options, str(tmp_path / "t"))
    assert status == 0
    faults = {bot["bot"]: {fault["kind"] for fault in bot["faults"]} for bot in json.loads(out)["bots"]}
    assert faults == {name: {"hung"}, "greedy": set()}
    assert all_end(processes_with(f"in-a-tournament-{os.getpid()}"))


def test_evaluate_with_a_program(capsys):
    status, out, err = run_command(capsys, "evaluate", SERVE_GREEDY, odd("right"), "--deals", "3", "--json")
    assert (status, "trained on micro" in err) == (0, True)
    assert json.loads(out)["provenance"]["weights"] == {odd("right"): "5" * 64}
    status, out, err = run_command(capsys, "evaluate", odd("illegal", 3), "greedy", "--deals", "10", "--json")
    assert (status, out) == (2, "")
    assert "field 'action'" in err


def test_a_program_can_be_served():
    """The other way round as well: to who asks it is a bot like all others."""
    line = json.dumps({"id": 1, "view": view_to_act(opening()), "seed": 3})
    done = subprocess.run([*PIQUET, "serve", odd("right")], input=line, text=True, capture_output=True, timeout=120)
    hello, reply = map(json.loads, done.stdout.splitlines())
    assert (hello["sha256"], hello["rules"], hello["probabilities"]) == ("5" * 64, "micro", False)
    assert (reply["action"], reply["probabilities"]) == ("+7", None)
    assert done.returncode == 0
