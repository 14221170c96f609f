"""Atomic writing of files: the whole new file or the old one, even after a failure.

Every file that the package writes is written here. All functions raise OSError, and ValueError for
a name that no file can have.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

_DRAFT = re.compile(r"\.rulesdsl-[0-9a-f]{16}\.part")
_DESCRIPTOR = re.compile(r"(/dev/fd|/proc/(\d+)(/task/\d+)?/fd)/(\d+)")
_PLAIN = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN
_MODE, _PRIVATE = 0o666, 0o600
_MOST_LINKS = 40
_BY_HANDLE = os.chmod in os.supports_fd
_UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP)


def is_draft(name: str) -> bool:
    """Return whether a file is a draft of another one, left by a process that was killed."""
    return _DRAFT.fullmatch(name) is not None


def write_file(path: str, data: bytes) -> None:
    """Write a file.

    A regular file is replaced as a whole and keeps its permissions; a new one gets the usual ones.
    A link stays, and its target is written. Anything else (a device, a pipe, a descriptor such as
    `/dev/stdout`) is written to directly.
    """
    target = _target(path)
    if target.handle is None:
        replace(target.path, data, like=target.status)
    else:
        _fill(target.handle, data, path)


def replace(
    path: str,
    data: bytes,
    *,
    like: os.stat_result | None = None,
    mode: int = _MODE,
    sync: bool = True,
) -> None:
    """Replace the file at a path, in a folder that is ours, with a new one.

    It gets the permissions of `like`, otherwise `mode` as reduced by the umask. Without `sync`, a
    crash of the machine may lose it.
    """
    draft = _draft(path)
    handle = os.open(draft, _NEW, mode if like is None else _PRIVATE)
    try:
        _fill(handle, data, draft, like=like, sync=sync)
        os.replace(draft, path)
    except BaseException:
        _remove(draft)
        raise
    if sync:
        _sync_folder(path)


def publish(path: str, data: bytes) -> None:
    """Write a private file, unless it exists.

    If several processes do so at once, the first one's file is used by all.
    """
    draft = _draft(path)
    handle = os.open(draft, _NEW, _PRIVATE)
    try:
        _fill(handle, data, draft, sync=True)
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        except (AttributeError, OSError):  # a system or a disk without hard links
            os.replace(draft, path)
    finally:
        _remove(draft)
    _sync_folder(path)


def create(path: str, data: bytes) -> None:
    """Write a new file; raises FileExistsError if it exists."""
    handle = os.open(path, _NEW, _MODE)
    try:
        _fill(handle, data, path, sync=True)
        _sync_folder(path)
    except BaseException as error:
        _remove(path)
        if isinstance(error, OSError):
            error.filename = path
        raise


def create_all(folder: str, files: Mapping[str, bytes]) -> None:
    """Write new files into a folder, which is made if missing: all of them, or nothing."""
    written, missing, inner = list[str](), list[str](), folder
    while inner and not os.path.lexists(inner):
        missing.append(inner)
        inner = os.path.dirname(inner.rstrip(os.sep))
    try:
        if folder:
            os.makedirs(folder, exist_ok=True)
        for name, data in files.items():
            path = os.path.join(folder, name)
            create(path, data)
            written.append(path)
    except BaseException:
        for path in written:
            _remove(path)
        for made in missing:
            with suppress(OSError):
                os.rmdir(made)
        raise


def write_all(folder: str, files: Mapping[str, bytes]) -> None:
    """Write files into a folder and folders in it, which are made if missing; others stay."""
    for name, data in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path) or os.curdir, exist_ok=True)
        write_file(path, data)


class GrowingFile:
    """A file that is written in pieces; `end` is the number of bytes written.

    The old content stays until the first piece is written; where files can be truncated, a piece
    that does not fit is not there at all.
    """

    def __init__(self, path: str) -> None:
        """Begin a new file in place of an older one."""
        self._target = _target(path)
        self._handle, self.end = self._target.handle, 0

    @classmethod
    def resume(cls, path: str, end: int) -> GrowingFile:
        """Continue a file after so many bytes; the rest is cut off."""
        file = cls(path)
        try:
            if file._handle is None:
                file._open()
            file.cut(end)
        except BaseException:
            with suppress(OSError):
                file.close()
            raise
        return file

    def write(self, data: bytes) -> None:
        if self._handle is None:
            replace(self._target.path, data, like=self._target.status)
            self.end = len(data)
            self._open()
            return
        try:
            _write(self._handle, data)
        except OSError:
            with suppress(OSError):
                self.cut(self.end)
            raise
        self.end += len(data)

    def cut(self, end: int) -> None:
        """Remove everything after so many bytes."""
        assert self._handle is not None, "there is nothing to take back"
        os.ftruncate(self._handle, end)
        os.lseek(self._handle, end, os.SEEK_SET)
        self.end = end

    def close(self) -> None:
        """Flush the file to disk and close it."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        try:
            if self._target.handle is None:
                os.fsync(handle)
        finally:
            os.close(handle)

    def _open(self) -> None:
        self._handle = os.open(self._target.path, os.O_WRONLY | _PLAIN)
        os.lseek(self._handle, self.end, os.SEEK_SET)


# --- targets of paths ----------------------------------------------------------------------------


class _Target(NamedTuple):
    """A regular file by its real path, or (`handle`) anything else, open.

    `status` is None for a file that does not exist yet.
    """

    path: str
    status: os.stat_result | None = None
    handle: int | None = None


def _target(path: str) -> _Target:
    found = _descriptor(path)
    if found is not None and int(found[2] or os.getpid()) == os.getpid():
        return _Target(path, None, os.dup(int(found[4])))
    handle = _opened(path, os.O_APPEND if found else 0)
    if handle is None:
        return _Target(os.path.realpath(path))
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or found:
            os.set_blocking(handle, True)
            return _Target(path, status, handle)
        regular = _Target(os.path.realpath(path), status)
    except BaseException:
        _close(handle)
        raise
    os.close(handle)
    return regular


def _opened(path: str, flags: int) -> int | None:
    """Return a descriptor for a path, without waiting for a reader.

    None if nothing is there.
    """
    flags |= os.O_WRONLY | _PLAIN | getattr(os, "O_NONBLOCK", 0)
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        if os.path.islink(path):
            where = os.readlink(path)
            raise FileNotFoundError(
                errno.ENOENT, f"it is a link to `{where}`, which is not there", path
            ) from None
        if not os.path.basename(path):
            raise
        return None
    except OSError as error:
        if error.errno == errno.ENXIO and stat.S_ISFIFO(os.stat(path).st_mode):
            raise OSError(errno.ENXIO, "it is a pipe that nobody reads", path) from None
        raise


def _descriptor(path: str) -> re.Match[str] | None:
    """Return the match of the open descriptor that a path names, such as `/dev/stdout`.

    Its groups are the process and the number. None if it names no descriptor.
    """
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(path)
        folder = os.path.realpath(folder)
        path = os.path.join(folder, name)
        if found := _DESCRIPTOR.fullmatch(path):
            return found
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


# --- steps ---------------------------------------------------------------------------------------


def _draft(path: str) -> str:
    """Return an unpredictable path beside another one."""
    return os.path.join(os.path.dirname(path), f".rulesdsl-{os.urandom(8).hex()}.part")


def _write(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _fill(
    handle: int, data: bytes, path: str, *, like: os.stat_result | None = None, sync: bool = False
) -> None:
    """Write data to the open file at a path, and close it."""
    try:
        _write(handle, data)
        if like is not None:
            _keep_rights(handle, path, like)
        if sync:
            os.fsync(handle)
    except BaseException:
        _close(handle)
        raise
    os.close(handle)


def _keep_rights(handle: int, path: str, like: os.stat_result) -> None:
    """Give a file the permissions of an older one, and its owner if allowed."""
    mode = stat.S_IMODE(like.st_mode)
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (like.st_uid, like.st_gid):
        try:
            os.chown(handle, like.st_uid, like.st_gid)
        except PermissionError:
            mode &= ~(stat.S_ISUID | stat.S_ISGID)  # they were meant for another owner's program
    os.chmod(handle if _BY_HANDLE else path, mode)


def _close(handle: int) -> None:
    """Close a descriptor after a failure, without hiding that failure."""
    with suppress(OSError):
        os.close(handle)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _sync_folder(path: str) -> None:
    """Flush the folder of a file, and so its name, to disk."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    try:
        handle = os.open(os.path.dirname(path) or os.curdir, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:  # a folder can be writable but not readable
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
    finally:
        os.close(handle)
