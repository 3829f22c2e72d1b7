"""The page DATASET.md, which says what is in a file of decisions.

It is made anew by: python -m piquet_env.dataset.page > piquet_env/dataset/DATASET.md
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from piquet_env.dataset.form import BITS, COLUMNS, FORMAT, KEY, ROWS_PER_GROUP, STATE, Column
from piquet_env.engine.actions import ACTIONS
from piquet_env.knowledge import VERSIONS

METADATA = {
    "format": f'"{FORMAT}"',
    "versions": "of the rules, the actions and the observation; a reader refuses others",
    "rules": 'a ruleset\'s name, or `{"base": name, field: value}`: what `Rules.make` takes',
    "episode": "what a game is: `deal` or `partie`",
    "games": "how many were played",
    "seed": "fixes what is dealt: game i is game i of an environment with this seed",
    "block": "games that were played at once; a bot's random numbers come from (seed, number of the block, bot)",
    "bots": "of each of the two its `name`, its `sha256` (null: it names none), and its `policy` (see above)",
    "bits": BITS,
    "provenance": "command, versions of packages, commit, machine, which bots cheat, as `piquet evaluate` reports them",
}
"""The entries of the JSON object in the file's metadata."""

_PAGE = """\
# Files of decisions

Made by `piquet selfplay BOT BOT --deals N -o data.parquet`, read by `piquet_env.dataset.Decisions`, and by anything
that reads Parquet. This is format `{format}`, with versions {versions};
a reader refuses others.

One row is one decision between two or more legal actions; moves that are forced are left out. Rows stand in the order
of game, deal and step, in groups of {rows} (the last one may be smaller), compressed with zstd, with checksums.

{columns}

With `--state` one column more, for critics that see all cards; **a policy must not see it**:

{state}

Bits are packed so: {bits}.
`spread(packed, size)` gives them as 0 and 1; `piquet_env/SPACES.md` lists the features of the observation and of the
state, and the actions. Observation, mask and phase hold nothing that the player who acted could not know; the returns
are what came of it, and the first columns tell rows apart: they are no inputs for a policy.

**Policy.** Of a bot that has a method `probabilities(views)` (trained networks, `random`) it is what that gives, and
the action was drawn from it. Of any other it is 1 for the action that was taken, also where the bot draws random
numbers (`expert`). `Decisions` gives it over all {actions} actions, 0 for illegal ones.

**Returns.** Undiscounted, in points. Where a game is one deal, `return` is `deal_return`, but in deals that were thrown
in: these bring nothing themselves, and the return is that of the deal that was at last played. In a partie it is the
rest of the partie's difference, from this deal on. A game that is thrown in too many times in a row (rule
`max_thrown_in`) is cut off: no more points.

**Deals.** Each is played once; who sits where alternates from game to game. They are those that environments deal from
the same seed, and never those of `piquet evaluate` and `piquet tournament`, so a bot that learned from a file can be
measured with any seed. What is dealt depends on (seed, game) and the rules alone; what bots do that draw random numbers
on the number of their block too. The number of workers changes nothing, but that a network's probabilities
may differ in their last digits with the number of threads that torch uses.

## Metadata

The schema's metadata have a JSON object under the key `{key}`:

{metadata}
"""


def markdown() -> str:
    """The page."""
    return _PAGE.format(
        format=FORMAT,
        versions=", ".join(f"{name} {number}" for name, number in VERSIONS.items()),
        rows=f"{ROWS_PER_GROUP:,}",
        columns=_columns(COLUMNS),
        state=_columns((STATE,)),
        bits=BITS,
        actions=ACTIONS,
        key=KEY.decode(),
        metadata=_table(("key", "what it is"), ((f"`{key}`", meaning) for key, meaning in METADATA.items())),
    )


def _columns(columns: Iterable[Column]) -> str:
    return _table(("column", "type", "meaning"), ((f"`{c.name}`", _kind(c.kind), c.meaning) for c in columns))


def _kind(kind: pa.DataType) -> str:
    if isinstance(kind, pa.ListType):
        return f"list of {_kind(kind.value_type)}"
    if isinstance(kind, pa.FixedSizeBinaryType):
        return f"{kind.byte_width} bytes"
    return {"float": "float32"}.get(str(kind), str(kind))  # Arrow's name could mean anything


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), *rows))


if __name__ == "__main__":
    print(markdown(), end="")
