"""Every call to the system fails once, with every error, while files are written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rulesdsl.base.cache import Cache
from rulesdsl.base.writing import GrowingFile, create, create_all, publish, write_file
from tests.writing.faults import ERRORS, SHORT, Faults

OLD, NEW = b"old\n" * 50, b"new\n" * 100
LINES = (b"one\n", b"two\n", b"three\n")
ENTRY = f"thing-{'0' * 64}.bin"


def _grow() -> None:
    _added(GrowingFile("file"), LINES)


def _resume() -> None:
    _added(GrowingFile.resume("file", 4), LINES)


def _added(file: GrowingFile, lines: tuple[bytes, ...]) -> None:
    try:
        for line in lines:
            file.write(line)
    except OSError:
        try:
            file.close()
        except OSError:
            raise AssertionError("one call fails") from None
        raise
    file.close()


def _cached() -> None:
    cache = Cache(Path.cwd() / "cache", b"k" * 32)
    cache.put(ENTRY, NEW)
    if cache.get(ENTRY) != NEW:
        raise OSError("it is not kept")


WAYS: dict[str, Callable[[], None]] = {
    "a new file": lambda: write_file("new", NEW),
    "a file": lambda: write_file("file", NEW),
    "a link": lambda: write_file("link", NEW),
    "only new": lambda: create("new", NEW),
    "private": lambda: publish("new", NEW),
    "together": lambda: create_all("a/b", {"one": NEW, "two": OLD}),
    "growing": _grow,
    "resumed": _resume,
    "cached": _cached,
}


@pytest.mark.parametrize("way", WAYS)
def test_every_call_fails_once(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, write = tmp_path / "here", WAYS[way]
    runs = stopped = 0

    def run(faults: Faults) -> bool:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        monkeypatch.chdir(folder)
        Path("file").write_bytes(OLD)
        os.chmod("file", 0o640)
        os.symlink("file", "link")
        before = len(os.listdir("/proc/self/fd"))
        try:
            with faults.injected():
                write()
        except OSError as error:
            failed = way == "cached" or error.errno == faults.error
        else:
            failed = False
        assert len(os.listdir("/proc/self/fd")) == before, faults
        return failed

    faults = Faults()
    assert not run(faults)
    done = _content(folder)
    begun = {"file": OLD, "link": OLD}
    assert done != begun
    for number, call in enumerate(faults.calls):
        if way == "private" and call.name == "unlink":
            continue  # a draft that cannot be removed stays, beside the file that is whole
        for error in (*ERRORS, *([SHORT] if call.name == "write" else [])):
            failed = run(Faults(number, error))
            found, said = _content(folder), f"{number}. {call}, {error}"
            if way in ("growing", "resumed"):
                assert _lines(found["file"], done["file"]), said
            else:
                assert found == done or (failed and found == begun), said
            assert failed or found == done, said
            assert os.stat("file").st_mode & 0o777 == 0o640, said
            assert not (failed and error == SHORT), said
            runs, stopped = runs + 1, stopped + failed
    assert runs > 20
    assert stopped > 10


def _content(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _lines(found: bytes, whole: bytes) -> bool:
    """Whether lines are as before, or a beginning of all there will be."""
    return found == OLD or (whole.startswith(found) and found.endswith(b"\n"))
