"""Symmetry of moves: moves that differ only in interchangeable pieces are fused."""

from __future__ import annotations

from rulesdsl.engines.reference.context import StateKey
from rulesdsl.engines.reference.frames import Body, Call, Draw, Loop, Settle
from rulesdsl.engines.reference.ordered import order_key
from rulesdsl.engines.reference.runtime import Runtime
from rulesdsl.model.values import Feature, Piece, Segment, Value, Zone


class Likeness:
    """The classes of interchangeable pieces at one moment.

    Interchangeable pieces have the same declared kind, owner, face, place, home and state, are
    known to the same players, lie in no ordered zone, and are referred to by no state, local,
    argument or queued call.
    """

    def __init__(self, runtime: Runtime) -> None:
        self.world = runtime.world
        self.named: set[Piece] = set()
        self.states: dict[Piece, list[tuple[StateKey, Value]]] = {}
        for (state, owner, index), value in runtime.states.items():
            self._name(value)
            piece = _piece(owner)
            if piece is not None:
                part = owner.index if isinstance(owner, Segment) else -1
                self.states.setdefault(piece, []).append(((state, part, index), value))
        for frame in runtime.stack:
            match frame:
                case Call():
                    self._name((*frame.arguments, frame.result))
                case Draw():
                    self._name(frame.arguments)
                case Body():
                    self._name(tuple(frame.scope.locals.values()))
                case Loop():
                    self._name(frame.items[frame.round :])
                case Settle():
                    self._name(frame.result)
        for queued in runtime.queue:
            self._name(queued.arguments)

    def _name(self, value: Value) -> None:
        if isinstance(value, tuple):
            for item in value:
                self._name(item)
        piece = _piece(value)
        if piece is not None:
            self.named.add(piece)

    def key(self, piece: Piece) -> object:
        """Return a key that is equal for pieces with the same home, state and references."""
        if piece in self.named:
            return piece
        states = self.states.get(piece, [])
        ordered = sorted(states, key=lambda entry: (entry[0][0], order_key(entry[0][1:])))
        return (self.world.box.piece(piece).start, *ordered)

    def _sort(self, piece: Piece) -> object:
        """Return a key that is equal for interchangeable pieces."""
        world, place = self.world, self.world.places[piece]
        if isinstance(place, Zone) and world.box.game.zones[place.zone].ordered:
            return piece
        definition = world.box.piece(piece)
        hidden = (world.known[piece], piece in world.face_down, piece in world.shuffled)
        face = world.faces.get(piece)
        return (definition.kind, definition.seat, face, place, hidden, self.key(piece))

    def shape(self, arguments: tuple[Value, ...]) -> object:
        """Return a key that is equal for interchangeable moves, by their arguments.

        It represents a piece by its class and by its number among the different pieces of that
        class in the move.
        """
        return self._shape(arguments, {})

    def _shape(self, value: Value, seen: dict[object, list[Piece]]) -> object:
        match value:
            case tuple():
                return tuple([self._shape(item, seen) for item in value])
            case Piece():
                sort = self._sort(value)
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


def _piece(value: Value) -> Piece | None:
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
