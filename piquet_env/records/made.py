"""Records made from a game's row."""

from __future__ import annotations

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.engine.deal import talon_card
from piquet_env.notation import action_text, hand_text, rules_of, talon_text
from piquet_env.records.form import DEAL_FORMAT, PARTIE_FORMAT, PLAYERS, Record


def history(row: np.ndarray) -> list[tuple[int, int]]:
    """(player, action) of every action of the row's deal."""
    taken = []
    for number in range(int(row[at.ACTED])):
        value = int(at.packed(row, at.HISTORY, number))
        taken.append((value >> 7, value & 0x7F))
    return taken


def history_texts(row: np.ndarray) -> list[str]:
    """Every action of the row's deal as a record has it: "0 discard SA"."""
    rules, texts, stood = rules_of(row), [], 0
    for player, action in history(row):
        phase = at.EXCHANGE if stood < len(PLAYERS) else at.PLAY
        texts.append(f"{player} {action_text(action, rules, phase)}")
        stood += action == act.STAND
    return texts


def talon_of(row: np.ndarray) -> list[int]:
    """The talon in order, as it was before the exchange."""
    return [int(talon_card(row, place)) for place in range(int(row[at.ELDER_TALON] + row[at.YOUNGER_TALON]))]


def deal_record(row: np.ndarray, id: str | None = None) -> Record:
    """The row's deal as a record, with `result` when it is over.

    Where the auction was all that was played the record is one of a deal that is not over: it has no result, unless the
    cards were thrown in. A deal that is over is asked for before `close_deal` has set the next dealer, or when the game
    is over.
    """
    record: Record = {"format": DEAL_FORMAT}
    if id is not None:
        record["id"] = id
    record["rules"] = rules_of(row).spec()
    record["dealer"] = PLAYERS[row[at.DEALER]]
    record["hands"] = {name: hand_text(row[at.DEALT + player]) for player, name in enumerate(PLAYERS)}
    record["talon"] = talon_text(talon_of(row))
    record["actions"] = history_texts(row)
    if row[at.PHASE] >= at.DEAL_OVER and (row[at.PLAYOUT] <= 0 or row[at.IS_THROWN_IN]):
        record["result"] = deal_result(row)
    return record


def deal_result(row: np.ndarray) -> Record | None:
    """The `result` of a deal that is over; None where the cards were thrown in.

    After an auction that was all that was played it has no `tricks`, and what the deal came to (`piquet_env.bidding`)
    are points of the contract.
    """
    if row[at.IS_THROWN_IN]:
        return None
    score = row[at.SCORE : at.SCORE + 2 * len(at.ITEMS)].reshape(2, -1).tolist()
    tricks = {name: int(row[at.WON + player]) for player, name in enumerate(PLAYERS)}
    return {
        "contract": contract(row),
        **({"tricks": tricks} if row[at.PLAYOUT] <= 0 else {}),
        "score": {name: dict(zip(at.ITEMS, score[player], strict=True)) for player, name in enumerate(PLAYERS)},
    }


def contract(row: np.ndarray) -> Record | None:
    """The contract of a deal whose auction is over; None in classic Piquet."""
    if not row[at.HAS_AUCTION]:
        return None
    sign = "-" if row[at.IS_MINUS] else "+"
    return {"maker": PLAYERS[row[at.ELDER]], "sign": sign, "level": int(row[at.LEVEL]), "stake": int(row[at.STAKE])}


def partie_record(deals: list[Record], row: np.ndarray) -> Record:
    """A partie so far: the records of its earlier deals, thrown-in ones too, and the row's own deal.

    It has a result when the partie is over (GAME_OVER), and none when it was cut off (TRUNCATED).
    """
    record = {"format": PARTIE_FORMAT, "rules": rules_of(row).spec(), "deals": [*deals, deal_record(row)]}
    if row[at.PHASE] == at.GAME_OVER and not row[at.TRUNCATED]:
        record["result"] = partie_result(row)
    return record


def partie_result(row: np.ndarray) -> Record:
    """Totals and payment of a partie that is over."""
    return {
        "totals": {name: int(row[at.TOTALS + player]) for player, name in enumerate(PLAYERS)},
        "payment": {name: int(game.payment(row, player)) for player, name in enumerate(PLAYERS)},
    }
