"""CFR+ by OpenSpiel on a small game: how far its average policy is from an equilibrium, and the policy as a bot.

python -m training.examples.openspiel_cfr        # half a minute
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from training.examples.extras import needed

with needed("examples"):
    import pyspiel
    from rich.progress import track

    from piquet_env.envs.openspiel import SpielBot  # this registers the game
    from piquet_env.exact import exploitability
    from training.examples.measure import run

RULES = {"base": "micro", "highest_level": 1, "sinking": False}


@dataclass(frozen=True)
class Options:
    """CFR+ by OpenSpiel."""

    iterations: int = 100
    """Of CFR+, each through the whole game."""


def main(options: Options, rules: dict[str, Any] = RULES) -> None:
    """Print exploitability, in points per deal, after 1, 10, 100, ... iterations; then what `piquet_env` measures."""
    game = pyspiel.load_game("python_auction_piquet", {"rules": json.dumps(rules), "dealer": "player_0"})
    cached = pyspiel.load_game(f"cached_tree(game={game})")  # so that Python is asked about each state only once
    solver = pyspiel.CFRPlusSolver(cached)
    for iteration in track(range(1, options.iterations + 1), "CFR+"):
        solver.evaluate_and_update_policy()
        if iteration in (1, 10, 100, 1000, options.iterations):
            print(f"{iteration:5} iterations: {pyspiel.exploitability(cached, solver.average_policy()):8.4f}")
    bot = SpielBot(game, solver.average_policy())
    print(f"as a bot, by piquet_env.exact: {exploitability(bot, rules, dealers=(0,)).exploitability:.4f}")


if __name__ == "__main__":
    run(main, Options)
