"""An analysis for the terminal."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.table import Table

from piquet_env.records import PLAYERS
from piquet_env.render.replay import suits_for
from piquet_env.rules import RANKS, SUITS
from piquet_env.solver.screen import contract_line, hand_lines

_DECLARATIONS = ("carte_blanche", "point", "sequence", "set")
_TITLES = {"auction": "Auction", "exchange": "Exchange", "declarations": "Declarations", "play": "Play"}
_MOST_LETTERS_OF_A_NAME = 40


def print_deals(made: dict[str, Any], console: Console) -> None:
    """For each deal what it came to and a table for each phase; then a summary, and what the columns are."""
    shown = suits_for(console.encoding)
    signs = dict(zip(SUITS, shown, strict=True)) | {"±": "+-" if shown == SUITS else "±"}
    several = len(made["deals"]) > 1
    for place, deal in enumerate(made["deals"]):
        for line in ("\n" * bool(place) + _heading(deal, several), *_dealt(deal, signs)):
            console.print(line, highlight=False, markup=False)
        for title, decisions in groupby(deal["decisions"], key=_title):
            _print(console, title, _table(list(decisions), signs))
    _print(console, "All decisions", _summary(made, several, signs))
    console.print(_legend(made), highlight=False, markup=False)


def _print(console: Console, title: str, table: Table) -> None:
    console.print(f"\n{title}", style="bold", highlight=False, markup=False)
    console.print(table)


def _title(decision: dict[str, Any]) -> str:
    return _TITLES["declarations" if decision["phase"] in _DECLARATIONS else decision["phase"]]


def _heading(deal: dict[str, Any], several: bool) -> str:
    """What was played, and what came out."""
    name, result = f"Deal {deal['deal']}: " if several else "", deal["result"]
    if result is None:
        return f"{name}{deal['dealer']} dealt, both passed, and the cards were thrown in."
    won, scored = (" : ".join(str(part) for part in pair) for pair in _result(result))
    what = contract_line(result["contract"], deal["elder"])
    return f"{name}{what} Tricks {won}, score {scored}."


def _dealt(deal: dict[str, Any], suits: dict[str, str]) -> list[str]:
    """The cards before the exchange, without which nobody can follow the rest."""
    talon = " ".join(suits[card[0]] + card[1] for card in deal["talon"].split())
    return ["Dealt:", *hand_lines(deal["hands"], suits), f"talon:    {talon}"]


def _result(result: dict[str, Any]) -> tuple[list[int], list[int]]:
    """Tricks and points of player_0 and player_1."""
    return [result["tricks"][name] for name in PLAYERS], [result["score"][name]["total"] for name in PLAYERS]


# ------------------------------------------------------------------ the decisions


def _table(decisions: list[dict[str, Any]], signs: dict[str, str]) -> Table:
    """A line for each decision; those of a trick belong together."""
    in_play = decisions[0]["phase"] == "play"
    table = Table()
    for column in ("trick" if in_play else "no.", "player", "played", "the bot", "cost", "best", "loses"):
        table.add_column(column, overflow="fold", justify="right" if column in ("cost", "loses") else "left")
    for each in decisions:
        place = str(each["trick"] if in_play else each["number"])
        table.add_row(place, each["player"], *_choices(each, signs), _cost(each, signs), *_best(each, signs))
    return table


def _choices(decision: dict[str, Any], signs: dict[str, str]) -> tuple[str, str]:
    """What was played and what the bot would have done, with the probabilities of one that leaves it to chance."""
    likely = decision["probability"]
    played, bot = (_shown(decision[key], signs) for key in ("played", "bot"))
    if decision["bot"] == decision["played"]:
        bot = "same"
    if likely is None or likely["bot"] == 1:
        return played, bot
    return (played if bot == "same" else f"{played} {_percent(likely['played'])}"), f"{bot} {_percent(likely['bot'])}"


def _percent(share: float) -> str:
    return "<1%" if 0 < share < 0.005 else f"{100 * share:.0f}%"


def _cost(decision: dict[str, Any], signs: dict[str, str]) -> str:
    return "" if decision["bot"] == decision["played"] else _with_error(decision["cost"], signs)


def _with_error(cost: dict[str, Any], signs: dict[str, str]) -> str:
    """The mean, and half of its interval."""
    if cost["interval"] is None:
        return f"{cost['points']:+.1f} {signs['±']}?"
    return f"{cost['points']:+.1f} {signs['±']}{(cost['interval'][1] - cost['interval'][0]) / 2:.1f}"


def _best(decision: dict[str, Any], signs: dict[str, str]) -> tuple[str, str]:
    """What was best with all cards known, where it was not what was played, and what that lost."""
    known = decision["all_cards"]
    return (_shown(known["best"], signs), str(known["played_loses"])) if known["played_loses"] else ("", "")


def _shown(text: str, signs: dict[str, str]) -> str:
    """An action without its verb, and with the suits as they are printed: "play SA", "discard S7 S8", "point S"."""
    text = re.sub(r"^(play|discard) ", "", text)
    return re.sub(rf"\b([{SUITS}])(?=[{RANKS}]\b|$)", lambda found: signs[found[1]], text)


# ------------------------------------------------------------------ the summary


def _summary(made: dict[str, Any], several: bool, signs: dict[str, str]) -> Table:
    table = Table()
    table.add_column("", overflow="fold")
    for name in made["players"]:
        table.add_column(name, overflow="fold", justify="right")
    his = list(made["players"].values())
    table.add_row("decisions", *(str(each["decisions"]) for each in his))
    table.add_row("as the bot", *(str(each["as_the_bot"]) for each in his))
    table.add_row("cost in all, points", *(_with_error(each["cost"], signs) for each in his))
    table.add_row("lost in play, cards known", *(str(each["lost_in_play"]) for each in his))
    costliest = ["\n".join(_dear(made, dear, several, signs) for dear in each["costliest"]) for each in his]
    table.add_row("the costliest", *costliest)
    return table


def _dear(made: dict[str, Any], dear: dict[str, Any], several: bool, signs: dict[str, str]) -> str:
    deal = next(deal for deal in made["deals"] if deal["deal"] == dear["deal"])
    decision = next(each for each in deal["decisions"] if each["number"] == dear["number"])
    which = f"deal {dear['deal']}, " if several else ""
    where = f"trick {decision['trick']}" if decision["trick"] else decision["phase"].replace("_", " ")
    return f"{which}{where}: {_shown(decision['played'], signs)} {dear['points']:+.1f}"


def _legend(made: dict[str, Any]) -> str:
    """What the columns are."""
    bot = made["bot"] if len(made["bot"]) <= _MOST_LETTERS_OF_A_NAME else "the bot"
    return (
        "no.: the number of the action in the deal's record.\n"
        f"the bot: what {bot} would have done. A percentage is how likely it is to do that, or what was played; "
        "without one it is certain, or does not say.\n"
        "cost: how many points the bot's choice brings more than what was played, as far as the player could know. It "
        f"is a mean with its 95 % interval over {made['samples']} sampled worlds, cards that fit what he knew, {bot} "
        "playing on in both seats. Below 0: what was played was better.\n"
        "best, loses: what was best with all cards known, and how many points what was played loses against it; empty "
        "where nothing was better. In the play this is exact. Before it, the rest of the auction, exchange and "
        "declarations go by greedy's rules, and only the play is solved."
    )
