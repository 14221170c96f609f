"""Expressions asked of positions, which are lowered and printed on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from rulesdsl.engine.lower.bodies.statements import Locals
from rulesdsl.engine.lower.context import Lowering
from rulesdsl.engine.lower.emit import Builder, kind_of
from rulesdsl.engine.lower.expressions.expressions import ExpressionLowering
from rulesdsl.engine.lower.program import taken_names
from rulesdsl.engine.lower.tables.encoding import NONE, set_item
from rulesdsl.engine.run.lowered import Lowered
from rulesdsl.engine.run.plans import GAMES
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.python.machine import PythonMachine
from rulesdsl.engine.run.python.program import PythonProgram, compile_functions
from rulesdsl.engine.runtime.faults import STEPS
from rulesdsl.language.model import ir
from rulesdsl.language.model.checked import Expr, Local, walk
from rulesdsl.language.model.tables import Table
from rulesdsl.language.model.types import Type
from rulesdsl.language.model.values import Value

FILE = "<asked>"
"""The name of the file of a printed expression, in tracebacks."""

ASKED = "asked_expression"
"""The name of the function of an expression."""

ASKED_MOST = 1000
"""The number of printed expressions that are kept for a game."""


class Asking:
    """The expressions that were asked of the positions of a game."""

    def __init__(self, lowering: Lowering, tables: Mapping[str, Table]) -> None:
        """Ask positions of a game whose program has these names and tables."""
        self._tables = tables
        self._lowering = lowering
        self._printed: dict[int, tuple[Expr, PythonProgram]] = {}

    def program(self, expression: Expr, types: Mapping[str, Type]) -> PythonProgram:
        """Return a program of a function of locals of these types, all of them numbers."""
        known = self._printed.get(id(expression))
        if known is None:
            if len(self._printed) >= ASKED_MOST:
                del self._printed[next(iter(self._printed))]
            # The expression is kept, so that no other one gets its identity.
            known = self._printed[id(expression)] = expression, self._print(expression, types)
        return known[1]

    def _print(self, expression: Expr, types: Mapping[str, Type]) -> PythonProgram:
        def lowered(lowering: Lowering) -> ir.Function:
            builder = Builder()
            names = Locals(builder)
            params = tuple(names.parameter(name, type_, "int") for name, type_ in types.items())
            value = ExpressionLowering(lowering, builder, names).value(expression)
            builder.emit(ir.Return(value, expression.span))
            return builder.function(ASKED, "", params, kind_of(expression.type), expression.span)

        return self.printed(lowered)

    def printed(self, function: Callable[[Lowering], ir.Function]) -> PythonProgram:
        """Return a program of a function, with all that its lowering adds.

        Nothing of it stays in the lowering: several instances may load the program.
        """
        lowering = self._lowering
        known, tables = set(lowering.functions), set(lowering.tables)
        asked = function(lowering)
        every = {**self._tables, **lowering.tables}
        made = [lowering.functions.pop(name) for name in [*lowering.functions] if name not in known]
        fresh = {
            name: lowering.tables.pop(name) for name in [*lowering.tables] if name not in tables
        }
        found = compile_functions((*made, asked), every, file=FILE)
        return PythonProgram(found.code, fresh, found.spans, found.places)

    def value(
        self, position: LoweredPosition, expression: Expr, values: Mapping[str, Value]
    ) -> Value:
        """Return the value of a checked expression whose locals have `values`; raises Fault.

        The position, which runs as Python, is used up by that.
        """
        machine, encoding = position.machine, position.plan.encoding
        assert isinstance(machine, PythonMachine), "it runs as Python"
        types = {
            node.name: node.type
            for node in walk((expression,))
            if isinstance(node, Local) and node.name in values
        }
        program = self.program(expression, types)
        tables = machine.tables
        tables["fuel"][0], tables["heap_top"][0] = STEPS, 0
        given = list[int]()
        for name, type_ in types.items():
            value = values[name]
            item = set_item(type_)
            if item is None:
                given.append(encoding.encode(value, type_))
            elif isinstance(value, tuple):
                given.append(machine.listed([encoding.encode(each, item) for each in value]))
            else:
                given.append(NONE)
        machine.instance.load(program)
        found = int(machine.call(ASKED, *given) or 0)
        item = set_item(expression.type)
        if item is None:
            return encoding.decode(found, expression.type)
        if found == NONE:
            return None
        members = machine.tables["heap"][found + 1 : found + 1 + machine.tables["heap"][found]]
        return tuple(encoding.decode(each, item) for each in members)


@lru_cache(GAMES)
def asking_of(lowered: Lowered) -> Asking:
    """Return the printer of expressions for the program of a game that runs as Python."""
    machine, plan = lowered.searcher, lowered.plan
    assert isinstance(machine, PythonMachine), "it runs as Python"
    lowering = Lowering(plan.checked, plan.players, taken_names(), names=plan.names)
    return Asking(lowering, machine.instance.program.tables)
