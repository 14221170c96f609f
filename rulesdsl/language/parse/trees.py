"""Nodes of the syntax tree from the parse trees of the grammar.

`_NODES` has a row for each rule of the grammar that makes a node: the class, and the fields in the
order of the rule's parts; a starred one takes all parts left. `_MADE` has the functions for rules
that need more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from functools import cache
from typing import Any, NoReturn

from lark import Token, Tree

from rulesdsl.language.diagnostics import Diagnostic, Span
from rulesdsl.language.diagnostics.report import did_you_mean
from rulesdsl.language.model import ast
from rulesdsl.language.parse.layout import Mistake, TokenLayout

Branch = Tree[Token]

_NODES: dict[str, tuple[type[ast.Node], str]] = {
    "path": (ast.Path, "*parts"),
    "type": (ast.TypeRef, "is_set name low high optional"),
    "once": (ast.OnceIn, "action"),
    "param": (ast.Param, "name type"),
    # expressions
    "name": (ast.Name, "name"),
    "none": (ast.NoneLiteral, ""),
    "previous": (ast.Previous, ""),
    "proceed": (ast.Proceed, ""),
    "attribute": (ast.Attribute, "object name"),
    "index": (ast.Index, "object index"),
    "unary": (ast.Unary, "operator operand"),
    "binary": (ast.Binary, "left operator right"),
    "compare": (ast.Compare, "left operator right"),
    "if_else": (ast.IfElse, "then condition otherwise"),
    "range": (ast.Range, "low high"),
    "binder": (ast.Binder, "names domain where"),
    # statements
    "let": (ast.Let, "mutable name type value"),
    "assign": (ast.Assign, "target operator value"),
    "expr_stmt": (ast.ExprStmt, "value"),
    "later": (ast.Later, "call"),
    "return": (ast.Return, "value"),
    "simple": (ast.Simple, "word"),
    "if": (ast.If, "condition then otherwise"),
    "for": (ast.For, "binder start body"),
    "joined": (ast.For, "binder start body"),
    "while": (ast.While, "condition body"),
    # declarations
    "state_decl": (ast.StateDecl, "owner name *index type initial"),
    "value_decl": (ast.ValueDecl, "name params type policy body"),
    "contribution": (ast.Contribution, "verb target params guard body"),
    "action_decl": (ast.ActionDecl, "step name params type depth once guard body"),
    "hook_decl": (ast.HookDecl, "when target params guard body"),
    "choice_decl": (ast.ChoiceDecl, "name params by type repeat *options otherwise"),
    "always_decl": (ast.AlwaysDecl, "binder body"),
    "invariant_decl": (ast.InvariantDecl, "name holds"),
    "order_decl": (ast.OrderDecl, "first second"),
    "independent": (ast.OrderDecl, "first second"),
    "with_decl": (ast.WithDecl, "*names"),
}

_MEMBERS = {"any", "count", "first", "most", "the"}
_VALUES = {"all", "max", "min", "sum"}
_UNRESERVED = {"alike", "top"}
"""Aggregates that authors may also name a value after: only a range makes them aggregates."""
_LARGEST = 2**31
_POLICIES = ("all", "any", "max", "min", "sum", "union")
_NEEDS_BODY = ("unique", "max", "min")


def declaration(c: TokenLayout, tree: Branch, before: tuple[str, ...]) -> ast.Decl:
    """Return the declaration of a tree, with the comment and blank lines `before` it.

    Raises `Mistake` for one that only looks like a declaration.
    """
    found = build(c, tree)
    trivia = replace(found.trivia, before=before + found.trivia.before)
    return replace(found, trivia=trivia)  # type: ignore[no-any-return]


def build(c: TokenLayout, tree: Branch | None) -> Any:
    """Return what a tree stands for: a node, a tuple of them, or None for an omitted part.

    Raises `Mistake` for what only looks like one.
    """
    if tree is None:
        return None
    make = _MADE.get(tree.data)
    return make(c, tree) if make else _node(c, tree)


def _node(c: TokenLayout, tree: Branch, **given: object) -> Any:
    """Return the node that the row of a tree's rule describes; `given` are other fields of it."""
    made, row, commented = _row(tree.data)
    for (name, kind), part in zip(row, _parts(row, tree.children), strict=False):
        if name not in given:
            given[name] = _field(c, kind, part)
    if commented:
        given["trivia"] = _trivia(c, tree)
    return made(span(c, tree), **given)


@cache
def _row(rule: str) -> tuple[type[ast.Node], list[tuple[str, str]], bool]:
    """Return the class of a rule's nodes, the fields in its row, and whether it has comments.

    A field comes with its type as the class has it, or with `*` if it takes all parts left.
    """
    made, names = _NODES[rule]
    kinds = {field.name: str(field.type) for field in fields(made)}
    row = [(name.lstrip("*"), kinds.get(name, "*")) for name in names.split()]
    return made, row, "trivia" in kinds


def _parts(row: list[tuple[str, str]], parts: list[Any]) -> list[Any]:
    """Return the parts of a rule, with those of the starred field as one list."""
    for at, (_, kind) in enumerate(row):
        if kind == "*":
            end = len(parts) - (len(row) - at - 1)
            return [*parts[:at], parts[at:end], *parts[end:]]
    return parts


def _field(c: TokenLayout, kind: str, part: Any) -> Any:
    """Return the value of a field of this kind from its part of the rule."""
    if kind == "bool":
        return part is not None
    if kind == "str":
        return " ".join(map(str, part.children)) if isinstance(part, Tree) else str(part)
    if kind == "*":
        return tuple(_field(c, "", each) for each in part)
    if part is None:
        return () if kind.startswith("tuple") else None
    return _ident(c, part) if isinstance(part, Token) else build(c, part)


def span(c: TokenLayout, tree: Branch) -> Span:
    """Return the span of a tree."""
    return c.chunk.span(tree.meta.start_pos, tree.meta.end_pos)


def fail(slug: str, message: str, where: Span, *help_lines: str) -> NoReturn:
    """Reject the declaration with one finding."""
    raise Mistake(Diagnostic(slug, message, where, help=help_lines))


def _trivia(c: TokenLayout, tree: Branch) -> ast.Trivia:
    return c.trivia(tree.meta.start_pos)


def _each(c: TokenLayout, tree: Branch) -> tuple[Any, ...]:
    return tuple(_field(c, "", part) for part in tree.children)


def _only(c: TokenLayout, tree: Branch) -> Any:
    return build(c, _children(tree)[0])


def _children(tree: Branch) -> list[Any]:
    return tree.children


# --- names, types and parameters ---------------------------------------------------------------


def _ident(c: TokenLayout, token: Token) -> ast.Ident:
    """Return a name, without its quotes."""
    if token.type != "QUOTED":
        return c.chunk.ident(token)
    text = token[1:-1]
    if not text or not all(part.isalnum() or part in "-_/" for part in text) or not text.isascii():
        where = c.chunk.token_span(token)
        help_line = "an id is made of letters, digits, `-` and `_`"
        fail("bad-character", "quotes enclose the id of a component", where, help_line)
    return ast.Ident(text, c.chunk.token_span(token))


def _type(c: TokenLayout, tree: Branch) -> Any:
    _, name, low, high, _ = _children(tree)
    if low is not None and name.children != ["int"]:
        fail("bad-syntax", "only `int` has bounds", span(c, low).to(span(c, high)))
    return _node(c, tree)


def _params(c: TokenLayout, tree: Branch) -> tuple[ast.Param, ...]:
    """Return parameters: typed in declarations, bare in rules that refer to a declaration."""
    found = _each(c, tree)
    for param in found:
        if tree.data == "params" and param.type is None:
            help_line = f"write `{param.name}: TYPE`"
            fail("bad-syntax", f"`{param.name}` needs a type", param.span, help_line)
        if tree.data != "params" and param.type is not None:
            help_line = f"write `{param.name}` alone"
            fail("bad-syntax", "do not repeat types here", param.type.span, help_line)
    return found


# --- expressions -------------------------------------------------------------------------------


def _named(c: TokenLayout, tree: Branch) -> Any:
    return _node(c, tree, quoted=_children(tree)[-1].type == "QUOTED")


def _int(c: TokenLayout, tree: Branch) -> ast.Int:
    digits = _children(tree)[0]
    if len(digits) > 10 or int(digits) > _LARGEST:
        fail("bad-value", "integers have 32 bits", span(c, tree))
    return ast.Int(span(c, tree), int(digits))


def _compare(c: TokenLayout, tree: Branch) -> Any:
    left, comparator, right = _children(tree)
    if comparator.children == ["in"] and left.data == "previous" and (ruleset := _bare(right)):
        return ast.Previous(span(c, tree), c.chunk.ident(ruleset))
    return _node(c, tree)


# --- binders and ranges: `x in S` is parsed as a comparison ------------------------------------


def _call(c: TokenLayout, tree: Branch) -> ast.Expr:
    function, content = _children(tree)
    if content is None:
        return ast.Call(span(c, tree), build(c, function), ())
    name = str(_bare(function) or "")
    if name == "reach":
        return _reach(c, tree, content)
    if name in _UNRESERVED and not (_is_list(content) and _odd(content) is None):
        return (_top if name == "top" else _alike)(c, tree, content)
    several = _is_list(content) and len(content.children[0].children) > 1
    ordinary = several and not _ranges(content.children[0].children[0])
    if name == "first" and ordinary:
        return _so_many_first(c, tree, content)
    if name in _MEMBERS | _VALUES and not ordinary:
        return _aggregate(c, tree, name, content)
    ranging = "only `any`, `all`, `count` and the like range over a set"
    known = (*sorted(_MEMBERS | _VALUES | _UNRESERVED), "reach")
    near = () if ordinary else did_you_mean(name, known)
    items = _arguments(c, content, ranging, *near)
    return ast.Call(span(c, tree), build(c, function), items)


def _bare(tree: Branch) -> Token | None:
    """Return the name a tree consists of, or None for any other tree."""
    token = _children(tree)[0] if tree.data == "name" else None
    return token if isinstance(token, Token) and token.type == "NAME" else None


def _is_list(content: Any) -> bool:
    """Return whether a content is a list, without keys or `else`; its items may be ranges."""
    items, keys, default = content.children
    return items.data == "items" and keys is None and default is None


def _odd(content: Any) -> Branch | None:
    """Return the first part of a content that cannot be in a list of expressions."""
    items, keys, default = content.children
    if other := keys or default or (items if items.data != "items" else None):
        return other  # type: ignore[no-any-return]
    return next((item for item in items.children if item.data in ("restricted", "started")), None)


def _ranges(item: Branch) -> bool:
    """Return whether an item can only be a range: `x in S`, or anything with a condition."""
    return item.data == "restricted" or _range_parts(item) is not None


def _range_parts(item: Branch) -> tuple[list[Token], Branch, Branch | None] | None:
    """Return the names, domain and condition of `x in S where C`; None for any other form."""
    compare, where = _children(item) if item.data == "restricted" else (item, None)
    if compare.data != "compare":
        return None
    left, comparator, domain = _children(compare)
    names = _range_names(left) if comparator.children == ["in"] else None
    return (names, domain, where) if names else None


def _range_names(tree: Branch) -> list[Token] | None:
    """Return the names before `in`: one, or two in braces; None for any other form."""
    if name := _bare(tree):
        return [name]
    content = _children(tree)[0] if tree.data == "set" else None
    if content is None or content.children[0].data != "items":
        return None
    items = content.children[0].children
    pair = [name for item in items if (name := _bare(item))]
    return pair if len(pair) == len(items) == 2 else None


def _arguments(c: TokenLayout, content: Branch, otherwise: str, *help: str) -> tuple[ast.Expr, ...]:
    """Return the expressions of a content that must be a plain list."""
    if odd := _odd(content):
        fail("bad-syntax", otherwise, span(c, odd), *help)
    return _each(c, _children(content)[0])


def _item_binder(c: TokenLayout, item: Branch) -> ast.Binder:
    parts = _range_parts(item)
    if parts is None:
        fail("bad-syntax", "a range has the form `x in S`", span(c, item))
    names, domain, where = parts
    bound = tuple(map(c.chunk.ident, names))
    return ast.Binder(span(c, item), bound, build(c, domain), build(c, where))


def _ranging(c: TokenLayout, content: Branch) -> tuple[ast.Expr | None, tuple[ast.Binder, ...]]:
    parts = _children(content)[0]
    first, *others = _children(parts)
    if parts.data == "comprehension":
        return build(c, first), tuple(build(c, other) for other in others)
    if not others and not _ranges(first) and first.data != "started":
        return build(c, first), ()
    return None, tuple(_item_binder(c, item) for item in parts.children)


def _keys(
    c: TokenLayout, tree: Branch | None, binders: tuple[ast.Binder, ...]
) -> tuple[tuple[ast.Expr, ...], tuple[ast.Binder, ...]]:
    """Return the keys after `by`, and the binders.

    A condition after the keys is added to the last binder.
    """
    if tree is None:
        return (), binders
    *keys, where = _children(tree)
    found = tuple(build(c, key) for key in keys)
    if where is None:
        return found, binders
    condition = build(c, where)
    if not binders or binders[-1].where is not None:
        fail("bad-syntax", "this condition belongs to no range", span(c, where))
    return found, (*binders[:-1], replace(binders[-1], where=condition))


def _aggregate(c: TokenLayout, tree: Branch, function: str, content: Branch) -> ast.Aggregate:
    _, keys_tree, default = _children(content)
    value, binders = _ranging(c, content)
    keys, binders = _keys(c, keys_tree, binders)
    if problem := _misuse(function, value, binders, keys, default is not None):
        fail("bad-syntax", problem[0], span(c, tree), *problem[1:])
    return ast.Aggregate(span(c, tree), function, value, binders, keys, build(c, default))


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
        return (f"`{function}` takes no `by`", "only `most` and `top` compare by keys")
    if has_default and function not in ("max", "min"):
        return (
            f"`{function}` takes no `else`",
            "only `max` and `min` take a value for the empty set",
        )
    if binders and function in _VALUES and value is None:
        return (f"`{function}` needs a value for each", f"write `{function}(E for x in S)`")
    if binders and function in _MEMBERS - {"any", "most"} and value is not None:
        return (f"`{function}` takes no `for`", f"write `{function}(x in S where C)`")
    return ()


def _top(c: TokenLayout, tree: Branch, content: Branch) -> ast.Aggregate:
    items, keys_tree, default = _children(content)
    amount, *ranges = items.children
    formed = items.data == "items" and amount.data not in ("restricted", "started")
    if not (formed and len(ranges) == 1 and _ranges(ranges[0])) or keys_tree is None or default:
        form = "write `top(3, x in S by E)`"
        fail("bad-syntax", "`top` needs a number, a range and what to compare", span(c, tree), form)
    keys, binders = _keys(c, keys_tree, (_item_binder(c, ranges[0]),))
    return ast.Aggregate(span(c, tree), "top", None, binders, keys, amount=build(c, amount))


def _so_many_first(c: TokenLayout, tree: Branch, content: Branch) -> ast.Aggregate:
    amount, *ranges = _children(_children(content)[0])
    if len(ranges) != 1 or not _ranges(ranges[0]):
        form = "write `first(x in S)` for one element, `first(3, x in S)` for a set of them"
        fail("bad-syntax", "`first` needs a range, after a number or alone", span(c, tree), form)
    binder = _item_binder(c, ranges[0])
    return ast.Aggregate(span(c, tree), "first", None, (binder,), amount=build(c, amount))


def _alike(c: TokenLayout, tree: Branch, content: Branch) -> ast.Aggregate:
    parts, keys, default = _children(content)
    if parts.data != "comprehension" or keys or default:
        form = "write `alike(E for x in S)`"
        fail("bad-syntax", "`alike` needs a value for each", span(c, tree), form)
    return ast.Aggregate(span(c, tree), "alike", *_ranging(c, content))


def _reach(c: TokenLayout, tree: Branch, content: Branch) -> ast.Reach:
    items, keys, default = _children(content)
    started = items.children[0]
    keyed = keys is not None and len(keys.children) == 2 and keys.children[1] is None
    name = _bare(started.children[0]) if started.data == "started" else None
    if name is None or not keyed or default or len(items.children) > 1:
        form = "write `reach(x from S by E)`"
        fail("bad-syntax", "`reach` needs a name, a start and a step", span(c, tree), form)
    start, step = started.children[1], keys.children[0]
    return ast.Reach(span(c, tree), c.chunk.ident(name), build(c, start), build(c, step))


def _set(c: TokenLayout, tree: Branch) -> ast.Expr:
    content = _children(tree)[0]
    if content is None:
        return ast.SetLiteral(span(c, tree), ())
    parts, keys, default = content.children
    alone = parts.data == "items" and len(parts.children) == 1 and _ranges(parts.children[0])
    if keys or default or not (alone or parts.data == "comprehension"):
        form = "write a set as `{a, b}`, `{x in S where C}` or `{E for x in S where C}`"
        return ast.SetLiteral(span(c, tree), _arguments(c, content, form))
    return ast.Comprehension(span(c, tree), *_ranging(c, content))


# --- statements --------------------------------------------------------------------------------


def _block(c: TokenLayout, tree: Branch) -> ast.Block:
    statements = _children(tree)
    inline = tree.data != "block"
    trailing = () if inline else c.trailing(statements[0].meta.start_pos)
    return ast.Block(span(c, tree), tuple(_statements(c, statements)), inline, trailing)


def _statements(c: TokenLayout, trees: list[Branch]) -> Iterable[ast.Stmt]:
    """Yield the statements of a block, with the lines of each ladder collected."""
    ladder: list[ast.Case] = []
    for tree in trees:
        if tree.data in ("when", "otherwise"):
            if tree.data == "otherwise" and not ladder:
                fail("bad-syntax", "`otherwise` needs a `when` above it", span(c, tree))
            condition, body = (build(c, part) for part in [None, *_children(tree)][-2:])
            ladder.append(ast.Case(span(c, tree), condition, body, _trivia(c, tree)))
        if ladder and tree.data != "when":
            yield _when(ladder)
            ladder = []
        if tree.data not in ("when", "otherwise"):
            yield build(c, tree)
    if ladder:
        yield _when(ladder)


def _when(cases: list[ast.Case]) -> ast.When:
    return ast.When(cases[0].span.to(cases[-1].span), tuple(cases))


def _joined(c: TokenLayout, tree: Branch) -> ast.Block:
    """Return the rest of a loop with several ranges, which is the body of the loop before."""
    inner = _node(c, tree)
    return ast.Block(inner.span, (inner,), joined=True)


def _assign(c: TokenLayout, tree: Branch) -> Any:
    target = build(c, _children(tree)[0])
    if not isinstance(target, ast.Name | ast.Attribute | ast.Index | ast.Call):
        fail("not-assignable", "only a local or state can be assigned", target.span)
    return _node(c, tree, target=target)


def _later(c: TokenLayout, tree: Branch) -> Any:
    (call,) = _children(tree)
    if call.data != "call":
        fail("bad-syntax", "`later` needs a call", span(c, call), "write `later name(…)`")
    return _node(c, tree)


def _if(c: TokenLayout, tree: Branch) -> Any:
    _, _, *rest = _children(tree)
    if not rest or rest[0] is None:
        return _node(c, tree)
    return _node(c, tree, else_trivia=_trivia(c, rest[0]))


def _else_if(c: TokenLayout, tree: Branch) -> ast.Block:
    found = _only(c, tree)
    return ast.Block(found.span, (found,), inline=True)


# --- declarations ------------------------------------------------------------------------------


def _value(c: TokenLayout, tree: Branch) -> Any:
    name, _, _, policy, body = _children(tree)
    found = str(policy or "unique")
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
    return _node(c, tree, policy=found)


def _choice(c: TokenLayout, tree: Branch) -> Any:
    _, _, _, _, _, *options, otherwise = _children(tree)
    c.pass_on([*options, otherwise][0].meta.start_pos)
    after = _trivia(c, otherwise) if otherwise else ast.Trivia()
    return _node(c, tree, otherwise_trivia=after)


def _option(c: TokenLayout, tree: Branch) -> ast.OptionDecl:
    """Return an option, inside its choice or as a declaration of its own."""
    target, arguments, once, guard, body = _children(tree)
    *_, last = names = target.children
    choice = None
    if tree.data == "option_decl":
        choice = _choice_of(c, names)
    elif len(names) > 1:
        message, help_line = "an option inside its choice has a plain name", f"write `{last}` alone"
        fail("bad-syntax", message, span(c, target), help_line)
    binders, condition = build(c, arguments) or (), build(c, guard)
    trivia = _trivia(c, tree)
    return ast.OptionDecl(
        span(c, tree),
        choice,
        c.chunk.ident(last),
        binders,
        build(c, once),
        condition,
        build(c, body),
        trivia,
    )


def _option_arg(c: TokenLayout, tree: Branch) -> Any:
    secret, bound = _children(tree)
    return _node(c, bound, secret=secret is not None)


def _choice_of(c: TokenLayout, names: list[Token]) -> ast.Path:
    whole = c.chunk.token_span(names[0]).to(c.chunk.token_span(names[-1]))
    if len(names) < 2:
        help_line = f"write `CHOICE.{names[0]}`"
        fail("bad-syntax", "the choice that this option belongs to is missing", whole, help_line)
    where = c.chunk.token_span(names[0]).to(c.chunk.token_span(names[-2]))
    return ast.Path(where, tuple(map(c.chunk.ident, names[:-1])))


def _forbid(c: TokenLayout, tree: Branch) -> ast.ForbidDecl:
    target, *params, guard = _children(tree)
    names = target.children
    choice, option = _choice_of(c, names), c.chunk.ident(names[-1])
    bare = build(c, params[0]) if params else None
    trivia = _trivia(c, tree)
    return ast.ForbidDecl(span(c, tree), choice, option, bare or (), build(c, guard), trivia)


def _with(c: TokenLayout, tree: Branch) -> Any:
    found = _node(c, tree)
    for each in found.names:
        if len(each.parts) > 1:
            message = "`with` names rulesets, which have plain names"
            fail("bad-syntax", message, each.span, f"write `{each.parts[0]}` alone")
    if c.chunk.closes:
        help_line = "indent the rules that hold together with these rulesets"
        fail("missing-body", "a block must follow", span(c, tree), help_line)
    return found


_MADE: dict[str, Callable[[TokenLayout, Branch], Any]] = {
    "expression": _only,
    "type": _type,
    "params": _params,
    "bare_params": _params,
    "name": _named,
    "attribute": _named,
    "int": _int,
    "bool": lambda c, tree: ast.Bool(span(c, tree), tree.children == ["true"]),
    "compare": _compare,
    "call": _call,
    "set": _set,
    "where": _only,
    "binder_names": _each,
    "block": _block,
    "inline_block": _block,
    "inline_body": _block,
    "joined": _joined,
    "no_body": lambda c, tree: None,
    "let": lambda c, tree: _node(c, tree, mutable=tree.children[0] == "var"),
    "assign": _assign,
    "later": _later,
    "if": _if,
    "else": _only,
    "else_if": _else_if,
    "otherwise": _only,
    "value_decl": _value,
    "choice_decl": _choice,
    "inner_option": _option,
    "option_decl": _option,
    "option_args": _each,
    "option_arg": _option_arg,
    "forbid_decl": _forbid,
    "independent": lambda c, tree: _node(c, tree, independent=True),
    "with_decl": _with,
}
