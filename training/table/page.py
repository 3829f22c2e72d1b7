"""The page: for each game what every algorithm comes to, all from the JSON object of `data`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from piquet_env.arena.report import cross_cells
from piquet_env.arena.statistics import Interval
from piquet_env.files import write_text
from training.table.figures import over_pairs, what_it_means
from training.table.pieces import RUNS
from training.table.plan import PlanError
from training.table.plots import pictures_of
from training.table.shown import Made, Measure, Shown

PAGE = "TABLE.md"


def write_page(made: Made, folder: Path) -> Path:
    """Write the page and its pictures; the page's path. Raises OSError, PlanError: bad data, nothing is written."""
    try:
        shown = Shown(made)
        pictures = {game: pictures_of(shown, game) for game in shown.plan["games"]}
        parts = [_head(made), *(_game(shown, game, list(pictures[game])) for game in shown.plan["games"])]
        parts += [_meaning(shown), _runs(shown), _origin(made)]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise PlanError(repr(error)) from error
    for of_game in pictures.values():
        for name, write in of_game.items():
            write(folder / name)
    write_text(folder / PAGE, "\n\n".join(parts) + "\n")
    return folder / PAGE


def _head(made: Made) -> str:
    expected, there = sum(made["expected"].values()), len(made["pieces"])
    seeds = made["plan"]["seeds"]
    which = {
        "last": "The network measured is the last one of a run; nothing was chosen.",
        "chosen": "The network measured is the one of each run that did best on the deals of its learning curve.",
    }[made["plan"]["network"]]
    lines = [
        "# The table",
        f"What {', '.join(f'`{name}`' for name in made['plan']['algorithms'])} come to with the same budget of "
        f"decisions, seeds {', '.join(map(str, seeds))}. Points are points per deal of duplicate pairs of deals, the "
        f"bot's less the opponent's. {which} Every match has deals of its own, which no run has seen in training and "
        "none was chosen on. In brackets: 95 % intervals, by bootstrap over seeds and deals (below).",
    ]
    if any(game["stored"] for game in made["plan"]["games"].values()):
        lines[1] += " Where stored deals are played, all matches of that game play the same ones."
    if there < expected:
        lines.append(f"**Unfinished**: {there} of {expected} pieces are there; what needs others is left empty.")
    return "\n\n".join(lines)


def _game(shown: Shown, game: str, pictures: Sequence[str]) -> str:
    here = shown.plan["games"][game]
    budget = f"{shown.made['budgets'][game]:,} decisions a run (both sides')."
    parts = [
        f"## {game}",
        " ".join(filter(None, (here["about"], budget, _deals(here), _playout(shown, game)))),
        _measures(shown, game),
    ]
    if here["cross"]:
        told = f"Row against column: points per deal, the mean over all pairs of runs, {here['cross']:,} deals each."
        parts += [told, _cross(shown, game)]
    return "\n\n".join([*parts, *(f"![{game}: {_alt(name)}]({name})" for name in pictures)])


def _alt(picture: str) -> str:
    return "learning curves" if picture.startswith("curves") else "the measures with intervals"


def _deals(here: Made) -> str:
    """How many deals are behind a game's table."""
    told = [f"{deals:,} against {_text(bot)}" for bot, deals in here["opponents"].items()]
    sentences = [f"Duplicate deals of each run: {', '.join(told)}."] if told else []
    if response := here["response"]:
        sentences.append(
            f"Best responses learn for {response['decisions']:,} decisions as `piquet exploit` does it and are "
            f"measured on {response['deals']:,} duplicate deals: a lower bound on exploitability, which may be below 0."
        )
    if here["exact"]:
        sentences.append("Exploitability is exact: what a best responder gains per deal, by the whole game tree.")
    return " ".join(sentences)


def _playout(shown: Shown, game: str) -> str:
    """How deals are settled of which the auction alone is played."""
    found = shown.made["playouts"][game]
    if not found:
        return ""
    told = f"Deals are settled by version {found['playout']} of the playout."
    if stored := found["stored_deals"]:
        which = f"the benchmark's part `{stored['part']}`" if stored["part"] else f"{stored['number']:,} stored deals"
        told += f" All matches play the first of {which} (sha256 `{stored['sha256'][:12]}`), the best responses others."
    return told


def _measures(shown: Shown, game: str) -> str:
    measures = shown.measures(game)
    lines = [["", *(measure.title for measure in measures), "decisions/s"]]
    for algorithm in shown.algorithms:
        cells = [measure.cell(shown.measured(measure, game, algorithm)) for measure in measures]
        rate = shown.rate(game, algorithm)
        lines.append([f"`{algorithm}`", *cells, f"{rate.mean:,.0f}" if rate else ""])
    return _markdown(lines)


def _cross(shown: Shown, game: str) -> str:
    results = []
    for place, a in enumerate(shown.algorithms):
        for b in shown.algorithms[place + 1 :]:
            pairs = shown.pairs(game, a, b)
            if pairs is not None:
                mean, *interval = over_pairs(pairs)
                results.append({"bot": a, "against": b, "points_per_deal": mean, "interval": interval})
    return _markdown(cross_cells(results, shown.algorithms))


def _meaning(shown: Shown) -> str:
    return "\n\n".join(
        [
            "## What the intervals say",
            "Numbers are interquartile means over the seeds with 95 % intervals by stratified bootstrap (Agarwal et "
            "al. 2021, arXiv 2108.13264): seeds are drawn with replacement, and with each the mean of its deals. In "
            "*all of these* the opponents are the strata, and the middle half of the points of all runs against all "
            "of them is averaged; as one run meets every opponent, the same seeds are drawn in each stratum. In the "
            "cross-table the seeds of either algorithm are drawn apart.",
            what_it_means(len(shown.seeds)),
        ]
    )


def _runs(shown: Shown) -> str:
    """Every run with what it came to."""
    parts = [
        "## Every run",
        "Its own intervals, by bootstrap over its deals, and the first letters of its weights' SHA-256. Decisions/s "
        "are those of one process of so many threads, evaluations included, whatever else the machine did meanwhile.",
    ]
    for game in shown.plan["games"]:
        measures = [measure for measure in shown.measures(game) if len(measure.against) == 1]
        lines = [[game, *(measure.title for measure in measures), "decisions", "threads", "decisions/s", "weights"]]
        for algorithm in shown.algorithms:
            for seed in shown.seeds:
                lines.append([f"`{algorithm}`, seed {seed}", *_of_run(shown, measures, game, algorithm, seed)])
        parts.append(_markdown(lines))
    return "\n\n".join(parts)


def _of_run(shown: Shown, measures: Sequence[Measure], game: str, algorithm: str, seed: int) -> Iterable[str]:
    for measure in measures:
        found = shown.of_run(measure.kind, game, algorithm, seed, measure.against[0])
        if found is not None and "interval" not in found:
            yield f"{found['mean']:{measure.form}}"
        else:
            yield measure.cell(None if found is None else Interval(found["mean"], *found["interval"]))
    run = shown.of_run(RUNS, game, algorithm, seed)
    if run is None:
        yield from [""] * 4
    else:
        rate = f"{run['decisions_per_second'] or 0:,.0f}"
        yield from (f"{run['decisions']:,}", str(run["threads"]), rate, f"`{run['weights'][0][:12]}`")


def _origin(made: Made) -> str:
    origin, hours = made["provenance"], sum(piece["seconds"] for piece in made["pieces"]) / 3600
    versions = ", ".join(f"{name} {version}" for name, version in origin["versions"].items() if version)
    codes = ", ".join(_code(code) for code in made["code"])
    machine = ", ".join(
        f"{value} {name}" if name == "cores" else str(value) for name, value in origin["machine"].items()
    )
    lines = [
        "## Where it comes from",
        f"- `{origin['command']}`; `piquet table --report table.json` writes this page anew.",
        f"- Made with {codes}; {versions}.",
        f"- Finished {made['finished']}; the pieces took {hours:.1f} hours in all, on {machine}.",
        f"- Every match's deals follow from the plan's `evaluation_seed`, {made['plan']['evaluation_seed']}, and its "
        "name; `table.json` has the seed of each, every result, the learning curves, the plan and all settings.",
    ]
    return "\n".join([lines[0], "", *lines[1:]])


def _code(code: Made) -> str:
    if not code["commit"]:
        return f"piquet-env {code['version']}"
    return f"commit {code['commit'][:12]}" + (" (with changes)" if code["dirty"] else "")


def _markdown(lines: Sequence[Sequence[str]]) -> str:
    """A heading and lines as a table, the first column to the left."""
    heading, *rest = [[_text(cell) for cell in line] for line in lines]
    rule = ["---", *["---:"] * (len(heading) - 1)]
    return "\n".join("| " + " | ".join(line) + " |" for line in (heading, rule, *rest))


def _text(text: str) -> str:
    return text.replace("|", r"\|")
