"""The port notation: `N-E`, `EL-S`, `W>N`, `I`, on larger pieces `r0c1.N`, and what it names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field, replace
from string import ascii_lowercase

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.diagnostics.report import did_you_mean
from rulesdsl.language.model import geometry
from rulesdsl.language.model.names import short_name


def letters(kinds: Iterable[str]) -> dict[str, str]:
    """Return a letter for each kind: the first unused one of its short name."""
    taken: dict[str, str] = {}
    for kind in kinds:
        choices = (*short_name(kind).lower(), *ascii_lowercase)
        free = (c for c in choices if c.isalpha() and c not in taken.values())
        taken[kind] = next(free, "?")
    return taken


def frame(size: geometry.Size, mark: Callable[[geometry.Port], str], middle: str = "") -> list[str]:
    """Draw the rim of a piece of `size` cells with `mark(port)` at every port.

    `middle` is drawn in the middle. Marks are padded to one width.
    """
    if size == geometry.HEXAGON:
        return _hexagon([mark(port) for port in geometry.ring(size)], middle)
    if size == geometry.UPRIGHT:
        return _triangle([mark(port) for port in geometry.ring(size)], middle)
    width, height = size
    lanes = range(3)
    top = [mark(geometry.Port(x, 0, 0, lane)) for x in range(width) for lane in lanes]
    bottom = [
        mark(geometry.Port(x, height - 1, 2, 2 - lane)) for x in range(width) for lane in lanes
    ]
    left = [mark(geometry.Port(0, y, 3, 2 - lane)) for y in range(height) for lane in lanes]
    right = [mark(geometry.Port(width - 1, y, 1, lane)) for y in range(height) for lane in lanes]
    wide = max(len(text) for text in (*top, *bottom, *left, *right))

    def edge(marks: list[str]) -> str:
        return "+-" + "-".join(text.ljust(wide, "-") for text in marks) + "-+"

    inner = len(edge(top)) - 2 * wide
    rows = [
        west.ljust(wide)
        + (middle if row == len(left) // 2 else "").center(inner)
        + east.rjust(wide)
        for row, (west, east) in enumerate(zip(left, right, strict=True))
    ]
    return [edge(top), *rows, edge(bottom)]


def _triangle(marks: list[str], middle: str) -> list[str]:
    wide, base = max(map(len, marks)), " ".join(reversed(marks[3:6]))
    inner = max(10, len(base) - 2 * wide, len(middle) + 2)
    found = []
    for row, (west, east) in enumerate(zip(reversed(marks[6:]), marks[:3], strict=True)):
        slant = 2 * (2 - row)
        gap = (middle if row == 2 else "").center(inner - 2 * slant)
        found.append(f"{' ' * slant}/{west.ljust(wide)}{gap}{east.rjust(wide)}\\")
    return [*found, "+" + base.center(inner + 2 * wide, "-") + "+"]


def _hexagon(marks: list[str], middle: str) -> list[str]:
    wide, half = max(map(len, marks)), len(marks) // 2
    inner = max(14, len(middle) + 2)
    found = []
    for row, (west, east) in enumerate(zip(reversed(marks[half:]), marks[:half], strict=True)):
        slant = 2 * max(0, 3 - row, row - 5)
        left, right = ("/\\", "||", "\\/")[row // 3]
        gap = (middle if row == half // 2 else "").center(inner - 2 * slant)
        found.append(f"{' ' * slant}{left}{west.ljust(wide)}{gap}{east.rjust(wide)}{right}")
    return found


def draw(outline: geometry.Outline, fills: Collection[str] = ()) -> list[str]:
    """Draw a piece as text, with a legend of its segments, one line each.

    Every segment has a mark: the letter of its kind and a number. `.` is a free port. The legend
    says where a line ends, and what a segment touches other than segments of the kinds `fills`.
    """
    letter = letters(dict.fromkeys(segment.kind for segment in outline.segments))
    seen: Counter[str] = Counter()
    marks: list[str] = []
    for segment in outline.segments:
        seen[segment.kind] += 1
        marks.append(f"{letter[segment.kind]}{seen[segment.kind]}")
    owner = {
        port: mark
        for mark, segment in zip(marks, outline.segments, strict=True)
        for port in segment.ports
    }
    agreeing = [
        geometry.side_name(side, outline.size)
        for side in geometry.outer_sides(outline.size)
        if side in outline.agreeing
    ]
    within = [m for m, s in zip(marks, outline.segments, strict=True) if not s.ports]
    return [
        *frame(outline.size, lambda port: owner.get(port, "."), " ".join(within)),
        *(_legend(number, outline, marks, fills) for number in range(len(marks))),
        *([f"agrees with every side: {', '.join(agreeing)}"] if agreeing else []),
    ]


def _legend(
    number: int, outline: geometry.Outline, marks: list[str], fills: Collection[str]
) -> str:
    segment = outline.segments[number]
    where = geometry.port_text(segment.ports, geometry.drawn_shape(segment.ports), outline.size)
    words = [f"{marks[number]} {segment.kind} {where}"]
    words += [f"{name} {value}" for name, value in sorted(segment.attributes.items())]
    if segment.borders:
        words.append("borders " + " ".join(marks[index] for index in segment.borders))
    said = set(segment.borders)
    if segment.over is not None:
        words.append(f"over {marks[segment.over]}")
    if segment.end is not None:
        at = segment.end.segment
        middle = "at the edge" if segment.end.rim is not None else "in the middle"
        words.append("ends " + (middle if at is None else f"at {marks[at]}"))
        said |= set() if at is None else {at}
    kinds = [each.kind for each in outline.segments]
    meets = [
        i for i in segment.touches if i not in said and not {kinds[i], segment.kind} & set(fills)
    ]
    if meets:
        words.append("touches " + " ".join(marks[index] for index in meets))
    return ", ".join(words)


_LARGEST_SKETCH = 12


@dataclass(frozen=True)
class InnerEnd:
    """The inner end of a segment, as written after `>`.

    `port` is the lane whose holder is meant, `rim` the rim position of a corner; the centre has
    neither.
    """

    word: str
    port: geometry.Port | None = None
    rim: int | None = None


@dataclass(frozen=True)
class ReadSegment:
    """A drawn segment that was read: its ports and its inner end."""

    drawn: geometry.Drawn
    shape: geometry.Shape
    ports: tuple[geometry.Port, ...]
    target: InnerEnd | None

    def __str__(self) -> str:
        return f"{self.drawn.kind} `{self.drawn.at}`"


@dataclass
class PieceDrawing:
    """The piece being read; `holders` maps ports to the indices of drawn segments."""

    name: str
    size: geometry.Size
    kinds: Mapping[str, geometry.KindShape]
    span: Span
    report: Report
    written: list[ReadSegment] = field(default_factory=list)
    holders: dict[geometry.Port, int] = field(default_factory=dict)
    failed: bool = False

    def crosses(self, index: int) -> bool:
        """Return whether a segment that was read crosses everything."""
        return self.kinds[self.written[index].drawn.kind].crosses

    def end_stage(self) -> None:
        """Suppress further findings if there are any: they would only follow from those."""
        if self.failed:
            self.report = Report()

    def names(self, ports: Iterable[geometry.Port]) -> str:
        """Return the names of ports for messages."""
        return ", ".join(
            f"`{word}`" for word in geometry.port_words(ports, geometry.Shape.AREA, self.size)
        )

    def error(
        self,
        slug: str,
        message: str,
        span: Span,
        *,
        mark: str = "",
        bad: Iterable[geometry.Port] = (),
        labels: Iterable[Label] = (),
        help: Iterable[str] = (),
    ) -> None:
        """Report a finding about this piece, with a sketch in which the `bad` ports are marked.

        Without bad ports the sketch shows the names of the free ones.
        """
        self.failed = True
        self.report.error(
            slug,
            f"`{self.name}`: {message}",
            span,
            mark=mark,
            labels=labels,
            help=help,
            picture=self._sketch(set(bad)),
        )

    def _sketch(self, bad: set[geometry.Port]) -> list[str]:
        """Draw the piece as text; nothing for a very large one."""
        if sum(self.size) > _LARGEST_SKETCH:
            return []
        letter = letters(self.kinds)

        def mark(port: geometry.Port) -> str:
            if port in bad:
                return "!"
            holder = self.holders.get(port)
            if holder is not None:
                return letter[self.written[holder].drawn.kind]
            return "." if bad else geometry.port_name(port, self.size)

        held = sorted({self.written[index].drawn.kind for index in self.holders.values()})
        legend = [f"{letter[kind]} {kind}" for kind in held] + ([". free", "! here"] if bad else [])
        return [*frame(self.size, mark), *([", ".join(legend)] if legend else [])]


# --- the notation --------------------------------------------------------------------------------

INSIDE = "I"
_MIDDLE = "C"
_CORNERS = ("NE", "SE", "SW", "NW")
_CORNERS_OF_HEXAGON = ("ENE", "ESE", "S", "WSW", "WNW", "N")
"""The corners at which the sides end, clockwise."""
_CORNERS_OF_TRIANGLE = ("", "SE", "", "SW", "", "N")
"""Those of an upright triangle, which has every second side."""
_WORD = re.compile(r"(?:r([0-9]{1,3})c([0-9]{1,3})\.)?([A-Za-z]+)")


def read_drawn(piece: PieceDrawing, drawn: Iterable[geometry.Drawn]) -> None:
    """Read lines, areas and inside segments into `piece`, and report unreadable ones."""
    for entry in drawn:
        shape = piece.kinds[entry.kind].shape
        written = _written(piece, entry, shape)
        if written is not None:
            _hold(piece, written)


def _written(
    piece: PieceDrawing, entry: geometry.Drawn, shape: geometry.Shape
) -> ReadSegment | None:
    text, _, end = entry.at.partition(">")
    if entry.borders is not None:
        message = f"`borders` is written for fills, not for {entry.kind}"
        piece.error("fill-mismatch", message, entry.span, help=("leave out `borders`",))
    if shape is geometry.Shape.INSIDE:
        if entry.at != INSIDE:
            message = f"`{entry.at}` is not a place for {entry.kind}, which touches no side"
            piece.error("port-unknown", message, entry.span, help=(f"write `{INSIDE}`",))
            return None
        if entry.over is not None:
            message = f"{entry.kind} lies inside and passes over nothing"
            piece.error("segment-target", message, entry.span, help=("leave out `over`",))
        return ReadSegment(replace(entry, over=None), shape, (), None)
    if text in ("", INSIDE):
        message = f"this {entry.kind} touches no side"
        help = (f"name a side, such as `{_sides(piece)[0]}`",)
        piece.error("segment-empty", message, entry.span, help=help)
        return None
    kind = piece.kinds[entry.kind]
    if kind.crosses and (">" in entry.at or entry.over is not None):
        message = f"{entry.kind} crosses everything, and runs from side to side"
        piece.error("segment-target", message, entry.span, help=("leave out `over`, and `>`",))
        return None
    ports = read_ports(piece, text, kind, entry.span)
    target = _target(piece, end, entry.span) if ">" in entry.at else None
    if ports is None or (target is None and ">" in entry.at):
        return None
    return ReadSegment(entry, shape, ports, target)


def _hold(piece: PieceDrawing, written: ReadSegment) -> None:
    """Give `written` its ports, except those that another segment already has."""
    index, before = len(piece.written), dict(piece.holders)
    order = geometry.ring_index(piece.size).__getitem__
    mine = tuple(sorted(set(written.ports) - before.keys(), key=order))
    if mine or written.shape is geometry.Shape.INSIDE:
        piece.written.append(ReadSegment(written.drawn, written.shape, mine, written.target))
        piece.holders.update(dict.fromkeys(mine, index))
    if len(mine) == len(written.ports):
        return
    lost = [p for p in written.ports if p not in mine or written.ports.count(p) > 1]
    others = sorted({before[port] for port in lost if port in before})
    help = ["a lane belongs to one segment; share a side lane by lane: `EL-EC` and `ER`"]
    if written.shape is geometry.Shape.LINE and len(mine) == 1 and others:
        ends = (geometry.side_name((p.x, p.y, p.side), piece.size) for p in (*mine, lost[0]))
        help.insert(0, f"to let it end there: `{'>'.join(ends)}`")
    names, holders = piece.names(set(lost)), ", ".join(str(piece.written[i]) for i in others)
    piece.error(
        "port-twice",
        f"{written} takes {names}, already held by {holders}"
        if others
        else f"{written} names {names} twice",
        written.drawn.span,
        bad=lost,
        labels=[Label(piece.written[i].drawn.span, "holds it") for i in others],
        help=tuple(help),
    )


def read_ports(
    piece: PieceDrawing, text: str, kind: geometry.KindShape, span: Span
) -> tuple[geometry.Port, ...] | None:
    """Return the ports that `N-EL` names for a segment of a kind; None after reporting.

    A bare side is the centre lane of a line, the outer lanes of a fill, all lanes of an area.
    """
    ports: list[geometry.Port] = []
    shape = kind.shape
    for word in text.split("-"):
        lane = _side_and_lane(piece, word, span)
        if lane is None:
            return None
        side, number = lane
        centred = shape is geometry.Shape.LINE and not kind.crosses
        if centred and number not in (None, geometry.CENTRE):
            message = f"`{word}` is not the centre lane, the only one a line can hold"
            help = (
                f"write `{geometry.side_name(side, piece.size)}`",
                f"or give {kind.name} `crosses: true`, so that its lines hold any lanes",
            )
            piece.error("port-lane", message, span, bad=[geometry.Port(*side, number)], help=help)
            return None
        ports += [geometry.Port(*side, n) for n in (_bare(shape) if number is None else (number,))]
    return tuple(ports)


def _bare(shape: geometry.Shape) -> tuple[int, ...]:
    match shape:
        case geometry.Shape.LINE:
            return (geometry.CENTRE,)
        case geometry.Shape.FILL:
            return (geometry.LEFT, geometry.RIGHT)
        case geometry.Shape.AREA | geometry.Shape.INSIDE:
            return (geometry.LEFT, geometry.CENTRE, geometry.RIGHT)


def read_lane(piece: PieceDrawing, word: str, span: Span) -> geometry.Port | None:
    """Return the one lane a word names, for a bare side its centre; None after reporting."""
    lane = _side_and_lane(piece, word, span)
    return (
        None
        if lane is None
        else geometry.Port(*lane[0], geometry.CENTRE if lane[1] is None else lane[1])
    )


def _side_and_lane(
    piece: PieceDrawing, word: str, span: Span
) -> tuple[geometry.Side, int | None] | None:
    match = _WORD.fullmatch(word)
    name = match[3] if match else ""
    every, sides = geometry.side_names(piece.size), _sides(piece)
    ports = [(side, lane) for side in sides for lane in ("", *geometry.LANES)]
    named = {side + lane: (side, lane) for side, lane in ports}
    if match is None or name not in named:
        hint = did_you_mean(name.upper(), named) if name else ()
        lanes = f"lanes are L C R: `{sides[0]}`, `{sides[0]}L`, joined by `-`"
        help = (*hint, f"sides are {' '.join(sides)}, {lanes}")
        if word == "I":
            help = ("`I` stands alone; a line that ends inside is its side alone, such as `S`",)
        piece.error("port-unknown", f"`{word}` is not a side or port", span, help=help)
        return None
    cell = _cell(piece, match, span)
    if cell is None:
        return None
    letters, lane = named[name]
    side = (*cell, every.index(letters))
    if side not in geometry.outer_sides(piece.size):
        message = f"side `{word}` is not on the edge of a piece of {_size_text(piece)} cells"
        piece.error("port-unknown", message, span, help=_rim_help(piece))
        return None
    return side, geometry.LANES.index(lane) if lane else None


def _sides(piece: PieceDrawing) -> tuple[str, ...]:
    names = geometry.side_names(piece.size)
    return tuple(dict.fromkeys(names[side] for *_, side in geometry.outer_sides(piece.size)))


def _cell(piece: PieceDrawing, match: re.Match[str], span: Span) -> tuple[int, int] | None:
    if match[1] is not None:
        return int(match[2]), int(match[1])
    if geometry.is_one_cell(piece.size):
        return 0, 0
    message = f"`{match[0]}` does not say its cell on a piece of {_size_text(piece)} cells"
    piece.error("port-unknown", message, span, help=_rim_help(piece))
    return None


def _size_text(piece: PieceDrawing) -> str:
    return f"{piece.size[0]} x {piece.size[1]}"


def _rim_help(piece: PieceDrawing) -> tuple[str, ...]:
    names = " ".join(
        geometry.side_name(side, piece.size) for side in geometry.outer_sides(piece.size)[:16]
    )
    return (f"row and column come first: {names}",)


def _target(piece: PieceDrawing, word: str, span: Span) -> InnerEnd | None:
    """Return the inner end of a segment, as written after `>`; None after reporting."""
    if word == _MIDDLE:
        return InnerEnd(word)
    match = _WORD.fullmatch(word)
    corners: tuple[str, ...] = _CORNERS
    if isinstance(piece.size, geometry.OneCell):
        hexagon = piece.size == geometry.HEXAGON
        corners = _CORNERS_OF_HEXAGON if hexagon else _CORNERS_OF_TRIANGLE
    if match is None or match[3] not in corners:
        port = read_lane(piece, word, span)
        return None if port is None else InnerEnd(word, port=port)
    cell = _cell(piece, match, span)
    if cell is None:
        return None
    index = geometry.ring_index(piece.size)
    number = corners.index(match[3])
    before = geometry.Port(*cell, number, geometry.RIGHT)
    after = geometry.Port(*cell, (number + 1) % len(corners), geometry.LEFT)
    if before in index:
        return InnerEnd(word, rim=geometry.LANE * index[before] + geometry.LANE // 2)
    if after in index:
        return InnerEnd(
            word,
            rim=(geometry.LANE * index[after] - geometry.LANE // 2) % (geometry.LANE * len(index)),
        )
    message = f"corner `{word}` is not on the edge of a piece of {_size_text(piece)} cells"
    piece.error("port-unknown", message, span, help=_rim_help(piece))
    return None
