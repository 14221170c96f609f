"""The code only shrinks: a concern grows by no more than what is deleted elsewhere."""

from __future__ import annotations

import json
import os

from tests.architecture.sources import PACKAGE, ROOT
from tools import sizes


def test_every_module_has_a_concern_and_every_path_is_there() -> None:
    assert len(sizes.HOMES) == sum(len(paths.split()) for paths in sizes.CONCERNS.values())
    assert [path for path in sizes.HOMES if not (PACKAGE / path).exists()] == []
    assert "" not in sizes.measure(), "a module belongs to no concern of tools/sizes.py"


def test_the_code_only_shrinks() -> None:
    """What was deleted is written down at once, except in continuous integration."""
    if "CI" not in os.environ:
        assert not sizes.lower(), "delete as much elsewhere"
    written = json.loads((ROOT / sizes.NUMBERS).read_text(encoding="utf-8"))
    assert written == sizes.measure(), "python3 -m tools format"


def test_growth_is_paid_by_deletions_elsewhere() -> None:
    before = sizes.measure()
    lines = before["rulesdsl"]["lines"]
    moved = {**before, "why": {"lines": 9}, "lint": {"lines": before["lint"]["lines"] + 9}}
    assert sizes.risen(before, moved) == []
    grown = {**before, "rulesdsl": {**before["rulesdsl"], "lines": lines + 2}}
    assert sizes.risen(before, grown) == [f"rulesdsl: 2 lines more than the {lines} before"]
