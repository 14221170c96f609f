"""Declarations: collected from all rulesets, checked one by one, and put together to a game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations, product

from rulesdsl.base.records import dataclass
from rulesdsl.language.builtins import CALLED, PROPERTIES, report_taken
from rulesdsl.language.check import errors
from rulesdsl.language.check.assignments import Assignments
from rulesdsl.language.check.conflicts import HookOrder, Work, check_rankings, order_rules
from rulesdsl.language.check.conflicts.touched import touched
from rulesdsl.language.check.expressions import bind, infer
from rulesdsl.language.check.names import (
    constant,
    elsewhere,
    folded,
    owner_type,
    read_attribute,
    written_type,
)
from rulesdsl.language.check.scope import CheckContext, Infer, condition, note_values
from rulesdsl.language.check.statements import block
from rulesdsl.language.check.symbols import Datum, RoutineKind, RoutineSymbol, Symbols, of_game
from rulesdsl.language.check.types import MAX_SET, domain, fits
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.diagnostics.report import did_you_mean
from rulesdsl.language.model import ast, checked, types, uses
from rulesdsl.language.model.ast import blocks, desugared
from rulesdsl.language.model.checked import Parameter, walk
from rulesdsl.language.model.flow import ALWAYS, proceeds
from rulesdsl.language.model.game import AttributeDef, GridDef, LinkedGame
from rulesdsl.language.model.names import owner_of, short_name, written_name
from rulesdsl.language.model.uses import Uses
from rulesdsl.language.model.values import EnumMember


@dataclass
class OptionDraft:
    """An option with its choice and, once it is checked, the names and types of its arguments."""

    key: str
    ruleset: str
    choice: RoutineSymbol
    node: ast.OptionDecl
    arguments: tuple[tuple[str, types.Type], ...] = ()
    result: checked.OptionDef | None = None
    forbids: list[checked.Forbid] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The short name, without the choice."""
        return self.node.name


@dataclass
class DraftGame:
    """The declarations checked so far.

    `rules` are those of values and the preconditions of actions, `hooks` those of actions, choices
    and options, each by the full name of what they belong to. `options` are all options, by the
    choice's full name. `orders` are those of hooks, `rankings` those of refinements, by the value's
    full name. `layers` are the pairs of layers whose order is said (True), or does not matter.
    `infer` types expressions. `assignments` are the states that code may assign. `marks` are the
    statements by which actions and options of `once in` note that they ran.
    """

    symbols: Symbols
    report: Report
    assignments: Assignments
    infer: Infer = infer
    states: dict[str, checked.StateDef] = field(default_factory=dict)
    values: dict[str, checked.ValueDef] = field(default_factory=dict)
    actions: dict[str, checked.ActionDef] = field(default_factory=dict)
    choices: dict[str, checked.ChoiceDef] = field(default_factory=dict)
    always: list[checked.AlwaysDef] = field(default_factory=list)
    invariants: dict[str, checked.Invariant] = field(default_factory=dict)
    rules: dict[str, list[checked.Rule]] = field(default_factory=dict)
    hooks: dict[str, list[checked.Hook]] = field(default_factory=dict)
    options: dict[str, list[OptionDraft]] = field(default_factory=dict)
    orders: list[HookOrder] = field(default_factory=list)
    rankings: dict[str, list[HookOrder]] = field(default_factory=dict)
    layers: dict[frozenset[str], bool] = field(default_factory=dict)
    contexts: list[CheckContext] = field(default_factory=list)
    marks: dict[str, checked.Block] = field(default_factory=dict)

    def context(self, ruleset: str) -> CheckContext:
        """Return a new context in the rules of a ruleset."""
        ctx = CheckContext(self.symbols, self.report, ruleset, self.infer)
        ctx.assignments = self.assignments
        self.contexts.append(ctx)
        return ctx

    def hooks_of(self, key: str) -> checked.Hooks:
        """Return the hooks of an action, choice or option, in the order they were written.

        Those that may replace what is limited mark that it ran.
        """
        mark = self.marks.get(key, ())
        hooks = [
            h if h.when != "around" or proceeds(h.body) else replace(h, body=(*mark, *h.body))
            for h in self.hooks.get(key, ())
        ]
        return checked.Hooks(
            *(tuple(h for h in hooks if h.when == when) for when in ("around", "before", "after"))
        )


def declare_params(
    ctx: CheckContext, names: Sequence[ast.Param], param_types: Sequence[types.Type]
) -> tuple[str, ...]:
    """Declare parameters, and return their keys in the checked tree."""
    return tuple(
        ctx.declare(param.name, "parameter", type_).key
        for param, type_ in zip(names, param_types, strict=True)
    )


def declare_choice(ctx: CheckContext, routine: RoutineSymbol) -> None:
    """Declare the parameters of a choice, which its options can read."""
    for name, param in zip(routine.names, routine.params, strict=True):
        ctx.declare(name, "parameter", param.type)


# --- collection, before any body is checked -------------------------------------------------------


OWNERS: dict[str, types.Type] = {
    "game": types.UNIT,
    types.PLAYER.name: types.PLAYER,
    types.SEGMENT.name: types.SEGMENT,
    types.CELL.name: types.CELL,
    **{name: types.NamedType(name) for name in types.PIECE_CLASSES},
}


def collect(
    game: LinkedGame, modules: Mapping[str, ast.Module], report: Report, noted: Uses | None = None
) -> Symbols:
    """Return all declarations of the box and the rules, with types.

    Duplicates are reported. The meanings of names are noted in `noted`.
    """
    symbols = of_game(game, noted)
    for path in (path for module in modules.values() for b in blocks(module) for path in b.names):
        symbols.uses.add(path.span, uses.word("ruleset", str(path)))
    contexts = {part.id: CheckContext(symbols, report, part.id, infer) for part in game.parts}
    rules = [(contexts[part], node) for part, node in declarations(game, modules)]
    for ctx, node in rules:
        match node:
            case ast.StateDecl():
                _state(ctx, node)
            case ast.ValueDecl() | ast.ActionDecl() | ast.ChoiceDecl():
                _routine(ctx, node)
            case ast.Broken(name=str(name)):
                symbols.broken.setdefault(ctx.ruleset, set()).add(name)
    for ctx, node in rules:
        if isinstance(node, ast.Contribution):
            _note_refined(ctx, node)
    _note_zones(symbols, rules)
    return symbols


def declarations(
    game: LinkedGame, modules: Mapping[str, ast.Module]
) -> Iterator[tuple[str, ast.Decl]]:
    """Yield all declarations of the rules, each with its part, by part, then line."""
    for part in game.parts:
        if part.ruleset in modules:
            for node in desugared(modules[part.ruleset], part.names):
                yield part.id, node


def _state(ctx: CheckContext, node: ast.StateDecl) -> None:
    symbols, span = ctx.symbols, node.name.span
    if node.owner not in OWNERS:
        where = node.owner.span
        help_lines = did_you_mean(node.owner, OWNERS) or (
            f"a state belongs to one of {errors.quoted(OWNERS)}",
        )
        ctx.report.error(
            "unknown-name", f"`{node.owner}` cannot have a state", where, help=help_lines
        )
        symbols.broken.setdefault(ctx.ruleset, set()).add(node.name)
        return
    name = f"{node.owner}.{node.name}"
    ctx.use(node.owner, uses.word("type", node.owner))
    declaration = uses.declared("state", f"{owner_of(ctx.ruleset)}/{name}")
    ctx.use(node.name, declaration, declares=True)
    if node.owner == "game":
        report_taken(node.name, "state", span, ctx.report)
    index = tuple(_index(ctx, each) for each in node.index)
    type_ = written_type(ctx, node.type)
    _check_size(ctx, type_, node.type.span)
    data = symbols.data.setdefault(ctx.ruleset, {})
    same = symbols.own(symbols.data, name, ctx.ruleset)
    # A state of the game hides a thing in the box.
    noun = symbols.nouns.get(owner_of(ctx.ruleset), {}).get(node.name)
    hidden = noun.span if noun is not None and node.owner == "game" else None
    other = same[0].span if same else hidden
    if other is not None:
        errors.duplicate(ctx.report, node.name, span, other, node.span.text)
        return
    owner = OWNERS[node.owner]
    if any(fits(owner, object_) for object_, *_ in PROPERTIES.get(node.name, ())):
        _built_in(ctx, node.name, span)
    data[name] = Datum(declaration.key, str(node.owner), index, type_, span)


def _check_size(ctx: CheckContext, type_: types.Type, span: Span) -> None:
    kept = type_.item if isinstance(type_, types.OptionalType) else type_
    if not isinstance(kept, types.SetType):
        return
    size = domain(ctx.symbols.game, kept.item)
    if size is None or size > MAX_SET:
        many = "any number of" if size is None else f"{size} different"
        ctx.report.error(
            "set-too-large",
            f"a state keeps sets of at most {MAX_SET} different values, not of {many} "
            f"values of type {kept.item}",
            span,
            help=("compute the set when it is needed, in a value",),
        )


def _index(ctx: CheckContext, node: ast.TypeRef) -> types.Type:
    type_ = written_type(ctx, node)
    if type_ in (types.ERROR, types.PLAYER) or isinstance(type_, types.EnumType):
        return type_
    message = f"an index is an enum or `player`, not {errors.described(type_)}"
    ctx.report.error("type-mismatch", message, node.span)
    return types.ERROR


def _built_in(ctx: CheckContext, name: str, span: Span) -> None:
    message = f"`{name}` is already declared by the language"
    ctx.report.error("duplicate-name", message, span, help=("choose another name",))


_WHAT: dict[type[ast.Decl], RoutineKind] = {
    ast.ValueDecl: "value",
    ast.ActionDecl: "action",
    ast.ChoiceDecl: "choice",
}


def _routine(ctx: CheckContext, node: ast.ValueDecl | ast.ActionDecl | ast.ChoiceDecl) -> None:
    symbols, span = ctx.symbols, node.name.span
    params = tuple(
        Parameter(
            str(param.name), types.ERROR if param.type is None else written_type(ctx, param.type)
        )
        for param in node.params
    )
    type_ = types.UNIT if node.type is None else written_type(ctx, node.type)
    policy = node.policy if isinstance(node, ast.ValueDecl) else ""
    for param in node.params:
        ctx.use(param.name, uses.local(param.name.span), declares=True)
    key = f"{owner_of(ctx.ruleset)}/{node.name}"
    ctx.use(node.name, uses.declared(_WHAT[type(node)], key), declares=True)
    names = tuple(param.name for param in node.params)
    routine = RoutineSymbol(key, _WHAT[type(node)], params, type_, span, policy, names)
    if same := symbols.own(symbols.routines, node.name, ctx.ruleset):
        errors.duplicate(ctx.report, node.name, span, same[0].span)
        return
    symbols.routines.setdefault(ctx.ruleset, {})[node.name] = routine
    if node.name in CALLED:
        _built_in(ctx, node.name, span)
    if routine.what == "value":
        _check_value(ctx, node, routine, span)


_POLICY_TYPES = {
    "sum": "int",
    "max": "int",
    "min": "int",
    "all": "bool",
    "any": "bool",
    "union": "a set",
}


def _check_value(
    ctx: CheckContext,
    node: ast.ValueDecl | ast.ActionDecl | ast.ChoiceDecl,
    routine: RoutineSymbol,
    span: Span,
) -> None:
    type_ = routine.type
    fine = {
        "int": isinstance(type_, types.IntType),
        "bool": type_ == types.BOOL,
        "a set": isinstance(type_, types.SetType),
    }
    wanted = _POLICY_TYPES.get(routine.policy)
    if wanted is not None and type_ != types.ERROR and not fine[wanted]:
        where = node.type.span if node.type is not None else span
        message = f"`{routine.policy}` combines {wanted}, but this is {errors.described(type_)}"
        ctx.report.error("type-mismatch", message, where)
    if len(routine.params) != 1:
        return
    attribute = ctx.symbols.attributes.get(owner_of(ctx.ruleset), {}).get(node.name)
    if attribute is not None:
        errors.duplicate(ctx.report, node.name, span, attribute.span)
    owner = str(routine.params[0].type)
    for datum in ctx.symbols.own(ctx.symbols.data, f"{owner}.{node.name}", ctx.ruleset):
        errors.duplicate(ctx.report, node.name, span, datum.span)


def _note_refined(ctx: CheckContext, node: ast.Contribution) -> None:
    """Note an attribute that a rule contributes to, and that therefore becomes a value."""
    symbols = ctx.symbols
    *qualifiers, name = node.target.parts
    qualifier = qualifiers[0] if qualifiers else None
    if symbols.find(symbols.routines, name, ctx.ruleset, qualifier):
        return
    for attribute in symbols.find(symbols.attributes, name, ctx.ruleset, qualifier):
        symbols.refined.add(attribute.key)


def _note_zones(symbols: Symbols, rules: list[tuple[CheckContext, ast.Decl]]) -> None:
    bodies: dict[str, list[tuple[str, ast.Node]]] = {}
    for ctx, node in rules:
        if isinstance(node, ast.ValueDecl):
            target, qualifier = node.name, ctx.ruleset
        elif isinstance(node, ast.Contribution):
            *qualifiers, target = node.target.parts
            qualifier = qualifiers[0] if qualifiers else ""
        else:
            continue
        for routine in symbols.find(symbols.routines, target, ctx.ruleset, qualifier or None):
            if routine.what == "value" and routine.type == types.ZONE:
                bodies.setdefault(routine.key, []).append((ctx.ruleset, node))
    note_values(symbols, bodies)


# --- states ---------------------------------------------------------------------------------------


def check_state(draft: DraftGame, ruleset: str, node: ast.StateDecl) -> None:
    """Check a state, with its initial value."""
    datum = draft.symbols.data.get(ruleset, {}).get(f"{node.owner}.{node.name}")
    if datum is None or datum.key in draft.states or node.owner not in OWNERS:
        return
    ctx = draft.context(ruleset)
    if node.initial is None:
        initial = _beginning(ctx, datum)
    else:
        initial = ctx.expect(node.initial, datum.type, "the initial value")
        _check_closed(ctx, initial)
    draft.states[datum.key] = checked.StateDef(
        datum.span, datum.key, datum.owner, datum.index, datum.type, initial
    )


def _beginning(ctx: CheckContext, datum: Datum) -> checked.Expr:
    span, type_ = datum.span, datum.type
    match type_:
        case types.IntType():
            zero = checked.Const(span, types.IntType(0, 0), 0)
            if type_.low <= 0 <= type_.high:
                return zero
        case types.OptionalType():
            return checked.Const(span, types.NONE, None)
        case types.SetType():
            return checked.SetLiteral(span, type_, ())
        case types.EnumType() if ctx.symbols.members(type_.name):
            return checked.Const(span, type_, EnumMember(type_.name, 0))
    if type_ == types.BOOL:
        return checked.Const(span, types.BOOL, False)
    if type_ != types.ERROR:
        ctx.report.error(
            "missing-initial",
            f"`{datum.name}` has no initial value",
            span,
            help=(f"write one: `= …`, or allow none: `{type_}? = none`",),
        )
    return checked.Const(span, types.ERROR, None)


def _check_closed(ctx: CheckContext, initial: checked.Expr) -> None:
    """Report the first part of an initial value that is not known before the game begins."""
    for node in walk(initial):
        match node:
            case checked.ReadState() | checked.CallValue():
                pass
            case checked.EntryAt(what="zone" | "grid"):
                pass
            case checked.CallBuiltin() if touched(node):
                pass
            case _:
                continue
        message = f"`{node.span.text}` is not known before the game begins"
        help_lines = ("use constants, settings, tables and `first(players)`",)
        errors.misplaced(ctx.report, message, node.span, help_lines)
        return


# --- targets of hooks and contributions -----------------------------------------------------------


@dataclass(frozen=True)
class HookTarget:
    """The target of a hook, contribution or veto: a routine, and the parts after its name."""

    routine: RoutineSymbol
    qualifier: str | None
    rest: tuple[ast.Ident, ...]
    span: Span


def target(ctx: CheckContext, path: ast.Path, what: str) -> HookTarget | None:
    """Return the routine that a dotted name begins with, None after a report if there is none.

    `what` is the expected kind of routine, in words for messages.
    """
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
        return HookTarget(found[0], qualifier, parts[number + 1 :], span)
    if found:
        errors.ambiguous(ctx.report, name, span, [written_name(r.key) for r in found])
    elif not symbols.is_broken(name, ctx.ruleset):
        known = sorted(set(symbols.seen(symbols.routines, qualifier or ctx.ruleset)))
        help_lines = (*did_you_mean(name, known), *elsewhere(ctx, name))
        fitting = [
            name
            for name in known
            for each in symbols.find(symbols.routines, name, qualifier or ctx.ruleset)[:1]
            if each.what in what
        ]
        if not help_lines and 0 < len(fitting) <= _MOST_NAMED:
            help_lines = (f"it may be {errors.quoted(fitting)}",)
        ctx.report.error("unknown-name", f"there is no {what} `{name}`", span, help=help_lines)
    return None


_MOST_NAMED = 12
"""The most names that are listed where none resembles what was written."""


def refined_attribute(ctx: CheckContext, path: ast.Path) -> AttributeDef | None:
    """Return the attribute that a contribution or an order names, None if it names none."""
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


def find_option(draft: DraftGame, ctx: CheckContext, found: HookTarget) -> OptionDraft | None:
    """Return the option that a dotted name ends with, None after a report if there is none."""
    routine, name = found.routine, found.rest[-1]
    span = name.span
    options = draft.options.get(routine.key, [])
    if routine.what != "choice" or len(found.rest) > 1:
        message = f"`{routine.name}` is not a choice and has no options"
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
        names = [option.name for option in sight]
        help_lines = did_you_mean(name, names) or (f"it has {errors.quoted(names) or 'none'}",)
        ctx.report.error("unknown-name", message, span, labels=labels, help=help_lines)
    return None


# --- values and contributions ---------------------------------------------------------------------


VERBS = {
    "unique": "refine",
    "sum": "add",
    "max": "add",
    "min": "add",
    "all": "require",
    "any": "allow",
    "union": "include",
}


def check_value(draft: DraftGame, ruleset: str, node: ast.ValueDecl) -> None:
    """Check the declaration of a value with a body."""
    routine = draft.symbols.routine(ruleset, node.name)
    if routine.key in draft.values or routine.what != "value":
        return
    span = node.name.span
    draft.values[routine.key] = checked.ValueDef(
        span, routine.key, routine.params, routine.type, node.policy, ()
    )
    if node.body is None:
        return
    ctx = draft.context(ruleset)
    param_types = [param.type for param in routine.params]
    params = declare_params(ctx, node.params, param_types)
    body = _body(ctx, node.body, _contributed(routine), span)
    rule = checked.Rule(node.span, ruleset, "base", params, None, body)
    draft.rules.setdefault(routine.key, []).insert(0, rule)


def _body(ctx: CheckContext, node: ast.Block, type_: types.Type, span: Span) -> checked.Block:
    ctx.result = type_
    found = len(ctx.report)
    body, ended = block(ctx, node, tail=True)
    if not ended and len(ctx.report) == found:
        message = f"not every path through this gives {errors.described(type_)}"
        help_lines = ("end it with a line that gives the result",)
        ctx.report.error("missing-return", message, span, help=help_lines)
    return body


def check_contribution(draft: DraftGame, ruleset: str, node: ast.Contribution) -> None:
    """Check a `refine`, `add`, `require`, `allow` or `include`."""
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
    wrong = routine.what == "choice" or (routine.what == "action" and node.verb != "require")
    if found.rest or wrong:
        _wrong_noun(ctx, node, routine)
    elif routine.what == "value" and VERBS[routine.policy] != node.verb:
        _wrong_verb(ctx, node, routine.name, VERBS[routine.policy], routine.policy, routine.span)
    elif _same_arity(ctx, node, routine, found.span):
        ctx.previous = routine.type if node.verb == "refine" else None
        result = types.BOOL if routine.what == "action" else _contributed(routine)
        rule = _rule(ctx, node, [param.type for param in routine.params], result)
        draft.rules.setdefault(routine.key, []).append(rule)


def _contributed(routine: RoutineSymbol) -> types.Type:
    """Return the type of one rule's result.

    Terms of a sum may leave the range of the value; only the sum must be in it.
    """
    summed = routine.policy == "sum" and isinstance(routine.type, types.IntType)
    return types.INT if summed else routine.type


def _rule(
    ctx: CheckContext, node: ast.Contribution, param_types: Sequence[types.Type], result: types.Type
) -> checked.Rule:
    params = declare_params(ctx, node.params, param_types)
    guard = condition(ctx, node.guard)
    body = _body(ctx, node.body, result, node.target.span)
    return checked.Rule(node.span, ctx.ruleset, str(node.verb), params, guard, body)


def _same_arity(
    ctx: CheckContext, node: ast.Contribution, routine: RoutineSymbol, span: Span
) -> bool:
    if len(node.params) == len(routine.params):
        return True
    wanted = errors.counted(routine.params, "parameter")
    help = _heading(f"{node.verb} {node.target}", node, [p.name for p in routine.params])
    errors.arity(ctx.report, routine.name, span, len(node.params), wanted, routine.span, help)
    return False


def _heading(
    before: str, node: ast.Contribution | ast.ForbidDecl | ast.HookDecl, names: Sequence[str]
) -> tuple[str]:
    """Return help on a wrong number of parameters: those given, then the `names` of the others."""
    given = [str(param.name) for param in node.params][: len(names)]
    more = [f"{name}_2" if name in given else name for name in names[len(given) :]]
    return (f"write `{before}({', '.join([*given, *more])})`",)


def _wrong_verb(
    ctx: CheckContext, node: ast.Contribution, name: str, verb: str, policy: str, span: Span | None
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


def _wrong_noun(ctx: CheckContext, node: ast.Contribution, routine: RoutineSymbol) -> None:
    name = str(node.target)
    verbs = "`before`, `after`, `around` or `instead`"
    if routine.what == "choice":
        verbs = f"{verbs}, `option {routine.name}.NAME` or `forbid {routine.name}.NAME`"
    message = f"`{name}` is not a value, so `{node.verb}` does not fit"
    ctx.report.error("wrong-verb", message, node.verb.span, help=(f"use {verbs}",))


def preconditions(action: checked.ActionDef) -> checked.ValueDef:
    """Return the preconditions of an action as a value that says whether all hold.

    It has the full name of the action.
    """
    return checked.ValueDef(
        action.span, action.key, action.params, types.BOOL, "all", action.requires
    )


# --- refined attributes ------------------------------------------------------------------------


def _refine_attribute(
    draft: DraftGame, ctx: CheckContext, node: ast.Contribution, attribute: AttributeDef
) -> None:
    owner = owner_type(ctx, attribute)
    type_ = folded(attribute) if owner == types.FEATURE else attribute.type
    params: tuple[Parameter, ...] = (checked.Parameter("x", owner),)
    if attribute.index:
        params += (checked.Parameter("i", types.EnumType(attribute.index)),)
    if attribute.key not in draft.values:
        span = attribute.span
        first, *index = (checked.Local(span, each.type, each.name) for each in params)
        read = read_attribute(ctx, attribute, first, tuple(index), span)
        names = tuple(each.name for each in params)
        base = checked.Rule(
            span, attribute.ruleset, "base", names, None, (checked.Return(span, read),)
        )
        draft.values[attribute.key] = checked.ValueDef(
            span, attribute.key, params, type_, "unique", ()
        )
        draft.rules[attribute.key] = [base]
    if node.verb != "refine":
        _wrong_verb(ctx, node, attribute.name, "refine", "unique", attribute.span)
    elif len(node.params) != len(params):
        span = node.target.parts[-1].span
        count, wanted = len(node.params), errors.counted(params, "parameter")
        errors.arity(ctx.report, attribute.name, span, count, wanted, attribute.span)
    else:
        ctx.previous = type_
        draft.rules[attribute.key].append(_rule(ctx, node, [each.type for each in params], type_))


# --- actions --------------------------------------------------------------------------------------


def check_action(draft: DraftGame, ruleset: str, node: ast.ActionDecl) -> None:
    """Check an action with its body."""
    routine = draft.symbols.routine(ruleset, node.name)
    if routine.key in draft.actions or routine.what != "action":
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
    if guard is not None and not fits(types.NONE, routine.type) and routine.type != types.UNIT:
        message = f"`{node.name}` gives nothing when its condition does not hold"
        help_lines = (f"declare its result as `{routine.type}?`",)
        draft.report.error("missing-return", message, guard.span, help=help_lines)
    ctx.forget_hooks(span, routine.key)
    body = acting(ctx, node.body, routine.type, span)
    draft.marks[routine.key] = body[:1] if node.once else ()
    draft.actions[routine.key] = checked.ActionDef(
        span, routine.key, routine.params, routine.type, node.step, depth, guard, (), body
    )


def acting(
    ctx: CheckContext, node: ast.Block, result: types.Type, span: Span, must_give: bool = True
) -> checked.Block:
    """Check a body that may change things; if `must_give`, every path through it gives `result`."""
    ctx.acts, ctx.result = True, result
    found = len(ctx.report)
    body, ended = block(ctx, node)
    complete = ended or result in (types.UNIT, types.ERROR) or len(ctx.report) > found
    if must_give and not complete:
        message = f"not every path through this gives {errors.described(result)}"
        ctx.report.error("missing-return", message, span, help=("end it with `return …`",))
    return body


def check_always(draft: DraftGame, ruleset: str, node: ast.AlwaysDecl) -> None:
    """Check a rule that is applied until it no longer applies."""
    ctx = draft.context(ruleset)
    binder = bind(ctx, node.binder)
    body = acting(ctx, node.body, types.UNIT, node.span)
    draft.always.append(checked.AlwaysDef(node.span, ruleset, binder, body))


def check_invariant(draft: DraftGame, ruleset: str, node: ast.InvariantDecl) -> None:
    """Check a condition that holds whenever a player decides."""
    ctx, span = draft.context(ruleset), node.name.span
    key = f"{owner_of(ruleset)}/{node.name}"
    ctx.use(node.name, uses.declared("invariant", key), declares=True)
    if key in draft.invariants:
        errors.duplicate(draft.report, node.name, span, draft.invariants[key].span)
    holds = ctx.expect(node.holds, types.BOOL)
    draft.invariants.setdefault(key, checked.Invariant(span, key, holds))


# --- choices and options --------------------------------------------------------------------------


def collect_options(draft: DraftGame, modules: Mapping[str, ast.Module]) -> None:
    """Collect all options of all choices, by ruleset, then line."""
    for part, node in declarations(draft.symbols.game, modules):
        match node:
            case ast.ChoiceDecl():
                routine = draft.symbols.routine(part, node.name)
                if routine.what == "choice":
                    for option in node.options:
                        _note(draft, part, routine, option)
            case ast.OptionDecl(choice=ast.Path() as path):
                _note_outer(draft, part, path, node)


def _note_outer(draft: DraftGame, ruleset: str, path: ast.Path, node: ast.OptionDecl) -> None:
    ctx = draft.context(ruleset)
    found = target(ctx, path, "choice")
    if found is None:
        return
    if found.routine.what != "choice" or found.rest:
        message = f"`{path}` is not a choice and takes no options"
        draft.report.error("wrong-verb", message, path.span)
        return
    _note(draft, ruleset, found.routine, node)


def _note(draft: DraftGame, ruleset: str, routine: RoutineSymbol, node: ast.OptionDecl) -> None:
    options = draft.options.setdefault(routine.key, [])
    for other in options:
        own = owner_of(other.ruleset) == owner_of(ruleset)
        if other.name == node.name and (own or other.ruleset in draft.symbols.game.reach[ruleset]):
            errors.duplicate(draft.report, node.name, node.name.span, other.node.name.span)
            return
    key = f"{owner_of(ruleset)}/{routine.name}.{node.name}"
    draft.symbols.uses.add(node.name.span, uses.declared("option", key), declares=True)
    options.append(OptionDraft(key, ruleset, routine, node))


def check_option(draft: DraftGame, option: OptionDraft, repeat: bool) -> None:
    """Check an option's arguments, guard and body."""
    node, choice = option.node, option.choice
    ctx = draft.context(option.ruleset)
    declare_choice(ctx, choice)
    binders = _offered(draft, [bind(ctx, binder, subsets=True) for binder in node.binders])
    names = [name for binder in node.binders for name in binder.names]
    guard = condition(ctx, node.guard)
    option.arguments = tuple(
        (name, ctx.type_of(ctx.names[name])) for name in names if name in ctx.names
    )
    ctx.leaves = repeat and choice.type == types.UNIT
    body: checked.Block = ()
    span = node.name.span
    ctx.forget_hooks(span, choice.key, node.name)
    body_node = node.body or ast.Block(node.span, ())
    body = acting(ctx, body_node, choice.type, span, must_give=not repeat)
    draft.marks[option.key] = body[:1] if node.once else ()
    alike = [each for each in draft.options[choice.key] if each.name == option.name]
    name = f"{choice.name}.{node.name}" if len(alike) == 1 else option.key
    option.result = checked.OptionDef(
        span, option.key, name, option.ruleset, binders, guard, (), body
    )


def _offered(draft: DraftGame, binders: Sequence[checked.Binder]) -> tuple[checked.Binder, ...]:
    """Mark the set among the arguments of an option, and report a second one."""
    found = list[checked.Binder]()
    for binder in binders:
        if isinstance(over := binder.domain, checked.SubsetRange):
            if any(isinstance(each.domain, checked.SubsetRange) for each in found):
                message = "an option takes one set: those of two would be too many to list"
                help_lines = ("ask for the second set in a choice of its own",)
                errors.misplaced(draft.report, message, binder.span, help_lines)
            binder = replace(binder, domain=replace(over, offered=True))
        found.append(binder)
    return tuple(found)


def check_choice(draft: DraftGame, ruleset: str, node: ast.ChoiceDecl) -> None:
    """Check a choice without its options: who decides, and what happens if no option is open."""
    routine = draft.symbols.routine(ruleset, node.name)
    if routine.key in draft.choices or routine.what != "choice":
        return
    ctx = draft.context(ruleset)
    declare_params(ctx, node.params, [param.type for param in routine.params])
    by = ctx.expect(node.by, types.PLAYER, "who decides")
    span = node.name.span
    otherwise = None
    if node.otherwise is not None:
        otherwise = acting(ctx, node.otherwise, routine.type, span)
    for option in draft.options.get(routine.key, []):
        check_option(draft, option, node.repeat)
    draft.choices[routine.key] = checked.ChoiceDef(
        span, routine.key, routine.params, by, routine.type, node.repeat, (), otherwise
    )


def check_forbid(draft: DraftGame, ruleset: str, node: ast.ForbidDecl) -> None:
    """Check `forbid choice.option(…)` or `forbid choice.*`."""
    ctx = draft.context(ruleset)
    found = target(ctx, node.target, "choice")
    if found is None:
        return
    choice = found.routine
    if choice.what != "choice" or found.rest:
        message = f"`{node.target}` is not a choice, so it has no options to forbid"
        draft.report.error("wrong-verb", message, node.target.span)
        return
    options = draft.options.get(choice.key, [])
    if node.option != "*":
        option = find_option(draft, ctx, replace(found, rest=(node.option,)))
        if option is None:
            return
        options = [option]
    declare_choice(ctx, choice)
    params: tuple[str, ...] = ()
    if node.option != "*":
        arguments = options[0].arguments
        if len(node.params) != len(arguments):
            wanted = errors.counted(arguments, "parameter")
            span, where = node.option.span, options[0].node.name.span
            help = _heading(
                f"forbid {node.target}.{node.option}", node, [str(name) for name, _ in arguments]
            )
            errors.arity(draft.report, node.option, span, len(node.params), wanted, where, help)
            return
        params = declare_params(ctx, node.params, [type_ for _, type_ in arguments])
    guard = condition(ctx, node.guard)
    for option in options:
        option.forbids.append(checked.Forbid(node.span, ruleset, params, guard))


# --- hooks and orders -----------------------------------------------------------------------------


def check_hook(draft: DraftGame, ruleset: str, node: ast.HookDecl) -> None:
    """Check a `before`, `after`, `around` or `instead` of an action, a choice or an option."""
    ctx = draft.context(ruleset)
    found = target(ctx, node.target, "action or choice")
    if found is None:
        return
    routine, option = found.routine, None
    if routine.what == "value":
        verb = node.when.span
        message = f"`{routine.name}` is a value, and nothing happens when it is computed"
        help_lines = (f"`{verb.text}` is for actions, choices and options",)
        draft.report.error("wrong-verb", message, verb, help=help_lines)
        return
    if found.rest:
        option = find_option(draft, ctx, found)
        if option is None:
            return
    own: tuple[str, ...] = ()
    param_types: Sequence[types.Type] = [param.type for param in routine.params]
    if option is not None:
        # The hook can read the parameters of the choice, and names those of the option itself.
        declare_choice(ctx, routine)
        own = tuple(p.name for p in routine.params)
        param_types = [type_ for _, type_ in option.arguments]
    if node.nameless:
        given = [ast.Ident(f"${number}", node.span) for number, _ in enumerate(param_types)]
        node = replace(node, params=tuple(ast.Param(node.span, name, None) for name in given))
    if len(node.params) != len(param_types):
        wanted = errors.counted(param_types, "parameter")
        span = node.target.parts[-1].span
        count = len(node.params)
        where = routine.span if option is None else option.node.name.span
        names = (
            [p.name for p in routine.params] if option is None else [n for n, _ in option.arguments]
        )
        help = _heading(f"{node.when} {node.target}", node, names)
        errors.arity(draft.report, str(node.target), span, count, wanted, where, help)
        return
    params = (*own, *declare_params(ctx, node.params, param_types))
    result: types.Type = types.UNIT
    when = "around" if node.when == "instead" else str(node.when)
    if when == "around":
        result = routine.type
    if node.when == "around":
        ctx.around, ctx.hooked = result, routine.key
        _check_proceeds(draft, node)
    guard = condition(ctx, node.guard)
    body = acting(ctx, node.body, result, node.target.span)
    hook = checked.Hook(node.span, ruleset, when, params[len(own) :], guard, body)
    key = routine.key if option is None else option.key
    draft.hooks.setdefault(key, []).append(hook)


def _check_proceeds(draft: DraftGame, node: ast.HookDecl) -> None:
    """Warn of an `around` without `proceed`, which should be an `instead`."""
    if not any(isinstance(each, ast.Proceed) for each in walk(node.body)):
        draft.report.warning(
            "missing-proceed",
            f"this `around` never runs `{node.target}`",
            node.when.span,
            help=(
                "write `proceed` where it should run,",
                "or, if it should not run, `instead` in place of `around`",
            ),
        )


# --- order -------------------------------------------------------------------------------------


def check_order(draft: DraftGame, ruleset: str, node: ast.OrderDecl) -> None:
    """Check `order a.x before b.x` or `independent a.x, b.x`, and `a.x`, `b.y` for two layers."""
    ctx = draft.context(ruleset)
    known = {each.key: each for each in draft.symbols.game.grids if each.over}
    layers = {path: known.get("/".join(path.parts)) for path in (node.first, node.second)}
    some = any(layers.values())
    if some and (all(layers.values()) or not _are_hooked(draft, ctx, node)):
        _order_layers(draft, ctx, node, layers)
        return
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


def _are_hooked(draft: DraftGame, ctx: CheckContext, node: ast.OrderDecl) -> bool:
    """Return whether both names can be those of hooks; a layer may have the name of an action."""
    own = CheckContext(ctx.symbols, Report(), ctx.ruleset, ctx.infer)
    return all(_party(draft, own, path) is not None for path in (node.first, node.second))


def _order_layers(
    draft: DraftGame,
    ctx: CheckContext,
    node: ast.OrderDecl,
    layers: Mapping[ast.Path, GridDef | None],
) -> None:
    over = next(each.over for each in layers.values() if each)
    for path, layer in layers.items():
        if not _is_qualified(ctx, path):
            return
        if layer is None or layer.over != over:
            grids, reach = draft.symbols.game.grids, draft.symbols.game.reach[ctx.ruleset]
            others = [
                f"{g.ruleset}.{g.name}" for g in grids if g.over == over and g.ruleset in reach
            ]
            message = f"`{path}` is not a layer over `{short_name(over)}`"
            help_lines = did_you_mean(str(path), others, path.span) or (
                f"these are: {errors.quoted(others)}",
            )
            draft.report.error("order-unknown", message, path.span, help=help_lines)
            return
        ctx.use(path.parts[1], uses.declared("grid", layer.key))
    pair = frozenset("/".join(path.parts) for path in (node.first, node.second))
    draft.layers[pair] = draft.layers.get(pair, False) or not node.independent


def check_layers(draft: DraftGame) -> None:
    """Report layers of strangers over one grid of which nothing says which is the upper one."""
    game = draft.symbols.game
    rules = {each.id: each.rules for each in game.rulesets}
    layers = [each for each in game.grids if each.over and each.key not in game.absent]
    pairs = [pair for pair in combinations(layers, 2) if pair[0].over == pair[1].over]
    below = {each.key: {each.key} for each in layers}
    for lower, upper in pairs:
        strangers = game.strangers(lower.ruleset, upper.ruleset)
        if not strangers or draft.layers.get(frozenset((lower.key, upper.key))):
            below[upper.key] |= below[lower.key]
    for lower, upper in pairs:
        said = frozenset((lower.key, upper.key)) in draft.layers
        if not said and lower.key not in below[upper.key]:
            own = rules[lower.ruleset]
            draft.report.warning(
                "order-of-names",
                f"only the names of rulesets decide whether `{upper.key}` or `{lower.key}` is the "
                "upper layer",
                upper.span,
                labels=(Label(lower.span, f"a layer of `{lower.ruleset}` over the same grid"),),
                help=errors.settling(
                    lower.ruleset,
                    upper.ruleset,
                    (lower.name, upper.name),
                    None if own is None else own.span(0, 0),
                    f"`{upper.name}` is the upper one",
                    f"`{lower.name}` is the upper one",
                ),
            )


def _parts(ctx: CheckContext, ruleset: str) -> list[str]:
    """Return the parts of a ruleset's rules that its name means in an order.

    They are those outside its `with` blocks, and those in blocks about fewer rulesets than the
    rules with the order.
    """
    game = ctx.symbols.game
    below = game.reach[ctx.ruleset] - {ctx.ruleset}
    blocks = (part for part in game.parts if part.ruleset == ruleset and part.names)
    return [ruleset, *(part.id for part in blocks if part.id in below)]


@dataclass(frozen=True)
class _Party:
    """A ruleset in an order, and the full name of the target of its hooks or refinements.

    `value`: the target is a value, or an attribute that is refined like one.
    """

    ruleset: str
    target: str
    value: bool = False


def _party(draft: DraftGame, ctx: CheckContext, path: ast.Path) -> _Party | None:
    party, *parts = path.parts
    symbols = ctx.symbols
    if not _is_qualified(ctx, path):
        return None
    if parts == [ALWAYS] and not symbols.find(symbols.routines, ALWAYS, party):
        return _Party(party, ALWAYS)
    rest = ast.Path(parts[0].span.to(path.span), tuple(parts))
    inner = CheckContext(symbols, ctx.report, party, ctx.infer)
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


def _is_qualified(ctx: CheckContext, path: ast.Path) -> bool:
    """Return whether a path begins with a ruleset that is known here, and report it if not."""
    party, *parts = path.parts
    if parts and ctx.symbols.may_qualify(party, ctx.ruleset):
        ctx.use(party, uses.word("ruleset", party))
        return True
    message, help = "the name begins with its ruleset", f"write `RULESET.{path}`"
    if parts:
        message = f"no ruleset that is known here is called `{party}`"
        help = f"to name another one, write this below `with {party}:`"
    loaded = any(each.id == party for each in ctx.symbols.game.rulesets)
    known = () if loaded else ctx.symbols.game.reach[ctx.ruleset]
    help_lines = did_you_mean(party, known, party.span) or (help,)
    ctx.report.error("order-unknown", message, path.span, help=help_lines)
    return False


# --- all declarations -----------------------------------------------------------------------------


def check_declarations(draft: DraftGame, modules: Mapping[str, ast.Module]) -> None:
    """Check every declaration: first the declared things, then additions to them."""
    collect_options(draft, modules)
    rules = list(declarations(draft.symbols.game, modules))
    for ruleset, node in rules:
        match node:
            case ast.StateDecl():
                check_state(draft, ruleset, node)
            case ast.ValueDecl():
                check_value(draft, ruleset, node)
            case ast.ActionDecl():
                check_action(draft, ruleset, node)
            case ast.ChoiceDecl():
                check_choice(draft, ruleset, node)
    for ruleset, node in rules:
        match node:
            case ast.Contribution():
                check_contribution(draft, ruleset, node)
            case ast.HookDecl():
                check_hook(draft, ruleset, node)
            case ast.ForbidDecl():
                check_forbid(draft, ruleset, node)
            case ast.AlwaysDecl():
                check_always(draft, ruleset, node)
            case ast.InvariantDecl():
                check_invariant(draft, ruleset, node)
            case ast.OrderDecl():
                check_order(draft, ruleset, node)
    check_layers(draft)


def assemble(draft: DraftGame) -> checked.Checked | None:
    """Return the checked game, its rules sorted, None if its roles cannot be filled."""
    game = draft.symbols.game
    roles = draft.symbols.game.roles
    play = _action(draft, "play", roles.play)
    finish = _action(draft, "finish", roles.finish)
    score = _score(draft)
    values, work = {}, Work()
    check_rankings(draft.rankings, draft.values, draft.rules, draft.report)
    for key, value in draft.values.items():
        value = replace(value, rules=tuple(draft.rules.get(key, ())))
        values[key] = order_rules(value, game, draft.rankings.get(key, ()), draft.report, work)
    actions = {
        key: replace(action, requires=tuple(draft.rules.get(key, ())), hooks=draft.hooks_of(key))
        for key, action in draft.actions.items()
    }
    values |= {
        key: preconditions(action)
        for key, action in actions.items()
        if action.requires or key in draft.symbols.asked
    }
    choices = {
        key: replace(
            choice,
            options=tuple(
                found
                for option in draft.options.get(key, [])
                if (found := _option(draft, option, actions)) is not None
            ),
            hooks=draft.hooks_of(key),
        )
        for key, choice in draft.choices.items()
    }
    if play is None or finish is None or score is None:
        return None
    always, invariants = tuple(draft.always), tuple(draft.invariants.values())
    return checked.Checked(
        game, draft.states, values, actions, choices, always, play, finish, score, invariants
    )


def _option(
    draft: DraftGame, option: OptionDraft, actions: Mapping[str, checked.ActionDef]
) -> checked.OptionDef | None:
    found = option.result
    if found is None:
        return None
    precondition = None
    match found.body[len(draft.marks[option.key]) :]:
        case (checked.Perform(call=checked.ActionCall(action=key) as call), *_):
            precondition = call if key in actions and actions[key].requires else None
    return replace(
        found,
        forbids=tuple(option.forbids),
        precondition=precondition,
        hooks=draft.hooks_of(option.key),
    )


def _action(draft: DraftGame, role: str, name: str) -> str | None:
    roles, symbols = draft.symbols.game.roles, draft.symbols
    routine = symbols.routines.get(roles.ruleset, {}).get(name)
    if routine is None or routine.what != "action":
        if not symbols.is_broken(name, roles.ruleset):
            actions = (
                each.name
                for each in symbols.routines.get(roles.ruleset, {}).values()
                if each.what == "action"
            )
            message = f"`game: {role}` names `{name}`, which is not an action"
            help_lines = did_you_mean(name, actions) or (f"declare it: `action {name}():`",)
            draft.report.error("unknown-name", message, roles.spans[role], help=help_lines)
        return None
    symbols.uses.add_last(roles.spans[role], uses.declared("action", routine.key))
    if routine.params:
        message = f"`{name}` is `game: {role}` and takes no parameters"
        draft.report.error("arity", message, routine.span)
    return routine.key


def _score(draft: DraftGame) -> str | None:
    roles, symbols = draft.symbols.game.roles, draft.symbols
    if not roles.score:
        return ""
    data = symbols.data.get(roles.ruleset, {})
    datum = data.get(roles.score)
    if datum is None:
        short = roles.score.rpartition(".")[2]
        if not symbols.is_broken(short, roles.ruleset):
            message = f"`game: score` names `{roles.score}`, which is not a state"
            help_lines = did_you_mean(roles.score, data) or (
                "declare it: `state player.score: int`",
            )
            draft.report.error("unknown-name", message, roles.spans["score"], help=help_lines)
        return None
    symbols.uses.add_last(roles.spans["score"], uses.declared("state", datum.key))
    if not isinstance(datum.type, types.IntType) or datum.index:
        message = f"the score is an integer of each player, not {errors.described(datum.type)}"
        draft.report.error("type-mismatch", message, datum.span)
    return datum.key
