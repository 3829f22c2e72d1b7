"""A whole deal or partie as plain text of 80 columns: hands, talon, auction, exchange, declarations, tricks, scores.

Everything is read from the game's row after the deal, or as far as an incomplete one went; no rule is looked at here.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from itertools import zip_longest

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS
from piquet_env.notation import action_text, cards_of, rules_of
from piquet_env.records import PLAYERS, Record, contract, history, is_partie, replayed_deals, talon_of
from piquet_env.render.spoken import CATEGORIES, ITEM_WORDS, counted, dialogue, outcome
from piquet_env.rules import RANKS, SUITS

WIDTH = 80
SYMBOLS = "♠♥♦♣"
_STAKES = {1: "", 2: ", doubled", 4: ", redoubled"}
SHEET_WORDS = ITEM_WORDS | {"total": "TOTAL"}


def replay_text(record: Record, symbols: bool = True) -> str:
    """A deal or partie record in words, with suit symbols, or in ASCII. Raises RecordError as the replay does."""
    name = record.get("id") if isinstance(record, dict) else None
    if is_partie(record):
        return "\n\n".join(_partie(record, symbols))
    return "".join(deal_text(row, name, symbols) for row in replayed_deals(record))


def deal_text(row: np.ndarray, name: str | None = None, symbols: bool = True) -> str:
    """The deal in a game's row, with all that is hidden from the players; `name` is for its title."""
    suits = SYMBOLS if symbols else SUITS
    parts = [_title(row, name), _hands("Hands as dealt", row[at.DEALT : at.DEALT + 2], suits), _talon(row, suits)]
    if row[at.HAS_AUCTION]:
        parts.append(_auction(row))
    if row[at.ELDER] >= 0:
        parts += [_exchange(row, suits), _declarations(row, suits), _tricks(row, suits)]
    parts += [_score(row)]
    text = "\n\n".join("\n".join(part) for part in parts if part)
    return text if symbols else text.replace("è", "e")


def suits_for(encoding: str | None) -> str:
    """The four suits as a terminal of this encoding can show them: symbols, or letters."""
    try:
        SYMBOLS.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return SUITS
    return SYMBOLS


def sheet(rows: Iterable[tuple[str, int, int]], names: tuple[str, str] = PLAYERS) -> list[str]:
    """Named numbers of two players as lines with their names above."""
    lines = [f"{'':<16}{names[0]:>10}{names[1]:>10}"]
    return lines + [f"{name:<16}{mine:>10}{theirs:>10}" for name, mine, theirs in rows]


# ------------------------------------------------------------------ a partie


def _partie(record: Record, symbols: bool) -> Iterator[str]:
    """Each deal, then the totals and the payment."""
    for number, row in enumerate(replayed_deals(record)):
        name = record["deals"][number].get("id")
        yield deal_text(row, f"{number + 1} of the partie" + (f", {name}" if name else ""), symbols)
        if number + 1 == len(record["deals"]):
            yield "\n".join(_totals(row.copy()))  # the replay goes on with its own


def _totals(row: np.ndarray) -> list[str]:
    """After the last deal of a record; the row is changed."""
    if row[at.PHASE] == at.DEAL_OVER:
        game.close_deal(row)
    is_over = row[at.PHASE] == at.GAME_OVER
    lines = _heading("The partie" if is_over else "The partie so far")
    lines += sheet([("points", row[at.TOTALS], row[at.TOTALS + 1])])
    if row[at.TRUNCATED]:
        lines.append("Cut off: too many deals were thrown in.")
    elif is_over:
        paid = [int(game.payment(row, player)) for player in range(2)]
        lines.append(f"{'payment':<16}{paid[0]:>+10}{paid[1]:>+10}" if any(paid) else "A draw: nobody pays.")
    return lines


# ------------------------------------------------------------------ the parts of a deal


def _title(row: np.ndarray, name: str | None) -> list[str]:
    spec = rules_of(row).spec()
    rules = spec if isinstance(spec, str) else ", ".join(f"{field} {value}" for field, value in spec.items())
    readable = "".join(letter if letter.isprintable() else "?" for letter in (name or "")[:WIDTH])
    title = f"Deal {readable}".rstrip() + f"; rules: {rules}; {PLAYERS[row[at.DEALER]]} deals"
    return ["=" * WIDTH, *textwrap.wrap(title, WIDTH), "=" * WIDTH]


def _hands(title: str, hands: Iterable[int], suits: str) -> list[str]:
    """Two columns, a line for each suit."""
    lines = [*_heading(title), _columns("", *PLAYERS)]
    columns = [[""] * len(SUITS), [""] * len(SUITS)]
    for player, hand in enumerate(hands):
        for card in reversed(cards_of(hand)):
            columns[player][card >> 3] += " " + RANKS[card & 7]
    for suit, (mine, theirs) in enumerate(zip(*columns, strict=True)):
        lines.append(_columns("", f"{suits[suit]}{mine}", f"{suits[suit]}{theirs}"))
    return lines


def _talon(row: np.ndarray, suits: str) -> list[str]:
    cards, elders = talon_of(row), int(row[at.ELDER_TALON])
    lines = _listed("Talon, elder's part: ", cards[:elders], suits)
    return lines + _listed("Talon, younger's part: ", cards[elders:], suits)


def _auction(row: np.ndarray) -> list[str]:
    """Two columns: what each bid, the non-dealer first."""
    rules, first = rules_of(row), 1 - int(row[at.DEALER])
    calls = [action_text(action, rules) for _, action in history(row) if act.PLUS <= action <= act.REDOUBLE]
    lines = [*_heading("Auction"), _columns("", PLAYERS[first], PLAYERS[1 - first])]
    for mine, theirs in zip_longest(calls[::2], calls[1::2], fillvalue=""):
        lines.append(_columns("", mine, theirs))
    if row[at.IS_THROWN_IN]:
        lines.append("Both passed: the cards are thrown in.")
    elif row[at.ELDER] >= 0 and (made := contract(row)):
        aim = "to lose" if row[at.IS_MINUS] else "to win"
        tricks = counted(made["level"], "trick")
        lines.append(f"Contract: {made['maker']}, {aim} {tricks}{_STAKES[made['stake']]}; he is elder.")
    return lines


def _exchange(row: np.ndarray, suits: str) -> list[str]:
    lines = _heading("Exchange")
    elder = int(row[at.ELDER])
    for player, role in ((elder, "elder"), (1 - elder, "younger")):
        who, shown = f"{PLAYERS[player]} ({role})", row[at.SCORE + player * len(at.ITEMS) + at.ITEM_CARTE_BLANCHE]
        if shown:
            lines.append(f"{who} shows carte blanche: {shown}.")
        discards = cards_of(row[at.DISCARDS + player])
        if row[at.EXCHANGED + player] == 0:
            lines.append(f"{who} exchanges nothing.")
        if discards:
            draws = [card for card in talon_of(row) if row[at.DRAWN + player] >> card & 1]
            lines += _listed(f"{who} discards: ", by_suit(discards), suits) + _listed("  draws: ", draws, suits)
    drawn = row[at.DRAWN] | row[at.DRAWN + 1]
    if row[at.EXCHANGED + 1 - elder] < 0 or not drawn:
        return lines
    lines += _listed("Left in the talon: ", [card for card in talon_of(row) if not drawn >> card & 1], suits)
    hands = [row[at.HANDS + player] | row[at.PLAYED + player] for player in range(2)]
    return [*lines, "", *_hands("Hands to play", hands, suits)]


def _declarations(row: np.ndarray, suits: str) -> list[str]:
    lines = []
    for category, name in enumerate(CATEGORIES):
        sentences = dialogue(row, category)
        for place, (player, sentence) in enumerate(sentences):
            lines.append(f"{name if place == 0 else '':<10}{PLAYERS[player]}: {sentence}")
        is_minus = row[at.IS_MINUS] and row[at.EXCHANGED + 1 - row[at.ELDER]] >= 0
        if is_minus or len(sentences) > 1:
            lines.append(f"{name if is_minus else '':<10}-> {outcome(row, category)}")
    for player in range(2):
        if lines and row[at.SHOWN + player]:
            lines += _listed(f"{PLAYERS[player]} shows: ", by_suit(cards_of(row[at.SHOWN + player])), suits)
    return (_heading("Declarations") + lines if lines else []) + _bonus(row, at.ITEM_REPIQUE, "Repique")


def _tricks(row: np.ndarray, suits: str) -> list[str]:
    """A line for each trick: who led what, the other's card, and the winner."""
    plays = _plays(row)
    lines = [*_heading("Play"), f"{'trick':<8}{'led':<18}{'followed':<18}won by"] if plays else []
    won = 0
    for start in range(0, len(plays), 2):
        (leader, led), *follower = plays[start : start + 2]
        cells = [f"{PLAYERS[leader]} {_card(led, suits)}"]
        cells += [f"{PLAYERS[player]} {_card(card, suits)}" for player, card in follower]
        if follower:
            # The winner leads next; the last trick is what is missing in the tricks won by player_1.
            following = plays[start + 2][0] if start + 2 < len(plays) else int(row[at.WON + 1] - won)
            won += following
            cells.append(PLAYERS[following])
        lines.append(f"{start // 2 + 1:<8}" + "".join(f"{cell:<18}" for cell in cells).rstrip())
    return lines + _bonus(row, at.ITEM_PIQUE, "Pique")


def _plays(row: np.ndarray) -> list[tuple[int, int]]:
    """(player, card) of the cards played: those after both have stood."""
    stood, plays = 0, []
    for player, action in history(row):
        stood += action == act.STAND
        if action < CARDS and stood == len(PLAYERS):
            plays.append((player, action))
    return plays


def _bonus(row: np.ndarray, item: int, name: str) -> list[str]:
    points = [row[at.SCORE + player * len(at.ITEMS) + item] for player in range(2)]
    return [f"{name}: {PLAYERS[player]} scores {points[player]}." for player in range(2) if points[player]]


def _score(row: np.ndarray) -> list[str]:
    if row[at.IS_THROWN_IN]:
        return []
    items = row[at.SCORE : at.SCORE + 2 * len(at.ITEMS)].reshape(2, -1)
    lines = _heading("Score") + sheet(
        [(SHEET_WORDS.get(item, item), items[0, place], items[1, place]) for place, item in enumerate(at.ITEMS)]
    )
    if row[at.PHASE] < at.DEAL_OVER:
        lines.append(f"The deal is not over: {PLAYERS[row[at.ACTOR]]} is to act.")
    elif row[at.TRICK] < row[at.HAND_SIZE]:
        lines.append("The deal stops here: the points that end the partie are reached.")
    return lines


# ------------------------------------------------------------------ lines


def _heading(title: str) -> list[str]:
    return [title, "-" * len(title)]


def _columns(name: str, mine: str, theirs: str) -> str:
    return f"{name:<4}{mine:<28}{theirs}".rstrip()


def _card(card: int, suits: str) -> str:
    return suits[card >> 3] + RANKS[card & 7]


def by_suit(cards: list[int]) -> list[int]:
    """Suits in their order, high cards first."""
    return sorted(cards, key=lambda card: (card >> 3, -card))


def _listed(title: str, cards: list[int], suits: str) -> list[str]:
    """The cards after a title, on as many lines as they need; nothing where there are none."""
    text = " ".join(_card(card, suits) for card in cards)
    return textwrap.wrap(title + text, WIDTH, subsequent_indent=" " * 4) if cards else []
