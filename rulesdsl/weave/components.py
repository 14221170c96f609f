"""Component entries become kinds, one for each variant, and pieces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rulesdsl.diagnostics import Span
from rulesdsl.model.game import AttributeDef, FaceDef, KindDef, PieceDef, Plain
from rulesdsl.model.geometry import Drawn, Outline
from rulesdsl.model.nodes import Node
from rulesdsl.weave import look, segments, starts
from rulesdsl.weave.attributes import NONE
from rulesdsl.weave.box import Box
from rulesdsl.weave.keys import DRAWN, attribute_value, meaning
from rulesdsl.weave.names import CLASSES, COMPONENT_KEYS, Entry
from rulesdsl.weave.places import PLAYER
from rulesdsl.weave.segments import Palette, Written
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

MAX_PIECES = 10_000
"""How many components one box may hold."""


@dataclass(frozen=True)
class _Keys:
    """What an entry says with keys that are no words of the language: attributes by full name, and
    segments by the full name of their kind."""

    attributes: Mapping[str, tuple[Plain, Span]]
    segments: Sequence[tuple[str, Written]]


@dataclass
class Maker:
    """Makes the kinds and pieces of all entries; `counts` by ruleset and section."""

    box: Box
    kinds: list[KindDef] = field(default_factory=list)
    pieces: list[PieceDef] = field(default_factory=list)
    counts: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    _palettes: dict[str, Palette] = field(default_factory=dict)
    _starts: dict[tuple[str, str, bool], str | None] = field(default_factory=dict)
    _owned: dict[str, tuple[AttributeDef, ...]] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Add the kinds and the pieces of one entry; one that is not there has a kind alone."""
        box, ruleset = self.box, entry.ruleset
        cls = CLASSES[entry.section]
        owned = look.text(entry.node, "per") == PLAYER
        said = self._read(ruleset, cls, entry.node)
        drawing = self._drawing(entry, cls, said)
        present = box.present(entry)
        count = self._count(entry, look.get(entry.node, "count"), owned) if present else 0
        plain: dict[Slot, Plain] = {
            (PIECE, name): value for name, (value, _) in said.attributes.items()
        }
        if (where := look.get(entry.node, "in")) is not None:
            plain[PIECE, IN] = starts.place(box, ruleset, cls, owned, where)
        changes = list(self._changes(entry, cls, owned, drawing))
        copies = deal(box, entry.name, count, changes if present else [])
        found = variants(copies, plain) or [Variant({}, {})]
        if drawing is not None:
            for index, segment in enumerate(drawing.segments):
                plain.update({(index, n): value for n, value in segment.attributes.items()})
        shown = differing(found)
        faces = self._faces(entry)
        for variant in found:
            kind = self._kind(entry, cls, plain | dict(variant.says), drawing)
            text = self._text(ruleset, drawing, variant, shown)
            self.kinds.append(replace(kind, variant=text, faces=faces))
            self._add_pieces(entry, cls, owned, variant)

    def _count(self, entry: Entry, node: Node | None, owned: bool) -> int:
        box = self.box
        count = box.constants.number(node, entry.ruleset, 1, 0, MAX_PIECES)
        seats = box.roles.most if owned else 1
        room = max(0, (MAX_PIECES - len(self.pieces)) // seats)
        if count > room:
            message = f"a box holds at most {MAX_PIECES} components"
            box.report.error("range", message, entry.span)
        count = min(count, room)
        self.counts[entry.ruleset, entry.section] += count
        return count

    def _read(self, ruleset: str, owner: str, node: Node) -> _Keys:
        """The attributes and segments that an entry, a face or a change says."""
        attributes: dict[str, tuple[Plain, Span]] = {}
        drawn: list[tuple[str, Written]] = []
        for key, value in look.entries(node):
            if key.value in COMPONENT_KEYS:
                continue
            found = meaning(self.box, ruleset, owner, key)
            if isinstance(found, AttributeDef):
                said = attribute_value(self.box, found, value)
                if said is not None:
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
        """The outline of a tile, of a face if it has segments, without the attributes it lacks."""
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
        return segments.outline(self.box, colours, entry.name, cells, lines, entry.span)

    def _changes(
        self, entry: Entry, cls: str, owned: bool, drawing: Outline | None
    ) -> Iterator[Change]:
        """What `some` of the entry says, then what other rulesets say."""
        for item in look.items(look.get(entry.node, "some")):
            yield from self._change(entry, entry.ruleset, cls, owned, drawing, item)
        for extension in self.box.extending(entry):
            for item in look.items(extension.node):
                yield from self._change(entry, extension.ruleset, cls, owned, drawing, item)

    def _change(
        self,
        entry: Entry,
        ruleset: str,
        cls: str,
        owned: bool,
        drawing: Outline | None,
        node: Node,
    ) -> Iterator[Change]:
        box = self.box
        read = self._read(ruleset, cls, node)
        says = {
            (PIECE, name): Said(value, ruleset, span)
            for name, (value, span) in read.attributes.items()
        }
        if (where := look.get(node, "in")) is not None:
            place = starts.place(box, ruleset, cls, owned, where)
            if place is not None:
                says[PIECE, IN] = Said(place, ruleset, where.span)
        for kind, written in read.segments:
            if drawing is None:
                continue
            colours = self._palette(ruleset)
            index = segments.locate(box, colours, entry.name, drawing, kind, written)
            if index is not None:
                says |= {
                    (index, name): Said(value, ruleset, written.span)
                    for name, value in written.attributes.items()
                }
        copies = look.get(node, "copies")
        number = None if copies is None else box.constants.number(copies, ruleset, 0, 0, MAX_PIECES)
        if box.constants.truth(look.get(node, "when"), ruleset) and says:
            yield Change(number, says, node.span if copies is None else copies.span)

    def _faces(self, entry: Entry) -> tuple[FaceDef, ...]:
        faces: dict[str, FaceDef] = {}
        for node in look.items(look.get(entry.node, "faces")):
            id = look.scalar(node, "id")
            if id is None:
                continue
            name = look.shown(id.value)
            face = Entry(name, entry.ruleset, id.span, entry.section, node)
            said = self._read(entry.ruleset, "face", node)
            drawing = self._drawing(face, "face", said)
            plain: dict[Slot, Plain] = {(PIECE, n): v for n, (v, _) in said.attributes.items()}
            if name in faces:
                self.box.report.error("duplicate-id", f"face `{name}` is listed twice", id.span)
            full = self._complete(face, "face", PIECE, plain)
            faces[name] = FaceDef(name, self._outline(face, drawing, plain), full)
        return tuple(faces.values())

    def _kind(
        self, entry: Entry, cls: str, says: Mapping[Slot, Plain], drawing: Outline | None
    ) -> KindDef:
        attributes = self._complete(entry, cls, PIECE, says)
        outline = self._outline(entry, drawing, says)
        return KindDef(entry.name, entry.ruleset, entry.span, cls, attributes, outline=outline)

    def _outline(
        self, entry: Entry, drawing: Outline | None, says: Mapping[Slot, Plain]
    ) -> Outline | None:
        """`drawing` with every attribute of each segment's kind."""
        if drawing is None:
            return None
        known = {
            (index, name): value
            for index, segment in enumerate(drawing.segments)
            for name, value in segment.attributes.items()
        }
        return replace(
            drawing,
            segments=tuple(
                replace(s, attributes=self._complete(entry, s.kind, index, known | dict(says)))
                for index, s in enumerate(drawing.segments)
            ),
        )

    def _complete(
        self, entry: Entry, owner: str, index: int, says: Mapping[Slot, Plain]
    ) -> dict[str, Plain]:
        """Every attribute of `owner` with what is said or its default; reports what is missing."""
        if owner not in self._owned:
            self._owned[owner] = tuple(a for a in self.box.attributes.values() if owner in a.owners)
        full: dict[str, Plain] = {}
        for attribute in self._owned[owner]:
            slot = (index, attribute.key)
            if attribute.required and slot not in says:
                self.box.report.error(
                    "missing-key",
                    f"`{entry.name}` does not say `{attribute.name}`",
                    entry.span,
                    help=(f"`{attribute.key}` has no default: add `{attribute.name}: ...`",),
                )
            full[attribute.key] = says.get(slot, attribute.default)
        return full

    def _text(
        self, ruleset: str, drawing: Outline | None, variant: Variant, shown: Sequence[Slot]
    ) -> str:
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
                same = [full for i, full in shown if i == index and _short(full) == _short(name)]
                shortest = name if len(set(same)) > 1 else _short(name)
                words.append(f"{where}{shortest}={NONE if value is None else look.shown(value)}")
        return f"[{','.join(words)}]" if words else ""

    def _add_pieces(self, entry: Entry, cls: str, owned: bool, variant: Variant) -> None:
        kind = len(self.kinds) - 1
        says_in = look.get(entry.node, "in") is not None
        seats: Sequence[int | None] = range(self.box.roles.most) if owned else (None,)
        for seat in seats:
            for copy, place in variant.copies.items():
                start = place
                if place is None and not says_in:
                    start = self._initial(entry, cls, owned)
                self.pieces.append(
                    PieceDef(kind, copy, seat, None if start is None else str(start))
                )

    def _initial(self, entry: Entry, cls: str, owned: bool) -> str | None:
        key = (entry.ruleset, cls, owned)
        if key not in self._starts:
            self._starts[key] = starts.initial(self.box, *key, entry.span)
        return self._starts[key]


def _short(full: str) -> str:
    return full.rpartition("/")[2]


def check_totals(maker: Maker) -> None:
    """Compare what each ruleset declares under `totals` with its counts."""
    box = maker.box
    for ruleset in box.family.rulesets:
        for key, node in look.entries(ruleset.manifest.get("totals")):
            section = str(key.value)
            found = maker.counts[ruleset.id, section]
            total = box.constants.number(node, ruleset.id, found, 0)
            if section in CLASSES and total != found:
                box.report.error(
                    "count-total",
                    f"the counts of all {section} sum to {found}, not {total}",
                    node.span,
                    help=(f"{abs(found - total)} too {'many' if found > total else 'few'}",),
                )
