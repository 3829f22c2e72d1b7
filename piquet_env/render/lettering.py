"""Letters for pictures: Pillow's own font, so that nothing depends on what a system has installed.

Text is drawn four times too large and made small again: its weight can then be chosen in quarters of a pixel.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

_SCALE = 4
_BITMAP_SIZE = 11  # pixels, of the font that is there without FreeType
_TO_FONT = str.maketrans("è", "e")


class Style(NamedTuple):
    """Size in pixels, weight in quarters of a pixel that the strokes are thicker, and colour."""

    size: int
    weight: int
    colour: tuple[int, int, int]


class Letters(NamedTuple):
    """A line of text as coverage ("L"), and how far below its top the middle of its capitals is."""

    image: Image.Image
    middle: int


@lru_cache(maxsize=4096)
def letters(text: str, size: int, weight: int) -> Letters:
    """The text on one line. The image is shared: it is not to be changed."""
    text = text.translate(_TO_FONT)
    font = _font(_SCALE * size)
    if isinstance(font, ImageFont.ImageFont):
        return _bitmap(text, size, font)
    ascent, descent = font.getmetrics()
    width = int(font.getlength(text)) + 2 * weight
    large = Image.new("L", (_even(width), _even(ascent + descent)))
    ImageDraw.Draw(large).text((weight, 0), text, fill=255, font=font, stroke_width=weight)
    top, bottom = font.getbbox("H")[1::2]
    return Letters(large.reduce(_SCALE), round((top + bottom) / 2 / _SCALE))


@lru_cache(maxsize=64)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    try:
        return ImageFont.load_default(size)
    except ImportError:  # a Pillow without FreeType
        return ImageFont.load_default()


def _bitmap(text: str, size: int, font: ImageFont.ImageFont) -> Letters:
    """The same in letters of a fixed size, which are drawn large or small."""
    small = Image.new("L", (max(1, int(font.getlength(text))), _BITMAP_SIZE))
    ImageDraw.Draw(small).text((0, 0), text, fill=255, font=font)
    height = round(size * 1.2)
    image = small.resize((max(1, round(small.width * height / _BITMAP_SIZE)), height), Image.Resampling.BICUBIC)
    return Letters(image, height // 2)


def _even(length: float) -> int:
    """The next whole number of pixels after the text is made small."""
    return -(-max(1, int(length)) // _SCALE) * _SCALE
