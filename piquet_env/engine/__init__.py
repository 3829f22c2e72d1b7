"""The rules engine: plain functions over a game's row of int64, compiled by numba. Entry: `game`."""
