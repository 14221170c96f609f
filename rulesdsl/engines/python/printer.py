"""A program of the IR as the source of a Python module.

The module has one function `make`, which takes the tables and returns the entry functions. All
other functions are nested in it, so that tables and functions are free variables: only locals are
faster to read. Small tables are variables, too, from the call of an entry function until it
returns.

A list of Python accepts the index -1 and any number as an entry, so indices and values are checked
where they can be wrong. An index that is too large is an `IndexError` without a check.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import dedent

from rulesdsl.diagnostics import Span
from rulesdsl.engines.python.bodies import Body
from rulesdsl.engines.python.lines import Lines
from rulesdsl.engines.python.names import Names
from rulesdsl.ir.ranges import Ranges, analyse
from rulesdsl.model import ir


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
        self.names = Names(program)
        self.lines = Lines()
        self.functions: dict[str, tuple[int, int]] = {}

    def print(self) -> Printed:
        lines = self.lines
        lines.add("from rulesdsl.runtime.faults import Fault, fault")
        lines.add()
        lines.add()
        lines.add("def make(tables):")
        with lines.deeper():
            for table in self.program.tables.values():
                self._table(table)
            for function in self.program.functions.values():
                lines.add()
                self._function(function)
            form = "{}"
            if self.names.variables:
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
            lines.docstring("What variables stand for is in the tables before and after a call.")
            lines.add()
            lines.add("def call(*arguments):")
            with lines.deeper():
                lines.add(
                    f"nonlocal {', '.join(name for own in variables.values() for name in own)}"
                )
                for table in variables:
                    lines.add(self._binding(self.program.tables[table]))
                lines.add("try:")
                with lines.deeper():
                    lines.add("return function(*arguments)")
                lines.add("finally:")
                with lines.deeper():
                    for table in variables:
                        lines.add(f'tables["{table}"][:] = {self._entries(table)}')
            lines.add()
            lines.add("return call")

    def _function(self, function: ir.Function) -> None:
        body = Body(self.program, self.names, self.ranges, function)
        name = self.names.functions[function.name]
        self.lines.add(f"def {name}({body.params}):", function.span)
        first = len(self.lines.texts)
        with self.lines.deeper():
            self.lines.docstring(function.doc)
            body.print(self.lines)
        self.functions[function.name] = first, len(self.lines.texts)
