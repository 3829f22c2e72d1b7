"""`piquet serve BOT`: what it answers, what it refuses, and that it goes on serving."""

import io
import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import serve_bots
from commands import run_command
from serving import ENVIRONMENT, PIQUET, ROOT, Server, all_end, expected, opening, positions, resident, view_to_act
from soak_serve import soak
from told import told

from piquet_env import knowledge
from piquet_env.bots import load_bot
from piquet_env.engine import layout as at
from piquet_env.serve.child import Player
from piquet_env.serve.command import answer_lines
from piquet_env.views import view

PROTOCOL = (ROOT / "piquet_env" / "serve" / "PROTOCOL.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "piquet_env" / "examples"
needs_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="asks Linux which processes there are")


@pytest.fixture(autouse=True, scope="module")
def _compiled():
    """So that no process says on its standard error that it is compiling for the first time."""
    opening()


@pytest.fixture(scope="module")
def greedy():
    with Server("greedy") as server:
        yield server


@pytest.fixture(scope="module")
def odd():
    with Server("serve_bots:Odd", "--move-limit", "3") as server:
        yield server


@pytest.fixture(scope="module")
def drawing():
    with Server("serve_bots:Odd", "--move-limit", "60") as server:
        yield server


class Here:
    """A keeper whose bot plays in this process."""

    def __init__(self, bot):
        self.player = Player("here", bot, False)

    def ask(self, views, seeds):
        return self.player.answer(views, np.random.default_rng(seeds))


def answered(lines: bytes | list[dict], seed: int = 0, bot=None) -> list[dict]:
    """What is answered to all these lines; by default by `random`."""
    text = lines if isinstance(lines, bytes) else b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    replies = []
    answer_lines(io.BytesIO(text), replies.append, Here(bot or load_bot("random")), seed)
    return replies


def request(row, given=None, **more) -> dict:
    return {"id": given, "view": view_to_act(row)} | more


# ------------------------------------------------------------------ what is answered


def test_hello(greedy):
    assert greedy.hello == {
        "type": "hello",
        "protocol": "piquet-serve/1",
        "package": greedy.hello["package"],
        "versions": knowledge.VERSIONS,
        "view": "piquet-view/1",
        "bot": "greedy",
        "sha256": None,
        "rules": None,
        "probabilities": True,
        "value": False,
        "move_limit": 10.0,
    }


def test_a_trained_bot_takes_its_likeliest_action():
    pytest.importorskip("torch", reason="its weights need torch: pip install 'piquet-env[train]'")
    bot, rows = load_bot("base"), positions(4)[:40]
    with Server("base", "--best", "--move-limit", "7.5") as server:
        assert server.hello["sha256"] == bot.sha256
        assert server.hello["rules"] == bot.trained_on.spec()
        assert server.hello["move_limit"] == 7.5
        for row in rows:
            reply, drawn = server.ask(request(row, 1)), expected(bot, row, 1, 4)
            same = ("type", "id", "probabilities", "value")
            assert {key: reply[key] for key in same} == {key: drawn[key] for key in same}
            assert reply["probabilities"][reply["action"]] == max(reply["probabilities"].values())
        assert server.end() == (0, "")


def test_answers_are_those_of_the_bot_in_every_ruleset(greedy, drawing):
    bots = {greedy: load_bot("greedy"), drawing: serve_bots.Odd()}
    for number, row in enumerate(positions(1)):
        for server, bot in bots.items():
            seen = view_to_act(row) if number % 2 else told(view_to_act(row))
            reply = server.ask({"id": number, "view": seen, "seed": number * 2**40})
            assert reply == expected(bot, row, number, number * 2**40)


@pytest.mark.parametrize("given", ["text \ud800 é", 2**63 - 1, -1.5, True, None, "", 0])
def test_any_scalar_is_an_id(greedy, given):
    assert greedy.ask(request(opening(), given)) == expected("greedy", opening(), given)
    assert greedy.ask({"id": given})["id"] == given


def test_without_an_id(greedy):
    assert greedy.ask({"view": view_to_act(opening())})["id"] is None


def test_a_seed_of_the_request_and_of_the_command():
    """The first gives the same answer at any time; without one it depends on --seed and on how many came before."""
    row = positions(2)[0]
    lines = [request(row, seed=5)] * 2 + [request(row)] * 20
    made = {seed: answered(lines, seed) for seed in (0, 1)}
    for seed, replies in made.items():
        assert replies[:2] == [expected("random", row, None, 5)] * 2
        assert replies[2:] == [expected("random", row, None, seed, number) for number in range(3, 23)]
    assert made[0][2:] != made[1][2:]
    with Server("random", "--seed", "1") as server:
        assert [server.ask(line) for line in lines] == made[1]


def test_a_bot_may_write_into_what_it_is_given():
    for row in positions(5)[:10]:
        assert answered([request(row, seed=1)], bot=serve_bots.Writes()) == [expected("random", row, None, 1)]


# ------------------------------------------------------------------ what is refused


def nested(depth: int) -> bytes:
    return b'{"id": 1, "view": ' + b"[" * depth + b"]" * depth + b"}"


@pytest.mark.parametrize(
    ("line", "given", "field", "reason"),
    [
        (b"", None, None, "expected JSON"),
        (b"hello", None, None, "expected JSON"),
        (b"[1]", None, None, "expected an object"),
        (b'"text"', None, None, "expected an object"),
        (b'{"id": 1}{"id": 2}', None, None, "expected JSON: Extra data"),
        (b"\xff\xfe{}", None, None, "expected UTF-8, got the byte 0xff at 0"),
        (b'\xef\xbb\xbf{"id": 1}', None, None, "expected JSON"),
        (b'{"id": NaN}', None, None, "NaN"),
        (b'{"id": -Infinity}', None, None, "-Infinity"),
        (b'{"id": 1, "id": 2}', None, None, "expected each key once, got 'id' twice"),
        (b'{"id": 1, "view": {"rules": {"a": 1, "a": 1}}}', None, None, "'a' twice"),
        (nested(1_000), 1, "view", "an object"),
        (nested(30_000), None, None, "nested too deeply"),
        (b'{"id": ' + b"9" * 5000 + b"}", None, None, "expected numbers below 2**63"),
        (b'{"id": 1e999}', None, None, "expected numbers below 2**63"),
        (b'{"id": 9223372036854775808}', None, None, "expected numbers below 2**63"),
        (b'{"id": "' + b"x" * 70_000 + b'"}', None, None, "expected a line of at most 65536 bytes"),
        (b'{"id": {}}', None, "id", "expected a text, a number"),
        (b'{"id": 1}', 1, "view", "missing"),
        (b'{"id": 1, "views": 1}', 1, "views", "unknown field"),
        (b'{"id": 1, "' + b"x" * 1000 + b'": 1}', 1, "x" * 100 + "...", "unknown field"),
        (b'{"id": 1, "type": "move"}', 1, "type", "quit"),
        (b'{"id": 1, "type": "quit", "view": {}}', 1, "type", "no view"),
        (b'{"id": 1, "view": null}', 1, "view", "expected an object"),
        (b'{"id": 1, "view": {"format": 1}, "seed": -1}', 1, "seed", "from 0 to"),
        (b'{"id": 1, "view": {"format": 1}, "seed": 1.0}', 1, "seed", "from 0 to"),
        (b'{"id": 1, "view": {"format": 1}, "seed": true}', 1, "seed", "from 0 to"),
    ],
)
def test_lines_that_are_no_request(greedy, line, given, field, reason):
    reply = greedy.ask(line)
    if line == nested(1_000):  # how deep is too deep depends on the version of Python
        assert reply["type"] == "error"
    else:
        assert (reply["type"], reply["id"], reply["field"]) == ("error", given, field)
        assert reason in reply["error"]
    assert len(reply["error"]) < 350
    assert greedy.ask(request(opening(), 9)) == expected("greedy", opening(), 9)


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("rules", "whist", "view.rules"),
        ("rules", "x" * 60_000, "view.rules"),
        ("versions.rules", 2, "view.versions.rules"),
        ("hands.player_1", "AKQ...", "view.hands.player_1"),
        ("totals.player_0", 10**18, "view.totals.player_0"),
        ("auction", ["1 +7", "0 +7"], "view.auction[1]"),
        ("tricks", [{"cards": []}], "view.tricks"),
        ("legal", ["pass"], "view.legal"),
        ("oops", 1, "view.oops"),
    ],
)
def test_views_that_cannot_be(greedy, path, value, field):
    wrong = request(opening(), "w")
    *keys, last = path.split(".")
    part = wrong["view"]
    for key in keys:
        part = part[key]
    part[last] = value
    reply = greedy.ask(wrong)
    assert (reply["type"], reply["id"], reply["field"]) == ("error", "w", field)
    assert 0 < len(reply["error"]) < 350


def test_a_view_in_which_there_is_nothing_to_do(greedy):
    row = opening()
    assert greedy.ask({"view": view(row, 0)})["field"] == "view.to_act"
    over = row.copy()
    over[[at.PHASE, at.IS_THROWN_IN, at.PASSED]] = at.DEAL_OVER, 1, 2
    assert greedy.ask({"view": view(over, 1)})["field"] == "view.phase"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["omniscient"], "sees all cards"),
        (["nobody"], "unknown bot 'nobody'"),
        (["expert", "--best"], "does not say how likely"),
        (["greedy", "--move-limit", "0"], "move_limit"),
        (["greedy", "--load-limit", "nan"], "load_limit"),
        (["greedy", "--seed", "-1"], "seed"),
        (["serve_bots:never_loaded", "--load-limit", "1"], "took longer than 1 s to be loaded"),
        (["serve_bots:ends_while_loaded"], "ended with exit status 4"),
        (["cmd:no-such-program"], "cannot be started"),
    ],
)
def test_what_cannot_be_served(capsys, arguments, reason):
    status, out, err = run_command(capsys, "serve", *arguments)
    assert (status, out) == (2, "")
    assert reason in err
    assert err.startswith("piquet serve: ")
    assert err.count("\n") == 1


# ------------------------------------------------------------------ bots that fail


@pytest.mark.parametrize(
    ("total", "reason"),
    [
        (serve_bots.HANG, "took longer than 3 s for a move, and is started again"),
        (serve_bots.HOLD, "took longer than 3 s for a move, and is started again"),
        (serve_bots.EXIT, "its process ended with exit status 3, and is started again"),
        (serve_bots.RAISE, "raised ZeroDivisionError: oh no"),
        (serve_bots.ILLEGAL, "79 is not legal"),
        (serve_bots.INTERRUPT, "KeyboardInterrupt"),
    ],
)
def test_a_fault_is_an_error_and_serving_goes_on(odd, total, reason):
    reply = odd.ask(request(opening(total), total))
    assert (reply["type"], reply["id"], reply["field"]) == ("error", total, None)
    assert reason in reply["error"]
    assert odd.ask(request(opening(), 2, seed=3)) == expected(serve_bots.Odd(), opening(), 2, 3)


def test_a_bot_that_cannot_be_loaded_again(tmp_path, monkeypatch):
    monkeypatch.setitem(ENVIRONMENT, "LOADED_ONCE", str(tmp_path / "mark"))
    with Server("serve_bots:loaded_once") as server:
        assert "exit status 3" in server.ask(request(opening(serve_bots.EXIT)))["error"]
        for _ in range(2):
            assert "once is enough" in server.ask(request(opening()))["error"]
        (tmp_path / "mark").unlink()
        assert server.ask(request(opening(), 1, seed=3)) == expected(serve_bots.Odd(), opening(), 1, 3)
        assert server.end()[0] == 0


def test_what_the_bot_prints_is_not_on_standard_output():
    with Server("serve_bots:Odd") as server:
        assert server.ask(request(opening(serve_bots.PRINT)))["type"] == "action"
        status, err = server.end()
    assert status == 0
    assert sorted(err.splitlines()) == ["to standard error", "to standard output", "to the file of standard output"]


# ------------------------------------------------------------------ the end


@needs_proc
@pytest.mark.parametrize(
    ("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)]
)
@pytest.mark.parametrize("total", [0, serve_bots.HOLD])
def test_signals_end_it_and_its_bot_quietly(sent, status, total):
    with Server("serve_bots:Odd", "--move-limit", "600") as server:
        server.ask(request(opening()))
        started = server.children()
        assert started
        if total:
            server.send(json.dumps(request(opening(total))).encode())
        server.process.send_signal(sent)
        assert server.process.wait(30) == status
        assert server.end() == (status, "")
    assert all_end(started)


def test_nobody_reads_the_output():
    with Server("greedy") as server:
        server.process.stdout.close()
        server.send(b"{}")
        assert server.process.wait(30) == 1
        assert server.process.stderr.read() == b""


@pytest.mark.skipif(not shutil.which("sh"), reason="needs a shell")
def test_its_standard_error_may_be_closed():
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", *PIQUET, "serve", "greedy"]
    done = subprocess.run(
        command, input=json.dumps(request(opening(), 1)).encode(), stdout=subprocess.PIPE, env=ENVIRONMENT
    )
    assert done.returncode == 0
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == ["hello", "action"]


@pytest.mark.parametrize("end", [b'{"type": "quit"}\n', b'{"id": 4, "type": "quit"}\n{"id": 5}\n', b""])
def test_quit_and_the_end_of_the_input(end):
    assert [reply["id"] for reply in answered(b'{"id": 1}\n' + end)] == [1]


def test_a_last_line_without_its_end():
    assert [reply["id"] for reply in answered(b'{"id": 6}\n{"id": 7}')] == [6, 7]


# ------------------------------------------------------------------ the page, and the examples


def test_the_example_of_the_page():
    session = re.search(r"```\n(.*?)```", PROTOCOL, re.DOTALL)[1].splitlines()
    sent = [line[2:] for line in session if line.startswith("> ")]
    said = [json.loads(line[2:]) for line in session if line.startswith("< ")]
    done = subprocess.run(
        [*PIQUET, "serve", "greedy"], input="\n".join(sent), text=True, capture_output=True, env=ENVIRONMENT
    )
    made = [json.loads(line) for line in done.stdout.splitlines()]
    assert (len(sent), done.returncode, done.stderr) == (6, 0, "")
    assert made[0] | {"package": None} == said[0] | {"package": None}
    assert made[1:] == said[1:]


@pytest.mark.parametrize(
    ("client", "bot"),
    [
        ([sys.executable, "client.py"], "greedy"),
        pytest.param(
            ["node", "client.js"],
            "serve_bots:Odd",
            marks=pytest.mark.skipif(not shutil.which("node"), reason="needs Node"),
        ),
    ],
)
def test_the_clients(client, bot):
    program, file = client
    command = [program, str(EXAMPLES / file), bot, *PIQUET]
    done = subprocess.run(command, text=True, capture_output=True, env=ENVIRONMENT, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"([+-]\d+|pass)\n", done.stdout)


@pytest.mark.parametrize("file", ["client.py", "client.js", "bot.py", "bot.js"])
def test_the_examples_are_short(file):
    assert len((EXAMPLES / file).read_text(encoding="utf-8").splitlines()) <= 45


# ------------------------------------------------------------------ random and malformed lines


@needs_proc
def test_a_line_that_is_too_long_is_not_kept(greedy):
    before = resident(greedy.process.pid)
    part = b"x" * 2**20
    for _ in range(200):
        greedy.process.stdin.write(part)
    assert "expected a line of at most" in greedy.ask(b"")["error"]
    assert resident(greedy.process.pid) - before < 20 * 2**20


@pytest.mark.long
@needs_proc
def test_it_survives_random_lines():
    seen = soak(20_000, seed=0)
    assert seen["lines"] == seen["replies"] == 20_000
    assert seen["wrong"] == []
    assert min(seen["kinds"].values()) > 10
    assert seen["by kind"]["action"] > 5_000
    assert seen["by kind"]["error"] > 5_000
    for grown in seen["grown"].values():
        assert grown < 30 * 2**20
