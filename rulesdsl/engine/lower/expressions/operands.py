"""The interface through which modules that lower one sort of expression lower its parts.

These modules work on `Operands`, and `expressions` dispatches by the sort of expression.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rulesdsl.engine.lower import runtime
from rulesdsl.engine.lower.context import Lowering
from rulesdsl.engine.lower.emit import (
    NOTHING_RUNS,
    TRUE,
    ZERO,
    Builder,
    LocalStorage,
    as_number,
    as_value,
    is_plain,
    kind_of,
)
from rulesdsl.engine.lower.expressions import facts
from rulesdsl.engine.lower.tables.box import Range
from rulesdsl.engine.lower.tables.encoding import none_of
from rulesdsl.engine.lower.terms import GatheredBody
from rulesdsl.engine.runtime import faults, tables
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked, ir
from rulesdsl.language.model.types import BOOL, NONE, OptionalType, Type


class Operands(ABC):
    """The lowering of the expressions of one IR function.

    `previous` is set for rules of values, and lowers `previous`; `running` is set for
    callables: the callable and its names for its arguments. `offering` is set where moves are
    listed, and emits what `likeness.lowest_first` gives for a set of pieces. `gathering` is set in
    bodies whose readings are gathered.
    """

    def __init__(self, lowering: Lowering, builder: Builder, environment: LocalStorage) -> None:
        self.lowering = lowering
        self.builder = builder
        self.environment = environment
        self.freshness = facts.Freshness(lowering.checked)
        self.previous: Callable[[checked.Previous], ir.Expr] | None = None
        self.running = NOTHING_RUNS
        self.offering: Callable[[ir.Expr], ir.Expr] | None = None
        self.gathering: GatheredBody | None = None
        self._bound: dict[str, ir.Expr] = {}

    @abstractmethod
    def value(self, expression: checked.Expr) -> ir.Expr:
        """Return the value: a bool as an IR bool, a set as an offset into `heap`, else a number."""

    def condition(self, expression: checked.Expr | None) -> ir.Expr:
        """Return the value of a condition, true if there is none."""
        return TRUE if expression is None else self.value(expression)

    def number(self, expression: checked.Expr) -> ir.Expr:
        """Return the value as an int: a bool as 1 or 0."""
        return as_number(self.value(expression), expression.type)

    def fitted(self, expression: checked.Expr, wanted: Type) -> ir.Expr:
        """Return the value as one of type `wanted`, which it fits.

        This picks the right `none`, and gives an optional bool as an int.
        """
        if expression.type == NONE:
            self.value(expression)
            return ir.Const(none_of(wanted))
        if wanted == BOOL:
            return self.condition(expression)
        return self.number(expression)

    def required(self, expression: checked.Expr, why: int = faults.NONE) -> ir.Expr:
        """Return the value as an int; fault `why` if it is `none`."""
        value = self.number(expression)
        if isinstance(expression.type, OptionalType):
            value = self.named("some", value, expression.span)
            nothing = ir.Compare("==", value, ir.Const(none_of(expression.type)))
            self.builder.trap_if(nothing, why, expression.span)
        return value

    @contextmanager
    def bind(self, name: str, value: ir.Expr, fresh: bool = False) -> Iterator[None]:
        """Bind a local of the rules to a number (a bool as 1 or 0), within the context.

        It can be read any number of times. `fresh` says that the features in it are
        current.
        """
        known = self._bound.get(name)
        self._bound[name] = value
        with self.freshness.knowing((name,) if fresh else ()):
            yield
        if known is None:
            del self._bound[name]
        else:
            self._bound[name] = known

    def named(self, hint: str, value: ir.Expr, span: Span | None = None) -> ir.Expr:
        """Return the value as a constant or a local, which can be used more than once."""
        return value if is_plain(value) else self.builder.let(hint, value, span)

    def boolean(self, hint: str, value: bool) -> ir.Local:
        """Return a new bool local with that initial value."""
        return self.builder.let(hint, ir.Truth(value), kind="bool")

    def range_of(self, expression: checked.Expr) -> Range:
        """Return the range in which a number stays in this game."""
        return facts.range_of(expression, self.lowering.carried)

    @contextmanager
    def clean(self, needed: bool = True) -> Iterator[None]:
        """Restore the heap after the context to its state before."""
        if not needed:
            yield
            return
        top = self.builder.let("mark", runtime.load(tables.heap_top, ZERO))
        yield
        self.builder.emit(runtime.store(tables.heap_top, ZERO, top))

    def bound(self, name: str) -> ir.Expr:
        """Return the number bound to a name."""
        return self._bound[name]

    def is_bound(self, name: str) -> bool:
        """Return whether a number is bound to a name."""
        return name in self._bound

    def is_kept(self, local: checked.Local) -> bool:
        """Return whether reading a local, a set, gives its place on the heap rather than a copy."""
        with self.builder.block():
            return isinstance(self.local(local), ir.Local)

    def choose(
        self,
        condition: ir.Expr,
        then: Callable[[], ir.Expr],
        otherwise: Callable[[], ir.Expr],
        node: checked.Typed,
    ) -> ir.Expr:
        """Return one of two values of the node's type; the code of the other one does not run."""
        with self.builder.block() as first:
            one = then()
        with self.builder.block() as second:
            other = otherwise()
        if not first and not second:
            return ir.Select(condition, one, other)
        chosen = self.builder.fresh("chosen", kind_of(node.type))
        self.builder.emit(
            ir.If(
                condition,
                (*first, ir.Assign(chosen, one, node.span)),
                (*second, ir.Assign(chosen, other, node.span)),
                node.span,
            )
        )
        return ir.Local(chosen)

    def local(self, node: checked.Local) -> ir.Expr:
        """Return the value of a local of the rules."""
        bound = self._bound.get(node.name)
        if bound is None:
            return self.environment.read(node.name, node.type)
        return as_value(bound, node.type)
