"""The verifier: checks that a program is well formed.

It checks every demand of `docs/reference/ir.md` that can be checked without running the program.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from rulesdsl.engine.ir.text import block_lines
from rulesdsl.language.model import ir
from rulesdsl.language.model.ir import FUEL, LARGEST, SMALLEST

Assigned = frozenset[str] | None
"""The locals that have a value on every path to a place; None if no path leads there."""


def verify(program: ir.Program, faults: Collection[int] | None = None) -> list[str]:
    """Return all mistakes in a program, none if it is well formed.

    `faults` are the valid codes of `Trap`; None for any code from 1 on.
    """
    found = [line for table in program.tables.values() for line in _table(table)]
    found += _wrong_names("table", program.tables.items())
    found += _wrong_names("function", program.functions.items())
    found += [f"entry {name}: no such function" for name in _unknown_entries(program)]
    found += [f"entry {name}: named twice" for name in _repeated(program.entries)]
    for function in program.functions.values():
        check = _Check(program, function, faults)
        check.run()
        found += [f"function {function.name}: {line}" for line in check.found]
    return found


def _wrong_names(
    what: str, items: Iterable[tuple[str, ir.Table]] | Iterable[tuple[str, ir.Function]]
) -> Iterator[str]:
    for key, item in items:
        if key != item.name:
            yield f"{what} {item.name}: kept as {key}"
        if not _is_name(item.name):
            yield f"{what} {item.name}: not a name"


def _is_name(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) is not None


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _unknown_entries(program: ir.Program) -> Iterator[str]:
    return (name for name in program.entries if name not in program.functions)


def _table(table: ir.Table) -> Iterator[str]:
    """Yield the mistakes in a table."""
    values = table.values
    if not SMALLEST <= table.low <= table.high <= LARGEST:
        yield f"table {table.name}: no range: {table.low} to {table.high}"
    if len(values) != table.size and (values or table.role == "const"):
        yield f"table {table.name}: {len(values)} values, not {table.size}"
    begun = values or (0,) * min(table.size, 1)
    wrong = next((value for value in begun if not table.low <= value <= table.high), None)
    if wrong is not None:
        yield f"table {table.name}: begins with {wrong}, not from {table.low} to {table.high}"


class _Check:
    """The check of one function.

    `found` are the mistakes. `assigned` are the locals that have a value at the current statement.
    """

    def __init__(
        self, program: ir.Program, function: ir.Function, faults: Collection[int] | None
    ) -> None:
        self.program = program
        self.function = function
        self.faults = faults
        self.kinds = dict(function.params + function.locals)
        self.assigned: Assigned = frozenset(name for name, _ in function.params)
        self.counting: list[str] = []
        self.breaks: list[list[Assigned]] = []
        self.at: ir.Stmt | None = None
        self.found: list[str] = []

    def report(self, message: str) -> None:
        line = next(block_lines((self.at,), "")) if self.at else ""
        self.found.append(f"`{line}`: {message}" if line else message)

    def run(self) -> None:
        names = [name for name, _ in self.function.params + self.function.locals]
        for name in names:
            if not _is_name(name):
                self.report(f"{name} is not a name")
        for name in _repeated(names):
            self.report(f"{name} is declared twice")
        self.block(self.function.body)
        self.at = None
        if self.function.result is not None and self.assigned is not None:
            self.report("a path ends without a result")

    # --- statements ------------------------------------------------------------------------------

    def block(self, block: ir.Block) -> None:
        for statement in block:
            self.at = statement
            self.statement(statement)

    def statement(self, statement: ir.Stmt) -> None:
        match statement:
            case ir.Assign(name, value):
                self.assign(name, value)
            case ir.Store(table, index, value):
                self.want("int", index)
                self.want("int", value)
                self.store(table)
            case ir.Do(call):
                self.call(call)
            case ir.If():
                self.branches(statement)
            case ir.While(condition, body):
                self.want("bool", condition)
                endless = condition == ir.Truth(True)
                self.loop(body, None if endless else self.assigned)
            case ir.For():
                self.count(statement)
            case ir.Spend(amount):
                self.want("int", amount)
                self.spend()
            case ir.Enter(row):
                self.want("int", row)
            case ir.Copy(_, slot):
                self.want("int", slot)
            case _:
                self.leave(statement)

    def leave(self, statement: ir.Stmt) -> None:
        """Check a statement after which the block does not go on."""
        match statement:
            case ir.Return(value):
                self.returned(value)
            case ir.Trap(code):
                known = code > 0 if self.faults is None else code in self.faults
                if not known:
                    self.report(f"no fault has the code {code}")
            case ir.Break() | ir.Continue():
                if not self.breaks:
                    self.report("outside of any loop")
                elif isinstance(statement, ir.Break):
                    self.breaks[-1].append(self.assigned)
        self.assigned = None

    def assign(self, name: str, value: ir.Expr) -> None:
        kind = self.kind(value)
        if name not in self.kinds:
            self.report(f"{name} is not declared")
        elif kind is not None and kind != self.kinds[name]:
            self.report(f"{name} is {self.kinds[name]}, not {kind}")
        if name in self.counting:
            self.report(f"{name} is assigned in the loop that counts with it")
        self.give(name)

    def give(self, name: str) -> None:
        if self.assigned is not None:
            self.assigned |= {name}

    def store(self, name: str) -> None:
        table = self.program.tables.get(name)
        if table is None:
            self.report(f"there is no table {name}")
        elif table.role == "const":
            self.report(f"{name} never changes")

    def spend(self) -> None:
        table = self.program.tables.get(FUEL)
        if table is None or table.role == "const" or table.size == 0:
            self.report(f"there is no table {FUEL} to take from")

    def returned(self, value: ir.Expr | None) -> None:
        result = self.function.result
        if value is None:
            if result is not None:
                self.report(f"returns nothing, not {result}")
        elif result is None:
            self.kind(value)
            self.report("the function returns nothing")
        else:
            self.want(result, value)

    def branches(self, statement: ir.If) -> None:
        self.want("bool", statement.condition)
        before = self.assigned
        self.block(statement.then)
        after, self.assigned = self.assigned, before
        self.block(statement.otherwise)
        self.assigned = _both(after, self.assigned)

    def count(self, loop: ir.For) -> None:
        self.want("int", loop.low)
        self.want("int", loop.high)
        if self.kinds.get(loop.name) != "int":
            self.report(f"{loop.name} is not declared as int")
        if loop.name in self.counting:
            self.report(f"{loop.name} is assigned in the loop that counts with it")
        before = self.assigned
        self.give(loop.name)
        self.counting.append(loop.name)
        self.loop(loop.body, before)
        self.counting.pop()
        if self.assigned is not None:
            self.assigned -= {loop.name}

    def loop(self, body: ir.Block, after: Assigned) -> None:
        """Check the body of a loop; `after` are the assigned locals if the loop ends by itself."""
        self.breaks.append([])
        self.block(body)
        for left in self.breaks.pop():
            after = _both(after, left)
        self.assigned = after

    # --- expressions -----------------------------------------------------------------------------

    def want(self, kind: ir.Kind, expression: ir.Expr) -> None:
        found = self.kind(expression)
        if found is not None and found != kind:
            self.report(f"{found} where {kind} is meant")

    def kind(self, expression: ir.Expr) -> ir.Kind | None:
        """Return the type of an expression, None if it has a mistake."""
        match expression:
            case ir.Const(value):
                if not SMALLEST <= value <= LARGEST:
                    self.report(f"{value} does not fit 64 bits")
                return "int"
            case ir.Truth():
                return "bool"
            case ir.Local(name):
                return self.local(name)
            case ir.Load(table, index):
                self.want("int", index)
                if table not in self.program.tables:
                    self.report(f"there is no table {table}")
                return "int"
            case ir.Call():
                return self.called(expression)
            case ir.Select(condition, then, otherwise):
                self.want("bool", condition)
                return self.same(then, otherwise)
            case _:
                return self.operation(expression)

    def operation(self, expression: ir.Unary | ir.Binary | ir.Compare | ir.Logic) -> ir.Kind:
        match expression:
            case ir.Unary(operator, operand):
                self.want("int" if operator == "-" else "bool", operand)
                return "bool" if operator == "not" else "int"
            case ir.Binary(_, left, right) | ir.Compare(_, left, right):
                self.want("int", left)
                self.want("int", right)
                return "int" if isinstance(expression, ir.Binary) else "bool"
            case ir.Logic(_, left, right):
                self.want("bool", left)
                self.want("bool", right)
                return "bool"

    def same(self, then: ir.Expr, otherwise: ir.Expr) -> ir.Kind | None:
        """Return the common type of two expressions."""
        first, second = self.kind(then), self.kind(otherwise)
        if first is not None and second is not None and first != second:
            self.report(f"either {first} or {second}")
        return first

    def local(self, name: str) -> ir.Kind | None:
        if name not in self.kinds:
            self.report(f"{name} is not declared")
        elif self.assigned is not None and name not in self.assigned:
            self.report(f"{name} is read where it may have no value")
        return self.kinds.get(name)

    def called(self, call: ir.Call) -> ir.Kind | None:
        function = self.call(call)
        if function is not None and function.result is None:
            self.report(f"{call.function} returns nothing")
        return function.result if function else None

    def call(self, call: ir.Call) -> ir.Function | None:
        function = self.program.functions.get(call.function)
        kinds = [kind for _, kind in function.params] if function else []
        if function is None:
            self.report(f"there is no function {call.function}")
        elif len(kinds) != len(call.arguments):
            self.report(f"{call.function} takes {len(kinds)} arguments, not {len(call.arguments)}")
        for index, argument in enumerate(call.arguments):
            if index < len(kinds):
                self.want(kinds[index], argument)
            else:
                self.kind(argument)
        return function


def _both(a: Assigned, b: Assigned) -> Assigned:
    """Return the locals that have a value where two paths meet."""
    if a is None or b is None:
        return b if a is None else a
    return a & b
