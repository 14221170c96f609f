"""SVG text with points and paths in the plane, and its conversion to PNG by resvg.

X grows to the right, y downwards; a cell of a piece is 100 wide. Texts of rulesets are always
escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import hypot
from unicodedata import east_asian_width
from xml.sax.saxutils import escape, quoteattr

from rulesdsl.diagnostics.visible import visible
from rulesdsl.records import dataclass

CELL = 100.0

Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """A step on a cubic Bezier curve with two control points."""

    first: Point
    second: Point
    end: Point


_PARTS = 10
"""Number of straight parts that approximate a curve when distances are measured."""


def number(value: float) -> str:
    """Return a number with one decimal at most, as SVG writes it."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def between(a: Point, b: Point, share: float) -> Point:
    """Return the point a share of the way from `a` to `b`."""
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def distance(a: Point, b: Point) -> float:
    """Return the distance of two points."""
    return hypot(a[0] - b[0], a[1] - b[1])


def mean(points: Iterable[Point]) -> Point:
    """Return the mean of points, at least one."""
    found = list(points)
    return sum(x for x, _ in found) / len(found), sum(y for _, y in found) / len(found)


@dataclass(frozen=True)
class SvgPath:
    """A line from `start` over steps, each a point (straight) or a curve; maybe `closed`."""

    start: Point
    steps: tuple[Point | Curve, ...]
    closed: bool = False

    def __str__(self) -> str:
        """Return the path as the attribute `d` of SVG."""
        words = [f"M{_pair(self.start)}"]
        for step in self.steps:
            if isinstance(step, Curve):
                points = (step.first, step.second, step.end)
                words.append("C" + " ".join(_pair(point) for point in points))
            else:
                words.append(f"L{_pair(step)}")
        return "".join(words) + ("Z" if self.closed else "")

    def points(self) -> tuple[Point, ...]:
        """Return the path in straight parts."""
        found = [self.start]
        for step in self.steps:
            if isinstance(step, Curve):
                found += _flat(found[-1], step)
            else:
                found.append(step)
        if self.closed and found[-1] != found[0]:
            found.append(found[0])
        return tuple(found)


def _pair(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def _flat(start: Point, curve: Curve) -> Iterator[Point]:
    corners = (start, curve.first, curve.second, curve.end)
    for part in range(1, _PARTS + 1):
        t = part / _PARTS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        yield (
            sum(w * p[0] for w, p in zip(weights, corners, strict=True)),
            sum(w * p[1] for w, p in zip(weights, corners, strict=True)),
        )


def along(points: Sequence[Point], share: float) -> Point:
    """Return the point at a share of the length of a polyline, from its beginning."""
    lengths = [distance(a, b) for a, b in pairwise(points)]
    left = share * sum(lengths)
    for (a, b), length in zip(pairwise(points), lengths, strict=True):
        if left <= length and length > 0:
            return between(a, b, left / length)
        left -= length
    return points[-1]


def away(point: Point, line: Sequence[Point]) -> float:
    """Return the distance of a point from a polyline."""
    if len(line) == 1:
        return distance(point, line[0])
    return min(_away(point, a, b) for a, b in pairwise(line))


def _away(point: Point, a: Point, b: Point) -> float:
    across, down = b[0] - a[0], b[1] - a[1]
    square = across * across + down * down
    share = 0.0
    if square > 0:
        share = ((point[0] - a[0]) * across + (point[1] - a[1]) * down) / square
    return distance(point, between(a, b, min(1.0, max(0.0, share))))


def holds(polygon: Sequence[Point], point: Point) -> bool:
    """Return whether a point lies within a closed polyline."""
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in pairwise(polygon):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return inside


def cut(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return whether the straight lines from `a` to `b` and from `c` to `d` cross."""
    return _left(a, b, c) != _left(a, b, d) and _left(c, d, a) != _left(c, d, b)


def _left(a: Point, b: Point, c: Point) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])


Lines = list[str]
"""Elements, one per line."""

FONT = "sans-serif"
_WIDE, _NARROW = 1.05, 0.57
"""The width of characters as shares of the size of a bold font; few are wider."""


def element(name: str, **attributes: float | str) -> str:
    """Return an empty element; `_` in names of attributes becomes `-`."""
    return f"<{name}{_attributes(attributes)}/>"


def group(lines: Iterable[str], **attributes: float | str) -> Lines:
    """Wrap elements in a group, each indented; nothing around no elements."""
    inner = [f"  {line}" for line in lines]
    return [f"<g{_attributes(attributes)}>", *inner, "</g>"] if inner else []


def moved(lines: Iterable[str], x: float, y: float) -> Lines:
    """Move elements to the right and down."""
    if x == y == 0:
        return list(lines)
    return group(lines, transform=f"translate({number(x)} {number(y)})")


def clipped(lines: Iterable[str], width: float, height: float) -> Lines:
    """Clip elements to a rectangle."""
    inner = [f"  {line}" for line in lines]
    return [f"<svg{_attributes({'width': width, 'height': height})}>", *inner, "</svg>"]


def text(
    words: str,
    at: Point,
    size: float,
    room: float,
    least: float = 0.6,
    /,
    **attributes: float | str,
) -> str:
    """Write words in one line centred at a point.

    If there is no room, they become smaller, down to a share of `least`, and are then cut off.
    """
    words = visible(" ".join(words.split()))
    fits = min(size, room / max(_width(words), 0.01))
    while fits < least * size and len(words) > 1:
        words = words.removesuffix("…")[:-1].rstrip() + "…"
        fits = min(size, room / max(_width(words), 0.01))
    drawn: dict[str, float | str] = {
        "x": at[0],
        "y": at[1] + 0.36 * fits,
        "font_family": FONT,
        "font_size": fits,
        "font_weight": "bold",
        "text_anchor": "middle",
    }
    return f"<text{_attributes(drawn | attributes)}>{escape(words)}</text>"


def wrapped(words: str, at: Point, size: float, room: float, **attributes: float | str) -> Lines:
    """Write words centred at a point in one line, or in two, the first of them there."""
    parts = words.split()
    if _width(" ".join(parts)) * size <= room or len(parts) < 2:
        return [text(words, at, size, room, **attributes)]

    def widest(cut: int) -> float:
        return max(_width(" ".join(parts[:cut])), _width(" ".join(parts[cut:])))

    cut = min(range(1, len(parts)), key=widest)
    below = (at[0], at[1] + 1.15 * size)
    return [
        text(" ".join(parts[:cut]), at, size, room, **attributes),
        text(" ".join(parts[cut:]), below, size, room, **attributes),
    ]


def document(lines: Iterable[str], width: float, height: float, scale: float, title: str) -> str:
    """Return a whole picture of `width` by `height`, shown `scale` times as large."""
    head: dict[str, float | str] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "width": width * scale,
        "height": height * scale,
        "viewBox": f"0 0 {number(width)} {number(height)}",
        "role": "img",
    }
    named = escape(visible(title))
    inner = "".join(f"  {line}\n" for line in (f"<title>{named}</title>", *lines))
    return f"<svg{_attributes(head)}>\n{inner}</svg>\n"


def _width(words: str) -> float:
    """Return the width of words as a multiple of the font size."""
    return sum(_WIDE if east_asian_width(char) in "WF" else _NARROW for char in words)


def _attributes(attributes: dict[str, float | str]) -> str:
    found = ""
    for name, value in attributes.items():
        written = name.replace("_", "-")
        found += f" {written}={quoteattr(value if isinstance(value, str) else number(value))}"
    return found


_SIZE = re.compile(r'<svg [^>]*?width="([0-9.]+)" height="([0-9.]+)"')
_KNOWN = "\u0180"
"""The font has a letter for what comes before this character."""


MOST = 64_000_000
"""Maximum number of pixels of a picture."""


def png(svg: str) -> bytes:
    """Convert an SVG text to PNG, with a pixel for each of its own.

    Letters that the font does not have are taken from system fonts. Raises ImportError when the
    packages are not installed, ValueError for invalid or too large pictures.
    """
    try:
        import font_lato
        import resvg_py
    except ImportError as error:
        raise ImportError("PNG needs: pip install 'rulesdsl[pictures]'") from error
    size = _SIZE.match(svg)
    if size is None or float(size[1]) * float(size[2]) > MOST:
        raise ValueError(f"the picture has more than {MOST} pixels")
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            font_files=[font_lato.LatoBold],
            sans_serif_family="Lato",
            font_family="Lato",
            skip_system_fonts=all(char < _KNOWN or char == "…" for char in svg),
            background="#ffffff",
        )
    )
