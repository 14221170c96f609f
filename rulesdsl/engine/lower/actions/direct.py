"""Code that ends at once: functions of actions that cannot be suspended, and calls of them."""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl.engine.lower import runtime
from rulesdsl.engine.lower.actions.shared import (
    Shared,
    begin_call,
    call_arguments,
    check_call,
    end_step,
    say,
    trace_enter,
    uncount_depth,
)
from rulesdsl.engine.lower.bodies.statements import (
    Locals,
    LocalTypes,
    Statements,
    trace_statement,
)
from rulesdsl.engine.lower.emit import (
    MINUS,
    ZERO,
    Builder,
    CallableCode,
    CallablePart,
    LocalStorage,
    Runs,
    as_number,
    kind_of,
    negation,
)
from rulesdsl.engine.lower.expressions.expressions import ExpressionLowering
from rulesdsl.engine.lower.tables.encoding import is_set, none_of
from rulesdsl.engine.lower.terms import behind
from rulesdsl.engine.runtime import effects, heap, knowledge, machine, tables
from rulesdsl.language.builtins import runtime_call
from rulesdsl.language.model import checked, ir
from rulesdsl.language.model.flow import told_attribute
from rulesdsl.language.model.types import BOOL, INT, UNIT


class Caller:
    """The lowering of calls in a block that cannot be suspended.

    `returns` defines `return` there.
    """

    def __init__(
        self,
        shared: Shared,
        expressions: ExpressionLowering,
        environment: LocalStorage,
        local_types: LocalTypes,
        returns: Callable[[checked.Return], None] | None = None,
    ) -> None:
        self.shared = shared
        self.expressions = expressions
        self.builder = expressions.builder
        self.environment = environment
        self.local_types = local_types
        self.returns = returns

    def returned(self, node: checked.Return) -> None:
        """Emit `return`."""
        assert self.returns is not None, "blocks with `return` are taken apart"
        self.returns(node)

    def leave(self, node: checked.Leave) -> None:
        """Emit `leave`."""
        raise AssertionError("blocks with `leave` are taken apart")

    def perform(self, node: checked.Perform) -> None:
        """Emit a call of an action or an effect."""
        match node.call:
            case checked.ActionCall():
                self._action(node, node.call)
            case checked.EffectCall():
                if node.call.effect == "note_position":
                    self._note(node, node.call)
                else:
                    self._effect(node.call)
            case _:
                raise AssertionError(f"{node.call} can be suspended")

    def _action(self, node: checked.Perform, call: checked.ActionCall) -> None:
        action = self.shared.lowering.checked.actions[call.action]
        code = CallableCode("action", call.action)
        given = call_arguments(self.shared, self.expressions, code, call.arguments)
        trace_statement(self.expressions, node, "call")
        made = ir.Call(self.shared.direct(call.action), tuple(value for value, _ in given))
        if node.into is None or action.type == UNIT:
            self.builder.emit(ir.Do(made, node.span))
        else:
            self.environment.write(node.into, action.type, made, node.span)

    def _note(self, node: checked.Perform, call: checked.EffectCall) -> None:
        pieces, *value = [self.expressions.required(argument) for argument in call.arguments]
        rest = *(value or (MINUS,)), ir.Const(call.ruleset), runtime.load(tables.decided, ZERO)
        times = runtime.call(effects.note_position, pieces, *rest)
        if node.into is None:
            self.builder.let("ignored", times, node.span)
        else:
            self.environment.write(node.into, INT, times, node.span)

    def _effect(self, call: checked.EffectCall) -> None:
        given = [self.expressions.required(argument) for argument in call.arguments]
        if call.told is not None:
            answers = self._answers(call.told)
            told = (given[0], answers, *(given[1:] or [MINUS]))
            self.builder.do(effects.tell_answers, *told, span=call.span)
            return
        found = runtime_call(call.effect, [each.type for each in call.arguments], UNIT)
        assert found is not None, call.effect
        self.builder.do(found[0], *given, span=call.span)

    def _answers(self, told: checked.Expr) -> ir.Expr:
        """Return the bits of the answers that are told."""
        attribute = told_attribute(told)
        assert isinstance(attribute, checked.ReadAttribute)
        found = self.shared.lowering.encoding.answers[attribute.attribute]
        if not isinstance(told, checked.Compare) or attribute.type == BOOL:
            return ir.Const(found.mask)
        value = self.expressions.fitted(told.right, attribute.type)
        more = map(ir.Const, (found.low, len(found.values), found.first))
        return runtime.call(knowledge.answer, value, *more)

    def later(self, node: checked.Later) -> None:
        """Emit a call that is queued until the end of the step."""
        call, shared = node.call, self.shared
        code = CallableCode("action", call.action)
        given = call_arguments(shared, self.expressions, code, call.arguments, later=True)
        trace_statement(self.expressions, node, "call")
        self.builder.do(machine.later, ir.Const(shared.queued[call.action]), span=node.span)
        for value, type_ in given:
            put = machine.enqueue_set if is_set(type_) else machine.enqueue
            self.builder.do(put, as_number(value, type_), span=node.span)


class Direct:
    """The function of an action, or of the body of an `always` rule, that runs to its end at once.

    Nothing follows a `return` in it: see `Suspension.routine`.
    """

    def __init__(self, shared: Shared, code: CallableCode, name: str) -> None:
        self.shared = shared
        self.name = name
        self.routine = shared.routine(code)
        self.action = shared.lowering.checked.actions.get(code.key)
        self.type = self.routine.result
        self.builder = Builder()
        self.environment = Locals(self.builder)
        self.params = tuple(
            self.environment.parameter(name, kind) for name, kind in self.routine.params
        )
        names = behind(self.routine, [name for name, _ in self.routine.params])
        self.behind = tuple(self.environment.parameter(name, INT) for name in names)
        self.expressions = ExpressionLowering(shared.lowering, self.builder, self.environment)

    def function(self) -> ir.Function:
        """Return the IR function."""
        builder, action, shared = self.builder, self.action, self.shared
        given = zip(self.routine.params, self.params, strict=True)
        arguments = [(own, type_, ir.Local(name)) for (own, type_), (name, _) in given]
        trace_enter(shared, builder, self.routine.code, arguments)
        if action is not None:
            begin_call(shared, builder, action)
            if action.guard is not None:
                closed = negation(self.expressions.condition(action.guard))
                with builder.block() as refused:
                    self._end()
                builder.emit(ir.If(closed, tuple(refused), (), action.span))
            check_call(shared, builder, action, tuple(ir.Local(name) for name, _ in self.params))
        for hook in self.routine.befores:
            self._hook(hook)
        assert self.routine.body is not None
        ended = self._run(self.routine.body)
        for hook in self.routine.afters:
            self._hook(hook)
        if not ended:
            if action is not None:
                uncount_depth(shared, builder, action)
            self._end()
        result = None if self.type == UNIT else kind_of(self.type)
        doc = "The body of an `always` rule." if action is None else f"The action `{action.key}`."
        params = (*self.params, *self.behind)
        return builder.function(self.name, doc, params, result, self.routine.span)

    def _end(self) -> None:
        self._trace_leave()
        if self.action is not None:
            end_step(self.shared, self.builder, self.action)
        self.builder.emit(ir.Return(self._nothing(), self.routine.span))

    def _trace_leave(self) -> None:
        self.shared.lowering.trace(self.builder, "leave", self.routine.code)

    def _nothing(self) -> ir.Expr | None:
        """Return the value of an action that ends without a result; None if its type is UNIT."""
        if self.type == UNIT:
            return None
        if self.type == BOOL:
            return ir.Truth(False)
        return runtime.call(heap.begin) if is_set(self.type) else ir.Const(none_of(self.type))

    def _hook(self, part: CallablePart) -> None:
        self._name(part)
        condition = self.expressions.condition(part.guard)
        with self.builder.block() as then:
            self._run(part)
        self.builder.emit(ir.If(condition, tuple(then), (), part.span))

    def _name(self, part: CallablePart) -> None:
        """Bind the names of a part to the arguments, and forget all other names."""
        code = self.routine.code
        self.expressions.running = Runs(code.kind, code.key, part.params, part.name)
        given = zip(part.params, self.params, self.routine.params, strict=True)
        self.environment.names.clear()
        self.environment.types.clear()
        for own, (name, _), (_, type_) in given:
            self.environment.names[own] = name
            self.environment.types[own] = type_
        for own, (name, _) in zip(behind(self.routine, part.params), self.behind, strict=True):
            self.environment.names[own] = name

    def _run(self, part: CallablePart) -> bool:
        """Emit the block of a part, and say whether its end is unreachable."""
        self._name(part)
        self.expressions.gathering = self.shared.lowering.quantities.gathering(self.routine, part)
        types = LocalTypes(self.shared.lowering.checked, self.type)
        self.environment.types.update(
            (name, kind) for name, kind in types.of(part.block).items() if name not in part.params
        )
        caller = Caller(self.shared, self.expressions, self.environment, types, self._returned)
        self.shared.lowering.mark(self.builder, part.span)
        self.shared.lowering.trace(self.builder, "part", part)
        if part.name == "body" and self.action is not None:
            say(self.expressions, self.action)
        return Statements(self.expressions, caller).block(part.block)

    def _returned(self, node: checked.Return) -> None:
        """Emit `return` as that of the IR function."""
        if node.value is None:
            self._trace_leave()
            self.builder.emit(ir.Return(self._nothing(), node.span))
        elif self.type == UNIT:
            self.builder.let("ignored", self.expressions.number(node.value), node.span)
            self._trace_leave()
            self.builder.emit(ir.Return(None, node.span))
        else:
            value = self.expressions.fitted(node.value, self.type)
            self._trace_leave()
            self.builder.emit(ir.Return(value, node.span))
