"""A program of the IR as a WebAssembly module.

The module imports nothing. It exports the entries of the program, its memory, and a few more names
(see `layout`). A fault is a trap, and a global holds its code. The memory never grows, and holds
only tables.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rulesdsl.engines.wasm.binary import (
    MAGIC,
    MEMORY_COPY,
    Op,
    Type,
    names_section,
    section,
    signature,
    signed,
    sized,
    text,
    unsigned,
    vector,
)
from rulesdsl.engines.wasm.code import Code, Mark
from rulesdsl.engines.wasm.expressions import TYPES, Callee
from rulesdsl.engines.wasm.layout import FAULT, LOAD, MEMORY, SAVE, Layout, lay_out
from rulesdsl.engines.wasm.statements import print_function
from rulesdsl.ir.ranges import Ranges, analyse
from rulesdsl.model import ir


class Module(NamedTuple):
    """A module: its bytes, the layout of its tables, and the instructions that can stop it.

    The marks of these instructions have offsets in the bytes of the module.
    """

    content: bytes
    layout: Layout
    marks: tuple[Mark, ...]


def print_module(program: ir.Program, ranges: Ranges | None = None) -> Module:
    """Return the module of a well-formed program.

    `ranges` are those of the program, if they are known already.
    """
    layout = lay_out(program.tables.values())
    ranges = ranges or analyse(program)
    callees = {
        name: Callee(number, TYPES[function.result] if function.result else Type.NOTHING)
        for number, (name, function) in enumerate(program.functions.items())
    }
    codes = [
        print_function(function, layout, ranges, callees) for function in program.functions.values()
    ]
    types = [_signature(function) for function in program.functions.values()]
    copies = signature([Type.I32], [])
    codes += [_copy(layout, save=True), _copy(layout, save=False)]
    types += [copies, copies]
    exports = {name: callees[name].number for name in program.entries}
    exports |= {SAVE: len(codes) - 2, LOAD: len(codes) - 1}
    before = MAGIC + _declarations(types, layout, exports)
    bodies, marks = _bodies(codes, len(before))
    data = _data(program.tables, layout)
    named = names_section({callee.number: name for name, callee in callees.items()})
    return Module(before + bodies + data + named, layout, marks)


def _signature(function: ir.Function) -> bytes:
    results = [TYPES[function.result]] if function.result else []
    return signature([TYPES[kind] for _, kind in function.params], results)


def _copy(layout: Layout, *, save: bool) -> Code:
    """Return a function that copies the state to an address, or from there."""
    code = Code([Type.I32])
    code.get(0) if save else code.short(0)
    code.short(0) if save else code.get(0)
    code.short(layout.state)
    code.raw(MEMORY_COPY)
    return code


def _declarations(types: Sequence[bytes], layout: Layout, exports: Mapping[str, int]) -> bytes:
    """Return the sections before the code: types, functions, memory, exports."""
    kinds = list(dict.fromkeys(types))
    numbers = {kind: number for number, kind in enumerate(kinds)}
    memory = bytes((1,)) + unsigned(layout.pages) * 2
    exported = [text(name) + bytes((0,)) + unsigned(number) for name, number in exports.items()]
    return (
        section(1, vector(kinds))
        + section(3, vector([unsigned(numbers[kind]) for kind in types]))
        + section(5, vector([memory]))
        + section(6, vector([bytes((Type.I32, 1, Op.I32_CONST, 0, Op.END))]))
        + section(7, vector([text(MEMORY) + bytes((2, 0)), text(FAULT) + bytes((3, 0)), *exported]))
    )


def _bodies(codes: Sequence[Code], start: int) -> tuple[bytes, tuple[Mark, ...]]:
    """Return the code section, which begins at `start`, and the marks in it."""
    content = bytearray(unsigned(len(codes)))
    found: list[tuple[int, Mark]] = []
    for code in codes:
        body, first = code.body()
        first += len(content)
        found += [(first + mark.offset, mark) for mark in code.marks]
        content += body
    whole = section(10, bytes(content))
    before = start + len(whole) - len(content)
    return whole, tuple(Mark(before + at, mark.span) for at, mark in found)


def _data(tables: Mapping[str, ir.Table], layout: Layout) -> bytes:
    """Return the data section with the initial values of tables, except zeros."""
    segments = []
    for name, table in tables.items():
        if any(table.values):
            place = layout.places[name]
            values = struct.pack(f"<{table.size}{place.width.format}", *table.values)
            offset = bytes((Op.I32_CONST,)) + signed(place.address) + bytes((Op.END,))
            segments.append(bytes((0,)) + offset + sized(values))
    return section(11, vector(segments))
