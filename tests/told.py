"""The views of a program that says only what it must: its cards, and what it has heard at the table."""

from __future__ import annotations

from typing import Any

from piquet_env.rules import Rules
from piquet_env.views.form import required_keys

NO_CARDS = "..."
View = dict[str, Any]


def told(seen: View) -> View:
    """Of a whole view what `view.schema.json` does not let a program leave out."""
    me, they = seen["player"], "player_1" if seen["player"] == "player_0" else "player_0"
    is_open = Rules.make(seen["rules"]).open_hands
    least = {key: seen[key] for key in required_keys()}
    least["hands"] = _of(seen, "hands", [me, they] if is_open else [me])
    for field in ("discards", "drawn"):
        least[field] = _of(seen, field, [me, they] if is_open else [me])
    least["exchanged"] = _of(seen, "exchanged", [they])
    if seen["phase"] == "exchange" and seen["drawn"][me] == seen["seen"] == NO_CARDS:
        least["exchanged"] = seen["exchanged"]
    least["seen"] = seen["seen"]
    least["carte_blanche"] = _of(seen, "carte_blanche", [me, they])
    least["shown"] = _of(seen, "shown", [they])
    least["declarations"] = {name: _declaration(seen, seen["declarations"][name], me) for name in seen["declarations"]}
    least["tricks"] = [{"cards": trick["cards"]} for trick in seen["tricks"]]
    least |= _score(seen, me, they) | _leftovers(seen, me)
    return {key: value for key, value in least.items() if value not in ({}, [], NO_CARDS) or key in required_keys()}


def _of(seen: View, field: str, players: list[str]) -> View:
    return {name: seen[field][name] for name in players if seen[field][name] not in (None, NO_CARDS)}


def _declaration(seen: View, said: View, me: str) -> View:
    least = {name: value for name, value in said.items() if value is not None and name != "scored_by"}
    for name, value in least.items():
        if isinstance(value, dict) and "suit" in value:
            keys = ("suit",) if name == me else ("number", "pips")
            least[name] = {key: value[key] for key in keys if value[key] is not None}
    if seen["contract"] and seen["contract"]["sign"] == "-":
        least["scored_by"] = said["scored_by"]
    return least


def _score(seen: View, me: str, they: str) -> View:
    is_over = seen["phase"] == "game_over" and Rules.make(seen["rules"]).stop_at
    is_minus = seen["contract"] and seen["contract"]["sign"] == "-"
    scorer, items = (me, ("point", "sequence", "set")) if is_minus else (they, ("sequence", "set"))
    heard = {item: seen["score"][scorer][item] for item in items if seen["score"][scorer][item]}
    least = {name: {"total": seen["score"][name]["total"]} for name in (me, they)} if is_over else {}
    if heard:
        least[scorer] = least.get(scorer, {}) | heard
    return {"score": least} if least else {}


def _leftovers(seen: View, me: str) -> View:
    """What elder left, and younger took, where it is a part of what was seen or drawn."""
    if seen["elder"] == me:
        return {} if seen["retaken"] == seen["elder_left"] else {"retaken": seen["retaken"]}
    parts = [seen["seen"], seen["drawn"][me]]
    whole = ".".join("".join(sorted(a + b, key="AKQJT987".index)) for a, b in zip(*map(_suits, parts), strict=True))
    return {} if seen["elder_left"] in (*parts, whole) else {"elder_left": seen["elder_left"]}


def _suits(hand: str) -> list[str]:
    return hand.split(".")
