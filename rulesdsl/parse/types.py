"""Parse trees of types, parameters and dotted names to syntax trees."""

from __future__ import annotations

from rulesdsl.model import ast
from rulesdsl.parse.expressions import Branch, children, expression, fail, span
from rulesdsl.parse.layout import Layout


def path(c: Layout, tree: Branch) -> ast.Path:
    """The dotted name of a `path` tree."""
    return ast.Path(span(c, tree), tuple(map(c.chunk.ident, children(tree))))


def type_ref(c: Layout, tree: Branch) -> ast.TypeRef:
    """The type of a `type` tree."""
    is_set, name, bounds, optional = children(tree)
    low = high = None
    if bounds is not None:
        if str(path(c, name)) != "int":
            fail("bad-syntax", "only `int` has bounds", span(c, bounds))
        low, high = (expression(c, bound) for bound in bounds.children)
    set_, may_be_none = is_set is not None, optional is not None
    return ast.TypeRef(span(c, tree), path(c, name), low, high, set_, may_be_none)


def typed_params(c: Layout, tree: Branch) -> tuple[ast.Param, ...]:
    """Parameters that must say their types."""
    found = _params(c, tree)
    for param in found:
        if param.type is None:
            help_line = f"write `{param.name}: TYPE`"
            fail("bad-syntax", f"`{param.name}` needs a type", param.span, help_line)
    return found


def bare_params(c: Layout, tree: Branch | None) -> tuple[ast.Param, ...]:
    """Parameters that are names alone, as their types are known from what they refer to."""
    found = () if tree is None else _params(c, tree)
    for param in found:
        if param.type is not None:
            help_line = f"write `{param.name}` alone"
            fail("bad-syntax", "types are not repeated here", param.type.span, help_line)
    return found


def _params(c: Layout, tree: Branch) -> tuple[ast.Param, ...]:
    found = []
    for param in children(tree):
        name, type_ = children(param)
        found.append(
            ast.Param(span(c, param), c.chunk.ident(name), type_ref(c, type_) if type_ else None)
        )
    return tuple(found)
