"""Paths of the code that pages name lead to files and folders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("architecture.md", "contributing.md")
"""The pages about the code; their paths are relative to the checkout or to `rulesdsl/`."""
_PATH = re.compile(r"`((?:[a-z_]+/)+(?:[a-z_.]+)?)`")
_NAMES = {"base/worth"}


@pytest.mark.parametrize("page", PAGES)
def test_paths_on_pages_about_the_code_exist(page: str) -> None:
    text = (ROOT / "docs" / "background" / page).read_text(encoding="utf-8")
    named = set(_PATH.findall(text)) - _NAMES
    assert named
    gone = [
        path
        for path in named
        if not any((ROOT / base / path).exists() for base in ("", "rulesdsl"))
    ]
    assert not gone
