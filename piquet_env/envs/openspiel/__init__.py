"""One deal as a game of OpenSpiel: importing this module registers `python_auction_piquet`.

    import pyspiel
    import piquet_env.envs.openspiel

    game = pyspiel.load_game("python_auction_piquet", {"rules": "micro"})

Parameters:

    rules         a ruleset's name, or a JSON object: '{"base": "micro", "highest_level": 1}'. Default "auction".
    dealer        "player_0", "player_1", or "random": the first that chance does. Default "random".
    skip_forced   nobody is asked where one action alone is legal. Default True.

Actions are the 80 of `auction_piquet_v0`. The return is the deal's own score less the opponent's; 0 where the deal is
thrown in for good. The tensors are the two seats, one-hot, and the environment's observation. It has one's own discards
as a set, and of deals thrown in their number; the information state string has those hands and the order of discards
too.

`cached_tree(game=python_auction_piquet(rules=micro))` asks Python about each state once, and keeps it: for CFR and for
exact measures of small games. For IS-MCTS take the bot of `open_spiel.python.algorithms.ismcts`: OpenSpiel's compiled
one cannot resample the states of any game that is written in Python, and ends the process.
"""

try:
    import pyspiel  # noqa: F401 (whether it is there)
except ImportError as error:
    raise ImportError("piquet_env.envs.openspiel needs OpenSpiel: pip install 'piquet-env[examples]'") from error

from piquet_env.envs.openspiel.game import NAME, AuctionPiquetGame, AuctionPiquetState
from piquet_env.envs.openspiel.policy import BotPolicy, SpielBot

__all__ = ["NAME", "AuctionPiquetGame", "AuctionPiquetState", "BotPolicy", "SpielBot"]
