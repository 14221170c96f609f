"""A program of the IR as the source of a Python module.

The module has one function `make`, which takes the tables and returns the entry functions. All
other functions are nested in it, so that tables and functions are free variables: only locals are
faster to read. Small tables are variables, too, from the call of an entry function until it
returns.

A list of Python accepts the index -1 and any number as an entry, so indices and values are checked
where they can be wrong. An index that is too large is an `IndexError` without a check.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from textwrap import dedent

from rulesdsl.diagnostics import Span
from rulesdsl.ir.passes.trees import jumps, returns
from rulesdsl.ir.ranges import Interval, Ranges, analyse, meet
from rulesdsl.ir.verify import FUEL, LARGEST, SMALLEST
from rulesdsl.model import ir
from rulesdsl.model.tables import IN_ROWS
from rulesdsl.records import dataclass
from rulesdsl.runtime import faults
from rulesdsl.runtime.faults import INDEX

OWN_NAMES = (
    *("range", "Fault", "fault", "make", "tables", "slots"),
    *("entry", "function", "arguments", "call"),
)
ROW_NAMES = ("Rows", "rows", "enter_row")
RESERVED = frozenset({*keyword.kwlist, *OWN_NAMES, *ROW_NAMES})
"""The names that printed code itself uses."""

FEW = 4
"""The maximal number of entries of a table that is stored in variables."""

SEEN_OUTSIDE = (FUEL, "halted", "decided")
"""The tables that another thread reads and changes while the program runs, to stop it."""


class GlobalNames:
    """The names of tables and functions, which are global.

    `variables` has the small tables that are indexed by constants only: each of their entries is a
    variable, which is faster than a list. All others are in `tables`.
    """

    def __init__(self, program: ir.Program) -> None:
        taken = set(RESERVED)
        self.states = {t.name for t in program.tables.values() if t.role == "state"}
        self.variables: dict[str, tuple[str, ...]] = {}
        for table in _fixed(program):
            several = [f"{table.name}_{number}" for number in range(table.size)]
            own = _allot([table.name] if table.size == 1 else several, taken)
            self.variables[table.name] = tuple(own.values())
        lists = [name for name in program.tables if name not in self.variables]
        self.tables = _allot(lists, taken)
        self.functions = _allot(program.functions, taken)
        self._taken = frozenset(taken)

    def entry(self, table: str, index: ir.Expr) -> str | None:
        """Return the variable for an entry of a table, None if the table is a list."""
        if table not in self.variables:
            return None
        assert isinstance(index, ir.Const)
        return self.variables[table][index.value]

    def changed(self, function: ir.Function) -> list[str]:
        """Return the variables for entries of tables that a function changes."""
        tables = {node.table for node in function.nodes.of(ir.Store)}
        if any(node.operator == "load" for node in function.nodes.of(ir.Copy)):
            tables |= self.states
        return [name for table, own in self.variables.items() if table in tables for name in own]

    def parts(self) -> Iterator[str]:
        """Yield the whole content of each state table, to be read or assigned."""
        for name in sorted(self.states):
            yield from self.variables.get(name) or (f"{self.tables[name]}[:]",)

    def inside(self, function: ir.Function) -> Inside:
        """Return the names inside a function."""
        return Inside(function, self._taken)


class Inside:
    """The names of the parameters and locals of a function, with a supply of new ones."""

    def __init__(self, function: ir.Function, outside: frozenset[str]) -> None:
        own = dict.fromkeys(name for name, _ in (*function.params, *function.locals))
        self._taken = set(outside)
        self.locals = _allot(own, self._taken)

    def fresh(self, hint: str) -> str:
        """Return a new local name, a different one each time."""
        return _free(hint, self._taken)


def _fixed(program: ir.Program) -> Iterator[ir.Table]:
    """Yield the small tables that are indexed by constants only."""
    used = set[str]()
    varied = set[str](SEEN_OUTSIDE)
    for function in program.functions.values():
        entries: list[ir.Load | ir.Store] = [
            *function.nodes.of(ir.Load),
            *function.nodes.of(ir.Store),
        ]
        for node in entries:
            used.add(node.table)
            if not _is_sure(node.index, program.tables[node.table]):
                varied.add(node.table)
    for table in program.tables.values():
        small = table.role != "const" and table.size <= FEW
        if small and table.name in used and table.name not in varied:
            yield table


def _is_sure(index: ir.Expr, table: ir.Table) -> bool:
    return isinstance(index, ir.Const) and 0 <= index.value < table.size


def _allot(keys: Iterable[str], taken: set[str]) -> dict[str, str]:
    return {key: _free(_identifier(key), taken) for key in keys}


def _identifier(key: str) -> str:
    plain = re.sub(r"\W", "_", key, flags=re.ASCII)
    return plain if plain.isidentifier() else f"_{plain}"


def _free(name: str, taken: set[str]) -> str:
    """Return the name, numbered if it is taken, and mark it as taken."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    taken.add(found)
    return found


class PythonLines:
    """Lines of code; `spans[n]` is the place in the rules that line n + 1 comes from."""

    def __init__(self, depth: int = 0) -> None:
        self.texts: list[str] = []
        self.spans: list[Span | None] = []
        self.depth = depth

    def add(self, text: str = "", span: Span | None = None) -> None:
        """Add a line at the current depth."""
        self.texts.append("    " * self.depth + text if text else "")
        self.spans.append(span)

    def extend(self, other: PythonLines) -> None:
        """Add other lines, at the depth they have."""
        self.texts += other.texts
        self.spans += other.spans

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Return a context in which lines are indented by one more level."""
        self.depth += 1
        yield
        self.depth -= 1

    def docstring(self, text: str) -> None:
        """Add a text as a docstring, or nothing if it is empty."""
        plain = text.strip().replace("\\", "\\\\").replace('"""', '\\"""')
        if plain:
            first, *others = plain.splitlines()
            end = " " if plain.endswith('"') else ""
            if not others:
                self.add(f'"""{first}{end}"""')
                return
            self.add(f'"""{first}')
            for line in others:
                self.add(line.strip())
            self.add('"""')

    @property
    def source(self) -> str:
        """The source code."""
        return "".join(f"{text}\n" for text in self.texts)


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


class PythonExpressions:
    """A printer of the expressions of one function.

    A value that is needed twice is assigned to a new local.
    """

    def __init__(self, names: GlobalNames, inside: Inside, ranges: Ranges) -> None:
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


DEEPEST = 80
MOST_LOOPS = 18
"""The limits on nesting: Python allows 100 levels of indentation and 20 nested loops."""

BODY = 2
"""The indentation of the body of a function, which is nested in `make`."""

_FAULT_NAMES = {value: name for name, value in vars(faults).items() if isinstance(value, int)}


class Body:
    """A printer of the statements of one function."""

    def __init__(
        self, program: ir.Program, names: GlobalNames, ranges: Ranges, function: ir.Function
    ) -> None:
        self._program = program
        self._names = names
        self._ranges = ranges
        self._function = function
        self._inside = names.inside(function)
        self._expressions = PythonExpressions(names, self._inside, ranges)
        self._lines = PythonLines()
        self._around: Span | None = None
        self._left = ""
        self._loops = 0
        self._parts: list[PythonLines] = []
        self._in_part = False

    @property
    def params(self) -> str:
        """The parameters, as in the `def` line."""
        return ", ".join(self._inside.locals[name] for name, _ in self._function.params)

    def print(self, lines: PythonLines) -> None:
        """Add the body to the lines."""
        changed = self._names.changed(self._function)
        if changed:
            lines.add(f"nonlocal {', '.join(changed)}")
        self._lines = PythonLines(lines.depth)
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
            case ir.Enter(row):
                add(f"enter_row({text(row)})", span)
            case ir.Copy():
                self._copy(statement, span)

    def _copy(self, node: ir.Copy, span: Span | None) -> None:
        """Add a copy of the state to a slot or from there."""
        slot = self._inside.fresh("slot")
        self._lines.add(f"{slot} = {self._expressions.text(node.slot)}", span)
        self._lines.add(f"if {slot} < 0:", span)
        with self._lines.deeper():
            self._lines.add(f"fault({INDEX})", span)
        parts = ", ".join(self._names.parts()) or "()"
        if node.operator == "save":
            self._lines.add(f"slots[{slot}] = ({parts},)", span)
        else:
            self._lines.add(f"({parts},) = slots[{slot}]", span)

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
        self._lines, self._loops, self._in_part = PythonLines(BODY), 0, True
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
        """Return whether any possible value is in the range of the table."""
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
    """Return whether the order in which index and value are evaluated makes no difference."""
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


@dataclass(frozen=True)
class Printed:
    """Printed source code.

    `spans[n]` is the place in the rules that line n + 1 comes from. `functions` has the first and
    the last line of each function, by its name in the program.
    """

    source: str
    spans: tuple[Span | None, ...]
    functions: Mapping[str, tuple[int, int]]

    def function(self, name: str) -> str:
        """Return the source of one function without indentation."""
        first, last = self.functions[name]
        return dedent("".join(self.source.splitlines(keepends=True)[first - 1 : last]))


def print_program(program: ir.Program, ranges: Ranges | None = None) -> str:
    """Return the source of a module with a function `make(tables) -> entries`.

    `tables` maps the names of tables to lists, `entries` the names of entry functions to functions.
    `ranges` are those of the program, if they are known already.
    """
    return print_mapped(program, ranges).source


def print_mapped(program: ir.Program, ranges: Ranges | None = None) -> Printed:
    """Return the source as by `print_program`, with the place in the rules of each line."""
    return _Printer(program, ranges or analyse(program)).print()


class _Printer:
    def __init__(self, program: ir.Program, ranges: Ranges) -> None:
        self.program = program
        self.ranges = ranges
        self.names = GlobalNames(program)
        self.lines = PythonLines()
        self.functions: dict[str, tuple[int, int]] = {}
        self.rows = any(function.nodes.of(ir.Enter) for function in program.functions.values())
        self.slots = any(function.nodes.of(ir.Copy) for function in program.functions.values())

    def print(self) -> Printed:
        lines = self.lines
        if self.rows:
            lines.add("from rulesdsl.model.tables import Rows")
        lines.add("from rulesdsl.runtime.faults import Fault, fault")
        lines.add()
        lines.add()
        lines.add("def make(tables):")
        with lines.deeper():
            for table in self.program.tables.values():
                self._table(table)
            if self.slots:
                lines.add(f"slots = [None] * {ir.SLOTS}")
            for function in self.program.functions.values():
                lines.add()
                self._function(function)
            form = "{}"
            if self.rows:
                self._rows()
            if self.names.variables or self.rows:
                lines.add()
                self._entry()
                form = "entry({})"
            lines.add()
            lines.add("return {")
            with lines.deeper():
                for name in self.program.entries:
                    lines.add(f'"{name}": {form.format(self.names.functions[name])},')
            lines.add("}")
        return Printed(lines.source, tuple(lines.spans), self.functions)

    def _table(self, table: ir.Table) -> None:
        for line in table.doc.split("\n") if table.doc else ():
            self.lines.add(f"# {line.strip()}")
        about = f"{table.role}: {table.size} from {table.low} to {table.high}"
        self.lines.add(f"{self._binding(table)}  # {about}")

    def _binding(self, table: ir.Table) -> str:
        """Return the assignment that reads a table, or its entries, from `tables`."""
        if table.name in self.names.variables:
            return f'{self._entries(table.name)} = tables["{table.name}"]'
        return f'{self.names.tables[table.name]} = tables["{table.name}"]'

    def _entries(self, table: str) -> str:
        """Return the variables for the entries of a table."""
        own = self.names.variables[table]
        return ", ".join(own) if len(own) > 1 else f"({own[0]},)"

    def _entry(self) -> None:
        """Add the wrapper of functions that are called from outside."""
        lines, variables = self.lines, self.names.variables
        lines.add("def entry(function):")
        with lines.deeper():
            lines.docstring("Keep the tables up to date before and after a call.")
            lines.add()
            lines.add("def call(*arguments):")
            with lines.deeper():
                self._outer(variables)
                self._read(variables)
                lines.add("try:")
                with lines.deeper():
                    lines.add("return function(*arguments)")
                lines.add("finally:")
                with lines.deeper():
                    self._write(variables)
                    if self.rows:
                        lines.add("rows.enter(0)")
            lines.add()
            lines.add("return call")

    def _outer(self, tables: Iterable[str]) -> None:
        """Add the declaration that the variables for these tables are not local."""
        names = [name for table in tables for name in self.names.variables[table]]
        if names:
            self.lines.add(f"nonlocal {', '.join(names)}")

    def _read(self, tables: Iterable[str]) -> None:
        """Add the assignment of the tables to the variables that stand for them."""
        for table in tables:
            self.lines.add(self._binding(self.program.tables[table]))

    def _write(self, tables: Iterable[str]) -> None:
        """Add the assignment of variables to the tables that they stand for."""
        for table in tables:
            self.lines.add(f'tables["{table}"][:] = {self._entries(table)}')

    def _rows(self) -> None:
        """Add the function that changes the row which tables and variables show."""
        lines = self.lines
        names = [t.name for t in self.program.tables.values() if t.role in IN_ROWS]
        shown = [name for name in names if name in self.names.variables]
        lines.add()
        lines.add(f"rows = Rows(tables, {names})")
        lines.add()
        lines.add("def enter_row(row):")
        with lines.deeper():
            self._outer(shown)
            self._write(shown)
            lines.add("done = rows.enter(row)")
            self._read(shown)
            lines.add("if not done:")
            with lines.deeper():
                lines.add(f"raise Fault({INDEX})")

    def _function(self, function: ir.Function) -> None:
        body = Body(self.program, self.names, self.ranges, function)
        name = self.names.functions[function.name]
        self.lines.add(f"def {name}({body.params}):", function.span)
        first = len(self.lines.texts)
        with self.lines.deeper():
            self.lines.docstring(function.doc)
            body.print(self.lines)
        self.functions[function.name] = first, len(self.lines.texts)
