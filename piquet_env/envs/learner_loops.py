"""Compiled loops over the games where something is to be done: `places`, int64 (n,), are their numbers.

A player is *spared* whose forced moves are left to be made; all others are made at once. No rule is here.
"""

from __future__ import annotations

from piquet_env.engine import layout as at
from piquet_env.engine.actions import count, nth
from piquet_env.engine.batch import end_deal
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.game import legal_actions, take_action
from piquet_env.engine.intrinsics import fence, row_of, streamed_row_of
from piquet_env.envs.auctions import begin_episode, settle_deal
from piquet_env.knowledge.encode import encode
from piquet_env.knowledge.observe import put_mask


@compiled
def restart_at(rows, places, playout):
    """Begin the next episode of these games; their generators go on."""
    for i in places:
        begin_episode(row_of(rows, i), playout)


@compiled
def take_at(rows, places, actions, spared):
    """A legal action, int64 (n,), in each of these games, and then the forced moves, up to the end of the deal.

    spared int64 (N,): whose forced moves stay to be made, 0 or 1; -1: nobody's.
    """
    for n in range(len(places)):
        row = row_of(rows, places[n])
        take_action(row, actions[n])
        _play_forced(row, spared[places[n]])


@compiled
def play_forced_at(rows, places, spared):
    """The forced moves that these games begin with."""
    for i in places:
        _play_forced(row_of(rows, i), spared[i])


@inlined
def _play_forced(row, spared):
    words = legal_actions(row)
    while row[at.ACTOR] != spared and count(words) == 1:
        take_action(row, nth(words, 0))
        words = legal_actions(row)


@compiled
def end_deals_at(rows, places, kind, playout, seats, gained, finished):
    """These deals are over: keep their rows in `finished`, int64 (N, columns), aligned; deal the next ones.

    gained int64 (N,) grows by what each learner, the player seats[i], gets for it; kind of reward (engine.batch).
    """
    for i in places:
        row = row_of(rows, i)
        settle_deal(row, playout)
        reward = end_deal(row, kind, streamed_row_of(finished, i))
        gained[i] += reward if seats[i] == 0 else -reward
    fence()


@compiled
def look_at_places(rows, places, seats, observation, mask):
    """What the learner of each of these games sees, and may do if it is to act.

    Writes the n rows of observation int8 (n, D) and mask int8 (n, 80).
    """
    for n in range(len(places)):
        i = places[n]
        row = row_of(rows, i)
        encode(row, seats[i], row_of(observation, n))
        put_mask(legal_actions(row), row_of(mask, n))
