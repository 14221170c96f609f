"""Segments of tiles and faces: what an entry draws, and attributes others give to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rulesdsl.diagnostics import Span
from rulesdsl.geometry.notation import INSIDE, read_ports
from rulesdsl.geometry.piece import Piece
from rulesdsl.geometry.ring import port_name
from rulesdsl.model.game import AttributeDef, Plain
from rulesdsl.model.geometry import Drawn, KindShape, Outline, Shape
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.weave import look
from rulesdsl.weave.box import Box
from rulesdsl.weave.drawing import Palette
from rulesdsl.weave.keys import attribute_value, meaning
from rulesdsl.weave.names import SEGMENT_KEYS


def palette(box: Box, ruleset: str) -> Palette:
    """The feature kinds that `ruleset` sees, in canonical order."""
    kinds = [
        box.features[e.key] for e in box.names.seen(ruleset, "features") if e.key in box.features
    ]
    names = [kind.name for kind in kinds]
    short = {k.key: k.name if names.count(k.name) == 1 else k.key for k in kinds}
    shapes = {
        short[kind.key]: KindShape(
            short[kind.key],
            kind.shape.shape,
            frozenset(short[border] for border in kind.shape.borders if border in short),
        )
        for kind in kinds
    }
    attributes = {kind.key: tuple(box.attributes_of(kind.key).values()) for kind in kinds}
    return Palette(shapes, {name: key for key, name in short.items()}, attributes)


@dataclass(frozen=True)
class Written:
    """One segment entry of a component: where it is and what it says."""

    at: str
    span: Span
    node: Node
    attributes: Mapping[str, Plain]


def read_segments(box: Box, ruleset: str, kind: str, node: Node) -> Iterator[Written]:
    """The segment entries under the name of a feature kind (full name)."""
    for item in look.items(node):
        at = item if isinstance(item, Scalar) else look.scalar(item, "at")
        if at is None:
            continue
        attributes = {}
        for border in look.scalars(look.get(item, "borders")):
            meant = box.names.candidates(
                look.shown(border.value), ruleset, ["features"], lambda _: True
            )
            for each in meant if len(meant) == 1 else ():
                box.names.uses.add_last(border.span, each.symbol)
        for key, value in look.entries(item):
            if key.value in SEGMENT_KEYS:
                continue
            found = meaning(box, ruleset, kind, key, SEGMENT_KEYS)
            said = attribute_value(box, found, value) if isinstance(found, AttributeDef) else None
            if said is not None:
                attributes[said[0]] = said[1]
        yield Written(look.shown(at.value), at.span, item, attributes)


def drawn(written: Written, kind: str) -> Drawn:
    """A segment entry for the geometry; `kind` as in the palette."""
    borders = look.get(written.node, "borders")
    return Drawn(
        kind,
        written.at,
        written.span,
        look.text(written.node, "over") or None,
        None if borders is None else look.words(borders),
        written.attributes,
    )


def locate(
    box: Box, colours: Palette, name: str, outline: Outline, kind: str, written: Written
) -> int | None:
    """The segment of `outline` that an entry means by ports it holds; None after reporting."""
    keys = {key.value for key, _ in look.entries(written.node)}
    if keys <= {"at"} or keys & {"over", "borders"}:
        message = f"the drawing of `{name}` is finished: only attributes can be added"
        _report(box, message, written.span, f"write `{{at: {written.at}, name: value}}`")
        return None
    own = [i for i, segment in enumerate(outline.segments) if segment.kind == kind]
    short = colours.short(kind)
    if written.at == INSIDE:
        found = [i for i in own if not outline.segments[i].ports]
    else:
        piece = Piece(name, outline.size, colours.shapes, written.span, box.report)
        shape = box.features[kind].shape.shape
        at = written.at.partition(">")[0]
        ports = read_ports(piece, at, shape, written.span)
        piece.end_stage()
        if ports is None:
            return None
        found = [i for i in own if set(ports) <= set(outline.segments[i].ports)]
    if len(found) == 1:
        return found[0]
    places = [segment_name(outline, i) for i in own]
    help = f"{short} lies at {', '.join(places)}" if places else f"it has no {short}"
    _report(box, f"`{written.at}` is not one {short} of `{name}`", written.span, help)
    return None


def segment_name(outline: Outline, index: int) -> str:
    """A short name of a segment of an outline: its first port, or `I`."""
    segment = outline.segments[index]
    return port_name(segment.ports[0], outline.size) if segment.ports else INSIDE


def _report(box: Box, message: str, span: Span, *help: str) -> None:
    box.report.error("segment-target", message, span, help=help)


def draws(colours: Palette, lines: list[Drawn]) -> bool:
    """Does a tile with these lines have segments at all?"""
    return bool(lines) or any(kind.shape is Shape.FILL for kind in colours.shapes.values())
