"""Calls to the system that fail when a test wants them to."""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

SHORT = 0
"""Not an error: half of the bytes are written."""

ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EINTR)

CALLS = (
    "chmod", "chown", "close", "dup", "fstat", "fsync", "ftruncate", "listdir", "lseek", "mkdir",
    "open", "read", "readlink", "remove", "rename", "replace", "rmdir", "scandir", "unlink",
    "write",
)  # fmt: skip
"""The functions of `os` that fail; files that `open` gives fail as well."""


@dataclass(frozen=True)
class Call:
    """A call to the system, and the path of the file or folder that it is about."""

    name: str
    path: str


@dataclass
class Faults:
    """Notes the calls to the system in `calls`, with `folder` only those about something in it. The
    one numbered `at` fails with `error`; with `room`, the disk is full after so many bytes."""

    at: int | None = None
    error: int = SHORT
    room: int | None = None
    folder: Path | None = None
    calls: list[Call] = field(default_factory=list)
    _paths: dict[int, str] = field(default_factory=dict)

    def call(self, name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Do what a call does, or let it fail."""
        about = args[0] if args else os.curdir
        path = self._paths.get(about, "") if isinstance(about, int) else os.fsdecode(about)
        noted = self._noted(path)
        if noted:
            self.calls.append(Call(name, path))
        if noted and len(self.calls) - 1 == self.at:
            if self.error != SHORT:
                if name == "close":
                    function(*args, **kwargs)  # a descriptor is closed, whatever else happens
                raise OSError(self.error, os.strerror(self.error))
            args = (*args[:-1], memoryview(args[-1])[: (len(args[-1]) + 1) // 2])
        if name == "write" and self.room is not None:
            return self._limited(function, *args)
        found = function(*args, **kwargs)
        if name == "open":
            self._paths[found if isinstance(found, int) else found.fileno()] = path
        return found

    def _noted(self, path: str) -> bool:
        if self.folder is None:
            return True
        return bool(path) and not os.path.relpath(path, self.folder).startswith(os.pardir)

    def _limited(self, write: Callable[..., int], *args: Any) -> int:
        assert self.room is not None
        if self.room == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(*args[:-1], memoryview(args[-1])[: self.room])
        self.room -= written
        return written

    @contextmanager
    def injected(self) -> Iterator[None]:
        """Let calls of this process be counted, and fail, meanwhile."""
        with pytest.MonkeyPatch.context() as patch:
            for name in CALLS:
                patch.setattr(os, name, self._counted(name, getattr(os, name)))
            patch.setattr(builtins, "open", self._opened)
            patch.setattr(io, "open", self._opened)
            yield

    def _counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            return self.call(name, function, *args, **kwargs)

        return counted

    def _opened(
        self,
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        """The same as `open`, with a raw file whose calls are counted."""
        plain = mode.replace("b", "").replace("t", "")
        raw = self.call("open", partial(_Raw, self), file, plain, closefd, opener)
        if "r" in plain and "+" not in plain:
            buffer: Any = io.BufferedReader(raw)
        else:
            buffer = io.BufferedRandom(raw) if "+" in plain else io.BufferedWriter(raw)
        return buffer if "b" in mode else io.TextIOWrapper(buffer, encoding, errors, newline)


class _Raw(io.FileIO):
    def __init__(self, faults: Faults, file: Any, mode: str, closefd: bool, opener: Any) -> None:
        super().__init__(file, mode, closefd, opener)
        self._faults = faults

    def readinto(self, buffer: Any, /) -> Any:
        return self._faults.call("read", self._readinto, self.fileno(), buffer)

    def readall(self) -> Any:
        return self._faults.call("read", self._readall, self.fileno())

    def read(self, size: int | None = -1, /) -> Any:
        return self._faults.call("read", self._read, self.fileno(), size)

    def write(self, data: Any, /) -> Any:
        return self._faults.call("write", self._write, self.fileno(), data)

    def truncate(self, size: int | None = None, /) -> Any:
        return self._faults.call("ftruncate", self._truncate, self.fileno(), size)

    def close(self) -> None:
        if not self.closed:
            self._faults.call("close", self._close, self.fileno())

    # The same without being counted; the number tells of which file.

    def _readinto(self, _: int, buffer: Any) -> Any:
        return super().readinto(buffer)

    def _readall(self, _: int) -> Any:
        return super().readall()

    def _read(self, _: int, size: int | None) -> Any:
        return super().read(size)

    def _write(self, _: int, data: Any) -> Any:
        return super().write(data)

    def _truncate(self, _: int, size: int | None) -> Any:
        return super().truncate(size)

    def _close(self, _: int) -> None:
        super().close()
