"""States, and the values they begin with."""

from __future__ import annotations

from rulesdsl.builtins import READS
from rulesdsl.check import errors
from rulesdsl.check.collect import OWNERS
from rulesdsl.check.draft import Draft
from rulesdsl.check.scope import Context
from rulesdsl.check.symbols import Datum
from rulesdsl.model import ast, checked
from rulesdsl.model.checked import walk
from rulesdsl.model.types import (
    BOOL,
    ERROR,
    NONE,
    EnumType,
    IntType,
    OptionalType,
    SetType,
)
from rulesdsl.model.values import EnumMember


def check_state(draft: Draft, ruleset: str, node: ast.StateDecl) -> None:
    """A state with the value it begins with."""
    datum = draft.symbols.data.get(ruleset, {}).get(f"{node.owner}.{node.name}")
    if datum is None or datum.key in draft.states or node.owner not in OWNERS:
        return
    ctx = draft.context(ruleset)
    if node.initial is None:
        initial = _beginning(ctx, datum)
    else:
        initial = ctx.expect(node.initial, datum.type, "the beginning value")
        _check_closed(ctx, initial)
    draft.states[datum.key] = checked.StateDef(
        datum.span, datum.key, datum.owner, datum.index, datum.type, initial
    )


def _beginning(ctx: Context, datum: Datum) -> checked.Expr:
    """The value of a state that does not say how it begins."""
    span, type_ = datum.span, datum.type
    match type_:
        case IntType():
            zero = checked.Const(span, IntType(0, 0), 0)
            if type_.low <= 0 <= type_.high:
                return zero
        case OptionalType():
            return checked.Const(span, NONE, None)
        case SetType():
            return checked.SetLiteral(span, type_, ())
        case EnumType() if ctx.symbols.members(type_.name):
            return checked.Const(span, type_, EnumMember(type_.name, 0))
    if type_ == BOOL:
        return checked.Const(span, BOOL, False)
    if type_ != ERROR:
        ctx.report.error(
            "missing-initial",
            f"nothing tells what `{datum.name}` is at the beginning",
            span,
            help=(f"say it: `= …`, or let it be none: `{type_}? = none`",),
        )
    return checked.Const(span, ERROR, None)


def _check_closed(ctx: Context, initial: checked.Expr) -> None:
    """Report the first part of a beginning value that is not known before the game begins."""
    for node in walk(initial):
        match node:
            case checked.ReadState() | checked.CallValue():
                pass
            case checked.EntryAt(what="zone" | "grid"):
                pass
            case checked.CallBuiltin(function=function) if READS[function]:
                pass
            case _:
                continue
        message = f"`{node.span.text}` is not known before the game begins"
        help_lines = ("use constants, settings, tables and `first(players)`",)
        errors.misplaced(ctx.report, message, node.span, help_lines)
        return
