"""docs/ir.md: its programs are well formed and do what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.core.faults import MESSAGES
from rulesdsl.ir import evaluate as evaluator
from rulesdsl.ir.evaluate import Stopped, evaluate, new_tables
from rulesdsl.ir.subset import read_module
from rulesdsl.ir.text import program_text, read_expression, read_program
from rulesdsl.ir.verify import verify
from rulesdsl.ir.words import WORDS
from rulesdsl.model import ir

PAGE = (Path(__file__).parents[2] / "docs" / "ir.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```ir\n(.*?)^```$", PAGE, re.M | re.S)
CLAIM = re.compile(r"^# (\S+?[\[(].*[\])]) (is|stops with|returns) ?(\S*)$", re.M)


def number(expression: ir.Expr) -> int:
    """What a constant is."""
    assert isinstance(expression, ir.Const | ir.Truth)
    return expression.value


def outcome(program: ir.Program, tables: dict[str, list[int]], text: str) -> tuple[str, str]:
    """What an entry or a call in a claim gives."""
    found = read_expression(text)
    if isinstance(found, ir.Load):
        return "is", str(tables[found.table][number(found.index)])
    assert isinstance(found, ir.Call)
    try:
        result = evaluate(program, tables, found.function, *map(number, found.arguments))
    except Stopped as stopped:
        return "stops with", str(stopped.code)
    return ("returns", "") if result is None else ("is", str(result))


@pytest.mark.parametrize("block", BLOCKS)
def test_a_program_on_the_page_does_what_is_said(block: str) -> None:
    program = read_program(block)
    assert verify(program, MESSAGES) == []
    tables = new_tables(program)
    claims = CLAIM.findall(block)
    assert claims
    assert block.endswith("\n".join(f"# {' '.join(c).rstrip()}" for c in claims) + "\n")
    for text, *wanted in claims:
        assert outcome(program, tables, text) == tuple(wanted), text


@pytest.mark.parametrize("block", BLOCKS)
def test_a_program_on_the_page_is_printed_as_it_is_written(block: str) -> None:
    written = CLAIM.sub("", block).rstrip() + "\n"
    assert program_text(read_program(block)) == written


def test_the_python_on_the_page_is_read_as_the_program_below_it() -> None:
    (python,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
    program = read_program(BLOCKS[-1])
    read = read_module(f"from tables import numbers\n{python}", "page", {}, {"numbers"})
    assert read == program.functions
    assert read["largest"].doc == program.functions["largest"].doc


def test_every_word_of_the_text_form_is_in_its_grammar() -> None:
    grammar = PAGE.partition("    program    =")[2].partition("- Only the first")[0]
    quoted = set(re.findall(r'"([a-z]+)"', grammar))
    assert quoted - WORDS == {"range"}
    assert not WORDS - quoted


def test_all_faults_of_the_machine_are_named_with_their_codes() -> None:
    found = {(name, int(code)) for name, code in re.findall(r"\b([A-Z_]+) \((\d+)\)", PAGE)}
    names = ("INDEX", "RANGE", "ZERO", "NO_STEPS")
    assert found == {(name, getattr(evaluator, name)) for name in names}
