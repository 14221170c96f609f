"""What happens in a game, step by step: turns, points with their reasons, where pieces are laid."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rulesdsl.model.values import Piece, Value
from rulesdsl.play.forms import Place, Plain
from rulesdsl.play.gains import Gain, GainLog
from rulesdsl.play.game import CHANCE, Game, State
from rulesdsl.play.move import IllegalMove, Move
from rulesdsl.play.records import Entry, Record, replay
from rulesdsl.play.turns import Turns
from rulesdsl.run.engine import Change

START = "start"
"""The source of the points that a game begins with."""


@dataclass(frozen=True)
class Step:
    """A move that was played: its number and that of its turn, who moved, the choice asked and what
    it was about (by name), the move, the points it gave, the pieces that lay face down and that it
    turned up, the cell on which it laid a piece, and whether the turn is over."""

    number: int
    turn: int
    by: str
    choice: str
    about: tuple[tuple[str, Plain], ...]
    move: Move
    gains: tuple[Gain, ...]
    turned_up: tuple[Plain, ...]
    laid: Place | None
    last: bool


class Watch:
    """Follows a state: call `before` and `after` around every move.

    Turns are those of `play.turns`. `points` are the points so far by (player, source).
    """

    def __init__(self, state: State) -> None:
        self.number = 0
        self.points: Counter[tuple[str, str]] = Counter()
        for colour, score in state.scores().items():
            if score:
                self.points[colour, START] = score
        self._turns = Turns()
        self._by = ""
        self._choice = ""
        self._about: tuple[tuple[str, Plain], ...] = ()
        self._face_down: set[Value] = set()
        self._turned_up: list[Value] = []
        self._attach(state)

    def copy(self, state: State) -> Watch:
        """A watch that goes on from here with another state of the same game."""
        other = copy.copy(self)
        other.points = self.points.copy()
        other._turns = self._turns.copy()
        other._face_down, other._turned_up = set(self._face_down), []
        other._attach(state)
        return other

    def _attach(self, state: State) -> None:
        self._state = state
        self._log = GainLog(state)
        self._laid = _pieces(state)
        state.listen(self._hear)

    def _hear(self, change: Change) -> None:
        self._log.hear(change)
        if change.name == "conceal":
            self._face_down.add(change.arguments[0])
        elif change.name == "reveal" and change.arguments[0] in self._face_down:
            self._face_down.remove(change.arguments[0])
            self._turned_up.append(change.arguments[0])

    def before(self) -> None:
        """A move is about to be played."""
        decision, names = self._state.position.decision, self._state.names
        assert decision is not None, "the game is not over"
        self._by = self._state.mover or CHANCE
        self._choice = self._state.asked or ""
        self._about = tuple((name, names.short(value)) for name, value in decision.arguments)
        self._turns.before(self._state)

    def after(self, move: Move) -> Step:
        """The move was played."""
        gains = self._log.take()
        turned_up = tuple(map(self._state.names.short, self._turned_up))
        self._turned_up.clear()
        for gain in gains:
            self.points[gain.player, gain.source] += gain.amount
        laid = _pieces(self._state)
        new = [place for piece, place in laid.items() if piece not in self._laid]
        self._laid = laid
        self.number += 1
        turn = self._turns.number
        over = self._turns.after(self._state)
        return Step(
            self.number,
            turn,
            self._by,
            self._choice,
            self._about,
            move,
            gains,
            turned_up,
            new[-1] if new else None,
            over,
        )


def _pieces(state: State) -> dict[Piece, Place]:
    """Where every laid piece lies."""
    names = state.names
    return {
        item.piece: Place(item.cell.x, item.cell.y, names.grid(item.cell.grid, item.cell.owner))
        for item in state.position.laid()
    }


class Played(NamedTuple):
    """A game that is being played back, and the last step; None at the start."""

    state: State
    watch: Watch
    step: Step | None


def played(record: Record, game: Game) -> Iterator[Played]:
    """Plays a record back as `records.replay` does, watched: the start, then every step."""
    steps = replay(record, game)
    state, _ = next(steps)
    watch = Watch(state)
    yield Played(state, watch, None)
    for entry in record.entries:
        move = _move(state, entry)
        if move is not None:
            watch.before()
        next(steps)  # says what is wrong with a move that is not there
        assert move is not None, "a move that was played is a move"
        yield Played(state, watch, watch.after(move))
    next(steps, None)  # compares the result


def _move(state: State, entry: Entry) -> Move | None:
    try:
        return state.move(entry.move, **entry.args)
    except IllegalMove:
        return None
