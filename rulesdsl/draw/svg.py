"""SVG as text: elements on lines of their own, and what a stranger wrote never as markup."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import east_asian_width
from xml.sax.saxutils import escape, quoteattr

from rulesdsl.diagnostics.visible import visible
from rulesdsl.draw.paths import Point, number

Lines = list[str]
"""Elements, a line each."""

FONT = "sans-serif"
_WIDE, _NARROW = 1.05, 0.57
"""The width of characters as shares of the size of a bold font; few are wider."""


def element(name: str, **attributes: float | str) -> str:
    """An empty element; in names of attributes `_` stands for `-`."""
    return f"<{name}{_attributes(attributes)}/>"


def group(lines: Iterable[str], **attributes: float | str) -> Lines:
    """Elements within a group, each indented; nothing around nothing."""
    inner = [f"  {line}" for line in lines]
    return [f"<g{_attributes(attributes)}>", *inner, "</g>"] if inner else []


def moved(lines: Iterable[str], x: float, y: float) -> Lines:
    """Elements moved to the right and down."""
    if x == y == 0:
        return list(lines)
    return group(lines, transform=f"translate({number(x)} {number(y)})")


def clipped(lines: Iterable[str], width: float, height: float) -> Lines:
    """Elements of which nothing is seen outside of a rectangle."""
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
    """Words in one line with their middle at a point: smaller, down to a share of `least`, and then
    cut off, if there is no room."""
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
    """Words in one line with their middle at a point, or in two lines, the first of them there."""
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
    """A whole picture of `width` by `height`, shown `scale` times as large."""
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
    """How wide words are, as a multiple of the size of the font."""
    return sum(_WIDE if east_asian_width(char) in "WF" else _NARROW for char in words)


def _attributes(attributes: dict[str, float | str]) -> str:
    found = ""
    for name, value in attributes.items():
        written = name.replace("_", "-")
        found += f" {written}={quoteattr(value if isinstance(value, str) else number(value))}"
    return found
