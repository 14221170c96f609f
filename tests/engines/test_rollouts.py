"""Playing on at random from a position gives the same on every engine, and leaves it as it is."""

from __future__ import annotations

import pytest

from rulesdsl import load
from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.playouts import play_out
from rulesdsl.engines.rng import Rng
from tests.engines.machine_games import ENGINES, game
from tests.engines.test_playouts import FAILING


@pytest.mark.parametrize(("path", "limit"), [("card_game", 40), ("dice_game", 30), ("base", 12)])
def test_engines_play_on_alike(path: str, limit: int) -> None:
    found = []
    for engine in ENGINES:
        state = load(path, engine=engine).start(2, 5)
        play_out(state.position, 9, Rng.seeded(1))
        before = state.canonical()
        rolled = [state.position.rollouts(2, 7, most) for most in (0, limit)]
        assert state.canonical() == before
        found.append((rolled, state.position.outlook))
    assert found[0] == found[1] == found[2]
    (ended, _), (played, _) = found[0][0]
    assert (ended.moves, ended.over, played.moves) == (0, False, limit)


def test_each_is_another_game() -> None:
    position = load("base", engine="wasm").start(2, 5).position
    assert len({each.scores for each in position.rollouts(50, 7, 500)}) > 30
    assert position.rollouts(5, 7, 500) == position.rollouts(9, 7, 500)[:5]


def test_a_game_that_is_over_stays_as_it_is() -> None:
    state = load("base", engine="wasm").start(2, 5)
    play_out(state.position, 1000, Rng.seeded(1))
    (found,) = state.position.rollouts(1, 7, 10)
    assert (found.moves, found.over) == (0, True)
    assert (found.winners, found.scores) == (state.position.winners, state.position.scores())
    assert state.position.outlook == (None, ())


@pytest.mark.parametrize("engine", ENGINES)
def test_an_outlook_tells_who_is_asked_and_the_weights(engine: str) -> None:
    state = load("base", engine=engine).start(2)
    for _ in range(4):
        decision = state.position.decision
        assert decision is not None
        weights = tuple(each.weight for each in decision.candidates)
        assert state.position.outlook == (decision.seat, weights)
        state.position.play(0)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_rule_that_fails_is_told_and_changes_nothing(engine: str) -> None:
    position = ENGINES[engine].start(game(FAILING), 2, None)
    before = position.canonical()
    with pytest.raises(PlayError, match="cannot become 10"):
        position.rollouts(100, 1, 50)
    assert position.canonical() == before
