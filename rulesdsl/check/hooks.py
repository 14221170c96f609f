"""Hooks, and the order of hooks and refinements where rulesets say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from rulesdsl.check import errors
from rulesdsl.check.actions import acting
from rulesdsl.check.compose import HookOrder
from rulesdsl.check.draft import Draft, Option, declare_choice, declare_params
from rulesdsl.check.facts import condition
from rulesdsl.check.scope import Context
from rulesdsl.check.symbols import Routine
from rulesdsl.check.targets import find_option, refined_attribute, target
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model import ast, checked, uses
from rulesdsl.model.checked import walk
from rulesdsl.model.types import UNIT, Type


def check_hook(draft: Draft, ruleset: str, node: ast.HookDecl) -> None:
    """`before`, `after`, `around` or `instead` of an action, a choice or an option."""
    ctx = draft.context(ruleset)
    found = target(ctx, node.target, "action or choice")
    if found is None:
        return
    routine, option = found.routine, None
    if routine.what == "value":
        verb = node.when.span
        message = f"`{routine.name}` is a value, and nothing happens when it is computed"
        help_lines = (f"`{node.when}` stands before actions, choices and options",)
        draft.report.error("wrong-verb", message, verb, help=help_lines)
        return
    if found.rest:
        option = find_option(draft, ctx, found)
        if option is None:
            return
    own, types = _hooked(ctx, routine, option)
    if len(node.params) != len(types):
        wanted = errors.counted(types, "parameter")
        span = node.target.parts[-1].span
        count = len(node.params)
        where = routine.span if option is None else option.node.name.span
        errors.arity(draft.report, str(node.target), span, count, wanted, where)
        return
    params = (*own, *declare_params(ctx, node.params, types))
    result: Type = UNIT
    when = "around" if node.when == "instead" else str(node.when)
    if when == "around":
        result = routine.type
    if node.when == "around":
        ctx.around = result
        _check_proceeds(draft, node)
    guard = condition(ctx, node.guard)
    body = acting(ctx, node.body, result, node.target.span)
    hook = checked.Hook(node.span, ruleset, when, params[len(own) :], guard, body)
    key = routine.key if option is None else option.key
    draft.hooks.setdefault(key, []).append(hook)


def _check_proceeds(draft: Draft, node: ast.HookDecl) -> None:
    """Warn of an `around` that takes the place of something without a word about it."""
    if not any(isinstance(each, ast.Proceed) for each in walk(node.body)):
        draft.report.warning(
            "missing-proceed",
            f"this `around` never runs `{node.target}`",
            node.when.span,
            help=(
                "write `proceed` where it is to run,",
                "or, if it is not to run, `instead` in the place of `around`",
            ),
        )


def _hooked(
    ctx: Context, routine: Routine, option: Option | None
) -> tuple[tuple[str, ...], Sequence[Type]]:
    """The parameters of the choice that a hook on its option sees under their own names, and the
    types of those it names itself."""
    if option is None:
        return (), [param.type for param in routine.params]
    declare_choice(ctx, routine)
    return tuple(p.name for p in routine.params), [type_ for _, type_ in option.arguments]


# --- order -------------------------------------------------------------------------------------


def check_order(draft: Draft, ruleset: str, node: ast.OrderDecl) -> None:
    """`order a.x before b.x` or `independent a.x, b.x`."""
    ctx = draft.context(ruleset)
    first, second = (_party(draft, ctx, path) for path in (node.first, node.second))
    if first is None or second is None:
        return
    if first.target != second.target:
        message = f"`{node.first}` and `{node.second}` are different things"
        help_lines = ("name the same action, choice, option or value twice",)
        draft.report.error("order-unknown", message, node.second.span, help=help_lines)
        return
    into = draft.rankings.setdefault(first.target, []) if first.value else draft.orders
    for one, other in product(_parts(ctx, first.ruleset), _parts(ctx, second.ruleset)):
        into.append(HookOrder(first.target, one, other, node.independent, node.span))


def _parts(ctx: Context, ruleset: str) -> list[str]:
    """The parts of a ruleset's rules that its name means in an order: those outside its `with`
    blocks, and in blocks that stand for fewer rulesets than what names it."""
    game = ctx.symbols.game
    below = game.reach[ctx.ruleset] - {ctx.ruleset}
    blocks = (part for part in game.parts if part.ruleset == ruleset and part.names)
    return [ruleset, *(part.id for part in blocks if part.id in below)]


@dataclass(frozen=True)
class _Party:
    """The ruleset whose hooks or refinements are meant, and the full name of what they are on;
    `value`: is that a value, or an attribute that is refined like one?"""

    ruleset: str
    target: str
    value: bool = False


def _party(draft: Draft, ctx: Context, path: ast.Path) -> _Party | None:
    party, *parts = path.parts
    symbols = ctx.symbols
    if not parts or not symbols.may_qualify(party, ctx.ruleset):
        message = "the ruleset whose hook or refinement is meant stands first"
        known_ = symbols.game.reach[ctx.ruleset]
        help_lines = did_you_mean(party, known_, party.span) or (f"write `RULESET.{path}`",)
        ctx.report.error("order-unknown", message, path.span, help=help_lines)
        return None
    ctx.use(party, uses.word("ruleset", party))
    rest = ast.Path(parts[0].span.to(path.span), tuple(parts))
    inner = Context(symbols, ctx.report, party, ctx.infer)
    attribute = refined_attribute(inner, rest)
    if attribute is not None:
        return _Party(party, attribute.key, value=True)
    found = target(inner, rest, "action, choice or value")
    if found is None:
        return None
    if not found.rest:
        return _Party(party, found.routine.key, found.routine.what == "value")
    option = find_option(draft, inner, found)
    return None if option is None else _Party(party, option.key)
