"""Bots by name: `load_bot("greedy")`, a checkpoint's path, or a user's own `package.module:factory`."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType

from piquet_env.bots.base import Bot, BotError, ask
from piquet_env.bots.expert import EFFORTS, ExpertBot, OmniscientBot
from piquet_env.bots.exported import SUFFIX as EXPORTED
from piquet_env.bots.exported import load_exported_bot
from piquet_env.bots.greedy import GreedyBot
from piquet_env.bots.program import PREFIX as PROGRAM
from piquet_env.bots.program import ProgramBot
from piquet_env.bots.random import RandomBot
from piquet_env.bots.search import EFFORTS as SEARCH_EFFORTS
from piquet_env.bots.search import SearchBot
from piquet_env.bots.tabular import SUFFIX as TABLE
from piquet_env.bots.tabular import load_tabular_bot
from piquet_env.rules import Rules

NETWORKS = (".safetensors", ".pt")
TRAINED = Path(__file__).parent / "trained"
"""Where the trained bots are that come with the package."""
_SB3 = ".zip"
SEARCH_MARK = "+search"
SEARCH = {"": "normal"} | {f":{effort}": effort for effort in SEARCH_EFFORTS}
"""What may stand behind the mark: how much is searched."""
# Named and not imported: the environment works without the part that learns.
_NETWORK_MODULE, _NETWORK_LOADER = "training.bot", "load_network_bot"


def _load_network(spec: str, path: str | Path) -> Bot:
    if not os.path.isfile(path):
        raise BotError(f"no trained bot at {str(path)!r}")
    for package in ("torch", _NETWORK_MODULE.partition(".")[0]):
        if importlib.util.find_spec(package) is None:
            raise BotError(f"the bot {spec!r} needs {package}, which is not installed: pip install 'piquet-env[train]'")
    loader = getattr(importlib.import_module(_NETWORK_MODULE), _NETWORK_LOADER)
    try:
        return loader(path)
    except (ValueError, OSError) as error:
        raise BotError(str(error)) from error


def _load_sb3(path: str) -> Bot:
    from piquet_env.bots.sb3 import SB3Bot

    return SB3Bot.load(path)


BOTS: dict[str, Callable[[], Bot]] = {
    "random": RandomBot,
    "greedy": GreedyBot,
    "base": partial(load_exported_bot, TRAINED / "base.onnx", "base"),
    "expert": ExpertBot,
    "expert:fast": partial(ExpertBot, EFFORTS["fast"]),
    "expert:slow": partial(ExpertBot, EFFORTS["slow"]),
    "omniscient": OmniscientBot,
}
"""The bots of this package."""


def load_bot(spec: str) -> Bot:
    """The bot that `spec` names.

    Args:
        spec: "random"; "greedy"; "base", a trained network; "expert", "expert:fast" or "expert:slow"; "omniscient",
            which cheats; the path of an exported bot (.onnx), of a trained one (.safetensors) or a run's checkpoint
            (.pt), which need torch, of a table (.npz) that `piquet exact --solve` wrote, or of a model (.zip) of
            Stable-Baselines3 (which can hold any code: load only those that you trust);
            "package.module:name", a bot, or a function or class that makes one when called without arguments (also of
            a module in the current folder); one of these and "+search", "+search:fast" or "+search:slow", search on
            top of a bot that has probabilities; or "cmd:PROGRAM ARGUMENTS", a program that speaks as
            piquet_env/serve/PROTOCOL.md describes.

    Raises:
        BotError: (a ValueError) no such bot, or one that cannot be loaded.
    """
    if not isinstance(spec, str):
        raise BotError(f"expected a bot's name, got {spec!r}")
    if spec in BOTS:
        return BOTS[spec]()
    if spec.startswith(PROGRAM):
        return ProgramBot(spec)
    if SEARCH_MARK in spec and spec.rpartition(SEARCH_MARK)[2][:1] in ("", ":"):
        return _load_search(spec)
    if spec.endswith(NETWORKS):
        return _load_network(spec, spec)
    if spec.endswith(EXPORTED):
        return load_exported_bot(spec)
    if spec.endswith(TABLE):
        return load_tabular_bot(spec)
    if spec.endswith(_SB3):
        return _load_sb3(spec)
    if ":" in spec:
        return _load_users(spec)
    raise BotError(f"unknown bot {spec!r}{_meant(spec)}; {_known()}")


def _load_search(spec: str) -> Bot:
    name, _, ending = spec.rpartition(SEARCH_MARK)
    if ending not in SEARCH:
        endings = ", ".join(f"{SEARCH_MARK}{ending}" for ending in SEARCH)
        raise BotError(f"unknown bot {spec!r}: expected it to end in one of {endings}")
    if not name:
        raise BotError(f"bot {spec!r}: expected the name of a bot before {SEARCH_MARK!r}, as in 'base{SEARCH_MARK}'")
    return SearchBot(load_bot(name), name, SEARCH_EFFORTS[SEARCH[ending]])


def note_rules(bots: Mapping[str, Bot], rules: Rules) -> None:
    """Say on standard error which of the bots, by name, were trained on other rules than they are to play by.

    Raises BotError: one cannot be asked.
    """
    for name, bot in bots.items():
        trained_on = ask(name, "its trained_on", getattr, bot, "trained_on", None)
        if isinstance(trained_on, Rules) and trained_on != rules:
            print(f"note: {name} was trained on {_short(trained_on)}; here it plays {_short(rules)}", file=sys.stderr)


def _short(rules: Rules) -> str:
    spec = rules.spec()
    return spec if isinstance(spec, str) else f"changed {spec['base']}"


def _meant(spec: str) -> str:
    inside = Path(spec) / "bot.safetensors"
    if inside.is_file():
        return f", did you mean {str(inside)!r}?"
    close = difflib.get_close_matches(spec, BOTS, n=1)
    return f", did you mean {close[0]!r}?" if close else ""


def _known() -> str:
    paths = "the path of a trained bot (.onnx, .safetensors, .zip), of a checkpoint (.pt) or of a table (.npz)"
    return (
        f"expected {', '.join(map(repr, BOTS))}, {paths}, 'package.module:factory', one of these with '{SEARCH_MARK}' "
        "behind it, or 'cmd:PROGRAM ARGUMENTS'"
    )


def _load_users(spec: str) -> Bot:
    module_name, _, factory_name = spec.partition(":")
    if not all(module_name.split(".")):  # an empty or a relative name
        raise BotError(f"bot {spec!r}: {module_name!r} is no module's name; {_known()}")
    module = _import(spec, module_name)
    factory = ask(spec, f"finding {factory_name!r}", getattr, module, factory_name, None)
    if not isinstance(factory, type) and ask(spec, "finding its act", isinstance, factory, Bot):
        return factory
    if not callable(factory):
        raise BotError(f"bot {spec!r}: the module {module_name!r} has no bot, function or class {factory_name!r}")
    bot = ask(spec, f"making it by {factory_name}()", factory)
    if not ask(spec, "finding its act", isinstance, bot, Bot):
        raise BotError(f"bot {spec!r}: expected an object with a method act(views, rng), got {type(bot).__name__}")
    return bot


def _import(spec: str, module_name: str) -> ModuleType:
    _find_in_current_directory()
    try:
        return ask(spec, "importing its module", importlib.import_module, module_name)
    except BotError as error:
        missing = getattr(error.__cause__, "name", None)
        if isinstance(error.__cause__, ModuleNotFoundError) and f"{module_name}.".startswith(f"{missing}."):
            raise BotError(f"bot {spec!r}: there is no module {module_name!r}; {_known()}") from error
        raise


def _find_in_current_directory() -> None:
    """At the end of the path, so that a user's random.py hides nothing."""
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
