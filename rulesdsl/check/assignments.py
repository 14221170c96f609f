"""Assignments to locals and state."""

from __future__ import annotations

from rulesdsl.check import errors
from rulesdsl.check.scope import Context, Fact, Local, ranged
from rulesdsl.check.types import arithmetic, may_leave
from rulesdsl.diagnostics import Label
from rulesdsl.model import ast, checked, uses
from rulesdsl.model.types import ERROR, INT, IntType, SetType, Type


def assign(ctx: Context, node: ast.Assign) -> checked.Block:
    """`target = value`, `+=` and `-=`."""
    if isinstance(node.target, ast.Name) and node.target.name in ctx.names:
        local = ctx.names[node.target.name]
        ctx.use(node.target.name, uses.local(local.span))
        return _local(ctx, node, local)
    target = ctx.infer(ctx, node.target, None)
    if target.type == ERROR:
        ctx.infer(ctx, node.value, None)
        return ()
    if not isinstance(target, checked.ReadState):
        _refuse(ctx, node, target)
        ctx.infer(ctx, node.value, target.type)
        return ()
    if not ctx.acts:
        message = f"a value changes nothing, so `{node.target.span.text}` cannot be assigned here"
        ctx.report.error("not-assignable", message, node.target.span)
    value = _value(ctx, node, target.type)
    if value.type == ERROR:
        return ()
    if isinstance(value, checked.Ranged):
        value = value.operand  # what is stored is checked whatever the operator
    return (
        checked.SetState(node.span, target.state, target.owner, target.index, node.operator, value),
    )


def _value(ctx: Context, node: ast.Assign, type_: Type) -> checked.Expr:
    """The assigned value; `+=` and `-=` work on integers and sets."""
    text = node.target.span.text
    if node.operator == "=":
        return ctx.expect(node.value, type_, f"`{text}`")
    if isinstance(type_, SetType):
        return ctx.expect(node.value, type_, f"what is put into `{text}`")
    if not isinstance(type_, IntType):
        message = f"`{node.operator}` works on integers and sets"
        ctx.report.error(
            "type-mismatch", message, node.target.span, mark=f"is {errors.described(type_)}"
        )
    return ctx.expect(node.value, INT, f"what follows `{node.operator}`")


def _local(ctx: Context, node: ast.Assign, local: Local) -> checked.Block:
    if local.what != "var":
        name = node.target.span.text
        what = {"let": "is fixed by `let`", "parameter": "is a parameter"}
        help_lines = (f"declare it with `var {name} = …`",) if local.what == "let" else ()
        ctx.report.error(
            "not-assignable",
            f"`{name}` {what.get(local.what, 'ranges over a set')} and is not assigned",
            node.target.span,
            labels=(Label(local.span, "declared here"),),
            help=help_lines,
        )
        ctx.infer(ctx, node.value, local.type)
        return ()
    before = ctx.type_of(local)
    value = _value(ctx, node, local.type)
    operator, type_ = node.operator, value.type
    if operator != "=":
        type_ = local.type
        if isinstance(before, IntType) and isinstance(value.type, IntType):
            type_ = arithmetic(operator[0], before, value.type)
            if may_leave(type_, local.type):
                old = checked.Local(node.target.span, before, local.key)
                total = checked.Binary(node.span, type_, operator[0], old, value)
                operator, value, type_ = "=", ranged(total, local.type), local.type
    ctx.facts[local.key] = Fact(type_)
    return (checked.SetLocal(node.span, local.key, operator, value),)


def _refuse(ctx: Context, node: ast.Assign, target: checked.Expr) -> None:
    text = node.target.span.text
    help_lines: tuple[str, ...] = ()
    match target:
        case checked.ReadAttribute() | checked.CallBuiltin():
            message = f"`{text}` is read from the components and is not assigned"
            help_lines = ("what changes while playing is declared with `state`",)
        case checked.Const(setting=str()):
            message = f"`{text}` is chosen before the game begins"
        case checked.CallValue():
            message = f"`{text}` is computed each time it is read"
        case _:
            message = f"`{text}` is no state and no `var`"
    ctx.report.error("not-assignable", message, node.target.span, help=help_lines)
