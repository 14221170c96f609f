"""Parse trees of expressions to syntax trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from lark import Token, Tree

from rulesdsl.diagnostics import Diagnostic, Span
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model import ast
from rulesdsl.parse.layout import Layout, Mistake

Branch = Tree[Token]

_MEMBERS = {"any", "count", "first", "most", "the"}
_VALUES = {"all", "max", "min", "sum"}
_FOREIGN = {"True": "true", "False": "false", "None": "none", "null": "none", "nil": "none"}
_LARGEST = 2**31


def children(tree: Branch) -> list[Any]:
    """The children of a tree, as the grammar's rule lists them; None for what is left out."""
    return list(tree.children)


def span(c: Layout, tree: Branch) -> Span:
    """Where a tree stands."""
    return c.chunk.span(tree.meta.start_pos, tree.meta.end_pos)


def fail(slug: str, message: str, where: Span, *help_lines: str) -> NoReturn:
    """Give up the declaration with one finding."""
    raise Mistake(Diagnostic(slug, message, where, help=help_lines))


def expression(c: Layout, tree: Branch) -> ast.Expr:
    """The expression of a tree; raises `Mistake` for one that only looks like an expression."""
    return _MAKERS[tree.data](c, tree)


def optional(c: Layout, tree: Branch | None) -> ast.Expr | None:
    """The expression of a tree that may be left out."""
    return None if tree is None else expression(c, tree)


def _name(c: Layout, tree: Branch) -> ast.Expr:
    name, quoted = _plain(c, children(tree)[0])
    if not quoted and name in _FOREIGN:
        fail("bad-syntax", f"`{name}` is written `{_FOREIGN[name]}`", span(c, tree))
    return ast.Name(span(c, tree), name, quoted)


def _plain(c: Layout, token: Token) -> tuple[ast.Ident, bool]:
    """A name, without its quotes, and whether it was quoted."""
    if token.type != "QUOTED":
        return c.chunk.ident(token), False
    text = token[1:-1]
    if not text or not all(part.isalnum() or part in "-_/" for part in text) or not text.isascii():
        where = c.chunk.token_span(token)
        help_line = "an id is made of letters, digits, `-` and `_`"
        fail("bad-character", "between quotes stands the id of a component", where, help_line)
    return ast.Ident(text, c.chunk.token_span(token)), True


def _int(c: Layout, tree: Branch) -> ast.Expr:
    digits = children(tree)[0]
    if len(digits) > 10 or int(digits) > _LARGEST:
        fail("bad-value", "integers have 32 bits", span(c, tree))
    return ast.Int(span(c, tree), int(digits))


def _bool(c: Layout, tree: Branch) -> ast.Expr:
    return ast.Bool(span(c, tree), children(tree)[0] == "true")


def _none(c: Layout, tree: Branch) -> ast.Expr:
    return ast.NoneLiteral(span(c, tree))


def _previous(c: Layout, tree: Branch) -> ast.Expr:
    return ast.Previous(span(c, tree))


def _proceed(c: Layout, tree: Branch) -> ast.Expr:
    return ast.Proceed(span(c, tree))


def _attribute(c: Layout, tree: Branch) -> ast.Expr:
    object_, token = children(tree)
    return ast.Attribute(span(c, tree), expression(c, object_), *_plain(c, token))


def _index(c: Layout, tree: Branch) -> ast.Expr:
    object_, index = children(tree)
    return ast.Index(span(c, tree), expression(c, object_), expression(c, index))


def _unary(c: Layout, tree: Branch) -> ast.Expr:
    operator, operand = children(tree)
    return ast.Unary(span(c, tree), str(operator), expression(c, operand))


def _binary(c: Layout, tree: Branch) -> ast.Expr:
    left, operator, right = children(tree)
    return ast.Binary(span(c, tree), str(operator), expression(c, left), expression(c, right))


def _compare(c: Layout, tree: Branch) -> ast.Expr:
    left, comparator, right = children(tree)
    operator = " ".join(comparator.children)
    if operator == "in" and left.data == "previous" and (ruleset := _bare(right)) is not None:
        return ast.Previous(span(c, tree), c.chunk.ident(ruleset))
    return ast.Compare(span(c, tree), operator, expression(c, left), expression(c, right))


def _if_else(c: Layout, tree: Branch) -> ast.Expr:
    then, condition, otherwise = (expression(c, part) for part in children(tree))
    return ast.IfElse(span(c, tree), then, condition, otherwise)


def _range(c: Layout, tree: Branch) -> ast.Expr:
    low, high = (expression(c, part) for part in children(tree))
    return ast.Range(span(c, tree), low, high)


# --- what ranges over sets ---------------------------------------------------------------------


def _call(c: Layout, tree: Branch) -> ast.Expr:
    function, content = children(tree)
    if content is None:
        return ast.Call(span(c, tree), expression(c, function), ())
    name = _bare(function)
    if name == "reach":
        return _reach(c, tree, content)
    if name in _MEMBERS | _VALUES and not _ordinary(content):
        return _aggregate(c, tree, str(name), content)
    ranging = "only `any`, `all`, `count` and the like range over a set"
    known = (*sorted(_MEMBERS | _VALUES), "reach")
    near = () if _ordinary(content) else did_you_mean(name or "", known)
    items = _arguments(c, content, ranging, *near)
    return ast.Call(span(c, tree), expression(c, function), items)


def _bare(tree: Branch) -> Token | None:
    """The name a tree consists of, None when it is anything else."""
    token = children(tree)[0] if tree.data == "name" else None
    return token if isinstance(token, Token) and token.type == "NAME" else None


def _ordinary(content: Branch) -> bool:
    """Whether a content is a list of two or more expressions none of which is a range."""
    items, keys, default = children(content)
    return (
        items.data == "items"
        and len(items.children) > 1
        and keys is None
        and default is None
        and not _ranges(items.children[0])
    )


def _ranges(item: Branch) -> bool:
    """Whether an item can only be meant as a range: `x in S`, or anything with a condition."""
    return item.data == "restricted" or _range_parts(item) is not None


def _range_parts(item: Branch) -> tuple[tuple[Token, ...], Branch, Branch | None] | None:
    """The names, domain and condition of `x in S where C`; None for any other form."""
    compare, where = children(item) if item.data == "restricted" else (item, None)
    if compare.data != "compare":
        return None
    left, comparator, domain = children(compare)
    names = _range_names(left) if comparator.children == ["in"] else None
    return (names, domain, where) if names else None


def _range_names(tree: Branch) -> tuple[Token, ...] | None:
    """The names before `in`: one, or two in braces; None when something else stands there."""
    if (name := _bare(tree)) is not None:
        return (name,)
    content = children(tree)[0] if tree.data == "set" else None
    if content is None or children(content)[0].data != "items":
        return None
    names = [_bare(item) for item in children(content)[0].children]
    pair = tuple(name for name in names if name is not None)
    return pair if len(pair) == len(names) == 2 else None


def _arguments(c: Layout, content: Branch, otherwise: str, *help: str) -> tuple[ast.Expr, ...]:
    """A content that has to be a plain list of expressions."""
    items, keys, default = children(content)
    odd = keys or default or (items if items.data != "items" else None)
    odd = odd or next((i for i in items.children if i.data in ("restricted", "started")), None)
    if odd is not None:
        fail("bad-syntax", otherwise, span(c, odd), *help)
    return tuple(expression(c, item) for item in items.children)


def _item_binder(c: Layout, item: Branch) -> ast.Binder:
    """A binder that was parsed as an expression, perhaps with a condition."""
    parts = _range_parts(item)
    if parts is None:
        fail("bad-syntax", "a range has the form `x in S`", span(c, item))
    names, domain, where = parts
    return ast.Binder(
        span(c, item), tuple(map(c.chunk.ident, names)), expression(c, domain), optional(c, where)
    )


def binder(c: Layout, tree: Branch, *, secret: bool = False) -> ast.Binder:
    """The binder of a `binder` tree."""
    names, domain, where = children(tree)
    condition = expression(c, children(where)[0]) if where else None
    bound = tuple(map(c.chunk.ident, names.children))
    return ast.Binder(span(c, tree), bound, expression(c, domain), condition, secret)


def _ranging(c: Layout, content: Branch) -> tuple[ast.Expr | None, tuple[ast.Binder, ...]]:
    """The value and the binders of a content."""
    parts = children(content)[0]
    first, *others = children(parts)
    if parts.data == "comprehension":
        return expression(c, first), tuple(binder(c, other) for other in others)
    if len(parts.children) == 1 and not _ranges(first) and first.data != "started":
        return expression(c, first), ()
    return None, tuple(_item_binder(c, item) for item in parts.children)


def _keys(
    c: Layout, tree: Branch | None, binders: tuple[ast.Binder, ...]
) -> tuple[tuple[ast.Expr, ...], tuple[ast.Binder, ...]]:
    """The keys after `by`, and the binders with the condition after the keys added to the last."""
    if tree is None:
        return (), binders
    *keys, where = children(tree)
    found = tuple(expression(c, key) for key in keys)
    if where is None:
        return found, binders
    condition = expression(c, children(where)[0])
    if not binders or binders[-1].where is not None:
        fail("bad-syntax", "this condition has no range of its own", span(c, where))
    last = binders[-1]
    restricted = ast.Binder(last.span, last.names, last.domain, condition)
    return found, (*binders[:-1], restricted)


def _aggregate(c: Layout, tree: Branch, function: str, content: Branch) -> ast.Expr:
    _, keys_tree, default = children(content)
    value, binders = _ranging(c, content)
    keys, binders = _keys(c, keys_tree, binders)
    if problem := _misuse(function, value, binders, keys, default is not None):
        fail("bad-syntax", problem[0], span(c, tree), *problem[1:])
    return ast.Aggregate(span(c, tree), function, value, binders, keys, optional(c, default))


def _misuse(
    function: str,
    value: ast.Expr | None,
    binders: tuple[ast.Binder, ...],
    keys: tuple[ast.Expr, ...],
    has_default: bool,
) -> tuple[str, ...]:
    """What is wrong with the form of an aggregate, with help; empty when nothing is."""
    if function == "most" and not (keys and binders and value is None):
        return ("`most` needs a range and what to compare", "write `most(x in S by E)`")
    if keys and function != "most":
        return (f"`{function}` takes no `by`", "only `most` compares by keys")
    if has_default and function not in ("max", "min"):
        return (f"`{function}` takes no `else`", "only `max` and `min` need a value for nothing")
    if binders and function in _VALUES and value is None:
        return (f"`{function}` needs a value for each", f"write `{function}(E for x in S)`")
    if binders and function in _MEMBERS and value is not None:
        return (f"`{function}` takes no `for`", f"write `{function}(x in S where C)`")
    return ()


def _reach(c: Layout, tree: Branch, content: Branch) -> ast.Expr:
    items, keys, default = children(content)
    started = items.children[0]
    keyed = keys is not None and len(keys.children) == 2 and keys.children[1] is None
    name = _bare(children(started)[0]) if started.data == "started" else None
    if name is None or not keyed or default or len(items.children) > 1:
        form = "write `reach(x from S by E)`"
        fail("bad-syntax", "`reach` needs a name, a start and a step", span(c, tree), form)
    start, step = children(started)[1], children(keys)[0]
    bound = c.chunk.ident(name)
    return ast.Reach(span(c, tree), bound, expression(c, start), expression(c, step))


def _set(c: Layout, tree: Branch) -> ast.Expr:
    content = children(tree)[0]
    if content is None:
        return ast.SetLiteral(span(c, tree), ())
    parts, keys, default = children(content)
    alone = parts.data == "items" and len(parts.children) == 1 and _ranges(parts.children[0])
    if keys or default or not (alone or parts.data == "comprehension"):
        form = "a set is written `{a, b}`, `{x in S where C}` or `{E for x in S where C}`"
        return ast.SetLiteral(span(c, tree), _arguments(c, content, form))
    value, binders = _ranging(c, content)
    return ast.Comprehension(span(c, tree), value, binders)


_MAKERS: dict[str, Callable[[Layout, Branch], ast.Expr]] = {
    "name": _name,
    "int": _int,
    "bool": _bool,
    "none": _none,
    "previous": _previous,
    "proceed": _proceed,
    "attribute": _attribute,
    "index": _index,
    "unary": _unary,
    "binary": _binary,
    "compare": _compare,
    "if_else": _if_else,
    "range": _range,
    "call": _call,
    "set": _set,
}
