"""Statements: blocks of actions, options, hooks and values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import assert_never

from rulesdsl.language.check import errors, presence, scope
from rulesdsl.language.check.assignments import Changes
from rulesdsl.language.check.expressions import acting, bind, check_start, doing
from rulesdsl.language.check.names import written_type
from rulesdsl.language.check.types import arithmetic, fits, may_leave
from rulesdsl.language.diagnostics import Label, Span
from rulesdsl.language.model import ast, checked, uses
from rulesdsl.language.model.checked import walk
from rulesdsl.language.model.types import (
    BOOL,
    ERROR,
    INT,
    NONE,
    UNIT,
    ZONE,
    IntType,
    OptionalType,
    SetType,
    Type,
)


def assign(ctx: scope.CheckContext, node: ast.Assign) -> checked.Block:
    """Check `target = value`, `+=` and `-=`; the call of an action runs before the rest is read."""
    if ctx.acts and isinstance(node.value, ast.Call) and acting(ctx, node.value.function):
        span = node.value.span
        with ctx.scope():
            name = ast.Ident(ctx.invent(), span)
            called = _let(ctx, ast.Let(span, name, None, node.value))
            return (*called, *assign(ctx, replace(node, value=ast.Name(span, name))))
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
        hook = f"do it where something happens, in a hook: `after ACTION(…): {node.span.text}`"
        ctx.report.error("not-assignable", message, node.target.span, help=(hook,))
    value = _value(ctx, node, target.type)
    if value.type == ERROR:
        return ()
    ctx.forget(Changes(frozenset({target.state}), any=True), node.span)
    # An owner that is found through the state itself may be another one then.
    through = target.owner is not None and target.state in presence.reads(target.owner).states
    if isinstance(target.type, OptionalType) and not through:
        ctx.learn(scope.there(target, value.type))
    if isinstance(value, checked.Ranged) and not isinstance(value.operand.type, OptionalType):
        value = value.operand  # the stored value is range-checked with any operator
    return (
        checked.SetState(node.span, target.state, target.owner, target.index, node.operator, value),
    )


def _value(ctx: scope.CheckContext, node: ast.Assign, type_: Type) -> checked.Expr:
    """Check the assigned value; `+=` and `-=` work on integers and sets."""
    text = node.target.span.text
    if node.operator == "=":
        return ctx.expect(node.value, type_, f"`{text}`")
    if isinstance(type_, SetType):
        return ctx.expect(node.value, type_, f"the value for `{text}`")
    if not isinstance(type_, IntType):
        message = f"`{node.operator}` works on integers and sets"
        ctx.report.error(
            "type-mismatch", message, node.target.span, mark=f"is {errors.described(type_)}"
        )
    return ctx.expect(node.value, INT, f"the value after `{node.operator}`")


def _local(ctx: scope.CheckContext, node: ast.Assign, local: scope.ScopeLocal) -> checked.Block:
    if local.what != "var":
        name = node.target.span.text
        what = {"let": "is fixed by `let`", "parameter": "is a parameter"}
        help_lines = (f"declare it with `var {name} = …`",) if local.what == "let" else ()
        ctx.report.error(
            "not-assignable",
            f"`{name}` {what.get(local.what, 'ranges over a set')} and cannot be assigned",
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
                operator, value, type_ = "=", scope.ranged(total, local.type), local.type
    ctx.forget(Changes(), node.span, local.key)
    ctx.facts[local.key] = scope.Fact(type_)
    _learn_given(ctx, local, value)
    return (checked.SetLocal(node.span, local.key, operator, value),)


def _refuse(ctx: scope.CheckContext, node: ast.Assign, target: checked.Expr) -> None:
    text = node.target.span.text
    help_lines: tuple[str, ...] = ()
    match target:
        case checked.ReadAttribute() | checked.AttributeAt() | checked.CallBuiltin():
            message = f"`{text}` is read from the components and cannot be assigned"
            help_lines = ("declare data that changes during the game with `state`",)
        case checked.Const(setting=str()):
            message = f"`{text}` is chosen before the game begins"
        case checked.CallValue():
            message = f"`{text}` is computed each time it is read"
        case _:
            message = f"`{text}` is neither a state nor a `var`"
    ctx.report.error("not-assignable", message, node.target.span, help=help_lines)


# --- blocks ---------------------------------------------------------------------------------------


Done = tuple[checked.Block, bool]
"""Checked statements, and whether code after them is never reached."""


def block(ctx: scope.CheckContext, node: ast.Block, tail: bool = False) -> Done:
    """Check a block; with `tail`, its last line gives the result of a value."""
    with ctx.scope():
        return _sequence(ctx, node.statements, tail)


def _sequence(ctx: scope.CheckContext, nodes: Iterable[ast.Stmt], tail: bool) -> Done:
    statements: list[checked.Stmt] = []
    nodes, ended = tuple(nodes), False
    for number, node in enumerate(nodes, 1):
        if ended:
            message = "this line is never reached"
            ctx.report.warning("misplaced", message, node.span, help=("remove it",))
            break
        found, ended = _statement(ctx, node, tail and number == len(nodes))
        statements.extend(found)
    return tuple(statements), ended


def _statement(ctx: scope.CheckContext, node: ast.Stmt, tail: bool) -> Done:
    match node:
        case ast.Let():
            return _let(ctx, node), False
        case ast.Assign():
            return assign(ctx, node), False
        case ast.ExprStmt():
            return _expression(ctx, node, tail)
        case ast.Later():
            return _later(ctx, node), False
        case ast.If():
            return _if(ctx, node, tail)
        case ast.When():
            return _ladder(ctx, node, node.cases, tail)
        case ast.For():
            return _for(ctx, node), False
        case ast.While():
            return _while(ctx, node)
        case ast.Return():
            return _return(ctx, node), True
        case ast.Simple():
            return _simple(ctx, node)
    assert_never(node)


# --- locals ------------------------------------------------------------------------------------


def _let(ctx: scope.CheckContext, node: ast.Let) -> checked.Block:
    span = node.name.span
    wanted = written_type(ctx, node.type) if node.type is not None else None
    call = doing(ctx, node.value)
    zone: Type | None = None
    if call is not None:
        type_ = _given(ctx, node.value.span, call[1], wanted)
    else:
        value = ctx.infer(ctx, node.value, wanted)
        if wanted is not None:
            value = ctx.coerce(value, wanted, f"`{node.name}`")
        type_ = value.type
        zone = ctx.held(value) if type_ == ZONE else None
    if type_ == NONE and wanted is None:
        message = f"the type of `{node.name}` is not known: only `none` is given"
        help_lines = (
            f"declare it: `{'var' if node.mutable else 'let'} {node.name}: tile? = none`",
        )
        ctx.report.error("type-mismatch", message, span, help=help_lines)
        type_ = ERROR
    lasting = INT if node.mutable and isinstance(type_, IntType) else type_
    local = ctx.declare(node.name, "var" if node.mutable else "let", wanted or lasting)
    local.zone = None if node.mutable else zone
    ctx.facts[local.key] = scope.Fact(type_)
    if call is None:
        ctx.facts[local.key] = scope.Fact(type_, scope.kinds_of(ctx, value))
        if isinstance(value, checked.CallBuiltin) and value.span in ctx.owners and not node.mutable:
            ctx.owners[local.key] = ctx.owners[value.span]
        _learn_given(ctx, local, value)
        return (checked.Let(node.span, local.key, value),)
    if wanted is None or not may_leave(type_, wanted):
        return (checked.Perform(node.span, call[0], local.key),)
    key = ctx.invent()
    ctx.facts[local.key] = scope.Fact(wanted)
    given = scope.ranged(checked.Local(node.value.span, type_, key), wanted)
    return (
        checked.Perform(node.span, call[0], key),
        checked.Let(node.span, local.key, given),
    )


def _learn_given(ctx: scope.CheckContext, local: scope.ScopeLocal, value: checked.Expr) -> None:
    """Learn that a local is not none where its value is known not to be."""
    if ctx.present(value) is not value:
        ctx.learn(scope.there(checked.Local(value.span, value.type, local.key)))


def _given(ctx: scope.CheckContext, span: Span, type_: Type, wanted: Type | None) -> Type:
    """Return the type of a call's result in a place of type `wanted`."""
    if type_ == UNIT:
        ctx.report.error("type-mismatch", f"`{span.text}` gives no result", span)
        return ERROR
    if wanted is not None and not fits(type_, wanted):
        errors.mismatch(ctx.report, checked.Const(span, type_, None), wanted)
        return ERROR
    return type_


# --- calls -------------------------------------------------------------------------------------


def _expression(ctx: scope.CheckContext, node: ast.ExprStmt, tail: bool) -> Done:
    call = doing(ctx, node.value)
    if call is not None:
        return (checked.Perform(node.span, call[0]),), tail
    if tail and ctx.result is not None:
        value = ctx.expect(node.value, ctx.result, "the result")
        return (checked.Return(node.span, value),), True
    found = ctx.infer(ctx, node.value, None)
    if found.type != ERROR:
        compares = isinstance(found, checked.Compare) and found.operator == "=="
        help_lines = ("`=` assigns",) if compares else ()
        message = f"the result of `{found.span.text}` is not used"
        errors.misplaced(ctx.report, message, node.span, help_lines)
    return (), False


def _later(ctx: scope.CheckContext, node: ast.Later) -> checked.Block:
    with ctx.knowing({}):  # what it changes is not changed yet
        call = doing(ctx, node.call)
    if call is None:
        found = ctx.infer(ctx, node.call, None)
        if found.type != ERROR:
            errors.misplaced(ctx.report, "only a call of an action can be queued", node.call.span)
        return ()
    if not isinstance(call[0], checked.ActionCall):
        if call[1] != ERROR:
            help_lines = ("wrap it in an action of its own",)
            message = "only an action can be queued"
            errors.misplaced(ctx.report, message, node.call.span, help_lines)
        return ()
    return (checked.Later(node.span, call[0]),)


def _condition(ctx: scope.CheckContext, node: ast.Expr) -> tuple[checked.Block, checked.Expr]:
    """Check the condition of an `if`, and return it with the call that must run before it."""
    match node:
        case ast.Unary(operator="not", operand=operand):
            call = doing(ctx, operand)
        case _:
            call = doing(ctx, node)
    if call is None:
        return (), ctx.expect(node, BOOL, "the condition")
    span = call[0].span
    if _given(ctx, span, call[1], BOOL) == ERROR:
        return (), scope.poison(node.span)
    key = ctx.invent()
    answer: checked.Expr = checked.Local(span, BOOL, key)
    if isinstance(node, ast.Unary):
        answer = checked.Not(node.span, BOOL, answer)
    return (checked.Perform(span, call[0], key),), answer


# --- branches ----------------------------------------------------------------------------------


def _if(ctx: scope.CheckContext, node: ast.If, tail: bool) -> Done:
    before, condition = _condition(ctx, node.condition)
    found, ended = _branches(
        ctx,
        node,
        condition,
        lambda: block(ctx, node.then, tail and node.otherwise is not None),
        lambda: block(ctx, node.otherwise, tail) if node.otherwise is not None else ((), False),
    )
    return (*before, found), ended


def _ladder(
    ctx: scope.CheckContext, node: ast.When, cases: tuple[ast.Case, ...], tail: bool
) -> Done:
    """Check the cases of a ladder, and return them as nested `if`."""
    if not cases:
        if tail:
            word = node.span.head(len("when"))
            message = "no line of this `when` may hold, and then it gives no result"
            ctx.report.error("missing-case", message, word, help=("end it with `otherwise: 0`",))
        return (), tail
    case, *rest = cases
    if case.condition is None:
        return block(ctx, case.body, tail)
    condition = ctx.expect(case.condition, BOOL, "the condition")
    found, ended = _branches(
        ctx,
        case,
        condition,
        lambda: block(ctx, case.body, tail),
        lambda: _ladder(ctx, node, tuple(rest), tail),
    )
    return (found,), ended


def _branches(
    ctx: scope.CheckContext,
    node: ast.If | ast.Case,
    condition: checked.Expr,
    then: Callable[[], Done],
    otherwise: Callable[[], Done],
) -> tuple[checked.Stmt, bool]:
    before, proceeded = dict(ctx.facts), ctx.proceeded
    ctx.learn(scope.known(ctx, condition))
    first, first_ends = then()
    first_facts, first_proceeded = ctx.facts, ctx.proceeded
    ctx.facts, ctx.proceeded = before, proceeded
    ctx.learn(scope.known(ctx, condition, False))
    second, second_ends = otherwise()
    if second_ends:
        ctx.facts, ctx.proceeded = first_facts, first_proceeded
    elif not first_ends:
        ctx.facts = scope.either(first_facts, ctx.facts)
        ctx.proceeded = ctx.proceeded or first_proceeded
    return checked.If(node.span, condition, first, second), first_ends and second_ends


# --- loops -------------------------------------------------------------------------------------


def _forget_changed(ctx: scope.CheckContext, body: ast.Block) -> None:
    """Forget the facts that a loop may make false, as they do not hold at its start."""
    for node in walk(body):
        if isinstance(node, ast.Assign) and isinstance(node.target, ast.Name):
            local = ctx.names.get(node.target.name)
            if local is not None:
                ctx.facts.pop(local.key, None)
                ctx.forget(Changes(), node.span, local.key)
    ctx.forget_block(body)


def _for(ctx: scope.CheckContext, node: ast.For) -> checked.Block:
    start = None
    _forget_changed(ctx, node.body)
    with ctx.scope(), ctx.knowing({}):
        binder = bind(ctx, node.binder)
        if node.start is not None:
            start = check_start(ctx, binder, node.start)
        ctx.forget_block(node.body)
        ctx.loops += 1
        body, _ = block(ctx, node.body)
        ctx.loops -= 1
    if node.body.joined:
        _no_break(ctx, node.body)
    return (checked.For(node.span, binder, start, body),)


def _no_break(ctx: scope.CheckContext, body: ast.Block) -> None:
    """Refuse `break` in a loop with several ranges, of which it would end only the last."""
    for last in body.statements:
        if isinstance(last, ast.For) and not last.body.joined:
            for found in _breaks(last.body.statements):
                message = "`break` cannot be used in a loop with several ranges"
                nested = "write one loop in the other: `break` ends the inner one, `return` both"
                errors.misplaced(ctx.report, message, found.span, (nested,))


def _while(ctx: scope.CheckContext, node: ast.While) -> Done:
    _forget_changed(ctx, node.body)
    condition = ctx.expect(node.condition, BOOL, "the condition")
    with ctx.knowing(scope.known(ctx, condition)):
        ctx.loops += 1
        body, _ = block(ctx, node.body)
        ctx.loops -= 1
    breaks = any(_breaks(node.body.statements))
    if not breaks:
        ctx.learn(scope.known(ctx, condition, False))
    endless = isinstance(condition, checked.Const) and condition.value is True
    return (checked.While(node.span, condition, body),), endless and not breaks


def _breaks(statements: Iterable[ast.Stmt]) -> Iterator[ast.Simple]:
    """Yield each `break` of the loop around statements."""
    for node in statements:
        match node:
            case ast.Simple(word="break"):
                yield node
            case ast.If(then=then, otherwise=otherwise):
                yield from _breaks(then.statements)
                yield from _breaks(otherwise.statements if otherwise else ())
            case ast.When(cases=cases):
                for case in cases:
                    yield from _breaks(case.body.statements)


# --- leaving -----------------------------------------------------------------------------------


def _return(ctx: scope.CheckContext, node: ast.Return) -> checked.Block:
    wanted = ctx.result if ctx.result is not None else UNIT
    if node.value is None:
        if wanted not in (UNIT, ERROR):
            message = f"a result is needed here: {errors.described(wanted)}"
            ctx.report.error("missing-return", message, node.span)
        return (checked.Return(node.span, None),)
    call = doing(ctx, node.value)
    if wanted == UNIT:
        if call is None:
            ctx.infer(ctx, node.value, None)
        message = "no result is expected here"
        ctx.report.error("type-mismatch", message, node.value.span)
        return ()
    if call is None:
        value = ctx.expect(node.value, wanted, "the result")
        return (checked.Return(node.span, value),)
    type_ = _given(ctx, node.value.span, call[1], wanted)
    key = ctx.invent()
    result = scope.ranged(checked.Local(node.value.span, type_, key), wanted)
    return (checked.Perform(node.span, call[0], key), checked.Return(node.span, result))


def _simple(ctx: scope.CheckContext, node: ast.Simple) -> Done:
    match node.word:
        case "break":
            if not ctx.loops:
                errors.misplaced(ctx.report, "`break` can only be used in loops", node.span)
                return (), False
            return (checked.Break(node.span),), True
        case "leave":
            if not ctx.leaves:
                message = "`leave` can only be used in options of `repeat` choices without a result"
                help_lines = ("use `return` to end an action",)
                errors.misplaced(ctx.report, message, node.span, help_lines)
                return (), False
            return (checked.Leave(node.span),), True
    if not ctx.acts:
        errors.misplaced(ctx.report, "a value gives a result, not `nothing`", node.span)
    return (), False
