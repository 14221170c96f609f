"""A folder of small expansions, with every kind of answer about pairs of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import cli

__all__ = ["cli", "shelf"]

SMALL = Path(__file__).parent.parent / "cli" / "rulesets"
HEAD = "ruleset: {id}\nedition: 1\nversion: 1.0.0\n"
EXPANSIONS = {
    "east": ("", "before turn(): active.score = min(9, 2 * active.score)\n"),
    "west": ("", "before turn(): active.score += 3\n"),
    "north": ("", "state game.quiet: int 0..9999 = 0\n\nafter turn(): quiet += 1\n"),
    "south": (
        "refuse: [{with: east, because: the sun <b>rises</b> once}]\n"
        "description: A <script>alert(1)</script> day.\nauthors: ['<i>Bo</i>']\n"
        "settings: {calm: {default: true}, days: {default: 2, range: [1, 9]}}\n",
        "before turn(): active.score = min(7, 2 * active.score)\n",
    ),
    "torn": ("", "before turn(): nothing_of_the_kind()\n"),
}
PEACE = "interaction: [south, west]\nrules: peace.rules\n"


def add(folder: Path, id: str, more: str, rules: str) -> None:
    """Write an expansion of `hamlets`."""
    head = HEAD.format(id=id) + f"requires: [hamlets]\nrules: {id}.rules\n" + more
    (folder / f"{id}.yaml").write_text(head, encoding="utf-8")
    (folder / f"{id}.rules").write_text(rules, encoding="utf-8")


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Return a folder with the game, the expansions and an interaction."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    for name in ("hamlets.yaml", "hamlets.rules"):
        shutil.copy(SMALL / name, folder / name)
    for id, (more, rules) in EXPANSIONS.items():
        add(folder, id, more, rules)
    (folder / "peace.yaml").write_text(HEAD.format(id="peace") + PEACE, encoding="utf-8")
    order = "order south.turn before west.turn\n"
    (folder / "peace.rules").write_text(order, encoding="utf-8")
    return folder
