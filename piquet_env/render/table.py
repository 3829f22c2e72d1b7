"""The table from one player's side as plain text: some twenty lines of at most 80 columns, in ASCII.

Everything is taken from the player's view or from the row as he knows it, so nothing hidden can be shown.
"""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from piquet_env.notation import card_text, cards_of, parse_hand
from piquet_env.records import PLAYERS
from piquet_env.render.spoken import ITEM_WORDS, counted, dialogue
from piquet_env.rules import RANKS, SUITS
from piquet_env.views import known_row, view

WIDTH = 80
_INDENT = 12
_STAKES = {1: "", 2: ", doubled", 4: ", redoubled"}
_CATEGORIES = ("point", "sequence", "set")
_TO_ASCII = str.maketrans("è", "e")


def table_text(row: np.ndarray, player: int) -> str:
    """What `player` (0 or 1) sees of a game: int64 (COLUMNS,), the game's row or the row as he knows it.

    Raises:
        ValueError: no such player.
    """
    seen, known = view(row, player), known_row(row, player)
    lines = _title(seen) + _auction(seen) + _exchange(seen) + _declarations(known, seen)
    lines += ["", *_hands(seen), *_tricks(seen), *_score(seen), *_turn(seen)]
    return "\n".join(lines)


def _who(seen: dict[str, Any], name: str) -> str:
    return "you" if name == seen["player"] else "they"


def _both(seen: dict[str, Any]) -> tuple[str, str]:
    """The player's own name, then the other's."""
    mine = seen["player"]
    return mine, PLAYERS[1 - PLAYERS.index(mine)]


def _line(name: str, text: str) -> list[str]:
    """A named entry, on as many lines as it needs; nothing where there is no text."""
    return (
        textwrap.wrap(f"{name:<{_INDENT}}{text}", WIDTH, subsequent_indent=" " * _INDENT, break_on_hyphens=False)
        if text
        else []
    )


def _listed(cards: str) -> str:
    """A hand's text as cards with spaces, high to low by suits."""
    return " ".join(
        card_text(card) for card in sorted(cards_of(parse_hand(cards)), key=lambda card: (card >> 3, -card))
    )


# ------------------------------------------------------------------ the lines


def _title(seen: dict[str, Any]) -> list[str]:
    spec = seen["rules"]
    rules = spec if isinstance(spec, str) else f"{spec['base']} with changed rules"
    role = "" if seen["elder"] is None else ", elder" if seen["elder"] == seen["player"] else ", younger"
    episode = "one deal" if seen["episode"] == "deal" else f"partie, {seen['completed']} deals completed"
    lines = [f"{rules}; {episode}; you are {seen['player']}{role}; {_who(seen, seen['dealer'])} dealt"]
    mine, theirs = _both(seen)
    if seen["episode"] == "partie":
        lines += _line("totals", f"you {seen['totals'][mine]}, they {seen['totals'][theirs]}")
    if seen["thrown_in"]:
        lines += _line("thrown in", f"{seen['thrown_in']} in a row before this deal")
    return [*textwrap.wrap(lines[0], WIDTH), *lines[1:], "-" * WIDTH]


def _auction(seen: dict[str, Any]) -> list[str]:
    said = [f"{_who(seen, PLAYERS[int(text[0])])} {text[2:]}" for text in seen["auction"]]
    lines = _line("auction", ", ".join(said))
    if contract := seen["contract"]:
        aim = "win" if contract["sign"] == "+" else "lose"
        words = f"{contract['sign']}{contract['level']}{_STAKES[contract['stake']]}"
        tricks = counted(contract["level"], "trick")
        lines += _line("contract", f"{words}: {_who(seen, contract['maker'])} must {aim} {tricks}")
    return lines


def _exchange(seen: dict[str, Any]) -> list[str]:
    lines = []
    for name in PLAYERS:
        if seen["carte_blanche"][name]:
            lines += _line("blanche", f"{_who(seen, name)} showed {_listed(seen['carte_blanche'][name])}")
    lines += _line("exchange", "; ".join(text for name in _both(seen) if (text := _exchanged(seen, name))))
    return lines + _line("retaken", _listed(seen["retaken"])) + _line("seen left", _listed(seen["seen"]))


def _exchanged(seen: dict[str, Any], name: str) -> str:
    """What one player has exchanged so far, with the cards as far as they are known."""
    number, threw, drew = seen["exchanged"][name], seen["discards"][name], seen["drawn"][name]
    words = [] if number is None else [str(number)]
    if threw != "?" and _listed(threw):
        words.append(_listed(threw) + (f" for {_listed(drew)}" if _listed(drew) else ""))
    return f"{_who(seen, name)} {': '.join(words)}" if words else ""


def _declarations(known: np.ndarray, seen: dict[str, Any]) -> list[str]:
    """What was said in each category, and who scored in it."""
    lines = []
    mine = PLAYERS.index(seen["player"])
    for category, name in enumerate(_CATEGORIES):
        said = [f"{'you' if who == mine else 'they'}: {words.rstrip('.')}" for who, words in dialogue(known, category)]
        scorer = seen["declarations"][name]["scored_by"]
        if scorer:
            points = seen["score"][scorer][name]
            said.append(f"{points} to {'you' if scorer == seen['player'] else 'them'}")
        lines += _line(name, "; ".join(said).translate(_TO_ASCII))
    shown = [f"{_who(seen, name)} {cards}" for name in _both(seen) if (cards := _listed(seen["shown"][name]))]
    return lines + _line("shown", "; ".join(shown))


def _hands(seen: dict[str, Any]) -> list[str]:
    """The player's hand by suits, beside what the other holds for certain."""
    both = [parse_hand(seen["holds"][seen["player"]]), parse_hand(seen["known_to_hold"])]
    lines = [f"{'':<{_INDENT}}{'you hold':<26}they hold for certain".rstrip()]
    for suit, letter in enumerate(SUITS):
        cells = [" ".join(RANKS[card & 7] for card in reversed(cards_of(mask)) if card >> 3 == suit) for mask in both]
        lines.append(f"{letter:>{_INDENT - 2}}  {cells[0] or '-':<26}{cells[1]}".rstrip())
    return lines


def _tricks(seen: dict[str, Any]) -> list[str]:
    """The tricks so far, the leader's card first, and the card on the table."""
    done = [f"{_who(seen, trick['leader'])} {'-'.join(trick['cards'])}" for trick in seen["tricks"] if trick["winner"]]
    lines = _line("tricks", ", ".join(done))
    for trick in seen["tricks"][-1:]:
        if not trick["winner"]:
            lines += _line("on table", f"{_who(seen, trick['leader'])} led {trick['cards'][0]}")
    return lines


def _score(seen: dict[str, Any]) -> list[str]:
    lines = []
    for name in _both(seen):
        items = [
            f"{ITEM_WORDS.get(item, item)} {n}" for item, n in seen["score"][name].items() if n and item != "total"
        ]
        total = f"{seen['score'][name]['total']}, {counted(seen['tricks_won'][name], 'trick')}"
        lines += _line(
            "your score" if name == seen["player"] else "their score",
            total + (f" ({', '.join(items)})" if items else ""),
        )
    return lines


def _turn(seen: dict[str, Any]) -> list[str]:
    if seen["phase"] == "game_over":
        return _line("turn", "the game was cut off" if seen["truncated"] else "the game is over")
    if seen["to_act"] is None:
        return _line("turn", "the deal is over")
    if seen["to_act"] != seen["player"]:
        return _line("turn", f"they are to act ({seen['phase']})")
    return _line("turn", f"you are to act ({seen['phase'].replace('_', ' ')})") + _line("legal", _legal(seen["legal"]))


def _legal(texts: list[str]) -> str:
    """The legal actions; a verb that several share is said once."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        verb, _, rest = text.rpartition(" ")
        groups.setdefault(verb, []).append(rest)
    return ", ".join(f"{verb} {' '.join(rest)}" if verb else ", ".join(rest) for verb, rest in groups.items())
