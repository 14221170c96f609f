"""Interval analysis of indices and stored values, so that needless checks can be left out.

`analyse` looks at a whole program. The interval of a local at a read follows from the value it was
last given, the conditions passed since, and its use as an index since. Where paths meet, or a loop
may have changed it, it is the union of all values that it is ever given. Parameters are the union
of all arguments (anything, for entries), results that of all `Return`s, and an entry of a table is
within the table's bounds.

One check can make others needless. Code that leaves out the needless checks must therefore make all
others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from math import inf

from rulesdsl.base.records import dataclass
from rulesdsl.engine.ir.passes import trees
from rulesdsl.language.model import ir

Interval = tuple[float, float]
"""The least and the greatest value of a number: integers, or infinite where nothing is known."""

UNKNOWN: Interval = (-inf, inf)
BIT: Interval = (0, 1)


def join(one: Interval | None, other: Interval | None) -> Interval | None:
    """Return the union of two intervals; None is the empty one."""
    if one is None or other is None:
        return one or other
    low, high = other
    return (one[0] if one[0] <= low else low), (one[1] if one[1] >= high else high)


def meet(one: Interval, other: Interval) -> Interval | None:
    """Return the intersection of two intervals, None if it is empty."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else None


def minus(one: Interval) -> Interval:
    """Return the interval of `-x`."""
    return -one[1], -one[0]


def combine(operator: ir.BinaryOp, one: Interval, other: Interval) -> Interval | None:
    """Return the interval of a binary operation, None if it always faults."""
    found = _COMBINE[operator](one, other)
    if found is None:
        return None
    low, high = found
    return (low if low >= -(2**63) else -inf), (high if high < 2**63 else inf)


def compare(operator: ir.CompareOp, one: Interval, other: Interval) -> Interval | None:
    """Return the interval of the first number if its comparison with the second one holds."""
    low, high = one
    match operator:
        case "==":
            return meet(one, other)
        case "!=":
            if other[0] == other[1]:
                low += low == other[0]
                high -= high == other[0]
        case "<":
            high = min(high, other[1] - 1)
        case "<=":
            high = min(high, other[1])
        case ">":
            low = max(low, other[0] + 1)
        case ">=":
            low = max(low, other[0])
    return (low, high) if low <= high else None


def _plus(one: Interval, other: Interval) -> Interval:
    return one[0] + other[0], one[1] + other[1]


def _times(one: Interval, other: Interval) -> Interval:
    corners = [a * b if a and b else 0 for a in one for b in other]
    return min(corners), max(corners)


def _part(divisor: Interval) -> list[Interval]:
    """Return the parts of a divisor above and below zero."""
    parts = meet(divisor, (1, inf)), meet(divisor, (-inf, -1))
    return [part for part in parts if part is not None]


def _divided(one: Interval, other: Interval) -> Interval | None:
    found: Interval | None = None
    for part in _part(other):
        corners = [_quotient(a, b) for a in one for b in part]
        found = join(found, (min(corners), max(corners)))
    return found


def _quotient(number: float, divisor: float) -> float:
    """Return a quotient rounded down; an infinite divisor counts as a large finite one."""
    if number in (inf, -inf):
        return number if divisor > 0 else -number
    if divisor in (inf, -inf):
        return 0 if number == 0 or (number > 0) == (divisor > 0) else -1
    return number // divisor


def _modulo(one: Interval, other: Interval) -> Interval | None:
    found: Interval | None = None
    for low, high in _part(other):
        if low > 0:
            inside = one[0] >= 0 and one[1] < low
            rest = (0, high - 1) if one[0] < 0 else (0, min(high - 1, one[1]))
            found = join(found, one if inside else rest)
        else:
            found = join(found, (low + 1, 0))
    return found


def _and(one: Interval, other: Interval) -> Interval:
    masks = [high for low, high in (one, other) if low >= 0]
    return (0, min(masks)) if masks else UNKNOWN


def _or(one: Interval, other: Interval) -> Interval:
    high = max(one[1], other[1])
    if one[0] < 0 or other[0] < 0 or high == inf:
        return UNKNOWN
    return 0, (1 << int(high).bit_length()) - 1


def _left(one: Interval, other: Interval) -> Interval | None:
    by = meet(other, (0, 63))
    return None if by is None else _times(one, (1 << int(by[0]), 1 << int(by[1])))


def _right(one: Interval, other: Interval) -> Interval | None:
    by = meet(other, (0, 63))
    return None if by is None else _divided(one, (1 << int(by[0]), 1 << int(by[1])))


_COMBINE: Mapping[ir.BinaryOp, Callable[[Interval, Interval], Interval | None]] = {
    "+": _plus,
    "-": lambda one, other: _plus(one, minus(other)),
    "*": _times,
    "//": _divided,
    "%": _modulo,
    "&": _and,
    "|": _or,
    "^": _or,
    "<<": _left,
    ">>": _right,
    "min": lambda one, other: (min(one[0], other[0]), min(one[1], other[1])),
    "max": lambda one, other: (max(one[0], other[0]), max(one[1], other[1])),
}


# --- one walk through a function -----------------------------------------------------------------


Now = dict[str, Interval] | None
"""The intervals of locals at one point, as far as they are narrower than at all times.

None where the program never comes.
"""


@dataclass
class Found:
    """The findings of a walk: intervals of assigned values, passed arguments and results.

    `assumed` has the interval over all times that was first used for a local.
    """

    given: dict[str, Interval] = field(default_factory=dict)
    assumed: dict[str, Interval | None] = field(default_factory=dict)
    passed: dict[str, list[Interval | None]] = field(default_factory=dict)
    returned: Interval | None = None


@dataclass
class AccessRecord:
    """The intervals of indices and stored values, by `id` of the `Load` or `Store`."""

    indices: dict[int, Interval] = field(default_factory=dict)
    values: dict[int, Interval] = field(default_factory=dict)


@dataclass(frozen=True)
class Loop:
    """The facts about a loop: the locals that it writes, and whether a `Break` can leave it."""

    writes: frozenset[str]
    breaks: bool

    @staticmethod
    def of(loop: ir.While | ir.For) -> Loop:
        writes = (node.name for node in ir.nodes((loop,)) if isinstance(node, ir.Assign | ir.For))
        return Loop(frozenset(writes), trees.jumps(loop.body))


class Flow:
    """A walk through one function.

    `ever` has the known intervals of its locals over all times, `results` those of functions.
    `loops` is kept between walks by the caller.
    """

    def __init__(
        self,
        tables: Mapping[str, ir.Table],
        ever: Mapping[str, Interval],
        results: Mapping[str, Interval],
        loops: dict[int, Loop],
        record: AccessRecord | None = None,
    ) -> None:
        self.tables = tables
        self.ever = ever
        self.results = results
        self.loops = loops
        self.record = record
        self.found = Found()
        self.now: Now = {}
        self._statements: Mapping[type, Callable[..., None]] = {
            ir.Assign: self._assign,
            ir.Store: self._store,
            ir.Do: self._do,
            ir.If: self._if,
            ir.While: self._while,
            ir.For: self._for,
            ir.Return: self._return,
            ir.Spend: self._spend,
            ir.Enter: self._enter,
            ir.Copy: self._copy,
        }
        self._values: Mapping[type, Callable[..., Interval | None]] = {
            ir.Const: self._const,
            ir.Local: self._local,
            ir.Load: self._load,
            ir.Unary: self._unary,
            ir.Binary: self._binary,
            ir.Compare: self._compare,
            ir.Logic: self._logic,
            ir.Select: self._select,
            ir.Call: self._call,
        }

    # --- statements ------------------------------------------------------------------------------

    def block(self, block: ir.Block) -> None:
        for statement in block:
            if self.now is None:
                return
            walk = self._statements.get(type(statement))
            if walk is None:
                self.now = None
            else:
                walk(statement)

    def give(self, name: str, value: Interval | None) -> None:
        if value is None or self.now is None:
            return
        self.now[name] = value
        old = self.found.given.get(name)
        if old is None or value[0] < old[0] or value[1] > old[1]:
            self.found.given[name] = join(old, value) or value

    def _assign(self, node: ir.Assign) -> None:
        self.give(node.name, self.value(node.value))

    def _store(self, node: ir.Store) -> None:
        self.value(node.index)
        value = self.value(node.value)
        if self.record is not None:
            # The index is checked after the value, whose evaluation may have narrowed it.
            record, self.record = self.record, None
            _note(record.indices, node, self.value(node.index))
            self.record = record
            _note(self.record.values, node, value)
        self._was_right(node)

    def _do(self, node: ir.Do) -> None:
        self.value(node.call)

    def _if(self, node: ir.If) -> None:
        self.value(node.condition)
        no = self.refined(node.condition, False, self.now)
        self.now = self.refined(node.condition, True, self.now)
        self.block(node.then)
        yes, self.now = self.now, no
        self.block(node.otherwise)
        self.now = _both(yes, self.now)

    def loop(self, node: ir.While | ir.For) -> Loop:
        """Return the facts about a loop, and forget what is known of the locals that it writes."""
        loop = self.loops.get(id(node))
        if loop is None:
            loop = self.loops[id(node)] = Loop.of(node)
        assert self.now is not None
        self.now = {name: held for name, held in self.now.items() if name not in loop.writes}
        return loop

    def _while(self, node: ir.While) -> None:
        loop = self.loop(node)
        anywhere = dict(self.now or {})
        self.value(node.condition)
        tested = self.now
        self.now = self.refined(node.condition, True, tested)
        self.block(node.body)
        self.now = anywhere if loop.breaks else self.refined(node.condition, False, tested)

    def _for(self, node: ir.For) -> None:
        low, high = self.value(node.low), self.value(node.high)
        self.loop(node)
        before = self.now
        if low is not None and high is not None and low[0] < high[1]:
            self.now = dict(before or {})
            self.give(node.name, (low[0], high[1] - 1))
            self.block(node.body)
        self.now = before

    def _return(self, node: ir.Return) -> None:
        if node.value is not None:
            self.found.returned = join(self.found.returned, self.value(node.value))
        self.now = None

    def _spend(self, node: ir.Spend) -> None:
        self.value(node.amount)

    def _enter(self, node: ir.Enter) -> None:
        self.value(node.row)

    def _copy(self, node: ir.Copy) -> None:
        self.value(node.slot)

    # --- conditions ------------------------------------------------------------------------------

    def refined(self, condition: ir.Expr, truth: bool, now: Now) -> Now:
        """Return a new dict of the intervals where a condition holds, or does not hold.

        The result is None if that cannot be.
        """
        if now is None:
            return None
        # Patterns would take a tenth of all the time.
        if type(condition) is ir.Compare:
            left, right = condition.left, condition.right
            sign = condition.operator if truth else ir.OPPOSITE[condition.operator]
            found = self._narrowed(sign, left, right, dict(now))
            return self._narrowed(ir.TURNED[sign], right, left, found)
        if type(condition) is ir.Logic:
            left, right = condition.left, condition.right
            first = self.refined(left, truth, now)
            if (condition.operator == "and") == truth:
                return self.refined(right, truth, first)
            other = self.refined(left, not truth, now)
            return _both(first, self.refined(right, truth, other))
        if type(condition) is ir.Unary and condition.operator == "not":
            return self.refined(condition.operand, not truth, now)
        if type(condition) is ir.Truth and condition.value != truth:
            return None
        return dict(now)

    def _narrowed(self, sign: ir.CompareOp, expr: ir.Expr, other: ir.Expr, now: Now) -> Now:
        """Return the intervals if a comparison with a local on its left side holds."""
        found = _local_and_more(expr)
        if now is None or found is None:
            return now
        name, offset = found
        known = self._held(name, now)
        outer, self.now = self.now, now
        limit = self.value(other)
        self.now = outer
        if known is None or limit is None:
            return now
        bounds = compare(sign, (known[0] + offset, known[1] + offset), limit)
        return None if bounds is None else now | {name: (bounds[0] - offset, bounds[1] - offset)}

    # --- expressions -----------------------------------------------------------------------------

    def value(self, expr: ir.Expr) -> Interval | None:
        """Return the interval of an expression; a bool is 0 or 1."""
        walk = self._values.get(type(expr))
        return BIT if walk is None else walk(expr)

    def _const(self, expr: ir.Const) -> Interval:
        return expr.value, expr.value

    def _local(self, expr: ir.Local) -> Interval | None:
        assert self.now is not None
        return self._held(expr.name, self.now)

    def _held(self, name: str, now: dict[str, Interval]) -> Interval | None:
        held = now.get(name)
        if held is not None:
            return held
        held = join(self.ever.get(name), self.found.given.get(name))
        self.found.assumed.setdefault(name, held)
        return held

    def _load(self, expr: ir.Load) -> Interval:
        index = self.value(expr.index)
        if self.record is not None:
            _note(self.record.indices, expr, index)
        self._was_right(expr)
        table = self.tables[expr.table]
        return table.low, table.high

    def _was_right(self, node: ir.Load | ir.Store) -> None:
        """Narrow the local in an index to the table, as any other index would have faulted."""
        found = _local_and_more(node.index)
        if found is None or self.now is None:
            return
        name, offset = found
        known = self._held(name, self.now)
        right = (-offset, self.tables[node.table].size - 1 - offset)
        both = None if known is None else meet(known, right)
        if both is not None:
            self.now[name] = both

    def _unary(self, expr: ir.Unary) -> Interval | None:
        value = self.value(expr.operand)
        if expr.operator != "-":
            return BIT
        return None if value is None else minus(value)

    def _binary(self, expr: ir.Binary) -> Interval | None:
        left, right = self.value(expr.left), self.value(expr.right)
        if left is None or right is None:
            return None
        return combine(expr.operator, left, right)

    def _compare(self, expr: ir.Compare) -> Interval:
        self.value(expr.left)
        self.value(expr.right)
        return BIT

    def _logic(self, expr: ir.Logic) -> Interval:
        self.value(expr.left)
        self._where(expr.left, expr.operator == "and", expr.right)
        return BIT

    def _select(self, expr: ir.Select) -> Interval | None:
        self.value(expr.condition)
        then = self._where(expr.condition, True, expr.then)
        return join(then, self._where(expr.condition, False, expr.otherwise))

    def _where(self, condition: ir.Expr, truth: bool, expr: ir.Expr) -> Interval | None:
        """Return the interval of an expression that is evaluated only if `condition` is `truth`."""
        outer = self.now
        self.now = self.refined(condition, truth, outer)
        found = None if self.now is None else self.value(expr)
        self.now = outer
        return found

    def _call(self, expr: ir.Call) -> Interval | None:
        values = [self.value(argument) for argument in expr.arguments]
        known = self.found.passed.get(expr.function)
        self.found.passed[expr.function] = values if known is None else _each(known, values)
        return self.results.get(expr.function)


def _local_and_more(expr: ir.Expr) -> tuple[str, int] | None:
    """Return the local and the number if an expression is their sum."""
    if type(expr) is ir.Local:
        return expr.name, 0
    if type(expr) is ir.Binary and type(expr.left) is ir.Local and type(expr.right) is ir.Const:
        if expr.operator == "+":
            return expr.left.name, expr.right.value
        if expr.operator == "-":
            return expr.left.name, -expr.right.value
    return None


def _note(record: dict[int, Interval], node: ir.Load | ir.Store, value: Interval | None) -> None:
    both = join(record.get(id(node)), value)
    if both is not None:
        record[id(node)] = both


def _each(
    one: Sequence[Interval | None], other: Sequence[Interval | None]
) -> list[Interval | None]:
    return [join(a, b) for a, b in zip(one, other, strict=True)]


def _both(one: Now, other: Now) -> Now:
    if one is None or other is None:
        return other if one is None else one
    found = {}
    for name, held in one.items():
        also = other.get(name)
        if also is not None:
            found[name] = held if held == also else (min(held[0], also[0]), max(held[1], also[1]))
    return found


# --- whole programs ------------------------------------------------------------------------------


PATIENCE = 2
"""The number of changes of one interval after which its bounds are widened in large steps."""
STEPS_DOWN = (0, -1, -(2**31), -inf)
STEPS_UP = (0, 1, 2**31 - 1, inf)


@dataclass(frozen=True)
class Ranges:
    """The intervals of the index of each `Load` and `Store`, and of the value of each `Store`.

    Nodes are identified by `id`; a node that stands in several places has the union of its
    intervals. The result holds `program` itself, so that its nodes stay alive.
    """

    program: ir.Program
    indices: Mapping[int, Interval]
    values: Mapping[int, Interval]

    def index(self, node: ir.Load | ir.Store) -> Interval:
        """Return the least and the greatest index."""
        return self.indices.get(id(node), UNKNOWN)

    def value(self, node: ir.Store) -> Interval:
        """Return the least and the greatest value, which are within 64 bits."""
        low, high = self.values.get(id(node), UNKNOWN)
        return max(low, -(2**63)), min(high, 2**63 - 1)

    def needs_low(self, node: ir.Load | ir.Store) -> bool:
        """Return whether the index can be negative."""
        return self.index(node)[0] < 0

    def needs_high(self, node: ir.Load | ir.Store) -> bool:
        """Return whether the index can be beyond the end of the table."""
        return self.index(node)[1] >= self.program.tables[node.table].size

    def needs_range(self, node: ir.Store) -> bool:
        """Return whether the value can be outside of the table's bounds."""
        table, (low, high) = self.program.tables[node.table], self.value(node)
        return low < table.low or high > table.high


def analyse(program: ir.Program) -> Ranges:
    """Return the intervals in the functions of a program that entries reach."""
    facts = _Facts(program)
    facts.grow()
    record = AccessRecord()
    for found in facts.records.values():
        for all_of, own in ((record.indices, found.indices), (record.values, found.values)):
            for node, interval in own.items():
                all_of[node] = join(all_of.get(node), interval) or interval
    return Ranges(program, record.indices, record.values)


class _Facts:
    """The facts about each reached function: the intervals of its locals, and of its result.

    `grow` collects all possible values, in large steps where small ones do not end.
    """

    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self.ever: dict[str, dict[str, Interval]] = {}
        self.results: dict[str, Interval] = {}
        self.records: dict[str, AccessRecord] = {}
        self.loops: dict[int, Loop] = {}
        self.looping: set[str] = set()
        self.changes: dict[tuple[str, str | None], int] = {}
        self.callers: dict[str, dict[str, None]] = {name: {} for name in program.functions}
        for name in program.functions:
            self.ever[name] = {}

    def walk(self, name: str) -> Found:
        """Walk through a function with the facts known so far, and record its accesses."""
        record = self.records[name] = AccessRecord()
        flow = Flow(self.program.tables, self.ever[name], self.results, self.loops, record)
        flow.block(self.program.functions[name].body)
        return flow.found

    def grow(self) -> None:
        """Walk until nothing is new. The last walk through a function has the facts of them all."""
        for name in self.program.entries:
            self.ever[name].update(_anything(self.program.functions[name]))
        waiting = dict.fromkeys(self.program.entries)
        while waiting:
            name = next(iter(waiting))
            del waiting[name]
            loops = len(self.loops)
            found = self.walk(name)
            if len(self.loops) > loops:
                self.looping.add(name)
            grew, ever = self.given(name, found.given), self.ever[name]
            # Without a loop nothing is read before it is given.
            if grew and name in self.looping:
                late = (ever.get(local) != held for local, held in found.assumed.items())
                if any(late):
                    waiting[name] = None
            for callee, values in found.passed.items():
                self.callers[callee][name] = None
                params = (param for param, _ in self.program.functions[callee].params)
                passed = {p: v for p, v in zip(params, values, strict=True) if v is not None}
                if self.given(callee, passed) or callee not in self.records:
                    waiting[callee] = None
            if self.added(self.results, name, found.returned, (name, None)):
                waiting.update(self.callers[name])

    def given(self, name: str, values: Mapping[str, Interval]) -> bool:
        """Add intervals to those of a function's locals, and say whether any of them grew."""
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


def _anything(function: ir.Function) -> dict[str, Interval]:
    return {name: BIT if kind == "bool" else UNKNOWN for name, kind in function.params}


def _widened(old: Interval, new: Interval) -> Interval:
    low, high = new
    if low < old[0]:
        low = next(step for step in STEPS_DOWN if step <= low)
    if high > old[1]:
        high = next(step for step in STEPS_UP if step >= high)
    return low, high
