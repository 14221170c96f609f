"""The user's folders (None for a user without a home), the key there, and the cache.

By the key the program recognises entries of the cache that it has written itself. Entries are
programs that run, and whoever has the key can make them. So it lies in a folder of its own, away
from the cache: cache folders are shared, restored and checked in.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from hmac import compare_digest
from importlib.util import MAGIC_NUMBER, find_spec
from pathlib import Path
from pickle import UnpicklingError
from typing import TypeVar

import platformdirs

from rulesdsl.base.records import dataclass
from rulesdsl.base.writing import is_draft, publish, replace

_NAME = "rulesdsl"


def cache_folder() -> Path | None:
    """Return the folder for files that may be lost."""
    return _folder(platformdirs.user_cache_dir)


def data_folder() -> Path | None:
    """Return the folder for files that must persist."""
    return _folder(platformdirs.user_data_dir)


def _folder(find: Callable[..., str]) -> Path | None:
    with suppress(RuntimeError):  # there is no home
        if (folder := Path(find(_NAME, appauthor=False))).is_absolute():
            return folder
    return None


# --- the key -------------------------------------------------------------------------------------

LENGTH = 32
"""Number of bytes of a key."""
_FILE = "cache"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def key_folder() -> Path | None:
    """Return the folder of the user's key; None for a user without a home."""
    data = data_folder()
    return None if data is None else data / "keys"


def user_key(folder: Path) -> bytes | None:
    """Return the key in a folder, made if missing; None if it cannot be kept safely.

    Only the user may have access to the folder and the file. A file that others could have read or
    written, or one of another length, is replaced: entries made with it no longer count.
    """
    try:
        try:
            key = _read(folder)
        except FileNotFoundError:
            return _make(folder)
        if key is None:
            with suppress(FileNotFoundError):
                os.unlink(folder / _FILE)
            key = _make(folder)
        return key
    except (OSError, ValueError):
        return None


def _read(folder: Path) -> bytes | None:
    """Return the key; None for an invalid one.

    Raises FileNotFoundError if there is none, and PermissionError for an unsafe folder.
    """
    _check_folder(folder)
    try:
        with open(folder / _FILE, "rb", opener=open_plain) as file:
            status = os.fstat(file.fileno())
            key = file.read(LENGTH + 1) if stat.S_ISREG(status.st_mode) else b""
    except FileNotFoundError:
        raise
    except OSError:  # a link, a folder, or unreadable
        return None
    return key if is_users(status, _OTHERS) and len(key) == LENGTH else None


def _make(folder: Path) -> bytes | None:
    """Make a key.

    If several processes do so at once, the first one's key is used by all.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _check_folder(folder)
    publish(os.path.join(folder, _FILE), os.urandom(LENGTH))
    return _read(folder)


def _check_folder(folder: Path) -> None:
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or not is_users(status, _OTHERS):
        raise PermissionError(f"others have access to {folder}")


def is_users(status: os.stat_result, others: int) -> bool:
    """Return whether a file is the user's and gives none of the permissions `others`.

    The result is True if files have no owners.
    """
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & others


def open_plain(path: str, flags: int) -> int:
    """Open a file without following a link and without waiting for a pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


# --- the cache -----------------------------------------------------------------------------------


T = TypeVar("T")

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_SEAL = 32
_ENTRY = re.compile(r"[a-z]+-[0-9a-f]{32,}\.[a-z]+")
LIMIT = 100_000_000
_LOOKS = 50
"""How often all entries are looked at while as many bytes as the limit are written."""
_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_SOURCES = (".py", ".lark", ".tables", ".json")
_LIBRARIES = ("lark", "yaml", "jsonschema", "wasmtime")
"""The packages that read rules and compile programs."""

_uncached = ContextVar("uncached", default=False)


@contextmanager
def uncached() -> Iterator[None]:
    """Disable the user's cache in the context, for results that are not needed again."""
    token = _uncached.set(True)
    try:
        yield
    finally:
        _uncached.reset(token)


@dataclass(frozen=True)
class Cache:
    """Authenticated entries in `folder`.

    Each is a file that begins with a seal: a MAC, under `key`, of its name and its content. An
    entry with another name or key counts as missing. The folder and its files are used only while
    nobody but the user can write to them, and nothing is cached without a key. Names of entries
    have the form `word-digest.word`, the digest in hexadecimal; soon after all of them take more
    than `limit` bytes, the oldest are removed. Other files are left alone.
    """

    folder: Path
    key: bytes | None
    limit: int = LIMIT

    @classmethod
    def of_user(cls) -> Cache:
        """Return the cache in the folder `RULESDSL_CACHE` names, otherwise the user's cache folder.

        None with `RULESDSL_NO_CACHE=1`, if the folder contains that of the key, or while
        `uncached`.
        """
        if _uncached.get() or os.environ.get("RULESDSL_NO_CACHE") == "1":
            return cls.none()
        named = os.environ.get("RULESDSL_CACHE")
        folder, keys = Path(named).absolute() if named else cache_folder(), key_folder()
        if folder is None or keys is None:
            return cls.none()
        if Path(os.path.realpath(keys)).is_relative_to(os.path.realpath(folder)):
            return cls.none()
        return cls(folder, user_key(keys))

    @classmethod
    def none(cls) -> Cache:
        """Return a cache that keeps nothing."""
        return cls(Path(), None)

    def get(self, name: str) -> bytes | None:
        """Return the entry `name`; None when it is missing, damaged or not to be trusted."""
        try:
            if self.key is None or not self._usable():
                return None
            with open(self.folder / name, "rb", opener=open_plain) as file:
                if not is_users(os.fstat(file.fileno()), _WRITABLE_BY_OTHERS):
                    return None
                data = file.read()
        except (OSError, ValueError):
            return None
        content = data[_SEAL:]
        return content if compare_digest(_seal(self.key, name, content), data[:_SEAL]) else None

    def put(self, name: str, content: bytes) -> None:
        """Store `content` under `name`, if possible."""
        if self.key is None:
            return
        with suppress(OSError, ValueError):
            if self.folder.is_absolute():
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._usable():
                return
            data = _seal(self.key, name, content) + content
            replace(os.path.join(self.folder, name), data, mode=0o600, sync=False)
            # To look at all entries takes longer than to write a small one. So the seal draws: for
            # a small entry seldom, for one of at least a fiftieth of the limit always.
            if int.from_bytes(data[:4], "big") * self.limit < len(data) * _LOOKS << 32:
                self._prune()

    def load_or_make(
        self,
        name: str,
        make: Callable[[], T],
        dump: Callable[[T], bytes | None],
        restore: Callable[[bytes], T],
    ) -> T:
        """Return the entry `name`, or else the result of `make`.

        That is stored unless `dump` gives None. `restore` raises EOFError, ValueError, TypeError,
        KeyError or UnpicklingError for content that is not from `dump`, or is out of date.
        """
        found = self.get(name)
        if found is not None:
            with suppress(EOFError, ValueError, TypeError, KeyError, UnpicklingError):
                return restore(found)
        made = make()
        if self.key is not None and (content := dump(made)) is not None:
            self.put(name, content)
        return made

    def _prune(self) -> None:
        """Remove the oldest entries, and abandoned drafts, until the rest fits the limit."""
        found = []
        with os.scandir(self.folder) as files:
            for file in files:
                own = is_draft(file.name) or _ENTRY.fullmatch(file.name)
                if own and file.is_file(follow_symlinks=False):
                    status = file.stat(follow_symlinks=False)
                    found.append((status.st_mtime_ns, file.name, status.st_size))
        total = sum(size for _, _, size in found)
        for _, name, size in sorted(found):
            if total <= self.limit:
                break
            os.unlink(self.folder / name)
            total -= size

    def _usable(self) -> bool:
        """Return whether the folder can be trusted.

        Without a home, or with a cache that keeps nothing, its path is not even absolute.
        """
        if not self.folder.is_absolute():
            return False
        return is_users(os.stat(self.folder), _WRITABLE_BY_OTHERS)


def _seal(key: bytes, name: str, content: bytes) -> bytes:
    """Return the MAC of an entry; its fixed length separates the name from the content."""
    named = os.fsencode(name)
    mac = hashlib.blake2b(key=key, digest_size=_SEAL, person=b"rulesdsl-cache")
    mac.update(len(named).to_bytes(8, "big") + named)
    mac.update(content)
    return mac.digest()


# --- names of entries ----------------------------------------------------------------------------


def entry_name(word: str, key: bytes, ending: str) -> str:
    """Return the name of the entry of a key.

    It differs for every version of Python, and when sources of this package, its schemas or the
    libraries that it reads with have changed.
    """
    parts = (key, own_sources(), _libraries(), _python())
    return f"{word}-{digest(*parts)}.{ending}"


def _python() -> bytes:
    return f"{sys.implementation.cache_tag} ".encode() + MAGIC_NUMBER


def digest(*parts: bytes) -> str:
    """Return a digest of several texts."""
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


@cache
def own_sources() -> bytes:
    """Return a digest of this package, any part of which may affect results that are kept.

    It is the same in a checkout and in an installed package.
    """
    schemas = os.path.join(os.path.dirname(_PACKAGE), "schemas")  # in a checkout they are beside it
    paths = [*_sources(_PACKAGE), *_sources(schemas)]
    files = []
    for path in paths:
        with open(path, "rb") as file:
            files.append(os.path.basename(path).encode() + b"\0" + file.read())
    if not any(path.endswith(".py") for path in paths):
        from importlib.metadata import version  # takes longer than everything else

        # It was installed without sources, so as a single version.
        files.append(version("rulesdsl").encode())
    digests = sorted(hashlib.sha256(content).digest() for content in files)
    return hashlib.sha256(b"".join(digests)).digest()


def _sources(root: str) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (os.path.join(folder, name) for name in names if name.endswith(_SOURCES))


@cache
def _libraries() -> bytes:
    """Return a text that identifies the versions of the libraries, without importing them."""
    digest = hashlib.sha256()
    for name in _LIBRARIES:
        found = find_spec(name)
        origin = found.origin if found and found.origin else ""
        with suppress(OSError):
            age = os.stat(origin).st_mtime_ns
            digest.update(f"{origin}\0{age}\0".encode("utf-8", "surrogateescape"))
    return digest.digest()
