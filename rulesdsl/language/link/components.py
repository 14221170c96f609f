"""Component entries, converted to kinds (one for each variant) and pieces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial

from rulesdsl.base.records import dataclass
from rulesdsl.language.builtins import report_taken
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.link import copies
from rulesdsl.language.link.attributes import NONE
from rulesdsl.language.link.box import MAX_PIECES, BoxBuilder, Extension, shortest
from rulesdsl.language.link.drawings import TileDrawing, segment_name
from rulesdsl.language.link.keys import IN, PIECE, GivenValue, Said, Slot, initial, place, read
from rulesdsl.language.link.names import CHANGE_KEYS, CLASSES, OWN_KEYS, DeclarationEntry
from rulesdsl.language.model import geometry, nodes
from rulesdsl.language.model.game import (
    PER_PLAYER,
    AttributeDef,
    FaceDef,
    KindDef,
    PieceDef,
    Plain,
    Removal,
)
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.nodes import Node
from rulesdsl.language.model.uses import declared

MAX_SIDES = 100
"""The greatest number of sides of a die that show one face."""
MOST_PARTS = 15_000
"""Maximum number of values and cells of a game's components; the largest shipped one has 1,700."""


@dataclass(frozen=True)
class _Item:
    """An entry while its kinds are made.

    `owned` is set if players own it, `present` if it is in the game with these settings.
    """

    entry: DeclarationEntry
    cls: str
    owned: bool
    present: bool
    drawing: TileDrawing


@dataclass
class Components:
    """The kinds and pieces of the entries that were added, and the entries that have none left.

    `recounted` is where a count was changed last, `full` is set when too many pieces were reported,
    and `lacking` are the places and attributes of missing values that were.
    """

    box: BoxBuilder
    kinds: list[KindDef] = field(default_factory=list)
    pieces: list[PieceDef] = field(default_factory=list)
    removed: list[Removal] = field(default_factory=list)
    recounted: Span | None = None
    full: bool = False
    lacking: set[tuple[Span, str]] = field(default_factory=set)
    _starts: dict[tuple[str, str, bool], str | None] = field(default_factory=dict)

    def add(self, entry: DeclarationEntry) -> None:
        """Add the kinds and the pieces of one entry; an absent entry has a kind but no pieces."""
        box, cls = self.box, CLASSES[entry.section]
        said = read(box, entry.ruleset, cls, entry.node, OWN_KEYS[cls])
        present = box.present(entry)
        changing = list(_changing(box, entry, cls))
        drawing = TileDrawing(box, entry, cls, said, changing)
        owned = nodes.text(entry.node, "per") == PER_PLAYER
        item = _Item(entry, cls, owned, present, drawing)
        plain = _plain(box, cls, said, drawing.outline)
        if (where := nodes.scalar(entry.node, "in")) is not None:
            plain[PIECE, IN] = place(box, entry.ruleset, cls, owned, where, present)
        changes = [_change(box, item, each) for each in changing]
        taken = [each for each, s in zip(changes, changing, strict=True) if s.there and each.says]
        declared = _declared(box, item)
        recounting = copies.recounts(box, entry) if present else []
        counts = copies.recounted(box, entry, declared, recounting)
        if recounting:
            self.recounted = recounting[-1].node.span
        counts = self._limited(item, counts)
        if recounting and any(declared[n] > 0 == count for n, count in counts.items()):
            start = str(plain.get((PIECE, IN)) or self._initial(item)).partition("[")[0]
            last = recounting[-1]
            self.removed.append(Removal(entry.key, start, last.ruleset, last.node.span))
        most = max(declared.values(), default=0), max(counts.values(), default=0)
        dealer = copies.Dealer(box, entry.name, *most, recounting, partial(_offered, box, item))
        dealt = dealer.deal(taken if present else [])
        found = copies.variants(dealt, plain) or [copies.CopyVariant({}, {})]
        shown = copies.differing(found)
        faces = self._faces(entry)
        for variant in found:
            says = plain | dict(variant.says)
            attributes = self._complete(entry, cls, PIECE, says)
            outline = self._outline(entry, drawing.outline, says)
            text = _text(box, drawing.outline, variant, shown)
            givers = dict.fromkeys((*variant.givers, *(e.ruleset for e in drawing.additions)))
            others = tuple(each for each in givers if each != entry.ruleset)
            head = (entry.name, entry.ruleset, entry.span)
            self.kinds.append(KindDef(*head, cls, attributes, text, outline, faces, owned, others))
            self._add_pieces(item, variant, counts)

    def _limited(self, item: _Item, counts: Mapping[int, int]) -> dict[int, int]:
        """Return the counts, after reporting, once, that the box does not hold so many.

        That stands at the last change of a count, if one was made.
        """
        seats = self.box.roles.most if item.owned else 1
        room = max(0, (MAX_PIECES - len(self.pieces)) // seats)
        if max(counts.values(), default=0) > room and not self.full:
            self.full = True
            message = f"a box holds at most {MAX_PIECES} components"
            self.box.report.error("range", message, self.recounted or item.entry.span)
        return {players: min(count, room) for players, count in counts.items()}

    def _faces(self, entry: DeclarationEntry) -> tuple[FaceDef, ...]:
        box, faces = self.box, dict[str, FaceDef]()
        for node in nodes.items(nodes.get(entry.node, "faces")):
            id = nodes.scalar(node, "id")
            if id is None:
                continue
            name = nodes.shown(id.value)
            face = DeclarationEntry(name, entry.ruleset, id.span, entry.section, node)
            symbol = declared("face", f"{entry.key}.{name}")
            box.names.uses.add_last(id.span, symbol, declares=True)
            report_taken(name, "face", id.span, box.report)
            said = read(box, entry.ruleset, "face", node, OWN_KEYS["face"])
            drawing = TileDrawing(box, face, "face", said).outline
            plain = _plain(box, "face", said, drawing)
            if name in faces:
                box.report.error("duplicate-id", f"face `{name}` is listed twice", id.span)
            full = self._complete(face, "face", PIECE, plain)
            told = nodes.get(node, "count")
            count = box.constants.number(told, entry.ruleset, 1, 1, MAX_SIDES)
            faces[name] = FaceDef(name, self._outline(face, drawing, plain), full, count)
        return tuple(faces.values())

    def _outline(
        self, entry: DeclarationEntry, drawing: geometry.Outline | None, says: Mapping[Slot, Plain]
    ) -> geometry.Outline | None:
        """Return `drawing` with every attribute of each segment's kind; itself if it has them."""
        if drawing is None:
            return None
        segments = tuple(
            replace(segment, attributes=self._complete(entry, segment.kind, index, says))
            for index, segment in enumerate(drawing.segments)
        )
        return drawing if segments == drawing.segments else replace(drawing, segments=segments)

    def _complete(
        self, entry: DeclarationEntry, owner: str, index: int, says: Mapping[Slot, Plain]
    ) -> dict[str, Plain]:
        """Return every attribute of `owner` with its value, and report those without one."""
        full: dict[str, Plain] = {}
        for key, attribute in self.box.attributes_of(owner).items():
            slot = (index, key)
            # Members of one entry with `each` stand at one place: one finding is enough.
            if slot not in says and (entry.span, key) not in self.lacking:
                self.lacking.add((entry.span, key))
                self.box.report.error(
                    "missing-key",
                    f"`{entry.name}` has no value for `{attribute.name}`",
                    entry.span,
                    help=(f"`{key}` has no default: {_lacks(self.box, entry, attribute)}",),
                )
            full[key] = says.get(slot)
        return full

    def _add_pieces(
        self, item: _Item, variant: copies.CopyVariant, counts: Mapping[int, int]
    ) -> None:
        """Add the copies of a variant: a game has the first ones, as many as `counts` says."""
        kind = len(self.kinds) - 1
        least = min(counts.values(), default=0)
        says_in = nodes.get(item.entry.node, "in") is not None
        seats: Sequence[int | None] = range(self.box.roles.most) if item.owned else (None,)
        for seat in seats:
            for copy, begins in variant.copies.items():
                start = self._initial(item) if begins is None and not says_in else begins
                numbers = frozenset(n for n, count in counts.items() if copy <= count)
                always = None if copy <= least else numbers
                key, _, inner = (start or "").rstrip("]").partition("[")
                self.pieces.append(PieceDef(kind, copy, seat, key or None, always, int(inner or 0)))

    def _initial(self, item: _Item) -> str | None:
        key = (item.entry.ruleset, item.cls, item.owned)
        if key not in self._starts:
            self._starts[key] = initial(self.box, *key, item.entry.span)
        return self._starts[key]


def small_enough(box: BoxBuilder) -> Iterator[DeclarationEntry]:
    """Yield the entries of all components; those after too many values and cells are left out.

    That is reported once.
    """
    total = 0
    for entry in box.names.of(*CLASSES):
        width, height = (*nodes.integers(nodes.get(entry.node, "size")), 1, 1)[:2]
        total += nodes.size(entry.node) + width * height
        if total > MOST_PARTS:
            message = f"the components have more than {MOST_PARTS} values and cells together"
            help = ("write equal components once, with `count`", "or remove some")
            box.report.error("too-large", message, entry.span, help=help)
            return
        yield entry


def _declared(box: BoxBuilder, item: _Item) -> dict[int, int]:
    """Return the declared count by the number of players, empty for an absent entry."""
    node = nodes.get(item.entry.node, "count")
    counts: dict[int, int] = {}
    for players in box.constants.game.numbers if item.present else ():
        constants = replace(box.constants, players=players)
        counts[players] = constants.number(node, item.entry.ruleset, 1, 0, MAX_PIECES)
    return counts


def _plain(
    box: BoxBuilder, owner: str, said: Said, drawing: geometry.Outline | None
) -> dict[Slot, Plain]:
    """Return the values that all copies of an entry, or a face, have: defaults and its own."""
    plain: dict[Slot, Plain] = {
        (index, name): value
        for index, segment in enumerate(drawing.segments if drawing else ())
        for name, value in segment.attributes.items()
    }
    for name, known in box.attributes_of(owner).items():
        if not known.required:
            plain[PIECE, name] = known.default
    return plain | {slot: given.value for slot, given in said.values.items()}


def _changing(box: BoxBuilder, entry: DeclarationEntry, cls: str) -> Iterator[Said]:
    """Yield the entries of `some`, then those of other rulesets, without counts."""
    said = [(entry.ruleset, node) for node in nodes.items(nodes.get(entry.node, "some"))]
    for extension in box.extending(entry):
        said += [(extension.ruleset, node) for node in _attributing(box, extension)]
    for ruleset, node in said:
        there = box.constants.truth(nodes.get(node, "when"), ruleset)
        yield read(box, ruleset, cls, node, CHANGE_KEYS, there)


def _attributing(box: BoxBuilder, extension: Extension) -> Iterator[Node]:
    """Yield the items of an extension that give attributes, not those that give a count."""
    for node in nodes.items(extension.node):
        count = node.key("count") if isinstance(node, nodes.Mapping) else None
        if count is None:
            yield node
        elif any(key.value not in ("count", "when") for key, _ in nodes.entries(node)):
            message = "an entry with `count` changes how many copies there are, nothing else"
            help = ("write another entry for the rest", "for some copies, write `copies`")
            box.report.error("misplaced", message, count.span, help=help)


def _change(box: BoxBuilder, item: _Item, said: Said) -> copies.CopyChange:
    ruleset, node, says = said.ruleset, said.node, dict(said.values)
    if (where := nodes.scalar(node, "in")) is not None:
        there = said.there and item.present
        start = place(box, ruleset, item.cls, item.owned, where, there)
        if start is not None:
            says[PIECE, IN] = GivenValue(start, ruleset, where.span)
    for written in said.segments:
        if nodes.get(written.node, "new") is not None:
            continue
        index = item.drawing.segment(ruleset, written)
        if index is not None:
            given = written.attributes.items()
            says |= {(index, k): GivenValue(value, ruleset, written.span) for k, value in given}
    if all(key.value in ("copies", "when") for key, _ in nodes.entries(node)):
        message = f"no attribute is given for these copies of `{item.entry.name}`"
        box.report.error("missing-key", message, node.span, help=("name an attribute",))
    some = nodes.get(node, "copies")
    if some is None:
        return copies.CopyChange(None, says, node.span, ruleset)
    number = box.constants.number(some, ruleset, 0, 0, MAX_PIECES)
    return copies.CopyChange(number, says, some.span, ruleset)


def _offered(box: BoxBuilder, item: _Item, says: Mapping[Slot, GivenValue]) -> str:
    parts: dict[int, list[str]] = {}
    members: dict[tuple[int, str], list[str]] = {}
    for (index, name), said in says.items():
        value = NONE if said.value is None else nodes.shown(said.value)
        if name == IN:
            value = shortest(value, (*box.zones, *box.tracks))
        whole, dot, member = name.partition(".")
        word = shortest(whole, (*box.attributes, *box.indexed, *box.features))
        given = members.setdefault((index, word), []) if dot else None
        if given is None:
            parts.setdefault(index, []).append(f"{word}: {value}")
        else:
            given.append(f"{member}: {value}")
    for (index, word), given in members.items():
        parts.setdefault(index, []).append(f"{word}: {{{', '.join(given)}}}")
    own, outline = parts.pop(PIECE, []), item.drawing.outline
    drawn: dict[str, list[str]] = {}
    for index, words in parts.items():
        assert outline is not None, "the values belong to segments"
        kind = shortest(outline.segments[index].kind, box.features)
        entry = f"{{at: {segment_name(outline, index)}, {', '.join(words)}}}"
        drawn.setdefault(kind, []).append(entry)
    own += [f"{kind}: [{', '.join(entries)}]" for kind, entries in drawn.items()]
    return f"extend: {{{item.entry.key}: [{{{', '.join(own)}}}]}}"


def _lacks(box: BoxBuilder, entry: DeclarationEntry, attribute: AttributeDef) -> str:
    giver, visible = attribute.ruleset, box.family.visible
    if giver in visible[entry.ruleset]:
        return f"add `{attribute.name}: ...`"
    knows = entry.ruleset in visible[giver]
    parties = f"a ruleset with `interaction: [{giver}, {entry.ruleset}]`"
    where, name = (f"`{giver}`", attribute.name) if knows else (parties, attribute.key)
    return f"give it one, or add to {where} `extend: {{{entry.key}: [{{{name}: ...}}]}}`"


def _text(
    box: BoxBuilder,
    drawing: geometry.Outline | None,
    variant: copies.CopyVariant,
    shown: Sequence[Slot],
) -> str:
    words = []
    for slot in shown:
        if slot in variant.says:
            index, name = slot
            value = variant.says[slot]
            where = ""
            if index != PIECE and drawing is not None:
                kind = box.features[drawing.segments[index].kind].name
                where = f"{kind}.{segment_name(drawing, index)}."
            short = short_name(name)
            same = {full for i, full in shown if i == index and short_name(full) == short}
            own = name if len(same) > 1 else short
            words.append(f"{where}{own}={NONE if value is None else nodes.shown(value)}")
    return f"[{','.join(words)}]" if words else ""
