"""Blocks of a routine, put in as few pieces as there are ways into them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from rulesdsl.model import ir

Becomes = Callable[[int], ir.Block]
Blocks = dict[int, ir.Block]
"""The statements of each block by its point, in the order they are tried."""


def tidy(blocks: Blocks, kept: Iterable[int], at: str) -> Blocks:
    """The same blocks with fewer jumps: a block that only goes on elsewhere is left out, one with
    a single way in stands where that way is. `kept` are the points that are come to from outside,
    `at` is the local that says where to go on."""
    kept = set(kept)
    while True:
        blocks = _threaded(blocks, kept, at)
        merged = _merged(blocks, kept, at)
        if merged == blocks:
            return blocks
        blocks = merged


def _threaded(blocks: Blocks, kept: set[int], at: str) -> Blocks:
    """Jumps to blocks that only jump go where those go; blocks that nothing leads to are gone."""
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
    """Every block that has a single way in, at the end of another, stands there."""
    ways = Counter(target for block in blocks.values() for target in _targets(block, at))
    inner = {point for point in blocks if ways[point] == 1 and point not in kept}
    found = dict(blocks)

    def becomes(target: int) -> ir.Block:
        return found.pop(target) if target in inner else _go(target, at)

    for root in blocks.keys() - inner:
        # What stands in others comes before them, so that it is whole when it is put there.
        order = [root]
        for point in order:
            order += inner.intersection(_targets(blocks[point], at))
        for point in reversed(order):
            found[point] = _replaced(blocks[point], at, becomes)
    return found


def _targets(block: ir.Block, at: str) -> Iterator[int]:
    """Where the jumps at the ends of a block lead."""
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
