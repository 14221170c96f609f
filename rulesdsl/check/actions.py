"""Actions, `always`, and what they share with options and hooks: bodies that act."""

from __future__ import annotations

from rulesdsl.check import errors
from rulesdsl.check.draft import Draft, declare_params
from rulesdsl.check.facts import condition
from rulesdsl.check.ranging import bind
from rulesdsl.check.scope import Context
from rulesdsl.check.statements import block
from rulesdsl.check.types import fits
from rulesdsl.check.written import constant
from rulesdsl.diagnostics import Span
from rulesdsl.model import ast, checked
from rulesdsl.model.types import ERROR, NONE, UNIT, Type


def check_action(draft: Draft, ruleset: str, node: ast.ActionDecl) -> None:
    """An action with its own body."""
    routine = draft.symbols.routine(ruleset, node.name)
    if routine.key in draft.actions:
        return
    span = node.name.span
    depth = None
    if node.depth is not None:
        depth = constant(draft.context(ruleset), node.depth)
        if depth is not None and depth < 1:
            draft.report.error("range", "an action runs at least once", node.depth.span)
    ctx = draft.context(ruleset)
    declare_params(ctx, node.params, [param.type for param in routine.params])
    guard = condition(ctx, node.guard)
    if guard is not None and not fits(NONE, routine.type) and routine.type != UNIT:
        message = f"`{node.name}` gives nothing when its condition does not hold"
        help_lines = (f"let it give `{routine.type}?`",)
        draft.report.error("missing-return", message, guard.span, help=help_lines)
    body = acting(ctx, node.body, routine.type, span)
    draft.actions[routine.key] = checked.ActionDef(
        span, routine.key, routine.params, routine.type, node.step, depth, guard, (), body
    )


def acting(
    ctx: Context, node: ast.Block, result: Type, span: Span, must_give: bool = True
) -> checked.Block:
    """A body that may change things; when `must_give`, every way through it gives `result`."""
    ctx.acts, ctx.result = True, result
    found = len(ctx.report)
    body, ended = block(ctx, node)
    complete = ended or result in (UNIT, ERROR) or len(ctx.report) > found
    if must_give and not complete:
        message = f"not every way through this gives {errors.described(result)}"
        ctx.report.error("missing-return", message, span, help=("end it with `return …`",))
    return body


def check_always(draft: Draft, ruleset: str, node: ast.AlwaysDecl) -> None:
    """A rule that is applied until it no longer applies."""
    ctx = draft.context(ruleset)
    binder = bind(ctx, node.binder)
    body = acting(ctx, node.body, UNIT, node.span)
    draft.always.append(checked.AlwaysDef(node.span, ruleset, binder, body))
