"""Exact measures of the small rulesets, from their whole game tree: values, best responses, equilibria."""

from piquet_env.exact.equilibrium import Equilibrium, Point, equilibrium
from piquet_env.exact.measure import Exploitability, best_response, exploitability, value, work
from piquet_env.exact.tree import Tree, information_sets

__all__ = [
    "Equilibrium",
    "Exploitability",
    "Point",
    "Tree",
    "best_response",
    "equilibrium",
    "exploitability",
    "information_sets",
    "value",
    "work",
]
