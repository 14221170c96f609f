"""Every ruleset is checked, lowered and compiled, or refused, within bounds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rulesdsl.engine.run import ENGINES
from tests.performance.hostile import KINDS, Files

ROOT = Path(__file__).parents[2]
SECONDS = 10
BYTES = 1_000_000_000


def check(folder: Path, files: Files, engine: str) -> set[str]:
    """The slugs of what is found, within the bounds."""
    for name, text in files.items():
        (folder / name).write_text(text)
    expansions = [str(folder / name) for name in files if name.endswith(".yaml")][1:]
    measured = [sys.executable, "-m", "tests.performance.measured"]
    done = subprocess.run(
        [*measured, engine, folder / "big.yaml", *expansions],
        cwd=ROOT,
        env={**os.environ, "RULESDSL_NO_CACHE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-500:]}"
    found = json.loads(done.stdout)
    assert found["seconds"] < SECONDS, f"{found['seconds']:.1f} s of processor time"
    assert found["bytes"] < BYTES
    return set(found["slugs"])


def test_it_ends(tmp_path: Path) -> None:
    make, size = KINDS["guards that overlap"]
    check(tmp_path, make(size // 4), "wasm")


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", KINDS)
def test_it_ends_when_it_is_large(name: str, engine: str, tmp_path: Path) -> None:
    make, size = KINDS[name]
    check(tmp_path, make(size), engine)
    check(tmp_path, make(2 * size), engine)


@pytest.mark.parametrize(
    ("name", "size", "slug"),
    [
        ("many hooks of strangers", 100, "too-large"),
        ("asked twice", 20, "nested-too-deep"),
        pytest.param("a tree of conditions", 8192, "too-large", marks=pytest.mark.long),
        pytest.param("guards that clash", 1000, "too-large", marks=pytest.mark.long),
        pytest.param("hooks around", 1000, "too-large", marks=pytest.mark.long),
        pytest.param("tiles", 5000, "too-large", marks=pytest.mark.long),
        pytest.param("values that nobody needs", 6000, "too-large", marks=pytest.mark.long),
    ],
)
def test_what_is_too_large_is_refused(name: str, size: int, slug: str, tmp_path: Path) -> None:
    assert slug in check(tmp_path, KINDS[name][0](size), "wasm")
