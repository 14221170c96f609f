"""Every call to the system that a command makes fails once: no file is lost or half written."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import RULESETS, Cli, Result
from tests.writing.faults import ERRORS, SHORT, Call, Faults

H = "hamlets.yaml"
QUICK = ("--engine", "python")
OLD = b"what was there before\n"
WRONG = """\
scenarios: hamlets
edition: 1
tests:
  - name: points
    state: {red.score: 5}
    expect: {scores: {red: 3}}
"""
READING = ("listdir", "read", "readlink", "scandir")
TOLD = ("write", "fsync", "replace", "ftruncate")
"""Calls whose failure always stops the command, with the reason that the system gives."""


@dataclass(frozen=True)
class Writer:
    """A command that writes `files`: whole, or one line after the other (`lines`); `together`: all
    of them or none. What is written may follow from what cannot be read (`decides`)."""

    arguments: tuple[str, ...]
    files: tuple[str, ...]
    lines: bool = False
    together: bool = False
    decides: bool = False

    def __str__(self) -> str:
        return " ".join(self.arguments[:3])


def new(name: str) -> tuple[str, ...]:
    return tuple(f"out/{name}.{ending}" for ending in ("yaml", "rules", "test.yaml", "md"))


STORE = ("out/store/_study.json", "out/store/games-000000000-000000002.parquet")
SIMULATE = ("simulate", H, "--games", "2", "--jobs", "1", *QUICK)
WRITERS = (
    Writer(("doc", H, "--to", "out/old"), ("out/old",)),
    Writer(("doc", H, "--to", "out/link"), ("out/old",)),
    Writer(("doc", H, "--to", "out/new"), ("out/new",)),
    Writer(("page", H, "--players", "2", "--to", "out/p.html"), ("out/p.html",)),
    Writer(("export", H, "--players", "2", "--to", "out/p.json"), ("out/p.json",)),
    Writer(("show", "piece", H, "--to", "out/tiles.svg"), ("out/tiles.svg",)),
    Writer(("show", "board", "game.jsonl", "--to", "out/board.svg"), ("out/board.svg",)),
    Writer(("pack", H, "--to", "out/h.rulesdsl.zip"), ("out/h.rulesdsl.zip",)),
    Writer(("check", H, "--baseline", "out/old", "--write-baseline"), ("out/old",)),
    Writer(("fmt", "messy"), ("messy/a.rules", "messy/b.rules")),
    Writer(("test", "wrong.test.yaml", "--update", "--yes", *QUICK), ("wrong.test.yaml",)),
    Writer(
        ("test", "right.test.yaml", "--format", "html", "--to", "out/t", *QUICK),
        ("out/t",),
        decides=True,
    ),
    Writer(("test", "--record", "game.jsonl", "--to", "out/a.game.jsonl"), ("out/a.game.jsonl",)),
    Writer(("test", "--record", "game.jsonl", "--to", "right.test.yaml"), ("right.test.yaml",)),
    Writer(("run", H, "--quiet", "--record", "out/old"), ("out/old",), lines=True),
    Writer(("run", "--quiet", "--resume", "cut.jsonl"), ("cut.jsonl",), lines=True),
    Writer(("new", "game", "gardens", "--folder", "out"), new("gardens"), together=True),
    Writer(
        ("new", "expansion", "more", "--of", H, "--folder", "out"),
        new("more"),
        together=True,
        decides=True,
    ),
    Writer((*SIMULATE, "--to", "out/s.json"), ("out/s.json",)),
    Writer(
        (*SIMULATE, "--out", "out/store"),
        STORE,
    ),
)


@pytest.fixture
def made(cli: Cli, tmp_path: Path) -> Path:
    """A folder with all that the commands begin with."""
    for ending in ("yaml", "rules"):
        shutil.copy(RULESETS / f"hamlets.{ending}", tmp_path)
    for folder in ("out", "messy"):
        (tmp_path / folder).mkdir()
    (tmp_path / "out/old").write_bytes(OLD)
    (tmp_path / "out/link").symlink_to("old")
    for name in "ab":
        (tmp_path / f"messy/{name}.rules").write_text("value  one() -> int:   1\n")
    (tmp_path / "wrong.test.yaml").write_text(WRONG)
    (tmp_path / "right.test.yaml").write_text(WRONG.replace("red: 3", "red: 5"))
    assert cli("run", H, "--record", "game.jsonl", "--quiet").code == 0
    lines = (tmp_path / "game.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "cut.jsonl").write_text("".join(lines[:4]) + lines[4][:20])
    return tmp_path


class Folder:
    """A folder in which a command is run again and again, from the same beginning."""

    def __init__(self, path: Path, cli: Cli, writer: Writer) -> None:
        self._path, self._cli, self.writer = path, cli, writer
        self.cache = path.with_name(f"{path.name}-cache")
        self._kept = path.with_name(f"{path.name}-kept")
        self._original = path.with_name(f"{path.name}-original")
        shutil.copytree(path, self._original, symlinks=True)
        self.before = self.content()

    def run(self, faults: Faults) -> Result:
        """Run the command while calls about its files fail. Only these have the same numbers in
        every run: whether the cache is looked at follows from the names of temporary folders."""
        faults.folder = self._path
        for there in self._path.iterdir():
            shutil.rmtree(there) if there.is_dir() else there.unlink()
        shutil.copytree(self._original, self._path, symlinks=True, dirs_exist_ok=True)
        if self._kept.exists():
            # The calls have the same numbers only if the cache is as it was.
            shutil.rmtree(self.cache)
            shutil.copytree(self._kept, self.cache)
        opened = _descriptors()
        with faults.injected():
            result = self._cli(*self.writer.arguments)
        left = {each for each in _descriptors() - opened if "/fd/" not in each}
        assert not left, f"left open by {result}: {left}"
        return result

    def keep_cache(self) -> None:
        """Let every run from now on begin with the cache as it is."""
        self.cache.mkdir(exist_ok=True)
        shutil.copytree(self.cache, self._kept)

    def content(self) -> dict[str, bytes]:
        """All files by their paths, links as what they lead to; lock files do not count."""
        found = {}
        for path in self._path.rglob("*"):
            if path.is_symlink():
                found[f"{path.relative_to(self._path)}@"] = os.readlink(path).encode()
            elif path.is_file() and path.name != ".lock":
                found[str(path.relative_to(self._path))] = path.read_bytes()
        return found

    def own(self, calls: list[Call]) -> dict[int, Call]:
        """The calls by their numbers. Of those that only read, the first of each sort is there, or
        none if what is read decides what is written."""
        found, asked = dict[int, Call](), set[Call]()
        for number, call in enumerate(calls):
            path = os.path.relpath(call.path, self._path)
            reads = path in self.before and path not in self.writer.files
            if not (reads or call.name in READING):
                found[number] = call
            elif call not in asked and not self.writer.decides:
                asked.add(call)
                found[number] = call
        return found


def _descriptors() -> set[str]:
    """What is open, where the system tells."""
    folder = Path("/proc/self/fd")
    names = os.listdir(folder) if folder.exists() else []
    return {f"{name}: {os.path.realpath(folder / name)}" for name in names}


@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("writer", WRITERS, ids=str)
def test_every_call_fails_once(
    made: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, writer: Writer, every: int
) -> None:
    """In the tests that always run: each sort of call, and one of so many of the others."""
    folder = Folder(made, cli, writer)
    monkeypatch.setenv("RULESDSL_CACHE", str(folder.cache))
    folder.run(Faults())  # what is imported is there from now on
    folder.keep_cache()
    faults = Faults()
    clean = folder.run(faults)
    whole = folder.content()
    changed = {name for name in whole if folder.before.get(name) != whole[name]}
    assert (clean.code, changed) == (0, set(writer.files)), clean.err
    own = folder.own(faults.calls)
    assert {"open", "write", "fsync", "close"} <= {call.name for call in own.values()}
    for number, call in _some(own, every).items():
        errors = [ERRORS[number % len(ERRORS)], *([SHORT] if call.name == "write" else [])]
        for error in errors:
            result = folder.run(Faults(number, error))
            said = f"{number}. {call}: {error and os.strerror(error)}: {result.code}\n{result.err}"
            _whole(folder, whole, said)
            if result.code == 0:
                assert folder.content() == whole, said
                assert error == SHORT or call.name not in TOLD, said
            else:
                assert error != SHORT, said
                _told(result, call, error, said)


def _some(calls: dict[int, Call], every: int) -> dict[int, Call]:
    """The first call of each sort, and of the others one of so many."""
    chosen, sorts = dict[int, Call](), set[str]()
    for at, (number, call) in enumerate(calls.items()):
        if at % every == 0 or call.name not in sorts:
            chosen[number] = call
        sorts.add(call.name)
    return chosen


def _whole(folder: Folder, whole: dict[str, bytes], said: str) -> None:
    """Every file is as before or as afterwards."""
    before, there = folder.before, folder.content()
    for name in before.keys() | whole.keys() | there.keys():
        data = there.get(name)
        if folder.writer.lines and name in folder.writer.files and data != before.get(name):
            assert data is not None, said
            assert whole[name].startswith(data), said
            assert data.endswith(b"\n"), said
        else:
            assert data in (before.get(name), whole.get(name)), f"{name}: {said}"
    if folder.writer.together:
        assert there in (before, whole), said


def _told(result: Result, call: Call, error: int, said: str) -> None:
    told = result.out + result.err
    assert result.code in (1, 2), said
    assert "error[" in told, said
    if call.name in TOLD:
        assert result.code == 2, said
        assert "cannot be written: " in result.err, said
        assert os.strerror(error).lower() in result.err.lower(), said
