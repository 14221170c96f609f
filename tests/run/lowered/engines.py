"""Lowered games on the machines that there are, as engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulesdsl.core.faults import Fault
from rulesdsl.diagnostics import Span
from rulesdsl.ir.evaluate import Stopped, evaluate, new_tables
from rulesdsl.lower import Plan, lower
from rulesdsl.model import ir
from rulesdsl.model.checked import Checked
from rulesdsl.run.lowered.machine import ListMachine, Machine
from rulesdsl.run.lowered.pack import players_in
from rulesdsl.run.lowered.position import LoweredPosition, from_bytes, start
from rulesdsl.run.lowered.shared import Lowered
from rulesdsl.run.python.compiling import compile_program
from rulesdsl.run.python.program import CompiledProgram, faulting


class Evaluated(ListMachine):
    """The program, gone through node by node."""

    def __init__(self, program: ir.Program, tables: Mapping[str, list[int]] | None = None) -> None:
        super().__init__(new_tables(program) if tables is None else tables, _states(program))
        self._program = program
        self._span: Span | None = None

    def call(self, entry: str, *arguments: int) -> int | bool | None:
        try:
            return evaluate(self._program, self.tables, entry, *arguments)
        except Stopped as stopped:
            self._span = stopped.span
            raise Fault(stopped.code) from None

    def clone(self) -> Evaluated:
        return Evaluated(self._program, self.copied())

    def place(self, fault: Fault) -> Span | None:
        return self._span


class Compiled(ListMachine):
    """The program as Python code."""

    def __init__(
        self,
        program: ir.Program,
        compiled: CompiledProgram,
        tables: Mapping[str, list[int]] | None = None,
    ) -> None:
        if tables is None:
            tables = {name: list(values) for name, values in compiled.new_tables().items()}
        super().__init__(tables, _states(program))
        self._program = program
        self._compiled = compiled
        self._entries = compiled.make(tables)

    def call(self, entry: str, *arguments: int) -> int | bool | None:
        return faulting(self._entries[entry])(*arguments)

    def clone(self) -> Compiled:
        return Compiled(self._program, self._compiled, self.copied())

    def place(self, fault: Fault) -> Span | None:
        return None


def _states(program: ir.Program) -> list[str]:
    return [name for name, table in program.tables.items() if table.role == "state"]


class Engine:
    """An engine on machines of one sort; each game is lowered once."""

    def __init__(self, make: Callable[[Plan], Callable[[], Machine]]) -> None:
        self._make = make
        self._known: dict[tuple[int, int], tuple[Checked, Lowered, Callable[[], Machine]]] = {}

    def lowered(self, checked: Checked, players: int) -> tuple[Lowered, Callable[[], Machine]]:
        key = id(checked), players
        if key not in self._known:
            plan = lower(checked, players)
            self._known[key] = checked, Lowered(plan), self._make(plan)
        return self._known[key][1:]

    def start(self, checked: Checked, players: int, seed: int | None) -> LoweredPosition:
        lowered, machine = self.lowered(checked, players)
        return start(lowered, machine(), seed)

    def from_bytes(self, checked: Checked, data: bytes) -> LoweredPosition:
        lowered, machine = self.lowered(checked, players_in(checked, data))
        return from_bytes(lowered, machine(), data)


def _compiled(plan: Plan) -> Callable[[], Machine]:
    compiled = compile_program(plan.program)
    return lambda: Compiled(plan.program, compiled)


EVALUATED = Engine(lambda plan: lambda: Evaluated(plan.program))
COMPILED = Engine(_compiled)
