"""The files of a project, the examples it can begin with, and the calls of its page."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rulesdsl.author.lsp.family import Refused
from rulesdsl.author.lsp.workspace import EditorOptions, Workspace
from rulesdsl.base.writing import create_all, write_file
from rulesdsl.language.diagnostics import RulesError, Source
from rulesdsl.language.diagnostics.report import described
from rulesdsl.language.read.files import MAX_TEXT as MAX_FILE
from rulesdsl.language.read.files import DiskFolder, FileProblem, content, decode, shipped
from rulesdsl.language.read.find import OTHER_SUFFIXES, RULES, SCENARIO_SUFFIXES, is_ours, texts_at

VERSION = 1
"""The version of the protocol; a page of another version is refused."""
MAX_REQUEST = 8_000_000
"""The largest request in bytes."""

Data = dict[str, Any]

_NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""Characters that neither a file nor the name of one can have."""


_WORDS, _TEXTS = "a list of texts", "an object of texts"
_KINDS = {str: "a text", int: "a whole number", list: _WORDS, dict: _TEXTS}

FIELDS: Mapping[str, Mapping[str, type]] = {
    "open": {"version": int},
    "load": {"files": dict},
    "change": {"file": str, "text": str},
    "check": {},
    "remove": {"file": str},
    "save": {},
    "complete": {"file": str, "at": int},
    "hover": {"file": str, "at": int},
    "definition": {"file": str, "at": int},
    "rename": {"file": str, "at": int, "name": str},
    "format": {"file": str},
    "colours": {"file": str},
    "components": {"file": str},
    "over": {"kind": str},
    "build": {"main": str, "with": list, "players": int},
    "play": {"main": str, "with": list, "players": int, "seed": int},
    "compare": {"main": str, "with": list, "players": int, "first": int},
    "test": {"file": str, "first": int},
    "board": {"file": str, "name": str},
    "scenario": {"file": str, "record": str, "name": str},
    "why": {"record": str, "number": int, "move": str},
}
"""The calls of the protocol, each with the types of its fields. All fields are required."""


def checked(request: object) -> tuple[str, Data]:
    """Return the call of a request and its fields; raises Refused for anything else."""
    if not isinstance(request, dict) or not isinstance(request.get("call"), str):
        raise Refused("a request is an object with the name of a `call`")
    call = request["call"]
    if call not in FIELDS:
        raise Refused(f"there is no call `{call[:40]}`")
    found = {}
    for name, type_ in FIELDS[call].items():
        value = request.get(name)
        fits = isinstance(value, type_) and not isinstance(value, bool)
        if not fits or not all(isinstance(each, str) for each in _texts(value)):
            raise Refused(f"`{name}` of `{call}` is not {_KINDS[type_]}")
        if char := _NO_TEXT.search("\n".join(_texts(value))):
            raise Refused(f"`{name}` of `{call}` has the character {described(char[0])} in it")
        found[name] = value
    return call, found


def _texts(value: object) -> Iterable[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else [value] if isinstance(value, str) else ()


MOST_FILES = 300
"""The most files that a project may have."""
_NAME = re.compile(r"(?:[\w-]{1,60}/){0,4}\w[\w.-]{0,80}\.(?:ya?ml|rules)", re.ASCII)


class Project:
    """The rules, manifests and scenarios in a folder, by their paths in it with forward slashes.

    Texts that are changed replace those on disk for all that is read, until they are saved. Line
    ends are `\\n` in texts, and on disk those that the file had.
    """

    def __init__(self, folder: str, paths: tuple[str, ...] = ()) -> None:
        """Read the files of a folder; `problems` names those that cannot be opened."""
        self.folder = os.path.realpath(folder)
        self.paths = (self.folder, *paths)
        self.workspace = Workspace(EditorOptions(paths=self.paths))
        self.texts: dict[str, str] = {}
        self._saved: dict[str, str] = {}
        self._windows: set[str] = set()
        self.problems: list[str] = []
        self._read()

    def _read(self) -> None:
        with suppress(RulesError):  # raised for an empty folder only
            for file in sorted(texts_at([self.folder]), key=lambda each: each.identity):
                name = os.path.relpath(file.identity, self.folder).replace(os.sep, "/")
                if name.startswith("../"):
                    self.problems.append(f"`{file.shown}` is a link out of the folder")
                    continue
                if len(self.texts) >= MOST_FILES:
                    self.problems.append(f"only the first {MOST_FILES} files are shown")
                    break
                try:
                    source, data = file.read()
                except RulesError as error:
                    self.problems.append(str(error))
                    continue
                if b"\r\n" in data:
                    self._windows.add(name)
                self._saved[name] = source.text.replace("\r\n", "\n")
                self.change(name, self._saved[name])

    def path(self, name: str) -> str:
        """Return the real path of a file; raises Refused for a name that leads elsewhere."""
        if name not in self.texts and not _NAME.fullmatch(name):
            named = "use letters, digits and `_`, and end in `.yaml` or `.rules`"
            raise Refused(f"`{name}` is not a valid name: {named}")
        try:
            return DiskFolder.at(self.folder).inside(name)
        except FileProblem:
            raise Refused(f"`{name}` is not in the folder of the project") from None

    def name(self, path: str) -> str | None:
        """Return the name of a file by its path; None if it is not one of the project."""
        real = os.path.realpath(path)
        if os.path.commonpath([real, self.folder]) != self.folder:
            return None
        name = os.path.relpath(real, self.folder).replace(os.sep, "/")
        return name if name in self.texts else None

    def known(self, name: str) -> str:
        """Return the real path of a file of the project; raises Refused if it has none such."""
        if name not in self.texts:
            raise Refused(f"the project has no file `{name}`")
        return self.path(name)

    def source(self, name: str) -> Source:
        return self.workspace.source(self.known(name))

    def change(self, name: str, text: str) -> None:
        """Replace the text of a file, or begin a new one; nothing is written."""
        path = self.path(name)
        if len(text) > MAX_FILE:
            raise Refused(f"`{name}` is longer than {MAX_FILE} characters")
        if name not in self.texts:
            _check_kind(name, text)
            if len(self.texts) >= MOST_FILES:
                raise Refused(f"a project has {MOST_FILES} files at most")
        self.texts[name] = text
        self.workspace.open(path, text)

    def remove(self, name: str) -> None:
        """Forget a file that is not on disk; raises Refused for one that is."""
        path = self.known(name)
        if name in self._saved:
            raise Refused(f"`{name}` is on disk: delete it there")
        del self.texts[name]
        self.workspace.close(path)

    def load(self, files: Mapping[str, str]) -> None:
        """Replace all files by others, without writing; for a folder that nobody else uses."""
        if self._saved:
            raise Refused("the folder has files of its own, which an example may not replace")
        for name in files:
            self.path(name)
        for name in list(self.texts):
            self.remove(name)
        for name, text in files.items():
            self.change(name, text.replace("\r\n", "\n").removeprefix("\ufeff"))

    @property
    def unsaved(self) -> list[str]:
        """The names of files whose texts differ from those on disk."""
        return [name for name, text in self.texts.items() if self._saved.get(name) != text]

    def save(self) -> list[str]:
        """Write all unsaved files, and return their names.

        Raises Refused, with the reason, at the first that cannot be written, also if somebody else
        has changed it meanwhile.
        """
        names = self.unsaved
        for name in names:
            path = self.path(name)
            text = self.texts[name]
            _check_kind(name, text)
            data = (text.replace("\n", "\r\n") if name in self._windows else text).encode()
            try:
                if name in self._saved:
                    self._check_unchanged(name, path)
                    write_file(path, data)
                else:
                    create_all(os.path.dirname(path), {os.path.basename(path): data})
            except FileExistsError:
                raise Refused(f"`{name}` is there already: somebody else has made it") from None
            except OSError as error:
                reason = (error.strerror or "input or output failed").lower()
                raise Refused(f"`{name}` cannot be written: {reason}") from None
            self._saved[name] = text
        return names

    def _check_unchanged(self, name: str, path: str) -> None:
        try:
            now = decode(content(path, name, MAX_FILE), name).text.replace("\r\n", "\n")
        except FileProblem as problem:
            raise Refused(f"`{name}` cannot be written: {problem.message}") from None
        if now not in (self._saved[name], self.texts[name]):
            raise Refused(
                f"`{name}` has changed on disk: reload the page to see it, after copying your text"
            )

    @property
    def manifests(self) -> list[str]:
        return [
            name
            for name in sorted(self.texts)
            if not name.endswith((".rules", *SCENARIO_SUFFIXES))
            and self.workspace.kind(self.path(name)) == "ruleset"
        ]

    @property
    def scenarios(self) -> list[str]:
        names = sorted(self.texts)
        return [name for name in names if self.workspace.kind(self.path(name)) == "scenarios"]


def _check_kind(name: str, text: str) -> None:
    """Raise Refused for a text that is to begin or to replace a file of another program."""
    if not name.endswith(RULES) and not is_ours(text):
        raise Refused(
            f"`{name}` is neither a ruleset nor a file of scenarios: write a line that begins with "
            "`ruleset:` or `scenarios:`"
        )


_ENDINGS = (".yaml", ".rules", ".test.yaml")


def gallery() -> list[Data]:
    """Return the examples in order: what they are called, what to try, and their files.

    The last ones are those of the documentation.
    """
    folder = shipped("examples")
    own, pages = (json.loads(_text(folder / name)) for name in ("gallery.json", "pages.json"))
    return [*map(_example, own), *pages]


def ids() -> list[str]:
    """Return the ids of the rulesets that are shipped."""
    files = shipped("rulesets").rglob("*.yaml")
    return sorted(file.stem for file in files if not file.name.endswith(OTHER_SUFFIXES))


def _example(given: dict[str, Any]) -> Data:
    kind = "folder" if "folder" in given else "ruleset"
    id = given[kind]
    folder = shipped("examples") / id if kind == "folder" else shipped("rulesets")
    files = [folder / f"{id}{ending}" for ending in _ENDINGS]
    return {
        "id": id,
        "group": given["group"],
        "title": given["title"],
        "text": given["text"],
        "main": f"{id}.yaml",
        "with": given.get("with", []),
        "files": {file.name: _text(file) for file in files if file.is_file()},
    }


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
