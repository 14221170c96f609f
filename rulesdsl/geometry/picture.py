"""Text pictures of pieces: the rim with a mark on every port, north up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from string import ascii_lowercase

from rulesdsl.geometry.ring import Size, drawn_shape, port_text
from rulesdsl.model.geometry import Outline, Port, Segment
from rulesdsl.model.names import short_name


def letters(kinds: Iterable[str]) -> dict[str, str]:
    """A letter for each kind: the first letter of its short name that no kind before it took."""
    taken: dict[str, str] = {}
    for kind in kinds:
        choices = (*short_name(kind).lower(), *ascii_lowercase)
        free = (c for c in choices if c.isalpha() and c not in taken.values())
        taken[kind] = next(free, "?")
    return taken


def frame(size: Size, mark: Callable[[Port], str], middle: str = "") -> list[str]:
    """The rim of a piece of `size` cells with `mark(port)` at every port, `middle` in its middle.

    Marks are padded to one width.
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
    """A picture of a piece and a legend of its segments, one line each.

    Every segment has a mark, the letter of its kind and a number; `.` is a port nothing holds.
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
