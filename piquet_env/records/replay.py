"""Records replayed into a game's row, and checked on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.notation import action_index, card_text, cards_of, legal_indices, legal_texts, parse_hand, parse_talon
from piquet_env.records.form import (
    DEAL_FORMAT,
    DEAL_KEYS,
    PARTIE_FORMAT,
    PARTIE_KEYS,
    PLAYERS,
    Record,
    RecordError,
    check_keys,
    check_object,
    check_same,
    is_partie,
    refuse_value,
    shown,
)
from piquet_env.records.made import deal_record, deal_result, partie_result
from piquet_env.rules import Rules, RulesError

_END_OF_DEAL = -1  # what the walk yields after the last action of a deal


def load_record(record: Record, row: np.ndarray, partie: bool, state: int) -> list[Record]:
    """Set up and replay a deal or partie record in `row`; the records of the deals before its last one.

    Args:
        record: complete or not; every deal of a partie but the last must be complete.
        row: int64 (COLUMNS,), overwritten; untouched when the record is refused.
        partie: whether the row's episode is a partie. A partie record needs one; a deal record is then its first deal.
        state: of the random generator (int64) that deals what comes after the record.

    The row then is in the record's last deal, with the totals of the deals before it. Where that deal is over (scored,
    or thrown in) the phase is DEAL_OVER and it is not yet added up: go on as after any action that ends a deal, that
    is, read its result, then `game.next_deal`.

    Raises:
        RecordError: the record breaks the format or the rules.
    """
    loaded = np.zeros_like(row)
    earlier: list[Record] = []
    for _ in _walk(record, loaded, partie, state, earlier):
        pass
    row[:] = loaded
    return earlier


def steps(record: Record) -> Iterator[tuple[np.ndarray, int]]:
    """Walk through a deal or partie record: (row, action) before each action.

    It is one and the same row, which changes as it goes; after the last step it is as `load_record` leaves it.
    Raises RecordError when the walk reaches what is wrong.
    """
    row = new_row()
    for action in _walk(record, row, is_partie(record), 0, []):
        if action != _END_OF_DEAL:
            yield row, action


def replayed_deals(record: Record) -> Iterator[np.ndarray]:
    """The row as it is after the last action of each deal of a deal or partie record; one and the same row.

    A deal that is over has its score, and is not yet in TOTALS. Raises RecordError like `steps`.
    """
    row = new_row()
    for action in _walk(record, row, is_partie(record), 0, []):
        if action == _END_OF_DEAL:
            yield row


def new_row() -> np.ndarray:
    """An empty row, for `load_record`: int64 (COLUMNS,)."""
    return np.zeros(at.COLUMNS, np.int64)


def check_record(record: Record) -> None:
    """Replay a whole record. Raises RecordError."""
    load_record(record, new_row(), is_partie(record), 0)


# ------------------------------------------------------------------ the walk


def _walk(record: Any, row: np.ndarray, partie: bool, state: int, earlier: list[Record]) -> Iterator[int]:
    """Replay into `row`: yields each action before it is taken, and _END_OF_DEAL; appends to `earlier`."""
    check_object(record, "")
    if record.get("format") not in (DEAL_FORMAT, PARTIE_FORMAT):
        refuse_value(record, "format", f'"{DEAL_FORMAT}" or "{PARTIE_FORMAT}"')
    if is_partie(record) and not partie:
        refuse_value(record, "format", f'"{DEAL_FORMAT}", as the episode is one deal')
    check_keys(record, PARTIE_KEYS if is_partie(record) else DEAL_KEYS, "")
    rules = _rules(record, "")
    game.reseed(row, rules.columns(), int(partie), state)
    if is_partie(record):
        yield from _walk_partie(record, row, rules, earlier)
    else:
        yield from _walk_deal(record, row, rules, "")


def _walk_partie(record: Record, row: np.ndarray, rules: Rules, earlier: list[Record]) -> Iterator[int]:
    deals = record["deals"]
    if not isinstance(deals, list) or not deals:
        refuse_value(record, "deals", "a list of deal records, at least one")
    for number, deal in enumerate(deals):
        field = f"deals[{number}]"
        if number > 0:
            _close(row, deals[number - 1], f"deals[{number - 1}].result", earlier)
        if row[at.PHASE] == at.GAME_OVER:
            raise RecordError(f"the partie is over after {number} deals: expected no more", field)
        _check_deal_of_partie(deal, rules, row if number > 0 else None, field)
        yield from _walk_deal(deal, row, rules, field + ".")
    if "result" in record:
        _check_partie_result(record, row)


def _check_deal_of_partie(deal: Any, rules: Rules, row: np.ndarray | None, field: str) -> None:
    """Form, rules and dealer; `row` is that of the deals before, None for the first."""
    check_object(deal, field)
    if deal.get("format") != DEAL_FORMAT:
        refuse_value(deal, "format", f'"{DEAL_FORMAT}"', field + ".")
    check_keys(deal, DEAL_KEYS, field + ".")
    if _rules(deal, field + ".") != rules:
        refuse_value(deal, "rules", f"the rules of the partie, {rules.spec()!r}", field + ".")
    if row is not None and deal["dealer"] != PLAYERS[row[at.DEALER]]:
        reason = "as the deal before was thrown in" if row[at.THROWN_IN] else "as the players deal in turn"
        refuse_value(deal, "dealer", f'"{PLAYERS[row[at.DEALER]]}", {reason}', field + ".")


def _close(row: np.ndarray, deal: Record, field: str, earlier: list[Record]) -> None:
    """Another deal follows: this one must be complete."""
    if "result" not in deal:
        raise RecordError("missing: only the last deal of a partie may be incomplete", field)
    earlier.append(deal_record(row, deal.get("id")))
    game.close_deal(row)


def _check_partie_result(record: Record, row: np.ndarray) -> None:
    deals = record["deals"]
    if "result" not in deals[-1]:
        field = f"deals[{len(deals) - 1}].result"
        raise RecordError("missing: where the partie has a result, every deal must have one", field)
    closed = row.copy()
    game.close_deal(closed)
    if closed[at.PHASE] != at.GAME_OVER:
        raise RecordError(
            f"the partie is not over after {len(deals)} deals: expected more deals, or no result", "result"
        )
    if closed[at.TRUNCATED]:
        raise RecordError("the partie was cut off, too many deals were thrown in: expected no result", "result")
    check_same(record["result"], partie_result(closed), "result")


def _walk_deal(record: Record, row: np.ndarray, rules: Rules, prefix: str) -> Iterator[int]:
    """Deal the record's cards in `row` and replay its actions."""
    if record["dealer"] not in PLAYERS:
        refuse_value(record, "dealer", '"player_0" or "player_1"', prefix)
    cards = _cards(record, rules, prefix)
    game.set_up_deal(row, PLAYERS.index(record["dealer"]), np.array(cards, np.int64))
    actions, legal = record["actions"], record.get("legal")
    if not isinstance(actions, list):
        refuse_value(record, "actions", "a list of texts", prefix)
    if "legal" in record and (not isinstance(legal, list) or len(legal) != len(actions)):
        refuse_value(record, "legal", f"a list as long as actions, {len(actions)}", prefix)
    for number, text in enumerate(actions):
        action = _action(row, text, rules, f"{prefix}actions[{number}]")
        if legal is not None:
            check_same(legal[number], legal_indices(row), f"{prefix}legal[{number}]")
        yield action
        game.apply_action(row, action)
    if "result" in record:
        _check_deal_result(record, row, f"{prefix}result")
    yield _END_OF_DEAL


def _action(row: np.ndarray, text: Any, rules: Rules, field: str) -> int:
    """The action that is meant, when it is legal."""
    if not isinstance(text, str) or text[:2] not in ("0 ", "1 "):
        raise RecordError(f"expected the player's digit and an action, as in '0 pass', got {shown(text)}", field)
    if row[at.PHASE] >= at.DEAL_OVER:
        raise RecordError(f"the deal is over after {row[at.ACTED]} actions: expected no more, got {shown(text)}", field)
    legal = legal_texts(row)
    if text[2:] not in legal or int(text[0]) != row[at.ACTOR]:
        fault = f"illegal action {shown(text)}, number {row[at.ACTED] + 1} of the deal"
        raise RecordError(f"{fault}: {PLAYERS[row[at.ACTOR]]} is to act; legal: {', '.join(legal)}", field)
    return action_index(text[2:], rules)


def _check_deal_result(record: Record, row: np.ndarray, field: str) -> None:
    if row[at.PHASE] < at.DEAL_OVER:
        number = len(record["actions"])
        raise RecordError(f"the deal is not over after {number} actions: expected more actions, or no result", field)
    check_same(record["result"], deal_result(row), field)


# ------------------------------------------------------------------ rules and cards


def _rules(record: Record, prefix: str) -> Rules:
    if not isinstance(record["rules"], str | dict):
        refuse_value(record, "rules", "a ruleset's name or an object of changed fields", prefix)
    try:
        return Rules.make(record["rules"])
    except RulesError as error:
        raise RecordError(str(error), f"{prefix}rules") from error
    except (RecursionError, ValueError) as error:  # the message of a value that cannot be shown
        raise RecordError("expected a ruleset's name or an object of changed fields", f"{prefix}rules") from error


def _cards(record: Record, rules: Rules, prefix: str) -> list[int]:
    """player_0's hand, player_1's hand, the talon in order: every card of the pack once."""
    check_object(record["hands"], f"{prefix}hands")
    check_keys(record["hands"], PLAYERS, f"{prefix}hands.")
    parts = [(f"{prefix}hands.{name}", record["hands"][name], rules.hand_size) for name in PLAYERS]
    parts.append((f"{prefix}talon", record["talon"], rules.elder_talon + rules.younger_talon))
    place_of: dict[int, str] = {}
    for field, text, size in parts:
        cards = _part(text, field)
        for card in cards:
            if card in place_of:
                raise RecordError(f"the card {card_text(card)} is twice in the deal, first in {place_of[card]}", field)
            if not rules.pack >> card & 1:
                raise RecordError(f"the card {card_text(card)} is not in the pack of these rules", field)
            place_of[card] = field
        if len(cards) != size:
            raise RecordError(f"expected {size} cards, got {len(cards)}: {shown(text)}", field)
    return list(place_of)


def _part(text: Any, field: str) -> list[int]:
    if not isinstance(text, str):
        raise RecordError(f"expected cards as text, got {shown(text)}", field)
    try:
        return parse_talon(text) if field.endswith("talon") else cards_of(parse_hand(text))
    except ValueError as error:
        raise RecordError(str(error), field) from error
