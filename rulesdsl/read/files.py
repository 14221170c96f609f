"""Files of strangers: read within limits, kept inside their folder, decoded or refused in words."""

from __future__ import annotations

import errno
import os
import posixpath
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rulesdsl.diagnostics import Report, Source, Span

MAX_TEXT = 1_000_000
"""Most bytes of a text file."""

_DRIVE = re.compile(r"[A-Za-z]:")


class FileProblem(Exception):
    """Why a file cannot be had: the slug, one sentence, and help lines of a diagnostic; `span`
    is the place inside the file, if it has to do with one."""

    def __init__(self, slug: str, message: str, *help: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.slug, self.message, self.help, self.span = slug, message, help, span


class Folder(Protocol):
    """A place with files, on disk or inside an archive.

    Paths are relative, with forward slashes. None leads out of the folder, by `..` or by a link:
    such a path is refused with `path-escapes`.
    """

    @property
    def name(self) -> str:
        """The folder as the user wrote it, with forward slashes."""

    def shown(self, path: str) -> str:
        """The name of a file in messages."""

    def identity(self, path: str) -> str:
        """Equal for two ways to the same file, and only then."""

    def read(self, path: str, limit: int = MAX_TEXT) -> bytes:
        """The bytes of a file; raises `FileProblem`, also for more than `limit` bytes."""

    def files(self, under: str = "") -> tuple[str, ...]:
        """The paths of the files directly in the folder, or in its subfolder `under`, sorted."""

    def folders(self) -> tuple[str, ...]:
        """The names of its subfolders, sorted; hidden ones left out."""


@dataclass(frozen=True)
class DiskFolder:
    """A folder on disk: `path` where it is, `name` how it is shown (empty: the current one)."""

    path: Path
    name: str

    @classmethod
    def at(cls, given: str | os.PathLike[str]) -> DiskFolder:
        """The folder a user named."""
        text = _slashes(os.fspath(given))
        return cls(Path(given), text.rstrip("/") or text[:1])

    def shown(self, path: str) -> str:
        """The folder's name and the path."""
        return f"{self.name.rstrip('/')}/{path}" if self.name else path

    def identity(self, path: str) -> str:
        """The real path, links followed."""
        return os.path.realpath(self.path / path)

    def read(self, path: str, limit: int = MAX_TEXT) -> bytes:
        """See `Folder.read`."""
        return _read(self._inside(path), self.shown(path), limit)

    def files(self, under: str = "") -> tuple[str, ...]:
        """See `Folder.files`; nothing if the folder cannot be listed."""
        names = _listing(self.path / under, folders=False)
        return tuple(posixpath.join(under, name) for name in names)

    def folders(self) -> tuple[str, ...]:
        """See `Folder.folders`; nothing if the folder cannot be listed."""
        return tuple(name for name in _listing(self.path, folders=True) if name[0] != ".")

    def _inside(self, path: str) -> str:
        """The real path of a file, which lies in this folder."""
        if "\\" in path:
            raise FileProblem(
                "path-escapes", f"`{path}` has a backslash", "part folders with forward slashes"
            )
        outside = FileProblem(
            "path-escapes",
            f"`{path}` leads out of the folder `{self.name or '.'}`",
            "put the file beside the manifest",
        )
        if path.startswith("/") or _DRIVE.match(path) or "\0" in path:
            raise outside
        root = os.path.realpath(self.path)
        real = os.path.realpath(os.path.join(root, path))
        if posixpath.normpath(path).split("/")[0] == ".." or not _lies_in(real, root):
            raise outside
        return real


def user_file(given: str | os.PathLike[str]) -> tuple[DiskFolder, str]:
    """The folder and name of a file a user named; a link is followed, since the user chose it."""
    if os.path.islink(given):
        given = os.path.realpath(given)
    text = _slashes(os.fspath(given))
    head, slash, tail = text.rpartition("/")
    return DiskFolder(Path(head + slash), head or slash), tail


def read_source(
    folder: Folder, path: str, report: Report, at: Span | None = None
) -> tuple[Source, bytes] | None:
    """A text file and its bytes, or None with the reason reported at `at`, where it is named."""
    try:
        data = folder.read(path)
        return decode(data, folder.shown(path)), data
    except FileProblem as problem:
        report.error(problem.slug, problem.message, problem.span or at, help=problem.help)
        return None


def read_text(given: str | os.PathLike[str], report: Report) -> Source | None:
    """The text file a user named, or None with the reason reported."""
    found = read_source(*user_file(given), report)
    return None if found is None else found[0]


def decode(data: bytes, name: str) -> Source:
    """The text of `data`, without its byte order mark; raises `FileProblem`."""
    if not data.removeprefix(b"\xef\xbb\xbf").strip():
        raise FileProblem("file-empty", f"`{name}` is empty")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data:
        raise FileProblem(
            "file-not-text", f"`{name}` is not a text file in UTF-8", "save it as UTF-8"
        )
    try:
        return Source(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        text = data.decode("utf-8-sig", errors="replace")
        # The error counts bytes, a span characters; the mark in front is no character.
        before = len(data[: error.start].decode("utf-8-sig", errors="replace"))
        span = Source(name, text).span(before, before + 1)
        byte = error.object[error.start]
        message = f"the byte 0x{byte:02X} is not UTF-8"
        raise FileProblem("file-not-text", message, "save the file as UTF-8", span=span) from None


def _read(real: str, shown: str, limit: int) -> bytes:
    try:
        mode, size = (info := os.stat(real)).st_mode, info.st_size
        if stat.S_ISDIR(mode):
            raise FileProblem("file-is-folder", f"`{shown}` is a folder, a file is needed")
        # Opening a pipe would wait for a writer, and a device may never end.
        if not stat.S_ISREG(mode):
            raise FileProblem("file-unreadable", f"`{shown}` is not an ordinary file")
        if size <= limit:
            with open(real, "rb") as file:
                data = file.read(limit + 1)
            if len(data) <= limit:
                return data
    except (FileNotFoundError, NotADirectoryError):
        raise FileProblem("file-missing", f"there is no file `{shown}`") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise FileProblem("file-missing", f"the name `{shown[:60]}…` is too long") from None
        reason = (error.strerror or "input or output failed").lower()
        raise FileProblem("file-unreadable", f"`{shown}` cannot be read: {reason}") from None
    raise FileProblem("file-too-large", f"`{shown}` is larger than {limit} bytes")


def _listing(path: Path, *, folders: bool) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir() == folders)
    except OSError:
        return []


def _lies_in(real: str, root: str) -> bool:
    try:
        return os.path.commonpath((real, root)) == root
    except ValueError:  # different drives
        return False


def _slashes(path: str) -> str:
    return path.replace(os.sep, "/")
