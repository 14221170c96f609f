"""What happens in a game, step by step, for those who tell it."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from rulesdsl.cli.words import START
from rulesdsl.model.values import Piece
from rulesdsl.play import CHANCE, Move, Place, Plain, State
from rulesdsl.play.gains import Gain, GainLog

HUMAN = "human"
RECORDED = "recorded"


@dataclass(frozen=True)
class Start:
    """A game that begins: `seats` says for every colour who plays it (a bot's name, `HUMAN` or
    `RECORDED`), `seed` is None when chance stands in the record."""

    state: State
    seats: Mapping[str, str]
    seed: int | None


@dataclass(frozen=True)
class Step:
    """A move that was played: its number and that of its turn, who moved, the choice asked and what
    it was about (by name), the move, the points it gave, the cell on which it laid a piece,
    and whether the turn is over."""

    number: int
    turn: int
    by: str
    choice: str
    about: tuple[tuple[str, Plain], ...]
    move: Move
    gains: tuple[Gain, ...]
    laid: Place | None
    last: bool


class Teller(Protocol):
    """Tells people or programs about a game."""

    def start(self, start: Start) -> None: ...

    def moved(self, step: Step, state: State) -> None: ...

    def end(self, state: State, points: Mapping[tuple[str, str], int]) -> None: ...


class Watch:
    """Follows a state: call `before` and `after` around every move.

    A turn is a run of moves of one player in which no choice is asked twice. `points` are the
    points so far by (player, source).
    """

    def __init__(self, state: State) -> None:
        self.turn = 1
        self.number = 0
        self.points: Counter[tuple[str, str]] = Counter()
        for colour, score in state.scores().items():
            if score:
                self.points[colour, START] = score
        self._asked: set[str] = set()
        self._by = ""
        self._choice = ""
        self._about: tuple[tuple[str, Plain], ...] = ()
        self._attach(state)

    def copy(self, state: State) -> Watch:
        """A watch that goes on from here with another state of the same game."""
        other = copy.copy(self)
        other.points = self.points.copy()
        other._asked = set(self._asked)
        other._attach(state)
        return other

    def _attach(self, state: State) -> None:
        self._state = state
        self._log = GainLog(state)
        self._laid = _pieces(state)
        state.listen(self._log.hear)

    def before(self) -> None:
        """A move is about to be played."""
        decision, names = self._state.position.decision, self._state.names
        assert decision is not None, "the game is not over"
        self._by = self._state.mover or CHANCE
        self._choice = self._state.asked or ""
        self._about = tuple((name, names.short(value)) for name, value in decision.arguments)
        self._asked.add(self._choice)

    def after(self, move: Move) -> Step:
        """The move was played."""
        gains = self._log.take()
        for gain in gains:
            self.points[gain.player, gain.source] += gain.amount
        laid = _pieces(self._state)
        new = [place for piece, place in laid.items() if piece not in self._laid]
        self._laid = laid
        self.number += 1
        over = self._state.mover != self._by or self._state.asked in self._asked
        step = Step(
            self.number,
            self.turn,
            self._by,
            self._choice,
            self._about,
            move,
            gains,
            new[-1] if new else None,
            over,
        )
        if over:
            self.turn += 1
            self._asked.clear()
        return step


def _pieces(state: State) -> dict[Piece, Place]:
    """Where every laid piece lies."""
    names = state.names
    return {
        item.piece: Place(item.cell.x, item.cell.y, names.grid(item.cell.grid, item.cell.owner))
        for item in state.position.laid()
    }
