"""What several test files of `piquet analyse` need: deals, their analyses, and bots."""

import io
import json
import random
from pathlib import Path

import exact_twin
import helpers
import jsonschema
import numpy as np
from rich.console import Console

from piquet_env import Rules
from piquet_env.analyse import analysis, deals_of
from piquet_env.analyse.decisions import Deal, Decision
from piquet_env.analyse.screen import print_deals
from piquet_env.bots import load_bot
from piquet_env.bots.base import views_of
from piquet_env.bots.policy import draw, legal_actions_of
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.records import deal_record

SCHEMA = json.loads((Path(game.__file__).parents[1] / "analysis.schema.json").read_text(encoding="utf-8"))
TINY = {"base": "micro", "ranks": "KA", "hand_size": 1, "highest_level": 1}
GREEDY = load_bot("greedy")


class Scrambled(exact_twin.Scrambled):
    """Draws its actions."""

    def act(self, views, rng):
        return draw(self.probabilities(views), rng)


def played(rules, seed: int, chooser) -> np.ndarray:
    """A deal that is over; `chooser(row)` acts for both."""
    row = helpers.new_row(Rules.make(rules), seed=seed)
    while row[at.PHASE] < at.DEAL_OVER:
        assert game.apply_action(row, chooser(row))
    return row


def at_random(seed: int):
    rng = random.Random(seed)
    return lambda row: helpers.choose(helpers.legal(row), rng)


def of_bot(bot):
    return lambda row: int(legal_actions_of("bot", bot, views_of(row[None]), np.random.default_rng(0))[0])


def analysed(row, bot, **options) -> dict:
    """The analysis of a deal that is over."""
    return analysis(deals_of(deal_record(row)), "bot", bot, **options)


def check(made: dict) -> None:
    """Against the schema; the command adds where it comes from."""
    jsonschema.validate(json.loads(json.dumps(made | {"provenance": {}})), SCHEMA)


def decisions_of(made: dict) -> list[dict]:
    return [each for deal in made["deals"] for each in deal["decisions"]]


def after(row: np.ndarray, choice) -> np.ndarray:
    """The row with these actions taken."""
    row = row.copy()
    for action in choice:
        assert game.apply_action(row, action)
    return row


def alone(decision: Decision, bot) -> dict:
    """What is said of one decision."""
    over = decision.row.copy()
    over[at.PHASE] = at.DEAL_OVER
    return decisions_of(analysis([Deal(1, over, [decision])], "bot", bot, samples=8))[0]


def printed(made: dict) -> str:
    """What the terminal shows."""
    console = Console(file=io.StringIO(), width=80)
    print_deals(made, console)
    return console.file.getvalue()
