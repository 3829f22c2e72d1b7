"""The algorithms: what each minimises, by hand; that each learns; and one of a user's own."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")

from trainers import TINY, run_to_the_end

from piquet_env.arena.match import play_match
from piquet_env.arena.statistics import mean_with_interval, pair_values
from piquet_env.bots import load_bot
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS
from piquet_env.knowledge import ACTION_TABLE, OBSERVATION_SIZE, STATE_SIZE
from piquet_env.solver import NOT_LEGAL, card_values
from training.algorithms import ALGORITHMS, Loss, Minibatch, make_algorithm
from training.checkpoint import load_checkpoint
from training.config import ConfigError, TrainConfig
from training.network import Networks
from training.trainer import Trainer, TrainingError


class Given(torch.nn.Module):
    """Networks that give these numbers, whatever they see: two legal actions, 0 and 1."""

    def __init__(self, outputs: list[float], value: float = 0.0):
        super().__init__()
        self.outputs = torch.nn.Parameter(torch.tensor(outputs + [9.0] * 78))
        self.value = torch.nn.Parameter(torch.tensor(value))

    def policy(self, state: torch.Tensor) -> torch.Tensor:
        return self.outputs.expand(len(state), 80)

    def critic(self, state: torch.Tensor) -> torch.Tensor:
        return self.value.expand(len(state))


def decision(action: int, acting: tuple[float, float], advantage: float, target: float) -> Minibatch:
    mask = torch.zeros(1, 80, dtype=torch.bool)
    mask[:, :2] = True
    log_probabilities = torch.full((1, 80), -torch.inf)
    log_probabilities[0, :2] = torch.tensor(acting).log()
    values = (torch.tensor([advantage]), torch.tensor([target]))
    return Minibatch(torch.zeros(1, STATE_SIZE), mask, torch.tensor([action]), log_probabilities, *values)


def loss_of(name: str, networks: Given, batch: Minibatch, progress: float = 0.0, **changes: float) -> float:
    loss = make_algorithm(replace(TINY, algorithm=name, **changes)).loss(networks, batch, progress)  # type: ignore[arg-type] (as much of Networks as a loss asks for)
    return float(loss.each.detach())


def test_ppo_by_hand():
    # It plays action 0 with 1/2, and did so with 1/4: a ratio of 2, held at 1.2; and the critic is wrong by 3.
    batch = decision(0, (0.25, 0.75), advantage=1.0, target=3.0)
    settings = {"clip": 0.2, "value_weight": 0.5, "entropy": 0.1}
    assert loss_of("ppo", Given([0.0, 0.0]), batch, 0.0, **settings) == pytest.approx(-1.2 + 0.5 * 9 - 0.1)
    assert loss_of("ppo", Given([0.0, 0.0]), batch, 1.0, **settings) == pytest.approx(-1.2 + 0.5 * 9 - 0.01)
    bad = decision(0, (0.25, 0.75), advantage=-1.0, target=0.0)
    assert loss_of("ppo", Given([0.0, 0.0]), bad, 0.0, **settings) == pytest.approx(2 - 0.1), "not held: it is worse"


def test_guided_by_hand():
    # As ppo, but a fifth is what the policy's mean card loses with open hands: half of them lose 3.
    lost = torch.full((1, 80), torch.nan)
    lost[0, :2] = torch.tensor([-3.0, 0.0])
    batch = decision(0, (0.25, 0.75), advantage=1.0, target=3.0)
    settings = {"clip": 0.2, "value_weight": 0.5, "entropy": 0.0, "open_hand": 0.2}
    solved = batch._replace(open_hand=lost)
    at_start = 0.8 * -1.2 + 0.2 * 1.5 + 0.5 * 9
    assert loss_of("guided", Given([0.0, 0.0]), solved, 0.0, **settings) == pytest.approx(at_start)
    at_end = 0.98 * -1.2 + 0.02 * 1.5 + 0.5 * 9
    assert loss_of("guided", Given([0.0, 0.0]), solved, 1.0, **settings) == pytest.approx(at_end)
    # Outside of the play, or where nothing was solved, it is ppo.
    unknown = batch._replace(open_hand=torch.full((1, 80), torch.nan))
    for same in (batch, unknown):
        assert loss_of("guided", Given([0.0, 0.0]), same, 0.0, **settings) == pytest.approx(-1.2 + 0.5 * 9)


def test_guided_is_shown_what_each_card_loses_with_open_hands():
    trainer = Trainer(replace(TINY, algorithm="guided", play_first=1.0, steps=64))
    rollout, seen = trainer.rollout, 0
    shown = rollout._open_hand

    def checked(orders):
        nonlocal seen
        values = shown(orders)
        for row, order, of_row in zip(rollout.env.rows, orders, values, strict=True):
            if row[at.PHASE] != at.PLAY:
                assert np.isnan(of_row).all()
                continue
            solved = card_values(row, threads=1)
            for place, action in enumerate(ACTION_TABLE[order]):
                known = action < CARDS and solved[action] != NOT_LEGAL
                lost = (solved[action] - solved.max()) / TINY.reward_scale if known else np.nan
                np.testing.assert_allclose(of_row[place], lost, rtol=1e-6)
                seen += known
        return values

    rollout._open_hand = checked
    batch, _ = rollout.collect(0)
    assert seen > 1000
    legal = np.unpackbits(batch.mask, axis=-1).astype(bool)
    solved = ~np.isnan(batch.open_hand).all(-1)
    assert solved.any()
    assert (legal == ~np.isnan(batch.open_hand))[solved].all()


@pytest.mark.parametrize("reward_scale", [1e-4, 1e9])
def test_what_guided_is_shown_fits_whatever_the_unit(reward_scale):
    config = replace(TINY, algorithm="guided", play_first=1.0, steps=64)
    usual, other = (Trainer(replace(config, reward_scale=scale)) for scale in (50.0, reward_scale))
    for trainer in (usual, other):
        trainer.rollout.random_share = 1.0  # the networks, which are the same, play alike
    expected, found = (trainer.rollout.collect(0)[0].open_hand for trainer in (usual, other))
    np.testing.assert_allclose(found * (reward_scale / 50.0), expected, rtol=1e-5)
    assert np.nanmin(expected) < 0


def test_while_a_bot_is_imitated_nothing_is_solved():
    trainer = Trainer(replace(TINY, algorithm="guided", imitate="greedy", imitate_decisions=128))
    assert np.isnan(trainer._collect()[0].open_hand).all()
    trainer.decisions = 128
    assert not np.isnan(trainer._collect()[0].open_hand).all()


def test_a_run_that_was_begun_before_guided_goes_on(tmp_path):
    trainer = Trainer(replace(TINY, algorithm="dmc"))
    trainer.step()
    content = {**content_of(trainer, tmp_path), "rollout": trainer.rollout.state_dict()}
    assert content["rollout"]["carried"].pop("open_hand").shape[0] > 0
    again = Trainer.restored(content, tmp_path)
    trainer.step()
    again.step()
    assert all(
        torch.equal(value, again.networks.state_dict()[name]) for name, value in trainer.networks.state_dict().items()
    )


def content_of(trainer: Trainer, folder: Path) -> dict:
    trainer.save(folder / "c.pt")
    return load_checkpoint(folder / "c.pt")


def test_guided_is_for_the_score_of_a_deal():
    for changes in ({"episode": "partie"}, {"reward": "win"}):
        with pytest.raises(ConfigError, match="guided learns for the score of a deal"):
            make_algorithm(replace(TINY, algorithm="guided", **changes))


def test_mmd_by_hand():
    batch = decision(0, (0.25, 0.75), advantage=0.0, target=0.0)
    stay = 0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75)
    at_start = 10**0.5
    assert loss_of("mmd", Given([0.0, 0.0]), batch, stay=1.0, magnet=1.0) == pytest.approx(at_start * stay, rel=1e-5)
    networks, near = Given([math.log(3), 0.0]), decision(0, (0.75, 0.25), 0.0, 0.0)
    from_uniform = math.log(2) + 0.75 * math.log(0.75) + 0.25 * math.log(0.25)
    expected = (1 / 1.1) ** 0.5 * 2.0 * from_uniform / math.log(2)
    assert loss_of("mmd", networks, near, 1.0, stay=1.0, magnet=2.0) == pytest.approx(expected, rel=1e-5)


def test_the_magnet_of_mmd_can_be_the_average_of_its_own_weights():
    trainer = Trainer(replace(TINY, algorithm="mmd", magnet_average=0.5))
    trainer.step()
    first = {name: value.clone() for name, value in trainer.networks.policy.state_dict().items()}
    trainer.step()
    average = trainer.algorithm.state_dict()["average"]
    for name, now in trainer.networks.policy.state_dict().items():
        assert torch.allclose(average[name], 0.5 * first[name] + 0.5 * now)


def test_dmc_by_hand():
    assert loss_of("dmc", Given([2.0, 5.0]), decision(0, (0.5, 0.5), 0.0, target=-1.0)) == pytest.approx(9.0)
    algorithm = make_algorithm(replace(TINY, algorithm="dmc", epsilon=0.1))
    mask = torch.zeros(1, 80, dtype=torch.bool)
    mask[:, :2] = True
    acting = algorithm.acting(torch.tensor([[2.0, 5.0] + [9.0] * 78]), mask).exp()[0]
    assert acting[:3].tolist() == pytest.approx([0.05, 0.95, 0.0])


def test_dmc_learns_every_decision_once_from_what_came_of_it():
    """The returns of whole deals: the points of the player who acted, and no decision is lost between updates."""
    config = replace(TINY, algorithm="dmc", epsilon=1.0, rules="micro", play_first=0.0, random_contracts=0.0, seed=4)
    rollout = Trainer(config).rollout
    long = Trainer(replace(config, steps=80)).rollout
    parts = [rollout.collect(update)[0] for update in range(10)]
    whole, _ = long.collect(0)
    assert sum(len(part.action) for part in parts) > 0.8 * 80 * 16
    assert not np.isnan(np.concatenate([part.value_target for part in parts])).any()
    # Scores of whole points: a return that leaned on the critic would be none.
    for batch in (*parts, whole):
        points = batch.value_target * config.reward_scale
        assert np.allclose(points, np.round(points), atol=1e-3)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_it_learns(name):
    """On `micro` half a minute of nothing is enough: the trained policy beats the one it began as."""
    config = replace(TINY, algorithm=name, rules="micro", games=256, steps=16, width=32, minibatch=1024, play_first=0.0)
    config = replace(config, decisions=50 * 256 * 16, learning_rate=3e-3, reward_scale=10.0)
    start = Trainer(config).bot()
    match = play_match(run_to_the_end(config).bot(), start, "micro", 1000, 3)
    assert mean_with_interval(pair_values(match)).low > 4


@pytest.mark.parametrize("name", ALGORITHMS)
def test_imitating_a_bot_comes_to_play_like_it(name):
    config = replace(TINY, algorithm=name, rules="micro", games=256, steps=16, width=64, minibatch=512, play_first=0.0)
    config = replace(config, decisions=30 * 256 * 16, imitate="greedy", imitate_decisions=30 * 256 * 16)
    config = replace(config, learning_rate=3e-3, reward_scale=10.0)
    match = play_match(run_to_the_end(config).bot(), load_bot("random"), "micro", 1000, 3)
    greedy = play_match(load_bot("greedy"), load_bot("random"), "micro", 1000, 3)
    assert pair_values(match).mean() > 0.7 * pair_values(greedy).mean()


def test_the_policy_never_sees_what_is_hidden_and_the_critic_only_if_it_may():
    for critic, sees in (("state", True), ("observation", False)):
        networks = Networks(16, 1, 16, critic)
        torch.nn.init.normal_(networks.policy.layers[-1].weight)
        state = torch.randint(0, 2, (5, STATE_SIZE)).float()
        hidden = state.clone()
        hidden[:, OBSERVATION_SIZE:] = 1 - hidden[:, OBSERVATION_SIZE:]
        assert torch.equal(networks.policy(state), networks.policy(hidden))
        assert (not torch.equal(networks.critic(state), networks.critic(hidden))) == sees


OWN = '''
"""REINFORCE without a critic: a user's own algorithm, in one file."""
from training.algorithms import Algorithm, Loss
from training.network import masked_log_probabilities


class Reinforce(Algorithm):
    uses_critic = False
    whole_episodes = True

    def loss(self, networks, batch, progress):
        log_probabilities = masked_log_probabilities(networks.policy(batch.state), batch.mask)
        chosen = log_probabilities.gather(-1, batch.action[:, None]).squeeze(-1)
        each = -self.config.settings["weight"] * chosen * batch.value_target
        return Loss(each, {"policy_loss": each})
'''


def test_a_fourth_algorithm_is_one_file(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    (tmp_path / "mine.yaml").write_text(
        "algorithm: mine:Reinforce\nsettings: {weight: 2.0}\nrules: micro\ndecisions: 400000\ngames: 256\nsteps: 16\n"
        "width: 32\nlearning_rate: 3e-3\nreward_scale: 10\nepochs: 1\nminibatch: 1024\nplay_first: 0\n"
        "evaluate_deals: 200\nfinal_deals: 500\nopponents: [random]\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "piquet_env.cli", "train", "mine.yaml", "--out", "run"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    match = play_match(load_bot(str(tmp_path / "run/bot.safetensors")), load_bot("random"), "micro", 1000, 3)
    assert mean_with_interval(pair_values(match)).low > 4


@pytest.mark.parametrize(
    "name", ["nothing", "json:dumps", "json:nothing", "no.such:A", ":", ".json:A", "training.config:TrainConfig"]
)
def test_an_algorithm_that_is_none_is_refused(name):
    with pytest.raises(ConfigError, match="algorithm"):
        make_algorithm(TrainConfig(algorithm=name))


def test_what_is_wrong_with_an_algorithm_is_said(monkeypatch):
    with pytest.raises(ConfigError, match="'ppq' is unknown, did you mean 'ppo'"):
        make_algorithm(TrainConfig(algorithm="ppq"))
    with pytest.raises(ConfigError, match="no method loss"):
        make_algorithm(TrainConfig(algorithm="training.algorithms:Algorithm"))
    monkeypatch.setattr(ALGORITHMS["ppo"], "loss", lambda *_: Loss(torch.zeros(()), {}))
    trainer = Trainer(TINY)
    with pytest.raises(TrainingError, match=r"expected each of shape .*got \(\)"):
        trainer.step()
