"""What the page of editions says of steps and of the edition that is read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from rulesdsl import edition as editions
from rulesdsl.edition import EDITION, Migration

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "editions.md").read_text(
    encoding="utf-8"
)


def test_the_edition_that_is_read() -> None:
    assert f"The current edition is {EDITION}," in PAGE


def test_the_example_is_a_step() -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {**vars(editions)}
    exec(example, names)
    (step,) = names["STEPS"].values()
    assert isinstance(step, Migration)
    assert (len(step.manifest), len(step.scenarios), len(step.words)) == (1, 1, 2)


def test_every_rewrite_is_told_of() -> None:
    made = {name for name in vars(editions) if name.startswith(("renamed_", "replaced_"))}
    assert made
    assert all(f"`{name}" in PAGE for name in made)
