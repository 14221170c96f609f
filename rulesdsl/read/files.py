"""Files of strangers: read within limits, kept inside their folder, decoded or refused in words."""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rulesdsl.diagnostics import Report, Source, Span
from rulesdsl.diagnostics.visible import visible
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.read.disk import (
    MAX_TEXT,
    FileProblem,
    content,
    is_link,
    missing,
    names_in,
    real_path,
)
from rulesdsl.read.steering import in_file

_DRIVE = re.compile(r"[A-Za-z]:")


class Folder(Protocol):
    """A place with files, on disk or inside an archive.

    Paths are relative, with forward slashes. None leads out of the folder, by `..` or by a link:
    such a path is refused with `path-escapes`.
    """

    @property
    def name(self) -> str:
        """The last part of the folder's path."""

    def shown(self, path: str) -> str:
        """A file as the user would write it, with forward slashes; for messages."""

    def identity(self, path: str) -> str:
        """Equal for two ways to the same file, and only then."""

    def read(self, path: str, limit: int = MAX_TEXT) -> bytes:
        """The bytes of a file; raises `FileProblem`, also for more than `limit` bytes."""

    def files(self) -> tuple[str, ...]:
        """The names of the files directly in the folder, sorted; nothing if there is no folder."""

    def folders(self) -> tuple[Folder, ...]:
        """Its subfolders, sorted by name; hidden ones left out."""


@dataclass(frozen=True)
class DiskFolder:
    """A folder on disk; `prefix` is what messages show in front of its files: empty, or the
    folder as the user wrote it and a slash."""

    path: Path
    prefix: str

    @classmethod
    def at(cls, given: str | os.PathLike[str]) -> DiskFolder:
        """The folder a user named."""
        text = _slashes(os.fspath(given))
        return cls(Path(given), f"{text.rstrip('/')}/" if text else "")

    @property
    def name(self) -> str:
        """See `Folder.name`."""
        return Path(os.path.abspath(self.path)).name

    def shown(self, path: str) -> str:
        """See `Folder.shown`."""
        return printable(self.prefix + path)

    def identity(self, path: str) -> str:
        """See `Folder.identity`: the real path, links followed."""
        return real_path(os.fspath(self.path / path))

    def read(self, path: str, limit: int = MAX_TEXT) -> bytes:
        """See `Folder.read`."""
        try:
            return content(self._inside(path), self.shown(path), limit)
        except ValueError:  # characters that no file name has
            raise missing(self.shown(path)) from None

    def files(self) -> tuple[str, ...]:
        """See `Folder.files`."""
        return names_in(os.fspath(self.path), False)

    def folders(self) -> tuple[DiskFolder, ...]:
        """See `Folder.folders`."""
        names = names_in(os.fspath(self.path), True)
        visible = (name for name in names if not name.startswith("."))
        return tuple(DiskFolder(self.path / name, f"{self.shown(name)}/") for name in visible)

    def _inside(self, path: str) -> str:
        """The real path of a file, which lies in this folder."""
        if "\\" in path:
            raise FileProblem(
                "path-escapes", f"`{path}` has a backslash", "part folders with forward slashes"
            )
        outside = FileProblem(
            "path-escapes",
            f"`{path}` leads out of the folder `{self.prefix or './'}`",
            "put the file beside the manifest",
        )
        if path.startswith("/") or _DRIVE.match(path):
            raise outside
        root = real_path(os.fspath(self.path))
        real = real_path(os.path.join(root, path))
        if posixpath.normpath(path).split("/")[0] == ".." or not _lies_in(real, root):
            raise outside
        return real


def user_file(given: str | os.PathLike[str]) -> tuple[DiskFolder, str]:
    """The folder and name of a file a user named; a link is followed, since the user chose it."""
    text = os.fspath(given)
    if is_link(text):
        text = real_path(text)
    head, tail = os.path.split(text)
    return DiskFolder(Path(head), _slashes(text[: len(text) - len(tail)])), tail


def read_source(
    folder: Folder, path: str, report: Report, at: Span | None = None
) -> tuple[Source, bytes] | None:
    """A text file and its bytes, or None with the reason reported at `at`, where it is named."""
    try:
        data = folder.read(path)
        return decode(data, folder.shown(path)), data
    except FileProblem as problem:
        help = problem.help
        if problem.slug == "file-missing":
            help = did_you_mean(path, folder.files())
        report.error(problem.slug, problem.message, problem.span or at, help=help)
        return None


def read_text(given: str | os.PathLike[str], report: Report) -> Source | None:
    """The text file a user named, or None with the reason reported."""
    found = read_source(*user_file(given), report)
    return None if found is None else found[0]


def decode(data: bytes, name: str) -> Source:
    """The text of `data`, without its byte order mark; raises `FileProblem`, also for characters
    that steer what shows them."""
    body = data.removeprefix(b"\xef\xbb\xbf")
    if not body.strip():
        raise FileProblem("file-empty", f"`{name}` is empty")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data:
        raise FileProblem(
            "file-not-text", f"`{name}` is not a text file in UTF-8", "save it as UTF-8"
        )
    try:
        source = Source(name, body.decode())
    except UnicodeDecodeError as error:
        # The error counts bytes, a span characters.
        at = len(body[: error.start].decode())
        span = Source(name, body.decode(errors="replace")).span(at, at + 1)
        message = f"the byte 0x{body[error.start]:02X} is not UTF-8"
        raise FileProblem("file-not-text", message, "save the file as UTF-8", span=span) from None
    if (found := in_file(source)) is not None:
        raise FileProblem(found.slug, found.message, *found.help, span=found.span)
    return source


def _lies_in(real: str, root: str) -> bool:
    try:
        return os.path.commonpath((real, root)) == root
    except ValueError:  # different drives
        return False


def _slashes(path: str) -> str:
    return path.replace(os.sep, "/")


def printable(text: str) -> str:
    """`text` with escapes for the half characters by which Python keeps names that are not UTF-8,
    and for what would steer a terminal."""
    return visible(text.encode("utf-8", "backslashreplace").decode())
