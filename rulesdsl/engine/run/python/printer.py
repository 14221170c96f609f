"""Functions of the IR printed as Python, with the checks that the IR asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from keyword import iskeyword

from rulesdsl.base.records import dataclass
from rulesdsl.engine.runtime import faults
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import ir

CHECKED, FAULT, SPEND, ENTER, SAVE, LOAD = (
    *("checked_index", "fault", "spend_steps"),
    *("enter_row", "save_state", "load_state"),
)
"""The names of functions that printed code calls; see `machine`."""

_VALUE = "stored"
"""The local that holds a value while its range is checked; locals of the IR have a prefix."""


@dataclass(frozen=True)
class PrintedFunctions:
    """Functions as the text of a module; line `n + 1` comes from the rules at `spans[n]`."""

    text: str
    spans: tuple[Span | None, ...]


def print_functions(
    functions: Iterable[ir.Function], tables: Mapping[str, ir.Table]
) -> PrintedFunctions:
    """Return the text of functions, whose globals are the tables and all functions by name."""
    lines, spans = list[str](), list[Span | None]()
    for function in functions:
        code = _Code(tables)
        params = ", ".join(code.local(name) for name, _ in function.params)
        lines.append(f"def {function.name}({params}):")
        spans.append(function.span)
        for line, span in code.block(function.body, " "):
            lines.append(line)
            spans.append(span or function.span)
    return PrintedFunctions("\n".join(lines) + "\n", tuple(spans))


Line = tuple[str, Span | None]


class _Code:
    """The lines of one function."""

    def __init__(self, tables: Mapping[str, ir.Table]) -> None:
        self._tables = tables
        self._locals: dict[str, str] = {}
        self._counting: list[str] = []

    def local(self, name: str) -> str:
        """Return the Python name of a local, whose prefix no table and function has."""
        if name not in self._locals:
            plain = "v_" + re.sub(r"\W", "_", name)
            while plain in self._locals.values() or iskeyword(plain):
                plain += "_"
            self._locals[name] = plain
        return self._locals[name]

    # --- statements ------------------------------------------------------------------------------

    def block(self, block: ir.Block, indent: str) -> Iterator[Line]:
        """Yield the lines of a block."""
        if not block:
            yield indent + "pass", None
        for statement in block:
            yield from self._statement(statement, indent)

    def _statement(self, statement: ir.Stmt, indent: str) -> Iterator[Line]:
        span = statement.span
        match statement:
            case ir.If(condition, then, otherwise):
                yield f"{indent}if {self._of(condition)}:", span
                yield from self.block(then, indent + " ")
                # Python has at most a hundred levels, which a chain of conditions must not use up.
                while len(otherwise) == 1 and isinstance(other := otherwise[0], ir.If):
                    yield f"{indent}elif {self._of(other.condition)}:", other.span
                    yield from self.block(other.then, indent + " ")
                    otherwise = other.otherwise
                if otherwise:
                    yield f"{indent}else:", None
                    yield from self.block(otherwise, indent + " ")
            case ir.While(condition, body):
                yield f"{indent}while {self._of(condition)}:", span
                yield from self.block(body, indent + " ")
            case ir.For(name, low, high, body):
                bounds = f"{self._of(low)}, {self._of(high)}"
                yield f"{indent}for {self.local(name)} in range({bounds}):", span
                counts = isinstance(low, ir.Const) and low.value >= 0
                self._counting.append(name if counts else "")
                yield from self.block(body, indent + " ")
                self._counting.pop()
            case ir.Store():
                for line in self._store(statement):
                    yield indent + line, span
            case _:
                yield indent + self._simple(statement), span

    def _simple(self, statement: ir.Stmt) -> str:
        match statement:
            case ir.Assign(name, value):
                return f"{self.local(name)} = {self._of(value)}"
            case ir.Do(call):
                return self._of(call)
            case ir.Break():
                return "break"
            case ir.Continue():
                return "continue"
            case ir.Return(None):
                return "return"
            case ir.Return(ir.Call() | ir.Load() | ir.Local() | ir.Const() as value):
                return f"return {self._of(value)}"
            case ir.Return(value):
                assert value is not None, "the first case has none"
                return f"return {self._of(value)}"
            case ir.Trap(code):
                return f"{FAULT}({code})"
            case ir.Spend(amount):
                return f"{SPEND}({self._of(amount)})"
            case ir.Enter(row):
                return f"{ENTER}({self._of(row)})"
            case ir.Copy(operator, slot):
                return f"{SAVE if operator == 'save' else LOAD}({self._of(slot)})"
        raise AssertionError(f"{statement} is not simple")

    def _store(self, store: ir.Store) -> Iterator[str]:
        """Yield the lines of a store; Python evaluates the value before the index, the IR after."""
        table, index = self._tables[store.table], self._index(store.index)
        value = self._of(store.value)
        if not isinstance(store.index, ir.Const | ir.Local) and _calls(store.value):
            yield f"{_VALUE}_at = {index}"
            index = f"{_VALUE}_at"
        if not _fits(store.value, table):
            yield f"{_VALUE} = {value}"
            value = _VALUE
            yield f"if not {table.low} <= {value} <= {table.high}: {FAULT}({faults.RANGE})"
        yield f"{store.table}[{index}] = {value}"

    # --- expressions -----------------------------------------------------------------------------

    def _of(self, node: ir.Expr) -> str:
        match node:
            case ir.Const(value):
                return str(value) if value >= 0 else f"({value})"
            case ir.Truth(truth):
                return str(truth)
            case ir.Local(name):
                return self.local(name)
            case ir.Load(table, index):
                return f"{table}[{self._index(index)}]"
            case ir.Unary("int", operand):
                return f"int({self._of(operand)})"
            case ir.Unary(operator, operand):
                return f"({operator} {self._of(operand)})"
            case ir.Binary("min" | "max" as name, left, right):
                return f"{name}({self._of(left)}, {self._of(right)})"
            case (
                ir.Binary(operator, left, right)
                | ir.Compare(operator, left, right)
                | ir.Logic(operator, left, right)
            ):
                return f"({self._of(left)} {operator} {self._of(right)})"
            case ir.Select(condition, then, otherwise):
                found = f"{self._of(then)} if {self._of(condition)} else {self._of(otherwise)}"
                return f"({found})"
            case ir.Call(function, arguments):
                return f"{function}({', '.join(map(self._of, arguments))})"

    def _index(self, index: ir.Expr) -> str:
        """Return an index; one below 0, which Python would count from the end, is a fault."""
        plain = isinstance(index, ir.Const) and index.value >= 0
        counted = isinstance(index, ir.Local) and index.name in self._counting
        return self._of(index) if plain or counted else f"{CHECKED}({self._of(index)})"


def _calls(value: ir.Expr) -> bool:
    return any(isinstance(node, ir.Call) for node in ir.nodes((value,)))


def _fits(value: ir.Expr, table: ir.Table) -> bool:
    """Return whether a value is certainly in the range of a table."""
    match value:
        case ir.Const(number):
            return table.low <= number <= table.high
        case ir.Unary("int", _):
            return table.low <= 0 and table.high >= 1
    return table.low <= -(2**62) and table.high >= 2**62
