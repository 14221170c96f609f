"""The examples of the page of the formatter look as it says, before and after."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.language.format import formatted

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "formatting.md").read_text(
    encoding="utf-8"
)
BLOCKS = re.findall(r"^```\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("kind", "before", "after"), [("rules", *BLOCKS[:2]), ("yaml", *BLOCKS[2:])]
)
def test_before_and_after(kind: str, before: str, after: str) -> None:
    assert formatted(before, f"page.{kind}") == after
    assert formatted(after, f"page.{kind}") == after
    assert before != after
