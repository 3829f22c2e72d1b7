"""Training on auctions alone: runs of every algorithm, resumed bit for bit, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from auctions import stored
from commands import run_command

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")

from trainers import TINY, run_to_the_end

from piquet_env.engine import layout as at
from training.auctions import Deals, deal_figures
from training.config import ConfigError, TrainConfig, as_dict, config_from
from training.trainer import Trainer

AUCTIONS = replace(TINY, rules="micro", episode="auction", play_first=0.5, random_contracts=0.25)


@pytest.fixture
def file(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    stored("micro").save("deals.npz")
    return "deals.npz"


@pytest.mark.parametrize("algorithm", ["ppo", "mmd", "dmc"])
def test_resuming_gives_the_same_weights_bit_for_bit(file, algorithm):
    config = replace(AUCTIONS, algorithm=algorithm, deals=file, pool=0.3, pool_every=100)
    whole, first = run_to_the_end(config), Trainer(config)
    first.step()
    first.save(Path("c.pt"))
    again = Trainer.resume(Path("c.pt"))
    while again.decisions < config.decisions:
        again.step()
    assert whole.decisions == again.decisions
    for name, tensor in whole.networks.state_dict().items():
        assert torch.equal(tensor, again.networks.state_dict()[name]), name
    for row in again.rollout.env.rows:
        assert (row[at.DEALT : at.DEALT + 2] == stored("micro").hands[row[at.PLAYOUT] - 2]).all()


def test_no_auction_is_random_and_all_are_learnt_from(file):
    trainer = Trainer(replace(AUCTIONS, deals=file))
    assert trainer.config.play_first == 0.5, "the default of other episodes does no harm"
    assert trainer.random_share == 0
    trainer.rollout.random_share = trainer.random_share
    batch, figures = trainer.rollout.collect(0)
    assert len(batch.action) == batch.played == 16 * 8
    assert figures["deals"] > 10
    assert not (trainer.rollout.env.rows[:, at.PHASE] != at.AUCTION).any()


def test_a_contract_is_made_where_its_maker_has_more_points():
    rows = np.zeros((4, at.COLUMNS), np.int64)
    rows[:, at.PLAYOUT], rows[:, at.HAND_SIZE], rows[:, at.STAKE], rows[:, at.LEVEL] = 1, 12, 1, 8
    totals = [at.score_item(player, at.ITEM_TOTAL) for player in range(2)]
    rows[0, totals[0]], rows[1, totals[0]], rows[2, totals[1]] = 20, 30, 5
    rows[:, at.ELDER] = [0, 1, 1, 0]
    deals = Deals()
    deals.add(rows, np.ones(4, np.bool_), np.ones(4, np.bool_))
    assert deal_figures(deals.sums(), True)["made"] == 0.5


def test_the_commands_train_measure_draw_and_respond(capsys, file):
    small = {**as_dict(AUCTIONS), "deals": file, "opponents": ["greedy"]}
    Path("a.yaml").write_text(yaml.safe_dump(small))
    for seed in ("0", "1"):
        status, out, err = run_command(capsys, "train", "a.yaml", "--seed", seed, "--out", f"run{seed}")
        assert (status, err) == (0, "")
    results = json.loads(Path("run0", "results.json").read_text())
    assert results["provenance"]["episode"] == "auction"
    assert results["provenance"]["stored_deals"] is None, "measured on deals of its own"
    assert results["results"][0]["deals"] == TINY.final_deals
    status, out, _ = run_command(capsys, "curves", "run0", "run1", "--measure", "greedy", "--json")
    assert status == 0
    assert json.loads(out)["curves"][0]["seeds"] == [0, 1]
    bot, run = "run0/bot.safetensors", ("--rules", "micro", "--episode", "auction", "--stored", file, "--deals", "10")
    assert run_command(capsys, "evaluate", bot, "greedy", *run)[0] == 0
    response = {name: small[name] for name in ("games", "steps", "width", "critic_width", "depth", "minibatch")}
    Path("e.yaml").write_text(yaml.safe_dump({**response, "episode": "auction", "rules": "micro", "deals": file}))
    arguments = ("exploit", bot, "--config", "e.yaml", "--budgets", "256", "--deals", "10", "--json")
    status, out, _ = run_command(capsys, *arguments)
    assert status == 0
    (made,) = json.loads(out)["results"]
    assert made["exact_gain_of_response"] is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rules": "rubicon"}, "episode: auction: expected rules with an auction"),
        ({"reward": "payment"}, "payment is what a partie pays"),
        ({"exploitability": True}, "exploitability: is measured exactly for episode: deal alone"),
        ({"episode": "deal", "deals": "x.npz"}, "deals: stored ones are for episode: auction"),
        ({"deals": 3}, "deals: expected a name"),
    ],
)
def test_configurations_that_cannot_be(changes, message):
    with pytest.raises(ConfigError, match=message):
        config_from({"rules": "micro", "episode": "auction", **changes})
    assert TrainConfig().deals == ""


@pytest.mark.parametrize(
    ("name", "rules", "message"),
    [("none.npz", "micro", "No such file"), ("deals.npz", "mini", "the deals are of micro"), ("bad.npz", "micro", "")],
)
def test_deals_that_cannot_be_used_are_named(capsys, file, name, rules, message):
    Path("bad.npz").write_bytes(Path(file).read_bytes()[:-100])
    arguments = ("--episode", "auction", "--rules", rules, "--deals", name, "--out", "run")
    status, _, err = run_command(capsys, "train", *arguments)
    assert status == 2
    assert err.startswith(f"piquet train: deals: {name}: no deals for bidding: ")
    assert message in err
    assert len(err.splitlines()) == 1
    assert not Path("run").exists()
