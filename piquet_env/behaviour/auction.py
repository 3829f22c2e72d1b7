"""The auction: what the bot opens with, answers, doubles; which contracts it gets, and what becomes of them.

Contracts go by keys: "+7", "-12"; "+" and "-" for all of a sign, "all" for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from piquet_env.behaviour.deals import Booleans, Deals, Numbers
from piquet_env.behaviour.figures import Figure, mean, share
from piquet_env.engine import actions as act
from piquet_env.engine.auction import DOUBLED, REDOUBLED
from piquet_env.rules import Rules

ALL, PLUS, MINUS = "all", "+", "-"
MOST_CALLS = 2 + 2 * act.BIDS
_NO_CALL = -1


def contract_keys(rules: Rules) -> list[str]:
    """The keys of all contracts of the rules."""
    return [ALL, *(key for sign in (PLUS, MINUS) for key in (sign, *(f"{sign}{level}" for level in rules.levels)))]


def is_of(key: str, sign: Numbers, level: Numbers) -> Booleans:
    """Where contracts, or bids, of a sign (1, -1; 0: none) and level are of the key's."""
    found = sign != 0
    if key != ALL:
        found &= sign == (1 if key[0] == PLUS else -1)
        if key[1:]:
            found &= level == int(key[1:])
    return found


@dataclass(frozen=True)
class Calls:
    """The calls of the auctions in order: arrays (N, MOST_CALLS)."""

    action: Numbers
    """-1 after the last."""
    mine: Booleans
    before: Numbers
    """The call before it; -1: it is the first."""
    after: Numbers
    sign: Numbers
    """Of the last bid before it: 1, -1, 0 none."""
    level: Numbers

    @property
    def opening(self) -> Booleans:
        """Mine where nobody has bid yet."""
        return self.mine & ((self.before == _NO_CALL) | (self.before == act.PASS))

    @property
    def to_a_bid(self) -> Booleans:
        """Mine when the other has just bid."""
        return self.mine & _is_bid(self.before)

    @property
    def to_a_double(self) -> Booleans:
        """Mine when the other has just doubled."""
        return self.mine & (self.before == act.DOUBLE)


def _is_bid(actions: Numbers) -> Booleans:
    return (actions >= act.PLUS) & (actions < act.PASS)


def calls_of(deals: Deals) -> Calls:
    """The calls of all deals."""
    taken = deals.actions[:, :MOST_CALLS]
    action = np.where(taken < 0, _NO_CALL, taken & 127)
    action = np.where((action >= act.PLUS) & (action <= act.REDOUBLE), action, _NO_CALL)
    mine = (action != _NO_CALL) & (taken >> 7 == deals.seats[:, None])
    bid, nothing = _is_bid(action), np.full((len(taken), 1), _NO_CALL)
    at_bid = np.where(bid, np.arange(MOST_CALLS), -1)
    last = np.concatenate([nothing, np.maximum.accumulate(at_bid, axis=1)[:, :-1]], axis=1)
    bid_before = np.where(last < 0, _NO_CALL, np.take_along_axis(action, np.maximum(last, 0), axis=1))
    return Calls(
        action,
        mine,
        np.concatenate([nothing, action[:, :-1]], axis=1),
        np.concatenate([action[:, 1:], nothing], axis=1),
        _sign(bid_before),
        _level(deals.rules, bid_before),
    )


def _sign(bids: Numbers) -> Numbers:
    return np.where(_is_bid(bids), np.where(bids >= act.MINUS, -1, 1), 0)


def _level(rules: Rules, bids: Numbers) -> Numbers:
    return np.where(_is_bid(bids), rules.lowest_level + (bids - act.PLUS) % act.BIDS, 0)


def figures(deals: Deals) -> Iterator[Figure]:
    """All figures of the section; none in classic Piquet."""
    if not deals.rules.auction:
        return
    calls, keys = calls_of(deals), contract_keys(deals.rules)
    yield share("thrown_in", deals.thrown_in, deals.all)
    yield share("declares", deals.is_elder, ~deals.thrown_in)
    for name, chosen in _KINDS.items():
        yield share(f"calls/{name}", chosen(calls.action), calls.mine)
    yield from _openings(deals, calls, keys)
    for key in keys:
        yield from _bids(deals, calls, key)
        yield from _answers(calls, key)
        yield from _doubles(deals, calls, key)
        for whose, chosen in (("own", deals.is_elder), ("others", deals.is_younger)):
            yield from _contracts(deals, f"{whose}/{key}", chosen & is_of(key, deals.sign, deals.fields["level"]))
    yield from _stakes(deals)


_KINDS: dict[str, Any] = {
    "pass": lambda action: action == act.PASS,
    "bid": _is_bid,
    "double": lambda action: action == act.DOUBLE,
    "redouble": lambda action: action == act.REDOUBLE,
}


def _openings(deals: Deals, calls: Calls, keys: list[str]) -> Iterator[Figure]:
    """Whether and how the bot bids first: as non-dealer, and as dealer when the other has passed."""
    sign, level = _sign(calls.action), _level(deals.rules, calls.action)
    for name, chosen in (
        ("non_dealer", deals.fields["dealer"] != deals.seats),
        ("dealer", deals.fields["dealer"] == deals.seats),
    ):
        asked = calls.opening & chosen[:, None]
        yield share(f"openings/{name}/bids", _is_bid(calls.action), asked)
        opened = asked & _is_bid(calls.action)
        for key in keys[1:]:
            yield share(f"openings/{name}/with/{key}", is_of(key, sign, level), opened)


def _bids(deals: Deals, calls: Calls, key: str) -> Iterator[Figure]:
    """In how many of the deals dealt it bids so, and plays the contract."""
    own = calls.mine & is_of(key, _sign(calls.action), _level(deals.rules, calls.action))
    yield share(f"bids/{key}/bid", np.any(own, axis=1), deals.all)
    final = deals.is_elder & is_of(key, deals.sign, deals.fields["level"])
    yield share(f"bids/{key}/own", final, deals.all)


def _answers(calls: Calls, key: str) -> Iterator[Figure]:
    """What it says to a bid, and to a double of its own bid."""
    of_key = is_of(key, calls.sign, calls.level)
    for name in ("pass", "bid", "double"):
        yield share(f"to_a_bid/{key}/{name}", _KINDS[name](calls.action), calls.to_a_bid & of_key)
    for name in ("pass", "bid", "redouble"):
        yield share(f"to_a_double/{key}/{name}", _KINDS[name](calls.action), calls.to_a_double & of_key)


def _doubles(deals: Deals, calls: Calls, key: str) -> Iterator[Figure]:
    """How the other answers its doubles, and the points of those deals."""
    doubled = calls.mine & (calls.action == act.DOUBLE) & is_of(key, calls.sign, calls.level)
    for name, answer in (("passed", "pass"), ("outbid", "bid"), ("redoubled", "redouble")):
        yield share(f"doubles/{key}/{name}", _KINDS[answer](calls.after), doubled)
    yield mean(f"doubles/{key}/points", deals.difference, np.any(doubled, axis=1))


def _contracts(deals: Deals, path: str, chosen: Booleans) -> Iterator[Figure]:
    """How often contracts are made, the tricks won (plus) or lost (minus) by the maker, and the points."""
    elder = deals.fields["elder"]
    won = deals.fields["won"][np.arange(len(elder)), np.maximum(elder, 0)]
    tricks = np.where(deals.sign < 0, deals.rules.hand_size - won, won)
    yield share(f"{path}/made", tricks >= deals.fields["level"], chosen)
    yield mean(f"{path}/tricks", tricks, chosen)
    yield mean(f"{path}/points", deals.difference, chosen)


def _stakes(deals: Deals) -> Iterator[Figure]:
    """The contracts played doubled and redoubled. Of a doubled one the doubler is the maker."""
    for name, stake in (("doubled", DOUBLED), ("redoubled", REDOUBLED)):
        chosen = ~deals.thrown_in & (deals.fields["stake"] == stake)
        yield share(f"stakes/{name}/played", chosen, ~deals.thrown_in)
        for whose, role in (("own", deals.is_elder), ("others", deals.is_younger)):
            yield from _contracts(deals, f"stakes/{name}/{whose}", chosen & role)
