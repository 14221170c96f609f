"""What is no ruleset is refused in words, at once; a cache that cannot be used is not used."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pytest

import rulesdsl
from rulesdsl.language.diagnostics import RulesError

ROOT = Path(__file__).parents[2]
GAME = ROOT / "tests" / "games" / "stones.yaml"
HEAD = GAME.read_text(encoding="utf-8")


def write(folder: Path, manifest: bytes | str, rules: bytes | str = "") -> Path:
    """A ruleset in a folder, the rules left out if empty."""
    for name, data in (("stones.yaml", manifest), ("stones.rules", rules)):
        if data:
            (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder / "stones.yaml"


def huge(path: Path) -> Path:
    with path.open("wb") as file:
        file.truncate(100_000_000)
    return path


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def link(path: Path) -> Path:
    path.symlink_to(path)
    return path


CASES: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a missing file": (lambda folder: folder / "none.yaml", "file-missing"),
    "a missing folder": (lambda folder: folder / "none" / "none.yaml", "file-missing"),
    "a folder without a manifest": (lambda folder: folder, "ruleset-missing"),
    "an empty file": (lambda folder: write(folder, " \n"), "file-empty"),
    "nothing but comments": (lambda folder: write(folder, "# empty\n"), "file-empty"),
    "bytes": (lambda folder: write(folder, bytes(range(256))), "file-not-text"),
    "another encoding": (lambda folder: write(folder, HEAD.encode("utf-16")), "file-not-text"),
    "a list": (lambda folder: write(folder, "- stones\n"), "wrong-type"),
    "a huge file": (lambda folder: huge(folder / "huge.yaml"), "file-too-large"),
    "a pipe": (lambda folder: pipe(folder / "pipe.yaml"), "file-unreadable"),
    "a device": (lambda folder: Path("/dev/zero"), "file-unreadable"),
    "a link to itself": (lambda folder: link(folder / "link.yaml"), "file-unreadable"),
    "rules that are missing": (lambda folder: write(folder, HEAD), "file-missing"),
    "rules of bytes": (lambda folder: write(folder, HEAD, b"\xff\xfe\0"), "file-not-text"),
    "rules of zeros": (lambda folder: write(folder, HEAD, b"\0" * 99), "file-not-text"),
    "empty rules": (lambda folder: write(folder, HEAD, "\n"), "file-empty"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_no_ruleset(case: str, tmp_path: Path) -> None:
    make, slug = CASES[case]
    path = make(tmp_path)
    began = perf_counter()
    with pytest.raises(RulesError) as caught:
        rulesdsl.load(path)
    assert [finding.slug for finding in caught.value.diagnostics] == [slug]
    assert perf_counter() - began < 5


def test_huge_rules_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD)
    huge(tmp_path / "stones.rules")
    with pytest.raises(RulesError) as caught:
        rulesdsl.load(path)
    (finding,) = caught.value.diagnostics
    assert finding.slug == "file-too-large"
    assert finding.span is not None
    assert finding.span.text == "stones.rules"


def test_two_rulesets_of_one_id(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder, version in zip(folders, ("1.0.0", "2.0.0"), strict=True):
        folder.mkdir()
        text = HEAD.replace("ruleset: stones", "ruleset: twin").replace("1.0.0", version)
        (folder / "twin.yaml").write_text(text.replace("stones.rules", "twin.rules"))
        (folder / "twin.rules").write_bytes(GAME.with_suffix(".rules").read_bytes())
    with pytest.raises(RulesError) as caught:
        rulesdsl.load("twin", paths=[str(folder) for folder in folders])
    (finding,) = caught.value.diagnostics
    assert finding.slug == "ruleset-ambiguous"
    said = " ".join((finding.message, *finding.help))
    assert all(str(folder) in said for folder in folders)
    assert rulesdsl.load(folders[0] / "twin.yaml").rulesets[0].version == "1.0.0"


# --- the cache ---

PLAY = f"""
import rulesdsl
game = rulesdsl.load({str(GAME)!r})
print(len(game.start(seed=1).moves()), len(game.report))
"""


def played(cache: Path) -> str:
    """What a program says that plays with the cache at `cache`."""
    environment = {**os.environ, "RULESDSL_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", PLAY], env=environment, cwd=ROOT, capture_output=True, text=True
    )
    assert done.stderr == ""
    return done.stdout


def a_file(path: Path) -> None:
    path.write_text("no folder")


def read_only(path: Path) -> None:
    path.mkdir(mode=0o500)


def open_to_all(path: Path) -> None:
    path.mkdir()
    path.chmod(0o777)


def below_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_text("no folder")


def damaged(path: Path) -> None:
    played(path)
    files = list(path.iterdir())
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:-20] + b"damaged")


def junk(path: Path) -> None:
    played(path)
    for file in path.iterdir():
        file.write_bytes(b"junk")


SPOILERS = (a_file, read_only, open_to_all, below_a_file, damaged, junk)


@pytest.mark.parametrize("spoil", SPOILERS, ids=lambda spoil: spoil.__name__)
def test_a_cache_that_cannot_be_used(spoil: Callable[[Path], None], tmp_path: Path) -> None:
    cache = tmp_path / "folder" / "cache"
    cache.parent.mkdir()
    spoil(cache)
    counts = played(cache).split()
    assert len(counts) == 2
    assert int(counts[0]) > 0
    assert counts[1] == "0"
