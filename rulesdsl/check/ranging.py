"""What ranges over sets: binders, comprehensions, `count` and its like, `reach`."""

from __future__ import annotations

from dataclasses import replace

from rulesdsl.check import errors
from rulesdsl.check.facts import condition
from rulesdsl.check.scope import Context, Local, as_set, poison
from rulesdsl.check.types import NATURAL, fits, is_piece, join, optional, required
from rulesdsl.diagnostics import Span
from rulesdsl.model import ast, checked
from rulesdsl.model.types import (
    BOOL,
    ERROR,
    GRID,
    INT,
    PLAYER,
    ZONE,
    IntType,
    OptionalType,
    SetType,
    Type,
)

_ONE_BINDER = ("most", "first", "the")
_BY_TERM = ("sum", "max", "min", "all")


def bind(ctx: Context, node: ast.Binder) -> checked.Binder:
    """The binder; its names are declared, and what its `where` tells is known, from here on."""
    over = domain(ctx, node.domain)
    item = _item(ctx, over)
    names = tuple(ctx.declare(name, "binder", item).key for name in node.names)
    where = condition(ctx, node.where)
    return checked.Binder(node.span, names, over, where, node.secret)


def _item(ctx: Context, over: checked.Expr) -> Type:
    """The type of what is in a set or zone."""
    if over.type == ZONE:
        return ctx.held(over)
    return over.type.item if isinstance(over.type, SetType) else ERROR


def domain(ctx: Context, node: ast.Expr, hint: Type | None = None) -> checked.Expr:
    """A set or zone to range over, or to look into."""
    found = ctx.infer(ctx, node, hint)
    if found.type in (ZONE, ERROR) or isinstance(found.type, SetType):
        return found
    text = found.span.text
    if isinstance(found.type, OptionalType) and isinstance(found.type.item, SetType):
        return ctx.coerce(found, found.type.item, "what is ranged over")
    help_lines = (f"write `tiles({text})` or `cells({text})`",) if found.type == GRID else ()
    message = f"`{text}` is {errors.described(found.type)}, which is no set"
    ctx.report.error("type-mismatch", message, found.span, help=help_lines)
    return poison(found.span)


def comprehension(ctx: Context, node: ast.Comprehension, hint: Type | None) -> checked.Expr:
    """`{E for x in S where C}`."""
    wanted = required(hint) if hint is not None else None
    with ctx.scope(), ctx.knowing({}):
        binders = tuple(bind(ctx, each) for each in node.binders)
        item = wanted.item if isinstance(wanted, SetType) else None
        if node.value is not None:
            value = ctx.infer(ctx, node.value, item)
        else:
            value = _element(ctx, node.span, binders[0])
        _check_asked(ctx, node.binders, binders, pointless=node.value is None)
    if value.type == ERROR or errors.set_in_set(ctx.report, value):
        return poison(node.span)
    return checked.Comprehension(node.span, SetType(value.type), value, binders)


def _check_asked(
    ctx: Context,
    written: tuple[ast.Binder, ...],
    binders: tuple[checked.Binder, ...],
    *,
    pointless: bool,
) -> None:
    """Warn of a condition that asks nothing of what it is to choose, and, where it is `pointless`
    to name what is ranged over without a condition, of none."""
    read = {local.key for local in ctx.locals if local.read}
    for node, binder in zip(written, binders, strict=True):
        if not read.isdisjoint(binder.names):
            continue
        names, over = " and ".join(f"`{name}`" for name in node.names), node.domain.span.text
        if node.where is not None:
            message = f"this condition asks nothing of {names}"
            ctx.report.warning("unused", message, node.where.span)
        elif pointless and len(binders) == len(node.names) == 1:
            message = f"{names} is never read: every one is taken"
            help = (f"write `{over}` alone, or say which ones: `where …`",)
            ctx.report.warning("unused", message, node.span, help=help)


def _element(ctx: Context, span: Span, binder: checked.Binder) -> checked.Expr:
    """The binder's name as an expression, as narrow as its `where` makes it."""
    key = binder.names[0]
    local = next(local for local in ctx.locals if local.key == key)
    return checked.Local(span, ctx.type_of(local), key)


def aggregate(ctx: Context, node: ast.Aggregate) -> checked.Expr:
    """`count`, `sum`, `max`, `min`, `any`, `all`, `most`, `first`, `the` over a set."""
    with ctx.scope(), ctx.knowing({}):
        if node.binders:
            binders = tuple(bind(ctx, each) for each in node.binders)
            value = _term(ctx, node)
            _check_asked(ctx, node.binders, binders, pointless=node.function == "count")
        else:
            binders, value = _plain(ctx, node)
        found = _typed(ctx, node, binders, value)
    if not isinstance(found, checked.Aggregate) or node.function not in ("max", "min"):
        return found
    return _with_default(ctx, node, found)


def _plain(
    ctx: Context, node: ast.Aggregate
) -> tuple[tuple[checked.Binder, ...], checked.Expr | None]:
    """A single set as argument: what ranges over it has an invented name."""
    assert node.value is not None
    over = domain(ctx, node.value)
    item = _item(ctx, over)
    key = ctx.invent()
    ctx.locals.append(Local(key, "binder", item, node.span))
    binder = checked.Binder(node.span, (key,), over, None)
    value = checked.Local(node.span, item, key) if node.function in _BY_TERM else None
    return (binder,), value


def _term(ctx: Context, node: ast.Aggregate) -> checked.Expr | None:
    """What is added, compared or tested for each element; None where elements are counted."""
    if node.value is None:
        return None
    if node.function in ("max", "min", "sum"):
        return ctx.infer(ctx, node.value, INT)
    return ctx.expect(node.value, BOOL, "what is tested")


def _typed(
    ctx: Context,
    node: ast.Aggregate,
    binders: tuple[checked.Binder, ...],
    value: checked.Expr | None,
) -> checked.Expr:
    keys = tuple(ctx.expect(key, INT, "a key of `most`") for key in node.keys)
    function, span = node.function, node.span
    if function in ("sum", "max", "min") and value is not None:
        value = ctx.coerce(value, INT, f"the term of `{function}`")
    if function in _ONE_BINDER and (len(binders) > 1 or len(binders[0].names) > 1):
        message = f"`{function}` ranges over one thing at a time"
        ctx.report.error("arity", message, span)
        return poison(span)
    item = _element(ctx, span, binders[0]).type
    term = value.type if value is not None else item
    if ERROR in (item, term):
        return poison(span)
    types: dict[str, Type] = {
        "count": _count(ctx, binders),
        "sum": _sum(term),
        "max": term,
        "min": term,
        "any": BOOL,
        "all": BOOL,
        "most": SetType(item),
        "first": item if _never_empty(binders[0]) else optional(item),
        "the": item,
    }
    if function == "all" and value is not None:
        value = ctx.coerce(value, BOOL, "what is tested")
    return checked.Aggregate(span, types[function], function, value, binders, keys)


def _count(ctx: Context, binders: tuple[checked.Binder, ...]) -> IntType:
    """How many there may be; players are counted when the game is loaded."""
    match binders:
        case (
            checked.Binder(names=(_,), domain=checked.CallBuiltin(function="players"), where=None),
        ):
            roles = ctx.symbols.game.roles
            return IntType(roles.least, roles.most)
    return NATURAL


def _sum(term: Type) -> Type:
    return NATURAL if isinstance(term, IntType) and term.low >= 0 else INT


def _with_default(ctx: Context, node: ast.Aggregate, found: checked.Aggregate) -> checked.Expr:
    if node.default is None:
        if not all(_never_empty(binder) for binder in found.binders):
            call = node.span.text.removesuffix(")")
            ctx.report.error(
                "missing-else",
                f"`{node.function}` of what may be empty",
                node.span,
                help=(f"say what it gives then: `{call} else 0)`",),
            )
        return found
    default = ctx.expect(node.default, INT, "what follows `else`")
    both = join(found.type, default.type)
    return replace(found, type=both or INT, default=default)


def _never_empty(binder: checked.Binder) -> bool:
    """Is there certainly something to range over."""
    if binder.where is not None or len(binder.names) > 1:
        return False
    match binder.domain:
        case checked.CallBuiltin(function="players") | checked.EnumSet():
            return True
        case checked.SetLiteral(items=items) | checked.Const(value=tuple(items)):
            return bool(items)
        case checked.RangeSet(low=low, high=high):
            return (
                isinstance(low.type, IntType)
                and isinstance(high.type, IntType)
                and low.type.high <= high.type.low
            )
        case checked.Comprehension(binders=binders):
            return all(_never_empty(each) for each in binders)
    return False


def reach(ctx: Context, node: ast.Reach, hint: Type | None) -> checked.Expr:
    """`reach(x from S by E)`."""
    start = as_set(ctx, ctx.infer(ctx, node.start, hint))
    if start.type != ERROR and not isinstance(start.type, SetType):
        start = checked.SetLiteral(start.span, SetType(start.type), (start,))
    item = start.type.item if isinstance(start.type, SetType) else ERROR
    if isinstance(item, IntType):
        item = INT  # what is found may be any other number
    with ctx.scope():
        name = ctx.declare(node.name, "binder", item).key
        step = ctx.expect(node.step, SetType(item), "what follows `by`")
    if ERROR in (start.type, step.type):
        return poison(node.span)
    return checked.Reach(node.span, SetType(item), name, start, step)


def check_start(ctx: Context, binder: checked.Binder, start: ast.Expr) -> checked.Expr:
    """The player at whom a loop over players, or over what players own, begins."""
    found = ctx.expect(start, PLAYER, "where the loop begins")
    item = next(local.type for local in ctx.locals if local.key == binder.names[0])
    if not fits(item, PLAYER) and not _owned(item):
        message = f"a loop over {errors.described(item)} does not begin at a player"
        ctx.report.error("type-mismatch", message, start.span)
    return found


def _owned(item: Type) -> bool:
    return item == ERROR or is_piece(item)
