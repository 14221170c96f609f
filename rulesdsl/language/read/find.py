"""The search for files: those of rulesets, and the texts of rulesets in folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import PurePath
from typing import TypeVar

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.language.read.files import (
    SUFFIX,
    DiskFolder,
    FileProblem,
    Folder,
    decode,
    is_folder,
    lies_in,
    named_folders,
    open_archive,
    printable,
    read_source,
    shipped_folder,
    user_file,
    user_folder,
)
from rulesdsl.language.read.manifest import ManifestHeader, peek, read_ruleset

F = TypeVar("F", bound=Folder)
T = TypeVar("T")

RULES = ".rules"
YAML = (".yaml", ".yml")
SCENARIO_SUFFIXES = (".test.yaml", ".test.yml")
"""Suffixes of scenario files."""
BALANCE_SUFFIXES = (".balance.yaml", ".balance.yml")
"""Suffixes of balance files."""
OTHER_SUFFIXES = SCENARIO_SUFFIXES + BALANCE_SUFFIXES
"""Suffixes of the YAML files that are never manifests."""
GOLDEN_SUFFIX = ".game.jsonl"
"""Suffix of golden records."""


@dataclass(frozen=True)
class TextFile:
    """A file of text in a folder or an archive."""

    folder: Folder
    file: str

    @property
    def shown(self) -> str:
        """The path of the file in messages."""
        return self.folder.shown(self.file)

    @cached_property
    def identity(self) -> str:
        """A key that is equal for two paths to the same file."""
        return self.folder.identity(self.file)

    def read(self) -> tuple[Source, bytes]:
        """Return its text and its bytes; raises RulesError."""
        report = Report()
        found = read_source(self.folder, self.file, report)
        report.check()
        assert found is not None, "a text that cannot be read is reported"
        return found


@dataclass(frozen=True)
class FoundFile(TextFile):
    """A file that may be a manifest.

    `header` is None when it cannot be read: then the file is used only if it is named, and its
    errors are shown.
    """

    header: ManifestHeader | None

    @property
    def id(self) -> str:
        """The ruleset's id; the file name if the file is unreadable."""
        return self.header.id if self.header else PurePath(self.file).stem

    @property
    def needs(self) -> tuple[str, ...]:
        """The ids of the rulesets that this one requires."""
        return self.header.needs if self.header else ()

    @property
    def is_apart(self) -> bool:
        """Whether it is shipped in a folder below the others, and so on only if it is named."""
        above = os.path.dirname(os.path.dirname(self.identity))
        return lies_in(above, os.path.realpath(shipped_folder()))

    @property
    def is_marked(self) -> bool:
        """Whether the file has the key of a manifest or of scenarios, readable or not."""
        try:
            return is_ours(self.folder.read(self.file).decode(errors="replace"))
        except FileProblem:
            return False

    @cached_property
    def digest(self) -> str:
        """A key that is equal for rulesets with the same content; `identity` if unreadable."""
        report = Report()
        ruleset = read_ruleset(self.folder, self.file, report)
        return ruleset.digest if ruleset and report.ok else self.identity


def found_at(folder: Folder, file: str) -> FoundFile:
    """Return the file as a candidate, with its header if it has a readable one."""
    try:
        header = peek(decode(folder.read(file), file).text)
    except FileProblem:
        header = None
    return FoundFile(folder, file, header)


def distinct(found: Iterable[FoundFile]) -> list[FoundFile]:
    """Return `found` without those whose file or content is that of an earlier one."""
    files = _first_by_key((each.identity, each) for each in found)
    return files if len(files) < 2 else _first_by_key((each.digest, each) for each in files)


def located(name: str, paths: Sequence[str]) -> str:
    """Return the manifest of a ruleset that is named by its id; another name as it is."""
    if os.path.exists(with_suffix(name)):
        return name
    search = FolderSearch(search_folders([DiskFolder.at(".")], paths, Report()))
    return next((each.shown for each in search.found if each.id == name), name)


def nearest(found: Iterable[FoundFile]) -> list[FoundFile]:
    """Return the different ones of `found`, without those that are shipped if there are others."""
    files, shipped = list(found), os.path.realpath(shipped_folder())
    return distinct([each for each in files if not lies_in(each.identity, shipped)] or files)


def manifests_of(folder: Folder) -> list[FoundFile]:
    """Return the manifests that a folder can stand for: one named like it, or `ruleset.yaml`."""
    names = [
        f"{stem}{suffix}" for stem in dict.fromkeys((folder.name, "ruleset")) for suffix in YAML
    ]
    return [found_at(folder, name) for name in names if name in folder.files()]


class FolderSearch:
    """A search for rulesets in a list of folders: manifests, and subfolders that stand for one."""

    def __init__(self, folders: Iterable[Folder]) -> None:
        self._folders = tuple(folders)

    @cached_property
    def found(self) -> tuple[FoundFile, ...]:
        """All candidates in the order of the folders; a file reached twice appears twice."""
        candidates: list[FoundFile] = []
        for folder in self._folders:
            candidates += [
                found_at(folder, file)
                for file in folder.files()
                if file.endswith(YAML) and not file.endswith(OTHER_SUFFIXES)
            ]
            for inner in folder.folders():
                candidates += manifests_of(inner)
        return tuple(candidates)

    def by_id(self, id: str, *, by_user: bool = False) -> list[FoundFile]:
        """Return the different rulesets called `id`.

        If there are none, those in archives whose names begin with it; otherwise unreadable
        manifests of that file name. If a user named it, any file of that name may be meant as one,
        and its errors are shown; other files are not opened for what a file or a request says.
        """
        hits = [each for each in self.found if each.id == id]
        read = [hit for hit in hits if hit.header]
        packed = [] if read else [each for each in self._packed(id) if each.id == id]
        return distinct(read or packed or [hit for hit in hits if by_user or hit.is_marked])

    def _packed(self, id: str) -> Iterator[FoundFile]:
        """Yield the manifests in archives named `id.zip` or `id-1.0.0.zip` that can be opened."""
        for folder in self._folders:
            for file in folder.files():
                if file.endswith(SUFFIX) and re.split(r"[-.]", file)[0] == id:
                    with suppress(FileProblem):
                        yield from FolderSearch([open_archive(folder, file)]).found

    @property
    def ids(self) -> list[str]:
        """The ids of all rulesets found, sorted."""
        return sorted({each.id for each in self.found if each.header})


def search_folders(
    beside: Sequence[Folder], paths: Sequence[str | os.PathLike[str]], report: Report
) -> list[Folder]:
    """Return the folders in which ids are looked up, in order.

    These are `beside` (the folders of the named rulesets), `paths`, the folders of `RULESDSL_PATH`,
    the user's ruleset folder, and the shipped rulesets with the folders below. `paths` may also
    name archives. A missing one is an error, a missing folder of `RULESDSL_PATH` a warning.
    """
    folders: list[Folder] = list(beside)
    for path in paths:
        if is_folder(os.fspath(path)):
            folders.append(DiskFolder.at(path))
        elif os.fspath(path).endswith(SUFFIX):
            try:
                folders.append(open_archive(*user_file(path)))
            except FileProblem as problem:
                report.error(problem.slug, problem.message, problem.span, help=problem.help)
        else:
            report.error("file-missing", f"there is no folder `{printable(os.fspath(path))}`")
    for path in named_folders():
        if is_folder(path):
            folders.append(DiskFolder.at(path))
        else:
            report.warning(
                "file-missing",
                f"there is no folder `{printable(path)}`",
                help=("it is named by the environment variable RULESDSL_PATH",),
            )
    if own := user_folder():
        folders.append(DiskFolder.at(own))
    folders += below(DiskFolder.at(shipped_folder()))
    return folders


def places_of(file: str) -> list[str]:
    """Return the folder or archive that contains a test file.

    The rulesets that the file names are looked up there first.
    """
    parents = [str(parent) for parent in PurePath(file).parents]
    archives = (each for each in parents if each.endswith(SUFFIX) and not is_folder(each))
    return [next(archives, parents[0])]


def _first_by_key(keyed: Iterable[tuple[str, T]]) -> list[T]:
    firsts: dict[str, T] = {}
    for key, each in keyed:
        firsts.setdefault(key, each)
    return list(firsts.values())


_OURS = re.compile(r"^(?:ruleset|scenarios)[ \t]*:", re.MULTILINE)


def texts_at(given: Iterable[str]) -> list[TextFile]:
    """Return the files named, each once.

    Folders are searched recursively for rules, manifests and scenarios; other YAML is left out.
    Raises RulesError for a named file that is none of these.
    """
    return _first_by_key((text.identity, text) for name in given for text in _at(name))


def below(folder: F) -> Iterator[F]:
    """Yield a folder and all folders below, each after the one that it is in, sorted by name."""
    left = [folder]
    while left:
        here = left.pop()
        yield here
        left += reversed(here.folders())


def is_ours(text: str) -> bool:
    """Return whether a text is YAML with the key that marks manifests or scenarios."""
    return _OURS.search(text) is not None


def with_suffix(given: str) -> str:
    """Return the path of a manifest that is named without its suffix, other paths as they are."""
    if os.path.exists(given):
        return given
    return next(filter(os.path.isfile, (given + suffix for suffix in YAML)), given)


def _at(given: str) -> list[TextFile]:
    given = with_suffix(given)
    if is_folder(given):
        found = list(_below(DiskFolder.at(given)))
        if not found:
            raise _refused(f"there are no rules, manifests or scenarios in the folder `{given}`")
        return found
    if given.endswith(SUFFIX):
        raise _refused(f"`{given}` is an archive, which stays as it was packed", "unpack it first")
    if not given.endswith((RULES, *YAML)):
        raise _refused(
            f"`{given}` is neither a rules file nor a YAML file",
            f"their names end in {', '.join((RULES, *YAML))}",
        )
    return [TextFile(*user_file(given))]


def _below(folder: DiskFolder) -> Iterator[TextFile]:
    for inside in below(folder):
        for name in inside.files():
            file = TextFile(inside, name)
            if name.endswith(RULES) or (name.endswith(YAML) and _tells(file)):
                yield file


def _tells(file: TextFile) -> bool:
    """Return whether a file is ours; unreadable ones count, so that none is passed over."""
    try:
        return is_ours(file.folder.read(file.file).decode(errors="replace"))
    except FileProblem as problem:
        return problem.slug == "file-unreadable"


def _refused(message: str, *help: str) -> RulesError:
    return RulesError([Diagnostic("bad-argument", message, help=help)])
