"""Archives of rulesets: the same files make the same bytes, on every machine and at any time."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from io import BytesIO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from rulesdsl.diagnostics import Diagnostic, RulesError
from rulesdsl.model.game import Ruleset
from rulesdsl.model.nodes import Scalar
from rulesdsl.read.archive import CHECKSUMS, SUFFIX, checksums, unpacked
from rulesdsl.read.files import DiskFolder, FileProblem, user_file
from rulesdsl.read.find import GOLDEN_SUFFIX, SCENARIO_SUFFIXES
from rulesdsl.read.manifest import without_editor_lines

_BESIDE = (*SCENARIO_SUFFIXES, GOLDEN_SUFFIX, ".md")
"""The suffixes of files that belong to the manifest of the same name."""
_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = (stat.S_IFREG | 0o644) << 16


def packed(given: str, ruleset: Ruleset) -> tuple[bytes, tuple[str, ...]]:
    """Return an archive of a ruleset, named by its folder or its manifest, and the names in it.

    The archive of a folder holds every file in it and below, that of a manifest its rules, tests
    and page; hidden files and archives are left out, and so are lines that name a schema to
    editors. Raises RulesError if a file cannot be read, or if there are too many or too large files
    for an archive to be opened.
    """
    folder = DiskFolder.at(given) if os.path.isdir(given) else user_file(given)[0]
    names = _below(given) if os.path.isdir(given) else _belonging(given, folder, ruleset)
    try:
        files = {name: _portable(name, folder.read(name)) for name in sorted(names)}
        data = _zipped(files)
        unpacked(data, given)
    except FileProblem as problem:
        found = Diagnostic(problem.slug, problem.message, problem.span, help=problem.help)
        raise RulesError([found]) from None
    return data, tuple(files)


def _portable(name: str, data: bytes) -> bytes:
    """Return a file as an archive has it: paths of one machine are left out."""
    return without_editor_lines(data) if name.endswith((".yaml", ".yml")) else data


def _below(path: str) -> Iterator[str]:
    for place, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            if not name.startswith(".") and not name.endswith(SUFFIX) and name != CHECKSUMS:
                yield os.path.relpath(os.path.join(place, name), path).replace(os.sep, "/")


def _belonging(given: str, folder: DiskFolder, ruleset: Ruleset) -> Iterator[str]:
    """Yield the manifest, the rules it names, and the files with its name."""
    manifest = user_file(given)[1]
    yield manifest
    rules = ruleset.manifest.get("rules")
    if isinstance(rules, Scalar):
        yield os.path.normpath(str(rules.value)).replace(os.sep, "/")
    stem = manifest.rpartition(".")[0]
    own = {f"{stem}{end}" for end in _BESIDE}
    for name in folder.files():
        if name in own or (name.startswith(f"{stem}.book.") and name.endswith(".md")):
            yield name


def _zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive without compression, as programs compress differently."""
    out = BytesIO()
    with ZipFile(out, "w", ZIP_STORED) as archive:
        for name, data in sorted({**files, CHECKSUMS: checksums(files)}.items()):
            entry = ZipInfo(name, _TIME)
            entry.create_system, entry.external_attr = 3, _MODE
            archive.writestr(entry, data)
    return out.getvalue()
