"""Parse trees of declarations to syntax trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lark import Token

from rulesdsl.diagnostics.wording import did_you_mean
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
from rulesdsl.parse.statements import block, trivia
from rulesdsl.parse.types import bare_params, path, type_ref, typed_params

_POLICIES = ("all", "any", "max", "min", "sum", "union")
_NEEDS_BODY = ("unique", "max", "min")


def declaration(c: Layout, tree: Branch, before: tuple[str, ...]) -> ast.Decl:
    """The declaration of a tree, with the comment and blank lines `before` it."""
    own = trivia(c, tree)
    return _MAKERS[tree.data](c, tree, replace(own, before=before + own.before))


def _state(c: Layout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    owner, name, *index, type_, initial = children(tree)
    return ast.StateDecl(
        span(c, tree),
        c.chunk.ident(owner),
        c.chunk.ident(name),
        tuple(type_ref(c, each) for each in index),
        type_ref(c, type_),
        optional(c, initial),
        comments,
    )


def _maybe_body(c: Layout, tree: Branch) -> ast.Block | None:
    return None if tree.data == "no_body" else block(c, tree)


def _value(c: Layout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    name, params, type_, policy, body = children(tree)
    found = str(policy) if policy is not None else "unique"
    if policy is not None and found not in _POLICIES:
        message = f"`{found}` is no way to combine contributions"
        ways = did_you_mean(found, _POLICIES) or (f"the ways are {', '.join(_POLICIES)}",)
        fail("bad-syntax", message, c.chunk.token_span(policy), *ways)
    if body.data == "no_body" and found in _NEEDS_BODY:
        message = f"value `{name}` has no body"
        help_line = "only `sum`, `all`, `any` and `union` need none: contributions are enough"
        fail("missing-body", message, c.chunk.token_span(name), help_line)
    types = typed_params(c, params), type_ref(c, type_)
    return ast.ValueDecl(
        span(c, tree), c.chunk.ident(name), *types, found, _maybe_body(c, body), trivia=comments
    )


def _contribution(c: Layout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    verb, target, params, guard, body = children(tree)
    return ast.Contribution(
        span(c, tree),
        c.chunk.ident(verb),
        path(c, target),
        bare_params(c, params),
        optional(c, guard),
        block(c, body),
        comments,
    )


def _action(c: Layout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    step, name, params, type_, depth, guard, body = children(tree)
    return ast.ActionDecl(
        span(c, tree),
        c.chunk.ident(name),
        typed_params(c, params),
        type_ref(c, type_) if type_ else None,
        step is not None,
        optional(c, depth),
        optional(c, guard),
        block(c, body),
        comments,
    )


def _hook(c: Layout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    when, target, params, guard, body = children(tree)
    return ast.HookDecl(
        span(c, tree),
        c.chunk.ident(when),
        path(c, target),
        bare_params(c, params),
        optional(c, guard),
        block(c, body),
        comments,
    )


def _choice(c: Layout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    name, params, by, type_, repeat, *parts = children(tree)
    *options, otherwise = parts
    c.pass_on((options[0] if options else otherwise).meta.start_pos)
    return ast.ChoiceDecl(
        span(c, tree),
        c.chunk.ident(name),
        typed_params(c, params),
        expression(c, by),
        type_ref(c, type_) if type_ else None,
        repeat is not None,
        tuple(_inner_option(c, option) for option in options),
        block(c, children(otherwise)[0]) if otherwise else None,
        trivia(c, otherwise) if otherwise else ast.Trivia(),
        comments,
    )


def _inner_option(c: Layout, tree: Branch) -> ast.OptionDecl:
    target = path(c, children(tree)[0])
    if len(target.parts) > 1:
        help_line = f"write `{target.parts[-1]}` alone"
        fail("bad-syntax", "an option inside its choice has a plain name", target.span, help_line)
    return _make_option(c, tree, None, trivia(c, tree))


def _option(c: Layout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    return _make_option(c, tree, _choice_of(c, children(tree)[0].children), comments)


def _make_option(
    c: Layout, tree: Branch, choice: ast.Path | None, comments: ast.Trivia
) -> ast.OptionDecl:
    target, arguments, guard, body = children(tree)
    return ast.OptionDecl(
        span(c, tree),
        choice,
        c.chunk.ident(target.children[-1]),
        tuple(_option_arg(c, arg) for arg in arguments.children) if arguments else (),
        optional(c, guard),
        _maybe_body(c, body),
        comments,
    )


def _option_arg(c: Layout, tree: Branch) -> ast.Binder:
    secret, bound = children(tree)
    return binder(c, bound, secret=secret is not None)


def _choice_of(c: Layout, names: list[Token]) -> ast.Path:
    """The choice of `choice.option`."""
    whole = c.chunk.token_span(names[0]).to(c.chunk.token_span(names[-1]))
    if len(names) < 2:
        help_line = f"write `CHOICE.{names[0]}`"
        fail("bad-syntax", "it does not say which choice the option is of", whole, help_line)
    where = c.chunk.token_span(names[0]).to(c.chunk.token_span(names[-2]))
    return ast.Path(where, tuple(map(c.chunk.ident, names[:-1])))


def _forbid(c: Layout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    names, params, guard = children(tree)
    choice, option = _choice_of(c, names.children), c.chunk.ident(names.children[-1])
    arguments = bare_params(c, params)
    where = span(c, tree)
    return ast.ForbidDecl(where, choice, option, arguments, optional(c, guard), comments)


def _forbid_all(c: Layout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    *names, guard = children(tree)
    choice = _choice_of(c, names)
    star = c.chunk.ident(names[-1])
    return ast.ForbidDecl(span(c, tree), choice, star, (), optional(c, guard), comments)


def _always(c: Layout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    bound, body = children(tree)
    return ast.AlwaysDecl(span(c, tree), binder(c, bound), block(c, body), comments)


def _order(c: Layout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    first, _, second = children(tree)
    return ast.OrderDecl(span(c, tree), path(c, first), path(c, second), trivia=comments)


def _independent(c: Layout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    first, second = (path(c, name) for name in children(tree))
    return ast.OrderDecl(span(c, tree), first, second, independent=True, trivia=comments)


def _with(c: Layout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    names = tuple(path(c, name) for name in children(tree))
    for each in names:
        if len(each.parts) > 1:
            help_line = f"write `{each.parts[0]}` alone"
            fail(
                "bad-syntax", "`with` names rulesets, which have plain names", each.span, help_line
            )
    if c.chunk.closes:
        help_line = "the rules that hold together with these rulesets are indented under it"
        fail("missing-body", "a block must follow", span(c, tree), help_line)
    return ast.WithDecl(span(c, tree), names, trivia=comments)


_MAKERS: dict[str, Callable[[Layout, Branch, ast.Trivia], ast.Decl]] = {
    "state_decl": _state,
    "value_decl": _value,
    "contribution": _contribution,
    "action_decl": _action,
    "hook_decl": _hook,
    "choice_decl": _choice,
    "option_decl": _option,
    "forbid_decl": _forbid,
    "forbid_all": _forbid_all,
    "always_decl": _always,
    "order_decl": _order,
    "independent": _independent,
    "with_decl": _with,
}
