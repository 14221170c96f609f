"""The icons: paths in a square of 24, a body to be filled and lines to be drawn on it."""

from __future__ import annotations

from dataclasses import dataclass

SIZE = 24


@dataclass(frozen=True)
class Icon:
    """`body` is filled and has a rim; `lines` are drawn on it."""

    body: str
    lines: str = ""


ICONS = {
    "pawn": Icon("M12 2A4.5 4.5 0 0 1 14.5 10L17 18H19V22H5V18H7L9.5 10A4.5 4.5 0 0 1 12 2Z"),
    "shield": Icon("M4 3H20V11C20 16 16.5 20 12 22C7.5 20 4 16 4 11Z", "M12 3V22M4 10H20"),
    "star": Icon(
        "M12 2L15 9L22 9.5L16.5 14L18.5 21.5L12 17.3L5.5 21.5L7.5 14L2 9.5L9 9Z",
    ),
}
