"""The tables are kept where only the user can write, and whatever is wrong there does no harm."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rulesdsl.parse.cache import Cache
from rulesdsl.parse.grammar import load

TEXT = "state game.x: int = 0\n"


def entry(folder: Path) -> Path:
    """The one file of the folder."""
    (file,) = folder.iterdir()
    return file


def sealed(content: bytes) -> bytes:
    return hashlib.sha256(content).digest() + content


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def tree(folder: Path) -> object:
    """What the parser with that cache makes of a text."""
    return load(Cache(folder)).parse("most(x in S by a, -2 where not x.b == 1)", "expression")


def test_what_is_put_is_got(folder: Path) -> None:
    cache = Cache(folder)
    assert cache.get("a") is None
    cache.put("a", b"one")
    cache.put("a", b"two")
    assert cache.get("a") == b"two"
    assert cache.get("b") is None
    assert [path.name for path in folder.iterdir()] == ["a"]


@pytest.mark.parametrize("damage", [b"", b"x", b"x" * 100, sealed(b"two")[:-1]])
def test_a_damaged_entry_is_not_there(folder: Path, damage: bytes) -> None:
    cache = Cache(folder)
    cache.put("a", b"two")
    (folder / "a").write_bytes(damage)
    assert cache.get("a") is None


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_folder_others_can_write_to_is_not_used(folder: Path, mode: int) -> None:
    cache = Cache(folder)
    cache.put("a", b"one")
    folder.chmod(mode)
    assert cache.get("a") is None
    cache.put("b", b"two")
    assert not (folder / "b").exists()


def test_a_file_others_can_write_to_is_not_used(folder: Path) -> None:
    cache = Cache(folder)
    cache.put("a", b"one")
    (folder / "a").chmod(0o666)
    assert cache.get("a") is None


def test_a_folder_of_someone_else_is_not_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(folder)
    cache.put("a", b"one")
    monkeypatch.setattr(os, "getuid", lambda: os.stat(folder).st_uid + 1)
    assert cache.get("a") is None


def test_links_and_folders_are_not_read(folder: Path) -> None:
    cache = Cache(folder)
    cache.put("a", b"one")
    (folder / "b").symlink_to(folder / "a")
    (folder / "c").mkdir()
    assert cache.get("b") is None
    assert cache.get("c") is None


def test_a_folder_that_cannot_be_made_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache")
    cache.put("a", b"one")
    assert cache.get("a") is None


def test_without_a_home_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cache = Cache(Path("~/.cache"))
    cache.put("a", b"one")
    assert cache.get("a") is None
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_does_no_harm(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: str, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    Cache(folder).put("a", b"one")
    assert list(folder.iterdir()) == []


def test_tables_from_the_cache_are_the_tables(folder: Path) -> None:
    built = tree(folder)
    kept = entry(folder).read_bytes()
    assert tree(folder) == built
    assert entry(folder).read_bytes() == kept


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", b"null", b"[]", b"[1, 2]", b"[{}, {}]", b'[{"options": {}}, {"": [1]}]'],
)
def test_tables_that_are_none_are_built_anew(folder: Path, content: bytes) -> None:
    built = tree(folder)
    entry(folder).write_bytes(sealed(content))
    assert tree(folder) == built
    assert entry(folder).read_bytes() != sealed(content)


def test_the_environment_names_the_folder(folder: Path) -> None:
    code = (
        "from rulesdsl.diagnostics import Report, Source\n"
        "from rulesdsl.parse import parse\n"
        "report = Report()\n"
        f"module = parse(Source('x', {TEXT!r}), report)\n"
        "print(len(module.declarations), len(report))\n"
    )
    environment = os.environ | {"RULESDSL_CACHE": str(folder)}
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == "1 0\n"
        assert entry(folder).name.startswith("grammar-")
