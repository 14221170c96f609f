"""Short games that fail like a long one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import StringIO

from rulesdsl.audit.trials import Fault, fault_key, load_game, trial_of
from rulesdsl.play import Game, PlayError, State
from rulesdsl.play.records import Header, Recorder
from rulesdsl.run.engine import Trial
from rulesdsl.run.rng import Rng

TRIES = 300
"""So many other games are tried for each fault."""


def shrunk(fault: Fault) -> Fault:
    """The shortest game that was found to fail in the same way, by random moves from somewhere in
    the shortest one known. What fails when a game is ended early is not shrunk."""
    if fault.ending or len(fault.moves) < 2:
        return fault
    trial, luck = trial_of(_game(fault), fault.sitting.players), Rng.seeded(0)
    moves = fault.moves
    for _ in range(TRIES):
        kept = luck.below(len(moves))
        found = _failing(trial, fault, moves[:kept], len(moves) - 1, luck)
        if found is not None:
            moves = found
        if len(moves) == 1:
            break
    return replace(fault, moves=moves)


def _failing(
    trial: Trial, fault: Fault, first: Sequence[int], most: int, luck: Rng
) -> tuple[int, ...] | None:
    """A game of `most` moves or less that begins with some and fails in the same way."""
    position, moves = trial.start(fault.sitting.seed), list[int]()
    while len(moves) < most and (weights := position.outlook.weights):
        known = len(moves) < len(first)
        moves.append(first[len(moves)] if known else luck.weighted(list(weights)))
        try:
            position.play(moves[-1])
        except PlayError as error:
            same = fault_key(error.slug, error.message, error.span) == fault.key
            return tuple(moves) if same else None
    return None


def record(fault: Fault) -> str:
    """The game of a fault as a record, which ends with the move that fails."""
    game, text = _game(fault), StringIO()
    sitting = fault.sitting
    recorder = Recorder(text, Header.of(game, sitting.players, sitting.seed))
    if fault.moves:
        state = State(game, trial_of(game, sitting.players).start(sitting.seed))
        for index in fault.moves[:-1]:
            _record(recorder, state, index)
            state.play(state.moves()[index])
        _record(recorder, state, fault.moves[-1])
    return text.getvalue()


def _record(recorder: Recorder, state: State, index: int) -> None:
    assert state.mover is not None, "a move was played here"
    recorder.move(state.mover, state.moves()[index])


def _game(fault: Fault) -> Game:
    sitting = fault.sitting
    return load_game(sitting.main, sitting.expansions, dict(sitting.settings), sitting.paths)
