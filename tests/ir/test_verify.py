"""What the verifier finds, and what it does not."""

from __future__ import annotations

from textwrap import dedent

import pytest

from rulesdsl.engine.runtime.faults import MESSAGES
from rulesdsl.language.model import ir
from tests.ir.reading import read_program
from tests.ir.verify import verify

AROUND = """
const three[3] from 0 to 9 = 1 2 3
state numbers[2] from -5 to 5
state fuel[1] from -9 to 9

function nothing():
    pass

function is_even(n: int) -> bool:
    return n % 2 == 0

function double(n: int) -> int:
    return n * 2

"""


def findings(function: str, around: str = AROUND) -> list[str]:
    return verify(read_program(around + dedent(function)), MESSAGES)


GOOD = [
    """
    function f(a: int) -> int:
        local b: int
        if a > 0:
            b = 1
        elif is_even(a):
            trap 5
        else:
            b = 2
        return b
    """,
    """
    function f(a: int) -> int:
        local b: int, i: int
        while true:
            b = a
            if b > 3:
                break
            a = double(a)
            continue
        for i in range(0, b):
            spend i
            for a in range(0, i):
                numbers[a] = i
        for i in range(0, 3):
            nothing()
            double(i)
        return b
    """,
    """
    function f(a: int, b: bool) -> int:
        local c: int
        while not b or a < 3:
            return three[a] if b else -int(is_even(a))
        while true:
            pass
        c = c + 1
    """,
    """
    function f(a: int) -> int:
        return 1 if a == 0 else f(a - 1)
    """,
    """
    function f() -> int:
        local c: int
        while true:
            if is_even(1):
                c = 1
                break
            else:
                trap 1
        return c
    """,
]


@pytest.mark.parametrize("function", GOOD)
def test_a_good_program_earns_nothing(function: str) -> None:
    assert findings(function) == []


@pytest.mark.parametrize(
    ("body", "finding"),
    [
        ("x = 1", "`x = 1`: x is not declared"),
        ("b = x", "`b = x`: x is not declared"),
        ("a = a == 1", "`a = a == 1`: a is int, not bool"),
        ("a = c", "`a = c`: c is read where it may have no value"),
        ("a = true + 1", "`a = true + 1`: bool where int is meant"),
        ("b = 1 < false", "`b = 1 < false`: bool where int is meant"),
        ("b = b and 1", "`b = b and 1`: int where bool is meant"),
        ("b = not 1", "`b = not 1`: int where bool is meant"),
        ("a = -b", "`a = -b`: bool where int is meant"),
        ("a = int(a)", "`a = int(a)`: int where bool is meant"),
        ("a = 1 if a else 2", "`a = 1 if a else 2`: int where bool is meant"),
        ("a = 1 if b else b", "`a = 1 if b else b`: either int or bool"),
        ("a = three[b]", "`a = three[b]`: bool where int is meant"),
        ("a = four[a]", "`a = four[a]`: there is no table four"),
        ("a = 9223372036854775808", "`a = 9223372036854775808`: 9223372036854775808 does not fit"),
        ("a = nothing()", "`a = nothing()`: nothing returns nothing"),
        ("a = other(1)", "`a = other(1)`: there is no function other"),
        ("double()", "`double()`: double takes 1 arguments, not 0"),
        ("double(1, 2)", "`double(1, 2)`: double takes 1 arguments, not 2"),
        ("double(b)", "`double(b)`: bool where int is meant"),
        ("three[0] = 1", "`three[0] = 1`: three never changes"),
        ("four[0] = 1", "`four[0] = 1`: there is no table four"),
        ("numbers[b] = 1", "`numbers[b] = 1`: bool where int is meant"),
        ("numbers[0] = b", "`numbers[0] = b`: bool where int is meant"),
        ("if a:\n    pass", "`if a:`: int where bool is meant"),
        ("while a:\n    pass", "`while a:`: int where bool is meant"),
        ("spend b", "`spend b`: bool where int is meant"),
        ("save b", "`save b`: bool where int is meant"),
        ("trap 99", "`trap 99`: no fault has the code 99"),
        ("break", "`break`: outside of any loop"),
        ("continue", "`continue`: outside of any loop"),
        ("return", "`return`: returns nothing, not int"),
        ("return b", "`return b`: bool where int is meant"),
        ("for b in range(0, 1):\n    pass", "`for b in range(0, 1):`: b is not declared as int"),
        ("for x in range(0, 1):\n    pass", "`for x in range(0, 1):`: x is not declared as int"),
        ("for c in range(b, 1):\n    pass", "`for c in range(b, 1):`: bool where int is meant"),
        ("for c in range(0, b):\n    pass", "`for c in range(0, b):`: bool where int is meant"),
        (
            "for c in range(0, 1):\n    c = 2",
            "`c = 2`: c is assigned in the loop that counts with it",
        ),
        (
            "for c in range(0, 1):\n    for c in range(0, 1):\n        pass",
            "`for c in range(0, 1):`: c is assigned in the loop that counts with it",
        ),
        (
            "for c in range(0, 1):\n    pass\na = c",
            "`a = c`: c is read where it may have no value",
        ),
        ("if b:\n    c = 1\na = c", "`a = c`: c is read where it may have no value"),
        ("while b:\n    c = 1\na = c", "`a = c`: c is read where it may have no value"),
        (
            "while true:\n    if b:\n        break\n    c = 1\na = c",
            "`a = c`: c is read where it may have no value",
        ),
        (
            "for a in range(0, 1):\n    c = 1\n    break\na = c",
            "`a = c`: c is read where it may have no value",
        ),
        ("pass", "a path ends without a result"),
        ("if b:\n    return 1", "a path ends without a result"),
        ("while b:\n    return 1", "a path ends without a result"),
        ("while true:\n    break", "a path ends without a result"),
    ],
)
def test_what_is_wrong_in_a_function_is_found(body: str, finding: str) -> None:
    end = "" if "without a result" in finding else "\nreturn 0"
    lines = (body + end).split("\n")
    text = "function f(a: int, b: bool) -> int:\n    local c: int\n    " + "\n    ".join(lines)
    (found,) = findings(text)
    assert found.startswith(f"function f: {finding}")


def test_a_function_without_result_returns_nothing() -> None:
    assert findings("function f():\n    return 1") == [
        "function f: `return 1`: the function returns nothing"
    ]


@pytest.mark.parametrize(
    ("around", "finding"),
    [
        ("const t[2] from 0 to 1 = 1", "table t: 1 values, not 2"),
        ("const t[2] from 0 to 1", "table t: 0 values, not 2"),
        ("state t[2] from 0 to 1 = 1", "table t: 1 values, not 2"),
        ("const t[1] from 0 to 1 = 2", "table t: begins with 2, not from 0 to 1"),
        ("state t[1] from 1 to 2", "table t: begins with 0, not from 1 to 2"),
        ("state t[1] from 1 to 0 = 1", "table t: no range: 1 to 0"),
        ("scratch t[1] from 0 to 9223372036854775808", "table t: no range: 0 to 92233"),
        ("entries g", "entry g: no such function"),
        ("entries f, f", "entry f: named twice"),
        ("function g(a: int, a: int):\n    pass", "function g: a is declared twice"),
        ("function g(a: int):\n    local a: int\n    pass", "function g: a is declared twice"),
        ("function g():\n    spend 1", "function g: `spend 1`: there is no table fuel to take"),
        (
            "const fuel[1] from 0 to 1 = 1\nfunction g():\n    spend 1",
            "function g: `spend 1`: there",
        ),
    ],
)
def test_what_is_wrong_around_functions_is_found(around: str, finding: str) -> None:
    found = findings("\nfunction f():\n    pass", around)
    assert any(line.startswith(finding) for line in found), found


def test_names_are_names_and_kept_as_they_are() -> None:
    table = ir.Table("a b", "state", 1, 0, 1)
    function = ir.Function("f", (("é", "int"),), None, ())
    found = verify(ir.Program({"a b": table}, {"g": function}, ()))
    assert found == [
        "table a b: not a name",
        "function f: kept as g",
        "function f: é is not a name",
    ]


def test_without_codes_any_fault_above_0_is_good() -> None:
    assert verify(read_program("function f():\n    trap 99")) == []
    assert verify(read_program("function f():\n    trap 0")) == [
        "function f: `trap 0`: no fault has the code 0"
    ]


def test_empty_tables_are_good() -> None:
    assert verify(read_program("state t[0] from 3 to 4\nconst u[0] from 0 to 0")) == []
