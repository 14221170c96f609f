"""The simplification of jumps between the blocks of a routine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from rulesdsl.model import ir

Becomes = Callable[[int], ir.Block]
Blocks = dict[int, ir.Block]
"""The statements of each block by its point, in the order they are tried."""


def tidy(blocks: Blocks, kept: Iterable[int], at: str) -> Blocks:
    """Return the same blocks with fewer jumps.

    A block that only jumps elsewhere is left out, and one with a single predecessor is merged
    into it. `kept` are the points that are entered from outside, `at` is the local that holds
    the point to continue at.
    """
    kept = set(kept)
    while True:
        blocks = _threaded(blocks, kept, at)
        merged = _merged(blocks, kept, at)
        if merged == blocks:
            return blocks
        blocks = merged


def _threaded(blocks: Blocks, kept: set[int], at: str) -> Blocks:
    """Redirect jumps to blocks that only jump, and drop unreachable blocks."""
    ends: dict[int, int] = {}
    for point, block in blocks.items():
        match block:
            case (ir.Assign(name=name, value=ir.Const(value=target)),) if name == at:
                ends[point] = target

    def end(point: int) -> int:
        seen = set[int]()
        while point in ends and point not in seen:
            seen.add(point)
            point = ends[point]
        return point

    found = {
        point: _replaced(block, at, lambda target: _go(end(target), at))
        for point, block in blocks.items()
    }
    reached = kept | {target for block in found.values() for target in _targets(block, at)}
    return {point: block for point, block in found.items() if point in reached}


def _go(point: int, at: str) -> ir.Block:
    return (ir.Assign(at, ir.Const(point)),)


def _merged(blocks: Blocks, kept: set[int], at: str) -> Blocks:
    """Merge every block that has a single predecessor into the end of that one."""
    ways = Counter(target for block in blocks.values() for target in _targets(block, at))
    inner = {point for point in blocks if ways[point] == 1 and point not in kept}
    found = dict(blocks)

    def becomes(target: int) -> ir.Block:
        return found.pop(target) if target in inner else _go(target, at)

    for root in blocks.keys() - inner:
        # Inner blocks are completed first, since they are copied into the outer ones.
        order = [root]
        for point in order:
            order += inner.intersection(_targets(blocks[point], at))
        for point in reversed(order):
            found[point] = _replaced(blocks[point], at, becomes)
    return found


def _targets(block: ir.Block, at: str) -> Iterator[int]:
    """Yield the targets of the jumps at the ends of a block."""
    for statement in block:
        match statement:
            case ir.Assign(name=name, value=ir.Const(value=target)) if name == at:
                yield target
            case ir.If(then=then, otherwise=otherwise):
                yield from _targets(then, at)
                yield from _targets(otherwise, at)


def _replaced(block: ir.Block, at: str, becomes: Becomes) -> ir.Block:
    """Return the block with other statements in place of its jumps."""
    made: list[ir.Stmt] = []
    for statement in block:
        match statement:
            case ir.Assign(name=name, value=ir.Const(value=target)) if name == at:
                made.extend(becomes(target))
            case ir.If(condition, then, otherwise, span):
                parts = _replaced(then, at, becomes), _replaced(otherwise, at, becomes)
                made.append(ir.If(condition, *parts, span))
            case _:
                made.append(statement)
    return tuple(made)
