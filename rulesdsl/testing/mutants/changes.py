"""The small changes that make mutants of a ruleset, each with the situation that reveals it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from string import whitespace

from rulesdsl.diagnostics import Source
from rulesdsl.model import ast
from rulesdsl.model.checked import walk
from rulesdsl.model.nodes import Mapping, Node, Scalar
from rulesdsl.model.nodes import Sequence as SequenceNode

Keys = tuple[str, ...]
"""The keys that lead to a node of a manifest; `*` for an item of a list."""


@dataclass(frozen=True)
class Change:
    """A replacement of the characters `start` to `end` of a text by `new`.

    `what` describes it, and `missing` names the situation that would reveal it. `condition` is the
    place of the condition that is left out, if there is one: the change makes a difference only
    where it is `wanted`. `node` is the node that was changed, and takes no part in comparisons.
    """

    kind: str
    start: int
    end: int
    new: str
    what: str
    missing: str
    condition: tuple[int, int] | None = None
    wanted: bool = False
    node: object = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Change) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> tuple[int, int, str]:
        """The key that is equal for changes with the same result."""
        return self.start, self.end, self.new

    def of(self, text: str) -> str:
        """Return the text after the change."""
        return text[: self.start] + self.new + text[self.end :]


# --- rules ---------------------------------------------------------------------------------------

_LEAVES = (ast.Return, ast.Simple)
_RULES = (ast.Contribution, ast.HookDecl, ast.ForbidDecl, ast.AlwaysDecl)
_MOVED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_TURNED = {"==": "!=", "!=": "==", "in": "not in", "not in": "in", "is": "is not", "is not": "is"}
_COUNTED = {"+": "-", "-": "+", "*": "+", "div": "*", "mod": "div"}
_GATHERED = {"max": "min", "min": "max"}


def of_rules(module: ast.Module) -> Iterator[Change]:
    """Yield the changes of rules, each once, in the order of the text."""
    found = dict.fromkeys(_of_rules(module))
    return iter(sorted(found, key=lambda each: each.key))


def _of_rules(module: ast.Module) -> Iterator[Change]:
    yield from guards(module)
    yield from proceeds(module)
    text = module.source.text
    for each in module.declarations:
        # The limits of types and of recursion only say what is impossible.
        limits = [ref for ref in walk(each) if isinstance(ref, ast.TypeRef)]
        aside = {id(inner) for inner in walk((*limits, getattr(each, "depth", None)))}
        if isinstance(each, _RULES):
            end = _end(each)
            what, missing = "this rule is left out", "no scenario depends on this rule"
            yield Change("rule", each.span.start, end, "", what, missing, node=each)
        for node in walk(each):
            if id(node) not in aside:
                yield from _of_node(text, node)


def guards(module: ast.Module) -> Iterator[Change]:
    """Yield the changes that leave out a condition.

    That is a guard of a rule or option, a condition of a set, an `if`, or an operand of `and`.
    """
    for node in walk(module.declarations):
        yield from _dropped(module.source.text, node)


def proceeds(module: ast.Module) -> Iterator[Change]:
    """Yield the changes that leave out the `proceed` of an `around`."""
    for hook in module.declarations:
        for node in walk(hook) if isinstance(hook, ast.HookDecl) else ():
            if isinstance(node, ast.ExprStmt) and isinstance(node.value, ast.Proceed):
                start, end = node.span.start, node.span.end
                missing = "no scenario depends on what this stands around"
                yield Change(
                    "proceed", start, end, "nothing", "`proceed` is left out", missing, node=hook
                )


def _dropped(text: str, node: object) -> Iterator[Change]:
    match node:
        case (
            ast.Contribution(guard=guard)
            | ast.ActionDecl(guard=guard)
            | ast.HookDecl(guard=guard)
            | ast.OptionDecl(guard=guard)
            | ast.ForbidDecl(guard=guard)
        ) if guard is not None:
            start = _trimmed(text, text.rindex("when", 0, guard.span.start))
            kind = "guard of option" if isinstance(node, ast.OptionDecl) else "guard of rule"
            yield _left_out(text, kind, start, guard.span.end, guard, node)
        case ast.Binder(where=where) if where is not None:
            start = _trimmed(text, text.rindex("where", 0, where.span.start))
            yield _left_out(text, "where", start, where.span.end, where, node)
        case ast.If(condition=condition, then=then, otherwise=None):
            start = text.rindex("if", 0, condition.span.start)
            body = then.statements[0]
            if isinstance(body, _LEAVES):
                # Without the condition it would always leave, so the whole statement is left out.
                yield _left_out(
                    text, "if that leaves", start, body.span.end, condition, node, "nothing", True
                )
            elif then.inline:
                yield _left_out(text, "if", start, body.span.start, condition, node)
        case ast.Binary(operator="and", left=left, right=right):
            for start, end, part in (
                (left.span.end, right.span.end, right),
                (left.span.start, right.span.start, left),
            ):
                if text.count("(", start, end) == text.count(")", start, end):
                    yield _left_out(text, "part of and", start, end, part, node)


def _left_out(
    text: str,
    kind: str,
    start: int,
    end: int,
    condition: ast.Expr,
    node: object,
    new: str = "",
    wanted: bool = False,
) -> Change:
    """Return a change that leaves out a condition, with what is done only under it."""
    said = _said(text, condition)
    where = "where that matters"
    if kind == "part of and":
        where = "while the rest is true"
    missing = f"no scenario has {said} {'true' if wanted else 'false'} {where}"
    what = f"`{_words(text[start:end])}` is left out"
    place = (condition.span.start, condition.span.end)
    return Change(kind, start, end, new, what, missing, place, wanted, node)


def _of_node(text: str, node: object) -> Iterator[Change]:
    match node:
        case ast.Compare():
            yield from _compared(text, node)
        case ast.Binary(operator="or", left=left, right=right):
            for start, end, part in (
                (left.span.end, right.span.end, right),
                (left.span.start, right.span.start, left),
            ):
                if text.count("(", start, end) == text.count(")", start, end):
                    what = f"`{_words(text[start:end])}` is left out"
                    missing = f"no scenario has {_said(text, part)} true while the rest is false"
                    yield Change("part of or", start, end, "", what, missing)
        case ast.Binary(operator=operator) if operator in _COUNTED:
            new = _COUNTED[operator]
            missing = f"no scenario depends on the value of {_said(text, node)}"
            yield from _operator(text, "arithmetic", node, new, missing)
        case ast.Int(value=value):
            for other in (value + 1, value - 1):
                if other >= 0:
                    missing = f"no scenario tells `{value}` from `{other}` here"
                    yield _replaced(text, "number", node, str(other), missing)
        case ast.Bool(value=value):
            missing = "no scenario depends on this value"
            yield _replaced(text, "truth", node, "false" if value else "true", missing)
        case ast.Unary(operator="not", operand=operand):
            what, missing = "`not` is left out", f"no scenario depends on {_said(text, operand)}"
            yield Change("not", node.span.start, operand.span.start, "", what, missing)
        case ast.IfElse(then=then, condition=condition, otherwise=otherwise):
            for part, wanted in ((then, False), (otherwise, True)):
                missing = (
                    f"no scenario has {_said(text, condition)} {str(wanted).lower()} "
                    "where that matters"
                )
                new = text[part.span.start : part.span.end]
                place = (condition.span.start, condition.span.end)
                yield _replaced(text, "either", node, new, missing, place, wanted)
        case ast.Aggregate(function=function) if _GATHERED.get(function):
            new, start = _GATHERED[function], node.span.start
            missing = f"no scenario has several different values for `{function}` here"
            what = f"`{function}` becomes `{new}`"
            yield Change("aggregate", start, start + len(function), new, what, missing)
        case ast.When(cases=cases):
            yield from _ladder(text, cases)
        case ast.Block(statements=statements):
            yield from _statements(text, statements)


def _compared(text: str, node: ast.Compare) -> Iterator[Change]:
    left, right = _said(text, node.left), _said(text, node.right)
    if node.operator in _MOVED:
        new = _MOVED[node.operator]
        missing = f"no scenario has {left} equal to {right} where that matters"
        yield from _operator(text, "comparison", node, new, missing)
    elif node.operator in _TURNED:
        missing = f"no scenario depends on {_said(text, node)}"
        yield from _operator(text, "comparison turned", node, _TURNED[node.operator], missing)


def _operator(
    text: str, kind: str, node: ast.Compare | ast.Binary, new: str, missing: str
) -> Iterator[Change]:
    """Yield the change of an operator, unless other text is between its operands, too."""
    start, end = node.left.span.end, node.right.span.start
    between = text[start:end].lstrip(whitespace + ")")
    if between.rstrip(whitespace + "(") == node.operator:
        at = end - len(between)
        what = f"`{node.operator}` becomes `{new}`"
        yield Change(kind, at, at + len(node.operator), new, what, missing)


def _replaced(
    text: str,
    kind: str,
    node: ast.Node,
    new: str,
    missing: str,
    condition: tuple[int, int] | None = None,
    wanted: bool = False,
) -> Change:
    start, end = node.span.start, node.span.end
    what = f"`{_words(text[start:end])}` becomes `{_words(new)}`"
    return Change(kind, start, end, new, what, missing, condition, wanted)


def _ladder(text: str, cases: Sequence[ast.Case]) -> Iterator[Change]:
    """Yield the changes that leave out a line of a ladder, if one with a condition remains."""
    if len([each for each in cases if each.condition is not None]) < 2:
        return
    for case in cases:
        start = text.rfind("\n", 0, case.span.start) + 1
        if case.condition is not None and not text[start : case.span.start].strip():
            end = text.find("\n", _block_end(case.body)) + 1 or len(text)
            condition = case.condition.span
            missing = f"no scenario has {_said(text, case.condition)} true where that matters"
            what, place = "this line is left out", (condition.start, condition.end)
            yield Change("line of ladder", start, end, "", what, missing, place, True)


def _statements(text: str, statements: Sequence[ast.Stmt]) -> Iterator[Change]:
    """Yield the changes that leave out a statement, unless it is the whole body."""
    for each in statements:
        if isinstance(each, ast.Let | ast.Return | ast.When | ast.Simple):
            continue
        if isinstance(each, ast.ExprStmt) and not isinstance(each.value, ast.Call):
            continue
        start, end = each.span.start, _statement_end(each)
        missing = "no scenario depends on what this does"
        yield Change("statement", start, end, "nothing", "this is left out", missing)


def _end(node: ast.Decl) -> int:
    body = getattr(node, "body", None)
    return node.span.end if body is None else max(node.span.end, _block_end(body))


def _block_end(block: ast.Block) -> int:
    return max((_statement_end(each) for each in block.statements), default=block.span.end)


def _statement_end(node: ast.Stmt) -> int:
    blocks = [each for each in vars(node).values() if isinstance(each, ast.Block)]
    return max([node.span.end, *map(_block_end, blocks)])


def _trimmed(text: str, at: int) -> int:
    """Return the start of the blanks before a place."""
    while text[at - 1] == " ":
        at -= 1
    return at


_LONG = 60


def _words(text: str) -> str:
    """Return a text on one line, shortened."""
    line = " ".join(text.split())
    return line if len(line) <= _LONG else f"{line[: _LONG - 1]}…"


def _said(text: str, node: ast.Node) -> str:
    return f"`{_words(text[node.span.start : node.span.end])}`"


# --- manifests -----------------------------------------------------------------------------------


def scalars(node: Node, keys: Keys = ()) -> Iterator[tuple[Keys, Scalar, bool]]:
    """Yield every scalar of a manifest with the keys that lead to it, and whether it is a key."""
    match node:
        case Scalar():
            yield keys, node, False
        case SequenceNode():
            for item in node:
                yield from scalars(item, (*keys, "*"))
        case Mapping():
            for key, value in node:
                yield (*keys, str(key.value)), key, True
                yield from scalars(value, (*keys, str(key.value)))


def counts(found: Iterable[tuple[Keys, Scalar, bool]]) -> Iterator[tuple[Keys, Scalar]]:
    """Yield the counts of components and of copies, and declared totals."""
    for keys, scalar, key in found:
        counted = keys[-1] in ("count", "copies") or keys[0] == "totals"
        if counted and not key and keys[0] != "labels":
            yield keys, scalar


def conditions(
    source: Source, found: Iterable[tuple[Keys, Scalar, bool]]
) -> Iterator[tuple[Scalar, int]]:
    """Yield each `when` of a component, and the start of the comma before it."""
    for keys, scalar, key in found:
        if not key and keys[-1] == "when" and keys[0] != "refuse":
            start = source.text.rfind("when", 0, scalar.span.start)
            yield scalar, source.text.rfind(",", 0, start)


def of_manifest(manifest: Node) -> Iterator[Change]:
    """Yield the changes of a manifest, in the order of its text."""
    source = manifest.span.source
    found = list(scalars(manifest))
    changes = [*_numbers(source.text, found), *_whens(source, found)]
    return iter(sorted(dict.fromkeys(changes), key=lambda each: each.key))


def _numbers(text: str, found: Sequence[tuple[Keys, Scalar, bool]]) -> Iterator[Change]:
    for _, scalar in counts(found):
        start, end = scalar.span.start, scalar.span.end
        if text[start:end].isdecimal():
            value = int(text[start:end])
            for new in (value + 1, value - 1):
                if new >= 0:
                    what = f"`{value}` becomes `{new}`"
                    missing = f"no scenario tells `{value}` from `{new}` here"
                    yield Change("count", start, end, str(new), what, missing)


def _whens(source: Source, found: Sequence[tuple[Keys, Scalar, bool]]) -> Iterator[Change]:
    for scalar, start in conditions(source, found):
        said = _words(source.text[scalar.span.start : scalar.span.end])
        what, missing = f"`when: {said}` is left out", f"no scenario has `{said}` false"
        yield Change("when", start, scalar.span.end, "", what, missing)
