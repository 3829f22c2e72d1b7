"""Exact measures of a tiny game in another process; a program.

    python tests/exact_program.py

prints a JSON object: whether functions are compiled, and the numbers.
"""

import json

from exact_twin import Scrambled

from piquet_env.engine.compiled import JIT
from piquet_env.exact import best_response, equilibrium, exploitability, information_sets, value

RULES = {"base": "micro", "suits": "S", "hand_size": 1, "elder_talon": 0, "highest_level": 1}


def numbers() -> dict:
    """Of a tree, two bots, a best response, and a few iterations of CFR+."""
    bot = Scrambled(5)
    measured, tree = exploitability(bot, RULES), information_sets(RULES)
    return {
        "sizes": [len(tree), tree.nodes, tree.sequences, len(tree.ends)],
        "value": list(map(list, measured.value)),
        "best_response": list(map(list, measured.best_response)),
        "table": best_response(bot, RULES).sha256,
        "between": value(bot, Scrambled(6), RULES),
        "points": [point.exploitability for point in equilibrium(RULES, 3).points],
    }


if __name__ == "__main__":
    print(json.dumps({"jit": JIT, "numbers": numbers()}))
