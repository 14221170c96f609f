"""What indices and stored values can be, so that checks that cannot fail can be left out.

`analyse` looks at a whole program. What is known of a local where it is read comes from what it was
last given, the conditions passed since, and what it was an index of since; or, where ways meet
again or a loop may have changed it, from all that it is ever given. Parameters are what any call
passes (anything, for entries); results are whatever any `Return` gives; an entry of a table is
within the table's bounds.

So one check can make others needless: whoever leaves out what is not needed makes all the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from rulesdsl.ir.flow import Flow, Found, Loop, Record
from rulesdsl.ir.intervals import BIT, UNKNOWN, Interval, join
from rulesdsl.model import ir

PATIENCE = 2
"""After so many changes of one number's bounds they are widened in large steps."""
STEPS_DOWN = (0, -1, -(2**31), -inf)
STEPS_UP = (0, 1, 2**31 - 1, inf)


@dataclass(frozen=True)
class Ranges:
    """What the index of each `Load` and `Store` and the value of each `Store` of a program can be.

    Nodes are told by identity; for one that stands in several places it is what holds in all of
    them. It is right for the very objects of `program` (which is held, so that they live).
    """

    program: ir.Program
    indices: Mapping[int, Interval]
    values: Mapping[int, Interval]

    def index(self, node: ir.Load | ir.Store) -> Interval:
        """The least and greatest index there can be."""
        return self.indices.get(id(node), UNKNOWN)

    def value(self, node: ir.Store) -> Interval:
        """The least and greatest value there can be: one of 64 bits, as all are."""
        low, high = self.values.get(id(node), UNKNOWN)
        return max(low, -(2**63)), min(high, 2**63 - 1)

    def needs_low(self, node: ir.Load | ir.Store) -> bool:
        """Can the index be negative?"""
        return self.index(node)[0] < 0

    def needs_high(self, node: ir.Load | ir.Store) -> bool:
        """Can the index be beyond the end of the table?"""
        return self.index(node)[1] >= self.program.tables[node.table].size

    def needs_range(self, node: ir.Store) -> bool:
        """Can the value be outside of what the table holds?"""
        table, (low, high) = self.program.tables[node.table], self.value(node)
        return low < table.low or high > table.high


def analyse(program: ir.Program) -> Ranges:
    """The ranges of a program, in the functions that entries reach."""
    facts = _Facts(program)
    facts.grow()
    facts.shrink()
    record = Record()
    for name in facts.reached:
        facts.walk(name, record)
    return Ranges(program, record.indices, record.values)


class _Facts:
    """What is known of each function that is reached: what its locals ever are, and its results.

    `grow` collects all that can happen, in large steps where it does not end; `shrink` looks once
    more at what follows from that, which is never more.
    """

    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self.ever: dict[str, dict[str, Interval]] = {}
        self.results: dict[str, Interval] = {}
        self.reached: dict[str, None] = {}
        self.loops: dict[int, Loop] = {}
        self.changes: dict[tuple[str, str | None], int] = {}
        self.callers: dict[str, dict[str, None]] = {name: {} for name in program.functions}
        for name in program.functions:
            self.ever[name] = {}

    def walk(self, name: str, record: Record | None = None) -> Found:
        """What a function does, as far as is known."""
        flow = Flow(self.program.tables, self.ever[name], self.results, self.loops, record)
        flow.block(self.program.functions[name].body)
        return flow.found

    def grow(self) -> None:
        for name in self.program.entries:
            self.ever[name].update(_anything(self.program.functions[name]))
        waiting = dict.fromkeys(self.program.entries)
        while waiting:
            name = next(iter(waiting))
            del waiting[name]
            self.reached[name] = None
            found = self.walk(name)
            if self.given(name, found.given):
                waiting[name] = None
            for callee, values in found.passed.items():
                self.callers[callee][name] = None
                params = (param for param, _ in self.program.functions[callee].params)
                passed = {p: v for p, v in zip(params, values, strict=True) if v is not None}
                if self.given(callee, passed) or callee not in self.reached:
                    waiting[callee] = None
            if self.added(self.results, name, found.returned, (name, None)):
                waiting.update(self.callers[name])

    def given(self, name: str, values: Mapping[str, Interval]) -> bool:
        """Locals of a function can be this as well; was that news?"""
        ever = self.ever[name]
        news = [self.added(ever, local, new, (name, local)) for local, new in values.items()]
        return any(news)

    def added(
        self,
        held: dict[str, Interval],
        key: str,
        more: Interval | None,
        what: tuple[str, str | None],
    ) -> bool:
        old = held.get(key)
        new = join(old, more)
        if new is None or new == old:
            return False
        changes = self.changes[what] = self.changes.get(what, 0) + 1
        if old is not None and changes > PATIENCE:
            new = _widened(old, new)
        held[key] = new
        return True

    def shrink(self) -> None:
        found = {name: self.walk(name) for name in self.reached}
        self.results = {
            name: walked.returned for name, walked in found.items() if walked.returned is not None
        }
        self.ever = {name: dict(found[name].given) for name in self.reached}
        for name in self.program.entries:
            self.ever[name].update(_anything(self.program.functions[name]))
        for walked in found.values():
            for callee, values in walked.passed.items():
                ever = self.ever[callee]
                for (param, _), value in zip(
                    self.program.functions[callee].params, values, strict=True
                ):
                    both = join(ever.get(param), value)
                    if both is not None:
                        ever[param] = both


def _anything(function: ir.Function) -> dict[str, Interval]:
    return {name: BIT if kind == "bool" else UNKNOWN for name, kind in function.params}


def _widened(old: Interval, new: Interval) -> Interval:
    low, high = new
    if low < old[0]:
        low = next(step for step in STEPS_DOWN if step <= low)
    if high > old[1]:
        high = next(step for step in STEPS_UP if step >= high)
    return low, high
