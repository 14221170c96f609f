"""Recorded games of the shipped rulesets go the same way again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rulesdsl.engine.run import DEFAULT_ENGINE
from rulesdsl.language.diagnostics import Source
from rulesdsl.language.diagnostics.render import render
from rulesdsl.play.golden import read_golden
from tests.rulesets.shipped import FOLDER, FOUND, NAMES

FILES = sorted(FOLDER.glob("*.game.jsonl"))
ALWAYS = ("all", "card_game", "dice_game")
"""What is played by the tests that always run: everything is in one of them."""


def rulesets(file: Path) -> set[str]:
    """The ids of the rulesets that a record was made with."""
    head = json.loads(file.read_text(encoding="utf-8").partition("\n")[0])
    return {id for id, _, _ in head["rulesets"]}


def test_every_ruleset_has_a_golden_record() -> None:
    names = {file.name.partition(".")[0] for file in FILES}
    assert names == {*NAMES, "all"}
    assert all(name in rulesets(FOLDER / f"{name}.game.jsonl") for name in NAMES)
    played = {name for file in ALWAYS for name in rulesets(FOLDER / f"{file}.game.jsonl")}
    assert played == set(FOUND)


def test_they_are_of_different_numbers_of_players_and_stay_small() -> None:
    heads = [json.loads(file.read_text().partition("\n")[0]) for file in FILES]
    assert {head["players"] for head in heads} >= {2, 3, 4, 5}
    assert all(file.stat().st_size < 150_000 for file in FILES)


def cases() -> list[object]:
    """The default engine plays a few, always; all engines that are fast play all if asked for."""
    return [
        pytest.param(
            file,
            DEFAULT_ENGINE,
            id=file.name.partition(".")[0],
            marks=() if always else pytest.mark.long,
        )
        for file in FILES
        for always in [file.name.partition(".")[0] in ALWAYS]
    ]


@pytest.mark.parametrize(("file", "engine"), cases())
def test_a_game_goes_the_same_way_again(file: Path, engine: str) -> None:
    source = Source(str(file), file.read_text(encoding="utf-8"))
    outcome = read_golden(source, engine=engine).run()
    assert outcome.passed, "\n" + render(outcome.findings)
    assert set(outcome.rulesets) == rulesets(file)
