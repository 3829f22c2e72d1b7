"""The report of a tournament as a JSON object."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.arena.faults import Fault
from piquet_env.arena.match import Match
from piquet_env.arena.ratings import ratings
from piquet_env.arena.report import report
from piquet_env.arena.schedule import Job, Plan, Played, given_up
from piquet_env.arena.statistics import reduced
from piquet_env.arena.task import lost_games


@dataclass(frozen=True)
class Tournament:
    """All that was played, and what was lost unplayed."""

    plan: Plan
    matches: list[Match]
    """Of every two bots, in the order of `Plan.matches`."""
    played: dict[Job, Played]
    unplayed: dict[Job, set[int]]
    """Blocks that a side lost for what its bot did earlier."""


def gathered(plan: Plan, pairs: int, played: Mapping[Job, Played], jobs: Sequence[Job]) -> Tournament:
    """The tournament of the first `pairs` pairs, from its blocks.

    Args:
        played: the blocks that were played.
        jobs: those and the others, in order; what was not played is lost.
    """
    lost = given_up(plan, {job: block.faults for job, block in played.items()}, jobs)
    kept = {job: block for job, block in played.items() if job not in lost}
    blocks = {job: lost_games(plan, job, lost[job]) if job in lost else played[job] for job in jobs}
    matches = []
    for a, b in plan.matches:
        own = [blocks[job] for job in jobs if (job.a, job.b) == (a, b)]
        deals, games = (np.concatenate([getattr(block, name) for block in own]) for name in ("deals", "games"))
        deals, games = deals[deals["pair"] < pairs], games[games["pair"] < pairs]
        matches.append(
            Match((plan.bots[a], plan.bots[b]), plan.rules, plan.episode, plan.seed, deals, games, plan.stored)
        )
    return Tournament(plan, matches, kept, lost)


def tournament_report(made: Tournament, provenance: dict[str, Any]) -> dict[str, Any]:
    """`{"results": [...], "bots": [...], "provenance": {...}}`: `report`, with what only a tournament has.

    Each result also has `reduced` (statistics.reduced, or null) and `forfeits`, the deals lost by faults. Each bot:
    `rating` (null for one against itself), `win_share`, `seconds_per_move`, `seconds_per_deal` (of its own seat),
    `moves`, `faults` [{"kind", "count", "message"}] and `lost_unplayed`, its games that were not played any more.
    """
    plan = made.plan
    settings = {"forfeit": plan.forfeit, "move_limit": plan.move_limit, "block": plan.block, "luck_orders": plan.orders}
    found = report(made.matches, settings | provenance)
    for match, result in zip(made.matches, found["results"], strict=True):
        # The luck of the draw has mean zero only for players who do not see it coming.
        cheats = set(match.names) & set(provenance["cheats"])
        result["reduced"] = reduced(match) if plan.orders and not cheats else None
        forfeits = match.deals["forfeit"]
        result["forfeits"] = {"bot": int((forfeits < 0).sum()), "against": int((forfeits > 0).sum())}
    return {"results": found["results"], "bots": _bots(made, found["results"]), "provenance": found["provenance"]}


def _bots(made: Tournament, results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    names = list(dict.fromkeys(made.plan.bots))
    wins, party_wins = _wins(names, results, "pairs"), _wins(names, results, "parties")
    shown = party_wins if made.plan.episode == "partie" else wins
    rated = ratings(wins).tolist() if len(names) > 1 else [None]
    found = []
    for place, name in enumerate(names):
        games = shown[place].sum() + shown[:, place].sum()
        share = float(shown[place].sum() / games) if games else 0.5
        found.append({"bot": name, "rating": rated[place], "win_share": share} | _of_bot(made, name))
    return found


def _wins(names: Sequence[str], results: Sequence[dict[str, Any]], what: str) -> NDArray[np.float64]:
    wins = np.zeros((len(names), len(names)))
    for result in results:
        counts, a, b = result.get(what), names.index(result["bot"]), names.index(result["against"])
        if counts and a != b:
            wins[a, b] += counts["won"] + counts["drawn"] / 2
            wins[b, a] += counts["lost"] + counts["drawn"] / 2
    return wins


def _of_bot(made: Tournament, name: str) -> dict[str, Any]:
    """What a bot took, and what it did wrong."""
    moves, a_move, a_deal, faults = 0, [0.0], [0.0], []
    unplayed = sum(job.games for job, sides in made.unplayed.items() if sides & {*_sides(made.plan, job, name)})
    for job in sorted(made.played):
        played = made.played[job]
        for side in _sides(made.plan, job, name):
            moves += played.moves[side]
            a_move.append(played.seconds[side] / max(played.moves[side], 1))
            a_deal.append(played.seconds[side] / max(len(played.deals), 1))
            own = [fault for fault in played.faults if fault.side == side]
            unplayed += int((played.deals["forfeit"] * (1 if side else -1) > 0).sum()) - sum(f.count for f in own)
            faults += own
    # Of the means of all blocks the middle one: the first blocks of a process compile and load what they need.
    return {
        "seconds_per_move": statistics.median(a_move[1:] or a_move),
        "seconds_per_deal": statistics.median(a_deal[1:] or a_deal),
        "moves": moves,
        "faults": _counted(faults),
        "lost_unplayed": unplayed,
    }


def _sides(plan: Plan, job: Job, name: str) -> list[int]:
    return [side for side, bot in enumerate((job.a, job.b)) if plan.bots[bot] == name]


def _counted(faults: Sequence[Fault]) -> list[dict[str, Any]]:
    """By kind: how many, and what the first was."""
    found: dict[str, dict[str, Any]] = {}
    for fault in faults:
        entry = found.setdefault(fault.kind, {"kind": fault.kind, "count": 0, "message": fault.message})
        entry["count"] += fault.count
    return list(found.values())
