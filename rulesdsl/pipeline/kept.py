"""Checked games kept from one start to the next, or from one change of their files to the next.

With a game it is kept what was seen of the disk while it was built: every listing, every path that
was followed, every file. As long as all of that is as it was, so is the game.
"""

from __future__ import annotations

import json
import marshal
import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING

from rulesdsl.cache import Cache, entry_name
from rulesdsl.diagnostics import Diagnostic, Report
from rulesdsl.memory import uncollected
from rulesdsl.read.disk import Look, Seen, seen_before, unchanged, watched

if TYPE_CHECKING:
    from rulesdsl.model.checked import Checked
    from rulesdsl.pipeline.known import Known

Named = str | PathLike[str]
Settings = Mapping[str, int | bool | str]
Built = tuple["Checked", tuple[Diagnostic, ...]]
"""A game, and what was found on the way."""


@dataclass
class Memory:
    """What one process remembers of the games it builds: what is `known` of each file, and the
    `most` games built last. The cache folder is left alone meanwhile: of games whose files change
    with every save, none is needed again."""

    most: int = 50
    games: dict[str, tuple[tuple[Look, ...], Built]] = field(default_factory=dict)

    @cached_property
    def known(self) -> Known:
        """What is known of files."""
        from rulesdsl.pipeline.known import Known  # the stages take long to import

        return Known()

    def get(self, name: str) -> Built | None:
        """The game that was built under a name, if it would be built just so now."""
        looks, built = self.games.get(name, ((), None))
        if built is None or not unchanged(looks):
            return None
        seen_before(looks)
        return built

    def put(self, name: str, looks: tuple[Look, ...], built: Built) -> None:
        """Keep a game; the oldest goes when there are too many."""
        self.games.pop(name, None)
        self.games[name] = looks, built
        for oldest in list(self.games)[: -self.most]:
            del self.games[oldest]


_memory: ContextVar[Memory | None] = ContextVar("memory", default=None)


@contextmanager
def remembering(memory: Memory) -> Iterator[None]:
    """Games that are built meanwhile are kept in `memory`, and made with what it knows."""
    token = _memory.set(memory)
    try:
        yield
    finally:
        _memory.reset(token)


def build(
    main: Named,
    expansions: Sequence[str] = (),
    settings: Settings | None = None,
    *,
    paths: Sequence[Named] = (),
    report: Report,
) -> Checked | None:
    """Read, parse, weave and check `main` with `expansions` under `settings`, or take the game
    that was kept when that was last done.

    Everything found on the way goes into `report`; the result is None when it cannot be played
    (then the report holds an error).
    """
    memory, entries = _memory.get(), Cache.of_user()
    name = _entry_of(main, expansions, settings or {}, paths)
    kept = None
    if name is not None:
        kept = _restore(entries.get(name)) if memory is None else memory.get(name)
    if kept is not None:
        checked, findings = kept
        report.extend(findings)
        return checked if report.ok else None
    found = Report()
    with watched() as seen, uncollected():
        # The stages, and the libraries they need, take longer to import than all of a start does
        # that finds the game kept.
        from rulesdsl.pipeline import stages

        known = None if memory is None else memory.known
        built = stages.build(main, expansions, settings, paths=paths, report=found, known=known)
    report.extend(found)
    if name is not None and built is not None and seen.certain:
        whole = built, tuple(found)
        if memory is None:
            _keep(entries, name, seen, whole)
        else:
            memory.put(name, seen.looks, whole)
    return built if report.ok else None


def _entry_of(
    main: Named, expansions: Sequence[Named], settings: Settings, paths: Sequence[Named]
) -> str | None:
    """The name of the entry for what is asked for, None for what has none."""
    try:
        named = [(isinstance(each, str), os.fspath(each)) for each in (main, *expansions)]
        folders = [os.fspath(path) for path in paths]
        key = json.dumps([os.getcwd(), named, list(settings.items()), folders])
    except (OSError, TypeError, ValueError):  # nowhere, or what the stages will refuse
        return None
    return entry_name("game", key.encode(), "pickle")


def _keep(entries: Cache, name: str, seen: Seen, built: Built) -> None:
    try:
        pickled = pickle.dumps(built, pickle.HIGHEST_PROTOCOL)
    except RecursionError:  # rules are nested deeply
        return
    entries.put(name, marshal.dumps((seen.looks, pickled)))


def _restore(content: bytes | None) -> Built | None:
    """The game that was kept, if it would be built just so now."""
    if content is None:
        return None
    try:
        looks, pickled = marshal.loads(content)
        if not unchanged(looks):
            return None
        built: Built = pickle.loads(pickled)
    except (EOFError, ValueError, TypeError, KeyError, pickle.UnpicklingError):
        return None  # a damaged entry is made anew
    return built
