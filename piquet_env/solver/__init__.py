"""Exact play with both hands known: what every card is worth, from any position of the play."""

from piquet_env.solver.api import NOT_LEGAL, card_values, deal_values

__all__ = ["NOT_LEGAL", "card_values", "deal_values"]
