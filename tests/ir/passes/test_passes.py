"""What each pass makes of programs: `NAME.ir` beside this has programs before and after pass NAME.

A file begins with the tables of all its programs. Each of them has a title after `==`, the program
(its only entry is `f` if it names none), `--`, and the functions that there are after the pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from rulesdsl.engine.ir import passes
from rulesdsl.engine.ir.passes import fold
from rulesdsl.engine.ir.text import program_text
from rulesdsl.language.model import ir
from tests.ir.programs import outcome, random_arguments
from tests.ir.reading import read_program
from tests.ir.verify import verify

NAMES = ("fold", "inline")
RUNS = 40


@dataclass(frozen=True)
class Case:
    change: str
    title: str
    before: ir.Program
    after: ir.Program


def cases() -> Iterator[Case]:
    for name in NAMES:
        text = (Path(__file__).parent / f"{name}.ir").read_text()
        tables, *parts = re.split(r"^== ", text, flags=re.MULTILINE)
        for part in parts:
            title, _, both = part.partition("\n")
            before, after = both.split("\n--\n")
            entries = "" if before.startswith("entries") else "entries f\n"
            made = (read_program(f"entries f\n{tables}\n{after}"),)
            yield Case(name, title, read_program(f"{entries}{tables}\n{before}"), *made)


CASES = list(cases())
each_case = pytest.mark.parametrize("case", CASES, ids=[f"{c.change}: {c.title}" for c in CASES])


@each_case
def test_a_program_becomes(case: Case) -> None:
    assert verify(case.before) == []
    found = getattr(passes, case.change)(case.before)
    assert program_text(found) == program_text(case.after)
    assert verify(found) == []


@each_case
def test_both_do_the_same(case: Case) -> None:
    ended = 0
    for run in range(RUNS):
        arguments = random_arguments(case.before.functions["f"], run)
        expected = outcome(case.before, "f", arguments, run)
        assert outcome(case.after, "f", arguments, run) == expected
        ended += not isinstance(expected, str)
    assert ended


@each_case
def test_a_second_time_changes_nothing(case: Case) -> None:
    change = getattr(passes, case.change)
    once = change(case.before)
    assert change(once) is once


ONE_VALUE = """entries f
const touch[2] from 1 to 1 = 1 1
state fuel[1] from 0 to 1000000

function f(x: int) -> int:
    return touch[x >> 24] + touch[touch[x]]
"""


def test_entries_of_tables_with_one_value_are_folded_where_no_index_is_wrong() -> None:
    program = read_program(ONE_VALUE)
    assert fold(program) is program
    assert fold(program, ["touch"]).functions["f"].body == (ir.Return(ir.Const(2)),)
