"""Expressions of a program as WebAssembly: an int is an i64, a bool an i32 that is 0 or 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rulesdsl.diagnostics import Span
from rulesdsl.engines.wasm.binary import Op, Type
from rulesdsl.engines.wasm.code import Code
from rulesdsl.engines.wasm.layout import Layout, Place
from rulesdsl.ir.ranges import Ranges
from rulesdsl.model import ir
from rulesdsl.runtime import faults

BINARY = {
    "+": Op.I64_ADD,
    "-": Op.I64_SUB,
    "*": Op.I64_MUL,
    "&": Op.I64_AND,
    "|": Op.I64_OR,
    "^": Op.I64_XOR,
    "<<": Op.I64_SHL,
    ">>": Op.I64_SHR_S,
}
COMPARE = {
    "==": Op.I64_EQ,
    "!=": Op.I64_NE,
    "<": Op.I64_LT_S,
    "<=": Op.I64_LE_S,
    ">": Op.I64_GT_S,
    ">=": Op.I64_GE_S,
}
EXTREME = {"min": Op.I64_LT_S, "max": Op.I64_GT_S}

TYPES: Mapping[ir.Kind, Type] = {"int": Type.I64, "bool": Type.I32}


class Callee(NamedTuple):
    """A function by its index in the module; `result` is the type of its result."""

    number: int
    result: Type


class Expressions:
    """A printer of the expressions of one function, which pushes their values.

    `span` is the place in the rules of the current statement.
    """

    def __init__(
        self,
        code: Code,
        layout: Layout,
        ranges: Ranges,
        callees: Mapping[str, Callee],
        function: ir.Function,
    ) -> None:
        self.code = code
        self.span: Span | None = None
        self._layout = layout
        self._ranges = ranges
        self._callees = callees
        self.locals = {name: number for number, (name, _) in enumerate(function.params)}
        for name, kind in function.locals:
            self.locals[name] = code.local(TYPES[kind])
        self._kinds = dict((*function.params, *function.locals))

    def value(self, expr: ir.Expr) -> None:
        """Push the value of an expression."""
        code = self.code
        match expr:
            case ir.Const(value):
                code.long(value)
            case ir.Truth(value):
                code.short(int(value))
            case ir.Local(name):
                code.get(self.locals[name])
            case ir.Load():
                place = self._place(expr)
                self.address(expr)
                code.memory(place.width.load, place.width.power, place.address)
            case ir.Unary():
                self._unary(expr)
            case ir.Binary("min" | "max"):
                self._extreme(expr)
            case ir.Binary("//" | "%"):
                self._divided(expr)
            case ir.Binary(operator, left, right):
                self.value(left)
                self.value(right)
                code.op(BINARY[operator])
            case ir.Compare(operator, left, right):
                self._compare(operator, left, right)
            case ir.Logic():
                self._logic(expr)
            case ir.Select():
                self._select(expr)
            case ir.Call(function, arguments):
                for argument in arguments:
                    self.value(argument)
                code.call(self._callees[function].number, self.span)

    def jump_unless(self, condition: ir.Expr, target: int) -> None:
        """Jump if the condition is false."""
        match condition:
            case ir.Unary("not", operand):
                self.jump_if(operand, target)
            case ir.Logic("and", left, right):
                self.jump_unless(left, target)
                self.jump_unless(right, target)
            case ir.Logic("or", left, right):
                with self.code.block(Op.BLOCK) as holds:
                    self.jump_if(left, holds)
                    self.jump_unless(right, target)
            case ir.Compare(operator, left, right):
                self._compare(ir.OPPOSITE[operator], left, right)
                self.code.jump(target, Op.BR_IF)
            case _:
                self.value(condition)
                self.code.op(Op.I32_EQZ)
                self.code.jump(target, Op.BR_IF)

    def jump_if(self, condition: ir.Expr, target: int) -> None:
        """Jump if the condition is true."""
        match condition:
            case ir.Unary("not", operand):
                self.jump_unless(operand, target)
            case ir.Logic("or", left, right):
                self.jump_if(left, target)
                self.jump_if(right, target)
            case ir.Logic("and", left, right):
                with self.code.block(Op.BLOCK) as fails:
                    self.jump_unless(left, fails)
                    self.jump_if(right, target)
            case _:
                self.value(condition)
                self.code.jump(target, Op.BR_IF)

    def address(self, node: ir.Load | ir.Store) -> None:
        """Push the offset of an entry in its table in bytes; the index is checked where needed."""
        place = self._place(node)
        match node.index:
            case ir.Const(value):
                if not 0 <= value < place.size:
                    self.code.trap(faults.INDEX, self.span)
                    value = 0
                self.code.short(value << place.width.power)
            case _:
                index = self.kept(node.index)
                self.check_index(node, index)
                self.entry(node, index)

    def entry(self, node: ir.Load | ir.Store, index: int) -> None:
        """Push the offset of an entry in its table in bytes; a local holds its index."""
        power = self._place(node).width.power
        self.code.get(index)
        self.code.op(Op.I32_WRAP_I64)
        if power:
            self.code.short(power)
            self.code.op(Op.I32_SHL)

    def check_index(self, node: ir.Load | ir.Store, index: int) -> None:
        """Stop if the index in a local is out of range, unless that is impossible."""
        if self._ranges.needs_low(node) or self._ranges.needs_high(node):
            self.code.get(index)
            self.code.long(self._place(node).size)
            self.code.op(Op.I64_GE_U)
            self.code.trap_if(faults.INDEX, self.span)

    def kept(self, expr: ir.Expr) -> int:
        """Evaluate an expression here, and return the local that holds its value."""
        if isinstance(expr, ir.Local):
            return self.locals[expr.name]
        local = self.code.local(Type.I64)
        self.value(expr)
        self.code.set(local)
        return local

    def _place(self, node: ir.Load | ir.Store) -> Place:
        return self._layout.places[node.table]

    def _unary(self, expr: ir.Unary) -> None:
        code = self.code
        match expr.operator:
            case "-":
                code.long(0)
                self.value(expr.operand)
                code.op(Op.I64_SUB)
            case "not":
                self.value(expr.operand)
                code.op(Op.I32_EQZ)
            case "int":
                self.value(expr.operand)
                code.op(Op.I64_EXTEND_I32_U)

    def _compare(self, operator: ir.CompareOp, left: ir.Expr, right: ir.Expr) -> None:
        self.value(left)
        if right == ir.Const(0) and operator == "==":
            self.code.op(Op.I64_EQZ)
            return
        self.value(right)
        self.code.op(COMPARE[operator])

    def _extreme(self, expr: ir.Binary) -> None:
        left, right = self.kept(expr.left), self.kept(expr.right)
        for local in (left, right, left, right):
            self.code.get(local)
        self.code.op(EXTREME[expr.operator], Op.SELECT)

    def _divided(self, expr: ir.Binary) -> None:
        """Push a quotient or remainder that rounds down; the machine rounds towards zero."""
        code = self.code
        match expr.right:
            case ir.Const(divisor) if divisor > 0 and divisor & (divisor - 1) == 0:
                self.value(expr.left)
                quotient = expr.operator == "//"
                code.long(divisor.bit_length() - 1 if quotient else divisor - 1)
                code.op(Op.I64_SHR_S if quotient else Op.I64_AND)
                return
        left, right = self.kept(expr.left), self.kept(expr.right)
        rest = code.local(Type.I64)
        code.get(left)
        code.get(right)
        code.division(Op.I64_REM_S, self.span)
        code.set(rest)
        # If the remainder is not 0 and its sign differs from the divisor's, the quotient is one too
        # large.
        if expr.operator == "//":
            code.get(left)
            code.get(right)
            code.division(Op.I64_DIV_S, self.span)
            self._is_short(rest, right)
            code.op(Op.I64_EXTEND_I32_U, Op.I64_SUB)
        else:
            code.get(rest)
            code.get(right)
            code.long(0)
            self._is_short(rest, right)
            code.op(Op.SELECT, Op.I64_ADD)

    def _is_short(self, rest: int, divisor: int) -> None:
        code = self.code
        code.get(rest)
        code.get(divisor)
        code.op(Op.I64_XOR)
        code.long(0)
        code.op(Op.I64_LT_S)
        code.get(rest)
        code.long(0)
        code.op(Op.I64_NE, Op.I32_AND)

    def _logic(self, expr: ir.Logic) -> None:
        code = self.code
        self.value(expr.left)
        with code.block(Op.IF, Type.I32):
            if expr.operator == "and":
                self.value(expr.right)
                code.otherwise()
                code.short(0)
            else:
                code.short(1)
                code.otherwise()
                self.value(expr.right)

    def _select(self, expr: ir.Select) -> None:
        code = self.code
        if _is_light(expr.then) and _is_light(expr.otherwise):
            self.value(expr.then)
            self.value(expr.otherwise)
            self.value(expr.condition)
            code.op(Op.SELECT)
            return
        self.value(expr.condition)
        with code.block(Op.IF, self._type(expr)):
            self.value(expr.then)
            code.otherwise()
            self.value(expr.otherwise)

    def _type(self, expr: ir.Expr) -> Type:
        """Return the type of an expression with a result."""
        match expr:
            case ir.Local(name):
                return TYPES[self._kinds[name]]
            case ir.Truth() | ir.Compare() | ir.Logic() | ir.Unary("not"):
                return Type.I32
            case ir.Select(_, then, _):
                return self._type(then)
            case ir.Call(function):
                return self._callees[function].result
        return Type.I64


def _is_light(expr: ir.Expr) -> bool:
    """Say whether an expression has no effects and is cheaper to evaluate than to skip."""
    match expr:
        case ir.Const() | ir.Truth() | ir.Local():
            return True
        case ir.Unary("-" | "int", operand):
            return isinstance(operand, ir.Local)
        case ir.Binary("+" | "-" | "&" | "|" | "^", left, right):
            return isinstance(left, ir.Local | ir.Const) and isinstance(right, ir.Local | ir.Const)
    return False
