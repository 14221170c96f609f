"""Fold: constants are computed, and code without effect is dropped.

Expressions are simplified by algebra, branches on constants chosen, loops of no rounds and code
that is never reached dropped. Locals that only ever hold one constant, or the value of a local that
does not change meanwhile, are replaced by it; those never read are not assigned.

Sums are regrouped as if numbers were unbounded, because no program comes near the bounds of 64
bits. Faults of an expression are kept: an operand is left out only if it is `safe`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from rulesdsl.ir.passes import trees
from rulesdsl.ir.passes.trees import leaves, map_parts, map_statement, safe
from rulesdsl.model import ir

# --- expressions ---------------------------------------------------------------------------------

Tables = Mapping[str, ir.Table]

_ARITHMETIC: Mapping[ir.BinaryOp, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "min": min,
    "max": max,
}
_ORDER: Mapping[ir.CompareOp, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_COMMUTES = frozenset({"+", "*", "&", "|", "^", "min", "max"})
_GROUPS = frozenset({"&", "|", "^", "min", "max"})
_SAME: Mapping[str, int] = {
    "+": 0,
    "-": 0,
    "*": 1,
    "//": 1,
    "&": -1,
    "|": 0,
    "^": 0,
    "<<": 0,
    ">>": 0,
}
"""Right operands with which `x op number` is x."""
_NONE: Mapping[str, int] = {"*": 0, "&": 0, "%": 1}
"""Right operands with which `x op number` is 0."""

TRUE, FALSE = ir.Truth(True), ir.Truth(False)


def fits(number: int) -> bool:
    """Return whether a number fits the IR's 64 bits."""
    return -(2**63) <= number < 2**63


def simplify(expr: ir.Expr, tables: Tables) -> ir.Expr:
    """Return the simplest form of an expression whose operands are simplified already."""
    simpler = _SIMPLER.get(type(expr))
    return expr if simpler is None else simpler(expr, tables)


def negated(expr: ir.Expr) -> ir.Expr:
    """Return the negation of a condition."""
    match expr:
        case ir.Truth(value):
            return FALSE if value else TRUE
        case ir.Compare(operator, left, right):
            return ir.Compare(ir.OPPOSITE[operator], left, right)
        case ir.Unary("not", operand):
            return operand
    return ir.Unary("not", expr)


def _load(expr: ir.Load, tables: Tables) -> ir.Expr:
    index = expr.index
    if type(index) is ir.Const:
        table = tables[expr.table]
        if table.role == "const" and 0 <= index.value < table.size:
            return ir.Const(table.values[index.value] if table.values else 0)
    return expr


def _unary(expr: ir.Unary, tables: Tables) -> ir.Expr:
    match expr.operator, expr.operand:
        case "not", operand:
            simpler = negated(operand)
            return expr if type(simpler) is ir.Unary and simpler.operand is operand else simpler
        case "int", ir.Truth(value):
            return ir.Const(int(value))
        case "-", ir.Const(number) if fits(-number):
            return ir.Const(-number)
        case "-", ir.Unary("-", operand):
            return operand
    return expr


def _binary(expr: ir.Binary, tables: Tables) -> ir.Expr:
    operator, left, right = expr.operator, expr.left, expr.right
    if type(left) is ir.Const:
        if type(right) is ir.Const:
            number = evaluated(operator, left.value, right.value)
            return expr if number is None else ir.Const(number)
        if operator in _COMMUTES:
            return _binary(ir.Binary(operator, right, left), tables)
    elif type(right) is ir.Const:
        return _with_number(expr, right.value, tables)
    elif type(left) is ir.Local and left == right:
        if operator in ("-", "^"):
            return ir.Const(0)
        if operator in ("&", "|", "min", "max"):
            return left
    return expr


def evaluated(operator: ir.BinaryOp, left: int, right: int) -> int | None:
    """Return the result for two numbers, None if it faults or does not fit."""
    if operator in ("//", "%") and right == 0:
        return None
    if operator in ("<<", ">>") and not 0 <= right < 64:
        return None
    number = _ARITHMETIC[operator](left, right)
    return number if fits(number) else None


def _with_number(expr: ir.Binary, number: int, tables: Tables) -> ir.Expr:
    """Return `x op number` simplified."""
    operator, left = expr.operator, expr.left
    if _SAME.get(operator) == number:
        return left
    if _NONE.get(operator) == number and safe(left, tables):
        return ir.Const(0)
    if operator == "-" and number < 0 and fits(-number):
        return _with_number(ir.Binary("+", left, ir.Const(-number)), -number, tables)
    if type(left) is not ir.Binary or type(left.right) is not ir.Const:
        if operator == "+" and number < 0 and fits(-number):
            return ir.Binary("-", left, ir.Const(-number))
        return expr
    inner, first = left.operator, left.right.value
    if operator in ("+", "-") and inner in ("+", "-"):
        total = (first if inner == "+" else -first) + (number if operator == "+" else -number)
        return _plus(left.left, total) if fits(total) else expr
    if operator == inner and operator in _GROUPS:
        grouped = evaluated(operator, first, number)
        assert grouped is not None
        return _with_number(ir.Binary(operator, left.left, ir.Const(grouped)), grouped, tables)
    if operator == inner == ">>" and first >= 0 and number >= 0 and first + number < 64:
        return ir.Binary(">>", left.left, ir.Const(first + number))
    if operator == "+" and number < 0 and fits(-number):
        return ir.Binary("-", left, ir.Const(-number))
    return expr


def _plus(expr: ir.Expr, number: int) -> ir.Expr:
    if number == 0:
        return expr
    if number < 0 and fits(-number):
        return ir.Binary("-", expr, ir.Const(-number))
    return ir.Binary("+", expr, ir.Const(number))


def _compare(expr: ir.Compare, tables: Tables) -> ir.Expr:
    operator, left, right = expr.operator, expr.left, expr.right
    if type(left) is ir.Const:
        if type(right) is ir.Const:
            return TRUE if _ORDER[operator](left.value, right.value) else FALSE
        return _compare(ir.Compare(ir.TURNED[operator], right, left), tables)
    if type(left) is ir.Local and left == right:
        return TRUE if operator in ("==", "<=", ">=") else FALSE
    if type(right) is ir.Const and type(left) is ir.Unary and left.operator == "int":
        return _of_truth(expr, operator, left.operand, right.value, tables)
    return expr


def _of_truth(
    expr: ir.Compare, operator: ir.CompareOp, truth: ir.Expr, number: int, tables: Tables
) -> ir.Expr:
    """Return `int(truth) op number` simplified."""
    if_true, if_false = _ORDER[operator](1, number), _ORDER[operator](0, number)
    if if_true != if_false:
        return truth if if_true else negated(truth)
    if safe(truth, tables):
        return TRUE if if_true else FALSE
    return expr


def _logic(expr: ir.Logic, tables: Tables) -> ir.Expr:
    left, right = expr.left, expr.right
    neutral = expr.operator == "and"
    if type(left) is ir.Truth:
        return right if left.value == neutral else left
    if type(right) is ir.Truth:
        if right.value == neutral:
            return left
        if safe(left, tables):
            return right
    return expr


def _select(expr: ir.Select, tables: Tables) -> ir.Expr:
    condition, then, otherwise = expr.condition, expr.then, expr.otherwise
    if type(condition) is ir.Truth:
        return then if condition.value else otherwise
    if type(condition) is ir.Unary:
        return _select(ir.Select(condition.operand, otherwise, then), tables)
    match then, otherwise:
        case ir.Const(1), ir.Const(0):
            return ir.Unary("int", condition)
        case ir.Const(0), ir.Const(1):
            return ir.Unary("int", negated(condition))
        case ir.Truth(True), _:
            return simplify(ir.Logic("or", condition, otherwise), tables)
        case ir.Truth(False), _:
            return simplify(ir.Logic("and", negated(condition), otherwise), tables)
        case _, ir.Truth(True):
            return simplify(ir.Logic("or", negated(condition), then), tables)
        case _, ir.Truth(False):
            return simplify(ir.Logic("and", condition, then), tables)
    if then == otherwise and safe(condition, tables):
        return then
    return expr


_SIMPLER: Mapping[type, Callable[..., ir.Expr]] = {
    ir.Load: _load,
    ir.Unary: _unary,
    ir.Binary: _binary,
    ir.Compare: _compare,
    ir.Logic: _logic,
    ir.Select: _select,
}


# --- functions -----------------------------------------------------------------------------------

ROUNDS = 4
"""The greatest number of rounds per function: each propagates the constants of the one before."""


def fold(program: ir.Program) -> ir.Program:
    """Simplify every function of a program."""
    return trees.map_functions(program, lambda f: fold_function(f, program.tables))


def fold_function(function: ir.Function, tables: Mapping[str, ir.Table]) -> ir.Function:
    """Simplify one function."""
    for _ in range(ROUNDS):
        folder = _Folder(function, tables)
        body = _without_tail(folder.block(function.body))
        if body is function.body:
            break
        function = trees.with_body(function, body, {})
    return function


def _without_tail(body: ir.Block) -> ir.Block:
    """Return a body without a `return` of nothing at its end."""
    match body:
        case (*_, ir.Return(None)):
            return _without_tail(body[:-1])
        case (*_, ir.If(condition, then, otherwise, span)):
            one, other = _without_tail(then), _without_tail(otherwise)
            if one is not then or other is not otherwise:
                return (*body[:-1], ir.If(condition, one, other, span))
    return body


class _Folder:
    """One round of folding over a function.

    `known` maps locals to their replacements.
    """

    def __init__(self, function: ir.Function, tables: Mapping[str, ir.Table]) -> None:
        self.tables = tables
        self.reads = function.nodes.reads()
        self.writes = Counter(name for name, _ in function.params)
        self.writes.update(function.nodes.writes())
        self.known: dict[str, ir.Expr] = {
            node.name: node.value
            for node in function.nodes.of(ir.Assign)
            if isinstance(node.value, ir.Const | ir.Truth) and self.writes[node.name] == 1
        }

    # --- expressions -----------------------------------------------------------------------------

    def expression(self, expr: ir.Expr) -> ir.Expr:
        kind = type(expr)
        if kind is ir.Const or kind is ir.Truth:
            return expr
        if kind is ir.Local:
            assert isinstance(expr, ir.Local)
            return self.known.get(expr.name, expr)
        return simplify(map_parts(expr, self.expression), self.tables)

    # --- statements ------------------------------------------------------------------------------

    def block(self, block: ir.Block) -> ir.Block:
        found: list[ir.Stmt] = []
        same = True
        for number, statement in enumerate(block):
            inner = map_statement(statement, self.expression, self.block)
            if isinstance(inner, ir.Assign):
                new = self.assign(inner, block[number + 1 :])
            else:
                new = self.simpler(inner)
            same = same and new is statement
            found.extend(new if isinstance(new, tuple) else (new,))
            if leaves(tuple(found[-1:])):
                same = same and number == len(block) - 1
                break
        merged = _merge_returns(found, self.tables)
        return block if same and len(merged) == len(block) else tuple(merged)

    def assign(self, new: ir.Assign, rest: ir.Block) -> ir.Stmt | ir.Block:
        name, value = new.name, new.value
        if name in self.known:
            return ()
        if type(value) is ir.Local:
            if value.name == name:
                return ()
            if self.writes[name] == 1 and self.copies(name, value.name, rest):
                self.known[name] = value
                return ()
        if not self.reads[name]:
            if safe(value, self.tables):
                return ()
            if isinstance(value, ir.Call):
                return ir.Do(value, new.span)
        return new

    def copies(self, name: str, source: str, rest: ir.Block) -> bool:
        """Return whether a local is read only while the local that it copies keeps its value."""
        reads = 0
        for node in ir.nodes(rest):
            if isinstance(node, ir.Local):
                reads += node.name == name
            elif isinstance(node, ir.Assign | ir.For) and node.name == source:
                return False
        return reads == self.reads[name]

    def simpler(self, statement: ir.Stmt) -> ir.Stmt | ir.Block:
        match statement:
            case ir.If(ir.Truth(value), then, otherwise):
                return then if value else otherwise
            case ir.If(condition, (), ()):
                return () if safe(condition, self.tables) else statement
            case ir.If(condition, (), otherwise):
                return ir.If(negated(condition), otherwise, (), statement.span)
            case ir.While(ir.Truth(False)):
                return ()
            case ir.While(_, body) | ir.For(_, _, _, body) if (
                body and type(body[-1]) is ir.Continue
            ):
                return self.simpler(_with_loop_body(statement, body[:-1]))
            case ir.For():
                return self.loop(statement)
        return statement

    def loop(self, statement: ir.For) -> ir.Stmt | ir.Block:
        low, high = statement.low, statement.high
        match low, high, statement.body:
            case ir.Const(first), ir.Const(end), _ if first >= end:
                return ()
            case _, _, () if safe(low, self.tables) and safe(high, self.tables):
                return ()
        return statement


def _with_loop_body(loop: ir.While | ir.For, body: ir.Block) -> ir.Stmt:
    if isinstance(loop, ir.While):
        return ir.While(loop.condition, body, loop.span)
    return ir.For(loop.name, loop.low, loop.high, body, loop.span)


def _merge_returns(block: list[ir.Stmt], tables: Mapping[str, ir.Table]) -> list[ir.Stmt]:
    """Merge `if c: return true` and the `return x` after it to `return c or x`, and the like."""
    while len(block) >= 2:
        match block[-2], block[-1]:
            case (
                ir.If(condition, (ir.Return(one) as inner,), ()) as test,
                ir.Return(other) as last,
            ) if (
                (isinstance(one, ir.Truth) or isinstance(other, ir.Truth))
                and one is not None
                and other is not None
                and test.span == inner.span == last.span
            ):
                value = simplify(ir.Select(condition, one, other), tables)
                block = [*block[:-2], ir.Return(value, last.span)]
            case _:
                break
    return block
