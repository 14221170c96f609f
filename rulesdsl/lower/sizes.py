"""How much of `stack` the frames of a program take.

A routine begins, at the point that has its number, by saying where the next frame will begin.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.model import ir


def frame_sizes(program: ir.Program) -> tuple[int, ...]:
    """The size of a frame at each point; nothing for a program without points."""
    if "routine_of" not in program.tables:
        return ()
    sizes: dict[int, int] = {}
    for function in program.functions.values():
        for point, block in _entries(function.body):
            for statement in block:
                match statement:
                    case ir.Store("free", _, ir.Binary("+", ir.Local(), ir.Const(size))):
                        sizes[point] = size
    assert len(sizes) == len(set(program.tables["routine_of"].values)), "a frame has no size"
    return tuple(sizes[routine] for routine in program.tables["routine_of"].values)


def _entries(block: ir.Block) -> Iterator[tuple[int, ir.Block]]:
    """What is done only at a point."""
    for statement in block:
        match statement:
            case ir.If(ir.Compare("==", ir.Local(), ir.Const(point)), then, otherwise):
                yield point, then
                yield from _entries(otherwise)
            case ir.If(_, then, otherwise):
                yield from _entries(then)
                yield from _entries(otherwise)
            case ir.While(_, body):
                yield from _entries(body)
