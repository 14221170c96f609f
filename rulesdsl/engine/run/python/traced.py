"""Games whose programs say at every step what they do, see `lower.tracing`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rulesdsl.engine.lower.context import Lowering
from rulesdsl.engine.lower.program import lower_rules, taken_names
from rulesdsl.engine.lower.tables.encoding import set_item
from rulesdsl.engine.lower.tracing import TracePoint, TracePoints
from rulesdsl.engine.run.lowered import Lowered
from rulesdsl.engine.run.plans import sources_of
from rulesdsl.engine.run.playing import PreparedGame
from rulesdsl.engine.run.python.asking import Asking
from rulesdsl.engine.run.python.machine import PrintedInstance, PythonMachine
from rulesdsl.engine.run.python.program import compile_functions
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.types import Type
from rulesdsl.language.model.values import Value


class TracedGame(PreparedGame):
    """A game for a number of players whose program calls `trace`; it is not cached.

    It can be stopped before a `paused` action, and a `marked` one also says which rules run.
    """

    def __init__(
        self, checked: Checked, players: int, *, paused: str = "", marked: bool = False
    ) -> None:
        self.points = TracePoints()
        stops = [paused] if paused else []
        plan = lower_rules(checked, players, marked=marked, paused=stops, tracing=self.points)
        program = compile_functions(plan.program.functions.values(), plan.program.tables)
        self.instance = PrintedInstance(program)
        blank = PythonMachine(self.instance, sources_of(checked))
        super().__init__(Lowered(plan, blank.clone, paused), blank)
        more = Lowering(checked, players, taken_names(), names=plan.names, tracing=self.points)
        self.asking = Asking(more, program.tables)
        self._readers: dict[Type, Callable[[int], Value]] = {}

    def decoded(self, number: int, type_: Type) -> Value:
        """Return the value at a point; a set is still on the heap there."""
        read = self._readers.get(type_)
        if read is None:
            read = self._readers[type_] = self._reader(type_)
        return read(number)

    def _reader(self, type_: Type) -> Callable[[int], Value]:
        item = set_item(type_)
        if item is None:
            return self.lowered.plan.encoding.decoder(type_)
        member, heap = self._reader(item), self.instance.tables["heap"]

        def members(at: int) -> Value:
            return None if at < 0 else tuple(map(member, heap[at + 1 : at + 1 + heap[at]]))

        return members


class Listener:
    """A listener to a traced program, which has a method for each sort of point that it hears.

    The methods have the names of the sorts after a `_`. Each gets the point and its value, and may
    return another one with which the program goes on.
    """

    def __init__(self, game: TracedGame) -> None:
        self._points = game.points.points
        self._handlers: list[Callable[[int], int | None] | None] = []

    def trace(self, number: int, value: int) -> int:
        """Hear a point, and return the value with which the program goes on."""
        handlers = self._handlers
        while len(handlers) <= number:
            point: TracePoint = self._points[len(handlers)]
            hear = getattr(self, f"_{point.what}", None)
            handlers.append(None if hear is None else partial(hear, point))
        handler = handlers[number]
        instead = None if handler is None else handler(value)
        return value if instead is None else instead
