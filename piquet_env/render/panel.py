"""The right side of the picture: what is played, the contract, the auction, the score sheet, the totals."""

from __future__ import annotations

from piquet_env.render.canvas import CREAM, DARK, GOLD, LINE, QUIET, Canvas, width_of
from piquet_env.render.lettering import Style
from piquet_env.render.scene import THEY, YOU, Scene

LEFT, TOP, WIDTH, HEIGHT = 928, 14, 338, 692
_IN, _OUT = LEFT + 18, LEFT + WIDTH - 18
_YOURS, _THEIRS = LEFT + 212, LEFT + 320  # where the points of the two end
_TOTALS = TOP + HEIGHT - 44
_TALLEST_ROW = 46
_TITLE, _SMALL = Style(25, 2, CREAM), Style(14, 0, QUIET)
_BODY, _STRONG, _SCORED = Style(16, 0, CREAM), Style(16, 2, CREAM), Style(17, 2, GOLD)
_BID, _STAKE = Style(38, 3, GOLD), Style(19, 2, GOLD)
_FAINT = Style(15, 0, LINE)
_MOST_LINES = 7  # of an auction: a pass, a bid and a double of each of six levels, a redouble


def draw_panel(canvas: Canvas, scene: Scene) -> None:
    """One block below the other; each returns where it ends."""
    y = _heading(canvas, scene)
    if scene.contract:
        y = _contract(canvas, scene.contract, y)
        y = _calls(canvas, scene, y)
    else:
        y += 14
    _sheet(canvas, scene, y)
    if scene.totals:
        _totals(canvas, scene.totals)


def _heading(canvas: Canvas, scene: Scene) -> int:
    canvas.write(scene.title[0], _IN, TOP + 28, _TITLE)
    small = _SMALL
    while width_of(scene.title[1], small) > _OUT - _IN and small.size > 10:
        small = small._replace(size=small.size - 1)
    canvas.write(scene.title[1], _IN, TOP + 56, small)
    return TOP + 74


def _contract(canvas: Canvas, contract: tuple[str, str, str], y: int) -> int:
    bid, stake, aim = contract
    canvas.fill((_IN - 6, y, _OUT - _IN + 12, 66), 10, DARK, 0.55)
    if not bid:
        canvas.write(aim, _IN + 6, y + 33, _BODY)
        return y + 80
    right = canvas.write(bid, _IN + 6, y + 33, _BID) + 14
    if stake:
        canvas.write(stake, right, y + 21, _STAKE)
    canvas.write(aim, right, y + (46 if stake else 33), _BODY)
    return y + 80


def _calls(canvas: Canvas, scene: Scene, y: int) -> int:
    """Two columns, the non-dealer first; room is kept for the longest auction."""
    for number, (who, call) in enumerate(scene.calls):
        column = 1 if who == scene.dealer else 0
        line = y + 31 + 19 * (number // 2)
        canvas.write(call, _IN + 6 + 150 * column, line, Style(16, 2 if call[0] in "+-" else 0, CREAM))
    names = ("You", "They") if scene.dealer == THEY else ("They", "You")
    for column, name in enumerate(names):
        canvas.write(name, _IN + 6 + 150 * column, y + 9, _SMALL)
    canvas.fill((_IN, y + 19, _OUT - _IN, 1), 0, LINE)
    return y + 34 + 19 * _MOST_LINES


def _sheet(canvas: Canvas, scene: Scene, y: int) -> None:
    """As tall as the room above the totals allows."""
    canvas.write("Score", _IN + 6, y + 9, _SMALL)
    canvas.write_to("You", _YOURS, y + 9, _SMALL)
    canvas.write_to("They", _THEIRS, y + 9, _SMALL)
    canvas.fill((_IN, y + 19, _OUT - _IN, 1), 0, LINE)
    row = min(_TALLEST_ROW, (_TOTALS - y - 30) // len(scene.sheet))
    y += 19 + row // 2
    for name, said, points in scene.sheet:
        is_total = name == "Total"
        if is_total:
            canvas.fill((_IN, y - row // 2 + 2, _OUT - _IN, 1), 0, LINE)
            y += 4
        canvas.write(name, _IN + 6, y, _STRONG if is_total else _BODY)
        for who, right in ((YOU, _YOURS), (THEY, _THEIRS)):
            shown = str(points[who]) if points[who] or is_total else "" if said[who] else "·"
            left = canvas.write_to(shown, right, y, _FAINT if shown == "·" else _SCORED) if shown else right + 7
            canvas.write_to(said[who], left - 7, y, _SMALL)
        y += row


def _totals(canvas: Canvas, totals: tuple[int, int]) -> None:
    canvas.fill((_IN - 6, _TOTALS, _OUT - _IN + 12, 34), 8, DARK, 0.55)
    canvas.write("Partie", _IN + 6, _TOTALS + 17, _STRONG)
    canvas.write_to(str(totals[YOU]), _YOURS, _TOTALS + 17, _SCORED)
    canvas.write_to(str(totals[THEY]), _THEIRS, _TOTALS + 17, _SCORED)
