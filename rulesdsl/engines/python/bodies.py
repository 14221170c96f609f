"""Statements of a program as Python."""

from __future__ import annotations

from rulesdsl.diagnostics import Span
from rulesdsl.engines.python.expressions import OPERATORS, Expressions
from rulesdsl.engines.python.lines import Lines
from rulesdsl.engines.python.names import Names
from rulesdsl.ir.passes.trees import jumps, returns
from rulesdsl.ir.ranges import Interval, Ranges, meet
from rulesdsl.ir.verify import FUEL, LARGEST, SMALLEST
from rulesdsl.model import ir
from rulesdsl.runtime import faults

DEEPEST = 80
MOST_LOOPS = 18
"""The limits on nesting: Python allows 100 levels of indentation and 20 nested loops."""

BODY = 2
"""The indentation of the body of a function, which is nested in `make`."""

_FAULT_NAMES = {value: name for name, value in vars(faults).items() if isinstance(value, int)}


class Body:
    """A printer of the statements of one function."""

    def __init__(
        self, program: ir.Program, names: Names, ranges: Ranges, function: ir.Function
    ) -> None:
        self._program = program
        self._names = names
        self._ranges = ranges
        self._function = function
        self._inside = names.inside(function)
        self._expressions = Expressions(names, self._inside, ranges)
        self._lines = Lines()
        self._around: Span | None = None
        self._left = ""
        self._loops = 0
        self._parts: list[Lines] = []
        self._in_part = False

    @property
    def params(self) -> str:
        """The parameters, as in the `def` line."""
        return ", ".join(self._inside.locals[name] for name, _ in self._function.params)

    def print(self, lines: Lines) -> None:
        """Add the body to the lines."""
        changed = self._names.changed(self._function)
        if changed:
            lines.add(f"nonlocal {', '.join(changed)}")
        self._lines = Lines(lines.depth)
        self.block(self._function.body)
        own = [self._inside.locals[name] for name, _ in self._function.locals]
        if self._parts and own:
            lines.add(" = ".join([*own, "0"]))
        for part in (*self._parts, self._lines):
            lines.extend(part)

    def block(self, block: ir.Block) -> None:
        """Add every statement at the current depth, or `pass` if there is none."""
        before = len(self._lines.texts)
        for statement in block:
            self._statement(statement)
        if len(self._lines.texts) == before:
            self._lines.add("pass")

    def _statement(self, statement: ir.Stmt) -> None:
        text, add = self._expressions.text, self._lines.add
        span = statement.span or self._around
        if self._is_too_deep(statement):
            self._part(statement, span)
            return
        match statement:
            case ir.Assign(name, value):
                self._assign(self._inside.locals[name], ir.Local(name), value, span)
            case ir.Store():
                self._store(statement, span)
            case ir.Do(call):
                add(text(call), span)
            case ir.If():
                self._if(statement, "if", span)
            case ir.While(condition, body):
                add(f"while {text(condition)}:", span)
                self._round(body, span)
            case ir.For(name, low, high, body):
                begin = "" if low == ir.Const(0) else f"{text(low)}, "
                add(f"for {self._inside.locals[name]} in range({begin}{text(high)}):", span)
                self._round(body, span)
            case ir.Break():
                add("break" if self._loops or not self._in_part else "return True", span)
            case ir.Continue():
                add("continue" if self._loops or not self._in_part else "return False", span)
            case ir.Return(value):
                result = "" if value is None else text(value)
                ended = f"({result}{',' if result else ''})"
                add(f"return {ended if self._in_part else result}".rstrip(), span)
            case ir.Trap(code):
                self._trap(code, span)
            case ir.Spend(amount):
                self._spend(amount, span)

    def _inner(self, block: ir.Block, span: Span | None) -> None:
        """Add an indented block; `span` is the place of statements that have none of their own."""
        around, self._around = self._around, span
        with self._lines.deeper():
            self.block(block)
        self._around = around

    def _round(self, block: ir.Block, span: Span | None) -> None:
        """Add the body of a loop."""
        self._loops += 1
        self._inner(block, span)
        self._loops -= 1

    def _assign(self, variable: str, itself: ir.Expr, value: ir.Expr, span: Span | None) -> None:
        """Assign a value to a variable, which is read as `itself`."""
        match value:
            case ir.Binary(operator, left, right) if left == itself and operator in OPERATORS:
                self._lines.add(f"{variable} {operator}= {self._expressions.text(right)}", span)
            case _:
                self._lines.add(f"{variable} = {self._expressions.text(value)}", span)

    def _if(self, statement: ir.If, word: str, span: Span | None) -> None:
        add = self._lines.add
        then, otherwise = statement.then, statement.otherwise
        if not then and otherwise:
            add(f"{word} {self._expressions.opposite(statement.condition)}:", span)
            self._inner(otherwise, span)
            return
        add(f"{word} {self._expressions.text(statement.condition)}:", span)
        self._inner(then, span)
        match otherwise:
            case ():
                pass
            case (ir.If() as inner,):
                self._if(inner, "elif", inner.span or span)
            case _:
                add("else:", span)
                self._inner(otherwise, span)

    def _trap(self, code: int, span: Span | None) -> None:
        name = _FAULT_NAMES.get(code)
        self._lines.add(f"raise Fault({code})" + (f"  # {name}" if name else ""), span)

    def _trap_if(self, condition: str, code: int, span: Span | None) -> None:
        self._lines.add(f"if {condition}:", span)
        with self._lines.deeper():
            self._trap(code, span)

    def _spend(self, amount: ir.Expr, span: Span | None) -> None:
        fuel = self._expressions.subscript(ir.Load(FUEL, ir.Const(0)))
        cost = self._kept(amount, "cost", span)
        left = self._left = self._left or self._inside.fresh("left")
        self._lines.add(f"{left} = {fuel} - {cost}", span)
        self._trap_if(f"{left} < 0", faults.NO_STEPS, span)
        self._lines.add(f"{fuel} = {left}", span)

    # --- nesting deeper than Python allows -------------------------------------------------------

    def _is_too_deep(self, statement: ir.Stmt) -> bool:
        loop = isinstance(statement, ir.While | ir.For)
        deep = loop or isinstance(statement, ir.If)
        return (deep and self._lines.depth >= DEEPEST) or (loop and self._loops >= MOST_LOOPS)

    def _part(self, statement: ir.Stmt, span: Span | None) -> None:
        """Add the statement as a nested function that changes the locals of this one.

        The nested function returns True for `Break`, False for `Continue`, and a tuple with the
        result for `Return`.
        """
        name = self._inside.fresh("part")
        shared = [*self._inside.locals.values(), *self._names.changed(self._function)]
        outside = self._lines, self._loops, self._in_part
        self._lines, self._loops, self._in_part = Lines(BODY), 0, True
        self._parts.append(self._lines)
        self._lines.add(f"def {name}():", span)
        with self._lines.deeper():
            if shared:
                self._lines.add(f"nonlocal {', '.join(shared)}", span)
            self._statement(statement)
        self._lines, self._loops, self._in_part = outside
        ended = self._inside.fresh("ended")
        self._lines.add(f"{ended} = {name}()", span)
        self._go_on(ended, statement, span)

    def _go_on(self, ended: str, statement: ir.Stmt, span: Span | None) -> None:
        """Add the jumps that follow the call of a nested function."""
        leaving = []
        if self._loops and jumps((statement,), also_continues=True):
            leaving += [("is True", "break"), ("is False", "continue")]
        if self._in_part:
            leaving.append(("is not None", f"return {ended}"))
        elif returns((statement,)):
            result = f" {ended}[0]" if self._function.result else ""
            leaving.append(("is not None", f"return{result}"))
        for condition, way in leaving:
            self._lines.add(f"if {ended} {condition}:", span)
            with self._lines.deeper():
                self._lines.add(way, span)

    # --- changes of tables -----------------------------------------------------------------------

    def _store(self, node: ir.Store, span: Span | None) -> None:
        """Add a store: the index is evaluated, then the value, then both are checked.

        Python by itself would evaluate the value first.
        """
        variable = self._names.entry(node.table, node.index)
        if variable is not None:
            self._assign_checked(variable, node, span)
            return
        if self._fits(node):
            index = None if _order_is_free(node) else self._kept(node.index, "at", span)
            entry = self._expressions.subscript(node, index)
            self._lines.add(f"{entry} = {self._expressions.text(node.value)}", span)
            return
        index = self._kept(node.index, "at", span)
        value = self._kept(node.value, "value", span)
        last = self._program.tables[node.table].size - 1
        self._check(index, self._ranges.index(node), (0, last), faults.INDEX, span)
        self._check_value(value, node, span)
        self._lines.add(f"{self._names.tables[node.table]}[{index}] = {value}", span)

    def _assign_checked(self, variable: str, node: ir.Store, span: Span | None) -> None:
        """Add a store to a table whose entries are variables."""
        if self._fits(node):
            self._assign(variable, ir.Load(node.table, node.index), node.value, span)
            return
        value = self._kept(node.value, "value", span)
        self._check_value(value, node, span)
        self._lines.add(f"{variable} = {value}", span)

    def _fits(self, node: ir.Store) -> bool:
        """Say whether any possible value is in the range of the table."""
        (least, most), (low, high) = self._value(node), self._allowed(node)
        return low <= least and most <= high

    def _value(self, node: ir.Store) -> Interval:
        """Return the range of the value, at worst that of all numbers of the IR."""
        return meet(self._ranges.value(node), (SMALLEST, LARGEST)) or (SMALLEST, LARGEST)

    def _allowed(self, node: ir.Store) -> Interval:
        table = self._program.tables[node.table]
        return table.low, table.high

    def _check_value(self, value: str, node: ir.Store, span: Span | None) -> None:
        self._check(value, self._value(node), self._allowed(node), faults.RANGE, span)

    def _kept(self, expr: ir.Expr, hint: str, span: Span | None) -> str:
        """Evaluate an expression here, and return the text that reads its value later."""
        if isinstance(expr, ir.Const | ir.Local):
            return self._expressions.text(expr)
        name = self._inside.fresh(hint)
        self._lines.add(f"{name} = {self._expressions.text(expr)}", span)
        return name

    def _check(
        self, number: str, known: Interval, allowed: Interval, code: int, span: Span | None
    ) -> None:
        """Add a check that raises fault `code`, if the number can be out of the allowed range."""
        wrong = [f"{number} < {allowed[0]}"] if known[0] < allowed[0] else []
        wrong += [f"{number} > {allowed[1]}"] if known[1] > allowed[1] else []
        if wrong:
            self._trap_if(" or ".join(wrong), code, span)


def _order_is_free(node: ir.Store) -> bool:
    """Say whether the order in which index and value are evaluated makes no difference."""
    risks = _risk(node.index), _risk(node.value)
    return min(risks) == 0 or max(risks) == 1


def _risk(expr: ir.Expr) -> int:
    """Return how much an expression depends on the order of evaluation.

    0: it reads only locals and cannot fail. 1: it reads tables, and at worst an index is wrong. 2:
    it can fail in another way or change tables.
    """
    match expr:
        case ir.Load(_, index):
            return max(1, _risk(index))
        case ir.Unary(_, operand):
            return _risk(operand)
        case ir.Binary("//" | "%" | "<<" | ">>", _, right) if not isinstance(right, ir.Const):
            return 2
        case ir.Binary(_, left, right) | ir.Compare(_, left, right) | ir.Logic(_, left, right):
            return max(_risk(left), _risk(right))
        case ir.Select(condition, then, otherwise):
            return max(_risk(condition), _risk(then), _risk(otherwise))
        case ir.Call():
            return 2
    return 0
