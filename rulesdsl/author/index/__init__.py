"""The rulesets in a folder, the games that they extend, and the answers about these."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from rulesdsl.author.index.matrix import BROKEN, WORDS, GameMatrix, Known, SetAnswer, SetJudge
from rulesdsl.author.lint.checking import is_meant_as_one
from rulesdsl.author.lint.formats import finding_data
from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Diagnostic, Report, RulesError, Severity
from rulesdsl.language.diagnostics.render import render
from rulesdsl.language.model.names import RulesetId
from rulesdsl.language.read.files import (
    SUFFIX,
    DiskFolder,
    FileProblem,
    open_archive,
    shipped_folder,
    user_file,
)
from rulesdsl.language.read.find import FolderSearch, FoundFile, below, search_folders
from rulesdsl.language.read.load import load_rulesets
from rulesdsl.language.read.manifest import ManifestHeader, read_ruleset

KEPT = "kept.json"
"""The file of a site with the answers that are not proved again while nothing has changed."""

_NEEDED = frozenset({"slug", "severity", "message", "place", "labels", "help"})
"""The keys of findings that pages show."""

_ID = re.compile(r"[a-z][a-z0-9_]{0,59}\Z")


@dataclass(frozen=True)
class Shelf:
    """The rulesets in `folder`: manifests, folders that stand for one, and archives."""

    folder: str

    @cached_property
    def archives(self) -> dict[str, str]:
        """The paths of the archives by the ids of the rulesets in them."""
        found: dict[str, str] = {}
        for name in sorted(DiskFolder.at(self.folder).files()):
            if name.endswith(SUFFIX):
                path = os.path.join(self.folder, name)
                with suppress(FileProblem, RulesError):
                    inside = FolderSearch([open_archive(*user_file(path))]).found
                    found.update((each.id, path) for each in inside if each.header)
        return found

    @property
    def paths(self) -> tuple[str, ...]:
        """The folder and its archives, for the search of rulesets."""
        return (self.folder, *sorted(set(self.archives.values())))

    @cached_property
    def rulesets(self) -> dict[str, FoundFile]:
        """The manifests of the folder by id; ids that cannot be names of files are left out."""
        folders = [DiskFolder.at(self.folder)]
        found = {each.id: each for each in FolderSearch(folders).found if each.header}
        for path in self.paths[1:]:
            inside = FolderSearch([open_archive(*user_file(path))]).found
            found = {**{each.id: each for each in inside if each.header}, **found}
        return {id: found[id] for id in sorted(found) if _ID.match(id)}

    @cached_property
    def headers(self) -> dict[str, ManifestHeader]:
        """The headers of all rulesets that those in the folder may extend."""
        search = FolderSearch(search_folders([], self.paths, Report()))
        return {each.id: each.header for each in reversed(search.found) if each.header}

    @cached_property
    def shipped(self) -> frozenset[str]:
        """The digests of the rulesets that are shipped, and so in every studio."""
        search = FolderSearch(below(DiskFolder.at(shipped_folder())))
        return frozenset(each.digest for each in search.found)

    @cached_property
    def circular(self) -> frozenset[str]:
        """The ids of rulesets that require each other in a cycle, and of those that need these."""
        left = {id: set(each.requires) for id, each in self.headers.items()}
        while ready := [id for id, needs in left.items() if not needs & left.keys()]:
            for id in ready:
                del left[id]
        return frozenset(left)

    @cached_property
    def problems(self) -> dict[str, tuple[Diagnostic, ...]]:
        """The errors of what belongs to no game.

        These are rulesets whose game is missing, or that require each other, by id; manifests that
        cannot be read, by the name of the file; archives without a ruleset, by path.
        """
        reports = dict[str, Report]()
        for id in self.rulesets:
            if self.game_of(id) is None:
                load_rulesets(
                    RulesetId(id), paths=self.paths, report=reports.setdefault(id, Report())
                )
        folder = DiskFolder.at(self.folder)
        for each in FolderSearch([folder]).found:
            if not each.header and is_meant_as_one(each):
                read_ruleset(each.folder, each.file, reports.setdefault(each.id, Report()))
        for name in sorted(folder.files()):
            path = os.path.join(self.folder, name)
            if name.endswith(SUFFIX) and path not in self.archives.values():
                load_rulesets(Path(path), report=reports.setdefault(path, Report()))
        told: dict[str, Diagnostic] = {}  # files are read anew: those of a cycle share one finding
        found = {
            id: tuple(
                told.setdefault(render([each]), each)
                for each in report.sorted()
                if each.severity is Severity.ERROR
            )
            for id, report in reports.items()
        }
        return {id: errors for id, errors in found.items() if errors}

    def game_of(self, id: str) -> str | None:
        """Return the game that a ruleset extends, itself if it extends none; None if missing."""
        seen = set[str]()  # parties may name each other in a cycle, too
        while id in self.headers and id not in self.circular | seen:
            seen.add(id)
            needs = (*self.headers[id].requires, *self.headers[id].parties)
            if not needs:
                return id
            id = needs[0]
        return None

    def judged(self, submitted: Collection[str]) -> tuple[str, ...]:
        """Return the expansions to judge for rulesets: parties of interactions, all for a game."""
        found = set(submitted)
        for id in found.intersection(self.rulesets):
            found.update(self.headers[id].parties)
            found.update(each for each in self.rulesets if self.game_of(each) == id)
        return tuple(sorted(found.intersection(self.rulesets)))

    def matrices(
        self, known: Mapping[str, Known], *, games: int, jobs: int, only: Collection[str] = ()
    ) -> dict[str, GameMatrix]:
        """Return the answers about the expansions of each game, by the id of the game."""
        roots = {self.game_of(id) for id in (only or self.rulesets)} - {None}
        made = {}
        for root in sorted(map(str, roots)):
            judge = SetJudge(
                RulesetId(root),
                self.paths,
                known.get(root, {}),
                among=[id for id in self.rulesets if self.game_of(id)],
                games=games,
                jobs=jobs,
                only=only,
            )
            made[root] = judge.matrix()
        return made


def read_kept(site: str) -> tuple[dict[str, Known], dict[str, str]]:
    """Return the answers about each game and the keys of the pages that a site keeps.

    A file that is missing or damaged counts as empty.
    """
    try:
        with open(os.path.join(site, KEPT), encoding="utf-8") as file:
            data = json.load(file)
        known: dict[str, Known] = {
            game: {
                tuple(on): (key, SetAnswer(verdict, tuple(findings), by, said))
                for on, key, verdict, findings, by, said in rows
                if verdict in WORDS and all(each.keys() >= _NEEDED for each in findings)
            }
            for game, rows in data["games"].items()
        }
        return known, dict(data["pages"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}, {}


def kept_text(made: Mapping[str, GameMatrix], pages: Mapping[str, str]) -> str:
    """Return the text of the file that keeps answers and the keys of pages."""
    games = {
        game: [[list(on), key, *each.answer(on)] for on, key in sorted(each.keys.items())]
        for game, each in made.items()
    }
    return json.dumps({"games": games, "pages": dict(pages)}, separators=(",", ":"))


def relative(findings: Collection[Mapping[str, Any]], folder: str) -> list[dict[str, Any]]:
    """Return findings with names of files relative to the folder."""

    def place(given: Mapping[str, Any]) -> dict[str, Any]:
        name = str(given["file"])
        under = os.path.join(folder, "")
        return {**given, "file": name.removeprefix(under).replace(os.sep, "/")}

    return [
        {
            **each,
            "place": each["place"] and place(each["place"]),
            "labels": [place(label) for label in each["labels"]],
        }
        for each in findings
    ]


def summary(
    made: Mapping[str, GameMatrix],
    submitted: Sequence[str],
    problems: Mapping[str, Sequence[Diagnostic]],
) -> str:
    """Return the answers about submitted rulesets, and problems, as a page in Markdown."""
    lines = list[str]()
    for id in submitted:
        for matrix in (each for each in made.values() if id in each.alone):
            sets = matrix.rows(id)
            lines += [f"## `{id}`", "", f"Alone: {_markdown(matrix.alone[id])}.", ""]
            lines += ["| with | |", "| --- | --- |"] if sets else []
            for on, answer in sets:
                names = ", ".join(f"`{each}`" for each in on if each != id)
                lines.append(f"| {names} | {answer.sign} {_markdown(answer)} |")
            lines.append("")
    shared: dict[tuple[Diagnostic, ...], list[str]] = {}
    for name, errors in problems.items():
        shared.setdefault(tuple(errors), []).append(name.translate(_SIGNS))
    for found, together in shared.items():
        answer = SetAnswer(BROKEN, tuple(map(finding_data, found)))
        lines += [f"## {', '.join(together)}", "", f"{_markdown(answer)}.", ""]
    return "\n".join(lines) + "\n"


_SIGNS = str.maketrans({each: f"\\{each}" for each in "\\|`*_[]<>#&"})


def _markdown(answer: SetAnswer) -> str:
    return "; ".join([answer.told, *answer.messages]).translate(_SIGNS)
