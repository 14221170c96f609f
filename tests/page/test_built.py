"""The built files of the page are those of its modules."""

from __future__ import annotations

from pathlib import Path

from tools import page


def test_the_shipped_files_are_built_from_the_modules(tmp_path: Path) -> None:
    page.build(tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    there = {path.name: path.read_bytes() for path in page.BUILT.iterdir()}
    assert made == there, "write them anew: python3 -m tools page"
