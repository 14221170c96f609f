"""The reasons of failures: what failed is done again by a program that tells what it computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.lowered import Lowered
from rulesdsl.engine.run.machine import Machine
from rulesdsl.engine.run.plans import GAMES, Same
from rulesdsl.engine.run.position import LoweredPosition, begin, fault_error
from rulesdsl.engine.run.python.traced import TracedGame
from rulesdsl.engine.run.words.faults import Failing, worded
from rulesdsl.engine.runtime.faults import Fault
from rulesdsl.language.model.checked import Checked, Expr
from rulesdsl.language.model.values import Value


class FailingGame(TracedGame):
    """A game whose program tells what it computes, up to where it fails."""

    def __init__(self, checked: Checked, players: int, paused: str) -> None:
        super().__init__(checked, players, paused=paused)
        self.failing = Failing()

    def position(self, like: LoweredPosition) -> FailingPosition:
        """Return a copy of a position, which this program plays."""
        machine = self.blank.clone()
        machine.restore(like.readable().machine.keep())
        copy = FailingPosition(self, machine, like)
        self.failing = Failing()
        return copy

    def trace(self, number: int, value: int) -> int:
        point = self.points.points[number]
        match point.what:
            case "begin":
                self.failing.begin(point.node)
            case "end":
                self.failing.end(point.node, self.decoded(value, point.type))
            case "statement":
                self.failing.state(point.node)
        return value


class FailingPosition(LoweredPosition):
    """A position that is as another one, whose failures have words."""

    def __init__(self, game: FailingGame, machine: Machine, like: LoweredPosition) -> None:
        super().__init__(game.lowered, machine, like.history)
        self._arranging = like._arranging
        self._game = game

    def evaluate(self, expression: Expr, values: Mapping[str, Value]) -> Value:
        self._game.points.know(expression)
        try:
            return self._game.asking.value(self, expression, values)
        except Fault as fault:
            raise self._error(fault) from None

    def _error(self, fault: Fault) -> PlayError:
        place = self._machine.place(fault)
        return worded(self, self._game.failing, fault.code, place) or fault_error(fault, place)

    def _reason(self, again: Callable[[LoweredPosition], object]) -> PlayError | None:
        return None


@lru_cache(GAMES)
def _game(game: Same, players: int, paused: str) -> FailingGame:
    return FailingGame(game.checked, players, paused)


def reason(
    position: LoweredPosition, again: Callable[[LoweredPosition], object]
) -> PlayError | None:
    """Return the error of a change that has failed, done `again`; None if it succeeds now."""
    lowered = position.lowered
    game = _game(Same(position.checked), position.players, lowered.paused)
    try:
        again(game.position(position))
    except PlayError as error:
        return error
    return None


def reason_at_start(lowered: Lowered, seed: int | None) -> PlayError | None:
    """Return the error of a game that fails before its first decision."""
    game = _game(Same(lowered.checked), lowered.players, "")
    game.failing = Failing()
    begun = LoweredPosition(lowered, game.blank, (None, ("start", lowered.players, seed)))
    position = FailingPosition(game, game.blank.clone(), begun)
    try:
        begin(position, seed)
    except Fault as fault:
        return position._error(fault)
    return None
