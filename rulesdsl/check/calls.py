"""Calls: of values and functions in expressions, of what does something in statements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rulesdsl.builtins import EFFECTS, FORMS, FUNCTIONS, PROPERTIES, Builtin, Signature
from rulesdsl.check import errors
from rulesdsl.check.names import elsewhere
from rulesdsl.check.properties import read_property, takes
from rulesdsl.check.scope import Context, poison
from rulesdsl.check.symbols import Routine
from rulesdsl.check.types import larger, required, smaller
from rulesdsl.diagnostics import Span
from rulesdsl.diagnostics.wording import did_you_mean, listed
from rulesdsl.model import ast, checked, uses
from rulesdsl.model.names import written_name
from rulesdsl.model.types import (
    ANY,
    BOOL,
    ERROR,
    PIECE,
    UNIT,
    EnumType,
    IntType,
    OptionalType,
    Type,
)

_BY_ZONE = ("one", "take")
"""What gives a component of the zone that is its first argument."""
_BY_RANGE = {"max": larger, "min": smaller}


@dataclass(frozen=True)
class Callee:
    """What the name before the brackets means: one of the first two, or the word that is none."""

    name: ast.Ident
    qualifier: str | None
    routine: Routine | None = None
    effect: Builtin | None = None

    @property
    def span(self) -> Span:
        """Where the name stands."""
        return self.name.span


_FOREIGN = {
    "append": "sets are joined with `+`; components go into zones with `move`",
    "len": "write `count(…)`",
    "length": "write `count(…)`",
    "random": "chance is `take`, `roll` and `shuffle`",
    "range": "the integers from a to b, both included, are `a..b`",
    "size": "write `count(…)`",
}
"""Functions of other languages, and what to do instead."""


def callee(ctx: Context, node: ast.Expr) -> Callee | None:
    """What a call calls; None when it is no name at all or is ambiguous, which is reported."""
    match node:
        case ast.Name(name=name, quoted=False):
            qualifier = None
        case ast.Attribute(object=ast.Name(name=qualifier), name=name):
            if qualifier in ctx.names:
                help_lines = (f"write `{name}({qualifier})` or `{qualifier}.{name}`",)
                message = f"`{node.span.text}` cannot be called"
                ctx.report.error("not-callable", message, node.span, help=help_lines)
                return None
            if not ctx.symbols.may_qualify(qualifier, ctx.ruleset):
                rulesets = ctx.symbols.game.reach[ctx.ruleset]
                where = node.object.span
                errors.unknown(ctx.report, "ruleset in sight called", qualifier, where, rulesets)
                return None
        case _:
            message = f"`{node.span.text}` cannot be called"
            ctx.report.error("not-callable", message, node.span)
            return None
    found = _named(ctx, name, qualifier)
    if len(found) > 1:
        meanings = [written_name(each.routine.key) for each in found if each.routine]
        errors.ambiguous(ctx.report, name, name.span, meanings)
        return None
    return found[0] if found else Callee(name, qualifier)


def _named(ctx: Context, name: ast.Ident, qualifier: ast.Ident | None) -> list[Callee]:
    """The effect or the routines of a name; what is the only one is meant."""
    if qualifier is not None:
        ctx.use(qualifier, uses.word("ruleset", qualifier))
    elif name in EFFECTS:
        ctx.use(name, uses.word("effect", name))
        return [Callee(name, None, effect=EFFECTS[name])]
    found = ctx.symbols.find(ctx.symbols.routines, name, ctx.ruleset, qualifier)
    if len(found) == 1:
        ctx.use(name, uses.declared(found[0].what, found[0].key))
    elif not found and qualifier is None and name in FUNCTIONS | FORMS:
        ctx.use(name, uses.word("function", name))
    return [Callee(name, qualifier, each) for each in found]


def call(ctx: Context, node: ast.Call) -> checked.Expr:
    """A call in an expression."""
    target = callee(ctx, node.function)
    if target is None:
        return poison(node.span)
    routine = target.routine
    if target.name in FORMS and target.qualifier is None:
        return _allowed(ctx, node, target)
    if target.effect is not None or (routine is not None and routine.what != "value"):
        _report_asking(ctx, node, target)
        return poison(node.span)
    if routine is not None:
        arguments = _arguments(ctx, routine, target.span, node.arguments)
        if arguments is None:
            return poison(node.span)
        return checked.CallValue(node.span, routine.type, routine.key, arguments)
    if target.name in FUNCTIONS and target.qualifier is None:
        return _function(ctx, node, target, FUNCTIONS[target.name])
    return _property(ctx, node, target)


def _report_asking(ctx: Context, node: ast.Call, target: Callee) -> None:
    routine, effect = target.routine, target.effect
    if not ctx.acts:
        why = "changes the game; a value computes and changes nothing"
        if (effect and effect.asks) or (routine and routine.what == "choice"):
            why = "asks or rolls; a value computes and asks nobody"
        errors.asks(ctx.report, target.name, node.span, why)
        return
    result = routine.type if routine else effect.signatures[0].result if effect else UNIT
    why = "stands alone, after `let x =`, `return`, `if` or `if not`"
    help_lines = (f"first `let x = {node.span.text}`, then use `x`",) if result != UNIT else ()
    errors.asks(ctx.report, target.name, node.span, why, help_lines)


def _arguments(
    ctx: Context, routine: Routine, span: Span, nodes: Sequence[ast.Expr]
) -> tuple[checked.Expr, ...] | None:
    if len(nodes) != len(routine.params):
        wanted = errors.counted(routine.params)
        errors.arity(ctx.report, routine.name, span, len(nodes), wanted, routine.span)
        for node in nodes:
            ctx.infer(ctx, node, None)
        return None
    return tuple(
        ctx.expect(node, param.type, f"`{param.name}` of `{routine.name}`")
        for node, param in zip(nodes, routine.params, strict=True)
    )


def _property(ctx: Context, node: ast.Call, target: Callee) -> checked.Expr:
    """`name(x)` for `x.name`, or a name that cannot be called."""
    symbols, name = ctx.symbols, target.name
    if symbols.is_broken(name, ctx.ruleset):
        for argument in node.arguments:
            ctx.infer(ctx, argument, None)
        return poison(node.span)
    if name in ctx.names:
        ctx.report.error("not-callable", f"`{name}` is no value or action", target.span)
        return poison(node.span)
    known = {
        *FUNCTIONS,
        *FORMS,
        *EFFECTS,
        *symbols.seen(symbols.routines, ctx.ruleset, target.qualifier),
    }
    if len(node.arguments) == 1 and _is_property(ctx, name, target.qualifier):
        object_ = ctx.infer(ctx, node.arguments[0], None)
        return read_property(ctx, object_, name, node.span, target.qualifier)
    for argument in node.arguments:
        ctx.infer(ctx, argument, None)
    if symbols.is_bare(name, ctx.ruleset):
        ctx.report.error("not-callable", f"`{name}` is no value or action", target.span)
        return poison(node.span)
    foreign = (_FOREIGN[name],) if name in _FOREIGN else did_you_mean(name, known)
    help_lines = (*foreign, *elsewhere(ctx, name))
    if symbols.find(symbols.features, name, ctx.ruleset):
        help_lines = (f"`{name}` is a kind of feature: ask `f is {name}`",)
    message = f"there is no value or action `{name}`"
    ctx.report.error("unknown-name", message, target.span, help=help_lines)
    return poison(node.span)


def _is_property(ctx: Context, name: str, qualifier: str | None) -> bool:
    symbols = ctx.symbols
    states = {each.partition(".")[2] for each in symbols.seen(symbols.data, ctx.ruleset, qualifier)}
    return (
        name in PROPERTIES
        or name in states
        or bool(symbols.find(symbols.attributes, name, ctx.ruleset, qualifier))
    )


def _allowed(ctx: Context, node: ast.Call, target: Callee) -> checked.Expr:
    """`allowed(action(…))`: the preconditions of the action as a value."""
    if len(node.arguments) != 1:
        wanted = errors.counted(range(1))
        errors.arity(ctx.report, target.name, target.span, len(node.arguments), wanted)
        return poison(node.span)
    (asked,) = node.arguments
    if not isinstance(asked, ast.Call):
        _report_not_asked(ctx, asked.span, f"`{asked.span.text}` is not a call")
        return poison(node.span)
    inner = callee(ctx, asked.function)
    if inner is None:
        return poison(node.span)
    routine = inner.routine
    if routine is None and inner.effect is None and inner.name not in {*FUNCTIONS, *FORMS}:
        _unknown_action(ctx, inner)
    elif routine is None or routine.what != "action":
        what = (
            "an effect of the language"
            if inner.effect
            else f"a {routine.what if routine else 'function'}"
        )
        _report_not_asked(ctx, inner.span, f"`{inner.name}` is {what}, not an action")
    else:
        arguments = _arguments(ctx, routine, inner.span, asked.arguments)
        if arguments is not None:
            return _preconditions(ctx, routine, arguments, node.span)
        return poison(node.span)
    for argument in asked.arguments:
        ctx.infer(ctx, argument, None)
    return poison(node.span)


def _preconditions(
    ctx: Context, routine: Routine, arguments: tuple[checked.Expr, ...], span: Span
) -> checked.Expr:
    if routine.key in ctx.symbols.unconditional:
        return checked.Const(span, BOOL, True)
    ctx.symbols.asked.add(routine.key)
    return checked.CallValue(span, BOOL, routine.key, arguments)


def _report_not_asked(ctx: Context, span: Span, message: str) -> None:
    help_lines = ("only actions have preconditions: write `allowed(action(…))`",)
    ctx.report.error("type-mismatch", message, span, help=help_lines)


def _unknown_action(ctx: Context, inner: Callee) -> None:
    symbols, name = ctx.symbols, inner.name
    if symbols.is_broken(name, ctx.ruleset):
        return
    known = (
        each
        for each in symbols.seen(symbols.routines, ctx.ruleset, inner.qualifier)
        if any(
            found.what == "action"
            for found in symbols.find(symbols.routines, each, ctx.ruleset, inner.qualifier)
        )
    )
    help_lines = (*did_you_mean(name, known), *elsewhere(ctx, name))
    ctx.report.error("unknown-name", f"there is no action `{name}`", inner.span, help=help_lines)


# --- functions and effects of the language -----------------------------------------------------


def _function(ctx: Context, node: ast.Call, target: Callee, builtin: Builtin) -> checked.Expr:
    found = _overload(ctx, node, target, builtin)
    if found is None:
        return poison(node.span)
    arguments, result = found
    combine = _BY_RANGE.get(builtin.name)
    a, b = (arguments[0].type, arguments[-1].type) if arguments else (ERROR, ERROR)
    if combine is not None and isinstance(a, IntType) and isinstance(b, IntType):
        result = combine(a, b)
    return checked.CallBuiltin(node.span, result, builtin.name, arguments)


def _overload(
    ctx: Context, node: ast.Call, target: Callee, builtin: Builtin
) -> tuple[tuple[checked.Expr, ...], Type] | None:
    """The arguments and the type of the result by the first signature that takes them."""
    nodes = node.arguments
    fitting = [s for s in builtin.signatures if len(s.params) == len(nodes)]
    if not fitting:
        counts = sorted({len(s.params) for s in builtin.signatures})
        wanted = listed([errors.counted(range(count)) for count in counts])
        errors.arity(ctx.report, target.name, target.span, len(nodes), wanted)
        return None
    found = [ctx.infer(ctx, each, _hint(fitting, position)) for position, each in enumerate(nodes)]
    if any(argument.type == ERROR for argument in found):
        return None
    for signature in fitting:
        if all(map(_takes, (argument.type for argument in found), signature.params)):
            return _resolved(ctx, builtin, signature, found)
    _report_mismatch(ctx, target.name, fitting, found)
    return None


def _hint(signatures: Iterable[Signature], position: int) -> Type | None:
    """The type expected at a position, if all signatures agree."""
    types = {signature.params[position] for signature in signatures}
    return types.pop() if len(types) == 1 else None


def _takes(found: Type, wanted: Type) -> bool:
    return isinstance(found, EnumType) if wanted == ANY else takes(found, wanted)


def _resolved(
    ctx: Context, builtin: Builtin, signature: Signature, found: Sequence[checked.Expr]
) -> tuple[tuple[checked.Expr, ...], Type]:
    arguments = tuple(
        argument if wanted == ANY else ctx.coerce(argument, wanted)
        for argument, wanted in zip(found, signature.params, strict=True)
    )
    result = signature.result
    if result == ANY:
        result = found[0].type
    if result == PIECE and builtin.name in _BY_ZONE:
        result = ctx.held(arguments[0])
    return arguments, result


def _report_mismatch(
    ctx: Context, name: str, signatures: Sequence[Signature], found: Sequence[checked.Expr]
) -> None:
    """No signature takes the arguments: the first argument that none takes is the cause."""
    for position, argument in enumerate(found):
        wanted = list(dict.fromkeys(signature.params[position] for signature in signatures))
        if any(_takes(argument.type, type_) for type_ in wanted):
            continue
        if len(wanted) == 1 and wanted[0] != ANY:
            ctx.mismatch(argument, wanted[0], f"an argument of `{name}`")
            return
        if isinstance(argument.type, OptionalType) and any(
            _takes(required(argument.type), type_) for type_ in wanted
        ):
            ctx.mismatch(argument, required(argument.type), f"`{name}`'s argument")
            return
        words = errors.quoted("enum" if type_ == ANY else str(type_) for type_ in wanted)
        message = f"`{name}` takes {words}, but this is {errors.described(argument.type)}"
        ctx.report.error("type-mismatch", message, argument.span)
        return
    types = ", ".join(errors.described(argument.type) for argument in found)
    span = found[0].span.to(found[-1].span)
    ctx.report.error("type-mismatch", f"`{name}` does not take {types} together", span)


# --- statements --------------------------------------------------------------------------------


def doing(ctx: Context, node: ast.Expr) -> tuple[checked.Call, Type] | None:
    """The call of an action, choice or effect, and the type it gives (`ERROR` after a mistake);
    None if the expression is no such call."""
    if isinstance(node, ast.Proceed):
        return _proceed(ctx, node)
    if not isinstance(node, ast.Call):
        return None
    target = _acting(ctx, node.function)
    if target is None:
        return None
    if not ctx.acts:
        _report_asking(ctx, node, target)
        return checked.ProceedCall(node.span), ERROR
    if target.effect is not None:
        found = _overload(ctx, node, target, target.effect)
        arguments, type_ = found if found is not None else ((), ERROR)
        return checked.EffectCall(node.span, target.effect.name, arguments), type_
    assert target.routine is not None
    return _routine_call(ctx, node, target.routine, target.span)


def _acting(ctx: Context, node: ast.Expr) -> Callee | None:
    """What a call calls if that is something that acts; nothing is reported."""
    match node:
        case ast.Name(name=name):
            qualifier = None
        case ast.Attribute(object=ast.Name(name=qualifier), name=name) if ctx.symbols.may_qualify(
            qualifier, ctx.ruleset
        ):
            pass
        case _:
            return None
    found = _named(ctx, name, qualifier)
    if len(found) != 1 or (found[0].routine is not None and found[0].routine.what == "value"):
        return None
    return found[0]


def _routine_call(
    ctx: Context, node: ast.Call, routine: Routine, span: Span
) -> tuple[checked.Call, Type]:
    arguments = _arguments(ctx, routine, span, node.arguments)
    type_ = routine.type if arguments is not None else ERROR
    if routine.what == "choice":
        return checked.ChoiceCall(node.span, routine.key, arguments or ()), type_
    return checked.ActionCall(node.span, routine.key, arguments or ()), type_


def _proceed(ctx: Context, node: ast.Proceed) -> tuple[checked.Call, Type]:
    if ctx.around is None:
        errors.misplaced(ctx.report, "`proceed` has a meaning in `around` only", node.span)
        return checked.ProceedCall(node.span), ERROR
    if ctx.proceeded or ctx.loops:
        errors.misplaced(ctx.report, "`proceed` runs at most once", node.span)
    ctx.proceeded = True
    return checked.ProceedCall(node.span), ctx.around
