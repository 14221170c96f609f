"""One slip does not hide another: what is wrong elsewhere is found in the same run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rulesdsl.engine.build.stages import StageMemo, build
from rulesdsl.language.diagnostics import Report
from tests.errors.test_mistakes import CASES, FILES, places, spoilt, unmarked

KNOWN = StageMemo()
"""What is not changed is read once for all cases."""

WITNESSES = {
    "game.rules": "\nvalue witness_type() -> bool: 3\n\nvalue witness_word( -> int: 1\n",
    "more.rules": "\naction witness_steps():\n    let x == 3\n    let y = = 4\n",
}
"""What is wrong besides: a type, and three times the syntax, two of them in one declaration."""

TILE = ("  - {id: ends, ", "  - {id: witness-tile, village: [N-S, S]}\n  - {id: ends, ")
"""A tile of which two segments hold one side."""

SEEN = {
    ("type-mismatch", "game.rules", "3"),
    ("bad-syntax", "game.rules", "->"),
    ("bad-syntax", "more.rules", "=="),
    ("bad-syntax", "more.rules", "="),
    ("port-twice", "game.yaml", "S"),
}

IN = {file: {each for each in SEEN if each[1] == file} for file in FILES}
TYPE, *_ = (each for each in SEEN if each[0] == "type-mismatch")
ALL = {"label-unknown", "order-unknown", "unused"}
"""What is only looked for in a game that is without other mistakes."""

UNSEEN = {
    "a key of the manifest misspelt": IN["game.yaml"],  # there is no kind of what is drawn
    "a bracket not closed in a manifest": IN["game.yaml"],  # which is above the tiles
    "a tab in a manifest": IN["game.yaml"],
    "brackets of a list's text without quotes": {*IN["game.yaml"], TYPE},
    "two tiles with one id": IN["game.yaml"],  # the tile to be wrong besides has no place
    "a missing rules file": IN["game.rules"],
    "rules outside of the folder": IN["game.rules"],
    "an unknown edition": {*IN["game.yaml"], *IN["game.rules"]},
    "a ruleset that requires itself": SEEN,
}
"""What cannot be seen any more after a slip, with the reason where it is not plain."""


def found(folder: Path, changed: dict[str, str]) -> set[tuple[str, str, str]]:
    for name, text in (FILES | changed).items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    report = Report()
    build(str(folder / "game.yaml"), ["more"], report=report, known=KNOWN)
    return {(d.slug, Path(d.span.source.name).name, d.span.text) for d in report if d.span}


def witnessed(files: dict[str, str]) -> dict[str, str]:
    """The files, all that is wrong besides in them."""
    files = {name: text + WITNESSES.get(name, "") for name, text in files.items()}
    assert files["game.yaml"].count(TILE[0]) <= 1
    return {**files, "game.yaml": files["game.yaml"].replace(*TILE)}


def test_all_that_is_wrong_besides_is_found(tmp_path: Path) -> None:
    assert found(tmp_path, witnessed(FILES)) == SEEN


@pytest.mark.parametrize("case", CASES, ids=[case["slip"] for case in CASES])
def test_a_slip_hides_nothing_and_is_not_hidden(case: dict[str, Any], tmp_path: Path) -> None:
    text = spoilt(case)
    seen = found(tmp_path, witnessed(FILES | {case["file"]: unmarked(text)}))
    own = {(slug, case["file"], marked) for slug, _, _, marked in places(case, text)}
    assert seen >= SEEN - UNSEEN.get(case["slip"], set())
    assert seen >= {each for each in own if each[0] not in ALL}
