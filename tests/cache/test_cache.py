"""What is kept lies where only the user can write, and whatever is wrong there does no harm."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from rulesdsl.base import cache
from rulesdsl.base.cache import Cache, entry_name, key_folder, user_key
from rulesdsl.engine.build import build
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.read.files import shipped

KEY = b"k" * 32


def sealed(content: bytes) -> bytes:
    return hashlib.sha256(content).digest() + content


def own_keys() -> Path:
    folder = key_folder()
    assert folder is not None
    return folder


def entry(number: int) -> str:
    return f"thing-{number:032x}.bin"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_what_is_put_is_got(folder: Path) -> None:
    cache = Cache(folder, KEY)
    assert cache.get("a") is None
    cache.put("a", b"one")
    cache.put("a", b"two")
    assert cache.get("a") == b"two"
    assert cache.get("b") is None
    assert [path.name for path in folder.iterdir()] == ["a"]


@pytest.mark.parametrize("damage", [b"", b"x", b"x" * 100, sealed(b"two"), sealed(b"two")[:-1]])
def test_a_damaged_entry_is_not_there(folder: Path, damage: bytes) -> None:
    cache = Cache(folder, KEY)
    cache.put("a", b"two")
    (folder / "a").write_bytes(damage)
    assert cache.get("a") is None


def test_an_entry_of_another_name_or_key_or_content_is_not_there(folder: Path) -> None:
    cache = Cache(folder, KEY)
    cache.put("a", b"one")
    data = (folder / "a").read_bytes()
    (folder / "b").write_bytes(data)
    (folder / "on").write_bytes(data[:-3])
    assert cache.get("b") is cache.get("on") is None
    assert Cache(folder, b"j" * 32).get("a") is None
    for place in range(len(data)):
        (folder / "a").write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert cache.get("a") is None
    (folder / "a").write_bytes(data)
    assert cache.get("a") == b"one"


def test_without_a_key_nothing_is_kept(folder: Path) -> None:
    Cache(folder, KEY).put("a", b"one")
    without = Cache(folder, None)
    assert without.get("a") is None
    without.put("b", b"two")
    assert not (folder / "b").exists()


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_folder_others_can_write_to_is_not_used(folder: Path, mode: int) -> None:
    cache = Cache(folder, KEY)
    cache.put("a", b"one")
    folder.chmod(mode)
    assert cache.get("a") is None
    cache.put("b", b"two")
    assert not (folder / "b").exists()


def test_a_file_others_can_write_to_is_not_used(folder: Path) -> None:
    cache = Cache(folder, KEY)
    cache.put("a", b"one")
    (folder / "a").chmod(0o666)
    assert cache.get("a") is None


def test_a_folder_of_someone_else_is_not_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(folder, KEY)
    cache.put("a", b"one")
    monkeypatch.setattr(os, "getuid", lambda: os.stat(folder).st_uid + 1)
    assert cache.get("a") is None


def test_links_and_folders_are_not_read(folder: Path) -> None:
    cache = Cache(folder, KEY)
    cache.put("a", b"one")
    (folder / "b").symlink_to(folder / "a")
    (folder / "c").mkdir()
    assert cache.get("b") is None
    assert cache.get("c") is None


def test_a_folder_that_cannot_be_made_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache", KEY)
    cache.put("a", b"one")
    assert cache.get("a") is None


def test_without_a_home_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cache = Cache(Path("~/.cache"), KEY)
    cache.put("a", b"one")
    assert cache.get("a") is None
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_does_no_harm(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: str, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    Cache(folder, KEY).put("a", b"one")
    assert list(folder.iterdir()) == []


def test_the_environment_names_the_folder_or_turns_it_off(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULESDSL_CACHE", str(folder))
    Cache.of_user().put("a", b"one")
    assert Cache(folder, user_key(own_keys())).get("a") == b"one"
    monkeypatch.setenv("RULESDSL_NO_CACHE", "1")
    assert Cache.of_user().get("a") is None
    Cache.of_user().put("b", b"two")
    assert [path.name for path in folder.iterdir()] == ["a"]


def test_a_cache_around_the_key_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "link").symlink_to(tmp_path / "data")
    for around in (tmp_path, tmp_path / "data", tmp_path / "link", own_keys()):
        monkeypatch.setenv("RULESDSL_CACHE", str(around))
        Cache.of_user().put("a", b"one")
        assert Cache.of_user().get("a") is None
    assert [path.name for path in tmp_path.iterdir()] == ["link"]


def test_a_planted_entry_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout brings a cache folder with the entries that another user would find."""
    monkeypatch.setenv("RULESDSL_CACHE", str(tmp_path / "checkout"))
    game = shipped("rulesets") / "dice_game.yaml"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "stranger"))
    assert build(game, report=Report()) is not None
    (entry,) = (tmp_path / "checkout").iterdir()
    monkeypatch.setattr(
        "rulesdsl.engine.build._restore", lambda content: content and pytest.fail("it was run")
    )
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "user"))
    assert build(game, report=Report()) is not None
    entry.write_bytes(sealed(entry.read_bytes()[32:]))
    assert build(game, report=Report()) is not None
    with pytest.raises(pytest.fail.Exception):
        build(game, report=Report())


def test_the_oldest_entries_go_when_there_are_too_many(folder: Path) -> None:
    cache = Cache(folder, KEY, limit=500)
    for number in range(4):  # each takes 132 bytes
        cache.put(entry(number), b"x" * 100)
        os.utime(folder / entry(number), (number, number))
    assert [n for n in range(4) if cache.get(entry(n)) is None] == [0]
    os.utime(folder / entry(1), (9, 9))
    cache.put(entry(4), b"y" * 200)
    assert [n for n in range(5) if cache.get(entry(n)) is None] == [0, 2]


def test_small_entries_go_too_without_a_look_at_all_for_each(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(folder, KEY, limit=40_000)
    scan = Mock(wraps=os.scandir)
    monkeypatch.setattr(os, "scandir", scan)
    most = 0
    for number in range(1_000):  # each takes 132 bytes
        cache.put(entry(number), b"x" * 100)
        most = max(most, len(os.listdir(folder)))
    assert 40_000 / 132 < most < 1.2 * 40_000 / 132
    assert 50 < scan.call_count < 300


def test_files_of_others_neither_count_nor_go(folder: Path) -> None:
    cache = Cache(folder, KEY, limit=100)
    folder.mkdir()
    (folder / "notes.txt").write_bytes(b"x" * 1000)
    (folder / entry(9)).mkdir()
    (folder / entry(8)).symlink_to(folder / "notes.txt")
    (folder / ".rulesdsl-0123456789abcdef.part").write_bytes(b"x" * 1000)
    cache.put(entry(1), b"x" * 50)
    assert cache.get(entry(1)) == b"x" * 50
    names = sorted(path.name for path in folder.iterdir())
    assert names == sorted(["notes.txt", entry(9), entry(8), entry(1)])


def test_what_is_larger_than_the_limit_is_not_kept(folder: Path) -> None:
    cache = Cache(folder, KEY, limit=100)
    cache.put(entry(1), b"x" * 100)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("what", ["own_sources", "_libraries", "_python"])
def test_what_makes_entries_is_part_of_their_names(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = entry_name("thing", b"key", "bin")
    assert cache._ENTRY.fullmatch(before)
    assert entry_name("thing", b"key", "bin") == before != entry_name("thing", b"other", "bin")
    monkeypatch.setattr(cache, what, lambda: b"changed")
    assert entry_name("thing", b"key", "bin") != before


def test_the_sources_count_and_not_their_age(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "__pycache__").mkdir()
    names = ("b.py", "a.py", "inner/c.lark", "notes.txt", "__pycache__/d.py", "e.schema.json")
    for name in names:
        (tmp_path / name).write_text(name)
    found = sorted(os.path.relpath(path, tmp_path) for path in cache._sources(str(tmp_path)))
    assert found == ["a.py", "b.py", "e.schema.json", os.path.join("inner", "c.lark")]


def test_sources_and_schemas_are_told_apart_by_their_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, schemas = tmp_path / "package", tmp_path / "schemas"
    package.mkdir()
    schemas.mkdir()
    monkeypatch.setattr(cache, "_PACKAGE", str(package))
    digests = set()
    for folder, name in ((package, "a.py"), (schemas, "b.schema.json")):
        for content in ("one", "two"):
            (folder / name).write_text(content)
            digests.add(cache.own_sources.__wrapped__())
    assert len(digests) == 4


def test_without_sources_the_version_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = set()
    monkeypatch.setattr(cache, "_PACKAGE", str(tmp_path / "package"))
    for version in ("1.0", "2.0"):
        monkeypatch.setattr("importlib.metadata.version", lambda name, version=version: version)
        digests.add(cache.own_sources.__wrapped__())
    assert len(digests) == 2


def test_libraries_are_told_apart_by_where_and_how_old_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_LIBRARIES", ("library_of_a_test",))
    digests = [cache._libraries.__wrapped__()]
    for place in ("one", "two"):
        package = tmp_path / place / "library_of_a_test"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        monkeypatch.syspath_prepend(tmp_path / place)
        for age in (1_000_000_000, 2_000_000_000):
            os.utime(package / "__init__.py", (age, age))
            digests.append(cache._libraries.__wrapped__())
    assert len(set(digests)) == 5
