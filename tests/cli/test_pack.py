"""`pack`: one file of a ruleset, the same every time, that plays as it is."""

from __future__ import annotations

import os
import shutil
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.cli.conftest import HAMLETS, RULESETS, Cli

THERE = ("--path", str(RULESETS))
PACKED = ["SHA256SUMS", "wells.md", "wells.rules", "wells.yaml"]


@pytest.fixture
def wells(tmp_path: Path) -> Path:
    """The folder of an expansion, with files that do not belong into an archive."""
    folder = tmp_path / "wells"
    folder.mkdir()
    for name in ("wells.rules", "wells.yaml"):
        shutil.copy(RULESETS / name, folder)
    (folder / "wells.md").write_text("# Wells\n", encoding="utf-8")
    (folder / ".hidden").write_text("x", encoding="utf-8")
    return folder


def _pack(cli: Cli, *arguments: str) -> bytes:
    result = cli("pack", *arguments, *THERE)
    assert (result.code, result.err) == (0, "")
    return Path("wells-1.1.0.zip").read_bytes()


@pytest.mark.parametrize("given", ["wells", "wells/wells.yaml"])
def test_what_is_packed(cli: Cli, wells: Path, given: str) -> None:
    result = cli("pack", given, *THERE)
    assert (result.code, result.err) == (0, "")
    data = Path("wells-1.1.0.zip").read_bytes()
    assert result.out.splitlines() == [
        *(f"packed {name}" for name in PACKED[1:]),
        f"wells-1.1.0.zip: {len(data)} bytes, SHA-256 {sha256(data).hexdigest()}",
    ]
    with ZipFile("wells-1.1.0.zip") as archive:
        assert archive.namelist() == PACKED
        assert archive.read("wells.rules") == (wells / "wells.rules").read_bytes()
        sums = archive.read("SHA256SUMS").decode().splitlines()
    assert sums[0] == f"{sha256(b'# Wells' + bytes([10])).hexdigest()}  wells.md"


def test_paths_of_schemas_stay_at_home(cli: Cli, wells: Path) -> None:
    play = ("run", HAMLETS, "--with", str(wells), "--engine", "python", "--seed", "1")
    assert cli(*play, "--record", "before.jsonl").code == 0
    manifest = wells / "wells.yaml"
    text, rules = manifest.read_bytes(), (wells / "wells.rules").read_bytes()
    line = b"# yaml-language-server: $schema=../../schema.json\n"
    manifest.write_bytes(line + text)
    _pack(cli, "wells")
    with ZipFile("wells-1.1.0.zip") as archive:
        assert archive.read("wells.yaml") == text
    assert sha256(text + rules).hexdigest() in Path("before.jsonl").read_text("utf-8")
    assert cli("replay", "before.jsonl", "--path", "wells", *THERE).code == 0
    shutil.rmtree(wells)
    assert cli("replay", "before.jsonl", "--path", ".", *THERE).code == 0


def test_the_same_files_make_the_same_archive(cli: Cli, wells: Path, tmp_path: Path) -> None:
    first = _pack(cli, "wells")
    again = tmp_path / "elsewhere" / "again"
    again.mkdir(parents=True)
    for path in sorted(wells.iterdir(), reverse=True):
        (again / path.name).write_bytes(path.read_bytes())
        (again / path.name).chmod(0o600)
        os.utime(again / path.name, (1, 1))
    assert _pack(cli, str(again / "wells.yaml")) == first
    assert _pack(cli, "wells") == first


def test_an_archive_plays_as_its_folder_does(cli: Cli, wells: Path) -> None:
    _pack(cli, "wells")
    play = ("run", HAMLETS, "--engine", "python", "--json")
    folder = cli(*play, "--with", str(wells))
    archive = cli(*play, "--with", "wells-1.1.0.zip")
    assert (archive.code, archive.out) == (0, folder.out)
    shutil.rmtree(wells)
    by_id = cli(*play, "--with", "wells", "--path", ".")
    assert by_id.out == folder.out


def test_an_archive_is_checked_like_a_folder(cli: Cli, wells: Path) -> None:
    _pack(cli, "wells")
    result = cli("check", "wells-1.1.0.zip", *THERE)
    shown = "no problems; with hamlets 1.0.0, wells 1.1.0; played 100 random games"
    numbers = "with 2 to 4 players and 2 choices of settings"
    assert result.out == f"wells-1.1.0.zip: {shown} {numbers}\n"


def test_mistakes_in_an_archive_have_a_place(cli: Cli, wells: Path) -> None:
    rules = wells / "wells.rules"
    text = rules.read_bytes()
    _pack(cli, "wells")
    data = Path("wells-1.1.0.zip").read_bytes()
    assert text in data
    Path("bad.zip").write_bytes(data.replace(text, text.replace(b"f.", b"g.")))
    result = cli("check", "bad.zip", *THERE)
    assert result.code == 2
    assert "error[file-unreadable]: `bad.zip` is not opened: it is damaged" in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing",), "`nothing` is not a folder or a manifest"),
        (("hamlets",), "`hamlets` is not a folder or a manifest"),
        (("wells", "--to", "wells.tar"), "`wells.tar` is not a name for an archive"),
        (("wells", "--to", "gone/wells.zip"), "`gone/wells.zip` cannot be written"),
        (("broken",), "there is no value or action `cuont`"),
        (("leaking",), "`out.md` leads out of the folder `./leaking/`"),
    ],
)
def test_what_is_refused(cli: Cli, wells: Path, arguments: tuple[str, ...], message: str) -> None:
    broken = Path("broken")
    broken.mkdir()
    shutil.copy(RULESETS / "spoilt.yaml", broken / "broken.yaml")
    shutil.copy(RULESETS / "spoilt.rules", broken)
    shutil.copytree(wells, "leaking")
    Path("leaking/wells.yaml").rename("leaking/leaking.yaml")
    Path("leaking/out.md").symlink_to("/etc/hosts")
    result = cli("pack", *arguments, *THERE)
    assert result.code != 0
    assert message in result.err
    assert not list(Path().glob("**/*.zip*"))
