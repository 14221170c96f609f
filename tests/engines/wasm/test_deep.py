"""Deeply nested code is printed and runs."""

from __future__ import annotations

import pytest

from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import ir
from tests.engines.printed.machines import Ended, OnWasm, alike
from tests.engines.printed.placed import at, placed, rules
from tests.ir.reading import read_program

HEAD = "entries f\nstate fuel[1] from 0 to 1000 = 900\nstate many[1] from 0 to 100000\n\n"


def nested(levels: list[str], innermost: list[str], after: dict[int, list[str]]) -> str:
    """The body of a function: every level in the one before, with what comes after it there."""
    lines = [f"{'    ' * n}{level}" for n, level in enumerate(levels, 1)]
    lines += [f"{'    ' * (len(levels) + 1)}{line}" for line in innermost]
    for depth in sorted(after, reverse=True):
        lines += [f"{'    ' * depth}{line}" for line in after[depth]]
    return "\n".join(lines) + "\n"


def loops(count: int, result: str, innermost: list[str], after: dict[int, list[str]]) -> ir.Program:
    names = ", ".join(f"i{n}: int" for n in range(count))
    twice = (0, count // 2, count - 1)
    levels = [f"for i{n} in range(0, {2 if n in twice else 1}):" for n in range(count)]
    head = f"function f(a: int){result}:\n    local {names}, sum: int\n    sum = a\n"
    return read_program(HEAD + head + nested(levels, innermost, after))


def conditions(count: int, innermost: list[str], after: dict[int, list[str]]) -> ir.Program:
    """Ifs in a loop."""
    levels = ["while sum < 60:", *(f"if sum >= {n % 20 - 10}:" for n in range(count))]
    head = "function f(a: int) -> int:\n    local sum: int\n    sum = a\n"
    return read_program(HEAD + head + nested(levels, innermost, after))


def expression(depth: int) -> ir.Function:
    """A function of one expression."""
    found: ir.Expr = ir.Const(1)
    for number in range(depth):
        less = ir.Binary("-", ir.Local("a"), ir.Const(number))
        found = ir.Binary("max" if number % 2 else "min", less, ir.Unary("-", found))
    return ir.Function("f", (("a", "int"),), "int", (ir.Return(found),))


ADD = ["sum = sum + 1", "many[0] = many[0] + sum"]
PROGRAMS = {
    "loops": loops(50, " -> int", ADD, {50: ["sum = sum * 2"], 1: ["return sum"]}),
    "loops that are left": loops(
        50,
        " -> int",
        [*ADD, "if sum > 12:", "    break", "if sum > 8:", "    continue", "many[0] = 77"],
        {25: ["if sum > 9:", "    break"], 1: ["return sum + many[0]"]},
    ),
    "loops that return": loops(
        50, " -> int", [*ADD, "if sum > 7:", "    return sum + i49"], {1: ["return many[0]"]}
    ),
    "loops that return nothing": loops(
        50, "", [*ADD, "if sum > 7:", "    return"], {1: ["spend 5"]}
    ),
    "conditions": conditions(150, ADD, {2: ["sum = sum + 3"], 1: ["return many[0]"]}),
    "conditions that leave": conditions(
        150,
        [*ADD, "if sum == 31:", "    continue", "if sum > 40:", "    break"],
        {100: ["sum = sum + 1"], 2: ["sum = sum + 3"], 1: ["return many[0]"]},
    ),
    "conditions that return": conditions(
        150, [*ADD, "if sum > 50:", "    return sum * 3"], {2: ["sum = sum + 3"], 1: ["return 0"]}
    ),
    "expressions": ir.Program({}, {"f": expression(90)}, ("f",)),
}


@pytest.mark.parametrize("argument", [0, 1, 5, 9, 30])
@pytest.mark.parametrize("name", PROGRAMS)
def test_deep_code_does_what_the_evaluator_does(name: str, argument: int) -> None:
    (ended,) = alike(PROGRAMS[name], [("f", (argument,))])
    assert ended.fault is None


def test_faults_in_deep_code_have_their_places() -> None:
    base, more = rules("base.rules"), rules("more.rules")
    levels = "".join(f"{'    ' * n}while true:\n" for n in range(1, 31))
    text = f"{HEAD}function f():\n{levels}{'    ' * 31}trap 6\n"
    for source in (base, more):
        spans: list[Span | None] = [at(base, 1 + n % 20) for n in range(31)]
        spans.append(at(source, 29))
        ended = OnWasm(placed(text, {"f": spans})).call("f")
        place = at(source, 29)
        assert ended == Ended(None, 6, (source.name, place.line, place.column))
