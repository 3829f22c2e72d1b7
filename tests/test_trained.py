"""The trained bots that come with the package are those that their cards describe."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="trained bots need torch: pip install 'piquet-env[train]'")

from commands import run_command

from piquet_env import SelfPlayVectorEnv
from piquet_env.arena.match import play_match
from piquet_env.arena.statistics import summary
from piquet_env.bots import BotError, Views, load_bot, views_of
from piquet_env.bots.registry import TRAINED
from piquet_env.rules import RULESETS
from training.bot import load_network_bot
from training.botfile import load_bot_file
from training.config import config_from, load_config
from training.export import compare, positions

ROOT = Path(__file__).parent.parent
CHECKPOINTS = ROOT / "checkpoints"
CONFIGS = {"base": "base.yaml"}
"""Of each bot, the configuration of its (last) run."""
of_each = pytest.mark.parametrize("name", CONFIGS)


def card(name: str) -> str:
    return (CHECKPOINTS / name / "README.md").read_text(encoding="utf-8")


def results(name: str) -> dict[str, Any]:
    """Of the run."""
    return json.loads((CHECKPOINTS / name / "results.json").read_text())


def evaluations(name: str) -> list[dict[str, Any]]:
    """What `piquet evaluate --json` printed."""
    return json.loads((CHECKPOINTS / name / "evaluations.json").read_text())


@of_each
def test_the_cards_example_gives_the_answer_that_it_shows(name, capsys):
    (example,) = re.findall(r"```python\n(.*?)```", card(name), re.DOTALL)
    (answer,) = re.findall(r"```\n(.*?)```", card(name).partition(example)[2].partition("```")[2], re.DOTALL)
    exec(example, {})
    assert capsys.readouterr().out == answer


@of_each
def test_the_weights_are_those_that_were_measured(name):
    bot = load_bot(name)
    assert bot.sha256 in card(name)
    for measured in (results(name), *evaluations(name)):
        assert list(measured["provenance"]["weights"].values()) == [bot.sha256]
    assert (TRAINED / f"{name}.onnx").stat().st_size < 5e6


def test_the_checkpoints_are_small():
    assert sum(file.stat().st_size for file in CHECKPOINTS.rglob("*") if file.is_file()) < 30e6


@of_each
def test_it_was_trained_as_its_configuration_says(name):
    _, about = load_bot_file(CHECKPOINTS / name / "bot.safetensors")
    assert config_from(about["config"]) == load_config(ROOT / "configs" / CONFIGS[name])  # newer fields by default


@of_each
def test_it_is_the_bot_in_its_folder_exported(name):
    original = load_network_bot(CHECKPOINTS / name / "bot.safetensors")
    views = positions(original, 2000, seed=3)
    compare(original, load_bot(name).outputs(views), views).check()
    assert load_bot(name).sha256 == original.sha256


@of_each
def test_the_files_are_those_that_the_card_names(name):
    files = re.findall(r"^\| the file, `(\S+)` \| `([0-9a-f]{64})` \|", card(name), re.MULTILINE)
    assert len(files) == 2
    for path, sha256 in files:
        assert hashlib.sha256((ROOT / path).read_bytes()).hexdigest() == sha256


@of_each
def test_every_figure_of_the_cards_strength_table_is_in_its_evaluations(name):
    results = [result for measured in evaluations(name) for result in measured["results"]]
    rows = re.findall(r"^\| `([a-z:]+)` \| (\S+) \[(.*?), (.*?)\] \| ([\d,]+) ", card(name), re.MULTILINE)
    assert len(rows) == len(results) >= 4
    for (against, *figures, deals), result in zip(rows, results, strict=True):
        said = [float(figure.replace("\N{MINUS SIGN}", "-")) for figure in figures]
        assert (against, int(deals.replace(",", ""))) == (result["against"], result["deals"])
        assert said == [round(x, 1) for x in (result["points_per_deal"], *result["interval"])]


@of_each
def test_it_beats_greedy_by_far_more_than_chance_on_other_deals(name):
    bot = load_bot(name)
    result = summary(play_match(bot, load_bot("greedy"), bot.trained_on, 600, seed=99))
    assert result["interval"][0] > 0


def test_it_takes_every_other_row_of_arrays_as_it_takes_rows():
    bot, views = load_bot("base"), views_of(np.array(SelfPlayVectorEnv(16, seed=1).rows))
    every_other = Views(views.observation[::2], views.mask[::2], views.rows[::2])
    assert np.allclose(bot.probabilities(every_other), bot.probabilities(views)[::2], atol=1e-6)


@pytest.mark.parametrize("rules", RULESETS)
def test_it_plays_every_ruleset_legally(rules):
    assert play_match(load_bot("base"), load_bot("random"), rules, 5).pairs == 5


def test_where_it_plays_by_other_rules_that_is_said(capsys, tmp_path):
    said = {rules: run_command(capsys, "evaluate", "base", "random", "--rules", rules, "--deals", "2")[2] for rules in
            ("auction", "micro", '{"base": "auction", "sinking": false}')}  # fmt: skip
    assert said["auction"] == ""
    assert said["micro"] == "note: base was trained on auction; here it plays micro\n"
    assert "here it plays changed auction" in said['{"base": "auction", "sinking": false}']
    file = str(tmp_path / "data.parquet")
    for arguments in (
        ["exact", "base", "--rules", '{"base": "micro", "ranks": "KA", "hand_size": 1, "highest_level": 1}'],
        ["selfplay", "base", "random", "--rules", "micro", "--deals", "2", "-o", file],
        ["report", "base", "--rules", "micro", "--deals", "3"],
    ):
        status, _, err = run_command(capsys, *arguments)
        assert (status, "note: base was trained on auction; here it plays" in err) == (0, True), arguments


def test_the_folder_of_a_run_is_no_bot_but_its_bot_is_named(tmp_path):
    (tmp_path / "bot.safetensors").touch()
    with pytest.raises(BotError, match=r"did you mean '.*bot\.safetensors'"):
        load_bot(str(tmp_path))
