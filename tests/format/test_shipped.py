"""What is shipped, shown and made looks as the formatter would have it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.cli.main import main
from rulesdsl.language.diagnostics import RulesError
from rulesdsl.language.format import formatted

ROOT = Path(__file__).parents[2]
FILES = [
    path
    for folder in ("rulesets", "tests/games", "tests/cli/rulesets")
    for path in sorted((ROOT / folder).iterdir())
    if path.suffix in (".rules", ".yaml") and path.name != "invariants.yaml"
]
PAGES = [
    ROOT / "README.md",
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path.parent.name != "decisions"),
]
# Pages of findings show texts that are wrong first; those that mend them come second.
MENDED = sorted((ROOT / "rulesdsl" / "language" / "diagnostics" / "pages").glob("*.md"))
EXAMPLE = re.compile(r"^```(rules|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=name)
def test_rulesets(path: Path) -> None:
    text = path.read_bytes().decode()
    assert formatted(text, name(path)) == text


@pytest.mark.parametrize(
    "path", [p for p in PAGES if EXAMPLE.search(p.read_text("utf-8"))], ids=name
)
def test_pages(path: Path) -> None:
    for kind, text in EXAMPLE.findall(path.read_text("utf-8")):
        assert formatted(text, f"{name(path)}.{kind}") == text


@pytest.mark.long
def test_whatever_can_be_parsed_is_formatted_at_once() -> None:
    tests = ROOT / "tests"
    files = [*sorted(tests.rglob("*.rules")), *sorted(tests.rglob("*.yaml"))]
    done = 0
    for path in files:
        try:
            found = formatted(path.read_text("utf-8"), path.name)
        except RulesError:
            continue
        assert formatted(found, path.name) == found, path
        done += 1
    assert done > len(files) // 2


@pytest.mark.parametrize("path", MENDED, ids=name)
def test_what_mends_a_finding(path: Path) -> None:
    mended = path.read_text("utf-8").rpartition("\n## ")[2]
    for kind, text in EXAMPLE.findall(mended):
        assert formatted(text, f"{name(path)}.{kind}") == text


@pytest.mark.parametrize(
    "made",
    [["game", "gardens"], ["expansion", "mine", "--of", str(ROOT / "tests/games/vault.yaml")]],
)
def test_what_new_rulesets_begin_with(made: list[str], tmp_path: Path) -> None:
    assert main(["new", *made, "--folder", str(tmp_path)]) == 0
    written = [path for path in tmp_path.iterdir() if path.suffix in (".rules", ".yaml")]
    assert len(written) == 3
    for path in written:
        text = path.read_text("utf-8")
        assert formatted(text, path.name) == text
