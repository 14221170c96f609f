"""The tables of the grammar are kept, and whatever is wrong with them there does no harm."""

from __future__ import annotations

import hashlib
import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rulesdsl.cache import Cache
from rulesdsl.parse.grammar import load

TEXT = "state game.x: int = 0\n"


def entry(folder: Path) -> Path:
    """The one file of the folder."""
    (file,) = folder.iterdir()
    return file


def sealed(content: bytes) -> bytes:
    return hashlib.sha256(content).digest() + content


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def tree(folder: Path) -> object:
    """What the parser with that cache makes of a text."""
    return load(Cache(folder)).parse("most(x in S by a, -2 where not x.b == 1)", "expression")


def test_tables_from_the_cache_are_the_tables(folder: Path) -> None:
    built = tree(folder)
    kept = entry(folder).read_bytes()
    assert tree(folder) == built
    assert entry(folder).read_bytes() == kept


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", *map(marshal.dumps, (None, [], [1, 2], [{}, {}], [{"options": {}}, {1: 1}]))],
)
def test_tables_that_are_none_are_built_anew(folder: Path, content: bytes) -> None:
    built = tree(folder)
    entry(folder).write_bytes(sealed(content))
    assert tree(folder) == built
    assert entry(folder).read_bytes() != sealed(content)


def test_the_environment_names_the_folder(folder: Path) -> None:
    code = (
        "from rulesdsl.diagnostics import Report, Source\n"
        "from rulesdsl.parse import parse\n"
        "report = Report()\n"
        f"module = parse(Source('x', {TEXT!r}), report)\n"
        "print(len(module.declarations), len(report))\n"
    )
    environment = os.environ | {"RULESDSL_CACHE": str(folder)}
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == "1 0\n"
        assert entry(folder).name.startswith("grammar-")
