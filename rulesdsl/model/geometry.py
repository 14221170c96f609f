"""The geometry of a square piece: sides, lanes, segments.

Filled in by `rulesdsl.geometry`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from rulesdsl.diagnostics import Span


class Shape(Enum):
    """The shape of the segments of a feature kind.

    A `line` holds the centre lane of a side, an `area` all three, `fill` takes the area that the
    drawing leaves free, and `inside` touches no side.
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

    `x` east and `y` south count cells from the north-west cell; `side` 0..3 is N, E, S, W; `lane`
    0..2 is left, centre, right as seen from the middle of the cell.
    """

    x: int
    y: int
    side: int
    lane: int


@dataclass(frozen=True)
class Drawn:
    """A segment as the author wrote it.

    `at` is in the port notation of docs/reference/language.md (`N-E`, `W>N`, `EL-S`), `over` are
    the ports of the segment it bridges, and `borders` is set only for a fill segment that is
    written out by hand.
    """

    kind: str
    at: str
    span: Span = field(compare=False, repr=False)
    over: str | None = None
    borders: tuple[str, ...] | None = None
    attributes: Mapping[str, int | bool | str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class End:
    """The end of a segment inside its piece.

    It is at the segment of index `segment`, at the rim position `rim` (see `geometry.ring`), or
    with neither at the hub.
    """

    segment: int | None = None
    rim: int | None = None


@dataclass(frozen=True)
class OutlineSegment:
    """A segment of a piece in rotation 0.

    `ports` are in ring order (clockwise from the north-west corner), `cells` are the (x, y) it
    covers. `borders` are the indices, in the same piece, of the segments it touches whose kind its
    own kind `borders`. `end` is its end inside, or None. `over` is the index of the segment it
    bridges.
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
    """All segments of a piece.

    The drawn ones come first in the order written, then the filled ones in ring order of their
    first port. `sides` is the kind of every outer side, keyed (x, y, side), None for an empty side.
    `size` is (width, height) in cells. `hub` is the rim position towards which a hub with only one
    segment lies, None for one in the middle.
    """

    size: tuple[int, int]
    segments: tuple[OutlineSegment, ...]
    sides: Mapping[tuple[int, int, int], str | None]
    hub: int | None = None
