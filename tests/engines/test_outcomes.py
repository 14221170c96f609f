"""Outcomes of moves are those of all sequences, and leave the position as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl import State, load
from rulesdsl.engine.run.playouts import play_out
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.runtime.outcomes import MARGIN, OWN, TRIED, WON
from tests.play.test_mcts import TRAP, TRAP_RULES

GAMES = Path(__file__).parents[1] / "games"


def weighed(state: State, tries: int) -> list[list[int]]:
    assert isinstance(state.position, LoweredPosition)
    before, moves = state.canonical(), state.moves()
    found = state.position.outcomes(tries)
    assert state.canonical() == before
    assert state.moves() == moves
    assert len(found) == len(moves)
    return found


def margins(state: State, own: str, tries: int) -> list[int]:
    """The margins of all sequences of moves of a player, found with what everybody can do."""
    moves = state.moves() if state.mover == own else ()
    if moves and len(moves) <= tries:
        found: list[int] = []
        for number, move in enumerate(moves):
            after = state.clone()
            after.play(move)
            found += margins(after, own, (tries - len(found)) // (len(moves) - number))
        return found
    ended = state.clone()
    if ended.mover is not None:
        ended.position.finish()
    scores = ended.scores()
    return [scores.pop(own) - max(scores.values(), default=0)]


@pytest.mark.parametrize(
    ("path", "begin"), [("card_game", 9), ("dice_game", 6), ("base", 12), ("base", 40)]
)
def test_the_best_margin_is_that_of_all_sequences(path: str, begin: int) -> None:
    state = load(path, engine="wasm").start(2, 5)
    play_out(state.position, begin, Rng.seeded(1))
    state.refresh()
    state.position.offer_chance()
    own, moves, tries = state.mover, state.moves(), 60
    assert own is not None
    wanted = []
    spent = 0
    for number, move in enumerate(moves):
        after = state.clone()
        after.play(move)
        reached = margins(after, own, (tries - spent) // (len(moves) - number))
        spent += len(reached)
        wanted.append(max(reached))
    assert [outcome[MARGIN] for outcome in weighed(state, tries)] == wanted


def test_columns_show_the_end_of_the_sequence() -> None:
    state = load("base", engine="wasm").start(2, 5)
    state.play(state.moves()[0])
    found = weighed(state, 1)
    for move, outcome in zip(state.moves(), found, strict=True):
        after = state.clone()
        after.play(move)
        seat = state.players.index(str(state.mover))
        scores = list(after.scores().values())
        assert outcome[OWN + 2 : OWN + 4] == scores[seat:] + scores[:seat]
        after.position.finish()
        after.refresh()
        scores = list(after.scores().values())
        assert outcome[OWN : OWN + 2] == scores[seat:] + scores[:seat]
        assert outcome[MARGIN] == outcome[OWN] - outcome[OWN + 1]
        assert (outcome[TRIED], outcome[WON]) == (1, 0)


def test_a_win_is_marked() -> None:
    state = load(GAMES / "mosaic.yaml", engine="wasm").start(2, 1)
    last = None
    while state.mover is not None:
        last = weighed(state, 50)
        assert {outcome[WON] for outcome in last} <= {-1, 0, 1}
        own = state.players.index(state.mover)
        chosen = last[0]
        state.play(state.moves()[0])
    assert last is not None
    assert chosen[WON] == (1 if state.players[own] in state.winners else -1)


def test_a_move_that_fails_has_no_outcome(tmp_path: Path) -> None:
    (tmp_path / "trap.yaml").write_text(TRAP)
    (tmp_path / "trap.rules").write_text(TRAP_RULES)
    state = load(tmp_path / "trap.yaml", engine="wasm").start(2, 1)
    tried = {
        str(move): outcome[TRIED]
        for move, outcome in zip(state.moves(), weighed(state, 9), strict=True)
    }
    assert tried == {"turn.fail": 0, "turn.doom": 0, "turn.points": 1}
