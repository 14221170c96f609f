"""The printer of programs as WebAssembly modules.

An int is an i64, a bool an i32 that is 0 or 1."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from rulesdsl.engine.ir.passes.trees import jumps
from rulesdsl.engine.ir.ranges import Ranges, analyse
from rulesdsl.engine.run.wasm.binary import (
    MAGIC,
    MEMORY_COPY,
    MEMORY_SIZE,
    PAGE,
    Op,
    Type,
    names_section,
    section,
    signature,
    signed,
    sized,
    text,
    unsigned,
    vector,
)
from rulesdsl.engine.run.wasm.layout import (
    FAULT,
    LOAD,
    MEMORY,
    ROW,
    SAVE,
    Layout,
    TablePlace,
    lay_out,
)
from rulesdsl.engine.runtime import faults
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import ir
from rulesdsl.language.model.ir import FUEL, IN_ROWS, Role

BASE = 1
"""The number of the global with the address of the row in use, where its tables begin."""


class Mark(NamedTuple):
    """The origin of an instruction that can stop the program, or calls a function that can.

    `offset` is that of the instruction, `span` the place in the rules.
    """

    offset: int
    span: Span | None


class Code:
    """A builder for a sequence of instructions.

    A block is identified by its depth: `block` yields it as the `target` of jumps.
    """

    def __init__(self, params: list[Type]) -> None:
        self.marks: list[Mark] = []
        self._data = bytearray()
        self._params = len(params)
        self._locals = list(params)
        self._depth = 0

    def body(self) -> tuple[bytes, int]:
        """Return the function for the code section, and the offset of its instructions in it."""
        own = [unsigned(1) + bytes((kind,)) for kind in self._locals[self._params :]]
        head = vector(own)
        content = sized(head + bytes(self._data) + bytes((Op.END,)))
        return content, len(content) - len(self._data) - 1

    def local(self, kind: Type) -> int:
        """Return a new local of this type."""
        self._locals.append(kind)
        return len(self._locals) - 1

    def op(self, *operations: Op) -> None:
        """Add instructions without immediates."""
        self._data += bytes(operations)

    def get(self, local: int) -> None:
        """Push a local."""
        self._data.append(Op.LOCAL_GET)
        self._data += unsigned(local)

    def set(self, local: int) -> None:
        """Pop a value into a local."""
        self._data.append(Op.LOCAL_SET)
        self._data += unsigned(local)

    def tee(self, local: int) -> None:
        """Copy the value on top of the stack into a local."""
        self._data.append(Op.LOCAL_TEE)
        self._data += unsigned(local)

    def long(self, number: int) -> None:
        """Push a 64-bit number."""
        self._data.append(Op.I64_CONST)
        self._data += signed(number)

    def short(self, number: int) -> None:
        """Push a 32-bit number."""
        self._data.append(Op.I32_CONST)
        self._data += signed(number)

    def base(self) -> None:
        """Push the address of the row in use."""
        self._data += bytes((Op.GLOBAL_GET, BASE))

    def memory(self, operation: Op, power: int, address: int) -> None:
        """Load or store `2 ** power` bytes at `address` plus the address on the stack."""
        self._data.append(operation)
        self._data += unsigned(power) + unsigned(address)

    def raw(self, content: bytes) -> None:
        """Add instructions that are encoded already."""
        self._data += content

    def call(self, function: int, span: Span | None) -> None:
        """Call a function."""
        self._mark(span)
        self._data.append(Op.CALL)
        self._data += unsigned(function)

    def division(self, operation: Op, span: Span | None) -> None:
        """Divide; a division by 0 traps."""
        self._mark(span)
        self._data.append(operation)

    def trap(self, fault: int, span: Span | None) -> None:
        """Stop with a fault."""
        self.short(fault)
        self._data += bytes((Op.GLOBAL_SET, 0))
        self._mark(span)
        self._data.append(Op.UNREACHABLE)

    def trap_if(self, fault: int, span: Span | None) -> None:
        """Stop with a fault if the value on top of the stack is true."""
        self._data += bytes((Op.IF, Type.NOTHING))
        self.trap(fault, span)
        self._data.append(Op.END)

    def _mark(self, span: Span | None) -> None:
        self.marks.append(Mark(len(self._data), span))

    @contextmanager
    def block(self, operation: Op, kind: Type = Type.NOTHING) -> Iterator[int]:
        """Return a context that adds a block, loop or if with the instructions added inside."""
        self._data += bytes((operation, kind))
        self._depth += 1
        yield self._depth
        self._depth -= 1
        self._data.append(Op.END)

    def otherwise(self) -> None:
        """Begin the else branch of an if."""
        self._data.append(Op.ELSE)

    def jump(self, target: int, operation: Op = Op.BR) -> None:
        """Leave a block or continue a loop: always, or if the value on top of the stack is true."""
        self._data.append(operation)
        self._data += unsigned(self._depth - target)


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


class WasmFunction(NamedTuple):
    """A function by its index in the module; `result` is the type of its result."""

    number: int
    result: Type


class ModuleFacts(NamedTuple):
    """The facts of a program that its functions are printed with.

    `in_rows` are the roles of tables that begin at the row in use; none if it never changes.
    """

    layout: Layout
    ranges: Ranges
    callees: Mapping[str, WasmFunction]
    in_rows: tuple[Role, ...]

    @classmethod
    def of(cls, program: ir.Program, ranges: Ranges | None = None) -> ModuleFacts:
        """Return the facts of a program; `ranges` are those of the program, if they are known."""
        callees = {
            name: WasmFunction(number, TYPES[function.result] if function.result else Type.NOTHING)
            for number, (name, function) in enumerate(program.functions.items())
        }
        moves = any(function.nodes.of(ir.Enter) for function in program.functions.values())
        layout, ranges = lay_out(program.tables.values()), ranges or analyse(program)
        return cls(layout, ranges, callees, IN_ROWS if moves else ())


class Expressions:
    """A printer of the expressions of one function, which pushes their values.

    `span` is the place in the rules of the current statement.
    """

    def __init__(self, code: Code, facts: ModuleFacts, function: ir.Function) -> None:
        self.code = code
        self.span: Span | None = None
        self._layout, self._ranges, self._callees, self._in_rows = facts
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
                width, address = self._place(expr).width, self.address(expr)
                code.memory(width.load, width.power, address)
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

    def address(self, node: ir.Load | ir.Store) -> int:
        """Push the address of an entry less the returned one; the index is checked where needed."""
        place = self._place(node)
        match node.index:
            case ir.Const(value):
                if not 0 <= value < place.size:
                    self.code.trap(faults.INDEX, self.span)
                    value = 0
                self.begin(place)
                return place.address + (value << place.width.power)
            case _:
                index = self.kept(node.index)
                self.check_index(node, index)
                return self.entry(node, index)

    def begin(self, place: TablePlace) -> None:
        """Push what is added to the address of a table: the start of the row, if it is in rows."""
        if place.role in self._in_rows:
            self.code.base()
        else:
            self.code.short(0)

    def entry(self, node: ir.Load | ir.Store, index: int) -> int:
        """Push the address of an entry less the returned one; a local holds its index."""
        place = self._place(node)
        self.code.get(index)
        self.code.op(Op.I32_WRAP_I64)
        if place.width.power:
            self.code.short(place.width.power)
            self.code.op(Op.I32_SHL)
        if place.role in self._in_rows:
            self.code.base()
            self.code.op(Op.I32_ADD)
        return place.address

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

    def _place(self, node: ir.Load | ir.Store) -> TablePlace:
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
    """Return whether an expression has no effects and is cheaper to evaluate than to skip."""
    match expr:
        case ir.Const() | ir.Truth() | ir.Local():
            return True
        case ir.Unary("-" | "int", operand):
            return isinstance(operand, ir.Local)
        case ir.Binary("+" | "-" | "&" | "|" | "^", left, right):
            return isinstance(left, ir.Local | ir.Const) and isinstance(right, ir.Local | ir.Const)
    return False


def print_function(function: ir.Function, facts: ModuleFacts) -> Code:
    """Return the instructions of a function."""
    return _Statements(function, facts).code


class _Statements:
    def __init__(self, function: ir.Function, facts: ModuleFacts) -> None:
        self.code = Code([TYPES[kind] for _, kind in function.params])
        self._layout, self._ranges, self._callees, _ = facts
        self._expressions = Expressions(self.code, facts, function)
        self._loops: list[tuple[int, int]] = []
        self._block(function.body, None)
        if function.result is not None:
            # Every path has returned, but the validation of types does not detect that.
            self.code.op(Op.UNREACHABLE)

    def _block(self, block: ir.Block, around: Span | None) -> None:
        for statement in block:
            self._statement(statement, statement.span or around)

    def _statement(self, statement: ir.Stmt, span: Span | None) -> None:
        code, expressions = self.code, self._expressions
        expressions.span = span
        match statement:
            case ir.Assign(name, value):
                expressions.value(value)
                code.set(expressions.locals[name])
            case ir.Store():
                self._store(statement, span)
            case ir.Do(call):
                expressions.value(call)
                if self._callees[call.function].result is not Type.NOTHING:
                    code.op(Op.DROP)
            case ir.If():
                self._if(statement, span)
            case ir.While(condition, body):
                self._while(condition, body, span)
            case ir.For():
                self._for(statement, span)
            case ir.Break():
                code.jump(self._loops[-1][0])
            case ir.Continue():
                code.jump(self._loops[-1][1])
            case ir.Return(value):
                if value is not None:
                    expressions.value(value)
                code.op(Op.RETURN)
            case ir.Trap(fault):
                code.trap(fault, span)
            case ir.Copy():
                self._copy(statement, span)
            case ir.Spend(amount):
                self._spend(amount, span)
            case ir.Enter(row):
                self._row(expressions.kept(row), span)
                code.raw(bytes((Op.GLOBAL_SET, BASE)))

    def _row(self, row: int, span: Span | None) -> None:
        """Push the address of the row whose number is in a local; stop if there is no room."""
        code, layout = self.code, self._layout
        with code.block(Op.BLOCK, Type.I32) as end:
            code.short(0)
            code.get(row)
            code.op(Op.I64_EQZ)
            code.jump(end, Op.BR_IF)
            code.op(Op.DROP)
            code.get(row)
            code.raw(MEMORY_SIZE)
            code.op(Op.I64_EXTEND_I32_U)
            code.long(layout.pages)
            code.op(Op.I64_SUB)
            code.long(PAGE)
            code.op(Op.I64_MUL)
            code.long(max(layout.row, 1))
            code.division(Op.I64_DIV_S, span)
            code.op(Op.I64_GT_U)
            code.trap_if(faults.INDEX, span)
            code.get(row)
            code.long(1)
            code.op(Op.I64_SUB)
            code.long(layout.row)
            code.op(Op.I64_MUL)
            code.long(layout.pages * PAGE)
            code.op(Op.I64_ADD, Op.I32_WRAP_I64)

    def _if(self, statement: ir.If, span: Span | None) -> None:
        code, expressions = self.code, self._expressions
        if not statement.otherwise:
            with code.block(Op.BLOCK) as end:
                expressions.jump_unless(statement.condition, end)
                self._block(statement.then, span)
            return
        with code.block(Op.BLOCK) as end:
            with code.block(Op.BLOCK) as otherwise:
                expressions.jump_unless(statement.condition, otherwise)
                self._block(statement.then, span)
                code.jump(end)
            self._block(statement.otherwise, span)

    def _while(self, condition: ir.Expr, body: ir.Block, span: Span | None) -> None:
        code = self.code
        with code.block(Op.BLOCK) as end, code.block(Op.LOOP) as head:
            self._expressions.jump_unless(condition, end)
            self._loops.append((end, head))
            self._block(body, span)
            self._loops.pop()
            code.jump(head)

    def _for(self, statement: ir.For, span: Span | None) -> None:
        """Add a loop that compares its bounds once before it, and at the end of each round."""
        code, expressions = self.code, self._expressions
        counter, high = expressions.locals[statement.name], code.local(Type.I64)
        expressions.value(statement.low)
        expressions.value(statement.high)
        code.set(high)
        code.set(counter)
        with code.block(Op.BLOCK) as end:
            code.get(counter)
            code.get(high)
            code.op(Op.I64_GE_S)
            code.jump(end, Op.BR_IF)
            with code.block(Op.LOOP) as head:
                self._round(statement.body, end, span)
                code.get(counter)
                code.long(1)
                code.op(Op.I64_ADD)
                code.tee(counter)
                code.get(high)
                code.op(Op.I64_LT_S)
                code.jump(head, Op.BR_IF)

    def _round(self, body: ir.Block, end: int, span: Span | None) -> None:
        """Add the body of a loop, in which `Continue` jumps to the end of the body."""
        if not jumps(body, also_continues=True):
            self._block(body, span)
            return
        with self.code.block(Op.BLOCK) as rest:
            self._loops.append((end, rest))
            self._block(body, span)
            self._loops.pop()

    def _spend(self, amount: ir.Expr, span: Span | None) -> None:
        code, place = self.code, self._layout.places[FUEL]
        left, cost = code.local(Type.I64), self._expressions.kept(amount)
        self._expressions.begin(place)
        self._expressions.begin(place)
        code.memory(place.width.load, place.width.power, place.address)
        code.get(cost)
        code.op(Op.I64_SUB)
        code.tee(left)
        code.long(0)
        code.op(Op.I64_LT_S)
        code.trap_if(faults.NO_STEPS, span)
        code.get(left)
        code.memory(place.width.store, place.width.power, place.address)

    def _copy(self, node: ir.Copy, span: Span | None) -> None:
        """Add a copy of the state to a slot or from there."""
        code, size = self.code, self._layout.state
        slot = self._expressions.kept(node.slot)
        code.get(slot)
        code.long(ir.SLOTS)
        code.op(Op.I64_GE_U)
        code.trap_if(faults.INDEX, span)
        if node.operator == "load":
            code.base()
        code.get(slot)
        code.long(size)
        code.op(Op.I64_MUL)
        code.long(self._layout.row)
        code.op(Op.I64_ADD)
        code.op(Op.I32_WRAP_I64)
        if node.operator == "save":
            code.base()
        code.short(size)
        code.raw(MEMORY_COPY)

    def _store(self, node: ir.Store, span: Span | None) -> None:
        """Add a store: the index is evaluated, then the value, then both are checked."""
        code, expressions = self.code, self._expressions
        if self._is_checked(node):
            index = expressions.kept(node.index)
            value = expressions.kept(node.value)
            expressions.check_index(node, index)
            self._check_value(node, value, span)
            address = expressions.entry(node, index)
            code.get(value)
        else:
            address = expressions.address(node)
            expressions.value(node.value)
        width = self._layout.places[node.table].width
        code.memory(width.store, width.power, address)

    def _is_checked(self, node: ir.Store) -> bool:
        """Return whether the index or the value can be out of range."""
        ranges = self._ranges
        return ranges.needs_low(node) or ranges.needs_high(node) or ranges.needs_range(node)

    def _check_value(self, node: ir.Store, value: int, span: Span | None) -> None:
        if not self._ranges.needs_range(node):
            return
        code, place = self.code, self._layout.places[node.table]
        least, most = self._ranges.value(node)
        for known, allowed, wrong in (
            (least >= place.low, place.low, Op.I64_LT_S),
            (most <= place.high, place.high, Op.I64_GT_S),
        ):
            if not known:
                code.get(value)
                code.long(allowed)
                code.op(wrong)
                code.trap_if(faults.RANGE, span)


class PrintedModule(NamedTuple):
    """A module: its bytes, the layout of its tables, and the instructions that can stop it.

    The marks of these instructions have offsets in the bytes of the module.
    """

    content: bytes
    layout: Layout
    marks: tuple[Mark, ...]


def print_module(program: ir.Program, ranges: Ranges | None = None) -> PrintedModule:
    """Return the module of a well-formed program.

    `ranges` are those of the program, if they are known already.
    """
    facts = ModuleFacts.of(program, ranges)
    layout, _, callees, _ = facts
    functions = program.functions.values()
    codes = [print_function(function, facts) for function in functions]
    types = [_signature(function) for function in functions]
    copies = signature([Type.I32], [])
    codes += [_copy(layout, save=True), _copy(layout, save=False)]
    types += [copies, copies]
    exports = {name: callees[name].number for name in program.entries}
    exports |= {SAVE: len(codes) - 2, LOAD: len(codes) - 1}
    before = MAGIC + _declarations(types, layout, exports)
    bodies, marks = _bodies(codes, len(before))
    data = _data(program.tables, layout)
    named = names_section({callee.number: name for name, callee in callees.items()})
    return PrintedModule(before + bodies + data + named, layout, marks)


def _signature(function: ir.Function) -> bytes:
    results = [TYPES[function.result]] if function.result else []
    return signature([TYPES[kind] for _, kind in function.params], results)


def _copy(layout: Layout, *, save: bool) -> Code:
    """Return a function that copies the state to an address, or from there."""
    code = Code([Type.I32])
    code.get(0) if save else code.short(0)
    code.short(0) if save else code.get(0)
    code.short(layout.state)
    code.raw(MEMORY_COPY)
    return code


def _declarations(types: Sequence[bytes], layout: Layout, exports: Mapping[str, int]) -> bytes:
    """Return the sections before the code: types, functions, memory, exports."""
    kinds = list(dict.fromkeys(types))
    numbers = {kind: number for number, kind in enumerate(kinds)}
    memory = bytes((0,)) + unsigned(layout.pages)
    # The last fault, and the address of the row in use.
    globals_ = [bytes((Type.I32, 1, Op.I32_CONST, 0, Op.END))] * 2
    exported = [
        text(MEMORY) + bytes((2, 0)),
        text(FAULT) + bytes((3, 0)),
        text(ROW) + bytes((3, BASE)),
    ]
    exported += [text(name) + bytes((0,)) + unsigned(number) for name, number in exports.items()]
    return (
        section(1, vector(kinds))
        + section(3, vector([unsigned(numbers[kind]) for kind in types]))
        + section(5, vector([memory]))
        + section(6, vector(globals_))
        + section(7, vector(exported))
    )


def _bodies(codes: Sequence[Code], start: int) -> tuple[bytes, tuple[Mark, ...]]:
    """Return the code section, which begins at `start`, and the marks in it."""
    content = bytearray(unsigned(len(codes)))
    found: list[tuple[int, Mark]] = []
    for code in codes:
        body, first = code.body()
        first += len(content)
        found += [(first + mark.offset, mark) for mark in code.marks]
        content += body
    whole = section(10, bytes(content))
    before = start + len(whole) - len(content)
    return whole, tuple(Mark(before + at, mark.span) for at, mark in found)


def _data(tables: Mapping[str, ir.Table], layout: Layout) -> bytes:
    """Return the data section with the initial values of tables, except zeros."""
    segments = []
    for name, table in tables.items():
        if any(table.values):
            place = layout.places[name]
            values = struct.pack(f"<{table.size}{place.width.format}", *table.values)
            offset = bytes((Op.I32_CONST,)) + signed(place.address) + bytes((Op.END,))
            segments.append(bytes((0,)) + offset + sized(values))
    return section(11, vector(segments))
