"""The expert: its parts against slow ones, what it may see, that it is reproducible, and that it is strong."""

from __future__ import annotations

from piquet_env.bots.expert import Effort
from piquet_env.bots.expert.plan import Round

QUICK = Effort(calls=3, estimates=2, discards=(Round(6, 2), Round(3, 2)), declarations=2, cards=4)
"""Enough to go through every line."""
