"""A trained bot for others: as one ONNX file, or as a folder of weights, manifest and model card.

Nothing is written before the file to be has played the same as the original on positions of real games.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import logging
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from piquet_env import SelfPlayVectorEnv, __version__
from piquet_env.bots import exported
from piquet_env.bots.base import Views
from piquet_env.bots.meaning import FORMS, hashes, observation_table
from piquet_env.bots.random import RandomBot
from piquet_env.engine.actions import ACTIONS
from piquet_env.knowledge import OBSERVATION_SIZE, VERSIONS
from piquet_env.notation import action_names
from training.bot import NetworkBot
from training.checkpoint import checksum
from training.graph import ExportedNetwork

MOST_DIFFERENT = 1e-5
"""By so much at most may a probability, or a value in its own unit, differ from the original's."""
NEARLY_EQUAL = 1e-4
"""Where the best two actions differ by no more than this, the other may be chosen."""
_GAMES = 250


class ExportError(Exception):
    """A bot that cannot be exported: what is made of it plays otherwise than the original."""


@dataclass(frozen=True)
class Comparison:
    """An exported bot beside the original."""

    decisions: int
    largest_difference: float
    """Of a probability, or of a value in units of reward_scale."""
    other_choices: int
    """Decisions with another likeliest action, though the best two differ by more than NEARLY_EQUAL."""

    def check(self) -> None:
        """Raises ExportError: it differs by more than it may."""
        if self.other_choices:
            what = f"it chooses another action in {self.other_choices} of {self.decisions:,} decisions"
        elif not self.largest_difference <= MOST_DIFFERENT:  # NaN too
            what = f"its largest difference from the original is {self.largest_difference:.1e} in {self.decisions:,}"
        else:
            return
        raise ExportError(f"{what}; expected at most {MOST_DIFFERENT:g}, and the same choices; nothing is written")


def onnx_file(bot: NetworkBot, about: dict[str, Any]) -> bytes:
    """The bot, which has a `Value`, as an ONNX file with these metadata (`about_bot`)."""
    assert bot.expects is not None
    network = ExportedNetwork(bot, bot.expects, bot.trained_on.pack if bot.trained_on else 2**32 - 1).eval()
    examples = (torch.zeros(2, OBSERVATION_SIZE, dtype=torch.int8), torch.ones(2, ACTIONS, dtype=torch.int8))
    batch = torch.export.Dim("batch")
    with _quiet():
        program = torch.onnx.export(
            network,
            examples,
            dynamo=True,
            external_data=False,
            input_names=list(exported.INPUTS),
            output_names=list(exported.OUTPUTS),
            dynamic_shapes=({0: batch}, {0: batch}),
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    model.producer_name, model.producer_version = "piquet-env", __version__
    model.graph.name, model.graph.doc_string = "piquet-bot", _doc()
    del model.metadata_props[:]
    model.metadata_props.add(key=exported.KEY, value=json.dumps({**about, "content": exported.UNSIGNED}))
    return exported.signed(model.SerializeToString())


def at_temperature(bot: NetworkBot, temperature: float) -> NetworkBot:
    """The bot with its probabilities to the power 1 / temperature, and without its value; at 1 itself.

    Raises ValueError: it has no probabilities to draw from.
    """
    if temperature == 1:
        return bot
    if bot.head != "softmax":
        raise ValueError(f"temperature: expected 1 for a bot with a {bot.head} head, got {temperature:g}")
    policy = copy.deepcopy(bot.policy)
    last = policy.layers[-1]
    assert isinstance(last, nn.Linear)
    with torch.no_grad():
        last.weight.div_(temperature)
        last.bias.div_(temperature)
    return NetworkBot(policy, bot.head, bot.canonical, bot.trained_on and bot.trained_on.spec())


def about_bot(
    bot: NetworkBot, header: dict[str, Any], value: dict[str, Any], results: list[dict[str, Any]], license: str
) -> dict[str, Any]:
    """What is to be known about a bot, as JSON values: the metadata of its ONNX file, and its manifest.

    Args:
        header: what its file or checkpoint says: config, decisions, head, temperature (1 where that is not said).
        value: of its value network: `training.value.fitted_value`.
        results: what was measured of it: of entries of a report's `results`, against, points_per_deal, interval, deals.
        license: of the weights.
    """
    assert bot.trained_on is not None
    assert bot.expects is not None
    rules, config = bot.trained_on, header["config"]
    return {
        "format": exported.FORMAT,
        "versions": VERSIONS,
        "hashes": hashes(rules),
        "rules": rules.spec(),
        "rule_fields": asdict(rules),
        "episode": config["episode"],
        "inputs": exported.INPUTS,
        "outputs": exported.OUTPUTS,
        "observation": observation_table(),
        "forms": FORMS,
        "actions": action_names(),
        "suits": _SUITS[bot.canonical],
        "architecture": {
            "policy": {"inputs": OBSERVATION_SIZE, "width": bot.policy.width, "depth": bot.policy.depth,
                       "outputs": ACTIONS, "activation": "relu", "head": bot.head},
            "value": {"inputs": OBSERVATION_SIZE, **value, "activation": "relu"},
        },
        "training": {
            "algorithm": config["algorithm"],
            "decisions": header["decisions"],
            "seed": config["seed"],
            "temperature": header.get("temperature", 1.0),
            "config": config,
            "results": results,
        },
        "license": license,
        "sha256": bot.sha256,
        "value_sha256": checksum(bot.expects.network.state_dict()),
        "made_by": f"piquet-env {__version__}",
    }  # fmt: skip


_SUITS = {
    True: "sorted before the networks see them (piquet_env.knowledge.canonical_orders); "
    "an ONNX graph does that itself, as the pack of these rules wants it",
    False: "as they are, S H D C",
}


def _doc() -> str:
    ports = [f"{name}: {what}" for name, what in (exported.INPUTS | exported.OUTPUTS).items()]
    return "\n".join(["Plays Auction Piquet. The metadata entry 'piquet' says what each number means.", *ports])


# ------------------------------------------------------------------ beside the original


def positions(bot: NetworkBot, decisions: int, seed: int) -> Views:
    """What players know in so many decisions of games of its rules: half of them played by the bot, half by chance."""
    assert bot.trained_on is not None
    rng, parts, players = np.random.default_rng([seed, 2]), [], (bot, RandomBot())
    games = min(_GAMES, decisions)
    env = SelfPlayVectorEnv(2 * games, bot.trained_on, "partie", seed=seed)
    observation, info = env.reset()
    while sum(len(part.rows) for part in parts) < decisions:
        views = Views(observation.copy(), info["action_mask"].copy(), env.known_rows().copy())
        parts.append(views)
        halves = (views.part(slice(None, games)), views.part(slice(games, None)))
        actions = [player.act(half, rng) for player, half in zip(players, halves, strict=True)]
        observation, _, _, _, info = env.step(np.concatenate(actions))
    arrays = [np.concatenate(arrays)[:decisions] for arrays in zip(*parts, strict=True)]
    return Views(*arrays)


def compare(original: NetworkBot, outputs: dict[str, Any], views: Views) -> Comparison:
    """How what an exported bot gives, `exported.OUTPUTS`, differs from the original."""
    assert original.value is not None
    assert original.expects is not None
    expected, made = original.probabilities(views), outputs["probabilities"]
    differs = expected.argmax(-1) != outputs["action"]
    matters = original.margins(views) > NEARLY_EQUAL
    # A head that takes the best puts all on another action where two are nearly equal.
    counted = ~differs | matters | (original.head == "softmax")
    differences = [
        np.abs(expected - made)[counted].max(initial=0),
        np.abs(original.value(views) - outputs["value"]).max(initial=0) / original.expects.scale,
    ]
    return Comparison(len(views.rows), float(np.max(differences)), int((differs & matters).sum()))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without what torch's exporter says of other libraries and of itself."""
    log, before = logging.getLogger("torch.onnx"), logging.getLogger("torch.onnx").level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(before)
