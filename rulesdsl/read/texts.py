"""Texts of rulesets as files: rules, manifests and scenarios, one by one or in folders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rulesdsl.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.read.archive import SUFFIX
from rulesdsl.read.files import DiskFolder, FileProblem, is_folder, read_source, user_file

RULES = ".rules"
YAML = (".yaml", ".yml")

_OURS = re.compile(r"^(?:ruleset|scenarios)[ \t]*:", re.MULTILINE)


@dataclass(frozen=True)
class TextFile:
    """A file of rules or YAML in a folder."""

    folder: DiskFolder
    file: str

    @property
    def shown(self) -> str:
        """The path of the file in messages."""
        return self.folder.shown(self.file)

    @property
    def identity(self) -> str:
        """The path of the file itself, with links resolved."""
        return self.folder.identity(self.file)

    def read(self) -> tuple[Source, bytes]:
        """Return its text and its bytes; raises RulesError."""
        report = Report()
        found = read_source(self.folder, self.file, report)
        report.check()
        assert found is not None, "a text that cannot be read is reported"
        return found


def texts_at(given: Iterable[str]) -> list[TextFile]:
    """Return the files named, each once.

    Folders are searched recursively for rules, manifests and scenarios; other YAML is left out.
    Raises RulesError for a named file that is none of these.
    """
    found: dict[str, TextFile] = {}
    for name in given:
        for text in _at(name):
            found.setdefault(text.identity, text)
    return list(found.values())


def is_ours(text: str) -> bool:
    """Say whether a text is YAML with the key that marks manifests or scenarios."""
    return _OURS.search(text) is not None


def _at(given: str) -> list[TextFile]:
    if is_folder(given):
        found = list(_below(DiskFolder.at(given)))
        if not found:
            raise _refused(f"there are no rules, manifests or scenarios in the folder `{given}`")
        return found
    if given.endswith(SUFFIX):
        raise _refused(f"`{given}` is an archive, which stays as it was packed", "unpack it first")
    if not given.endswith((RULES, *YAML)):
        endings = ", ".join((RULES, *YAML))
        raise _refused(f"`{given}` is neither rules nor YAML", f"their names end in {endings}")
    return [TextFile(*user_file(given))]


def _below(folder: DiskFolder) -> Iterator[TextFile]:
    for name in folder.files():
        file = TextFile(folder, name)
        if name.endswith(RULES) or (name.endswith(YAML) and _tells(file)):
            yield file
    for inside in folder.folders():
        yield from _below(inside)


def _tells(file: TextFile) -> bool:
    """Say whether a file is ours, or may be.

    Unreadable files and manifests with forbidden characters count, so that they are not passed over
    silently.
    """
    try:
        return is_ours(file.folder.read(file.file).decode(errors="replace"))
    except FileProblem as problem:
        return problem.slug == "file-unreadable"


def _refused(message: str, *help: str) -> RulesError:
    return RulesError([Diagnostic("bad-argument", message, help=help)])
