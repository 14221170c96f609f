"""The reasons of failures: what failed is done again by a program that tells what it computes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from functools import lru_cache

from rulesdsl.engine.lower.tracing import TRACE, TracePoint
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.lowered import Lowered
from rulesdsl.engine.run.machine import Machine
from rulesdsl.engine.run.plans import GAMES, Same
from rulesdsl.engine.run.position import LoweredPosition, begin, fault_error
from rulesdsl.engine.run.python.traced import Listener, TracedGame
from rulesdsl.engine.run.words.faults import worded
from rulesdsl.engine.runtime.faults import Fault
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.checked import Expr
from rulesdsl.language.model.values import Value

Known = tuple[tree.Node, Value]
"""An expression that was evaluated, and its value."""


class Failing(Listener):
    """The values that a program has computed up to where it fails.

    `statement` is the one that runs, with the expressions that it has `done`. `open` are the
    expressions that are being evaluated, innermost last, each with its parts so far, and `inside`
    is the statement of a value that runs in the innermost one. `entries` are the entries that were
    evaluated last, with their indices, and `last` is the last expression with its parts.
    """

    def __init__(self, game: TracedGame) -> None:
        super().__init__(game)
        self._decoded = game.decoded
        self.statement: tree.Node | None = None
        self.inside: tree.Node | None = None
        self.entries = deque[tuple[tree.EntryAt, tuple[Value, ...]]](maxlen=8)
        self.done: list[Known] = []
        self.open: list[tuple[tree.Node, list[Known]]] = []
        self.last: tuple[tree.Node | None, list[Known]] = None, []
        game.instance.functions[TRACE] = self.trace

    def _statement(self, point: TracePoint, value: int) -> None:
        if self.open:
            self.inside = point.node
        else:
            self.statement, self.done = point.node, []

    def _begin(self, point: TracePoint, value: int) -> None:
        self.open.append((point.node, []))
        self.inside = None

    def _end(self, point: TracePoint, value: int) -> None:
        self.last = self.open.pop()
        if isinstance(point.node, tree.EntryAt):
            self.entries.append((point.node, tuple(index for _, index in self.last[1])))
        parts = self.open[-1][1] if self.open else self.done
        parts.append((point.node, self._decoded(value, point.type)))


class FailingPosition(LoweredPosition):
    """A position that is as another one, whose failures have words."""

    def __init__(self, game: TracedGame, machine: Machine, like: LoweredPosition) -> None:
        super().__init__(game.lowered, machine, like.history)
        self._arranging = like._arranging
        self._game = game
        self._failing = Failing(game)

    def evaluate(self, expression: Expr, values: Mapping[str, Value]) -> Value:
        self._game.points.know(expression)
        try:
            return self._game.asking.value(self, expression, values)
        except Fault as fault:
            raise self._error(fault) from None

    def _error(self, fault: Fault) -> PlayError:
        place = self._machine.place(fault)
        return worded(self, self._failing, fault.code, place) or fault_error(fault, place)

    def _reason(self, again: Callable[[LoweredPosition], object]) -> PlayError | None:
        return None


@lru_cache(GAMES)
def _game(game: Same, players: int, paused: str) -> TracedGame:
    return TracedGame(game.checked, players, paused=paused)


def reason(
    position: LoweredPosition, again: Callable[[LoweredPosition], object]
) -> PlayError | None:
    """Return the error of a change that has failed, done `again`; None if it succeeds now."""
    lowered = position.lowered
    game = _game(Same(position.checked), position.players, lowered.paused)
    machine = game.blank.clone()
    machine.restore(position.readable().machine.keep())
    try:
        again(FailingPosition(game, machine, position))
    except PlayError as error:
        return error
    return None


def reason_at_start(lowered: Lowered, seed: int | None) -> PlayError | None:
    """Return the error of a game that fails before its first decision."""
    game = _game(Same(lowered.checked), lowered.players, "")
    begun = LoweredPosition(lowered, game.blank, (None, ("start", lowered.players, seed)))
    position = FailingPosition(game, game.blank.clone(), begun)
    try:
        begin(position, seed)
    except Fault as fault:
        return position._error(fault)
    return None
