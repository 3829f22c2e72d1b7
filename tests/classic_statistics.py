"""How a bot's classic Piquet compares with what is published of people's.

    piquet tournament expert expert --rules rubicon --pairs 5000 --out runs/rubicon
    python tests/classic_statistics.py runs/rubicon/deals.csv

The published figures are of 10,000 deals, from Cavendish's book.
"""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table

PUBLISHED = {
    "elder's score, median": "28",
    "younger's score, median": "14",
    "elder wins the cards": "62 %",
    "younger wins the cards": "25 %",
    "elder has repique": "3.5 %",
    "younger has repique": "1.3 %",
    "pique or repique": "12 %",
}
Sheet = dict[str, np.ndarray]  # an item of the score sheet: points of each deal, int64 (deals,)


def read(path: Path) -> tuple[Sheet, Sheet]:
    """The score sheets of elder and of younger, from the rows of a match in classic Piquet."""
    with path.open(newline="", encoding="utf-8") as file:
        # The same deals with the seats swapped would be no new deals.
        rows = [row for row in csv.DictReader(file) if row["half"] == "0"]
    items = ("total", "repique", "pique", "tricks_won")
    sides = [("a", "b") if row["elder"] == "0" else ("b", "a") for row in rows]

    def sheet(role: int) -> Sheet:
        names = {item: [f"{item}_{side[role]}" for side in sides] for item in items}
        return {item: np.array([int(row[name]) for row, name in zip(rows, names[item], strict=True)]) for item in items}

    return sheet(0), sheet(1)


def measured(elder: Sheet, younger: Sheet) -> list[str]:
    """What `PUBLISHED` lists, in the same order."""
    bonus = elder["repique"] + elder["pique"] + younger["repique"] + younger["pique"]
    shares = (
        elder["tricks_won"] > younger["tricks_won"],
        elder["tricks_won"] < younger["tricks_won"],
        elder["repique"] > 0,
        younger["repique"] > 0,
        bonus > 0,
    )
    medians = [f"{np.median(sheet['total']):.0f} (mean {sheet['total'].mean():.1f})" for sheet in (elder, younger)]
    return [*medians, *(_share(chosen) for chosen in shares)]


def _share(chosen: Sequence[bool] | np.ndarray) -> str:
    """With its 95 % interval."""
    share = float(np.mean(chosen))
    return f"{100 * share:.1f} % (±{196 * (share * (1 - share) / len(chosen)) ** 0.5:.1f})"


def main(deals: Path) -> None:
    """Print the bot's figures beside the published ones."""
    elder, younger = read(deals)
    table = Table("", "published", f"here, {len(elder['total']):,} deals")
    for (name, published), here in zip(PUBLISHED.items(), measured(elder, younger), strict=True):
        table.add_row(name, published, here)
    Console().print(table)


if __name__ == "__main__":
    tyro.cli(main, config=(tyro.conf.PositionalRequiredArgs,))
