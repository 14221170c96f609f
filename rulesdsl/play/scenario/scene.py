"""Setting the scene: what lies where before the first move."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rulesdsl.diagnostics import Span
from rulesdsl.diagnostics.wording import did_you_mean, listed
from rulesdsl.model.nodes import Mapping, Node, Scalar
from rulesdsl.model.nodes import Sequence as SequenceNode
from rulesdsl.model.values import (
    Cell,
    Piece,
    Placement,
    Segment,
    Space,
    Value,
    Zone,
)
from rulesdsl.play.game import State
from rulesdsl.play.scenario.failure import Failed
from rulesdsl.play.scenario.states import assign
from rulesdsl.play.scenario.stock import Stock
from rulesdsl.play.scenario.vocabulary import zone_called, zone_mistake
from rulesdsl.play.things import cells_called, grids, laid_segments, pieces, spaces, zones
from rulesdsl.play.written import is_segment, means
from rulesdsl.run.engine import PlayError

_KEYS = ("moment", "board", "zones", "put", "links", "unlinks", "state")


def set_scene(state: State, test: Mapping) -> None:
    """Bring about what the scene of a scenario says, and only then ask anew what is offered;
    raises Failed."""
    scene = _Scene(state, test)
    try:
        with state.position.arranging():
            _arrange(scene, test)
    except PlayError as error:
        raise Failed.by(error, "no game goes on from this scene: ", _written(test)) from None
    state.refresh()


def _written(test: Mapping) -> Span:
    """Find the place where a scenario describes its scene, or where it begins."""
    keys = (key.span for key, _ in test.entries if key.value in _KEYS)
    return next(keys, test.span)


def _arrange(scene: _Scene, test: Mapping) -> None:
    board = test.get("board")
    if isinstance(board, SequenceNode):
        scene.clear_grids(board.span)
        scene.lay([entry for entry in board.items if isinstance(entry, Mapping)])
    for key, node in _entries(test.get("put")):
        scene.put(key, node)
    scene.fill()
    scene.check_draw(test.get("zones") or test)
    for joints in ("links", "unlinks"):
        scene.join(joints, test.get(joints))
    for key, node in _entries(test.get("state")):
        assign(scene.state, key, node)


class _Scene:
    def __init__(self, state: State, test: Mapping) -> None:
        self.state = state
        self._position = state.position
        self._game = state.game.checked.game
        named = [(key, self._zone(key), node) for key, node in _entries(test.get("zones"))]
        self._listed = [
            (key, zone, _scalars(node))
            for key, zone, node in named
            if isinstance(node, SequenceNode)
        ]
        rest = [zone for _, zone, node in named if isinstance(node, Scalar)]
        self._stock = Stock(state, [zone for _, zone, _ in self._listed], rest)
        decision = self._position.decision
        drawn = decision is not None and decision.seat is None and dict(decision.arguments)
        zone = drawn and drawn.get("zone")
        self._drawn_from = zone if isinstance(zone, Zone) else None

    # --- grids -----------------------------------------------------------------------------------

    def clear_grids(self, span: Span) -> None:
        """Send home all that lies and stands on grids, figures and tokens first."""
        laid = {item.piece for item in self._position.laid()}
        found = [p for p in pieces(self.state) if isinstance(self._stock.place(p), Cell | Segment)]
        for piece in sorted(found, key=laid.__contains__):
            home = self._stock.home(piece)
            if home is None:
                name = self.state.names.full(piece)
                raise Failed(f"{name} has no zone to go back to", span)
            self._apply("move", (piece, home), span)
            self._stock.cleared.add(piece)

    def lay(self, entries: Sequence[Mapping]) -> None:
        """Lay components on grids, in whichever order each touches another, and what stands on
        them."""
        all = [self._entry(entry) for entry in entries]
        waiting = all
        while waiting:
            late = [each for each in waiting if self._why_not(*each[1:])]
            if len(late) == len(waiting):
                name, piece, spot = late[0]
                raise Failed(self._why_not(piece, spot), name.span)
            waiting = late
        for entry, (_, piece, _) in zip(entries, all, strict=True):
            self._stand(entry, piece)

    def _entry(self, entry: Mapping) -> tuple[Scalar, Piece, Placement]:
        """The name of the component of a line, the component, and where it lies."""
        name, at = entry.get("piece"), entry.get("at")
        assert isinstance(name, Scalar), "the schema asks for a piece"
        assert isinstance(at, SequenceNode), "the schema asks for a cell"
        x, y = (int(item.value) for item in at.items if isinstance(item, Scalar))
        turns = entry.get("rotation")
        rotation = int(turns.value) // 90 if isinstance(turns, Scalar) else 0
        grid, owner = self._grid(entry)
        return name, self._take(name), Placement(Cell(grid, owner, y, x), rotation)

    def _why_not(self, piece: Piece, spot: Placement) -> str:
        """Lay a component; why that does not go, if it does not."""
        try:
            self._position.apply("place", (piece, spot))
        except PlayError as error:
            return error.message
        return ""

    def _stand(self, entry: Mapping, piece: Piece) -> None:
        for key, node in _entries(entry.get("stands")):
            segment = self._segment(piece, key)
            for figure in _scalars(node):
                self._apply("move", (self._take(figure), segment), figure.span)

    # --- zones -----------------------------------------------------------------------------------

    def fill(self) -> None:
        """Let zones hold what is listed, in this order if they keep one. What stays is not moved;
        what comes was mixed with the rest if nobody sees what is there."""
        stays = [self._stock.staying(names, zone) for _, zone, names in self._listed]
        wanted = [
            (key, zone, [piece or self._take(name, self._stock.coming) for name, piece in named])
            for (key, zone, _), named in zip(self._listed, stays, strict=True)
        ]
        for key, zone, _ in wanted:
            for piece in self._stock.unused(zone):
                self._leave(piece, zone, key)
        for key, zone, inside in wanted:
            for piece in inside:
                rest = self._stock.rest_of(piece)
                if rest is not None and self._stock.place(piece) not in (zone, rest):
                    self._apply("move", (piece, rest), key.span)
        for key, zone, inside in wanted:
            self._mix(key.span)
            for piece in inside:
                if self._game.zones[zone.zone].ordered or self._stock.place(piece) != zone:
                    self._apply("move", (piece, zone), key.span)

    def _leave(self, piece: Piece, zone: Zone, key: Scalar) -> None:
        rest = self._stock.rest_of(piece)
        if rest is None:
            name = self.state.names.short(piece)
            message = f"`{name}` is left over from `{self._name(zone)}`, and no zone takes it"
            raise Failed(message, key.span, self._stock.suggested(piece))
        self._apply("move", (piece, rest), key.span)

    def _mix(self, span: Span) -> None:
        """Shuffle the rest where nobody sees it, so that nobody knows what came there."""
        for zone in self._stock.rest:
            declared = self._game.zones[zone.zone]
            if declared.visible == "none" and (declared.ordered or self._is_known(zone)):
                self._apply("shuffle", (zone,), span)

    def _is_known(self, zone: Zone) -> bool:
        """Whether some player knows something of what is in a zone."""
        return any(
            piece is not None
            for seat in range(self._position.players)
            for piece in self._position.seen(zone, seat)
        )

    def check_draw(self, node: Node) -> None:
        """Raise Failed if a component is about to be taken from a zone that is empty now."""
        zone = self._drawn_from
        if zone is not None and zone not in map(self._stock.place, pieces(self.state)):
            name = self._name(zone)
            message = f"`{name}` is empty, but a component is about to be taken from it"
            keys = (key.span for key, _ in _entries(node) if self._means(key, zone))
            raise Failed(message, next(keys, node.span), (f"leave a component in `{name}`",))

    # --- single components and states ------------------------------------------------------------

    def put(self, key: Scalar, node: Node) -> None:
        """Put components of one name somewhere, each to a place of its own."""
        for place in _scalars(node):
            self._apply("move", (self._take(key), self._place(place)), key.span)

    def _place(self, written: Scalar) -> Zone | Space | Segment | Cell:
        """A place by its name: a zone, a space, a segment of a piece on a grid, or a cell."""
        text, names = str(written.value), self.state.names
        known: list[Zone | Space | Segment] = [
            *zones(self.state),
            *spaces(self.state),
            *laid_segments(self.state),
        ]
        found: list[Zone | Space | Segment | Cell] = [
            each for each in known if means(text, each, names)
        ]
        found = found or [*cells_called(text, self.state)]
        if len(found) > 1:
            shown = listed([f"`{names.full(each)}`" for each in found])
            raise Failed(f"`{text}` may be {shown}", written.span)
        if not found:
            help = did_you_mean(text, [str(names.full(each)) for each in known])
            raise Failed(f"there is no place `{text}`", written.span, help)
        return found[0]

    def join(self, key: str, node: Node | None) -> None:
        """Join or part pairs of segments, as the effect of that name does."""
        for pair in node.items if isinstance(node, SequenceNode) else ():
            a, b = (self._laid_segment(name) for name in _scalars(pair))
            self._apply(key.removesuffix("s"), (a, b), pair.span)

    def _laid_segment(self, written: Scalar) -> Segment:
        """A segment of a piece on a grid."""
        place = self._place(written)
        if not isinstance(place, Segment):
            raise Failed(f"`{written.value}` is not a segment", written.span)
        return place

    def _apply(self, effect: str, arguments: tuple[Value, ...], span: Span) -> None:
        try:
            self._position.apply(effect, arguments)
        except PlayError as error:
            raise Failed(error.message, span) from None

    def _take(self, name: Scalar, choose: Callable[[Scalar], Piece] | None = None) -> Piece:
        """Choose a component by its name, a die with that face up."""
        piece = (choose or self._stock.anywhere)(name)
        face = self._stock.face(piece, name)
        if face is not None:
            self._apply("turn_to", (piece, face), name.span)
        return piece

    def _segment(self, piece: Piece, key: Scalar) -> Segment:
        names = self.state.names
        outline = names.outline(piece)
        segments = [
            Segment(piece.index, i) for i in range(len(outline.segments if outline else ()))
        ]
        found = [each for each in segments if is_segment(str(key.value), each, names)]
        if len(found) != 1:
            listed = ", ".join(f"`{names.segment(each)}`" for each in found or segments)
            some = f"several `{key.value}`" if found else f"no `{key.value}`"
            raise Failed(f"there is {some} here; there is {listed}", key.span)
        return found[0]

    def _grid(self, entry: Mapping) -> tuple[int, int]:
        names = self.state.names
        known = {
            names.grid(each.grid, each.index): (each.grid, each.index) for each in grids(self.state)
        }
        wanted = entry.get("grid")
        if wanted is None and len(known) == 1:
            return next(iter(known.values()))
        if not isinstance(wanted, Scalar) or wanted.value not in known:
            listed = ", ".join(f"`{name}`" for name in known)
            raise Failed(f"say `grid:`, one of {listed}", (wanted or entry).span)
        return known[str(wanted.value)]

    def _zone(self, key: Scalar) -> Zone:
        found = zone_called(str(key.value), self.state)
        if found is None:
            message, help = zone_mistake(str(key.value), self.state)
            raise Failed(message, key.span, help)
        return found

    def _means(self, key: Scalar, zone: Zone) -> bool:
        return means(str(key.value), zone, self.state.names)

    def _name(self, value: Value) -> str:
        return str(self.state.names.short(value))


def _entries(node: Node | None) -> tuple[tuple[Scalar, Node], ...]:
    return node.entries if isinstance(node, Mapping) else ()


def _scalars(node: Node) -> list[Scalar]:
    items = node.items if isinstance(node, SequenceNode) else (node,)
    return [item for item in items if isinstance(item, Scalar)]
