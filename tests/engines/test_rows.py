"""Rows of a program: a machine keeps the tables of many games apart."""

from __future__ import annotations

import ast
from collections.abc import Callable
from inspect import getsource

from rulesdsl.engine.ir.passes import optimise
from rulesdsl.engine.run.machine import Stopped
from rulesdsl.engine.run.wasm.machine import Instance
from rulesdsl.engine.run.wasm.printer import print_module
from rulesdsl.engine.run.wasm.program import compile_module
from rulesdsl.engine.runtime import tables
from rulesdsl.engine.runtime.faults import INDEX
from tests.ir import evaluate
from tests.ir.reading import read_program

PROGRAM = """\
entries add, sum

state points[1] from 0 to 100
state many[6] from -9 to 9
beside seen[2] from 0 to 100
scratch total[1] from 0 to 1000

function add(number: int, won: int) -> int:
    local found: int
    enter number
    points[0] = points[0] + won
    many[won] = number
    seen[1] = seen[1] + 1
    found = points[0] * 100 + seen[1]
    enter 0
    return found

function sum(last: int) -> int:
    local row: int
    total[0] = 0
    for row in range(0, last):
        enter row
        total[0] = total[0] + points[0] + many[1]
    enter 0
    return total[0]
"""
CALLS = [
    *(("add", 0, 5), ("add", 1, 2), ("add", 2, 1), ("add", 1, 1), ("sum", 3), ("add", 1, 4)),
    *(("add", -1, 1), ("add", 1, 6), ("add", 1, 0), ("sum", 3), ("add", 0, 0)),
]
Call = Callable[..., int | bool | None]


def evaluated() -> Call:
    program = read_program(PROGRAM)
    tables = evaluate.new_tables(program)
    rows = evaluate.new_rows(program, tables)

    def call(name: str, *arguments: int) -> int | bool | None:
        try:
            return evaluate.evaluate(program, tables, name, *arguments, rows=rows)
        except evaluate.Stopped as stopped:
            return -stopped.code

    return call


def on_wasm() -> Call:
    instance = Instance(compile_module(print_module(optimise(read_program(PROGRAM)))), 2)

    def call(name: str, *arguments: int) -> int | bool | None:
        try:
            return instance.call(name, *arguments)
        except Stopped as stopped:
            return -stopped.code

    return call


def test_machines_agree_about_rows() -> None:
    one, other = evaluated(), on_wasm()
    given = [one(*call) for call in CALLS]
    assert given == [other(*call) for call in CALLS]
    assert given[:5] == [501, 201, 101, 302, 5 + 3 + 1 + 0 + 1 + 2]
    assert given[6] == given[7] == -INDEX


def test_every_table_of_the_runtime_is_declared_once() -> None:
    tree = ast.parse(getsource(tables))
    names = [
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    assert len(names) == len(set(names))


def test_a_row_beyond_the_memory_is_a_fault() -> None:
    call = on_wasm()
    room = next(row for row in range(1, 10_000_000, 1000) if call("add", row, 0) == -INDEX)
    assert room > 2
    assert call("add", 1 << 40, 0) == call("add", -(1 << 40), 0) == -INDEX
    assert call("add", 0, 1) == 101
