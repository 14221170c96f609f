"""One walk through a function, with intervals for numbers: see `rulesdsl.ir.ranges`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rulesdsl.ir.comparing import OPPOSITE, TURNED
from rulesdsl.ir.intervals import BIT, Interval, combine, compare, join, meet, minus
from rulesdsl.ir.passes import trees
from rulesdsl.model import ir

Now = dict[str, Interval] | None
"""What locals are at one point, those of which more is known than what they ever are; None where
the program never comes."""


@dataclass
class Found:
    """What a walk finds: what locals are given, functions are passed, and is returned."""

    given: dict[str, Interval] = field(default_factory=dict)
    passed: dict[str, list[Interval | None]] = field(default_factory=dict)
    returned: Interval | None = None


@dataclass
class Record:
    """What indices and stored values are, by `id` of the `Load` or `Store`."""

    indices: dict[int, Interval] = field(default_factory=dict)
    values: dict[int, Interval] = field(default_factory=dict)


@dataclass(frozen=True)
class Loop:
    """What loops need to know of their bodies: which locals are written, can a `Break` leave."""

    writes: frozenset[str]
    breaks: bool

    @staticmethod
    def of(loop: ir.While | ir.For) -> Loop:
        return Loop(frozenset(ir.Nodes((loop,)).writes()), trees.jumps(loop.body))


class Flow:
    """Walks through one function. `ever` is what its locals are at any time as far as is known,
    `results` what functions give, `loops` is kept by whoever walks again."""

    def __init__(
        self,
        tables: Mapping[str, ir.Table],
        ever: Mapping[str, Interval],
        results: Mapping[str, Interval],
        loops: dict[int, Loop],
        record: Record | None = None,
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
            # The index is checked after the value is known: what that has shown holds by then.
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
        """What is known of a loop; what it may change is what it ever is from now on."""
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

    # --- conditions ------------------------------------------------------------------------------

    def refined(self, condition: ir.Expr, truth: bool, now: Now) -> Now:
        """What is known where a condition holds, or does not: always a dict of its own."""
        if now is None:
            return None
        match condition:
            case ir.Truth(value):
                return dict(now) if value == truth else None
            case ir.Unary("not", operand):
                return self.refined(operand, not truth, now)
            case ir.Logic(operator, left, right):
                first = self.refined(left, truth, now)
                if (operator == "and") == truth:
                    return self.refined(right, truth, first)
                other = self.refined(left, not truth, now)
                return _both(first, self.refined(right, truth, other))
            case ir.Compare(operator, left, right):
                sign = operator if truth else OPPOSITE[operator]
                found = self._narrowed(sign, left, right, dict(now))
                return self._narrowed(TURNED[sign], right, left, found)
        return dict(now)

    def _narrowed(self, sign: ir.CompareOp, expr: ir.Expr, other: ir.Expr, now: Now) -> Now:
        """What is known if a comparison holds, of a local that is on the left side of it."""
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
        """What an expression can be; a bool is 0 or 1."""
        walk = self._values.get(type(expr))
        return BIT if walk is None else walk(expr)

    def _const(self, expr: ir.Const) -> Interval:
        return expr.value, expr.value

    def _local(self, expr: ir.Local) -> Interval | None:
        assert self.now is not None
        return self._held(expr.name, self.now)

    def _held(self, name: str, now: dict[str, Interval]) -> Interval | None:
        """What a local can be."""
        held = now.get(name)
        if held is not None:
            return held
        return join(self.ever.get(name), self.found.given.get(name))

    def _load(self, expr: ir.Load) -> Interval:
        index = self.value(expr.index)
        if self.record is not None:
            _note(self.record.indices, expr, index)
        self._was_right(expr)
        table = self.tables[expr.table]
        return table.low, table.high

    def _was_right(self, node: ir.Load | ir.Store) -> None:
        """An index is in the table: all else would have been a fault."""
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
        """What an expression can be if it is evaluated only where a condition is like that."""
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
    """Local and number, if an expression is their sum."""
    match expr:
        case ir.Local(name):
            return name, 0
        case ir.Binary("+", ir.Local(name), ir.Const(more)):
            return name, more
        case ir.Binary("-", ir.Local(name), ir.Const(less)):
            return name, -less
    return None


def _note(record: dict[int, Interval], node: ir.Load | ir.Store, value: Interval | None) -> None:
    """A node is this as well."""
    both = join(record.get(id(node)), value)
    if both is not None:
        record[id(node)] = both


def _each(
    one: Sequence[Interval | None], other: Sequence[Interval | None]
) -> list[Interval | None]:
    return [join(a, b) for a, b in zip(one, other, strict=True)]


def _both(one: Now, other: Now) -> Now:
    """What is known where two ways meet."""
    if one is None or other is None:
        return other if one is None else one
    found = {}
    for name, held in one.items():
        also = other.get(name)
        if also is not None:
            found[name] = held if held == also else (min(held[0], also[0]), max(held[1], also[1]))
    return found
