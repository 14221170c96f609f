"""Compiled programs are kept from one start to the next."""

from __future__ import annotations

import hashlib
import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rulesdsl.cache import Cache
from rulesdsl.ir.text import read_program
from rulesdsl.run.python.compiling import compile_program
from rulesdsl.run.python.kept import load_or_make
from rulesdsl.run.python.program import CompiledProgram

PROGRAM = """\
entries next

state sum[2] from -5 to 100 = 3 4
const step[3] from 0 to 9 = 2 4 8

function next(i: int) -> int:
    sum[0] = sum[0] + step[i]
    return sum[0] * sum[1]
"""


class Maker:
    """Makes the program, and counts how often."""

    count = 0

    def __call__(self) -> CompiledProgram:
        self.count += 1
        return compile_program(read_program(PROGRAM), extra=b"more")


def played(compiled: CompiledProgram) -> object:
    """What a program does, and all that it is."""
    tables = compiled.new_tables()
    entries = compiled.make(tables)
    return entries["next"](1), entries["next"](2), tables, compiled.source, compiled.extra


EXPECTED = (28, 60, {"sum": [15, 4], "step": [2, 4, 8]}, Maker()().source, b"more")


@pytest.fixture
def entries(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def test_a_program_is_made_once(entries: Cache) -> None:
    make = Maker()
    for _ in range(3):
        assert played(load_or_make("game", make, entries)) == EXPECTED
    assert make.count == 1
    load_or_make(b"another", make, entries)
    assert make.count == 2


def test_without_a_cache_it_is_made_every_time() -> None:
    make = Maker()
    for _ in range(2):
        assert played(load_or_make("game", make, Cache.none())) == EXPECTED
    assert make.count == 2


@pytest.mark.parametrize(
    "content", [b"", b"\xff", marshal.dumps(None), marshal.dumps((1, 2)), marshal.dumps([0] * 5)]
)
def test_what_is_no_program_is_made_anew(entries: Cache, content: bytes) -> None:
    make = Maker()
    load_or_make("game", make, entries)
    (file,) = entries.folder.iterdir()
    for damaged in (content, hashlib.sha256(content).digest() + content):
        file.write_bytes(damaged)
        assert played(load_or_make("game", make, entries)) == EXPECTED
    assert make.count == 3


def test_a_kept_program_starts_without_what_made_it(entries: Cache) -> None:
    load_or_make("game", Maker(), entries)
    code = (
        "import sys\n"
        "from rulesdsl.cache import Cache\n"
        "from rulesdsl.run.python.kept import load_or_make\n"
        "compiled = load_or_make('game', lambda: 1 / 0, Cache.of_user())\n"
        "print(compiled.make(compiled.new_tables())['next'](1))\n"
        "print([name for name in sys.modules if name.startswith('rulesdsl.model')])\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"RULESDSL_CACHE": str(entries.folder)},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "28\n[]\n"
