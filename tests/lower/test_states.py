"""States in tables: what is written can be read, and hooks of the runtime see what rules store."""

from __future__ import annotations

from itertools import cycle

from rulesdsl.engine.lower.tables.state_tables import StateTable
from rulesdsl.language.model.types import (
    CELL,
    FACE,
    FEATURE,
    GRID,
    KIND,
    PIECE,
    PIECE_CLASSES,
    PLACEMENT,
    PLAYER,
    SEGMENT,
    SPACE,
    ZONE,
    EnumType,
    IntType,
    NamedType,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.language.model.values import Cell, EnumMember, Piece, Segment, Value, as_set
from tests.engines.machine_games import game
from tests.lower.machine import Machine
from tests.oracle.likeness import Likeness

RULES = """
state game.number: int -7..9 = -2
state game.some: int?
state game.truth: bool?
state game.face_now: face?
state game.grid_now: grid?
state game.space_now: space?
state game.zone_now: zone?
state game.lies: placement?
state game.cell_now: cell?
state player.goods[colour][side]: set of int 1..40?
state player.kind_now: kind?
state tile.lain[colour]: int 0..3 = 1
state tile.part_now: segment?
state segment.feature_now: feature?
state segment.counted: int
state token.fans: set of player
state token.owes[player]: int 0..9 = 2
state token.friends[colour]: set of token
state figure.seen: set of die = {}
state figure.another: piece?
state card.told: bool
state die.luck: set of kind
state cell.mark[side]: player?
state cell.held: set of figure
action game(): end_game(players)
"""
CLASSES = ("tile", "card", "die", "token", "figure")


def values_of(state: StateTable, type_: Type) -> list[Value]:
    """Some values of a type, the first and last among them."""
    encoding = state.encoding
    match type_:
        case OptionalType(item):
            return [*values_of(state, item), None]
        case SetType(item):
            one = values_of(state, item)
            return [(), (one[0],), (one[-1],), as_set(one), as_set(one[::2])]
        case IntType(low, high):
            return [low, *(n for n in (-3, 0, 1, 5, 33) if low < n < high), high]
        case EnumType(name):
            return [EnumMember(name, index) for index in range(encoding.enums[name])]
        case NamedType(name) if name in CLASSES:
            pieces = enumerate(encoding.game.pieces)
            return [Piece(i) for i, p in pieces if encoding.game.kinds[p.kind].cls == name]
    counts = {
        PLAYER: encoding.players,
        KIND: len(encoding.game.kinds),
        FACE: encoding.kind_face[-1],
        PIECE: len(encoding.game.pieces),
        SEGMENT: encoding.piece_segment[-1],
        FEATURE: encoding.piece_segment[-1],
        ZONE: encoding.zone_first[-1],
        GRID: encoding.grid_first[-1],
        SPACE: encoding.track_first[-1],
    }
    if type_ in counts:
        return [encoding.decode(number, type_) for number in range(counts[type_])]
    if type_ in (CELL, PLACEMENT):
        cells = [encoding.cell(Cell(0, 0, y, x)) for y, x in ((0, 0), (-1000, 1000), (7, -1))]
        return [encoding.decode(cell * (4 if type_ == PLACEMENT else 1), type_) for cell in cells]
    return [False, True]


def test_what_is_written_is_read_and_nothing_else_changes() -> None:
    machine = Machine(game(RULES), 2)
    cells = [Cell(0, 0, y, x) for y in range(-4, 4) for x in range(-4, 4)]
    for state in machine.lowering.states.values():
        values = cycle(values_of(state, state.definition.type))
        for cell in cells if state.hashed else ():
            for member in range(4):
                index = (EnumMember("side", member),) if state.sizes else ()
                state.row(machine.tables, cell, index)
        rows = list(state.rows(machine.tables))
        assert [row for _, _, row in rows] == [
            state.row(machine.tables, owner, index) for owner, index, _ in rows
        ]
        assert len({(owner, index) for owner, index, _ in rows}) == len(rows) > 0
        written = [(row, next(values)) for _, _, row in rows]
        for row, value in written:
            state.write(machine.tables, row, value)
        assert [(row, state.read(machine.tables, row)) for row, _ in written] == written
        for table in state.tables:
            numbers = machine.tables[table.name]
            assert table.low <= min(numbers) <= max(numbers) <= table.high
    machine.call("init_states")
    machine.compare_states()


def test_only_what_is_in_the_game_has_rows() -> None:
    machine = Machine(game(RULES), 2)
    box = machine.context.world.box
    states = machine.lowering.states
    rows = {key: [owner for owner, _, _ in s.rows(machine.tables)] for key, s in states.items()}
    assert rows["t/player.kind_now"] == values_of_players(machine)
    for key in ("t/tile.part_now", "t/token.fans", "t/figure.seen", "t/card.told", "t/die.luck"):
        cls = states[key].definition.owner
        assert rows[key] == [piece for piece in box.pieces if box.cls(piece) == cls]
    assert len(rows["t/figure.seen"]) < len(values_of(states["t/figure.seen"], NamedType("figure")))
    segments = [owner for owner in rows["t/segment.counted"] if isinstance(owner, Segment)]
    assert {Piece(segment.piece) for segment in segments} <= set(box.pieces)
    assert len(set(segments)) == len(rows["t/segment.counted"]) > 0
    assert rows["t/cell.held"] == []


def values_of_players(machine: Machine) -> list[Value]:
    return values_of(next(iter(machine.lowering.states.values())), PLAYER)


def named(machine: Machine) -> set[int]:
    """The pieces that the program finds named."""
    machine.call("mark_named", 1)
    now = machine.tables["named_now"][0]
    return {piece for piece, mark in enumerate(machine.tables["named"]) if mark == now}


def store(machine: Machine, key: str, owner: Value, index: tuple[Value, ...], value: Value) -> None:
    """Give a state a value in the tables and for the evaluator."""
    state, context = machine.lowering.states[key], machine.context
    context.states[key, owner, index] = value
    if value == context.initial[key]:
        del context.states[key, owner, index]
    state.write(machine.tables, state.row(machine.tables, owner, index), value)


def test_pieces_that_states_name() -> None:
    machine = Machine(game(RULES), 2)
    assert named(machine) == set()
    pieces = values_of(machine.lowering.states["t/token.fans"], NamedType("token"))
    tiles = values_of(machine.lowering.states["t/token.fans"], NamedType("tile"))
    dice = values_of(machine.lowering.states["t/token.fans"], NamedType("die"))
    box = machine.context.world.box
    figures = tuple(piece for piece in box.pieces if box.cls(piece) == "figure")
    assert isinstance(tiles[0], Piece)
    assert isinstance(tiles[1], Piece)
    amber, part = EnumMember("t/colour", 0), Segment(tiles[0].index, 0)
    changes: list[tuple[str, Value, tuple[Value, ...], Value]] = [
        ("t/token.friends", pieces[3], (amber,), as_set(pieces[1:6:2])),
        ("t/tile.part_now", tiles[1], (), part),
        ("t/segment.feature_now", part, (), None),
        ("t/cell.held", Cell(0, 0, 3, 3), (), figures),
        ("t/figure.another", figures[0], (), pieces[0]),
        ("t/figure.seen", figures[0], (), tuple(dice)),
        ("t/token.friends", pieces[3], (amber,), ()),
    ]
    for key, owner, index, value in changes:
        store(machine, key, owner, index, value)
        assert named(machine) == Likeness(machine.context.world, machine.context.states).named
    assert named(machine)


def test_pieces_of_equal_states() -> None:
    machine = Machine(game(RULES), 2)
    box = machine.context.world.box
    amber, violet = EnumMember("t/colour", 0), EnumMember("t/colour", 1)
    pairs = [
        (a, b)
        for a in box.pieces
        for b in box.pieces
        if a != b
        and box.piece(a).kind == box.piece(b).kind
        and box.piece(a).start == box.piece(b).start
    ]
    first, second = next(pair for pair in pairs if box.cls(pair[0]) == "tile")
    coin, other = next(pair for pair in pairs if box.cls(pair[0]) == "token")
    changes: list[tuple[str, Value, tuple[Value, ...], Value]] = [
        ("t/tile.lain", first, (violet,), 3),
        ("t/tile.lain", second, (amber,), 3),
        ("t/tile.lain", second, (violet,), 3),
        ("t/tile.lain", first, (amber,), 3),
        ("t/segment.counted", Segment(first.index, 0), (), 3),
        ("t/segment.counted", Segment(second.index, 0), (), 3),
        ("t/token.fans", coin, (), tuple(values_of_players(machine))),
        ("t/token.fans", other, (), tuple(values_of_players(machine))),
    ]
    seen = set()
    for key, owner, index, value in changes:
        store(machine, key, owner, index, value)
        likeness = Likeness(machine.context.world, machine.context.states)
        for a, b in pairs:
            same = likeness.key(a) == likeness.key(b)
            assert machine.call("same_states", a.index, b.index) == same, (key, a, b)
            keys = {machine.call("states_key", each.index) for each in (a, b)}
            assert (len(keys) == 1) == same, (key, a, b)
            seen.add((box.cls(a), same))
    assert seen >= {("tile", True), ("tile", False), ("token", True), ("token", False)}


def test_stateful() -> None:
    idle = "action game(): end_game(players)\n"
    for rules, expected in (
        ("state player.gold: int\nstate cell.mark: int\n", set()),
        ("state token.gold: int\n", {"token"}),
        ("state segment.gold: int\n", {*PIECE_CLASSES}),
    ):
        mask = Machine(game(rules + idle), 2).call("stateful") or 0
        found = {name for number, name in enumerate(PIECE_CLASSES) if mask >> number & 1}
        assert found == expected
