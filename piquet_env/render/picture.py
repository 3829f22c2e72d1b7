"""The table from one player's side as a picture: their hand above, his own below, the trick between, scores beside.

    table_picture(row, 0)                  # uint8 (HEIGHT, WIDTH, 3)

The same situation gives the same bytes; the size is the same in every ruleset and even, as video formats want it.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from piquet_env.render import cards, panel
from piquet_env.render.canvas import CREAM, DARK, GOLD, LINE, QUIET, Canvas, baize, width_of
from piquet_env.render.lettering import Style
from piquet_env.render.scene import THEY, YOU, Pile, Scene, Trick, scene
from piquet_env.render.spoken import counted
from piquet_env.rules import RANKS

WIDTH, HEIGHT = 1280, 720
_EDGE, _RIGHT = 24, 912  # the table, beside the panel
_MIDDLE, _CENTRE = 468, 588  # of the table, and of what lies between talon and panel
_CENTRE_LEFT = 268
_OWN, _THEIR, _TRICK, _SMALL = 92, 62, 104, 54  # widths of cards
_THEIR_PLATE, _THEIR_HAND, _OWN_PLATE, _OWN_HAND = 30, 54, 526, 566
_RAISED = 16
_STRIP, _CHIPS, _CHIP_GAP = 440, 452, 8
_NAME, _ROLE, _LABEL = Style(20, 2, CREAM), Style(15, 0, QUIET), Style(14, 0, QUIET)
_PROMPT, _CHIP = Style(17, 2, DARK), Style(16, 1, CREAM)
_SAID, _SAYER = Style(24, 1, CREAM), Style(15, 0, QUIET)
_LARGE, _NOTE = Style(34, 2, GOLD), Style(22, 1, CREAM)
_WHO = ("You", "They")
_WHITE = (250, 248, 240)


def table_picture(row: np.ndarray, player: int) -> NDArray[np.uint8]:
    """What `player` (0 or 1) sees of a game: int64 (COLUMNS,), its row or the row as he knows it.

    Returns:
        uint8 (HEIGHT, WIDTH, 3), red, green, blue.

    Raises:
        ValueError: no such player.
    """
    seen = scene(row, player)
    canvas = Canvas(_table().copy())
    _plate(canvas, seen, THEY, _THEIR_PLATE)
    _plate(canvas, seen, YOU, _OWN_PLATE)
    canvas.row_amid(_pile(seen.theirs, _THEIR), _MIDDLE, _THEIR_HAND, _RIGHT - 2 * _EDGE, 56)
    _hand(canvas, seen)
    _piles(canvas, seen)
    _centre(canvas, seen)
    panel.draw_panel(canvas, seen)
    return np.array(canvas.image)


@lru_cache(maxsize=1)
def _table() -> Image.Image:
    """What is the same in every picture."""
    canvas = Canvas(baize(WIDTH, HEIGHT).copy())
    canvas.fill((panel.LEFT, panel.TOP, panel.WIDTH, panel.HEIGHT), 16, DARK, 0.5)
    canvas.outline((panel.LEFT, panel.TOP, panel.WIDTH, panel.HEIGHT), 16, LINE)
    return canvas.image


# ------------------------------------------------------------------ the players


def _plate(canvas: Canvas, seen: Scene, who: int, y: int) -> None:
    """Name and role, and on the right who is to act or the tricks won."""
    right = canvas.write(_WHO[who], _EDGE, y, _NAME)
    canvas.write(seen.roles[who], right + 10, y, _ROLE)
    end = _RIGHT - 8
    if seen.turn == who:
        width = width_of(seen.prompt, _PROMPT) + 28
        canvas.fill((end - width, y - 15, width, 30), 15, GOLD)
        canvas.write(seen.prompt, end - width + 14, y, _PROMPT)
        end -= width + 14
    if seen.tricks:
        won = sum(trick.winner == who for trick in seen.tricks)
        canvas.write_to(counted(won, "trick"), end, y, Style(18, 1, CREAM))


def _hand(canvas: Canvas, seen: Scene) -> None:
    """By suits; where only some cards may be played, these stand out."""
    hand, playable = seen.hand, seen.playable
    if not hand:
        return
    gaps = [0]
    for before, card in pairwise(hand):
        gaps.append(gaps[-1] + (card >> 3 != before >> 3))
    room = _RIGHT - 2 * _EDGE - _OWN - 14 * gaps[-1]
    step = min(72, room // max(1, len(hand) - 1))
    left = _MIDDLE - (step * (len(hand) - 1) + 14 * gaps[-1] + _OWN) // 2
    for number, card in enumerate(hand):
        is_open = playable is None or card in playable
        picture = cards.face(card, _OWN) if is_open else cards.dimmed(card, _OWN)
        raised = _RAISED if playable is not None and is_open else 0
        canvas.card(picture, left + step * number + 14 * gaps[number], _OWN_HAND - raised)


def _pile(pile: Pile, width: int) -> list[Image.Image]:
    return [cards.back(width)] * pile.backs + [cards.face(card, width) for card in pile.faces]


def _piles(canvas: Canvas, seen: Scene) -> None:
    """The talon and the discards, on the left."""
    named = [("Talon", seen.talon), ("You discarded", seen.discards[YOU]), ("They discarded", seen.discards[THEY])]
    for place, (name, pile) in enumerate(named):
        number, y = pile.backs + len(pile.faces), 172 + 114 * place
        if number or place == 0:
            canvas.write(f"{name} {number}", _EDGE, y, _LABEL)
            canvas.row(_pile(pile, _SMALL), _EDGE, y + 16, _CENTRE_LEFT - _EDGE - 24, 24)


# ------------------------------------------------------------------ the middle


def _centre(canvas: Canvas, seen: Scene) -> None:
    """What happens now: the end, the trick, what was said last, or the last call."""
    if seen.tricks:
        _strip(canvas, seen)
    if seen.turn is not None and seen.tricks:
        _trick(canvas, seen.tricks[-1])
    elif seen.turn is not None and seen.words:
        _sentences(canvas, seen.words)
    else:
        _notice(canvas, seen.notice)
        _blanche(canvas, seen)
    if not seen.tricks:
        _choices(canvas, seen.choices)


def _notice(canvas: Canvas, lines: list[str]) -> None:
    y = 290 - 21 * (len(lines) - 1)
    for number, text in enumerate(lines):
        canvas.write_amid(text, _CENTRE, y, _NOTE if number else _LARGE)
        y += 42


def _blanche(canvas: Canvas, seen: Scene) -> None:
    """A carte blanche, until somebody declares."""
    for who, hand in enumerate(seen.blanche):
        if hand and not seen.tricks:
            canvas.write_amid(f"{_WHO[who]} showed carte blanche", _CENTRE, 352, _LABEL)
            pictures = [cards.face(card, _SMALL) for card in hand]
            canvas.row_amid(pictures, _CENTRE, 366, _RIGHT - _CENTRE_LEFT, 40)


def _sentences(canvas: Canvas, words: list[tuple[int, str]]) -> None:
    """In bubbles, the player's own on the right."""
    y = 300 - 27 * (len(words) - 1)
    for who, text in words:
        width = width_of(text, _SAID) + 36
        left = _RIGHT - 40 - width if who == YOU else _CENTRE_LEFT + 40
        canvas.fill((left, y - 22, width, 44), 22, DARK, 0.6)
        canvas.write(text, left + 18, y, _SAID)
        if who == YOU:
            canvas.write_to(_WHO[who], left - 10, y, _SAYER)
        else:
            canvas.write(_WHO[who], left + width + 10, y, _SAYER)
        y += 54


def _trick(canvas: Canvas, trick: Trick) -> None:
    """Their card higher than his own; a trick that is over lies in the shade, but for the card that won."""
    for who in (1 - trick.leader, trick.leader) if trick.winner is None else (1 - trick.winner, trick.winner):
        card = trick.cards[who]
        if card is not None:
            picture = cards.face(card, _TRICK) if trick.winner in (None, who) else cards.dimmed(card, _TRICK)
            canvas.card(picture, *((_CENTRE + 10, 236) if who == YOU else (_CENTRE - 10 - _TRICK, 172)))
    text = f"{_WHO[trick.leader]} led" if trick.winner is None else f"{_WHO[trick.winner]} won the last trick"
    canvas.write_amid(text, _CENTRE, 414, _LABEL)


def _strip(canvas: Canvas, seen: Scene) -> None:
    """All tricks in order, who led it marked, its winner's card bright."""
    left = _CENTRE_LEFT + 44
    step = min(48, (_RIGHT - left) // seen.hand_size)
    for who in (THEY, YOU):
        y = _STRIP + (0 if who == THEY else 32)
        canvas.write(_WHO[who], _CENTRE_LEFT, y + 1, _LABEL)
        for number in range(seen.hand_size):
            box = (left + step * number, y - 13, step - 5, 27)
            canvas.fill(box, 5, DARK, 0.35)
            if number < len(seen.tricks):
                _small_card(canvas, seen.tricks[number], who, box)


def _small_card(canvas: Canvas, trick: Trick, who: int, box: tuple[int, int, int, int]) -> None:
    card = trick.cards[who]
    if card is None:
        return
    x, y, width, height = box
    is_best = trick.winner in (None, who)
    canvas.fill(box, 5, _WHITE if is_best else (148, 168, 154))
    name = "10" if RANKS[card & 7] == "T" else RANKS[card & 7]
    canvas.write_to(name, x + width // 2 + 2, y + height // 2 + 1, Style(16, 1, cards.colour_of(card >> 3)))
    canvas.suit(card >> 3, x + width // 2 + 10, y + height // 2 + 1, 13)
    if trick.leader == who:
        canvas.fill((x + 4, y + height, width - 8, 3), 1, GOLD)


def _choices(canvas: Canvas, choices: list[str]) -> None:
    """The legal actions that are no cards."""
    lines = _in_lines(choices)
    y = _CHIPS - 38 * (len(lines) - 1)
    for line in lines:
        x = _CENTRE - (sum(map(_chip_width, line)) - _CHIP_GAP) // 2
        for text in line:
            box = (x, y, _chip_width(text) - _CHIP_GAP, 31)
            canvas.fill(box, 15, DARK, 0.55)
            canvas.outline(box, 15, LINE)
            canvas.write_amid(text, x + box[2] // 2, y + 16, _CHIP)
            x += _chip_width(text)
        y += 38


def _chip_width(text: str) -> int:
    """With the gap behind it."""
    return max(58, width_of(text, _CHIP) + 24) + _CHIP_GAP


def _in_lines(choices: list[str]) -> list[list[str]]:
    """As many lines as they need; plus bids, minus bids and what is no bid each begin one."""
    lines: list[list[str]] = []
    for text in choices:
        is_same_kind = bool(lines) and _kind(lines[-1][-1]) == _kind(text)
        if is_same_kind and sum(map(_chip_width, [*lines[-1], text])) <= _RIGHT - _CENTRE_LEFT:
            lines[-1].append(text)
        else:
            lines.append([text])
    return lines


def _kind(text: str) -> str:
    return text[0] if text[0] in "+-" else ""
