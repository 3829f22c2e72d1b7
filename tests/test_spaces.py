"""The page about observation and actions is current, and version 1 of both, and of the rules, stays what it is."""

import hashlib
import json
import random
from pathlib import Path

import helpers
import pytest

from piquet_env import action_index, cli, knowledge, spaces
from piquet_env.engine import layout as at
from piquet_env.notation import action_text
from piquet_env.rules import RULESETS

PAGE = Path(spaces.__file__).with_name("SPACES.md")


def test_the_page_is_current():
    """Made anew by: piquet spaces > piquet_env/SPACES.md"""
    assert PAGE.read_text(encoding="utf-8") == spaces.markdown()


def test_the_command_prints_the_page(capsys):
    assert cli.main(["spaces"]) == 0
    assert capsys.readouterr().out == spaces.markdown()


def test_the_command_prints_json(capsys):
    assert cli.main(["spaces", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["versions"] == {"rules": 1, "actions": 1, "observation": 1}
    fields = [(f["name"], f["start"], f["stop"], f["meaning"]) for f in made["observation"]]
    assert fields == knowledge.fields()
    assert made["observation"] == made["state"][: len(fields)]
    assert made["observation"][-1]["stop"] == made["observation_size"] == knowledge.OBSERVATION_SIZE
    assert made["state"][-1]["stop"] == made["state_size"] == knowledge.STATE_SIZE
    texts = [f"play {text}" if number < 32 else text for number, text in enumerate(made["actions"])]
    assert [action_index(text) for text in texts[:79]] == list(range(79))
    assert action_index(texts[79], "rubicon") == 79


def test_no_feature_but_the_tricks_and_the_talon_crosses_a_word():
    """What the encoder relies on (knowledge/encode.py)."""
    crossing = {f.name for f in knowledge.features(knowledge.STATE_SIZE) if f.start // 64 != (f.stop - 1) // 64}
    assert crossing == {"tricks", "state_talon"}
    assert knowledge.OBSERVATION_SIZE % 64 == 0


# ------------------------------------------------------------------ what a version stands for

VERSION_1 = {
    "actions": "303169ae7488e53f67969fa85235508d54acbe01cde178e0755a6076e95f6402",
    "rules": "4bdf3b929f19644d63c8a39cebe279b57fa907d4a40adba0132ecedf9df7741a",
    "observation": "e3a8decde62640e5e0669a2d42a2bab358b09c06fab238218733765616a34e31",
}
"""Digests. One that changes means that saved bots, records or results mean something else: raise the version too."""


def _actions() -> bytes:
    """The text of every action in every ruleset."""
    texts = {}
    for name in RULESETS:
        for action in range(80):
            try:
                texts[f"{name} {action}"] = action_text(action, name)
            except ValueError:
                texts[f"{name} {action}"] = None
    return json.dumps(texts).encode()


def _played(look) -> bytes:
    """What `look(row, actions)` gives at every step of some parties of every ruleset, played at random."""
    seen = b""
    for rules in RULESETS.values():
        rng = random.Random("version")
        for seed in range(4):
            row = helpers.new_row(rules, partie=True, seed=seed)
            for actions, _ in helpers.walk(row, rng, deals=3):
                seen += look(row, actions)
    return seen


def _rules() -> bytes:
    """What is legal, who is to act and every item of the score."""
    columns = [at.PHASE, at.ACTOR, at.ELDER, *range(at.SCORE, at.SCORE + 2 * len(at.ITEMS)), at.TOTALS, at.TOTALS + 1]
    return _played(lambda row, actions: bytes(actions) + row[columns].tobytes())


def _observation() -> bytes:
    """Both players' vectors, and the table of features."""
    table = json.dumps(knowledge.state_fields()).encode()
    return table + _played(lambda row, _: b"".join(knowledge.state(row, player).tobytes() for player in (0, 1)))


@pytest.mark.parametrize(("name", "made"), [("actions", _actions), ("rules", _rules), ("observation", _observation)])
def test_version_1_stays_what_it_is(name, made):
    assert knowledge.VERSIONS[name] == 1
    assert hashlib.sha256(made()).hexdigest() == VERSION_1[name]
