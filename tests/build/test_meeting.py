"""`with` blocks about rulesets that are off are checked as if these were on."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl.author.lint.checking import CheckTarget, check
from rulesdsl.language.diagnostics import Diagnostic
from tests.build.test_subsets import GLADE, GLADE_RULES, manifest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A game, and two strangers that extend it."""
    for name, rules in {"amber": "refine prize(): 2\n", "birch": "refine prize(): 3\n"}.items():
        (tmp_path / f"{name}.yaml").write_text(manifest(name, "requires: [glade]"))
        (tmp_path / f"{name}.rules").write_text(rules)
    (tmp_path / "glade.yaml").write_text(GLADE)
    (tmp_path / "glade.rules").write_text(GLADE_RULES)
    return tmp_path


def found(folder: Path, name: str, block: str, *expansions: str) -> list[Diagnostic]:
    """What a check finds in a ruleset with a block."""
    rules = folder / "amber.rules"
    rules.write_text(f"refine prize(): 2\n{block}")
    return list(check(CheckTarget(str(folder / f"{name}.yaml")), expansions, {}, ()).found)


def told(found: list[Diagnostic]) -> list[str]:
    return [f"{each.slug} {each.span.line if each.span else 0}" for each in found]


def test_mistakes_in_it_are_found(folder: Path) -> None:
    block = "with birch:\n    value extra() -> int: prise()\n"
    assert told(found(folder, "amber", block)) == ["unknown-name 3"]
    assert told(found(folder, "glade", block, "amber")) == ["unknown-name 3"]
    # What else is wrong in that game is no business of the block: there the two clash.
    assert told(found(folder, "amber", "with birch:\n    after finish(): nothing\n")) == []
    # Nor is what is wrong anyway told twice.
    assert told(found(folder, "amber", "with birch:\n    value extra( -> int: 2\n")) == [
        "bad-syntax 3"
    ]


def test_what_it_settles_is_settled(folder: Path) -> None:
    order = "with birch:\n    order amber.prize before birch.prize\n"
    assert told(found(folder, "amber", "", "birch")) == ["value-clash 1"]
    assert told(found(folder, "amber", order, "birch")) == []
    assert told(found(folder, "amber", order)) == []


def test_a_ruleset_that_is_not_found_is_a_warning(folder: Path) -> None:
    (finding,) = found(folder, "amber", "with brich:\n    order amber.prize before brich.prize\n")
    assert (finding.slug, finding.severity.value) == ("ruleset-missing", "warning")
    assert finding.span is not None
    assert finding.span.text == "brich"
    assert finding.help == ("did you mean `birch`?",)


def test_a_ruleset_of_another_game_is_a_warning(folder: Path) -> None:
    (folder / "heath.yaml").write_text(GLADE.replace("glade", "heath"))
    (folder / "heath.rules").write_text(GLADE_RULES)
    (finding,) = found(folder, "amber", "with heath:\n    after finish(): nothing\n")
    assert (finding.slug, finding.severity.value) == ("never-applies", "warning")


def test_only_what_is_named_is_looked_into(folder: Path) -> None:
    (folder / "cedar.yaml").write_text(manifest("cedar", "requires: [amber]"))
    (folder / "cedar.rules").write_text("refine prize(): 5\n")
    assert told(found(folder, "cedar", "with nobody:\n    refine prize(): 4\n")) == []
