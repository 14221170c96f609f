"""A folder of files that may be lost at any time.

Nothing here ever fails: what cannot be read or written is not cached.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_DIGEST = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Cache:
    """Entries in `folder`, each a file that begins with the SHA-256 of what follows.

    The folder and its files are used only while nobody but the user can write to them.
    """

    folder: Path

    @classmethod
    def of_user(cls) -> Cache:
        """The cache in the folder `RULESDSL_CACHE` names, otherwise the user's cache folder."""
        named = os.environ.get("RULESDSL_CACHE")
        if named:
            return cls(Path(named).absolute())
        return cls(Path(platformdirs.user_cache_dir("rulesdsl", appauthor=False)))

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
            handle, draft = tempfile.mkstemp(dir=self.folder)
            try:
                with open(handle, "wb") as file:
                    file.write(hashlib.sha256(content).digest() + content)
                os.replace(draft, self.folder / name)
            except BaseException:
                os.unlink(draft)
                raise

    def _usable(self) -> bool:
        """Whether the folder can be trusted; without a home its path is not even absolute."""
        return self.folder.is_absolute() and _private(os.stat(self.folder))


def _open_plain(path: str, flags: int) -> int:
    """Open without following a link and without waiting for a pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _private(status: os.stat_result) -> bool:
    """Whether only the user can write; where files have no owners, they are taken as theirs."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & _WRITABLE_BY_OTHERS
