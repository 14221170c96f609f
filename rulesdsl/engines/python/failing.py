"""The reasons of failures: what failed is done again by a program that tells what it computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.lowered import Lowered
from rulesdsl.engines.machine import Machine
from rulesdsl.engines.plans import GAMES, Same, sources_of
from rulesdsl.engines.playing import PreparedGame
from rulesdsl.engines.position import LoweredPosition, begin, fault_error
from rulesdsl.engines.python.asking import Asking
from rulesdsl.engines.python.machine import Instance, PythonMachine
from rulesdsl.engines.python.program import compile_functions
from rulesdsl.engines.words.faults import Failing, worded
from rulesdsl.lower.program import lower_rules
from rulesdsl.lower.tables.encoding import NONE, set_item
from rulesdsl.lower.tracing import TRACE, TracePoints
from rulesdsl.model.checked import Checked, Expr
from rulesdsl.model.types import Type
from rulesdsl.model.values import Value
from rulesdsl.runtime.faults import Fault


class FailingGame(PreparedGame):
    """A game whose program tells what it computes, up to where it fails."""

    def __init__(self, checked: Checked, players: int, paused: str) -> None:
        self._points = TracePoints()
        stops = [paused] if paused else []
        plan = lower_rules(checked, players, tracing=self._points, paused=stops)
        program = compile_functions(plan.program.functions.values(), plan.program.tables)
        instance = Instance(program)
        instance.functions[TRACE] = self._trace
        blank = PythonMachine(instance, sources_of(checked))
        super().__init__(Lowered(plan, blank.clone, paused), blank)
        self.failing = Failing()
        lowering = self._points.lowering
        assert lowering is not None, "the game has been lowered"
        self._asking = Asking(lowering, program.tables)
        self._heap = instance.tables["heap"]

    def position(self, like: LoweredPosition) -> FailingPosition:
        """Return a copy of a position, which this program plays."""
        machine = self.blank.clone()
        machine.restore(like.readable().machine.keep())
        copy = FailingPosition(self, machine, like)
        self.failing = Failing()
        return copy

    def asking(self, expression: Expr) -> Asking:
        """Return the printer of expressions, which will tell what this one computes."""
        self._points.know(expression)
        return self._asking

    def _trace(self, number: int, value: int) -> int:
        point = self._points.points[number]
        match point.what:
            case "begin":
                self.failing.begin(point.node)
            case "end":
                self.failing.end(point.node, self._decoded(value, point.type))
            case "statement":
                self.failing.state(point.node)
        return value

    def _decoded(self, number: int, type_: Type) -> Value:
        item, encoding = set_item(type_), self.lowered.plan.encoding
        if item is None:
            return encoding.decode(number, type_)
        if number == NONE:
            return None
        first = number + 1
        members = self._heap[first : first + self._heap[number]]
        if set_item(item) is not None:
            return tuple(self._decoded(each, item) for each in members)
        return tuple(encoding.decode(each, item) for each in members)


class FailingPosition(LoweredPosition):
    """A position that is as another one, whose failures have words."""

    def __init__(self, game: FailingGame, machine: Machine, like: LoweredPosition) -> None:
        super().__init__(game.lowered, machine, like.history)
        self._arranging = like._arranging
        self._game = game

    def evaluate(self, expression: Expr, values: Mapping[str, Value]) -> Value:
        try:
            return self._game.asking(expression).value(self, expression, values)
        except Fault as fault:
            raise self._error(fault) from None

    def apply(self, effect: str, arguments: tuple[Value, ...]) -> None:
        self._game.failing.applied = effect, arguments
        super().apply(effect, arguments)

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
