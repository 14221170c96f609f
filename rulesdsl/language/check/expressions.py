"""Expressions: from the syntax tree to the checked tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeGuard, assert_never

from rulesdsl.base.records import dataclass
from rulesdsl.language.builtins import (
    EFFECTS,
    FORMS,
    FUNCTIONS,
    PROPERTIES,
    UNRESERVED,
    Builtin,
    BuiltinSignature,
)
from rulesdsl.language.check import errors, presence
from rulesdsl.language.check import names as names_
from rulesdsl.language.check import types as types_
from rulesdsl.language.check.assignments import Changes
from rulesdsl.language.check.scope import (
    CheckContext,
    ScopeLocal,
    as_set,
    condition,
    kinds_of,
    known,
    poison,
)
from rulesdsl.language.check.symbols import RoutineSymbol
from rulesdsl.language.diagnostics import Label, Span
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.model import ast, checked, types, uses
from rulesdsl.language.model.checked import walk
from rulesdsl.language.model.flow import told_attribute
from rulesdsl.language.model.names import owner_of, written_name
from rulesdsl.language.model.values import Face, Kind, Value

_BY_ZONE = ("one", "take")
"""Functions that return a component of the zone that is their first argument."""
_BY_RANGE = {"max": types_.larger, "min": types_.smaller}


@dataclass(frozen=True)
class Callee:
    """A callee: a routine, an effect, or a word that is neither."""

    name: ast.Ident
    qualifier: str | None
    routine: RoutineSymbol | None = None
    effect: Builtin | None = None

    @property
    def span(self) -> Span:
        """The place of the name."""
        return self.name.span


_SAID = "rules write no texts; an action says its label with braces: `en: {pay: '{p} pays'}`"
_RANGED = {
    "alike": "write `alike(E for x in S)`",
    "all": "write `all(E for x in S)`",
    "any": "write `any(x in S where C)`",
    "count": "write `count(x in S where C)` or `count(S)`",
    "first": "write `first(x in S where C)`",
    "most": "write `most(x in S by E)`",
    "sum": "write `sum(E for x in S)`",
    "the": "write `the(x in S where C)`, or `the(x)` for an `x` that may be none",
    "top": "write `top(3, x in S by E)`",
}
"""Aggregates, with what to write where they have nothing to range over."""
_FOREIGN = {
    "append": "sets are joined with `+`; components go into zones with `move`",
    "distinct": "the number of different values is `count({E for x in S})`",
    "echo": _SAID,
    "len": "write `count(…)`",
    "length": "write `count(…)`",
    "log": _SAID,
    "print": _SAID,
    "say": _SAID,
    "random": "chance is `take`, `roll` and `shuffle`",
    "range": "the integers from a to b, both included, are `a..b`",
    "filter": "write `{x in S where C}`",
    "list": "write a set as `{a, b}` or `{E for x in S where C}`",
    "map": "write `{E for x in S}`",
    "size": "write `count(…)`",
    "sorted": "sets have no order; those with the largest keys are `most(x in S by K1, K2)`",
}
"""Functions of other languages, with what to write instead."""


def _report_not_callable(ctx: CheckContext, span: Span) -> None:
    if span.text == "proceed":
        message = "`proceed` takes no arguments: it runs the action with its own"
        hint = "to change an amount: `refine VALUE(…): previous + 1`"
        ctx.report.error("not-callable", message, span, help=(hint,))
    else:
        ctx.report.error("not-callable", f"`{span.text}` cannot be called", span)


def callee(ctx: CheckContext, node: ast.Expr) -> Callee | None:
    """Return the callee of a call, None if it is not a name, or ambiguous, which is reported."""
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
                errors.unknown(ctx.report, "ruleset in scope called", qualifier, where, rulesets)
                return None
        case _:
            _report_not_callable(ctx, node.span)
            return None
    found = _named(ctx, name, qualifier)
    if len(found) > 1:
        meanings = [written_name(each.routine.key) for each in found if each.routine]
        errors.ambiguous(ctx.report, name, name.span, meanings)
        return None
    return found[0] if found else Callee(name, qualifier)


def _named(ctx: CheckContext, name: ast.Ident, qualifier: ast.Ident | None) -> list[Callee]:
    """Return the effect or the routines of a name; a single one is noted as its meaning."""
    if qualifier is not None:
        ctx.use(qualifier, uses.word("ruleset", qualifier))
    found = ctx.symbols.find(ctx.symbols.routines, name, ctx.ruleset, qualifier)
    if not found and qualifier is None and name in EFFECTS:
        ctx.use(name, uses.word("effect", name))
        return [Callee(name, None, effect=EFFECTS[name])]
    if len(found) == 1:
        ctx.use(name, uses.declared(found[0].what, found[0].key))
    elif not found and qualifier is None and name in FUNCTIONS | FORMS:
        ctx.use(name, uses.word("function", name))
    return [Callee(name, qualifier, each) for each in found]


def call(ctx: CheckContext, node: ast.Call) -> checked.Expr:
    """Check a call in an expression."""
    target = callee(ctx, node.function)
    if target is None:
        return poison(node.span)
    routine = target.routine
    if target.name == "allowed" and target.qualifier is None:
        return _allowed(ctx, node, target)
    if target.name == "subsets" and target.qualifier is None:
        message = "`subsets` gives sets of sets, which can only be ranged over"
        ranges = "in an option, and in `any`, `all`, `count`, `sum`, `max` and `min`"
        help_lines = (f"write `s in {node.span.text}` {ranges}",)
        errors.misplaced(ctx.report, message, node.span, help_lines)
        return poison(node.span)
    if target.effect is not None or (routine is not None and routine.what != "value"):
        _report_asking(ctx, node, target)
        return poison(node.span)
    if routine is not None:
        arguments = _arguments(ctx, routine, target.span, node.arguments)
        if arguments is None:
            return poison(node.span)
        return checked.CallValue(node.span, routine.type, routine.key, arguments)
    own = target.name in UNRESERVED and _is_property(ctx, target.name, None)
    items = [each for each in node.arguments if not isinstance(each, ast.Compare)]
    is_range = target.name == "top" and len(items) != 1
    if target.name in FUNCTIONS and target.qualifier is None and not own and not is_range:
        return _function(ctx, node, target, FUNCTIONS[target.name])
    return _property(ctx, node, target)


def _report_asking(ctx: CheckContext, node: ast.Call, target: Callee) -> None:
    routine, effect = target.routine, target.effect
    if not ctx.acts:
        why = "changes the game; a value computes and changes nothing"
        if (effect and effect.asks) or (routine and routine.what == "choice"):
            why = "asks or rolls; a value computes and asks nobody"
        hook = f"do it where something happens, in a hook: `after ACTION(…): {target.name}(…)`"
        errors.asks(ctx.report, target.name, node.span, why, (hook,))
        return
    result = routine.type if routine else effect.signatures[0].result if effect else types.UNIT
    why = "must be a statement of its own, or follow `let x =`, `x =`, `return`, `if` or `if not`"
    help_lines = (
        (f"first `let x = {node.span.text}`, then use `x`",) if result != types.UNIT else ()
    )
    errors.asks(ctx.report, target.name, node.span, why, help_lines)


def _arguments(
    ctx: CheckContext, routine: RoutineSymbol, span: Span, nodes: Sequence[ast.Expr]
) -> tuple[checked.Expr, ...] | None:
    if len(nodes) != len(routine.params):
        wanted = errors.counted(routine.params)
        given = [ctx.infer(ctx, node, None) for node in nodes]
        help = errors.call(span.text, routine.params, given)
        errors.arity(ctx.report, routine.name, span, len(nodes), wanted, routine.span, (help,))
        return None
    return tuple(
        ctx.expect(node, param.type, f"`{param.name}` of `{routine.name}`")
        for node, param in zip(nodes, routine.params, strict=True)
    )


def _property(ctx: CheckContext, node: ast.Call, target: Callee) -> checked.Expr:
    """Check `name(x)` for `x.name`, or report a name that cannot be called."""
    symbols, name = ctx.symbols, target.name
    if symbols.is_broken(name, ctx.ruleset):
        for argument in node.arguments:
            ctx.infer(ctx, argument, None)
        return poison(node.span)
    if name in ctx.names:
        ctx.report.error("not-callable", f"`{name}` is not a value or action", target.span)
        return poison(node.span)
    known = {
        *FUNCTIONS,
        *FORMS,
        *EFFECTS,
        *symbols.seen(symbols.routines, ctx.ruleset, target.qualifier),
    }
    if len(node.arguments) == 1 and _is_property(ctx, name, target.qualifier):
        object_ = ctx.infer(ctx, node.arguments[0], None)
        return names_.read_property(ctx, object_, name, node.span, target.qualifier)
    if name in _RANGED:
        message = f"`{name}` has no set to range over"
        ctx.report.error("arity", message, target.span, help=(_RANGED[name],))
        return poison(node.span)
    for argument in node.arguments:
        ctx.infer(ctx, argument, None)
    if symbols.is_bare(name, ctx.ruleset):
        ctx.report.error("not-callable", f"`{name}` is not a value or action", target.span)
        return poison(node.span)
    foreign = (_FOREIGN[name],) if name in _FOREIGN else did_you_mean(name, known)
    help_lines = (*foreign, *names_.elsewhere(ctx, name))
    if symbols.find(symbols.features, name, ctx.ruleset):
        help_lines = (f"`{name}` is a kind of feature: write `f is {name}`",)
    message = f"there is no value or action `{name}`"
    ctx.report.error("unknown-name", message, target.span, help=help_lines)
    return poison(node.span)


def _is_property(ctx: CheckContext, name: str, qualifier: str | None) -> bool:
    symbols = ctx.symbols
    states = {each.partition(".")[2] for each in symbols.seen(symbols.data, ctx.ruleset, qualifier)}
    return (
        name in PROPERTIES
        or name in states
        or bool(symbols.find(symbols.attributes, name, ctx.ruleset, qualifier))
    )


def _allowed(ctx: CheckContext, node: ast.Call, target: Callee) -> checked.Expr:
    """Check `allowed(action(…))`, which reads the preconditions of the action as a value."""
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
        if arguments is None:
            return poison(node.span)
        if routine.key in ctx.symbols.unconditional:
            return checked.Const(node.span, types.BOOL, True)
        ctx.symbols.asked.add(routine.key)
        return checked.CallValue(node.span, types.BOOL, routine.key, arguments)
    for argument in asked.arguments:
        ctx.infer(ctx, argument, None)
    return poison(node.span)


def _report_not_asked(ctx: CheckContext, span: Span, message: str) -> None:
    help_lines = ("only actions have preconditions: write `allowed(action(…))`",)
    ctx.report.error("type-mismatch", message, span, help=help_lines)


def _unknown_action(ctx: CheckContext, inner: Callee) -> None:
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
    help_lines = (*did_you_mean(name, known), *names_.elsewhere(ctx, name))
    ctx.report.error("unknown-name", f"there is no action `{name}`", inner.span, help=help_lines)


# --- functions and effects of the language -----------------------------------------------------


def _function(ctx: CheckContext, node: ast.Call, target: Callee, builtin: Builtin) -> checked.Expr:
    found = _overload(ctx, node, target, builtin)
    if found is None:
        return poison(node.span)
    arguments, result = found
    _check_limited(ctx, builtin.name, arguments)
    combine = _BY_RANGE.get(builtin.name)
    a, b = (arguments[0].type, arguments[-1].type) if arguments else (types.ERROR, types.ERROR)
    if combine is not None and isinstance(a, types.IntType) and isinstance(b, types.IntType):
        result = combine(a, b)
    return checked.CallBuiltin(node.span, result, builtin.name, arguments)


def _check_limited(ctx: CheckContext, name: str, arguments: Sequence[checked.Expr]) -> None:
    """Report `all_cells` of a grid without a size, and `room` of a zone without a limit."""
    match name, arguments:
        case "all_cells", (checked.EntryAt(number=number) as entry,):
            grid = ctx.symbols.game.grids[number]
            if grid.size is None:
                message = f"`{grid.name}` has no size, so its cells cannot be listed"
                help = (f"the occupied ones are `cells({grid.name})`", "or give the grid a `size`")
                ctx.report.error("type-mismatch", message, entry.span, help=help)
        case "room", (checked.EntryAt(number=number) as entry,):
            zone = ctx.symbols.game.zones[number]
            if zone.room is None:
                message = f"`{zone.name}` holds any number of components"
                advice = "give the zone a `room` in its manifest"
                ctx.report.error("type-mismatch", message, entry.span, help=(advice,))


def _overload(
    ctx: CheckContext, node: ast.Call, target: Callee, builtin: Builtin
) -> tuple[tuple[checked.Expr, ...], types.Type] | None:
    """Return the arguments and the result type of the first signature that accepts them."""
    nodes = node.arguments
    fitting = [s for s in builtin.signatures if len(s.params) == len(nodes)]
    if not fitting:
        counts = sorted({len(s.params) for s in builtin.signatures})
        wanted = listed([errors.counted(range(count)) for count in counts])
        help = tuple(f"write `{target.name}({row})`" for row in _written(builtin))
        errors.arity(ctx.report, target.name, target.span, len(nodes), wanted, help=help)
        return None
    found = [ctx.infer(ctx, each, _hint(fitting, position)) for position, each in enumerate(nodes)]
    if not any(isinstance(t, types.OptionalType) for s in fitting for t in s.params):
        found = list(map(ctx.present, found))
    if any(argument.type == types.ERROR for argument in found):
        return None
    for signature in fitting:
        if all(map(_takes, (argument.type for argument in found), signature.params)):
            return _resolved(ctx, builtin, signature, found)
    _report_mismatch(ctx, target.name, fitting, found)
    return None


_MOST_SIGNATURES = 3
"""The number of signatures that a message shows."""


def _written(builtin: Builtin) -> Iterable[str]:
    """Return the types of the arguments of each signature in capitals; longer ones come last."""
    rows = (", ".join(map(str, s.params)).upper().replace("?", "") for s in builtin.signatures)
    return sorted(dict.fromkeys(rows), key=len)[:_MOST_SIGNATURES]


def _hint(signatures: Iterable[BuiltinSignature], position: int) -> types.Type | None:
    """Return the type expected at a position, if all signatures agree."""
    possible = {signature.params[position] for signature in signatures}
    return possible.pop() if len(possible) == 1 else None


def _takes(found: types.Type, wanted: types.Type) -> bool:
    return isinstance(found, types.EnumType) if wanted == types.ANY else names_.takes(found, wanted)


def _resolved(
    ctx: CheckContext, builtin: Builtin, signature: BuiltinSignature, found: Sequence[checked.Expr]
) -> tuple[tuple[checked.Expr, ...], types.Type]:
    arguments = tuple(
        argument if wanted == types.ANY else ctx.coerce(argument, wanted)
        for argument, wanted in zip(found, signature.params, strict=True)
    )
    result = signature.result
    if result == types.ANY:
        result = found[0].type
    if result == types.PIECE and builtin.name in _BY_ZONE:
        result = ctx.held(arguments[0]) if len(arguments) == 1 else _of_kind(ctx, *arguments)
    return arguments, result


def _of_kind(ctx: CheckContext, place: checked.Expr, kind: checked.Expr) -> types.Type:
    """Return the class of a component of a kind at a place."""
    if isinstance(kind, checked.Const) and isinstance(kind.value, Kind):
        return types_.CLASSES[ctx.symbols.game.kinds[kind.value.index].cls]
    return ctx.held(place)


def _report_mismatch(
    ctx: CheckContext,
    name: str,
    signatures: Sequence[BuiltinSignature],
    found: Sequence[checked.Expr],
) -> None:
    """Report arguments that fit no signature, at the first argument that none accepts."""
    for position, argument in enumerate(found):
        wanted = list(dict.fromkeys(signature.params[position] for signature in signatures))
        if any(_takes(argument.type, type_) for type_ in wanted):
            continue
        if len(wanted) == 1 and wanted[0] != types.ANY:
            instead = _instead(name, argument, found)
            ctx.mismatch(argument, wanted[0], f"an argument of `{name}`", instead)
            return
        if isinstance(argument.type, types.OptionalType) and any(
            _takes(types_.required(argument.type), type_) for type_ in wanted
        ):
            ctx.mismatch(argument, types_.required(argument.type), f"`{name}`'s argument")
            return
        words = errors.quoted("enum" if type_ == types.ANY else str(type_) for type_ in wanted)
        message = f"`{name}` takes {words}, but this is {errors.described(argument.type)}"
        ctx.report.error("type-mismatch", message, argument.span)
        return
    given = ", ".join(errors.described(argument.type) for argument in found)
    span = found[0].span.to(found[-1].span)
    ctx.report.error("type-mismatch", f"`{name}` does not take {given} together", span)


def _instead(
    name: str, argument: checked.Expr, arguments: Sequence[checked.Expr]
) -> tuple[str, ...]:
    """Return help lines for an argument that another function or effect takes."""
    text, to = argument.span.text, arguments[-1].span.text
    match name, argument.type:
        case "height", types.ZONE:
            return (f"write `count({text})`",)
        case "top", types.ZONE:
            last = f"first(x in {text} where position(x) == count({text}))"
            return (
                f"the last piece of an ordered zone, or none: `{last}`",
                f"to draw it: `let x = take({text})`",
            )
        case "move" | "move_all", types.SetType():
            return (f"write `for x in {text}: move(x, {to})`",)
        case "move_all", type_ if types_.is_piece(type_):
            return (f"write `move({text}, {to})`",)
    return ()


# --- statements --------------------------------------------------------------------------------


def doing(ctx: CheckContext, node: ast.Expr) -> tuple[checked.Call, types.Type] | None:
    """Return the checked call of an action, choice or effect, with its result type.

    The type is `ERROR` after a mistake. The result is None if the expression is no such call.
    """
    if isinstance(node, ast.Proceed):
        return _proceed(ctx, node)
    if not isinstance(node, ast.Call):
        return None
    target = acting(ctx, node.function)
    if target is None:
        return None
    if not ctx.acts:
        _report_asking(ctx, node, target)
        return checked.ProceedCall(node.span), types.ERROR
    if target.effect is not None:
        found = _overload(ctx, node, target, target.effect)
        arguments, type_ = found if found is not None else ((), types.ERROR)
        if target.effect.name in ("move", "move_all"):
            _check_holds(ctx, arguments)
        if target.effect.name == "turn_to":
            _check_turned(ctx, arguments)
        ctx.forget(Changes(any=True), node.span)
        if target.effect.name == "reveal" and arguments and not types_.is_piece(arguments[0].type):
            return _telling(ctx, node.span, *arguments)
        ruleset = sorted(ctx.symbols.game.reach).index(owner_of(ctx.ruleset))
        name = target.effect.name
        return checked.EffectCall(node.span, name, arguments, ruleset=ruleset), type_
    assert target.routine is not None
    return _routine_call(ctx, node, target.routine, target.span)


def _telling(
    ctx: CheckContext, span: Span, told: checked.Expr, *to: checked.Expr
) -> tuple[checked.Call, types.Type]:
    """Return the call that tells something about a component, or report what cannot be told."""
    if isinstance(told, checked.Compare) and isinstance(told.right, checked.ReadAttribute):
        told = replace(told, left=told.right, right=told.left)  # `red == c.fire`
    read = told_attribute(told)
    if isinstance(told, checked.Compare) and told.operator not in ("==", "!="):
        why = "only whether an attribute is equal to a value can be told"
    elif isinstance(read, checked.CallValue) and read.value in ctx.symbols.refined:
        why = f"`{read.span.text}` is refined by rules, and only what the manifest says can be told"
    elif isinstance(read, checked.AttributeAt):
        why = f"`{read.span.text}` needs a member of its enum in the brackets"
    elif not isinstance(read, checked.ReadAttribute) or not types_.is_piece(read.object.type):
        why = f"`{told.span.text}` is not an attribute of a component"
    else:
        return checked.EffectCall(span, "reveal", (read.object, *to), told), types.UNIT
    line = "write `reveal(c.ATTRIBUTE, p)` or `reveal(c.ATTRIBUTE == VALUE, p)`"
    ctx.report.error("cannot-tell", why, told.span, help=(line,))
    return checked.ProceedCall(span), types.ERROR


def _check_turned(ctx: CheckContext, arguments: Sequence[checked.Expr]) -> None:
    """Report a die that may be of a kind which the ruleset does not know, without this face."""
    match arguments:
        case (die, checked.Const(value=Face(kind=number))):
            game, possible = ctx.symbols.game, kinds_of(ctx, die)
            own = game.kinds[number].name
            for kind in game.kinds:
                unknown = kind.cls == "die" and kind.ruleset not in game.reach[ctx.ruleset]
                if unknown and (possible is None or kind.key in possible):
                    ctx.report.warning(
                        "new-kind",
                        f"`{die.span.text}` may be the new die `{kind.name}` without this face",
                        die.span,
                        labels=(Label(kind.span, f"of `{kind.ruleset}`"),),
                        help=(f"turn only dice that are one: `{die.span.text} is {own}`",),
                    )
                    return


def _check_holds(ctx: CheckContext, arguments: Sequence[checked.Expr]) -> None:
    """Report a component that is moved to a zone or track that never holds its class."""
    match arguments:
        case (checked.EntryAt(what="zone") as whole, checked.EntryAt(what="zone") as entry):
            left, right = (ctx.symbols.game.zones[each.number] for each in (whole, entry))
            if left.holds.isdisjoint(right.holds):
                message = f"`{right.name}` holds nothing that `{left.name}` holds"
                held = f"name a zone that holds {listed(sorted(left.holds))}"
                ctx.report.error("type-mismatch", message, entry.span, help=(held,))
        case (checked.Typed(type=types.NamedType(cls)), checked.EntryAt() as entry, *_):
            game = ctx.symbols.game
            place = (game.zones if entry.what == "zone" else game.tracks)[entry.number]
            if cls not in types.PIECE_CLASSES or cls in place.holds:
                return
            help = f"add `{cls}` to its `holds`"
            if place.ruleset != owner_of(ctx.ruleset):
                advice = f"`extend: {{{place.key}: {{holds: [{cls}]}}}}`"
                can = entry.what == "zone"
                help = f"let it hold one: {advice}" if can else "name another place"
            message = f"`{place.name}` does not hold a {cls}"
            ctx.report.error("type-mismatch", message, entry.span, help=(help,))


def acting(ctx: CheckContext, node: ast.Expr) -> Callee | None:
    """Return the callee of a call if it is an action, choice or effect; report nothing."""
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
    ctx: CheckContext, node: ast.Call, routine: RoutineSymbol, span: Span
) -> tuple[checked.Call, types.Type]:
    arguments = _arguments(ctx, routine, span, node.arguments)
    type_ = routine.type if arguments is not None else types.ERROR
    ctx.forget_call(routine.key, node.span)
    if routine.what == "choice":
        return checked.ChoiceCall(node.span, routine.key, arguments or ()), type_
    return checked.ActionCall(node.span, routine.key, arguments or ()), type_


def _proceed(ctx: CheckContext, node: ast.Proceed) -> tuple[checked.Call, types.Type]:
    if ctx.around is None:
        errors.misplaced(ctx.report, "`proceed` can only be used in `around`", node.span)
        return checked.ProceedCall(node.span), types.ERROR
    if ctx.proceeded or ctx.loops:
        errors.misplaced(ctx.report, "`proceed` runs at most once", node.span)
    ctx.proceeded = True
    ctx.forget_call(ctx.hooked, node.span)
    return checked.ProceedCall(node.span), ctx.around


# --- binders and aggregates -----------------------------------------------------------------------


_ONE_BINDER = ("most", "top", "alike", "first", "the")
_BY_TERM = ("sum", "max", "min", "all")
_BLIND = ("count", "sum", "max", "min", "any", "all")
"""The aggregates whose results do not say which members there are, or in which order."""


def bind(ctx: CheckContext, node: ast.Binder, *, subsets: bool = False) -> checked.Binder:
    """Check a binder; its names, and the facts of its `where`, hold from here on.

    With `subsets`, it may range over the subsets of a set.
    """
    over = _subsets(ctx, node.domain) if subsets else None
    if over is not None and len(node.names) > 1:
        message = "pairs of subsets cannot be ranged over"
        errors.misplaced(ctx.report, message, node.span, ("write `s in subsets(…)`",))
    over = over or domain(ctx, node.domain, single=True)
    item = _item(ctx, over)
    names = tuple(ctx.declare(name, "binder", item).key for name in node.names)
    where = condition(ctx, node.where)
    return checked.Binder(node.span, names, over, where, node.secret)


def _subsets(ctx: CheckContext, node: ast.Expr) -> checked.Expr | None:
    """Check `subsets(S)` or `subsets(S, a, b)` as a domain; None for anything else."""
    match node:
        case ast.Call(function=ast.Name(name="subsets", quoted=False) as name, arguments=given):
            ctx.use(name.name, uses.word("function", name.name))
        case _:
            return None
    if len(given) not in (1, 3):
        errors.arity(ctx.report, name.name, name.span, len(given), "1 or 3 arguments")
        return poison(node.span)
    over = domain(ctx, given[0])
    bounds = [ctx.expect(each, types.INT, "the number of members") for each in given[1:]]
    item = _item(ctx, over)
    if types.ERROR in (item, *(bound.type for bound in bounds)):
        return poison(node.span)
    if item == types.FEATURE:
        message = "a subset cannot hold features, since they change while pieces are laid"
        ctx.report.error("type-mismatch", message, over.span, help=("range over segments",))
        return poison(node.span)
    low, high = bounds or (None, None)
    return checked.SubsetRange(node.span, types.SetType(types.SetType(item)), over, low, high)


def _item(ctx: CheckContext, over: checked.Expr) -> types.Type:
    if over.type == types.ZONE:
        return ctx.held(over)
    return over.type.item if isinstance(over.type, types.SetType) else types.ERROR


def domain(
    ctx: CheckContext,
    node: ast.Expr,
    hint: types.Type | None = None,
    *,
    single: bool = False,
    certain: bool = False,
) -> checked.Expr:
    """Check a set or zone to range over, or to look into.

    With `single`, a value that may be none is the set of it, or the empty set; `certain` is set in
    `the(…)`, which others do not need.
    """
    found = ctx.infer(ctx, node, hint)
    whole = found.type.item if isinstance(found.type, types.OptionalType) else types.ERROR
    if single and not isinstance(whole, types.SetType) and whole != types.ERROR:
        return _single(ctx, found, whole)
    if single and _reads_owner(found):  # in another game it may be none
        return checked.SetLiteral(found.span, types.SetType(found.type), (found,))
    found = ctx.present(found)
    if found.type in (types.ZONE, types.ERROR) or isinstance(found.type, types.SetType):
        return found
    text = found.span.text
    if isinstance(found.type, types.OptionalType) and isinstance(found.type.item, types.SetType):
        return ctx.coerce(found, found.type.item, "the set")
    help_lines = (f"write `tiles({text})` or `cells({text})`",) if found.type == types.GRID else ()
    if isinstance(found.type, types.IntType):
        help_lines = (f"the numbers from 1 to this one are `1..{text}`",)
        if isinstance(found, checked.Binary) and found.operator == "-":
            low, high = found.left.span.text, found.right.span.text
            help_lines = (f"the numbers from {low} to {high} are `{low}..{high}`",)
    if certain:
        help_lines = (f"it is never none: write `{text}` without `the`",)
    message = f"`{text}` is {errors.described(found.type)}, which is not a set"
    ctx.report.error("type-mismatch", message, found.span, help=help_lines)
    return poison(found.span)


def _single(ctx: CheckContext, found: checked.Expr, item: types.Type) -> checked.Expr:
    """Return the set of a value of type `item?`, which is empty if the value is none."""
    span, key = found.span, ctx.invent()
    one = checked.Local(span, found.type, key)
    there = checked.Not(span, types.BOOL, checked.IsKind(span, types.BOOL, one, "none"))
    over = checked.SetLiteral(span, types.SetType(found.type), (found,))
    binder = checked.Binder(span, (key,), over, there)
    value = checked.Ranged(span, item, one)
    return checked.Comprehension(span, types.SetType(item), value, (binder,))


def comprehension(
    ctx: CheckContext, node: ast.Comprehension, hint: types.Type | None
) -> checked.Expr:
    """Check `{E for x in S where C}`."""
    wanted = types_.required(hint) if hint is not None else None
    with ctx.scope(), ctx.knowing({}):
        binders = tuple(bind(ctx, each, subsets=True) for each in node.binders)
        item = wanted.item if isinstance(wanted, types.SetType) else None
        if node.value is not None:
            value = _hinted(ctx, node.value, item)
        else:
            value = _element(ctx, node.span, binders[0])
        _check_asked(ctx, node.binders, binders, pointless=node.value is None)
    if value.type == types.ERROR or errors.set_in_set(ctx.report, value):
        return poison(node.span)
    return checked.Comprehension(node.span, types.SetType(value.type), value, binders)


def _check_asked(
    ctx: CheckContext,
    written: tuple[ast.Binder, ...],
    binders: tuple[checked.Binder, ...],
    *,
    pointless: bool,
) -> None:
    """Warn of a condition that reads none of the names it should restrict.

    If `pointless`, also warn of a name that has no condition and is never read.
    """
    read = {local.key for local in ctx.locals if local.read}
    for node, binder in zip(written, binders, strict=True):
        if not read.isdisjoint(binder.names):
            continue
        names, over = " and ".join(f"`{name}`" for name in node.names), node.domain.span.text
        if node.where is not None:
            message = f"this condition does not use {names}"
            ctx.report.warning("unused", message, node.where.span)
        elif pointless and len(binders) == len(node.names) == 1:
            message = f"{names} is never read, so every element counts"
            help = (f"write `{over}` alone, or add a condition: `where …`",)
            ctx.report.warning("unused", message, node.span, help=help)


def _element(ctx: CheckContext, span: Span, binder: checked.Binder) -> checked.Expr:
    """Return the binder's name as an expression, with its type narrowed by the `where`."""
    key = binder.names[0]
    local = next(local for local in ctx.locals if local.key == key)
    return checked.Local(span, ctx.type_of(local), key)


def aggregate(ctx: CheckContext, node: ast.Aggregate) -> checked.Expr:
    """Check an aggregate over a set, such as `count(…)` or `most(… by …)`."""
    amount = _amount(ctx, node.amount)
    with ctx.scope(), ctx.knowing({}):
        if node.binders:
            binders = tuple(bind(ctx, each, subsets=True) for each in node.binders)
            value = _term(ctx, node)
            _check_asked(ctx, node.binders, binders, pointless=node.function == "count")
        else:
            binders, value = _plain(ctx, node)
        found = _typed(ctx, node, binders, value)
    if isinstance(found, checked.Aggregate) and amount is not None:
        return poison(node.span) if amount.type == types.ERROR else replace(found, amount=amount)
    if not isinstance(found, checked.Aggregate) or node.function not in ("max", "min"):
        return found
    return _with_default(ctx, node, found)


def _amount(ctx: CheckContext, node: ast.Expr | None) -> checked.Expr | None:
    if node is None:
        return None
    found = ctx.expect(node, types.INT, "the number of elements")
    if isinstance(found.type, types.IntType) and found.type.high < 1:
        message = "a set of fewer than one element is always empty"
        help_line = "write how many elements there are at most, as in `first(3, x in S)`"
        ctx.report.error("bad-value", message, node.span, help=(help_line,))
    return found


def _plain(
    ctx: CheckContext, node: ast.Aggregate
) -> tuple[tuple[checked.Binder, ...], checked.Expr | None]:
    """Return a binder with an invented name for a set that is the only argument."""
    assert node.value is not None
    over = _subsets(ctx, node.value) or domain(
        ctx, node.value, single=True, certain=node.function == "the"
    )
    item = _item(ctx, over)
    key = ctx.invent()
    ctx.locals.append(ScopeLocal(key, "binder", item, node.span))
    binder = checked.Binder(node.span, (key,), over, None)
    value = checked.Local(node.span, item, key) if node.function in _BY_TERM else None
    return (binder,), value


def _term(ctx: CheckContext, node: ast.Aggregate) -> checked.Expr | None:
    """Check the expression that is added, compared or tested for each element, if there is one."""
    if node.value is None:
        return None
    if node.function in ("max", "min", "sum"):
        return ctx.infer(ctx, node.value, types.INT)
    if node.function in ("most", "alike"):
        found = ctx.infer(ctx, node.value, None)
        return poison(found.span) if errors.set_in_set(ctx.report, found) else found
    return ctx.expect(node.value, types.BOOL, "the condition")


def _typed(
    ctx: CheckContext,
    node: ast.Aggregate,
    binders: tuple[checked.Binder, ...],
    value: checked.Expr | None,
) -> checked.Expr:
    keys = tuple(ctx.expect(key, types.INT, f"a key of `{node.function}`") for key in node.keys)
    function, span = "top" if node.amount is not None else node.function, node.span
    if function in ("sum", "max", "min") and value is not None:
        value = ctx.coerce(value, types.INT, f"the term of `{function}`")
    if function in _ONE_BINDER and (len(binders) > 1 or len(binders[0].names) > 1):
        message = f"`{function}` ranges over one thing at a time"
        ctx.report.error("arity", message, span)
        return poison(span)
    item = _element(ctx, span, binders[0]).type
    term = value.type if value is not None else item
    if types.ERROR in (item, term):
        return poison(span)
    if isinstance(item, types.SetType) and value is None and function not in ("any", "count"):
        errors.set_in_set(ctx.report, _element(ctx, span, binders[0]))
        return poison(span)
    results: dict[str, types.Type] = {
        "count": _count(ctx, binders),
        "sum": types_.NATURAL if isinstance(term, types.IntType) and term.low >= 0 else types.INT,
        "max": term,
        "min": term,
        "any": types.BOOL,
        "all": types.BOOL,
        "most": types.SetType(term),
        "top": types.SetType(item),
        "alike": types_.NATURAL,
        "first": item if _never_empty(binders[0]) else types_.optional(item),
        "the": item,
    }
    if function == "all" and value is not None:
        value = ctx.coerce(value, types.BOOL, "the condition")
    if function in _BLIND:
        binders = tuple(replace(each, blind=True) for each in binders)
    return checked.Aggregate(span, results[function], function, value, binders, keys)


def _count(ctx: CheckContext, binders: tuple[checked.Binder, ...]) -> types.IntType:
    """Return the type of a count; players are counted when the game is loaded."""
    if checked.is_players(binders):
        roles = ctx.symbols.game.roles
        return types.IntType(roles.least, roles.most)
    return types_.NATURAL


def _with_default(ctx: CheckContext, node: ast.Aggregate, found: checked.Aggregate) -> checked.Expr:
    if node.default is None:
        if not all(_never_empty(binder) for binder in found.binders) and (
            presence.some(found.binders) not in ctx.facts
        ):
            call = node.span.text.removesuffix(")")
            ctx.report.error(
                "missing-else",
                f"`{node.function}` of a set that may be empty",
                node.span,
                help=(f"give a value for that case: `{call} else 0)`",),
            )
        return found
    default = ctx.expect(node.default, types.INT, "the value after `else`")
    both = types_.join(found.type, default.type)
    return replace(found, type=both or types.INT, default=default)


def _never_empty(binder: checked.Binder) -> bool:
    if binder.where is not None or len(binder.names) > 1:
        return False
    match binder.domain:
        case checked.CallBuiltin(function="players") | checked.EnumSet():
            return True
        case checked.SetLiteral(items=items) | checked.Const(value=tuple(items)):
            return bool(items)
        case checked.RangeSet(low=low, high=high):
            return (
                isinstance(low.type, types.IntType)
                and isinstance(high.type, types.IntType)
                and low.type.high <= high.type.low
            )
        case checked.Comprehension(binders=binders):
            return all(_never_empty(each) for each in binders)
    return False


def reach(ctx: CheckContext, node: ast.Reach, hint: types.Type | None) -> checked.Expr:
    """Check `reach(x from S by E)`."""
    start = as_set(ctx, ctx.infer(ctx, node.start, hint))
    if start.type != types.ERROR and not isinstance(start.type, types.SetType):
        start = checked.SetLiteral(start.span, types.SetType(start.type), (start,))
    item = start.type.item if isinstance(start.type, types.SetType) else types.ERROR
    if isinstance(item, types.IntType):
        item = types.INT  # reached numbers may be outside of the range of the first
    with ctx.scope():
        name = ctx.declare(node.name, "binder", item).key
        step = ctx.expect(node.step, types.SetType(item), "the value after `by`")
    if types.ERROR in (start.type, step.type):
        return poison(node.span)
    return checked.Reach(node.span, types.SetType(item), name, start, step)


def check_start(ctx: CheckContext, binder: checked.Binder, start: ast.Expr) -> checked.Expr:
    """Check the player at whom a loop over players, or over what players own, begins."""
    found = ctx.expect(start, types.PLAYER, "the start of the loop")
    item = next(local.type for local in ctx.locals if local.key == binder.names[0])
    if not types_.fits(item, types.PLAYER) and item != types.ERROR and not types_.is_piece(item):
        message = f"a loop over {errors.described(item)} cannot begin at a player"
        ctx.report.error("type-mismatch", message, start.span)
    return found


# --- comparisons, membership and `is` -------------------------------------------------------------


def compare(ctx: CheckContext, node: ast.Compare) -> checked.Expr:
    """Check a comparison."""
    match node.operator:
        case "is":
            return _is(ctx, node)
        case "is not":
            test = _is(ctx, node)
            return checked.Not(node.span, types.BOOL, test) if test.type == types.BOOL else test
        case "in":
            return _member(ctx, node)
        case "not in":
            return checked.Not(node.span, types.BOOL, _member(ctx, node))
        case "==" | "!=":
            return _equal(ctx, node)
    left, right = ctx.infer(ctx, node.left, None), ctx.infer(ctx, node.right, None)
    for side in (left, right):
        if ctx.coerce(side, types.INT, f"a side of `{node.operator}`").type == types.ERROR:
            return poison(node.span)
    return checked.Compare(node.span, types.BOOL, node.operator, left, right)


def _previous_unbracketed(ctx: CheckContext, node: ast.Compare) -> bool:
    """Report `previous in RULESET` beside an operator that binds tighter.

    Returns whether there is one.
    """
    last, first = node.left, node.right
    while isinstance(last, ast.Binary):
        last = last.right
    while isinstance(first, ast.Binary):
        first = first.left
    if not isinstance(last, ast.Previous) or not isinstance(first, ast.Name):
        return False
    if all(ruleset.id != first.name for ruleset in ctx.symbols.game.rulesets):
        return False
    before, after = node.left.span.text[: -len("previous")], node.right.span.text[len(first.name) :]
    bracketed = f"{before}(previous in {first.name}){after}"
    message = "`in` binds less tightly than the operators beside it"
    ctx.report.error("type-mismatch", message, node.span, help=(f"write `{bracketed}`",))
    return True


def _member(ctx: CheckContext, node: ast.Compare) -> checked.Expr:
    if _previous_unbracketed(ctx, node):
        return poison(node.span)
    what = None
    if _needs_hint(ctx, node.right) and not _needs_hint(ctx, node.left):
        what = ctx.infer(ctx, node.left, None)
    where = domain(
        ctx, node.right, None if what is None else types.SetType(types_.required(what.type))
    )
    item = where.type.item if isinstance(where.type, types.SetType) else None
    if where.type == types.ZONE:
        item = ctx.held(where)
    what = what or ctx.infer(ctx, node.left, item)
    if item is not None and types_.join(types_.required(what.type), item) is None:
        errors.no_common_type(
            ctx.report, node.span, what.type, item, f"the sides of `{node.operator}`"
        )
    return checked.Member(node.span, types.BOOL, what, where)


# --- == and != ---------------------------------------------------------------------------------


def _needs_hint(ctx: CheckContext, node: ast.Expr) -> bool:
    """Return whether an expression has a meaning only if the other side's type is known."""
    match node:
        case ast.Name(name=name):
            data = ctx.symbols.find(ctx.symbols.data, f"game.{name}", ctx.ruleset)
            return name not in ctx.names and not data
        case ast.SetLiteral(items=items) if items:
            return all(_needs_hint(ctx, item) for item in items)
        case ast.IfElse(then=then, otherwise=otherwise):
            return _needs_hint(ctx, then) and _needs_hint(ctx, otherwise)
    return False


def _equal(ctx: CheckContext, node: ast.Compare) -> checked.Expr:
    first, second = node.left, node.right
    if _needs_hint(ctx, first) and not _needs_hint(ctx, second):
        first, second = second, first
    one = ctx.infer(ctx, first, None)
    if isinstance(second, ast.Name) and second.name not in ctx.names:
        wanted = types_.required(one.type)
        several = names_.handles(ctx, second.name, wanted)
        if len(several) > 1 and not isinstance(wanted, types.EnumType):
            if not _repeatable(ctx, one):
                return poison(node.span)
            ctx.use(second.name, ctx.symbols.meaning(several[0][0]))
            return _one_of(node, one, [value for value, _ in several], second.span)
    other = ctx.infer(ctx, second, one.type)
    left, right = (one, other) if first is node.left else (other, one)
    if isinstance(one.type, types.SetType) or isinstance(other.type, types.SetType):
        left, right = as_set(ctx, left), as_set(ctx, right)
    if types.NONE in (left.type, right.type):
        return _none_test(ctx, node, right if left.type == types.NONE else left)
    if types.ERROR in (left.type, right.type):
        return poison(node.span)
    if types_.join(left.type, right.type) is None:
        what = f"the sides of `{node.operator}`"
        advice = _kind_advice(ctx, node, one.type, second)
        errors.no_common_type(ctx.report, node.span, left.type, right.type, what, advice)
        return poison(node.span)
    if isinstance(left.type, types.OptionalType) and isinstance(right.type, types.OptionalType):
        for owner in (left, right):
            if _reads_owner(owner):
                if not _repeatable(ctx, owner):
                    return poison(node.span)
                return _same_owner(node, owner, left, right)
    return checked.Compare(node.span, types.BOOL, node.operator, left, right)


_REPEATED = 200
"""The greatest number of nodes that are put into a checked tree twice."""


def _repeatable(ctx: CheckContext, thing: checked.Expr) -> bool:
    """Return whether a thing can be evaluated twice, and report if it is too large.

    Nested things that are evaluated twice would become larger and larger.
    """
    if len(walk(thing)) <= _REPEATED:
        return True
    help_lines = ("give it a name with `let` in a line above, and compare the name",)
    message = "this expression is too large to be compared here"
    ctx.report.error("nested-too-deep", message, thing.span, help=help_lines)
    return False


def _reads_owner(found: checked.Expr) -> TypeGuard[checked.CallBuiltin]:
    return isinstance(found, checked.CallBuiltin) and found.function == "owner"


def _same_owner(
    node: ast.Compare, owner: checked.CallBuiltin, left: checked.Expr, right: checked.Expr
) -> checked.Expr:
    """Return the comparison of two owners that may both be none, which then are not the same."""
    owned = checked.CallBuiltin(owner.span, types.BOOL, "owned", owner.arguments)
    same = checked.Compare(node.span, types.BOOL, "==", left, right)
    found = checked.Binary(node.span, types.BOOL, "and", owned, same)
    return found if node.operator == "==" else checked.Not(node.span, types.BOOL, found)


def _kind_advice(
    ctx: CheckContext, node: ast.Compare, type_: types.Type | None, other: ast.Expr
) -> tuple[str, ...]:
    """Return help for comparing a thing with the name of a kind."""
    if not isinstance(other, ast.Name):
        return ()
    symbols, what = ctx.symbols, "a kind of feature"
    if type_ in (types.FEATURE, types.SEGMENT):
        known = bool(symbols.find(symbols.features, other.name, ctx.ruleset))
    else:
        what = "a kind of component"
        is_piece = type_ is not None and types_.is_piece(type_)
        known = is_piece and bool(symbols.find(symbols.components, other.name, ctx.ruleset))
    if not known:
        return ()
    word = "is" if node.operator == "==" else "is not"
    thing = node.left if other is node.right else node.right
    return (f"`{other.name}` is {what}: write `{thing.span.text} {word} {other.name}`",)


def _none_test(ctx: CheckContext, node: ast.Compare, other: checked.Expr) -> checked.Expr:
    word = "is" if node.operator == "==" else "is not"
    help_lines = (f"write `{other.span.text} {word} none`",)
    message = f"`{node.operator}` cannot compare with `none`"
    ctx.report.error("type-mismatch", message, node.span, help=help_lines)
    if other.type == types.ERROR:
        return poison(node.span)
    test = checked.IsKind(node.span, types.BOOL, other, "none")
    return test if node.operator == "==" else checked.Not(node.span, types.BOOL, test)


def _one_of(
    node: ast.Compare, one: checked.Expr, values: Iterable[Value], span: Span
) -> checked.Expr:
    """Return a test whether `one` equals any of several handles of one name."""
    type_ = types_.required(one.type)
    tests: list[checked.Expr] = [
        checked.Compare(node.span, types.BOOL, "==", one, checked.Const(span, type_, value))
        for value in values
    ]
    found = tests[0]
    for test in tests[1:]:
        found = checked.Binary(node.span, types.BOOL, "or", found, test)
    return found if node.operator == "==" else checked.Not(node.span, types.BOOL, found)


# --- is ----------------------------------------------------------------------------------------


def _is(ctx: CheckContext, node: ast.Compare) -> checked.Expr:
    """Check `left is right`, without a negation."""
    object_ = ctx.infer(ctx, node.left, None)
    if object_.type == types.ERROR:
        return poison(node.span)
    if isinstance(node.right, ast.NoneLiteral):
        if _reads_owner(object_):
            owned = checked.CallBuiltin(node.span, types.BOOL, "owned", object_.arguments)
            return checked.Not(node.span, types.BOOL, owned)
        holds_owner = isinstance(object_, checked.Local) and object_.name in ctx.owners
        if (
            not isinstance(object_.type, types.OptionalType)
            and object_.type != types.NONE
            and not holds_owner
        ):
            message = f"`{object_.span.text}` is never none"
            ctx.report.error("type-mismatch", message, node.span, mark=f"is `{object_.type}`")
        return checked.IsKind(node.span, types.BOOL, object_, "none")
    word = _word(node.right)
    if word is None:
        message = f"`{node.operator}` is followed by the name of a kind, or `none`"
        written = node.right.span.text
        advice = f"`{object_.span.text} == {written}`"
        if ctx.symbols.find(ctx.symbols.components, written, ctx.ruleset):
            advice = f"`{object_.span.text} is '{written}'`: such a name needs quotes"
        help_lines = (f"write {advice}",)
        ctx.report.error("type-mismatch", message, node.right.span, help=help_lines)
        return poison(node.span)
    test = _kind_test(ctx, node, object_, *word)
    if isinstance(object_.type, types.OptionalType) and test.type == types.BOOL:
        if not _repeatable(ctx, object_):
            return poison(node.span)
        absent = checked.IsKind(node.span, types.BOOL, object_, "none")
        return checked.Binary(
            node.span, types.BOOL, "and", checked.Not(node.span, types.BOOL, absent), test
        )
    return test


def _word(node: ast.Expr) -> tuple[ast.Ident | None, ast.Ident] | None:
    """Return the qualifier and the name of a kind, None for any other expression."""
    match node:
        case ast.Name(name=name):
            return None, name
        case ast.Attribute(object=ast.Name(name=qualifier), name=name):
            return qualifier, name
    return None


def _kind_test(
    ctx: CheckContext,
    node: ast.Compare,
    object_: checked.Expr,
    qualifier: ast.Ident | None,
    name: ast.Ident,
) -> checked.Expr:
    span, type_ = name.span, types_.required(object_.type)
    if qualifier is not None:
        ctx.use(qualifier, uses.word("ruleset", qualifier))
    if isinstance(object_, checked.Local) and isinstance(object_.type, types.OptionalType):
        object_ = replace(object_, type=type_)  # it is known to be present
    if type_ == types.FACE:
        faces = [value for value, _ in names_.handles(ctx, name, types.FACE, qualifier)]
        for face in faces[:1]:
            ctx.use(name, ctx.symbols.meaning(face))
        equal = ast.Compare(node.span, "==", node.left, node.right)
        return _one_of(equal, object_, faces, span) if faces else _no_kind(ctx, type_, name, span)
    if type_ in (types.FEATURE, types.SEGMENT):
        kinds = ctx.symbols.find(ctx.symbols.features, name, ctx.ruleset, qualifier)
        keys = [kind.key for kind in kinds]
        test = "feature"
    elif types_.is_piece(type_) or type_ == types.KIND:
        quoted = isinstance(node.right, ast.Name) and node.right.quoted
        if qualifier is None and not quoted and name in types_.CLASSES:
            ctx.use(name, uses.word("type", name))
            if type_ not in (types.PIECE, types.KIND, types_.CLASSES[name]):
                return _never(ctx, node, object_, name)
            return checked.IsKind(node.span, types.BOOL, object_, "class", str(name))
        found = ctx.symbols.find(ctx.symbols.components, name, ctx.ruleset, qualifier)
        keys = [ctx.symbols.game.kinds[numbers[0]].key for numbers in found]
        test = "kind"
    else:
        message = f"`{object_.span.text}` is `{type_}`, which has no kinds"
        help_lines = (f"write `{object_.span.text} == {span.text}`",)
        ctx.report.error("type-mismatch", message, node.span, help=help_lines)
        return poison(node.span)
    if len(keys) != 1:
        if keys:
            errors.ambiguous(ctx.report, name, span, [written_name(key) for key in keys])
            return poison(node.span)
        return _no_kind(ctx, type_, name, span)
    ctx.use(name, uses.declared("component" if test == "kind" else "feature", keys[0]))
    if test == "kind" and not _possible(ctx, type_, keys[0]):
        return _never(ctx, node, object_, name)
    return checked.IsKind(node.span, types.BOOL, object_, test, keys[0])


def _possible(ctx: CheckContext, type_: types.Type, key: str) -> bool:
    classes = {kind.cls for kind in ctx.symbols.game.kinds if kind.key == key}
    return type_ in (types.PIECE, types.KIND) or any(
        types_.fits(types_.CLASSES[each], type_) for each in classes
    )


def _never(ctx: CheckContext, node: ast.Compare, object_: checked.Expr, name: str) -> checked.Expr:
    message = (
        f"`{object_.span.text}` is {errors.an(str(types_.required(object_.type)))}, never `{name}`"
    )
    ctx.report.error("type-mismatch", message, node.span)
    return poison(node.span)


def _no_kind(ctx: CheckContext, type_: types.Type, name: str, span: Span) -> checked.Expr:
    symbols = ctx.symbols
    if type_ == types.FACE:
        what, known = "face", {face.name for kind in symbols.game.kinds for face in kind.faces}
    elif type_ in (types.FEATURE, types.SEGMENT):
        what, known = "kind of feature", set(symbols.seen(symbols.features, ctx.ruleset))
    else:
        what, known = "component", {*symbols.seen(symbols.components, ctx.ruleset), *types_.CLASSES}
    message = f"there is no {what} `{name}`"
    ctx.report.error("unknown-name", message, span, help=did_you_mean(name, known))
    return poison(span)


# --- all expressions ------------------------------------------------------------------------------


def infer(ctx: CheckContext, node: ast.Expr, hint: types.Type | None) -> checked.Expr:
    """Return the checked expression with its type.

    `hint` is the type that is expected, which selects among several meanings of a name. The result
    may be of another type.
    """
    match node:
        case ast.Int(value=value):
            return checked.Const(node.span, types.IntType(value, value), value)
        case ast.Bool(value=truth):
            return checked.Const(node.span, types.BOOL, truth)
        case ast.NoneLiteral():
            return checked.Const(node.span, types.NONE, None)
        case ast.Name():
            return names_.read_name(ctx, node, hint)
        case ast.Attribute():
            return names_.read_dotted(ctx, node, hint)
        case ast.Index():
            return names_.read_index(ctx, node)
        case ast.Call():
            return call(ctx, node)
        case ast.Unary():
            return _unary(ctx, node)
        case ast.Binary(operator="and" | "or"):
            return _logic(ctx, node)
        case ast.Binary():
            return _arithmetic(ctx, node, hint)
        case ast.Compare():
            return compare(ctx, node)
        case ast.IfElse():
            return _if_else(ctx, node, hint)
        case ast.Range():
            return _range(ctx, node)
        case ast.SetLiteral():
            return _set(ctx, node, hint)
        case ast.Comprehension():
            return comprehension(ctx, node, hint)
        case ast.Aggregate():
            return aggregate(ctx, node)
        case ast.Reach():
            return reach(ctx, node, hint)
        case ast.Previous():
            return _previous(ctx, node)
        case ast.Proceed():
            message = "`proceed` must be a statement of its own, or follow `let x =` or `return`"
            errors.misplaced(ctx.report, message, node.span)
            return poison(node.span)
    assert_never(node)


def _unary(ctx: CheckContext, node: ast.Unary) -> checked.Expr:
    if node.operator == "not":
        return checked.Not(
            node.span, types.BOOL, ctx.expect(node.operand, types.BOOL, "the value after `not`")
        )
    operand = ctx.expect(node.operand, types.INT, "the value after `-`")
    if not isinstance(operand.type, types.IntType):
        return poison(node.span)
    return checked.Negate(node.span, types_.negated(operand.type), operand)


def _logic(ctx: CheckContext, node: ast.Binary) -> checked.Expr:
    why = f"a side of `{node.operator}`"
    left = ctx.expect(node.left, types.BOOL, why)
    with ctx.knowing(known(ctx, left, node.operator == "and")):
        right = ctx.expect(node.right, types.BOOL, why)
    return checked.Binary(node.span, types.BOOL, node.operator, left, right)


_SETS = {"+": "union", "-": "difference"}


def _arithmetic(ctx: CheckContext, node: ast.Binary, hint: types.Type | None) -> checked.Expr:
    first, second = node.left, node.right
    if isinstance(first, ast.SetLiteral):
        second, first = first, second
    one = ctx.infer(ctx, first, hint)
    wanted = as_set(ctx, one).type if one.type == types.ZONE else one.type
    other = ctx.infer(ctx, second, wanted if isinstance(wanted, types.SetType) else hint)
    left, right = (one, other) if first is node.left else (other, one)
    if types.ERROR in (left.type, right.type):
        return poison(node.span)
    if node.operator in _SETS and isinstance(as_set(ctx, left).type, types.SetType):
        return _set_operation(ctx, node, as_set(ctx, left), as_set(ctx, right))
    left, right = (ctx.coerce(e, types.INT, f"a side of `{node.operator}`") for e in (left, right))
    if not isinstance(left.type, types.IntType) or not isinstance(right.type, types.IntType):
        return poison(node.span)
    if node.operator in ("div", "mod") and right.type.low <= 0 <= right.type.high:
        _divisor(ctx, node, right)
        return poison(node.span)
    type_ = types_.arithmetic(node.operator, left.type, right.type)
    return checked.Binary(node.span, type_, node.operator, left, right)


def _set_operation(
    ctx: CheckContext, node: ast.Binary, left: checked.Expr, right: checked.Expr
) -> checked.Expr:
    both = types_.join(left.type, right.type)
    if both is None or not isinstance(right.type, types.SetType):
        what = f"the sides of `{node.operator}`"
        errors.no_common_type(ctx.report, node.span, left.type, right.type, what)
        return poison(node.span)
    type_ = both if node.operator == "+" else left.type
    return checked.Binary(node.span, type_, _SETS[node.operator], left, right)


def _divisor(ctx: CheckContext, node: ast.Binary, divisor: checked.Expr) -> None:
    text = divisor.span.text
    zero = divisor.type == types.IntType(0, 0)
    ctx.report.error(
        "divisor",
        "the divisor is 0" if zero else f"the divisor `{text}` may be 0",
        divisor.span,
        help=()
        if zero
        else (f"write `{node.operator} max(1, {text})`, or test `{text} > 0` first",),
    )


def _if_else(ctx: CheckContext, node: ast.IfElse, hint: types.Type | None) -> checked.Expr:
    condition = ctx.expect(node.condition, types.BOOL, "the condition")
    with ctx.knowing(known(ctx, condition)):
        then = _hinted(ctx, node.then, hint)
    with ctx.knowing(known(ctx, condition, False)):
        otherwise = _hinted(ctx, node.otherwise, hint, hint or then.type)
    if isinstance(hint, types.SetType):
        then, otherwise = as_set(ctx, then), as_set(ctx, otherwise)
    type_ = types_.join(then.type, otherwise.type)
    if type_ is None:
        what = "the two sides of `if`"
        errors.no_common_type(ctx.report, node.span, then.type, otherwise.type, what)
        return poison(node.span)
    return checked.IfElse(node.span, type_, condition, then, otherwise)


def _hinted(
    ctx: CheckContext, node: ast.Expr, wanted: types.Type | None, hint: types.Type | None = None
) -> checked.Expr:
    """Return a part of an expression of type `wanted`, without `none` if the type is."""
    found = ctx.infer(ctx, node, hint or wanted)
    needed = wanted is not None and not isinstance(wanted, types.OptionalType)
    return ctx.present(found) if needed else found


def _range(ctx: CheckContext, node: ast.Range) -> checked.Expr:
    low = ctx.expect(node.low, types.INT, "a bound")
    high = ctx.expect(node.high, types.INT, "a bound")
    if not isinstance(low.type, types.IntType) or not isinstance(high.type, types.IntType):
        return poison(node.span)
    first, last = low.type.low, high.type.high
    item = types.IntType(first, max(first, last))
    return checked.RangeSet(node.span, types.SetType(item), low, high)


def _set(ctx: CheckContext, node: ast.SetLiteral, hint: types.Type | None) -> checked.Expr:
    wanted = types_.required(hint) if hint is not None else None
    item = wanted.item if isinstance(wanted, types.SetType) else None
    if not node.items:
        if item is None:
            message = "the type of this empty set is not known"
            help_lines = ("declare it where the set is stored: `var x: set of player = {}`",)
            ctx.report.error("type-mismatch", message, node.span, help=help_lines)
            return poison(node.span)
        return checked.SetLiteral(node.span, types.SetType(item), ())
    if item is None and names_.are_colours(ctx, node.items):
        item = types.PLAYER
    items = tuple(_hinted(ctx, each, item) for each in node.items)
    if any(errors.set_in_set(ctx.report, each) for each in items):
        return poison(node.span)
    type_: types.Type | None = items[0].type
    for each in items[1:]:
        type_ = types_.join(type_, each.type) if type_ is not None else None
    if type_ is None or type_ == types.NONE:
        ctx.report.error("type-mismatch", "the members have nothing in common", node.span)
        return poison(node.span)
    if type_ == types.ERROR:
        return poison(node.span)
    return checked.SetLiteral(node.span, types.SetType(type_), items)


def _previous(ctx: CheckContext, node: ast.Previous) -> checked.Expr:
    if ctx.previous is None:
        message = "`previous` can only be used in `refine`"
        errors.misplaced(ctx.report, message, node.span)
        return poison(node.span)
    if node.ruleset is not None and not ctx.symbols.may_qualify(node.ruleset, ctx.ruleset):
        known_ = ctx.symbols.game.reach[ctx.ruleset]
        errors.unknown(ctx.report, "ruleset in scope called", node.ruleset, node.span, known_)
        return poison(node.span)
    ruleset = None
    if node.ruleset is not None:
        ctx.use(node.ruleset, uses.word("ruleset", node.ruleset))
        ruleset = str(node.ruleset)
    return checked.Previous(node.span, ctx.previous, ruleset)
