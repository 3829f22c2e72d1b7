"""The configuration of a run: one sentence per field, read from YAML; an unknown key is an error."""

from __future__ import annotations

import dataclasses
import json
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from piquet_env import Rules


class ConfigError(ValueError):
    """A configuration that cannot be: names the file and the field."""


@dataclass(frozen=True)
class TrainConfig:
    """Everything that a run depends on. Budgets count decisions, never seconds."""

    rules: str | dict[str, Any] = "auction"
    """The game: a ruleset's name, or changed fields {"base": name, field: value}."""
    episode: str = "deal"
    """What an episode is: deal, partie, or auction: a deal whose auction alone is played (the bidding benchmark)."""
    deals: str = ""
    """The file of stored deals (`piquet bidding make`) that auctions are of; empty: dealt and settled in the run."""
    reward: str = "score"
    """What is learned for: score, payment (parties only) or win."""
    seed: int = 0
    """Seed of the deals, of the weights and of the sampling."""
    decisions: int = 3_000_000
    """How many decisions are played, in all; schedules go by them."""
    games: int = 1024
    """Games stepped at once, by all processes together."""
    steps: int = 32
    """Decisions of each game between two updates."""
    threads: int = 0
    """Threads of a process, for games and network; 0: the machine's cores, shared by its processes."""
    device: str = "auto"
    """Where the networks are: cpu, cuda, or auto: a GPU where there is one."""
    precision: str = "float32"
    """What the hidden layers compute in while playing and learning: float32, or bfloat16, nearly twice as fast
    where the processor has it; weights, their averages and the last layer are float32 in any case."""
    start: str = ""
    """A run's folder, a checkpoint (networks and Adam's averages) or a trained bot (its policy alone) that it begins
    with; empty: new networks."""

    algorithm: str = "ppo"
    """How it is learnt: ppo, guided (ppo, and all that is said of it below, but
    shown what cards are worth with open hands), mmd, dmc, or module:Class of your own."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Names and plain values for an algorithm of your own."""
    width: int = 256
    """Units of each hidden layer of the policy network."""
    depth: int = 3
    """Hidden layers of the policy network and of the critic."""
    critic: str = "state"
    """What the critic sees: the whole state, or the observation of the player to act."""
    critic_width: int = 128
    """Units of each hidden layer of the critic."""
    symmetry: str = "canonical"
    """How the suits are interchanged: canonical (the networks see them sorted), augment (in random order) or none."""
    skip_forced: bool = True
    """Whether moves without a choice are played without asking the network, and not learnt from."""

    learning_rate: float = 1e-3
    """Adam's step size at the start; it falls linearly to a tenth."""
    epochs: int = 2
    """Passes over the decisions of an update."""
    minibatch: int = 4096
    """Decisions of a gradient step, of all processes together."""
    gradient_norm: float = 0.5
    """Gradients are scaled down to this norm."""
    reward_scale: float = 50.0
    """Points that count as a reward of 1."""
    gae_lambda: float = 0.95
    """Lambda of the generalised advantages (ppo, mmd)."""
    value_weight: float = 0.5
    """Weight of the critic's loss (ppo, mmd)."""
    clip: float = 0.2
    """Bound on the change of a decision's probability ratio (ppo, mmd)."""
    entropy: float = 0.03
    """Weight of the entropy at the start, divided by the log of the legal actions; it falls to a tenth (ppo)."""
    open_hand: float = 0.5
    """Share, at the start, that open-hand play has in what is learnt of each card; it falls to a tenth (guided)."""
    magnet: float = 0.05
    """Weight of the KL divergence from the magnet, divided by the log of the legal actions; annealed (mmd)."""
    magnet_average: float = 0.0
    """0: the magnet is the uniform policy; else the policy of weights averaged with this share of the old (mmd)."""
    stay: float = 0.03
    """Weight of the KL divergence from the policy that played; annealed (mmd)."""
    epsilon: float = 0.01
    """Share of random actions (dmc)."""

    imitate: str = ""
    """A bot, or a file of `piquet selfplay`, to be imitated before learning by self-play; empty: none."""
    imitate_decisions: int = 1_000_000
    """Of all decisions, the first ones, in which it is imitated."""
    play_first: float = 0.5
    """Share of the run (without imitation), from its start, in which every auction is random and not learnt from: who
    cannot play yet does best by passing, and would learn nothing else. None in episodes of an auction."""
    random_contracts: float = 0.25
    """Share of the deals with such an auction after that, so that contracts of all kinds go on being played. None in
    episodes of an auction."""
    pool: float = 0.0
    """Share of the games in which one seat is played by a past self."""
    pool_every: int = 1_000_000
    """Decisions between two past selves."""
    pool_size: int = 10
    """How many of the last past selves are kept."""

    evaluate_every: int = 300_000
    """Decisions between two evaluations, for the learning curve and to choose the best network."""
    evaluate_deals: int = 200
    """Duplicate deals (or parties) of such an evaluation."""
    final_deals: int = 1000
    """Duplicate deals (or parties) of the evaluation at the end."""
    exploitability: bool = False
    """Whether each evaluation measures exact exploitability too (packs as small as that of micro)."""
    opponents: tuple[str, ...] = field(default=("random", "greedy"))
    """The bots to be measured against; the best network is the one that does best against the last of them."""
    checkpoint_every: int = 500_000
    """Decisions between two checkpoints."""

    def __post_init__(self) -> None:
        _check(self)


_HINTS = typing.get_type_hints(TrainConfig)
_CHOICES = {
    "episode": ("deal", "partie", "auction"),
    "reward": ("score", "payment", "win"),
    "device": ("auto", "cpu", "cuda"),
    "critic": ("state", "observation"),
    "precision": ("float32", "bfloat16"),
    "symmetry": ("canonical", "augment", "none"),
}
SWITCHES = frozenset({"skip_forced", "exploitability"})
_LEAST = {"reward_scale": 1e-6, "evaluate_deals": 2, "final_deals": 2}  # an interval needs two pairs of deals
_MOST = {
    "threads": 1024, "learning_rate": 1.0, "seed": 2**63 - 1, "games": 10**6, "steps": 10**6,
    "width": 2**14, "critic_width": 2**14, "depth": 100,
}  # fmt: skip
_SHARES = ("clip", "open_hand", "gae_lambda", "random_contracts", "play_first", "pool", "magnet_average", "epsilon")
_NOT_NEGATIVE = ("seed", "threads", "entropy", "magnet", "stay", "value_weight")


def load_config(path: str | Path) -> TrainConfig:
    """Read a YAML file. Raises ConfigError: unreadable, not YAML, an unknown key, a wrong value."""
    values = read_values(path)
    try:
        return config_from(values)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def read_values(path: str | Path) -> Any:
    """What a YAML file says. Raises ConfigError: unreadable, or not YAML."""
    try:
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: no YAML: {' '.join(str(error).split())}") from error


def config_from(values: Any) -> TrainConfig:
    """A configuration from a mapping of fields, the rest by default. Raises ConfigError."""
    if not isinstance(values, dict):
        raise ConfigError(f"expected fields and values, got {type(values).__name__}")
    known = [f.name for f in dataclasses.fields(TrainConfig)]
    for name in values:
        if name not in known:
            raise ConfigError(f"unknown field {name!r}; known are {', '.join(known)}")
    changes: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    return TrainConfig(**changes)


def as_dict(config: TrainConfig) -> dict[str, Any]:
    """Plain values, as YAML and checkpoints hold them."""
    return {**dataclasses.asdict(config), "opponents": list(config.opponents)}


def _check(config: TrainConfig) -> None:
    _check_words(config)
    for f in dataclasses.fields(config):
        if _HINTS[f.name] in (int, float):
            object.__setattr__(config, f.name, _number(f.name, _HINTS[f.name], getattr(config, f.name)))
    if config.reward == "payment" and config.episode != "partie":
        raise ConfigError("reward: payment is what a partie pays; set episode: partie")
    if config.imitate and config.imitate_decisions > config.decisions:
        raise ConfigError(
            f"imitate_decisions: expected at most decisions, {config.decisions}, got {config.imitate_decisions}: set it"
        )
    if config.episode == "auction":
        _check_auction(config)
    elif config.deals:
        raise ConfigError(f"deals: stored ones are for episode: auction, got episode: {config.episode}")
    if config.exploitability:
        _check_small(config.rules)
    if config.magnet_average == 1:
        raise ConfigError("magnet_average: expected less than 1, or the average would never move")


def _check_auction(config: TrainConfig) -> None:
    if not Rules.make(config.rules).auction:
        raise ConfigError(f"episode: auction: expected rules with an auction, got {config.rules!r}")
    if config.exploitability:
        raise ConfigError("exploitability: is measured exactly for episode: deal alone")


def _check_small(rules: str | dict[str, Any]) -> None:
    from piquet_env.exact.deals import check_rules  # here, so that a trained bot plays without it

    try:
        check_rules(Rules.make(rules))
    except ValueError as error:
        raise ConfigError(f"exploitability: {error}") from error


def _check_words(config: TrainConfig) -> None:
    for name, choices in _CHOICES.items():
        if getattr(config, name) not in choices:
            raise ConfigError(f"{name}: expected one of {', '.join(choices)}, got {getattr(config, name)!r}")
    for name in ("algorithm", "imitate", "deals", "start"):
        if not isinstance(getattr(config, name), str):
            raise ConfigError(f"{name}: expected a name, got {getattr(config, name)!r}")
    for name in sorted(SWITCHES):
        if not isinstance(getattr(config, name), bool):
            raise ConfigError(f"{name}: expected true or false, got {getattr(config, name)!r}")
    if not (isinstance(config.settings, dict) and _is_plain(config.settings)):
        raise ConfigError(f"settings: expected names and plain values, as JSON has them, got {config.settings!r}")
    bots = config.opponents
    if not (isinstance(bots, tuple) and all(isinstance(bot, str) for bot in bots)):
        raise ConfigError(f"opponents: expected a list of bots, got {bots!r}")
    if not bots:
        raise ConfigError("opponents: expected at least one bot to be measured against")
    try:
        Rules.make(config.rules)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def _is_plain(values: dict[str, Any]) -> bool:
    """Whether checkpoints and bots' files can hold them."""
    try:
        return json.loads(json.dumps(values)) == values
    except (TypeError, ValueError):
        return False


def _number(name: str, kind: type, value: Any) -> int | float:
    """The value as `kind`. YAML reads 1e6 and 3e-4 as text, so numbers in text are taken too."""
    try:
        number = value if type(value) is int else float(value) if not isinstance(value, bool) else None
    except (TypeError, ValueError):
        number = None
    if number is None or number != number or number in (float("inf"), float("-inf")):
        raise ConfigError(f"{name}: expected a number, got {value!r}")
    if kind is int and number != int(number):
        raise ConfigError(f"{name}: expected a whole number, got {value!r}")
    if name in _SHARES and not 0 <= number <= 1:
        raise ConfigError(f"{name}: expected 0 to 1, got {value!r}")
    if name not in _SHARES and (number < 0 or (number == 0 and name not in _NOT_NEGATIVE)):
        raise ConfigError(f"{name}: expected more than 0, got {value!r}")
    if number > _MOST.get(name, 10**15):
        raise ConfigError(f"{name}: expected at most {_MOST.get(name, 10**15)}, got {value!r}")
    if number < _LEAST.get(name, 0):
        raise ConfigError(f"{name}: expected at least {_LEAST[name]}, got {value!r}")
    return kind(number)
