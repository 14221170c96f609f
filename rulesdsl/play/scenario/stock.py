"""The components that a scene may use."""

from __future__ import annotations

from collections.abc import Sequence

from rulesdsl.diagnostics.wording import did_you_mean, listed
from rulesdsl.model.nodes import Scalar
from rulesdsl.model.values import Face, Piece, Value, Zone
from rulesdsl.play.game import State
from rulesdsl.play.scenario.failure import Failed
from rulesdsl.play.things import pieces, zones
from rulesdsl.play.written import means

_SHOWN = 3


class Stock:
    """Chooses components by name, each once. `listed` are the zones of which a scene says all that
    is in them, `rest` those that take what is left over."""

    def __init__(self, state: State, listed: Sequence[Zone], rest: Sequence[Zone]) -> None:
        self._state = state
        self._game = state.game.checked.game
        self._listed = listed
        self.rest = rest
        self.cleared: set[Piece] = set()
        """What the scene has taken from grids."""
        self._used: set[Piece] = set()

    def unused(self, zone: Zone) -> list[Piece]:
        """The components in a zone that the scene has not used."""
        inside = pieces(self._state)
        return [p for p in inside if p not in self._used and self.place(p) == zone]

    def place(self, piece: Piece) -> Value:
        """Find where a component is now."""
        return self._state.position.place_of(piece)

    def staying(self, names: Sequence[Scalar], zone: Zone) -> list[tuple[Scalar, Piece | None]]:
        """Choose the components of a list that are in the zone already."""
        inside = self.unused(zone)
        found = list[tuple[Scalar, Piece | None]]()
        for name in names:
            text, forms = str(name.value), self._state.names
            piece = next((p for p in inside if means(text, p, forms)), None)
            if piece is not None:
                inside.remove(piece)
                self._used.add(piece)
            found.append((name, piece))
        return found

    def coming(self, name: Scalar) -> Piece:
        """Choose a component that comes into a zone: out of the zone of the rest, or of others that
        the scene lists. Raises Failed."""
        return self._first(name, True)

    def anywhere(self, name: Scalar) -> Piece:
        """Choose a component for a grid or a space: out of the zones of the scene, from where it
        begins, or from outside of zones. Raises Failed."""
        return self._first(name, False)

    def home(self, piece: Piece) -> Zone | None:
        """The zone in which a component begins; None for one that begins elsewhere."""
        own = self._game.pieces[piece.index]
        for zone in zones(self._state):
            declared = self._game.zones[zone.zone]
            if declared.key == own.start and (declared.per != "player" or zone.index == own.seat):
                return zone
        return None

    def rest_of(self, piece: Piece) -> Zone | None:
        """The zone of the rest for a component: where it begins, or its owner's, or the first that
        holds its class."""
        own = self._game.pieces[piece.index]
        cls = self._game.kinds[own.kind].cls
        able = [zone for zone in self.rest if cls in self._game.zones[zone.zone].holds]
        home = self.home(piece)
        return min(able, key=lambda z: (z != home, z.index != own.seat), default=None)

    def suggested(self, piece: Piece) -> tuple[str, ...]:
        """Say what to write so that a component that is left over has somewhere to go."""
        cls, home = self._state.names.kind(piece).cls, self.home(piece)
        able = [z for z in zones(self._state) if cls in self._game.zones[z.zone].holds]
        free = [zone for zone in able if zone not in self._listed]
        free = [home] if home in free else free
        names = [str(self._state.names.short(zone)) for zone in free[:_SHOWN]]
        forms = [f"`{repr(name) if '[' in name else name}: rest`" for name in names]
        return (f"write {listed(forms)}",) if forms else ()

    def face(self, piece: Piece, name: Scalar) -> Face | None:
        """The face that a die has to show to be called so; None for anything else."""
        return self._faces(piece).get(self._short(piece, name))

    # --- choosing --------------------------------------------------------------------------------

    def _first(self, name: Scalar, named: bool) -> Piece:
        text = str(name.value)
        called = [p for p in pieces(self._state) if self._is_called(p, name)]
        if not called:
            known = {each for piece in pieces(self._state) for each in self._faces(piece)}
            raise Failed(f"there is no component `{text}`", name.span, did_you_mean(text, known))
        left = [piece for piece in called if piece not in self._used]
        ranked = [(rank, p) for p in left if (rank := self._rank(p, named)) is not None]
        if not ranked:
            raise self._none_left(name, left)
        piece = min(ranked)[1]
        self._used.add(piece)
        return piece

    def _rank(self, piece: Piece, named: bool) -> int | None:
        """Rank how gladly a component is taken from where it is; None: never. For a zone that is
        `named` it comes out of zones of the scene alone."""
        place = self.place(piece)
        if piece in self.cleared:
            return 0
        if place in self.rest:
            return 1
        if place in self._listed:
            return 3
        if not isinstance(place, Zone):
            return 4
        return 2 if place == self.home(piece) and not named else None

    def _none_left(self, name: Scalar, left: Sequence[Piece]) -> Failed:
        if not left:
            return Failed(f"there is no further `{name.value}` in the box", name.span)
        piece = next((p for p in left if self.place(p) == self.home(p)), left[0])
        place = self._state.names.short(self.place(piece))
        if not self.rest and self.place(piece) == self.home(piece):
            message = f"`{name.value}` is in `{place}`, which the scene does not name"
            return Failed(message, name.span, self.suggested(piece))
        message = f"no `{name.value}` is left but in `{place}`, which the scene does not name"
        return Failed(message, name.span, (f"say under `zones` what is in `{place}` then",))

    def _is_called(self, piece: Piece, name: Scalar) -> bool:
        """Whether a component has a name, as it lies or with another face up."""
        called = self._short(piece, name) in self._faces(piece)
        return called or means(str(name.value), piece, self._state.names)

    def _short(self, piece: Piece, name: Scalar) -> str:
        """The name without the ruleset that a component is of."""
        return str(name.value).removeprefix(f"{self._state.names.kind(piece).ruleset}/")

    def _faces(self, piece: Piece) -> dict[str, Face | None]:
        """The names of a component; a die has one for each face that can lie up."""
        kind = self._state.names.kind(piece)
        number = self._game.pieces[piece.index].kind
        if not kind.faces:
            return {str(self._state.names.short(piece)): None}
        faces = {face.name: Face(number, index) for index, face in enumerate(kind.faces)}
        return {f"{kind.text}:{name}": face for name, face in faces.items()}
