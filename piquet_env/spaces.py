"""What an agent observes and what it may do, as tables: the command `piquet spaces`, and SPACES.md beside this file."""

from __future__ import annotations

import json as json_module
from collections.abc import Iterable
from typing import Any

from piquet_env import knowledge
from piquet_env.bidding.varying import NAMES, columns
from piquet_env.bots.meaning import FORMS, observation_table
from piquet_env.engine.cards import CARDS
from piquet_env.notation import action_names


def spaces(json: bool = False) -> None:
    """Print the features of the observation and of the state, and the actions, as Markdown.

    Args:
        json: print one JSON object instead.
    """
    print(json_module.dumps(described()) if json else markdown(), end="\n" if json else "")


def described() -> dict[str, Any]:
    """Versions, features and actions as a JSON object.

    `observation` and `state` list `{"name", "start", "stop", "form", "meaning"}`, one behind the other without gaps;
    the state begins with the observation, and `forms` says what each form is. `actions` lists the texts of the actions
    in order, cards without "discard" or "play"; bids are those of the rules `auction`, carte blanche is one of classic
    Piquet.
    """
    return {
        "versions": dict(knowledge.VERSIONS),
        "observation_size": knowledge.OBSERVATION_SIZE,
        "state_size": knowledge.STATE_SIZE,
        "forms": FORMS,
        "observation": observation_table(),
        "state": [f._asdict() for f in knowledge.features(knowledge.STATE_SIZE)],
        "actions": action_names(),
    }


def markdown() -> str:
    """The page SPACES.md."""
    observed, whole = knowledge.OBSERVATION_SIZE, knowledge.features(knowledge.STATE_SIZE)
    versions = ", ".join(f"{name} {number}" for name, number in knowledge.VERSIONS.items())
    lines = [
        "# What an agent observes, and what it may do",
        "",
        f"Made by `piquet spaces`. Versions: {versions}. A version changes when the meaning of anything here does;",
        "checkpoints and records carry them, and a program that reads others refuses.",
        "",
        f"The observation is int8 ({observed:,},), every feature 0 or 1, from the side of the player who looks: what",
        "is mine before what is theirs, the same from either seat. No feature crosses a 64-bit word but the tricks,",
        f"and in the state the talon; packed it is int64 ({observed // 64},), the lowest bit first.",
        "",
        *_table(("form", "meaning"), FORMS.items()),
        "",
        "## The observation",
        "",
        *_features(f for f in whole if f.stop <= observed),
        "",
        f"## What `state()` adds, for critics: int8 ({knowledge.STATE_SIZE:,},) in all",
        "",
        *_features(f for f in whole if f.stop > observed),
        "",
        "## What can vary in an auction",
        "",
        "Where an episode is the auction alone (the bidding benchmark) all other features are the same in every",
        "decision; `piquet_env.bidding.columns(rules)` are the columns of these, as far as the rules have such",
        "cards and levels.",
        "",
        ", ".join(f"`{f.name}`" for f in whole if f.name in NAMES) + f": {len(columns()):,} columns in `auction`.",
        "",
        "## The actions, the same in every ruleset",
        "",
        "A bid stands for a place in the order of levels: with `mini` action 34 is `+2`.",
        "",
        *_table(("action", "bids as in `auction`; carte blanche is of classic Piquet"), _action_rows()),
    ]
    return "\n".join(lines) + "\n"


def _features(features: Iterable[knowledge.Feature]) -> list[str]:
    rows = [(f"`{f.name}`", _range(f.start, f.stop), f.form, f.meaning) for f in features]
    return _table(("feature", "bits", "form", "meaning"), rows)


def _range(start: int, stop: int) -> str:
    return str(start) if stop == start + 1 else f"{start}-{stop - 1}"


def _action_rows() -> Iterable[tuple[str, str]]:
    """The cards in one line, all others one by one."""
    names = action_names()
    yield _range(0, CARDS), f"discard or play the card: {names[0]}, {names[1]}, ... {names[CARDS - 1]}"
    for action in range(CARDS, len(names)):
        yield str(action), names[action]


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    return [" | ".join(("", *cells, "")).strip() for cells in (head, ("---",) * len(head), *rows)]
