"""All that the hidden cards may be in a position, slow and obvious: every deal is tried in tests/naive.py.

Written from the rules page and independent of piquet_env.belief. A world is a deal and what the other discarded; it is
possible when, played again, it is the same to `me` (positions.knowledge_key). Two things are settled by agreement: who
is in the middle of his exchange has discarded nothing yet, and a carte blanche that he has not shown he has refused.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import naive
from positions import Position, knowledge_key, retaken, surely_held


@dataclass(frozen=True)
class World:
    """What is hidden from one player; the talon is in order."""

    dealt: frozenset
    discards: frozenset
    drawn: frozenset
    holds: frozenset
    talon: tuple[str, ...]


def numbers(position: Position, twin: naive.NaiveGame, me: int) -> tuple[int, range]:
    """How many cards the other has exchanged, and the places of the talon from which he drew them."""
    number = twin.exchanged[1 - me] or 0
    if twin.elder in (None, 1 - me):
        return number, range(number)
    pile = position.rules.younger_draws_leftovers
    first = (twin.exchanged[me] or 0) if pile else position.rules.elder_talon
    return number, range(first, first + number)


def all_worlds(position: Position, twin: naive.NaiveGame, me: int) -> list[World]:
    """Every world that is possible: all deals of the cards that `me` was not dealt, and all discards."""
    size = position.rules.hand_size
    mine = set(position.cards[me * size : (me + 1) * size])
    rest = [card for card in position.cards if card not in mine]
    key, found = knowledge_key(position, twin, me), []
    for hand in itertools.combinations(rest, size):
        for talon in itertools.permutations(card for card in rest if card not in hand):
            found += _worlds_of(position, twin, me, hand, talon, key)
    return found


def _worlds_of(position, twin, me, hand, talon, key) -> Iterator[World]:
    number, places = numbers(position, twin, me)
    choices = itertools.combinations(hand, number)
    if position.rules.open_hands:  # his discards so far are seen
        choices = [tuple(twin.discards[1 - me])] if twin.discards[1 - me] <= set(hand) else []
    for discards in choices:
        if (holds := _played_again(position, twin, me, hand, talon, discards, key)) is not None:
            drawn = frozenset(talon[place] for place in places)
            yield World(frozenset(hand), frozenset(discards), drawn, holds, talon)


def _played_again(position, twin, me, hand, talon, discards, key) -> frozenset | None:
    """What the other holds in the end when it can be the same to `me`, else None."""
    size, cards = position.rules.hand_size, list(position.cards)
    cards[(1 - me) * size : (2 - me) * size] = hand
    cards[2 * size :] = talon
    changed = replace(position, cards=tuple(cards))
    for _, game in _the_same(changed, position, twin, me, discards, key):
        return frozenset(game.hands[1 - me])
    return None


def ways_to_act(changed: Position, position: Position, twin: naive.NaiveGame, me: int, discards: list) -> list[tuple]:
    """The actions of each way to play the changed deal so that it is the same to `me`: what the other named differs."""
    key = knowledge_key(position, twin, me)
    return [actions for actions, _ in _the_same(changed, position, twin, me, discards, key)]


def _the_same(changed, position, twin, me, discards, key) -> Iterator:
    """(actions, game) of each such way."""
    for actions, game in _continuations(changed.twin(), (), _script(position, twin, me, discards), twin, me):
        if knowledge_key(replace(changed, actions=actions), game, me) == key:
            yield actions, game


def _script(position, twin, me, discards) -> list[list[str]]:
    """What each has done, in order, but for what the other declared; his discards are these."""
    mine = [text for player, text in position.actions if player == me]
    theirs = [text for player, text in position.actions if player != me and not text.startswith(("discard", "stand"))]
    words = ("point", "sequence", "set", "none", "play")
    calls = [text for text in theirs if not text.startswith(words) and text != "carte blanche"]
    stood = ["stand"] if twin.exchanged[1 - me] is not None else []
    plays = [text for text in theirs if text.startswith("play")]
    script = [[], []]
    script[me], script[1 - me] = mine, [*calls, *[f"discard {card}" for card in discards], *stood, *plays]
    return script


def _continuations(game, actions, script, twin, me) -> Iterator:
    """(actions, game) at the end of every way to go through the script."""
    while game.phase != "over":
        they = 1 - me
        if game.to_act == they and game.phase == "carte blanche":
            text = "carte blanche" if twin.score[they]["carte_blanche"] else "none"
        elif game.to_act == they and game.phase in naive.CATEGORIES:
            yield from _declarations(game, actions, script, twin, me)
            return
        else:
            queue = script[game.to_act]
            if not queue:
                break
            text, script = queue[0], [q[1:] if who == game.to_act else q for who, q in enumerate(script)]
        if text not in game.legal():
            return
        actions = (*actions, (game.to_act, text))
        game.act(text)
    if not any(script):
        yield actions, game


def _declarations(game, actions, script, twin, me) -> Iterator:
    """All that he may have named with the words that he said."""
    words = twin.said[game.phase][1 - me]
    if words is None:
        if not any(script):
            yield actions, game
        return
    said = {key: value for key, value in words.items() if key != "pips"}
    options = {
        holding.text for holding in game.holdings(game.phase, game.to_act) if naive.words(game.phase, holding) == said
    }
    for text in {"none"} if "none" in said else options & set(game.legal()):
        other = copy.deepcopy(game)
        other.act(text)
        yield from _continuations(other, (*actions, (1 - me, text)), script, twin, me)


# ------------------------------------------------------------------ large packs: hands, and the ways to each


def final_hands(position: Position, twin: naive.NaiveGame, me: int) -> list[frozenset]:
    """Every hand of the other after both have exchanged, tried with one of the ways in which he may have got it."""
    key, found = knowledge_key(position, twin, me), []
    for hand in candidates(position, twin, me):
        way = next(ways(position, twin, me, hand), None)
        if way is not None:
            dealt, discards, talon = way
            if _played_again(position, twin, me, sorted(dealt), talon, discards, key) is not None:
                found.append(hand)
    return found


def candidates(position, twin, me) -> Iterator[frozenset]:
    """Every choice of cards that `me` has not seen elsewhere, with those that he has seen in the hand."""
    certain = surely_held(twin, 1 - me) | (retaken(twin) if me == twin.elder else set())
    free = _unplaced(position, twin, me) - certain
    for some in itertools.combinations(sorted(free), position.rules.hand_size - len(certain)):
        yield frozenset(certain | set(some))


def _unplaced(position, twin, me) -> set:
    size = position.rules.hand_size
    mine = set(position.cards[me * size : (me + 1) * size])
    return set(position.cards) - mine - twin.drawn[me] - twin.looked_at[me]


def ways(position, twin, me, hand) -> Iterator[tuple[frozenset, tuple, tuple]]:
    """(dealt, discards, talon) of every way to a hand; of the orders of the talon one."""
    they, size = 1 - me, position.rules.hand_size
    number, _ = numbers(position, twin, me)
    unplaced = _unplaced(position, twin, me)
    fixed = retaken(twin) if me == twin.elder else set()
    shown = frozenset(position.cards[they * size : (they + 1) * size]) if twin.score[they]["carte_blanche"] else None
    for drawn in itertools.combinations(sorted(hand - fixed), number - len(fixed)):
        for discards in itertools.combinations(sorted(unplaced - hand), number):
            dealt = frozenset(hand - set(drawn) - fixed | set(discards))
            if shown in (None, dealt):
                yield dealt, discards, _talon(position, twin, me, drawn, unplaced - dealt - set(drawn))


def _talon(position, twin, me, drawn, left) -> tuple:
    """The talon with these cards drawn and left; what `me` knows of it lies where it did."""
    known, (_, places) = twin.drawn[me] | twin.looked_at[me], numbers(position, twin, me)
    drawn, left, talon = list(drawn), sorted(left), list(position.cards[2 * position.rules.hand_size :])
    for place, card in enumerate(talon):
        if card not in known:
            talon[place] = drawn.pop() if place in places else left.pop()
    return tuple(talon)
