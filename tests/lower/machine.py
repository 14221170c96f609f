"""Values of small games, worked out by the plain evaluator and by the lowered program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import islice, product
from pkgutil import iter_modules

import rulesdsl.engine.runtime
from rulesdsl.engine.ir.subset import read_functions
from rulesdsl.engine.lower.bodies.state_functions import lower_states
from rulesdsl.engine.lower.bodies.values import lower_values
from rulesdsl.engine.lower.context import Lowering
from rulesdsl.engine.lower.tables.box import make_box
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.runtime import faults
from rulesdsl.engine.runtime import tables as core_tables
from rulesdsl.engine.runtime.declare import make_tables
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import ir
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.types import (
    BOOL,
    PLAYER,
    SPACE,
    EnumType,
    IntType,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.language.model.values import EnumMember, Value
from tests.ir.evaluate import Stopped, evaluate, new_tables
from tests.ir.verify import verify
from tests.lower.questions import TABLES, core_modules, numbers_of
from tests.oracle.evaluate import Context, Scope
from tests.oracle.world import World

Make = Callable[[Lowering], ir.Function]

FAULTED = "a fault"
HEAP = 1 << 14


@cache
def core_functions() -> Mapping[str, ir.Function]:
    """The functions of the runtime."""
    constants = numbers_of(faults) | numbers_of(faults) | numbers_of(core_tables)
    roots = tuple(module.name for module in iter_modules(rulesdsl.engine.runtime.__path__))
    return read_functions(core_modules(roots), TABLES, constants)


class Machine:
    """A game before its first rule, for both. `more` makes further functions."""

    def __init__(self, checked: Checked, players: int, *more: Make, heap: int = HEAP) -> None:
        self.checked = checked
        self.lowering = Lowering(checked, players, optimised=True)
        lower_states(self.lowering)
        lower_values(self.lowering)
        for make in more:
            self.lowering.add_function(make(self.lowering))
        self.program = self._program(heap)
        self.tables = new_tables(self.program)
        self.tables["top"][0] = -1
        for entry in ("start_all", "rebuild", "init_states"):
            self.call(entry)
        self.context = Context(checked, World(checked.game, players))

    def _program(self, heap: int) -> ir.Program:
        lowering = self.lowering
        box = make_box(self.checked, lowering.players, lowering.encoding)
        sizes = {**box.dims, "heap": heap}
        values = {**box.values, "HEAP": (heap,)}
        tables = make_tables(TABLES, sizes, values) | lowering.tables
        functions = {**core_functions(), **lowering.functions}
        entries = ("start_all", "rebuild", "init_states", *lowering.values.values())
        program = ir.Program(tables, functions, entries)
        assert verify(program, faults.MESSAGES) == []
        return program

    def call(self, function: str, *arguments: int) -> int | bool | None:
        """Call a function with all the fuel there is."""
        self.tables["fuel"][0] = faults.STEPS
        return evaluate(self.program, self.tables, function, *arguments)

    def compare_states(self) -> None:
        """Both have the same states."""
        for key, state in self.lowering.states.items():
            for owner, index, row in state.rows(self.tables):
                expected = self.context.stored((key, owner, index))
                assert state.read(self.tables, row) == expected, (key, owner, index)

    # --- values --------------------------------------------------------------------------------

    def expected(self, key: str, arguments: tuple[Value, ...]) -> object:
        """What the evaluator gives for a value."""
        definition = self.checked.values[key]
        given = tuple(
            tree.Const(definition.span, param.type, value)
            for param, value in zip(definition.params, arguments, strict=True)
        )
        call = tree.CallValue(definition.span, definition.type, key, given)
        self.context.fuel, self.context.depth = faults.STEPS, 0
        try:
            return self.context.evaluate(call, Scope())
        except PlayError:
            return FAULTED

    def found(self, key: str, arguments: tuple[Value, ...]) -> object:
        """The same by the program; the heap is as it was but for a set that is given."""
        definition = self.checked.values[key]
        heap, top = self.tables["heap"], self.tables["heap_top"][0]
        given = [
            self._number(value, param.type)
            for param, value in zip(definition.params, arguments, strict=True)
        ]
        below = self.tables["heap_top"][0]
        try:
            result = self.call(self.lowering.values[key], *given)
        except Stopped:
            self.tables["heap_top"][0] = top
            return FAULTED
        assert result is not None
        offset, end = int(result), self.tables["heap_top"][0]
        self.tables["heap_top"][0] = top
        kind = definition.type
        if isinstance(kind, OptionalType) and isinstance(kind.item, SetType) and offset < 0:
            return None
        item = _item(kind)
        if item is None:
            assert end == below, "the heap is not as it was"
            return self.lowering.encoding.decode(offset, kind)
        assert end == offset + 1 + heap[offset], "the set is not topmost"
        assert offset == below, "something is left below the set"
        members = heap[offset + 1 : end]
        return tuple(self.lowering.encoding.decode(number, item) for number in members)

    def _number(self, value: Value, type_: Type) -> int:
        item = _item(type_)
        if item is None or value is None:
            return self.lowering.encoding.encode(value, type_)
        assert isinstance(value, tuple)
        heap, top = self.tables["heap"], self.tables["heap_top"]
        numbers = [self.lowering.encoding.encode(member, item) for member in value]
        made, end = top[0], top[0] + 1 + len(numbers)
        heap[made:end] = [len(numbers), *numbers]
        top[0] = end
        return made

    def compare(self, most: int = 60) -> set[str]:
        """Both give the same for every value and many arguments; gives the values that were
        not always a fault."""
        tried = set()
        for key, definition in self.checked.values.items():
            choices = [self._tries(param.type) for param in definition.params]
            for arguments in islice(product(*choices), most):
                expected = self.expected(key, arguments)
                assert self.found(key, arguments) == expected, (key, arguments)
                if expected != FAULTED:
                    tried.add(key)
        return tried

    def _tries(self, type_: Type) -> list[Value]:
        """Some values of a type."""
        match type_:
            case OptionalType(item):
                return [None, *self._tries(item)]
            case IntType(low, high):
                some = (-2, -1, 0, 1, 2, 3, 5, 8, 12, 2**31 - 1)
                return [number for number in some if low <= number <= high]
            case SetType(item):
                tries = self._tries(item)
                return [(), tuple(tries[:1]), tuple(tries[:4])]
            case EnumType(name):
                return [EnumMember(name, i) for i in range(self.lowering.encoding.enums[name])]
        if type_ == BOOL:
            return [False, True]
        encoding = self.lowering.encoding
        count = {PLAYER: encoding.players, SPACE: encoding.track_first[-1]}.get(type_, 6)
        return [encoding.decode(number, type_) for number in range(count)]


def _item(type_: Type) -> Type | None:
    """The type of the members, of a type of sets."""
    kind = type_.item if isinstance(type_, OptionalType) else type_
    return kind.item if isinstance(kind, SetType) else None
