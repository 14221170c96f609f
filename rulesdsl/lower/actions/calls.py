"""Calls that end at once: actions that cannot be suspended, effects, and queued calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulesdsl.lower import runtime
from rulesdsl.lower.actions.frames import as_number
from rulesdsl.lower.actions.shared import Shared
from rulesdsl.lower.bodies.locals import LocalTypes
from rulesdsl.lower.emit import MINUS, ZERO, Environment
from rulesdsl.lower.expressions.expressions import Expressions
from rulesdsl.lower.tables.encoding import is_set
from rulesdsl.model import ir
from rulesdsl.model.checked import (
    ActionCall,
    EffectCall,
    Expr,
    Later,
    Leave,
    Perform,
    ProceedCall,
    Return,
)
from rulesdsl.model.types import CELL, SEGMENT, SPACE, UNIT, OptionalType, Type
from rulesdsl.runtime import effects, machine, tables

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

    `returns` and `proceeds` define `return` and `proceed` there.
    """

    def __init__(
        self,
        shared: Shared,
        expressions: Expressions,
        environment: Environment,
        local_types: LocalTypes,
        returns: Callable[[Return], None] | None = None,
        proceeds: Callable[[Perform], None] | None = None,
    ) -> None:
        self.shared = shared
        self.expressions = expressions
        self.builder = expressions.builder
        self.environment = environment
        self.local_types = local_types
        self.returns = returns
        self.proceeds = proceeds

    def returned(self, node: Return) -> None:
        """Emit `return`."""
        assert self.returns is not None, "blocks with `return` are taken apart"
        self.returns(node)

    def leave(self, node: Leave) -> None:
        """Emit `leave`."""
        raise AssertionError("blocks with `leave` are taken apart")

    def perform(self, node: Perform) -> None:
        """Emit a call of an action, an effect or `proceed`."""
        match node.call:
            case ActionCall():
                self._action(node, node.call)
            case EffectCall():
                self._effect(node.call)
            case ProceedCall():
                assert self.proceeds is not None, "blocks with `proceed` are taken apart"
                self.proceeds(node)
            case _:
                raise AssertionError(f"{node.call} can be suspended")

    def _action(self, node: Perform, call: ActionCall) -> None:
        action = self.shared.lowering.checked.actions[call.action]
        given = self.arguments(call.action, call.arguments)
        made = ir.Call(self.shared.direct(call.action), given)
        if node.into is None or action.type == UNIT:
            self.builder.emit(ir.Do(made, node.span))
        else:
            self.environment.write(node.into, action.type, made, node.span)

    def arguments(self, action: str, arguments: tuple[Expr, ...]) -> tuple[ir.Expr, ...]:
        """Return the arguments of an action as its function takes them."""
        params = self.shared.lowering.checked.actions[action].params
        return tuple(
            self.expressions.fitted(argument, param.type)
            for argument, param in zip(arguments, params, strict=True)
        )

    def _effect(self, call: EffectCall) -> None:
        given = [self.expressions.required(argument) for argument in call.arguments]
        if call.effect in PLAIN_EFFECTS:
            self.builder.do(PLAIN_EFFECTS[call.effect], *given, span=call.span)
            return
        assert call.effect == "move", call.effect
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

    def later(self, node: Later) -> None:
        """Emit a call that is queued until the end of the step."""
        call, shared = node.call, self.shared
        action = shared.lowering.checked.actions[call.action]
        given = self.arguments(call.action, call.arguments)
        self.builder.do(machine.later, ir.Const(shared.queued[call.action]), span=node.span)
        for value, param in zip(given, action.params, strict=True):
            put = machine.enqueue_set if is_set(param.type) else machine.enqueue
            self.builder.do(put, as_number(value, param.type), span=node.span)
