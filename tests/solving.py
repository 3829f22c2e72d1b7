"""The solver in another process; a program.

    python tests/solving.py FILE

solves the positions of a .npy file and prints a JSON object: a digest of all values, and how many of the loops that
Python calls had to be compiled.
"""

import hashlib
import json
import sys

import numpy as np

from piquet_env.engine.compiled import JIT
from piquet_env.solver import api, card_values, deal_values

OBJECTIVES = ("score", "tricks")


def digest(rows: np.ndarray) -> str:
    """Of everything that the solver says of some positions."""
    values = [solve(rows, objective, threads=1) for solve in (card_values, deal_values) for objective in OBJECTIVES]
    return hashlib.sha256(b"".join(each.tobytes() for each in values)).hexdigest()


def count_compiled() -> int:
    """How many of the loops over positions were not on disk."""
    loops = (api._score_cards, api._count_cards, api.score_deals, api.count_deals) if JIT else ()
    return sum(sum(loop.stats.cache_misses.values()) for loop in loops)


if __name__ == "__main__":
    made = digest(np.load(sys.argv[1]))
    print(json.dumps({"digest": made, "compiled": count_compiled()}))
