"""The page about observation and actions is current, and version 1 of both, and of the rules, stays what it is."""

import json
from pathlib import Path

from piquet_env import action_index, cli, knowledge, spaces

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
