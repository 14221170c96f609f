"""Setting the scene: what lies where before the first move."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rulesdsl.diagnostics import Report, Span
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.checked import StateDef
from rulesdsl.model.names import short_name
from rulesdsl.model.nodes import Mapping, Node, Scalar
from rulesdsl.model.nodes import Sequence as SequenceNode
from rulesdsl.model.types import SIDE, SIDE_NAMES, EnumType, Type
from rulesdsl.model.values import (
    Cell,
    EnumMember,
    Face,
    Piece,
    Placement,
    Player,
    Segment,
    Space,
    Value,
    Zone,
)
from rulesdsl.pipeline.stages import expression
from rulesdsl.play.game import State
from rulesdsl.play.scenario.failure import Failed
from rulesdsl.play.scenario.places import instances, zones_of
from rulesdsl.run.engine import PlayError

_STATE = re.compile(r"(?:(\w+)\.)?(\w+)((?:\[\w+\])*)")
_INDEX = re.compile(r"\[(\w+)\]")


def set_scene(state: State, test: Mapping) -> None:
    """Bring about what `board`, `zones`, `put` and `state` of a scenario say; raises Failed."""
    scene = _Scene(state)
    board = test.get("board")
    if isinstance(board, SequenceNode):
        scene.clear_grids(board.span)
        for entry in board.items:
            if isinstance(entry, Mapping):
                scene.lay(entry)
    scene.fill(_entries(test.get("zones")))
    for key, node in _entries(test.get("put")):
        scene.put(key, node)
    for key, node in _entries(test.get("state")):
        scene.assign(key, node)
    state.refresh()


class _Scene:
    def __init__(self, state: State) -> None:
        self._state = state
        self._position = state.position
        self._game = state.game.checked.game
        self._report = Report()
        self._used: set[Piece] = set()

    def clear_grids(self, span: Span) -> None:
        for item in self._position.laid():
            start = self._game.pieces[item.piece.index].start
            zone = next((z for z in zones_of(self._state) if self._declared(z) == start), None)
            if zone is None:
                name = self._state.names.full(item.piece)
                raise Failed(f"{name} has no zone to go back to", span)
            self._apply("move", (item.piece, zone), span)

    def lay(self, entry: Mapping) -> None:
        name, at = entry.get("piece"), entry.get("at")
        assert isinstance(name, Scalar), "the schema asks for a piece"
        assert isinstance(at, SequenceNode), "the schema asks for a cell"
        x, y = (int(item.value) for item in at.items if isinstance(item, Scalar))
        turns = entry.get("rotation")
        rotation = int(turns.value) // 90 if isinstance(turns, Scalar) else 0
        grid, owner = self._grid(entry)
        piece = self._piece(name)
        spot = Placement(Cell(grid, owner, y, x), rotation)
        self._apply("place", (piece, spot), name.span)
        for key, node in _entries(entry.get("stands")):
            segment = self._segment(piece, key)
            for figure in _scalars(node):
                self._apply("move", (self._piece(figure), segment), figure.span)

    def fill(self, entries: Sequence[tuple[Scalar, Node]]) -> None:
        """What is in zones: all that comes there comes out of the zone of the rest, where it was
        mixed if nobody sees what is there."""
        rest = [self._zone(key) for key, node in entries if isinstance(node, Scalar)]
        wanted = [
            (key, self._zone(key), [self._piece(name) for name in _scalars(node)])
            for key, node in entries
            if isinstance(node, SequenceNode)
        ]
        for key, zone, pieces in wanted:
            if not rest:
                raise Failed(f"name the zone that takes the rest of `{key.value}`", key.span)
            coming = [piece for piece in pieces if self._position.place_of(piece) != zone]
            going = [piece for piece in self._contents(zone) if piece not in pieces]
            for piece in (*coming, *going):
                self._apply("move", (piece, rest[0]), key.span)
        for key, zone, pieces in wanted:
            if self._game.zones[rest[0].zone].visible == "none":
                self._apply("shuffle", (rest[0],), key.span)
            for piece in pieces:
                if self._position.place_of(piece) != zone:
                    self._apply("move", (piece, zone), key.span)

    def put(self, key: Scalar, node: Node) -> None:
        assert isinstance(node, Scalar), "the schema asks for a place"
        place = next((p for p in self._places() if self._name(p) == node.value), None)
        if place is None:
            known = map(self._name, self._places())
            help = did_you_mean(str(node.value), known)
            raise Failed(f"there is no place `{node.value}`", node.span, help)
        self._apply("move", (self._piece(key), place), key.span)

    def assign(self, key: Scalar, node: Node) -> None:
        assert isinstance(node, Scalar), "the schema asks for a value"
        written = _STATE.fullmatch(str(key.value))
        declared = self._declared_states()
        full = "" if written is None else f"{'player' if written[1] else 'game'}.{written[2]}"
        if written is None or full not in declared:
            player = (written and written[1]) or self._state.players[0]
            known = [name.replace("player.", f"{player}.") for name in declared]
            help = did_you_mean(str(key.value), [n.removeprefix("game.") for n in known])
            raise Failed(f"there is no state `{key.value}`", key.span, help)
        state = declared[full]
        owner = self._owner(written[1], key)
        index = self._index(state, written[3], key)
        checked = expression(node.span, self._state.game.checked, state.type, {}, self._report)
        self._report.check()
        assert checked is not None, "an expression without errors"
        try:
            value = self._position.evaluate(checked, {})
            self._position.assign(state.key, owner, index, value)
        except PlayError as error:
            raise Failed(error.message, node.span) from None

    def _declared_states(self) -> dict[str, StateDef]:
        """The states of the game and of players by `game.name` and `player.name`."""
        states = self._state.game.checked.states
        short = {short_name(key): state for key, state in states.items()}
        return {name: s for name, s in short.items() if name.startswith(("game.", "player."))}

    def _owner(self, name: str | None, key: Scalar) -> Value:
        if name is None:
            return None
        if name not in self._state.players:
            raise Failed(f"no player `{name}` takes part", key.span)
        return Player(self._state.players.index(name))

    def _index(self, state: StateDef, written: str, key: Scalar) -> tuple[Value, ...]:
        names = _INDEX.findall(written)
        if len(names) != len(state.index):
            message = f"`{key.value}` has {len(names)} of {len(state.index)} indexes"
            raise Failed(message, key.span)
        return tuple(
            self._member(name, type_, key) for name, type_ in zip(names, state.index, strict=True)
        )

    def _member(self, name: str, type_: Type, key: Scalar) -> EnumMember:
        assert isinstance(type_, EnumType), "states are indexed by enums"
        enums = {enum.key: enum.members for enum in self._game.enums} | {SIDE.name: SIDE_NAMES}
        members = enums[type_.name]
        if name not in members:
            help = did_you_mean(name, members)
            raise Failed(f"`{type_.name}` has no `{name}`", key.span, help)
        return EnumMember(type_.name, members.index(name))

    def _apply(self, effect: str, arguments: tuple[Value, ...], span: Span) -> None:
        try:
            self._position.apply(effect, arguments)
        except PlayError as error:
            raise Failed(error.message, span) from None

    def _piece(self, name: Scalar) -> Piece:
        """The first component of that name that the scene has not used yet."""
        text = str(name.value)
        known = {}
        for piece in self._pieces():
            faces = self._faces(piece)
            known.update(faces)
            if text in faces and piece not in self._used:
                self._used.add(piece)
                if (face := faces[text]) is not None:
                    self._apply("turn_to", (piece, face), name.span)
                return piece
        if text in known:
            raise Failed(f"there is no further `{text}` in the box", name.span)
        raise Failed(f"there is no component `{text}`", name.span, did_you_mean(text, known))

    def _faces(self, piece: Piece) -> dict[str, Face | None]:
        """The names of a piece; a die has one for each face that can lie up."""
        kind = self._state.names.kind(piece)
        number = self._game.pieces[piece.index].kind
        if not kind.faces:
            return {str(self._state.names.short(piece)): None}
        faces = {face.name: Face(number, index) for index, face in enumerate(kind.faces)}
        return {f"{kind.text}:{name}": face for name, face in faces.items()}

    def _segment(self, piece: Piece, key: Scalar) -> Segment:
        names = self._state.names
        outline = names.outline(piece)
        segments = [
            Segment(piece.index, i) for i in range(len(outline.segments if outline else ()))
        ]
        by_name = {names.segment(segment): segment for segment in segments}
        if key.value not in by_name:
            listed = ", ".join(f"`{name}`" for name in by_name)
            raise Failed(f"there is no `{key.value}` here; there is {listed}", key.span)
        return by_name[str(key.value)]

    def _grid(self, entry: Mapping) -> tuple[int, int]:
        names = self._state.names
        known = {
            names.grid(number, index): (number, index)
            for number, grid in enumerate(self._game.grids)
            for index in range(instances(self._state, grid.per))
        }
        wanted = entry.get("grid")
        if wanted is None and len(known) == 1:
            return next(iter(known.values()))
        if not isinstance(wanted, Scalar) or wanted.value not in known:
            listed = ", ".join(f"`{name}`" for name in known)
            raise Failed(f"say `grid:`, one of {listed}", (wanted or entry).span)
        return known[str(wanted.value)]

    def _places(self) -> Iterator[Zone | Space]:
        yield from zones_of(self._state)
        for number, track in enumerate(self._game.tracks):
            for index in range(track.length):
                yield Space(number, index)

    def _zone(self, key: Scalar) -> Zone:
        found = next(
            (zone for zone in zones_of(self._state) if self._name(zone) == key.value), None
        )
        if found is None:
            listed = ", ".join(f"`{self._name(zone)}`" for zone in zones_of(self._state))
            raise Failed(f"there is no zone `{key.value}`; there is {listed}", key.span)
        return found

    def _declared(self, zone: Zone) -> str:
        return self._game.zones[zone.zone].key

    def _name(self, value: Value) -> str:
        return str(self._state.names.short(value))

    def _contents(self, zone: Zone) -> list[Piece]:
        return [piece for piece in self._pieces() if self._position.place_of(piece) == zone]

    def _pieces(self) -> Iterator[Piece]:
        """The components in play: those of players who do not take part are not."""
        for index, piece in enumerate(self._game.pieces):
            if piece.seat is None or piece.seat < self._position.players:
                yield Piece(index)


def _entries(node: Node | None) -> tuple[tuple[Scalar, Node], ...]:
    return node.entries if isinstance(node, Mapping) else ()


def _scalars(node: Node) -> list[Scalar]:
    items = node.items if isinstance(node, SequenceNode) else (node,)
    return [item for item in items if isinstance(item, Scalar)]
