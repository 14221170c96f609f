"""Single games are played by a program without searches and batches; the whole one comes later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from rulesdsl import load
from rulesdsl.engine.ir.passes import prune
from rulesdsl.engine.lower import lower
from rulesdsl.engine.lower.plan import ENTRIES, PLAYING
from rulesdsl.engine.lower.program import core_functions
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.wasm import games
from rulesdsl.engine.run.wasm.engine import ENGINE as wasm
from rulesdsl.engine.run.wasm.games import compiled_game
from rulesdsl.engine.run.wasm.program import WasmProgram
from rulesdsl.language.builtins import EFFECTS
from rulesdsl.language.model import ir
from rulesdsl.language.model.ir import IN_ROWS
from rulesdsl.play.bots import Budget, GreedyBot, MctsBot
from tests.rulesets.shipped import game

OUTSIDE = [row.function for each in EFFECTS.values() for row in each.signatures if row.function]
NAMES = ("base", "card_game", "dice_game")


def modules(name: str) -> tuple[WasmProgram, WasmProgram]:
    """The module of a game that plays, and the whole one."""
    checked = game(name).checked
    return compiled_game(checked, 2, PLAYING).program, compiled_game(checked, 2).program


def test_a_module_that_plays_has_no_search() -> None:
    small, whole = modules("base")
    assert all(name.encode() in whole.content for name in ENTRIES)
    assert all(name.encode() in small.content for name in PLAYING)
    for name in ("search", "weigh", "_rows", "enter_row"):
        assert name.encode() not in small.content
    assert len(small.content) < 0.8 * len(whole.content)
    assert small.layout.pages < 0.5 * whole.layout.pages


@pytest.mark.parametrize("name", NAMES)
def test_positions_are_the_same_in_both(name: str) -> None:
    small, whole = (each.layout for each in modules(name))
    assert (small.state, small.row) == (whole.state, whole.row)
    rows = {name: place for name, place in whole.places.items() if place.role in IN_ROWS}
    assert rows == {name: small.places[name] for name in rows}
    left_out = [place for name, place in whole.places.items() if name not in small.places]
    assert {place.role for place in left_out} == {"scratch"}


@pytest.mark.parametrize("name", NAMES)
def test_effects_from_outside_find_their_tables(name: str) -> None:
    """Their functions run on the tables of a program that may not have them."""
    tables = lower(game(name).checked, 2, entries=PLAYING).program.tables
    for function in prune(ir.Program({}, core_functions(), tuple(OUTSIDE))).functions.values():
        assert {load.table for load in function.nodes.of(ir.Load)} <= tables.keys()
        assert {store.table for store in function.nodes.of(ir.Store)} <= tables.keys()


@pytest.mark.parametrize("name", NAMES)
def test_both_play_the_same_games(name: str) -> None:
    checked = game(name).checked
    one, other = wasm.start(checked, 2, 7), wasm.start(checked, 2, 7, searches=True)
    luck = Rng.seeded(3)
    for _ in range(25):
        assert one.decision == other.decision
        assert one._machine.keep() == other._machine.keep()
        if one.decision is None or one.decision.seat is None:
            break
        assert one.outcomes(20) == other.outcomes(20)
        assert one.search([], 5, 4) == other.search([], 5, 4)
        row = luck.below(len(one.decision.candidates))
        one.play(row)
        other.play(row)
    assert one.canonical() == other.canonical()
    assert one.playout(1000, 2) == other.playout(1000, 2)
    assert one.scores() == other.scores()


def test_the_whole_program_is_made_when_a_bot_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    made = compilations(monkeypatch)
    loaded = load("base", engine="wasm")
    state = loaded.start(2, 1)
    state.play(state.moves()[0])
    list(loaded.playouts(range(3), 2))
    assert made == [PLAYING]
    for bot in (GreedyBot(1, 0), MctsBot(1, 0, Budget(20))):
        assert bot.decide(state) in state.moves()
    MctsBot(1, 0, Budget(20)).decide(loaded.start(2, 2))
    assert made == [PLAYING, ENTRIES]


def test_bots_of_python_compile_a_game_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = compilations(monkeypatch)
    state = load("base", engine="python").start(2, 1)
    for bot in (GreedyBot(1, 0), MctsBot(1, 0, Budget(20))):
        assert bot.decide(state) in state.moves()
    assert made == [ENTRIES]


def compilations(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The entries of each program that is compiled from now on; none is found in a cache."""
    made: list[Sequence[str]] = []
    compile_game = games.compile_game

    def noted(checked: Any, players: int, entries: Sequence[str], **named: Any) -> Any:
        made.append(entries)
        return compile_game(checked, players, entries, **named)

    monkeypatch.setattr(games, "compile_game", noted)
    monkeypatch.setenv("RULESDSL_NO_CACHE", "1")
    return made


def test_a_search_leaves_the_moves_of_its_position() -> None:
    """The machine that searches may have the same scratch tables, which hold the moves."""
    position = wasm.start(game("base").checked, 2, 1, searches=True)
    before = position._machine.tables["moves"][: position._count()]
    position.search([], 1, 10)
    assert position._machine.tables["moves"][: position._count()] == before
    position.outcomes(30)
    assert position._machine.tables["moves"][: position._count()] == before
