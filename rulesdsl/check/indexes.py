"""`x[i]`: indexed state, instances of zones and grids, spaces of tracks, entries of tables."""

from __future__ import annotations

from rulesdsl.check.names import bare, read_datum, several
from rulesdsl.check.properties import data_of
from rulesdsl.check.scope import Context, poison
from rulesdsl.check.symbols import Datum, Noun
from rulesdsl.check.types import disjoint
from rulesdsl.diagnostics import Span
from rulesdsl.model import ast, checked, uses
from rulesdsl.model.types import (
    ERROR,
    GRID,
    INT,
    PLAYER,
    SPACE,
    ZONE,
    EnumType,
    IntType,
    OptionalType,
    Type,
)

_RESULTS: dict[str, Type] = {"zone": ZONE, "grid": GRID, "track": SPACE}


def read_index(ctx: Context, node: ast.Index) -> checked.Expr:
    """The expression that `base[i]…` stands for."""
    base: ast.Expr = node
    indexes: tuple[ast.Expr, ...] = ()
    while isinstance(base, ast.Index):
        indexes = (base.index, *indexes)
        base = base.object
    match base:
        case ast.Name(name=name, quoted=False) if name not in ctx.names:
            found = _named(ctx, node, base.span, name, indexes, None)
        case ast.Attribute(object=ast.Name(name=word, quoted=False)) if _is_ruleset(ctx, word):
            ctx.use(word, uses.word("ruleset", word))
            found = _named(ctx, node, base.span, base.name, indexes, word)
        case ast.Attribute(object=ast.Name(name="game")):
            found = _named(ctx, node, base.span, base.name, indexes, None)
        case ast.Attribute():
            found = _owned(ctx, node, base, indexes)
        case _:
            found = None
    if found is not None:
        return found
    object_ = ctx.infer(ctx, base, None)
    if object_.type != ERROR:
        message = f"`{base.span.text}` has no index"
        ctx.report.error("type-mismatch", message, node.span, mark=f"is `{object_.type}`")
    return poison(node.span)


def _is_ruleset(ctx: Context, word: str) -> bool:
    symbols = ctx.symbols
    return (
        word not in ctx.names
        and not symbols.find(symbols.data, f"game.{word}", ctx.ruleset)
        and symbols.may_qualify(word, ctx.ruleset)
    )


def _named(
    ctx: Context,
    node: ast.Index,
    span: Span,
    name: ast.Ident,
    indexes: tuple[ast.Expr, ...],
    qualifier: str | None,
) -> checked.Expr | None:
    meanings = bare(ctx, name, qualifier)
    if len(meanings) > 1:
        return several(ctx, name, span, meanings)
    for found in meanings:
        if isinstance(found, Datum):
            return read_datum(ctx, found, None, indexes, node.span)
        if len(indexes) == 1:
            return _entry(ctx, node, found, indexes[0])
    return None


def _owned(
    ctx: Context, node: ast.Index, base: ast.Attribute, indexes: tuple[ast.Expr, ...]
) -> checked.Expr | None:
    """Indexed state of a player, a piece, a segment or a cell."""
    owner = ctx.infer(ctx, base.object, None)
    if owner.type == ERROR:
        return poison(node.span)
    if isinstance(owner.type, OptionalType):
        return None
    data = data_of(ctx, owner.type, base.name)
    if len(data) != 1:
        return None
    ctx.use(base.name, uses.declared("state", data[0].key))
    return read_datum(ctx, data[0], owner, indexes, node.span)


def _entry(ctx: Context, node: ast.Index, noun: Noun, index: ast.Expr) -> checked.Expr | None:
    game = ctx.symbols.game
    match noun.what:
        case "zone" | "grid":
            per = (game.zones if noun.what == "zone" else game.grids)[noun.number].per
            if per is None:
                return None
            wanted: Type = PLAYER if per == "player" else EnumType(per)
            place = ctx.expect(index, wanted, "the index")
            return checked.EntryAt(node.span, _RESULTS[noun.what], noun.what, noun.number, place)
        case "track":
            last = game.tracks[noun.number].length - 1
            place = _number(ctx, index, IntType(0, last))
            return checked.EntryAt(node.span, SPACE, "track", noun.number, place)
        case "table":
            table = game.tables[noun.number]
            place = _number(ctx, index, IntType(table.low, table.low + len(table.values) - 1))
            type_ = IntType(min(table.values, default=0), max(table.values, default=0))
            return checked.EntryAt(node.span, type_, "table", noun.number, place)
    return None


def _number(ctx: Context, index: ast.Expr, bounds: IntType) -> checked.Expr:
    place = ctx.expect(index, INT, "the index")
    if isinstance(place.type, IntType) and disjoint(place.type, bounds):
        message = f"`{place.span.text}` is never an index from {bounds.low} to {bounds.high}"
        ctx.report.error("unguarded-index", message, place.span)
    return place
