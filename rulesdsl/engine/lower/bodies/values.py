"""Values of the rules as functions: which rules apply, and how their results combine.

A value becomes one function of its arguments, all numbers. A rule that `previous` can fall to is a
function of its own, and so is every `previous`: the first rule that applies of those that the rule
beats.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower import emit, runtime
from rulesdsl.engine.lower.bodies.statements import (
    Locals,
    LocalTypes,
    Statements,
    kept,
    trace_statement,
)
from rulesdsl.engine.lower.context import Lowering
from rulesdsl.engine.lower.emit import FALSE, ONE, TRUE, ZERO, Builder, as_number, negation
from rulesdsl.engine.lower.expressions import facts, operators, readings
from rulesdsl.engine.lower.expressions.expressions import ExpressionLowering
from rulesdsl.engine.lower.tables.box import WHOLE, Range
from rulesdsl.engine.lower.tables.encoding import is_set
from rulesdsl.engine.lower.terms import GatheredBody, numbers_among, record_of
from rulesdsl.engine.runtime import faults, heap, tables
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked, ir
from rulesdsl.language.model.names import owner_of
from rulesdsl.language.model.types import BOOL, INT, INT_MAX, INT_MIN, UNIT, IntType, Type


def lower_values(lowering: Lowering) -> None:
    """Add the function of every value: `lowering.values[key]`, of its arguments as numbers.

    A bool is returned as an IR bool, a set as the topmost one on the heap.
    """
    for definition in lowering.checked.values.values():
        _Value(lowering, definition).lower()


def lower_gathered(lowering: Lowering) -> None:
    """Add the second functions of the values whose readings are gathered, once all are known."""
    done = set[str]()
    while wanted := [key for key in lowering.quantities.wanted if key not in done]:
        for key in wanted:
            _Value(lowering, lowering.checked.values[key], gathered=True).lower()
        done.update(wanted)


def rule_alone(
    lowering: Lowering, definition: checked.ValueDef, index: int, name: str
) -> ir.Function:
    """Return the function of a value's arguments that gives the result of a rule, if it applies.

    Faults: NO_RULE.
    """
    value = _Value(lowering, definition, memoised=False)
    made = _Function(value, name, value.contributed, definition.span)
    made.first_of((index,))
    return made.function()


class _Value:
    """One value while its functions are built."""

    def __init__(
        self,
        lowering: Lowering,
        definition: checked.ValueDef,
        *,
        memoised: bool = True,
        gathered: bool = False,
    ) -> None:
        self.lowering = lowering
        self.definition = definition
        self.key = definition.key
        self.gathered = gathered
        rules = definition.rules
        self.fallbacks = {
            (index, node.ruleset): beaten(rules, index, node.ruleset)
            for index, rule in enumerate(rules)
            for node in checked.walk((rule.guard, rule.body))
            if isinstance(node, checked.Previous)
        }
        self.once: Once | None = None
        # A value whose readings are gathered is evaluated anew, unless that may take long.
        if gathered and len(rules) <= MOST_ANEW:
            memoised = False
        if memoised and repeats(definition):
            self.once = Once(self.name("once"))
            lowering.add_table(table_of(self.once.table, definition))
        self.holds_sets = any(_holds_sets(rule.body) for rule in rules)
        self.shared = frozenset(index for beaten in self.fallbacks.values() for index in beaten)

    def lower(self) -> None:
        definition, span = self.definition, self.definition.span
        rules = definition.rules
        for index, rule in enumerate(rules):
            if index in self.shared or not (definition.policy == "unique" or is_single(rule.body)):
                made = _Function(self, self.rule_name(index), self.contributed, rule.span)
                made.give(index, made.expressions(index))
                made.add()
            if self.once is not None and costs(rule.guard):
                made = _Function(self, self.guard_name(index), BOOL, rule.span)
                made.back(made.expressions(index).condition(rule.guard), rule.span)
                made.add()
        for (index, ruleset), beaten in self.fallbacks.items():
            made = _Function(self, self.below_name(index, ruleset), definition.type, span)
            made.first_of(beaten)
            made.add()
        made = _Function(self, self.name("value"), definition.type, span)
        if any(isinstance(node, checked.CallValue) for node in checked.walk(rules)):
            # Rules without calls are quick, except for loops, which charge steps themselves.
            made.builder.emit(ir.Spend(ONE, span))
        if self.once is not None:
            self.once.begin(made.builder, span)
        made.evaluate()
        made.add()

    @property
    def contributed(self) -> Type:
        return INT if self.definition.policy == "sum" else self.definition.type

    def name(self, what: str) -> str:
        """Return the name of a function or a table of this value."""
        return self.lowering.name(f"gathered_{what}" if self.gathered else what, self.key)

    def rule_name(self, index: int) -> str:
        return self.name(f"rule_{index}")

    def guard_name(self, index: int) -> str:
        return self.name(f"guard_{index}")

    def below_name(self, index: int, ruleset: str | None) -> str:
        suffix = "" if ruleset is None else f"_in_{ruleset}"
        return self.name(f"below_{index}{suffix}")


def beaten(rules: tuple[checked.Rule, ...], index: int, ruleset: str | None) -> tuple[int, ...]:
    """Return the rules that a `previous` in a rule may fall to, in order."""
    beaten = rules[index].beats
    if ruleset is None:
        return beaten
    own = {each for each in beaten if owner_of(rules[each].ruleset) == ruleset}
    below = own.union(*(rules[each].beats for each in own))
    return tuple(each for each in beaten if each in below)


class _Function:
    """A function of the arguments of a value.

    It implements `return` in rules (see `statements.Calls`).
    """

    def __init__(self, value: _Value, name: str, result: Type, span: Span) -> None:
        self.value = value
        self.name = name
        self.result = result
        self.span = span
        self.builder = Builder()
        self.locals = Locals(self.builder)
        definition = value.definition
        self.recorded = numbers_among(definition.params) if value.gathered else ()
        params = [(param.name, param.type) for param in definition.params]
        params += [(record_of(params[place][0]), INT) for place in self.recorded]
        self.params = tuple(self.locals.parameter(name, type_, "int") for name, type_ in params)
        self.top: ir.Expr | None = None
        if is_set(result) or value.holds_sets:
            self.top = self.builder.let("base", runtime.load(tables.heap_top, ZERO), span)

    def add(self) -> None:
        self.value.lowering.add_function(self.function())

    def function(self) -> ir.Function:
        doc, result = f"Value `{self.value.key}`.", emit.kind_of(self.result)
        return self.builder.function(self.name, doc, self.params, result, self.span)

    @property
    def arguments(self) -> tuple[ir.Expr, ...]:
        """The arguments of this function, for a call of another one of the same value."""
        return tuple(ir.Local(name) for name, _ in self.params)

    def expressions(self, index: int) -> ExpressionLowering:
        lowering, rule = self.value.lowering, self.value.definition.rules[index]
        types = LocalTypes(lowering.checked, UNIT).of(rule.body)
        own = [param.name for param in self.value.definition.params]
        names = dict(zip(rule.params, own, strict=True))
        recorded = [rule.params[place] for place in self.recorded]
        names.update((record_of(name), record_of(names[name])) for name in recorded)
        environment = self.locals.renamed(names, types)
        found = ExpressionLowering(lowering, self.builder, environment)
        if self.value.gathered:
            sign = {"max": 1, "min": -1}.get(self.value.definition.policy, 0)
            found.gathering = GatheredBody(rule.body, recorded, sign=sign)
        found.previous = lambda node: ir.Call(
            self.value.below_name(index, node.ruleset), self.arguments
        )
        return found

    def _condition(self, index: int, expressions: ExpressionLowering) -> ir.Expr:
        """Return the condition that a rule applies.

        A guard whose result is known is not evaluated again.
        """
        self._trace("rule", index)
        found = self._guarded(index, expressions)
        if self.value.lowering.tracing is not None:
            if not isinstance(found, ir.Truth):
                found = self.builder.let("applies", found, kind="bool")
            self._trace("applies", index, as_number(found, BOOL))
        return found

    def _trace(self, what: str, index: int, value: ir.Expr = ZERO) -> None:
        """Emit what becomes of a rule, in a traced program."""
        lowering, definition = self.value.lowering, self.value.definition
        lowering.trace(self.builder, what, definition, value, number=index)

    def _guarded(self, index: int, expressions: ExpressionLowering) -> ir.Expr:
        value = self.value
        rule = value.definition.rules[index]
        if value.once is None or not costs(rule.guard):
            return self._guard(rule, expressions)
        assert rule.guard is not None, "only a guard costs anything"
        value.lowering.mark(self.builder, rule.guard.span)
        work = ir.Call(value.guard_name(index), self.arguments)
        return value.once.call(self.builder, 2 * index, work, BOOL, rule.span)

    def _guard(self, rule: checked.Rule, expressions: ExpressionLowering) -> ir.Expr:
        if rule.guard is not None:
            self.value.lowering.mark(self.builder, rule.guard.span)
        return expressions.condition(rule.guard)

    # --- which rule ----------------------------------------------------------------------------

    def evaluate(self) -> None:
        definition = self.value.definition
        match definition.policy:
            case "unique":
                self.first_of(range(len(definition.rules)))
            case "all" | "any":
                self._decided(definition.policy == "any")
            case "union":
                self._united()
            case policy:
                self._folded(policy)

    def first_of(self, rules: Iterable[int]) -> None:
        """Emit the return of the result of the first rule that applies.

        Faults: NO_RULE.
        """
        for index in rules:
            expressions = self.expressions(index)
            rule = self.value.definition.rules[index]
            condition = self._condition(index, expressions)
            if condition == TRUE:
                self._give_or_call(index, expressions)
                return
            if condition != FALSE:
                with self.builder.block() as then:
                    self._give_or_call(index, expressions)
                self.builder.emit(ir.If(condition, tuple(then), (), rule.span))
        self.builder.emit(ir.Trap(faults.NO_RULE, self.span))

    def _give_or_call(self, index: int, expressions: ExpressionLowering) -> None:
        value = self.value
        if index not in value.shared:
            self.give(index, expressions)
            return
        call = ir.Call(value.rule_name(index), self.arguments)
        rule = value.definition.rules[index]
        given: ir.Expr = call
        if value.once is not None and costs(rule.body):
            given = value.once.call(self.builder, 2 * index + 1, call, self.result, rule.span)
        self.builder.emit(ir.Return(given, self.span))

    def give(self, index: int, expressions: ExpressionLowering) -> None:
        """Emit the return of a rule's result.

        Faults: NO_RESULT.
        """
        rule = self.value.definition.rules[index]
        self._trace("rule", index)
        self.value.lowering.mark(self.builder, rule.span)
        if not Statements(expressions, _Returning(self, expressions)).block(rule.body):
            self.builder.emit(ir.Trap(faults.NO_RESULT, rule.span))

    def back(self, value: ir.Expr, span: Span) -> None:
        """Emit the return of a value; the heap is restored, except for a set that is returned."""
        if self.top is not None and is_set(self.result):
            value = kept(self.top, value, self.result)
        elif self.top is not None:
            value = self.builder.let("given", value, span, emit.kind_of(self.result))
            self.builder.emit(runtime.store(tables.heap_top, ZERO, self.top, span))
        self.builder.emit(ir.Return(value, span))

    # --- policies that combine -------------------------------------------------------------------

    def _contribution(self, index: int, expressions: ExpressionLowering) -> ir.Expr:
        rule = self.value.definition.rules[index]
        if not is_single(rule.body):
            return ir.Call(self.value.rule_name(index), self.arguments)
        self._trace("rule", index)
        self.value.lowering.mark(self.builder, rule.span)
        trace_statement(expressions, rule.body[0])
        readings.mark_result(expressions, single(rule.body))
        return expressions.fitted(single(rule.body), self.value.contributed)

    def _decided(self, truth: bool) -> None:
        """Emit the evaluation in which the first rule with the result `truth` decides."""
        for index, rule in enumerate(self.value.definition.rules):
            expressions = self.expressions(index)
            condition = self._condition(index, expressions)
            with self.builder.block() as then:
                found = self._contribution(index, expressions)
                decides = found if truth else negation(found)
                with self.builder.block() as stop:
                    self.back(ir.Truth(truth), rule.span)
                self.builder.emit(ir.If(decides, tuple(stop), (), rule.span))
            self._where(condition, then, rule.span)
        self.back(ir.Truth(not truth), self.span)

    def _where(self, condition: ir.Expr, then: list[ir.Stmt], span: Span) -> None:
        if condition == TRUE:
            for statement in then:
                self.builder.emit(statement)
        elif condition != FALSE:
            self.builder.emit(ir.If(condition, tuple(then), (), span))

    def _united(self) -> None:
        assert self.top is not None
        total = self.builder.let("total", runtime.call(heap.begin), self.span)
        for index, rule in enumerate(self.value.definition.rules):
            expressions = self.expressions(index)
            condition = self._condition(index, expressions)
            with self.builder.block() as then:
                more = self._contribution(index, expressions)
                both = runtime.call(heap.union, total, more)
                self.builder.do(heap.keep, total, both, span=rule.span)
            self._where(condition, then, rule.span)
        self.builder.emit(ir.Return(total, self.span))

    def _folded(self, policy: str) -> None:
        """Emit the fold of `sum`, `max` or `min`; the total is in the range `bounds`."""
        neutral = {"sum": 0, "max": INT_MIN, "min": INT_MAX}[policy]
        total = self.builder.let("total", ir.Const(neutral), self.span)
        bounds: Range = (neutral, neutral)
        for index, rule in enumerate(self.value.definition.rules):
            expressions = self.expressions(index)
            condition = self._condition(index, expressions)
            with self.builder.block() as then:
                more = self._contribution(index, expressions)
                given = facts.range_of(single(rule.body)) if is_single(rule.body) else WHOLE
                found = _fold(policy, bounds, given)
                if policy == "sum":
                    both: ir.Expr = ir.Binary("+", total, more)
                    both = operators.limited(
                        expressions, both, found, WHOLE, faults.OVERFLOW, self.span
                    )
                else:
                    both = ir.Binary("max" if policy == "max" else "min", total, more)
                self.builder.emit(ir.Assign(total.name, both, rule.span))
            self._where(condition, then, rule.span)
            if condition != FALSE:
                low, high = (found, found) if condition == TRUE else (bounds, found)
                bounds = max(min(low[0], high[0]), INT_MIN), min(max(low[1], high[1]), INT_MAX)
        self._fits(total, bounds)
        self.back(total, self.span)

    def _fits(self, total: ir.Expr, bounds: Range) -> None:
        """Emit fault RANGE for a total that is not of the value's type."""
        wanted = self.result
        assert isinstance(wanted, IntType)
        expressions = ExpressionLowering(self.value.lowering, self.builder, self.locals)
        span = self.span
        operators.limited(expressions, total, bounds, (wanted.low, wanted.high), faults.RANGE, span)


def _fold(policy: str, a: Range, b: Range) -> Range:
    """Return the range of the combination of two numbers of these ranges."""
    if policy == "sum":
        return facts.combined("+", a, b)
    choose = max if policy == "max" else min
    return choose(a[0], b[0]), choose(a[1], b[1])


class _Returning:
    """The calls of a rule's body, which may only return."""

    def __init__(self, function: _Function, expressions: ExpressionLowering) -> None:
        self.function = function
        self.expressions = expressions

    def returned(self, node: checked.Return) -> None:
        assert node.value is not None, "a value gives something"
        readings.mark_result(self.expressions, node.value)
        value = self.expressions.fitted(node.value, self.function.result)
        self.function.back(value, node.span)

    def perform(self, node: checked.Perform) -> None:
        raise AssertionError("check lets no value change or ask anything")

    def later(self, node: checked.Later) -> None:
        raise AssertionError("check lets no value change or ask anything")

    def leave(self, node: checked.Leave) -> None:
        raise AssertionError("check lets no value change or ask anything")


def is_single(body: checked.Block) -> bool:
    """Return whether a body is a single expression."""
    return len(body) == 1 and isinstance(body[0], checked.Return)


def single(body: checked.Block) -> checked.Expr:
    """Return the only expression of a body."""
    (statement,) = body
    assert isinstance(statement, checked.Return)
    assert statement.value is not None
    return statement.value


def _holds_sets(body: checked.Block) -> bool:
    """Return whether sets of locals or loops can be on the heap where a body returns."""
    return any(
        isinstance(node, checked.For)
        or (isinstance(node, checked.Let | checked.SetLocal) and is_set(node.value.type))
        for node in checked.walk(body)
    )


# --- memoised evaluation --------------------------------------------------------------------------


MOST_ANEW = 8

_LOOPS = (checked.For, checked.While, checked.Aggregate, checked.Comprehension, checked.Reach)


@dataclass(frozen=True)
class Once:
    """The memo table of a value.

    Entry 0 is the number of the evaluation; it is followed by pairs of an evaluation and a
    result.
    """

    table: str

    def begin(self, builder: Builder, span: Span) -> None:
        """Emit the start of an evaluation."""
        number = ir.Binary("+", self._entry(0), ONE)
        builder.emit(ir.Store(self.table, ZERO, number, span))

    def call(self, builder: Builder, pair: int, work: ir.Call, type_: Type, span: Span) -> ir.Expr:
        """Emit the computation of a value of that type, done only the first time.

        A set is computed again, as it may no longer be on the heap.
        """
        if is_set(type_):
            return work
        at = 1 + 2 * pair
        known = ir.Compare("==", self._entry(at), self._entry(0))
        result = builder.fresh("known", emit.kind_of(type_))
        first = (
            ir.Assign(result, work, span),
            ir.Store(self.table, ir.Const(at), self._entry(0), span),
            ir.Store(self.table, ir.Const(at + 1), as_number(ir.Local(result), type_), span),
        )
        value = emit.as_value(self._entry(at + 1), type_)
        builder.emit(ir.If(known, (ir.Assign(result, value, span),), first, span))
        return ir.Local(result)

    def _entry(self, at: int) -> ir.Expr:
        return ir.Load(self.table, ir.Const(at))


def table_of(name: str, definition: checked.ValueDef) -> ir.Table:
    """Return the memo table of a value.

    It has a pair for the guard and a pair for the result of each rule.
    """
    doc = f"The memo of the rules of value `{definition.key}`."
    limit = 2**53 - 1
    return ir.Table(name, "scratch", 1 + 4 * len(definition.rules), -limit, limit, (), doc)


def repeats(definition: checked.ValueDef) -> bool:
    """Return whether an evaluation can come to a rule a second time.

    If no guard has a `previous`, and each rule has only one that it comes to once, the
    evaluation only moves down from rule to rule.
    """
    return any(map(_repeats, definition.rules))


def _repeats(rule: checked.Rule) -> bool:
    if any(isinstance(node, checked.Previous) for node in checked.walk(rule.guard)):
        return True
    inside = list(checked.walk(rule.body))
    return sum(isinstance(node, checked.Previous) for node in inside) > 1 or any(
        isinstance(inner, checked.Previous)
        for node in inside
        if isinstance(node, _LOOPS)
        for inner in checked.walk(node)
    )


def costs(tree: object) -> bool:
    """Return whether evaluating a tree can take long."""
    return any(
        isinstance(node, (checked.CallValue, checked.Previous, *_LOOPS))
        for node in checked.walk(tree)
    )
