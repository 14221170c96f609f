"""Lowered games on the machines that there are, as engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from rulesdsl.diagnostics import Span
from rulesdsl.engines.compiled.machine import ListMachine, Machine
from rulesdsl.engines.compiled.position import LoweredPosition, start
from rulesdsl.engines.compiled.shared import Lowered
from rulesdsl.engines.engine import Position
from rulesdsl.engines.history import from_bytes
from rulesdsl.engines.python.compiling import compile_program
from rulesdsl.engines.python.engine import PythonMachine
from rulesdsl.ir.evaluate import Stopped, evaluate, new_tables
from rulesdsl.lower import Plan, lower
from rulesdsl.lower.plan import PLAYING
from rulesdsl.model import ir
from rulesdsl.model.checked import Checked
from rulesdsl.runtime.faults import Fault


class EvaluatedMachine(ListMachine):
    """The program, gone through node by node."""

    def __init__(self, program: ir.Program, tables: Mapping[str, list[int]] | None = None) -> None:
        states = [name for name, table in program.tables.items() if table.role == "state"]
        super().__init__(new_tables(program) if tables is None else tables, states)
        self._program = program
        self._span: Span | None = None

    def call(self, entry: str, *arguments: int) -> int | bool | None:
        try:
            return evaluate(self._program, self.tables, entry, *arguments)
        except Stopped as stopped:
            self._span = stopped.span
            raise Fault(stopped.code) from None

    def clone(self) -> EvaluatedMachine:
        return EvaluatedMachine(self._program, self.copied())

    def place(self, fault: Fault) -> Span | None:
        return self._span


class LoweredEngine:
    """An engine on machines of one sort; each game is lowered once."""

    def __init__(self, make: Callable[[Plan], Callable[[], Machine]], optimised: bool) -> None:
        """`make` gives what makes machines for the program of a plan."""
        self._make = make
        self._optimised = optimised
        self._known: dict[tuple[int, int], tuple[Checked, Lowered, Callable[[], Machine]]] = {}

    def lowered(self, checked: Checked, players: int) -> tuple[Lowered, Callable[[], Machine]]:
        """What positions of the game share, and what makes machines for them."""
        key = id(checked), players
        if key not in self._known:
            plan = lower(checked, players, self._optimised, entries=PLAYING)
            whole = partial(self._whole, checked, players)
            self._known[key] = checked, Lowered(plan, whole), self._make(plan)
        return self._known[key][1:]

    def _whole(self, checked: Checked, players: int) -> Machine:
        return self._make(lower(checked, players, self._optimised))()

    def start(self, checked: Checked, players: int, seed: int | None) -> LoweredPosition:
        lowered, machine = self.lowered(checked, players)
        return start(lowered, machine(), seed)

    def from_bytes(self, checked: Checked, data: bytes) -> Position:
        return from_bytes(checked, data, partial(self.start, checked))


def _compiled(plan: Plan) -> Callable[[], Machine]:
    compiled = compile_program(plan.program)
    return lambda: PythonMachine(compiled, {})


EVALUATED = LoweredEngine(lambda plan: lambda: EvaluatedMachine(plan.program), optimised=False)
COMPILED = LoweredEngine(_compiled, optimised=True)
