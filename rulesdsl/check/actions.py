"""Actions, hooks, state, `always` and `order`."""

from __future__ import annotations

from collections.abc import Sequence

from rulesdsl.builtins import FUNCTIONS
from rulesdsl.check import errors
from rulesdsl.check.collect import OWNERS
from rulesdsl.check.compose import HookOrder
from rulesdsl.check.draft import Draft, Option, Target, declare_params, target
from rulesdsl.check.facts import condition
from rulesdsl.check.ranging import bind
from rulesdsl.check.scope import Context
from rulesdsl.check.spans import head_span, last_part, named_span, part_span
from rulesdsl.check.statements import block
from rulesdsl.check.symbols import Datum, Routine
from rulesdsl.check.types import fits
from rulesdsl.check.written import constant
from rulesdsl.diagnostics import Label, Span
from rulesdsl.diagnostics.suggest import did_you_mean
from rulesdsl.model import ast, checked
from rulesdsl.model.types import (
    BOOL,
    ERROR,
    NONE,
    UNIT,
    EnumType,
    IntType,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.model.values import EnumMember
from rulesdsl.model.walk import walk

# --- state -------------------------------------------------------------------------------------

_CLOSED = {"players", "next", "seat", "forward", "steps", "half_up", "div_up", "abs", "max", "min"}
assert FUNCTIONS.keys() >= _CLOSED


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
    for node in walk(initial):
        match node:
            case checked.ReadState() | checked.CallValue():
                pass
            case checked.EntryAt(what="zone" | "grid"):
                pass
            case checked.CallBuiltin(function=function) if function not in _CLOSED:
                pass
            case _:
                continue
        message = f"`{node.span.text}` is not known before the game begins"
        help_lines = ("use constants, settings, tables and `first(players)`",)
        errors.misplaced(ctx.report, message, node.span, help_lines)
        return


# --- actions -----------------------------------------------------------------------------------


def check_action(draft: Draft, ruleset: str, node: ast.ActionDecl) -> None:
    """An action with its own body."""
    routine = draft.symbols.routines[ruleset][node.name]
    if routine.key in draft.actions:
        return
    span = named_span(node.span, node.name)
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


# --- hooks -------------------------------------------------------------------------------------


def check_hook(draft: Draft, ruleset: str, node: ast.HookDecl) -> None:
    """`before`, `after` or `around` an action, a choice or an option."""
    ctx = draft.context(ruleset)
    found = target(ctx, node.target, "action or choice")
    if found is None:
        return
    routine, option = found.routine, None
    if routine.what == "value":
        verb = head_span(node.span, node.when)
        message = f"`{routine.name}` is a value, and nothing happens when it is computed"
        help_lines = (f"`{node.when}` stands before actions, choices and options",)
        draft.report.error("wrong-verb", message, verb, help=help_lines)
        return
    if found.rest:
        option = find_option(draft, ctx, found, node.target)
        if option is None:
            return
    own, types = _hooked(ctx, routine, option)
    if len(node.params) != len(types):
        wanted = errors.counted(types, "parameter")
        span = last_part(node.target)
        count = len(node.params)
        where = routine.span if option is None else named_span(option.node.span, option.name)
        errors.arity(draft.report, str(node.target), span, count, wanted, where)
        return
    params = (*own, *declare_params(ctx, node.params, types))
    result: Type = UNIT
    if node.when == "around":
        ctx.around = result = routine.type
    guard = condition(ctx, node.guard)
    body = acting(ctx, node.body, result, node.target.span)
    hook = checked.Hook(node.span, ruleset, node.when, params[len(own) :], guard, body)
    key = routine.key if option is None else option.key
    draft.hooks.setdefault(key, []).append(hook)


def _hooked(
    ctx: Context, routine: Routine, option: Option | None
) -> tuple[tuple[str, ...], Sequence[Type]]:
    """The parameters of the choice that a hook on its option sees under their own names, and the
    types of those it names itself."""
    if option is None:
        return (), [param.type for param in routine.params]
    declare_choice(ctx, routine)
    return tuple(p.name for p in routine.params), [type_ for _, type_ in option.arguments]


def declare_choice(ctx: Context, routine: Routine) -> None:
    """The parameters of a choice are in sight of its options."""
    span = routine.span or ctx.symbols.game.roles.span
    for param in routine.params:
        ctx.declare(param.name, "parameter", param.type, span)


def find_option(draft: Draft, ctx: Context, found: Target, path: ast.Path) -> Option | None:
    """The option that a dotted name ends with."""
    span = last_part(path)
    routine, name = found.routine, path.parts[-1]
    options = draft.options.get(routine.key, [])
    if routine.what != "choice" or len(found.rest) > 1:
        message = f"`{routine.name}` is no choice and has no options"
        where = part_span(path, len(path.parts) - len(found.rest))
        ctx.report.error("unknown-name", message, where)
        return None
    sight = [o for o in options if o.ruleset in ctx.symbols.game.reach[ctx.ruleset]]
    fitting = [option for option in sight if option.name == name]
    for preferred in (found.qualifier, ctx.ruleset):
        chosen = [option for option in fitting if option.ruleset == preferred]
        fitting = chosen or fitting
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        written = [f"{option.ruleset}.{routine.name}.{name}" for option in fitting]
        errors.ambiguous(ctx.report, name, span, written)
    elif not ctx.symbols.is_broken(routine.name, ctx.ruleset):
        message = f"choice `{routine.name}` has no option `{name}`"
        labels = (Label(routine.span, "declared here"),) if routine.span else ()
        help_lines = did_you_mean(name, (option.name for option in sight))
        ctx.report.error("unknown-name", message, span, labels=labels, help=help_lines)
    return None


# --- order -------------------------------------------------------------------------------------


def check_order(draft: Draft, ruleset: str, node: ast.OrderDecl) -> None:
    """`order a.x before b.x` or `independent a.x, b.x`."""
    ctx = draft.context(ruleset)
    first, second = (_party(draft, ctx, path) for path in (node.first, node.second))
    if first is None or second is None:
        return
    if first[1] != second[1]:
        message = f"`{node.first}` and `{node.second}` are hooks of different things"
        draft.report.error("order-unknown", message, node.second.span)
        return
    draft.orders.append(HookOrder(first[1], first[0], second[0], node.independent, node.span))


def _party(draft: Draft, ctx: Context, path: ast.Path) -> tuple[str, str] | None:
    """The ruleset whose hooks are meant, and the full name of what they are on."""
    party, *parts = path.parts
    symbols = ctx.symbols
    if not parts or not symbols.may_qualify(party, ctx.ruleset):
        message = "the ruleset whose hook is meant stands first"
        known_ = symbols.game.reach[ctx.ruleset]
        help_lines = did_you_mean(party, known_) or (f"write `RULESET.{path}`",)
        ctx.report.error("order-unknown", message, path.span, help=help_lines)
        return None
    span = path.span.source.span(part_span(path, 1).start, path.span.end)
    rest = ast.Path(span, tuple(parts))
    inner = Context(symbols, ctx.report, party, ctx.infer)
    found = target(inner, rest, "action or choice")
    if found is None:
        return None
    if not found.rest:
        return party, found.routine.key
    option = find_option(draft, inner, found, rest)
    return None if option is None else (party, option.key)
