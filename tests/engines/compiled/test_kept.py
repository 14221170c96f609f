"""Compiled programs are kept from one start to the next."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from rulesdsl.base.cache import Cache, key_folder, user_key
from rulesdsl.engine.run.wasm import program as wasm
from rulesdsl.engine.run.wasm.machine import Instance
from rulesdsl.engine.run.wasm.printer import print_module
from tests.ir.reading import read_program

PROGRAM = """\
entries next

state sum[2] from -5 to 100 = 3 4
const step[3] from 0 to 9 = 2 4 8

function next(i: int) -> int:
    sum[0] = sum[0] + step[i]
    return sum[0] * sum[1]
"""


def wasm_played(compiled: wasm.WasmProgram) -> object:
    instance = Instance(compiled)
    given = instance.call("next", 1), instance.call("next", 2)
    tables = {name: entries.tolist() for name, entries in instance.tables.items()}
    return *given, tables, compiled.extra


@dataclass
class Programs:
    """Compiled programs; `count` is how many were made."""

    count: int = 0

    def make(self) -> wasm.WasmProgram:
        self.count += 1
        return wasm.compile_module(print_module(read_program(PROGRAM)), b"more")

    def load(self, name: str, entries: Cache) -> object:
        """What a program does that was kept, or is made."""
        return wasm_played(entries.load_or_make(name, self.make, wasm.dump, wasm.restore))


EXPECTED = (28, 60, {"sum": [15, 4], "step": [2, 4, 8]}, b"more")


@pytest.fixture
def kind() -> Programs:
    return Programs()


@pytest.fixture
def entries(tmp_path: Path) -> Cache:
    keys = key_folder()
    assert keys is not None
    return Cache(tmp_path / "cache", user_key(keys))


def test_a_program_is_made_once(kind: Programs, entries: Cache) -> None:
    for _ in range(3):
        assert kind.load("game", entries) == EXPECTED
    assert kind.count == 1
    kind.load("another", entries)
    assert kind.count == 2


def test_without_a_cache_it_is_made_every_time(kind: Programs) -> None:
    for _ in range(2):
        assert kind.load("game", Cache.none()) == EXPECTED
    assert kind.count == 2


@pytest.mark.parametrize(
    "content", [b"", b"\xff", marshal.dumps(None), marshal.dumps((1, 2)), marshal.dumps([0] * 5)]
)
def test_what_is_no_program_is_made_anew(kind: Programs, entries: Cache, content: bytes) -> None:
    kind.load("game", entries)
    (file,) = entries.folder.iterdir()
    file.write_bytes(content)
    assert kind.load("game", entries) == EXPECTED
    entries.put("game", content)
    assert kind.load("game", entries) == EXPECTED
    assert kind.count == 3


def test_what_another_machine_compiled_is_made_anew(entries: Cache) -> None:
    kind = Programs()
    program = kind.make()
    entries.put("game", wasm.dump(replace(program, native=b"something else")))
    assert kind.load("game", entries) == EXPECTED


def test_a_kept_program_starts_without_what_made_it(entries: Cache) -> None:
    Programs().load("game", entries)
    code = (
        "import sys\n"
        "from rulesdsl.base.cache import Cache\n"
        "from rulesdsl.engine.run.wasm.program import dump, restore\n"
        "compiled = Cache.of_user().load_or_make('game', lambda: 1 / 0, dump, restore)\n"
        "from rulesdsl.engine.run.wasm.machine import Instance\n"
        "print(Instance(compiled).call('next', 1))\n"
        "made_it = 'rulesdsl.engine.ir', 'rulesdsl.engine.lower', 'rulesdsl.language.model.ir'\n"
        "print([name for name in sys.modules if name.startswith(made_it)])\n"
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
