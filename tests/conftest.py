"""Settings for every test."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest
import yaml
from hypothesis import settings

from rulesdsl.engine.build import Memory, remembering
from rulesdsl.engine.ir.ranges import analyse
from rulesdsl.engine.lower import lower, program
from rulesdsl.engine.lower.plan import ENTRIES
from rulesdsl.engine.run.plans import key_of
from rulesdsl.engine.run.wasm import printer as wasm
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.parse.layout import Chunk, TokenLayout
from rulesdsl.language.parse.parser import Trees
from rulesdsl.language.parse.trees import Branch
from rulesdsl.language.read.yaml import LOADER

Given = ParamSpec("Given")
Made = TypeVar("Made")

BROWSER = pytest.mark.xdist_group("browser").mark
MOST_TREES = 3_000
FOLDERS = Counter[str]()
"""How many tests of each name have had a folder."""

# Tests that are data are read ten times as fast.
yaml.SafeLoader = LOADER  # type: ignore[misc, assignment]

# The same examples in every run, and no clock: a failure is a failure everywhere.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

# Hundreds of processes import the package: they share its bytecode, whatever the environment says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Games that tests share stay: to go over them as often as Python does by itself takes long. But
# games printed as Python are cycles, of megabytes each: rarer searches leave gigabytes of them.
gc.set_threshold(300_000, 10, 10)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one process run the tests of a file, unless they name groups of their own: they share
    games, and those that differ only in their engine share programs too.

    Pages in a browser come first: they are the longest group, and nobody waits for them at the end.
    """
    first, others = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        group = item.get_closest_marker("xdist_group")
        if group is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
        (first if group == BROWSER else others).append(item)
    items[:] = first + others


def pytest_collection_finish() -> None:
    """Leave what pytest knows of all tests out of every search for garbage."""
    gc.freeze()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """After its last test, forget what a file has cached for its tests: without it a process grows
    to gigabytes, and to search them for garbage takes seconds each time."""
    last = nextitem is None or nextitem.location[0] != item.location[0]
    if last and isinstance(item, pytest.Function):
        for each in vars(item.module).values():
            if hasattr(each, "cache_clear") and each.__module__ == item.module.__name__:
                each.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def lowered_once() -> Iterator[None]:
    """A game is lowered, and its ranges are found out, by the first engine that plays it, and not
    again by the next one: that takes longer than most tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "lower", _remembering_one(lower, _program_key))
        # Ranges hold their program, so that no other one gets its identity.
        analysed = _remembering_one(analyse, id)
        patch.setattr(wasm, "analyse", analysed)
        yield


@pytest.fixture(scope="session", autouse=True)
def parsed_once() -> Iterator[None]:
    """A declaration has the same tree wherever it is written: those of the shipped games are read
    a thousand times, and parsing is a third of loading."""
    known: dict[tuple[object, ...], tuple[TokenLayout, Branch]] = {}
    parsed = Trees.of

    def of(
        own: Trees, chunk: Chunk, before: Trees, start: str = "declaration"
    ) -> tuple[TokenLayout, Branch]:
        key = chunk.text, start, chunk.indented, bool(chunk.base)
        if key in known and chunk.text not in before.known:
            before = Trees({chunk.text: known[key]})
        found = parsed(own, chunk, before, start)
        known[key] = own.known[chunk.text]
        if len(known) > MOST_TREES:
            del known[next(iter(known))]
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trees, "of", of)
        yield


@pytest.fixture(scope="session", autouse=True)
def folders_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The user's data and cache are of this run of the tests alone. All its processes share the
    cache, so a game that one has compiled is ready for others; each has its own saved games."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own
    with pytest.MonkeyPatch.context() as patch:
        for variable, folder in (
            ("XDG_DATA_HOME", own / "data"),
            ("XDG_CACHE_HOME", shared / "cache"),
        ):
            folder.mkdir(mode=0o700, exist_ok=True)
            patch.setenv(variable, str(folder))
        yield


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder of this test. That of pytest looks through all folders of earlier tests for
    a free name, which takes longer than most tests."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    FOLDERS[name] += 1
    return tmp_path_factory.mktemp(f"{name}-{FOLDERS[name]}", numbered=False)


@pytest.fixture(scope="module")
def one_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for the small games of all tests of a file, one after the other: what they have in
    common is read, parsed and checked once, and nothing of them is kept in the user's cache."""
    with remembering(Memory()):
        yield tmp_path_factory.mktemp("one")


def _program_key(
    checked: Checked,
    players: int,
    optimised: bool = True,
    *,
    entries: Sequence[str] = ENTRIES,
    marked: bool = False,
    terms: bool = False,
) -> object:
    """Tells programs of games apart."""
    return key_of(checked, players, entries), optimised, marked, terms


def _remembering_one(
    make: Callable[Given, Made], key: Callable[Given, object]
) -> Callable[Given, Made]:
    """The function, which does not make again what it made last."""
    known: list[tuple[object, Made]] = []

    def once(*given: Given.args, **named: Given.kwargs) -> Made:
        name = key(*given, **named)
        if not known or known[0][0] != name:
            known[:] = [(name, make(*given, **named))]
        return known[0][1]

    return once
