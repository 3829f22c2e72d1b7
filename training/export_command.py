"""The command `piquet export`."""

from __future__ import annotations

import hashlib
import json as json_module
import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from tyro.conf import arg

from piquet_env.bots.base import Views
from piquet_env.bots.exported import SUFFIX, ExportedBot
from piquet_env.cli import OK, REFUSED
from piquet_env.options import announce_compiling, check_seed
from training.bot import NetworkBot, network_bot, read_network
from training.botfile import VALUE, bot_file, parse_bot_file
from training.card import model_card
from training.checkpoint import CheckpointError
from training.config import config_from
from training.export import Comparison, ExportError, about_bot, at_temperature, compare, onnx_file, positions
from training.export_files import CARD, CARD_SHA256, MANIFEST, MANIFEST_FORMAT, target_of, write
from training.train import BOT, RESULTS
from training.value import DEALS, fitted_value

FAILED = 1
DECISIONS = 10_000
_LEAST_DEALS = 20
_LOWEST = 0.01


def export(
    checkpoint: Path,
    out: Annotated[Path | None, arg(aliases=("-o",))] = None,
    decisions: int = DECISIONS,
    value_deals: int = DEALS,
    temperature: float = 1.0,
    seed: int = 0,
    license: str = "MIT",
    json: bool = False,
) -> int:
    """Make a trained bot into one file that other programs use without torch, or into a folder with a model card.

    A name that ends in .onnx is one self-contained ONNX file: what the player sees and may do goes in, probabilities,
    value and the likeliest action come out, and its metadata say what every number means. Any other name is a folder:
    weights (bot.safetensors), manifest.json, README.md. What the bot expects to score, its value, is fitted first, to
    deals that it plays against itself. Then decisions are replayed: where what was made differs from the original by
    more than 1e-5, or chooses another action, nothing is written, and the exit status is 1.

    Args:
        checkpoint: a run's folder, its bot.safetensors, or a checkpoint (.pt).
        out: the file or folder (default: the checkpoint's name with .onnx).
        decisions: how many are replayed.
        value_deals: how many deals the value is fitted to; a bot that has one keeps it, unless its temperature changes.
        temperature: the bot's probabilities are raised to the power 1 / temperature: below 1 it draws its likeliest
            actions more often than it did in training.
        seed: of the deals that are played, and of the fit.
        license: of the weights, for the metadata.
        json: print one JSON object instead.
    """
    console = Console(stderr=json, markup=False, highlight=False, soft_wrap=True)
    try:
        source, target = _source(checkpoint), target_of(checkpoint, out)
        _check(decisions, value_deals, temperature, seed)
        made, comparison, size = _export(source, target, decisions, value_deals, temperature, seed, license)
    except ExportError as error:
        print(f"piquet export: {checkpoint}: {error}", file=sys.stderr)
        return FAILED
    except (CheckpointError, ValueError, OSError) as error:
        print(f"piquet export: {_reason(error)}", file=sys.stderr)
        return REFUSED
    if json:
        value = {key: made["architecture"]["value"][key] for key in ("explained_variance", "root_mean_square_error")}
        told = {"file": str(target), "bytes": size, "sha256": made["sha256"], "rules": made["rules"], "value": value}
        print(json_module.dumps(told | asdict(comparison)))
    else:
        _print(console, target, size, made, comparison)
    return OK


def _check(decisions: int, value_deals: int, temperature: float, seed: int) -> None:
    """Raises ValueError."""
    check_seed(seed)
    if not _LOWEST <= temperature <= 1 / _LOWEST:
        raise ValueError(f"temperature: expected {_LOWEST} to {1 / _LOWEST:g}, got {temperature:g}")
    if decisions < 1:
        raise ValueError(f"decisions: expected at least 1, got {decisions}")
    if value_deals < _LEAST_DEALS:
        raise ValueError(f"value_deals: expected at least {_LEAST_DEALS}, got {value_deals}")


def _source(checkpoint: Path) -> Path:
    return checkpoint / BOT if (checkpoint / BOT).is_file() else checkpoint


def _export(
    source: Path, target: Path, decisions: int, deals: int, temperature: float, seed: int, license: str
) -> tuple[dict[str, Any], Comparison, int]:
    """Make it, compare it, write it: (what is said of it, the comparison, bytes)."""
    if target.suffix == SUFFIX:
        import onnxruntime  # noqa: F401 (refused now, with what to install, and not after a minute)
        import onnxscript  # noqa: F401
    weights, header = read_network(source)
    bot = at_temperature(network_bot(source, weights, header), temperature)
    header = header | {"temperature": header.get("temperature", 1.0) * temperature}
    config, value = config_from(header["config"]), header.get("value")
    announce_compiling()
    with _Work() as work:
        if bot.expects is None:
            advance = work.part("fitting its value to deals against itself", 1)
            expects, value = fitted_value(bot, config, deals, seed, advance)
            bot = NetworkBot(bot.policy, bot.head, bot.canonical, config.rules, expects)
        about = about_bot(bot, header, value or {}, results_of(source, bot.sha256), license)
        advance = work.part("replaying decisions", decisions)
        views = positions(bot, decisions, seed)
        make = _onnx if target.suffix == SUFFIX else _folder
        files, outputs = make(bot, header | {"value": value}, about, views, target)
        comparison = compare(bot, outputs, views)
        advance(decisions)
    comparison.check()
    write(files, target)
    return about, comparison, sum(map(len, files.values()))


Made = tuple[dict[Path, bytes], dict[str, Any]]
"""Files to be written, and what the bot gives that is read back from them."""


def _onnx(bot: NetworkBot, header: dict[str, Any], about: dict[str, Any], views: Views, target: Path) -> Made:
    content = onnx_file(bot, about)
    return {target: content}, ExportedBot(content, str(target)).outputs(views)


def _folder(bot: NetworkBot, header: dict[str, Any], about: dict[str, Any], views: Views, target: Path) -> Made:
    assert bot.expects is not None
    of_value = {VALUE + name: tensor for name, tensor in bot.expects.network.state_dict().items()}
    kept = {key: header[key] for key in ("config", "decisions", "head", "temperature", "value")}
    content = bot_file(bot.policy.state_dict() | of_value, kept)
    other = network_bot(target / BOT, *parse_bot_file(target / BOT, content))
    assert other.value is not None
    probabilities = other.probabilities(views)
    card = model_card(os.path.basename(os.path.abspath(target)), BOT, about).encode()
    of_card = {"format": MANIFEST_FORMAT, CARD_SHA256: hashlib.sha256(card).hexdigest()}
    manifest = json_module.dumps(about | of_card, indent=1) + "\n"
    files = {target / BOT: content, target / CARD: card, target / MANIFEST: manifest.encode()}
    outputs = {"probabilities": probabilities, "value": other.value(views), "action": probabilities.argmax(-1)}
    return files, outputs


def results_of(source: Path, sha256: str) -> list[dict[str, Any]]:
    """What was measured of these weights, if that is written beside them, in `results` of the run's report."""
    try:
        report = json_module.loads((source.parent / RESULTS).read_text(encoding="utf-8"))
        if sha256 not in report["provenance"]["weights"].values():
            return []
        return [_result(each) for each in report["results"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []


def _result(of: dict[str, Any]) -> dict[str, Any]:
    low, high = map(float, of["interval"])
    return {
        "against": str(of["against"]),
        "points_per_deal": float(of["points_per_deal"]),
        "interval": [low, high],
        "deals": int(of["deals"]),
    }


class _Work:
    """A bar for each part of the work, on standard error."""

    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        self._bars = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)

    def part(self, what: str, total: float) -> Callable[[float], None]:
        """Begin a part of the work; the function is told how much more of it is done."""
        task = self._bars.add_task(what, total=total)
        return lambda more: self._bars.advance(task, more)

    def __enter__(self) -> _Work:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()


def _reason(error: Exception) -> str:
    return f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)


def _print(console: Console, target: Path, size: int, about: dict[str, Any], comparison: Comparison) -> None:
    value = about["architecture"]["value"]
    console.print(
        f"{target}: {size / 1e6:.1f} MB. {comparison.decisions:,} decisions replayed: largest difference "
        f"{comparison.largest_difference:.1e}, the same choices."
    )
    console.print(
        f"Its value explains {100 * value['explained_variance']:.0f} % of the variance of a deal's outcome "
        f"(root mean square error {value['root_mean_square_error']:.1f} points)."
    )
    bot = shlex.quote(str(target if target.suffix == SUFFIX else target / BOT))
    console.print(f"piquet evaluate {bot} greedy, or piquet play {bot}, plays it.")
