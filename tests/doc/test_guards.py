"""Conditions in words."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from rulesdsl.base.texts import languages
from rulesdsl.play import Game, load
from rulesdsl.show.doc.prose import BookTexts
from rulesdsl.show.doc.rules import CodeFormatter, Guards
from tests.doc.conftest import BoxOf, Page

CASES = yaml.safe_load((Path(__file__).parent / "guards.yaml").read_text())
SIDE = """\
settings: {inns: {default: true}, most: {default: 2, range: [1, 3]}}
features: {road: {shape: line}, area: {shape: area}}
attributes: {inn: {of: road, default: false}, shields: {of: road, default: 0, fold: sum}}
grids: {board: {holds: tile}}
zones: {bag: {holds: tile, initial: true}}
tiles: [{id: straight, count: 1, road: [{at: N-S, inn: true}]}]
"""


def game_with(made: BoxOf, guard: str) -> Game:
    rules = f"value worth(f: feature, p: player) -> int, sum\nadd worth(f, p) when {guard}: 1\n"
    return load(made(SIDE, rules), engine="python")


def test_a_limit_is_said_as_it_is_written(made: BoxOf) -> None:
    game = load(made(SIDE, "action tour() once in tour: nothing\n"), engine="python")
    guard = game.checked.actions["glade/tour"].guard
    assert guard is not None
    said = Guards(game.labels, CodeFormatter(game.checked, {}), BookTexts("en"), "en").say(
        guard, "glade"
    )
    assert "".join(Page(f"<!doctype html><p id='x'>{said}").one("x").itertext()) == "once in tour"


@pytest.mark.parametrize("case", CASES, ids=[case["guard"] for case in CASES])
def test_a_guard_in_words(case: dict[str, str], made: BoxOf) -> None:
    game = game_with(made, case["guard"])
    (rule,) = (r for r in game.checked.values["glade/worth"].rules if r.guard is not None)
    assert rule.guard is not None
    for language in languages():
        if language in case:
            guards = Guards(
                game.labels, CodeFormatter(game.checked, {}), BookTexts(language), language
            )
            said = guards.say(rule.guard, "glade")
            text = Page(f"<!doctype html><p id='x'>{said}").one("x")
            assert "".join(text.itertext()) == case[language]
