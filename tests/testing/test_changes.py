"""The small changes that are made of rules and manifests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.author.testing.mutants import Mutation, of_manifest, of_rules
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.parse import parse
from rulesdsl.language.read.yaml import parse_yaml

FILE = Path(__file__).with_name("changes.yaml")
CASES: list[dict[str, Any]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_which_changes_are_made(case: dict[str, Any]) -> None:
    report = Report()
    source = Source("the text", case.get("rules") or case["manifest"])
    if "rules" in case:
        changes = list(of_rules(parse(source, report)))
    else:
        manifest = parse_yaml(source, report)
        assert manifest is not None
        changes = list(of_manifest(manifest))
    assert list(report) == []
    assert [shown(source, each) for each in changes] == case["changes"]
    assert all(each.what and each.missing for each in changes)


def shown(source: Source, change: Mutation) -> str:
    old = source.text[change.start : change.end]
    line, column = source.position(change.start + len(old) - len(old.lstrip()))
    return f"{line}:{column} {' '.join(old.split())} -> {change.new.strip()}"
