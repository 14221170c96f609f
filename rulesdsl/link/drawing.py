"""Feature kinds that a ruleset draws with, and the segments derived from its drawings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rulesdsl.diagnostics import Report, Span
from rulesdsl.geometry.outline import derive
from rulesdsl.geometry.ring import Size
from rulesdsl.model.game import AttributeDef
from rulesdsl.model.geometry import Drawn, KindShape, Outline, OutlineSegment


@dataclass(frozen=True)
class Palette:
    """The feature kinds one ruleset draws with.

    `shapes` is by the shortest unambiguous name, `full` gives the full name of each, and
    `attributes` the attributes of its segments by full name.
    """

    shapes: Mapping[str, KindShape]
    full: Mapping[str, str]
    attributes: Mapping[str, Sequence[AttributeDef]]

    @cached_property
    def text(self) -> str:
        """A key that is equal for palettes that draw the same; a text caches its hash."""
        said = {
            kind: [(each.key, each.default, each.required) for each in attributes]
            for kind, attributes in self.attributes.items()
        }
        return repr((self.shapes, self.full, said))

    def short(self, kind: str) -> str:
        """Return the name the ruleset uses for a kind's full name."""
        return self._names[kind]

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return {full: name for name, full in self.full.items()}


Draw = Callable[[str, Size, Sequence[Drawn], Palette, Span, Report], Outline]
"""The type of `draw`, or of a function with the same results."""


def draw(
    name: str, size: Size, drawn: Sequence[Drawn], colours: Palette, span: Span, report: Report
) -> Outline:
    """Derive all segments of a tile or face from its drawing, which uses the names of `colours`.

    Kinds are given by full name, with all attributes except required ones without a value. Mistakes
    are reported as by `geometry.derive`.
    """
    derived = derive(name, size, drawn, colours.shapes, span, report)
    return replace(
        derived,
        segments=tuple(_complete(segment, colours) for segment in derived.segments),
        sides={
            side: None if kind is None else colours.full[kind]
            for side, kind in derived.sides.items()
        },
    )


def _complete(segment: OutlineSegment, colours: Palette) -> OutlineSegment:
    """Return a segment with the full name of its kind and all attributes of that kind."""
    kind, said = colours.full[segment.kind], segment.attributes
    attributes = {
        each.key: said.get(each.key, each.default)
        for each in colours.attributes[kind]
        if each.key in said or not each.required
    }
    return replace(segment, kind=kind, attributes=attributes)
