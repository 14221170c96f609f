"""Compiled modules, and the places of the instructions that can stop them.

A start from the cache imports only this module, not the printer.
"""

from __future__ import annotations

import marshal
from bisect import bisect_left
from functools import cache, cached_property
from multiprocessing import parent_process
from typing import TYPE_CHECKING

import wasmtime

from rulesdsl.base.records import dataclass
from rulesdsl.engine.run.machine import Where
from rulesdsl.engine.run.wasm.binary import Op
from rulesdsl.engine.run.wasm.layout import Layout, TablePlace, Width

if TYPE_CHECKING:
    from rulesdsl.engine.run.wasm.printer import PrintedModule


@dataclass(frozen=True)
class WasmProgram:
    """A module as WebAssembly (`content`) and as machine code (`native`).

    The instruction at `offsets[n]` can stop the program, or calls a function that can, and comes
    from `places[spans[n]]` (-1: from no rule). `extra` is data of the caller that is cached with
    it.
    """

    content: bytes
    native: bytes
    layout: Layout
    offsets: tuple[int, ...]
    spans: tuple[int, ...]
    places: tuple[Where, ...]
    extra: bytes = b""

    @cached_property
    def module(self) -> wasmtime.Module:
        """The module, ready for instantiation; threads can share it."""
        return wasmtime.Module.deserialize(_engine(), self.native)

    @property
    def engine(self) -> wasmtime.Engine:
        """The engine of `wasmtime` that runs it."""
        return _engine()

    def at(self, offset: int) -> Where | None:
        """Return the place in the rules of an instruction that can stop, None for any other."""
        number = bisect_left(self.offsets, offset)
        if self.offsets[number : number + 1] != (offset,):
            return None
        span = self.spans[number]
        return None if span < 0 else self.places[span]


@cache
def _engine(threads: bool = True) -> wasmtime.Engine:
    """Return the engine of `wasmtime` that compiles and runs all modules; one compiles alone."""
    config = wasmtime.Config()
    config.parallel_compilation = threads
    # Otherwise memory is initialised from a temporary file, which a limit on file sizes
    # (`ulimit -f`) forbids.
    config.memory_init_cow = False
    return wasmtime.Engine(config)


def compile_module(module: PrintedModule, extra: bytes = b"") -> WasmProgram:
    """Compile a printed module."""
    spans = {mark.span: None for mark in module.marks if mark.span is not None}
    numbers = {span: number for number, span in enumerate(spans)}
    # A forked process does not have the threads for compilation that its parent has started, and
    # would wait for them forever.
    compiled = wasmtime.Module(_engine(parent_process() is None), module.content)
    return WasmProgram(
        module.content,
        bytes(compiled.serialize()),
        module.layout,
        tuple(mark.offset for mark in module.marks),
        tuple(-1 if mark.span is None else numbers[mark.span] for mark in module.marks),
        tuple((span.source.name, span.start, span.end) for span in spans),
        extra,
    )


def dump(program: WasmProgram) -> bytes:
    """Return a compiled module as bytes, only for the same machine and the same wasmtime."""
    layout = program.layout
    places = {
        name: (place.address, tuple(map(int, place.width[:3])), place.width.format, *place[2:])
        for name, place in layout.places.items()
    }
    return marshal.dumps(
        (
            (program.content, program.native, program.extra),
            (places, *layout[1:]),
            (program.offsets, program.spans, program.places),
        )
    )


def restore(content: bytes) -> WasmProgram:
    """Return the module that was dumped.

    The content must come from a trusted source, because it will be run. Raises ValueError if
    another wasmtime or another machine compiled it.
    """
    (module, native, extra), (kept, *sizes), marks = marshal.loads(content)
    places: dict[str, TablePlace] = {}
    for name, (address, (power, load, store), letter, *rest) in kept.items():
        places[name] = TablePlace(address, Width(power, Op(load), Op(store), letter), *rest)
    offsets, spans, where = marks
    layout = Layout(places, *sizes)
    program = WasmProgram(module, native, layout, offsets, spans, where, extra)
    try:
        assert program.module is not None
    except wasmtime.WasmtimeError as error:
        raise ValueError(str(error)) from None
    return program
