"""Code that ends at once: functions of actions that cannot be suspended, and calls of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from rulesdsl.lower import runtime
from rulesdsl.lower.actions.frames import as_number
from rulesdsl.lower.actions.shared import (
    Shared,
    begin_call,
    check_call,
    end_step,
    say,
    uncount_depth,
)
from rulesdsl.lower.bodies.statements import Locals, LocalTypes, Statements, kind_of
from rulesdsl.lower.emit import (
    MINUS,
    ZERO,
    Builder,
    CallableCode,
    CallablePart,
    LocalStorage,
    Runs,
    negation,
)
from rulesdsl.lower.expressions.expressions import ExpressionLowering
from rulesdsl.lower.tables.encoding import is_set, none_of
from rulesdsl.model import checked, ir
from rulesdsl.model.types import BOOL, CELL, SEGMENT, SPACE, UNIT, OptionalType, Type
from rulesdsl.runtime import effects, heap, machine, tables

PLAIN_EFFECTS: Mapping[str, runtime.Function] = {
    "place": effects.place_piece,
    "shuffle": effects.shuffle_zone,
    "reveal": effects.reveal,
    "conceal": effects.conceal,
    "turn_to": effects.turn_to,
    "link": effects.link,
    "unlink": effects.unlink,
}
"""The runtime's functions for effects that need nothing but their arguments."""

ON_CELL = ir.Const(-3)


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
                self._effect(node.call)
            case _:
                raise AssertionError(f"{node.call} can be suspended")

    def _action(self, node: checked.Perform, call: checked.ActionCall) -> None:
        action = self.shared.lowering.checked.actions[call.action]
        given = self.arguments(call.action, call.arguments)
        made = ir.Call(self.shared.direct(call.action), given)
        if node.into is None or action.type == UNIT:
            self.builder.emit(ir.Do(made, node.span))
        else:
            self.environment.write(node.into, action.type, made, node.span)

    def arguments(self, action: str, arguments: tuple[checked.Expr, ...]) -> tuple[ir.Expr, ...]:
        """Return the arguments of an action as its function takes them."""
        params = self.shared.lowering.checked.actions[action].params
        return tuple(
            self.expressions.fitted(argument, param.type)
            for argument, param in zip(arguments, params, strict=True)
        )

    def _effect(self, call: checked.EffectCall) -> None:
        given = [self.expressions.required(argument) for argument in call.arguments]
        if call.effect == "reveal" and len(given) > 1:
            self.builder.do(effects.reveal_to, *given, span=call.span)
            return
        if call.effect in PLAIN_EFFECTS:
            self.builder.do(PLAIN_EFFECTS[call.effect], *given, span=call.span)
            return
        assert call.effect == "move", call.effect
        if len(given) > 2:
            self.builder.do(effects.move_into, *given, span=call.span)
            return
        piece, to = given
        self.builder.do(
            effects.move_to, piece, *self._place(to, call.arguments[1].type), span=call.span
        )

    def _place(self, to: ir.Expr, type_: Type) -> tuple[ir.Expr, ir.Expr]:
        """Return the number of a place, and the spot there."""
        inner = type_.item if isinstance(type_, OptionalType) else type_
        if inner == CELL:
            return ON_CELL, to
        zones, spaces = runtime.load(tables.ZONES, ZERO), runtime.load(tables.SPACES, ZERO)
        if inner == SPACE:
            return ir.Binary("+", to, zones), MINUS
        if inner == SEGMENT:
            return ir.Binary("+", to, ir.Binary("+", zones, spaces)), MINUS
        return to, MINUS

    def later(self, node: checked.Later) -> None:
        """Emit a call that is queued until the end of the step."""
        call, shared = node.call, self.shared
        action = shared.lowering.checked.actions[call.action]
        given = self.arguments(call.action, call.arguments)
        self.builder.do(machine.later, ir.Const(shared.queued[call.action]), span=node.span)
        for value, param in zip(given, action.params, strict=True):
            put = machine.enqueue_set if is_set(param.type) else machine.enqueue
            self.builder.do(put, as_number(value, param.type), span=node.span)


class Direct:
    """The functions of one action.

    They are `do_x`, and where needed `body_x`, `before_x` ... for its parts. Actions with `around`
    hooks are routines.
    """

    def __init__(self, shared: Shared, action: str) -> None:
        self.shared = shared
        self.routine = shared.routine(CallableCode("action", action))
        self.action = shared.lowering.checked.actions[action]

    def functions(self) -> Iterator[ir.Function]:
        """Yield all functions of the action, `do_x` first."""
        yield self._whole()
        for part in self.routine.parts:
            if self._apart(part):
                yield self._part_function(part)

    def name(self, what: str, number: int = 0) -> str:
        """Return the name of a function of this action beside `do_x`."""
        key = f"{self.action.key}.{number + 1}" if number else self.action.key
        return self.shared.lowering.name(what, key)

    # --- the whole ---------------------------------------------------------------------------

    def _whole(self) -> ir.Function:
        function = DirectFunction(self, self.shared.direct(self.action.key))
        builder, action, shared = function.builder, self.action, self.shared
        begin_call(shared, builder, action)
        with builder.block() as refused:
            self._end(function, function.nothing())
        if action.guard is not None:
            closed = negation(function.expressions.condition(action.guard))
            builder.emit(ir.If(closed, tuple(refused), (), action.span))
        check_call(shared, builder, action, function.arguments())
        given = self._inside(function)
        if given is not None or self._ends():
            uncount_depth(shared, builder, action)
            self._end(function, given)
        return function.made(f"The action `{action.key}`.")

    def _ends(self) -> bool:
        """Return whether anything follows the body."""
        settles = self.action.step and self.shared.suspension.settles
        return bool(self.routine.afters or settles or self.action.depth is not None)

    def _end(self, function: DirectFunction, given: ir.Expr | None) -> None:
        """Emit the code of every way out: end the step, return the result."""
        end_step(self.shared, function.builder, self.action)
        function.builder.emit(ir.Return(given, self.action.span))

    def _apart(self, part: CallablePart) -> bool:
        """Return whether a part must be a function of its own.

        It must if something follows it that `return` in the part must not skip.
        """
        last = part.name == "body" and not self._ends()
        return not last and any(
            isinstance(node, checked.Return) for node in checked.walk(part.block)
        )

    # --- inside of the hooks -----------------------------------------------------------------

    def _inside(self, function: DirectFunction) -> ir.Expr | None:
        """Emit `before` hooks, body and `after` hooks.

        Return the result, or None if there is none or it has been returned.
        """
        for part in self.routine.befores:
            self._hook(function, part)
        body = self.routine.body
        assert body is not None
        given: ir.Expr | None = None
        if self._apart(body):
            call = ir.Call(self.name("body"), function.arguments())
            if self.routine.result == UNIT:
                function.builder.emit(ir.Do(call, body.span))
            else:
                kind = kind_of(self.routine.result)
                given = function.builder.let("result", call, body.span, kind)
        elif not function.run(body):
            given = function.nothing()
        for part in self.routine.afters:
            self._hook(function, part)
        return given

    def _hook(self, function: DirectFunction, part: CallablePart) -> None:
        builder = function.builder
        condition = function.condition_of(part)
        with builder.block() as then:
            if self._apart(part):
                call = ir.Call(self.name(part.name, part.number), function.arguments())
                builder.emit(ir.Do(call, part.span))
            else:
                function.run(part)
        builder.emit(ir.If(condition, tuple(then), (), part.span))

    # --- functions of their own --------------------------------------------------------------

    def _part_function(self, part: CallablePart) -> ir.Function:
        gives = part.name == "body"
        function = DirectFunction(self, self.name(part.name, part.number), gives)
        if not function.run(part):
            function.builder.emit(ir.Return(function.nothing(), part.span))
        return function.made(f"Run the part `{part.name}` of `{self.action.key}`.", part)


class DirectFunction:
    """An IR function whose parameters are those of an action."""

    def __init__(self, direct: Direct, name: str, gives: bool = True) -> None:
        self.direct = direct
        self.name = name
        self.type: Type = direct.routine.result if gives else UNIT
        self.builder = Builder()
        self.environment = Locals(self.builder)
        params = direct.routine.params
        self.params = tuple(self.environment.parameter(name, kind) for name, kind in params)
        self.expressions = ExpressionLowering(
            direct.shared.lowering, self.builder, self.environment
        )

    def arguments(self) -> tuple[ir.Expr, ...]:
        """Return the parameters as arguments for another call."""
        return tuple(ir.Local(name) for name, _ in self.params)

    def nothing(self) -> ir.Expr | None:
        """Return the value of an action that ends without a result; None if its type is UNIT."""
        if self.type == UNIT:
            return None
        if self.type == BOOL:
            return ir.Truth(False)
        return runtime.call(heap.begin) if is_set(self.type) else ir.Const(none_of(self.type))

    def named(self, part: CallablePart) -> None:
        """Bind the names of a part to the arguments, and forget all other names."""
        self.expressions.running = Runs("action", self.direct.action.key, part.params)
        given = zip(part.params, self.params, self.direct.routine.params, strict=True)
        self.environment.names.clear()
        self.environment.types.clear()
        for own, (name, _), (_, type_) in given:
            self.environment.names[own] = name
            self.environment.types[own] = type_

    def condition_of(self, part: CallablePart) -> ir.Expr:
        """Return the guard of a hook."""
        self.named(part)
        return self.expressions.condition(part.guard)

    def run(self, part: CallablePart) -> bool:
        """Emit the block of a part, and say whether its end is unreachable."""
        self.named(part)
        shared = self.direct.shared
        types = LocalTypes(shared.lowering.checked, self.direct.routine.result)
        self.environment.types.update(
            (name, kind) for name, kind in types.of(part.block).items() if name not in part.params
        )
        caller = Caller(shared, self.expressions, self.environment, types, self.returned)
        shared.lowering.mark(self.builder, part.span)
        if part.name == "body":
            say(self.expressions, self.direct.action)
        return Statements(self.expressions, caller).block(part.block)

    def returned(self, node: checked.Return) -> None:
        """Emit `return` as that of the IR function."""
        if node.value is None:
            self.builder.emit(ir.Return(self.nothing(), node.span))
        elif self.type == UNIT:
            self.builder.let("ignored", self.expressions.number(node.value), node.span)
            self.builder.emit(ir.Return(None, node.span))
        else:
            value = self.expressions.fitted(node.value, self.type)
            self.builder.emit(ir.Return(value, node.span))

    def made(self, doc: str, part: CallablePart | None = None) -> ir.Function:
        """Return the IR function of all statements emitted."""
        result = None if self.type == UNIT else kind_of(self.type)
        span = self.direct.action.span if part is None else part.span
        return self.builder.function(self.name, doc, self.params, result, span)
