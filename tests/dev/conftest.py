"""Rulesets that are worked on, and a watcher that tells what a test has done."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from rulesdsl.dev.hand import Hand
from rulesdsl.dev.loop import Bench, BenchTask

RULESETS = Path(__file__).parents[1] / "cli" / "rulesets"
SCENARIOS = """\
scenarios: hamlets
edition: 1
tests:
  - name: everybody has four houses
    expect:
      holds:
        - count(home[red]) == 4
"""


class Done(Exception):
    """Nothing more happens."""


class Told:
    """A watcher to which a test does what happens: one thing each time somebody waits long, until
    there is nothing more."""

    def __init__(self, happenings: Iterable[Callable[[], object]]) -> None:
        self._happenings: Iterator[Callable[[], object]] = iter(happenings)
        self.folders: frozenset[str] = frozenset()
        self.waits: list[float | None] = []

    def watch(self, folders: Iterable[str]) -> None:
        self.folders = frozenset(folders)

    def wait(self, seconds: float | None = None) -> bool:
        self.waits.append(seconds)
        if seconds == 0:
            return False
        happening = next(self._happenings, None)
        if happening is None:
            raise Done
        happening()
        return True


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The rulesets, with a file of scenarios, in the current folder."""
    for name in ("RULESDSL_PATH", "NO_COLOR", "TERM", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    work = tmp_path / "work"
    shutil.copytree(RULESETS, work)
    (work / "hamlets.test.yaml").write_text(SCENARIOS)
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def bench(folder: Path) -> Bench:
    """A workbench with the game, and one that bots play for six turns."""
    return bench_of(Hand(None, 3, 6))


def bench_of(hand: Hand, ruleset: str = "hamlets.yaml", *expansions: str) -> Bench:
    return Bench(BenchTask(ruleset, expansions, {}, [], "reference"), hand)


def change(file: Path, old: str, new: str) -> None:
    """Save a file in which something is another."""
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
