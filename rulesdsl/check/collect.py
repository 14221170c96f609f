"""The declarations of all rulesets, before any body is looked into."""

from __future__ import annotations

from collections.abc import Mapping

from rulesdsl.builtins import EFFECTS, FORMS, FUNCTIONS, PROPERTIES
from rulesdsl.check import errors, zones
from rulesdsl.check.domains import MAX_SET, domain
from rulesdsl.check.expressions import infer
from rulesdsl.check.scope import Context
from rulesdsl.check.symbols import Datum, Routine, RoutineKind, Symbols, of_game
from rulesdsl.check.types import fits
from rulesdsl.check.written import written_type
from rulesdsl.diagnostics import Report, Span
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model import ast, uses
from rulesdsl.model.ast import blocks, declared
from rulesdsl.model.checked import Parameter
from rulesdsl.model.game import Game
from rulesdsl.model.names import owner_of
from rulesdsl.model.types import (
    BOOL,
    CELL,
    ERROR,
    PIECE_CLASSES,
    PLAYER,
    SEGMENT,
    UNIT,
    ZONE,
    EnumType,
    IntType,
    NamedType,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.model.uses import Uses

OWNERS: dict[str, Type] = {
    "game": UNIT,
    PLAYER.name: PLAYER,
    SEGMENT.name: SEGMENT,
    CELL.name: CELL,
    **{name: NamedType(name) for name in PIECE_CLASSES},
}


def collect(
    game: Game, modules: Mapping[str, ast.Module], report: Report, noted: Uses | None = None
) -> Symbols:
    """All that the box and the rules declare, with types; doubles are reported. What names mean
    goes into `noted`."""
    symbols = of_game(game, noted)
    for path in (path for module in modules.values() for b in blocks(module) for path in b.names):
        symbols.uses.add(path.span, uses.word("ruleset", str(path)))
    contexts = {part.id: Context(symbols, report, part.id, infer) for part in game.parts}
    rules = [
        (contexts[part.id], node)
        for part in game.parts
        if part.ruleset in modules
        for node in declared(modules[part.ruleset], part.names)
    ]
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


def _state(ctx: Context, node: ast.StateDecl) -> None:
    symbols, span = ctx.symbols, node.name.span
    if node.owner not in OWNERS:
        where = node.owner.span
        help_lines = did_you_mean(node.owner, OWNERS) or (
            f"state belongs to {errors.quoted(OWNERS)}",
        )
        ctx.report.error("unknown-name", f"`{node.owner}` has no state", where, help=help_lines)
        symbols.broken.setdefault(ctx.ruleset, set()).add(node.name)
        return
    name = f"{node.owner}.{node.name}"
    ctx.use(node.owner, uses.word("type", node.owner))
    declaration = uses.declared("state", f"{owner_of(ctx.ruleset)}/{name}")
    ctx.use(node.name, declaration, declares=True)
    index = tuple(_index(ctx, each) for each in node.index)
    type_ = written_type(ctx, node.type)
    _check_size(ctx, type_, node.type.span)
    data = symbols.data.setdefault(ctx.ruleset, {})
    same = symbols.own(symbols.data, name, ctx.ruleset)
    other = same[0].span if same else _same_noun(ctx, node)
    if other is not None:
        errors.duplicate(ctx.report, node.name, span, other)
        return
    owner = OWNERS[node.owner]
    if any(fits(owner, object_) for object_, _, _ in PROPERTIES.get(node.name, ())):
        _built_in(ctx, node.name, span)
    data[name] = Datum(declaration.key, str(node.owner), index, type_, span)


def _check_size(ctx: Context, type_: Type, span: Span) -> None:
    """A set that is kept must have a small domain."""
    kept = type_.item if isinstance(type_, OptionalType) else type_
    if not isinstance(kept, SetType):
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


def _same_noun(ctx: Context, node: ast.StateDecl) -> Span | None:
    """Where the box declares what state of the game would hide."""
    noun = ctx.symbols.nouns.get(owner_of(ctx.ruleset), {}).get(node.name)
    return noun.span if noun is not None and node.owner == "game" else None


def _index(ctx: Context, node: ast.TypeRef) -> Type:
    type_ = written_type(ctx, node)
    if type_ in (ERROR, PLAYER) or isinstance(type_, EnumType):
        return type_
    message = f"an index is an enum or `player`, not {errors.described(type_)}"
    ctx.report.error("type-mismatch", message, node.span)
    return ERROR


def _built_in(ctx: Context, name: str, span: Span) -> None:
    message = f"`{name}` is a word that the language declares"
    ctx.report.error("duplicate-name", message, span, help=("take another name",))


_WHAT: dict[type[ast.Decl], RoutineKind] = {
    ast.ValueDecl: "value",
    ast.ActionDecl: "action",
    ast.ChoiceDecl: "choice",
}


def _routine(ctx: Context, node: ast.ValueDecl | ast.ActionDecl | ast.ChoiceDecl) -> None:
    symbols, span = ctx.symbols, node.name.span
    params = tuple(
        Parameter(str(param.name), ERROR if param.type is None else written_type(ctx, param.type))
        for param in node.params
    )
    type_ = UNIT if node.type is None else written_type(ctx, node.type)
    policy = node.policy if isinstance(node, ast.ValueDecl) else ""
    for param in node.params:
        ctx.use(param.name, uses.local(param.name.span), declares=True)
    key = f"{owner_of(ctx.ruleset)}/{node.name}"
    ctx.use(node.name, uses.declared(_WHAT[type(node)], key), declares=True)
    names = tuple(param.name for param in node.params)
    routine = Routine(key, _WHAT[type(node)], params, type_, span, policy, names)
    if same := symbols.own(symbols.routines, node.name, ctx.ruleset):
        errors.duplicate(ctx.report, node.name, span, same[0].span)
        return
    symbols.routines.setdefault(ctx.ruleset, {})[node.name] = routine
    if node.name in FUNCTIONS | FORMS | EFFECTS:
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
    ctx: Context,
    node: ast.ValueDecl | ast.ActionDecl | ast.ChoiceDecl,
    routine: Routine,
    span: Span,
) -> None:
    type_ = routine.type
    fine = {
        "int": isinstance(type_, IntType),
        "bool": type_ == BOOL,
        "a set": isinstance(type_, SetType),
    }
    wanted = _POLICY_TYPES.get(routine.policy)
    if wanted is not None and type_ != ERROR and not fine[wanted]:
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


def _note_refined(ctx: Context, node: ast.Contribution) -> None:
    """Attributes that rules contribute to become values."""
    symbols = ctx.symbols
    *qualifiers, name = node.target.parts
    qualifier = qualifiers[0] if qualifiers else None
    if symbols.find(symbols.routines, name, ctx.ruleset, qualifier):
        return
    for attribute in symbols.find(symbols.attributes, name, ctx.ruleset, qualifier):
        symbols.refined.add(attribute.key)


def _note_zones(symbols: Symbols, rules: list[tuple[Context, ast.Decl]]) -> None:
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
            if routine.what == "value" and routine.type == ZONE:
                bodies.setdefault(routine.key, []).append((ctx.ruleset, node))
    zones.note_values(symbols, bodies)
