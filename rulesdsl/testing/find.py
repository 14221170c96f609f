"""Discovery of test files: scenarios and golden records, in folders and in archives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rulesdsl.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.read.archive import SUFFIX, open_archive
from rulesdsl.read.files import DiskFolder, FileProblem, Folder, is_folder, read_source, user_file
from rulesdsl.read.find import GOLDEN_SUFFIX, SCENARIO_SUFFIXES

TEST_SUFFIXES = (*SCENARIO_SUFFIXES, GOLDEN_SUFFIX)


@dataclass(frozen=True)
class SuiteFile:
    """A file of scenarios, or a golden record."""

    folder: Folder
    file: str

    @property
    def shown(self) -> str:
        """The name of the file in messages."""
        return self.folder.shown(self.file)

    @property
    def golden(self) -> bool:
        """True if it is a record, since any record that is named may be a golden one."""
        return self.file.endswith(".jsonl")

    @property
    def packed(self) -> bool:
        """True if it is in an archive."""
        return not isinstance(self.folder, DiskFolder)

    def source(self) -> Source:
        """Return the text of the file; raises RulesError."""
        report = Report()
        found = read_source(self.folder, self.file, report)
        report.check()
        assert found is not None, "a text that cannot be read is reported"
        return found[0]


def files_at(given: str) -> list[SuiteFile]:
    """Return the file that is named, or all test files in a folder or an archive and below.

    They are sorted by folder. Raises RulesError for an archive that cannot be opened.
    """
    if is_folder(given):
        return list(_below(DiskFolder.at(given)))
    folder, file = user_file(given)
    if not given.endswith(SUFFIX):
        return [SuiteFile(folder, file)]
    try:
        return list(_below(open_archive(folder, file)))
    except FileProblem as problem:
        found = Diagnostic(problem.slug, problem.message, problem.span, help=problem.help)
        raise RulesError([found]) from None


def distinct(files: Iterable[SuiteFile]) -> list[SuiteFile]:
    """Return the files without further paths to the same file."""
    seen: dict[str, SuiteFile] = {}
    for each in files:
        seen.setdefault(each.folder.identity(each.file), each)
    return list(seen.values())


def size(file: SuiteFile) -> int:
    """Return the size of a file in bytes, 0 if it cannot be read, to estimate how long it takes."""
    try:
        return len(file.folder.read(file.file))
    except FileProblem:
        return 0


def _below(folder: Folder) -> Iterator[SuiteFile]:
    for name in folder.files():
        if name.endswith(TEST_SUFFIXES):
            yield SuiteFile(folder, name)
    for inside in folder.folders():
        yield from _below(inside)
