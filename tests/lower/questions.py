"""The values of games/questions.rules, asked of the plain evaluator and of the lowered program at
the same position."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from inspect import getsource
from pathlib import Path

from rulesdsl.engine.ir.subset import read_functions
from rulesdsl.engine.lower.bodies.state_functions import lower_states
from rulesdsl.engine.lower.bodies.values import lower_values
from rulesdsl.engine.lower.context import Lowering
from rulesdsl.engine.lower.tables.box import make_box
from rulesdsl.engine.lower.tables.encoding import Encoding
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.wasm.machine import Instance, Sharing, WasmMachine
from rulesdsl.engine.run.wasm.printer import print_module
from rulesdsl.engine.run.wasm.program import compile_module
from rulesdsl.engine.runtime import faults, tables
from rulesdsl.engine.runtime.declare import DeclaredTable, make_tables
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import ir
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.ir import Tables
from rulesdsl.language.model.types import SetType, Type
from rulesdsl.language.model.values import Value
from tests.oracle.evaluate import Context, Scope
from tests.oracle.world import World
from tests.runtime.worlds import Worlds
from tests.small_games import built

GAMES = Path(__file__).parent / "games"
ROOTS = (
    *("heap", "questions"),
    *("placements", "groups", "likeness", "effects"),
)
"""The modules of the runtime that answer, with those they import."""

TABLES = {name: table for name, table in vars(tables).items() if isinstance(table, DeclaredTable)}


@cache
def game(drawn: bool) -> Checked:
    """The game of questions, with something drawn on its dice or not."""
    return built(GAMES / "questions.yaml", drawn=drawn)


def core_modules(roots: tuple[str, ...]) -> dict[str, str]:
    """The sources of modules of the runtime and of all they import, by name."""
    found: dict[str, str] = {}
    waiting = [f"rulesdsl.engine.runtime.{root}" for root in roots]
    while waiting:
        name = waiting.pop()
        if name in found or name.rsplit(".", 1)[-1] in ("tables", "faults", "slots", "declare"):
            continue
        found[name] = getsource(import_module(name))
        for node in ast.walk(ast.parse(found[name])):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "rulesdsl.engine.runtime"
            ):
                if node.module == "rulesdsl.engine.runtime":
                    waiting += [f"rulesdsl.engine.runtime.{alias.name}" for alias in node.names]
                else:
                    waiting.append(node.module or "")
    return found


def numbers_of(module: object) -> dict[str, int]:
    """The constants of a module."""
    return {name: value for name, value in vars(module).items() if type(value) is int}


def core_program(lowering: Lowering, entries: tuple[str, ...]) -> ir.Program:
    """The functions added so far, with those of the runtime that answer."""
    box = make_box(lowering.checked, lowering.players, lowering.encoding)
    more = {"heap": 1 << 14, "moves": 64, "joints": 256}
    dims = {**box.dims, **more}
    values = {**box.values, **{name.upper(): (size,) for name, size in more.items()}}
    constants = numbers_of(faults) | numbers_of(faults) | numbers_of(tables)
    functions = read_functions(core_modules(ROOTS), TABLES, constants)
    core = make_tables(TABLES, dims, values)
    all_functions = functions | lowering.functions
    return ir.Program(core | lowering.tables, all_functions, ("rebuild", *entries))


def new_machine(program: ir.Program) -> WasmMachine:
    """The program on a machine of its own."""
    return WasmMachine(Sharing(Instance(compile_module(print_module(program)))), {})


class Lowered:
    """A game with its values as a program, without anything that acts."""

    def __init__(self, drawn: bool, players: int) -> None:
        self.checked = game(drawn)
        self.players = players
        self.lowering = Lowering(self.checked, players, optimised=True)
        lower_states(self.lowering)
        lower_values(self.lowering)
        entries = ("init_states", *self.lowering.values.values())
        self.program = core_program(self.lowering, entries)
        self.machine = new_machine(self.program)
        self.blank = bytes(self.machine.sharing.instance.memory)


@cache
def lowered(drawn: bool, players: int) -> Lowered:
    return Lowered(drawn, players)


class Asked:
    """The plain evaluator and the program at one position."""

    def __init__(self, drawn: bool, players: int) -> None:
        self.lowered = lowered(drawn, players)
        self.checked = self.lowered.checked
        self.context = Context(self.checked, World(self.checked.game, players))
        self.machine = self.lowered.machine
        self.machine.sharing.instance.memory[:] = self.lowered.blank
        self.tables = self.machine.tables

    @property
    def world(self) -> World:
        return self.context.world

    def settle(self) -> None:
        """Give the tables what the plain world and the evaluator have."""
        lowering = self.lowered.lowering
        Worlds(lowering.encoding, self.world).write(self.tables, self.world)
        self.run("rebuild")
        self.tables["fuel"][0] = faults.STEPS
        self.run("init_states")
        for (state, owner, index), value in self.context.states.items():
            table = lowering.states[state]
            table.write(self.tables, table.row(self.tables, owner, index), value)

    def run(self, function: str, *arguments: int | bool) -> int | bool | None:
        return self.machine.call(function, *arguments)

    def plain(self, key: str, arguments: tuple[Value, ...]) -> object:
        """What a value is; "fault" for an error."""
        definition = self.checked.values[key]
        span = definition.span
        given = tuple(
            tree.Const(span, param.type, value)
            for param, value in zip(definition.params, arguments, strict=True)
        )
        self.context.fuel, self.context.depth = faults.STEPS, 0
        try:
            return self.context.evaluate(tree.CallValue(span, definition.type, key, given), Scope())
        except PlayError:
            return "fault"

    def program(self, key: str, arguments: tuple[Value, ...]) -> object:
        """The same of the program."""
        definition = self.checked.values[key]
        encoding = self.lowered.lowering.encoding
        heap, top = self.tables["heap"], self.tables["heap_top"]
        top[0] = 0
        given = [
            self.number(value, param.type)
            for param, value in zip(definition.params, arguments, strict=True)
        ]
        before = top[0]
        self.tables["fuel"][0] = faults.STEPS
        try:
            found = self.run(self.lowered.lowering.values[key], *given)
        except faults.Fault:
            return "fault"
        assert found is not None
        type_ = definition.type
        if isinstance(type_, SetType):
            assert not isinstance(found, bool)
            items = heap[found + 1 : found + 1 + heap[found]]
            assert items == sorted(set(items))
            assert top[0] == found + 1 + len(items), "the set is the topmost"
            return tuple(encoding.decode(i, type_.item) for i in items)
        assert top[0] == before, "the heap is as it was"
        return encoding.decode(int(found), type_)

    def number(self, value: Value, type_: Type) -> int:
        """A value as an argument; a set on the heap."""
        encoding = self.lowered.lowering.encoding
        if isinstance(value, tuple):
            return put_set(self.tables, encoding, value, type_)
        return encoding.encode(value, type_)


def put_set(tables: Tables, encoding: Encoding, members: tuple[Value, ...], type_: Type) -> int:
    """A set of that type on the heap."""
    assert isinstance(type_, SetType)
    offset = tables["heap_top"][0]
    items = [len(members), *(encoding.encode(member, type_.item) for member in members)]
    tables["heap"][offset : offset + len(items)] = items
    tables["heap_top"][0] = offset + len(items)
    return offset
