"""How programs look as Python."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
import yaml

from rulesdsl.engines.python.printer import print_program
from rulesdsl.ir.text import read_program

SHEET: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parent / "printed.yaml").read_text(encoding="utf-8")
)
PROGRAM = """\
entries both

# How many there are of each;
# the first is spare.
state many[3] from 0 to 9
const times[2] from 1 to 4 = 1 4
state fuel[1] from 0 to 100
state two[2] from 0 to 1

# Doubles.
function both(many: int) -> int:
    two[1] = two[0]
    return many * times[1]
"""
MODULE = '''\
from rulesdsl.runtime.faults import Fault, fault


def make(tables):
    # How many there are of each;
    # the first is spare.
    many = tables["many"]  # state: 3 from 0 to 9
    times = tables["times"]  # const: 2 from 1 to 4
    fuel = tables["fuel"]  # state: 1 from 0 to 100
    two_0, two_1 = tables["two"]  # state: 2 from 0 to 1

    def both(many_2):
        """Doubles."""
        nonlocal two_0, two_1
        two_1 = two_0
        return many_2 * times[1]

    def entry(function):
        """Keep the tables up to date before and after a call."""

        def call(*arguments):
            nonlocal two_0, two_1
            two_0, two_1 = tables["two"]
            try:
                return function(*arguments)
            finally:
                tables["two"][:] = two_0, two_1

        return call

    return {
        "both": entry(both),
    }
'''


@pytest.mark.parametrize("case", SHEET["cases"], ids=lambda case: case["name"])
def test_a_function_is_printed(case: dict[str, str]) -> None:
    source = print_program(read_program(SHEET["tables"] + case["ir"]))
    compile(source, "printed", "exec")
    _, begin, rest = source.partition("    def f(")
    function = re.split(r"\n    (?:def entry\(|return \{)", rest)[0]
    assert begin + function == indent(case["python"], "    ")


def test_a_module_has_one_function_that_binds_all_tables() -> None:
    assert print_program(read_program(PROGRAM)) == MODULE
