"""Settings that make no game together are refused, with the reason that a ruleset gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rulesdsl import RulesError, load
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.nodes import plain
from rulesdsl.language.read.yaml import parse_yaml

RULESETS = Path(__file__).parents[2] / "rulesets"
NOTHING = "nothing of it would be played"

REFUSED: list[tuple[str, dict[str, int | bool | str], str]] = [
    ("inns_and_cathedrals", {"sets": 0, "big_follower": False}, NOTHING),
    ("traders_and_builders", {"sets": 0, "builders": False, "pigs": False}, NOTHING),
    ("hills_and_sheep", {"sets": 0, "shepherds": False}, NOTHING),
    ("wheel_of_fortune", {"sets": 0, "wheel": "tiles_only"}, NOTHING),
    ("wheel_of_fortune", {"sets": 0, "base_symbols": False}, "no tile would turn the wheel"),
]


def read(file: Path) -> Any:
    """A manifest."""
    document = parse_yaml(Source(file.name, file.read_text(encoding="utf-8")), Report())
    assert document is not None, file.name
    return plain(document)


def said() -> set[tuple[str, str]]:
    """What is refused, and why, by the manifests."""
    files = [file for file in RULESETS.glob("*.yaml") if "." not in file.stem]
    found = [(file.stem, entry) for file in files for entry in read(file).get("refuse", ())]
    return {(name, entry["because"]) for name, entry in found}


@pytest.mark.parametrize(("name", "settings", "reason"), REFUSED)
def test_what_makes_no_game_is_refused(
    name: str, settings: dict[str, int | bool | str], reason: str
) -> None:
    with pytest.raises(RulesError) as caught:
        load(RULESETS / "base.yaml", [name], settings)
    found = [each for each in caught.value.diagnostics if each.slug == "setting-impossible"]
    assert [each.message.rpartition(": ")[2] for each in found] == [reason]


@pytest.mark.parametrize(("name", "settings"), [each[:2] for each in REFUSED])
def test_each_of_them_alone_is_played(name: str, settings: dict[str, int | bool | str]) -> None:
    for key, value in settings.items():
        assert load(RULESETS / "base.yaml", [name], {key: value}).settings


def test_all_that_is_refused_is_tried() -> None:
    assert said() == {(name, reason) for name, _, reason in REFUSED}
