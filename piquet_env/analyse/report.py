"""The analysis of deals as a JSON object; piquet_env/analysis.schema.json has its keys."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from piquet_env.analyse.all_cards import values_of
from piquet_env.analyse.answers import Answer, answer_of
from piquet_env.analyse.cost import NOTHING, Z_95, Estimate, cost_of, seed_of
from piquet_env.analyse.decisions import Choice, Deal, Decision, choice_text
from piquet_env.arena.match import Side
from piquet_env.bots.base import Bot, BotError, sees_all
from piquet_env.engine import layout as at
from piquet_env.notation import rules_of
from piquet_env.options import check_seed
from piquet_env.records import PLAYERS, deal_record
from piquet_env.views import phase_name

FORMAT = "piquet-analysis/1"
LEAST_SAMPLES, MOST_SAMPLES = 2, 10_000
COSTLIEST = 3


def _ignore(decisions: float) -> None:
    pass


def analysis(
    deals: Sequence[Deal],
    name: str,
    bot: Bot,
    players: Sequence[int] = (0, 1),
    samples: int = 200,
    seed: int = 0,
    progress: Callable[[float], object] = _ignore,
) -> dict[str, Any]:
    """The JSON object.

    Args:
        deals: of one record, each of them over; at least one.
        name: what the bot is called.
        bot: is given what the player to act knows, and nothing else.
        players: whose decisions, 0 and 1.
        samples: worlds that are looked at for each decision in which the bot would have done something else.
        seed: of the worlds and of the bot's random numbers. What a player's decision cost depends on what he knew, on
            samples and seed, and on nothing else.
        progress: called with the number of decisions, or the part of one, that have been looked at since the last call.

    Raises:
        BotError: the bot cheats, or does what no bot may do.
        ValueError: a deal that is not over, or a bad number.
    """
    if sees_all(bot):
        raise BotError(f"bot {name!r}: it sees all cards; expected one that is given what a player knows")
    if not LEAST_SAMPLES <= samples <= MOST_SAMPLES:
        raise ValueError(f"samples: expected {LEAST_SAMPLES} to {MOST_SAMPLES}, got {samples}")
    for deal in deals:
        if not deal.is_over:
            raise ValueError(f"deal {deal.number}: expected one that is over")
    analyst = _Analyst(Side(name, bot), samples, check_seed(seed), progress)
    made = [_deal(deal, [analyst.look_at(d) for d in deal.decisions if d.player in players]) for deal in deals]
    settings = {"bot": name, "rules": rules_of(deals[0].end).spec(), "samples": samples, "seed": seed}
    return {"format": FORMAT, **settings, "deals": made, "players": {PLAYERS[p]: _summary(made, p) for p in players}}


class _Analyst:
    """Looks at decisions with a bot."""

    def __init__(self, side: Side, samples: int, seed: int, progress: Callable[[float], object]):
        self._side, self._samples, self._seed, self._progress = side, samples, seed, progress

    def look_at(self, decision: Decision) -> dict[str, Any]:
        """A decision as the object has it."""
        row, played = decision.row, decision.played
        seed = seed_of(row, decision.player, self._seed)
        answer = answer_of(self._side, decision, np.random.default_rng(seed))
        return {
            "number": decision.number,
            "phase": phase_name(int(row[at.PHASE])),
            "trick": int(row[at.TRICK]) + 1 if row[at.PHASE] == at.PLAY else None,
            "player": PLAYERS[decision.player],
            "played": choice_text(played, row),
            "bot": choice_text(answer.choice, row),
            "probability": _probability(answer),
            "cost": _estimate(self._cost(decision, answer, seed)),
            "all_cards": _all_cards(decision, answer, values_of(row, self._progress)),
        }

    def _cost(self, decision: Decision, answer: Answer, seed: int) -> Estimate:
        if answer.choice == decision.played:
            self._progress(1)
            return NOTHING
        choices = (decision.played, answer.choice)
        return cost_of(self._side, decision.row, choices, self._samples, seed, self._progress)


def _probability(answer: Answer) -> dict[str, float] | None:
    return None if answer.likely is None else dict(zip(("bot", "played"), answer.likely, strict=True))


def _estimate(estimate: Estimate) -> dict[str, Any]:
    mean, error = estimate.mean, estimate.error
    interval = None if error is None else [mean - Z_95 * error, mean + Z_95 * error]
    return {"points": mean, "standard_error": error, "interval": interval, "worlds": estimate.worlds}


def _all_cards(decision: Decision, answer: Answer, values: dict[Choice, int]) -> dict[str, Any]:
    """The best choice, which is what was played where nothing was better, and what the two lose against it."""
    best = max(values, key=lambda choice: (values[choice], choice == decision.played))
    return {
        "best": choice_text(best, decision.row),
        "played_loses": values[best] - values[decision.played],
        "bot_loses": values[best] - values[answer.choice],
    }


def _deal(deal: Deal, decisions: list[dict[str, Any]]) -> dict[str, Any]:
    row, record = deal.end, deal_record(deal.end)
    return {
        "deal": deal.number,
        "dealer": record["dealer"],
        "elder": PLAYERS[row[at.ELDER]] if row[at.ELDER] >= 0 else None,
        **{key: record[key] for key in ("hands", "talon", "result")},
        "decisions": decisions,
    }


def _summary(deals: list[dict[str, Any]], player: int) -> dict[str, Any]:
    """Of all decisions of a player."""
    his = [(deal["deal"], each) for deal in deals for each in deal["decisions"] if each["player"] == PLAYERS[player]]
    certain = [pair for pair in his if (pair[1]["cost"]["interval"] or [0.0])[0] > 0]
    dear = sorted(certain, key=lambda pair: -pair[1]["cost"]["points"])
    return {
        "decisions": len(his),
        "as_the_bot": sum(each["played"] == each["bot"] for _, each in his),
        "cost": _total([each["cost"] for _, each in his]),
        "lost_in_play": sum(each["all_cards"]["played_loses"] for _, each in his if each["phase"] == "play"),
        "costliest": [
            {"deal": deal, "number": each["number"], "points": each["cost"]["points"]}
            for deal, each in dear[:COSTLIEST]
        ],
    }


def _total(costs: list[dict[str, Any]]) -> dict[str, Any]:
    """The sum; the worlds of each decision are drawn independently."""
    errors = [cost["standard_error"] for cost in costs]
    error = None if None in errors else math.sqrt(sum(e * e for e in errors))
    return _estimate(Estimate(sum(cost["points"] for cost in costs), error, sum(cost["worlds"] for cost in costs)))
