"""An analysis for the terminal."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from rich.console import Console
from rich.table import Table

from piquet_env.records import PLAYERS
from piquet_env.render.replay import suits_for
from piquet_env.rules import SUITS

_STAKES = {1: "", 2: ", doubled", 4: ", redoubled"}


def print_analysis(made: dict[str, Any], console: Console) -> None:
    """The hands, a table of the legal cards, the line of best play, and what was lost in the play that was."""
    suits = dict(zip(SUITS, suits_for(console.encoding), strict=True))
    for line in _position(made, suits):
        console.print(line, highlight=False, markup=False)
    _print(console, f"What each card leads to, with best play by both ({made['to_act']} to act)", _cards(made, suits))
    console.print(_legend(made), highlight=False, markup=False)
    plays = [(trick, PLAYERS[int(text[0])], _card(text[-2:], suits)) for trick, text in _by_trick(made)]
    _print(console, "Best play", _tricks([(*play, "") for play in plays]))
    if made["played"]:
        played = [(p["trick"], p["player"], _card(p["card"], suits), _cost(p, suits)) for p in made["played"]]
        _print(console, "Played, and the points that it cost against the best card", _tricks(played))
        lost = {name: sum(p["cost"] for p in made["played"] if p["player"] == name) for name in PLAYERS}
        total = ", ".join(f"{name} {points}" for name, points in lost.items())
        console.print(f"Lost in all: {total}.", highlight=False, markup=False)


def contract_line(contract: dict[str, Any] | None, elder: str) -> str:
    """What is played: a record's contract and the elder, in words."""
    if contract is None:
        return f"Classic Piquet; {elder} is elder."
    aim = "to lose" if contract["sign"] == "-" else "to win"
    tricks = f"{contract['level']} trick{'s' if contract['level'] > 1 else ''}"
    return f"Contract: {contract['maker']}, {aim} {tricks}{_STAKES[contract['stake']]}."


def hand_lines(hands: dict[str, str], suits: dict[str, str]) -> list[str]:
    """Each player's hand on a line; `hands` as records have them, `suits` as they are printed."""
    lines = []
    for name, hand in hands.items():
        held = [f"{suits[s]} {' '.join(ranks)}" for s, ranks in zip(SUITS, hand.split("."), strict=True) if ranks]
        lines.append(f"{name}: {'   '.join(held)}")
    return lines


def _position(made: dict[str, Any], suits: dict[str, str]) -> list[str]:
    lines = [contract_line(made["contract"], made["elder"])]
    lines += hand_lines(made["hands"], suits)
    led = f"{_card(made['led'], suits)} is led" if made["led"] else f"{made['to_act']} leads"
    return [*lines, f"Trick {made['trick']}: {led}."]


def _print(console: Console, title: str, table: Table) -> None:
    console.print(f"\n{title}", style="bold", highlight=False, markup=False)
    console.print(table)


def _card(text: str, suits: dict[str, str]) -> str:
    return suits[text[0]] + text[1]


def _cards(made: dict[str, Any], suits: dict[str, str]) -> Table:
    """The best first."""
    table = Table()
    for column in ("card", "difference", "loses", "tricks 0 : 1", "score 0 : 1", "tricks alone"):
        table.add_column(column, justify="left" if column == "card" else "right")
    best = made["cards"][0]["difference"]
    for each in made["cards"]:
        pairs = [" : ".join(str(each[what][name]) for name in PLAYERS) for what in ("tricks", "score")]
        lost = str(best - each["difference"] or "")
        table.add_row(_card(each["card"], suits), f"{each['difference']:+}", lost, *pairs, str(each["tricks_alone"]))
    return table


def _legend(made: dict[str, Any]) -> str:
    """What the columns are."""
    other = PLAYERS[1 - PLAYERS.index(made["to_act"])]
    return (
        f"difference: {made['to_act']}'s score less {other}'s; loses: what is less than with the best card; "
        f"tricks alone: those of {made['to_act']} when both play for tricks and nothing else. > leads to a trick."
    )


def _by_trick(made: dict[str, Any]) -> list[tuple[int, str]]:
    """(trick, play) of the line of best play, which may begin within a trick."""
    started = 1 if made["led"] else 0
    return [(made["trick"] + (place + started) // 2, text) for place, text in enumerate(made["line"])]


def _cost(played: dict[str, Any], suits: dict[str, str]) -> str:
    return f" -{played['cost']} ({_card(played['best'], suits)})" if played["cost"] else ""


def _tricks(plays: list[tuple[int, str, str, str]]) -> Table:
    """A row for each trick, a column for each player; who leads is marked."""
    table = Table()
    for column in ("trick", *PLAYERS):
        table.add_column(column)
    for trick, of_trick in groupby(plays, key=lambda play: play[0]):
        cells: dict[str, str] = dict.fromkeys(PLAYERS, "")
        for place, (_, player, card, cost) in enumerate(of_trick):
            cells[player] = ("> " if place == 0 else "  ") + card + cost
        table.add_row(str(trick), *cells.values())
    return table
