"""What was said in a view's deal, and what follows from it: who scored in a category, what is shown, the points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.cards import pips, suit_bits
from piquet_env.engine.declarations import better_said
from piquet_env.notation import action_text, hand_text, rules_of
from piquet_env.records import PLAYERS
from piquet_env.rules import RANKS, SUITS, Rules
from piquet_env.views.form import CATEGORIES, NONE, Part, ViewError
from piquet_env.views.heard import is_declared, score_declarations

_SET_RANKS = RANKS[-act.SET_RANKS :]
NOTHING = hand_text(0)


def read_declarations(part: Part, row: np.ndarray, player: int) -> None:
    """What each said, and who scored, into the row. Raises ViewError."""
    part.check_keys(CATEGORIES, ())
    rules = rules_of(row)
    for category, name in enumerate(CATEGORIES):
        of_category = part.get(name, {})
        of_category.check_keys((*PLAYERS, "scored_by"), ())
        for who in range(2):
            said = of_category.get(PLAYERS[who], None)
            if category == 0 and isinstance(said.value, dict):
                _read_point(said, row, who, who == player, rules)
            else:
                row[at.SAID + 2 * category + who] = _said(said, category, rules)
        if category == 0:
            _compare_pips(of_category, row, player)
        given = of_category["scored_by"].one_of_or_null(PLAYERS)
        row[at.SCORER + category] = _scorer(row, category, given)


def _said(part: Part, category: int, rules: Rules) -> int:
    """What was said, other than a point, as the row has it (layout.SAID)."""
    if part.value is None or part.value == NONE:
        return 0 if part.value == NONE else -1
    if category == 0:
        part.refuse("a point {...}, none or null")
    if category == 1:
        part.check_keys(("length", "top"))
        length = part["length"].number(act.SHORTEST_SEQUENCE, len(RANKS))
        top = length - 1 + part["top"].one_of(tuple(RANKS[length - 1 :]))
        action = int(act.sequence_action(length, top))
        _check_action(part, action, rules)
        return 1 + action - act.SEQUENCE
    part.check_keys(("number", "rank"))
    is_quatorze, place = part["number"].number(3, 4) - 3, part["rank"].one_of(tuple(_SET_RANKS))
    _check_action(part, act.SET + place, rules)
    return 1 + place + is_quatorze * act.SET_RANKS


def _read_point(part: Part, row: np.ndarray, who: int, is_own: bool, rules: Rules) -> None:
    """Of the player's own point the suit tells the rest; of the other's the number was said, and it may be pips."""
    part.check_keys(("number", "pips", "suit"), ("suit",) if is_own else ("number",))
    if is_own:
        suit = part["suit"].one_of(tuple(SUITS))
        _check_action(part["suit"], act.POINT + suit, rules)
        ranks = int(suit_bits(declaring_hand(row, who), suit))
        if not ranks:
            part["suit"].refuse("a suit that he held")
        row[at.NAMED_SUIT + who] = suit
        row[at.SAID + who], row[at.PIPS_SAID + who] = ranks.bit_count(), pips(ranks)
    else:
        row[at.SAID + who] = part["number"].number(1, len(RANKS))
        row[at.PIPS_SAID + who] = part["pips"].number(1, 75) if part["pips"].value is not None else 0


def _check_action(part: Part, action: int, rules: Rules) -> None:
    try:
        action_text(action, replace(rules, sinking=True))  # without sinking there are words, but no actions
    except ValueError:
        part.refuse("a holding that is possible in these rules")


def _compare_pips(part: Part, row: np.ndarray, player: int) -> None:
    """Pips are said where the numbers are equal: elder's, and younger's unless they are fewer."""
    elder, said = int(row[at.ELDER]), row[at.SAID : at.SAID + 2]
    if elder < 0 or said[0] != said[1] or said[0] <= 0:
        row[at.PIPS_SAID : at.PIPS_SAID + 2] = 0
        return
    if not row[at.PIPS_SAID + elder]:
        raise ViewError(f"{part.field}.{PLAYERS[elder]}.pips", "missing: both said the same number")
    if player != elder and row[at.PIPS_SAID + player] < row[at.PIPS_SAID + elder]:
        row[at.PIPS_SAID + player] = 0


def _scorer(row: np.ndarray, category: int, given: int) -> int:
    """Who scores: by what was said; in a minus contract, where nothing was, as given. -1: nobody, or not yet."""
    if row[at.IS_MINUS]:
        return given if is_declared(row) else -1
    first = at.SAID + 2 * category
    if row[at.ELDER] < 0 or min(row[first], row[first + 1]) < 0:
        return -1
    return int(better_said(row, category))


def declaring_hand(row: np.ndarray, who: int) -> int:
    """What a player whose cards are known holds after the exchange, before the first trick."""
    return int(row[at.DEALT + who]) & ~int(row[at.DISCARDS + who]) | int(row[at.DRAWN + who])


# ------------------------------------------------------------------ points


def count_declarations(whole: Part, row: np.ndarray, player: int) -> None:
    """Show what has scored, and score it. Raises ViewError: what only the other could know was not given."""
    they, pack = PLAYERS[1 - player], int(row[at.PACK])
    score, shown = whole.get("score", {}), whole.get("shown", {})
    score.check_keys(PLAYERS, ())
    shown.check_keys(PLAYERS, ())
    row[at.SHOWN + 1 - player] = shown.get(they, NOTHING).cards(pack)
    heard = np.zeros(len(CATEGORIES), np.int64)
    for category in range(len(CATEGORIES)):
        scorer = int(row[at.SCORER + category])
        if scorer >= 0 and scorer ^ int(row[at.IS_MINUS]) != player:
            heard[category] = _heard(row, category, score.get(PLAYERS[scorer], {}))
            if is_declared(row) and they not in shown:
                raise ViewError(f"shown.{they}", "missing: he had a holding that scored")
    score_declarations(row, player, declaring_hand(row, player), heard)


def _heard(row: np.ndarray, category: int, score: Part) -> int:
    """The points for holdings of the other, whose further ones are not said."""
    if category == 0 and not row[at.IS_MINUS]:
        return int(row[at.SAID + row[at.SCORER]])
    item = at.ITEMS[at.ITEM_POINT + category]
    score.check_keys(at.ITEMS, ())
    if item not in score:
        raise ViewError(f"{score.field}.{item}", "missing: points for the other's holdings")
    return score[item].number(1, at.MANY)
