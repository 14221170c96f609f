"""What the ranges say can be, and what is: of some programs, and of programs made at random."""

from __future__ import annotations

from contextlib import suppress
from math import inf

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rulesdsl.engine.ir.passes import optimise
from rulesdsl.engine.ir.passes.fold import evaluated
from rulesdsl.engine.ir.ranges import Interval, Ranges, analyse, combine, compare
from rulesdsl.language.model import ir
from tests.ir.evaluate import Stopped, _Machine
from tests.ir.programs import (
    COMPARISONS,
    OPERATORS,
    random_arguments,
    random_program,
    random_tables,
)
from tests.ir.reading import read_program
from tests.ir.verify import verify

TABLES = """
const next[8] from -1 to 7 = 1 2 3 4 5 6 7 -1
state t[8] from 0 to 100
state count[1] from 0 to 8
entries f
"""

CASES = {
    "a parameter of an entry can be anything": ("    t[x] = x", "low high range"),
    "a constant is what it is": ("    t[3] = 100", ""),
    "bounds of tables": ("    t[next[7]] = count[0]", "low"),
    "a test for none": ("    a = next[7]\n    if a >= 0:\n        t[a] = a", ""),
    "leaving where there is none": (
        "    a = next[7]\n    if a == -1:\n        return\n    t[a] = 1",
        "",
    ),
    "a test on both sides": ("    if 0 <= x and x < 8:\n        t[x] = 0", ""),
    "the other way of a test": ("    if x < 0 or x > 7:\n        return\n    t[x] = 0", ""),
    "what is not known any more": (
        "    if x >= 0 and x < 8:\n        x = x - 1\n        t[x] = 0",
        "low",
    ),
    "a loop that counts": ("    for i in range(0, count[0]):\n        t[i] = i", ""),
    "a while that counts": (
        "    a = 0\n    while a < count[0]:\n        t[a] = 1\n        a = a + 1",
        "",
    ),
    "what comes after a loop, whose steps were too large": (
        "    a = 0\n    while a < 7:\n        a = a + 1\n    t[a] = a",
        "high range",
    ),
    "following links": (
        "    a = next[0]\n    while a >= 0:\n        t[a] = 1\n        a = next[a]",
        "",
    ),
    "remainders and masks": ("    t[x % 8] = x & 63", ""),
    "an unequal end": ("    a = next[x & 7]\n    if a != -1:\n        t[a] = 5", ""),
    "something added on the way": (
        "    a = next[x & 7]\n    if a + 1 > 0:\n        t[a] = a + 1",
        "",
    ),
    "arguments of all calls": ("    g(3)\n    g(next[1])", "low"),
    "results": ("    t[h(x)] = 1", "high"),
    "a branch that was not taken": ("    t[x if x >= 0 and x < 8 else 0] = 1", ""),
    "a fault in between": ("    if x < 0:\n        trap 3\n    t[min(x, 7)] = 1", ""),
    "an index that was one before": ("    a = t[x]\n    t[x] = a", ""),
    "an index that might have been one": ("    a = t[x] if x < 9 else 0\n    t[x] = a", "low high"),
    "a condition that was left by a break": (
        "    a = 0\n    while t[a] < x:\n        a = x\n        break\n    t[a] = 1",
        "high",
    ),
    "changed in a loop": (
        "    a = 7\n    for i in range(0, 3):\n        t[a] = 1\n        a = a - count[0]",
        "low",
    ),
}
AROUND = """
function g(n: int):
    t[n] = 0
function h(n: int) -> int:
    if n < 0:
        return 0
    return h(n - 1) + 1
function f(x: int):
    local a: int, i: int
"""


@pytest.mark.parametrize(("body", "needed"), CASES.values(), ids=CASES)
def test_what_has_to_be_checked(body: str, needed: str) -> None:
    program = read_program(f"{TABLES}{AROUND}{body}\n")
    assert verify(program) == []
    ranges = analyse(program)
    called = "g" if "g(" in body else "f"
    stores = [n for n in program.functions[called].nodes.of(ir.Store) if n.table == "t"]
    found = {"low"} if any(map(ranges.needs_low, stores)) else set()
    found |= {"high"} if any(map(ranges.needs_high, stores)) else set()
    found |= {"range"} if any(map(ranges.needs_range, stores)) else set()
    assert stores
    assert found == set(needed.split())


def test_what_is_never_reached_is_not_known() -> None:
    program = read_program(f"{TABLES}{AROUND}    return\n")
    (store,) = program.functions["g"].nodes.of(ir.Store)
    assert analyse(program).index(store) == (-inf, inf)


class Outside(Exception):
    """Something was not as the ranges say."""


class Watched(_Machine):
    """The evaluator, holding every index and stored value to the ranges."""

    def __init__(self, tables: dict[str, list[int]], ranges: Ranges) -> None:
        super().__init__(ranges.program, tables)
        self.ranges = ranges
        self.told = 0

    def hold(self, number: int, bounds: Interval) -> int:
        if not bounds[0] <= number <= bounds[1]:
            raise Outside(f"{number} is not in {bounds}")
        self.told += bounds != (-inf, inf)
        return number

    def statement(self, statement: ir.Stmt, known: dict[str, int]) -> None:
        if isinstance(statement, ir.Store):
            index = self.value(statement.index, known)
            value = self.value(statement.value, known)
            self.hold(index, self.ranges.index(statement))
            self.hold(value, self.ranges.value(statement))
            self.store(statement.table, index, value)
        else:
            super().statement(statement, known)

    def value(self, expression: ir.Expr, known: dict[str, int]) -> int:
        if isinstance(expression, ir.Load):
            index = self.value(expression.index, known)
            self.hold(index, self.ranges.index(expression))
            return super().value(ir.Load(expression.table, ir.Const(index)), {})
        return super().value(expression, known)


def watch(program: ir.Program, seed: int) -> int:
    """How many indices and values were held to bounds."""
    ranges = analyse(program)
    told = 0
    for entry in program.entries:
        for run in range(5):
            machine = Watched(random_tables(program.tables, run), ranges)
            arguments = random_arguments(program.functions[entry], seed + run)
            with suppress(Stopped, AssertionError):
                machine.call(entry, tuple(arguments))
            told += machine.told
    return told


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_nothing_is_outside_of_its_range(seed: int) -> None:
    program = random_program(seed)
    watch(program, seed)
    watch(optimise(program), seed)


def test_something_is_told_of_programs_made_at_random() -> None:
    assert sum(watch(random_program(seed), seed) for seed in range(50)) > 500


BOUNDS = st.sampled_from([-(2**62), -17, -8, -3, -1, 0, 1, 2, 5, 8, 15, 16, 63, 2**62])
INTERVALS = st.tuples(BOUNDS | st.just(-inf), BOUNDS | st.just(inf)).filter(lambda i: i[0] <= i[1])


def inside(data: st.DataObject, interval: Interval) -> int:
    low = interval[0] if interval[0] > -inf else min(interval[1], 0) - 1000
    high = interval[1] if interval[1] < inf else max(interval[0], 0) + 1000
    return data.draw(st.integers(int(low), int(high)))


@settings(max_examples=400, deadline=None)
@given(st.data(), st.sampled_from(OPERATORS), INTERVALS, INTERVALS)
def test_operators(
    data: st.DataObject, operator: ir.BinaryOp, one: Interval, other: Interval
) -> None:
    result = evaluated(operator, inside(data, one), inside(data, other))
    assume(result is not None)
    assert result is not None
    found = combine(operator, one, other)
    assert found is not None
    assert found[0] <= result <= found[1]


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from(COMPARISONS), INTERVALS, INTERVALS)
def test_comparisons(
    data: st.DataObject, operator: ir.CompareOp, one: Interval, other: Interval
) -> None:
    left, right = inside(data, one), inside(data, other)
    test = {"==": left == right, "!=": left != right, "<": left < right}
    test |= {"<=": left <= right, ">": left > right, ">=": left >= right}
    assume(test[operator])
    found = compare(operator, one, other)
    assert found is not None
    assert found[0] <= left <= found[1]
