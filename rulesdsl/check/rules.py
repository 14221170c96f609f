"""Values and what contributes to them; preconditions of actions."""

from __future__ import annotations

from collections.abc import Sequence

from rulesdsl.check import errors
from rulesdsl.check.draft import Draft, declare_params
from rulesdsl.check.facts import condition
from rulesdsl.check.properties import folded, owner_type
from rulesdsl.check.scope import Context
from rulesdsl.check.statements import block
from rulesdsl.check.symbols import Routine
from rulesdsl.check.targets import refined_attribute, target
from rulesdsl.diagnostics import Label, Span
from rulesdsl.model import ast, checked
from rulesdsl.model.game import AttributeDef
from rulesdsl.model.types import BOOL, FEATURE, INT, IntType, Type

VERBS = {
    "unique": "refine",
    "sum": "add",
    "max": "add",
    "min": "add",
    "all": "require",
    "any": "allow",
    "union": "include",
}


def check_value(draft: Draft, ruleset: str, node: ast.ValueDecl) -> None:
    """The declaration of a value with its own body."""
    routine = draft.symbols.routine(ruleset, node.name)
    if routine.key in draft.values:
        return
    span = node.name.span
    draft.values[routine.key] = checked.ValueDef(
        span, routine.key, routine.params, routine.type, node.policy, ()
    )
    if node.body is None:
        return
    ctx = draft.context(ruleset)
    types = [param.type for param in routine.params]
    params = declare_params(ctx, node.params, types)
    body = _body(ctx, node.body, _contributed(routine), span)
    rule = checked.Rule(node.span, ruleset, "base", params, None, body)
    draft.rules.setdefault(routine.key, []).insert(0, rule)


def _body(ctx: Context, node: ast.Block, type_: Type, span: Span) -> checked.Block:
    """The body of a value: on every path it gives a result."""
    ctx.result = type_
    found = len(ctx.report)
    body, ended = block(ctx, node, tail=True)
    if not ended and len(ctx.report) == found:
        message = f"not every way through this gives {errors.described(type_)}"
        help_lines = ("end it with a line that gives the result",)
        ctx.report.error("missing-return", message, span, help=help_lines)
    return body


def check_contribution(draft: Draft, ruleset: str, node: ast.Contribution) -> None:
    """`refine`, `add`, `require`, `allow` or `include`."""
    ctx = draft.context(ruleset)
    attribute = refined_attribute(ctx, node.target)
    if attribute is not None:
        _refine_attribute(draft, ctx, node, attribute)
        return
    what = "value or action" if node.verb == "require" else "value"
    found = target(ctx, node.target, what)
    if found is None:
        return
    routine = found.routine
    if found.rest or routine.what == "choice":
        _wrong_noun(ctx, node, routine)
    elif routine.what == "action":
        _precondition(draft, ctx, node, routine, found.span)
    elif VERBS[routine.policy] != node.verb:
        _wrong_verb(ctx, node, routine.name, VERBS[routine.policy], routine.policy, routine.span)
    elif _same_arity(ctx, node, routine, found.span):
        ctx.previous = routine.type if node.verb == "refine" else None
        result = _contributed(routine)
        rule = _rule(ctx, node, [param.type for param in routine.params], result)
        draft.rules.setdefault(routine.key, []).append(rule)


def _contributed(routine: Routine) -> Type:
    """The type of what one rule gives: of terms of a sum, only the sum has to be in a range."""
    summed = routine.policy == "sum" and isinstance(routine.type, IntType)
    return INT if summed else routine.type


def _rule(
    ctx: Context, node: ast.Contribution, types: Sequence[Type], result: Type
) -> checked.Rule:
    params = declare_params(ctx, node.params, types)
    guard = condition(ctx, node.guard)
    body = _body(ctx, node.body, result, node.target.span)
    return checked.Rule(node.span, ctx.ruleset, str(node.verb), params, guard, body)


def _same_arity(ctx: Context, node: ast.Contribution, routine: Routine, span: Span) -> bool:
    if len(node.params) == len(routine.params):
        return True
    wanted = errors.counted(routine.params, "parameter")
    errors.arity(ctx.report, routine.name, span, len(node.params), wanted, routine.span)
    return False


def _wrong_verb(
    ctx: Context, node: ast.Contribution, name: str, verb: str, policy: str, span: Span | None
) -> None:
    combined = "is unique" if policy == "unique" else f"combines by `{policy}`"
    params = ", ".join(param.name for param in node.params)
    ctx.report.error(
        "wrong-verb",
        f"`{name}` {combined}, so `{node.verb}` does not fit",
        node.verb.span,
        labels=() if span is None else (Label(span, "declared here"),),
        help=(f"write `{verb} {node.target}({params}): …`",),
    )


def _wrong_noun(ctx: Context, node: ast.Contribution, routine: Routine) -> None:
    name = str(node.target)
    verbs = "`before`, `after`, `around` or `instead`"
    if routine.what == "choice":
        verbs = f"{verbs}, `option {routine.name}.NAME` or `forbid {routine.name}.NAME`"
    message = f"`{name}` is no value, so `{node.verb}` does not fit"
    ctx.report.error("wrong-verb", message, node.verb.span, help=(f"use {verbs}",))


def _precondition(
    draft: Draft, ctx: Context, node: ast.Contribution, routine: Routine, span: Span
) -> None:
    if node.verb != "require":
        _wrong_noun(ctx, node, routine)
    elif _same_arity(ctx, node, routine, span):
        rule = _rule(ctx, node, [param.type for param in routine.params], BOOL)
        draft.rules.setdefault(routine.key, []).append(rule)


def preconditions(action: checked.ActionDef) -> checked.ValueDef:
    """The preconditions of an action as a value, under the action's name: do all hold?"""
    return checked.ValueDef(action.span, action.key, action.params, BOOL, "all", action.requires)


# --- attributes that are refined ---------------------------------------------------------------


def _refine_attribute(
    draft: Draft, ctx: Context, node: ast.Contribution, attribute: AttributeDef
) -> None:
    owner = owner_type(ctx, attribute)
    type_ = folded(attribute) if owner == FEATURE else attribute.type
    if attribute.key not in draft.values:
        span = attribute.span
        object_ = checked.Local(span, owner, "x")
        read = checked.ReadAttribute(span, type_, object_, attribute.key)
        base = checked.Rule(
            span, attribute.ruleset, "base", ("x",), None, (checked.Return(span, read),)
        )
        params = (checked.Parameter("x", owner),)
        draft.values[attribute.key] = checked.ValueDef(
            span, attribute.key, params, type_, "unique", ()
        )
        draft.rules[attribute.key] = [base]
    if node.verb != "refine":
        _wrong_verb(ctx, node, attribute.name, "refine", "unique", attribute.span)
    elif len(node.params) != 1:
        span = node.target.parts[-1].span
        count = len(node.params)
        errors.arity(ctx.report, attribute.name, span, count, "1 parameter", attribute.span)
    else:
        ctx.previous = type_
        draft.rules[attribute.key].append(_rule(ctx, node, [owner], type_))
