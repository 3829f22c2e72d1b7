"""Playing cards and suits as pictures, drawn from shapes."""

from __future__ import annotations

import math
from functools import lru_cache

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from piquet_env.render.lettering import letters
from piquet_env.rules import RANKS

_SCALE = 4
SHADOW = 6
"""Pixels around a card that its shadow takes; a card's picture is so much larger on every side."""
RED, BLACK, IVORY, GOLD = (190, 24, 38), (24, 28, 34), (253, 251, 244), (214, 168, 62)
_EDGE, _BACK, _BACK_LINE = (176, 170, 156), (43, 66, 122), (196, 206, 232)
_NAMES = {"T": "10"}
# Where the pips of a card lie, as parts of the field inside its indices.
_PIPS = {
    "7": [(x, y) for x in (0, 1) for y in (0, 0.5, 1)] + [(0.5, 0.25)],
    "8": [(x, y) for x in (0, 1) for y in (0, 0.5, 1)] + [(0.5, 0.25), (0.5, 0.75)],
    "9": [(x, y) for x in (0, 1) for y in (0, 1 / 3, 2 / 3, 1)] + [(0.5, 0.5)],
    "T": [(x, y) for x in (0, 1) for y in (0, 1 / 3, 2 / 3, 1)] + [(0.5, 1 / 6), (0.5, 5 / 6)],
}


def height_of(width: int) -> int:
    """A card's height in pixels."""
    return round(width * 1.42)


def colour_of(suit: int) -> tuple[int, int, int]:
    """Red or black; suits S H D C are 0 to 3."""
    return RED if suit in (1, 2) else BLACK


# ------------------------------------------------------------------ suits


@lru_cache(maxsize=256)
def suit_mask(suit: int, size: int) -> Image.Image:
    """The shape of a suit as coverage ("L"), `size` pixels square. Shared: not to be changed."""
    large = Image.new("L", (8 * size, 8 * size))
    (_spade, _heart, _diamond, _club)[suit](ImageDraw.Draw(large), 8 * size)
    return large.resize((size, size), Image.Resampling.LANCZOS)


def _heart(draw: ImageDraw.ImageDraw, size: float) -> None:
    draw.polygon(_heart_outline(size, 0.5, 0.03, 0.94), fill=255)


def _spade(draw: ImageDraw.ImageDraw, size: float) -> None:
    """A heart upside down on a foot."""
    draw.polygon([(x, 0.82 * size - y) for x, y in _heart_outline(size, 0.5, 0.02, 0.8)], fill=255)
    _foot(draw, size)


def _heart_outline(size: float, middle: float, top: float, height: float) -> list[tuple[float, float]]:
    """The heart curve, with its lobes at the top."""
    points = []
    for step in range(120):
        t = 2 * math.pi * step / 120
        x = 16 * math.sin(t) ** 3
        y = 13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)
        points.append((size * (middle + x / 34), size * (top + height * (12 - y) / 29)))
    return points


def _diamond(draw: ImageDraw.ImageDraw, size: float) -> None:
    """Four sides that bend inwards a little."""
    corners = [(0.5, 0.02), (0.87, 0.5), (0.5, 0.98), (0.13, 0.5)]
    points = []
    for (x, y), (to_x, to_y) in zip(corners, corners[1:] + corners[:1], strict=True):
        for step in range(20):
            part = step / 20
            bend = 1 - 0.22 * part * (1 - part)
            points.append((0.5 + (x + (to_x - x) * part - 0.5) * bend, 0.5 + (y + (to_y - y) * part - 0.5) * bend))
    draw.polygon([(size * x, size * y) for x, y in points], fill=255)


def _club(draw: ImageDraw.ImageDraw, size: float) -> None:
    for x, y in ((0.5, 0.25), (0.26, 0.56), (0.74, 0.56)):
        draw.ellipse([size * (x - 0.225), size * (y - 0.225), size * (x + 0.225), size * (y + 0.225)], fill=255)
    draw.polygon([(size * x, size * y) for x, y in ((0.42, 0.3), (0.58, 0.3), (0.6, 0.62), (0.4, 0.62))], fill=255)
    _foot(draw, size)


def _foot(draw: ImageDraw.ImageDraw, size: float) -> None:
    left = [(0.5 - 0.03 - 0.2 * part**3, 0.52 + 0.45 * part) for part in (step / 20 for step in range(21))]
    right = [(1 - x, y) for x, y in reversed(left)]
    draw.polygon([(size * x, size * y) for x, y in left + right], fill=255)


# ------------------------------------------------------------------ cards


@lru_cache(maxsize=256)
def face(card: int, width: int) -> Image.Image:
    """A card face up, RGBA, with its shadow. Shared: not to be changed."""
    return _small(_front(card, _SCALE * width), width)


@lru_cache(maxsize=256)
def dimmed(card: int, width: int) -> Image.Image:
    """The same in the shade."""
    front = _front(card, _SCALE * width)
    return _small(ImageChops.multiply(front, Image.new("RGB", front.size, (150, 158, 152))), width)


@lru_cache(maxsize=16)
def back(width: int) -> Image.Image:
    """A card face down, RGBA, with its shadow. Shared: not to be changed."""
    size = (_SCALE * width, _SCALE * height_of(width))
    large = Image.new("RGB", size, IVORY)
    draw, margin = ImageDraw.Draw(large), size[0] // 14
    field = Image.new("RGB", size, _BACK)
    lines, step = ImageDraw.Draw(field), size[0] // 7
    for start in range(-size[1], size[0] + size[1], step):
        lines.line([(start, 0), (start + size[1], size[1])], fill=_BACK_LINE, width=max(1, size[0] // 90))
        lines.line([(start, 0), (start - size[1], size[1])], fill=_BACK_LINE, width=max(1, size[0] // 90))
    shape = Image.new("L", size)
    box = [margin, margin, size[0] - margin, size[1] - margin]
    ImageDraw.Draw(shape).rounded_rectangle(box, margin, fill=255)
    large.paste(field, (0, 0), shape)
    draw.rounded_rectangle(box, margin, outline=_BACK, width=max(2, size[0] // 45))
    return _small(large, width)


def _small(large: Image.Image, width: int) -> Image.Image:
    """A large card at its size, with round corners, an edge and a shadow."""
    size, radius = large.size, large.width // 12
    draw = ImageDraw.Draw(large)
    draw.rounded_rectangle([0, 0, size[0] - 1, size[1] - 1], radius, outline=_EDGE, width=_SCALE)
    shape = Image.new("L", size)
    ImageDraw.Draw(shape).rounded_rectangle([0, 0, size[0] - 1, size[1] - 1], radius, fill=255)
    target = (width, height_of(width))
    card, alpha = (image.resize(target, Image.Resampling.LANCZOS) for image in (large, shape))
    whole = (width + 2 * SHADOW, target[1] + 2 * SHADOW)
    shadow = Image.new("L", whole)
    shadow.paste(alpha.point([value * 2 // 5 for value in range(256)]), (SHADOW, SHADOW + 2))
    picture = Image.new("RGBA", whole)
    picture.putalpha(shadow.filter(ImageFilter.GaussianBlur(2.5)))
    top = Image.new("RGBA", whole)
    top.paste(card, (SHADOW, SHADOW))
    mask = Image.new("L", whole)
    mask.paste(alpha, (SHADOW, SHADOW))
    top.putalpha(mask)
    return Image.alpha_composite(picture, top)


def _front(card: int, width: int) -> Image.Image:
    """A card at the scale it is drawn in: index, then pips, an ace or a court; the lower half is the upper turned."""
    suit, rank = card >> 3, RANKS[card & 7]
    image = Image.new("RGB", (width, height_of(width)), IVORY)
    if rank == "A":
        _stamp(image, suit, round(width * 0.5), (0.5, 0.5))
    elif rank in _PIPS:
        for x, y in _PIPS[rank]:
            _stamp(image, suit, round(width * 0.185), (0.375 + 0.25 * x, 0.17 + 0.66 * y), y > 0.5)
    else:
        _court(image, suit, rank)
    _index(image, suit, rank)
    half = image.crop((0, 0, width, image.height // 2)).rotate(180)
    if rank not in _PIPS and rank != "A":
        image.paste(half, (0, image.height - half.height))
    else:
        corner = image.crop((0, 0, round(width * 0.24), round(width * 0.52))).rotate(180)
        image.paste(corner, (width - corner.width, image.height - corner.height))
    return image


def _index(image: Image.Image, suit: int, rank: str) -> None:
    width = image.width
    name = _NAMES.get(rank, rank)
    text = letters(name, round(width * (0.2 if name == "10" else 0.235)), width // 32)
    left = round(width * 0.145)
    image.paste(colour_of(suit), (left - text.image.width // 2, round(width * 0.17) - text.middle), text.image)
    mask = suit_mask(suit, round(width * 0.17))
    image.paste(colour_of(suit), (left - mask.width // 2, round(width * 0.3)), mask)


def _stamp(image: Image.Image, suit: int, size: int, place: tuple[float, float], turned: bool = False) -> None:
    """A suit, its middle at a part of the card's width and height."""
    mask = suit_mask(suit, size)
    mask = mask.rotate(180) if turned else mask
    corner = (round(place[0] * image.width - size / 2), round(place[1] * image.height - size / 2))
    image.paste(colour_of(suit), corner, mask)


def _court(image: Image.Image, suit: int, rank: str) -> None:
    """The upper half of a court card: a frame, what its rank wears, its suit."""
    width, height = image.size
    draw, line = ImageDraw.Draw(image), max(1, width // 60)
    box = [round(width * 0.27), round(height * 0.09), round(width * 0.73), height]
    draw.rectangle(box, fill=(247, 238, 214) if suit in (1, 2) else (236, 239, 244), outline=GOLD, width=line)
    _stamp(image, suit, round(width * 0.26), (0.5, 0.385))
    {"K": _crown, "Q": _coronet, "J": _cap}[rank](draw, width, colour_of(suit))


def _points(width: int, points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Places in a field of 1 by 1 above the suit of a court card."""
    return [(width * (0.33 + 0.34 * x), width * (0.16 + 0.24 * y)) for x, y in points]


def _ball(draw: ImageDraw.ImageDraw, width: int, place: tuple[float, float], colour: tuple[int, int, int]) -> None:
    ((x, y),) = _points(width, [place])
    radius = width * 0.024
    draw.ellipse([x - radius, y - radius, x + radius, y + radius], fill=colour)


def _crown(draw: ImageDraw.ImageDraw, width: int, colour: tuple[int, int, int]) -> None:
    outline = [(0.08, 1), (0, 0.3), (0.26, 0.62), (0.5, 0.16), (0.74, 0.62), (1, 0.3), (0.92, 1)]
    draw.polygon(_points(width, outline), fill=GOLD)
    draw.polygon(_points(width, [(0.09, 0.84), (0.91, 0.84), (0.92, 1), (0.08, 1)]), fill=colour)
    draw.polygon(_points(width, [(0.46, -0.08), (0.54, -0.08), (0.54, 0.22), (0.46, 0.22)]), fill=colour)
    draw.polygon(_points(width, [(0.36, 0.01), (0.64, 0.01), (0.64, 0.1), (0.36, 0.1)]), fill=colour)


def _coronet(draw: ImageDraw.ImageDraw, width: int, colour: tuple[int, int, int]) -> None:
    outline = [(0.1, 1), (0, 0.3), (0.2, 0.66), (0.3, 0.2), (0.42, 0.62), (0.5, 0.12)]
    draw.polygon(_points(width, outline + [(1 - x, y) for x, y in reversed(outline)]), fill=GOLD)
    for place in ((0, 0.22), (0.3, 0.1), (0.5, 0.02), (0.7, 0.1), (1, 0.22)):
        _ball(draw, width, place, colour)


def _cap(draw: ImageDraw.ImageDraw, width: int, colour: tuple[int, int, int]) -> None:
    """A flat cap with a feather."""
    draw.polygon(
        _points(width, [(0.02, 0.6), (0.2, 0.28), (0.62, 0.2), (0.94, 0.5), (0.94, 0.72), (0.06, 0.78)]), fill=GOLD
    )
    draw.polygon(_points(width, [(0.04, 0.8), (0.96, 0.72), (0.94, 1), (0.08, 1)]), fill=colour)
    draw.polygon(_points(width, [(0.66, 0.66), (0.78, 0.2), (1.04, -0.08), (1.0, 0.3), (0.8, 0.66)]), fill=colour)
