"""Checked games kept from one start to the next.

With a game it is kept what was seen of the disk while it was built: every listing, every path that
was followed, every file. As long as all of that is as it was, so is the game.
"""

from __future__ import annotations

import json
import marshal
import os
import pickle
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING

from rulesdsl.cache import Cache, entry_name
from rulesdsl.diagnostics import Diagnostic, Report
from rulesdsl.memory import uncollected
from rulesdsl.read.disk import Seen, unchanged, watched

if TYPE_CHECKING:
    from rulesdsl.model.checked import Checked

Named = str | PathLike[str]
Settings = Mapping[str, int | bool | str]
Built = tuple["Checked", tuple[Diagnostic, ...]]
"""A game, and what was found on the way."""


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
    entries = Cache.of_user()
    name = _entry_of(main, expansions, settings or {}, paths)
    kept = None if name is None else _restore(entries.get(name))
    if kept is not None:
        checked, findings = kept
        report.extend(findings)
        return checked if report.ok else None
    found = Report()
    with watched() as seen, uncollected():
        # The stages, and the libraries they need, take longer to import than all of a start does
        # that finds the game kept.
        from rulesdsl.pipeline import stages

        built = stages.build(main, expansions, settings, paths=paths, report=found)
    report.extend(found)
    if name is not None and built is not None and seen.certain:
        _keep(entries, name, seen, (built, tuple(found)))
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
