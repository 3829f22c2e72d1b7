"""The expert: its parts against slow ones, what it may see, that it is reproducible, and that it is strong."""

from __future__ import annotations

import random

import helpers
import numpy as np
import pytest
from random_play import decisions

from piquet_env import knowledge
from piquet_env.arena import play_match
from piquet_env.arena.statistics import mean_with_interval, pair_values
from piquet_env.belief import sample_hidden
from piquet_env.bots import BotError, load_bot, views_of
from piquet_env.bots.expert import Effort, ExpertBot, OmniscientBot
from piquet_env.bots.expert.calls import call_values
from piquet_env.bots.expert.cards import card_values, declaration_values
from piquet_env.bots.expert.discards import CANNOT, DRAWN, exchange_all, solve_discards
from piquet_env.bots.expert.likelihood import begin_again, draw, log_likelihood
from piquet_env.bots.expert.plan import Round
from piquet_env.bots.greedy import choose
from piquet_env.engine import actions as act
from piquet_env.engine import batch, game
from piquet_env.engine import layout as at
from piquet_env.notation import cards_of
from piquet_env.rules import RULESETS, Rules
from piquet_env.solver import NOT_LEGAL, deal_values
from piquet_env.solver import card_values as solver_card_values
from piquet_env.solver.api import workspace

QUICK = Effort(calls=3, estimates=2, discards=(Round(6, 2), Round(3, 2)), declarations=2, cards=4)
"""Enough to go through every line."""
