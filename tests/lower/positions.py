"""Random positions of a game of the tests, and values that can be asked about there."""

from __future__ import annotations

from rulesdsl.engine.run.rng import Rng
from rulesdsl.language.model.types import (
    BOOL,
    CELL,
    FACE,
    FEATURE,
    GRID,
    INT_MAX,
    INT_MIN,
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
from rulesdsl.language.model.values import (
    Cell,
    EnumMember,
    Face,
    Feature,
    Kind,
    Piece,
    Placement,
    Player,
    Segment,
    Value,
    as_set,
)
from tests.lower.questions import Asked
from tests.oracle import board
from tests.oracle.test_properties import random_step

NUMBERS = (0, 1, 2, 3, 5, 7, -1, -3, 12, 29, INT_MAX, INT_MIN, INT_MAX // 2 + 1, 60_000, 100_000)


def wander(asked: Asked, rng: Rng, steps: int) -> None:
    """Do random effects, and give random states random values; then let the tables follow."""
    for _ in range(steps):
        random_step(asked.world, rng)
    for key, state in asked.checked.states.items():
        for _ in range(4):
            owner = None if state.owner == "game" else one(asked, rng, NamedType(state.owner))
            index = tuple(one(asked, rng, type_) for type_ in state.index)
            value = one(asked, rng, state.type)
            asked.context.states[key, owner, index] = value
    asked.settle()


def one(asked: Asked, rng: Rng, type_: Type) -> Value:
    """A random value of a type, likely one about which there is something to say."""
    match type_:
        case OptionalType(item):
            return None if rng.below(3) == 0 else one(asked, rng, item)
        case SetType(item):
            return as_set(one(asked, rng, item) for _ in range(rng.below(4)))
        case IntType(low, high):
            fitting = [n for n in NUMBERS if low <= n <= high]
            if high - low < 100:
                fitting = list(range(low, high + 1))
            return fitting[rng.below(len(fitting))]
        case EnumType(name):
            return EnumMember(name, rng.below(len(asked.world.box.enums[name])))
    assert isinstance(type_, NamedType)
    return _handle(asked, rng, type_)


def _handle(asked: Asked, rng: Rng, type_: NamedType) -> Value:
    box = asked.world.box
    if type_ == BOOL:
        return rng.below(2) == 1
    if type_ == PLAYER:
        return Player(rng.below(box.players))
    if type_ == KIND:
        return Kind(rng.below(len(box.game.kinds)))
    if type_ in (SEGMENT, FEATURE):
        segment = _segment(asked, rng)
        return segment if type_ == SEGMENT else Feature(segment)
    if type_ in (CELL, PLACEMENT):
        cell = Cell(0, 0, rng.below(7) - 3, rng.below(7) - 3)
        return cell if type_ == CELL else Placement(cell, rng.below(4))
    if type_ == FACE:
        dice = [piece for piece in box.pieces if box.kind(piece).faces]
        return Face(box.piece(dice[0]).kind, rng.below(3))
    if type_ in (ZONE, GRID, SPACE):
        places: dict[Type, tuple[Value, ...]]
        places = {ZONE: box.zones, GRID: box.grids, SPACE: box.spaces}
        found = places[type_]
        return found[rng.below(len(found))]
    return _piece(asked, rng, type_)


def _piece(asked: Asked, rng: Rng, type_: NamedType) -> Piece:
    classes = PIECE_CLASSES if type_ == PIECE else (type_.name,)
    box = asked.world.box
    every = [piece for piece in box.pieces if box.cls(piece) in classes]
    laid = [piece for piece in asked.world.laid() if piece in every]
    among = laid if laid and rng.below(3) else every
    return among[rng.below(len(among))]


def _segment(asked: Asked, rng: Rng) -> Segment:
    """One of a piece that lies on a grid, most likely."""
    world = asked.world
    laid = [each for piece in world.laid() for each in board.segments(world, piece)]
    if laid and rng.below(5):
        return laid[rng.below(len(laid))]
    pieces = [piece for piece in world.box.pieces if world.layout(piece).kinds]
    piece = pieces[rng.below(len(pieces))]
    return Segment(piece.index, rng.below(len(world.layout(piece).kinds)))
