"""Values of a game at one moment as people write them, without what a player may not know."""

from __future__ import annotations

from collections.abc import Iterable

from rulesdsl.model.names import short_name
from rulesdsl.model.values import Piece, Segment, Space, Value
from rulesdsl.play.moves import text
from rulesdsl.play.names import Names
from rulesdsl.run.reference.observing import Bound, ObservedPosition, Seen

HIDDEN = "hidden"
"""Stands for all that a player may not know."""

MOST = 6
"""Of a longer list only so many members are named."""


class Texts:
    """The texts of a position as it is now."""

    def __init__(self, position: ObservedPosition) -> None:
        self.runtime = position.runtime
        self._names = Names(position)

    def value(self, value: Value) -> str:
        """A value: pieces and segments with the place where they are."""
        eyes = self.runtime.eyes
        match value:
            case tuple():
                return "{" + self.listed(value) + "}"
            case _ if eyes is not None and self.runtime.hides(value, eyes):
                return HIDDEN
            case Segment():
                laid = self._names.position.placement_of(Piece(value.piece)) is not None
                return text(self._names.full(value) if laid else self._names.short(value))
            case Piece():
                stands = isinstance(self._names.position.place_of(value), Segment | Space)
                return text(self._names.full(value) if stands else self._names.short(value))
            case _:
                return text(self._names.short(value))

    def listed(self, values: Iterable[Value]) -> str:
        """Several values, the first ones if there are many."""
        found = [self.value(value) for value in values]
        more = f", … {len(found)} in all" if len(found) > MOST else ""
        return ", ".join(found[:MOST]) + more

    def bound(self, bound: Bound) -> str:
        """Locals with what they stand for; names that were told apart as they are written."""
        return ", ".join(f"{name.partition('$')[0]} = {self.value(value)}" for name, value in bound)

    def of(self, seen: Seen) -> str:
        """What an expression was worth."""
        return HIDDEN if seen.hidden else self.value(seen.value)

    def call(self, key: str, arguments: Iterable[Value]) -> str:
        """A call of something by its full name."""
        return f"{short_name(key)}({', '.join(self.value(each) for each in arguments)})"
