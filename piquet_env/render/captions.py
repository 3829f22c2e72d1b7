"""The words of a picture, from one player's view: title, roles, contract, score sheet, and what stands in the middle.

Pairs are of the player who looks, then of the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.records import PLAYERS
from piquet_env.render.spoken import CATEGORIES, ITEM_WORDS, RANK_WORDS, counted, dialogue
from piquet_env.rules import Rules

YOU, THEY = 0, 1
_STAKES = {1: "", 2: "doubled", 4: "redoubled"}
_PROMPTS = {
    "auction": "Your call",
    "carte_blanche": "Show carte blanche?",
    "exchange": "Discard, then stand",
    "point": "Your point?",
    "sequence": "Your sequence?",
    "set": "Your trio or quatorze?",
    "play": "Play a card",
}


# ------------------------------------------------------------------ who, and what is played


def title(seen: dict[str, Any], rules: Rules) -> tuple[str, str]:
    """The game, and below it the ruleset and the episode so far."""
    spec = seen["rules"]
    parts = [spec if isinstance(spec, str) else f"{spec['base']}, changed rules"]
    if seen["episode"] == "deal":
        parts.append("one deal")
    else:
        number = seen["completed"] + (seen["phase"] != "game_over")
        parts.append(f"partie, deal {number}" + ("" if rules.stop_at else f" of {max(number, rules.deals)}"))
    if seen["thrown_in"]:
        parts.append(f"{seen['thrown_in']} thrown in")
    return "Auction Piquet" if rules.auction else "Piquet", " · ".join(parts)


def role(seen: dict[str, Any], name: str) -> str:
    """Beside a player's name."""
    parts = [name]
    if seen["elder"]:
        parts.append("elder" if seen["elder"] == name else "younger")
    return " · ".join(parts + (["dealer"] if seen["dealer"] == name else []))


def prompt(seen: dict[str, Any], pair: tuple[str, str]) -> str:
    """What is asked of who is to act."""
    if seen["to_act"] == pair[YOU]:
        return _PROMPTS[seen["phase"]]
    return "To act" if seen["to_act"] else ""


# ------------------------------------------------------------------ words


def contract(seen: dict[str, Any], pair: tuple[str, str]) -> tuple[str, str, str]:
    """What was bid, the stake, and what it asks for; before the auction is over, of the last bid."""
    if made := seen["contract"]:
        who, aim = ("You have", "They have")[pair.index(made["maker"])], "to win" if made["sign"] == "+" else "to lose"
        tricks = counted(made["level"], "trick")
        return f"{made['sign']}{made['level']}", _STAKES[made["stake"]], f"{who} {aim} {tricks}"
    bids = [(text[0], text[2:]) for text in seen["auction"] if text[2] in "+-"]
    if not bids:
        return "", "", "No bid yet"
    doubled = seen["auction"][-1].endswith("double")
    who = ("You", "They")[pair.index(PLAYERS[int(bids[-1][0])])]
    return bids[-1][1], "doubled" if doubled else "", f"{who} bid"


def words(known: np.ndarray, player: int) -> list[tuple[int, str]]:
    """The sentences of the last category in which something was said."""
    for category in reversed(range(len(CATEGORIES))):
        if sentences := dialogue(known, category):
            return [(YOU if who == player else THEY, text) for who, text in sentences]
    return []


def sheet(
    seen: dict[str, Any], pair: tuple[str, str], rules: Rules
) -> list[tuple[str, tuple[str, str], tuple[int, int]]]:
    """Every item that these rules have, scored or not, so that the sheet stays where it is; the total is last."""
    without = {"carte_blanche": not rules.carte_blanche, "contract": not rules.auction}
    rows = []
    for item in at.ITEMS:
        if without.get(item):
            continue
        said = _both_said(seen, item, pair) if item in CATEGORIES else ("", "")
        mine, theirs = (seen["score"][name][item] for name in pair)
        rows.append((ITEM_WORDS.get(item, item).capitalize(), said, (mine, theirs)))
    return rows


def _both_said(seen: dict[str, Any], category: str, pair: tuple[str, str]) -> tuple[str, str]:
    """The holdings as they were named, in short."""
    said = seen["declarations"][category]
    elder = seen["elder"]
    is_good = elder is not None and isinstance(said[elder], dict)
    words = []
    for name in pair:
        value = said[name]
        if value == "none":
            words.append("good" if is_good else "none")
        else:
            words.append("" if value is None else _short(value))
    return words[YOU], words[THEY]


def _short(holding: dict[str, Any]) -> str:
    """A point of "5 (49)", number and pips; a sequence of "4 to K"; "3 queens"."""
    if "top" in holding:
        return f"{holding['length']} to {holding['top'].replace('T', '10')}"
    if "rank" in holding:
        return f"{holding['number']} {RANK_WORDS[holding['rank']]}s"
    return f"{holding['number']}" + (f" ({holding['pips']})" if holding["pips"] else "")


def ending(seen: dict[str, Any], known: np.ndarray, player: int) -> list[str]:
    """Of a deal or a game that is over."""
    if seen["to_act"] is not None:
        return []
    if seen["truncated"]:
        return ["The game is cut off", "Too many deals were thrown in"]
    if seen["phase"] == "game_over" and seen["episode"] == "partie":
        paid = int(game.payment(known, player))
        payment = f"You are paid {paid}" if paid > 0 else f"You pay {-paid}" if paid else "A draw: nobody pays"
        return ["The partie is over", _points(seen["totals"], player), payment]
    if known[at.IS_THROWN_IN]:
        return ["Thrown in", "Both passed"]
    return ["The deal is over", _points({name: sheet["total"] for name, sheet in seen["score"].items()}, player)]


def _points(points: dict[str, int], player: int) -> str:
    return f"You {points[PLAYERS[player]]}, they {points[PLAYERS[1 - player]]}"


def notice(seen: dict[str, Any], pair: tuple[str, str], player: int) -> list[str]:
    """Before the first trick and the first declaration."""
    turn = "You" if seen["to_act"] == pair[YOU] else "They"
    if seen["phase"] == "auction":
        return [_called(seen["auction"][-1], player) if seen["auction"] else f"{turn} speak first"]
    if seen["phase"] in ("exchange", "carte_blanche"):
        number = seen["exchanged"][seen["elder"]]
        is_elder = seen["elder"] == pair[YOU]
        turn = "You" if is_elder else "They"
        done = f"{turn} exchange first" if number is None else f"{turn} exchanged {number}"
        return [f"You are {'elder' if is_elder else 'younger'}", done]
    return [f"{turn} lead"] if seen["phase"] == "play" else []


def _called(text: str, player: int) -> str:
    who, call = ("You", "They")[side(text[0], player)], text[2:]
    verbs = {"pass": "passed", "double": "doubled", "redouble": "redoubled"}
    return f"{who} {verbs.get(call, f'bid {call}')}"


def side(digit: str, player: int) -> int:
    """Whose an entry of a record is, by the player's digit."""
    return YOU if int(digit) == player else THEY
