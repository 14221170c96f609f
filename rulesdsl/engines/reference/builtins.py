"""The builtins over a world: most are one call of a function of the runtime.

A function of the runtime takes and gives numbers, which the types of the call turn into values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rulesdsl.builtins import runtime_call, word
from rulesdsl.engines.reference.board import BoundBoard, BuiltinFault
from rulesdsl.engines.reference.explain import explain
from rulesdsl.engines.reference.world import World
from rulesdsl.lower.tables.box import FOLDS
from rulesdsl.lower.tables.encoding import is_set
from rulesdsl.model import types
from rulesdsl.model.checked import CallBuiltin
from rulesdsl.model.game import AttributeDef, Plain
from rulesdsl.model.types import INT_MAX, INT_MIN, PIECE_CLASSES, Type
from rulesdsl.model.values import (
    EnumMember,
    Face,
    Feature,
    Grid,
    Kind,
    Piece,
    Placement,
    Player,
    Segment,
    Value,
    Zone,
    as_set,
)
from rulesdsl.runtime.faults import Fault

BuiltinFunction = Callable[..., Value]
"""A function that gives the result of a builtin for a world and the arguments."""


def builtin_of(board: BoundBoard, node: CallBuiltin) -> BuiltinFunction:
    """Return the function for a call of a builtin on a board; see `function_of`."""
    params = tuple(each.type for each in node.arguments)
    return function_of(board, node.function, params, node.type)


def function_of(
    board: BoundBoard, name: str, params: tuple[Type, ...], result: Type
) -> BuiltinFunction:
    """Return the function for a builtin with arguments and a result of these types.

    It raises BuiltinFault in the cases that the `doc` of the builtin gives.
    """
    found = runtime_call(name, params, result)
    if found is None:
        return INLINE[(name, *map(word, params))]
    function, more = found
    gives_set = is_set(result)
    item = result.item if isinstance(result, types.SetType) else result
    decode, number = board.encoding.decoder(item), board.numbers

    def call(world: World, *given: Any) -> Value:
        try:
            found = world.call(
                function,
                *[
                    world.numbers(value) if isinstance(value, tuple) else number[type(value)](value)
                    for value in given
                ],
                *more,
            )
        except Fault as fault:
            raise explain(world, name, given, fault) from None
        return tuple(map(decode, world.listed(found))) if gives_set else decode(found)

    return call


def pieces_in(world: World, zone: Zone) -> tuple[Value, ...]:
    """Return the pieces in a zone.

    Raises BuiltinFault if they are hidden and may only be counted.
    """
    try:
        found = world.call("zone_pieces", world.number(zone))
    except Fault as fault:
        raise explain(world, "pieces", (zone,), fault) from None
    return tuple(map(Piece, world.listed(found)))


def feature_of(world: World, feature: Feature) -> Value:
    """Return the feature of which a feature is a part now; raises BuiltinFault."""
    try:
        number = world.call("first_of", world.number(feature))
    except Fault as fault:
        raise explain(world, "feature", (feature,), fault) from None
    return feature if number == world.number(feature) else world.value(number, types.FEATURE)


def in_place(world: World, things: list[Value]) -> list[Value]:
    """Return segments or features in the order of their cells.

    Segments of one piece are in its order; those that are not laid come first.
    """
    kind = types.FEATURE if isinstance(things[0], Feature) else types.SEGMENT
    found = world.call("in_place_order", world.numbers(things), int(kind == types.FEATURE))
    return list(world.values(world.listed(found), kind))


# --- builtins that are written out ---------------------------------------------------------------


def whole(number: int) -> int:
    """Return the number; raises BuiltinFault if it does not fit 32 bits."""
    if not INT_MIN <= number <= INT_MAX:
        raise BuiltinFault(f"{number} is too large: integers have 32 bits")
    return number


def _pieces(cls: str) -> BuiltinFunction:
    """Return the builtin for all pieces of a class."""
    return lambda world: world.box.classes[cls]


def _owner(world: World, piece: Piece) -> Player | None:
    seat = world.box.piece(piece).seat
    return None if seat is None else Player(seat)


def _face(world: World, die: Piece) -> Face:
    world.check(die)
    return Face(world.box.piece(die).kind, world.face(die))


def _placement_at(world: World, grid: Grid, x: int, y: int, turns: int) -> Placement:
    try:
        cell = world.call("cell_at", world.number(grid), x, y)
    except Fault as fault:
        raise explain(world, "placement_at", (grid, x, y), fault) from None
    return world.encoding.placement_of(
        (cell << world.encoding.turn_bits) + turns % world.box.game.sides
    )


def _forward(world: World, start: EnumMember, steps: int) -> EnumMember:
    size = len(world.box.enums[start.enum])
    return EnumMember(start.enum, (start.index + steps) % size)


def _steps(world: World, start: EnumMember, end: EnumMember) -> int:
    return (end.index - start.index) % len(world.box.enums[start.enum])


def _div_up(world: World, a: int, b: int) -> int:
    if b == 0:
        raise BuiltinFault(f"{a} is divided by 0")
    return whole(-(-a // b))


INLINE: dict[tuple[str, ...], BuiltinFunction] = {
    ("players",): lambda world: tuple(Player(seat) for seat in range(world.box.players)),
    **{
        (name,): _pieces(cls)
        for name, cls in zip(
            ("tiles", "cards", "dice", "tokens", "figures"), PIECE_CLASSES, strict=True
        )
    },
    ("next", "player"): lambda world, player: Player((player.seat + 1) % world.box.players),
    ("seat", "player"): lambda world, player: player.seat + 1,
    ("centre", "grid"): lambda world, grid: _placement_at(world, grid, 0, 0, 0),
    ("placement_at", "grid", "int", "int", "int"): _placement_at,
    ("owned", "piece"): lambda world, piece: world.box.piece(piece).seat is not None,
    ("forward", "enum", "int"): _forward,
    ("steps", "enum", "enum"): _steps,
    ("half_up", "int"): lambda world, n: (n + 1) // 2,
    ("div_up", "int", "int"): _div_up,
    ("abs", "int"): lambda world, n: whole(abs(n)),
    ("max", "int", "int"): lambda world, a, b: max(a, b),
    ("min", "int", "int"): lambda world, a, b: min(a, b),
    ("kind", "piece"): lambda world, piece: Kind(world.box.piece(piece).kind),
    ("owner", "piece"): _owner,
    ("cell", "placement"): lambda world, at: at.cell,
    ("face", "piece"): _face,
    ("rotation", "placement"): lambda world, at: at.rotation,
    ("x", "cell"): lambda world, cell: cell.x,
    ("y", "cell"): lambda world, cell: cell.y,
    ("index", "space"): lambda world, space: space.index,
}
"""The builtins that are more or less than a call, by name and words of the arguments' types."""


# --- attributes ----------------------------------------------------------------------------------


def attribute(world: World, definition: AttributeDef, owner: Value) -> Value:
    """Return the attribute of its owner, or the default if the owner does not set it.

    Raises BuiltinFault if the owner is none.
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


def feature_kind(world: World, segment: Segment) -> str:
    """Return the full name of the feature kind of a segment; raises BuiltinFault."""
    try:
        number = world.call("feature_kind", world.number(segment))
    except Fault as fault:
        raise explain(world, "feature_kind", (segment,), fault) from None
    return world.box.game.feature_kinds[number].key


def _segment_value(world: World, definition: AttributeDef, segment: Segment) -> Value:
    feature_kind(world, segment)  # raises BuiltinFault unless it is shown
    piece = Piece(segment.piece)
    kind = world.box.kind(piece)
    outline = kind.faces[world.face(piece)].outline if kind.faces else kind.outline
    assert outline is not None, "it has a segment"
    return _value(world, definition, outline.segments[segment.index].attributes)


def _folded(world: World, definition: AttributeDef, feature: Feature) -> Value:
    try:
        segments = world.segments(feature)
    except Fault as fault:
        raise explain(world, definition.name, (feature,), fault) from None
    if feature_kind(world, feature.segment) not in definition.owners:
        segments = segments[:1]
    values = (_segment_value(world, definition, segment) for segment in segments)
    if definition.fold in FOLDS and len(segments) > 1:
        number = world.board.tables.fold_index[definition.key]
        found = world.call("value_of_group", world.number(feature), number)
        return world.value(found, definition.type)
    if definition.fold == "union":
        return as_set(value for value in values if value is not None)
    return next(values)


def _value(world: World, definition: AttributeDef, attributes: Mapping[str, Plain]) -> Value:
    """Return the attribute among those of one component, face or segment.

    Enum members are returned as handles.
    """
    plain = attributes.get(definition.key, definition.default)
    kind: Type = definition.type
    if isinstance(kind, types.OptionalType):
        kind = kind.item
    if isinstance(kind, types.EnumType) and isinstance(plain, str):
        return EnumMember(kind.name, world.box.enums[kind.name].index(plain))
    assert not isinstance(plain, str)
    return plain
