"""The configuration of a run: what is refused, and what is read."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")

from training.config import ConfigError, TrainConfig, as_dict, config_from, load_config
from training.train import auctions_from

CONFIGS = Path(__file__).parent.parent / "configs"


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"decisionz": 5}, "decisionz"),
        ({"decisions": "many"}, "decisions"),
        ({"decisions": 0}, "decisions"),
        ({"games": 2.5}, "games"),
        ({"games": True}, "games"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"gae_lambda": 1.5}, "gae_lambda"),
        ({"rules": "bridge"}, "bridge"),
        ({"rules": {"base": "mini", "hand_size": 4}}, "hand_size"),
        ({"episode": "game"}, "episode"),
        ({"reward": "payment"}, "payment"),
        ({"opponents": "random"}, "opponents"),
        ({"opponents": []}, "opponents"),
        ({"seed": 10**20}, "seed"),
        ({"threads": 10**6}, "threads"),
        ({"learning_rate": 1e300}, "learning_rate"),
        ({"reward_scale": 1e-320}, "reward_scale"),
        ({"seed": 10**400}, "seed"),
        ({"evaluate_deals": 1}, "evaluate_deals: expected at least 2"),
        ({"final_deals": 1}, "final_deals: expected at least 2"),
        ({"games": 10**15}, "games"),
        ({"width": 10**9}, "width"),
        ({"exploitability": True}, "exploitability: .*the pack is too large"),
        ({"exploitability": True, "rules": {"base": "micro", "max_thrown_in": 2}}, "exploitability: .*max_thrown_in"),
        ({"settings": {"day": datetime.date(2026, 11, 30)}}, "settings"),
        ({"settings": {1: 2}}, "settings"),
        ([1, 2], "expected fields"),
    ],
)
def test_a_bad_configuration_is_refused_and_says_what(values, what):
    with pytest.raises(ConfigError, match=what):
        config_from(values)


def test_without_a_file_a_run_is_that_of_the_quickstart():
    assert load_config(CONFIGS / "quickstart.yaml") == TrainConfig()


def test_every_config_that_is_shipped_is_read_and_numbers_may_be_written_as_text(tmp_path):
    files = sorted(CONFIGS.glob("*.yaml"))
    assert files
    for path in files:
        assert config_from(as_dict(load_config(path))) == load_config(path)
    (tmp_path / "c.yaml").write_text("decisions: 1e6\nlearning_rate: 3e-4\n")
    config = load_config(tmp_path / "c.yaml")
    assert (config.decisions, config.learning_rate) == (1_000_000, 3e-4)
    (tmp_path / "bad.yaml").write_text("decisions: [1\n")
    with pytest.raises(ConfigError, match=r"bad\.yaml"):
        load_config(tmp_path / "bad.yaml")
    with pytest.raises(ConfigError, match="absent"):
        load_config(tmp_path / "absent.yaml")


def test_numbers_are_kept_to_the_last_digit():
    assert config_from({"seed": 2**63 - 1}).seed == 2**63 - 1
    assert config_from({"settings": {"a": [1, 0.1, None, True, "x"]}}).settings == {"a": [1, 0.1, None, True, "x"]}


def test_where_there_is_no_auction_none_is_learnt_later():
    given = {"decisions": 1000, "play_first": 0.5, "imitate": "greedy", "imitate_decisions": 200}
    assert auctions_from(config_from(given)) == 600
    assert auctions_from(config_from({**given, "rules": "rubicon"})) == 0
