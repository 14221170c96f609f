"""The words that may follow on a command line.

The scripts `completion.SHELL` in this folder ask for them with `rulesdsl --complete LINE`.
"""

from __future__ import annotations

import os
import re
import shlex
from argparse import Action, ArgumentParser, _AppendAction, _SubParsersAction
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from textwrap import shorten
from typing import Any

from rulesdsl.base.texts import FALLBACK, languages
from rulesdsl.cli.listing import extended, family, values_of, values_shown
from rulesdsl.cli.words import CommandTexts, written
from rulesdsl.language.diagnostics import SLUGS, Report
from rulesdsl.language.diagnostics.report import visible
from rulesdsl.language.link.names import CLASSES
from rulesdsl.language.model import nodes
from rulesdsl.language.read.files import DiskFolder, is_folder
from rulesdsl.language.read.find import FolderSearch, search_folders
from rulesdsl.language.read.load import ids_of, load_rulesets
from rulesdsl.language.read.manifest import ManifestHeader
from rulesdsl.play.records import LAST, saved_games

FILES, FOLDERS = ":files", ":folders"
"""What stands for the names of files and of folders, which shells know better."""

_PLAIN = re.compile(r"[\w.@%+/-][\w.@%+,:=/\[\]-]*")
"""Words that no shell needs to quote."""

Words = Iterable[str | tuple[str, str]]
"""Words, some with what they mean."""


class Line:
    """A command line up to the cursor: `word` is being written, `values` are those before it."""

    def __init__(self, main: ArgumentParser, line: str) -> None:
        self.parser, self._place, self._used = main, 0, set[Action]()
        self.values = defaultdict[str, list[str]](list)
        self._awaited: Action | None = None
        *before, self.word = _words(line)
        for each in before:
            self._read(each)

    def _read(self, word: str) -> None:
        action, self._awaited = self._awaited, None
        if action is None and word.startswith("-"):
            name, equals, value = word.partition("=")
            action = self.parser._option_string_actions.get(name)
            if action is None:
                return
            self._used.add(action)
            if action.nargs == 0 or not equals:
                self._awaited = None if action.nargs == 0 else action
                return
            word = value
        elif action is None:
            action = self.positional
            if isinstance(action, _SubParsersAction):
                self.parser, self._place = action.choices.get(word, ArgumentParser()), 0
                return
            self._place += action is not None and action.nargs not in ("*", "+")
        if action is not None:
            self.values[action.dest].append(word)

    @property
    def positional(self) -> Action | None:
        """The argument without a name that the next word is."""
        places = [each for each in self.parser._actions if not each.option_strings]
        return places[self._place] if self._place < len(places) else None

    def words(self) -> Iterator[str]:
        """Yield the words that may stand here, each with its meaning after a tab, if it has one."""
        action, prefix, word = self._awaited, "", self.word
        if action is None and word.startswith("-"):
            name, equals, value = word.partition("=")
            action = self.parser._option_string_actions.get(name) if equals else None
            if action is None:
                yield from self._fitting(self._options(), "", word)
                return
            prefix, word = f"{name}=", value
        action = action or self.positional
        if action is None:
            return
        if "," in word and re.search("[,=]", str(action.metavar)):
            first, _, word = word.rpartition(",")
            self.values[action.dest].append(first)
            prefix += f"{first},"
        yield from self._fitting(self._possible(action), prefix, word)

    def _options(self) -> Words:
        for name, action in self.parser._option_string_actions.items():
            if action not in self._used or isinstance(action, _AppendAction):
                yield name, action.help or ""

    def _possible(self, action: Action) -> Words:
        if isinstance(action, _SubParsersAction):
            return [(each.dest, each.help or "") for each in action._choices_actions]
        if action.choices is not None:
            return [str(each) for each in action.choices]
        command = self.parser.prog.rpartition(" ")[2]
        what = str(action.metavar) if action.option_strings else action.dest
        source = SOURCES.get(f"{command} {what}") or SOURCES.get(what)
        return source(self) if source else ()

    def _fitting(self, words: Words, prefix: str, word: str) -> Iterator[str]:
        for each in words:
            text, meaning = (each, "") if isinstance(each, str) else each
            if text in (FILES, FOLDERS):
                if not prefix.endswith(","):
                    yield text
            elif text.startswith(word) and _PLAIN.fullmatch(text):
                meaning = shorten(visible(meaning), 60, placeholder=" …")
                yield f"{prefix}{text}\t{meaning}" if meaning else f"{prefix}{text}"


def completions(main: ArgumentParser, line: str) -> list[str]:
    """Return what may follow a command line that ends at the cursor, each once, sorted.

    These are words, with their meaning after a tab, and `FILES` and `FOLDERS`.
    """
    return sorted(set(Line(main, line).words()))


def _words(line: str) -> list[str]:
    """Split a line into the words after the command; the last one may be unfinished or empty."""
    for end in ("", "'", '"', "\\"):
        with suppress(ValueError):
            found = shlex.split(line + end)[1:]
            return [*found, ""] if not found or (not end and line[-1].isspace()) else found
    return [""]


# --- the words of arguments -----------------------------------------------------------------------


def _found(line: Line) -> dict[str, ManifestHeader]:
    named = [each for each in _named(line) if os.path.exists(each)]
    beside = [DiskFolder.at(each if is_folder(each) else os.path.dirname(each)) for each in named]
    folders = search_folders([*beside, DiskFolder.at(".")], line.values["path"], Report())
    return {each.id: each.header for each in FolderSearch(folders).found if each.header}


def _named(line: Line) -> list[str]:
    """Return the rulesets that the line names, the game first."""
    first = [
        each for dest in ("ruleset", "rulesets", "names", "paths") for each in line.values[dest]
    ][:1]
    lists = (words.split(",") for words in line.values["expansions"])
    return [os.path.expanduser(each) for each in (*first, *chain.from_iterable(lists)) if each]


def _manifests(line: Line) -> Iterator[tuple[str, Any]]:
    main, *others = _named(line) or [""]
    loaded = load_rulesets(main, others, paths=line.values["path"], report=Report()) if main else []
    for each in loaded:
        yield each.id, nodes.plain(each.manifest)


def _games(line: Line) -> Words:
    return [FILES, *(id for id, each in _found(line).items() if not extended(each))]


def _rulesets(line: Line) -> Words:
    return [FILES, *_found(line)]


def _expansions(line: Line) -> Words:
    found, named = _found(line), _named(line)
    main = ids_of(named[:1])
    fits = family(found, main[0]) if main else [id for id, each in found.items() if extended(each)]
    return [FILES, *(id for id in fits if id not in named)]


def _settings(line: Line) -> Words:
    for id, manifest in _manifests(line):
        for name, setting in manifest.get("settings", {}).items():
            full = f"{id}.{name}="
            if line.word.rpartition(",")[2].startswith(full):
                yield from (f"{full}{written(each)}" for each in values_of(setting))
            else:
                yield full, values_shown(setting, CommandTexts(FALLBACK))


def _changes(line: Line) -> Words:
    yield from (f"with={id}" for id in _expansions(line) if id != FILES)
    yield from (f"without={id}" for id in _named(line)[1:])
    yield from _settings(line)


def _colours(line: Line) -> Words:
    for _, manifest in _manifests(line):
        yield from manifest.get("players", {}).get("colours", ())


def _bots(_: Line) -> Words:
    from rulesdsl.play.bots import BOTS  # slow to import

    return [*BOTS, ("mcts:500", "500 playouts a move"), ("mcts:0.5s", "half a second a move")]


def _saved(_: Line) -> Words:
    return [FILES, (LAST, "the latest saved game"), *(each.stem for each in saved_games())]


def _components(line: Line) -> Words:
    root, slash, _ = line.word.rpartition("/")
    if not slash or root in (".", "..") or root.endswith("/") or os.path.isdir(root):
        yield from _rulesets(line)
        return
    line.values["names"] = [root]
    for id, manifest in _manifests(line):
        for section in CLASSES if id in ids_of([root]) else ():
            for each in manifest.get(section, ()):
                yield f"{root}/{each['id']}", CLASSES[section]


def _levels(line: Line) -> Words:
    slug, equals, _ = line.word.rpartition(",")[2].partition("=")
    if equals:
        return [f"{slug}={each}" for each in ("error", "warning", "note", "off")]
    return [(f"{each}=", title) for each, title in {"all": "all kinds", **SLUGS}.items()]


SOURCES: Mapping[str, Callable[[Line], Words]] = {
    **dict.fromkeys(("FILE", "files", "paths"), lambda _: [FILES]),
    **dict.fromkeys(("DIR", "FOLDER", "folder"), lambda _: [FOLDERS]),
    **dict.fromkeys(("GAME", "record", "file"), _saved),
    **dict.fromkeys(("RULESET", "ruleset"), _games),
    "page ruleset": lambda line: [*_games(line), *_saved(line)],
    "pack ruleset": lambda _: [FILES],
    "check paths": _rulesets,
    "names": _components,
    "RULESET,...": _expansions,
    "NAME=VALUE": _settings,
    "CHANGE,...": _changes,
    "COLOUR,...": _colours,
    "NAME,...": _bots,
    "simulate NAME,...": lambda line: [FILES, *_bots(line)],
    "LANGUAGE": lambda _: languages(),
    "SLUG=LEVEL,...": _levels,
    "slug": lambda _: SLUGS.items(),
}
"""The words of an argument by its name, or of an option by its placeholder; of one command first.
"""
