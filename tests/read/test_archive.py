"""Archives as strangers hand them over: what could do harm is refused, and why is said."""

from __future__ import annotations

import random
import stat
import struct
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile, ZipInfo

import pytest

from rulesdsl.language.diagnostics import Report
from rulesdsl.language.read.files import (
    CHECKSUMS,
    MAX_ARCHIVE,
    MAX_FILES,
    MAX_IMAGE,
    ArchiveFolder,
    FileProblem,
    checksums,
    unpacked,
)
from rulesdsl.language.read.load import load_rulesets

FILES = {"a.yaml": b"ruleset: a\nedition: 1\nversion: 1.0.0\n", "sub/b.rules": b"text\n"}
Entry = tuple[str | ZipInfo, bytes]


def _zip(*entries: Entry, sums: bool = True, method: int = ZIP_DEFLATED) -> bytes:
    """An archive with these entries, and with their checksums."""
    out, files = BytesIO(), {}
    with ZipFile(out, "w", method) as archive:
        for entry, data in entries:
            archive.writestr(entry, data, method)
            name = entry if isinstance(entry, str) else entry.filename
            if not name.endswith("/"):
                files[name] = data
        if sums:
            archive.writestr(CHECKSUMS, checksums(files))
    return out.getvalue()


def _mode(name: str, mode: int) -> ZipInfo:
    entry = ZipInfo(name)
    entry.create_system, entry.external_attr = 3, mode << 16
    return entry


def _patched(name: str, at: int, value: bytes) -> bytes:
    """An archive in whose directory the entry `name` says something else."""
    data = bytearray(_zip(*FILES.items()))
    start = data.rindex(name.encode()) - 46
    assert data[start : start + 4] == b"PK\1\2"
    data[start + at : start + at + len(value)] = value
    return bytes(data)


def _named(name: str) -> bytes:
    """An archive with a name that no packer would write."""
    stand_in = "n" * len(name.encode())
    return _zip((stand_in, b"x\n"), sums=False).replace(stand_in.encode(), name.encode())


def _twice() -> bytes:
    return _zip(("a", b"1\n"), ("b", b"2\n")).replace(b"b", b"a")


def _bomb() -> bytes:
    """Files of which none is too large and none is too small in the archive."""
    text = random.Random(0).randbytes(MAX_IMAGE // 4).hex().encode()
    data = _zip(*((f"{n}.rules", text) for n in range(MAX_ARCHIVE // len(text) + 1)))
    assert len(data) < MAX_ARCHIVE
    return data


HOSTILE: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "parent": (lambda: _named("../a.yaml"), "path-escapes", "`../a.yaml` in it leads out"),
    "parent below": (lambda: _named("x/../../a"), "path-escapes", "`x/../../a` in it leads out"),
    "parent at the end": (lambda: _named("x/.."), "file-unreadable", "not a plain file name"),
    "absolute": (lambda: _named("/etc/passwd"), "path-escapes", "`/etc/passwd` in it leads out"),
    "drive": (lambda: _named("C:/a.yaml"), "path-escapes", "`C:/a.yaml` in it leads out"),
    "backslash up": (lambda: _named("..\\a.yaml"), "path-escapes", "leads out of it"),
    "backslash": (lambda: _named("x\\a.yaml"), "file-unreadable", "not a plain file name"),
    "control": (lambda: _named("a\nb.yaml"), "file-unreadable", "`a\\u{a}b.yaml` in it is"),
    "control of old": (lambda: _zip(("a\x9bb", b"")), "file-unreadable", "`a\\u{9b}b` in it is no"),
    "direction": (lambda: _zip(("\u202eb", b"")), "file-unreadable", "`\\u{202e}b` in it is no"),
    "nothing": (lambda: _named("x//a"), "file-unreadable", "not a plain file name"),
    "itself": (lambda: _named("./a"), "file-unreadable", "not a plain file name"),
    "link": (
        lambda: _zip((_mode("a.rules", stat.S_IFLNK | 0o777), b"/etc/passwd")),
        "file-unreadable",
        "`a.rules` in it is a link",
    ),
    "pipe": (
        lambda: _zip((_mode("a.rules", stat.S_IFIFO | 0o644), b"")),
        "file-unreadable",
        "`a.rules` in it is not an ordinary file",
    ),
    "bomb by ratio": (
        lambda: _zip(("a.rules", b" " * 900_000)),
        "file-too-large",
        "more than 100 times",
    ),
    "one large file": (
        lambda: _zip(("a.rules", b"a" * (MAX_IMAGE + 1)), method=ZIP_STORED),
        "file-too-large",
        f"larger than {MAX_IMAGE} bytes",
    ),
    "bomb by total": (_bomb, "file-too-large", f"more than {MAX_ARCHIVE} bytes together"),
    "many": (
        lambda: _zip(*((f"{n}", b"x") for n in range(MAX_FILES))),
        "file-too-large",
        f"more than {MAX_FILES} files",
    ),
    "twice": (_twice, "file-unreadable", "`a` is in it twice"),
    "twice but for case": (
        lambda: _zip(("a.yaml", b"1\n"), ("A.YAML", b"2\n")),
        "file-unreadable",
        "`A.YAML` is in it twice",
    ),
    "encrypted": (
        lambda: _patched("a.yaml", 8, struct.pack("<H", 1)),
        "file-unreadable",
        "`a.yaml` in it is encrypted",
    ),
    "unusual": (
        lambda: _zip(("a.yaml", b"x"), method=ZIP_LZMA),
        "file-unreadable",
        "in an unusual way",
    ),
    "nested by name": (
        lambda: _zip(("b.zip", b"text")),
        "file-unreadable",
        "`b.zip` in it is an archive itself",
    ),
    "nested by content": (
        lambda: _zip(("b.rules", _zip(*FILES.items()))),
        "file-unreadable",
        "`b.rules` in it is an archive itself",
    ),
    "says less than it is": (
        lambda: _patched("a.yaml", 24, struct.pack("<I", 3)),
        "file-unreadable",
        "it is damaged",
    ),
    "says more than it is": (
        lambda: _patched("a.yaml", 24, struct.pack("<I", 300)),
        "file-unreadable",
        "it is damaged",
    ),
    "two names": (
        lambda: _zip(*FILES.items()).replace(b"a.yaml", b"c.yaml", 1),
        "file-unreadable",
        "it is damaged",
    ),
    "cut": (lambda: _zip(*FILES.items())[:-9], "file-unreadable", "it is damaged"),
    "no archive": (lambda: b"ruleset: a\n", "file-unreadable", "it is not a zip archive"),
    "a program before it": (
        lambda: b"#!/bin/sh\n" + _zip(*FILES.items()),
        "file-unreadable",
        "it is not a zip archive",
    ),
    "no checksums": (
        lambda: _zip(*FILES.items(), sums=False),
        "file-unreadable",
        "list of checksums",
    ),
    "other checksums": (
        lambda: _zip(("a.yaml", b"x"), (CHECKSUMS, checksums({"a.yaml": b"y"})), sums=False),
        "file-unreadable",
        "`a.yaml` in it does not match its checksum",
    ),
    "a file without a checksum": (
        lambda: _zip(("a", b"x"), ("b", b"y"), (CHECKSUMS, checksums({"a": b"x"})), sums=False),
        "file-unreadable",
        "`b` in it does not match its checksum",
    ),
    "a checksum without a file": (
        lambda: _zip((CHECKSUMS, checksums({"gone": b"x"})), sums=False),
        "file-unreadable",
        "`gone` in it does not match its checksum",
    ),
}


def test_what_is_in_an_archive() -> None:
    assert unpacked(_zip(*FILES.items(), ("sub/", b"")), "x.zip") == FILES


@pytest.mark.parametrize("case", HOSTILE)
def test_what_could_do_harm_is_refused(case: str) -> None:
    make, slug, why = HOSTILE[case]
    with pytest.raises(FileProblem) as refused:
        unpacked(make(), "x.zip")
    assert refused.value.slug == slug
    assert refused.value.message.startswith("`x.zip` is not opened: ")
    assert why in refused.value.message


@pytest.mark.parametrize("path", ["../a", "/a", "sub/../../a", "C:/a", "sub\\b.rules"])
def test_no_path_leads_out(path: str) -> None:
    with pytest.raises(FileProblem) as refused:
        ArchiveFolder("x.zip", "x.zip/", FILES).read(path)
    assert refused.value.slug == "path-escapes"


def test_files_inside_are_read_within_limits() -> None:
    folder = ArchiveFolder("/p/x.zip", "x.zip/", FILES)
    assert (folder.name, folder.files()) == ("x", ("a.yaml",))
    assert folder.read("./sub/b.rules") == b"text\n"
    with pytest.raises(FileProblem, match="larger than 4 bytes"):
        folder.read("sub/b.rules", 4)
    with pytest.raises(FileProblem, match=r"there is no file `x\.zip/b`"):
        folder.read("b")


def test_a_ruleset_in_an_archive_is_found_by_path_and_by_id(tmp_path: Path) -> None:
    (tmp_path / "a-1.0.0.zip").write_bytes(_zip(*FILES.items()))
    (tmp_path / "b.zip").write_bytes(b"no archive")
    for named in (str(tmp_path / "a-1.0.0.zip"), "a"):
        report = Report()
        (found,) = load_rulesets(named, paths=[str(tmp_path)], report=report)
        assert (found.id, len(report)) == ("a", 0)
        assert found.manifest.span.source.name == f"{tmp_path}/a-1.0.0.zip/a.yaml"


def test_a_refused_archive_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(_named("../a.yaml"))
    report = Report()
    assert load_rulesets(tmp_path / "a.zip", report=report) == []
    assert [each.slug for each in report] == ["path-escapes"]
