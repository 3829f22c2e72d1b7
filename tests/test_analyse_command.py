"""The command `piquet analyse`: what a person reads, what a program reads, and what is refused."""

import io
import json
from pathlib import Path

import jsonschema
import pytest
from analysing import GREEDY, SCHEMA
from commands import run_command
from rich.console import Console

from piquet_env.analyse import analysis, deals_of
from piquet_env.analyse.screen import print_deals
from piquet_env.bots import registry
from piquet_env.bots.greedy import GreedyBot
from piquet_env.knowledge import VERSIONS
from piquet_env.rules import RULESETS

DATA = Path(__file__).parent / "data"
DEALS, PARTIES = DATA / "deals.jsonl", DATA / "parties.jsonl"
GREEDILY = ("--bot", "greedy", "--samples", "5")


def record(file: Path, line: int) -> dict:
    return json.loads(file.read_text(encoding="utf-8").splitlines()[line - 1])


def analyse(capsys, *arguments):
    return run_command(capsys, "analyse", *map(str, arguments))


@pytest.fixture
def partie(tmp_path):
    """A partie of two deals that are over and one that is not."""
    made = record(PARTIES, 1)
    last = {key: value for key, value in made["deals"][2].items() if key not in ("result", "legal")}
    last["actions"] = last["actions"][:4]
    made.pop("result", None)
    made["deals"] = [*made["deals"][:2], last]
    (tmp_path / "partie.json").write_text(json.dumps(made), encoding="utf-8")
    return tmp_path / "partie.json"


@pytest.fixture
def unfinished(tmp_path):
    """A deal that is not over."""
    made = {key: value for key, value in record(DEALS, 3).items() if key not in ("result", "legal")}
    made["actions"] = made["actions"][:6]
    (tmp_path / "deal.json").write_text(json.dumps(made), encoding="utf-8")
    return tmp_path / "deal.json"


def test_one_object(capsys):
    status, out, err = analyse(capsys, DEALS, "--line", 3, *GREEDILY, "--seed", 4, "--json")
    assert (status, err) == (0, "")
    made = json.loads(out)
    jsonschema.validate(made, SCHEMA)
    assert made["provenance"].pop("command").startswith(f"piquet analyse {DEALS} --bot greedy --line 3 --samples 5 ")
    expected = analysis(deals_of(record(DEALS, 3)), "greedy", GREEDY, samples=5, seed=4)
    assert made | {"provenance": {}} == json.loads(json.dumps(expected)) | {"provenance": {}}
    assert made["deals"][0]["result"] == record(DEALS, 3)["result"]


def test_tables(capsys):
    status, out, err = analyse(capsys, DEALS, "--line", 3, *GREEDILY)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "Contract: player_0, to lose 7 tricks. Tricks 6 : 6, score 56 : 16."
    titles = ["Auction", "Exchange", "Play", "All decisions"]
    assert [line for line in lines if line in titles] == titles
    cells = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines if line.startswith("│")]
    assert ["5", "player_0", "♠J", "same", "", "", ""] in cells  # the follower of trick 5
    assert any(row[:3] == ["2", "player_1", "pass"] and row[4].startswith("+") for row in cells)
    assert any(row[0] == "lost in play, cards known" and row[1:] == ["88", "70"] for row in cells)


def test_all_deals_of_a_partie_that_are_over(capsys, partie):
    status, out, err = analyse(capsys, partie, *GREEDILY)
    assert (status, err) == (0, "note: deal 3 is not over and is left out\n")
    assert [line[:7] for line in out.splitlines() if line.startswith("Deal ")] == ["Deal 1:", "Deal 2:"]
    status, out, err = analyse(capsys, partie, *GREEDILY, "--deal", 2, "--player", 1, "--json")
    made = json.loads(out)
    assert (status, err, [deal["deal"] for deal in made["deals"]]) == (0, "", [2])
    assert {each["player"] for each in made["deals"][0]["decisions"]} == {"player_1"}
    assert "--deal 2 --player 1" in made["provenance"]["command"]


def test_cards_thrown_in(capsys):
    """Only the auction can be looked at."""
    lines = DEALS.read_text(encoding="utf-8").splitlines()
    line = next(n for n, text in enumerate(lines, 1) if json.loads(text)["result"] is None)
    status, out, err = analyse(capsys, DEALS, "--line", line, *GREEDILY)
    assert (status, err) == (0, "")
    assert " dealt, both passed, and the cards were thrown in." in out.splitlines()[0]
    assert "Auction" in out.splitlines()
    assert "Play" not in out.splitlines()


def test_a_bot_of_other_rules(capsys, monkeypatch):
    class Trained(GreedyBot):
        trained_on = RULESETS["mini"]

    monkeypatch.setitem(registry.BOTS, "trained", Trained)
    status, _, err = analyse(capsys, DEALS, "--line", 1, "--bot", "trained", "--samples", 2)
    assert (status, err) == (0, f"note: trained was trained on mini; here it plays {record(DEALS, 1)['rules']}\n")


@pytest.mark.long
def test_an_expert_is_given_fewer_worlds(capsys, tmp_path):
    """Of a small deal, for it is slow."""
    lines = DEALS.read_text(encoding="utf-8").splitlines()
    line = next(n for n, text in enumerate(lines, 1) if json.loads(text)["rules"] == "micro")
    for bot, samples in (("expert:fast", 20), ("greedy", 200)):
        made = json.loads(analyse(capsys, DEALS, "--line", line, "--bot", bot, "--json")[1])
        assert made["samples"] == samples


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--bot", "omniscient"), "bot 'omniscient': it sees all cards"),
        (("--bot", "gredy"), "unknown bot 'gredy', did you mean 'greedy'?"),
        (("--line", 10**6), "line: expected 1 to 600"),
        (("--deal", 2), "deal: expected 1 to 1, as many as the record has, got 2"),
        (("--deal", 0), "deal: expected 1 to 1"),
        (("--samples", 1), "samples: expected 2 to 10000, got 1"),
        (("--samples", 10**9), "samples: expected 2 to 10000"),
        (("--seed", -1), "seed: expected 0 to"),
    ],
)
def test_refused(capsys, options, said):
    status, out, err = analyse(capsys, DEALS, "--bot", "greedy", *options)
    assert (status, out) == (2, "")
    assert err.startswith(f"piquet analyse: {said}")
    assert err.count("\n") == 1


def test_files_that_cannot_be_used(capsys, tmp_path, unfinished, partie):
    missing = tmp_path / "none.json"
    assert analyse(capsys, missing, *GREEDILY) == (2, "", f"piquet analyse: {missing}: No such file or directory\n")
    said = "piquet analyse: the deal is not over after 6 actions: expected a finished one\n"
    assert analyse(capsys, unfinished, *GREEDILY) == (2, "", said)
    said = "piquet analyse: deal 3 is not over after 4 actions: expected a finished one\n"
    assert analyse(capsys, partie, *GREEDILY, "--deal", 3) == (2, "", said)
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    status, out, err = analyse(capsys, broken, *GREEDILY)
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_a_bot_that_raises(capsys, monkeypatch):
    class Failing:
        def act(self, views, rng):
            raise RuntimeError("out of order")

    monkeypatch.setitem(registry.BOTS, "failing", Failing)
    status, out, err = analyse(capsys, DEALS, "--bot", "failing")
    assert (status, out) == (2, "")
    assert err.startswith("piquet analyse: bot 'failing': act(views, rng) raised RuntimeError: out of order")


def test_letters_alone_and_narrow_terminals():
    """Nothing is left out, and nothing is shown as an escape sequence."""
    made = analysis(deals_of(record(DEALS, 1)), "greedy", GREEDY, samples=5)
    costs = [each["cost"] for deal in made["deals"] for each in deal["decisions"] if each["cost"]["points"]]
    assert costs
    for encoding, width in (("ascii", 80), ("utf-8", 30)):
        memory = io.BytesIO()
        console = Console(file=io.TextIOWrapper(memory, encoding, errors="backslashreplace"), width=width)
        print_deals(made, console)
        console.file.flush()
        text = memory.getvalue().decode(encoding)
        assert "\\x" not in text
        assert "…" not in text
        assert ("+-" in text) == (encoding == "ascii")


def test_the_finished_deals_of_a_game_that_goes_on(tmp_path, capsys):
    """As `piquet play` keeps it: of the deal that is not over nothing is told."""
    partie = json.loads((DATA / "parties.jsonl").read_text().splitlines()[0])
    deals = [*partie["deals"][:1], {**partie["deals"][1], "actions": partie["deals"][1]["actions"][:3]}]
    del deals[1]["result"]
    record = {key: partie[key] for key in ("format", "rules")} | {"deals": deals}
    numbers = {"seed": 1, "generator": 1, "thrown_in": 0}
    texts = {"format": "piquet-game/1", "bot": "greedy", "hints": None, "human": "player_0"}
    game = {**texts, "versions": dict(VERSIONS), **numbers, "record": record}
    (tmp_path / "game.json").write_text(json.dumps(game))
    status, out, _ = run_command(capsys, "analyse", str(tmp_path / "game.json"), "--bot", "greedy", "--json")
    assert status == 0
    assert [deal["deal"] for deal in json.loads(out)["deals"]] == [1]
    (tmp_path / "game.json").write_text(json.dumps(game | {"seed": "x"}))
    status, out, err = run_command(capsys, "analyse", str(tmp_path / "game.json"))
    assert (status, out) == (2, "")
    assert "seed: expected a whole number" in err
