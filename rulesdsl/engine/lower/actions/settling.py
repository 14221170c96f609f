"""Settling after the outermost step: the queue, then `always` rules, until nothing is left."""

from __future__ import annotations

from rulesdsl.engine.lower import emit, runtime
from rulesdsl.engine.lower.actions.direct import Direct
from rulesdsl.engine.lower.actions.frames import FRAME, RoutineEntry, push_frame
from rulesdsl.engine.lower.actions.routines import RoutineLowering
from rulesdsl.engine.lower.actions.shared import Shared, queued_layout, settle_code
from rulesdsl.engine.lower.bodies.statements import Locals
from rulesdsl.engine.lower.emit import ONE, ZERO, Builder, CallableCode, Names, binder_names
from rulesdsl.engine.lower.expressions import loops
from rulesdsl.engine.lower.expressions.expressions import ExpressionLowering
from rulesdsl.engine.lower.tables.encoding import is_set
from rulesdsl.engine.runtime import faults, hooks, machine, tables
from rulesdsl.engine.runtime.declare import DeclaredTable
from rulesdsl.language.model import checked, ir
from rulesdsl.language.model.types import INT, UNIT, Type

NOTHING, DONE, PUSHED = ir.Const(0), ir.Const(1), ir.Const(2)
"""The results of `settle_once`: nothing was left, something ran to its end, or a frame was pushed
that runs first."""

ALWAYS, ROUNDS = ZERO, ONE
"""The entries of `settling`."""


class Settling:
    """The functions that settle."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.checked = shared.lowering.checked

    def functions(self) -> list[ir.Function]:
        """Yield `settle_rest`, its helpers, and the routines for steps whose result waits."""
        made = [self._rest()]
        if not self.shared.suspension.settles:
            return made
        made.append(self._once())
        for number, rule in enumerate(self.checked.always):
            made.append(self._first(number, rule))
            if not self._suspends(number):
                code = CallableCode("always", "", number)
                made.append(Direct(self.shared, code, self._name("apply", number)).function())
        for entry in self.shared.points.entry:
            if entry.code.kind == "settle":
                made.append(self._routine(entry))
        return made

    def _suspends(self, number: int) -> bool:
        return RoutineEntry(CallableCode("always", "", number)) in self.shared.points.entry

    def _name(self, what: str, number: int) -> str:
        return self.shared.lowering.name(what, f"always_{number + 1}")

    def _rest(self) -> ir.Function:
        """Return the function that settles at once, or pushes the frame that does."""
        builder = Builder()
        suspension = self.shared.suspension
        if suspension.settle:
            point = ir.Const(self.shared.entry(settle_code(UNIT)))
            push_frame(builder, point, runtime.load(tables.top, ZERO), [], None)
        elif suspension.settles:
            self._add(tables.steps, ZERO, 1, builder)
            self._clear(builder)
            more = ir.Compare("!=", ir.Call("settle_once", (ir.Const(-1),)), NOTHING)
            builder.emit(ir.While(more, ()))
            self._add(tables.steps, ZERO, -1, builder)
        doc = "Start settling queued calls and `always` rules."
        return builder.function(hooks.settle_rest.__name__, doc)

    def _clear(self, builder: Builder) -> None:
        builder.emit(runtime.store(tables.settling, ALWAYS, ZERO))
        builder.emit(runtime.store(tables.settling, ROUNDS, ZERO))

    def _add(self, table: DeclaredTable, index: ir.Expr, amount: int, builder: Builder) -> None:
        more = ir.Binary("+", runtime.load(table, index), ir.Const(amount))
        builder.emit(runtime.store(table, index, more))

    # --- one thing at a time -----------------------------------------------------------------

    def _once(self) -> ir.Function:
        """Return the function that settles one thing: a queued call or an `always` rule.

        The queue is emptied first; then rules apply until none does. If they queued calls,
        it starts over.
        """
        builder = Builder(FRAME.name)
        waiting = ir.Compare(">", runtime.load(tables.queued, ZERO), ZERO)
        fresh = ir.Compare("==", runtime.load(tables.settling, ALWAYS), ZERO)
        with builder.block() as first:
            self._queued(builder)
        builder.emit(ir.If(ir.Logic("and", fresh, waiting), tuple(first)))
        builder.emit(runtime.store(tables.settling, ALWAYS, ONE))
        for number, rule in enumerate(self.checked.always):
            with builder.block() as applies:
                self._apply(builder, number, rule)
            found = ir.Call(self._name("first_of", number))
            builder.emit(ir.If(found, tuple(applies), (), rule.span))
        again = (runtime.store(tables.settling, ALWAYS, ZERO), ir.Return(DONE))
        builder.emit(ir.If(waiting, again))
        builder.emit(ir.Return(NOTHING))
        doc = "Run the next part of settling; the frame is the one that settles."
        return builder.function("settle_once", doc, ((FRAME.name, "int"),), "int")

    def _queued(self, builder: Builder) -> None:
        called = builder.let("called", runtime.load(tables.queue, ZERO))
        top = builder.let("top", runtime.load(tables.heap_top, ZERO))
        for key, number in self.shared.queued.items():
            action = self.checked.actions[key]
            with builder.block() as mine:
                given = self._arguments(builder, queued_layout(self.shared, key))
                if key in self.shared.suspension.actions:
                    self._push(builder, CallableCode("action", key), given, top)
                else:
                    arguments = tuple(emit.as_value(value, kind) for value, kind in given)
                    builder.do(self.shared.direct(key), *arguments, span=action.span)
                    builder.emit(runtime.store(tables.heap_top, ZERO, top))
                    builder.emit(ir.Return(DONE))
            builder.emit(ir.If(ir.Compare("==", called, ir.Const(number)), tuple(mine)))

    def _arguments(self, builder: Builder, layout: Names) -> list[tuple[ir.Local, Type]]:
        """Return the arguments of the oldest queued call, which is dropped."""
        size: ir.Expr = ONE
        given = []
        for _, type_ in layout:
            after = ir.Binary("+", size, ONE)
            if is_set(type_):
                value = builder.let("given", runtime.call(machine.queued_set, size))
                count = ir.Binary("max", runtime.load(tables.queue, size), ZERO)
                size = builder.let("after", ir.Binary("+", after, count))
            else:
                value = builder.let("given", runtime.load(tables.queue, size))
                size = after
            given.append((value, type_))
        builder.do(machine.unqueue, size)
        return given

    def _push(
        self,
        builder: Builder,
        code: CallableCode,
        values: list[tuple[ir.Local, Type]],
        top: ir.Expr,
    ) -> None:
        point = ir.Const(self.shared.entry(code))
        given = [(value, type_ if is_set(type_) else INT) for value, type_ in values]
        push_frame(builder, point, FRAME, given, None)
        builder.emit(runtime.store(tables.heap_top, ZERO, top))
        builder.emit(ir.Return(PUSHED))

    def _apply(self, builder: Builder, number: int, rule: checked.AlwaysDef) -> None:
        self._add(tables.settling, ROUNDS, 1, builder)
        rounds = ir.Compare(
            ">", runtime.load(tables.settling, ROUNDS), ir.Const(faults.APPLICATIONS)
        )
        builder.trap_if(rounds, faults.TOO_MANY_ALWAYS, rule.span)
        values = [
            (builder.let("found", runtime.load(tables.bound, ir.Const(place))), kind)
            for place, (_, kind) in enumerate(binder_names(rule.binder))
        ]
        if self._suspends(number):
            top = runtime.load(tables.heap_top, ZERO)
            self._push(builder, CallableCode("always", "", number), values, top)
        else:
            typed = tuple(emit.as_value(value, kind) for value, kind in values)
            builder.do(self._name("apply", number), *typed, span=rule.span)
            builder.emit(ir.Return(DONE))

    def _first(self, number: int, rule: checked.AlwaysDef) -> ir.Function:
        """Return the function that says whether a rule applies.

        It writes the first binding to which the rule applies into `bound`.
        """
        builder = Builder()
        expressions = ExpressionLowering(self.shared.lowering, builder, Locals(builder))
        applies = expressions.boolean("applies", False)

        def found() -> None:
            for place, name in enumerate(rule.binder.names):
                value = expressions.bound(name)
                builder.emit(runtime.store(tables.bound, ir.Const(place), value, rule.span))
            builder.emit(ir.Assign(applies.name, ir.Truth(True), rule.span))
            builder.emit(ir.Break(rule.span))

        loops.nest(expressions, (rule.binder,), found, applies.name)
        builder.emit(ir.Return(applies, rule.span))
        doc = "Return whether the `always` rule applies, and write its arguments to `bound`."
        return builder.function(self._name("first_of", number), doc, (), "bool", rule.span)

    # --- frames ------------------------------------------------------------------------------

    def _routine(self, entry: RoutineEntry) -> ir.Function:
        """Return the routine that settles while the result of a step waits."""
        flow = RoutineLowering(self.shared, entry, self.shared.routine(entry.code))
        builder = flow.builder
        self._add(tables.steps, ZERO, 1, builder)
        self._clear(builder)
        pushed_at, head = flow.label(), flow.label()
        flow.jump(head)
        flow.place(pushed_at)
        flow.place(head)
        arguments = flow.frame.fixed.arguments
        flow.know(pushed_at, *arguments)
        done = builder.let("done", ir.Call("settle_once", (FRAME,)))
        with builder.block() as pushed:
            builder.emit(runtime.store(tables.stack, FRAME, ir.Const(pushed_at)))
            builder.emit(ir.Return())
        builder.emit(ir.If(ir.Compare("==", done, PUSHED), tuple(pushed)))
        with builder.block() as over:
            self._add(tables.steps, ZERO, -1, builder)
            flow.frame.leave(arguments[0] if arguments else None)
            builder.emit(ir.Return())
        builder.emit(ir.If(ir.Compare("==", done, NOTHING), tuple(over)))
        flow.jump(head)
        return flow.function(self.shared.function(entry))
