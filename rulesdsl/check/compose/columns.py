"""Data that rules read and write, divided into columns, and when two columns overlap.

A column is a state, where the components of a class are (`place of figure`), the faces of dice, the
links between segments, or `decisions`: asking a player or chance counts as writing it. Parts narrow
it: a state by its owner and index, a place by kinds of components and by zones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

DECISIONS = "decisions"
FACES = "faces"
LINKS = "links"
GRIDS = "grids"
"""The place of things on a grid."""
TRACKS = "tracks"
"""The place of things on a track."""

Part = frozenset[object] | int | None
"""The possible values of a part of a column; a number means a parameter, None any value."""


def either(one: Part, other: Part) -> Part:
    """Return the union of two parts."""
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return one | other
    return one if one == other else None


def both(one: Part, other: Part) -> Part:
    """Return a part that contains all common values of two parts."""
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return one & other
    return other if not isinstance(one, frozenset) and other is not None else one


@dataclass(frozen=True)
class Column:
    """A datum that is read or written: `name`, limited to some parts."""

    name: str
    parts: tuple[Part, ...] = ()

    def overlaps(self, other: Column) -> bool:
        """Say whether two columns can be the same datum."""
        return self.name == other.name and not any(
            isinstance(one, frozenset) and isinstance(two, frozenset) and not one & two
            for one, two in zip(self.parts, other.parts, strict=True)
        )

    def given(self, arguments: Callable[[int], Part]) -> Column:
        """Return the column with parameters replaced by the arguments of a call."""
        if not any(isinstance(part, int) for part in self.parts):
            return self
        parts = (arguments(part) if isinstance(part, int) else part for part in self.parts)
        return Column(self.name, tuple(parts))


def place(cls: str, kinds: Part = None, where: Part = None) -> Column:
    """Return the column for the places of a class's components, of some kinds, in some zones."""
    return Column(f"place of {cls}", (kinds, where))


@dataclass(frozen=True)
class Effects:
    """The columns that are read, written, and only changed by `+=` and `-=` (`added`)."""

    reads: frozenset[Column] = frozenset()
    writes: frozenset[Column] = frozenset()
    added: frozenset[Column] = frozenset()

    def __or__(self, other: Effects) -> Effects:
        return Effects(
            self.reads | other.reads, self.writes | other.writes, self.added | other.added
        )

    @property
    def using(self) -> frozenset[str]:
        """The names of columns for which changes by others matter."""
        return _names(self.reads | self.writes)

    @property
    def changing(self) -> frozenset[str]:
        """The names of the columns that are changed."""
        return _names(self.writes | self.added)

    def meets(self, other: Effects) -> frozenset[str]:
        """Return the names of the columns because of which the order of two effects matters."""
        touched = _overlaps(self.writes | self.added, other.reads | other.writes)
        return touched | _overlaps(other.writes | other.added, self.reads | self.writes)

    def given(self, arguments: Callable[[int], Part]) -> Effects:
        """Return the effects with parameters replaced by the arguments of a call."""
        return Effects(
            *(
                frozenset(column.given(arguments) for column in columns)
                for columns in (self.reads, self.writes, self.added)
            )
        )


def _names(columns: Iterable[Column]) -> frozenset[str]:
    return frozenset(column.name for column in columns)


def _overlaps(changed: Iterable[Column], used: Iterable[Column]) -> frozenset[str]:
    by_name: dict[str, list[Column]] = {}
    for column in used:
        by_name.setdefault(column.name, []).append(column)
    return frozenset(
        one.name for one in changed if any(one.overlaps(two) for two in by_name.get(one.name, ()))
    )
