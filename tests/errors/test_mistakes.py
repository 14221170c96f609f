"""Every slip of an author is found once, at its place, and nothing is found because of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.engine.build.stages import build
from rulesdsl.language.diagnostics import Report

HERE = Path(__file__).parent
FILES = {path.name: path.read_text(encoding="utf-8") for path in (HERE / "rulesets").iterdir()}
CASES = yaml.safe_load((HERE / "mistakes.yaml").read_text(encoding="utf-8"))
MARKED = re.compile("«(.*?)»", re.DOTALL)

Place = tuple[str, int, int, str]


def spoilt(case: dict[str, Any]) -> str:
    """The text of the case's file with the slip, the marks still in it."""
    text, wanted = FILES[case["file"]], case.get("for")
    if wanted is None:
        return text + str(case["write"])
    text = replaced(text, wanted, case["write"])
    for mark in case.get("marks", ()):
        text = replaced(text, unmarked(mark), mark)
    return text


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, f"`{old}` stands {text.count(old)} times"
    return text.replace(old, new)


def unmarked(text: str) -> str:
    return MARKED.sub(r"\1", text)


def places(case: dict[str, Any], text: str) -> list[Place]:
    """What must be found: slug, line, column and text of each mark; the last stands for what is
    left of the slugs."""
    marks = []
    for mark in MARKED.finditer(text):
        before = unmarked(text[: mark.start()])
        marks.append((before.count("\n") + 1, len(before) - before.rfind("\n"), mark[1]))
    slugs = case["found"]
    marks += marks[-1:] * (len(slugs) - len(marks))
    return sorted((slug, *mark) for slug, mark in zip(slugs, marks, strict=True))


def test_the_rulesets_are_without_mistakes(tmp_path: Path) -> None:
    assert not list(report(tmp_path, {}))


@pytest.mark.parametrize("case", CASES, ids=[case["slip"] for case in CASES])
def test_a_slip_is_found(case: dict[str, Any], tmp_path: Path) -> None:
    text = spoilt(case)
    found = report(tmp_path, {case["file"]: unmarked(text)}).sorted()
    placed = [
        (d.slug, d.span.line, d.span.column, d.span.text)
        for d in found
        if d.span and Path(d.span.source.name).name == case["file"]
    ]
    assert placed == places(case, text)
    assert len(found) == len(placed)
    said = " ".join(" ".join((d.message, *d.help, *(x.text for x in d.labels))) for d in found)
    assert case.get("says", "") in said


GRIDS = [
    "{holds: tile, «cels»: hexagons}",
    "{holds: tile, cells: «hexagon»}",
    "{holds: tile, cells: triangles, size: «3»}",
    "{holds: tile, cells: hexagons, match: «al»}",
]


@pytest.mark.parametrize("grid", GRIDS)
def test_a_slip_in_a_grid_hides_how_many_sides_there_are(grid: str, tmp_path: Path) -> None:
    game = FILES["game.yaml"].replace("grids:\n", f"grids:\n  comb: {unmarked(grid)}\n")
    tile = "{id: cell, lane: [NE-SW], sides: [lane, none, none, lane, none, none]}"
    game = game.replace("tiles:\n", f"tiles:\n  - {tile}\n")
    rule = "value way() -> side: ne if corner_at(centre(board).cell, sw, w) is none else e\n"
    changed = {"game.yaml": game, "game.rules": f"{FILES['game.rules']}\n{rule}"}
    found = report(tmp_path, changed).sorted()
    assert [each.span.text for each in found if each.span] == MARKED.findall(grid)


def report(folder: Path, changed: dict[str, str]) -> Report:
    for name, text in (FILES | changed).items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    found = Report()
    build(str(folder / "game.yaml"), ["more"], report=found)
    return found
