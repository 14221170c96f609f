"""Printed programs do what the evaluator does, faults and their places among it."""

from __future__ import annotations

from hypothesis import Phase, assume, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from rulesdsl.core.faults import Fault
from rulesdsl.ir.evaluate import Stopped, evaluate, new_tables
from rulesdsl.ir.verify import verify
from rulesdsl.model import ir
from rulesdsl.run.python.compiling import compile_program
from rulesdsl.run.python.places import Place, place_of
from rulesdsl.run.python.program import faulting
from tests.run.python.programs import random_program


def expected(program: ir.Program, arguments: tuple[int, bool]) -> tuple[object, ...]:
    """What the evaluator gives: the result or the fault with its place, and the tables then."""
    tables = new_tables(program)
    try:
        result = evaluate(program, tables, "f2", *arguments)
    except Stopped as stopped:
        span = stopped.span
        place = Place(span.source.name, span.line, span.column) if span else None
        return stopped.code, place, tables
    except AssertionError:  # no program may do that
        assume(False)
    return result, tables


def found(program: ir.Program, arguments: tuple[int, bool]) -> tuple[object, ...]:
    """What the printed program gives."""
    compiled = compile_program(program)
    tables = compiled.new_tables()
    entry = faulting(compiled.make(tables)["f2"])
    ending: tuple[object, ...]
    try:
        result = entry(*arguments)
    except Fault as fault:
        ending = fault.code, place_of(fault.__traceback__)
    else:
        assert type(result) is int
        ending = (result,)
    return *ending, {name: list(table) for name, table in tables.items()}


@examples(max_examples=300, phases=(Phase.generate,))
@given(st.integers(0, 2**64 - 1), st.integers(-3, 9), st.booleans())
def test_a_printed_program_does_what_the_evaluator_does(seed: int, number: int, so: bool) -> None:
    program = random_program(seed)
    assert verify(program) == []
    assert found(program, (number, so)) == expected(program, (number, so))
