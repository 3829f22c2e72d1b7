"""Deals with given hands, played action by action by text, for cases worked by hand."""

import helpers
import numpy as np
from helpers import cards_of

from piquet_env import Rules, action_index
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.notation import parse_hand, parse_talon, rules_of


def deal(rules, elder, younger, talon=None, dealer=1) -> np.ndarray:
    """player_0 has the first hand; without `talon` it is the rest of the pack in order."""
    rules = Rules.make(rules)
    hands = parse_hand(elder), parse_hand(younger)
    rest = cards_of(rules.pack & ~hands[0] & ~hands[1]) if talon is None else parse_talon(talon)
    return helpers.set_up(rules, dealer, [*cards_of(hands[0]), *cards_of(hands[1]), *rest])


def play(row, *moves) -> np.ndarray:
    """Each move is a player's digit and the action's text: "0 +7"."""
    for move in moves:
        player, text = move.split(" ", 1)
        assert row[at.ACTOR] == int(player), move
        assert game.apply_action(row, action_index(text, rules_of(row))), move
    return row


def contract(rules, bid, elder, younger) -> np.ndarray:
    """player_0 bids, player_1 passes, and nobody exchanges."""
    return play(deal(rules, elder, younger), f"0 {bid}", "1 pass", "0 stand", "1 stand")
