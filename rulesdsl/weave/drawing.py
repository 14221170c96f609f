"""What a ruleset draws with, and what becomes of what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rulesdsl.diagnostics import Report, Span
from rulesdsl.geometry.outline import derive
from rulesdsl.geometry.ring import Size
from rulesdsl.model.geometry import Drawn, KindShape, Outline


@dataclass(frozen=True)
class Palette:
    """The feature kinds one ruleset draws with: shapes by the shortest name that is clear, and
    the full name of each."""

    shapes: Mapping[str, KindShape]
    full: Mapping[str, str]

    def short(self, kind: str) -> str:
        """The name the ruleset uses for a kind's full name."""
        return self._names[kind]

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return {full: name for name, full in self.full.items()}


Draw = Callable[[str, Size, Sequence[Drawn], Palette, Span, Report], Outline]
"""What `draw` is, or something that gives the same."""


def draw(
    name: str, size: Size, drawn: Sequence[Drawn], colours: Palette, span: Span, report: Report
) -> Outline:
    """All segments of a tile or face from what is drawn on it with the names of `colours`; kinds
    by full name. Mistakes are reported as `geometry.derive` does."""
    derived = derive(name, size, drawn, colours.shapes, span, report)
    return replace(
        derived,
        segments=tuple(replace(s, kind=colours.full[s.kind]) for s in derived.segments),
        sides={
            side: None if kind is None else colours.full[kind]
            for side, kind in derived.sides.items()
        },
    )
