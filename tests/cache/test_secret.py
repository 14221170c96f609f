"""The key of the cache is the user's alone, and the same for all that start at once."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rulesdsl.base.cache import LENGTH, user_key

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "keys"


def test_a_key_is_made_once_and_for_the_user_alone(folder: Path) -> None:
    key = user_key(folder)
    assert key is not None
    assert len(key) == LENGTH
    assert user_key(folder) == key != user_key(folder.with_name("others"))
    assert [path.name for path in folder.iterdir()] == ["cache"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "cache").stat().st_mode) == 0o600


def linked(file: Path) -> None:
    file.rename(file.with_name("elsewhere"))
    file.symlink_to(file.with_name("elsewhere"))


def piped(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


UNFIT: dict[str, Callable[[Path], object]] = {
    "read by others": lambda file: file.chmod(0o604),
    "read by the group": lambda file: file.chmod(0o640),
    "written by others": lambda file: file.chmod(0o602),
    "too short": lambda file: file.write_bytes(b"x" * (LENGTH - 1)),
    "too long": lambda file: file.write_bytes(b"x" * (LENGTH + 1)),
    "empty": lambda file: file.write_bytes(b""),
    "a link": linked,
    "a pipe": piped,
}


@pytest.mark.parametrize("how", UNFIT)
def test_an_unfit_key_is_replaced(folder: Path, how: str) -> None:
    before = user_key(folder)
    UNFIT[how](folder / "cache")
    after = user_key(folder)
    assert after is not None
    assert len(after) == LENGTH
    assert after != before
    assert user_key(folder) == after
    assert stat.S_ISREG((folder / "cache").lstat().st_mode)


def test_a_key_of_someone_else_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_key(folder)
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    assert user_key(folder) is None


@pytest.mark.parametrize("mode", [0o750, 0o705, 0o701])
def test_a_folder_others_can_enter_holds_no_key(folder: Path, mode: int) -> None:
    user_key(folder)
    folder.chmod(mode)
    assert user_key(folder) is None


def test_a_folder_that_is_a_link_holds_no_key(folder: Path) -> None:
    user_key(folder)
    folder.with_name("link").symlink_to(folder)
    assert user_key(folder.with_name("link")) is None


def test_where_no_folder_can_be_made_there_is_no_key(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert user_key(tmp_path / "file" / "keys") is None
    (tmp_path / "keys").mkdir(mode=0o700)
    (tmp_path / "keys" / "cache").mkdir()
    assert user_key(tmp_path / "keys") is None


def test_without_a_home_there_is_no_cache(tmp_path: Path) -> None:
    """The folder that a process finds whose user has neither a home nor an entry of the system."""
    (tmp_path / "pwd.py").write_text("def getpwuid(uid): raise KeyError(uid)\n")
    code = "import rulesdsl; print(len(rulesdsl.load('dice_game').start(seed=1).moves()) > 0)"
    env = {"HOME": "", "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    command = [sys.executable, "-c", code]
    for _ in range(2):
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
        assert (done.stdout, done.stderr) == ("True\n", "")
    assert {path.name for path in tmp_path.iterdir()} <= {"pwd.py", "__pycache__"}


def test_processes_that_start_at_once_have_the_same_key(folder: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom rulesdsl.base.cache import user_key\n"
        "print('ready', flush=True)\nsys.stdin.read()\n"
        "print(user_key(Path(sys.argv[1])).hex())\n"
    )
    pipe = subprocess.PIPE
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(folder)], stdin=pipe, stdout=pipe)
        for _ in range(6)
    ]
    for each in started:
        assert each.stdout is not None
        assert each.stdout.readline() == b"ready\n"
    for each in started:
        assert each.stdin is not None
        each.stdin.close()
    keys = set()
    for each in started:
        with each as process:
            assert process.stdout is not None
            keys.add(process.stdout.read())
    assert len(keys) == 1
    assert [path.name for path in folder.iterdir()] == ["cache"]


@pytest.mark.parametrize("how", ["absent", "refused"])
def test_a_key_is_made_where_there_are_no_hard_links(
    folder: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError("no links on this disk")

    if how == "absent":
        monkeypatch.delattr(os, "link")
    else:
        monkeypatch.setattr(os, "link", refused)
    key = user_key(folder)
    assert key
    assert user_key(folder) == key
    assert len(list(folder.iterdir())) == 1


def test_reading_the_key_takes_less_than_a_millisecond(folder: Path) -> None:
    user_key(folder)
    begin = time.process_time()
    for _ in range(100):
        user_key(folder)
    assert time.process_time() - begin < 0.1
