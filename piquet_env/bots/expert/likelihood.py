"""How likely each world is: how well it explains what the other did.

A world is a full game that the player to act cannot tell from the true one (piquet_env.belief). All are equally likely
before it is asked what the other would have done in them. Weighing them so (Rebstock and others, 2019) is the remedy
for one fault of playing on sampled worlds: that what a good player would never hold counts as much as what he would.
"""

import math

import numpy as np

from piquet_env.bots.greedy_auction import prospects_of, worth_of_call
from piquet_env.bots.greedy_exchange import cards_out, least_worth, point_kept, worth_of_card
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.batch import begin_as_dealt
from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import legal_actions, take_action
from piquet_env.engine.intrinsics import lowest_bit, row_of

# What is worth so much less to greedy is e times less likely to have been done.
CALL_TEMPERATURE = 15.0  # points
DISCARD_TEMPERATURE = 0.5  # tricks


@compiled
def draw(worlds, me, start, picked, scratch):
    """Pick worlds in proportion to the likelihood of what the other called and discarded: writes int64 (n,), numbers.

    Systematic: at equal steps of the running sum, the first after the part `start` (from 0 to 1) of a step.
    """
    likelihood, cards = np.empty(len(worlds)), np.empty(CARDS, np.int64)
    for i in range(len(worlds)):
        likelihood[i] = log_likelihood(row_of(worlds, i), 1 - me, row_of(scratch, 0), cards)
    likelihood = np.exp(likelihood - likelihood.max())
    step = likelihood.sum() / len(picked)
    world, reached = 0, likelihood[0]
    for n in range(len(picked)):
        while reached < (n + start) * step and world < len(worlds) - 1:
            world += 1
            reached += likelihood[world]
        picked[n] = world


@compiled
def log_likelihood(world, they, again, cards):
    """Of one player's calls and discards, taken again in `again`; `cards` is overwritten."""
    begin_as_dealt(world, again, cards)
    total = 0.0
    for n in range(world[at.ACTED]):
        if again[at.PHASE] > at.EXCHANGE:
            break
        done = at.packed(world, at.HISTORY, n)
        if done >> 7 == they:
            if again[at.PHASE] == at.AUCTION:
                total += _log_of_call(again, done & 127)
            elif again[at.PHASE] == at.EXCHANGE and again[at.DISCARDS + they] == 0:
                total += _log_of_discards(again, world[at.DISCARDS + they])
        take_action(again, done & 127)
    return total


@compiled
def _log_of_call(row, call):
    """A softmax of what the calls are worth to greedy."""
    words, prospects = legal_actions(row), prospects_of(row)
    worth, total = worth_of_call(row, call, prospects), 0.0
    for other in range(act.PLUS, act.REDOUBLE + 1):
        if act.contains(words, other):
            total += math.exp(min((worth_of_call(row, other, prospects) - worth) / CALL_TEMPERATURE, 100.0))
    return -math.log(total)


@compiled
def _log_of_discards(row, discards):
    """How much more greedy would keep these cards than those it would throw."""
    his, point, hand, kept = cards_out(row), point_kept(row), row[at.HANDS + row[at.ACTOR]], 0.0
    while discards:
        card = lowest_bit(discards)
        discards &= discards - 1
        worst, least = least_worth(row, hand, his, point)
        kept += worth_of_card(row, card, his, point) - least
        hand ^= 1 << worst
    return -kept / DISCARD_TEMPERATURE
