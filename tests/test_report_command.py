"""The command `piquet report`: what it prints, writes and refuses."""

import json

import pytest
from commands import run_command

from piquet_env.behaviour import command

MICRO = ("greedy", "--rules", "micro", "--deals", "20")


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    return run_command(capsys, "report", *arguments)


def test_json_is_one_object_with_where_it_comes_from(capsys):
    status, out, err = run(capsys, *MICRO, "--against", "random", "--seed", "5", "--json")
    assert (status, err) == (0, "")
    made = json.loads(out)
    assert (made["format"], made["bot"], made["against"], made["deals"]) == ("piquet-report/1", "greedy", "random", 20)
    assert made["score"]["all"]["total"]["bot"]["count"] == 40
    settings = made["provenance"]
    assert settings["command"] == "piquet report greedy --against random --rules micro --deals 20 --seed 5"
    assert (settings["rules"], settings["seed"], settings["deals"]) == ("micro", 5, 20)
    assert run(capsys, *MICRO, "--against", "random", "--seed", "5", "--json")[1] == out


def test_the_text_says_who_played_and_the_page_is_written(capsys, tmp_path):
    status, out, err = run(capsys, *MICRO, "--html", str(tmp_path / "page.html"))
    assert (status, err) == (0, "")
    words = " ".join(out.split())
    assert "greedy against itself, micro: 20 deals, each played twice" in words
    for title in ("In short", "Its contracts", "What it keeps", "Points a deal"):
        assert title in out
    assert max(map(len, out.splitlines())) <= 80
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_who_cheats_is_named(capsys):
    _, out, _ = run(capsys, "omniscient", "--rules", "micro", "--deals", "2")
    assert "omniscient cheats: it sees all cards." in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gredy",), "did you mean 'greedy'"),
        (("greedy", "--against", "gredy"), "did you mean 'greedy'"),
        (("greedy", "--deals", "1"), "deals: expected at least 2"),
        (("greedy", "--seed", "-1"), "seed: expected"),
        (("greedy", "--rules", "bridge"), "unknown ruleset 'bridge'"),
        (("no/such.pt",), "no trained bot at 'no/such.pt'"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(capsys, arguments, message):
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("piquet report: ")
    assert message in err


def test_a_page_that_cannot_be_written_is_refused_before_anything_is_played(capsys, tmp_path, monkeypatch):
    def played(*_, **__):
        raise AssertionError("played")

    monkeypatch.setattr(command, "watch", played)
    for path in (tmp_path, tmp_path / "none" / "x.html"):
        status, out, err = run(capsys, *MICRO, "--html", str(path))
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert f"html: no file can be written at {path}" in err
    assert not list(tmp_path.iterdir())


def test_a_page_that_fails_later_does_not_lose_the_report(capsys, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(command, "write_text", full)
    status, out, err = run(capsys, *MICRO, "--json", "--html", str(tmp_path / "x.html"))
    assert status == 2
    assert json.loads(out)["deals"] == 20
    assert err == f"piquet report: html: {tmp_path / 'x.html'} cannot be written: No space left on device\n"


def test_help_says_what_it_shows(capsys):
    status, out, _ = run(capsys, "--help")
    assert status == 0
    for option in ("--against", "--rules", "--deals", "--seed", "--json", "--html"):
        assert option in out
