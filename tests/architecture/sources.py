"""The files of the project, as the tests of its shape read them."""

from __future__ import annotations

import os
from pathlib import Path

from tools.sizes import modules as modules

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "rulesdsl"
TESTS = ROOT / "tests"
FOLDERS = ("rulesdsl", "rulesets", "schemas", "tests", "tools", "docs", ".ci", ".github")


FOREIGN = {"__pycache__", "node_modules"}
MADE = ".tables"
"""The suffix of files that are made of others and hold no text."""


def text_files(folder: Path) -> list[Path]:
    """Every file below the folder that holds text, sorted; what Python and npm put there is not."""
    found: list[Path] = []
    for path, folders, files in os.walk(folder):
        folders[:] = {*folders} - FOREIGN
        found += (Path(path, name) for name in files if not name.endswith(MADE))
    return sorted(found)


def project_files() -> list[Path]:
    """Every text file of the project, sorted."""
    top = sorted(
        path
        for path in ROOT.iterdir()
        if path.is_file() and path.suffix != ".jsonl" and path.name != ".git"
    )
    return top + [path for name in FOLDERS for path in text_files(ROOT / name)]


def place(path: Path, line: int) -> str:
    """A position as it is shown in a failure."""
    return f"{path.relative_to(ROOT)}:{line}"
