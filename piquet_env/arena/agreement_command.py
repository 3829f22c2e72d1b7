"""The command `piquet bidding agreement`."""

from __future__ import annotations

import contextlib
import json as json_module
import shlex
import sys
from collections.abc import Sequence
from typing import Annotated, Any

from rich.console import Console
from tyro.conf import Positional, arg

from piquet_env.arena.command import OK, REFUSED, GameProgress, check_numbers
from piquet_env.bidding import PLAYOUT_VERSION
from piquet_env.bidding.bots import PASS, load_bidder
from piquet_env.bots.registry import load_bot, note_rules
from piquet_env.notation import read_rules
from piquet_env.options import announce_compiling
from piquet_env.rules import Rules

BIDDERS = ("random", PASS, "greedy", "base")
Bidders = Positional[Annotated[tuple[str, ...], arg(metavar="[BOT ...]", help_behavior_hint="")]]
GROUPS = {"all": "all contracts", "plus": "plus", "minus": "minus"}
FIGURES = {
    "correlation": ("correlation", "{:.3f}"),
    "slope": ("slope: points of the full game for one here", "{:.3f}"),
    "more_to_maker": ("more for the maker here", "{:+.1f}"),
    "absolute_difference": ("difference in size", "{:.1f}"),
    "same_player_gains": ("same player gains", "{:.3f}"),
}
MATCHES = {"benchmark": "in the benchmark", "full": "in the full game", "more_in_benchmark": "the one less the other"}


def agreement(
    bidders: Bidders = (),
    play: str = "greedy",
    contracts: str = "greedy",
    deals: int = 1000,
    seed: int = 0,
    rules: str = "auction",
    json: bool = False,
) -> int:
    """Measure how far the score of the bidding benchmark agrees with that of the full game.

    The same auctions are scored as the benchmark settles them, and as the deal comes out when a bot plays it on: deal
    by deal, and in matches between bidders. Exit status 2: a bot, the rules or a number cannot be used.

    Args:
        bidders: bots whose bidding is matched against each other, besides random, pass, greedy and base.
        play: the bot that exchanges, declares and plays for both sides in the full game.
        contracts: the bot that bids for both sides where single deals are compared.
        deals: how many; in matches each is played twice with the seats swapped.
        seed: fixes the deals and the bots' random numbers; these deals never come up in training.
        rules: a ruleset's name, or a JSON object of changed fields as in '{"base": "auction", "sinking": false}'.
        json: print one JSON object instead of tables.
    """
    options = {"play": play, "contracts": contracts, "deals": deals, "seed": seed, "rules": rules}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    command = shlex.join(["piquet", "bidding", "agreement", *bidders, *words])
    try:
        made_rules = read_rules(rules)
        if not made_rules.auction:
            raise ValueError(f"rules: expected a game with an auction, got {rules}")
        check_numbers(deals, seed)
        with contextlib.redirect_stdout(sys.stderr):  # a bot may print what it likes
            made = _made((*BIDDERS, *bidders), play, contracts, deals, seed, made_rules, command)
    except (ValueError, TypeError) as error:
        print(f"piquet bidding agreement: {error}", file=sys.stderr)
        return REFUSED
    if json:
        print(json_module.dumps(made))
    else:
        _print(made, Console())
    return OK


def _made(
    names: Sequence[str], play: str, contracts: str, deals: int, seed: int, rules: Rules, command: str
) -> dict[str, Any]:
    """Load the bots, play, and compare. Raises BotError."""
    from piquet_env.arena.agreement import deals_agreement, matches_agreement, over_matches
    from piquet_env.arena.provenance import provenance

    bidders = {name: load_bidder(name) for name in dict.fromkeys(names)}
    player, bidder = load_bot(play), bidders.get(contracts) or load_bidder(contracts)
    everybody = bidders | {play: player, contracts: bidder}
    note_rules(everybody, rules)
    settings = {"rules": rules.spec(), "seed": seed, "deals": deals, "play": play, "contracts": contracts}
    settings |= {"playout": PLAYOUT_VERSION}
    found = {"provenance": settings | provenance(command, everybody)}
    announce_compiling()
    matches = len(bidders) * (len(bidders) - 1) // 2
    with GameProgress(deals * (1 + 2 * matches)) as progress:
        by_deal = deals_agreement(contracts, bidder, player, rules, deals, seed, progress.advance)
        by_match = matches_agreement(bidders, player, rules, deals, seed, progress.advance)
    return {"deals": by_deal, "matches": by_match, "over_matches": over_matches(by_match)} | found


def _print(made: dict[str, Any], console: Console) -> None:
    """The tables of a report."""
    from piquet_env.arena.report import cells_table, print_table

    settings, by_deal = made["provenance"], made["deals"]
    told = (
        f"{settings['rules']}: {settings['deals']:,} deals (seed {settings['seed']}), {settings['play']} exchanges, "
        f"declares and plays in the full game. In brackets: 95 % intervals, bootstrap over the deals."
        + "".join(f" {bot} cheats: it sees all cards." for bot in settings["cheats"])
    )
    console.print(told, highlight=False, markup=False)
    title = f"Deals that {settings['contracts']} bids on both sides; {by_deal['thrown_in']:,} were thrown in"
    print_table(console, title, cells_table(_deals_cells(by_deal)))
    print_table(console, "Matches between bidders, points per deal", cells_table(_matches_cells(made["matches"])))
    console.print(_over_matches(made["over_matches"]), highlight=False, markup=False)


def _over_matches(over: dict[str, Any]) -> str:
    """What they show together, in words."""
    fit = "" if over["slope"] is None else f"correlation {over['correlation']:.3f}, slope {over['slope']:.3f}, "
    size = f"a difference of {over['absolute_difference']:.1f} points in size"
    return f"Over these {over['number']} matches: {fit}{size}; the same bidder wins {over['same_winner']}."


def _deals_cells(by_deal: dict[str, Any]) -> list[list[str]]:
    lines = [["", *GROUPS.values()], ["deals", *(f"{by_deal[group]['number']:,}" for group in GROUPS)]]
    for name, (title, form) in FIGURES.items():
        lines.append([title, *(_cell(by_deal[group][name], form) for group in GROUPS)])
    return lines


def _matches_cells(matches: Sequence[dict[str, Any]]) -> list[list[str]]:
    lines = [["", *MATCHES.values(), "thrown in"]]
    for match in matches:
        cells = [_cell(match[name], "{:+.1f}") for name in MATCHES]
        lines.append([f"{match['bot']} against {match['against']}", *cells, f"{100 * match['thrown_in']:.1f} %"])
    return lines


def _cell(figure: Sequence[float] | None, form: str) -> str:
    """A value, and its interval in a second line; nothing where there is none."""
    if figure is None:
        return ""
    value, low, high = map(form.format, figure)
    return f"{value}\n[{low}, {high}]"
