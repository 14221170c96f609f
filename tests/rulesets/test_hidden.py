"""Positions that differ only in what is hidden look alike to those from whom it is hidden.

`hidden.yaml` lists pairs of them: what is to be hidden needs no more than an entry there.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl import Game, State, load
from rulesdsl.engine.run import ENGINES
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.nodes import Mapping
from rulesdsl.language.read.yaml import parse_yaml
from rulesdsl.play.scenario.scene import set_scene
from rulesdsl.play.scenario.steps import find

RULESETS = Path(__file__).parents[2] / "rulesets"
CASES = yaml.safe_load(Path(__file__).with_name("hidden.yaml").read_text(encoding="utf-8"))
Case = dict[str, Any]

every_case = pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
every_engine = pytest.mark.parametrize("engine", ENGINES)


@cache
def game(name: str, expansions: tuple[str, ...], engine: str) -> Game:
    return load(RULESETS / f"{name}.yaml", expansions, engine=engine)


def scene(zones: dict[str, Any]) -> Mapping:
    text = yaml.safe_dump({"zones": zones})
    document = parse_yaml(Source("scene", text), Report())
    assert isinstance(document, Mapping)
    return document


def played(case: Case, which: str, engine: str) -> State:
    """One of the two positions of a case."""
    own = case[which]
    chosen = game(case["game"], tuple(case.get("with", ())), engine)
    state = chosen.start(case.get("players", 2), case.get("seed"))
    if zones := {**case.get("zones", {}), **own.get("zones", {})}:
        set_scene(state, scene(zones))
    state.offer_chance()
    for line in (*case.get("moves", ()), *own.get("moves", ()), *case.get("after", ())):
        for step in line.split(";"):
            (move,) = find(state, step)
            state.play(move)
    return state


@every_engine
@every_case
def test_what_is_hidden_is_not_seen_and_changes_no_move(case: Case, engine: str) -> None:
    one, other = played(case, "one", engine), played(case, "other", engine)
    assert one.canonical() != other.canonical()
    assert one.mover == other.mover
    for player in case["from"]:
        assert one.view(player) == other.view(player)
    if one.mover in case["from"]:
        assert one.moves() == other.moves()
    for player in case.get("known", ()):
        assert one.view(player) != other.view(player)


@every_engine
@every_case
def test_a_bot_is_given_what_its_player_may_believe(case: Case, engine: str) -> None:
    for which in ("one", "other"):
        state = played(case, which, engine)
        for player in case["from"]:
            assert state.sample(player, 7).view(player) == state.view(player)


@every_case
def test_the_engines_show_the_same(case: Case) -> None:
    first, *others = (played(case, "one", engine) for engine in ENGINES)
    for other in others:
        for player in first.players:
            assert first.view(player) == other.view(player)
