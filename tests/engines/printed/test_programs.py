"""Printed programs do what the evaluator does, faults and their places among it."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import Phase, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from rulesdsl.language.model import ir
from rulesdsl.language.model.ir import LARGEST, SMALLEST
from tests.engines.printed.machines import Call, Evaluated, OnWasm, Running, alike
from tests.engines.printed.programs import random_program
from tests.ir import programs as untidy
from tests.ir.claims import broken, program_of

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "ir.md").read_text(encoding="utf-8")
EDGES = Path(__file__).with_name("edges.ir").read_text(encoding="utf-8")
CLAIMED = {
    **{
        f"page {n}": block
        for n, block in enumerate(re.findall(r"^```ir\n(.*?)^```$", PAGE, re.M | re.S))
    },
    **{
        title: block.strip("\n") + "\n"
        for title, _, block in (part.partition("\n") for part in EDGES.split("\n== ")[1:])
    },
}

# --- random programs -----------------------------------------------------------------------------


@examples(max_examples=200, phases=(Phase.generate,), deadline=None)
@given(seed=st.integers(0, 2**64 - 1), number=st.integers(-3, 9), so=st.booleans())
def test_a_printed_program_does_what_the_evaluator_does(seed: int, number: int, so: bool) -> None:
    alike(random_program(seed), [("f2", (number, so)), ("f1", (number + 1, so))])


@examples(max_examples=100, phases=(Phase.generate,), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_so_does_one_on_tables_that_hold_anything(seed: int) -> None:
    program = untidy.random_program(seed)
    calls: list[Call] = [
        (entry, tuple(untidy.random_arguments(program.functions[entry], seed + run)))
        for entry in program.entries
        for run in range(6)
    ]
    alike(program, calls, untidy.random_tables(program.tables, seed))


# --- what is claimed -----------------------------------------------------------------------------


@pytest.mark.parametrize("machine", [OnWasm, Evaluated])
@pytest.mark.parametrize("title", CLAIMED)
def test_it_does_what_is_said(machine: Callable[[ir.Program], Running], title: str) -> None:
    block = CLAIMED[title]
    program = program_of(block)
    running = machine(program)

    def call(name: str, arguments: tuple[int, ...]) -> tuple[int | None, int | None]:
        ended = running.call(name, *arguments)
        return ended.given, ended.fault

    assert list(broken(block, call, running.tables)) == []


# --- numbers at their limits ---------------------------------------------------------------------

NUMBERS = (
    *(0, 1, -1, 2, -2, 3, -3, 7, -7, 8, -8, 9, -9, 64, -64),
    *(sign * 2**power + more for power in (31, 32, 62) for sign in (1, -1) for more in (-1, 0, 1)),
    *(LARGEST, LARGEST - 1, SMALLEST, SMALLEST + 1),
)
BINARY: tuple[ir.BinaryOp, ...] = ("+", "-", "*", "//", "%", "&", "|", "^", "min", "max")
DIVISORS = (*(sign * 2**power for power in (0, 1, 2, 31, 62) for sign in (1, -1)), 0, 3, -3, 10, -7)
A, B = ir.Local("a"), ir.Local("b")


def functions_of(bodies: dict[str, ir.Expr], *params: str) -> ir.Program:
    """A program of functions of ints, each of one expression."""
    given = tuple((name, "int") for name in params)
    functions = {
        name: ir.Function(name, given, "int", (ir.Return(body),))  # type: ignore[arg-type]
        for name, body in bodies.items()
    }
    return ir.Program({}, functions, tuple(functions))


def test_operators_reach_as_far_as_64_bits() -> None:
    names = {f"f{number}": ir.Binary(sign, A, B) for number, sign in enumerate(BINARY)}
    compared: tuple[ir.CompareOp, ...] = ("==", "!=", "<", "<=", ">", ">=")
    more = {
        f"c{number}": ir.Unary("int", ir.Compare(sign, A, B))
        for number, sign in enumerate(compared)
    }
    calls = [(name, pair) for name in (*names, *more) for pair in product(NUMBERS, repeat=2)]
    ends = alike(functions_of({**names, **more}, "a", "b"), calls)
    given = {ended.given for ended in ends}
    assert {LARGEST, SMALLEST} <= given
    assert len(ends) > len(calls) * 0.8


def test_constants_divide_as_other_numbers_do() -> None:
    signs: tuple[ir.BinaryOp, ...] = ("//", "%")
    bodies: dict[str, ir.Expr] = {
        f"f{number}": ir.Binary(sign, A, ir.Const(divisor))
        for number, (sign, divisor) in enumerate(product(signs, (*DIVISORS, LARGEST, SMALLEST)))
    }
    calls = [(name, (number,)) for name in bodies for number in NUMBERS]
    ends = alike(functions_of(bodies, "a"), calls)
    assert sum(ended.fault == 5 for ended in ends) == 2 * len(NUMBERS)


def test_numbers_are_shifted_by_up_to_63() -> None:
    signs: tuple[ir.BinaryOp, ...] = ("<<", ">>")
    by = (0, 1, 2, 31, 32, 33, 62, 63)
    bodies: dict[str, ir.Expr] = {"left": ir.Binary("<<", A, B), "right": ir.Binary(">>", A, B)}
    fixed: dict[str, ir.Expr] = {
        f"f{number}": ir.Binary(sign, A, ir.Const(bits))
        for number, (sign, bits) in enumerate(product(signs, by))
    }
    calls = [(name, pair) for name in bodies for pair in product(NUMBERS, by)]
    assert len(alike(functions_of(bodies, "a", "b"), calls)) > len(calls) * 0.6
    alone = [(name, (number,)) for name in fixed for number in NUMBERS]
    assert len(alike(functions_of(fixed, "a"), alone)) > len(alone) * 0.6


# --- tables of every width -----------------------------------------------------------------------

RANGES = [
    (low + into, high - less)
    for bits in (8, 16, 32, 64)
    for low, high in ((0, min(2**bits - 1, LARGEST)), (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
    for into, less in ((0, 0), (1, 1))
]


@pytest.mark.parametrize(("low", "high"), [*RANGES, (0, 0), (7, 7), (-1, 0), (0, 1), (-5, 300)])
def test_entries_are_held_to_their_range(low: int, high: int) -> None:
    table = ir.Table("t", "state", 3, low, high, (low, high, low))
    put = ir.Function(
        "put",
        (("a", "int"), ("b", "int")),
        "int",
        (ir.Store("t", A, B), ir.Return(ir.Load("t", A))),
    )
    program = ir.Program({"t": table}, {"put": put}, ("put",))
    values = [low, high, low - 1, high + 1, *(v + 2**b for v in (low, high) for b in (8, 16, 32))]
    values = [value for value in values if SMALLEST <= value <= LARGEST]
    indices = (0, 1, 2, 3, -1, 2**32, 2**32 + 1, 2**29, 2**61, LARGEST, SMALLEST)
    ends = alike(program, [("put", pair) for pair in product(indices, values)])
    assert {ended.fault for ended in ends} >= {None, 3}
    assert {ended.given for ended in ends} >= {low, high}
    assert all(ended.given is None or low <= ended.given <= high for ended in ends)
