"""Rulesets in zip archives, which are opened only if they are harmless.

An archive is read as a whole, within limits, into memory; nothing of it is written to disk.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
import zlib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from io import BytesIO
from pathlib import PurePath
from unicodedata import normalize
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from rulesdsl.diagnostics.visible import first_steering
from rulesdsl.read.files import MAX_TEXT, FileProblem, Folder, is_inside, missing, printable
from rulesdsl.records import dataclass

SUFFIX = ".zip"
CHECKSUMS = "SHA256SUMS"
"""The file inside that holds the SHA-256 of every other one, as `sha256sum` writes it."""

MAX_ARCHIVE = 8_000_000
"""Maximum number of bytes of an archive, and of all its files together."""
MAX_FILES = 200
MAX_RATIO = 100
"""Maximum compression ratio of a file that has more than `SMALL` bytes."""
SMALL = 10_000

_ENCRYPTED = 0x1 | 0x40 | 0x2000
_NESTED = (b"PK\3\4", b"PK\5\6", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!")
_STRANGE = re.compile(r"\\|(?:^|/)\.{0,2}(?:/|\Z)")
_AGAIN = "make it again with `rulesdsl pack`"


@dataclass(frozen=True)
class ArchiveFolder:
    """The files of an archive, by their names.

    `place` is its real path, and `prefix` the text in front of its files in messages.
    """

    place: str
    prefix: str
    contents: Mapping[str, bytes]

    @property
    def name(self) -> str:
        """See `Folder.name`: the name of the archive without its ending."""
        return PurePath(self.place).stem

    def shown(self, path: str) -> str:
        """See `Folder.shown`."""
        return printable(self.prefix + path)

    def identity(self, path: str) -> str:
        """See `Folder.identity`."""
        return os.path.join(self.place, path)

    def read(self, path: str, limit: int = MAX_TEXT) -> bytes:
        """See `Folder.read`; a path in an archive never leads out of it."""
        if not is_inside(path):
            raise FileProblem("path-escapes", f"`{path}` leads out of `{self.prefix}`")
        data = self.contents.get(posixpath.normpath(path))
        if data is None:
            raise missing(self.shown(path))
        if len(data) > limit:
            raise FileProblem(
                "file-too-large", f"`{self.shown(path)}` is larger than {limit} bytes"
            )
        return data

    def files(self) -> tuple[str, ...]:
        """See `Folder.files`."""
        return tuple(sorted(name for name in self.contents if "/" not in name))

    def folders(self) -> tuple[ArchiveFolder, ...]:
        """See `Folder.folders`: rulesets are only looked up at the top of an archive."""
        return ()


def open_archive(folder: Folder, file: str) -> ArchiveFolder:
    """Return the archive `file` of a folder.

    Raises `FileProblem` with the reason if it cannot be read, if it could do harm, or if its files
    do not match its checksums.
    """
    data, shown = folder.read(file, MAX_ARCHIVE), folder.shown(file)
    return ArchiveFolder(folder.identity(file), f"{shown}/", unpacked(data, shown))


def unpacked(data: bytes, shown: str) -> dict[str, bytes]:
    """Return the files in an archive, which messages call `shown`, without its checksums.

    Raises `FileProblem` as `open_archive` does.
    """
    if not data.startswith(_NESTED[0]):
        raise _refused(shown, "it is not a zip archive")
    try:
        with ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_entries(entries, shown)
            files = {each.filename: _content(archive, each, shown) for each in _files(entries)}
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError) as error:
        raise _refused(shown, f"it is damaged ({error})", _AGAIN) from None
    _check_sums(files.pop(CHECKSUMS, None), files, shown)
    return files


def checksums(files: Mapping[str, bytes]) -> bytes:
    """Return the content of the checksum file of an archive with these files."""
    lines = (f"{sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    return "".join(lines).encode()


def _files(entries: Sequence[ZipInfo]) -> list[ZipInfo]:
    return [each for each in entries if not each.is_dir()]


def _check_entries(entries: Sequence[ZipInfo], shown: str) -> None:
    """Check the entries that an archive lists, before anything is unpacked."""
    if len(entries) > MAX_FILES:
        raise _too_large(shown, f"it has more than {MAX_FILES} files")
    seen: set[str] = set()
    for entry in entries:
        _check_name(entry.orig_filename, shown)
        _check_sort(entry, shown)
        _check_size(entry, shown)
        # Names that some file systems do not distinguish are equal, too.
        alike = normalize("NFC", entry.filename).casefold()
        if alike in seen:
            raise _refused(shown, f"`{entry.filename}` is in it twice")
        seen.add(alike)
    if sum(entry.file_size for entry in entries) > MAX_ARCHIVE:
        raise _too_large(shown, f"its files have more than {MAX_ARCHIVE} bytes together")


def _check_name(name: str, shown: str) -> None:
    if not is_inside(name.replace("\\", "/")):
        raise FileProblem(
            "path-escapes", f"`{shown}` is not opened: `{name}` in it leads out of it"
        )
    if _STRANGE.search(name.removesuffix("/")) or first_steering(name) is not None:
        raise _refused(shown, f"`{name}` in it is not a plain file name")


def _check_sort(entry: ZipInfo, shown: str) -> None:
    """Refuse anything but ordinary files and folders, and unusual compression."""
    mode, name = entry.external_attr >> 16, entry.filename
    if stat.S_ISLNK(mode):
        raise _refused(shown, f"`{name}` in it is a link")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _refused(shown, f"`{name}` in it is not an ordinary file")
    if entry.flag_bits & _ENCRYPTED:
        raise _refused(shown, f"`{name}` in it is encrypted")
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise _refused(shown, f"`{name}` in it is compressed in an unusual way", _AGAIN)


def _check_size(entry: ZipInfo, shown: str) -> None:
    size, name = entry.file_size, entry.filename
    if size > SMALL and size > MAX_RATIO * entry.compress_size:
        raise _too_large(shown, f"`{name}` in it unpacks to more than {MAX_RATIO} times its size")
    if size > MAX_TEXT:
        raise _too_large(shown, f"`{name}` in it is larger than {MAX_TEXT} bytes")


def _content(archive: ZipFile, entry: ZipInfo, shown: str) -> bytes:
    """Return the bytes of a file, never more than the archive lists; its checksum is verified."""
    with archive.open(entry) as file:
        data = file.read(entry.file_size)
        if len(data) != entry.file_size or file.read(1):
            raise BadZipFile(f"`{entry.filename}` does not have the size that it states")
    if data.startswith(_NESTED) or entry.filename.casefold().endswith(SUFFIX):
        raise _refused(shown, f"`{entry.filename}` in it is an archive itself")
    return data


def _check_sums(sums: bytes | None, files: Mapping[str, bytes], shown: str) -> None:
    if sums is None:
        raise _refused(shown, f"its list of checksums, `{CHECKSUMS}`, is missing", _AGAIN)
    said, there = set(sums.splitlines()), set(checksums(files).splitlines())
    if said != there:
        wrong = sorted(line[66:].decode(errors="replace") for line in said ^ there)
        raise _refused(shown, f"`{wrong[0]}` in it does not match its checksum", _AGAIN)


def _refused(shown: str, why: str, *help: str) -> FileProblem:
    return FileProblem("file-unreadable", f"`{shown}` is not opened: {why}", *help)


def _too_large(shown: str, why: str) -> FileProblem:
    return FileProblem("file-too-large", f"`{shown}` is not opened: {why}")
