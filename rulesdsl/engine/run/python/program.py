"""Programs printed as Python: their code, their tables, and the places of lines in the rules."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Mapping
from types import CodeType
from typing import TYPE_CHECKING, cast

from rulesdsl.base.records import dataclass
from rulesdsl.engine.run.machine import Where
from rulesdsl.language.model.tables import Table

if TYPE_CHECKING:
    from rulesdsl.language.diagnostics import Span
    from rulesdsl.language.model.ir import Function


FILE = "<rules>"
"""The name of the text of a whole program, in tracebacks."""


@dataclass(frozen=True)
class PythonProgram:
    """The compiled code that defines the functions of the rules, and the tables of the program.

    Line `n` comes from `places[spans[n - 1]]` (-1: from no rule). `extra` is data of the caller
    that is cached with it.
    """

    code: CodeType
    tables: Mapping[str, Table]
    spans: tuple[int, ...]
    places: tuple[Where, ...]
    extra: bytes = b""

    def place(self, line: int) -> Where | None:
        """Return the place in the rules of a line of the code, None if there is none."""
        span = self.spans[line - 1]
        return None if span < 0 else self.places[span]


def compile_functions(
    functions: Iterable[Function],
    tables: Mapping[str, Table],
    extra: bytes = b"",
    file: str = FILE,
) -> PythonProgram:
    """Print and compile functions of the rules; `file` is the name of the text in tracebacks."""
    from rulesdsl.engine.run.python.printer import print_functions  # a cached program needs none

    printed = print_functions(functions, tables)
    numbers: dict[Span, int] = {}
    spans = [
        -1 if span is None else numbers.setdefault(span, len(numbers)) for span in printed.spans
    ]
    return PythonProgram(
        compile(printed.text, file, "exec"),
        tables,
        tuple(spans),
        tuple((span.source.name, span.start, span.end) for span in numbers),
        extra,
    )


def dump(program: PythonProgram) -> bytes:
    """Return a program as bytes, for the same version of Python."""
    tables = [
        (name, table.role, table.size, table.low, table.high, table.values)
        for name, table in program.tables.items()
    ]
    return marshal.dumps((program.code, tables, program.spans, program.places, program.extra))


def restore(content: bytes) -> PythonProgram:
    """Return the program that was dumped; the content must come from a trusted source."""
    code, tables, spans, places, extra = marshal.loads(content)
    known = {row[0]: Table(*row) for row in tables}
    return PythonProgram(cast(CodeType, code), known, spans, places, extra)
