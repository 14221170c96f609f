"""The links of an index to the studio, followed in Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.index.conftest import HEAD, add
from tests.page.node import browsed
from tests.studio.test_browser import served

pytestmark = pytest.mark.xdist_group("browser")

SCRIPT = Path(__file__).with_name("browser.mjs")
PLAYS = "plays"
SCENARIO = """\
scenarios: quick
edition: 1
tests:
  - name: the bonus is a point
    expect: [{that: settings.quick.bonus == 1}]
"""
LINKS: dict[str, tuple[set[str], str, list[str]]] = {
    "hamlets": ({"hamlets"}, PLAYS, ["hamlets"]),
    "west": ({"hamlets", "west"}, PLAYS, ["hamlets", "west"]),
    "peace": ({"hamlets", "peace", "south", "west"}, PLAYS, ["hamlets", "south", "west", "peace"]),
    "packed": ({"hamlets", "packed"}, PLAYS, ["hamlets", "packed"]),
    "torn": ({"hamlets", "torn"}, "1 error", []),
    "quick": ({"quick"}, PLAYS, ["base", "quick"]),
}
"""The ids of the files that a link opens, whether they play, and the rulesets of the game."""


@pytest.fixture
def own(shelf: Path, cli: Cli) -> Path:
    """The folder with an archive too, and with an expansion of a shipped game in a folder."""
    add(shelf, "packed", "", "before turn(): active.score += 1\n")
    assert (
        cli(
            "pack", str(shelf / "packed.yaml"), "--to", str(shelf / "p.zip"), "--path", str(shelf)
        ).code
        == 0
    )
    for file in shelf.glob("packed.*"):
        file.unlink()
    (shelf / "fast").mkdir()
    manifest = HEAD.format(id="quick") + "requires: [base]\nrules: 'my own rules.rules'\n"
    manifest += "settings: {bonus: {default: 1, range: [1, 3]}}\n"
    (shelf / "fast" / "ruleset.yaml").write_text(manifest, encoding="utf-8")
    rules = "refine worth(f, p) when f is road: previous + settings.bonus\n"
    (shelf / "fast" / "my own rules.rules").write_text(rules, encoding="utf-8")
    (shelf / "fast" / "ruleset.test.yaml").write_text(SCENARIO, encoding="utf-8")
    return shelf


def test_a_link_opens_a_ruleset_with_all_it_needs_also_after_a_reload(
    cli: Cli, own: Path, tmp_path: Path
) -> None:
    site, empty = tmp_path / "site", tmp_path / "empty"
    empty.mkdir()
    with served(empty, saves=False) as address:
        given = ("--games", "0", "--jobs", "1", "--studio", address)
        cli("index", str(own), "--to", str(site), *given)
        tasks: list[dict[str, Any]] = [
            {"name": name, "file": str(site / name / "index.html")} for name in LINKS
        ]
        told = browsed(SCRIPT, tasks, tmp_path)
    for name, (ids, state, game) in LINKS.items():
        found = told[name]
        assert found["errors"] == []
        assert found["again"] == found["first"]
        opened = found["first"]
        assert {Path(file).name.partition(".")[0] for file in opened["files"]} == ids
        assert opened["main"] == f"{name}.yaml"
        assert opened["state"].startswith(state)
        assert opened["note"] == ""
        assert (opened.get("ids") or []) == game
    assert "bonus is a point" in told["quick"]["first"]["files"]["quick.test.yaml"]
