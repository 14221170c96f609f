"""How the IR reads states. What is called here is made by `lower/bodies/state_functions.py`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rulesdsl.core import faults
from rulesdsl.lower.emit import ZERO
from rulesdsl.lower.expressions.absent import names_absent
from rulesdsl.lower.tables.state_tables import StateTable
from rulesdsl.model import ir
from rulesdsl.model.checked import Expr, ReadState
from rulesdsl.model.types import BOOL, PLAYER

if TYPE_CHECKING:
    from rulesdsl.lower.context import Lowering
    from rulesdsl.lower.expressions.expressions import Expressions


def row(
    expressions: Expressions,
    state: StateTable,
    owner: Expr | None,
    index: Iterable[Expr],
    *,
    write: bool = False,
) -> ir.Expr:
    """The row of a datum: owner, then index are evaluated. Fault NONE for an owner none, INDEX for
    the index of a player who does not play. With `write` a cell gets a row if it has none."""
    place: ir.Expr = ZERO
    if owner is not None:
        holder = expressions.required(owner)
        place = _owner_place(expressions.lowering, state, holder, write)
    for size, part in zip(state.sizes, index, strict=True):
        place = plus(times(place, size), _index(expressions, part))
    return place


def _index(expressions: Expressions, part: Expr) -> ir.Expr:
    lowering = expressions.lowering
    index = expressions.value(part)
    if part.type != PLAYER or not names_absent(lowering.checked, lowering.players):
        return index
    # Beyond the last player there is the row of something else.
    seat = expressions.named("seat", index, part.span)
    beyond = ir.Compare(">=", seat, ir.Const(lowering.players))
    expressions.builder.trap_if(beyond, faults.INDEX, part.span)
    return seat


def _owner_place(lowering: Lowering, state: StateTable, holder: ir.Expr, write: bool) -> ir.Expr:
    if state.hashed:
        return ir.Call(lowering.name("make_row" if write else "find_row", state.key), (holder,))
    return plus(holder, ir.Const(-state.first))


def read_state(expressions: Expressions, node: ReadState) -> ir.Expr:
    """What a datum is: its number, a bool as an IR bool, a set as a new one on the heap."""
    state = expressions.lowering.states[node.state]
    return read_row(expressions.lowering, state, row(expressions, state, node.owner, node.index))


def read_row(lowering: Lowering, state: StateTable, at: ir.Expr) -> ir.Expr:
    """What the datum of a row is."""
    if state.members is not None:
        return ir.Call(lowering.name("get", state.key), (at,))
    found = ir.Load(state.data, at)
    return ir.Compare("!=", found, ZERO) if state.definition.type == BOOL else found


def plus(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    """The sum, folded where that is simple."""
    if a == ZERO:
        return b
    return a if b == ZERO else ir.Binary("+", a, b)


def times(a: ir.Expr, factor: int) -> ir.Expr:
    """The product, folded where that is simple."""
    if factor == 1 or a == ZERO:
        return a
    return ir.Binary("*", a, ir.Const(factor))
