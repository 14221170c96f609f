"""What hooks, contributions and vetoes name: a routine, an option of a choice."""

from __future__ import annotations

from dataclasses import dataclass

from rulesdsl.check import errors
from rulesdsl.check.draft import Draft, Option
from rulesdsl.check.names import elsewhere
from rulesdsl.check.scope import Context
from rulesdsl.check.symbols import Routine
from rulesdsl.diagnostics import Label, Span
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model import ast, uses
from rulesdsl.model.game import AttributeDef
from rulesdsl.model.names import owner_of, written_name


@dataclass(frozen=True)
class Target:
    """What a hook, contribution or veto names: a routine, and the parts after its name."""

    routine: Routine
    qualifier: str | None
    rest: tuple[ast.Ident, ...]
    span: Span


def target(ctx: Context, path: ast.Path, what: str) -> Target | None:
    """The routine that a dotted name begins with; `what` it should be, in words, for messages.
    None when there is none, which is reported."""
    symbols, parts, number = ctx.symbols, path.parts, 0
    qualifier: str | None = None
    if (
        len(parts) > 1
        and not symbols.find(symbols.routines, parts[0], ctx.ruleset)
        and symbols.may_qualify(parts[0], ctx.ruleset)
    ):
        qualifier, number = parts[0], 1
        ctx.use(parts[0], uses.word("ruleset", parts[0]))
    name, span = parts[number], parts[number].span
    found = symbols.find(symbols.routines, name, qualifier or ctx.ruleset)
    if len(found) == 1:
        ctx.use(name, uses.declared(found[0].what, found[0].key))
        return Target(found[0], qualifier, parts[number + 1 :], span)
    if found:
        errors.ambiguous(ctx.report, name, span, [written_name(r.key) for r in found])
    elif not symbols.is_broken(name, ctx.ruleset):
        known = symbols.seen(symbols.routines, qualifier or ctx.ruleset)
        help_lines = (*did_you_mean(name, known), *elsewhere(ctx, name))
        ctx.report.error("unknown-name", f"there is no {what} `{name}`", span, help=help_lines)
    return None


def refined_attribute(ctx: Context, path: ast.Path) -> AttributeDef | None:
    """The attribute that a contribution or an order names, if it names one."""
    symbols = ctx.symbols
    *qualifiers, name = path.parts
    qualifier = qualifiers[0] if qualifiers else None
    if symbols.find(symbols.routines, name, ctx.ruleset, qualifier):
        return None
    found = symbols.find(symbols.attributes, name, ctx.ruleset, qualifier)
    if len(found) != 1:
        return None
    ctx.use(name, uses.declared("attribute", found[0].key))
    if qualifier is not None:
        ctx.use(qualifier, uses.word("ruleset", qualifier))
    return found[0]


def find_option(draft: Draft, ctx: Context, found: Target) -> Option | None:
    """The option that a dotted name ends with."""
    routine, name = found.routine, found.rest[-1]
    span = name.span
    options = draft.options.get(routine.key, [])
    if routine.what != "choice" or len(found.rest) > 1:
        message = f"`{routine.name}` is no choice and has no options"
        ctx.report.error("unknown-name", message, found.rest[0].span)
        return None
    sight = [o for o in options if o.ruleset in ctx.symbols.game.reach[ctx.ruleset]]
    fitting = [option for option in sight if option.name == name]
    for preferred in (found.qualifier or "", ctx.ruleset):
        owner = owner_of(preferred)
        chosen = [option for option in fitting if owner_of(option.ruleset) == owner]
        fitting = chosen or fitting
    if len(fitting) == 1:
        ctx.use(name, uses.declared("option", fitting[0].key))
        return fitting[0]
    if fitting:
        written = [f"{owner_of(option.ruleset)}.{routine.name}.{name}" for option in fitting]
        errors.ambiguous(ctx.report, name, span, written)
    elif not ctx.symbols.is_broken(routine.name, ctx.ruleset):
        message = f"choice `{routine.name}` has no option `{name}`"
        labels = (Label(routine.span, "declared here"),) if routine.span else ()
        help_lines = did_you_mean(name, (option.name for option in sight))
        ctx.report.error("unknown-name", message, span, labels=labels, help=help_lines)
    return None
