"""A picture that is being drawn: the baize, and text, panels, chips and cards put upon it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

from piquet_env.render import cards
from piquet_env.render.lettering import Style, letters

Colour = tuple[int, int, int]
Box = tuple[int, int, int, int]
CREAM, QUIET, GOLD, DARK, LINE = (246, 241, 224), (168, 199, 178), (246, 205, 96), (15, 44, 32), (92, 136, 112)
_BAIZE, _BAIZE_EDGE = (32, 112, 76), (14, 66, 46)
_SCALE = 4


@lru_cache(maxsize=4)
def baize(width: int, height: int) -> Image.Image:
    """Green cloth, lighter in the middle. Shared: not to be changed."""
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    shade = np.clip((x**2 + y**2) / 1.7, 0, 1)[..., None]
    colours = np.array(_BAIZE) * (1 - shade) + np.array(_BAIZE_EDGE) * shade
    # A fine pattern of quarters of a level, so that the slow change of colour shows no rings.
    pattern = np.array([[0, 2], [3, 1]])[np.arange(height)[:, None] % 2, np.arange(width) % 2][..., None] / 4
    return Image.fromarray((colours + pattern).astype(np.uint8))


@lru_cache(maxsize=512)
def _rounded(width: int, height: int, radius: int, line: int) -> Image.Image:
    """A rectangle with round corners as coverage; `line` is the thickness of its edge, 0: it is full."""
    large = Image.new("L", (_SCALE * width, _SCALE * height))
    box = [0, 0, large.width - 1, large.height - 1]
    draw, corner = ImageDraw.Draw(large), _SCALE * radius
    if line:
        draw.rounded_rectangle(box, corner, outline=255, width=_SCALE * line)
    else:
        draw.rounded_rectangle(box, corner, fill=255)
    return large.reduce(_SCALE)


@lru_cache(maxsize=512)
def _shade(width: int, height: int, radius: int, strength: float) -> Image.Image:
    return _rounded(width, height, radius, 0).point([round(value * strength) for value in range(256)])


class Canvas:
    """An image with a few ways to draw on it. A text's place is the middle of its capitals."""

    def __init__(self, image: Image.Image):
        self.image = image

    def write(self, text: str, x: int, y: int, style: Style) -> int:
        """Text that begins at x; where it ends."""
        made = letters(text, style.size, style.weight)
        self.image.paste(style.colour, (x, y - made.middle), made.image)
        return x + made.image.width

    def write_to(self, text: str, x: int, y: int, style: Style) -> int:
        """Text that ends at x; where it begins."""
        start = x - width_of(text, style)
        self.write(text, start, y, style)
        return start

    def write_amid(self, text: str, x: int, y: int, style: Style) -> None:
        """Text with its middle at x."""
        self.write(text, x - width_of(text, style) // 2, y, style)

    def fill(self, box: Box, radius: int, colour: Colour, strength: float = 1.0) -> None:
        """A rectangle (x, y, width, height) with round corners, as dense as `strength`."""
        x, y, width, height = box
        self.image.paste(colour, (x, y), _shade(width, height, radius, strength))

    def outline(self, box: Box, radius: int, colour: Colour, line: int = 1) -> None:
        """The edge of such a rectangle."""
        x, y, width, height = box
        self.image.paste(colour, (x, y), _rounded(width, height, radius, line))

    def suit(self, suit: int, x: int, y: int, size: int) -> None:
        """A suit's shape with its middle there."""
        self.image.paste(cards.colour_of(suit), (x - size // 2, y - size // 2), cards.suit_mask(suit, size))

    def card(self, picture: Image.Image, x: int, y: int) -> None:
        """A card whose upper left corner lies there; its shadow reaches beyond."""
        self.image.paste(picture, (x - cards.SHADOW, y - cards.SHADOW), picture)

    def row(self, pictures: Sequence[Image.Image], x: int, y: int, width: int, most: int) -> None:
        """Cards side by side from x on, overlapping: within a width, and at most so far apart."""
        for number, picture in enumerate(pictures):
            self.card(picture, x + number * spacing(len(pictures), _width(picture), width, most), y)

    def row_amid(self, pictures: Sequence[Image.Image], x: int, y: int, width: int, most: int) -> None:
        """The same with their middle at x."""
        if pictures:
            card = _width(pictures[0])
            whole = card + (len(pictures) - 1) * spacing(len(pictures), card, width, most)
            self.row(pictures, x - whole // 2, y, width, most)


def width_of(text: str, style: Style) -> int:
    """The text's width in pixels."""
    return letters(text, style.size, style.weight).image.width


def spacing(number: int, card: int, width: int, most: int) -> int:
    """How far apart so many cards lie that they take no more than a width."""
    return most if number < 2 else min(most, (width - card) // (number - 1))


def _width(picture: Image.Image) -> int:
    return picture.width - 2 * cards.SHADOW
