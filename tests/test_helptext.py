"""What `piquet COMMAND --help` shows of the arguments."""

from pathlib import Path
from typing import Annotated, Literal

import pytest
import tyro
from tyro.conf import Positional, arg

from piquet_env import cli
from piquet_env.helptext import readable


def command(
    file: Path,
    bot: Positional[str | None] = None,
    episode: Literal["deal", "partie"] | None = None,
    won: tuple[int, int] | None = None,
    out: Annotated[Path | None, arg(aliases=["-o"])] = None,
    picture: Annotated[Path | None, arg(metavar="PNG")] = None,
    deals: int = 7,
) -> list:
    """Do it.

    In a paragraph of two lines, of which the second begins with
    2: a number.

    Args:
        file: what is said of it stands
            on two lines.
        bot: who plays.
    """
    return [file, bot, episode, won, out, picture, deals]


def help_of(function, capsys) -> str:
    with pytest.raises(SystemExit) as ended:
        tyro.cli(function, prog="do", args=["--help"], config=(tyro.conf.PositionalRequiredArgs,))
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_arguments_have_names_and_no_none(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    words = help_of(readable(command), capsys).split()
    text = " ".join(words)
    for shown in ("[BOT]", "--episode {deal,partie}", "--won INT INT", "-o PATH, --out PATH", "--picture PNG", "FILE"):
        assert shown in text
    assert "--deals INT (default: 7)" in text
    assert "{None}" not in text
    assert "begins with 2: a number" in text
    assert "stands on two lines" in text


def test_the_function_is_called_as_before():
    style = (tyro.conf.PositionalRequiredArgs,)
    arguments = ["a.json", "greedy", "--episode", "deal", "--won", "2", "3", "-o", "b"]
    made = tyro.cli(readable(command), args=arguments, config=style)
    assert made == [Path("a.json"), "greedy", "deal", (2, 3), Path("b"), None, 7]
    assert tyro.cli(readable(command), args=["a"], config=style) == [Path("a"), None, None, None, None, None, 7]


@pytest.mark.parametrize("name", list(cli.OWN_COMMANDS))
def test_no_command_offers_none(name, capsys):
    """Nobody types it; that an argument may be left out is seen otherwise."""
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    assert ended.value.code == 0
    assert "{None}" not in capsys.readouterr().out
