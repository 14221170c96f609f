"""Files as strangers hand them over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rulesdsl.cli.main import main
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.read.files import (
    MAX_TEXT,
    ArchiveFolder,
    DiskFolder,
    FileProblem,
    read_source,
    read_text,
    shipped,
    user_file,
)
from rulesdsl.language.read.find import below


@pytest.fixture
def folder(tmp_path: Path) -> DiskFolder:
    (tmp_path / "outside.rules").write_text("x")
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "a.rules").write_text("text")
    (tmp_path / "in" / "deep" / "b.rules").write_text("text")
    (tmp_path / "in" / "link.rules").symlink_to(tmp_path / "outside.rules")
    (tmp_path / "in" / "near.rules").symlink_to(tmp_path / "in" / "a.rules")
    (tmp_path / "in" / "far").symlink_to(tmp_path)
    (tmp_path / "in" / "loop").symlink_to(tmp_path / "in" / "loop")
    return DiskFolder(tmp_path / "in", "in/")


@pytest.mark.parametrize(
    "path", ["a.rules", "deep/b.rules", "./a.rules", "deep/../a.rules", "near.rules"]
)
def test_files_inside_are_read(folder: DiskFolder, path: str) -> None:
    assert folder.read(path) == b"text"


def test_an_accent_is_one_letter_however_it_is_written(tmp_path: Path) -> None:
    """As some systems write it: the letter and the accent, or both as one character."""
    one, two = "caf\u00e9.rules", "cafe\u0301.rules"
    for written, named in ((one, two), (two, one)):
        folder = tmp_path / named
        folder.mkdir()
        (folder / written).write_text("text", encoding="utf-8")
        assert DiskFolder.at(folder).read(named) == b"text"
        assert ArchiveFolder("a.zip", "a.zip/", {written: b"text"}).read(named) == b"text"
    (folder / named).write_text("other", encoding="utf-8")
    assert (DiskFolder.at(folder).read(named), DiskFolder.at(folder).read(written)) == (
        b"other",
        b"text",
    )


OUT = [
    "../outside.rules",
    "..",
    "deep/../../outside.rules",
    "/etc/passwd",
    "C:\\a.rules",
    "C:/a.rules",
    "deep\\b.rules",
    "link.rules",
    "far/outside.rules",
]


@pytest.mark.parametrize("path", OUT)
def test_no_path_leads_out(folder: DiskFolder, path: str) -> None:
    with pytest.raises(FileProblem) as problem:
        folder.read(path)
    assert problem.value.slug == "path-escapes"


MISSING = ["c.rules", "a.rules/b", "x\0y", "\ud800", "n" * 5000]


@pytest.mark.parametrize("path", MISSING, ids=range(len(MISSING)))
def test_missing_files(folder: DiskFolder, path: str) -> None:
    with pytest.raises(FileProblem) as problem:
        folder.read(path)
    assert problem.value.slug == "file-missing"
    assert len(problem.value.message.encode()) < 200


def test_a_link_to_itself_cannot_be_read(folder: DiskFolder) -> None:
    with pytest.raises(FileProblem) as problem:
        folder.read("loop")
    assert problem.value.slug == "file-unreadable"


@pytest.mark.parametrize("path", ["", ".", "deep"])
def test_a_folder_is_no_file(folder: DiskFolder, path: str) -> None:
    with pytest.raises(FileProblem) as problem:
        folder.read(path)
    assert problem.value.slug == "file-is-folder"


def test_a_pipe_is_not_waited_for(folder: DiskFolder) -> None:
    os.mkfifo(folder.path / "pipe")
    with pytest.raises(FileProblem) as problem:
        folder.read("pipe")
    assert problem.value.slug == "file-unreadable"


def test_a_file_without_permission(folder: DiskFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(FileProblem) as problem:
        folder.read("a.rules")
    assert problem.value.slug == "file-unreadable"
    assert problem.value.message == "`in/a.rules` cannot be read: permission denied"


def test_a_huge_file_is_refused_unread(folder: DiskFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    os.truncate(folder.path / "a.rules", 100_000_000)
    monkeypatch.setattr("builtins.open", lambda *_: pytest.fail("the file was opened"))
    with pytest.raises(FileProblem) as problem:
        folder.read("a.rules")
    assert problem.value.slug == "file-too-large"


def test_the_limit_is_exact(folder: DiskFolder) -> None:
    (folder.path / "a.rules").write_bytes(b"x" * MAX_TEXT)
    assert len(folder.read("a.rules")) == MAX_TEXT
    (folder.path / "a.rules").write_bytes(b"x" * (MAX_TEXT + 1))
    with pytest.raises(FileProblem):
        folder.read("a.rules")


BYTES: list[tuple[bytes, str | None]] = [
    (b"text", None),
    (b"\xef\xbb\xbftext", None),
    (b"a\r\nb\r\n", None),
    (b"", "file-empty"),
    (b" \n\r\n\t", "file-empty"),
    (b"\xef\xbb\xbf\n", "file-empty"),
    (b"a\0b", "file-not-text"),
    (b"\xff\xfea\0b\0", "file-not-text"),
    (b"\x89PNG\r\n\x1a\n\0", "file-not-text"),
    (b"caf\xe9", "file-not-text"),
    (b"\xef\xbb\xbfok\n\xc3", "file-not-text"),
]


@pytest.mark.parametrize(("data", "slug"), BYTES)
def test_bytes(folder: DiskFolder, data: bytes, slug: str | None) -> None:
    (folder.path / "a.rules").write_bytes(data)
    report = Report()
    found = read_source(folder, "a.rules", report)
    assert [d.slug for d in report] == ([slug] if slug else [])
    if slug is None:
        assert found is not None
        assert found[0].text == data.decode("utf-8-sig")
        assert found[1] == data


@pytest.mark.parametrize(
    ("data", "place"),
    [(b"caf\xe9", "in/a.rules:1:4"), (b"\xef\xbb\xbf\xc3\xab\n\xc3x", "in/a.rules:2:1")],
)
def test_the_first_bad_byte_is_marked(folder: DiskFolder, data: bytes, place: str) -> None:
    (folder.path / "a.rules").write_bytes(data)
    report = Report()
    read_source(folder, "a.rules", report)
    assert [str(d.span) for d in report] == [place]


def test_a_misspelt_name_is_suggested(folder: DiskFolder) -> None:
    report = Report()
    assert read_source(folder, "aa.rules", report) is None
    assert [d.help for d in report] == [("did you mean `a.rules`?",)]


def test_names_are_shown_as_they_were_given(
    folder: DiskFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.path)
    for given in ("a.rules", "./a.rules", "deep/../a.rules", str(folder.path / "a.rules")):
        source = read_text(given, Report())
        assert source is not None
        assert source.name == given


def test_a_link_that_a_user_names_is_followed(folder: DiskFolder) -> None:
    home, name = user_file(folder.path / "link.rules")
    assert home.read(name) == b"x"


def test_listings(folder: DiskFolder) -> None:
    (folder.path / ".hidden").mkdir()
    assert folder.files() == ("a.rules", "far", "link.rules", "loop", "near.rules")
    assert [inner.shown("x") for inner in folder.folders()] == ["in/deep/x"]
    assert folder.folders()[0].name == "deep"
    assert DiskFolder.at(folder.path / "nowhere").files() == ()


def test_shipped_data_is_found_in_a_checkout() -> None:
    assert (shipped("schemas") / "ruleset.schema.json").is_file()
    assert shipped("rulesets").is_dir()


def test_folders_below_are_found_without_links(tmp_path: Path) -> None:
    """Links among folders make circles, whose paths would never all be listed."""
    for name in ("b/inner", "a", ".hidden"):
        (tmp_path / "top" / name).mkdir(parents=True)
    for name, to in {
        "a/up": "..",
        "a/back": "../../top",
        "b/inner/around": "../..",
        "c": "/",
    }.items():
        (tmp_path / "top" / name).symlink_to(to, target_is_directory=True)
    top = DiskFolder(tmp_path / "top", "top/")
    assert [each.prefix for each in below(top)] == ["top/", "top/a/", "top/b/", "top/b/inner/"]
    assert [each.prefix for each in top.folders()] == ["top/a/", "top/b/"]


def test_folders_are_found_however_deep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(1500):
        os.mkdir("d")
        os.chdir("d")
    try:
        assert len(list(below(DiskFolder.at(tmp_path)))) > 1001
    finally:
        for _ in range(1500):  # `shutil` would go too deep itself
            os.chdir("..")
            os.rmdir("d")


@pytest.mark.parametrize("command", ["fmt", "test", "check"])
def test_no_command_goes_around_in_circles(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("outside").mkdir()
    Path("outside/x.rules").write_text("value  x() -> int:  1\n", encoding="utf-8")
    Path("in/a").mkdir(parents=True)
    Path("in/a.test.yaml").write_text("scenarios: [", encoding="utf-8")
    for number in range(4):
        Path(f"in/a/up{number}").symlink_to("..", target_is_directory=True)
    Path("in/a/out").symlink_to("../../outside", target_is_directory=True)
    main([command, "in"])
    assert "a.test.yaml" in "".join(capsys.readouterr())
    assert Path("outside/x.rules").read_text(encoding="utf-8") == "value  x() -> int:  1\n"
