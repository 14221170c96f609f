"""Which pieces of the plain world nobody can tell apart, and which moves are one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rulesdsl.engine.run.words.world import Place
from rulesdsl.language.model.values import (
    Cell,
    Feature,
    Piece,
    Segment,
    Space,
    Value,
    Zone,
    order_key,
)
from tests.oracle.evaluate import StateKey
from tests.oracle.world import World

Numbers = Callable[[Place], tuple[int, int]]
"""A function that gives the numbers by which places are sorted."""

Order = tuple[tuple[int, ...], tuple[int, object]]
"""The sort key of an argument of a move: the place of an unknown piece, and the value."""


class Likeness:
    """The classes of interchangeable pieces at one moment, when nobody was told anything.

    Interchangeable pieces have the same declared kind, owner, face, place, home and state, are
    known to the same players, lie where no order is kept, and are referred to by no state and
    nothing else that is `named`. Pieces that the player in a `seat` does not know are
    interchangeable if they have the same class, owner and place.
    """

    def __init__(
        self,
        world: World,
        states: Mapping[StateKey, Value],
        named: Iterable[Value] = (),
        seat: int | None = None,
    ) -> None:
        self.world = world
        self.seat = seat
        self.named: set[int] = set()
        self.states: dict[int, list[tuple[StateKey, Value]]] = {}
        for (state, owner, index), value in states.items():
            self._name(value)
            piece = piece_of(owner)
            if piece is not None:
                part = owner.index if isinstance(owner, Segment) else -1
                self.states.setdefault(piece.index, []).append(((state, part, index), value))
        for value in named:
            self._name(value)

    def _name(self, value: Value) -> None:
        for item in value if isinstance(value, tuple) else ():
            self._name(item)
        piece = piece_of(value)
        if piece is not None:
            self.named.add(piece.index)

    def key(self, piece: Piece) -> object:
        """Return a key that is equal for pieces with the same state and references."""
        if piece.index in self.named:
            return piece.index
        states = self.states.get(piece.index)
        if states is None:
            return None
        return tuple(sorted(states, key=lambda entry: (entry[0][0], order_key(entry[0][1:]))))

    def sort(self, piece: Piece) -> object:
        """Return a key that is equal for interchangeable pieces."""
        world, its = self.world, self.world.box.piece(piece)
        place = world.places[piece]
        if self._apart(place):
            return piece
        if self.unknown(piece):
            return world.box.cls(piece), its.seat, place
        now = world.faces.get(piece), world.known[piece], piece in world.face_down
        like = its.kind, its.seat, its.start
        return like, place, now, piece in world.shuffled, self.key(piece)

    def _apart(self, place: Place) -> bool:
        """Return whether a place distinguishes a piece from all others."""
        box = self.world.box
        if isinstance(place, Cell):
            return box.game.grids[place.grid].ordered
        return isinstance(place, Zone) and box.game.zones[place.zone].ordered

    def unknown(self, value: Value) -> bool:
        """Return whether the player in the seat does not know a piece, or that of a segment."""
        piece = piece_of(value)
        if self.seat is None or piece is None or self.world.places[piece] is None:
            return False
        return self.seat not in self.world.known[piece]

    def order(self, arguments: tuple[Value, ...], numbers: Numbers) -> tuple[Order, ...]:
        """Return the sort key of a move: unknown pieces come after known ones, by their places."""
        return tuple(self._order(value, numbers) for value in arguments)

    def _order(self, value: Value, numbers: Numbers) -> Order:
        piece = piece_of(value)
        if piece is None or not self.unknown(piece):
            return (), order_key(value)
        place, world = self.world.places[piece], self.world
        lies = 0
        if isinstance(place, Zone):
            lies = world.members(place).index(piece)
        elif isinstance(place, Space | Segment):
            lies = world.standing(place).index(piece)
        elif isinstance(place, Cell) and self._apart(place):
            stack = sorted(world.standing(place), key=world.arrived.__getitem__)
            lies = 1 + stack.index(piece)
        return (*numbers(place), lies), order_key(value)

    def shape(self, arguments: tuple[Value, ...]) -> object:
        """Return a key that is equal for interchangeable moves, by their arguments.

        It represents a piece by its class and by its number among the different pieces of that
        class in the move.
        """
        seen: dict[object, list[Piece]] = {}
        return tuple([self._shape(value, seen) for value in arguments])

    def _shape(self, value: Value, seen: dict[object, list[Piece]]) -> object:
        match value:
            case tuple():
                # A set has no order of its own: which of its pieces comes first says nothing.
                return tuple(sorted([self._shape(item, seen) for item in value], key=str))
            case Piece():
                sort = self.sort(value)
                alike = seen.setdefault(sort, [])
                if value not in alike:
                    alike.append(value)
                return ("piece", sort, alike.index(value))
            case Segment():
                return ("segment", self._shape(Piece(value.piece), seen), value.index)
            case Feature():
                return ("feature", self._shape(value.segment, seen))
            case _:
                return value


def piece_of(value: Value) -> Piece | None:
    """Return the piece that a value refers to, None if there is none."""
    match value:
        case Piece():
            return value
        case Segment():
            return Piece(value.piece)
        case Feature():
            return Piece(value.segment.piece)
        case _:
            return None
