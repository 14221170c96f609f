"""Parse trees of statements and blocks to syntax trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rulesdsl.model import ast
from rulesdsl.parse.expressions import (
    Branch,
    binder,
    children,
    expression,
    fail,
    optional,
    span,
)
from rulesdsl.parse.layout import Layout
from rulesdsl.parse.types import type_ref


def trivia(c: Layout, tree: Branch) -> ast.Trivia:
    """The comments of the line a tree begins."""
    return c.trivia(tree.meta.start_pos)


def block(c: Layout, tree: Branch) -> ast.Block:
    """The block of a `block`, `inline_block` or `inline_body` tree."""
    statements = children(tree)
    inline = tree.data != "block"
    trailing = () if inline else c.trailing(statements[0].meta.start_pos)
    return ast.Block(span(c, tree), tuple(_statements(c, statements)), inline, trailing)


def _statements(c: Layout, trees: list[Branch]) -> Iterable[ast.Stmt]:
    """The statements of a block, with the lines of a ladder gathered."""
    ladder: list[ast.Case] = []
    for tree in trees:
        if tree.data == "when":
            condition, body = children(tree)
            ladder.append(_case(c, tree, expression(c, condition), body))
            continue
        if tree.data == "otherwise":
            if not ladder:
                fail("bad-syntax", "`otherwise` needs a `when` above it", span(c, tree))
            ladder.append(_case(c, tree, None, children(tree)[0]))
        if ladder:
            yield _when(ladder)
            ladder = []
        if tree.data != "otherwise":
            yield _MAKERS[tree.data](c, tree)
    if ladder:
        yield _when(ladder)


def _case(c: Layout, tree: Branch, condition: ast.Expr | None, body: Branch) -> ast.Case:
    return ast.Case(span(c, tree), condition, block(c, body), trivia(c, tree))


def _when(cases: list[ast.Case]) -> ast.When:
    return ast.When(cases[0].span.to(cases[-1].span), tuple(cases))


def _let(c: Layout, tree: Branch) -> ast.Stmt:
    word, name, type_, value = children(tree)
    return ast.Let(
        span(c, tree),
        c.chunk.ident(name),
        type_ref(c, type_) if type_ else None,
        expression(c, value),
        word == "var",
        trivia(c, tree),
    )


def _assign(c: Layout, tree: Branch) -> ast.Stmt:
    target, operator, value = children(tree)
    found = expression(c, target)
    if not isinstance(found, ast.Name | ast.Attribute | ast.Index | ast.Call):
        fail("not-assignable", "only a local or state can be assigned", span(c, target))
    return ast.Assign(span(c, tree), found, str(operator), expression(c, value), trivia(c, tree))


def _expr_stmt(c: Layout, tree: Branch) -> ast.Stmt:
    return ast.ExprStmt(span(c, tree), expression(c, children(tree)[0]), trivia(c, tree))


def _later(c: Layout, tree: Branch) -> ast.Stmt:
    (call,) = children(tree)
    if call.data != "call":
        fail("bad-syntax", "`later` needs a call", span(c, call), "write `later name(…)`")
    return ast.Later(span(c, tree), expression(c, call), trivia(c, tree))


def _return(c: Layout, tree: Branch) -> ast.Stmt:
    return ast.Return(span(c, tree), optional(c, children(tree)[0]), trivia(c, tree))


def _simple(c: Layout, tree: Branch) -> ast.Stmt:
    return ast.Simple(span(c, tree), str(children(tree)[0]), trivia(c, tree))


def _if(c: Layout, tree: Branch) -> ast.If:
    condition, body, *rest = children(tree)
    otherwise, else_trivia = None, ast.Trivia()
    if rest and rest[0] is not None:
        otherwise, else_trivia = _else(c, rest[0]), trivia(c, rest[0])
    where = span(c, tree)
    then = block(c, body)
    return ast.If(where, expression(c, condition), then, otherwise, else_trivia, trivia(c, tree))


def _else(c: Layout, tree: Branch) -> ast.Block:
    (body,) = children(tree)
    if tree.data == "else_if":
        return ast.Block(span(c, body), (_if(c, body),), inline=True)
    return block(c, body)


def _for(c: Layout, tree: Branch) -> ast.Stmt:
    bound, start, body = children(tree)
    where = span(c, tree)
    return ast.For(where, binder(c, bound), optional(c, start), block(c, body), trivia(c, tree))


def _while(c: Layout, tree: Branch) -> ast.Stmt:
    condition, body = children(tree)
    return ast.While(span(c, tree), expression(c, condition), block(c, body), trivia(c, tree))


_MAKERS: dict[str, Callable[[Layout, Branch], ast.Stmt]] = {
    "let": _let,
    "assign": _assign,
    "expr_stmt": _expr_stmt,
    "later": _later,
    "return": _return,
    "simple": _simple,
    "if": _if,
    "for": _for,
    "while": _while,
}
