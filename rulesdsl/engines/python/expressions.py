"""Expressions of a program as Python, with only the necessary brackets."""

from __future__ import annotations

from rulesdsl.engines.python.names import Inside, Names
from rulesdsl.ir.ranges import Ranges
from rulesdsl.model import ir
from rulesdsl.runtime.faults import INDEX

SELECT, OR, AND, NOT, COMPARE, BITS, XOR, MASK, SHIFT, SUM, PRODUCT, SIGN, ATOM = range(13)
"""The levels of precedence, the weakest first."""

OPERATORS: dict[str, int] = {
    "|": BITS,
    "^": XOR,
    "&": MASK,
    "<<": SHIFT,
    ">>": SHIFT,
    "+": SUM,
    "-": SUM,
    "*": PRODUCT,
    "//": PRODUCT,
    "%": PRODUCT,
}
"""The operators that Python has too, with their precedence."""


class Expressions:
    """A printer of the expressions of one function.

    A value that is needed twice is assigned to a new local.
    """

    def __init__(self, names: Names, inside: Inside, ranges: Ranges) -> None:
        self._names = names
        self._inside = inside
        self._ranges = ranges

    def text(self, expr: ir.Expr, least: int = SELECT) -> str:
        """Return an expression, in brackets if its precedence is lower than `least`."""
        text, level = self._plain(expr)
        return text if level >= least else f"({text})"

    def opposite(self, condition: ir.Expr) -> str:
        """Return the negation of a condition."""
        return self.text(ir.Unary("not", condition))

    def subscript(self, node: ir.Load | ir.Store, index: str | None = None) -> str:
        """Return the entry of a table, with a check of the index where it is needed.

        `index` is a local that already holds the index.
        """
        variable = self._names.entry(node.table, node.index)
        if variable is not None:
            return variable
        if isinstance(node.index, ir.Const):
            at = self.text(node.index) if node.index.value >= 0 else f"fault({INDEX})"
        elif not self._ranges.needs_low(node):
            at = index or self.text(node.index)
        else:
            first, again = (index, index) if index else self._twice(node.index, "at")
            at = f"{again} if {first} >= 0 else fault({INDEX})"
        return f"{self._names.tables[node.table]}[{at}]"

    def _plain(self, expr: ir.Expr) -> tuple[str, int]:
        match expr:
            case ir.Const(value):
                return str(value), (ATOM if value >= 0 else SIGN)
            case ir.Truth(value):
                return str(value), ATOM
            case ir.Local(name):
                return self._inside.locals[name], ATOM
            case ir.Load():
                return self.subscript(expr), ATOM
            case ir.Unary():
                return self._unary(expr)
            case ir.Binary("min" | "max"):
                return self._extreme(expr), SELECT
            case ir.Binary(operator, left, right):
                level = OPERATORS[operator]
                return f"{self.text(left, level)} {operator} {self.text(right, level + 1)}", level
            case ir.Compare(operator, left, right):
                return f"{self.text(left, BITS)} {operator} {self.text(right, BITS)}", COMPARE
            case ir.Logic(operator, left, right):
                level = AND if operator == "and" else OR
                return f"{self.text(left, level)} {operator} {self.text(right, level)}", level
            case ir.Select(condition, then, otherwise):
                return (
                    f"{self.text(then, OR)} if {self.text(condition, OR)} "
                    f"else {self.text(otherwise)}",
                    SELECT,
                )
            case ir.Call(function, arguments):
                given = ", ".join(map(self.text, arguments))
                return f"{self._names.functions[function]}({given})", ATOM

    def _unary(self, expr: ir.Unary) -> tuple[str, int]:
        match expr:
            case ir.Unary("-", operand):
                return f"-{self.text(operand, SIGN)}", SIGN
            case ir.Unary("not", ir.Compare(operator, left, right)):
                return self._plain(ir.Compare(ir.OPPOSITE[operator], left, right))
            case ir.Unary("not", ir.Unary("not", operand)):
                return self._plain(operand)
            case ir.Unary("not", operand):
                return f"not {self.text(operand, NOT)}", NOT
            case ir.Unary(_, operand):
                return f"1 if {self.text(operand, OR)} else 0", SELECT

    def _extreme(self, expr: ir.Binary) -> str:
        """Return `min` or `max` as a conditional expression.

        A call of the builtin function would cost ten times as much.
        """
        left, left_again = self._twice(expr.left, "left")
        right, right_again = self._twice(expr.right, "right")
        sign = "<" if expr.operator == "min" else ">"
        return f"{left_again} if {left} {sign} {right} else {right_again}"

    def _twice(self, expr: ir.Expr, hint: str) -> tuple[str, str]:
        """Return the text that evaluates an expression, and the text that reads its value later."""
        if isinstance(expr, ir.Const | ir.Local):
            text = self.text(expr, BITS)
            return text, text
        name = self._inside.fresh(hint)
        return f"({name} := {self.text(expr)})", name
