"""What `x.name` reads: a property of the language, a state, an attribute, a value of x."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rulesdsl.builtins import FUNCTIONS, PROPERTIES
from rulesdsl.check import errors
from rulesdsl.check.facts import kinds_of
from rulesdsl.check.scope import Context, Fact, as_set, poison
from rulesdsl.check.symbols import Datum, Routine
from rulesdsl.check.types import CLASSES, NATURAL, fits, is_piece
from rulesdsl.diagnostics import Span
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model import ast, checked, uses
from rulesdsl.model.game import AttributeDef
from rulesdsl.model.names import ruleset_of, short_name
from rulesdsl.model.types import (
    BOOL,
    ERROR,
    FACE,
    FEATURE,
    INT,
    KIND,
    PIECE,
    PLAYER,
    SEGMENT,
    ZONE,
    IntType,
    OptionalType,
    SetType,
    Type,
)


def read_property(
    ctx: Context,
    object_: checked.Expr,
    name: ast.Ident,
    whole: Span,
    qualifier: str | None = None,
) -> checked.Expr:
    """`object.name`; `whole` is the place of both. With a qualifier (`ruleset.name(object)`) only
    what that ruleset declares is meant."""
    if object_.type == ERROR:
        return poison(whole)
    if isinstance(object_.type, OptionalType):
        message = f"`{object_.span.text}` may be none and has no `{name}` then"
        errors.maybe_none(ctx.report, object_, message, ctx.unowned(object_))
        return poison(whole)
    found = (
        _builtin(ctx, object_, name, whole)
        or _state(ctx, object_, name, whole, qualifier)
        or _attribute(ctx, object_, name, whole, qualifier)
        or _value(ctx, object_, name, whole)
        or _function(ctx, object_, name, whole)
    )
    if found is None:
        _report(ctx, object_, name)
    return found or poison(whole)


def _builtin(
    ctx: Context, object_: checked.Expr, name: ast.Ident, whole: Span
) -> checked.Expr | None:
    for owner, result, _ in PROPERTIES.get(name, ()):
        if fits(object_.type, owner):
            if name == "owner":
                result = _owner(ctx, object_, whole)
            ctx.use(name, uses.word("property", name))
            return checked.CallBuiltin(whole, result, str(name), (object_,))
    return None


def _owner(ctx: Context, object_: checked.Expr, whole: Span) -> Type:
    """The type of the owner of a component: a player, unless it may be of a kind without owner."""
    kinds = kinds_of(ctx, object_)
    unowned = {
        kind.key: kind
        for kind in ctx.symbols.game.kinds
        if not kind.owned
        and fits(CLASSES[kind.cls], object_.type)
        and (kinds is None or kind.key in kinds)
    }
    ctx.owners[whole] = tuple(unowned.values())
    return OptionalType(PLAYER) if unowned else PLAYER


def data_of(
    ctx: Context, owner: Type, name: str, qualifier: str | None = None
) -> tuple[Datum, ...]:
    """The states called `name` of something of type `owner`."""
    return ctx.symbols.find(ctx.symbols.data, f"{owner}.{name}", ctx.ruleset, qualifier)


def _state(
    ctx: Context, object_: checked.Expr, name: ast.Ident, whole: Span, qualifier: str | None
) -> checked.Expr | None:
    data = data_of(ctx, object_.type, name, qualifier)
    if not data:
        return None
    if len(data) > 1:
        errors.ambiguous(ctx.report, name, whole, _calls(object_, name, data))
        return poison(whole)
    (datum,) = data
    ctx.use(name, uses.declared("state", datum.key))
    if datum.index:
        wanted = errors.counted(datum.index, "index")
        errors.arity(ctx.report, name, whole, 0, wanted, datum.span)
        return poison(whole)
    return checked.ReadState(whole, datum.type, datum.key, object_)


def _calls(
    object_: checked.Expr, name: str, found: Iterable[Datum | AttributeDef | Routine]
) -> list[str]:
    """`name` of the object written so that it says whose."""
    return [f"{ruleset_of(each.key)}.{name}({object_.span.text})" for each in found]


# --- attributes --------------------------------------------------------------------------------


def _carriers(ctx: Context, owner: Type, kinds: frozenset[str] | None = None) -> frozenset[str]:
    """The words in an attribute's `of` that fit something of type `owner`, which is of one of the
    feature `kinds` (full names)."""
    if owner in (PIECE, KIND):
        return frozenset(CLASSES)
    if owner in CLASSES.values() or owner == FACE:
        return frozenset({str(owner)})
    if owner not in (FEATURE, SEGMENT):
        return frozenset()
    if kinds is not None:
        return kinds
    return frozenset(kind.key for kind in ctx.symbols.game.feature_kinds)


def _kinds(ctx: Context, object_: checked.Expr) -> frozenset[str] | None:
    """The feature kinds it may be of, where that is known."""
    if isinstance(object_, checked.Local):
        return ctx.facts.get(object_.name, Fact()).kinds
    return None


def _attribute(
    ctx: Context,
    object_: checked.Expr,
    name: ast.Ident,
    whole: Span,
    qualifier: str | None,
) -> checked.Expr | None:
    carriers = _carriers(ctx, object_.type, _kinds(ctx, object_))
    found = [
        attribute
        for attribute in ctx.symbols.find(ctx.symbols.attributes, name, ctx.ruleset, qualifier)
        if attribute.owners & carriers
    ]
    if not found:
        return None
    if len(found) > 1:
        errors.ambiguous(ctx.report, name, name.span, _calls(object_, name, found))
        return poison(whole)
    (attribute,) = found
    ctx.use(name, uses.declared("attribute", attribute.key))
    if attribute.required and not carriers <= attribute.owners:
        owner = short_name(min(attribute.owners))
        message = f"not every {object_.type} has `{name}`, which has no default"
        help_lines = (f"test `{object_.span.text} is {owner}` first",)
        ctx.report.error("unknown-attribute", message, name.span, help=help_lines)
        return poison(whole)
    type_ = folded(attribute) if object_.type == FEATURE else attribute.type
    if attribute.key in ctx.symbols.refined and fits(object_.type, owner_type(ctx, attribute)):
        return checked.CallValue(whole, type_, attribute.key, (object_,))
    return checked.ReadAttribute(whole, type_, object_, attribute.key)


def owner_type(ctx: Context, attribute: AttributeDef) -> Type:
    """The type of what has the attribute, as a refinement of it sees it."""
    if attribute.owners == {"face"}:
        return FACE
    if attribute.owners & {kind.key for kind in ctx.symbols.game.feature_kinds}:
        return FEATURE
    return CLASSES[next(iter(attribute.owners))] if len(attribute.owners) == 1 else PIECE


def folded(attribute: AttributeDef) -> Type:
    """The type of an attribute of segments, read on a feature."""
    match attribute.fold:
        case "sum":
            low = attribute.type.low if isinstance(attribute.type, IntType) else 0
            return NATURAL if low >= 0 else INT
        case "any" | "all":
            return BOOL
        case "union":
            item = attribute.type
            return SetType(item.item if isinstance(item, OptionalType) else item)
    return attribute.type


# --- values and functions of one thing ---------------------------------------------------------


def values_of(ctx: Context, name: str) -> list[Routine]:
    """The values called `name` that take one argument."""
    found = ctx.symbols.find(ctx.symbols.routines, name, ctx.ruleset)
    return [r for r in found if r.what == "value" and len(r.params) == 1]


def _value(
    ctx: Context, object_: checked.Expr, name: ast.Ident, whole: Span
) -> checked.Expr | None:
    found = [r for r in values_of(ctx, name) if takes(object_.type, r.params[0].type)]
    if len(found) > 1:
        errors.ambiguous(ctx.report, name, whole, _calls(object_, name, found))
        return poison(whole)
    for routine in found:
        ctx.use(name, uses.declared("value", routine.key))
        argument = ctx.coerce(object_, routine.params[0].type)
        return checked.CallValue(whole, routine.type, routine.key, (argument,))
    return None


def takes(found: Type, wanted: Type) -> bool:
    """Does a parameter of type `wanted` take `found`, a zone for its pieces included."""
    return fits(found, wanted) or (
        found == ZONE and isinstance(wanted, SetType) and is_piece(wanted.item)
    )


def _function(
    ctx: Context, object_: checked.Expr, name: ast.Ident, whole: Span
) -> checked.Expr | None:
    if name not in FUNCTIONS:
        return None
    for signature in FUNCTIONS[name].signatures:
        if len(signature.params) == 1 and takes(object_.type, signature.params[0]):
            argument = as_set(ctx, object_) if isinstance(signature.params[0], SetType) else object_
            ctx.use(name, uses.word("function", name))
            return checked.CallBuiltin(whole, signature.result, str(name), (argument,))
    return None


# --- what is not there -------------------------------------------------------------------------


def _report(ctx: Context, object_: checked.Expr, name: ast.Ident) -> None:
    if ctx.symbols.is_broken(name, ctx.ruleset):
        return
    kinds = _kinds(ctx, object_)
    what = str(object_.type)
    if kinds is not None and len(kinds) == 1:
        what = short_name(next(iter(kinds)))
    known = set(properties(ctx, object_.type)) - {name}
    ctx.report.error(
        "unknown-attribute",
        f"{errors.an(what)} has no `{name}`",
        name.span,
        help=(*did_you_mean(name, known), *_owners(ctx, object_, name)),
    )


def properties(ctx: Context, owner: Type) -> Iterator[str]:
    """All that can stand after `x.` for an x of type `owner`."""
    symbols = ctx.symbols
    for name, rows in PROPERTIES.items():
        if any(fits(owner, object_) for object_, _, _ in rows):
            yield name
    for name in symbols.seen(symbols.data, ctx.ruleset):
        if name.startswith(f"{owner}."):
            yield name.partition(".")[2]
    carriers = _carriers(ctx, owner)
    for name in symbols.seen(symbols.attributes, ctx.ruleset):
        for attribute in symbols.find(symbols.attributes, name, ctx.ruleset):
            if carriers & attribute.owners:
                yield name
    for name in symbols.seen(symbols.routines, ctx.ruleset):
        if any(fits(owner, routine.params[0].type) for routine in values_of(ctx, name)):
            yield name


def _owners(ctx: Context, object_: checked.Expr, name: str) -> tuple[str, ...]:
    """Who has a `name`, if it is someone else."""
    symbols = ctx.symbols
    owners = {owner for owner, _, _ in PROPERTIES.get(name, ())}
    words = [str(owner) for owner in owners]
    for datum in symbols.seen(symbols.data, ctx.ruleset):
        owner, _, short = datum.partition(".")
        words += [owner] if short == name else []
    for attribute in symbols.find(symbols.attributes, name, ctx.ruleset):
        words += [short_name(owner) for owner in attribute.owners]
    for routine in values_of(ctx, name):
        words.append(str(routine.params[0].type))
    if not words:
        return ()
    wanted = sorted(set(words))
    if object_.type == SEGMENT and "feature" in wanted:
        return (f"write `{object_.span.text}.feature.{name}`",)
    if object_.type == PIECE and set(wanted) & CLASSES.keys():
        owner = next(word for word in wanted if word in CLASSES)
        return (f"test `{object_.span.text} is {owner}` first",)
    return (f"`{name}` is read on {errors.quoted(wanted)}",)
