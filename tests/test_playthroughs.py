"""The written playthroughs are what is played now, and they go through all of the game."""

import playthroughs
import pytest
from playthroughs import PLAYTHROUGHS, difference, file_of


def text_of(name: str) -> str:
    return file_of(name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_a_playthrough_is_played_as_it_is_written(name):
    found = difference(name, text_of(name))
    assert found is None, f"\n{found}"


def test_a_difference_is_said_with_its_line_and_the_command():
    lines = text_of("micro").split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith("action: "))
    changed = [*lines[:at], "action: 99 other", *lines[at + 1 :]]
    found = difference("micro", "\n".join(changed))
    assert found.split("\n")[:3] == [
        f"micro.txt, line {at + 1}:",
        "  written: action: 99 other",
        f"  played:  {lines[at]}",
    ]
    assert playthroughs.COMMAND in found
    assert "(the end)" in difference("micro", "\n".join(lines[:-9]))


def test_no_file_is_left_over():
    assert {path.stem for path in playthroughs.FOLDER.iterdir()} == set(PLAYTHROUGHS)


COVERED = {
    "auction": ("pass", "+7", "double", "discard ", "stand", "point ", "sequence ", "set ", "none", "play "),
    "rubicon": ("discard ", "stand", "point ", "sequence ", "set ", "none", "play "),
    "micro": ("+1", "-2", "pass", "play "),
}


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_it_can_be_read_and_goes_through_the_game(name):
    lines = text_of(name).split("\n")
    assert len(lines) < 1500
    assert max(map(len, lines)) <= 120
    actions = [line.split(" ", 2)[2] for line in lines if line.startswith("action: ")]
    for action in COVERED[name]:
        assert any(text.startswith(action) for text in actions), action
    assert any(line.startswith("contract: ") for line in lines)
    rewards = [line for line in lines if line.startswith("rewards: ")]
    assert any("+0" not in line for line in rewards)


def test_a_partie_is_played_to_its_end():
    lines = text_of("rubicon").split("\n")
    assert sum(line.endswith(" is over") and line.startswith("## Deal ") for line in lines) == 6
    assert sum(line.startswith("## The end: player_") and "terminated True" in line for line in lines) == 2
    assert any(line.startswith("payment ") for line in lines)
