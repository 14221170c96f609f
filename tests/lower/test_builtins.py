"""Every builtin is lowered, and gives what tests/engines/worlds.yaml says."""

from __future__ import annotations

import inspect
from functools import cache
from importlib import import_module
from itertools import product
from typing import Any

import pytest

from rulesdsl.engine.lower.bodies.statements import Locals
from rulesdsl.engine.lower.context import Lowering
from rulesdsl.engine.lower.emit import Builder, kind_of
from rulesdsl.engine.lower.expressions.builtins import INLINE, lowering_of
from rulesdsl.engine.lower.expressions.expressions import ExpressionLowering
from rulesdsl.engine.run.python.machine import BOARD as MODULES
from rulesdsl.engine.run.python.machine import RUNTIME
from rulesdsl.engine.run.words.box import Absent as Refused
from rulesdsl.engine.runtime.faults import Fault
from rulesdsl.language.builtins import FUNCTIONS, PROPERTIES, runtime_call
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import ir
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.types import (
    ANY,
    CELL,
    FEATURE,
    GRID,
    INT,
    KIND,
    PIECE,
    PLACEMENT,
    PLAYER,
    SEGMENT,
    SIDE,
    SPACE,
    ZONE,
    EnumType,
    IntType,
    SetType,
    Type,
)
from rulesdsl.language.model.values import (
    Cell,
    EnumMember,
    Feature,
    Grid,
    Kind,
    Piece,
    Placement,
    Player,
    Segment,
    Space,
    Value,
    Zone,
)
from tests.engines.test_worlds import ASKS, FAILS, name
from tests.engines.worlds import plain
from tests.ir.verify import verify
from tests.lower.questions import core_program, new_machine, put_set
from tests.oracle.table import PlainTable
from tests.oracle.world import World
from tests.runtime.worlds import Worlds

Call = tuple[str, tuple[Type, ...], Type]
"""A builtin with the types of what it takes and gives."""

BOARD = {
    name: value
    for module in MODULES
    for name, value in vars(import_module(RUNTIME + module)).items()
}
ENUMS = (SIDE, EnumType("plain/colour"))
TYPES: dict[type, Type] = {
    int: INT,
    Player: PLAYER,
    Kind: KIND,
    Piece: PIECE,
    Segment: SEGMENT,
    Feature: FEATURE,
    Cell: CELL,
    Placement: PLACEMENT,
    Zone: ZONE,
    Grid: GRID,
    Space: SPACE,
}


def calls() -> list[Call]:
    """Every signature of every builtin; where it is for any enum, one for each enum there is."""
    found: list[Call] = []
    for builtin in FUNCTIONS.values():
        for signature in builtin.signatures:
            for enum in ENUMS if ANY in signature.params else ENUMS[:1]:
                params = tuple(enum if p == ANY else p for p in signature.params)
                result = enum if signature.result == ANY else signature.result
                found.append((builtin.name, params, result))
    for property_, rows in PROPERTIES.items():
        found += [(property_, (owner,), result) for owner, result, *_ in rows]
    return list(dict.fromkeys(found))


def test_every_row_is_lowered_and_every_lowering_is_of_a_row() -> None:
    lowered = [lowering_of(*call) for call in calls()]
    assert None not in lowered
    unused = {key for key, lowering in INLINE.items() if lowering not in lowered}
    assert unused == set()


@pytest.mark.parametrize("call", calls(), ids=str)
def test_the_function_of_a_row_takes_what_the_row_says(call: Call) -> None:
    found = runtime_call(*call)
    if found is not None:
        function, more = found
        parameters = inspect.signature(BOARD[function]).parameters
        assert len(parameters) == len(call[1]) + len(more)


# --- what they give ------------------------------------------------------------------------------


class Answers:
    """A program with a function for every signature, for the plain box with two players."""

    def __init__(self) -> None:
        span = plain().roles.span
        checked = Checked(plain(), {}, {}, {}, {}, (), "", "", "")
        self.lowering = Lowering(checked, 2, optimised=True)
        self.functions = {call: f"ask_{number}" for number, call in enumerate(calls())}
        for call in self.functions:
            self.lowering.add_function(self._function(call, span))
        self.program = core_program(self.lowering, tuple(self.functions.values()))
        self.machine = new_machine(self.program)
        self.blank = bytes(self.machine.sharing.instance.memory)

    def _function(self, call: Call, span: Span) -> ir.Function:
        builtin, params, result = call
        builder = Builder()
        environment = Locals(builder)
        own = tuple(environment.parameter(f"p{i}", t, "int") for i, t in enumerate(params))
        given = tuple(tree.Local(span, type_, f"p{i}") for i, type_ in enumerate(params))
        node = tree.CallBuiltin(span, result, builtin, given)
        value = ExpressionLowering(self.lowering, builder, environment).value(node)
        builder.emit(ir.Return(value, span))
        return builder.function(self.functions[call], "", own, kind_of(result))

    def call_of(self, builtin: str, arguments: tuple[Value, ...], is_property: bool) -> Call:
        """The signature that takes these arguments."""
        for params in product(*map(_accepted, arguments)):
            for call in self.functions:
                # `cells` is both: only the function gives a set.
                number = builtin == "cells" and call[2] == INT
                if call[:2] == (builtin, params) and (builtin != "cells" or number == is_property):
                    return call
        raise AssertionError(f"no {builtin}{arguments}")


def _accepted(value: Value) -> list[Type]:
    """The types of parameters that take a value."""
    match value:
        case EnumMember(enum, _):
            return [EnumType(enum)]
        case int():
            return [INT, IntType(1, 3)]
        case tuple():
            return [SetType(type_) for type_ in _accepted(value[0])]
        case Piece(index):
            cls = plain().kinds[plain().pieces[index].kind].cls
            classes = [t for _, params, _ in calls() for t in params if str(t) == cls]
            return [*dict.fromkeys(classes), PIECE]
    return [TYPES[type(value)]]


@cache
def answers() -> Answers:
    return Answers()


class Both(PlainTable):
    """Asks the plain world and the program whatever it is asked."""

    def __init__(self) -> None:
        super().__init__(World(plain(), 2))
        self.machine = answers().machine
        self.machine.sharing.instance.memory[:] = answers().blank
        self.tables = self.machine.tables
        self.worlds = Worlds(answers().lowering.encoding, self.world)

    def ask(self, name: str, *arguments: Any) -> Any:
        try:
            expected = super().ask(name, *arguments)
        except Refused:
            with pytest.raises(Fault):
                self._lowered(name, arguments)
            raise
        assert self._lowered(name, arguments) == expected
        return expected

    def _lowered(self, name: str, arguments: tuple[Value, ...]) -> Value:
        encoding, heap = answers().lowering.encoding, self.tables["heap"]
        call = answers().call_of(name.removeprefix("."), arguments, name.startswith("."))
        self.worlds.write(self.tables, self.world)
        self.machine.call("rebuild")
        self.tables["heap_top"][0] = 0
        given = [
            put_set(self.tables, encoding, value, type_)
            if isinstance(type_, SetType) and isinstance(value, tuple)
            else encoding.encode(value, type_)
            for value, type_ in zip(arguments, call[1], strict=True)
        ]
        found = self.machine.call(answers().functions[call], *given)
        assert found is not None
        if isinstance(call[2], SetType):
            return tuple(encoding.decode(i, call[2].item) for i in heap[found + 1 :][: heap[found]])
        return encoding.decode(int(found), call[2])


def test_the_program_is_well_formed() -> None:
    assert verify(answers().program) == []


@pytest.mark.parametrize(("case", "ask"), ASKS, ids=name)
def test_both_give_what_is_asked(case: dict[str, Any], ask: str) -> None:
    at = Both()
    for step in case.get("do", ()):
        at.read(step)
    assert at.show(at.read(ask)) == case["ask"][ask]


@pytest.mark.parametrize(("case", "fail"), FAILS, ids=name)
def test_both_fail(case: dict[str, Any], fail: str) -> None:
    at = Both()
    for step in case.get("do", ()):
        at.read(step)
    with pytest.raises(Refused):
        at.read(fail)
