"""Reading the runtime's Python: what it becomes, that it means the same, and what is refused."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent, indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulesdsl.engine.ir.subset import SubsetError, read_functions
from rulesdsl.engine.ir.text import function_text
from rulesdsl.engine.runtime import faults, tables
from rulesdsl.engine.runtime.declare import DeclaredTable, make_tables
from rulesdsl.engine.runtime.faults import Fault, fault
from rulesdsl.language.model import ir
from tests.ir.evaluate import Stopped, evaluate, new_tables
from tests.ir.verify import verify

HEAD = '''
"""A module."""

from __future__ import annotations

from rulesdsl.engine.runtime.faults import EMPTY, fault
from rulesdsl.engine.runtime.tables import t, u

WIDTH = 3
_TWICE: int = WIDTH * 2 - -WIDTH


def bump(by: int) -> int:
    """Count."""
    u[0] += by
    return u[0]


'''
CONSTANTS = {"EMPTY": 10}


DECLARED = {
    "fixed": DeclaredTable("const", "pieces", "-100", "100"),
    "t": DeclaredTable("state", "pieces * 2 + 1", "-1000", "1000"),
    "u": DeclaredTable("scratch", "1", "-pieces", "4 * pieces - 1"),
}


def read(body: str, head: str = "def f(x: int, b: bool) -> int:") -> dict[str, ir.Function]:
    source = f"{HEAD}{head}\n{indent(dedent(body), '    ')}"
    return read_functions({"core.sample": source}, ("t", "u"), CONSTANTS)


# --- what is read --------------------------------------------------------------------------------

READ = {
    "arithmetic": (
        "return -x * (x + WIDTH) // 2 % 7 - ~x",
        "return -x * (x + 3) // 2 % 7 - (x ^ -1)",
    ),
    "bits": ("return x & 3 | 4 ^ x << 1 >> _TWICE", "return x & 3 | 4 ^ x << 1 >> 9"),
    "tests": (
        "return x if b and not x == 3 or x < 0 else min(x, max(t[0], 2))",
        "return x if b and not x == 3 or x < 0 else min(x, max(t[0], 2))",
    ),
    "a chain of comparisons": ("return int(0 <= x < 5)", "return int(0 <= x and x < 5)"),
    "bools as numbers": ("return t[b] + True", "return t[int(b)] + 1"),
    "calls and faults": (
        "if b:\n    bump(1)\nelif x > 2:\n    fault(EMPTY)\nelse:\n    pass\nreturn bump(b)",
        "if b:\n    bump(1)\nelif x > 2:\n    trap 10\nreturn bump(int(b))",
    ),
    "loops": (
        """
        for i in range(3):
            for j in range(i, x):
                if j > 2:
                    break
                continue
        while True:
            x += 1
            return x
        """,
        """
        local i: int, j: int
        for i in range(0, 3):
            for j in range(i, x):
                if j > 2:
                    break
                continue
        while true:
            x = x + 1
            return x
        """,
    ),
    "locals": (
        "a: int = 2\nc = b and x > a\na = int(c)\nreturn a",
        "local a: int, c: bool\na = 2\nc = b and x > a\na = int(c)\nreturn a",
    ),
    "a value before its index": (
        "t[u[0]] = bump(2)\nreturn 0",
        "local kept_1: int\nkept_1 = bump(2)\nt[u[0]] = kept_1\nreturn 0",
    ),
    "an index with a call, once": (
        "t[bump(1)] -= 2\nt[x] *= 3\nreturn 0",
        "local kept_1: int\nkept_1 = bump(1)\nt[kept_1] = t[kept_1] - 2\nt[x] = t[x] * 3\nreturn 0",
    ),
}


@pytest.mark.parametrize(("body", "expected"), READ.values(), ids=READ)
def test_reads(body: str, expected: str) -> None:
    text = function_text(read(body)["f"])
    assert (
        text == f"function f(x: int, b: bool) -> int:\n{indent(dedent(expected).strip(), '    ')}\n"
    )


def test_docstrings_parameters_and_results() -> None:
    found = read('"""What it does."""\nreturn', "def f(a: bool) -> None:")["f"]
    assert found == ir.Function("f", (("a", "bool"),), None, (ir.Return(),))
    assert found.doc == "What it does."


def test_modules_use_each_other() -> None:
    modules = {
        "core.one": "from core.two import SIZE, two\nfrom core import two as other\n\n"
        "def one() -> int:\n    return two(SIZE) + other.SIZE + _inner()\n\n"
        "def _inner() -> int:\n    return 1\n",
        "core.two": "SIZE = 4\n\ndef two(n: int) -> int:\n    from core.one import one\n\n"
        "    return one() + _inner() if n > 0 else n\n\ndef _inner() -> int:\n    return 2\n",
    }
    found = read_functions(modules, (), {})
    assert list(found) == ["one", "_one_inner", "two", "_two_inner"]
    assert "return two(4) + 4 + _one_inner()" in function_text(found["one"])
    assert "return one() + _two_inner() if n > 0 else n" in function_text(found["two"])


# --- what is refused -----------------------------------------------------------------------------

REFUSED = {
    "a number as a condition": ("if x:\n    return 1\nreturn 2", 1, "a number where a bool"),
    "a loop over something else": ("for i in (1, 2):\n    pass\nreturn 1", 1, "not in the subset"),
    "a loop with steps": (
        "for i in range(1, 9, 2):\n    pass\nreturn 1",
        1,
        "ranges of one or two",
    ),
    "a loop's variable assigned": (
        "for i in range(3):\n    i = 2\nreturn 1",
        2,
        "assigned in the loop: i",
    ),
    "a loop's variable read later": (
        "for i in range(3):\n    pass\nreturn i",
        3,
        "i is read before it is assigned, or after its loop",
    ),
    "a local that is not assigned": ("return y", 1, "y is no constant and no local"),
    "a local read too early": ("x = y\ny = 2\nreturn 1", 1, "y is read before"),
    "two types": ("y = b\ny = 2\nreturn 1", 2, "a number where a bool"),
    "two declared types": ("y: bool = b\ny: int = 2\nreturn 1", 2, "y is bool elsewhere"),
    "an unknown function": ("return len(t)", 1, "not a function of the runtime: len(t)"),
    "too few arguments": ("return bump()", 1, "bump takes 1 arguments"),
    "named arguments": ("return bump(by=1)", 1, "arguments are given in order"),
    "an unknown table": ("return v[0]", 1, "not an entry of a table: v[0]"),
    "a hidden table": ("t = 3\nreturn t[0]", 2, "not an entry of a table: t[0]"),
    "text": ("return 'x'", 1, "not in the subset: 'x'"),
    "true division": ("return x / 2", 1, "not in the subset: x / 2"),
    "unpacking": ("x, y = 1, 2\nreturn x", 1, "not in the subset: (1, 2)"),
    "a chain of assignments": ("y = z = 1\nreturn x", 1, "not in the subset: y = z = 1"),
    "a loop with else": (
        "while b:\n    return 1\nelse:\n    return 2",
        1,
        "not in the subset: while b:",
    ),
    "an exception": ("raise ValueError", 1, "not in the subset: raise ValueError"),
    "a fault by computation": ("fault(x)\nreturn 1", 1, "fault takes one constant"),
    "a call without result": ("return nothing(1)", 1, "not a function of the runtime"),
    "returning nothing": ("return", 1, "not what the function is annotated with"),
    "min of three": ("return min(1, 2, 3)", 1, "not a function of the runtime: min(1, 2, 3)"),
    "doing nothing": ("min(1, 2)\nreturn 1", 1, "does nothing: min(1, 2)"),
    "comparing identity": ("return int(x is 1)", 1, "not in the subset: x is 1"),
    "unary plus": ("return +x", 1, "not in the subset: +x"),
    "a call between comparisons": ("return int(0 < bump(1) < 3)", 1, "a call between"),
}
LINES = HEAD.count("\n") + 1


@pytest.mark.parametrize(("body", "line", "message"), REFUSED.values(), ids=REFUSED)
def test_refuses(body: str, line: int, message: str) -> None:
    with pytest.raises(SubsetError) as found:
        read(body)
    assert str(found.value).startswith(f"core.sample:{LINES + line}: ")
    assert message in str(found.value)


MODULES = {
    "a class": "class A:\n    pass\n",
    "a constant that is none": "A = f(3)\n",
    "two constants at once": "A = B = 3\n",
    "a default": "def f(x: int = 2) -> int:\n    return x\n",
    "a star": "def f(*x: int) -> int:\n    return 1\n",
    "a decorator": "@cache\ndef f(x: int) -> int:\n    return x\n",
    "no annotation": "def f(x) -> int:\n    return 1\n",
    "another type": "def f(x: str) -> int:\n    return 1\n",
    "no result": "def f(x: int):\n    return 1\n",
    "two alike": "def f() -> int:\n    return 1\n\n\ndef f() -> int:\n    return 2\n",
    "no Python": "def f(:\n",
}


@pytest.mark.parametrize("source", MODULES.values(), ids=MODULES)
def test_refuses_modules(source: str) -> None:
    with pytest.raises(SubsetError, match=r"^core\.sample:\d+: "):
        read_functions({"core.sample": source}, (), {})


def test_refuses_imports_of_what_is_not_there() -> None:
    with pytest.raises(SubsetError, match=r"core\.b:1: there is no g in core\.a"):
        read_functions({"core.a": "A = 2\n", "core.b": "from core.a import A, g\n"}, (), {})


def test_refuses_functions_of_one_name() -> None:
    one = "def f() -> int:\n    return 1\n"
    with pytest.raises(SubsetError, match=r"core\.b:1: core\.a has a function f as well"):
        read_functions({"core.a": one, "core.b": one}, (), {})


# --- tables --------------------------------------------------------------------------------------


def test_tables_are_measured() -> None:
    found = make_tables(DECLARED, {"pieces": 3}, {"fixed": (5, 7, -2)})
    assert found == {
        "fixed": ir.Table("fixed", "const", 3, -2, 7, (5, 7, -2)),
        "t": ir.Table("t", "state", 7, -1000, 1000),
        "u": ir.Table("u", "scratch", 1, -3, 11),
    }


@pytest.mark.parametrize("values", [(1, 2), (1, 2, 101)])
def test_constants_that_do_not_fit_are_refused(values: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="fixed has"):
        make_tables(DECLARED, {"pieces": 3}, {"fixed": values})


# --- what it means -------------------------------------------------------------------------------

SAMPLE = HEAD + dedent('''
def collatz(x: int) -> int:
    """How long it takes, up to a limit."""
    steps = 0
    while x != 1 and steps < 40:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps += 1
        if x < 1:
            break
    return steps


def sieve(x: int) -> int:
    found = 0
    for i in range(7):
        t[i] = i & x
    for i in range(max(x, 0), 7):
        if t[i] == 0:
            continue
        t[bump(0) % 7] += i
        t[t[i] % 7] = bump(1) - t[6 - i]
        found |= 1 << i
    return found


def checked(x: int) -> int:
    b = 2 < x <= 5 or not x > -3
    if b and sieve(max(x, 0)) > 3:
        fault(EMPTY)
    u[0] = b
    return int(b) + min(x, u[0])
''')


@pytest.mark.parametrize("name", ["collatz", "sieve", "checked"])
@given(x=st.integers(-9, 9), filled=st.lists(st.integers(-50, 50), min_size=7, max_size=7))
def test_means_what_python_means(name: str, x: int, filled: list[int]) -> None:
    functions = read_functions({"core.sample": SAMPLE}, DECLARED, CONSTANTS)
    made = make_tables(DECLARED, {"pieces": 3}, {"fixed": (0, 0, 0)})
    program = ir.Program(made, functions, (name,))
    assert verify(program) == []
    start = {**new_tables(program), "t": list(filled)}
    wanted = {key: list(value) for key, value in start.items()}
    assert machine(program, start, name, x) == python(wanted, name, x)
    assert start == wanted


def machine(program: ir.Program, tables: Mapping[str, list[int]], name: str, x: int) -> object:
    try:
        return evaluate(program, tables, name, x)
    except Stopped as stopped:
        return Fault(stopped.code).args


def python(tables: Mapping[str, list[int]], name: str, x: int) -> object:
    lines = [line for line in SAMPLE.split("\n") if "rulesdsl.engine.runtime" not in line]
    names: dict[str, object] = {**tables, **CONSTANTS, "fault": fault}
    exec(compile(ast.parse("\n".join(lines)), "sample", "exec"), names)
    function = names[name]
    assert callable(function)
    try:
        return function(x)
    except Fault as stopped:
        return stopped.args


# --- the runtime itself --------------------------------------------------------------------------


def test_the_core_is_in_the_subset() -> None:
    declared = {
        name: value for name, value in vars(tables).items() if isinstance(value, DeclaredTable)
    }
    constants = {
        name: value
        for module in (tables, faults)
        for name, value in vars(module).items()
        if type(value) is int
    }
    paths = sorted(Path(tables.__file__).parent.glob("*.py"))
    plain = {"__init__", "declare", "faults", "slots", "tables"}
    modules = {
        f"rulesdsl.engine.runtime.{p.stem}": p.read_text() for p in paths if p.stem not in plain
    }
    functions = read_functions(modules, declared, constants)
    assert len(functions) > 100
    sizes = {name: ir.Table(name, table.role, 0, 0, 0) for name, table in declared.items()}
    assert verify(ir.Program(sizes, functions, tuple(functions))) == []
