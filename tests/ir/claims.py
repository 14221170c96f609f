"""What programs written as text say of themselves: comments at their end say what calls give, and
what entries of tables are, one after the other on the same tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from rulesdsl.language.model import ir
from tests.ir.reading import read_expression, read_program

CLAIM = re.compile(r"^# (\S+?[\[(].*[\])]) (is|stops with|returns) ?(\S*)$", re.M)

Ending = tuple[int | None, int | None]
"""What a call gave, and the fault that stopped it."""


def program_of(block: str) -> ir.Program:
    """The program, all functions of which are entries."""
    program = read_program(block)
    return replace(program, entries=tuple(program.functions))


def broken(
    block: str,
    call: Callable[[str, tuple[int, ...]], Ending],
    tables: Callable[[], Mapping[str, Sequence[int]]],
) -> Iterator[str]:
    """The claims that do not hold on a machine. There has to be one at least, and nothing else
    after the first."""
    claims = CLAIM.findall(block)
    assert claims
    assert block.endswith("\n".join(f"# {' '.join(c).rstrip()}" for c in claims) + "\n")
    for text, *wanted in claims:
        found = _outcome(read_expression(text), call, tables)
        if list(found) != wanted:
            yield f"{text} {' '.join(found)}"


def _outcome(
    said: ir.Expr,
    call: Callable[[str, tuple[int, ...]], Ending],
    tables: Callable[[], Mapping[str, Sequence[int]]],
) -> tuple[str, str]:
    """What an entry or a call gives."""
    if isinstance(said, ir.Load):
        return "is", str(tables()[said.table][_number(said.index)])
    assert isinstance(said, ir.Call)
    given, fault = call(said.function, tuple(map(_number, said.arguments)))
    if fault is not None:
        return "stops with", str(fault)
    return ("returns", "") if given is None else ("is", str(int(given)))


def _number(expression: ir.Expr) -> int:
    """What a constant is."""
    assert isinstance(expression, ir.Const | ir.Truth)
    return expression.value
