"""Who sits opposite: past selves, frozen bots; and what is learnt from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")

from trainers import TINY

from piquet_env import Rules
from piquet_env.arena.match import Match
from piquet_env.arena.tables import DEAL, GAME
from piquet_env.bots import BotError, load_bot
from piquet_env.engine import layout as at
from training.pool import NOBODY
from training.train import objective
from training.trainer import Trainer

PLAIN = replace(TINY, rules="micro", games=64, play_first=0.0, random_contracts=0.0, symmetry="none")


class Recorder:
    """Plays the first legal action, and remembers the views it was given."""

    def __init__(self):
        self.views = []

    def act(self, views, rng):
        self.views.append(views)
        return views.mask.argmax(-1)


def test_a_frozen_bot_takes_one_seat_of_every_game_and_is_not_learnt_from():
    bot = Recorder()
    rollout = Trainer(PLAIN, bot).rollout
    batch, _ = rollout.collect(0)
    buffer_player, learn = rollout.buffer.arrays["player"], rollout.buffer.arrays["learn"]
    given = sum(len(views.mask) for views in bot.views)
    assert given == (~learn).sum() > 100
    assert 0.85 * learn.sum() < len(batch.action) <= learn.sum(), "all but the last that the bot has not yet answered"
    assert set(buffer_player[learn]) == {0, 1}, "the learner sits on either side"
    first = rollout.buffer.arrays["action"][0][~learn[0]]
    assert np.array_equal(first, bot.views[0].mask.argmax(-1))


def test_a_frozen_bot_is_given_what_the_player_knows_and_no_more():
    bot = Recorder()
    rollout = Trainer(PLAIN, bot).rollout
    rollout.collect(0)
    for views in bot.views:
        hands = views.rows[:, at.HANDS : at.HANDS + 2]
        assert ((hands == -1).sum(-1) == 1).all(), "of one hand it knows nothing"
        assert (views.rows[:, at.RANDOM] == -1).all()


def test_the_opponent_changes_only_between_episodes():
    trainer = Trainer(replace(PLAIN, pool=0.5, pool_every=1))
    for _ in range(3):
        trainer.step()
    rollout = trainer.rollout
    before = rollout.opponents.who.copy(), rollout.opponents.seat.copy()
    rollout.opponents.draw(np.random.default_rng(0).random((64, 3)), np.arange(64) < 10)
    assert np.array_equal(rollout.opponents.who[10:], before[0][10:])
    assert np.array_equal(rollout.opponents.seat[10:], before[1][10:])
    share = (rollout.opponents.who != NOBODY).mean()
    assert 0.2 < share < 0.8


def test_past_selves_are_kept_up_to_the_limit_and_do_not_learn():
    trainer = Trainer(replace(PLAIN, pool=1.0, pool_every=1, pool_size=2, decisions=10**6))
    weights = []
    for _ in range(4):
        trainer.step()
        weights.append(trainer.networks.policy.layers[0].weight.detach().clone())
    past = trainer.rollout.opponents.past
    assert len(past) == 2
    for bot, then in zip(past, weights[-2:], strict=True):
        assert torch.equal(bot.policy.layers[0].weight, then)
    assert set(np.unique(trainer.rollout.opponents.who)) <= {0, 1}


def test_against_itself_as_it_is_the_past_self_plays_the_same_policy():
    """The opponent's seat is no other game: with equal weights, who acts makes no difference to what is done."""
    config = replace(PLAIN, rules="auction")
    alone, opposed = Trainer(config), Trainer(replace(config, pool=1.0))
    with torch.no_grad():
        for trainer in (alone, opposed):
            trainer.networks.policy.layers[-1].weight.mul_(100)
    opposed.rollout.opponents.add(opposed.networks.policy)
    for trainer in (alone, opposed):
        trainer.rollout.collect(0)
    assert (opposed.rollout.opponents.who == 0).all()
    actions = [trainer.rollout.buffer.arrays["action"] for trainer in (alone, opposed)]
    assert np.array_equal(*actions)
    assert alone.rollout.buffer.arrays["learn"].all()
    assert 0.3 < opposed.rollout.buffer.arrays["learn"].mean() < 0.7


def test_a_bot_that_fails_ends_the_run_with_its_name_for_it():
    class Broken:
        def act(self, views, rng):
            raise RuntimeError("out of order")

    with pytest.raises(BotError, match="out of order"):
        Trainer(PLAIN, Broken()).step()


def test_parties_are_played_to_the_score():
    config = replace(PLAIN, rules="rubicon", episode="partie", reward="payment", games=8, steps=200)
    trainer = Trainer(config)
    trainer.step()
    buffer = trainer.rollout.buffer.arrays
    assert buffer["done"].any()
    assert (buffer["reward"][~buffer["done"]] == 0).all(), "only the end of a partie pays"
    assert (buffer["reward"][buffer["done"]] != 0).any()


def test_a_bot_can_be_imitated_whether_it_says_its_probabilities_or_not():
    trainer = Trainer(replace(PLAIN, imitate="greedy", imitate_decisions=PLAIN.decisions))
    trainer.rollout.teacher = load_bot("greedy")
    batch, _ = trainer.rollout.collect(0)
    policy = np.exp(batch.acting)
    assert np.allclose(policy.sum(-1), 1)
    assert (policy[np.arange(len(policy)), batch.action] == 1).all()


def test_the_best_network_of_a_run_is_chosen_by_what_is_learned_for():
    """Of two pairs the first is won by 40, its second game lost; in the second pair both are lost by 1."""
    deals, games = np.zeros(4, DEAL), np.zeros(4, GAME)
    for table in (deals, games):
        table["pair"], table["half"], table["difference"] = [0, 0, 1, 1], [0, 1, 0, 1], [50, -10, -1, -1]
    games["payment"] = [200, -160, -151, -151]
    match = Match(("it", "other"), Rules.make("micro"), "partie", 0, deals, games)
    partie = replace(PLAIN, episode="partie")
    assert objective(match, partie) == (20 - 1) / 2
    assert objective(match, replace(partie, reward="payment")) == -262 / 4
    assert objective(match, replace(partie, reward="win")) == objective(match, replace(PLAIN, reward="win")) == -0.5


def test_what_came_after_the_last_decision_counts_once_where_a_frozen_bot_is_to_act():
    """Its value is all that is known of what comes of it; deals that have ended since are part of that."""
    rules = {"base": "micro", "deals": 20}
    config = replace(PLAIN, rules=rules, episode="partie", gae_lambda=1.0, games=256, steps=24)
    rollout = Trainer(config, Recorder()).rollout
    batch, _ = rollout.collect(0)
    target = np.full((config.steps, config.games), np.nan)
    target.flat[batch.place] = batch.value_target
    kept = rollout.buffer.arrays
    assert not kept["done"].any()
    ended_since = 0
    for game in np.flatnonzero(rollout.info["player"] == rollout.opponents.seat):
        *earlier, last = np.flatnonzero(kept["learn"][:, game])
        won = kept["reward"][:, game] * (1 if kept["player"][last, game] == 0 else -1)
        assert np.isnan(target[last, game])
        for t in earlier:
            assert target[t, game] == pytest.approx(won[t:last].sum() + kept["value"][last, game], abs=1e-5)
        ended_since += won[last:].any()
    assert ended_since > 5
