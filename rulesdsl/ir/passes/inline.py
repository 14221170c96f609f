"""Inline: calls of small functions give way to what the functions do.

A function that only returns an expression without a call takes the place of its calls. Any other is
put before the statement that calls it, its result in a local, if nothing that is evaluated earlier
in the statement could tell the difference. Functions are treated after those they call; what no
entry reaches any longer is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rulesdsl.ir.passes import trees
from rulesdsl.ir.passes.callee import Callee
from rulesdsl.ir.passes.fold import fold_function
from rulesdsl.ir.passes.splice import Splicer
from rulesdsl.model import ir

LIMIT = 60
"""Functions of so many nodes are inlined wherever they are called."""
ONCE = 600
"""Functions of so many nodes are inlined if they are called in one place only."""

GROWTH = 50_000
"""When functions have grown by so many nodes together, calls in all others stay."""


def inline(program: ir.Program) -> ir.Program:
    """A program with calls inlined, and without functions that no entry reaches."""
    called = {name: _called(function) for name, function in program.functions.items()}
    uses = Counter[str]()
    for counted in called.values():
        uses.update(counted)
    callees: dict[str, Callee] = {}
    room = GROWTH
    functions: dict[str, ir.Function] = {}
    for name in _after_callees(program.entries, called):
        function = program.functions[name]
        if room > 0 and not callees.keys().isdisjoint(called[name]):
            before = len(function.nodes)
            function = _inlined(function, callees, program.tables)
            called[name] = _called(function)
            room -= max(0, len(function.nodes) - before)
        functions[name] = function
        bound = ONCE if uses[name] == 1 and name not in program.entries else LIMIT
        callee = None if name in called[name] else Callee.of(function, bound)
        if callee is not None:
            callees[name] = callee
    reached = set(_after_callees(program.entries, called))
    kept = {name: functions[name] for name in program.functions if name in reached}
    same = len(kept) == len(program.functions) and all(
        function is program.functions[name] for name, function in kept.items()
    )
    return program if same else replace(program, functions=kept)


def prune(program: ir.Program) -> ir.Program:
    """A program without functions that no entry reaches."""
    called = {name: _called(function) for name, function in program.functions.items()}
    reached = set(_after_callees(program.entries, called))
    if len(reached) == len(called):
        return program
    kept = {name: f for name, f in program.functions.items() if name in reached}
    return replace(program, functions=kept)


def _called(function: ir.Function) -> Counter[str]:
    """How often a function calls which."""
    return Counter(call.function for call in function.nodes.of(ir.Call))


def _inlined(
    function: ir.Function, callees: Mapping[str, Callee], tables: Mapping[str, ir.Table]
) -> ir.Function:
    splicer = Splicer(function, callees, tables)
    body = splicer.block(function.body)
    if body is function.body:
        return function
    return fold_function(trees.with_body(function, body, splicer.names.added), tables)


def _after_callees(entries: Sequence[str], called: Mapping[str, Counter[str]]) -> list[str]:
    """The functions that entries reach, each after those that it calls if that is possible."""
    order: dict[str, None] = {}
    begun: set[str] = set()
    stack = [(name, False) for name in reversed(entries)]
    while stack:
        name, done = stack.pop()
        if done:
            order[name] = None
        elif name not in begun:
            begun.add(name)
            stack.append((name, True))
            stack.extend((callee, False) for callee in reversed(called[name]))
    return list(order)
