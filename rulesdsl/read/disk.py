"""Questions to the disk. What was asked while somebody watched can be asked again later: is it all
as it was?

The only module that looks at the environment: `RULESDSL_PATH` and the user's data folder.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from hashlib import sha256
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

from rulesdsl.diagnostics import Span
from rulesdsl.diagnostics.visible import visible
from rulesdsl.places import data_folder
from rulesdsl.read.shipped import shipped

MAX_TEXT = 1_000_000
"""Most bytes of a text file."""

Argument = str | int
Asked = tuple[str, tuple[Argument, ...]]
"""A question by its name, with its arguments."""

Look = tuple[str, tuple[Argument, ...], bytes]
"""A question that was asked, and a digest of the answer."""


class FileProblem(Exception):
    """Why a file cannot be had: the slug, one sentence, and help lines of a diagnostic; `span`
    is the place inside the file, if it has to do with one."""

    def __init__(self, slug: str, message: str, *help: str, span: Span | None = None) -> None:
        message = visible(message)  # it may quote the name of a file
        super().__init__(message)
        self.slug, self.message, self.help, self.span = slug, message, help, span


class Seen:
    """What was seen of the disk. It is `certain` while the same question had the same answer and
    every answer could be kept. What it sees is seen by who watched already, `outer`, as well."""

    def __init__(self, outer: Seen | None = None) -> None:
        self._outer = outer
        self._certain = True
        self._answers: dict[Asked, bytes] = {}

    @property
    def certain(self) -> bool:
        """Whether the looks tell all."""
        return self._certain

    def note(self, asked: Asked, answer: bytes) -> None:
        """A question was answered."""
        if self._answers.setdefault(asked, answer) != answer:
            self._certain = False
        if self._outer is not None:
            self._outer.note(asked, answer)

    def doubt(self) -> None:
        """A question had an answer that cannot be kept."""
        self._certain = False
        if self._outer is not None:
            self._outer.doubt()

    def folders(self) -> frozenset[str]:
        """The absolute paths of all folders in which something was sought or read, whether they are
        there or not."""
        return frozenset(
            os.path.abspath(str(given[0]) if name == "names_in" else os.path.dirname(str(given[0])))
            for name, given in self._answers
            if name in ("names_in", "content")
        )

    @property
    def looks(self) -> tuple[Look, ...]:
        """All questions in the order in which they were first asked."""
        return tuple((*asked, answer) for asked, answer in self._answers.items())


_watching: ContextVar[Seen | None] = ContextVar("watching", default=None)
_open: ContextVar[Mapping[str, bytes]] = ContextVar("open", default=MappingProxyType({}))
_QUESTIONS: dict[str, Callable[..., object]] = {}
P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def watched() -> Iterator[Seen]:
    """What is seen of the disk from now on."""
    seen = Seen(_watching.get())
    token = _watching.set(seen)
    try:
        yield seen
    finally:
        _watching.reset(token)


@contextmanager
def overlaid(files: Mapping[str, bytes]) -> Iterator[None]:
    """Files, by their real paths, are taken to have these bytes and not what the disk has, whether
    it has them or not: those that are open in an editor."""
    token = _open.set(files)
    try:
        yield
    finally:
        _open.reset(token)


def unchanged(looks: Iterable[Look]) -> bool:
    """Whether every question has the same answer now."""
    return all(_answer(_QUESTIONS[name], arguments) == was for name, arguments, was in looks)


def seen_before(looks: Iterable[Look]) -> None:
    """What was seen at another time, and is unchanged, counts as seen now."""
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
    """The digest of an answer, or of why there is none."""
    if isinstance(answer, FileProblem):
        answer = (answer.slug, answer.message, answer.help)
    return sha256(answer if isinstance(answer, bytes) else repr(answer).encode()).digest()


def _question(ask: Callable[P, T]) -> Callable[P, T]:
    """A question to the disk, whose arguments are texts and numbers; raises `FileProblem` where
    it says so."""
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
    """The folders that the environment variable RULESDSL_PATH names."""
    return tuple(filter(None, os.environ.get("RULESDSL_PATH", "").split(os.pathsep)))


@_question
def user_folder() -> str:
    """The folder in which a user keeps rulesets; empty for a user without a home."""
    data = data_folder()
    return "" if data is None else str(data / "rulesets")


@_question
def shipped_folder() -> str:
    """The folder of the rulesets that come with the program."""
    return str(shipped("rulesets"))


@_question
def is_folder(path: str) -> bool:
    """Whether there is a folder."""
    return os.path.isdir(path)


@_question
def is_link(path: str) -> bool:
    """Whether there is a link."""
    return os.path.islink(path)


@_question
def real_path(path: str) -> str:
    """The absolute path, links followed; ValueError for characters that no file name has."""
    return os.path.realpath(path)


@_question
def names_in(path: str, folders: bool) -> tuple[str, ...]:
    """The names of the folders, or of everything else, in a folder, sorted; nothing if there is no
    such folder. What editors lay beside the files they work on is left out."""
    try:
        listed = set(os.listdir(path))
    except (OSError, ValueError):
        return ()
    if not folders and (files := _open.get()):
        root = os.path.realpath(path)
        listed.update(os.path.basename(file) for file in files if os.path.dirname(file) == root)
    names = sorted(listed)
    return tuple(
        name
        for name in names
        if not name.startswith((".#", "#"))
        and not name.endswith(("~", ".swp", ".swx"))
        and os.path.isdir(os.path.join(path, name)) == folders
    )


@_question
def content(path: str, shown: str, limit: int) -> bytes:
    """The bytes of a file, which messages call `shown`; raises `FileProblem`, also for more than
    `limit` bytes."""
    if (data := _open.get().get(path)) is not None:
        if len(data) <= limit:
            return data
        raise _too_large(shown, limit)
    try:
        mode, size = (info := os.stat(path)).st_mode, info.st_size
        if stat.S_ISDIR(mode):
            raise FileProblem("file-is-folder", f"`{shown}` is a folder, a file is needed")
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
    """The problem of a file that is not there."""
    return FileProblem("file-missing", f"there is no file `{shown}`")
