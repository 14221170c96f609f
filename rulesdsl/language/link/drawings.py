"""Drawings of tiles and faces: their segments and sides, and segments that rulesets add."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Diagnostic, Label, Report
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.geometry.notation import INSIDE, PieceDrawing, read_ports
from rulesdsl.language.link.box import BoxBuilder, Palette, report_order, settling, shortest
from rulesdsl.language.link.keys import DRAWN, Said
from rulesdsl.language.link.names import DeclarationEntry
from rulesdsl.language.model import geometry, nodes
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.nodes import Node, Scalar


@dataclass(frozen=True)
class Addition:
    """A segment that a ruleset adds to a tile of another one."""

    ruleset: str
    written: geometry.Drawn


class TileDrawing:
    """The drawing of a tile or a face, an entry that says `said` by its own keys.

    `outline` has the `additions`, the segments that other rulesets add, and `bare` has not. Both
    are None without a drawing; attributes without a value are left out. `changing` are the entries
    of `some` and `extend`.
    """

    def __init__(
        self,
        box: BoxBuilder,
        entry: DeclarationEntry,
        cls: str,
        said: Said,
        changing: Iterable[Said] = (),
    ) -> None:
        self._box, self._entry, self._said = box, entry, said
        size = nodes.integers(nodes.get(entry.node, "size"))
        self._covered = (size[0], size[1]) if len(size) == 2 else (1, 1)
        squares = box.cells == geometry.SQUARES
        self._size = self._covered if squares else geometry.CELL_OF[box.cells]
        self.bare = self._drawn(cls) if cls in DRAWN else None
        self.additions = self._added(changing)
        self.outline = self._extended() if self.additions else self.bare

    def _lines(self, colours: Palette, *added: geometry.Drawn) -> list[geometry.Drawn]:
        return [replace(e, kind=colours.short(e.kind)) for e in (*self._said.segments, *added)]

    def _drawn(self, cls: str) -> geometry.Outline | None:
        entry, box = self._entry, self._box
        colours = box.palette(entry.ruleset)
        agrees = nodes.get(entry.node, "agrees")
        lines = self._lines(colours)
        fills = any(kind.shape is geometry.Shape.FILL for kind in colours.shapes.values())
        if agrees is None and not lines and (cls == "face" or not fills):
            return None
        own = Report()
        for written in self._said.segments:
            if (new := nodes.get(written.node, "new")) is not None:
                message = "`new` adds a segment to a tile of another ruleset, under `extend`"
                own.error("misplaced", message, new.span, help=("leave out `new`",))
        if self._covered != (1, 1) and box.cells != geometry.SQUARES:
            message = f"`{entry.name}` has several cells, and tiles of {box.cells} have one"
            own.error("bad-value", message, entry.span, help=("leave out `size`",))
        outline = box.draw(entry.name, self._size, lines, colours, entry.span, own)
        sides = nodes.get(entry.node, "sides")
        if sides is not None and own.ok:
            _check_sides(entry, sides, colours, outline, own)
        if agrees is not None:
            outline = replace(outline, agreeing=_agreeing(entry, agrees, outline, own))
        box.report.extend(own)
        return outline

    # --- added segments

    def _added(self, changing: Iterable[Said]) -> list[Addition]:
        """Return the segments that other rulesets add to a tile, in an order without rulesets.

        One of a ruleset that builds on another replaces that of the same kind and ports.
        """
        said_of: dict[tuple[tuple[str, str], str], list[tuple[Addition, Scalar]]] = {}
        for said in changing:
            for written in said.segments:
                new = nodes.scalar(written.node, "new")
                if new is not None and self._may_add(said, written.kind, new):
                    addition = Addition(said.ruleset, written)
                    slot = self._ports(written), written.kind
                    said_of.setdefault(slot, []).append((addition, new))
        known = [*self._box.features]
        slots = sorted(said_of, key=lambda s: (s[0], short_name(s[1]), known.index(s[1])))
        found = [each for slot in slots if (each := self._chosen(said_of[slot])) is not None]
        for one, other in pairwise(found):
            name, at = short_name(one.written.kind), one.written.at
            alike = (name, at) == (short_name(other.written.kind), other.written.at)
            if alike and not self._box.family.related(one.ruleset, other.ruleset):
                pair = (one.ruleset, one.written.span), (other.ruleset, other.written.span)
                do = f"add a `{name}` to `{self._entry.name}` at `{at}`, and only their names"
                help = "add it to other tiles, or give it another name"
                report_order(self._box, *pair, f"{do} decide which comes first", help)
        return found

    def _may_add(self, said: Said, kind: str, new: Scalar) -> bool:
        """Return whether an entry may add a segment of a kind, and report it if not."""
        if said.ruleset == self._entry.ruleset:
            message, help = "`new` adds a segment to a tile of another ruleset", "draw it there"
        elif nodes.get(said.node, "copies") is not None:
            message = f"a segment is added to all copies of `{self._entry.name}`"
            help = "for some, take them out with `count: previous - 1`, and declare another tile"
        elif self._box.features[kind].shape.shape is geometry.Shape.FILL:
            message = "a fill takes what the drawing leaves free, and cannot be added"
            help = "add a line or an area"
        else:
            return said.there
        self._box.report.error("misplaced", message, new.span, help=(help,))
        return False

    def _ports(self, written: geometry.Drawn) -> tuple[str, str]:
        """Return the ports at which a segment is added, however they are written, and its end."""
        text, _, end = written.at.partition(">")
        piece = PieceDrawing(self._entry.name, self._size, {}, written.span, Report())
        shape = self._box.features[written.kind].shape
        ports = None if written.at == INSIDE else read_ports(piece, text, shape, written.span)
        if ports is None:
            return written.at, ""
        return " ".join(sorted(geometry.port_name(port, self._size) for port in ports)), end

    def _chosen(self, said: Sequence[tuple[Addition, Scalar]]) -> Addition | None:
        """Return the segment that rulesets add at one place, None if one leaves it out."""
        builds_on = self._box.family.builds_on
        for number, (addition, new) in enumerate(said):
            before = [each.ruleset for each, _ in said[:number]]
            if new.value is False and not any(builds_on(addition.ruleset, b) for b in before):
                message = f"no ruleset that `{addition.ruleset}` builds on adds this segment"
                help = ("`new: false` leaves out a segment that another ruleset adds",)
                self._box.report.error("segment-target", message, new.span, help=help)
        left = [
            (one, new)
            for one, new in said
            if not any(builds_on(other.ruleset, one.ruleset) for other, _ in said)
        ]
        (first, _), *others = left
        for other, _ in others:
            same = first.ruleset == other.ruleset
            if same or _beside(first.written) != _beside(other.written):
                self._box.report.error(
                    "bad-value" if same else "ruleset-conflict",
                    f"two segments are added to `{self._entry.name}` at the same place",
                    other.written.span,
                    labels=(Label(first.written.span, f"that of `{first.ruleset}`"),),
                    help=("leave out one of them",) if same else self._left_out(first, other),
                )
        return first if left[0][1].value else None

    def _left_out(self, one: Addition, other: Addition) -> tuple[str, ...]:
        if self._box.family.related(one.ruleset, other.ruleset):
            return ()
        kind = shortest(other.written.kind, self._box.features)
        segment = f"{kind}: [{{at: {other.written.at}, new: false}}]"
        line = f"extend: {{{self._entry.key}: [{{{segment}}}]}}"
        lines = settling(self._box, other.ruleset, one.ruleset, line)
        return tuple(each.partition("  # any values")[0] for each in lines)

    def _extended(self) -> geometry.Outline | None:
        """Return the outline of a tile with the segments that other rulesets add.

        What does not fit is reported where it is added: first for each ruleset, with those that it
        builds on, then for all together.
        """
        entry, box, bare = self._entry, self._box, self.bare
        additions, builds_on = self.additions, box.family.builds_on
        colours = box.palette(entry.ruleset, {each.written.kind for each in additions})

        def draw(added: Sequence[Addition], report: Report) -> geometry.Outline:
            lines = self._lines(colours, *(each.written for each in added))
            return box.draw(entry.name, self._size, lines, colours, entry.span, report)

        fits = True
        for ruleset in dict.fromkeys(each.ruleset for each in additions):
            own, mine = Report(), [each for each in additions if each.ruleset == ruleset]
            draw([e for e in additions if e in mine or builds_on(ruleset, e.ruleset)], own)
            box.report.extend(_at_addition(each, mine) for each in own)
            fits &= own.ok
        own = Report()
        outline = draw(additions, own)
        for each in own if fits else ():
            self._report_unfit(_at_addition(each, additions))
        return replace(outline, agreeing=bare.agreeing if bare else frozenset()) if own.ok else bare

    def _report_unfit(self, found: Diagnostic) -> None:
        spans = (found.span, *(label.span for label in found.labels))
        met = [each for span in spans for each in self.additions if each.written.span == span]
        one = met[0]
        others = [*met, *self.additions]
        related = self._box.family.related
        other = next((e for e in others if not related(e.ruleset, one.ruleset)), one)
        add = f"what `{one.ruleset}` and `{other.ruleset}` add to `{self._entry.name}`"
        labels = found.labels
        if all(label.span != other.written.span for label in labels):
            labels = (*labels, Label(other.written.span, f"added by `{other.ruleset}`"))
        self._box.report.add(
            replace(
                found,
                slug="ruleset-conflict",
                message=f"{add} does not fit: {found.message}",
                labels=labels,
                help=(*found.help, *self._left_out(other, one)),
            )
        )

    # --- segments that are given attributes

    def segment(self, ruleset: str, written: geometry.Drawn) -> int | None:
        """Return the segment of `outline` that an entry means; None after reporting."""
        if self.outline is None:
            message = f"`{self._entry.name}` has no segments"
            self._box.report.error("segment-target", message, written.span)
            return None
        own = Report()
        found = self._located(ruleset, self.outline, written, own)
        if found is None and self.additions and self.bare is not None:
            before = self._located(ruleset, self.bare, written, Report())
            if before is not None:
                self._report_divided(ruleset, written)
                return None
        self._box.report.extend(own)
        return found

    def _located(
        self,
        ruleset: str,
        outline: geometry.Outline,
        written: geometry.Drawn,
        report: Report,
    ) -> int | None:
        """Return the segment of an outline that an entry means by ports; None after reporting."""

        def refuse(message: str, *help: str) -> None:
            report.error("segment-target", message, written.span, help=help)

        name, colours = self._entry.name, self._box.palette(ruleset)
        keys = {key.value for key, _ in nodes.entries(written.node)}
        if keys <= {"at"} or keys & {"over", "borders"}:
            message = f"only attributes can be added to a segment of `{name}`"
            add = f"to add a segment: `{{at: {written.at}, new: true}}`"
            refuse(message, f"write `{{at: {written.at}, name: value}}`", add)
            return None
        own = [i for i, segment in enumerate(outline.segments) if segment.kind == written.kind]
        short = colours.short(written.kind)
        if written.at == INSIDE:
            found = [i for i in own if not outline.segments[i].ports]
        else:
            piece = PieceDrawing(name, outline.size, colours.shapes, written.span, report)
            at = written.at.partition(">")[0]
            ports = read_ports(piece, at, self._box.features[written.kind].shape, written.span)
            if ports is None:
                return None
            found = [i for i in own if set(ports) <= set(outline.segments[i].ports)]
        if len(found) == 1:
            return found[0]
        places = [segment_name(outline, i) for i in own]
        help = f"it has {short} at {', '.join(places)}" if places else f"it has no {short}"
        add = f"to add one: `{{at: {written.at}, new: true, …}}`"
        message = f"`{written.at}` is not a single {short} of `{name}`"
        refuse(message, help, *(() if found else (add,)))
        return None

    def _report_divided(self, ruleset: str, written: geometry.Drawn) -> None:
        related = self._box.family.related
        strangers = [each for each in self.additions if not related(each.ruleset, ruleset)]
        by = (strangers or self.additions)[0]
        self._box.report.error(
            "ruleset-conflict" if strangers else "segment-target",
            f"what `{by.ruleset}` adds to `{self._entry.name}` divides a segment that `{ruleset}` "
            "gives attributes",
            by.written.span,
            labels=(Label(written.span, "the segment"),),
            help=self._left_out(Addition(ruleset, written), by),
        )


def _at_addition(found: Diagnostic, additions: Sequence[Addition]) -> Diagnostic:
    """Return a finding about a drawing at the added segment that causes it."""
    added = [each.written.span for each in additions]
    if found.span in added:
        return found
    spans = [label.span for label in found.labels if label.span in added]
    at = (spans or added)[0]
    others = tuple(label for label in found.labels if label.span != at)
    if found.span is not None:
        others = (Label(found.span, found.mark or "in the drawing"), *others)
    return replace(found, span=at, mark="", labels=others)


def _beside(written: geometry.Drawn) -> dict[object, object]:
    return {k.value: nodes.plain(v) for k, v in nodes.entries(written.node) if k.value != "at"}


def segment_name(outline: geometry.Outline, index: int) -> str:
    """Return a short name of a segment of an outline: its first port, or `I`."""
    segment = outline.segments[index]
    return geometry.port_name(segment.ports[0], outline.size) if segment.ports else INSIDE


NOTHING = "none"
"""The word for a side without a feature."""


def _check_sides(
    entry: DeclarationEntry, said: Node, colours: Palette, outline: geometry.Outline, report: Report
) -> None:
    """Report `sides-differ` if the drawing and the listed sides differ.

    `said` lists the kind on every side, clockwise from the north.
    """
    sides = geometry.outer_sides(outline.size)
    shown = [
        NOTHING if (kind := outline.sides[side]) is None else colours.short(kind) for side in sides
    ]
    words = nodes.scalars(said)
    help = (f"the drawing shows `sides: [{', '.join(shown)}]`",)
    if len(words) != len(sides):
        message = f"`{entry.name}` has {len(sides)} sides, and {len(words)} are listed"
        report.error("sides-differ", message, said.span, help=help)
        return
    unknown = [word for word in words if _unknown(word, colours, report)]
    if unknown:
        return
    wrong = [
        (word, geometry.side_name(side, outline.size), kind)
        for word, side, kind in zip(words, sides, shown, strict=True)
        if word.value != kind
    ]
    if wrong:
        names = listed([f"`{name}` shows {kind}" for _, name, kind in wrong], "and")
        report.error(
            "sides-differ",
            f"`{entry.name}` is not drawn as its sides are listed: {names}",
            wrong[0][0].span,
            mark=f"{wrong[0][2]} in the drawing",
            labels=[Label(entry.span, "the piece")],
            help=(*help, "correct the list or the drawing"),
        )


def _agreeing(
    entry: DeclarationEntry, said: Node, outline: geometry.Outline, report: Report
) -> frozenset[geometry.Side]:
    """Return the sides that agree with every side; words that are not sides are reported."""
    named = {geometry.side_name(side, outline.size): side for side in outline.sides}
    if isinstance(said, Scalar):
        return frozenset(named.values())
    found = set()
    for word in nodes.scalars(said):
        name = nodes.shown(word.value)
        if name in named:
            found.add(named[name])
        else:
            message = f"`{name}` is not a side of `{entry.name}`"
            help = did_you_mean(name, named) or (f"sides are {listed(list(named), 'and')}",)
            report.error("port-unknown", message, word.span, help=help)
    return frozenset(found)


def _unknown(word: Scalar, colours: Palette, report: Report) -> bool:
    """Report a word that names no feature kind; return whether it was reported."""
    name = nodes.shown(word.value)
    if name == NOTHING or name in colours.full:
        return False
    help = did_you_mean(name, (*colours.full, NOTHING))
    report.error("unknown-name", f"no feature kind is called `{name}`", word.span, help=help)
    return True
