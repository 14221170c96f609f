"""The text form of the IR."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.engine.ir import text
from rulesdsl.engine.ir.text import WORDS
from rulesdsl.language.model import ir
from tests.ir import reading

NAMES = st.from_regex(r"[a-z_][A-Za-z0-9_]{0,3}", fullmatch=True) | st.sampled_from(sorted(WORDS))
INTS = st.integers(-20, 20) | st.integers(-(2**63), 2**63 - 1)
KINDS = st.sampled_from(get_args(ir.Kind))
DOCS = st.text(st.sampled_from("ab #:.\n\t"), max_size=12)

EXPRESSIONS: st.SearchStrategy[ir.Expr] = st.recursive(
    st.builds(ir.Const, INTS) | st.builds(ir.Truth, st.booleans()) | st.builds(ir.Local, NAMES),
    lambda inner: st.one_of(
        st.builds(ir.Load, NAMES, inner),
        st.builds(ir.Unary, st.sampled_from(get_args(ir.UnaryOp)), inner),
        st.builds(ir.Binary, st.sampled_from(get_args(ir.BinaryOp)), inner, inner),
        st.builds(ir.Compare, st.sampled_from(get_args(ir.CompareOp)), inner, inner),
        st.builds(ir.Logic, st.sampled_from(("and", "or")), inner, inner),
        st.builds(ir.Select, inner, inner, inner),
        st.builds(ir.Call, NAMES, st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=8,
)
CALLS = st.builds(ir.Call, NAMES, st.lists(EXPRESSIONS, max_size=2).map(tuple))
SIMPLE: st.SearchStrategy[ir.Stmt] = st.one_of(
    st.builds(ir.Assign, NAMES, EXPRESSIONS),
    st.builds(ir.Store, NAMES, EXPRESSIONS, EXPRESSIONS),
    st.builds(ir.Do, CALLS),
    st.just(ir.Break()),
    st.just(ir.Continue()),
    st.builds(ir.Return, st.none() | EXPRESSIONS),
    st.builds(ir.Trap, st.integers(1, 99)),
    st.builds(ir.Spend, EXPRESSIONS),
    st.builds(ir.Enter, EXPRESSIONS),
)


def blocks(inner: st.SearchStrategy[ir.Stmt]) -> st.SearchStrategy[ir.Block]:
    return st.lists(inner, max_size=3).map(tuple)


STATEMENTS: st.SearchStrategy[ir.Stmt] = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.builds(ir.If, EXPRESSIONS, blocks(inner), blocks(inner)),
        st.builds(ir.While, EXPRESSIONS, blocks(inner)),
        st.builds(ir.For, NAMES, EXPRESSIONS, EXPRESSIONS, blocks(inner)),
    ),
    max_leaves=5,
)
VARIABLES = st.lists(st.tuples(NAMES, KINDS), max_size=3).map(tuple)
FUNCTIONS = st.builds(
    ir.Function, NAMES, VARIABLES, st.none() | KINDS, blocks(STATEMENTS), VARIABLES, DOCS
)
TABLES = st.builds(
    ir.Table,
    NAMES,
    st.sampled_from(get_args(ir.Role)),
    st.integers(0, 1000),
    INTS,
    INTS,
    st.lists(INTS, max_size=40).map(tuple),
    DOCS,
)
PROGRAMS = st.builds(
    lambda tables, functions, entries: ir.Program(
        {table.name: table for table in tables}, {f.name: f for f in functions}, tuple(entries)
    ),
    st.lists(TABLES, max_size=3),
    st.lists(FUNCTIONS, max_size=3),
    st.lists(NAMES, max_size=3),
)


@given(EXPRESSIONS)
def test_what_is_read_from_a_printed_expression_equals_it(expression: ir.Expr) -> None:
    assert reading.read_expression(text.expression_text(expression)) == expression


@settings(max_examples=40)
@given(st.lists(STATEMENTS, min_size=1, max_size=3).map(tuple))
def test_what_is_read_from_printed_statements_equals_them(block: ir.Block) -> None:
    assert reading.read_block("\n".join(text.block_lines(block, ""))) == block


@settings(max_examples=40)
@given(PROGRAMS)
def test_what_is_read_from_a_printed_program_equals_it(program: ir.Program) -> None:
    printed = text.program_text(program)
    found = reading.read_program(printed)
    assert found == program
    assert [t.doc for t in found.tables.values()] == [t.doc for t in program.tables.values()]
    assert [f.doc for f in found.functions.values()] == [f.doc for f in program.functions.values()]
    assert list(found.tables) + list(found.functions) == [*program.tables, *program.functions]
    assert text.program_text(found) == printed


@settings(max_examples=20)
@given(FUNCTIONS)
def test_a_function_alone_can_be_read(function: ir.Function) -> None:
    assert reading.read_function(text.function_text(function)) == function


@given(st.dictionaries(NAMES, TABLES, max_size=4))
def test_tables_alone_can_be_read(tables: dict[str, ir.Table]) -> None:
    found = {table.name: table for table in tables.values()}
    assert reading.read_tables(text.tables_text(found.values())) == found


@pytest.mark.parametrize(
    "written",
    [
        "a + b * c - d",
        "(a + b) * c",
        "a - (b - c)",
        "-a * -3 + -(3) + -(-3)",
        "a << b & c | d ^ e",
        "not a and (b or not (c and d))",
        "(x if a else y) if b else z if c else w",
        "int(a == b) < min(x, max(y, 2))",
        "(a < b) == c",
        "f(t[u[0]], g()) // 2 % 3",
        "$min + $true[$int(1)]",
    ],
)
def test_parentheses_stand_only_where_they_are_needed(written: str) -> None:
    assert text.expression_text(reading.read_expression(written)) == written


def test_how_a_program_looks() -> None:
    written = """\
entries go

# What was drawn.
const drawn[3] from 1 to 6 = 4 1 2
state at[1] from 0 to 2

# Goes on
#
# to the next.
function go(twice: bool) -> int:
    local i: int, left: int
    left = 2 if twice else 1
    for i in range(0, left):
        if at[0] == 2:
            trap 5
        elif twice:
            pass
        else:
            spend 1
        at[0] = at[0] + 1
    while true:
        break
    return drawn[at[0]]

function $for():
    go(false)
    return
"""
    assert text.program_text(reading.read_program(written)) == written


def test_long_tables_are_wrapped() -> None:
    table = ir.Table("numbers", "const", 60, -100, 0, tuple(range(-60, 0)))
    printed = text.tables_text([table])
    assert max(map(len, printed.splitlines())) <= text.WIDTH
    assert len(printed.splitlines()) == 4


def test_comments_and_indentation_are_free() -> None:
    function = reading.read_function(
        """
        # Of another thing.

        # The double.
        function double(n: int) -> int:
          # here
          return n * 2  # done
        """
    )
    assert function == reading.read_function("function double(n: int) -> int:\n    return n * 2")
    assert function.doc == "The double."


@pytest.mark.parametrize(
    ("written", "line", "message"),
    [
        ("x = 1 +", 1, "expected a name, not the end of the line"),
        ("x = 1 2", 1, "expected the end of the line, not 2"),
        ("x = a < b < c", 1, "expected the end of the line, not <"),
        ("x = 1 ? 2", 1, "no word or sign of the IR: ? 2"),
        ("x == 1", 1, "expected =, not =="),
        ("x + 1", 1, "expected =, not +"),
        ("3", 1, "not a statement"),
        ("if = 3", 1, "expected a name, not ="),
        ("for i in range(3):\n    pass", 1, "expected ,, not )"),
        ("while a:\nbreak", 2, "a block is expected, or `pass`"),
        ("if a:", 2, "a block is expected, or `pass`"),
        ("pass\n  pass", 2, "not indented like the line before"),
        ("if a:\n    pass\n  pass", 3, "not indented like the line before"),
        ("else:\n    pass", 1, "expected a name, not else"),
        ("trap x", 1, "expected a number, not x"),
        ("x = min(1)", 1, "2 arguments are expected, not 1"),
        ("", 2, "a block is expected, or `pass`"),
    ],
)
def test_what_is_wrong_in_statements_is_told(written: str, line: int, message: str) -> None:
    with pytest.raises(reading.TextError) as error:
        reading.read_block(written)
    assert (error.value.line, str(error.value)) == (line, f"line {line}: {message}")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("const t[1] from 0 to 1 = 1\nstate t[1] from 0 to 1", "line 2: a second t"),
        (
            "global t[1] from 0 to 1",
            "line 1: expected const or state or beside or scratch, not global",
        ),
        ("function f(a: float):\n    pass", "line 1: expected int or bool, not float"),
        ("function f(a: int)\n    pass", "line 1: expected :, not the end of the line"),
        ("function f():\n    local\n    pass", "line 2: expected a name, not the end of the line"),
    ],
)
def test_what_is_wrong_in_declarations_is_told(written: str, message: str) -> None:
    with pytest.raises(reading.TextError) as error:
        reading.read_program(written)
    assert str(error.value) == message


def test_only_what_was_asked_for_is_read() -> None:
    two = "function f():\n    pass\n\nfunction g():\n    pass"
    with pytest.raises(reading.TextError, match="line 4: nothing more is expected"):
        reading.read_function(two)
