"""Positions of the play as a person gives them: a record's, or two hands in words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS
from piquet_env.engine.intrinsics import popcount
from piquet_env.engine.scoring import BONUS_PIQUE, add, earns_pique, look_for_pique, reaches_stop
from piquet_env.notation import hand_text, parse_hand
from piquet_env.options import announce_compiling
from piquet_env.records import PLAYERS, Record, is_partie, load_record, new_row, read_records, steps
from piquet_env.rules import Rules

_STAKES = {"": 1, "x": 2, "xx": 4}


class Play(NamedTuple):
    """What a record holds of the play of its (last) deal."""

    row: NDArray[np.int64]
    """The position that is asked for."""
    before: list[NDArray[np.int64]]
    """The row before each card that was played from there on."""
    cards: list[int]
    """Those cards."""


def record_of(file: Path, line: int) -> Record:
    """The record on a line (from 1) of a file. Raises RecordError, OSError; ValueError where there is no such line."""
    if file.is_file():  # records are played when they are read
        announce_compiling()
    last = 0
    for last, record in read_records(file):
        if last == line:
            return record
    raise ValueError(f"line: expected 1 to {last} in {file}, got {line}")


def play_of(record: Record, trick: int | None) -> Play:
    """The play of a record's last deal, from the lead to a trick (from 1).

    trick: None: from the first one; where the deal is not over, from where it stands.

    Raises:
        ValueError: the record does not go as far.
    """
    end = new_row()
    load_record(record, end, is_partie(record), 0)
    before, cards = [], []
    for row, action in steps(record):
        if row[at.ACTED] == 0:
            before, cards = [], []
        if row[at.PHASE] == at.PLAY:
            before.append(row.copy())
            cards.append(action)
    if not before and end[at.PHASE] != at.PLAY:
        raise ValueError(f"the deal has not come to the play: {_where(end)}; expected a record that goes so far")
    if trick is None:
        return Play(end, [], []) if end[at.PHASE] == at.PLAY else Play(before[0], before, cards)
    leads = [n for n, row in enumerate([*before, end]) if row[at.LED] < 0 and row[at.PHASE] == at.PLAY]
    if not 1 <= trick <= len(leads):
        raise ValueError(f"trick: expected 1 to {len(leads)}, as far as the record goes, got {trick}")
    first = leads[trick - 1]
    return Play([*before, end][first], before[first:], cards[first:])


def _where(row: NDArray[np.int64]) -> str:
    if row[at.IS_THROWN_IN]:
        return "the cards were thrown in"
    if row[at.PHASE] >= at.DEAL_OVER:
        return "it stopped before"
    phase = at.Phase(int(row[at.PHASE])).name.lower().replace("_", " ")
    return f"{PLAYERS[row[at.ACTOR]]} is to act, {phase}"


def play_between(
    hands: tuple[str, str],
    rules: Rules,
    contract: str = "",
    elder: int = 0,
    leader: int | None = None,
    won: tuple[int, int] = (0, 0),
    points: tuple[int, int] | None = None,
) -> Play:
    """A position at the lead to a trick, of hands as text.

    Args:
        hands: player_0's and player_1's, equally long; shorter than dealt: late in the play.
        rules: what is played.
        contract: as "+8", "-7x" (doubled), "+9xx" (redoubled); "" in classic Piquet.
        elder: who is elder; he is the maker of the contract.
        leader: who leads; None: elder.
        won: the tricks that they have won before.
        points: what they have scored so far, declarations, play, and repique or pique; None: a point for each trick
            won, and pique if these have earned it.

    Raises:
        ValueError: no such hands, contract, players or numbers.
    """
    row = new_row()
    game.reseed(row, rules.columns(), 0, 0)
    row[at.PHASE], row[at.LED], row[at.ELDER], row[at.DEALER] = at.PLAY, -1, _player("elder", elder), 1 - elder
    row[at.ACTOR] = _player("leader", elder if leader is None else leader)
    row[at.HANDS : at.HANDS + 2] = row[at.DEALT : at.DEALT + 2] = _hands(hands, rules)
    row[at.TRICK] = rules.hand_size - popcount(row[at.HANDS])
    _put_contract(row, contract, rules)
    if min(won) < 0 or sum(won) != row[at.TRICK]:
        raise ValueError(f"won: expected two numbers with the sum {row[at.TRICK]}, the tricks before, got {won}")
    row[at.WON : at.WON + 2] = won
    _put_points(row, points)
    return Play(row, [], [])


def _put_points(row: NDArray[np.int64], points: tuple[int, int] | None) -> None:
    """What they have scored; who has earned pique has it, so that it is not given again."""
    for player, won in enumerate(row[at.WON : at.WON + 2].tolist()):
        scored = won if points is None else points[player]
        if not won <= scored <= at.MANY:
            least = f"at least {won} of {PLAYERS[player]}, one for each trick won"
            raise ValueError(f"points: expected {least}, got {scored}")
        add(row, player, at.ITEM_POINT, scored)
    for player in range(2):
        if points is not None and earns_pique(row, player, 0):
            add(row, player, at.ITEM_POINT, -BONUS_PIQUE)
            if not earns_pique(row, player, 0):
                raise ValueError(f"points: with {points[player]} to 0 there is pique: expected its {BONUS_PIQUE} too")
        look_for_pique(row, player)
        if reaches_stop(row, player, 0):
            raise ValueError(f"points: with so many of {PLAYERS[player]} the deal has stopped")


def _player(name: str, player: int) -> int:
    if player not in (0, 1):
        raise ValueError(f"{name}: expected 0 or 1, got {player}")
    return player


def _hands(texts: tuple[str, str], rules: Rules) -> list[int]:
    """Two hands that are equally long, of the pack, without a card in common."""
    try:
        hands = [parse_hand(text) for text in texts]
    except ValueError as error:
        raise ValueError(f"hands: {error}") from error
    counts = [hand.bit_count() for hand in hands]
    if counts[0] != counts[1] or not 1 <= counts[0] <= rules.hand_size:
        raise ValueError(f"hands: expected equally many cards, 1 to {rules.hand_size}, got {counts[0]} and {counts[1]}")
    for what, wrong in (
        ("in both hands", hands[0] & hands[1]),
        ("not in the pack", (hands[0] | hands[1]) & ~rules.pack),
    ):
        if wrong:
            raise ValueError(f"hands: these cards are {what}: {hand_text(wrong & (1 << CARDS) - 1)}")
    return hands


def _put_contract(row: NDArray[np.int64], text: str, rules: Rules) -> None:
    if not rules.auction:
        if text:
            raise ValueError(f"contract: expected none in classic Piquet, got {text!r}")
        return
    found = re.fullmatch(r"([+-])([0-9]{1,2})(x{0,2})", text)
    lowest, highest = rules.lowest_level, rules.highest_level
    if found is None or not lowest <= int(found[2]) <= highest:
        form = f"+ or -, {lowest} to {highest}, and x for doubled or xx for redoubled, as in -{lowest}x"
        raise ValueError(f"contract: expected {form}, got {text!r}" if text else f"contract: missing; expected {form}")
    row[at.IS_MINUS], row[at.LEVEL], row[at.STAKE] = found[1] == "-", int(found[2]), _STAKES[found[3]]
    row[at.BIDDER] = row[at.ELDER]
