"""The order of rules and hooks that several rulesets write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.language.model.checked import Checked, Hook, Rule
from tests.check.conflicts.fair import fair

CASES = yaml.safe_load((Path(__file__).parent / "orders.yaml").read_text(encoding="utf-8"))


def composed(case: dict[str, Any]) -> Checked:
    found = fair(case["rulesets"])
    assert [str(finding) for finding in found.report] == []
    assert found.checked is not None
    return found.checked


def written(rule: Rule | Hook) -> str:
    if rule.ruleset == "fair":
        return "fair"
    line = rule.span.source.text.count("\n", 0, rule.span.start) + 1
    return f"{rule.ruleset} {line}"


@pytest.mark.parametrize("case", [c for c in CASES if "rules" in c], ids=lambda c: c["name"])
def test_rules(case: dict[str, Any]) -> None:
    rules = composed(case).values[case.get("value", "fair/price")].rules
    assert [written(rule) for rule in rules] == case["rules"]
    beaten = {written(rule): [written(rules[i]) for i in rule.beats] for rule in rules}
    assert {name: beaten[name] for name in case["beats"]} == case["beats"]


@pytest.mark.parametrize("case", [c for c in CASES if "hooks" in c], ids=lambda c: c["name"])
def test_hooks(case: dict[str, Any]) -> None:
    hooks = composed(case).actions["fair/sell"].hooks
    found = [
        f"{when} {written(hook)}"
        for when, group in (
            ("around", hooks.arounds),
            ("before", hooks.befores),
            ("after", hooks.afters),
        )
        for hook in group
    ]
    assert found == case["hooks"]
