"""Blocks that run to their end at once: bodies of rules, and of actions that cannot be suspended.

Heap space that a statement allocates is released after it, except for sets held by locals: those
stay until the end of the block that declared the local. A round of a loop that assigns a set to a
local from outside of the loop moves it down to where the first round began.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, assert_never

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower import runtime
from rulesdsl.engine.lower.emit import (
    MINUS,
    ONE,
    ZERO,
    Builder,
    as_number,
    binder_names,
    kind_of,
    negation,
    plus,
    times,
)
from rulesdsl.engine.lower.expressions import facts, loops, operators, readings, reads
from rulesdsl.engine.lower.expressions.expressions import ExpressionLowering
from rulesdsl.engine.lower.tables.box import WHOLE, Range
from rulesdsl.engine.lower.tables.encoding import is_set, none_of, without_none
from rulesdsl.engine.lower.tables.state_tables import StateTable
from rulesdsl.engine.runtime import faults, heap, notes, tables
from rulesdsl.language.builtins import EFFECTS
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked, ir
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.flow import enum_given, member_source
from rulesdsl.language.model.types import (
    BOOL,
    INT,
    NONE,
    UNIT,
    IntType,
    OptionalType,
    SetType,
    Type,
)


class Locals:
    """An environment (`emit.LocalStorage`) whose locals are locals of the IR.

    `types` are the types of the locals that will be declared (see `LocalTypes`).
    """

    def __init__(self, builder: Builder, types: Mapping[str, Type] | None = None) -> None:
        self.builder = builder
        self.types = dict(types or {})
        self.names: dict[str, str] = {}

    def parameter(self, name: str, type_: Type, kind: ir.Kind | None = None) -> tuple[str, ir.Kind]:
        """Return a new parameter of the function, of the given kind or that of a local."""
        self.types[name] = type_
        kind = kind or kind_of(type_)
        self.names[name] = self.builder.fresh(name, kind)
        return self.names[name], kind

    def renamed(self, names: Mapping[str, str], types: Mapping[str, Type]) -> Locals:
        """Return an environment in which other names stand for locals of this one.

        It will have locals of its own, of the types given.
        """
        inner = Locals(self.builder, types)
        for name, own in names.items():
            inner.types[name], inner.names[name] = self.types[own], self.names[own]
        return inner

    def read(self, name: str, type_: Type) -> ir.Expr:
        """Return the current value of a local of the rules."""
        local = self.names[name]
        if type_ == BOOL and self.builder.kinds[local] == "int":
            return ir.Compare("!=", ir.Local(local), ZERO)
        return ir.Local(local)

    def write(self, name: str, type_: Type, value: ir.Expr, span: Span) -> None:
        """Assign a value of that type to a local of the rules."""
        if name not in self.names:
            kind = kind_of(self.types.get(name, type_))
            self.names[name] = self.builder.fresh(name, kind)
        local = self.names[name]
        if type_ == NONE:
            value = ir.Const(none_of(self.types.get(name, type_)))
        elif self.builder.kinds[local] == "int":
            value = as_number(value, type_)
        self.builder.emit(ir.Assign(local, value, span))


@dataclass
class LocalTypes:
    """The widest type each local of some statements is used with.

    `proceeds` is the type of the result of `proceed` there.
    """

    checked: Checked
    proceeds: Type

    def of(self, statements: Iterable[tree.Stmt]) -> dict[str, Type]:
        """Return the type of every local that the statements declare or read."""
        found: dict[str, Type] = {}
        for node in tree.walk(tuple(statements)):
            match node:
                case tree.Let(name=name, value=value) | tree.SetLocal(name=name, value=value):
                    self._meet(found, name, value.type)
                case tree.Local(name=name, type=type_):
                    self._meet(found, name, type_)
                case tree.Perform(into=str(name)):
                    self._meet(found, name, self.result(node))
                case tree.For(binder=binder):
                    for name, type_ in binder_names(binder):
                        self._meet(found, name, type_)
        return found

    def result(self, node: tree.Perform) -> Type:
        """Return the type of a call's result."""
        match node.call:
            case tree.ActionCall(action=key):
                return self.checked.actions[key].type
            case tree.ChoiceCall(choice=key):
                return self.checked.choices[key].type
            case tree.EffectCall(effect=effect):
                return EFFECTS[effect].signatures[0].result
        return self.proceeds

    def _meet(self, found: dict[str, Type], name: str, type_: Type) -> None:
        found[name] = widest(found[name], type_) if name in found else type_


def widest(a: Type, b: Type) -> Type:
    """Return a type that holds the values of two types of a local."""
    if a == b or b == NONE:
        return optional(a) if b == NONE and a != NONE else a
    if a == NONE:
        return optional(b)
    if isinstance(a, OptionalType) or isinstance(b, OptionalType):
        return optional(widest(without_none(a), without_none(b)))
    if isinstance(a, IntType) and isinstance(b, IntType):
        return IntType(min(a.low, b.low), max(a.high, b.high))
    if isinstance(a, SetType) and isinstance(b, SetType):
        return a if a.item != NONE else b
    return a


def optional(type_: Type) -> Type:
    """Return the optional type of a type."""
    return type_ if isinstance(type_, OptionalType) else OptionalType(type_)


class Calls(Protocol):
    """The statements of a block whose meaning depends on the callable it is in.

    No statement after a `returned` or `leave` is reached.
    """

    def perform(self, node: checked.Perform) -> None:
        """Emit a call, and assign its result to the local that takes it.

        A set among the arguments may stay on the heap; a set that is the result is topmost.
        """

    def later(self, node: checked.Later) -> None:
        """Emit a call that is queued until the end of the step."""

    def returned(self, node: checked.Return) -> None:
        """Emit the end of the callable."""

    def leave(self, node: checked.Leave) -> None:
        """Emit the end of the running option and its choice."""


class Statements:
    """The lowering of blocks, with the expressions of one IR function."""

    def __init__(self, expressions: ExpressionLowering, calls: Calls) -> None:
        self.expressions = expressions
        self.builder = expressions.builder
        self.calls = calls
        self._types: dict[str, Type] = {}
        self._sets: dict[str, Type] = {}
        """Locals of this block and those around it that hold sets, with their types."""

    def block(self, block: checked.Block, top: ir.Expr | None = None) -> bool:
        """Emit the block as an inner one, and say whether its end is unreachable.

        Sets of locals from outside of it are moved down to `top`.
        """
        if not self._types:
            self._types = LocalTypes(self.expressions.lowering.checked, UNIT).of(block)
        if not _keeps_sets(block):
            return self._sequence(block)
        known = dict(self._sets)
        top = top or self._mark()
        ended = self._sequence(block)
        self._sets = known
        if not ended:
            self._tidy(top, self._given(block), block[-1].span)
        return ended

    def _sequence(self, block: checked.Block) -> bool:
        for statement in block:
            if self._statement(statement):
                return True
            self._note_set(statement)
        return False

    def _statement(self, statement: checked.Stmt) -> bool:
        trace_statement(self.expressions, statement)
        match statement:
            case checked.Let() | checked.SetLocal():
                set_local(self.expressions, statement)
                trace_statement(self.expressions, statement, "assign")
            case checked.SetState():
                set_state(self.expressions, statement)
            case checked.Perform():
                self.calls.perform(statement)
                if statement.into is not None:
                    readings.keep_record(self.expressions, statement.into, ZERO, statement.span)
            case checked.Later():
                with self.expressions.clean(_any_set(statement.call.arguments)):
                    self.calls.later(statement)
            case checked.If():
                return self._if(statement)
            case checked.For():
                self._for(statement)
            case checked.While():
                self._while(statement)
            case checked.Return():
                self.calls.returned(statement)
                return True
            case checked.Break():
                self.builder.emit(ir.Break(statement.span))
                return True
            case checked.Leave():
                self.calls.leave(statement)
                return True
            case _:
                assert_never(statement)
        return False

    def _if(self, node: checked.If) -> bool:
        condition = self.expressions.condition(node.condition)
        if isinstance(condition, ir.Truth):
            return self.block(node.then if condition.value else node.otherwise)
        with self.builder.block() as then:
            one = self.block(node.then)
        with self.builder.block() as otherwise:
            other = self.block(node.otherwise)
        self.builder.emit(ir.If(condition, tuple(then), tuple(otherwise), node.span))
        return one and other

    def _for(self, node: checked.For) -> None:
        given = self._given(node.body)
        if not given:
            with self.expressions.clean():
                loops.visit(self.expressions, node, lambda: self._round(node.body))
            return
        first = self.builder.let("first", MINUS, node.span)

        def body() -> None:
            begin = ir.Assign(first.name, runtime.load(tables.heap_top, ZERO), node.span)
            self.builder.emit(ir.If(ir.Compare("<", first, ZERO), (begin,), (), node.span))
            self._round(node.body, first)

        loops.visit(self.expressions, node, body)

    def _while(self, node: checked.While) -> None:
        top = self._mark() if self._given(node.body) else None
        with self.builder.block() as inner:
            condition = self.expressions.condition(node.condition)
            if inner:
                stop = ir.If(negation(condition), (ir.Break(node.span),), (), node.span)
                self.builder.emit(stop)
                condition = ir.Truth(True)
            self.builder.emit(ir.Spend(ONE, node.span))
            self._round(node.body, top)
        if condition != ir.Truth(False):
            self.builder.emit(ir.While(condition, tuple(inner), node.span))

    def _round(self, body: checked.Block, top: ir.Expr | None = None) -> None:
        self.block(body, top)

    # --- the heap ----------------------------------------------------------------------------

    def _mark(self) -> ir.Expr:
        return self.builder.let("top", runtime.load(tables.heap_top, ZERO))

    def _note_set(self, statement: checked.Stmt) -> None:
        name = statement.into if isinstance(statement, checked.Perform) else None
        if isinstance(statement, checked.Let):
            name = statement.name
        if name is not None and is_set(self._types.get(name, UNIT)):
            self._sets[name] = self._types[name]

    def _given(self, block: checked.Block) -> tuple[str, ...]:
        """Return the locals from outside of a block to which it assigns sets."""
        names = (node.name for node in checked.walk(block) if isinstance(node, checked.SetLocal))
        return tuple(dict.fromkeys(name for name in names if name in self._sets))

    def _tidy(self, top: ir.Expr, names: Iterable[str], span: Span) -> None:
        """Release everything from `top` on except the sets of some locals, which move to `top`."""
        environment, builder = self.expressions.environment, self.builder
        found = [(name, self._sets[name]) for name in names]
        sets = [environment.read(name, type_) for name, type_ in found]
        if len(sets) > 1:
            # Copy them above all others, so that moving one down overwrites no other.
            sets = [
                builder.let("copied", ir.Call(_for_type("copy", type_), (each,)), span)
                for each, (_, type_) in zip(sets, found, strict=True)
            ]
        if not sets:
            builder.emit(runtime.store(tables.heap_top, ZERO, top, span))
        for each, (name, type_) in zip(sets, found, strict=True):
            environment.write(name, type_, kept(top, each, type_), span)
            top = runtime.load(tables.heap_top, ZERO)


def trace_statement(
    expressions: ExpressionLowering, statement: checked.Stmt, what: str = "statement"
) -> None:
    """Emit what a statement of the rules does, in a traced program."""
    tracing = expressions.lowering.tracing
    if tracing is not None and tracing.knows(statement):
        part = expressions.running.part
        expressions.lowering.trace(expressions.builder, what, statement, name=part)


def _keeps_sets(block: checked.Block) -> bool:
    """Return whether sets held by locals can be on the heap after the statements of a block."""
    for statement in block:
        if isinstance(statement, checked.Perform) and (
            statement.into is not None or _any_set(statement.call)
        ):
            return True
        if isinstance(statement, checked.Let) and is_set(statement.value.type):
            return True
    nodes = (node for node in checked.walk(block) if isinstance(node, checked.SetLocal))
    return any(is_set(node.value.type) for node in nodes)


def _any_set(trees: object) -> bool:
    return any(is_set(node.type) for node in checked.walk(trees) if isinstance(node, checked.Typed))


def _for_type(function: str, type_: Type) -> str:
    """Return the function of the runtime, or its variant for optional sets."""
    return f"{function}_some" if isinstance(type_, OptionalType) else function


def kept(top: ir.Expr, made: ir.Expr, type_: Type) -> ir.Expr:
    """Return a set, moved down to `top`."""
    return ir.Call(_for_type("keep", type_), (top, made))


# --- assignments ---------------------------------------------------------------------------------


def set_local(expressions: ExpressionLowering, node: checked.Let | checked.SetLocal) -> None:
    """Assign a value to a local.

    Afterwards a set is on top of the heap, or it is another local's.
    """
    environment, builder = expressions.environment, expressions.builder
    type_, adds = node.value.type, isinstance(node, checked.SetLocal) and node.operator != "="
    if not is_set(type_):
        gathers = isinstance(type_, IntType) and readings.has_record(expressions, node.name)
        if gathers:
            before = (node.name,) if adds else ()
            readings.begin_record(expressions, node.value, *before)
        value = expressions.value(node.value)
        record = readings.end_record(expressions, node.span) if gathers else ZERO
        if isinstance(node, checked.SetLocal) and adds:
            old = environment.read(node.name, INT)
            value = _changed(expressions, old, WHOLE, value, node)
        environment.write(node.name, type_, value, node.span)
        readings.keep_record(expressions, node.name, record, node.span)
        return
    top = builder.let("top", runtime.load(tables.heap_top, ZERO), node.span)
    value = expressions.value(node.value)
    if isinstance(node, checked.SetLocal) and adds:
        value = _changed_set(node.operator, environment.read(node.name, type_), value)
    if not isinstance(value, ir.Local):
        value = kept(top, value, type_)
    environment.write(node.name, type_, value, node.span)


def set_state(expressions: ExpressionLowering, node: checked.SetState) -> None:
    """Assign a value to a state; owner, index and value are evaluated in this order.

    Faults: NONE, RANGE, OVERFLOW.
    """
    lowering, builder = expressions.lowering, expressions.builder
    state = lowering.states[node.state]
    at = reads.row(expressions, state, node.owner, node.index, write=True)
    if node.operator != "=":
        at = expressions.named("row", at, node.span)
    if state.members is not None:
        with expressions.clean():
            value = expressions.fitted(node.value, state.definition.type)
            if node.operator != "=":
                value = _changed_set(node.operator, reads.read_row(lowering, state, at), value)
            builder.do(lowering.name("set", state.key), at, value, span=node.span)
        return
    gives = node.state == lowering.checked.score
    if gives:
        readings.begin_record(expressions, node.value)
    value = _new_number(expressions, state, at, node)
    if gives:
        readings.give(expressions, node.span)
        at, value = tallied(expressions, state, at, value, node.span)
    builder.emit(ir.Store(state.data, at, value, node.span))
    if gives:
        trace_statement(expressions, node, "score")


def _new_number(
    expressions: ExpressionLowering, state: StateTable, at: ir.Expr, node: checked.SetState
) -> ir.Expr:
    """Return the new value of a state that is not a set."""
    type_ = state.definition.type
    if node.operator == "=":
        return as_number(
            operators.ranged(expressions, checked.Ranged(node.span, type_, node.value)),
            type_,
        )
    assert isinstance(type_, IntType)
    old = reads.read_row(expressions.lowering, state, at)
    value = expressions.required(node.value)
    return _changed(expressions, old, (type_.low, type_.high), value, node)


def _changed(
    expressions: ExpressionLowering,
    old: ir.Expr,
    bounds: Range,
    value: ir.Expr,
    node: checked.SetLocal | checked.SetState,
) -> ir.Expr:
    """Return the result of `+=` or `-=` on a number, with a fault if it leaves its bounds."""
    sign: ir.BinaryOp = "+" if node.operator == "+=" else "-"
    found = facts.combined(sign, bounds, facts.range_of(node.value))
    code = faults.OVERFLOW if bounds == WHOLE else faults.RANGE
    return operators.limited(
        expressions, ir.Binary(sign, old, value), found, bounds, code, node.span
    )


def _changed_set(operator: str, old: ir.Expr, value: ir.Expr) -> ir.Expr:
    return runtime.call(heap.union if operator == "+=" else heap.difference, old, value)


# --- points ---------------------------------------------------------------------------------------


def tallied(
    expressions: ExpressionLowering, state: StateTable, at: ir.Expr, value: ir.Expr, span: Span
) -> tuple[ir.Expr, ir.Expr]:
    """Emit the change of the score in a row, a seat, to a value.

    Return row and value as expressions that can be used again.
    """
    builder = expressions.builder
    seat = expressions.named("seat", at, span)
    new = expressions.named("points", value, span)
    players = expressions.lowering.players
    row = builder.let("source", plus(times(_source(expressions, span), players), seat), span)
    gain = ir.Binary("-", new, ir.Load(state.data, seat))
    builder.emit(ir.Do(runtime.call(notes.count_gain, row, gain), span))
    builder.emit(runtime.store(tables.scored, ZERO, ONE, span))
    return seat, new


def _source(expressions: ExpressionLowering, span: Span) -> ir.Expr:
    """Return the number of the source of points for the running callable (see `model.sources`)."""
    lowering, runs = expressions.lowering, expressions.running
    found = lowering.sources
    if runs.kind != "action":
        option = runs.kind in ("choice", "option")
        return ir.Const(found.row(runs.key if option else lowering.checked.score))
    action = lowering.checked.actions[runs.key]
    named = enum_given(action)
    if named is None:
        return ir.Const(found.row(action.key))
    place, enum, optional = named
    members = next(each.members for each in lowering.game.enums if each.key == enum)
    type_ = action.params[place].type
    value = expressions.named("why", expressions.environment.read(runs.params[place], type_), span)
    member = plus(ir.Const(found.row(member_source(enum, members[0]))), value)
    if not optional:
        return member
    none = ir.Compare("==", value, ir.Const(none_of(type_)))
    return ir.Select(none, ir.Const(found.row(action.key)), member)
