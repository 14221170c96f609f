"""Turns what an author drew on a piece into all of its segments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from rulesdsl.diagnostics import Label, Report, Span
from rulesdsl.geometry.crossings import check_crossings
from rulesdsl.geometry.fills import Fill, derived_fills, written_fills
from rulesdsl.geometry.notation import read_drawn
from rulesdsl.geometry.piece import Piece
from rulesdsl.geometry.regions import contacts_inside, find_regions
from rulesdsl.geometry.ring import Side, Size, outer_sides, side_name
from rulesdsl.geometry.skeleton import Skeleton, build
from rulesdsl.model.geometry import Drawn, KindShape, Outline, Port, Segment, Shape


def derive(
    tile_name: str,
    size: Size,
    drawn: Sequence[Drawn],
    kinds: Mapping[str, KindShape],
    span: Span,
    report: Report,
) -> Outline:
    """All segments of a piece of `size` (width, height; each at least 1) from what is drawn on it.

    Every kind in `drawn` must be in `kinds`. Mistakes of the author are reported, those about one
    entry at its own span, others at `span`; the outline is usable all the same: it holds what could
    be read, and no port twice.
    """
    piece = Piece(tile_name, size, kinds, span, report)
    entries = [entry for entry in drawn if kinds[entry.kind].shape is Shape.FILL]
    read_drawn(piece, (entry for entry in drawn if kinds[entry.kind].shape is not Shape.FILL))
    piece.end_stage()
    skeleton = build(piece)
    piece.end_stage()
    check_crossings(piece, skeleton)
    piece.end_stage()
    by_hand = any(entry.borders is not None for entry in entries)
    fill = written_fills if by_hand else derived_fills
    fills = fill(piece, entries, find_regions(skeleton, size))
    piece.end_stage()
    segments = _segments(piece, skeleton, fills)
    return Outline(size, segments, _sides(piece, segments), skeleton.outlook)


def _segments(piece: Piece, skeleton: Skeleton, fills: Sequence[Fill]) -> tuple[Segment, ...]:
    """The segments drawn, then the fills, with the contact each remembers."""
    kinds = [w.drawn.kind for w in piece.written] + [fill.kind for fill in fills]
    touching: dict[int, set[int]] = defaultdict(set)
    pairs = list(contacts_inside(skeleton))
    pairs += [(len(piece.written) + i, j) for i, fill in enumerate(fills) for j in fill.touches]
    for a, b in pairs:
        touching[a].add(b)
        touching[b].add(a)
    parts = [(w.ports, w.drawn.attributes) for w in piece.written]
    parts += [(fill.ports, fill.attributes) for fill in fills]
    ends, over = skeleton.ends, dict(skeleton.bridges)
    return tuple(
        Segment(
            kind,
            ports,
            _cells(ports, piece.size),
            tuple(j for j in sorted(touching[i]) if kinds[j] in piece.kinds[kind].borders),
            attributes,
            ends.get(i),
            over.get(i),
        )
        for i, (kind, (ports, attributes)) in enumerate(zip(kinds, parts, strict=True))
    )


def _cells(ports: Sequence[Port], size: Size) -> tuple[tuple[int, int], ...]:
    """The cells of the ports by row and column; without ports the cell in the middle."""
    if not ports:
        return (((size[0] - 1) // 2, (size[1] - 1) // 2),)
    return tuple(sorted({(p.x, p.y) for p in ports}, key=lambda cell: (cell[1], cell[0])))


def _sides(piece: Piece, segments: Sequence[Segment]) -> dict[Side, str | None]:
    """What must match on each side: the kind drawn there, else that of the fill."""
    drawn: dict[Side, list[int]] = defaultdict(list)
    filled: dict[Side, list[int]] = defaultdict(list)
    for index, segment in enumerate(segments):
        there = drawn if index < len(piece.written) else filled
        for touched in dict.fromkeys((p.x, p.y, p.side) for p in segment.ports):
            there[touched].append(index)
    sides: dict[Side, str | None] = {}
    for side in outer_sides(piece.size):
        found = drawn[side] or filled[side]
        kinds = sorted({segments[index].kind for index in found})
        sides[side] = kinds[0] if kinds else None
        if len(kinds) > 1:
            _two_kinds(piece, side, kinds, drawn[side])
    return sides


def _two_kinds(piece: Piece, side: Side, kinds: Sequence[str], drawn: Sequence[int]) -> None:
    """Report a side on which two kinds are to be matched."""
    spans = [piece.written[index].drawn.span for index in drawn] or [piece.span]
    piece.error(
        "port-lane",
        f"side {side_name(side, piece.size)} is both {' and '.join(kinds)}",
        spans[-1],
        bad=[Port(*side, lane) for lane in range(3)],
        labels=[Label(span, "on the same side") for span in spans[:-1]],
        help=("a side matches as one kind: draw only one kind on it",),
    )
