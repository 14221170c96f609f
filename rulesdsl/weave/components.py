"""Component entries become kinds, one for each variant, and pieces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rulesdsl.diagnostics import Report, Span
from rulesdsl.model.game import AttributeDef, FaceDef, KindDef, PieceDef, Plain
from rulesdsl.model.geometry import Drawn, Outline, Segment
from rulesdsl.model.names import short_name
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.model.uses import declared
from rulesdsl.weave import look, segments, starts
from rulesdsl.weave.attributes import NONE
from rulesdsl.weave.box import Box
from rulesdsl.weave.drawing import Palette
from rulesdsl.weave.keys import DRAWN, attribute_value, meaning
from rulesdsl.weave.names import CHANGE_KEYS, CLASSES, OWN_KEYS, Entry
from rulesdsl.weave.places import PLAYER
from rulesdsl.weave.segments import Written
from rulesdsl.weave.sides import check_sides
from rulesdsl.weave.totals import MAX_PIECES
from rulesdsl.weave.variants import (
    IN,
    PIECE,
    Change,
    Said,
    Slot,
    Variant,
    deal,
    differing,
    variants,
)

MOST_PARTS = 15_000
"""So many values and cells the components of a game may have; the largest shipped game has
1,700."""


@dataclass(frozen=True)
class _Keys:
    """What an entry says with keys that are no words of the language: attributes by full name, and
    segments by the full name of their kind."""

    attributes: Mapping[str, tuple[Plain, Span]]
    segments: Sequence[tuple[str, Written]]


@dataclass(frozen=True)
class _Item:
    """An entry while its kinds are made: `owned` by players, `present` with these settings."""

    entry: Entry
    cls: str
    owned: bool
    present: bool
    drawing: Outline | None


def _with(segment: Segment, attributes: Mapping[str, Plain]) -> Segment:
    """The segment with these attributes; the same one if it has them."""
    return segment if segment.attributes == attributes else replace(segment, attributes=attributes)


def _parts(node: Node) -> int:
    """Measure an entry: the values it says, and the cells of what it draws."""
    width, height = (*look.integers(look.get(node, "size")), 1, 1)[:2]
    return look.size(node) + width * height


@dataclass
class Maker:
    """Makes the kinds and pieces of all entries."""

    box: Box
    kinds: list[KindDef] = field(default_factory=list)
    pieces: list[PieceDef] = field(default_factory=list)
    _parts: int = 0
    _palettes: dict[str, Palette] = field(default_factory=dict)
    _starts: dict[tuple[str, str, bool], str | None] = field(default_factory=dict)
    _owned: dict[str, Mapping[str, AttributeDef]] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Add the kinds and the pieces of one entry; one that is not there has a kind alone. When
        all entries together are too large, that is reported once and the others are left out."""
        before = self._parts
        self._parts += _parts(entry.node)
        if self._parts > MOST_PARTS:
            if before <= MOST_PARTS:
                message = f"the components have more than {MOST_PARTS} values and cells together"
                help_lines = (
                    "say equal components once, with `count`",
                    "or leave some out",
                )
                self.box.report.error("too-large", message, entry.span, help=help_lines)
            return
        cls = CLASSES[entry.section]
        said = self._read(entry.ruleset, cls, entry.node, OWN_KEYS[cls])
        item = _Item(
            entry,
            cls,
            look.text(entry.node, "per") == PLAYER,
            self.box.present(entry),
            self._drawing(entry, cls, said),
        )
        plain = self._plain(cls, said, item.drawing)
        if (where := look.scalar(entry.node, "in")) is not None:
            plain[PIECE, IN] = self._place(item, entry.ruleset, where, item.present)
        changes = list(self._changes(item))
        copies = deal(self.box, entry.name, self._count(item), changes if item.present else [])
        found = variants(copies, plain) or [Variant({}, {})]
        shown = differing(found)
        faces = self._faces(entry)
        for variant in found:
            says = plain | dict(variant.says)
            attributes = self._complete(entry, cls, PIECE, says)
            outline = self._outline(entry, item.drawing, says)
            text = self._text(item.drawing, variant, shown)
            head = (entry.name, entry.ruleset, entry.span)
            self.kinds.append(KindDef(*head, cls, attributes, text, outline, faces, item.owned))
            self._add_pieces(item, variant)

    def _count(self, item: _Item) -> int:
        if not item.present:
            return 0
        box, entry = self.box, item.entry
        node = look.get(entry.node, "count")
        count = box.constants.number(node, entry.ruleset, 1, 0, MAX_PIECES)
        seats = box.roles.most if item.owned else 1
        room = max(0, (MAX_PIECES - len(self.pieces)) // seats)
        if count > room:
            message = f"a box holds at most {MAX_PIECES} components"
            box.report.error("range", message, entry.span)
        return min(count, room)

    def _read(self, ruleset: str, owner: str, node: Node, words: tuple[str, ...]) -> _Keys:
        """The attributes and segments that an entry, a face or a change says beside `words`."""
        attributes: dict[str, tuple[Plain, Span]] = {}
        drawn: list[tuple[str, Written]] = []
        for key, value in look.entries(node):
            if key.value in words:
                continue
            found = meaning(self.box, ruleset, owner, key, words)
            if isinstance(found, AttributeDef):
                said = attribute_value(self.box, found, value)
                if found.key in attributes:
                    message = f"`{found.key}` is said twice"
                    self.box.report.error("duplicate-name", message, key.span)
                elif said is not None:
                    attributes[said[0]] = (said[1], value.span)
            elif found is not None:
                written = segments.read_segments(self.box, ruleset, found.key, value)
                drawn += [(found.key, one) for one in written]
        return _Keys(attributes, drawn)

    def _palette(self, ruleset: str) -> Palette:
        if ruleset not in self._palettes:
            self._palettes[ruleset] = segments.palette(self.box, ruleset)
        return self._palettes[ruleset]

    def _drawing(self, entry: Entry, cls: str, said: _Keys) -> Outline | None:
        """The outline of a tile, of a face if it has segments, without attributes nothing says."""
        if cls not in DRAWN:
            return None
        colours = self._palette(entry.ruleset)
        lines: list[Drawn] = [
            segments.drawn(written, colours.short(kind)) for kind, written in said.segments
        ]
        if not lines and (cls == "face" or not segments.draws(colours, lines)):
            return None
        size = look.integers(look.get(entry.node, "size"))
        cells = (size[0], size[1]) if len(size) == 2 else (1, 1)
        own = Report()
        outline = self.box.draw(entry.name, cells, lines, colours, entry.span, own)
        sides = look.get(entry.node, "sides")
        if sides is not None and own.ok:
            check_sides(entry, sides, colours, outline, own)
        self.box.report.extend(own)
        return outline

    def _changes(self, item: _Item) -> Iterator[Change]:
        """What `some` of the entry says, then what other rulesets say."""
        entry = item.entry
        said = [(entry.ruleset, node) for node in look.items(look.get(entry.node, "some"))]
        for extension in self.box.extending(entry):
            said += [(extension.ruleset, node) for node in look.items(extension.node)]
        for ruleset, node in said:
            there = self.box.constants.truth(look.get(node, "when"), ruleset)
            change = self._change(item, ruleset, node, there and item.present)
            if there and change.says:
                yield change

    def _change(self, item: _Item, ruleset: str, node: Node, there: bool) -> Change:
        read = self._read(ruleset, item.cls, node, CHANGE_KEYS)
        says = {
            (PIECE, name): Said(value, ruleset, span)
            for name, (value, span) in read.attributes.items()
        }
        if (where := look.scalar(node, "in")) is not None:
            place = self._place(item, ruleset, where, there)
            if place is not None:
                says[PIECE, IN] = Said(place, ruleset, where.span)
        for kind, written in read.segments:
            index = self._segment(item, ruleset, kind, written)
            if index is not None:
                says |= {
                    (index, name): Said(value, ruleset, written.span)
                    for name, value in written.attributes.items()
                }
        if all(key.value in ("copies", "when") for key, _ in look.entries(node)):
            message = f"nothing is said about these copies of `{item.entry.name}`"
            self.box.report.error("missing-key", message, node.span, help=("name an attribute",))
        copies = look.get(node, "copies")
        if copies is None:
            return Change(None, says, node.span)
        number = self.box.constants.number(copies, ruleset, 0, 0, MAX_PIECES)
        return Change(number, says, copies.span)

    def _segment(self, item: _Item, ruleset: str, kind: str, written: Written) -> int | None:
        """The segment of the finished drawing that a change means; None after reporting."""
        colours = self._palette(ruleset)
        name = item.entry.name
        if item.drawing is None:
            message = f"`{name}` has no segments"
            self.box.report.error("segment-target", message, written.span)
            return None
        return segments.locate(self.box, colours, name, item.drawing, kind, written)

    def _place(self, item: _Item, ruleset: str, node: Scalar, there: bool) -> str | None:
        return starts.place(self.box, ruleset, item.cls, item.owned, node, there)

    def _faces(self, entry: Entry) -> tuple[FaceDef, ...]:
        faces: dict[str, FaceDef] = {}
        for node in look.items(look.get(entry.node, "faces")):
            id = look.scalar(node, "id")
            if id is None:
                continue
            name = look.shown(id.value)
            face = Entry(name, entry.ruleset, id.span, entry.section, node)
            symbol = declared("face", f"{entry.key}.{name}")
            self.box.names.uses.add_last(id.span, symbol, declares=True)
            said = self._read(entry.ruleset, "face", node, OWN_KEYS["face"])
            drawing = self._drawing(face, "face", said)
            plain = self._plain("face", said, drawing)
            if name in faces:
                self.box.report.error("duplicate-id", f"face `{name}` is listed twice", id.span)
            full = self._complete(face, "face", PIECE, plain)
            faces[name] = FaceDef(name, self._outline(face, drawing, plain), full)
        return tuple(faces.values())

    def _attributes(self, owner: str) -> Mapping[str, AttributeDef]:
        if owner not in self._owned:
            self._owned[owner] = self.box.attributes_of(owner)
        return self._owned[owner]

    def _plain(self, owner: str, said: _Keys, drawing: Outline | None) -> dict[Slot, Plain]:
        """What every copy of an entry, or a face, says: the defaults, and what stands there."""
        plain: dict[Slot, Plain] = {
            (index, name): value
            for index, segment in enumerate(drawing.segments if drawing else ())
            for name, value in segment.attributes.items()
        }
        for name, known in self._attributes(owner).items():
            if not known.required:
                plain[PIECE, name] = known.default
        for name, (value, _) in said.attributes.items():
            plain[PIECE, name] = value
        return plain

    def _outline(
        self, entry: Entry, drawing: Outline | None, says: Mapping[Slot, Plain]
    ) -> Outline | None:
        """`drawing` with every attribute of each segment's kind."""
        if drawing is None:
            return None
        segments = tuple(
            _with(segment, self._complete(entry, segment.kind, index, says))
            for index, segment in enumerate(drawing.segments)
        )
        return drawing if segments == drawing.segments else replace(drawing, segments=segments)

    def _complete(
        self, entry: Entry, owner: str, index: int, says: Mapping[Slot, Plain]
    ) -> dict[str, Plain]:
        """Every attribute of `owner` with its value; reports what nothing says."""
        full: dict[str, Plain] = {}
        for key, attribute in self._attributes(owner).items():
            slot = (index, key)
            if slot not in says:
                self.box.report.error(
                    "missing-key",
                    f"`{entry.name}` does not say `{attribute.name}`",
                    entry.span,
                    help=(f"`{key}` has no default: add `{attribute.name}: ...`",),
                )
            full[key] = says.get(slot)
        return full

    def _text(self, drawing: Outline | None, variant: Variant, shown: Sequence[Slot]) -> str:
        """What tells a variant apart in texts."""
        words = []
        for slot in shown:
            if slot in variant.says:
                index, name = slot
                value = variant.says[slot]
                where = ""
                if index != PIECE and drawing is not None:
                    kind = drawing.segments[index].kind
                    place = segments.segment_name(drawing, index)
                    where = f"{self.box.features[kind].name}.{place}."
                short = short_name(name)
                same = {full for i, full in shown if i == index and short_name(full) == short}
                shortest = name if len(same) > 1 else short
                words.append(f"{where}{shortest}={NONE if value is None else look.shown(value)}")
        return f"[{','.join(words)}]" if words else ""

    def _add_pieces(self, item: _Item, variant: Variant) -> None:
        kind = len(self.kinds) - 1
        says_in = look.get(item.entry.node, "in") is not None
        seats: Sequence[int | None] = range(self.box.roles.most) if item.owned else (None,)
        for seat in seats:
            for copy, place in variant.copies.items():
                start = self._initial(item) if place is None and not says_in else place
                self.pieces.append(PieceDef(kind, copy, seat, start))

    def _initial(self, item: _Item) -> str | None:
        key = (item.entry.ruleset, item.cls, item.owned)
        if key not in self._starts:
            self._starts[key] = starts.initial(self.box, *key, item.entry.span)
        return self._starts[key]
