"""The evaluation of expressions, which has no side effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from operator import ge, gt, le, lt
from typing import Any, assert_never

from rulesdsl.builtins import FUNCTIONS, PROPERTIES
from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.reference import board, rules
from rulesdsl.engines.reference.board import feature_of, placements
from rulesdsl.engines.reference.chance import hides
from rulesdsl.engines.reference.context import (
    Context,
    Scope,
    StateKey,
    Terms,
    bounded,
    misfit,
    number,
    set_members,
)
from rulesdsl.engines.reference.effects import limit
from rulesdsl.engines.reference.world import BuiltinFault, World
from rulesdsl.model import checked, types
from rulesdsl.model.game import AttributeDef, IndexedDef, Plain
from rulesdsl.model.geometry import STEPS
from rulesdsl.model.sources import FLOWING, domain_name
from rulesdsl.model.values import (
    Cell,
    EnumMember,
    Face,
    Feature,
    Grid,
    Kind,
    Piece,
    Placement,
    Player,
    Segment,
    Space,
    Value,
    Zone,
    as_set,
    order_key,
)
from rulesdsl.runtime import faults

# --- binders -------------------------------------------------------------------------------------

Items = tuple[tuple[Value, ...], ...]
"""The values of the names of a binder, for each round."""


def members(context: Context, value: Value, span: Span) -> tuple[Value, ...]:
    """Return the members of a set, or the pieces of a zone, in canonical order."""
    if isinstance(value, Zone):
        try:
            return as_set(pieces_in(context.world, value))
        except BuiltinFault as fault:
            raise PlayError(fault.message, span) from fault
    found = set_members(value, span)
    if found and isinstance(found[0], Feature):
        return as_set(current(context, item, span) for item in found)
    return found


def current(context: Context, value: Value, span: Span) -> Value:
    """Return a value for comparison: features are replaced by the current ones."""
    match value:
        case Feature():
            try:
                return feature_of(context.world, value.segment)
            except BuiltinFault as fault:
                raise PlayError(fault.message, span) from fault
        case tuple():
            return as_set(current(context, item, span) for item in value)
        case _:
            return value


def items(context: Context, binder: checked.Binder, scope: Scope) -> Iterator[tuple[Value, ...]]:
    """Return the unfiltered items of a binder: single values, or unordered pairs."""
    domain = members(context, context.quiet(binder.domain, scope), binder.domain.span)
    return combinations(domain, len(binder.names))


def each(
    context: Context,
    binders: tuple[checked.Binder, ...],
    scope: Scope,
    found: Callable[[], bool],
) -> bool:
    """Call `found` for every binding of nested binders, in canonical order, until it returns True.

    The names are bound in the scope. Returns whether a call returned True.
    """
    if not binders:
        return found()
    binder, inner = binders[0], binders[1:]
    stopped = False
    for item in items(context, binder, scope):
        context.spend(binder.span)
        scope.locals.update(zip(binder.names, item, strict=True))
        if context.holds(binder.where, scope):
            stopped = each(context, inner, scope, found)
            if stopped:
                break
    for name in binder.names:
        scope.locals.pop(name, None)
    return stopped


def first(context: Context, binder: checked.Binder) -> tuple[Value, ...] | None:
    """Return the first binding of a binder without locals around it, in canonical order.

    It is None if there is none.
    """
    scope, found = Scope(), list[tuple[Value, ...]]()

    def keep() -> bool:
        found.append(tuple(scope.locals[name] for name in binder.names))
        return True

    each(context, (binder,), scope, keep)
    return found[0] if found else None


def rounds(context: Context, loop: checked.For, scope: Scope) -> Items:
    """Return the items of a loop, computed before its first round.

    Segments and features are in the order of their cells. With `start`, they are in turn order from
    that player, and those without an owner come last.
    """
    kept: list[tuple[Value, ...]] = []

    def keep() -> bool:
        kept.append(tuple(scope.locals[name] for name in loop.binder.names))
        return False

    each(context, (loop.binder,), scope, keep)
    if len(loop.binder.names) == 1 and kept and isinstance(kept[0][0], Segment | Feature):
        return tuple(sorted(kept, key=lambda item: board.in_place(context.world, item[0])))
    if loop.start is None:
        return tuple(kept)
    start = context.quiet(loop.start, scope)
    if not isinstance(start, Player):
        raise PlayError("there is no player to begin with", loop.start.span)
    players = context.world.box.players

    def turn(item: tuple[Value, ...]) -> int:
        seat = _seat(context, item[0], loop.span)
        return players if seat is None else (seat - start.seat) % players

    return tuple(sorted(kept, key=turn))


def _seat(context: Context, value: Value, span: Span) -> int | None:
    """Return the seat of a player, or of the owner of a piece."""
    match value:
        case Player(seat):
            return seat
        case Piece(index):
            return context.checked.game.pieces[index].seat
        case _:
            raise PlayError(
                "only a loop over players or components with an owner can begin at a player", span
            )


def comprehension(context: Context, node: checked.Comprehension, scope: Scope) -> Value:
    """Return the set of the values of a comprehension."""
    found: list[Value] = []

    def keep() -> bool:
        found.append(context.quiet(node.value, scope))
        return False

    each(context, node.binders, scope, keep)
    return as_set(found)


def reach(context: Context, node: checked.Reach, scope: Scope) -> Value:
    """Return everything that is reached from the start by repeating the step."""
    todo = list(members(context, context.quiet(node.start, scope), node.start.span))
    found = set(todo)
    while todo:
        context.spend(node.span)
        scope.locals[node.name] = todo.pop()
        step = members(context, context.quiet(node.step, scope), node.step.span)
        new = [item for item in step if item not in found]
        todo.extend(new)
        found.update(new)
    scope.locals.pop(node.name, None)
    return as_set(found)


# --- aggregates ----------------------------------------------------------------------------------


def aggregate(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    """Return the value of an aggregate over the bindings of its binders."""
    match node.function:
        case "count":
            return _count(context, node, scope)
        case "sum":
            return _sum(context, node, scope)
        case "max" | "min":
            return _extreme(context, node, scope)
        case "any":
            return each(context, node.binders, scope, lambda: context.holds(node.value, scope))
        case "all":
            return not each(
                context, node.binders, scope, lambda: not context.holds(node.value, scope)
            )
        case "first":
            found = _found(context, node, scope, most=1)
            return found[0] if found else None
        case "the":
            found = _found(context, node, scope, most=2)
            if len(found) != 1:
                amount = "more than one" if found else "none"
                raise PlayError(
                    f"`the` needs exactly one element, but there is {amount}", node.span
                )
            return found[0]
        case "most" if node.value is not None:
            return _commonest(context, node, scope)
        case "most":
            return _most(context, node, scope)
        case "top":
            return _top(context, node, scope)
        case "alike":
            total = max(_groups(context, node, scope).values(), default=0)
            domain = domain_name(context.checked.game, node.binders[0].domain)
            context.read(domain or "alike", total)
            return total
        case _:
            raise AssertionError(f"no aggregate {node.function}")


def _term(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    if node.value is None:
        return scope.locals[node.binders[0].names[0]]
    return context.evaluate(node.value, scope)


def _count(context: Context, node: checked.Aggregate, scope: Scope) -> int:
    binder = node.binders[0]
    total = 0

    def found() -> bool:
        nonlocal total
        total += 1
        return False

    plain = len(node.binders) == 1 and len(binder.names) == 1 and binder.where is None
    if plain and binder.domain.type == types.ZONE:
        # The pieces of a zone may be counted even if they are hidden.
        total = _size(context, context.quiet(binder.domain, scope), binder.domain.span)
    else:
        each(context, node.binders, scope, found)
    context.read(domain_name(context.checked.game, binder.domain) or "count", total)
    return total


def _size(context: Context, zone: Value, span: Span) -> int:
    if not isinstance(zone, Zone):
        raise PlayError("none is not a zone", span)
    try:
        return len(context.world.members(zone))
    except BuiltinFault as fault:
        raise PlayError(fault.message, span) from fault


def _sum(context: Context, node: checked.Aggregate, scope: Scope) -> int:
    total, start = 0, context.mark()

    def found() -> bool:
        nonlocal total
        term = number(_term(context, node, scope), node.span)
        total = bounded(total + term, node.span)
        return False

    each(context, node.binders, scope, found)
    if context.mark() == start:
        context.read(domain_name(context.checked.game, node.binders[0].domain) or "sum", total)
    return total


def _extreme(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    best: int | None = None
    start = context.mark()

    def found() -> bool:
        nonlocal best
        middle = context.mark()
        term = number(_term(context, node, scope), node.span)
        if best is None or (term > best if node.function == "max" else term < best):
            context.forget(start, middle)
            best = term
        else:
            context.forget(middle, context.mark())
        return False

    each(context, node.binders, scope, found)
    if best is not None:
        return best
    if node.default is None:
        raise PlayError(f"`{node.function}` of an empty set", node.span)
    return context.evaluate(node.default, scope)


def _found(context: Context, node: checked.Aggregate, scope: Scope, most: int) -> list[Value]:
    found: list[Value] = []

    def keep() -> bool:
        found.append(_term(context, node, scope))
        return len(found) == most

    each(context, node.binders, scope, keep)
    return found


def _most(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    best: list[int] = []
    found: list[Value] = []

    def compare() -> bool:
        keys = [context.integer(key, scope) for key in node.keys]
        if not found or keys > best:
            best[:], found[:] = keys, []
        if keys == best:
            found.append(_term(context, node, scope))
        return False

    each(context, node.binders, scope, compare)
    return as_set(found)


def _top(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    """Return the elements with the largest keys; of equal ones, the first in canonical order."""
    assert node.amount is not None
    amount = context.integer(node.amount, scope)
    found: list[tuple[list[int], Value]] = []

    def keep() -> bool:
        keys = [-context.integer(key, scope) for key in node.keys]
        found.append((keys, _term(context, node, scope)))
        return False

    each(context, node.binders, scope, keep)
    found.sort(key=lambda row: row[0])
    return as_set(value for _, value in found[: max(0, amount)])


def _groups(context: Context, node: checked.Aggregate, scope: Scope) -> Counter[Value]:
    """Return how many elements have each value of a term."""
    assert node.value is not None
    term, found = node.value, Counter[Value]()

    def note() -> bool:
        found[current(context, context.quiet(term, scope), term.span)] += 1
        return False

    each(context, node.binders, scope, note)
    return found


def _commonest(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    found = _groups(context, node, scope)
    most = max(found.values(), default=0)
    return as_set(value for value, times in found.items() if times == most)


FOLDS: dict[str, Callable[[list[Value]], Value]] = {
    "sum": lambda values: sum(v for v in values if isinstance(v, int)),
    "max": lambda values: max(v for v in values if isinstance(v, int)),
    "min": lambda values: min(v for v in values if isinstance(v, int)),
    "any": lambda values: any(v is True for v in values),
    "all": lambda values: all(v is True for v in values),
    "union": lambda values: as_set(v for v in values if v is not None),
}
"""The functions that combine the values of the segments of a feature (at least one)."""


# --- attributes ----------------------------------------------------------------------------------


def attribute(world: World, definition: AttributeDef, owner: Value) -> Value:
    """Return the attribute of its owner, or the default if the owner does not set it.

    Raises Fault if the owner is none.
    """
    match owner:
        case Feature():
            return _folded(world, definition, owner)
        case Segment():
            return _segment_value(world, definition, owner)
        case Piece():
            world.check(owner)
            return _value(world, definition, world.box.kind(owner).attributes)
        case Kind():
            return _value(world, definition, world.box.game.kinds[owner.index].attributes)
        case Face():
            face = world.box.game.kinds[owner.kind].faces[owner.index]
            return _value(world, definition, face.attributes)
        case _:
            raise BuiltinFault(f"none has no `{definition.name}`")


def _segment_value(world: World, definition: AttributeDef, segment: Segment) -> Value:
    piece = board.owner(world, segment)
    kind = world.box.kind(piece)
    outline = kind.faces[world.faces[piece]].outline if kind.faces else kind.outline
    assert outline is not None, "it has a segment"
    return _value(world, definition, outline.segments[segment.index].attributes)


def _folded(world: World, definition: AttributeDef, feature: Feature) -> Value:
    segments = board.feature_segments(world, feature)
    values = [_segment_value(world, definition, segment) for segment in segments]
    if board.kind(world, feature.segment) not in definition.owners:
        values = values[:1]
    return FOLDS[definition.fold](values)


def _value(world: World, definition: AttributeDef, attributes: Mapping[str, Plain]) -> Value:
    """Return the attribute among those of one component, face or segment.

    Enum members are returned as handles.
    """
    plain = attributes.get(definition.key, definition.default)
    kind: types.Type = definition.type
    if isinstance(kind, types.OptionalType):
        kind = kind.item
    if isinstance(kind, types.EnumType) and isinstance(plain, str):
        return EnumMember(kind.name, world.box.enums[kind.name].index(plain))
    assert not isinstance(plain, str)
    return plain


Thing = Feature | Segment | Piece | Cell | Space | Zone | Grid
Things = Thing | tuple[Thing, ...]


def call(world: World, name: str, arguments: tuple[Any, ...], result: types.Type) -> Value:
    """Return the result of builtin `name`; raises Fault in the cases that its `doc` gives.

    `cells` is both a function with a set as result and a property with a number: `result`, the type
    of the call, decides which one is meant.
    """
    is_property = name in PROPERTIES and not (
        name in FUNCTIONS and isinstance(result, types.SetType)
    )
    table: dict[str, Callable[..., Value]] = READS if is_property else CALLS
    return table[name](world, *arguments)


def pieces_in(world: World, zone: Zone) -> tuple[Piece, ...]:
    """Return the pieces in a zone, in its order.

    Raises Fault if they are hidden and may only be counted.
    """
    inside = world.members(zone)
    if hides(world, zone):
        text = world.box.zone_text(zone)
        raise BuiltinFault(f"what lies in {text} is hidden: it can only be counted and taken")
    return inside


def whole(number: int) -> int:
    """Return the number; raises Fault if it does not fit 32 bits."""
    if not types.INT_MIN <= number <= types.INT_MAX:
        raise BuiltinFault(f"{number} is too large: integers have 32 bits")
    return number


def _sorted(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(sorted(set(values)))


def _each(things: Things) -> tuple[Thing, ...]:
    return things if isinstance(things, tuple) else (things,)


# --- sets of pieces ------------------------------------------------------------------------------


def _pieces_on(world: World, thing: Thing) -> Iterator[Piece]:
    """Yield all pieces that stand or lie on a thing, or are in a zone."""
    match thing:
        case Zone():
            yield from pieces_in(world, thing)
        case Space() | Segment():
            yield from world.standing(thing)
        case Feature():
            for segment in board.feature_segments(world, thing):
                yield from world.standing(segment)
        case Cell():
            yield from world.standing(thing)
            if thing in board.occupied(world):
                yield board.occupied(world)[thing]
            for segment in board.segments_on(world, thing):
                yield from world.standing(segment)
        case Piece():
            on_grid = isinstance(world.place(thing), Placement)
            for cell in board.covered(world, thing) if on_grid else ():
                yield from (p for p in _pieces_on(world, cell) if p != thing)
        case Grid():
            for piece, where in world.places.items():
                if _grid(world, where) == thing:
                    yield piece


def _grid(world: World, where: object) -> Grid | None:
    """Return the grid that a piece with this place lies or stands on, None if there is none."""
    match where:
        case Placement(cell, _) | (Cell() as cell):
            return Grid(cell.grid, cell.owner)
        case Segment():
            return _grid(world, world.place(Piece(where.piece)))
        case _:
            return None


def _pieces(cls: str) -> Callable[..., tuple[Piece, ...]]:
    """Return the builtin of a class: it returns all its pieces, or those on things."""

    def pieces(world: World, things: Things | None = None) -> tuple[Piece, ...]:
        if things is None:
            found: Iterable[Piece] = world.box.pieces
        else:
            found = (p for thing in _each(things) for p in _pieces_on(world, thing))
        return _sorted(p for p in found if world.box.cls(p) == cls)

    return pieces


def _tiles(world: World, things: Things | None = None) -> tuple[Piece, ...]:
    if not isinstance(things, Feature):
        return _pieces("tile")(world, things)
    parts = board.feature_segments(world, things)
    return _sorted(Piece(s.piece) for s in parts if world.box.cls(Piece(s.piece)) == "tile")


def _kinds(world: World, zone: Zone) -> tuple[Kind, ...]:
    return _sorted(Kind(world.box.piece(p).kind) for p in pieces_in(world, zone))


def _one(world: World, place: Thing, kind: Kind) -> Piece:
    for piece in sorted(set(_pieces_on(world, place))):
        if world.box.piece(piece).kind == kind.index:
            return piece
    match place:
        case Piece():
            where = world.box.piece_text(place)
        case Feature():
            where = world.segment_text(place.segment)
        case Grid():
            where = world.box.grid_text(place)
        case _:
            where = world.place_text(place)
    raise BuiltinFault(f"{where} has no {world.box.kind_text(kind)}")


def _home(world: World, piece: Piece) -> Zone:
    world.check(piece)
    start = world.box.start(piece)
    if not isinstance(start, Zone):
        raise BuiltinFault(f"{world.box.piece_text(piece)} did not begin in a zone")
    return start


def _room(world: World, zone: Zone) -> int:
    inside, room = world.members(zone), limit(world, zone)
    if room is None:
        raise BuiltinFault(f"{world.box.zone_text(zone)} has no limit")
    return max(0, room - len(inside))


def _position(world: World, piece: Piece) -> int:
    zone = _zone(world, piece)
    if not world.box.keeps_order(zone):
        raise BuiltinFault(f"{world.box.zone_text(zone)} keeps no order")
    return pieces_in(world, zone).index(piece) + 1


# --- sets of things on grids ---------------------------------------------------------------------


def _segments(world: World, thing: Piece | Feature | Cell | Grid) -> tuple[Segment, ...]:
    match thing:
        case Grid():
            return _sorted(board.segments_of_grid(world, thing))
        case Feature():
            return board.feature_segments(world, thing)
        case Cell():
            return tuple(board.segments_on(world, thing))
        case Piece():
            return tuple(board.segments(world, thing))


def _features(world: World, things: Piece | Cell | Grid | tuple[Cell, ...]) -> tuple[Feature, ...]:
    match things:
        case Grid():
            return board.features_of(world, board.segments_of_grid(world, things))
        case Piece():
            return board.features_of(world, board.segments(world, things))
        case Cell():
            return board.features_of(world, board.segments_on(world, things))
        case tuple():
            on = [s for cell in things for s in board.segments_on(world, cell)]
            return board.features_of(world, on)


def _cells(
    world: World, thing: Feature | Piece | Grid, at: Placement | None = None
) -> tuple[Cell, ...]:
    if at is not None:
        assert isinstance(thing, Piece)
        world.check(thing)
        covered = board.footprint(world.layout(thing, at.rotation), at)
        return tuple(filter(world.box.inside, covered))
    match thing:
        case Feature():
            return tuple(board.feature_cells(world, thing))
        case Piece():
            return tuple(board.covered(world, thing))
        case Grid():
            cells = board.occupied(world)
            return _sorted(c for c in cells if Grid(c.grid, c.owner) == thing)


def _around(steps: tuple[tuple[int, int], ...]) -> Callable[..., tuple[Cell, ...]]:
    """Return the builtin for the occupied cells some steps away from a cell or piece."""

    def around(world: World, thing: Cell | Piece) -> tuple[Cell, ...]:
        own = [thing] if isinstance(thing, Cell) else board.covered(world, thing)
        return tuple(board.around(world, own, steps))

    return around


_EIGHT = tuple((x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if (x, y) != (0, 0))


def _cell_at(world: World, start: Grid | Cell, x: int, y: int) -> Cell:
    if isinstance(start, Cell):
        grid, cell = Grid(start.grid, start.owner), board.shift(start, x, y)
    else:
        grid, cell = start, Cell(start.grid, start.index, y, x)
    if grid not in world.box or not world.box.inside(cell):
        raise BuiltinFault(f"{world.box.cell_text(cell)} is outside of the grid")
    return cell


def _all_cells(world: World, grid: Grid) -> tuple[Cell, ...]:
    size = world.box.game.grids[grid.grid].size
    if size is None:
        raise BuiltinFault(f"{world.box.grid_text(grid)} has no size")
    width, height = size
    return tuple(_cell_at(world, grid, x, y) for y in range(height) for x in range(width))


def _between(world: World, a: Cell, b: Cell) -> tuple[Cell, ...]:
    x, y = b.x - a.x, b.y - a.y
    distance = max(abs(x), abs(y))
    one_grid = (a.grid, a.owner) == (b.grid, b.owner)
    if not one_grid or abs(x) not in (0, distance) or abs(y) not in (0, distance):
        return ()
    steps = range(1, distance)
    return _sorted(board.shift(a, n * x // distance, n * y // distance) for n in steps)


def _ray(world: World, cell: Cell, x: int, y: int) -> tuple[Cell, ...]:
    found: set[Cell] = set()
    while (x, y) != (0, 0) and world.box.inside(cell := board.shift(cell, x, y)):
        found.add(cell)
    return _sorted(found)


_MOST_CELLS = 200_000
"""The most cells of a rectangle."""


def _rectangle(world: World, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    found: list[Cell] = []
    for grid, owner in sorted({(cell.grid, cell.owner) for cell in cells}):
        columns = [cell.x for cell in cells if (cell.grid, cell.owner) == (grid, owner)]
        rows = [cell.y for cell in cells if (cell.grid, cell.owner) == (grid, owner)]
        size = (max(columns) - min(columns) + 1) * (max(rows) - min(rows) + 1)
        if size > _MOST_CELLS:
            raise BuiltinFault(f"a rectangle of {size} cells is too large")
        found += [
            Cell(grid, owner, y, x)
            for y in range(min(rows), max(rows) + 1)
            for x in range(min(columns), max(columns) + 1)
        ]
    return tuple(found)


def _lane_at(world: World, cell: Cell, side: EnumMember, lane: int) -> Segment | None:
    return board.lane_at(world, cell, side.index, lane - 1)


def _corner_at(world: World, cell: Cell, one: EnumMember, other: EnumMember) -> Segment | None:
    before, after = one.index, other.index
    if (before + 1) % 4 != after:
        before, after = after, before
    if (before + 1) % 4 != after:
        return None
    held = board.lane_at(world, cell, before, 2)
    return held if held == board.lane_at(world, cell, after, 0) else None


def _placement_at(world: World, grid: Grid, x: int, y: int, turns: int) -> Placement:
    return Placement(_cell_at(world, grid, x, y), turns % 4)


def _at(world: World, segment: Segment, at: Placement | None) -> Placement:
    """Return the given placement, or else the placement of the piece of the segment."""
    return at if at is not None else board.lies(world, board.owner(world, segment))


def _joined(world: World, segment: Segment, at: Placement | None = None) -> tuple[Segment, ...]:
    if at is None:
        return tuple(board.joined(world, segment))
    return _sorted(board.contacts(world, segment, at))


def _ahead(world: World, segment: Segment, at: Placement | None = None) -> tuple[Cell, ...]:
    cells = board.empty_ahead(world, segment, _at(world, segment, at))
    return _sorted(cell for cell in cells if world.box.inside(cell))


def _sides(world: World, segment: Segment, at: Placement | None = None) -> tuple[EnumMember, ...]:
    layout = world.layout(board.owner(world, segment), _at(world, segment, at).rotation)
    return _sorted(EnumMember(types.SIDE.name, port.side) for port in layout.ports[segment.index])


# --- players, tracks, numbers --------------------------------------------------------------------


def _forward(world: World, start: Space | EnumMember, steps: int) -> Space | EnumMember:
    if isinstance(start, EnumMember):
        size = len(world.box.enums[start.enum])
        return EnumMember(start.enum, (start.index + steps) % size)
    track = world.box.game.tracks[start.track]
    if track.loop:
        return Space(start.track, (start.index + steps) % track.length)
    if not 0 <= start.index + steps < track.length:
        text = world.box.space_text(start)
        raise BuiltinFault(f"{steps} steps forward from {text} lead past the end of the track")
    return Space(start.track, start.index + steps)


def _steps(world: World, start: Space | EnumMember, end: Space | EnumMember) -> int:
    """Return the number of steps for which `forward` leads to the end.

    It is negative if the end is behind the start on a track that is not a loop.
    """
    if isinstance(start, EnumMember):
        return (end.index - start.index) % len(world.box.enums[start.enum])
    track = world.box.game.tracks[start.track]
    if not isinstance(end, Space) or end.track != start.track:
        raise BuiltinFault(f"{world.box.space_text(start)} is on another track")
    return (end.index - start.index) % track.length if track.loop else end.index - start.index


def _div_up(world: World, a: int, b: int) -> int:
    if b == 0:
        raise BuiltinFault(f"{a} is divided by 0")
    return whole(-(-a // b))


CALLS: dict[str, Callable[..., Value]] = {
    "players": lambda world: tuple(Player(seat) for seat in range(world.box.players)),
    "tiles": _tiles,
    "cards": _pieces("card"),
    "dice": _pieces("die"),
    "tokens": _pieces("token"),
    "figures": _pieces("figure"),
    "next": lambda world, player: Player((player.seat + 1) % world.box.players),
    "seat": lambda world, player: player.seat + 1,
    "segments": _segments,
    "features": _features,
    "cells": _cells,
    "borders": board.borders,
    "ring": _around(_EIGHT),
    "beside": _around(STEPS),
    "occupied": lambda world, cell: cell in board.occupied(world),
    "all_cells": _all_cells,
    "between": _between,
    "ray": _ray,
    "rectangle": _rectangle,
    "cell_at": _cell_at,
    "closed": lambda world, feature: board.ends(world, feature) == 0,
    "placements": placements,
    "centre": lambda world, grid: _placement_at(world, grid, 0, 0, 0),
    "placement_at": _placement_at,
    "joined": _joined,
    "ahead": _ahead,
    "sides": _sides,
    "lane_at": _lane_at,
    "corner_at": _corner_at,
    "touching": board.touching,
    "kinds": _kinds,
    "one": _one,
    "home": _home,
    "on_board": lambda world, piece: _grid(world, world.place(piece)) is not None,
    "owned": lambda world, piece: world.box.piece(piece).seat is not None,
    "room": _room,
    "position": _position,
    "forward": _forward,
    "steps": _steps,
    "half_up": lambda world, n: (n + 1) // 2,
    "div_up": _div_up,
    "abs": lambda world, n: whole(abs(n)),
    "max": lambda world, a, b: max(a, b),
    "min": lambda world, a, b: min(a, b),
}


# --- properties ----------------------------------------------------------------------------------


def _owner(world: World, piece: Piece) -> Player | None:
    seat = world.box.piece(piece).seat
    return None if seat is None else Player(seat)


def _elsewhere(world: World, piece: Piece, wanted: str) -> BuiltinFault:
    place = world.place_text(world.place(piece))
    return BuiltinFault(f"{world.box.piece_text(piece)} is not {wanted}; it is here: {place}")


def _zone(world: World, piece: Piece) -> Zone:
    where = world.place(piece)
    if not isinstance(where, Zone):
        raise _elsewhere(world, piece, "in a zone")
    return where


def _segment(world: World, piece: Piece) -> Segment:
    where = world.place(piece)
    if not isinstance(where, Segment):
        raise _elsewhere(world, piece, "on a segment")
    return where


def _space(world: World, piece: Piece) -> Space:
    where = world.place(piece)
    if not isinstance(where, Space):
        raise _elsewhere(world, piece, "on a space")
    return where


def _cell(world: World, thing: Piece | Segment | Feature | Placement) -> Cell:
    match thing:
        case Placement():
            return thing.cell
        case Segment():
            return board.segment_cells(world, thing)[0]
        case Feature():
            return board.feature_cells(world, thing)[0]
        case Piece():
            match where := world.place(thing):
                case Cell():
                    return where
                case Placement() | Segment():
                    return _cell(world, where)
                case _:
                    raise _elsewhere(world, thing, "on a grid")


def _tile(world: World, thing: Piece | Segment | Cell) -> Piece:
    match thing:
        case Segment():
            tile = board.owner(world, thing)
            if world.box.cls(tile) != "tile":
                raise BuiltinFault(f"{world.box.piece_text(tile)} is not a tile")
            return tile
        case Cell():
            lying = board.occupied(world).get(thing)
            if lying is None or world.box.cls(lying) != "tile":
                raise BuiltinFault(f"no tile lies at {world.box.cell_text(thing)}")
            return lying
        case Piece():
            match where := world.place(thing):
                case Segment() | Cell():
                    return _tile(world, where)
                case _:
                    raise _elsewhere(world, thing, "on a tile")


def _feature(world: World, thing: Piece | Segment) -> Feature:
    segment = thing if isinstance(thing, Segment) else _segment(world, thing)
    return board.feature_of(world, segment)


def _face(world: World, die: Piece) -> Face:
    world.check(die)
    return Face(world.box.piece(die).kind, world.faces[die])


def _rotation(world: World, thing: Piece | Placement) -> int:
    at = thing if isinstance(thing, Placement) else board.lies(world, thing)
    return at.rotation


READS: dict[str, Callable[..., Value]] = {
    "kind": lambda world, piece: Kind(world.box.piece(piece).kind),
    "owner": _owner,
    "zone": _zone,
    "cell": _cell,
    "tile": _tile,
    "segment": _segment,
    "feature": _feature,
    "space": _space,
    "face": _face,
    "cells": lambda world, feature: len(board.feature_cells(world, feature)),
    "ends": board.ends,
    "rotation": _rotation,
    "x": lambda world, cell: cell.x,
    "y": lambda world, cell: cell.y,
    "index": lambda world, space: space.index,
}


_ORDER: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


class Evaluator(Context):
    """A context that evaluates expressions."""

    def evaluate(self, expression: checked.Expr, scope: Scope) -> Value:
        match expression:
            case checked.Local():
                return self._local(expression, scope)
            case checked.Const():
                return expression.value
            case checked.CallBuiltin():
                return self._builtin(expression, scope)
            case checked.ReadState():
                return self._state(expression, scope)
            case checked.ReadAttribute():
                return self._attribute(expression, scope)
            case checked.Compare():
                return self._compare(expression, scope)
            case checked.Binary():
                return self._binary(expression, scope)
            case checked.CallValue():
                return self._value(expression, scope)
            case checked.IsKind():
                return self._is_kind(expression, scope)
            case checked.Aggregate():
                return aggregate(self, expression, scope)
            case checked.Not():
                return self.evaluate(expression.operand, scope) is False
            case checked.IfElse():
                chosen = self.holds(expression.condition, scope)
                return self.evaluate(expression.then if chosen else expression.otherwise, scope)
            case checked.Member():
                return self._member(expression, scope)
            case checked.EntryAt():
                return self._entry(expression, scope)
            case checked.Ranged():
                return self._ranged(expression, scope)
            case checked.Negate():
                return bounded(-self.integer(expression.operand, scope), expression.span)
            case _:
                return self._set(expression, scope)

    def _set(
        self,
        expression: checked.RangeSet
        | checked.EnumSet
        | checked.SetLiteral
        | checked.Comprehension
        | checked.Reach
        | checked.Previous,
        scope: Scope,
    ) -> Value:
        match expression:
            case checked.RangeSet():
                return self._range(expression, scope)
            case checked.EnumSet():
                members = self.world.box.enums[expression.enum]
                return tuple(EnumMember(expression.enum, i) for i in range(len(members)))
            case checked.SetLiteral():
                return as_set([self.quiet(item, scope) for item in expression.items])
            case checked.Comprehension():
                return comprehension(self, expression, scope)
            case checked.Reach():
                return reach(self, expression, scope)
            case checked.Previous():
                return rules.previous(self, expression, scope)
            case _:
                assert_never(expression)

    # --- reading -----------------------------------------------------------------------------

    def _local(self, node: checked.Local, scope: Scope) -> Value:
        if self.trace is not None:
            self.trace.extend(scope.terms.get(node.name, ()))
        return scope.locals[node.name]

    def _state(self, node: checked.ReadState, scope: Scope) -> Value:
        key = self.state_key(node.state, node.owner, node.index, scope, node.span)
        value = self.stored(key)
        self.read(node.state, value)
        return value

    def state_key(
        self,
        state: str,
        owner: checked.Expr | None,
        index: tuple[checked.Expr, ...],
        scope: Scope,
        span: Span,
    ) -> StateKey:
        """Return the key of the datum for a state with its owner and index.

        Raises PlayError for an owner that is none, and for an owner or index that is a colour
        nobody plays.
        """
        holder: Value = None
        if owner is not None:
            holder = self.quiet(owner, scope)
            if holder is None:
                raise PlayError(f"none has no `{state}`", span)
        places = tuple([self.quiet(part, scope) for part in index])
        for player in (holder, *places):
            if isinstance(player, Player) and player.seat not in self.world.box.seats:
                absent = self.world.box.player_text(player.seat)
                raise PlayError(f"{absent} does not play in this game", span)
        return state, holder, places

    def stored(self, key: StateKey) -> Value:
        """Return the datum with this key."""
        return self.states[key] if key in self.states else self.initial[key[0]]

    def _attribute(self, node: checked.ReadAttribute, scope: Scope) -> Value:
        owner = self.quiet(node.object, scope)
        try:
            value = attribute(self.world, self.attributes[node.attribute], owner)
        except BuiltinFault as fault:
            raise PlayError(fault.message, node.span) from fault
        if isinstance(node.type, types.IntType):
            self.read(node.attribute, value)
        return value

    def _entry(self, node: checked.EntryAt, scope: Scope) -> Value:
        game = self.checked.game
        indices = [self.quiet(each, scope) for each in node.index]
        index = indices[0] if indices else None
        match node.what:
            case "table":
                table = game.tables[node.number]
                entry = number(index, node.span)
                if not table.low <= entry < table.low + len(table.values):
                    raise PlayError(f"`{table.name}` has no entry {entry}", node.span)
                value = table.values[entry - table.low]
                self.read(table.key, value)
                return value
            case "track":
                track = game.tracks[node.number]
                space = number(index, node.span)
                if not 0 <= space < track.length:
                    raise PlayError(f"`{track.name}` has no space {space}", node.span)
                return Space(node.number, space)
            case "zone":
                return Zone(node.number, self._instance(game.zones[node.number], indices, node))
            case "grid":
                return Grid(node.number, self._instance(game.grids[node.number], indices, node))
            case _:
                raise AssertionError(f"no entries of {node.what}")

    def _instance(self, place: IndexedDef, indices: Sequence[Value], node: checked.EntryAt) -> int:
        numbers = [0, 0]
        for at, index in enumerate(indices):
            match index:
                case Player():
                    numbers[at] = index.seat
                case EnumMember():
                    numbers[at] = index.index
                case _:
                    raise PlayError(f"none is not an index of `{place.name}`", node.span)
        return numbers[0] * place.inner + numbers[1]

    # --- calling -----------------------------------------------------------------------------

    def _value(self, node: checked.CallValue, scope: Scope) -> Value:
        arguments, terms = self.arguments(node.arguments, scope)
        kept = self.trace
        if not isinstance(node.type, types.IntType):
            self.trace = None
        value = rules.value_of(self, node.value, arguments, terms, node.span)
        self.trace = kept
        return value

    def arguments(
        self, expressions: tuple[checked.Expr, ...], scope: Scope
    ) -> tuple[tuple[Value, ...], tuple[Terms, ...]]:
        """Return the values of arguments, from left to right, and the readings of each."""
        pairs = [self.traced(expression, scope) for expression in expressions]
        return tuple([value for value, _ in pairs]), tuple([terms for _, terms in pairs])

    def _builtin(self, node: checked.CallBuiltin, scope: Scope) -> Value:
        flowing = node.function in FLOWING
        given: list[Value] = []
        for part in node.arguments:
            given.append(self.evaluate(part, scope) if flowing else self.quiet(part, scope))
        if None in given:
            raise PlayError(f"`{node.function}` of none", node.span)
        try:
            value = call(self.world, node.function, tuple(given), node.type)
        except BuiltinFault as fault:
            raise PlayError(fault.message, node.span) from fault
        if isinstance(node.type, types.IntType) and not flowing:
            self.read(node.function, value)
        return value

    # --- operators ---------------------------------------------------------------------------

    def _binary(self, node: checked.Binary, scope: Scope) -> Value:
        match node.operator:
            case "or":
                return self.holds(node.left, scope) or self.holds(node.right, scope)
            case "and":
                return self.holds(node.left, scope) and self.holds(node.right, scope)
            case "union" | "difference":
                left = members(self, self.quiet(node.left, scope), node.left.span)
                right = members(self, self.quiet(node.right, scope), node.right.span)
                if node.operator == "union":
                    return as_set(left + right)
                others = frozenset(right)
                return tuple([item for item in left if item not in others])
        return self._arithmetic(node, scope)

    def _arithmetic(self, node: checked.Binary, scope: Scope) -> int:
        left, right = self.integer(node.left, scope), self.integer(node.right, scope)
        match node.operator:
            case "+":
                return bounded(left + right, node.span)
            case "-":
                return bounded(left - right, node.span)
            case "*":
                return bounded(left * right, node.span)
        if right == 0:
            raise PlayError("a division by zero", node.span)
        match node.operator:
            case "div":
                return bounded(left // right, node.span)
            case "mod":
                return left % right
            case _:
                raise AssertionError(f"no operator {node.operator}")

    def _ranged(self, node: checked.Ranged, scope: Scope) -> Value:
        value = self.evaluate(node.operand, scope)
        if value is None and not isinstance(node.type, types.OptionalType):
            raise PlayError(f"`{node.operand.span.text}` is none", node.span)
        found = misfit(node.type, value)
        if found is not None:
            wanted, part = found
            raise PlayError(f"{part} does not fit {wanted}", node.span)
        return value

    def _compare(self, node: checked.Compare, scope: Scope) -> bool:
        left, right = self.quiet(node.left, scope), self.quiet(node.right, scope)
        if node.operator in ("==", "!="):
            left = current(self, left, node.left.span)
            right = current(self, right, node.right.span)
            return (left == right) is (node.operator == "==")
        if left is None or right is None:
            raise PlayError("none cannot be compared by size", node.span)
        return _ORDER[node.operator](order_key(left), order_key(right))

    def _member(self, node: checked.Member, scope: Scope) -> bool:
        item = current(self, self.quiet(node.item, scope), node.item.span)
        if isinstance(node.set, checked.RangeSet):
            low, high = self._bounds(node.set, scope)
            return low <= number(item, node.item.span) <= high
        return item in members(self, self.quiet(node.set, scope), node.set.span)

    def _range(self, node: checked.RangeSet, scope: Scope) -> Value:
        low, high = self._bounds(node, scope)
        if high - low >= faults.NUMBERS:
            raise PlayError(f"a range of more than {faults.NUMBERS} numbers", node.span)
        return tuple(range(low, high + 1))

    def _bounds(self, node: checked.RangeSet, scope: Scope) -> tuple[int, int]:
        low, high = self.quiet(node.low, scope), self.quiet(node.high, scope)
        return number(low, node.low.span), number(high, node.high.span)

    def _is_kind(self, node: checked.IsKind, scope: Scope) -> bool:
        thing = self.quiet(node.object, scope)
        match thing, node.test:
            case None, "none":
                return True
            case Piece(), "class":
                return self.world.box.cls(thing) == node.name
            case Piece(), "kind":
                return self.world.box.kind(thing).key == node.name
            case Kind(), "class":
                return self.checked.game.kinds[thing.index].cls == node.name
            case Kind(), "kind":
                return self.checked.game.kinds[thing.index].key == node.name
            case Segment(), "feature":
                return self._feature_kind(thing, node.span) == node.name
            case Feature(), "feature":
                now = current(self, thing, node.span)
                assert isinstance(now, Feature)
                return self._feature_kind(now.segment, node.span) == node.name
        return False

    def _feature_kind(self, segment: Segment, span: Span) -> str:
        try:
            return board.kind(self.world, segment)
        except BuiltinFault as fault:
            raise PlayError(fault.message, span) from fault
