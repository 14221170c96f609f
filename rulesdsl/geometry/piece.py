"""A piece whose drawing is being read, and sketches of it for findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase

from rulesdsl.diagnostics import Label, Report, Span
from rulesdsl.geometry.ring import Size, drawn_shape, port_name, port_text, port_words
from rulesdsl.model.geometry import Drawn, KindShape, Outline, Port, Segment, Shape
from rulesdsl.model.names import short_name


def letters(kinds: Iterable[str]) -> dict[str, str]:
    """Return a letter for each kind: the first unused one of its short name."""
    taken: dict[str, str] = {}
    for kind in kinds:
        choices = (*short_name(kind).lower(), *ascii_lowercase)
        free = (c for c in choices if c.isalpha() and c not in taken.values())
        taken[kind] = next(free, "?")
    return taken


def frame(size: Size, mark: Callable[[Port], str], middle: str = "") -> list[str]:
    """Draw the rim of a piece of `size` cells with `mark(port)` at every port.

    `middle` is drawn in the middle. Marks are padded to one width.
    """
    width, height = size
    lanes = range(3)
    top = [mark(Port(x, 0, 0, lane)) for x in range(width) for lane in lanes]
    bottom = [mark(Port(x, height - 1, 2, 2 - lane)) for x in range(width) for lane in lanes]
    left = [mark(Port(0, y, 3, 2 - lane)) for y in range(height) for lane in lanes]
    right = [mark(Port(width - 1, y, 1, lane)) for y in range(height) for lane in lanes]
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


def draw(outline: Outline) -> list[str]:
    """Draw a piece as text, with a legend of its segments, one line each.

    Every segment has a mark: the letter of its kind and a number. `.` is a free port.
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
    within = [m for m, s in zip(marks, outline.segments, strict=True) if not s.ports]
    return [
        *frame(outline.size, lambda port: owner.get(port, "."), " ".join(within)),
        *(
            _legend(mark, segment, outline, marks)
            for mark, segment in zip(marks, outline.segments, strict=True)
        ),
    ]


def _legend(mark: str, segment: Segment, outline: Outline, marks: list[str]) -> str:
    where = port_text(segment.ports, drawn_shape(segment.ports), outline.size)
    words = [f"{mark} {segment.kind} {where}"]
    words += [f"{name} {value}" for name, value in sorted(segment.attributes.items())]
    if segment.borders:
        words.append("borders " + " ".join(marks[index] for index in segment.borders))
    return ", ".join(words)


_LARGEST_SKETCH = 12


@dataclass(frozen=True)
class Target:
    """The inner end of a segment, as written after `>`.

    `port` is the lane whose holder is meant, `rim` the rim position of a corner; the centre has
    neither.
    """

    word: str
    port: Port | None = None
    rim: int | None = None


@dataclass(frozen=True)
class Written:
    """A drawn segment that was read: its ports and its inner end."""

    drawn: Drawn
    shape: Shape
    ports: tuple[Port, ...]
    target: Target | None

    def __str__(self) -> str:
        return f"{self.drawn.kind} `{self.drawn.at}`"


@dataclass
class Piece:
    """The piece being read; `holders` maps ports to the indices of drawn segments."""

    name: str
    size: Size
    kinds: Mapping[str, KindShape]
    span: Span
    report: Report
    written: list[Written] = field(default_factory=list)
    holders: dict[Port, int] = field(default_factory=dict)
    failed: bool = False

    def end_stage(self) -> None:
        """Suppress further findings if there are any: they would only follow from those."""
        if self.failed:
            self.report = Report()

    def names(self, ports: Iterable[Port]) -> str:
        """Return the names of ports for messages."""
        return ", ".join(f"`{word}`" for word in port_words(ports, Shape.AREA, self.size))

    def error(
        self,
        slug: str,
        message: str,
        span: Span,
        *,
        mark: str = "",
        bad: Iterable[Port] = (),
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

    def _sketch(self, bad: set[Port]) -> list[str]:
        """Draw the piece as text; nothing for a very large one."""
        if sum(self.size) > _LARGEST_SKETCH:
            return []
        letter = letters(self.kinds)

        def mark(port: Port) -> str:
            if port in bad:
                return "!"
            holder = self.holders.get(port)
            if holder is not None:
                return letter[self.written[holder].drawn.kind]
            return "." if bad else port_name(port, self.size)

        held = sorted({self.written[index].drawn.kind for index in self.holders.values()})
        legend = [f"{letter[kind]} {kind}" for kind in held] + ([". free", "! here"] if bad else [])
        return [*frame(self.size, mark), *([", ".join(legend)] if legend else [])]
