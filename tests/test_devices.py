"""On a GPU: acting, learning, imitating, past selves, checkpoints and the bot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")

from trainers import TINY, run_to_the_end

from piquet_env.bots.base import views_of
from training.algorithms import ALGORITHMS
from training.trainer import Trainer


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")
@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_run_on_the_gpu(name, tmp_path):
    config = replace(TINY, algorithm=name, device="cuda", magnet_average=0.5, pool=0.5, pool_every=128)
    trainer = run_to_the_end(replace(config, imitate="greedy", imitate_decisions=128))
    assert next(trainer.networks.parameters()).device.type == "cuda"
    trainer.save(tmp_path / "c.pt")
    again = Trainer.resume(tmp_path / "c.pt")
    again.step()
    views = views_of(trainer.rollout.env.rows)
    actions = again.bot().act(views, np.random.default_rng(0))
    assert views.mask[np.arange(len(actions)), actions].all()
