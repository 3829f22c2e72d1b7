"""A view read back into the row as the player knows it.

The fields that say something of their own are read, checked and set in a row, the auction and the tricks by playing
them; then the view of that row is made, and every field must be the same. So what follows from the rest
(`legal`, `actions`, `talon`, ...) need not be checked one by one, and contradictions are found.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env import knowledge
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.notation import action_index, action_text, legal_texts, rules_of
from piquet_env.records import PLAYERS
from piquet_env.rules import RANKS, SUITS, Rules, RulesError
from piquet_env.views.consistent import check_cards, check_order, due_turn
from piquet_env.views.form import (
    CATEGORIES,
    NONE,
    UNKNOWN,
    VIEW_FORMAT,
    Part,
    ViewError,
    check_same,
    phase_name,
    view_keys,
)
from piquet_env.views.sequence import begin_as_dealt
from piquet_env.views.written import view as written_view

_EPISODES = ("deal", "partie")
_PHASES = tuple(phase_name(phase) for phase in at.Phase)
_SET_RANKS = RANKS[-act.SET_RANKS :]


def observation_from_view(view: dict[str, Any]) -> NDArray[np.int8]:
    """The observation of the view's player: int8 (D,). Raises ViewError."""
    row = row_from_view(view)
    return knowledge.observation(row, PLAYERS.index(view["player"]))


def row_from_view(view: dict[str, Any]) -> NDArray[np.int64]:
    """The game's row as the view's player knows it: int64 (COLUMNS,), -1 for the unknown.

    It is what `knowledge.hide` leaves of the true row; `knowledge.observation` and `knowledge.action_mask` work on it.

    Raises:
        ViewError: (a ValueError) with the field that is malformed, unknown, or contradicts the others.
    """
    whole = Part(view)
    whole.check_keys(view_keys())
    _check_versions(whole)
    player = whole["player"].one_of(PLAYERS)
    row = np.zeros(at.COLUMNS, np.int64)
    dealer, dealt = _read_episode(whole, row, player)
    begin_as_dealt(row, dealer, player, dealt)
    is_asked = bool(row[at.PHASE] == at.IN_CARTE_BLANCHE and row[at.ACTOR] == player)
    _play_auction(whole["auction"], row)
    _read_cards(whole, row, player)
    _read_declarations(whole["declarations"], row, player)
    _play_tricks(whole["tricks"], row)
    _read_score(whole["score"], row)
    check_order(row)
    check_cards(row, player)
    given = whole["phase"].one_of(_PHASES)
    row[at.PHASE], row[at.ACTOR] = due_turn(row, player, given, is_asked)
    knowledge.hide(row, player)
    made = written_view(row, player)
    check_same(view | {"rules": made["rules"]}, made, "")  # the same rules may be written in several ways
    return row


# ------------------------------------------------------------------ the parts


def _check_versions(whole: Part) -> None:
    if whole["format"].value != VIEW_FORMAT:
        whole["format"].refuse(f'"{VIEW_FORMAT}"')
    versions = whole["versions"]
    versions.check_keys(tuple(knowledge.VERSIONS))
    for name, version in knowledge.VERSIONS.items():
        versions[name].number(version, version)


def _read_episode(whole: Part, row: np.ndarray, player: int) -> tuple[int, int]:
    """The rules and the episode into an empty row; the dealer, and the hand that the player was dealt."""
    rules = _rules(whole["rules"])
    game.reseed(row, rules.columns(), whole["episode"].one_of(_EPISODES), 0)
    row[at.COMPLETED] = whole["completed"].number(0, at.MANY)
    row[at.THROWN_IN] = whole["thrown_in"].number(0, at.MANY)
    row[at.TRUNCATED] = whole["truncated"].flag()
    _read_pair(whole["totals"], row, at.TOTALS, lambda part: part.number(0, at.MANY))
    hands = whole["hands"]
    hands.check_keys(PLAYERS)
    dealt = hands[PLAYERS[player]].cards(rules.pack)
    if dealt.bit_count() != rules.hand_size:
        hands[PLAYERS[player]].refuse(f"{rules.hand_size} cards")
    return whole["dealer"].one_of(PLAYERS), dealt


def _rules(part: Part) -> Rules:
    if not isinstance(part.value, str | dict):
        part.refuse("a ruleset's name or an object of changed fields")
    try:
        return Rules.make(part.value)
    except RulesError as error:
        raise ViewError(part.field, str(error)) from error
    except (RecursionError, ValueError) as error:  # the message of a value that cannot be shown
        raise ViewError(part.field, "expected a ruleset's name or an object of changed fields") from error


def _read_pair(part: Part, row: np.ndarray, column: int, read: Any) -> None:
    """A value for each player into two columns."""
    part.check_keys(PLAYERS)
    for who, name in enumerate(PLAYERS):
        row[column + who] = read(part[name])


def _play_auction(part: Part, row: np.ndarray) -> None:
    for item in part.items():
        legal = [f"{row[at.ACTOR]} {text}" for text in legal_texts(row)] if row[at.PHASE] == at.AUCTION else []
        if item.value not in legal:
            item.refuse(f"one of {', '.join(legal)}" if legal else "no more: the auction is over")
        game.apply_action(row, action_index(item.value[2:], rules_of(row)))


def _read_cards(whole: Part, row: np.ndarray, player: int) -> None:
    pack = int(row[at.PACK])

    def cards_if_known(part: Part) -> int:
        return -1 if part.value == UNKNOWN else part.cards(pack)

    def cards_if_shown(part: Part) -> int:
        return 0 if part.value is None else part.cards(pack)

    def number_if_stood(part: Part) -> int:
        return -1 if part.value is None else part.number(0, at.MOST_TRICKS)

    for field, column in (("hands", at.DEALT), ("holds", at.HANDS), ("discards", at.DISCARDS), ("drawn", at.DRAWN)):
        _read_pair(whole[field], row, column, cards_if_known)
    _read_pair(whole["exchanged"], row, at.EXCHANGED, number_if_stood)
    _read_pair(whole["carte_blanche"], row, at.BLANCHE, cards_if_shown)
    _read_pair(whole["shown"], row, at.SHOWN, lambda part: part.cards(pack))
    row[at.SEEN + player] = whole["seen"].cards(pack)
    row[at.ELDER_LEFT + player] = whole["elder_left"].cards(pack)
    row[at.RETAKEN] = whole["retaken"].cards(pack)


def _read_declarations(part: Part, row: np.ndarray, player: int) -> None:
    part.check_keys(CATEGORIES)
    rules = rules_of(row)
    for category, name in enumerate(CATEGORIES):
        part[name].check_keys((*PLAYERS, "scored_by"))
        row[at.SCORER + category] = part[name]["scored_by"].one_of_or_null(PLAYERS)
        for who in range(2):
            said = part[name][PLAYERS[who]]
            row[at.SAID + 2 * category + who] = _said(said, category, rules)
            if category == 0 and isinstance(said.value, dict):
                row[at.PIPS_SAID + who] = said["pips"].number(1, 75) if said["pips"].value is not None else 0
                row[at.NAMED_SUIT + who] = _suit(said["suit"], who == player, rules)


def _said(part: Part, category: int, rules: Rules) -> int:
    """What was said as the row has it (layout.SAID)."""
    if part.value is None or part.value == NONE:
        return 0 if part.value == NONE else -1
    if category == 0:
        part.check_keys(("number", "pips", "suit"))
        return part["number"].number(1, len(RANKS))
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


def _suit(part: Part, is_own: bool, rules: Rules) -> int:
    """The suit of the player's own point; -1 for that of the other's."""
    if not is_own:
        return -1
    suit = part.one_of(tuple(SUITS))
    _check_action(part, act.POINT + suit, rules)
    return suit


def _check_action(part: Part, action: int, rules: Rules) -> None:
    try:
        action_text(action, replace(rules, sinking=True))  # without sinking there are words, but no actions
    except ValueError:
        part.refuse("a holding that is possible in these rules")


def _play_tricks(part: Part, row: np.ndarray) -> None:
    """Play the tricks over: who led and won, voids and numbers follow.

    Of a hand that is not known, the cards that it played are all that there is; so following suit is checked as far as
    they tell.
    """
    tricks = part.items()
    for trick in tricks:
        trick.check_keys(("leader", "cards", "winner"))
    if not tricks:
        return
    if row[at.ELDER] < 0:
        part.refuse("none: there is no elder yet")
    again = row.copy()
    again[at.STOP_AT], again[at.PHASE], again[at.ACTOR] = 0, at.PLAY, row[at.ELDER]
    again[at.HANDS : at.HANDS + 2] = np.maximum(again[at.HANDS : at.HANDS + 2], 0)
    plays = _plays(tricks, int(again[at.PACK]))
    for who, item in plays:
        again[at.HANDS + who] |= 1 << item.card()
    for who, item in plays:
        if again[at.ACTOR] != who or not game.apply_action(again, item.card()):
            item.refuse(f"a card that {PLAYERS[again[at.ACTOR]]} could play here")
    row[at.LED : at.SCORE] = again[at.LED : at.SCORE]  # all fields of the play
    row[at.ACTOR] = again[at.ACTOR]


def _plays(tricks: list[Part], pack: int) -> list[tuple[int, Part]]:
    """(player, card) of the tricks in order; each card of the pack at most once."""
    plays, seen = [], 0
    for place, trick in enumerate(tricks):
        leader, cards = trick["leader"].one_of(PLAYERS), trick["cards"].items()
        if not 1 <= len(cards) <= 2 or (len(cards) == 1 and place + 1 < len(tricks)):
            trick["cards"].refuse("two cards, or one in the last trick")
        for who, item in zip((leader, 1 - leader), cards, strict=False):
            bit = 1 << item.card()
            if not pack & bit or seen & bit:
                item.refuse("a card of the pack that has not been played before")
            seen |= bit
            plays.append((who, item))
    return plays


def _read_score(part: Part, row: np.ndarray) -> None:
    part.check_keys(PLAYERS)
    for who, name in enumerate(PLAYERS):
        part[name].check_keys(at.ITEMS)
        items = [part[name][item].number(0, at.MANY) for item in at.ITEMS]
        if items[at.ITEM_TOTAL] != sum(items[: at.ITEM_TOTAL]):
            part[name]["total"].refuse(f"the sum of the items, {sum(items[: at.ITEM_TOTAL])}")
        row[at.SCORE + who * len(at.ITEMS) : at.SCORE + (who + 1) * len(at.ITEMS)] = items
