"""The plain evaluator: results, faults, and what no program may do."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulesdsl.engine.runtime import faults
from rulesdsl.language.diagnostics import Source
from rulesdsl.language.model import ir
from tests.ir import evaluate as machine
from tests.ir.evaluate import Stopped, evaluate, new_tables
from tests.ir.reading import read_program
from tests.ir.verify import verify

AROUND = """
const three[3] from 0 to 9 = 1 2 3
state small[2] from -5 to 5
state fuel[1] from -100 to 100 = 10
scratch log[1] from 0 to 99999

function note(n: int) -> int:
    log[0] = log[0] * 10 + n
    return n

function yes(n: int) -> bool:
    return note(n) == n

function no(n: int) -> bool:
    return note(n) != n

"""
WORDS = st.integers(-(2**63), 2**63 - 1)


def program(body: str, result: str = " -> int", locals_: str = "i: int") -> ir.Program:
    text = f"function f(a: int, b: int){result}:\n    local {locals_}\n" + indent(body, "    ")
    found = read_program(AROUND + text)
    assert verify(found) == []
    return found


def run(body: str, a: int = 0, b: int = 0) -> int | None:
    made = program(body)
    return evaluate(made, new_tables(made), "f", a, b)


def stopped(body: str, a: int = 0, b: int = 0) -> int:
    with pytest.raises(Stopped) as found:
        run(body + "\nreturn 0", a, b)
    return found.value.code


def logged(body: str) -> int:
    """What `note` was told, as digits."""
    made = program(body + "\nreturn 0")
    tables = new_tables(made)
    evaluate(made, tables, "f", 0, 0)
    return tables["log"][0]


OPERATORS: dict[str, Callable[[int, int], int]] = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "-a": lambda a, b: -a,
    "a & b": lambda a, b: a & b,
    "a | b": lambda a, b: a | b,
    "a ^ b": lambda a, b: a ^ b,
    "min(a, b)": min,
    "max(a, b)": max,
    "int(a == b)": lambda a, b: a == b,
    "int(a != b)": lambda a, b: a != b,
    "int(a < b)": lambda a, b: a < b,
    "int(a <= b)": lambda a, b: a <= b,
    "int(a > b)": lambda a, b: a > b,
    "int(a >= b)": lambda a, b: a >= b,
    "int(not a < b)": lambda a, b: not a < b,
}
PROGRAMS = {text: program(f"return {text}") for text in OPERATORS}
DIVISION = program("return a // b"), program("return a % b")
SHIFTS = program("return a << b"), program("return a >> b")


@given(st.sampled_from(sorted(OPERATORS)), WORDS | st.integers(-9, 9), WORDS | st.integers(-9, 9))
def test_operators_mean_what_they_mean_for_whole_numbers(text: str, a: int, b: int) -> None:
    wanted = OPERATORS[text](a, b)
    if -(2**63) <= wanted < 2**63:
        found = evaluate(PROGRAMS[text], {}, "f", a, b)
        assert (type(found), found) == (int, wanted)
    else:
        with pytest.raises(AssertionError, match="does not fit 64 bits"):
            evaluate(PROGRAMS[text], {}, "f", a, b)


@given(WORDS, (WORDS | st.integers(-9, 9)).filter(bool))
def test_division_rounds_down(a: int, b: int) -> None:
    if (a, b) == (-(2**63), -1):
        with pytest.raises(AssertionError, match="does not fit 64 bits"):
            evaluate(DIVISION[0], {}, "f", a, b)
        return
    quotient, rest = (evaluate(divided, {}, "f", a, b) for divided in DIVISION)
    assert quotient is not None
    assert rest is not None
    assert quotient * b + rest == a
    assert 0 <= rest < b or b < rest <= 0


@given(WORDS | st.integers(-9, 9), st.integers(-3, 70))
def test_shifts_are_products_and_quotients(a: int, b: int) -> None:
    left, right = SHIFTS
    if not 0 <= b < 64:
        for shifted in SHIFTS:
            with pytest.raises(AssertionError, match="shifted by"):
                evaluate(shifted, {}, "f", a, b)
        return
    assert evaluate(right, {}, "f", a, b) == a // 2**b
    if -(2**63) <= a * 2**b < 2**63:
        assert evaluate(left, {}, "f", a, b) == a * 2**b
    else:
        with pytest.raises(AssertionError, match="does not fit 64 bits"):
            evaluate(left, {}, "f", a, b)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("a = three[3]", faults.INDEX),
        ("a = three[-1]", faults.INDEX),
        ("small[2] = 0", faults.INDEX),
        ("small[-1] = 0", faults.INDEX),
        ("small[2] = 6", faults.INDEX),
        ("small[0] = 6", faults.RANGE),
        ("small[0] = -6", faults.RANGE),
        ("small[1 // a] = 9", faults.ZERO),
        ("small[9] = 1 // a", faults.ZERO),
        ("a = 1 // a", faults.ZERO),
        ("a = 1 % a", faults.ZERO),
        ("spend 11", faults.NO_STEPS),
        ("spend 10\nspend 1", faults.NO_STEPS),
        ("trap 26", faults.TOO_MANY_ALWAYS),
        ("a = 1 // a + three[9]", faults.ZERO),
        ("a = three[9] + 1 // a", faults.INDEX),
    ],
)
def test_faults(body: str, code: int) -> None:
    assert stopped(body) == code


def test_the_machine_knows_its_faults_by_the_numbers_of_the_core() -> None:
    for name in ("NO_STEPS", "INDEX", "RANGE", "ZERO"):
        assert getattr(machine, name) == getattr(faults, name)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("small[note(1) - 1] = note(2)", 12),
        ("a = note(1) + note(2) * note(3)", 123),
        ("a = max(note(3), note(4)) - min(note(2), note(1))", 3421),
        ("a = int(note(1) < note(2))", 12),
        ("if yes(1) and no(2) and yes(3):\n    pass", 12),
        ("if no(1) or yes(2) or yes(3):\n    pass", 12),
        ("a = note(1) if no(2) else note(3)", 23),
        ("a = note(note(1) + note(2))", 123),
        ("for i in range(note(1), note(3)):\n    note(8)", 1388),
        ("for i in range(note(3), note(1)):\n    note(8)", 31),
        ("while note(a) < 2:\n    a = a + 1", 12),
        (
            "for i in range(1, 6):\n    if i == 2:\n        continue\n    if i == 4:\n"
            "        break\n    note(i)",
            13,
        ),
    ],
)
def test_the_order_in_which_things_happen(body: str, wanted: int) -> None:
    assert logged(body) == wanted


def test_the_end_of_a_counting_loop_is_worked_out_once() -> None:
    body = "b = 3\nfor i in range(0, b):\n    b = b + 1\n    a = a + 10\nreturn a + b"
    assert run(body) == 36


def test_return_leaves_all_loops() -> None:
    assert run("while true:\n    for i in range(2, 9):\n        return i") == 2


def test_spending_takes_from_the_fuel() -> None:
    made = program("spend 3\nspend 0\nspend a\nreturn 0")
    tables = new_tables(made)
    evaluate(made, tables, "f", 7, 0)
    assert tables["fuel"] == [0]
    with pytest.raises(AssertionError, match="-1 steps are spent"):
        evaluate(made, new_tables(made), "f", -1, 0)


def test_tables_begin_with_their_values_or_zeros() -> None:
    made = program("return 0")
    assert new_tables(made) == {"three": [1, 2, 3], "small": [0, 0], "fuel": [10], "log": [0]}


def test_functions_may_call_themselves() -> None:
    made = read_program("function sum(n: int) -> int:\n    return n + sum(n - 1) if n > 0 else 0\n")
    assert evaluate(made, {}, "sum", 100) == 5050


def test_the_span_of_a_fault_is_that_of_the_innermost_statement_with_one() -> None:
    source = Source("rules", "0123456789")
    spans = [source.span(n, n + 1) for n in range(3)]
    inner = ir.Function("inner", (), None, (ir.Trap(7),))
    fine = ir.Function("fine", (), None, (ir.If(ir.Truth(True), (ir.Trap(7, spans[2]),)),))
    body = (ir.If(ir.Truth(True), (ir.Do(ir.Call("inner"), spans[1]),), (), spans[0]),)
    outer = ir.Function("outer", (), None, body)
    calls_fine = ir.Function("calls_fine", (), None, (ir.Do(ir.Call("fine"), spans[0]),))
    functions = {f.name: f for f in (inner, fine, outer, calls_fine)}
    made = ir.Program({}, functions, ())
    for name, span in (("outer", spans[1]), ("calls_fine", spans[2]), ("inner", None)):
        with pytest.raises(Stopped) as stop:
            evaluate(made, {}, name)
        assert (stop.value.code, stop.value.span) == (7, span)


def test_a_bool_comes_back_as_a_bool() -> None:
    made = read_program("function f(a: bool) -> bool:\n    return not a")
    assert evaluate(made, {}, "f", False) is True
