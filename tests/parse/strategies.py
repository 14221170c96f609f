"""Random syntax trees: everything that a rules text can say."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from rulesdsl.language.diagnostics import Source
from rulesdsl.language.model import ast

HERE = Source("", "").span(0, 0)
T = TypeVar("T")

# Words that are words of the language in some places, and names in all these.
names = st.sampled_from(
    ["a", "b", "x_1", "Long", "count", "first", "state", "order", "to", "up", "by", "of", "from"]
)
ids = st.sampled_from(["cut-corner", "a", "base/end-1", "2x"])
plain_functions = st.sampled_from(["f", "place", "g"])
comments = st.sampled_from(["#", "# words", "#! x: (", "## 'a"])


def some(items: SearchStrategy[T], least: int = 0, most: int = 2) -> SearchStrategy[tuple[T, ...]]:
    return st.lists(items, min_size=least, max_size=most).map(tuple)


def maybe(items: SearchStrategy[T]) -> SearchStrategy[T | None]:
    return st.none() | items


def short(strategy: SearchStrategy[T]) -> SearchStrategy[T]:
    """The same strategy with a short name; those of recursive ones would fill pages."""
    return st.just(None).flatmap(lambda _: strategy)


def node(kind: type[T], **fields: SearchStrategy[Any]) -> SearchStrategy[T]:
    return st.builds(kind, span=st.just(HERE), **fields)


# --- expressions -------------------------------------------------------------------------------

paths = node(ast.Path, parts=some(names, 1, 3))
leaves = st.one_of(
    node(ast.Int, value=st.integers(0, 2**31)),
    node(ast.Bool, value=st.booleans()),
    node(ast.NoneLiteral),
    node(ast.Name, name=names),
    node(ast.Name, name=ids, quoted=st.just(True)),
    node(ast.Previous, ruleset=maybe(names)),
    node(ast.Proceed),
)


def like_a_range(expr: ast.Expr) -> bool:
    """`x in S` and `{a, b} in S` are ranges where ranges can stand, never tests."""
    if not isinstance(expr, ast.Compare) or expr.operator != "in":
        return False
    left = expr.left
    found, count = (left.items, 2) if isinstance(left, ast.SetLiteral) else ((left,), 1)
    names_ = [item for item in found if isinstance(item, ast.Name) and not item.quoted]
    return len(names_) == len(found) == count


def chooses_previous(expr: ast.Compare) -> bool:
    """`previous in a` names a ruleset."""
    plain = isinstance(expr.right, ast.Name) and not expr.right.quoted
    bare = isinstance(expr.left, ast.Previous) and expr.left.ruleset is None
    return expr.operator == "in" and plain and bare


def binders(inner: SearchStrategy[ast.Expr], secret: bool = False) -> SearchStrategy[ast.Binder]:
    return node(
        ast.Binder,
        names=some(names, 1, 2),
        domain=inner,
        where=maybe(inner),
        secret=st.booleans() if secret else st.just(False),
    )


def aggregates(inner: SearchStrategy[ast.Expr]) -> SearchStrategy[ast.Aggregate]:
    ranges = some(binders(inner), 1, 2)
    members = st.sampled_from(["any", "count", "first", "the"])
    values = st.sampled_from(["all", "sum"])
    extremes = st.sampled_from(["max", "min"])
    none = st.none()
    alone = inner.filter(lambda e: not like_a_range(e))
    return st.one_of(
        node(ast.Aggregate, function=members, value=none, binders=ranges),
        node(ast.Aggregate, function=members | values, value=alone),
        node(ast.Aggregate, function=values, value=inner, binders=ranges),
        node(ast.Aggregate, function=extremes, value=inner, binders=ranges, default=maybe(inner)),
        node(ast.Aggregate, function=extremes, value=alone, default=maybe(inner)),
        node(
            ast.Aggregate,
            function=st.just("most"),
            value=none,
            binders=ranges,
            keys=some(inner, 1, 2),
        ),
        node(
            ast.Aggregate,
            function=st.just("top"),
            value=none,
            binders=some(binders(inner), 1, 1),
            keys=some(inner, 1, 2),
            amount=alone,
        ),
        node(
            ast.Aggregate,
            function=st.sampled_from(["most", "alike"]),
            value=inner,
            binders=ranges,
        ),
    )


def compound(inner: SearchStrategy[ast.Expr]) -> SearchStrategy[ast.Expr]:
    inner = short(inner)
    comparisons = ["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"]
    functions = node(ast.Name, name=plain_functions) | node(ast.Attribute, object=inner, name=names)
    extremes = node(ast.Name, name=st.sampled_from(["max", "min"]))
    compared = node(
        ast.Compare, operator=st.sampled_from(comparisons), left=inner, right=inner
    ).filter(lambda e: not chooses_previous(e))
    literals = node(ast.SetLiteral, items=some(inner)).filter(
        lambda e: not (len(e.items) == 1 and like_a_range(e.items[0]))
    )
    pairs = st.tuples(inner.filter(lambda e: not like_a_range(e)), inner)
    return st.one_of(
        node(ast.Attribute, object=inner, name=names),
        node(ast.Attribute, object=inner, name=ids, quoted=st.just(True)),
        node(ast.Index, object=inner, index=inner),
        node(ast.Call, function=functions, arguments=some(inner)),
        node(ast.Call, function=extremes, arguments=pairs),
        node(ast.Unary, operator=st.sampled_from(["not", "-"]), operand=inner),
        node(
            ast.Binary,
            operator=st.sampled_from(["or", "and", "+", "-", "*", "div", "mod"]),
            left=inner,
            right=inner,
        ),
        compared,
        node(ast.IfElse, then=inner, condition=inner, otherwise=inner),
        node(ast.Range, low=inner, high=inner),
        literals,
        node(ast.Comprehension, value=st.none(), binders=some(binders(inner), 1, 1)),
        node(ast.Comprehension, value=inner, binders=some(binders(inner), 1, 2)),
        aggregates(inner),
        node(ast.Reach, name=names, start=inner, step=inner),
    )


expressions = short(st.recursive(leaves, compound, max_leaves=8))
small = short(st.recursive(leaves, compound, max_leaves=3))
calls = node(ast.Call, function=node(ast.Name, name=plain_functions), arguments=some(small, 0, 1))

type_names = node(ast.Path, parts=some(names, 1, 2))
types = short(
    node(ast.TypeRef, name=type_names, is_set=st.booleans(), optional=st.booleans())
    | node(
        ast.TypeRef,
        name=node(ast.Path, parts=st.just(("int",))),
        low=small,
        high=small,
        is_set=st.booleans(),
        optional=st.booleans(),
    )
)

# --- statements --------------------------------------------------------------------------------

before = some(comments | st.just(""), 0, 2)
trivia = st.builds(ast.Trivia, before=before, after=st.just("") | comments)
trailing = st.just(()) | st.tuples(comments) | st.tuples(st.just(""), comments)


def lines(comments_: SearchStrategy[ast.Trivia]) -> SearchStrategy[ast.Stmt]:
    """Statements that fit on one line."""
    targets = st.one_of(
        node(ast.Name, name=names.filter(lambda n: n not in ("state", "order"))),
        node(ast.Attribute, object=small, name=names),
        node(ast.Index, object=small, index=small),
    )
    return st.one_of(
        node(
            ast.Let,
            name=names,
            type=maybe(types),
            value=expressions,
            mutable=st.booleans(),
            trivia=comments_,
        ),
        node(
            ast.Assign,
            target=targets,
            operator=st.sampled_from(["=", "+=", "-="]),
            value=expressions,
            trivia=comments_,
        ),
        node(ast.ExprStmt, value=expressions, trivia=comments_),
        node(ast.Later, call=calls, trivia=comments_),
        node(ast.Return, value=maybe(expressions), trivia=comments_),
        node(ast.Simple, word=st.sampled_from(["break", "leave", "nothing"]), trivia=comments_),
    )


no_trivia = st.just(ast.Trivia())


def inline_blocks(statements: SearchStrategy[ast.Stmt]) -> SearchStrategy[ast.Block]:
    return node(ast.Block, statements=st.tuples(statements), inline=st.just(True))


def joined(body: SearchStrategy[ast.Block]) -> SearchStrategy[ast.Block]:
    """A body, or the next range of a loop."""
    loop = node(ast.For, binder=binders(small), start=maybe(small), body=body)
    return body | node(ast.Block, statements=st.tuples(loop), joined=st.just(True))


def one_line(inner: SearchStrategy[ast.Stmt]) -> SearchStrategy[ast.Stmt]:
    body = inline_blocks(short(inner))
    return st.one_of(
        node(ast.If, condition=small, then=body),
        node(ast.For, binder=binders(small), start=maybe(small), body=joined(body)),
        node(ast.While, condition=small, body=body),
    )


inline = short(inline_blocks(st.recursive(lines(no_trivia), one_line, max_leaves=2)))


def apart(statements: list[ast.Stmt]) -> bool:
    """Two ladders in a row are one, unless the first ends in `otherwise`."""
    pairs = pairwise(statements)
    return not any(
        isinstance(a, ast.When) and isinstance(b, ast.When) and a.cases[-1].condition
        for a, b in pairs
    )


def long_blocks(statements: SearchStrategy[ast.Stmt]) -> SearchStrategy[ast.Block]:
    found = st.lists(statements, min_size=1, max_size=3).filter(apart).map(tuple)
    return node(ast.Block, statements=found, trailing=trailing)


def nested(inner: SearchStrategy[ast.Stmt]) -> SearchStrategy[ast.Stmt]:
    body = short(inline | long_blocks(short(inner)))
    else_if = inline_blocks(node(ast.If, condition=small, then=body, otherwise=maybe(body)))
    case = node(ast.Case, condition=small, body=body, trivia=trivia)
    last = node(ast.Case, condition=st.none(), body=body, trivia=trivia)
    cases = st.tuples(some(case, 1, 2), some(last, 0, 1)).map(lambda parts: parts[0] + parts[1])
    return st.one_of(
        node(ast.If, condition=expressions, then=body, trivia=trivia),
        node(
            ast.If,
            condition=small,
            then=body,
            otherwise=body | else_if,
            else_trivia=trivia,
            trivia=trivia,
        ),
        node(ast.When, cases=cases),
        node(ast.For, binder=binders(small), start=maybe(small), body=joined(body), trivia=trivia),
        node(ast.While, condition=small, body=body, trivia=trivia),
    )


blocks = short(inline | long_blocks(st.recursive(lines(trivia), nested, max_leaves=4)))

# --- declarations ------------------------------------------------------------------------------

typed = some(node(ast.Param, name=names, type=types), 0, 2)
bare = some(node(ast.Param, name=names), 0, 2)
guards = maybe(small)
limits = maybe(node(ast.OnceIn, action=paths))
bodiless = st.sampled_from(["sum", "all", "any", "union"])
policies = bodiless | st.sampled_from(["unique", "max", "min"])


def options(choice: SearchStrategy[ast.Path | None]) -> SearchStrategy[ast.OptionDecl]:
    return node(
        ast.OptionDecl,
        choice=choice,
        name=names,
        binders=some(binders(small, secret=True)),
        once=limits,
        guard=guards,
        body=maybe(blocks),
        trivia=trivia,
    )


def choices() -> SearchStrategy[ast.ChoiceDecl]:
    inner = options(st.none())

    def choice(
        least: int, otherwise: SearchStrategy[Any], comments_: SearchStrategy[Any]
    ) -> SearchStrategy[ast.ChoiceDecl]:
        return node(
            ast.ChoiceDecl,
            name=names,
            params=typed,
            by=small,
            type=maybe(types),
            repeat=st.booleans(),
            options=some(inner, least, 2),
            otherwise=otherwise,
            otherwise_trivia=comments_,
            trivia=trivia,
        )

    return choice(1, st.none(), no_trivia) | choice(0, blocks, trivia)


every_declaration: SearchStrategy[ast.Decl] = st.one_of(
    node(
        ast.StateDecl,
        owner=names,
        name=names,
        index=some(types),
        type=types,
        initial=maybe(expressions),
        trivia=trivia,
    ),
    node(
        ast.ValueDecl,
        name=names,
        params=typed,
        type=types,
        policy=policies,
        body=blocks,
        trivia=trivia,
    ),
    node(
        ast.ValueDecl,
        name=names,
        params=typed,
        type=types,
        policy=bodiless,
        body=st.none(),
        trivia=trivia,
    ),
    node(
        ast.Contribution,
        verb=st.sampled_from(["refine", "add", "require", "allow", "include"]),
        target=paths,
        params=bare,
        guard=guards,
        body=blocks,
        trivia=trivia,
    ),
    node(
        ast.ActionDecl,
        name=names,
        params=typed,
        type=maybe(types),
        step=st.booleans(),
        depth=maybe(small),
        once=limits,
        guard=guards,
        body=blocks,
        trivia=trivia,
    ),
    node(
        ast.HookDecl,
        when=st.sampled_from(["before", "after", "around", "instead"]),
        target=paths,
        params=bare,
        guard=guards,
        body=blocks,
        trivia=trivia,
    ),
    choices(),
    options(paths),
    node(ast.ForbidDecl, target=paths, option=names, params=bare, guard=guards, trivia=trivia),
    node(
        ast.ForbidDecl,
        target=paths,
        option=st.just("*"),
        params=st.just(()),
        guard=guards,
        trivia=trivia,
    ),
    node(ast.AlwaysDecl, binder=binders(small), body=blocks, trivia=trivia),
    node(ast.InvariantDecl, name=names, holds=expressions, trivia=trivia),
    node(ast.OrderDecl, first=paths, second=paths, independent=st.booleans(), trivia=trivia),
)

with_blocks: SearchStrategy[ast.Decl] = node(
    ast.WithDecl,
    names=some(node(ast.Path, parts=st.tuples(names)), 1, 2),
    declarations=some(short(every_declaration), 1, 2),
    trailing=trailing,
    trivia=trivia,
)

modules: SearchStrategy[ast.Module] = st.builds(
    ast.Module,
    source=st.just(HERE.source),
    declarations=some(short(every_declaration) | with_blocks, 0, 3),
    trailing=trailing,
)
