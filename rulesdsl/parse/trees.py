"""Conversion of parse trees to syntax trees: expressions, types, statements and declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NoReturn

from lark import Token, Tree

from rulesdsl.diagnostics import Diagnostic, Span
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model import ast
from rulesdsl.parse.layout import Mistake, TokenLayout

Branch = Tree[Token]

_MEMBERS = {"any", "count", "first", "most", "the"}
_VALUES = {"all", "max", "min", "sum"}
_UNRESERVED = {"alike", "top"}
"""Aggregates that authors may also name a value after: only a range makes them aggregates."""
_FOREIGN = {"True": "true", "False": "false", "None": "none", "null": "none", "nil": "none"}
_LARGEST = 2**31


def children(tree: Branch) -> list[Any]:
    """Return the children of a tree, as the grammar's rule lists them.

    None for omitted parts.
    """
    return list(tree.children)


def span(c: TokenLayout, tree: Branch) -> Span:
    """Return the span of a tree."""
    return c.chunk.span(tree.meta.start_pos, tree.meta.end_pos)


def fail(slug: str, message: str, where: Span, *help_lines: str) -> NoReturn:
    """Reject the declaration with one finding."""
    raise Mistake(Diagnostic(slug, message, where, help=help_lines))


def expression(c: TokenLayout, tree: Branch) -> ast.Expr:
    """Return the expression of a tree.

    Raises `Mistake` for one that only looks like an expression.
    """
    return _EXPRESSIONS[tree.data](c, tree)


def optional(c: TokenLayout, tree: Branch | None) -> ast.Expr | None:
    """Return the expression of an optional tree."""
    return None if tree is None else expression(c, tree)


def _name(c: TokenLayout, tree: Branch) -> ast.Expr:
    name, quoted = _plain(c, children(tree)[0])
    if not quoted and name in _FOREIGN:
        fail("bad-syntax", f"`{name}` is written `{_FOREIGN[name]}`", span(c, tree))
    return ast.Name(span(c, tree), name, quoted)


def _plain(c: TokenLayout, token: Token) -> tuple[ast.Ident, bool]:
    """Return a name, without its quotes, and whether it was quoted."""
    if token.type != "QUOTED":
        return c.chunk.ident(token), False
    text = token[1:-1]
    if not text or not all(part.isalnum() or part in "-_/" for part in text) or not text.isascii():
        where = c.chunk.token_span(token)
        help_line = "an id is made of letters, digits, `-` and `_`"
        fail("bad-character", "quotes enclose the id of a component", where, help_line)
    return ast.Ident(text, c.chunk.token_span(token)), True


def _int(c: TokenLayout, tree: Branch) -> ast.Expr:
    digits = children(tree)[0]
    if len(digits) > 10 or int(digits) > _LARGEST:
        fail("bad-value", "integers have 32 bits", span(c, tree))
    return ast.Int(span(c, tree), int(digits))


def _bool(c: TokenLayout, tree: Branch) -> ast.Expr:
    return ast.Bool(span(c, tree), children(tree)[0] == "true")


def _none(c: TokenLayout, tree: Branch) -> ast.Expr:
    return ast.NoneLiteral(span(c, tree))


def _previous(c: TokenLayout, tree: Branch) -> ast.Expr:
    return ast.Previous(span(c, tree))


def _proceed(c: TokenLayout, tree: Branch) -> ast.Expr:
    return ast.Proceed(span(c, tree))


def _attribute(c: TokenLayout, tree: Branch) -> ast.Expr:
    object_, token = children(tree)
    return ast.Attribute(span(c, tree), expression(c, object_), *_plain(c, token))


def _index(c: TokenLayout, tree: Branch) -> ast.Expr:
    object_, index = children(tree)
    return ast.Index(span(c, tree), expression(c, object_), expression(c, index))


def _unary(c: TokenLayout, tree: Branch) -> ast.Expr:
    operator, operand = children(tree)
    return ast.Unary(span(c, tree), str(operator), expression(c, operand))


def _binary(c: TokenLayout, tree: Branch) -> ast.Expr:
    left, operator, right = children(tree)
    return ast.Binary(span(c, tree), str(operator), expression(c, left), expression(c, right))


def _compare(c: TokenLayout, tree: Branch) -> ast.Expr:
    left, comparator, right = children(tree)
    operator = " ".join(comparator.children)
    if operator == "in" and left.data == "previous" and (ruleset := _bare(right)) is not None:
        return ast.Previous(span(c, tree), c.chunk.ident(ruleset))
    return ast.Compare(span(c, tree), operator, expression(c, left), expression(c, right))


def _if_else(c: TokenLayout, tree: Branch) -> ast.Expr:
    then, condition, otherwise = (expression(c, part) for part in children(tree))
    return ast.IfElse(span(c, tree), then, condition, otherwise)


def _range(c: TokenLayout, tree: Branch) -> ast.Expr:
    low, high = (expression(c, part) for part in children(tree))
    return ast.Range(span(c, tree), low, high)


# --- binders and ranges ------------------------------------------------------------------------


def _call(c: TokenLayout, tree: Branch) -> ast.Expr:
    function, content = children(tree)
    if content is None:
        return ast.Call(span(c, tree), expression(c, function), ())
    name = _bare(function)
    if name == "reach":
        return _reach(c, tree, content)
    if name in _UNRESERVED and not _plain_arguments(content):
        return (_top if name == "top" else _alike)(c, tree, content)
    if name in _MEMBERS | _VALUES and not _ordinary(content):
        return _aggregate(c, tree, str(name), content)
    ranging = "only `any`, `all`, `count` and the like range over a set"
    known = (*sorted(_MEMBERS | _VALUES | _UNRESERVED), "reach")
    near = () if _ordinary(content) else did_you_mean(name or "", known)
    items = _arguments(c, content, ranging, *near)
    return ast.Call(span(c, tree), expression(c, function), items)


def _bare(tree: Branch) -> Token | None:
    """Return the name a tree consists of, or None for any other tree."""
    token = children(tree)[0] if tree.data == "name" else None
    return token if isinstance(token, Token) and token.type == "NAME" else None


def _ordinary(content: Branch) -> bool:
    """Return whether a content is a list of two or more expressions none of which is a range."""
    items, keys, default = children(content)
    return (
        items.data == "items"
        and len(items.children) > 1
        and keys is None
        and default is None
        and not _ranges(items.children[0])
    )


def _plain_arguments(content: Branch) -> bool:
    """Return whether a content is a list of expressions without conditions, keys or ranges."""
    items, keys, default = children(content)
    odd = any(item.data in ("restricted", "started") for item in items.children)
    return items.data == "items" and not odd and keys is None and default is None


def _ranges(item: Branch) -> bool:
    """Return whether an item can only be a range: `x in S`, or anything with a condition."""
    return item.data == "restricted" or _range_parts(item) is not None


def _range_parts(item: Branch) -> tuple[tuple[Token, ...], Branch, Branch | None] | None:
    """Return the names, domain and condition of `x in S where C`; None for any other form."""
    compare, where = children(item) if item.data == "restricted" else (item, None)
    if compare.data != "compare":
        return None
    left, comparator, domain = children(compare)
    names = _range_names(left) if comparator.children == ["in"] else None
    return (names, domain, where) if names else None


def _range_names(tree: Branch) -> tuple[Token, ...] | None:
    """Return the names before `in`: one, or two in braces.

    None for any other form.
    """
    if (name := _bare(tree)) is not None:
        return (name,)
    content = children(tree)[0] if tree.data == "set" else None
    if content is None or children(content)[0].data != "items":
        return None
    names = [_bare(item) for item in children(content)[0].children]
    pair = tuple(name for name in names if name is not None)
    return pair if len(pair) == len(names) == 2 else None


def _arguments(c: TokenLayout, content: Branch, otherwise: str, *help: str) -> tuple[ast.Expr, ...]:
    """Return the expressions of a content that must be a plain list."""
    items, keys, default = children(content)
    odd = keys or default or (items if items.data != "items" else None)
    odd = odd or next((i for i in items.children if i.data in ("restricted", "started")), None)
    if odd is not None:
        fail("bad-syntax", otherwise, span(c, odd), *help)
    return tuple(expression(c, item) for item in items.children)


def _item_binder(c: TokenLayout, item: Branch) -> ast.Binder:
    """Return a binder that was parsed as an expression, perhaps with a condition."""
    parts = _range_parts(item)
    if parts is None:
        fail("bad-syntax", "a range has the form `x in S`", span(c, item))
    names, domain, where = parts
    return ast.Binder(
        span(c, item), tuple(map(c.chunk.ident, names)), expression(c, domain), optional(c, where)
    )


def binder(c: TokenLayout, tree: Branch, *, secret: bool = False) -> ast.Binder:
    """Return the binder of a `binder` tree."""
    names, domain, where = children(tree)
    condition = expression(c, children(where)[0]) if where else None
    bound = tuple(map(c.chunk.ident, names.children))
    return ast.Binder(span(c, tree), bound, expression(c, domain), condition, secret)


def _ranging(c: TokenLayout, content: Branch) -> tuple[ast.Expr | None, tuple[ast.Binder, ...]]:
    """Return the value and the binders of a content."""
    parts = children(content)[0]
    first, *others = children(parts)
    if parts.data == "comprehension":
        return expression(c, first), tuple(binder(c, other) for other in others)
    if len(parts.children) == 1 and not _ranges(first) and first.data != "started":
        return expression(c, first), ()
    return None, tuple(_item_binder(c, item) for item in parts.children)


def _keys(
    c: TokenLayout, tree: Branch | None, binders: tuple[ast.Binder, ...]
) -> tuple[tuple[ast.Expr, ...], tuple[ast.Binder, ...]]:
    """Return the keys after `by`, and the binders.

    A condition after the keys is added to the last binder.
    """
    if tree is None:
        return (), binders
    *keys, where = children(tree)
    found = tuple(expression(c, key) for key in keys)
    if where is None:
        return found, binders
    condition = expression(c, children(where)[0])
    if not binders or binders[-1].where is not None:
        fail("bad-syntax", "this condition belongs to no range", span(c, where))
    last = binders[-1]
    restricted = ast.Binder(last.span, last.names, last.domain, condition)
    return found, (*binders[:-1], restricted)


def _aggregate(c: TokenLayout, tree: Branch, function: str, content: Branch) -> ast.Expr:
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
    """Return the mistake in the form of an aggregate, with help; empty if there is none."""
    if function == "most" and not (binders and bool(keys) == (value is None)):
        forms = "write `most(x in S by E)` for elements, `most(E for x in S)` for values"
        return ("`most` needs a range and what to compare", forms)
    if keys and function != "most":
        return (f"`{function}` takes no `by`", "only `most` compares by keys")
    if has_default and function not in ("max", "min"):
        return (
            f"`{function}` takes no `else`",
            "only `max` and `min` take a value for the empty set",
        )
    if binders and function in _VALUES and value is None:
        return (f"`{function}` needs a value for each", f"write `{function}(E for x in S)`")
    if binders and function in _MEMBERS - {"most"} and value is not None:
        return (f"`{function}` takes no `for`", f"write `{function}(x in S where C)`")
    return ()


def _top(c: TokenLayout, tree: Branch, content: Branch) -> ast.Expr:
    items, keys_tree, default = children(content)
    amount, *ranges = items.children
    formed = items.data == "items" and amount.data not in ("restricted", "started")
    if not (formed and len(ranges) == 1 and _ranges(ranges[0])) or keys_tree is None or default:
        form = "write `top(3, x in S by E)`"
        fail("bad-syntax", "`top` needs a number, a range and what to compare", span(c, tree), form)
    keys, binders = _keys(c, keys_tree, (_item_binder(c, ranges[0]),))
    number = expression(c, amount)
    return ast.Aggregate(span(c, tree), "top", None, binders, keys, amount=number)


def _alike(c: TokenLayout, tree: Branch, content: Branch) -> ast.Expr:
    parts, keys, default = children(content)
    if parts.data != "comprehension" or keys or default:
        form = "write `alike(E for x in S)`"
        fail("bad-syntax", "`alike` needs a value for each", span(c, tree), form)
    return ast.Aggregate(span(c, tree), "alike", *_ranging(c, content))


def _reach(c: TokenLayout, tree: Branch, content: Branch) -> ast.Expr:
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


def _set(c: TokenLayout, tree: Branch) -> ast.Expr:
    content = children(tree)[0]
    if content is None:
        return ast.SetLiteral(span(c, tree), ())
    parts, keys, default = children(content)
    alone = parts.data == "items" and len(parts.children) == 1 and _ranges(parts.children[0])
    if keys or default or not (alone or parts.data == "comprehension"):
        form = "write a set as `{a, b}`, `{x in S where C}` or `{E for x in S where C}`"
        return ast.SetLiteral(span(c, tree), _arguments(c, content, form))
    value, binders = _ranging(c, content)
    return ast.Comprehension(span(c, tree), value, binders)


_EXPRESSIONS: dict[str, Callable[[TokenLayout, Branch], ast.Expr]] = {
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


def path(c: TokenLayout, tree: Branch) -> ast.Path:
    """Return the dotted name of a `path` tree."""
    return ast.Path(span(c, tree), tuple(map(c.chunk.ident, children(tree))))


def type_ref(c: TokenLayout, tree: Branch) -> ast.TypeRef:
    """Return the type of a `type` tree."""
    is_set, name, bounds, optional = children(tree)
    low = high = None
    if bounds is not None:
        if str(path(c, name)) != "int":
            fail("bad-syntax", "only `int` has bounds", span(c, bounds))
        low, high = (expression(c, bound) for bound in bounds.children)
    set_, may_be_none = is_set is not None, optional is not None
    return ast.TypeRef(span(c, tree), path(c, name), low, high, set_, may_be_none)


def typed_params(c: TokenLayout, tree: Branch) -> tuple[ast.Param, ...]:
    """Return parameters that must have types."""
    found = _params(c, tree)
    for param in found:
        if param.type is None:
            help_line = f"write `{param.name}: TYPE`"
            fail("bad-syntax", f"`{param.name}` needs a type", param.span, help_line)
    return found


def bare_params(c: TokenLayout, tree: Branch | None) -> tuple[ast.Param, ...]:
    """Return parameters without types, which are known from the declaration they refer to."""
    found = () if tree is None else _params(c, tree)
    for param in found:
        if param.type is not None:
            help_line = f"write `{param.name}` alone"
            fail("bad-syntax", "do not repeat types here", param.type.span, help_line)
    return found


def _params(c: TokenLayout, tree: Branch) -> tuple[ast.Param, ...]:
    found = []
    for param in children(tree):
        name, type_ = children(param)
        found.append(
            ast.Param(span(c, param), c.chunk.ident(name), type_ref(c, type_) if type_ else None)
        )
    return tuple(found)


def trivia(c: TokenLayout, tree: Branch) -> ast.Trivia:
    """Return the comments of the line that a tree begins."""
    return c.trivia(tree.meta.start_pos)


def block(c: TokenLayout, tree: Branch) -> ast.Block:
    """Return the block of a `block`, `inline_block` or `inline_body` tree."""
    statements = children(tree)
    inline = tree.data != "block"
    trailing = () if inline else c.trailing(statements[0].meta.start_pos)
    return ast.Block(span(c, tree), tuple(_statements(c, statements)), inline, trailing)


def _statements(c: TokenLayout, trees: list[Branch]) -> Iterable[ast.Stmt]:
    """Yield the statements of a block, with the lines of each ladder collected."""
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
            yield _STATEMENTS[tree.data](c, tree)
    if ladder:
        yield _when(ladder)


def _case(c: TokenLayout, tree: Branch, condition: ast.Expr | None, body: Branch) -> ast.Case:
    return ast.Case(span(c, tree), condition, block(c, body), trivia(c, tree))


def _when(cases: list[ast.Case]) -> ast.When:
    return ast.When(cases[0].span.to(cases[-1].span), tuple(cases))


def _let(c: TokenLayout, tree: Branch) -> ast.Stmt:
    word, name, type_, value = children(tree)
    return ast.Let(
        span(c, tree),
        c.chunk.ident(name),
        type_ref(c, type_) if type_ else None,
        expression(c, value),
        word == "var",
        trivia(c, tree),
    )


def _assign(c: TokenLayout, tree: Branch) -> ast.Stmt:
    target, operator, value = children(tree)
    found = expression(c, target)
    if not isinstance(found, ast.Name | ast.Attribute | ast.Index | ast.Call):
        fail("not-assignable", "only a local or state can be assigned", span(c, target))
    return ast.Assign(span(c, tree), found, str(operator), expression(c, value), trivia(c, tree))


def _expr_stmt(c: TokenLayout, tree: Branch) -> ast.Stmt:
    return ast.ExprStmt(span(c, tree), expression(c, children(tree)[0]), trivia(c, tree))


def _later(c: TokenLayout, tree: Branch) -> ast.Stmt:
    (call,) = children(tree)
    if call.data != "call":
        fail("bad-syntax", "`later` needs a call", span(c, call), "write `later name(…)`")
    return ast.Later(span(c, tree), expression(c, call), trivia(c, tree))


def _return(c: TokenLayout, tree: Branch) -> ast.Stmt:
    return ast.Return(span(c, tree), optional(c, children(tree)[0]), trivia(c, tree))


def _simple(c: TokenLayout, tree: Branch) -> ast.Stmt:
    return ast.Simple(span(c, tree), str(children(tree)[0]), trivia(c, tree))


def _if(c: TokenLayout, tree: Branch) -> ast.If:
    condition, body, *rest = children(tree)
    otherwise, else_trivia = None, ast.Trivia()
    if rest and rest[0] is not None:
        otherwise, else_trivia = _else(c, rest[0]), trivia(c, rest[0])
    where = span(c, tree)
    then = block(c, body)
    return ast.If(where, expression(c, condition), then, otherwise, else_trivia, trivia(c, tree))


def _else(c: TokenLayout, tree: Branch) -> ast.Block:
    (body,) = children(tree)
    if tree.data == "else_if":
        return ast.Block(span(c, body), (_if(c, body),), inline=True)
    return block(c, body)


def _for(c: TokenLayout, tree: Branch) -> ast.Stmt:
    bound, start, body = children(tree)
    where = span(c, tree)
    return ast.For(where, binder(c, bound), optional(c, start), block(c, body), trivia(c, tree))


def _while(c: TokenLayout, tree: Branch) -> ast.Stmt:
    condition, body = children(tree)
    return ast.While(span(c, tree), expression(c, condition), block(c, body), trivia(c, tree))


_STATEMENTS: dict[str, Callable[[TokenLayout, Branch], ast.Stmt]] = {
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


_POLICIES = ("all", "any", "max", "min", "sum", "union")
_NEEDS_BODY = ("unique", "max", "min")


def declaration(c: TokenLayout, tree: Branch, before: tuple[str, ...]) -> ast.Decl:
    """Return the declaration of a tree, with the comment and blank lines `before` it."""
    own = trivia(c, tree)
    return _DECLARATIONS[tree.data](c, tree, replace(own, before=before + own.before))


def _state(c: TokenLayout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
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


def _maybe_body(c: TokenLayout, tree: Branch) -> ast.Block | None:
    return None if tree.data == "no_body" else block(c, tree)


def _value(c: TokenLayout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    name, params, type_, policy, body = children(tree)
    found = str(policy) if policy is not None else "unique"
    if policy is not None and found not in _POLICIES:
        message = f"`{found}` is not a policy for contributions"
        ways = did_you_mean(found, _POLICIES) or (f"the policies are {', '.join(_POLICIES)}",)
        fail("bad-syntax", message, c.chunk.token_span(policy), *ways)
    if body.data == "no_body" and found in _NEEDS_BODY:
        message = f"value `{name}` has no body"
        help_line = (
            "only values with `sum`, `all`, `any` or `union` can do without: they "
            "consist of contributions"
        )
        fail("missing-body", message, c.chunk.token_span(name), help_line)
    types = typed_params(c, params), type_ref(c, type_)
    return ast.ValueDecl(
        span(c, tree), c.chunk.ident(name), *types, found, _maybe_body(c, body), trivia=comments
    )


def _contribution(c: TokenLayout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
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


def _action(c: TokenLayout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
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


def _hook(c: TokenLayout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
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


def _choice(c: TokenLayout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
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


def _inner_option(c: TokenLayout, tree: Branch) -> ast.OptionDecl:
    target = path(c, children(tree)[0])
    if len(target.parts) > 1:
        help_line = f"write `{target.parts[-1]}` alone"
        fail("bad-syntax", "an option inside its choice has a plain name", target.span, help_line)
    return _make_option(c, tree, None, trivia(c, tree))


def _option(c: TokenLayout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    return _make_option(c, tree, _choice_of(c, children(tree)[0].children), comments)


def _make_option(
    c: TokenLayout, tree: Branch, choice: ast.Path | None, comments: ast.Trivia
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


def _option_arg(c: TokenLayout, tree: Branch) -> ast.Binder:
    secret, bound = children(tree)
    return binder(c, bound, secret=secret is not None)


def _choice_of(c: TokenLayout, names: list[Token]) -> ast.Path:
    """Return the choice of `choice.option`."""
    whole = c.chunk.token_span(names[0]).to(c.chunk.token_span(names[-1]))
    if len(names) < 2:
        help_line = f"write `CHOICE.{names[0]}`"
        fail("bad-syntax", "the choice that this option belongs to is missing", whole, help_line)
    where = c.chunk.token_span(names[0]).to(c.chunk.token_span(names[-2]))
    return ast.Path(where, tuple(map(c.chunk.ident, names[:-1])))


def _forbid(c: TokenLayout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    names, params, guard = children(tree)
    choice, option = _choice_of(c, names.children), c.chunk.ident(names.children[-1])
    arguments = bare_params(c, params)
    where = span(c, tree)
    return ast.ForbidDecl(where, choice, option, arguments, optional(c, guard), comments)


def _forbid_all(c: TokenLayout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    *names, guard = children(tree)
    choice = _choice_of(c, names)
    star = c.chunk.ident(names[-1])
    return ast.ForbidDecl(span(c, tree), choice, star, (), optional(c, guard), comments)


def _always(c: TokenLayout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    bound, body = children(tree)
    return ast.AlwaysDecl(span(c, tree), binder(c, bound), block(c, body), comments)


def _order(c: TokenLayout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    first, _, second = children(tree)
    return ast.OrderDecl(span(c, tree), path(c, first), path(c, second), trivia=comments)


def _independent(c: TokenLayout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    first, second = (path(c, name) for name in children(tree))
    return ast.OrderDecl(span(c, tree), first, second, independent=True, trivia=comments)


def _with(c: TokenLayout, tree: Branch, comments: ast.Trivia) -> ast.Decl:
    names = tuple(path(c, name) for name in children(tree))
    for each in names:
        if len(each.parts) > 1:
            help_line = f"write `{each.parts[0]}` alone"
            fail(
                "bad-syntax", "`with` names rulesets, which have plain names", each.span, help_line
            )
    if c.chunk.closes:
        help_line = "indent the rules that hold together with these rulesets"
        fail("missing-body", "a block must follow", span(c, tree), help_line)
    return ast.WithDecl(span(c, tree), names, trivia=comments)


_DECLARATIONS: dict[str, Callable[[TokenLayout, Branch, ast.Trivia], ast.Decl]] = {
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
