"""Values: the rules that apply, the combination of their results, and pure blocks."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import assert_never

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.reference import evaluate
from rulesdsl.engines.reference.context import (
    Context,
    Evaluation,
    Scope,
    Terms,
    bind,
    bounded,
    misfit,
    number,
    set_members,
)
from rulesdsl.model import checked
from rulesdsl.model.names import owner_of
from rulesdsl.model.types import INT_MAX, INT_MIN
from rulesdsl.model.values import Value, as_set
from rulesdsl.runtime import faults


def value_of(
    context: Context, key: str, arguments: tuple[Value, ...], terms: tuple[Terms, ...], span: Span
) -> Value:
    """Return the result of value `key` for the arguments."""
    definition = context.checked.values[key]
    context.spend(span)
    if context.depth >= faults.VALUES:
        raise PlayError(f"values call each other more than {faults.VALUES} deep", span)
    context.depth += 1
    evaluation = Evaluation(definition, arguments, terms)
    if definition.policy == "unique":
        result = _fallback(context, evaluation, tuple(range(len(definition.rules))), span)
    else:
        result = _combined(context, evaluation, span)
    context.depth -= 1
    return result


def previous(context: Context, node: checked.Previous, scope: Scope) -> Value:
    """Return the result of the next lower rule that applies.

    With a ruleset, only its rules and those that they beat count.
    """
    evaluation = scope.evaluation
    assert evaluation is not None, "check keeps `previous` to refinements"
    return _fallback(context, evaluation, below(node, evaluation, scope.rule), node.span)


def below(node: checked.Previous, evaluation: Evaluation, rule: int) -> tuple[int, ...]:
    """Return the rules that `previous` in a rule falls back on, in order."""
    rules = evaluation.definition.rules
    beaten = rules[rule].beats
    if node.ruleset is None:
        return beaten
    own = {index for index in beaten if owner_of(rules[index].ruleset) == node.ruleset}
    reached = own.union(*(rules[index].beats for index in own))
    return tuple(index for index in beaten if index in reached)


# --- unique ------------------------------------------------------------------------------------


def _fallback(
    context: Context, evaluation: Evaluation, rules: tuple[int, ...], span: Span
) -> Value:
    """Return the result of the first of the rules that applies."""
    for index in rules:
        if applies(context, evaluation, index):
            return result_of(context, evaluation, index)
    raise PlayError(f"no rule gives `{evaluation.definition.key}`", span)


def _scope(evaluation: Evaluation, index: int) -> Scope:
    rule = evaluation.definition.rules[index]
    scope = bind(rule.params, evaluation.arguments, evaluation.terms)
    scope.evaluation, scope.rule = evaluation, index
    return scope


def applies(context: Context, evaluation: Evaluation, index: int) -> bool:
    """Return whether the guard of a rule holds."""
    if index not in evaluation.applies:
        guard = evaluation.definition.rules[index].guard
        evaluation.applies[index] = guard is None or context.holds(guard, _scope(evaluation, index))
    return evaluation.applies[index]


def result_of(context: Context, evaluation: Evaluation, index: int) -> Value:
    """Return the result of a rule, evaluated once; its readings are added at every use."""
    if index not in evaluation.results:
        kept = context.trace
        context.trace = None if kept is None else []
        scope = _scope(evaluation, index)
        evaluation.results[index] = body_result(context, evaluation.definition.rules[index], scope)
        evaluation.readings[index] = tuple(context.trace or ())
        context.trace = kept
    if context.trace is not None:
        context.trace.extend(evaluation.readings[index])
    return evaluation.results[index]


# --- policies that combine ---------------------------------------------------------------------


def _sum(total: Value, more: Value, span: Span) -> Value:
    return bounded(number(total, span) + number(more, span), span)


def _max(total: Value, more: Value, span: Span) -> Value:
    return max(number(total, span), number(more, span))


def _min(total: Value, more: Value, span: Span) -> Value:
    return min(number(total, span), number(more, span))


def _union(total: Value, more: Value, span: Span) -> Value:
    return as_set(set_members(total, span) + set_members(more, span))


POLICIES: dict[str, tuple[Value, Callable[[Value, Value, Span], Value]]] = {
    "sum": (0, _sum),
    "max": (INT_MIN, _max),
    "min": (INT_MAX, _min),
    "all": (True, lambda total, more, span: total is True and more is True),
    "any": (False, lambda total, more, span: total is True or more is True),
    "union": ((), _union),
}
"""The neutral element of each policy, and the function that adds a contribution."""

_DECIDED: dict[str, Value] = {"all": False, "any": True}
"""The result that no later contribution changes, so that they are not evaluated."""


def _combined(context: Context, evaluation: Evaluation, span: Span) -> Value:
    definition = evaluation.definition
    total, combine = POLICIES[definition.policy]
    start = context.mark()
    for index, rule in enumerate(definition.rules):
        if not applies(context, evaluation, index):
            continue
        middle = context.mark()
        more = body_result(context, rule, _scope(evaluation, index))
        before, total = total, combine(total, more, span)
        if definition.policy in ("max", "min"):
            if total == before:
                context.forget(middle, context.mark())
            else:
                context.forget(start, middle)
        if definition.policy in _DECIDED and total is _DECIDED[definition.policy]:
            break
    if misfit(definition.type, total):
        raise PlayError(f"`{definition.key}` gives {definition.type} and cannot be {total}", span)
    return total


# --- pure blocks -------------------------------------------------------------------------------


class BlockEnd(Enum):
    """The way in which a block ends."""

    ON = "on"
    BREAK = "break"
    RETURN = "return"


def body_result(context: Context, rule: checked.Rule, scope: Scope) -> Value:
    """Return the result of the body of a rule."""
    if run_block(context, rule.body, scope) is not BlockEnd.RETURN:
        raise PlayError("this rule ends without a result", rule.span)
    context.watch(rule, scope.result is not False)
    return scope.result


def run_block(context: Context, block: checked.Block, scope: Scope) -> BlockEnd:
    """Run a block that changes only locals."""
    for statement in block:
        flow = _run(context, statement, scope)
        if flow is not BlockEnd.ON:
            return flow
    return BlockEnd.ON


def _run(context: Context, statement: checked.Stmt, scope: Scope) -> BlockEnd:
    context.watch(statement)
    match statement:
        case checked.Let() | checked.SetLocal():
            set_local(context, statement, scope)
            return BlockEnd.ON
        case checked.Return():
            if statement.value is not None:
                scope.result = context.evaluate(statement.value, scope)
            return BlockEnd.RETURN
        case checked.If():
            chosen = context.holds(statement.condition, scope)
            return run_block(context, statement.then if chosen else statement.otherwise, scope)
        case checked.For():
            return _for(context, statement, scope)
        case checked.While():
            while context.holds(statement.condition, scope):
                context.spend(statement.span)
                flow = run_block(context, statement.body, scope)
                if flow is not BlockEnd.ON:
                    return BlockEnd.ON if flow is BlockEnd.BREAK else flow
            return BlockEnd.ON
        case checked.Break():
            return BlockEnd.BREAK
        case checked.SetState() | checked.Perform() | checked.Later() | checked.Leave():
            raise AssertionError("check lets no value change or ask anything")
        case _:
            assert_never(statement)


def _for(context: Context, loop: checked.For, scope: Scope) -> BlockEnd:
    for item in evaluate.rounds(context, loop, scope):
        context.spend(loop.span)
        scope.locals.update(zip(loop.binder.names, item, strict=True))
        flow = run_block(context, loop.body, scope)
        if flow is not BlockEnd.ON:
            return BlockEnd.ON if flow is BlockEnd.BREAK else flow
    return BlockEnd.ON


def set_local(context: Context, statement: checked.Let | checked.SetLocal, scope: Scope) -> None:
    """Assign a value to a local."""
    value, terms = context.traced(statement.value, scope)
    if isinstance(statement, checked.SetLocal) and statement.operator != "=":
        old = scope.locals[statement.name]
        value = changed(old, statement.operator, value, statement.span)
        terms = context.joined(scope.terms.get(statement.name, ()), terms)
    scope.locals[statement.name] = value
    if terms:
        scope.terms[statement.name] = terms
    else:
        scope.terms.pop(statement.name, None)


def changed(old: Value, operator: str, value: Value, span: Span) -> Value:
    """Return the value that an assignment with `=`, `+=` or `-=` stores."""
    if operator == "=":
        return value
    if isinstance(old, tuple) and isinstance(value, tuple):
        if operator == "+=":
            return as_set(old + value)
        return tuple(item for item in old if item not in value)
    amount = number(value, span)
    return bounded(number(old, span) + (amount if operator == "+=" else -amount), span)
