"""The tables of the box say what the plain world works out from the game."""

from __future__ import annotations

from itertools import product

import pytest

from rulesdsl.engine.lower.tables.box import EVERY, BoxTables, make_box
from rulesdsl.engine.lower.tables.encoding import Encoding, feature_kinds, none_of
from rulesdsl.engine.runtime import tables
from rulesdsl.engine.runtime.declare import DeclaredTable, measure
from rulesdsl.language.model.game import AttributeDef
from rulesdsl.language.model.geometry import Port
from rulesdsl.language.model.types import INT, PIECE_CLASSES, OptionalType
from rulesdsl.language.model.values import Face, Kind, Piece, Segment, Zone
from tests.oracle.board import mirror
from tests.oracle.box import Layout
from tests.oracle.builtins import attribute
from tests.oracle.effects import limit
from tests.oracle.world import World
from tests.runtime.twins import GAMES, game_of

PAIRS = [(name, players) for name, counts in GAMES.items() for players in counts]
BOXES = pytest.mark.parametrize(("name", "players"), PAIRS)
TABLES = {name: table for name, table in vars(tables).items() if isinstance(table, DeclaredTable)}


def box_of(name: str, players: int) -> tuple[BoxTables, World]:
    checked = game_of(name)
    return make_box(checked, players, Encoding(checked, players)), World(checked.game, players)


@BOXES
def test_every_const_table_is_as_large_as_declared_and_within_its_bounds(
    name: str, players: int
) -> None:
    box, _ = box_of(name, players)
    for key, table in TABLES.items():
        low, high = measure(table.low, box.dims), measure(table.high, box.dims)
        assert low <= high or measure(table.size, box.dims) == 0, key
        if table.role == "const":
            values = box.values[key]
            assert len(values) == measure(table.size, box.dims), key
            assert all(low <= value <= high for value in values), key


@BOXES
def test_shapes_are_the_layouts(name: str, players: int) -> None:
    box, world = box_of(name, players)
    for piece, rotation in product(world.box.pieces, range(4)):
        for face in range(max(1, len(world.box.kind(piece).faces))):
            layout = world.box.layout(piece, face, rotation)
            shape = box.values["piece_shape"][piece.index] + 4 * face + rotation
            assert_shape(box, shape, layout)


def assert_shape(box: BoxTables, shape: int, layout: Layout) -> None:
    values = box.values
    assert (values["shape_width"][shape], values["shape_height"][shape]) == layout.size
    assert values["shape_parts"][shape] == len(layout.ports)
    numbers = feature_kinds(box.checked.game)
    for index, kind in enumerate(layout.kinds):
        part = values["shape_part"][shape] + index
        assert values["part_kind"][part] == numbers[kind]
        ports = range(values["part_port"][part], values["part_port"][part + 1])
        columns = ("port_x", "port_y", "port_side", "port_lane")
        assert [Port(*(values[c][row] for c in columns)) for row in ports] == list(
            layout.ports[index]
        )
        areas = range(values["part_cell"][part], values["part_cell"][part + 1])
        cells = [(values["area_y"][row], values["area_x"][row]) for row in areas]
        assert cells == sorted((y, x) for x, y in layout.cells[index])
        borders = slice(values["part_border"][part], values["part_border"][part + 1])
        assert values["border_part"][borders] == layout.borders[index]
        others = (i for i in range(len(layout.kinds)) if i != index and layout.kinds[i] == kind)
        twin = any(set(layout.cells[i]) & set(layout.cells[index]) for i in others)
        assert values["part_twin"][part] == twin
    assert_corners(box, shape, layout)


def assert_corners(box: BoxTables, shape: int, layout: Layout) -> None:
    values, (width, height) = box.values, layout.size
    for x, y, side in product(range(width), range(height), range(4)):
        corner = values["shape_corner"][shape] + y * width + x
        code = values["corner_side"][corner * 4 + side]
        kind = layout.sides.get((x, y, side))
        assert (code == 0) == (kind is None)
        for lane in range(3):
            holder = values["corner_holder"][corner * 12 + side * 3 + lane]
            assert holder == layout.holder.get(Port(x, y, side, lane), -1)
        fitting = (code * 4 + side) * values["FITS"][0] + values["shape_fit"][shape]
        bit = values["shape_bit"][shape]
        assert values["side_fit"][fitting] & bit == bit
        assert (bit != 0) == (layout.size == (1, 1))


@BOXES
def test_side_codes_are_equal_for_sides_of_one_kind(name: str, players: int) -> None:
    box, world = box_of(name, players)
    codes: dict[str | None, set[int]] = {}
    for piece in world.box.pieces:
        for face in range(max(1, len(world.box.kind(piece).faces))):
            layout = world.box.layout(piece, face, 0)
            first = box.values["shape_corner"][box.values["piece_shape"][piece.index] + 4 * face]
            for (x, y, side), kind in layout.sides.items():
                corner = first + y * layout.size[0] + x
                shown = EVERY if (x, y, side) in layout.agreeing else kind
                codes.setdefault(shown, set()).add(box.values["corner_side"][corner * 4 + side])
    assert all(len(found) == 1 for found in codes.values())
    assert len(set.union(*codes.values())) == len(codes)


def test_a_lane_lies_against_the_mirrored_one() -> None:
    for side, lane in product(range(4), range(3)):
        against = mirror(Port(0, 0, side, lane))
        assert (against.side, against.lane) == (side ^ 2, 2 - lane)


@BOXES
def test_pieces_begin_where_they_begin(name: str, players: int) -> None:
    box, world = box_of(name, players)
    values, encoding = box.values, box.encoding
    for index, definition in enumerate(world.box.game.pieces):
        piece = Piece(index)
        assert values["piece_in"][index] == (piece in world.box)
        assert values["piece_class"][index] == PIECE_CLASSES.index(world.box.cls(piece))
        cls = values["piece_class"][index]
        assert values["class_first"][cls] <= index < values["class_end"][cls]
        start = world.box.start(piece) if piece in world.box else None
        home = encoding.encode(start, INT) if isinstance(start, Zone) else -1
        assert values["piece_home"][index] == home
        if start is None:
            assert values["piece_start"][index] == -1
        elif not isinstance(start, Zone):
            assert values["piece_start"][index] == box.dims["zones"] + encoding.encode(start, INT)
        assert values["piece_seat"][index] == (-1 if definition.seat is None else definition.seat)
        like = world.box.game.pieces[values["piece_like"][index]]
        assert (like.kind, like.seat, like.start) == (
            definition.kind,
            definition.seat,
            definition.start,
        )


@BOXES
def test_zones_take_what_they_take(name: str, players: int) -> None:
    box, world = box_of(name, players)
    values = box.values
    for number, zone in enumerate(world.box.zones):
        declared = world.box.game.zones[zone.zone]
        assert values["zone_keeps"][number] == world.box.keeps_order(zone)
        room = limit(world, zone)
        assert values["zone_room"][number] == (2**31 - 1 if room is None else room)
        held = {c for i, c in enumerate(PIECE_CLASSES) if values["zone_holds"][number] >> i & 1}
        assert held == declared.holds
        assert ("all", "owner", "none", "others")[
            values["zone_visible"][number]
        ] == declared.visible
        assert values["zone_seat"][number] == (
            -1 if (seat := declared.seat(zone.index)) is None else seat
        )


def number(box: BoxTables, world: World, definition: AttributeDef, owner: object) -> int:
    value = attribute(world, definition, owner)  # type: ignore[arg-type]
    kind = definition.type
    inner = kind.item if isinstance(kind, OptionalType) else kind
    return none_of(inner) if value is None else box.encoding.encode(value, inner)


@BOXES
def test_attributes_are_those_of_kinds_faces_and_segments(name: str, players: int) -> None:
    box, world = box_of(name, players)
    game = world.box.game
    for definition in game.attributes:
        _, of_kinds = box.kind_attribute(definition.key)
        for index in range(len(game.kinds)):
            assert of_kinds[index] == number(box, world, definition, Kind(index))
        _, of_faces = box.face_attribute(definition.key)
        for index, kind in enumerate(game.kinds):
            for face in range(len(kind.faces)):
                given = of_faces[box.values["kind_face"][index] + face]
                assert given == number(box, world, definition, Face(index, face))
        _, of_parts = box.part_attribute(definition.key)
        for piece in world.box.pieces:
            part = box.values["shape_part"][box.values["piece_shape"][piece.index]]
            for index in range(len(world.layout(piece).ports)):
                segment = Segment(piece.index, index)
                assert of_parts[part + index] == number(box, world, definition, segment)
                if definition.key in box.fold_index and (
                    world.layout(piece).kinds[index] in definition.owners
                ):
                    entry = (part + index) * box.dims["folds"] + box.fold_index[definition.key]
                    assert box.values["part_value"][entry] == of_parts[part + index]


def test_names_of_attribute_tables_are_their_own() -> None:
    for name, players in PAIRS:
        box, world = box_of(name, players)
        keys = [definition.key for definition in world.box.game.attributes]
        columns = [
            column(key)[0]
            for key in keys
            for column in (box.kind_attribute, box.face_attribute, box.part_attribute)
        ]
        assert len(set(columns)) == 3 * len(keys)
        assert set(columns).isdisjoint(TABLES)
