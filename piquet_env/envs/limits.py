"""How long and how dear a deal can be at most: what OpenSpiel asks of a game, and what an illegal action must cost."""

from __future__ import annotations

from piquet_env.engine.declarations import QUATORZE, SEQUENCE_POINTS, TRIO
from piquet_env.engine.scoring import BONUS_PIQUE, BONUS_REPIQUE, CAPOT, PER_TRICK_OF_CONTRACT
from piquet_env.rules import Rules

_REDOUBLED = 4
_SMALLEST_SET, _LARGEST_SET = 3, 4


def most_decisions(rules: Rules, skip_forced: bool) -> int:
    """Decisions of both players in an episode of one deal, at most.

    The longest auction is a pass, a bid and a double of each level, and a redouble; each card is discarded or played at
    most once. Where forced actions are skipped the last trick is none; and neither is `stand` after as many discards as
    there may be, and after fewer it takes the place of one, but for the elder whose leftovers younger draws.
    """
    auction = 2 * len(rules.levels) + 2 if rules.auction else int(rules.carte_blanche > 0)
    cards = len(rules.suits) * len(rules.ranks)
    stands, declarations = 2, 6 if rules.sinking else 0
    forced = (3 if rules.younger_draws_leftovers else 4) if skip_forced else 0
    thrown_in = 2 * (rules.max_thrown_in - 1) if rules.auction else 0
    return thrown_in + auction + cards + stands + declarations - forced


def most_points(rules: Rules) -> int:
    """No player scores more in a deal, and so none gets more than the other by more: nothing is scored below 0.

    Each kind of points at its own highest: a card of a hand scores at most so much in the best sequence, or set, that
    could be. No game need reach all of this at once.
    """
    declared = rules.carte_blanche + min(rules.hand_size, len(rules.ranks))
    declared += rules.hand_size * (_most_of_sequences(rules) + _most_of_sets(rules))
    bonus = BONUS_REPIQUE if declared >= min(rules.repique, rules.minus_repique) else BONUS_PIQUE
    if not rules.auction:
        return int(declared + bonus + rules.hand_size + 1 + CAPOT)
    tricks = max(rules.hand_size - rules.lowest_level, rules.highest_level)
    return int(declared + bonus + rules.hand_size + CAPOT + _REDOUBLED * PER_TRICK_OF_CONTRACT * tricks)


def _most_of_sequences(rules: Rules) -> float:
    """Points for each card."""
    longest = min(rules.hand_size, len(rules.ranks))
    return max((SEQUENCE_POINTS[length] / length for length in range(1, longest + 1)), default=0)


def _most_of_sets(rules: Rules) -> float:
    """Points for each card."""
    number = min(rules.hand_size, len(rules.suits))
    return QUATORZE / number if number == _LARGEST_SET else TRIO / number if number == _SMALLEST_SET else 0
