"""Statements of a program as WebAssembly."""

from __future__ import annotations

from collections.abc import Mapping

from rulesdsl.diagnostics import Span
from rulesdsl.engines.wasm.binary import Op, Type
from rulesdsl.engines.wasm.code import Code
from rulesdsl.engines.wasm.expressions import TYPES, Callee, Expressions
from rulesdsl.engines.wasm.layout import Layout
from rulesdsl.ir.passes.trees import jumps
from rulesdsl.ir.ranges import Ranges
from rulesdsl.ir.verify import FUEL
from rulesdsl.model import ir
from rulesdsl.runtime import faults


def print_function(
    function: ir.Function, layout: Layout, ranges: Ranges, callees: Mapping[str, Callee]
) -> Code:
    """Return the instructions of a function."""
    return _Statements(function, layout, ranges, callees).code


class _Statements:
    def __init__(
        self,
        function: ir.Function,
        layout: Layout,
        ranges: Ranges,
        callees: Mapping[str, Callee],
    ) -> None:
        self.code = Code([TYPES[kind] for _, kind in function.params])
        self._layout = layout
        self._ranges = ranges
        self._callees = callees
        self._expressions = Expressions(self.code, layout, ranges, callees, function)
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
            case ir.Spend(amount):
                self._spend(amount, span)

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
        code.short(0)
        code.short(0)
        code.memory(place.width.load, place.width.power, place.address)
        code.get(cost)
        code.op(Op.I64_SUB)
        code.tee(left)
        code.long(0)
        code.op(Op.I64_LT_S)
        code.trap_if(faults.NO_STEPS, span)
        code.get(left)
        code.memory(place.width.store, place.width.power, place.address)

    def _store(self, node: ir.Store, span: Span | None) -> None:
        """Add a store: the index is evaluated, then the value, then both are checked."""
        code, expressions = self.code, self._expressions
        if self._is_checked(node):
            index = expressions.kept(node.index)
            value = expressions.kept(node.value)
            expressions.check_index(node, index)
            self._check_value(node, value, span)
            expressions.entry(node, index)
            code.get(value)
        else:
            expressions.address(node)
            expressions.value(node.value)
        place = self._layout.places[node.table]
        code.memory(place.width.store, place.width.power, place.address)

    def _is_checked(self, node: ir.Store) -> bool:
        """Say whether the index or the value can be out of range."""
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
