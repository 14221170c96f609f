"""What a ruleset draws with, and what becomes of what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rulesdsl.diagnostics import Report, Span
from rulesdsl.geometry.outline import derive
from rulesdsl.geometry.ring import Size
from rulesdsl.model.game import AttributeDef
from rulesdsl.model.geometry import Drawn, KindShape, Outline, Segment


@dataclass(frozen=True)
class Palette:
    """The feature kinds one ruleset draws with: shapes by the shortest name that is clear, the full
    name of each, and by that the attributes of its segments."""

    shapes: Mapping[str, KindShape]
    full: Mapping[str, str]
    attributes: Mapping[str, Sequence[AttributeDef]]

    @cached_property
    def text(self) -> str:
        """The same for palettes with which the same is drawn: a text is hashed once."""
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
"""What `draw` is, or something that gives the same."""


def draw(
    name: str, size: Size, drawn: Sequence[Drawn], colours: Palette, span: Span, report: Report
) -> Outline:
    """All segments of a tile or face from what is drawn on it with the names of `colours`.

    Kinds by full name, with all attributes but those that have to be said and are not. Mistakes are
    reported as `geometry.derive` does.
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


def _complete(segment: Segment, colours: Palette) -> Segment:
    """Return a segment with the full name of its kind and the attributes of all of that kind."""
    kind, said = colours.full[segment.kind], segment.attributes
    attributes = {
        each.key: said.get(each.key, each.default)
        for each in colours.attributes[kind]
        if each.key in said or not each.required
    }
    return replace(segment, kind=kind, attributes=attributes)
