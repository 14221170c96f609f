"""Features as they are compared: what is connected now, which is what its smallest segment says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulesdsl.lower.emit import MINUS
from rulesdsl.model import ir
from rulesdsl.model.checked import Expr
from rulesdsl.model.types import FEATURE, NONE, OptionalType, SetType, Type

if TYPE_CHECKING:
    from rulesdsl.lower.context import Lowering
    from rulesdsl.lower.expressions.expressions import Expressions

_SEGMENT_KIND = "segment_kind"


def current(x: Expressions, expression: Expr, wanted: Type) -> ir.Expr:
    """A value of type `wanted` as it is to be compared; fault NOT_LAID for a feature that has left
    the grid. Bools are IR bools."""
    value = x.fitted(expression, wanted)
    held = expression.type
    if expression.type == NONE or x.freshness.is_fresh(expression):
        return value
    if held == FEATURE:
        return ir.Call("first_of", (value,))
    if isinstance(held, OptionalType) and held.item == FEATURE:
        value = x.named("feature", value, expression.span)
        nothing = ir.Compare("==", value, MINUS)
        return ir.Select(nothing, value, ir.Call("first_of", (value,)))
    return value


def kind(x: Expressions, segment: ir.Expr, fresh: bool, type_: Type) -> ir.Expr:
    """The number of the feature kind of a segment, or of a feature (`type_`); fault if a segment is
    not shown or a feature, which is not `fresh`, has left the grid."""
    if not x.lowering.drawn_on_faces:
        table = _segment_kinds(x.lowering)
        if type_ != FEATURE or fresh:
            return ir.Load(table, segment)
        # All that is connected is of one kind. What lies nowhere has leader -1, no index at all.
        return ir.Load(table, ir.Load("leader", segment))
    if type_ == FEATURE and not fresh:
        segment = ir.Call("first_of", (segment,))
    return ir.Call("feature_kind", (segment,))


def _segment_kinds(lowering: Lowering) -> str:
    """The table of the feature kind of every segment."""
    if _SEGMENT_KIND in lowering.tables:
        return _SEGMENT_KIND
    kinds = [
        lowering.kinds_of_features[segment.kind]
        for piece in lowering.game.pieces
        for outline in [lowering.game.kinds[piece.kind].outline]
        for segment in (outline.segments if outline else ())
    ]
    return lowering.const_table(_SEGMENT_KIND, tuple(kinds), "The feature kind of a segment.")


def holds_features(type_: Type) -> bool:
    """Is it a set of features?"""
    if isinstance(type_, OptionalType):
        type_ = type_.item
    if not isinstance(type_, SetType):
        return False
    item = type_.item.item if isinstance(type_.item, OptionalType) else type_.item
    return item == FEATURE
