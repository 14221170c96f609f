"""The user's own folders (None for a user without a home), and the user's key.

By the key the program recognises files that it has written itself. Whoever has the key can make
entries of the cache, which are programs that run. So it lies in a folder of its own, away from the
cache: cache folders are shared, restored and checked in.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import platformdirs

from rulesdsl.base.writing import publish

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
