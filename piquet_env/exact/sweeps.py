"""Sweeps over a tree in sequence form, compiled: each takes time in proportion to its ends and information sets.

A policy is float64 (sequences,), the probability of the action that ends each sequence (of 0 and 1: 1). A plan is the
product of a player's own probabilities along each sequence. A player's gains at a sequence are the points that he
gets where it ends, times how often the other comes there. Points are summed over the deals, not averaged.
"""

import numpy as np

from piquet_env.engine.compiled import compiled


@compiled
def write_plan(firsts, parents, policy, plan):
    """The plans of both players."""
    plan[0] = plan[1] = 1
    for infoset in range(len(parents)):
        above = plan[parents[infoset]]
        for sequence in range(firsts[infoset], firsts[infoset + 1]):
            plan[sequence] = above * policy[sequence]


@compiled
def write_gains(ends, plan, player, gains):
    """Of one player at his sequences: what the ends bring against the other's plan; the rest of `gains` becomes 0."""
    gains[:] = 0
    other, sign = 1 - player, 1 - 2 * player
    for end in range(len(ends)):
        gains[ends[end, player]] += sign * ends[end, 2] * plan[ends[end, other]]


@compiled
def value_between(ends, plan_0, plan_1):
    """The dealer's points, when he plays one plan and the other another."""
    value = 0.0
    for end in range(len(ends)):
        value += ends[end, 2] * plan_0[ends[end, 0]] * plan_1[ends[end, 1]]
    return value


@compiled
def maximise(firsts, parents, players, player, gains, policy):
    """A best response of one player: adds up his gains from the last choice to the first; his value.

    Writes 1 for the best action at each of his information sets (of equal ones the first) and 0 for the others.
    """
    for infoset in range(len(parents) - 1, -1, -1):
        if players[infoset] == player:
            first, stop = np.int64(firsts[infoset]), np.int64(firsts[infoset + 1])
            best = first
            for sequence in range(first, stop):
                policy[sequence] = 0
                if gains[sequence] > gains[best]:
                    best = sequence
            policy[best] = 1
            gains[parents[infoset]] += gains[best]
    return gains[player]


@compiled
def spread_policy(firsts, infosets, probabilities, policy):
    """Write the probabilities (B, 80) in these information sets, negative for illegal actions, into a policy."""
    for i in range(len(infosets)):
        sequence = np.int64(firsts[infosets[i]])
        for action in range(probabilities.shape[1]):
            if probabilities[i, action] >= 0:
                policy[sequence] = probabilities[i, action]
                sequence += 1


@compiled
def match_regrets(firsts, parents, players, player, gains, regrets, policy):
    """One player's update of CFR+: his regrets, never below 0, and from them his next policy.

    The gains are added up from the last choice to the first, with the policy that is replaced.
    """
    for infoset in range(len(parents) - 1, -1, -1):
        if players[infoset] == player:
            first, stop = np.int64(firsts[infoset]), np.int64(firsts[infoset + 1])
            value, total = 0.0, 0.0
            for sequence in range(first, stop):
                value += policy[sequence] * gains[sequence]
            for sequence in range(first, stop):
                regrets[sequence] = max(regrets[sequence] + gains[sequence] - value, 0.0)
                total += regrets[sequence]
            for sequence in range(first, stop):
                policy[sequence] = regrets[sequence] / total if total > 0 else 1 / (stop - first)
            gains[parents[infoset]] += value


@compiled
def policy_of_plan(firsts, plan, policy):
    """The policy that comes to a plan; where it never comes, all actions are equally likely."""
    for infoset in range(len(firsts) - 1):
        first, stop = np.int64(firsts[infoset]), np.int64(firsts[infoset + 1])
        total = 0.0
        for sequence in range(first, stop):
            total += plan[sequence]
        for sequence in range(first, stop):
            policy[sequence] = plan[sequence] / total if total > 0 else 1 / (stop - first)
