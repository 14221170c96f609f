"""What stands at a path that is written to: files, links, pipes, devices, descriptors."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rulesdsl.base.writing import GrowingFile, create, create_all, is_draft, write_file


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def mode(path: str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def test_a_new_file_has_the_usual_permissions_and_an_old_one_keeps_its_own() -> None:
    before = os.umask(0o027)
    try:
        write_file("new", b"new")
        create("other", b"other")
        Path("old").write_bytes(b"old")
        for each in (0o600, 0o755, 0o664):
            os.chmod("old", each)
            write_file("old", b"new")
            assert (mode("old"), Path("old").read_bytes()) == (each, b"new")
    finally:
        os.umask(before)
    assert (mode("new"), mode("other")) == (0o640, 0o640)
    assert sorted(os.listdir()) == ["new", "old", "other"]


def test_a_name_as_long_as_names_can_be() -> None:
    write_file("n" * 255, b"data")
    assert Path("n" * 255).read_bytes() == b"data"


def test_a_link_stays() -> None:
    os.mkdir("inner")
    Path("inner/file").write_bytes(b"old")
    Path("link").symlink_to("inner/second")
    Path("inner/second").symlink_to("file")
    write_file("link", b"new")
    assert (os.readlink("link"), os.readlink("inner/second")) == ("inner/second", "file")
    assert Path("inner/file").read_bytes() == b"new"
    assert sorted(os.listdir("inner")) == ["file", "second"]
    with pytest.raises(FileExistsError):
        create("link", b"newer")


def test_a_file_that_waits_to_be_written_through_is_left_alone() -> None:
    """Names of drafts cannot be foreseen, and none is opened that is there."""
    Path("victim").write_bytes(b"mine")
    for name in (".book.part", ".book.tmp", "book.tmp"):
        Path(name).symlink_to("victim")
    write_file("book", b"new")
    assert Path("victim").read_bytes() == b"mine"
    assert not Path("book").is_symlink()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("dangling", "it is a link to `Nowhere`, which is not there"),
        ("loop", "Too many levels of symbolic links"),
        ("folder", "Is a directory"),
        ("folder/", "Is a directory"),
        ("no/such", "No such file or directory"),
        ("none/", "No such file or directory"),
        ("", "No such file or directory"),
        ("pipe", "it is a pipe that nobody reads"),
    ],
)
def test_what_cannot_be_written(path: str, said: str) -> None:
    os.symlink("Nowhere", "dangling")
    os.symlink("loop", "loop")
    os.mkdir("folder")
    os.mkfifo("pipe")
    before = {name: os.lstat(name) for name in os.listdir()}
    with pytest.raises(OSError, match=said):
        write_file(path, b"data")
    with pytest.raises(OSError, match=said):
        GrowingFile(path).write(b"data")
    assert {name: os.lstat(name).st_ino for name in os.listdir()} == {
        name: status.st_ino for name, status in before.items()
    }


def test_a_pipe_is_written_to_while_somebody_reads() -> None:
    os.mkfifo("pipe")
    data = bytes(range(256)) * 1000  # more than a pipe holds
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_bytes()))
    reader.start()
    while not read:
        try:
            write_file("pipe", data)
            break
        except OSError as error:  # the reader is not there yet
            if "nobody reads" not in str(error):
                raise
    reader.join()
    assert read == [data]
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


def test_a_device_is_written_to() -> None:
    """A terminal of our own: the nodes of real devices are left alone."""
    master, terminal = os.openpty()

    def shown() -> bytes:
        """The next line on the terminal, which may arrive in pieces."""
        line = b""
        while not line.endswith(b"\n"):
            line += os.read(master, 100)
        return line

    try:
        name = os.ttyname(terminal)
        os.symlink(name, "device")
        for path in (name, "device"):
            write_file(path, b"shown\n")
            assert shown() == b"shown\r\n"
            file = GrowingFile(path)
            file.write(b"told\n")
            file.close()
            assert shown() == b"told\r\n"
        assert stat.S_ISCHR(os.stat(name).st_mode)
    finally:
        os.close(master)
        os.close(terminal)


@pytest.mark.parametrize("path", ["/dev/stdout", "/proc/self/fd/1", "/dev/fd/1", "link"])
def test_a_descriptor_goes_on_where_it_is(path: str) -> None:
    os.symlink("/dev/stdout", "link")
    program = (
        "import os; from rulesdsl.base.writing import write_file\n"
        f"os.write(1, b'a'); write_file({path!r}, b'b'); os.write(1, b'c')"
    )
    with open("out", "wb") as out:
        subprocess.run([sys.executable, "-c", program], stdout=out, check=True)
    assert Path("out").read_bytes() == b"abc"
    piped = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True)
    assert piped.stdout == b"abc"


def test_files_that_belong_together_are_all_there_or_none() -> None:
    create_all("a/b", {"one": b"1", "two": b"2"})
    assert sorted(os.listdir("a/b")) == ["one", "two"]
    with pytest.raises(FileExistsError) as raised:
        create_all("a/b", {"three": b"3", "one": b"other"})
    assert raised.value.filename == os.path.join("a/b", "one")
    assert (sorted(os.listdir("a/b")), Path("a/b/one").read_bytes()) == (["one", "two"], b"1")
    with pytest.raises(OSError, match="No such file"):
        create_all("c/d", {"one": b"1", "no/two": b"2"})
    assert os.listdir() == ["a"]


def test_a_growing_file() -> None:
    Path("file").write_bytes(b"old")
    file = GrowingFile("file")
    assert Path("file").read_bytes() == b"old"
    for data in (b"one\n", b"two\n", b"three\n"):
        file.write(data)
    assert Path("file").read_bytes() == b"one\ntwo\nthree\n"
    file.cut(4)
    file.write(b"2\n")
    file.close()
    assert Path("file").read_bytes() == b"one\n2\n"
    again = GrowingFile.resume("file", 4)
    again.write(b"II\n")
    again.close()
    assert Path("file").read_bytes() == b"one\nII\n"


def test_drafts_are_known_by_their_names() -> None:
    assert is_draft(".rulesdsl-0123456789abcdef.part")
    for name in (".rulesdsl-x.part", "rulesdsl-0123456789abcdef.part", ".book.part"):
        assert not is_draft(name)
