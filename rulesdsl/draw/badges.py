"""Small pictures at a point: an icon, letters, or both, with a light halo to stand out by."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.draw.colours import INK, PAPER, dark
from rulesdsl.draw.icons import ICONS, SIZE
from rulesdsl.draw.looks import Badge
from rulesdsl.draw.paths import Point, number
from rulesdsl.draw.svg import Lines, element, group, text

_HALO, _RIM = 3.6, 1.3
"""Widths in the square of an icon."""


def badge_lines(badge: Badge, at: Point, size: float) -> Lines:
    """A badge whose middle is at a point, within a square of `size`."""
    if badge.icon is None:
        return _disc(badge, at, size)
    lines = _icon(badge, at, size)
    if badge.text:
        corner = (at[0] + 0.3 * size, at[1] + 0.28 * size)
        lines.append(
            text(
                badge.text,
                corner,
                0.52 * size,
                0.5 * size,
                0.0,
                fill=INK,
                stroke=PAPER,
                stroke_width=0.12 * size,
                stroke_linejoin="round",
                paint_order="stroke",
            )
        )
    return lines


def _icon(badge: Badge, at: Point, size: float) -> Lines:
    assert badge.icon is not None
    icon, scale = ICONS[badge.icon], size / (SIZE + _HALO)
    left, top = at[0] - scale * SIZE / 2, at[1] - scale * SIZE / 2
    place = f"translate({number(left)} {number(top)}) scale({scale:.3f})"
    light: dict[str, float | str] = {
        "stroke": PAPER,
        "stroke_width": _HALO,
        "stroke_linejoin": "round",
    }
    lines = [
        element("path", d=icon.body, fill=PAPER, **light),
        element("path", d=icon.body, fill=badge.fill, stroke=badge.edge, stroke_width=_RIM),
    ]
    if icon.lines:
        ink = PAPER if dark(badge.fill) else INK
        lines.append(element("path", d=icon.lines, fill="none", stroke=ink, stroke_width=_RIM))
    return group(lines, transform=place, stroke_linejoin="round", stroke_linecap="round")


def _disc(badge: Badge, at: Point, size: float) -> Lines:
    return list(_disc_lines(badge, at, size))


def _disc_lines(badge: Badge, at: Point, size: float) -> Iterator[str]:
    width = 0.07 * size
    yield element(
        "circle",
        cx=at[0],
        cy=at[1],
        r=(size - width) / 2,
        fill=badge.fill,
        stroke=badge.edge,
        stroke_width=width,
    )
    ink = PAPER if dark(badge.fill) else INK
    yield text(badge.text, at, 0.62 * size, 0.72 * size, 0.0, fill=ink)
