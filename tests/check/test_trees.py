"""Rules become the checked trees written under them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check.cases import base, with_extra
from tests.check.trees import lines

FILE = Path(__file__).parent / "trees.txt"
CASES = dict(
    case.split("\n", 1)
    for case in FILE.read_text(encoding="utf-8").removeprefix("=== ").split("\n=== ")
)


@pytest.mark.parametrize("title", CASES)
def test_tree(title: str) -> None:
    rules, expected = CASES[title].split("---\n")
    found = with_extra(rules)
    assert found.checked is not None, list(found.report)
    assert "\n".join(lines(found.checked, "extra")) == expected.rstrip("\n")


def test_the_box_of_the_cases_is_without_findings_but_of_use() -> None:
    assert {d.slug for d in base().report} == {"unused"}
