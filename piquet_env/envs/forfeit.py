"""What an illegal action costs where it ends the episode: no less than any legal way of losing it.

A learner that could end a bad deal cheaply would learn to make illegal moves. The bounds are loose: no hand has the best
point, sequences and sets at once.
"""

from __future__ import annotations

from piquet_env.engine.declarations import QUATORZE, SEQUENCE_POINTS, TRIO
from piquet_env.engine.scoring import BONUS_REPIQUE, CAPOT, PER_TRICK_OF_CONTRACT
from piquet_env.rules import Rules

_MOST_STAKE = 4  # redoubled
_OF_A_CARD = max(points / max(length, 1) for length, points in enumerate(SEQUENCE_POINTS)) + max(QUATORZE / 4, TRIO / 3)


def forfeit(rules: Rules, episode: str, reward: str) -> float:
    """The reward, below 0, that a learner gets who loses the episode by an illegal action.

    "win": -1. "score": as many points as a player can at most lose by in a deal, for every deal of the episode.
    "payment": as much as a partie can cost at most. What had been gained before in the episode is thereby lost too.
    """
    if reward == "win":
        return -1.0
    if reward == "payment" and rules.stop_at is not None:
        return -2.0
    most = _most_points(rules, episode)
    return -float(most + rules.rubicon + most if reward == "payment" else most)


def _most_points(rules: Rules, episode: str) -> int:
    """More than a player can score in the episode, and so more than he can be ahead by."""
    deal = most_points_of_a_deal(rules)
    if episode == "deal":
        return deal
    if rules.stop_at is not None:
        return rules.stop_at + deal
    return (rules.deals + rules.extra_deals_on_tie) * deal


def most_points_of_a_deal(rules: Rules) -> int:
    """What no player can score more than in a deal."""
    tricks = rules.hand_size
    declared = rules.carte_blanche + len(rules.ranks) + _OF_A_CARD * tricks + BONUS_REPIQUE
    in_play = 2 * tricks + 1 + CAPOT  # for each card led and each trick, and the last
    contract = PER_TRICK_OF_CONTRACT * tricks * _MOST_STAKE if rules.auction else 0
    return int(declared + in_play + contract) + 1
