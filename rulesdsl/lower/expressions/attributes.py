"""Attributes of a manifest: tables by kind, face or part. Folded ones are kept for all features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulesdsl.lower.emit import ZERO
from rulesdsl.lower.expressions import features, presence
from rulesdsl.lower.logic import is_plain
from rulesdsl.lower.tables.box import Box, Column
from rulesdsl.lower.tables.encoding import none_of
from rulesdsl.lower.tables.shapes import outlines
from rulesdsl.model import ir
from rulesdsl.model.checked import Expr, ReadAttribute
from rulesdsl.model.game import AttributeDef
from rulesdsl.model.types import BOOL, FACE, FEATURE, KIND, SEGMENT, OptionalType, Type

if TYPE_CHECKING:
    from rulesdsl.lower.context import Lowering
    from rulesdsl.lower.expressions.expressions import Expressions


def read_attribute(x: Expressions, node: ReadAttribute) -> ir.Expr:
    """What the object carries; the default where it cannot carry it. Fault NONE for none."""
    attribute = next(a for a in x.lowering.game.attributes if a.key == node.attribute)
    owner = x.required(node.object)
    if _type(node.object) == FEATURE:
        return _of_feature(x, node, attribute, owner)
    number = _of_thing(x, node.object, attribute, owner)
    return ir.Compare("!=", number, ZERO) if node.type == BOOL else number


def _type(expression: Expr) -> Type:
    type_ = expression.type
    return type_.item if isinstance(type_, OptionalType) else type_


def _box(lowering: Lowering) -> Box:
    return Box(lowering.checked, lowering.players, lowering.encoding, {}, {})


def _of_thing(x: Expressions, expression: Expr, attribute: AttributeDef, owner: ir.Expr) -> ir.Expr:
    """The attribute of a piece, kind, face or segment, as a number."""
    box, type_ = _box(x.lowering), _type(expression)
    if type_ == KIND:
        return _entry(x.lowering, box.kind_attribute(attribute.key), owner)
    if type_ == FACE:
        return _entry(x.lowering, box.face_attribute(attribute.key), owner)
    if type_ == SEGMENT:
        return _of_segment(x.lowering, attribute, owner)
    assert presence.is_piece(type_), type_
    return _entry(x.lowering, _of_pieces(x.lowering, attribute.key), owner)


def _of_pieces(lowering: Lowering, key: str) -> Column:
    """The attribute of every piece."""
    name, values = _box(lowering).kind_attribute(key)
    return f"piece_{name}", tuple(values[piece.kind] for piece in lowering.game.pieces)


def _of_segment(lowering: Lowering, attribute: AttributeDef, segment: ir.Expr) -> ir.Expr:
    """The attribute of a segment; fault if it is not shown now."""
    column = _box(lowering).part_attribute(attribute.key)
    if lowering.drawn_on_faces:
        return _entry(lowering, column, ir.Call("part_of", (segment,)))
    return _entry(lowering, _of_segments(lowering, column), segment)


def _of_segments(lowering: Lowering, column: Column) -> Column:
    """The attribute of every segment, from that of every part: where pieces have no faces, those of
    a kind in its first rotation are the segments of each piece of it."""
    name, parts = column
    shown = [len(part.segments) for kind in lowering.game.kinds for part in outlines(kind)]
    first = [0]
    for count in shown:
        first.append(first[-1] + 4 * count)
    face = [0]
    for kind in lowering.game.kinds:
        face.append(face[-1] + len(outlines(kind)))
    values = [
        parts[first[face[piece.kind]] + index]
        for piece in lowering.game.pieces
        for index in range(shown[face[piece.kind]])
    ]
    return f"segment_{name}", tuple(values)


def _entry(lowering: Lowering, column: Column, index: ir.Expr) -> ir.Expr:
    """An entry of a table; the number itself where all are the same."""
    name, values = column
    if is_plain(index) and len(set(values)) == 1:
        return ir.Const(values[0])
    return ir.Load(lowering.const_table(name, values), index)


# --- features ------------------------------------------------------------------------------------


def _of_feature(
    x: Expressions, node: ReadAttribute, attribute: AttributeDef, feature: ir.Expr
) -> ir.Expr:
    """What the segments of a feature make together. Where its kind does not own the attribute, the
    first of them has the default and speaks for all."""
    if attribute.fold == "union":
        return _union(x, node, attribute, feature)
    fold = ir.Const(_box(x.lowering).fold_index[attribute.key])
    value: ir.Expr = ir.Call("value_of_group", (feature, fold))
    if attribute.fold == "sum" and attribute.default and _others(x.lowering, attribute):
        feature = x.named("feature", feature, node.span)
        value = ir.Call("value_of_group", (feature, fold))
        assert isinstance(attribute.default, int)
        value = ir.Select(_owned(x, attribute, feature), value, ir.Const(int(attribute.default)))
    return ir.Compare("!=", value, ZERO) if node.type == BOOL else value


def _others(lowering: Lowering, attribute: AttributeDef) -> bool:
    """Are there kinds of features that do not own the attribute?"""
    return any(kind.key not in attribute.owners for kind in lowering.game.feature_kinds)


def _owned(x: Expressions, attribute: AttributeDef, feature: ir.Expr) -> ir.Expr:
    """Does the kind of a feature own the attribute? Fault if it has left the grid."""
    kinds = x.lowering.game.feature_kinds
    owners = tuple(int(kind.key in attribute.owners) for kind in kinds)
    name = x.lowering.const_table(x.lowering.name("owners", attribute.key), owners)
    kind = features.kind(x, feature, False, FEATURE)
    return ir.Compare("!=", ir.Load(name, kind), ZERO)


def _union(
    x: Expressions, node: ReadAttribute, attribute: AttributeDef, feature: ir.Expr
) -> ir.Expr:
    """The set of what the segments have, none left out."""
    builder, span = x.builder, node.span
    first = builder.let("first", ir.Call("first_of", (feature,)), span)
    segment = builder.let("segment", first, span)
    found = builder.let("found", ir.Call("begin"), span)
    more = x.boolean("more", True)
    with builder.block() as round_:
        value = _of_segment(x.lowering, attribute, segment)
        nothing = ir.Const(none_of(attribute.type))
        value = x.named("carried", value, span)
        insert = ir.Do(ir.Call("insert", (found, value)), span)
        builder.emit(ir.If(ir.Compare("!=", value, nothing), (insert,), (), span))
        builder.emit(ir.Assign(segment.name, ir.Load("member_next", segment), span))
        builder.emit(ir.Assign(more.name, ir.Compare("!=", segment, first), span))
    builder.emit(ir.While(more, tuple(round_), span))
    return found
