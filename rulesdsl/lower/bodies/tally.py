"""Adding up, beside the score, where its points come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulesdsl.diagnostics import Span
from rulesdsl.lower.emit import ONE, ZERO
from rulesdsl.lower.expressions.states import plus, times
from rulesdsl.lower.tables.encoding import none_of
from rulesdsl.model import ir
from rulesdsl.model.sources import enum_given, member_source

if TYPE_CHECKING:
    from rulesdsl.lower.expressions.expressions import Expressions
    from rulesdsl.lower.tables.state_tables import StateTable


def tallied(
    expressions: Expressions, state: StateTable, at: ir.Expr, value: ir.Expr, span: Span
) -> tuple[ir.Expr, ir.Expr]:
    """Emit that the score of a row, a seat, is about to become a value; gives row and value as
    what can be named again."""
    builder = expressions.builder
    seat = expressions.named("seat", at, span)
    new = expressions.named("points", value, span)
    players = expressions.lowering.players
    row = builder.let("source", plus(times(_source(expressions, span), players), seat), span)
    gain = ir.Binary("-", new, ir.Load(state.data, seat))
    builder.emit(ir.Store("gained", row, ir.Binary("+", ir.Load("gained", row), gain), span))
    builder.emit(ir.Store("scored", ZERO, ONE, span))
    return seat, new


def _source(expressions: Expressions, span: Span) -> ir.Expr:
    """The number of the source of the points that what runs gives (see `model.sources`)."""
    lowering, runs = expressions.lowering, expressions.running
    found = lowering.sources
    if runs.kind != "action":
        option = runs.kind in ("choice", "option")
        return ir.Const(found.row(runs.key if option else lowering.checked.score))
    action = lowering.checked.actions[runs.key]
    named = enum_given(action)
    if named is None:
        return ir.Const(found.row(action.key))
    place, enum, optional = named
    members = next(each.members for each in lowering.game.enums if each.key == enum)
    type_ = action.params[place].type
    value = expressions.named("why", expressions.environment.read(runs.params[place], type_), span)
    member = plus(ir.Const(found.row(member_source(enum, members[0]))), value)
    if not optional:
        return member
    none = ir.Compare("==", value, ir.Const(none_of(type_)))
    return ir.Select(none, ir.Const(found.row(action.key)), member)
