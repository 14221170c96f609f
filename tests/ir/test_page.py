"""docs/reference/ir.md: its programs are well formed and do what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.engine.ir.subset import read_functions
from rulesdsl.engine.ir.text import WORDS, program_text
from rulesdsl.engine.runtime.faults import MESSAGES
from tests.ir import evaluate as evaluator
from tests.ir.claims import CLAIM, Ending, broken
from tests.ir.evaluate import Stopped, evaluate, new_tables
from tests.ir.reading import read_program
from tests.ir.verify import verify

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "ir.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```ir\n(.*?)^```$", PAGE, re.M | re.S)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_program_on_the_page_does_what_is_said(block: str) -> None:
    program = read_program(block)
    assert verify(program, MESSAGES) == []
    tables = new_tables(program)

    def call(name: str, arguments: tuple[int, ...]) -> Ending:
        try:
            return evaluate(program, tables, name, *arguments), None
        except Stopped as stopped:
            return None, stopped.code

    assert list(broken(block, call, lambda: tables)) == []


@pytest.mark.parametrize("block", BLOCKS)
def test_a_program_on_the_page_is_printed_as_it_is_written(block: str) -> None:
    written = CLAIM.sub("", block).rstrip() + "\n"
    assert program_text(read_program(block)) == written


def test_the_python_on_the_page_is_read_as_the_program_below_it() -> None:
    (python,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
    program = read_program(BLOCKS[-1])
    read = read_functions({"page": f"from tables import numbers\n{python}"}, {"numbers"}, {})
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
