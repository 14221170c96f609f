"""Derivation of all segments of a piece from its drawing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rulesdsl.diagnostics import Label, Report, Span
from rulesdsl.geometry.notation import INSIDE, PieceDrawing, read_drawn, read_lane, read_ports
from rulesdsl.geometry.skeleton import (
    Region,
    Skeleton,
    build,
    check_crossings,
    contacts_inside,
    find_regions,
)
from rulesdsl.model.geometry import (
    CENTRE,
    Drawn,
    KindShape,
    Outline,
    OutlineSegment,
    Port,
    Shape,
    Side,
    Size,
    outer_sides,
    port_text,
    ring_index,
    side_name,
)


@dataclass(frozen=True)
class Fill:
    """A fill segment: its ports in ring order and the indices of the drawn segments it touches."""

    kind: str
    ports: tuple[Port, ...]
    touches: frozenset[int]
    attributes: Mapping[str, int | bool | str | None] = field(default_factory=dict)


def derived_fills(
    piece: PieceDrawing, entries: Sequence[Drawn], regions: Sequence[Region]
) -> list[Fill]:
    """Return a fill for every region with ports, and for every other one between several segments.

    Each entry gives attributes, and its kind, to the one region that has its ports; a region
    without an entry is of the first fill kind.
    """
    kinds = [kind.name for kind in piece.kinds.values() if kind.shape is Shape.FILL]
    if not kinds:
        return []
    spaces = [region for region in regions if region.ports or len(region.touches) > 1]
    chosen: dict[int, Drawn] = {}
    for entry in entries:
        index = _region_of(piece, entry, spaces)
        if index is not None and index in chosen:
            _mismatch(
                piece,
                entry,
                f"`{entry.at}` is in the same region as `{chosen[index].at}`",
                spaces[index].ports,
                labels=[Label(chosen[index].span, "the first entry for it")],
                help=("give all attributes of a region in one entry",),
            )
        elif index is not None:
            chosen[index] = entry
    return [
        Fill(chosen[i].kind, region.ports, region.touches, chosen[i].attributes)
        if i in chosen
        else Fill(kinds[0], region.ports, region.touches)
        for i, region in enumerate(spaces)
    ]


def _region_of(piece: PieceDrawing, entry: Drawn, spaces: Sequence[Region]) -> int | None:
    """Return the one region an entry names; None after reporting that there is not exactly one."""
    ports = _read(piece, entry)
    if ports is None:
        return None
    found = [i for i, space in enumerate(spaces) if space.ports == ports == ()] or [
        i for i, space in enumerate(spaces) if not set(ports).isdisjoint(space.ports)
    ]
    if len(found) == 1 and set(ports) <= set(spaces[found[0]].ports):
        return found[0]
    what = "one region" if ports else "the only region inside"
    names = " ".join(port_text(space.ports, Shape.FILL, piece.size) for space in spaces)
    _mismatch(
        piece, entry, f"`{entry.at}` is not {what}", ports, help=(f"the regions are: {names}",)
    )
    return None


def written_fills(
    piece: PieceDrawing, entries: Sequence[Drawn], regions: Sequence[Region]
) -> list[Fill]:
    """Return the fills given by entries with `borders`; together they hold all free ports."""
    free = {port for region in regions for port in region.ports}
    owner: dict[Port, int] = {}
    fills: list[Fill] = []
    for entry in entries:
        ports, touches = _read(piece, entry), _borders(piece, entry)
        if ports is None or touches is None:
            continue
        bad = [port for port in ports if port not in free or port in owner]
        if bad:
            help = ("a fill holds what no drawn segment and no other fill holds",)
            message = f"`{entry.at}` takes {piece.names(bad)}, not free"
            _mismatch(piece, entry, message, bad, help=help)
        owner.update((port, len(fills)) for port in ports if port not in bad)
        fills.append(Fill(entry.kind, (), touches, entry.attributes))
    _give_centres(piece, free, owner)
    piece.end_stage()
    _check_all_held(piece, free, owner)
    index = ring_index(piece.size)
    held = [tuple(sorted((p for p in owner if owner[p] == i), key=index.__getitem__))
            for i in range(len(fills))]  # fmt: skip
    fills = [replace(fill, ports=ports) for fill, ports in zip(fills, held, strict=True)]
    return sorted(fills, key=lambda fill: index[fill.ports[0]] if fill.ports else len(index))


def _give_centres(piece: PieceDrawing, free: set[Port], owner: dict[Port, int]) -> None:
    """Give each free centre lane to the fill beside it, if that is one fill."""
    for side in outer_sides(piece.size):
        centre = Port(*side, CENTRE)
        beside = {owner[p] for lane in range(3) if (p := Port(*side, lane)) in owner}
        if centre in free and len(beside) == 1:
            owner[centre] = beside.pop()


def _check_all_held(piece: PieceDrawing, free: set[Port], owner: Mapping[Port, int]) -> None:
    left = [port for port in free - owner.keys() if not _between_fills(port, owner)]
    if left:
        piece.error(
            "fill-mismatch",
            f"no fill holds {piece.names(left)}",
            piece.span,
            bad=left,
            help=("fills that are written out must hold all that is free",),
        )


def _between_fills(port: Port, owner: Mapping[Port, int]) -> bool:
    return port.lane == CENTRE and any(
        replace(port, lane=lane) in owner for lane in range(3) if lane != CENTRE
    )


def _read(piece: PieceDrawing, entry: Drawn) -> tuple[Port, ...] | None:
    """Return the ports an entry names, none for a region inside; None after reporting a mistake."""
    if entry.over is not None:
        help = ("leave out `over`",)
        _mismatch(piece, entry, f"`{entry.at}` is a fill and passes over nothing", (), help=help)
        return None
    return () if entry.at == INSIDE else read_ports(piece, entry.at, Shape.FILL, entry.span)


def _borders(piece: PieceDrawing, entry: Drawn) -> frozenset[int] | None:
    """Return the drawn segments an entry borders; None after reporting a mistake."""
    if entry.borders is None:
        help = ("write `borders: [...]` in every fill entry of the piece, or in none",)
        _mismatch(piece, entry, f"`{entry.at}` does not say what it borders", (), help=help)
        return None
    insides = [i for i, w in enumerate(piece.written) if w.shape is Shape.INSIDE]
    touches: set[int] = set()
    for word in entry.borders:
        port = None if word == INSIDE else read_lane(piece, word, entry.span)
        if port is None and word != INSIDE:
            return None
        found = insides if port is None else [piece.holders[port]] if port in piece.holders else []
        if not found:
            piece.error(
                "segment-target",
                f"`{entry.at}` borders `{word}`, which no drawn segment holds",
                entry.span,
                bad=[port] if port else (),
                help=("name a side or lane of each segment it borders",),
            )
            return None
        touches.update(found)
    return _allowed(piece, entry, frozenset(touches))


def _allowed(piece: PieceDrawing, entry: Drawn, touches: frozenset[int]) -> frozenset[int]:
    """Return `touches`, after reporting kinds that cannot border this kind of fill."""
    known = piece.kinds[entry.kind].borders
    odd = sorted({piece.written[i].drawn.kind for i in touches} - known)
    if odd:
        message = f"{entry.kind} does not remember contact with {', '.join(odd)}"
        help = (f"name {', '.join(odd)} in `borders` of the kind {entry.kind}, or not here",)
        _mismatch(piece, entry, message, (), help=help)
    return touches


def _mismatch(
    piece: PieceDrawing,
    entry: Drawn,
    message: str,
    bad: Iterable[Port],
    *,
    labels: Iterable[Label] = (),
    help: Iterable[str] = (),
) -> None:
    piece.error("fill-mismatch", message, entry.span, bad=bad, labels=labels, help=help)


def derive(
    tile_name: str,
    size: Size,
    drawn: Sequence[Drawn],
    kinds: Mapping[str, KindShape],
    span: Span,
    report: Report,
) -> Outline:
    """Derive all segments of a piece of `size` (width, height; each at least 1) from its drawing.

    Every kind in `drawn` must be in `kinds`. Mistakes of the author are reported, those about one
    entry at its own span, others at `span`. The outline is usable all the same: it holds everything
    that could be read, and no port twice.
    """
    piece = PieceDrawing(tile_name, size, kinds, span, report)
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


def _segments(
    piece: PieceDrawing, skeleton: Skeleton, fills: Sequence[Fill]
) -> tuple[OutlineSegment, ...]:
    """Return the drawn segments, then the fills, with the borders of each."""
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
        OutlineSegment(
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
    """Return the cells of the ports by row and column; without ports the cell in the middle."""
    if not ports:
        return (((size[0] - 1) // 2, (size[1] - 1) // 2),)
    return tuple(sorted({(p.x, p.y) for p in ports}, key=lambda cell: (cell[1], cell[0])))


def _sides(piece: PieceDrawing, segments: Sequence[OutlineSegment]) -> dict[Side, str | None]:
    """Return the kind that must match on each side: the one drawn there, else that of the fill."""
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


def _two_kinds(piece: PieceDrawing, side: Side, kinds: Sequence[str], drawn: Sequence[int]) -> None:
    """Report a side on which two kinds would have to match."""
    spans = [piece.written[index].drawn.span for index in drawn] or [piece.span]
    piece.error(
        "port-lane",
        f"side {side_name(side, piece.size)} is both {' and '.join(kinds)}",
        spans[-1],
        bad=[Port(*side, lane) for lane in range(3)],
        labels=[Label(span, "on the same side") for span in spans[:-1]],
        help=("a side matches as one kind: draw only one kind on it",),
    )
