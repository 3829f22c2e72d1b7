"""What the hidden cards may be: every hand that the other player may have, how likely each is, and whole games drawn.

    hands, arrangements = opponent_hands(row, 0)     # every hand that player_1 may hold now, as player_0 knows
    marginals(row, 0)                                # the probability of each card to be in it
    sample_hidden(env, 0, n=100, seed=1)             # 100 full games that player_0 cannot tell from this one
    weighted_hands(row, 0, bot)                      # the same hands, weighted by how that bot would have acted

`possible_hands` is the compiled list, for searches. All of it reads what that player may know and nothing else, so the
row as he knows it (knowledge.hide) gives the same answers as the true one.
"""

from piquet_env.belief.weighted import weighted_hands
from piquet_env.belief.worlds import marginals, opponent_hands, sample_hidden
from piquet_env.knowledge.hands import MOST_HANDS, most_hands, possible_hands

__all__ = [
    "MOST_HANDS",
    "marginals",
    "most_hands",
    "opponent_hands",
    "possible_hands",
    "sample_hidden",
    "weighted_hands",
]
