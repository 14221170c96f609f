"""Lowered games on the evaluator, which says what a program does."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from rulesdsl.engine.lower import lower
from rulesdsl.engine.lower.plan import PLAYING
from rulesdsl.engine.run.history import from_bytes
from rulesdsl.engine.run.interface import Position
from rulesdsl.engine.run.lowered import Lowered
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.position import start as start_on
from rulesdsl.engine.runtime.faults import Fault
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import ir
from rulesdsl.language.model.checked import Checked
from tests.ir.evaluate import Stopped, evaluate, new_tables


class EvaluatedMachine:
    """The program, gone through node by node; it does what a `WasmMachine` does."""

    def __init__(self, program: ir.Program, tables: Mapping[str, list[int]] | None = None) -> None:
        self.tables: Mapping[str, list[int]] = tables or new_tables(program)
        self._states = [name for name, table in program.tables.items() if table.role == "state"]
        self._program = program
        self._span: Span | None = None

    def first(self, name: str) -> int:
        return self.tables[name][0]

    def call(self, entry: str, *arguments: int) -> int | bool | None:
        try:
            return evaluate(self._program, self.tables, entry, *arguments)
        except Stopped as stopped:
            self._span = stopped.span
            raise Fault(stopped.code) from None

    def clone(self) -> EvaluatedMachine:
        copies = {name: list(self.tables[name]) for name in self._states}
        return EvaluatedMachine(self._program, {**self.tables, **copies})

    def keep(self) -> dict[str, list[int]]:
        return {name: list(self.tables[name]) for name in self._states}

    def restore(self, kept: Mapping[str, list[int]]) -> None:
        for name, values in kept.items():
            self.tables[name][:] = values

    def place(self, fault: Fault) -> Span | None:
        return self._span


class Evaluated:
    """An engine on the evaluator."""

    def start(self, checked: Checked, players: int, seed: int | None) -> LoweredPosition:
        plan = lower(checked, players, optimised=False, entries=PLAYING)
        machine: Any = EvaluatedMachine(plan.program)
        return start_on(Lowered(plan, machine.clone), machine, seed)

    def from_bytes(self, checked: Checked, data: bytes) -> Position:
        return from_bytes(checked, data, partial(self.start, checked))


EVALUATED = Evaluated()
