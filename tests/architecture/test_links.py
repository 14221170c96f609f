"""Links between the documents lead somewhere."""

from __future__ import annotations

import re

import pytest

from tests.architecture.sources import ROOT, project_files

DOCUMENTS = [path for path in project_files() if path.suffix == ".md"]
TARGET = re.compile(r"\]\((?!\w+:)([^)#\s]+)")
ANCHOR = re.compile(r"\]\((?!\w+:)([^)#\s]*)#([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title) for title in HEADING.findall(text))
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", [path.relative_to(ROOT).as_posix() for path in DOCUMENTS])
def test_every_relative_link_leads_to_a_file(name: str) -> None:
    document = ROOT / name
    targets = TARGET.findall(document.read_text(encoding="utf-8"))
    broken = [target for target in targets if not (document.parent / target).exists()]
    assert not broken


@pytest.mark.parametrize("name", [path.relative_to(ROOT).as_posix() for path in DOCUMENTS])
def test_every_anchor_is_a_heading(name: str) -> None:
    document = ROOT / name
    text = CODE.sub("", document.read_text(encoding="utf-8"))
    for target, anchor in ANCHOR.findall(text):
        page = document.parent / target if target else document
        if page.suffix == ".md":
            assert anchor in anchors(CODE.sub("", page.read_text(encoding="utf-8"))), target


def test_documents_and_links_are_found() -> None:
    assert ROOT / "README.md" in DOCUMENTS
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "docs/reference/language.md" in TARGET.findall(text)
