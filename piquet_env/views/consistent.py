"""What must hold between the fields of a view: the order of events, the cards, whose turn it is.

The row here has the view's fields, and -1 for the other's cards where they are not known.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NoReturn

import numpy as np

from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.engine.exchange import part_start, part_stop
from piquet_env.notation import hand_text
from piquet_env.records import PLAYERS
from piquet_env.views.form import CATEGORIES, ViewError, phase_name
from piquet_env.views.heard import is_declared


def check_order(row: np.ndarray) -> None:
    """Nothing has been done before its turn came. Raises ViewError."""
    steps = _steps(row)
    for (_, earlier), (field, is_done) in pairwise(steps):
        if is_done and not earlier:
            raise ViewError(field, "cannot be there yet: something before it has not been done")
    for who in range(2):
        if row[at.SHOWN + who] and not is_declared(row):
            raise ViewError(f"shown.{PLAYERS[who]}", "cannot be there yet: not everything has been declared")
    if row[at.IS_MINUS] or row[at.ELDER] < 0:
        for category, name in enumerate(CATEGORIES):
            if (row[at.SAID + 2 * category : at.SAID + 2 * category + 2] >= 0).any():
                raise ViewError(
                    f"declarations.{name}", "nothing is said in a minus contract, or before there is an elder"
                )


def _steps(row: np.ndarray) -> list[tuple[str, bool]]:
    """What is done in a deal in this order: (field, whether it has been done)."""
    elder = int(row[at.ELDER])
    roles = (elder, 1 - elder) if elder >= 0 else (0, 1)
    steps = [("elder", elder >= 0)] + [
        (f"exchanged.{PLAYERS[who]}", bool(row[at.EXCHANGED + who] >= 0)) for who in roles
    ]
    if not row[at.IS_MINUS]:
        for category, name in enumerate(CATEGORIES):
            for who in roles:
                steps.append((f"declarations.{name}.{PLAYERS[who]}", bool(row[at.SAID + 2 * category + who] >= 0)))
    return [*steps, ("tricks", bool(row[at.TRICK] > 0 or row[at.LED] >= 0))]


def due_turn(row: np.ndarray, player: int, given: int, is_asked: bool) -> tuple[int, int]:
    """(phase, player to act) as they follow from what has been done.

    Only two things are taken from the view's phase `given`: that the deal or the game is over, which must be
    possible, and that the player, who `is_asked` for carte blanche, has not answered.
    """
    elder = int(row[at.ELDER])
    roles = (elder, 1 - elder)
    if given >= at.DEAL_OVER:
        _check_over(row, given)
        has_played = row[at.TRICK] > 0 or row[at.LED] >= 0
        return given, int(row[at.ACTOR]) if has_played or elder < 0 else elder
    if elder < 0:
        return (at.DEAL_OVER if row[at.IS_THROWN_IN] else at.AUCTION), int(row[at.ACTOR])
    if is_stopped(row, at.DEAL_OVER):
        return at.DEAL_OVER, int(row[at.ACTOR])
    is_untouched = row[at.EXCHANGED + elder] < 0 and row[at.DISCARDS + player] == 0 and not row[at.BLANCHE + player]
    if given == at.IN_CARTE_BLANCHE and is_asked and is_untouched:
        return given, player
    for who in roles:
        if row[at.EXCHANGED + who] < 0:
            return at.EXCHANGE, who
    if not row[at.IS_MINUS] and row[at.SINKING]:
        for category in range(len(CATEGORIES)):
            for who in roles:
                if row[at.SAID + 2 * category + who] < 0:
                    return at.IN_POINT + category, who
    if row[at.TRICK] == row[at.HAND_SIZE]:
        return at.DEAL_OVER, int(row[at.ACTOR])
    return at.PLAY, int(row[at.ACTOR]) if row[at.TRICK] > 0 or row[at.LED] >= 0 else elder


def _check_over(row: np.ndarray, given: int) -> None:
    """The deal may be over: thrown in, all tricks played, or the points reached that end a partie."""
    if not (row[at.IS_THROWN_IN] or row[at.TRICK] == row[at.HAND_SIZE] or is_stopped(row, given)):
        raise ViewError("phase", f"cannot be {phase_name(given)}: the deal is not at its end")


def is_stopped(row: np.ndarray, phase: int) -> bool:
    """Whether points have been reached that end a partie; once the game is over, the totals have those of the deal."""
    scored = row[at.SCORE : at.SCORE + 2 * len(at.ITEMS)].reshape(2, -1)[:, at.ITEM_TOTAL]
    added = row[at.TOTALS : at.TOTALS + 2] + (0 if phase == at.GAME_OVER else scored)
    return bool(0 < row[at.STOP_AT] <= added.max())


def before_deal(row: np.ndarray) -> np.ndarray:
    """The row with the deals and the points that the episode had before this deal. Raises ViewError: it had not."""
    before = row.copy()
    if row[at.TRUNCATED] and not row[at.IS_THROWN_IN]:
        raise ViewError("thrown_in", f"{row[at.THROWN_IN]} deals were thrown in, but this one was not")
    if row[at.PHASE] == at.GAME_OVER and not row[at.TRUNCATED]:
        is_over = bool(game.is_last_deal(row)) and row[at.THROWN_IN] == 0
        if not is_over or (row[at.IS_THROWN_IN] and row[at.MAX_THROWN_IN] > 1):
            raise ViewError("phase", "cannot be game_over: the episode goes on")
        before[at.COMPLETED] -= 1
        before[at.TOTALS : at.TOTALS + 2] -= [row[at.score_item(who, at.ITEM_TOTAL)] for who in range(2)]
    completed, totals = int(before[at.COMPLETED]), before[at.TOTALS : at.TOTALS + 2]
    is_too_many = not row[at.STOP_AT] and completed >= row[at.DEALS] + row[at.EXTRA_DEALS_ON_TIE]
    if completed < 0 or (completed and (is_too_many or game.is_last_deal(before))):
        raise ViewError("completed", f"an episode does not go on after {completed} deals with {totals.tolist()} points")
    if totals.min() < 0 or (completed == 0 and totals.any()):
        raise ViewError("totals", f"{totals.tolist()} points before this deal, of {completed} completed deals")
    return before


# ------------------------------------------------------------------ cards


def check_cards(row: np.ndarray, player: int) -> None:
    """Each known card is in one place, and there are as many as the rules say. Raises ViewError."""
    for who in range(2):
        if who == player or row[at.OPEN_HANDS]:
            _check_hand(row, who)
    _check_talon(row, player)
    they = 1 - player
    mine = int(row[at.DEALT + player] | row[at.DRAWN + player] | row[at.SEEN + player] & ~row[at.RETAKEN])
    theirs = [("shown", at.SHOWN), ("carte_blanche", at.BLANCHE), ("tricks", at.PLAYED)]
    for field, column in theirs + [("hands", at.DEALT), ("drawn", at.DRAWN)] * int(row[at.OPEN_HANDS]):
        _refuse_cards(f"{field}.{PLAYERS[they]}", int(row[column + they]) & mine, "the player himself had or saw them")
    _refuse_cards(
        f"shown.{PLAYERS[player]}",
        int(row[at.SHOWN + player] & ~(row[at.HANDS + player] | row[at.PLAYED + player])),
        "he never held them to play",
    )
    for who in range(2):
        blanche = int(row[at.BLANCHE + who])
        if blanche and (not row[at.CARTE_BLANCHE_POINTS] or blanche.bit_count() != row[at.HAND_SIZE]):
            _refuse(f"carte_blanche.{PLAYERS[who]}", "not a whole hand, or these rules have no carte blanche")
        if blanche and row[at.DEALT + who] not in (blanche, -1):
            _refuse(f"carte_blanche.{PLAYERS[who]}", "not the hand that was dealt")


def _check_hand(row: np.ndarray, who: int) -> None:
    """Hand, discards and cards played are what was dealt and drawn."""
    name = PLAYERS[who]
    dealt, hand, discards, drawn = (int(row[column + who]) for column in (at.DEALT, at.HANDS, at.DISCARDS, at.DRAWN))
    for field, mask in (("hands", dealt), ("holds", hand), ("discards", discards), ("drawn", drawn)):
        if mask < 0:
            _refuse(f"{field}.{name}", "expected cards, which are known with open hands")
    played = int(row[at.PLAYED + who])
    if dealt.bit_count() != row[at.HAND_SIZE]:
        _refuse(f"hands.{name}", f"expected {row[at.HAND_SIZE]} cards, got {dealt.bit_count()}")
    _refuse_cards(f"drawn.{name}", drawn & (dealt | discards), "they were dealt to the player or discarded")
    _refuse_cards(f"discards.{name}", discards & ~dealt, "they were not dealt to the player")
    _refuse_cards(f"holds.{name}", hand & (played | discards), "they have been played or discarded")
    _refuse_cards(f"tricks.{name}", played & discards, "they were discarded")
    _refuse_cards(
        f"holds.{name}", (hand | played | discards) ^ (dealt | drawn), "more or fewer than he was dealt and drew"
    )
    stood = int(row[at.EXCHANGED + who])
    if drawn.bit_count() != max(stood, 0):
        _refuse(f"drawn.{name}", f"{drawn.bit_count()} cards, but the number exchanged is {max(stood, 0)}")
    if stood >= 0 and discards.bit_count() != stood:
        _refuse(f"discards.{name}", f"{discards.bit_count()} cards, but the number exchanged is {stood}")


def _check_talon(row: np.ndarray, player: int) -> None:
    """What was exchanged, and what was left and seen, is as large as the parts of the talon allow."""
    for who in range(2):
        _check_number(row, who)
    dealt, drawn, seen, left, retaken = _talon_cards(row, player)
    elder, numbers = row[at.ELDER], talon_numbers(row, player)
    for field, mask, number in zip(("seen", "elder_left", "retaken"), (seen, left, retaken), numbers, strict=True):
        if mask.bit_count() != number:
            _refuse(field, f"expected {number} cards, got {mask.bit_count()}")
    _refuse_cards("seen", seen & (dealt | drawn), "they were dealt to the player or drawn by him")
    _refuse_cards("elder_left", left & ~leftovers_among(row, player), "not where elder's cards lay")
    _refuse_cards("retaken", retaken & ~left, "elder did not leave them")
    if player != elder:
        _refuse_cards("retaken", retaken ^ left & drawn, "not what younger drew of elder's cards")
    elif row[at.OPEN_HANDS]:
        _refuse_cards("retaken", retaken & ~int(row[at.DRAWN + 1 - player]), "younger did not draw them")


def _check_number(row: np.ndarray, who: int) -> None:
    """As many cards are exchanged, or discarded so far, as a player may."""
    elder, stood, discards = int(row[at.ELDER]), int(row[at.EXCHANGED + who]), max(int(row[at.DISCARDS + who]), 0)
    has_begun = elder >= 0 and (who == elder or row[at.EXCHANGED + elder] >= 0)
    most = int(part_stop(row, who) - part_start(row, who)) if has_begun else 0
    taken = max(stood, discards.bit_count())
    if taken > most:
        _refuse(f"exchanged.{PLAYERS[who]}", f"expected at most {most} cards, got {taken}")
    least = row[at.MINIMUM_EXCHANGE] if who == elder else row[at.YOUNGER_MINIMUM_EXCHANGE]
    if 0 <= stood < least:
        _refuse(f"exchanged.{PLAYERS[who]}", f"expected at least {least} cards, got {stood}")


def _talon_cards(row: np.ndarray, player: int) -> list[int]:
    columns = (at.DEALT + player, at.DRAWN + player, at.SEEN + player, at.ELDER_LEFT + player, at.RETAKEN)
    return [int(row[column]) for column in columns]


def leftovers_among(row: np.ndarray, player: int) -> int:
    """The cards among which are those that the player knows as elder's leftovers."""
    seen, drawn = int(row[at.SEEN + player]), max(int(row[at.DRAWN + player]), 0)
    return seen if player == row[at.ELDER] or row[at.YOUNGER_SEES_LEFTOVERS] else seen | drawn


def talon_numbers(row: np.ndarray, player: int) -> tuple[int, int, int]:
    """How many cards the player has seen in the talon, knows as elder's leftovers, and as retaken by younger."""
    elder = int(row[at.ELDER])
    if elder < 0 or row[at.EXCHANGED + player] < 0:
        return 0, 0, 0
    left = int(row[at.ELDER_TALON] - row[at.EXCHANGED + elder])
    younger = int(row[at.EXCHANGED + 1 - elder])
    retaken = min(left, max(younger, 0)) if row[at.YOUNGER_DRAWS_LEFTOVERS] else 0
    if player == elder:
        return left, left, retaken
    own = int(part_stop(row, player) - part_start(row, player)) - younger
    if row[at.YOUNGER_SEES_LEFTOVERS]:
        return own + left, left, retaken
    return own, left if row[at.YOUNGER_DRAWS_LEFTOVERS] else 0, retaken


def _refuse_cards(field: str, cards: int, reason: str) -> None:
    if cards:
        _refuse(field, f"{hand_text(cards)}: {reason}")


def _refuse(field: str, reason: str) -> NoReturn:
    raise ViewError(field, reason)
