"""Every mistake is one finding at its place, and the box stays usable."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.language.diagnostics import Diagnostic, Report
from rulesdsl.language.model.game import Ruleset
from tests.link.boxes import TABLES, manifest
from tests.small_games import linked

CASES = yaml.safe_load((Path(__file__).parent / "mistakes.yaml").read_text(encoding="utf-8"))
MARK = re.compile(r" # ! (.*)")

Place = tuple[str, str, int, int]


def marked(ruleset: Ruleset) -> dict[Place, str]:
    """What the comments of a manifest announce: slug and place, and words of the finding."""
    wanted = {}
    source = ruleset.manifest.span.source
    for number, line in enumerate(source.text.splitlines(), 1):
        if mark := MARK.search(line):
            slug, text, *words = (part.strip() for part in mark[1].split(" | "))
            column = _column(line[: mark.start()], text)
            wanted[slug, source.name, number, column] = words[0] if words else ""
    return wanted


def _column(line: str, text: str) -> int:
    """The column of the last place where `text` stands as a word of its own."""
    (*_, last) = re.finditer(rf"(?<![\w/]){re.escape(text)}(?![\w/])", line)
    return last.start() + 1


def said(finding: Diagnostic) -> str:
    return " ".join((finding.message, *finding.help, *(label.text for label in finding.labels)))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_mistakes(case: dict[str, Any]) -> None:
    root = case.get("root", True)
    rulesets = [manifest(text, root and i == 0) for i, text in enumerate(case["rulesets"])]
    report = Report()
    found = linked(rulesets, case.get("choose", {}), report)
    assert (found is not None) is case.get("box", True)
    if found is not None:
        assert all(isinstance(table(found), list) for table in TABLES.values())
    wanted = {place: words for ruleset in rulesets for place, words in marked(ruleset).items()}
    placed = {(d.slug, d.span.source.name, d.span.line, d.span.column): d for d in report if d.span}
    others = [d for d in report if d.span is None]
    if "anywhere" in case:
        others, placed = report.sorted(), {}
    assert sorted(placed) == sorted(wanted)
    assert [words for place, words in wanted.items() if words not in said(placed[place])] == []
    errors = case.get("errors", []) + case.get("anywhere", [])
    assert len(wanted) + len(errors) == len(report)
    for error in errors:
        slug, *words = (part.strip() for part in error.split(" | "))
        assert [d for d in others if d.slug == slug and all(w in said(d) for w in words)], error
