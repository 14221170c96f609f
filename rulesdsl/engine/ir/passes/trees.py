"""Queries and rewriting of IR trees, where unchanged parts stay the same objects."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import ir

Change = Callable[[ir.Expr], ir.Expr]


def calls(node: ir.Node) -> bool:
    """Return whether an expression or statement calls a function.

    Evaluating an expression without calls changes nothing.
    """
    return any(type(inner) is ir.Call for inner in ir.nodes((node,)))


Question = tuple[Literal["only", "entry", "within", "callee"], str, int]
"""A question to `Facts`: its kind, a table or function, and an index."""


class Facts:
    """The facts that the passes ask of a program when they change one function.

    `callees` are the functions that can be inlined; no index of the tables `sure` is ever out of
    range. All answers are noted, so that a function which many programs share, as those of the
    runtime, is changed once for all programs with the same answers.
    """

    def __init__(
        self,
        tables: Mapping[str, ir.Table],
        sure: Collection[str] = (),
        callees: Mapping[str, object] | None = None,
    ) -> None:
        self._tables = tables
        self._sure = sure
        self._callees = {} if callees is None else callees
        self._noted: dict[Question, object] = {}

    def ask(
        self, kind: Literal["only", "entry", "within", "callee"], name: str, at: int = 0
    ) -> Any:
        """Answer a question and note the answer.

        `only`: the number that all entries of a table have; `entry`: an entry of a constant table;
        both are None if it is unknown. `within`: whether an index is in range. `callee`: a
        function that can be inlined, or None.
        """
        question = kind, name, at
        found = self._noted[question] = self._answer(question)
        return found

    def _answer(self, question: Question) -> object:
        kind, name, at = question
        if kind == "callee":
            return self._callees.get(name)
        table = self._tables.get(name)
        if table is None:  # of another program
            return None
        if kind == "only":
            return table.low if table.low == table.high else None
        if kind == "within":
            return name in self._sure or 0 <= at < table.size
        if table.role != "const" or not 0 <= at < table.size:
            return None
        return table.values[at] if table.values else 0

    def once(
        self, what: str, function: ir.Function, change: Callable[[ir.Function, Facts], ir.Function]
    ) -> ir.Function:
        """Return a function with a change, which is kept with the function."""
        kept: tuple[tuple[dict[Question, object], ir.Function], ...]
        kept = vars(function).get(what, ())
        for noted, found in kept:
            if all(self._answer(question) == answer for question, answer in noted.items()):
                return found
        self._noted = {}
        found = change(function, self)
        vars(function)[what] = ((self._noted, found), *kept[: KEPT - 1])
        return found


KEPT = 8
"""The number of results of one pass that are kept with a function."""


def safe(expr: ir.Expr, facts: Facts) -> bool:
    """Return whether the evaluation of an expression can be left out or repeated.

    Such an expression calls nothing and cannot fault.
    """
    return all(_safe(node, facts) for node in ir.nodes((expr,)))


def _safe(node: ir.Node, facts: Facts) -> bool:
    match node:
        case ir.Call():
            return False
        case ir.Load(table, index):
            at = index.value if isinstance(index, ir.Const) else -1
            return bool(facts.ask("within", table, at))
        case ir.Binary("//" | "%", _, right):
            return isinstance(right, ir.Const) and right.value != 0
        case ir.Binary("<<" | ">>", _, right):
            return isinstance(right, ir.Const) and 0 <= right.value < 64
    return True


# --- control flow --------------------------------------------------------------------------------


def leaves(block: ir.Block) -> bool:
    """Return whether code after a block never runs."""
    return bool(block) and _leaves(block[-1])


def _leaves(statement: ir.Stmt) -> bool:
    match statement:
        case ir.Return() | ir.Trap() | ir.Break() | ir.Continue():
            return True
        case ir.If(_, then, otherwise):
            return leaves(then) and leaves(otherwise)
        case ir.While(ir.Truth(True), body):
            return not jumps(body)
    return False


def jumps(block: ir.Block, *, also_continues: bool = False) -> bool:
    """Return whether a `Break` (or a `Continue`) in a block leaves the loop around it."""
    for statement in block:
        match statement:
            case ir.Break():
                return True
            case ir.Continue() if also_continues:
                return True
            case ir.If(_, then, otherwise) if any(
                jumps(part, also_continues=also_continues) for part in (then, otherwise)
            ):
                return True
    return False


def returns(block: Iterable[ir.Stmt]) -> bool:
    """Return whether a block contains a `Return`."""
    return any(type(node) is ir.Return for node in ir.nodes(block))


# --- rewriting -----------------------------------------------------------------------------------


def map_parts(expr: ir.Expr, change: Change) -> ir.Expr:
    """Return an expression with its direct operands changed, in order of evaluation."""
    return _WITH_PARTS[type(expr)](expr, change)


def _same(expr: ir.Expr, _change: Change) -> ir.Expr:
    return expr


def _load(expr: ir.Load, change: Change) -> ir.Expr:
    index = change(expr.index)
    return expr if index is expr.index else ir.Load(expr.table, index)


def _unary(expr: ir.Unary, change: Change) -> ir.Expr:
    operand = change(expr.operand)
    return expr if operand is expr.operand else ir.Unary(expr.operator, operand)


def _binary(expr: ir.Binary | ir.Compare | ir.Logic, change: Change) -> ir.Expr:
    left, right = change(expr.left), change(expr.right)
    same = left is expr.left and right is expr.right
    return expr if same else type(expr)(expr.operator, left, right)  # type: ignore[arg-type]


def _select(expr: ir.Select, change: Change) -> ir.Expr:
    parts = expr.condition, expr.then, expr.otherwise
    new = change(expr.condition), change(expr.then), change(expr.otherwise)
    return expr if all(map(_is, new, parts)) else ir.Select(*new)


def _call(expr: ir.Call, change: Change) -> ir.Expr:
    given = tuple(map(change, expr.arguments))
    return expr if all(map(_is, given, expr.arguments)) else ir.Call(expr.function, given)


_WITH_PARTS: Mapping[type, Callable[[Any, Change], ir.Expr]] = {
    ir.Const: _same,
    ir.Truth: _same,
    ir.Local: _same,
    ir.Load: _load,
    ir.Unary: _unary,
    ir.Binary: _binary,
    ir.Compare: _binary,
    ir.Logic: _binary,
    ir.Select: _select,
    ir.Call: _call,
}
"""The way to rebuild each class, in a table because that is twice as fast as patterns."""


def _is(one: object, other: object) -> bool:
    return one is other


def map_statement(
    statement: ir.Stmt, change: Change, block: Callable[[ir.Block], ir.Block]
) -> ir.Stmt:
    """Return a statement with its direct expressions and its blocks changed, in order."""
    span = statement.span
    match statement:
        case ir.Assign(name, value):
            new = change(value)
            return statement if new is value else ir.Assign(name, new, span)
        case ir.Store(table, index, value):
            at, new = change(index), change(value)
            same = at is index and new is value
            return statement if same else ir.Store(table, at, new, span)
        case ir.Do(call):
            new = change(call)
            if new is call:
                return statement
            assert isinstance(new, ir.Call)
            return ir.Do(new, span)
        case ir.If(condition, then, otherwise):
            test, one, other = change(condition), block(then), block(otherwise)
            same = test is condition and one is then and other is otherwise
            return statement if same else ir.If(test, one, other, span)
        case ir.While(condition, body):
            test, inner = change(condition), block(body)
            same = test is condition and inner is body
            return statement if same else ir.While(test, inner, span)
        case ir.For(name, low, high, body):
            first, end, inner = change(low), change(high), block(body)
            same = first is low and end is high and inner is body
            return statement if same else ir.For(name, first, end, inner, span)
        case ir.Return(value) if value is not None:
            new = change(value)
            return statement if new is value else ir.Return(new, span)
        case ir.Spend(amount):
            new = change(amount)
            return statement if new is amount else ir.Spend(new, span)
        case ir.Enter(row):
            new = change(row)
            return statement if new is row else ir.Enter(new, span)
        case ir.Copy(operator, slot):
            new = change(slot)
            return statement if new is slot else ir.Copy(operator, new, span)
    return statement


def map_block(block: ir.Block, change: Callable[[ir.Stmt], ir.Block | ir.Stmt]) -> ir.Block:
    """Return a block with each statement replaced by the result of `change`."""
    found: list[ir.Stmt] = []
    same = True
    for statement in block:
        new = change(statement)
        same = same and new is statement
        if isinstance(new, tuple):
            found.extend(new)
        else:
            found.append(new)
    return block if same else tuple(found)


def map_functions(program: ir.Program, change: Callable[[ir.Function], ir.Function]) -> ir.Program:
    """Return a program with each function changed."""
    return with_functions(program, {n: change(f) for n, f in program.functions.items()})


def with_functions(program: ir.Program, functions: Mapping[str, ir.Function]) -> ir.Program:
    """Return a program with these of its functions, which may be changed."""
    same = len(functions) == len(program.functions) and all(
        function is program.functions[name] for name, function in functions.items()
    )
    return program if same else replace(program, functions=functions)


def with_body(function: ir.Function, body: ir.Block, extra: Mapping[str, ir.Kind]) -> ir.Function:
    """Return a function with another body and additional locals.

    Locals that the body does not mention are dropped.
    """
    if body is function.body and not extra:
        return function
    nodes = ir.Nodes(body)
    used = nodes.mentions()
    kinds = {**dict(function.locals), **extra}
    kept = tuple((name, kind) for name, kind in kinds.items() if name in used)
    changed = replace(function, body=body, locals=kept)
    vars(changed)["nodes"] = nodes  # every pass needs them
    return changed


class Names:
    """A source of names for new locals of a function."""

    def __init__(self, function: ir.Function) -> None:
        self.added: dict[str, ir.Kind] = {}
        self.taken = {name for name, _ in (*function.params, *function.locals)}

    def fresh(self, hint: str, kind: ir.Kind) -> str:
        """Return a new local's name, the hint or one like it."""
        stem, _, tail = hint.rpartition("_")
        stem = stem if stem and tail.isdecimal() else hint
        name, number = hint, 1
        while name in self.taken:
            number += 1
            name = f"{stem}_{number}"
        self.taken.add(name)
        self.added[name] = kind
        return name


# --- renaming of locals --------------------------------------------------------------------------


def renamed(block: ir.Block, values: Mapping[str, ir.Expr], span: Span | None) -> ir.Block:
    """Return a body with its locals replaced, and with this span wherever it has none."""

    def expression(expr: ir.Expr) -> ir.Expr:
        return substituted(expr, values)

    def name_of(name: str) -> str:
        new = values.get(name, ir.Local(name))
        assert isinstance(new, ir.Local)
        return new.name

    def statement(node: ir.Stmt) -> ir.Stmt:
        own = node.span or span
        match node:
            case ir.Assign(name, value):
                return ir.Assign(name_of(name), expression(value), own)
            case ir.Store(table, index, value):
                return ir.Store(table, expression(index), expression(value), own)
            case ir.Do(ir.Call(function, arguments)):
                return ir.Do(ir.Call(function, tuple(map(expression, arguments))), own)
            case ir.If(condition, then, otherwise):
                return ir.If(expression(condition), inner(then), inner(otherwise), own)
            case ir.While(condition, body):
                return ir.While(expression(condition), inner(body), own)
            case ir.For(name, low, high, body):
                return ir.For(name_of(name), expression(low), expression(high), inner(body), own)
            case ir.Return(value):
                return ir.Return(None if value is None else expression(value), own)
            case ir.Spend(amount):
                return ir.Spend(expression(amount), own)
            case ir.Enter(row):
                return ir.Enter(expression(row), own)
            case ir.Copy(operator, slot):
                return ir.Copy(operator, expression(slot), own)
            case ir.Trap(code):
                return ir.Trap(code, own)
            case ir.Break():
                return ir.Break(own)
            case ir.Continue():
                return ir.Continue(own)

    def inner(nodes: ir.Block) -> ir.Block:
        return tuple(map(statement, nodes))

    return inner(block)


def substituted(expr: ir.Expr, values: Mapping[str, ir.Expr]) -> ir.Expr:
    """Return an expression with locals replaced."""
    if isinstance(expr, ir.Local):
        return values.get(expr.name, expr)
    return map_parts(expr, lambda part: substituted(part, values))
