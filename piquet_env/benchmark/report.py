"""What was measured, as the JSON object of `piquet benchmark --json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from piquet_env.benchmark.loops import CALIBRATION, Setting
from piquet_env.benchmark.measure import UNIT, Measure, as_json, figure, ratio
from piquet_env.benchmark.peers import Found
from piquet_env.benchmark.targets import SETTINGS, judge
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.knowledge import OBSERVATION_SIZE

Rates = Mapping[str, Sequence[float]]


def report(
    setting: Setting,
    measures: Sequence[Measure],
    found: Found | None,
    rates: Rates,
    extra: dict[str, Any],
    origin: dict[str, Any],
) -> dict[str, Any]:
    """The JSON object.

    Args:
        setting: what was played.
        measures: those of this project.
        found: the other libraries, if they were asked for.
        rates: of all measures, in each round.
        extra: `startup` and `solver`: what `measure_startup` and `measure_solver` gave, as far as it was asked for.
        origin: see `machine.origin`.
    """
    own = {m.name: figure(rates[m.name]) for m in measures if not m.name.startswith(CALIBRATION)}
    peers = [] if found is None else _peers(found, rates)
    ratios = _own_ratios(setting, rates) | {f"{p['against']}/{p['name']}": p["ratio"] for p in peers if p["ratio"]}
    sizes = {"row": 8 * at.COLUMNS, "observation": OBSERVATION_SIZE, "mask": ACTIONS}
    made: dict[str, Any] = {
        "rates": {name: each.median for name, each in own.items()},
        "unit": UNIT,
        "other_units": {
            measure.name: measure.unit for measure in measures if measure.name in own and measure.unit != UNIT
        },
        "ranges": {name: [each.low, each.high] for name, each in own.items()},
        "what": {measure.name: measure.what for measure in measures if measure.name in own},
        "ratios": ratios,
        "calibration": {**as_json(figure(rates[CALIBRATION])), "unit": "splitmix64 outputs/s"},
        "sizes": {**sizes, "unit": "bytes"},
    }
    if found is not None:
        made |= {"peers": peers, "missing": found.missing, "peer_versions": found.versions}
    made |= extra
    settings = {"rules": setting.rules.spec(), "games": setting.games, "steps": setting.steps}
    made["targets"] = judge(_figures(made)) if settings == SETTINGS else []
    settings |= {"threads": setting.threads, "repeats": len(rates[CALIBRATION])}
    return made | {"settings": settings, **origin}


def _own_ratios(setting: Setting, rates: Rates) -> dict[str, Any]:
    """What is compared with what, where both were measured."""
    pairs = [(name, fill) for fill in ("fill", "fill-whole") for name in ("batch", "vector", "vector-into")]
    pairs += [("aec", "aec-nothing"), ("training", "training-network")]
    pairs += [("training-processes-2", "training-processes-1")]
    pairs += [(f"{name}-{setting.threads}", name) for name in ("batch", "fill", "bidding", CALIBRATION)]
    return {f"{a}/{b}": as_json(ratio(rates[a], rates[b])) for a, b in pairs if a in rates and b in rates}


def _peers(found: Found, rates: Rates) -> list[dict[str, Any]]:
    return [_peer(library, measure, rates) for library, measures in found.measures.items() for measure in measures]


def _peer(library: str, measure: Measure, rates: Rates) -> dict[str, Any]:
    """`ratio` is ours to theirs; None where ours was not measured."""
    theirs, ours = rates[measure.name], rates.get(measure.against)
    made = figure(theirs)
    return {
        "library": library,
        "name": measure.name,
        "what": measure.what,
        "rate": made.median,
        "range": [made.low, made.high],
        "against": measure.against,
        "ratio": None if ours is None else as_json(ratio(ours, theirs)),
    }


def _figures(made: dict[str, Any]) -> dict[str, float]:
    """All that a target may be set for."""
    figures = {name: each["median"] for name, each in made["ratios"].items()} | made["rates"]
    figures |= {"state row": made["sizes"]["row"], "observation": made["sizes"]["observation"]}
    if "startup" in made:
        started = made["startup"]
        figures |= {"cold compile": started["cold_compile"], "warm import": started["warm_import"]["median"]}
    for name, taken in made.get("solver", {}).get("milliseconds", {}).items():
        figures |= {f"solver {name} {which}": taken[which] for which in ("mean", "p99")}
    return figures
