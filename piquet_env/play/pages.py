"""What stands on the terminal beside the news: hands, score sheets, the ends of deals and of the game, help."""

from __future__ import annotations

import numpy as np

from piquet_env.engine import game as engine
from piquet_env.engine import layout as at
from piquet_env.knowledge import their_known_hand
from piquet_env.notation import rules_of
from piquet_env.play.game import Game
from piquet_env.play.words import card_words, ranks_of, who, wrapped
from piquet_env.records import PLAYERS, Record, contract, partie_result
from piquet_env.render.replay import SHEET_WORDS, SYMBOLS, sheet
from piquet_env.render.spoken import counted
from piquet_env.render.table import table_text
from piquet_env.rules import SUITS

_YOU_THEY = ("you", "they")
_MOST_DEALS = 8  # of a partie on one page
_COLUMN = 34

HELP = {
    "auction": ["+7 7+ -8      a bid: to win, or to lose, so many tricks", "pass (p), double (d), redouble (r)"],
    "carte_blanche": ["1 2 yes no    show carte blanche, or keep it to yourself"],
    "exchange": [
        "s79 h9 d10    choose cards to throw (also ♠7, 7s); the same again takes it back",
        "done          exchange what is chosen, as Enter does; none exchanges nothing",
        "clear         choose none again",
    ],
    "play": [
        "sa a♠ 10      a card; the rank alone where only one can be played",
        "qq            the queen, as q is for quit",
    ],
}
_DECLARE = ["1 2 3         what you say, by its number in the list", "point s, quart k, set a, quatorze, none, good"]
_COMMON = [
    "Enter         sends what is chosen, or shows your hand again",
    "!             at the end of a line sends at once: sa!",
    "u             takes back what is not sent yet",
    "?             how the bot looks at your choices",
    "t  s          the whole table; the score sheet of the deal and of the partie",
    "q             stop; the game is kept, and goes on with --resume",
]


def help_lines(phase: str) -> list[str]:
    """What can be typed in a phase (`views.phase_name`)."""
    return ["What you can type, in small or capital letters:", *HELP.get(phase, _DECLARE), *_COMMON]


# ------------------------------------------------------------------ a deal


def title(game: Game) -> list[str]:
    """At the start of a deal: its number, who deals, who is elder."""
    row, me = game.row, game.human
    name = "The deal" if not row[at.PARTIE] else f"Deal {row[at.COMPLETED] + 1}{_of(row)}"
    again = ", dealt again" if row[at.THROWN_IN] else ""
    deals = "You deal" if row[at.DEALER] == me else "They deal"
    first = who(1 - int(row[at.DEALER]), me)
    role = f"{first} {'speak first' if row[at.HAS_AUCTION] else 'are elder'}"
    standing = f"  You {row[at.TOTALS + me]}, they {row[at.TOTALS + 1 - me]}." if row[at.COMPLETED] else ""
    return ["", f"--- {name}{again}. {deals}, {role}.{standing}"]


def _of(row: np.ndarray) -> str:
    if row[at.STOP_AT]:
        return f", to {row[at.STOP_AT]} points"
    return f" of {row[at.DEALS]}" if row[at.COMPLETED] < row[at.DEALS] else ", played as it was a tie"


def standing(known: np.ndarray, me: int) -> list[str]:
    """In the play: the trick, tricks and points so far, the contract."""
    if known[at.PHASE] != at.PLAY:
        return []
    tricks = f"{known[at.WON + me]} : {known[at.WON + 1 - me]}"
    points = " : ".join(str(known[at.score_item(player, at.ITEM_TOTAL)]) for player in (me, 1 - me))
    line = f"Trick {known[at.TRICK] + 1} of {known[at.HAND_SIZE]}; tricks {tricks}; points {points}"
    if made := contract(known):
        maker = "your" if known[at.ELDER] == me else "their"
        line += f"; {maker} contract {made['sign']}{made['level']}{'x' * (made['stake'] // 2)}"
    return [line]


def hand_lines(known: np.ndarray, me: int) -> list[str]:
    """The hand by suits, high to low; beside it what the other holds for certain, where something is known."""
    mine, theirs = int(known[at.HANDS + me]), int(their_known_hand(known, me, 1 - me))
    is_open = known[at.OPEN_HANDS]
    lines = [f"  {'you hold':<{_COLUMN}}they hold{'' if is_open else ' for certain'}"] if theirs else []
    for suit in range(len(SUITS)):
        if int(known[at.PACK]) >> 8 * suit & 0xFF:
            cells = [f"{SYMBOLS[suit]} {ranks_of(mask, suit) or '-'}" for mask in (mine, theirs)]
            is_shown = is_open or ranks_of(theirs, suit)
            lines.append(f"  {cells[0]:<{_COLUMN}}{cells[1] if is_shown else ''}".rstrip())
    return lines


def table_lines(known: np.ndarray, me: int) -> list[str]:
    """The whole table, but for the turn, which is asked for below it, and what stands on the score sheet."""
    table = table_text(known, me).partition("\nturn ")[0]
    return [line for line in table.splitlines() if line.strip(" -") and not line.startswith(("totals", "thrown in"))]


def deal_sheet(row: np.ndarray, me: int) -> list[str]:
    """The score of the deal, item by item; items in which nobody scored are left out."""
    mine, theirs = (row[at.score_item(player, 0) : at.score_item(player, len(at.ITEMS))] for player in (me, 1 - me))
    rows = [(SHEET_WORDS.get(item, item), int(a), int(b)) for item, a, b in zip(at.ITEMS, mine, theirs, strict=True)]
    return sheet([entry for entry in rows if entry[1] or entry[2] or entry[0] == SHEET_WORDS["total"]], _YOU_THEY)


def score_lines(game: Game) -> list[str]:
    """The deal so far, and the partie."""
    row, me = game.row, game.human
    lines = deal_sheet(row, me)
    if not row[at.PARTIE]:
        return lines
    results = [(number, deal["result"]) for number, deal in enumerate(game.earlier, 1) if deal["result"]]
    before = [(f"deal {number}", *_points(result, me)) for number, result in results][-_MOST_DEALS:]
    return [*lines, "", *sheet([*before, ("partie so far", *_pair(row, at.TOTALS, me))], _YOU_THEY)]


def _points(result: Record, me: int) -> tuple[int, int]:
    return result["score"][f"player_{me}"]["total"], result["score"][f"player_{1 - me}"]["total"]


def _pair(row: np.ndarray, column: int, me: int) -> tuple[int, int]:
    return int(row[column + me]), int(row[column + 1 - me])


def deal_over_lines(row: np.ndarray, me: int) -> list[str]:
    """The score sheet of a deal that is over, and what the other held; nothing of cards that were thrown in."""
    if row[at.IS_THROWN_IN]:
        return []
    stopped = row[at.TRICK] < row[at.HAND_SIZE]
    lines = ["The points that end the partie are reached."] if stopped else []
    lines += ["", "The deal is over.", *deal_sheet(row, me)]
    they = 1 - me
    played = int(row[at.HANDS + they] | row[at.PLAYED + they])
    lines += wrapped(f"They held   {card_words(played)}", " " * 12)
    if thrown := int(row[at.DISCARDS + they]):
        lines += wrapped(f"They threw  {card_words(thrown)}", " " * 12)
    return lines


def totals_with_this(game: Game) -> tuple[int, int]:
    """The partie's totals with a deal that is over and not yet added up."""
    row = game.row.copy()
    engine.close_deal(row)
    return _pair(row, at.TOTALS, game.human)


# ------------------------------------------------------------------ the game


def opening(game: Game) -> list[str]:
    """Who plays what, in the first lines of all."""
    spec = rules_of(game.row).spec()
    rules = spec if isinstance(spec, str) else f"{spec['base']} with changed rules"
    episode = "A partie" if game.row[at.PARTIE] else "One deal"
    who_is_who = f"you are {PLAYERS[game.human]}, seed {game.seed}"
    return wrapped(f"{episode} against {game.name}, rules: {rules} ({who_is_who}).")


def game_over_lines(game: Game) -> list[str]:
    """Totals and payment of a game that is over."""
    row, me = game.row, game.human
    if row[at.TRUNCATED]:
        return wrapped(f"The game is cut off: {counted(int(row[at.THROWN_IN]), 'deal')} in a row thrown in.")
    mine, theirs = _pair(row, at.TOTALS, me)
    if not row[at.PARTIE]:
        return [_by(mine, theirs, "The deal")]
    paid = abs(partie_result(row)["payment"][f"player_{me}"])
    if not paid:
        return [f"{_by(mine, theirs, 'The partie')} Nobody pays."]
    payment = f"{'They pay you' if mine > theirs else 'You pay them'} {paid}{_why_more(row, min(mine, theirs))}."
    return [_by(mine, theirs, "The partie"), payment]


def _why_more(row: np.ndarray, loser: int) -> str:
    """That the loser of a partie has so few points that he pays more."""
    line, name = (row[at.STOP_DOUBLE_BELOW], "") if row[at.STOP_AT] else (row[at.RUBICON], "the rubicon of ")
    return f", as {loser} is below {name}{line}" if loser < line else ""


def _by(mine: int, theirs: int, what: str) -> str:
    """Who has won, and the points."""
    verdict = "is a draw" if mine == theirs else "is yours" if mine > theirs else "is theirs"
    return f"{what} {verdict}: you {mine}, they {theirs}."
