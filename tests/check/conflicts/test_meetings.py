"""Hooks of strangers that meet, and the lines that settle it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.language.diagnostics import Diagnostic
from tests.check.conflicts.fair import fair

CASES = yaml.safe_load((Path(__file__).parent / "meetings.yaml").read_text(encoding="utf-8"))
_SILENT = ("points-past", "unused")


def rules(case: dict[str, Any]) -> dict[str, str]:
    """The rulesets of a case; what `manifest` has belongs to each, under its own name."""
    found = {}
    if "core" in case:
        found["core"] = case["core"]
    requires = "requires: [fair, core]" if "core" in case else "requires: [fair]"
    for name in ("east", "west"):
        head = requires + "\n" + case.get("manifest", "").replace("NAME", name)
        found[name] = (head, case[name])
    return found


def findings(rulesets: dict[str, Any]) -> list[Diagnostic]:
    found = fair(rulesets).report
    return [each for each in found if each.slug not in _SILENT]


def offered(finding: Diagnostic) -> list[str]:
    """The lines that a finding offers to paste."""
    return [line.strip() for line in finding.help if re.match(r"    (order|independent) ", line)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_meets(case: dict[str, Any]) -> None:
    found = findings(rules(case))
    assert [each.slug for each in found] == case.get("finds", [])
    text = "\n".join("\n".join((each.message, *each.help)) for each in found)
    text = re.sub(" +#", "  #", text)
    assert [part for part in case.get("says", ()) if part not in text] == []


SETTLED = [
    (case, number, line)
    for case in CASES
    for number in range(len(case.get("finds", ())))
    for line in range(case.get("offers", 3))
]


@pytest.mark.parametrize(("case", "number", "line"), SETTLED)
def test_each_line_offered_settles_what_was_found(
    case: dict[str, Any], number: int, line: int
) -> None:
    rulesets = rules(case)
    found = findings(rulesets)
    lines = offered(found[number])
    assert len(lines) == case.get("offers", 3)
    assert "…" not in lines[line]
    interaction = f"interaction: [east, west]\n{lines[line]}\n"
    left = findings({**rulesets, "both": interaction})
    assert [each.message for each in left] == [
        each.message for at, each in enumerate(found) if at != number
    ]
