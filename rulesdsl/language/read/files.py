"""Untrusted files and archives: read within limits, kept inside their folder, or refused."""

from __future__ import annotations

import errno
import os
import posixpath
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from hashlib import sha256
from io import BytesIO
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, ParamSpec, Protocol, Self, TypeVar
from unicodedata import normalize
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from rulesdsl.base.cache import data_folder
from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Diagnostic, Report, Source, Span
from rulesdsl.language.diagnostics.report import described, first_steering, nearest, visible

_PACKAGE = Path(__file__).resolve().parents[2]


def shipped(name: str) -> Path:
    """Return the folder `name` ("rulesets", "schemas") that comes with the program.

    It is inside the installed package, or beside the package in a checkout.
    """
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


_ESCAPE = re.compile(r"\\(?:x(\w{2})|u(\w{4})|U(\w{8})|(.))", re.DOTALL)
_SHORT = {
    **{"0": "\0", "a": "\x07", "b": "\x08", "t": "\t", "n": "\n", "v": "\x0b", "f": "\x0c"},
    **{"r": "\r", "e": "\x1b", "N": "\x85", "L": "\u2028", "P": "\u2029", "\t": "\t"},
}
"""Characters by their escapes in YAML and JSON, without the backslash."""


def in_file(source: Source) -> Diagnostic | None:
    """Return the finding for the first forbidden character of a file; None without one.

    A byte order mark is allowed at the beginning.
    """
    # The length stays the same, so that offsets do not change.
    text = f"{source.text}\n".replace("\r\n", " \n")
    start = first_steering(f" {text[1:]}" if text[0] == "\ufeff" else text, code=True)
    if start is None:
        return None
    char = text[start]
    message = f"the character {described(char)} is not allowed in a file"
    return Diagnostic("hidden-character", message, source.span(start, start + 1), help=_help(char))


def in_value(text: str, what: str, span: Span, *, code: bool) -> Diagnostic | None:
    """Return the finding for the first character that a value, written in `span`, may not hold.

    Code may hold tabs and line feeds. None if there is no such character.
    """
    at = first_steering(text, code=code)
    if at is None:
        return None
    char = text[at]
    message = f"the character {described(char)} is not allowed in {what}"
    return Diagnostic("hidden-character", message, _place(char, span), help=_help(char))


def _place(char: str, span: Span) -> Span:
    """Return the span of the character, or of its escape, within a span.

    The whole span if it is not found.
    """
    places = ((start, end) for start, end, meant in _written(span.text) if meant == char)
    start, end = next(places, (0, len(span.text)))
    return span.source.span(span.start + start, span.start + end)


def _written(text: str) -> Iterator[tuple[int, int, str]]:
    at = 0
    while at < len(text):
        escape = _ESCAPE.match(text, at)
        if escape is None:
            yield at, at + 1, text[at]
            at += 1
            continue
        code, short = escape[1] or escape[2] or escape[3], escape[4]
        yield at, escape.end(), _char(code) if code else _SHORT.get(short, short)
        at = escape.end()


def _char(code: str) -> str:
    try:
        return chr(int(code, 16))
    except (ValueError, OverflowError):  # not a number, or not that of a character
        return ""


def _help(char: str) -> tuple[str, ...]:
    if char in "\n\r\x0b\x0c\x85\u2028\u2029":
        return ("write the text on one line; in files, lines end with LF or CR LF",)
    if char == "\t":
        return ("write spaces",)
    return ("remove it: type the letters in the order in which they are read",)


MAX_TEXT = 1_000_000
"""Maximum number of bytes of a text file."""

Argument = str | int
Asked = tuple[str, tuple[Argument, ...]]
"""A query by its name, with its arguments."""

Look = tuple[str, tuple[Argument, ...], bytes]
"""A query with the digest of its answer."""


class FileProblem(Exception):
    """A file that cannot be used: the slug, one sentence, and help lines of a diagnostic.

    `span` is the place inside the file, if the problem has one.
    """

    def __init__(self, slug: str, message: str, *help: str, span: Span | None = None) -> None:
        message = visible(message)  # it may quote the name of a file
        super().__init__(message)
        self.slug, self.message, self.help, self.span = slug, message, help, span


class Seen:
    """A record of file system queries and their answers.

    It is `certain` while repeated queries had equal answers and every answer could be kept.
    Everything it records is also recorded by the enclosing record `outer`.
    """

    def __init__(self, outer: Seen | None = None) -> None:
        self._outer = outer
        self._certain = True
        self._answers: dict[Asked, bytes] = {}

    @property
    def certain(self) -> bool:
        """True while the record is complete and consistent."""
        return self._certain

    def note(self, asked: Asked, answer: bytes) -> None:
        """Record a query and the digest of its answer."""
        if self._answers.setdefault(asked, answer) != answer:
            self._certain = False
        if self._outer is not None:
            self._outer.note(asked, answer)

    def doubt(self) -> None:
        """Record that a query had an answer that cannot be kept."""
        self._certain = False
        if self._outer is not None:
            self._outer.doubt()

    def folders(self) -> frozenset[str]:
        """Return the absolute paths of all folders that were listed or read from.

        Folders that do not exist are included.
        """
        return frozenset(
            os.path.abspath(str(given[0]) if name == "names_in" else os.path.dirname(str(given[0])))
            for name, given in self._answers
            if name in ("names_in", "content")
        )

    @property
    def looks(self) -> tuple[Look, ...]:
        """The queries with the digests of their answers, in the order first made."""
        return tuple((*asked, answer) for asked, answer in self._answers.items())


_watching: ContextVar[Seen | None] = ContextVar("watching", default=None)
_open: ContextVar[Mapping[str, bytes]] = ContextVar("open", default=MappingProxyType({}))
_QUESTIONS: dict[str, Callable[..., object]] = {}
P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def watched() -> Iterator[Seen]:
    """Record the file system queries within the context."""
    seen = Seen(_watching.get())
    token = _watching.set(seen)
    try:
        yield seen
    finally:
        _watching.reset(token)


@contextmanager
def overlaid(files: Mapping[str, bytes]) -> Iterator[None]:
    """Use these bytes for files, by their real paths, instead of those on disk.

    Files that are not on disk count as existing. For files that are open in an editor.
    """
    token = _open.set(files)
    try:
        yield
    finally:
        _open.reset(token)


def unchanged(looks: Iterable[Look]) -> bool:
    """Return whether every query has the same answer now."""
    return all(_answer(_QUESTIONS[name], arguments) == was for name, arguments, was in looks)


def seen_before(looks: Iterable[Look]) -> None:
    """Record queries that were made at another time and are still unchanged."""
    seen = _watching.get()
    if seen is not None:
        for name, arguments, answer in looks:
            seen.note((name, arguments), answer)


def _answer(ask: Callable[..., object], arguments: tuple[Argument, ...]) -> bytes | None:
    try:
        return _digest(ask(*arguments))
    except FileProblem as problem:
        return _digest(problem)
    except (OSError, ValueError):
        return None


def _digest(answer: object) -> bytes:
    if isinstance(answer, FileProblem):
        answer = (answer.slug, answer.message, answer.help)
    return sha256(answer if isinstance(answer, bytes) else repr(answer).encode()).digest()


def _question(ask: Callable[P, T]) -> Callable[P, T]:
    """Register a function as a file system query and record its calls.

    Its arguments are texts and numbers. A `FileProblem` is recorded as its answer and raised.
    """
    _QUESTIONS[ask.__name__] = ask

    @wraps(ask)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        seen = _watching.get()
        if seen is None:
            return ask(*args, **kwargs)
        question: Any = (ask.__name__, args)
        try:
            answer = ask(*args, **kwargs)
        except FileProblem as problem:
            seen.note(question, _digest(problem))
            raise
        except Exception:
            seen.doubt()
            raise
        seen.note(question, _digest(answer))
        return answer

    return asked


@_question
def named_folders() -> tuple[str, ...]:
    """Return the folders that the environment variable RULESDSL_PATH names."""
    return tuple(filter(None, os.environ.get("RULESDSL_PATH", "").split(os.pathsep)))


@_question
def user_folder() -> str:
    """Return the folder in which a user keeps rulesets; empty for a user without a home."""
    data = data_folder()
    return "" if data is None else str(data / "rulesets")


@_question
def shipped_folder() -> str:
    """Return the folder of the rulesets that come with the program."""
    return str(shipped("rulesets"))


@_question
def is_folder(path: str) -> bool:
    """Return whether a folder exists."""
    return os.path.isdir(path)


@_question
def is_link(path: str) -> bool:
    """Return whether a path is a symbolic link."""
    return os.path.islink(path)


@_question
def real_path(path: str) -> str:
    """Return the absolute path with links resolved.

    Raises ValueError for characters that no file name has.
    """
    return os.path.realpath(path)


@_question
def names_in(path: str, folders: bool) -> tuple[str, ...]:
    """Return the names of the folders, or of everything else, in a folder, sorted.

    Empty if there is no such folder. A link is no folder, whatever it leads to: no circle is
    followed, and nothing is said about files elsewhere. Backup and lock files of editors are left
    out.
    """
    try:
        with os.scandir(path) as entries:
            listed = {e.name for e in entries if e.is_dir(follow_symlinks=False) == folders}
    except (OSError, ValueError):
        return ()
    if not folders and (files := _open.get()):
        root = os.path.realpath(path)
        listed.update(os.path.basename(file) for file in files if os.path.dirname(file) == root)
    return tuple(
        name
        for name in sorted(listed)
        if not name.startswith((".#", "#")) and not name.endswith(("~", ".swp", ".swx"))
    )


@_question
def content(path: str, shown: str, limit: int) -> bytes:
    """Return the bytes of a file, which messages call `shown`.

    Raises `FileProblem`, also for more than `limit` bytes.
    """
    if (data := _open.get().get(path)) is not None:
        if len(data) <= limit:
            return data
        raise _too_large(shown, limit)
    try:
        mode, size = (info := os.stat(path)).st_mode, info.st_size
        if stat.S_ISDIR(mode):
            raise FileProblem("file-is-folder", f"`{shown}` is a folder, not a file")
        # Opening a pipe would wait for a writer, and a device may never end.
        if not stat.S_ISREG(mode):
            raise FileProblem("file-unreadable", f"`{shown}` is not an ordinary file")
        if size <= limit:
            with open(path, "rb") as file:
                data = file.read(limit + 1)
            if len(data) <= limit:
                return data
    except (FileNotFoundError, NotADirectoryError):
        raise missing(shown) from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise missing(f"{shown[:60]}…") from None
        reason = (error.strerror or "input or output failed").lower()
        raise FileProblem("file-unreadable", f"`{shown}` cannot be read: {reason}") from None
    raise _too_large(shown, limit)


def _too_large(shown: str, limit: int) -> FileProblem:
    return FileProblem("file-too-large", f"`{shown}` is larger than {limit} bytes")


def missing(shown: str) -> FileProblem:
    """Return the problem of a missing file."""
    return FileProblem("file-missing", f"there is no file `{shown}`")


_ABSOLUTE = re.compile(r"/|[A-Za-z]:")


def is_inside(path: str) -> bool:
    """Return whether a path that a stranger wrote stays in the folder that it is relative to.

    It has forward slashes. Every key that names a file is judged by this function; SECURITY.md
    lists them. On disk a link can still lead out, which `DiskFolder` refuses.
    """
    return not (
        "\\" in path or _ABSOLUTE.match(path) or posixpath.normpath(path).split("/")[0] == ".."
    )


class Folder(Protocol):
    """A place with files, on disk or inside an archive.

    Paths are relative, with forward slashes. None leads out of the folder, by `..` or by a link:
    such a path is refused with `path-escapes`.
    """

    @property
    def name(self) -> str:
        """The last part of the folder's path."""

    def shown(self, path: str) -> str:
        """Return the path of a file as the user would write it, with forward slashes."""

    def identity(self, path: str) -> str:
        """Return a key that is equal for two paths to the same file, and only then."""

    def read(self, path: str, limit: int = MAX_TEXT) -> bytes:
        """Return the bytes of a file; raises `FileProblem`, also for more than `limit` bytes."""

    def files(self) -> tuple[str, ...]:
        """Return the names of the files in the folder, sorted; none if there is no folder."""

    def folders(self) -> tuple[Self, ...]:
        """Return its subfolders, sorted by name, without hidden ones and without links."""


@dataclass(frozen=True)
class DiskFolder:
    """A folder on disk.

    `prefix` is the text in front of its files in messages: empty, or the folder as the user wrote
    it and a slash.
    """

    path: Path
    prefix: str

    @classmethod
    def at(cls, given: str | os.PathLike[str]) -> DiskFolder:
        """Return the folder a user named."""
        text = _slashes(os.fspath(given))
        return cls(Path(given), f"{text.rstrip('/')}/" if text else "")

    @property
    def name(self) -> str:
        return Path(os.path.abspath(self.path)).name

    def shown(self, path: str) -> str:
        return printable(self.prefix + path)

    def identity(self, path: str) -> str:
        """See `Folder.identity`: the real path, links followed."""
        return real_path(os.fspath(self.path / path))

    def read(self, path: str, limit: int = MAX_TEXT) -> bytes:
        try:
            return content(self.inside(path), self.shown(path), limit)
        except ValueError:  # characters that no file name has
            raise missing(self.shown(path)) from None

    def files(self) -> tuple[str, ...]:
        return names_in(os.fspath(self.path), False)

    def folders(self) -> tuple[DiskFolder, ...]:
        return tuple(
            DiskFolder(self.path / name, f"{self.shown(name)}/")
            for name in names_in(os.fspath(self.path), True)
            if not name.startswith(".")
        )

    def inside(self, path: str) -> str:
        """Return the real path of a file; raises `FileProblem` if it is outside of this folder."""
        if "\\" in path:
            raise FileProblem(
                "path-escapes", f"`{path}` has a backslash", "separate folders with forward slashes"
            )
        outside = FileProblem(
            "path-escapes",
            f"`{path}` leads out of the folder `{self.prefix or './'}`",
            "put the file beside the manifest",
        )
        if not is_inside(path):
            raise outside
        root = real_path(os.fspath(self.path))
        head, tail = os.path.split(os.path.join(root, path))
        real = real_path(os.path.join(head, _spelled(tail, partial(names_in, head, False))))
        if not lies_in(real, root):
            raise outside
        return real


def user_file(given: str | os.PathLike[str]) -> tuple[DiskFolder, str]:
    """Return the folder and name of a file a user named.

    A link is followed, since the user chose it.
    """
    text = os.fspath(given)
    if is_link(text):
        text = real_path(text)
    head, tail = os.path.split(text)
    return DiskFolder(Path(head), _slashes(text[: len(text) - len(tail)])), tail


def read_source(
    folder: Folder, path: str, report: Report, at: Span | None = None
) -> tuple[Source, bytes] | None:
    """Return a text file and its bytes, or None after reporting the reason.

    The reason is reported at `at`, the place where the file is named.
    """
    try:
        data = folder.read(path)
        return decode(data, folder.shown(path)), data
    except FileProblem as problem:
        help = problem.help
        if problem.slug == "file-missing":
            kind = PurePath(path).suffix
            files = (each for each in folder.files() if PurePath(each).suffix == kind)
            stems = {each.removesuffix(kind): each for each in files}
            near = nearest(path.removesuffix(kind), stems)
            help = (f"did you mean `{stems[near]}`?",) if near else ()
            if at is not None:
                help = (*help, "write this file, or leave out the key that names it")
        report.error(problem.slug, problem.message, problem.span or at, help=help)
        return None


def read_text(given: str | os.PathLike[str], report: Report) -> Source | None:
    """Return the text file a user named, or None after reporting the reason."""
    found = read_source(*user_file(given), report)
    return None if found is None else found[0]


def decode(data: bytes, name: str) -> Source:
    """Return the text of `data`, without its byte order mark.

    Raises `FileProblem` if it is not UTF-8 or holds control characters.
    """
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


def lies_in(real: str, root: str) -> bool:
    """Return whether a file is in a folder or below it, by real paths."""
    try:
        return os.path.commonpath((real, root)) == root
    except ValueError:  # different drives
        return False


def _spelled(name: str, there: Callable[[], Iterable[str]]) -> str:
    """Return the name as a file has it: systems differ in how they write accents in Unicode."""
    if name.isascii():
        return name
    alike = [each for each in there() if normalize("NFC", each) == normalize("NFC", name)]
    return alike[0] if alike and name not in alike else name


def _slashes(path: str) -> str:
    return path.replace(os.sep, "/")


def printable(text: str) -> str:
    """Return `text` with escapes for characters that cannot or must not be printed.

    These are surrogates, which Python uses for file names that are not UTF-8, and characters that
    would control a terminal.
    """
    return visible(text.encode("utf-8", "backslashreplace").decode())


SUFFIX = ".zip"
CHECKSUMS = "SHA256SUMS"
"""The file inside that holds the SHA-256 of every other one, as `sha256sum` writes it."""

MAX_ARCHIVE = 8_000_000
"""Maximum number of bytes of an archive, and of all its files together."""
MAX_FILES = 200
MAX_IMAGE = 4_000_000
"""Maximum number of bytes of an image, and of any file in an archive."""
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
        return printable(self.prefix + path)

    def identity(self, path: str) -> str:
        return os.path.join(self.place, path)

    def read(self, path: str, limit: int = MAX_TEXT) -> bytes:
        """See `Folder.read`; a path in an archive never leads out of it."""
        if not is_inside(path):
            raise FileProblem("path-escapes", f"`{path}` leads out of `{self.prefix}`")
        data = self.contents.get(_spelled(posixpath.normpath(path), lambda: self.contents))
        if data is None:
            raise missing(self.shown(path))
        if len(data) > limit:
            raise _too_large(self.shown(path), limit)
        return data

    def files(self) -> tuple[str, ...]:
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
            plain = (each for each in entries if not each.is_dir())
            files = {each.filename: _content(archive, each, shown) for each in plain}
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError) as error:
        raise _refused(shown, f"it is damaged ({error})", _AGAIN) from None
    _check_sums(files.pop(CHECKSUMS, None), files, shown)
    return files


def checksums(files: Mapping[str, bytes]) -> bytes:
    """Return the content of the checksum file of an archive with these files."""
    lines = (f"{sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    return "".join(lines).encode()


def _check_entries(entries: Sequence[ZipInfo], shown: str) -> None:
    """Check the entries that an archive lists, before anything is unpacked."""
    if len(entries) > MAX_FILES:
        raise _archive_too_large(shown, f"it has more than {MAX_FILES} files")
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
        raise _archive_too_large(shown, f"its files have more than {MAX_ARCHIVE} bytes together")


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
        raise _archive_too_large(
            shown, f"`{name}` in it unpacks to more than {MAX_RATIO} times its size"
        )
    if size > MAX_IMAGE:
        raise _archive_too_large(shown, f"`{name}` in it is larger than {MAX_IMAGE} bytes")


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


def _archive_too_large(shown: str, why: str) -> FileProblem:
    return FileProblem("file-too-large", f"`{shown}` is not opened: {why}")
