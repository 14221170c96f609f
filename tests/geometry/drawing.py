"""Shared by the tests of geometry: kinds to draw with, and drawings written short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rulesdsl.language.diagnostics import Report, Source, Span
from rulesdsl.language.geometry.outline import derive
from rulesdsl.language.model.geometry import Drawn, KindShape, Outline, Shape, port_text

KINDS = {
    kind.name: kind
    for kind in (
        KindShape("city", Shape.AREA),
        KindShape("road", Shape.LINE, frozenset({"city", "road", "monastery"})),
        KindShape("river", Shape.LINE),
        KindShape("trail", Shape.LINE, crosses=True),
        KindShape("field", Shape.FILL, frozenset({"city"})),
        KindShape("monastery", Shape.INSIDE),
    )
}

Entry = str | Mapping[str, Any]
Drawing = Mapping[str, Sequence[Entry]]


def drawn(drawing: Drawing) -> tuple[list[Drawn], Span]:
    """The entries of a drawing as a manifest gives them, each with a span of its own, and the
    span of the whole."""
    entries = [(kind, entry) for kind, found in drawing.items() for entry in found]
    source = Source("tile.yaml", "\n".join(str(entry) for _, entry in entries))
    start, result = 0, []
    for kind, entry in entries:
        parts = {"at": entry} if isinstance(entry, str) else dict(entry)
        span = source.span(start, start + len(str(entry)))
        start = span.end + 1
        at, over, borders = parts.pop("at"), parts.pop("over", None), parts.pop("borders", None)
        borders = None if borders is None else tuple(borders)
        result.append(Drawn(kind, at, span, over, borders, parts))
    return result, source.span(0, len(source.text))


def outline(
    drawing: Drawing,
    size: tuple[int, int] = (1, 1),
    kinds: Mapping[str, KindShape] = KINDS,
    report: Report | None = None,
) -> Outline:
    """The outline of a drawing; without `report` there must be nothing to report."""
    entries, span = drawn(drawing)
    found = Report() if report is None else report
    result = derive("tile", size, entries, kinds, span, found)
    if report is None:
        assert not len(found), [str(d) for d in found]
    return result


def names(piece: Outline, kinds: Mapping[str, KindShape] = KINDS) -> list[str]:
    """The names of all segments of a piece."""
    return [port_text(s.ports, kinds[s.kind].shape, piece.size) for s in piece.segments]


def segments(
    piece: Outline, kinds: Mapping[str, KindShape] = KINDS
) -> dict[str, dict[str, list[str]]]:
    """kind -> name of a segment -> sorted names of what it borders."""
    called = names(piece, kinds)
    found: dict[str, dict[str, list[str]]] = {}
    for name, segment in zip(called, piece.segments, strict=True):
        borders = sorted(called[index] for index in segment.borders)
        found.setdefault(segment.kind, {})[name] = borders
    return found
