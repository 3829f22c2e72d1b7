"""What one player knows of a game, as JSON, and back.

    seen = view(row, 0)                    # a dict of JSON values; what he does not know is "?"
    observation_from_view(seen)            # player_0's observation, bit for bit
    row_from_view(seen)                    # the game's row as he knows it, as `knowledge.hide` makes it
    views_from_view(seen)                  # what a bot is given, where he is to act

`piquet_env/view.schema.json` (`view_schema()`) describes every field. A view is made from the row as `knowledge.hide`
leaves it, so nothing hidden can come into it.
"""

from piquet_env.views.form import VIEW_FORMAT, ViewError, phase_name, view_schema
from piquet_env.views.read import observation_from_view, row_from_view, views_from_view
from piquet_env.views.written import known_row, view

__all__ = [
    "VIEW_FORMAT",
    "ViewError",
    "known_row",
    "observation_from_view",
    "phase_name",
    "row_from_view",
    "view",
    "view_schema",
    "views_from_view",
]
