"""Expressions of the rules as expressions of the IR.

What evaluating one takes beside an IR expression (loops, checks) is emitted first. That order does
not show: expressions change nothing but the heap, and after any fault everything is as it was
before. Only what the rules may not evaluate at all stays inside an `If`.

The heap: an expression that gives no set leaves it as it was. One that gives a set may leave more
below the set; whoever wants the heap back as it was keeps its top from before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import assert_never

from rulesdsl.core import faults
from rulesdsl.diagnostics import Span
from rulesdsl.lower.context import Lowering
from rulesdsl.lower.emit import ZERO, Builder, Environment
from rulesdsl.lower.expressions import (
    aggregates,
    attributes,
    entries,
    function_calls,
    operators,
    ranging,
    sets,
)
from rulesdsl.lower.expressions.domains import identifier
from rulesdsl.lower.expressions.freshness import Freshness
from rulesdsl.lower.expressions.numbers import range_of
from rulesdsl.lower.expressions.states import read_state
from rulesdsl.lower.logic import FALSE, TRUE, as_number, both, either, is_plain, negation
from rulesdsl.lower.parts import NOTHING_RUNS
from rulesdsl.lower.tables.carried import Range
from rulesdsl.lower.tables.encoding import is_set, none_of
from rulesdsl.model import checked, ir
from rulesdsl.model.types import BOOL, NONE, OptionalType, SetType, Type


class Expressions:
    """Lowers the expressions of one IR function.

    `previous` is set by whoever lowers rules of values: what `previous` means there; `running` by
    whoever lowers what runs: a callable, and its names for its arguments.
    """

    def __init__(self, lowering: Lowering, builder: Builder, environment: Environment) -> None:
        self.lowering = lowering
        self.builder = builder
        self.environment = environment
        self.freshness = Freshness(lowering.checked)
        self.previous: Callable[[checked.Previous], ir.Expr] | None = None
        self.running = NOTHING_RUNS
        self._bound: dict[str, ir.Expr] = {}
        self._once: checked.CallValue | None = None
        self._known: tuple[ir.Expr, ir.Expr] | None = None

    # --- what others call ------------------------------------------------------------------------

    def value(self, expression: checked.Expr) -> ir.Expr:
        """The value: a bool as an IR bool, a set as an offset into `heap`, else a number."""
        match expression:
            case checked.Local():
                return self._local(expression)
            case checked.Const():
                return self._const(expression)
            case checked.CallBuiltin():
                return function_calls.call(self, expression)
            case checked.ReadState():
                return read_state(self, expression)
            case checked.ReadAttribute():
                return attributes.read_attribute(self, expression)
            case checked.Compare():
                return operators.compare(self, expression)
            case checked.Binary():
                return self._binary(expression)
            case checked.CallValue():
                return self._call(expression)
            case checked.IsKind():
                return operators.is_kind(self, expression)
            case checked.Aggregate():
                return aggregates.aggregate(self, expression)
            case checked.Not():
                return negation(self.condition(expression.operand))
            case checked.IfElse():
                return self._if_else(expression)
            case checked.Member():
                return operators.member(self, expression)
            case checked.EntryAt():
                return entries.entry(self, expression)
            case checked.Ranged():
                return operators.ranged(self, expression)
            case checked.Negate():
                return operators.negate(self, expression)
            case checked.Previous():
                assert self.previous is not None, "check keeps `previous` to refinements"
                return self.previous(expression)
            case checked.RangeSet() | checked.EnumSet() | checked.SetLiteral():
                return sets.made(self, expression)
            case checked.Comprehension():
                return ranging.comprehension(self, expression)
            case checked.Reach():
                return ranging.reach(self, expression)
        assert_never(expression)

    def condition(self, expression: checked.Expr | None) -> ir.Expr:
        """Is there no condition, or is it true?"""
        return TRUE if expression is None else self.value(expression)

    def number(self, expression: checked.Expr) -> ir.Expr:
        """The value as an int: a bool as 1 or 0."""
        return as_number(self.value(expression), expression.type == BOOL)

    def fitted(self, expression: checked.Expr, wanted: Type) -> ir.Expr:
        """The value as one of type `wanted`, which it fits: the right `none`, an optional bool as
        an int."""
        if expression.type == NONE:
            self.value(expression)
            return ir.Const(none_of(wanted))
        if wanted == BOOL:
            return self.condition(expression)
        return self.number(expression)

    def required(self, expression: checked.Expr, why: int = faults.NONE) -> ir.Expr:
        """The value as an int; fault `why` where it is none."""
        value = self.number(expression)
        if isinstance(expression.type, OptionalType):
            value = self.named("some", value, expression.span)
            nothing = ir.Compare("==", value, ir.Const(none_of(expression.type)))
            self.builder.trap_if(nothing, why, expression.span)
        return value

    def each(self, binders: tuple[checked.Binder, ...], found: Callable[[], None]) -> None:
        """Loops over all bindings of the binders, nested, in canonical order; `found` emits what is
        done for each. The loops take fuel for every binding. They are not to be left early."""
        ranging.nest(self, binders, found)

    def rounds(self, loop: checked.For) -> ir.Expr:
        """What a loop visits: a list, a row of as many numbers as there are names for each round.
        It is the topmost thing on the heap."""
        return ranging.rounds(self, loop)

    def visit(self, loop: checked.For, body: Callable[[], None]) -> None:
        """One IR loop over what a loop of the rules visits, found out before the first round;
        `body` emits what is done in a round, in which the loop's names are bound. It takes the fuel
        of all rounds and may emit `Break` and `Continue`. What is visited stays on the heap."""
        ranging.visit(self, loop, body)

    @contextmanager
    def bind(self, name: str, value: ir.Expr, fresh: bool = False) -> Iterator[None]:
        """Inside, the local of the rules stands for a number (a bool as 1 or 0) which can be read
        any number of times. `fresh`: the features in it are what is connected now."""
        known = self._bound.get(name)
        self._bound[name] = value
        with self.freshness.knowing((name,) if fresh else ()):
            yield
        if known is None:
            del self._bound[name]
        else:
            self._bound[name] = known

    # --- for the other parts of lowering expressions ---------------------------------------------

    def named(self, hint: str, value: ir.Expr, span: Span | None = None) -> ir.Expr:
        """The value, as something that can be named twice: a constant, or a local."""
        return value if is_plain(value) else self.builder.let(identifier(hint), value, span)

    def boolean(self, hint: str, value: bool) -> ir.Local:
        """A new bool local that begins with that value."""
        return self.builder.let(hint, ir.Truth(value), kind="bool")

    def range_of(self, expression: checked.Expr) -> Range:
        """In which range a number stays in this game."""
        return range_of(expression, self.lowering.carried)

    @contextmanager
    def once(self, call: checked.CallValue | None) -> Iterator[None]:
        """Inside, the value that is called is worked out once, where it is named first: no other
        place that names it may be reached without that one. All places take its fuel."""
        before, self._once = self._once, call
        self._known, known = None, self._known
        yield
        self._once, self._known = before, known

    @contextmanager
    def clean(self, needed: bool = True) -> Iterator[None]:
        """The heap is afterwards as it was before."""
        if not needed:
            yield
            return
        top = self.builder.let("mark", ir.Load("heap_top", ZERO))
        yield
        self.builder.emit(ir.Store("heap_top", ZERO, top))

    def bound(self, name: str) -> ir.Expr:
        """The number that a bound name stands for."""
        return self._bound[name]

    def is_kept(self, local: checked.Local) -> bool:
        """Is reading the local, a set, naming a place on the heap, not making a copy?"""
        with self.builder.block():
            return isinstance(self._local(local), ir.Local)

    # --- locals, constants, calls ----------------------------------------------------------------

    def _local(self, node: checked.Local) -> ir.Expr:
        bound = self._bound.get(node.name)
        if bound is None:
            return self.environment.read(node.name, node.type)
        return ir.Compare("!=", bound, ZERO) if node.type == BOOL else bound

    def _const(self, node: checked.Const) -> ir.Expr:
        if isinstance(node.value, tuple):
            return sets.known(self, node)
        number = self.lowering.encoding.encode(node.value, node.type)
        return ir.Truth(bool(number)) if node.type == BOOL else ir.Const(number)

    def _call(self, node: checked.CallValue) -> ir.Expr:
        if node != self._once:
            return self._called(node)
        if self._known is not None:
            value, taken = self._known
            self.builder.emit(ir.Spend(taken, node.span))
            return value
        fuel = ir.Load("fuel", ZERO)
        before = self.builder.let("before", fuel, node.span)
        value = self.builder.let("once", self._called(node), node.span)
        taken = self.builder.let("taken", ir.Binary("-", before, fuel), node.span)
        self._known = value, taken
        return value

    def _called(self, node: checked.CallValue) -> ir.Expr:
        params = self.lowering.checked.values[node.value].params
        name = self.lowering.values[node.value]
        with_sets = any(isinstance(argument.type, SetType) for argument in node.arguments)
        gives_set = is_set(node.type)
        with self.clean(with_sets and not gives_set):
            given = tuple(
                as_number(self.fitted(argument, param.type), param.type == BOOL)
                for argument, param in zip(node.arguments, params, strict=True)
            )
            call: ir.Expr = ir.Call(name, given)
            if with_sets and not gives_set:
                kind: ir.Kind = "bool" if node.type == BOOL else "int"
                call = self.builder.let("given", call, node.span, kind)
        return call

    # --- what is evaluated only sometimes --------------------------------------------------------

    def _binary(self, node: checked.Binary) -> ir.Expr:
        match node.operator:
            case "and" | "or":
                return self._logic(node)
            case "union" | "difference":
                return sets.combined(self, node)
        return operators.arithmetic(self, node)

    def _logic(self, node: checked.Binary) -> ir.Expr:
        is_and = node.operator == "and"
        left = self.condition(node.left)
        if left == (FALSE if is_and else TRUE):
            return left
        with self.builder.block() as emitted:
            right = self.condition(node.right)
            if emitted:
                holds = self.builder.fresh("holds", "bool")
                self.builder.emit(ir.Assign(holds, right, node.span))
        if not emitted:
            return both(left, right) if is_and else either(left, right)
        self.builder.emit(ir.Assign(holds, left, node.span))
        matters = ir.Local(holds) if is_and else negation(ir.Local(holds))
        self.builder.emit(ir.If(matters, tuple(emitted), (), node.span))
        return ir.Local(holds)

    def _if_else(self, node: checked.IfElse) -> ir.Expr:
        condition = self.condition(node.condition)
        if isinstance(condition, ir.Truth):
            return self.fitted(node.then if condition.value else node.otherwise, node.type)
        return self.choose(
            condition,
            lambda: self.fitted(node.then, node.type),
            lambda: self.fitted(node.otherwise, node.type),
            node,
        )

    def choose(
        self,
        condition: ir.Expr,
        then: Callable[[], ir.Expr],
        otherwise: Callable[[], ir.Expr],
        node: checked.Typed,
    ) -> ir.Expr:
        """One of two values of the node's type; what the other one emits does not run."""
        with self.builder.block() as first:
            one = then()
        with self.builder.block() as second:
            other = otherwise()
        if not first and not second:
            return ir.Select(condition, one, other)
        chosen = self.builder.fresh("chosen", "bool" if node.type == BOOL else "int")
        self.builder.emit(
            ir.If(
                condition,
                (*first, ir.Assign(chosen, one, node.span)),
                (*second, ir.Assign(chosen, other, node.span)),
                node.span,
            )
        )
        return ir.Local(chosen)
