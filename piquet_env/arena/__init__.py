"""Duplicate matches between bots, and what they show."""

from piquet_env.arena.match import Match, play_match

__all__ = ["Match", "play_match"]
