"""Actions, choices, options and `always` rules that can be suspended: the order of their parts.

The order is that of the reference: guard and preconditions, then `around` hooks, and inside them
`before` hooks, the body, `after` hooks.
"""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl.lower import runtime
from rulesdsl.lower.actions.flow import Flow
from rulesdsl.lower.actions.frames import FRAME, Entry, at_slot, raw
from rulesdsl.lower.actions.moves import moves_function
from rulesdsl.lower.actions.shared import Shared, begin_call, check_call, end_step, uncount_depth
from rulesdsl.lower.emit import ONE, ZERO
from rulesdsl.lower.parts import Part, Routine
from rulesdsl.model import ir
from rulesdsl.model.checked import ActionDef
from rulesdsl.runtime import faults, machine, tables

Step = Callable[[], None]


class Lowered:
    """The lowering of one routine through its phases."""

    def __init__(self, shared: Shared, entry: Entry) -> None:
        self.shared = shared
        self.entry = entry
        self.routine: Routine = shared.routine(entry.code)
        self.flow = Flow(shared, entry, self.routine)
        self.out, self.refused = self.flow.label(), self.flow.label()

    def function(self) -> ir.Function:
        """Return the whole routine as an IR function."""
        code, flow = self.entry.code, self.flow
        if code.kind == "always":
            assert self.routine.body is not None
            flow.run_part(self.routine.body)
        else:
            if not self.entry.inner:
                self._enter()
            self._arounds()
            if not flow.ended:
                self._hooks(self.routine.befores)
                self._body()
                self._hooks(self.routine.afters)
        flow.place(self.out)
        self._uncount()
        flow.place(self.refused)
        self._leave()
        return flow.function(self.shared.function(self.entry))

    # --- phases ------------------------------------------------------------------------------

    def _enter(self) -> None:
        """Emit the entry: guard, preconditions, depth of an action."""
        action, flow, builder = self._action(), self.flow, self.flow.builder
        if action is None:
            return
        assert self.routine.body is not None
        flow.named(self.routine.body)
        begin_call(self.shared, builder, action)
        if action.guard is not None:
            go_on = flow.label()
            flow.branch(flow.expressions.condition(action.guard), go_on, self.refused, action.span)
            flow.place(go_on)
        given = tuple(flow.frame.load(slot, slot.type) for slot in flow.frame.fixed.arguments)
        check_call(self.shared, builder, action, given)

    def _arounds(self) -> None:
        for part in self.routine.arounds[self.entry.inner :]:
            self._guarded(part, lambda part=part: self._around(part))  # type: ignore[misc]
            if self.flow.ended:
                return

    def _around(self, part: Part) -> None:
        self.flow.run_part(part)
        self.flow.jump(self.out)

    def _hooks(self, parts: tuple[Part, ...]) -> None:
        for part in parts:
            self._guarded(part, lambda part=part: self.flow.run_part(part))  # type: ignore[misc]

    def _guarded(self, part: Part, run: Step) -> None:
        """Run a hook if its guard holds."""
        flow = self.flow
        if part.guard is None:
            run()
            return
        flow.named(part)
        then, after = flow.label(), flow.label()
        flow.branch(flow.expressions.condition(part.guard), then, after, part.span)
        flow.place(then)
        run()
        flow.place(after)

    def _body(self) -> None:
        if self.entry.code.kind == "choice":
            self._ask()
        else:
            assert self.routine.body is not None
            self.flow.run_part(self.routine.body)

    def _action(self) -> ActionDef | None:
        """Return the action, unless this is another routine or the part inside of `proceed`."""
        code = self.entry.code
        if code.kind != "action" or self.entry.inner:
            return None
        return self.shared.lowering.checked.actions[code.key]

    def _uncount(self) -> None:
        action = self._action()
        if action is not None:
            uncount_depth(self.shared, self.flow.builder, action)

    def _leave(self) -> None:
        """Hand on the result; after an outermost step, settle first."""
        self.flow.frame.leave(self.flow.frame.fixed.result)
        action = self._action()
        if action is not None:
            end_step(self.shared, self.flow.builder, action)
        self.flow.builder.emit(ir.Return())
        self.flow.ended = True

    # --- choices -----------------------------------------------------------------------------

    def _ask(self) -> None:
        """Ask until nothing more is to be asked; the game waits for a player here."""
        flow, builder, shared = self.flow, self.flow.builder, self.shared
        choice = shared.lowering.checked.choices[self.entry.code.key]
        number = shared.choices[choice.key]
        done = flow.frame.fixed.flag
        again, open_, answered, after = (flow.label() for _ in range(4))
        flow.kept.append(again)
        flow.place(again)
        flow.branch(ir.Compare("==", raw(done), ONE), after, open_, choice.span)
        flow.place(open_)
        flow.named(Part("body", 0, tuple(p.name for p in choice.params), None, (), choice.span))
        seat = flow.expressions.required(choice.by, faults.NOBODY)
        builder.emit(runtime.store(tables.asked_seat, ZERO, seat, choice.span))
        builder.emit(runtime.store(tables.asked, ZERO, ir.Const(number), choice.span))
        # Listing moves asks which pieces frames name, so this frame must be at its point by then.
        builder.emit(runtime.store(tables.stack, FRAME, ir.Const(answered)))
        builder.do(moves_function(shared, choice.key), FRAME, span=choice.span)
        with builder.block() as asking:
            builder.do(machine.ask_player, span=choice.span)
            builder.emit(ir.Return())
        some = ir.Compare(">", runtime.load(tables.move_count, ZERO), ZERO)
        builder.emit(ir.If(some, tuple(asking), (), choice.span))
        self._otherwise(again)
        flow.know(answered, again=again)
        flow.place(answered)
        result = flow.frame.fixed.result
        if result is not None:
            flow.frame.take_result(result, choice.span)
        if not choice.repeat:
            builder.emit(runtime.store(tables.stack, at_slot(done), ONE))
        flow.jump(again if choice.repeat else after)
        flow.place(after)

    def _otherwise(self, again: int) -> None:
        flow = self.flow
        otherwise = self.routine.otherwise
        if otherwise is None:
            flow.builder.emit(ir.Trap(faults.STUCK, self.routine.span))
            flow.ended = True
            return
        flow.builder.emit(runtime.store(tables.stack, at_slot(flow.frame.fixed.flag), ONE))
        flow.run_part(otherwise)
        flow.jump(again)
