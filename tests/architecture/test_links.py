"""Links between the documents lead somewhere."""

from __future__ import annotations

import re

import pytest

from tests.architecture.sources import ROOT, project_files

DOCUMENTS = [path for path in project_files() if path.suffix == ".md"]
TARGET = re.compile(r"\]\((?!\w+:)([^)#\s]+)")


@pytest.mark.parametrize("name", [path.relative_to(ROOT).as_posix() for path in DOCUMENTS])
def test_every_relative_link_leads_to_a_file(name: str) -> None:
    document = ROOT / name
    targets = TARGET.findall(document.read_text(encoding="utf-8"))
    broken = [target for target in targets if not (document.parent / target).exists()]
    assert not broken


def test_documents_and_links_are_found() -> None:
    assert ROOT / "README.md" in DOCUMENTS
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "docs/reference/language.md" in TARGET.findall(text)
