"""A folder of files that may be lost at any time.

Nothing here ever fails: what cannot be read or written is not cached. Programs may run what they
find here, as only the user could have put it there.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import MAGIC_NUMBER, find_spec
from pathlib import Path

import platformdirs

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_DIGEST = hashlib.sha256().digest_size
_OWN = re.compile(r"(draft-.+|[a-z]+-[0-9a-f]{32,}\.[a-z]+)")
LIMIT = 100_000_000
_PACKAGE = os.path.dirname(__file__)
_SOURCES = (".py", ".lark", ".tables", ".schema.json")
_LIBRARIES = ("lark", "yaml", "jsonschema", "wasmtime")
"""What rules are read with, and programs compiled, by the names of their packages."""


@dataclass(frozen=True)
class Cache:
    """Entries in `folder`, each a file that begins with the SHA-256 of what follows.

    The folder and its files are used only while nobody but the user can write to them. Names of
    entries have the form `word-digest.word`, the digest in hexadecimal; when all of them take more
    than `limit` bytes, the oldest go. Other files are left alone.
    """

    folder: Path
    limit: int = LIMIT

    @classmethod
    def of_user(cls) -> Cache:
        """The cache in the folder `RULESDSL_CACHE` names, otherwise the user's cache folder; none
        with `RULESDSL_NO_CACHE=1`."""
        if os.environ.get("RULESDSL_NO_CACHE") == "1":
            return cls.none()
        named = os.environ.get("RULESDSL_CACHE")
        if named:
            return cls(Path(named).absolute())
        return cls(Path(platformdirs.user_cache_dir("rulesdsl", appauthor=False)))

    @classmethod
    def none(cls) -> Cache:
        """A cache that keeps nothing."""
        return cls(Path())

    def get(self, name: str) -> bytes | None:
        """What was put under `name`; None when it is not there, damaged or not to be trusted."""
        try:
            if not self._usable():
                return None
            with open(self.folder / name, "rb", opener=_open_plain) as file:
                if not _private(os.fstat(file.fileno())):
                    return None
                data = file.read()
        except (OSError, ValueError):
            return None
        content = data[_DIGEST:]
        return content if hashlib.sha256(content).digest() == data[:_DIGEST] else None

    def put(self, name: str, content: bytes) -> None:
        """Keep `content` under `name`, if that is possible."""
        with suppress(OSError, ValueError):
            if self.folder.is_absolute():
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._usable():
                return
            from tempfile import mkstemp  # a start that finds everything does without

            handle, draft = mkstemp(prefix="draft-", dir=self.folder)
            try:
                with open(handle, "wb") as file:
                    file.write(hashlib.sha256(content).digest() + content)
                os.replace(draft, self.folder / name)
            except BaseException:
                os.unlink(draft)
                raise
            self._prune()

    def _prune(self) -> None:
        """Remove the oldest entries, and drafts that nobody finished, until the others fit."""
        found = []
        with os.scandir(self.folder) as files:
            for file in files:
                if _OWN.fullmatch(file.name) and file.is_file(follow_symlinks=False):
                    status = file.stat(follow_symlinks=False)
                    found.append((status.st_mtime_ns, file.name, status.st_size))
        total = sum(size for _, _, size in found)
        for _, name, size in sorted(found):
            if total <= self.limit:
                break
            os.unlink(self.folder / name)
            total -= size

    def _usable(self) -> bool:
        """Whether the folder can be trusted; without a home, or for no cache, its path is not even
        absolute."""
        return self.folder.is_absolute() and _private(os.stat(self.folder))


def _open_plain(path: str, flags: int) -> int:
    """Open without following a link and without waiting for a pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _private(status: os.stat_result) -> bool:
    """Whether only the user can write; where files have no owners, they are taken as theirs."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & _WRITABLE_BY_OTHERS


# --- what makes entries --------------------------------------------------------------------------


def entry_name(word: str, key: bytes, ending: str) -> str:
    """The name of the entry of a key; another one for every Python, and when sources of this
    package, its schemas or the libraries that it reads with have changed."""
    parts = (key, _own_sources(), _libraries(), _python())
    digest = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts))
    return f"{word}-{digest.hexdigest()}.{ending}"


def _python() -> bytes:
    return f"{sys.implementation.cache_tag} ".encode() + MAGIC_NUMBER


@cache
def _own_sources() -> bytes:
    """A digest of this package, any part of which may have to do with what is kept."""
    digest = hashlib.sha256()
    schemas = os.path.join(os.path.dirname(_PACKAGE), "schemas")  # in a checkout they lie beside it
    paths = [*_sources(_PACKAGE), *_sources(schemas)]
    for path in paths:
        with open(path, "rb") as file:
            content = file.read()
        digest.update(f"{os.path.basename(path)}\0{len(content)}\0".encode())
        digest.update(content)
    if not any(path.endswith(".py") for path in paths):
        from importlib.metadata import version  # takes longer than all the rest

        # It was installed without sources, and so as one version.
        digest.update(version("rulesdsl").encode())
    return digest.digest()


def _sources(root: str) -> Iterator[str]:
    """All files that say what the package does, always in the same order."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith(_SOURCES))


@cache
def _libraries() -> bytes:
    """Tells one version of a library from another, without importing it."""
    digest = hashlib.sha256()
    for name in _LIBRARIES:
        found = find_spec(name)
        origin = found.origin if found and found.origin else ""
        with suppress(OSError):
            age = os.stat(origin).st_mtime_ns
            digest.update(f"{origin}\0{age}\0".encode("utf-8", "surrogateescape"))
    return digest.digest()
