"""What surrounds the body of every action: preconditions, the depth of recursion, steps."""

from __future__ import annotations

from rulesdsl.core import faults
from rulesdsl.lower.actions.calls import Caller
from rulesdsl.lower.actions.frames import push_frame
from rulesdsl.lower.actions.shared import Shared
from rulesdsl.lower.bodies.local_types import LocalTypes
from rulesdsl.lower.bodies.locals import Locals, kind_of
from rulesdsl.lower.bodies.statements import Statements
from rulesdsl.lower.emit import ONE, ZERO, Builder
from rulesdsl.lower.expressions.expressions import Expressions
from rulesdsl.lower.logic import negation
from rulesdsl.lower.parts import Code
from rulesdsl.lower.tables.encoding import is_set
from rulesdsl.model import ir
from rulesdsl.model.checked import ActionDef, Return
from rulesdsl.model.types import INT, UNIT, Type


class Requires:
    """The functions that tell whether the preconditions of an action hold: one for each, and the
    one that asks them all in order."""

    def __init__(self, shared: Shared, action: ActionDef) -> None:
        self.shared = shared
        self.action = action

    def functions(self) -> list[ir.Function]:
        """All of them."""
        single = [self._single(number) for number in range(len(self.action.requires))]
        builder, params = Builder(), self._params()
        given = tuple(ir.Local(name) for name, _ in params)
        for function in single:
            broken = negation(ir.Call(function.name, given))
            builder.emit(ir.If(broken, (ir.Return(ir.Truth(False)),), (), function.span))
        builder.emit(ir.Return(ir.Truth(True)))
        doc = f"Do the preconditions of `{self.action.key}` hold?"
        name = self.shared.requires(self.action.key)
        whole = ir.Function(name, params, "bool", builder.body(), (), doc, self.action.span)
        return [*single, whole]

    def _params(self) -> tuple[tuple[str, ir.Kind], ...]:
        return tuple((f"given_{n}", kind_of(p.type)) for n, p in enumerate(self.action.params))

    def _single(self, number: int) -> ir.Function:
        rule, builder = self.action.requires[number], Builder()
        environment = Locals(builder)
        types_of_params = [p.type for p in self.action.params]
        params = tuple(
            environment.parameter(name, type_)
            for name, type_ in zip(rule.params, types_of_params, strict=True)
        )
        types = LocalTypes(self.shared.lowering.checked, UNIT)
        environment.types.update(types.of(rule.body))
        expressions = Expressions(self.shared.lowering, builder, environment)

        def returned(node: Return) -> None:
            builder.emit(ir.Return(expressions.condition(node.value), node.span))

        if rule.guard is not None:
            closed = negation(expressions.condition(rule.guard))
            builder.emit(ir.If(closed, (ir.Return(ir.Truth(True)),), (), rule.span))
        caller = Caller(self.shared, expressions, environment, types, returned)
        self.shared.lowering.mark(builder, rule.span)
        if not Statements(expressions, caller).block(rule.body):
            builder.emit(ir.Trap(faults.NO_RESULT, rule.span))
        names = {name for name, _ in params}
        kinds = tuple(item for item in builder.kinds.items() if item[0] not in names)
        name = self.shared.lowering.name("precondition", f"{self.action.key}.{number + 1}")
        doc = f"A precondition of `{self.action.key}`."
        return ir.Function(name, params, "bool", builder.body(), kinds, doc, rule.span)


def check_requires(
    shared: Shared, builder: Builder, action: ActionDef, given: tuple[ir.Expr, ...]
) -> None:
    """Emit fault PRECONDITION where a precondition of the action does not hold."""
    if action.requires:
        holds = ir.Call(shared.requires(action.key), given)
        builder.trap_if(negation(holds), faults.PRECONDITION, action.span)


def count_depth(shared: Shared, builder: Builder, action: ActionDef) -> None:
    """Emit what counts one more run of a recursive action, and fails beyond the most."""
    assert action.depth is not None
    table = shared.depth(action.key)
    now = ir.Load(table, ZERO)
    builder.trap_if(ir.Compare(">=", now, ir.Const(action.depth)), faults.RECURSION, action.span)
    builder.emit(ir.Store(table, ZERO, ir.Binary("+", now, ONE), action.span))


def uncount_depth(shared: Shared, builder: Builder, action: ActionDef) -> None:
    """Emit what counts one run of a recursive action less."""
    table = shared.depth(action.key)
    builder.emit(ir.Store(table, ZERO, ir.Binary("-", ir.Load(table, ZERO), ONE)))


def begin_step(shared: Shared, builder: Builder) -> None:
    """Emit what notes that a step runs, where anything can follow one."""
    if shared.suspension.settles:
        more = ir.Binary("+", ir.Load("steps", ZERO), ONE)
        builder.emit(ir.Store("steps", ZERO, more))


def end_step(shared: Shared, builder: Builder, action: ActionDef) -> None:
    """Emit what follows a step that has ended: the outermost one settles. Where that can be
    suspended, the frame of the step is gone and what it gives is in `result`."""
    if not shared.suspension.settles:
        return
    less = ir.Binary("-", ir.Load("steps", ZERO), ONE)
    builder.emit(ir.Store("steps", ZERO, less))
    with builder.block() as outermost:
        if shared.suspension.settle:
            _push_settling(shared, builder, action)
        else:
            kept = builder.let("kept", ir.Load("result", ZERO))
            builder.do("settle_rest", span=action.span)
            builder.emit(ir.Store("result", ZERO, kept))
    none = ir.Compare("==", ir.Load("steps", ZERO), ZERO)
    builder.emit(ir.If(none, tuple(outermost), (), action.span))


def _push_settling(shared: Shared, builder: Builder, action: ActionDef) -> None:
    point = ir.Const(shared.entry(settle_code(action.type)))
    arguments: list[tuple[ir.Expr, Type]] = []
    if action.type != UNIT:
        kind = action.type if is_set(action.type) else INT
        arguments.append((ir.Load("result", ZERO), kind))
    push_frame(builder, point, ir.Load("top", ZERO), arguments, action.span)


def settle_code(given: Type) -> Code:
    """The routine that settles after steps that give something of that type."""
    return Code("settle", "" if given == UNIT else str(given))
