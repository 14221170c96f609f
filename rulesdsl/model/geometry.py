"""What lies on a square piece: sides, lanes, segments.

Filled in by `rulesdsl.geometry`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from rulesdsl.diagnostics import Span


class Shape(Enum):
    """How segments of a feature kind lie on a piece.

    A `line` holds the centre lane of a side, an `area` all three, `fill` is what the drawing
    leaves free, `inside` touches no side.
    """

    LINE = "line"
    AREA = "area"
    FILL = "fill"
    INSIDE = "inside"


@dataclass(frozen=True)
class KindShape:
    """A feature kind as geometry sees it; `borders` are the kinds whose contact it remembers."""

    name: str
    shape: Shape
    borders: frozenset[str] = frozenset()


SIDES = "NESW"
LANES = "LCR"


@dataclass(frozen=True, order=True)
class Port:
    """One of the three lanes of one outer side of one cell of a piece.

    `x` east and `y` south count cells from the north-west cell; `side` 0..3 is N, E, S, W;
    `lane` 0..2 is left, centre, right as seen from the middle of the cell.
    """

    x: int
    y: int
    side: int
    lane: int


@dataclass(frozen=True)
class Drawn:
    """One segment as the author wrote it: `at` in the port notation of docs/reference/language.md
    (`N-E`, `W>N`, `EL-S`), `over` the ports of the segment it bridges, `borders` only where a
    fill segment is written out by hand."""

    kind: str
    at: str
    span: Span = field(compare=False, repr=False)
    over: str | None = None
    borders: tuple[str, ...] | None = None
    attributes: Mapping[str, int | bool | str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class End:
    """Where a segment ends inside its piece: at the segment of index `segment`, at the rim position
    `rim` (see `geometry.ring`), or with neither at the hub."""

    segment: int | None = None
    rim: int | None = None


@dataclass(frozen=True)
class Segment:
    """One segment of a piece in rotation 0.

    `ports` in ring order (clockwise from the north-west corner); `cells` the (x, y) it lies on;
    `borders` the indices, in the same piece, of the segments it touches whose kind its own kind
    `borders`; `end` where it ends inside, None where it does not; `over` the index of the segment
    it bridges.
    """

    kind: str
    ports: tuple[Port, ...]
    cells: tuple[tuple[int, int], ...]
    borders: tuple[int, ...] = ()
    attributes: Mapping[str, int | bool | str | None] = field(default_factory=dict)
    end: End | None = None
    over: int | None = None


@dataclass(frozen=True)
class Outline:
    """All segments of a piece, the drawn ones first in the order written, then the filled ones in
    ring order of their first port; `sides` the kind of every outer side, keyed (x, y, side), None
    where nothing lies; `size` is (width, height) in cells; `hub` the rim position at which the hub
    is seen that only one segment runs to, None for one in the middle."""

    size: tuple[int, int]
    segments: tuple[Segment, ...]
    sides: Mapping[tuple[int, int, int], str | None]
    hub: int | None = None
