"""Games written down step by step, for people to read and for tests to compare: tests/data/playthroughs/.

    python tests/playthroughs.py           # writes all of them anew

Whoever changes what an agent sees or what is legal reviews the difference. Nothing in a file depends on the machine, or
on bots: a deal follows from its seed, the auction is given, and the rest is chosen by a checksum of the step's number.
"""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import numpy as np

from piquet_env import action_text, auction_piquet_v0, knowledge
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.notation import card_text
from piquet_env.options import AGENTS
from piquet_env.render import replay_text

FOLDER = Path(__file__).parent / "data" / "playthroughs"
COMMAND = "python tests/playthroughs.py"
_PHASES = {phase.name.lower(): phase for phase in at.Phase}


@dataclass(frozen=True)
class Playthrough:
    """How one is made; after `detailed` deals a step is a single line."""

    rules: str
    episode: str
    reward: str
    seed: int
    auction: tuple[str, ...] = ()
    detailed: int = 1


PLAYTHROUGHS = {
    "auction": Playthrough("auction", "deal", "score", 4, ("pass", "+7", "double", "+8", "double", "pass")),
    "rubicon": Playthrough("rubicon", "partie", "payment", 1),
    "micro": Playthrough("micro", "deal", "score", 3, ("+1", "-2", "pass")),
}


def written(name: str) -> str:
    """The playthrough as text, as its file has it."""
    return "\n".join(_Writer(PLAYTHROUGHS[name]).lines()) + "\n"


def file_of(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def difference(name: str, text: str) -> str | None:
    """Where a text is not what is played now, and what to do about it; None: they are the same."""
    old, new = text.split("\n"), written(name).split("\n")
    for number in range(max(len(old), len(new))):
        was, made = (lines[number] if number < len(lines) else "(the end)" for lines in (old, new))
        if was != made:
            return (
                f"{file_of(name).name}, line {number + 1}:\n  written: {was}\n  played:  {made}\n"
                f"If this is meant: {COMMAND}, and review the difference."
            )
    return None


@dataclass
class _Writer:
    """Plays, and yields lines."""

    plan: Playthrough
    number: int = 0
    deals: int = 0
    seen: dict[str, dict[str, object]] = field(default_factory=dict)
    stages: set[tuple[str, str]] = field(default_factory=set)

    def lines(self) -> Iterator[str]:
        plan = self.plan
        self.env = auction_piquet_v0.env(plan.rules, plan.episode, plan.reward, render_mode="ansi")
        self.env.reset(seed=plan.seed)
        yield from self._head()
        while not any(self.env.terminations.values()):
            yield from self._step()
        yield from self._end()

    def _head(self) -> Iterator[str]:
        plan, versions = self.plan, ", ".join(f"{name} {number}" for name, number in knowledge.VERSIONS.items())
        yield f"# A playthrough. Made, and made anew, by: {COMMAND}"
        yield f"env: rules={plan.rules!r}, episode={plan.episode!r}, reward={plan.reward!r}"
        yield f"reset: seed={plan.seed}"
        calls = f"the auction is {', '.join(plan.auction)}; then " if plan.auction else ""
        yield f"chooser: {calls}crc32 of the step's number (tests/playthroughs.py)"
        yield f"versions: {versions}"
        yield f"sizes: observation {knowledge.OBSERVATION_SIZE}, state {knowledge.STATE_SIZE}, actions {act.ACTIONS}"
        yield "The table (|) stands where an agent first acts in a phase. `sees` lists the features that are there when"
        yield "an agent first acts, then those that have changed since it acted last, of cards what came and what went."
        yield "What each means: piquet_env/SPACES.md. Places in an order, as of levels, suits and tricks, count from 0."
        yield "Digests are the first 12 digits of SHA-256, of the observation and of the state."

    def _step(self) -> Iterator[str]:
        env = self.env
        agent, info = env.agent_selection, env.infos[env.agent_selection]
        action = self._choose(np.flatnonzero(info["action_mask"]).tolist(), info["phase"])
        text = action_text(action, env.rules, _PHASES[info["phase"]])
        observation = env.observe(agent)["observation"]
        if self.deals < self.plan.detailed:
            yield from self._detailed(agent, info["phase"], env.view(agent)["legal"], observation)
            yield f"action: {action} {text}"
        else:
            yield f"{self.number:<4} {agent}  {info['phase']:<10} {text:<14} {_digest(observation)}"
        env.step(action)
        self.number += 1
        if any(env.rewards.values()) or "deal" in env.infos[agent]:
            yield from self._deal_over(env.infos[agent].get("deal"))

    def _detailed(self, agent: str, phase: str, legal: list[str], observation: np.ndarray) -> Iterator[str]:
        yield ""
        yield f"## Step {self.number}: {agent}, {phase}"
        if (agent, phase) not in self.stages:
            yield from self._table()
            self.stages.add((agent, phase))
        yield from _wrapped("legal: ", ", ".join(legal))
        seen = knowledge.describe(observation)
        yield from _wrapped("sees: ", "; ".join(_changes(self.seen.get(agent, {}), seen)))
        self.seen[agent] = seen
        yield f"digests: {_digest(observation)} {_digest(self.env.state())}"

    def _deal_over(self, result: dict | None) -> Iterator[str]:
        self.deals += 1
        self.seen.clear()
        yield ""
        yield f"## Deal {self.deals} is over"
        for agent in AGENTS:
            items = [f"{item} {points}" for item, points in result["score"][agent].items() if points]
            yield f"{agent}: {result['tricks'][agent]} tricks; {', '.join(items) or 'nothing'}"
        yield f"contract: {result['contract']}"
        yield f"rewards: {', '.join(f'{agent} {reward:+g}' for agent, reward in self.env.rewards.items())}"
        if not any(self.env.terminations.values()) and self.deals >= self.plan.detailed:
            yield ""

    def _end(self) -> Iterator[str]:
        """Each is shown what it sees when it is asked for its last step, None; then the record, and it in words."""
        env = self.env
        while env.agents:
            agent = env.agent_selection
            yield ""
            yield f"## The end: {agent}, terminated {env.terminations[agent]}, truncated {env.truncations[agent]}"
            yield from self._table()
            env.step(None)
        yield ""
        yield "## The record"
        yield from _wrapped("", json.dumps(env.record()))
        yield ""
        yield replay_text(env.record(), symbols=False).rstrip("\n")

    def _table(self) -> Iterator[str]:
        yield from (f"| {line}".rstrip() for line in self.env.render().split("\n"))

    def _choose(self, legal: list[int], phase: str) -> int:
        if self.number < len(self.plan.auction):
            call = self.plan.auction[self.number]
            return next(action for action in legal if action_text(action, self.plan.rules) == call)
        draw = crc32(f"{self.plan.rules} {self.number}".encode())
        if phase in ("point", "sequence", "set"):
            return legal[0] if draw % 8 == 0 else legal[-1]  # sinks now and then
        if phase == "exchange" and act.STAND in legal and draw % 4 == 0:
            return act.STAND
        return legal[draw % len(legal)]


def _digest(vector: np.ndarray) -> str:
    return hashlib.sha256(vector.astype(np.int8).tobytes()).hexdigest()[:12]


def _wrapped(name: str, text: str) -> list[str]:
    return textwrap.wrap(name + text, 118, subsequent_indent="    ", break_on_hyphens=False)


def _changes(before: dict[str, object], now: dict[str, object]) -> list[str]:
    """Features that are not as they were, or that are there at all where nothing was before, with their values."""
    changes = []
    for f in knowledge.features():
        value, old = now[f.name], before.get(f.name)
        nothing = None if f.form == "one-hot" else type(value)()  # 0, False, no cards
        if value != before.get(f.name, nothing):
            changes.append(f"{f.name} {_READABLE.get(f.form, _plain)(value, old)}")
    return changes


def _cards(value: list[int], old: list[int] | None) -> str:
    """What came and what went."""
    came = [f"+{card_text(card)}" for card in value if card not in (old or [])]
    return " ".join(came + [f"-{card_text(card)}" for card in old or [] if card not in value])


def _digits(value: dict[int, int], old: dict[int, int] | None) -> str:
    """What is new."""
    return " ".join(f"{card_text(card)}:{number}" for card, number in value.items() if card not in (old or {}))


def _plain(value: object, old: object) -> str:
    return str(value)


_READABLE = {"cards": _cards, "digits": _digits}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for each in PLAYTHROUGHS:
        file_of(each).write_text(written(each), encoding="utf-8", newline="\n")
