"""A view read back into the row as the player knows it.

The fields that say something of their own are read, checked and set in a row, the auction and the tricks by playing
them; then the view of that row is made, and every field that was given must be the same. So what follows from the rest
(`legal`, `actions`, `talon`, ...) need be neither given nor checked one by one, and contradictions are found.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env import knowledge
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.knowledge.hands import is_possible
from piquet_env.notation import action_index, legal_texts, rules_of
from piquet_env.records import PLAYERS
from piquet_env.rules import Rules, RulesError
from piquet_env.views.consistent import before_deal, check_cards, check_order, due_turn, leftovers_among, talon_numbers
from piquet_env.views.declared import NOTHING, count_declarations, read_declarations
from piquet_env.views.form import (
    UNKNOWN,
    VIEW_FORMAT,
    Part,
    ViewError,
    check_same,
    phase_name,
    required_keys,
    view_keys,
)
from piquet_env.views.played import Plays, play_over, played_cards, read_plays
from piquet_env.views.sequence import begin_as_dealt
from piquet_env.views.written import view as written_view

_EPISODES = ("deal", "partie")
_PHASES = tuple(phase_name(phase) for phase in at.Phase)


def observation_from_view(view: dict[str, Any]) -> NDArray[np.int8]:
    """The observation of the view's player: int8 (D,). Raises ViewError."""
    row = row_from_view(view)
    return knowledge.observation(row, PLAYERS.index(view["player"]))


def views_from_view(view: dict[str, Any]) -> knowledge.Views:
    """What a bot is given where the view's player is to act: arrays of this one game.

    Raises:
        ViewError: as `row_from_view`; or the deal is over, or it is the other's turn.
    """
    row = row_from_view(view)
    player = PLAYERS.index(view["player"])
    if row[at.PHASE] >= at.DEAL_OVER:
        raise ViewError("phase", "expected a deal that goes on: nobody is to act")
    if row[at.ACTOR] != player:
        raise ViewError("to_act", f"expected a view of {PLAYERS[row[at.ACTOR]]}, who is to act")
    return knowledge.Views(
        knowledge.observation(row, player)[None], knowledge.action_mask(row, player)[None], row[None]
    )


def row_from_view(view: dict[str, Any]) -> NDArray[np.int64]:
    """The game's row as the view's player knows it: int64 (COLUMNS,), -1 for the unknown.

    It is what `knowledge.hide` leaves of the true row; `knowledge.observation` and `knowledge.action_mask` work on it.
    A view need not have what follows from its other fields: `view.schema.json` says what may be left out.

    Raises:
        ViewError: (a ValueError) with the field that is malformed, unknown, or contradicts the others.
    """
    whole = Part(view)
    whole.check_keys(view_keys(), required_keys())
    _check_versions(whole)
    player, phase = whole["player"].one_of(PLAYERS), whole["phase"].one_of(_PHASES)
    row = np.zeros(at.COLUMNS, np.int64)
    dealer, dealt = _read_episode(whole, row, player, phase)
    begin_as_dealt(row, dealer, player, dealt)
    is_asked = bool(row[at.PHASE] == at.IN_CARTE_BLANCHE and row[at.ACTOR] == player)
    _play_auction(whole["auction"], row)
    plays = read_plays(whole.get("tricks", []), row)
    _read_cards(whole, row, player, played_cards(plays))
    _read_exchange(whole, row, player, phase)
    _read_seen(whole, row, player)
    read_declarations(whole.get("declarations", {}), row, player)
    _read_points(whole, row, player, phase, plays)
    check_order(row)
    check_cards(row, player)
    row[at.PHASE], row[at.ACTOR] = due_turn(row, player, phase, is_asked)
    if not is_possible(before_deal(row), player):
        raise ViewError("declarations", "no cards fit what was said, shown, scored and played")
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


def _read_episode(whole: Part, row: np.ndarray, player: int, phase: int) -> tuple[int, int]:
    """The rules and the episode into an empty row; the dealer, and the hand that the player was dealt."""
    rules = _rules(whole["rules"])
    game.reseed(row, rules.columns(), whole["episode"].one_of(_EPISODES), 0)
    row[at.COMPLETED] = whole["completed"].number(0, at.MANY)
    # without an auction none is thrown in; a deal that is over when thrown in is not counted
    most = rules.max_thrown_in if rules.auction and rules.max_thrown_in > 1 else 0
    row[at.THROWN_IN] = whole["thrown_in"].number(0, most if phase == at.GAME_OVER else max(most - 1, 0))
    row[at.TRUNCATED] = 0 < most == row[at.THROWN_IN]
    totals, hands = whole["totals"], whole["hands"]
    totals.check_keys(PLAYERS)
    row[at.TOTALS : at.TOTALS + 2] = [totals[name].number(0, at.MANY) for name in PLAYERS]
    hands.check_keys(PLAYERS, (PLAYERS[player],))
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


def _play_auction(part: Part, row: np.ndarray) -> None:
    for item in part.items():
        legal = [f"{row[at.ACTOR]} {text}" for text in legal_texts(row)] if row[at.PHASE] == at.AUCTION else []
        if item.value not in legal:
            item.refuse(f"one of {', '.join(legal)}" if legal else "no more: the auction is over")
        game.apply_action(row, action_index(item.value[2:], rules_of(row)))


def _read_cards(whole: Part, row: np.ndarray, player: int, played: list[int]) -> None:
    """The hands as dealt, discards and draws; what is held follows. -1: not known."""
    for field, column in (("hands", at.DEALT), ("discards", at.DISCARDS), ("drawn", at.DRAWN)):
        part = whole.get(field, {})
        part.check_keys(PLAYERS, ())
        for who, name in enumerate(PLAYERS):
            is_known = who == player or (row[at.OPEN_HANDS] and field != "hands")
            cards = part.get(name, NOTHING if is_known else UNKNOWN)
            row[column + who] = -1 if who != player and cards.value == UNKNOWN else cards.cards(int(row[at.PACK]))
    row[at.HANDS : at.HANDS + 2] = -1
    for who in range(2):
        dealt, discards, drawn = (int(row[column + who]) for column in (at.DEALT, at.DISCARDS, at.DRAWN))
        if min(dealt, discards, drawn) >= 0:
            row[at.HANDS + who] = (dealt & ~discards | drawn) & ~played[who]


def _read_exchange(whole: Part, row: np.ndarray, player: int, phase: int) -> None:
    """How many cards each has exchanged, and who has shown carte blanche."""
    shown, exchanged = whole.get("carte_blanche", {}), whole.get("exchanged", {})
    shown.check_keys(PLAYERS, ())
    exchanged.check_keys(PLAYERS, ())
    is_past = at.IN_POINT <= phase <= at.PLAY
    for who, name in enumerate(PLAYERS):
        hand = shown[name]
        row[at.BLANCHE + who] = 0 if hand.value is None else hand.cards(int(row[at.PACK]))
        if is_past and who != player and name not in exchanged:
            raise ViewError(f"exchanged.{name}", "missing: the exchange is over")
        number = exchanged[name]
        row[at.EXCHANGED + who] = -1 if number.value is None else number.number(0, at.MOST_TRICKS)
    if PLAYERS[player] not in exchanged:
        is_over = is_past or (phase >= at.DEAL_OVER and row[at.EXCHANGED + 1 - player] >= 0)
        has_stood = is_over or row[at.DRAWN + player] > 0 or whole.get("seen", NOTHING).value != NOTHING
        row[at.EXCHANGED + player] = int(row[at.DISCARDS + player]).bit_count() if has_stood else -1


def _read_seen(whole: Part, row: np.ndarray, player: int) -> None:
    """What the player has seen in the talon. Which of it elder left, or younger took, may follow from the numbers."""
    pack = int(row[at.PACK])
    row[at.SEEN + player] = whole.get("seen", NOTHING).cards(pack)
    _, left, retaken = talon_numbers(row, player)
    drawn = max(int(row[at.DRAWN + player]), 0)
    possible = leftovers_among(row, player)
    if player != row[at.ELDER] and 0 < retaken == drawn.bit_count() == left:
        possible = drawn
    row[at.ELDER_LEFT + player] = _given_or(whole, "elder_left", possible, left, pack)
    possible = int(row[at.ELDER_LEFT + player]) & (drawn if player != row[at.ELDER] else pack)
    row[at.RETAKEN] = _given_or(whole, "retaken", possible, retaken, pack)


def _given_or(whole: Part, field: str, possible: int, number: int, pack: int) -> int:
    """The cards of a field. Where it has been left out: all that are possible, if they are so many."""
    if field in whole:
        return whole[field].cards(pack)
    if number and possible.bit_count() != number:
        raise ViewError(field, f"missing: {number} cards, which do not follow from the other fields")
    return possible if number else 0


def _read_points(whole: Part, row: np.ndarray, player: int, phase: int, plays: Plays) -> None:
    """Show and score the declarations, and play the tricks over.

    Where a game is over that points have ended, the totals have these points too, and do not say when it ended: there
    the score says what the totals were before.
    """
    after = row[at.TOTALS : at.TOTALS + 2].copy()
    if row[at.STOP_AT] and phase == at.GAME_OVER:
        row[at.TOTALS : at.TOTALS + 2] -= _deal_totals(whole.get("score", {}))
    count_declarations(whole, row, player)
    play_over(plays, row)
    row[at.TOTALS : at.TOTALS + 2] = after


def _deal_totals(part: Part) -> list[int]:
    part.check_keys(PLAYERS)
    for name in PLAYERS:
        part[name].check_keys(at.ITEMS, ("total",))
    return [part[name]["total"].number(0, at.MANY) for name in PLAYERS]
