"""Plans are read from YAML files, and checked as far as can be without training; an unknown key is an error."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from piquet_env import Rules
from piquet_env.arena.match import match_deals
from piquet_env.bots import BotError, load_bot
from piquet_env.envs.auctions import stored_deals
from piquet_env.options import check_seed
from training.algorithms import make_algorithm
from training.config import ConfigError, TrainConfig, read_values
from training.exploit import STARTS, is_small
from training.exploit_command import GIVEN
from training.imitation import imitated
from training.start import networks_at
from training.table.plan import NAME, NETWORKS, Game, Plan, PlanError, Response

_THE_SAME = ("rules", "episode", "deals", "opponents", "exploitability")
"""What every run of a game has alike."""


def load_plan(path: Path) -> Plan:
    """Read a YAML file. Raises PlanError: unreadable, no YAML, an unknown key, a wrong value."""
    try:
        return plan_from(read_values(path))
    except PlanError as error:
        raise PlanError(f"{path}: {error}") from error
    except ConfigError as error:
        raise PlanError(str(error)) from error  # names the file already


def plan_from(values: Any) -> Plan:
    """A plan from plain values, checked as far as can be without training. Raises PlanError."""
    given = _fields(Plan, values, "")
    given["games"] = {name: _game(value, f"games: {name}: ") for name, value in _names(given, "games").items()}
    given["algorithms"] = {n: _mapping(v, f"algorithms: {n}: ") for n, v in _names(given, "algorithms").items()}
    given["config"] = _mapping(given.get("config"), "config: ")
    given["seeds"] = _seeds(given["seeds"])
    try:
        plan = Plan(**{**given, "evaluation_seed": check_seed(given["evaluation_seed"])})
    except (ValueError, TypeError) as error:
        raise PlanError(f"evaluation_seed: {error}") from error
    if plan.network not in NETWORKS:
        raise PlanError(f"network: expected one of {', '.join(NETWORKS)}, got {plan.network!r}")
    for name in plan.games:
        _check_game(plan, name)
    return plan


def _fields(kind: type, values: Any, where: str) -> dict[str, Any]:
    """A mapping with the fields of a class, those without a default among them. Raises PlanError."""
    values = _mapping(values, where)
    known = {f.name: f for f in dataclasses.fields(kind)}
    for name in values:
        if name not in known:
            raise PlanError(f"{where}unknown field {name!r}; known are {', '.join(known)}")
    for name, f in known.items():
        if name not in values and f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            raise PlanError(f"{where}{name} is missing")
    return dict(values)


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if value is None:  # `ppo:` alone
        return {}
    if not isinstance(value, dict):
        raise PlanError(f"{where}expected names and values, got {value!r}")
    return value


def _names(given: dict[str, Any], what: str) -> dict[str, Any]:
    """What is called so in a plan: names that can be those of folders, one at least. Raises PlanError."""
    found = _mapping(given[what], f"{what}: ")
    if not found:
        raise PlanError(f"{what}: expected at least one")
    for name in found:
        if not (isinstance(name, str) and NAME.fullmatch(name)):
            raise PlanError(f"{what}: expected a name of letters, digits and underscores, got {name!r}")
    return found


def _seeds(values: Any) -> tuple[int, ...]:
    if not (isinstance(values, list) and values):
        raise PlanError(f"seeds: expected a list of whole numbers, got {values!r}")
    try:
        seeds = tuple(check_seed(value) for value in values)
    except (ValueError, TypeError) as error:
        raise PlanError(f"seeds: {error}") from error
    for seed in seeds:
        if seeds.count(seed) > 1:
            raise PlanError(f"seeds: {seed} is there twice")
    return seeds


def _game(values: Any, where: str) -> Game:
    given = _fields(Game, values, where)
    for name in ("config", "algorithms", "opponents"):
        given[name] = _mapping(given.get(name), f"{where}{name}: ")
    for name, value in given["algorithms"].items():
        given["algorithms"][name] = _mapping(value, f"{where}algorithms: {name}: ")
    for name, deals in given["opponents"].items():
        if not isinstance(name, str):
            raise PlanError(f"{where}opponents: expected a bot's name, got {name!r}")
        _check_number(deals, 2, f"{where}opponents: {name}: ")
    if given.get("cross", 0) != 0:
        _check_number(given["cross"], 2, f"{where}cross: ")
    if not isinstance(given.get("exact", False), bool):
        raise PlanError(f"{where}exact: expected true or false, got {given['exact']!r}")
    if given.get("response") is not None:
        given["response"] = _response(given["response"], f"{where}response: ")
    return Game(**{**given, "about": str(given.get("about", "")).strip()})


def _response(values: Any, where: str) -> Response:
    given = _fields(Response, values, where)
    given["config"] = _mapping(given.get("config"), f"{where}config: ")
    _check_number(given["decisions"], 1, f"{where}decisions: ")
    _check_number(given.get("deals", 2), 2, f"{where}deals: ")
    if given.get("start", "") not in ("", *STARTS):
        raise PlanError(f"{where}start: expected one of {', '.join(STARTS)}, got {given['start']!r}")
    _refuse_fields(GIVEN, given["config"], f"{where}config: ", "it follows from the rest of the plan")
    return Response(**given)


def _check_number(value: Any, least: int, where: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise PlanError(f"{where}expected a whole number of at least {least}, got {value!r}")


def _refuse_fields(names: Collection[str], found: Mapping[str, Any], where: str, why: str) -> None:
    for name in names:
        if name in found:
            raise PlanError(f"{where}{name}: {why}")


def _check_game(plan: Plan, name: str) -> None:
    """Raises PlanError: a run, a bot or a best response cannot be, or the algorithms have not the same budget."""
    game, where = plan.games[name], f"games: {name}: "
    for algorithm in game.algorithms:
        if algorithm not in plan.algorithms:
            raise PlanError(f"{where}algorithms: {algorithm!r} is none of {', '.join(plan.algorithms)}")
    for at, part in _parts(plan, name):
        _refuse_fields(("seed",), part, at, "the plan's seeds are used")
        if "algorithms" in at:
            _refuse_fields(
                _THE_SAME, part, at, "it is the same for every algorithm, so it belongs into the game's config"
            )
    budgets = {algorithm: _checked(plan, name, algorithm).decisions for algorithm in plan.algorithms}
    if len(set(budgets.values())) > 1:
        told = ", ".join(f"{algorithm} {budget:,}" for algorithm, budget in budgets.items())
        raise PlanError(f"{where}decisions: expected the same budget for every algorithm, got {told}")
    _check_measures(plan, name, where)


def _parts(plan: Plan, game: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where fields of the runs' configurations stand."""
    yield "config: ", plan.config
    yield f"games: {game}: config: ", plan.games[game].config
    for where, algorithms in (("", plan.algorithms), (f"games: {game}: ", plan.games[game].algorithms)):
        for algorithm, part in algorithms.items():
            yield f"{where}algorithms: {algorithm}: ", part


def _checked(plan: Plan, game: str, algorithm: str) -> TrainConfig:
    try:
        config = plan.config_of(game, algorithm, plan.seeds[0])
        made = make_algorithm(config)
        for bot in config.opponents:
            load_bot(bot)
        imitated(config)
        if config.start:
            networks_at(config.start, config, made)
    except (ConfigError, BotError) as error:
        raise PlanError(f"games: {game}: the runs of {algorithm}: {error}") from error
    return config


def _check_stored(game: Game, config: TrainConfig, where: str) -> None:
    if not isinstance(game.stored, str):
        raise PlanError(f"{where}stored: expected a file of stored deals, got {game.stored!r}")
    most = max(game.cross, *game.opponents.values(), 0)
    try:
        match_deals(config.episode, Rules.make(config.rules), game.stored or None, most)
    except (ValueError, OSError) as error:
        raise PlanError(f"{where}stored: {error}") from error
    try:
        stored_deals(config.episode, Rules.make(config.rules), config.deals or None)
    except ValueError as error:
        raise PlanError(f"{where}config: deals: {error}") from error


def _check_measures(plan: Plan, name: str, where: str) -> None:
    game = plan.games[name]
    config = plan.config_of(name, next(iter(plan.algorithms)), plan.seeds[0])
    try:
        for bot in game.opponents:
            load_bot(bot)
    except BotError as error:
        raise PlanError(f"{where}opponents: {error}") from error
    _check_stored(game, config, where)
    if game.exact and not (is_small(config.rules) and config.episode == "deal"):
        raise PlanError(f"{where}exact: expected deals with a pack as small as that of micro")
    if game.response is None:
        return
    try:
        plan.response_of(name, plan.seeds[0])
    except ValueError as error:
        raise PlanError(f"{where}response: {error}") from error
