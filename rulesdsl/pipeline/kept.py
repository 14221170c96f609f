"""Checked games kept from one start to the next, or from one change of their files to the next.

With a game it is kept what was seen of the disk while it was built: every listing, every path that
was followed, every file. As long as all of that is as it was, so is the game.
"""

from __future__ import annotations

import json
import marshal
import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from rulesdsl.cache import Cache, entry_name
from rulesdsl.diagnostics import Diagnostic, Report
from rulesdsl.memory import uncollected
from rulesdsl.read.files import Look, seen_before, unchanged, watched

if TYPE_CHECKING:
    from rulesdsl.model.checked import Checked
    from rulesdsl.pipeline.stages import Known

Named = str | PathLike[str]
Settings = Mapping[str, int | bool | str]


class Built(NamedTuple):
    """A game, None if it cannot be played; what was found on the way.

    And what was seen of the disk, None if that does not tell all.
    """

    checked: Checked | None
    findings: tuple[Diagnostic, ...]
    looks: tuple[Look, ...] | None


@dataclass
class Memory:
    """What one process remembers of the games it builds: what is `known` of each file, and the
    `most` games built last. The cache folder is left alone meanwhile: of games whose files change
    with every save, none is needed again."""

    most: int = 50
    games: dict[str, Built] = field(default_factory=dict)

    @cached_property
    def known(self) -> Known:
        """What is known of files."""
        from rulesdsl.pipeline.stages import Known  # the stages take long to import

        return Known()

    def load_or_make(self, name: str, make: Callable[[], Built]) -> Built:
        """Return the game that was built under a name, if it would be built just so now, otherwise
        build it; the oldest game goes when there are too many."""
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
    memory = _memory.get()

    def make() -> Built:
        found = Report()
        with watched() as seen, uncollected():
            # The stages, and the libraries they need, take longer to import than all of a start
            # does that finds the game kept.
            from rulesdsl.pipeline import stages

            known = None if memory is None else memory.known
            made = stages.build(main, expansions, settings, paths=paths, report=found, known=known)
        looks = seen.looks if made is not None and seen.certain else None
        return Built(made, tuple(found), looks)

    name = _entry_of(main, expansions, settings or {}, paths)
    if name is None:
        built = make()
    elif memory is not None:
        built = memory.load_or_make(name, make)
    else:
        built = Cache.of_user().load_or_make(name, make, _dump, _restore)
    report.extend(built.findings)
    return built.checked if report.ok else None


def _entry_of(
    main: Named, expansions: Sequence[Named], settings: Settings, paths: Sequence[Named]
) -> str | None:
    """Return the name of the entry for what is asked for, None for what has none."""
    try:
        named = [(isinstance(each, str), os.fspath(each)) for each in (main, *expansions)]
        folders = [os.fspath(path) for path in paths]
        key = json.dumps([os.getcwd(), named, list(settings.items()), folders])
    except (OSError, TypeError, ValueError):  # nowhere, or what the stages will refuse
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
    """Return the game that was kept; ValueError if it would be built in another way now."""
    looks, game = marshal.loads(content)
    if not unchanged(looks):
        raise ValueError("something has changed")
    checked, findings = pickle.loads(game)
    return Built(checked, findings, looks)
