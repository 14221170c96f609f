"""The compiler of printed code, which keeps the places in the rules.

Tracebacks and profiles show lines of `.rules` files, because the nodes of the syntax tree get the
places of the rules before they are compiled. A function has one file, that of its rule; code
without a rule keeps its printed line, in the file `<runtime>`. A statement from elsewhere (another
file, or a rule inside the runtime) is shown at the start of the rule of its function, or at its
printed line, and its own place is stored beside the code.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import CodeType

from rulesdsl.diagnostics import Span
from rulesdsl.engines.python.printer import Printed, print_mapped
from rulesdsl.engines.python.program import CORE, CompiledProgram, Elsewhere, TableShape
from rulesdsl.ir.ranges import Ranges
from rulesdsl.model import ir

Location = tuple[int, int, int, int]
"""The line, the column from 0, the last line and the last column of a node of a syntax tree."""


def compile_program(
    program: ir.Program, ranges: Ranges | None = None, extra: bytes = b""
) -> CompiledProgram:
    """Print and compile a well-formed program."""
    printed = print_mapped(program, ranges)
    code, elsewhere = _compile(printed)
    tables = tuple(
        TableShape(t.name, t.role, t.size, t.low, t.high, t.values) for t in program.tables.values()
    )
    return CompiledProgram(code, tables, elsewhere, printed.source, extra)


def _compile(printed: Printed) -> tuple[CodeType, Elsewhere]:
    """Return the code of a printed module."""
    tree = ast.parse(printed.source, CORE)
    files: dict[str, str] = {}
    elsewhere: Elsewhere = {}
    (make,) = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    for function in make.body:
        if isinstance(function, ast.FunctionDef):
            span = printed.spans[function.lineno - 1]
            if span is not None:
                files[function.name] = span.source.name
            _Relocation(function, span, printed, elsewhere).apply()
    # Docstrings are only for readers of the source.
    code = compile(tree, CORE, "exec", dont_inherit=True, optimize=2)
    return _in_files(code, files), elsewhere


class _Relocation:
    """The assignment of places in the rules to the nodes of one function."""

    def __init__(
        self,
        function: ast.FunctionDef,
        span: Span | None,
        printed: Printed,
        elsewhere: Elsewhere,
    ) -> None:
        self.function = function
        self.span = span
        self.spans = printed.spans
        self.elsewhere = elsewhere
        self.locations: dict[int, Location] = {}
        self.strangers: list[tuple[int, Span]] = []

    def apply(self) -> None:
        """Move every node to the place that its printed line comes from."""
        first, last = self.function.lineno, self.function.end_lineno
        assert last is not None
        for line in range(first, last + 1):
            self._locate(line, self.spans[line - 1] or self.span)
        self._place_strangers()
        if self.locations:
            self._move()

    def _move(self) -> None:
        """Give all nodes the places of their lines.

        A game has tens of thousands of nodes, and `ast.walk` is much slower.
        """
        waiting: list[object] = [self.function]
        for node in waiting:
            if not isinstance(node, ast.AST) or isinstance(node, ast.expr_context):
                continue
            fields = vars(node)
            for value in tuple(fields.values()):
                if isinstance(value, list):
                    waiting += value
                else:
                    waiting.append(value)
            location = self.locations.get(fields.get("lineno", 0))
            if location is not None:
                fields["lineno"], fields["col_offset"] = location[:2]
                fields["end_lineno"], fields["end_col_offset"] = location[2:]

    def _locate(self, line: int, span: Span | None) -> None:
        if span is None:
            return
        if self.span is not None and span.source.name == self.span.source.name:
            self.locations[line] = _location(span)
        else:
            self.strangers.append((line, span))

    def _place_strangers(self) -> None:
        """Give each statement from elsewhere a column of its own, because they share a line."""
        free = max((location[1] for location in self.locations.values()), default=-1) + 1
        columns: dict[tuple[int, str, int], int] = {}
        for line, span in self.strangers:
            shown = self.span.line if self.span else line
            key = shown, span.source.name, span.start
            column = columns.setdefault(key, free + len(columns))
            self.locations[line] = shown, column, shown, column + 1
            at, start, _, end = _location(span)
            place = span.source.name, at, start + 1, end - start
            self.elsewhere[self.function.name, shown, column] = place


def _location(span: Span) -> Location:
    """Return the part of a span that is on its first line."""
    line, column = span.source.position(span.start)
    last, end = span.source.position(span.end)
    if last != line:
        end = len(span.source.line(line)) + 1
    return line, column - 1, line, max(end, column) - 1


def _in_files(code: CodeType, files: Mapping[str, str], inherited: str = CORE) -> CodeType:
    """Return the code, with each function in it in its own file."""
    file = files.get(code.co_name, inherited)
    constants = tuple(
        _in_files(constant, files, file) if isinstance(constant, CodeType) else constant
        for constant in code.co_consts
    )
    return code.replace(co_filename=file, co_consts=constants)
