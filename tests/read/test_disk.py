"""What was seen of the disk is asked again: all answers are the same only if nothing changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from rulesdsl.language.read import files
from rulesdsl.language.read.files import FileProblem, Seen, overlaid, unchanged, watched

LIMIT = 10


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file, a folder, a link to each, and a link to nothing."""
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("one")
    Path("folder").mkdir()
    for name in ("file", "folder", "nothing"):
        Path(f"to_{name}").symlink_to(name)
    return tmp_path


def ask_all() -> None:
    """Ask everything about everything there is and about what is not there."""
    for name in ("file", "folder", "to_file", "to_folder", "to_nothing", "none"):
        files.is_folder(name)
        files.is_link(name)
        files.real_path(name)
        with suppress(FileProblem):
            files.content(name, f"shown/{name}", LIMIT)
        for folders in (False, True):
            files.names_in(name, folders)
    files.names_in(".", False)
    files.names_in(".", True)
    files.named_folders()
    files.user_folder()
    files.shipped_folder()


CHANGES: dict[str, Callable[[], object]] = {
    "the content of a file": lambda: Path("file").write_text("two"),
    "a file that is too large": lambda: Path("file").write_text("x" * (LIMIT + 1)),
    "no file": lambda: Path("file").unlink(),
    "a new file": lambda: Path("more").touch(),
    "a new folder": lambda: Path("more").mkdir(),
    "a file in a folder": lambda: Path("folder/more").touch(),
    "a file that is sought": lambda: Path("none").touch(),
    "a link that leads elsewhere": lambda: os.replace("to_folder", "to_file"),
    "what a link leads to": lambda: Path("nothing").touch(),
    "a file in the place of a link": lambda: os.replace("file", "to_file"),
    "a named folder": lambda: os.environ.update(RULESDSL_PATH="folder"),
    "a user's folder": lambda: os.environ.update(XDG_DATA_HOME="/folder"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_change_is_seen(change: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESDSL_PATH", "")
    monkeypatch.setenv("XDG_DATA_HOME", "/elsewhere")
    with watched() as seen:
        ask_all()
    assert seen.certain
    assert unchanged(seen.looks)
    change()
    assert not unchanged(seen.looks)


def test_only_what_was_asked_counts() -> None:
    with watched() as seen:
        files.content("file", "file", LIMIT)
        with watched() as inner:
            files.is_folder("folder")
        files.is_link("to_file")
    files.names_in(".", True)
    assert [look[0] for look in seen.looks] == ["content", "is_folder", "is_link"]
    assert [look[:2] for look in inner.looks] == [("is_folder", ("folder",))]


def test_another_answer_to_the_same_question_is_not_certain() -> None:
    with watched() as seen:
        files.content("file", "file", LIMIT)
        Path("file").write_text("two")
        files.content("file", "file", LIMIT)
    assert not seen.certain


def test_what_cannot_be_asked_is_not_certain() -> None:
    with watched() as seen, pytest.raises(ValueError, match="null"):
        files.real_path("a\0b")
    assert not seen.certain
    assert Seen().certain


def test_files_that_are_open_hide_those_on_disk(here: Path) -> None:
    root = here.resolve()
    open_files = {str(root / "file"): b"two", str(root / "folder" / "new"): b"three"}
    with overlaid(open_files):
        assert files.content(str(root / "file"), "file", LIMIT) == b"two"
        assert files.content(str(root / "folder" / "new"), "new", LIMIT) == b"three"
        assert files.names_in("to_folder", False) == ("new",)
        with pytest.raises(FileProblem, match="larger than 2 bytes"):
            files.content(str(root / "file"), "file", 2)
    assert files.content(str(root / "file"), "file", LIMIT) == b"one"
    assert files.names_in("folder", False) == ()


def test_what_editors_lay_beside_files_is_not_listed(here: Path) -> None:
    for name in ("a.yaml", ".a.yaml.swp", "a.yaml~", "#a.yaml#", ".#a.yaml"):
        (here / "folder" / name).write_text("")
    assert files.names_in("folder", False) == ("a.yaml",)


def test_the_folders_that_were_looked_at_are_known(here: Path) -> None:
    with watched() as seen:
        files.content("file", "file", LIMIT)
        files.names_in("folder", False)
        files.names_in("nowhere", False)
    root = Path.cwd()
    assert seen.folders() == {str(root), str(root / "folder"), str(root / "nowhere")}


def test_what_was_seen_at_another_time_can_count_as_seen_now() -> None:
    with watched() as first:
        files.content("file", "file", LIMIT)
    with watched() as later:
        files.seen_before(first.looks)
    assert later.looks == first.looks
