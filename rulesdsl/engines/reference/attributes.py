"""Attributes that the manifest gives to components and segments, and their values for features."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulesdsl.engines.reference import board
from rulesdsl.engines.reference.fault import Fault
from rulesdsl.engines.reference.ordered import as_set
from rulesdsl.engines.reference.world import World
from rulesdsl.model.game import AttributeDef, Plain
from rulesdsl.model.types import EnumType, OptionalType, Type
from rulesdsl.model.values import EnumMember, Face, Feature, Kind, Piece, Segment, Value

FOLDS: dict[str, Callable[[list[Value]], Value]] = {
    "sum": lambda values: sum(v for v in values if isinstance(v, int)),
    "max": lambda values: max(v for v in values if isinstance(v, int)),
    "min": lambda values: min(v for v in values if isinstance(v, int)),
    "any": lambda values: any(v is True for v in values),
    "all": lambda values: all(v is True for v in values),
    "union": lambda values: as_set(v for v in values if v is not None),
}
"""The functions that combine the values of the segments of a feature (at least one)."""


def attribute(world: World, definition: AttributeDef, owner: Value) -> Value:
    """Return the attribute of its owner, or the default if the owner does not set it.

    Raises Fault if the owner is none.
    """
    match owner:
        case Feature():
            return _folded(world, definition, owner)
        case Segment():
            return _segment(world, definition, owner)
        case Piece():
            world.check(owner)
            return _value(world, definition, world.box.kind(owner).attributes)
        case Kind():
            return _value(world, definition, world.box.game.kinds[owner.index].attributes)
        case Face():
            face = world.box.game.kinds[owner.kind].faces[owner.index]
            return _value(world, definition, face.attributes)
        case _:
            raise Fault(f"none has no `{definition.name}`")


def _segment(world: World, definition: AttributeDef, segment: Segment) -> Value:
    piece = board.owner(world, segment)
    kind = world.box.kind(piece)
    outline = kind.faces[world.faces[piece]].outline if kind.faces else kind.outline
    assert outline is not None, "it has a segment"
    return _value(world, definition, outline.segments[segment.index].attributes)


def _folded(world: World, definition: AttributeDef, feature: Feature) -> Value:
    segments = board.feature_segments(world, feature)
    values = [_segment(world, definition, segment) for segment in segments]
    if board.kind(world, feature.segment) not in definition.owners:
        values = values[:1]
    return FOLDS[definition.fold](values)


def _value(world: World, definition: AttributeDef, attributes: Mapping[str, Plain]) -> Value:
    """Return the attribute among those of one component, face or segment.

    Enum members are returned as handles.
    """
    plain = attributes.get(definition.key, definition.default)
    kind: Type = definition.type
    if isinstance(kind, OptionalType):
        kind = kind.item
    if isinstance(kind, EnumType) and isinstance(plain, str):
        return EnumMember(kind.name, world.box.enums[kind.name].index(plain))
    assert not isinstance(plain, str)
    return plain
