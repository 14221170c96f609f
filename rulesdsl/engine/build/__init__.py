"""The pipeline from the files of rulesets to a checked game, behind the build cache.

A game is kept between starts, or between changes of its files, with the file system queries of its
build: every listing, every resolved path, every file. As long as their answers are unchanged, so is
the game.
"""

from __future__ import annotations

import json
import marshal
import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from rulesdsl.base.cache import Cache, entry_name, uncached
from rulesdsl.base.records import dataclass
from rulesdsl.base.speed import uncollected
from rulesdsl.language.diagnostics import Diagnostic, Report
from rulesdsl.language.read.files import Look, seen_before, unchanged, watched

if TYPE_CHECKING:
    from rulesdsl.engine.build.stages import StageMemo
    from rulesdsl.language.model.checked import Checked


Named = str | PathLike[str]
Settings = Mapping[str, int | bool | str]


class Built(NamedTuple):
    """The result of a build: a game, None if it cannot be played, and the findings.

    `looks` are the file system queries, None if they are incomplete.
    """

    checked: Checked | None
    findings: tuple[Diagnostic, ...]
    looks: tuple[Look, ...] | None


@dataclass
class Memory:
    """The build cache of one process: results `known` of each file, and the `most` recent games.

    The cache folder is not used: when files change with every save, none of their games is needed
    again. Games of rulesets that are `proved` are built without the proofs.
    """

    most: int = 50
    proved: bool = False
    games: dict[str, Built] = field(default_factory=dict)

    @cached_property
    def known(self) -> StageMemo:
        """The results that are known of each file."""
        from rulesdsl.engine.build.stages import StageMemo  # the stages take long to import

        return StageMemo()

    def load_or_make(self, name: str, make: Callable[[], Built]) -> Built:
        """Return the game built under a name if its files are unchanged, otherwise build it.

        The oldest game is dropped when there are too many.
        """
        built = self.games.get(name)
        if built is not None and built.looks is not None and unchanged(built.looks):
            seen_before(built.looks)
            return built
        built = make()
        if built.looks is not None:
            self.games.pop(name, None)
            self.games[name] = built
            for oldest in list(self.games)[: -self.most]:
                del self.games[oldest]
        return built


_memory: ContextVar[Memory | None] = ContextVar("memory", default=None)


@contextmanager
def remembering(memory: Memory) -> Iterator[None]:
    """Keep games that are built in the context in `memory`, and build them with its results."""
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
    backwards: bool = False,
) -> Checked | None:
    """Build the game `main` with `expansions` under `settings`, or take it from the cache.

    Building means to read, parse, link and check. All findings go into `report`; the result is
    None when the game cannot be played (then the report holds an error). `backwards` is that of
    `link`.
    """
    memory = _memory.get()

    def make() -> Built:
        found = Report()
        with watched() as seen, uncollected():
            # Importing the stages and their libraries takes longer than a whole start that finds
            # the game in the cache.
            from rulesdsl.engine.build import stages

            known = None if memory is None else memory.known
            made = stages.build(
                main,
                expansions,
                settings,
                paths=paths,
                report=found,
                known=known,
                backwards=backwards,
                proved=memory is not None and memory.proved,
            )
        looks = seen.looks if made is not None and seen.certain else None
        return Built(made, tuple(found), looks)

    name = _entry_of(main, expansions, settings or {}, paths, backwards)
    if name is None:
        built = make()
    elif memory is not None:
        with uncached():
            built = memory.load_or_make(name, make)
    else:
        built = Cache.of_user().load_or_make(name, make, _dump, _restore)
    report.extend(built.findings)
    return built.checked if report.ok else None


def _entry_of(
    main: Named,
    expansions: Sequence[Named],
    settings: Settings,
    paths: Sequence[Named],
    backwards: bool,
) -> str | None:
    """Return the name of the cache entry for a build; None if it cannot be cached."""
    try:
        named = [(type(each).__name__, os.fspath(each)) for each in (main, *expansions)]
        folders = [os.fspath(path) for path in paths]
        key = json.dumps([os.getcwd(), named, list(settings.items()), folders, backwards])
    except (OSError, TypeError, ValueError):  # not found, or something that the stages will refuse
        return None
    return entry_name("game", key.encode(), "pickle")


def _dump(built: Built) -> bytes | None:
    if built.looks is None:
        return None
    try:
        game = pickle.dumps((built.checked, built.findings), pickle.HIGHEST_PROTOCOL)
    except RecursionError:  # rules are nested deeply
        return None
    return marshal.dumps((built.looks, game))


def _restore(content: bytes) -> Built:
    """Return the cached game; raises ValueError if a build would differ now."""
    looks, game = marshal.loads(content)
    if not unchanged(looks):
        raise ValueError("something has changed")
    checked, findings = pickle.loads(game)
    return Built(checked, findings, looks)
