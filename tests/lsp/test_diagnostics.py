"""An editor is told what `rulesdsl check` finds, at the same places."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from rulesdsl.author.lsp.workspace import Workspace, merged
from rulesdsl.cli.main import main
from rulesdsl.engine.build.stages import StageMemo, build
from rulesdsl.language.diagnostics import Diagnostic, Report, Span
from tests.errors.test_mistakes import CASES, FILES, spoilt, unmarked
from tests.lsp.editor import Editor

# One worker makes these tests, so that the files are opened once.
pytestmark = pytest.mark.xdist_group("findings in an editor")

KNOWN = StageMemo()
Found = list[tuple[str | None, str, tuple[int, int], tuple[int, int], str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rulesets")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder


@pytest.fixture(scope="module")
def uris(editor: Editor, folder: Path) -> Iterator[dict[str, str]]:
    opened = {name: editor.open(folder / name) for name in FILES}
    yield opened
    for uri in opened.values():
        editor.shut(uri)


@pytest.fixture(scope="module")
def typed() -> set[str]:
    """The files that are open with a slip in them."""
    return set()


def expected(root: Path, file: Path) -> Found:
    """What the stages find in a file as it is on disk, counted as editors count."""
    report = Report()
    build(str(root), ["more"], report=report, known=KNOWN)
    return sorted(_plain(each) for each in report if each.span and _in(each.span, file))


def _in(span: Span, file: Path) -> bool:
    return Path(span.source.name).name == file.name


def _plain(found: Diagnostic) -> tuple[str, str, tuple[int, int], tuple[int, int], str]:
    assert found.span is not None
    text = found.span.source.text
    start, end = (_place(text, at) for at in (found.span.start, found.span.end))
    return found.slug, found.severity.value, start, end, found.message


def _place(text: str, offset: int) -> tuple[int, int]:
    lines = text[:offset].split("\n")
    return len(lines) - 1, len(lines[-1].encode("utf-16-le")) // 2


def told(found: list[types.Diagnostic]) -> Found:
    names = {1: "error", 2: "warning", 3: "note"}
    return sorted(
        (
            str(each.code),
            names[int(each.severity or 0)],
            (each.range.start.line, each.range.start.character),
            (each.range.end.line, each.range.end.character),
            each.message.split("\n")[0],
        )
        for each in found
    )


@pytest.mark.parametrize("case", CASES, ids=[case["slip"] for case in CASES])
def test_a_slip_is_told_as_it_is_typed(
    case: dict[str, Any], editor: Editor, folder: Path, uris: dict[str, str], typed: set[str]
) -> None:
    name = case["file"]
    text, file = unmarked(spoilt(case)), folder / name
    mend(editor, uris, typed - {name})
    typed.clear()
    typed.add(name)
    editor.write(uris[name], text)
    found = editor.told(uris[name])
    file.write_text(text, encoding="utf-8", newline="")
    try:
        root = folder / ("game.yaml" if name.startswith("game") else "more.yaml")
        assert told(found) == expected(root, file)
    finally:
        file.write_text(FILES[name], encoding="utf-8", newline="")
    assert {each.code for each in found} >= set(case["found"])


def mend(editor: Editor, uris: dict[str, str], names: set[str]) -> None:
    for name in names:
        editor.write(uris[name], FILES[name])


def test_what_is_mended_is_told_no_more(
    editor: Editor, uris: dict[str, str], typed: set[str]
) -> None:
    mend(editor, uris, typed)
    for uri in uris.values():
        assert editor.told(uri) == []


MIXED = """
value spare(f: feature) -> int: 1

# allow: unused
value other(f: feature) -> int: 1

value third(f: feature) -> int: bonus(f)  # allow: range

state player.luck: int = 0
"""


def test_all_that_the_command_shows_is_told(
    editor: Editor,
    folder: Path,
    uris: dict[str, str],
    typed: set[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    mend(editor, uris, typed)
    file = folder / "game.rules"
    text = FILES["game.rules"] + MIXED
    editor.write(uris["game.rules"], text)
    found = editor.told(uris["game.rules"])
    editor.write(uris["game.rules"], FILES["game.rules"])
    file.write_text(text, encoding="utf-8", newline="")
    root = str(folder / "game.yaml")
    assert main(["check", root, "--with", "more", "--format", "json"]) == 1
    file.write_text(FILES["game.rules"], encoding="utf-8", newline="")
    shown = json.loads(capsys.readouterr().out)["findings"]
    expected = sorted(
        (each["slug"], each["place"]["line"] - 1, each["message"])
        for each in shown
        if "hidden" not in each
    )
    assert [slug for slug, *_ in expected] == ["allow-unused", "unused", "unused", "unused"]
    assert expected == [(slug, start[0], said) for slug, _, start, _, said in told(found)]


def test_two_rulesets_find_the_same_mistake_once(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    path, studio = str(tmp_path / "game.rules"), Workspace()
    studio.open(path, FILES["game.rules"] + MIXED)
    checks = [studio.check(str(tmp_path / name)) for name in ("game.yaml", "more.yaml")]
    found = merged(checks)[path]
    assert sorted(each.slug for each in found).count("allow-unused") == 1
    assert all(any(each.slug == "allow-unused" for each in check[path]) for check in checks)
