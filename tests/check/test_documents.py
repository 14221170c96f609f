"""The rules in the documents are without mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from rulesdsl.language.diagnostics import Severity
from tests.small_games import checked

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SKETCHES = yaml.safe_load((HERE / "sketches.yaml").read_text(encoding="utf-8"))
DECISION = ROOT / "docs" / "decisions" / "0002-the-other-systems-on-paper.md"


def _blocks(text: str, language: str) -> str:
    return "\n".join(re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL))


@pytest.mark.parametrize("title", SKETCHES)
def test_a_sketch_has_no_mistakes(title: str) -> None:
    section = DECISION.read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    sketch = SKETCHES[title]
    head = "ruleset: sketch\nedition: 1\nversion: 1.0.0\nrules: sketch.rules\n"
    rules = _blocks(section, "rules") + "\n" + sketch.get("rules", "")
    texts = {"sketch": (head + sketch["manifest"], rules)}
    if "requires:" in sketch["manifest"]:
        folder = ROOT / "rulesets"
        files = (folder / "base.yaml", folder / "base.rules")
        manifest, base = (file.read_text(encoding="utf-8") for file in files)
        texts = {"base": (manifest, base), **texts}
    found = checked(texts)
    mistakes = [d for d in found.report if d.severity is Severity.ERROR]
    assert [f"{d.span} {d.message}" for d in mistakes] == []
    assert found.checked is not None
