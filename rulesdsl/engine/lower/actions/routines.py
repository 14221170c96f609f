"""Callables that can be suspended, split into blocks at the points where they can stop.

A routine is a function of its frame and the point it continues at:

    while true: if at == 7: ...; if at == 8: ...

Blocks fall through to those below. A routine that is suspended writes the point into its frame and
returns to `run`, which steps the innermost frame. The parts of a callable are in the order of the
reference: guard and preconditions, then `around` hooks, and inside them `before` hooks, the body,
`after` hooks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower import runtime
from rulesdsl.engine.lower.actions import frames
from rulesdsl.engine.lower.actions.direct import Caller
from rulesdsl.engine.lower.actions.moves import moves_function
from rulesdsl.engine.lower.actions.shared import (
    CHANCE,
    Shared,
    begin_call,
    call_arguments,
    check_call,
    end_step,
    say,
    trace_enter,
    uncount_depth,
)
from rulesdsl.engine.lower.bodies.statements import LocalTypes, Statements, trace_statement
from rulesdsl.engine.lower.emit import ONE, ZERO, Builder, CallableCode, CallablePart, Routine, Runs
from rulesdsl.engine.lower.expressions import loops, readings
from rulesdsl.engine.lower.expressions.expressions import ExpressionLowering
from rulesdsl.engine.lower.plan import Slot
from rulesdsl.engine.lower.tables.encoding import is_set
from rulesdsl.engine.lower.terms import behind, record_of
from rulesdsl.engine.runtime import draws, faults, heap, machine, tables
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked, ir
from rulesdsl.language.model.types import INT, Type

STACK_END = "stack_end"
"""The table of the end that a frame must not exceed, so that any other one fits above it."""


@dataclass
class RunningPart:
    """The part that is being lowered.

    `types` are the types of its locals, `end` is the point at its end, and `declared` are the
    slots of the locals in scope.
    """

    part: CallablePart
    types: dict[str, Type]
    end: int
    declared: list[Slot] = field(default_factory=list)


class RoutineLowering:
    """The lowering of one routine.

    `rounds` are the slots of the lists that enclosing loops iterate over, and `visited` those of
    them whose items the loops read; `kept` are points that are entered from outside though nothing
    waits there.
    """

    def __init__(self, shared: Shared, entry: frames.RoutineEntry, routine: Routine) -> None:
        self.shared = shared
        self.routine = routine
        self.number = shared.points.entry[entry]
        self.builder = Builder(frames.FRAME.name, frames.AT)
        self.frame = frames.Frame(self.builder, routine)
        self.expressions = ExpressionLowering(shared.lowering, self.builder, self.frame)
        self.local_types = LocalTypes(shared.lowering.checked, routine.result)
        self.rounds: list[Slot] = []
        self.visited: set[int] = set()
        self.running: RunningPart | None = None
        self.ended = False
        self.kept: list[int] = []
        self._loop_ends: list[int] = []
        self._blocks: list[tuple[int, list[ir.Stmt]]] = []
        self._open(self.number)

    # --- blocks ------------------------------------------------------------------------------

    def _open(self, point: int) -> None:
        self._blocks.append((point, self.builder.open()))
        self.ended = False

    def label(self) -> int:
        """Return a new point of this routine."""
        return self.shared.points.new(self.number)

    def place(self, point: int) -> None:
        """Start the block of a point here."""
        if not self.ended:
            self.jump(point)
        self.builder.close()
        self._open(point)

    def jump(self, point: int) -> None:
        """Emit a jump to a point."""
        self.builder.emit(ir.Assign(frames.AT, ir.Const(point)))
        self.ended = True

    def branch(self, condition: ir.Expr, then: int, otherwise: int, span: Span | None) -> None:
        """Emit a jump to one of two points."""
        to_then, to_other = (
            ir.Assign(frames.AT, ir.Const(then)),
            ir.Assign(frames.AT, ir.Const(otherwise)),
        )
        self.builder.emit(ir.If(condition, (to_then,), (to_other,), span))
        self.ended = True

    def wait_at(self, point: int, called: Span | None = None) -> None:
        """Emit a return to the stepper; the frame continues at the point, which is placed later."""
        self.builder.emit(runtime.store(tables.stack, frames.FRAME, ir.Const(point)))
        self.builder.emit(ir.Return())
        self.ended = True
        self.know(point, called=called)

    def know(
        self, point: int, *given: Slot, again: int | None = None, called: Span | None = None
    ) -> None:
        """Record the slots in use, with those given, for a suspension at a point.

        `again` is the point at which a choice would ask anew, `called` the call that runs.
        """
        fixed, running = self.frame.fixed, self.running
        result = () if fixed.result is None else (fixed.result,)
        declared = () if running is None else running.declared
        slots = (*fixed.arguments, *result, *declared, *given)
        reads = self.shared.identity
        telling = {slot.offset for slot in (*result, *given)} | self.visited
        telling |= {fixed.arguments[place].offset for place in reads.arguments(self.routine)}
        if running is not None:
            names = reads.names(running.part.block) & self.frame.scope.keys()
            telling |= {self.frame.scope[name].offset for name in names}
        rounds = tuple(self.rounds)
        self.shared.points.points[point] = frames.Point(slots, rounds, again, telling, called)

    def function(self, name: str) -> ir.Function:
        """Return the whole routine as a function of its frame and point."""
        self.builder.close()
        self.shared.sizes[self.number] = self.frame.size
        self.shared.stores |= bool(self.frame.sets)
        _, entry = self._blocks[0]
        entry[:0] = self.frame.entering()
        if self.shared.suspension.recursive:
            full = ir.Compare(">", runtime.load(tables.free, ZERO), ir.Load(STACK_END, ZERO))
            entry.insert(1, ir.If(full, (ir.Trap(faults.TOO_DEEP, self.routine.span),)))
        found = {point: tuple(statements) for point, statements in self._blocks}
        points = self.shared.points.points
        kept = [self.number, *self.kept, *(point for point in found if points[point] is not None)]
        here = ir.Local(frames.AT)
        blocks = tuple(
            ir.If(ir.Compare("==", here, ir.Const(point)), statements)
            for point, statements in tidy(found, kept, frames.AT).items()
        )
        code = self.routine.code
        return ir.Function(
            name,
            ((frames.FRAME.name, "int"), (frames.AT, "int")),
            None,
            (ir.While(ir.Truth(True), blocks),),
            tuple(self.builder.kinds.items()),
            f"Run the {code.kind} `{code.key}` from point `{frames.AT}` on.",
            self.routine.span,
        )

    # --- parts -------------------------------------------------------------------------------

    def named(self, part: CallablePart) -> None:
        """Bind the names of a part to the arguments."""
        code = self.routine.code
        self.expressions.running = Runs(code.kind, code.key, part.params, part.name)
        pairs = zip(part.params, self.frame.fixed.arguments, strict=True)
        self.frame.scope = {name: replace(slot, name=name) for name, slot in pairs}
        more = zip(behind(self.routine, part.params), self.frame.fixed.behind, strict=True)
        self.frame.scope.update(more)
        self.frame.inside = {}

    def run_part(self, part: CallablePart) -> None:
        """Emit the block of a part, in a scope of its own."""
        self.named(part)
        end = self.label()
        self.running = RunningPart(part, self.local_types.of(part.block), end)
        self.expressions.gathering = self.shared.lowering.quantities.gathering(self.routine, part)
        self.shared.lowering.mark(self.builder, part.span)
        self.shared.lowering.trace(self.builder, "part", part)
        if part.name == "body" and self.routine.code.kind == "action":
            say(self.expressions, self.shared.lowering.checked.actions[self.routine.code.key])
        self.block(part.block)
        self.place(end)
        self.running = None

    def block(self, block: checked.Block) -> None:
        """Emit the statements of a block; its declarations end with it."""
        assert self.running is not None
        declared = len(self.running.declared)
        for statement in block:
            self.statement(statement)
            if self.ended:
                break
        self._forget(declared)

    def _forget(self, declared: int) -> None:
        assert self.running is not None
        for slot in self.running.declared[declared:]:
            del self.frame.scope[slot.name]
            self.frame.scope.pop(record_of(slot.name), None)
        del self.running.declared[declared:]

    def declare(self, name: str, type_: Type) -> Slot:
        """Return the slot of a local that is declared here."""
        assert self.running is not None
        if name not in self.frame.scope:
            slot = self.frame.add(name, self.running.types.get(name, type_))
            self.frame.scope[name] = slot
            self.running.declared.append(slot)
            if readings.has_record(self.expressions, name):
                record = record_of(name)
                self.frame.scope[record] = self.frame.add(record, INT)
        return self.frame.scope[name]

    # --- statements --------------------------------------------------------------------------

    def statement(self, statement: checked.Stmt) -> None:
        """Emit a statement, split into blocks if necessary."""
        if not self.shared.suspension.in_blocks(statement):
            self._plain(statement)
            return
        trace_statement(self.expressions, statement)
        match statement:
            case checked.Perform():
                self._perform(statement)
            case checked.If():
                self._if(statement)
            case checked.For():
                self._for(statement)
            case checked.While():
                self._while(statement)
            case checked.Return():
                self._return(statement)
            case checked.Break():
                self.jump(self._loop_ends[-1])
            case checked.Leave():
                self.stop_asking()
                self._end_part()
            case _:
                raise AssertionError(f"{statement} is not taken apart")

    def _plain(self, statement: checked.Stmt) -> None:
        if isinstance(statement, checked.Let):
            self.declare(statement.name, statement.value.type)
        elif isinstance(statement, checked.Perform) and statement.into is not None:
            self.declare(statement.into, self.local_types.result(statement))
        caller = Caller(self.shared, self.expressions, self.frame, self.local_types)
        Statements(self.expressions, caller).block((statement,))

    def _end_part(self) -> None:
        assert self.running is not None
        self.jump(self.running.end)

    def _if(self, node: checked.If) -> None:
        condition = self.expressions.condition(node.condition)
        after = self.label()
        blocks = node.then, node.otherwise
        points = [self.label() if block else after for block in blocks]
        self.branch(condition, points[0], points[1], node.span)
        for point, block in zip(points, blocks, strict=True):
            if point != after:
                self.place(point)
                self.block(block)
                if not self.ended:
                    self.jump(after)
        self.place(after)

    def _for(self, node: checked.For) -> None:
        assert self.running is not None
        names = node.binder.names
        kinds = tuple(self.running.types[name] for name in names)
        items = self.frame.add("items", INT, many=True)
        visited = self.frame.add("visited", INT)
        found = loops.rounds(self.expressions, node)
        self.builder.do(heap.save, frames.at_slot(items), found, span=node.span)
        self.builder.emit(runtime.store(tables.heap_top, ZERO, ZERO))
        self.builder.emit(runtime.store(tables.stack, frames.at_slot(visited), ZERO, node.span))
        self.shared.lowering.trace(self.builder, "loop", node)
        head, body, after = self.label(), self.label(), self.label()
        self.place(head)
        more = ir.Compare(
            "<", frames.raw(visited), runtime.call(heap.length, frames.at_slot(items))
        )
        self.branch(more, body, after, node.span)
        self.place(body)
        self.builder.emit(ir.Spend(ONE, node.span))
        declared = len(self.running.declared)
        for place, name in enumerate(names):
            at = ir.Binary("+", frames.raw(visited), ir.Const(place))
            item = runtime.call(heap.item, frames.at_slot(items), at)
            slot = self.declare(name, kinds[place])
            self.builder.emit(runtime.store(tables.stack, frames.at_slot(slot), item, node.span))
            readings.keep_record(self.expressions, name, ZERO, node.span)
            loops.trace_name(self.expressions, node.binder, name, frames.raw(slot))
        count = ir.Binary("+", frames.raw(visited), ir.Const(len(names)))
        self.builder.emit(runtime.store(tables.stack, frames.at_slot(visited), count, node.span))
        self.rounds.append(replace(items, type=kinds[0]))
        if not self.shared.identity.names(self.running.part.block).isdisjoint(names):
            self.visited.add(items.offset)
        self._rounds(node, head, after)
        self.rounds.pop()
        self._forget(declared)
        self.place(after)
        self.shared.lowering.trace(self.builder, "looped", node)
        self.builder.do(heap.drop, frames.at_slot(items))

    def _while(self, node: checked.While) -> None:
        head, body, after = self.label(), self.label(), self.label()
        self.place(head)
        self.branch(self.expressions.condition(node.condition), body, after, node.span)
        self.place(body)
        self.builder.emit(ir.Spend(ONE, node.span))
        self._rounds(node, head, after)
        self.place(after)

    def _rounds(self, loop: checked.For | checked.While, head: int, after: int) -> None:
        self._loop_ends.append(after)
        self.block(loop.body)
        self._loop_ends.pop()
        if not self.ended:
            self.jump(head)

    def _return(self, node: checked.Return) -> None:
        assert self.running is not None
        result = self.frame.fixed.result
        if node.value is not None:
            if self.running.part.name in ("before", "after") or result is None:
                self.builder.let("ignored", self.expressions.number(node.value), node.span)
            else:
                value = self.expressions.fitted(node.value, result.type)
                self.frame.keep(result, result.type, value, node.span)
                self._forget_sets(result.type)
            ends = self.running.part.name in ("body", "around", "otherwise")
            if ends and self.routine.code.kind == "option":
                self.stop_asking()
        self._end_part()

    def stop_asking(self) -> None:
        """Make the running option the last one of its choice."""
        done = self.shared.fixed(CallableCode("choice", self.routine.code.key)).flag
        self.builder.emit(
            runtime.store(tables.stack, frames.at_slot(done, frames.raw(self.frame.fixed.ask)), ONE)
        )

    # --- calls -------------------------------------------------------------------------------

    def _perform(self, node: checked.Perform) -> None:
        match node.call:
            case checked.ActionCall(action=key, arguments=arguments):
                self._call(CallableCode("action", key), arguments, node)
            case checked.ChoiceCall(choice=key, arguments=arguments):
                self._call(CallableCode("choice", key), arguments, node)
            case checked.EffectCall(effect="end_game", arguments=(winners,)):
                self.builder.do(machine.end_game, self.expressions.value(winners), span=node.span)
                self.builder.emit(ir.Return())
                self.ended = True
            case checked.EffectCall(effect=effect, arguments=(argument,)):
                self._draw(effect, argument, node)
            case checked.ProceedCall():
                self._proceed(node)
            case _:
                raise AssertionError(f"{node.call} is not suspended")

    def _call(
        self, code: CallableCode, arguments: tuple[checked.Expr, ...], node: checked.Perform
    ) -> None:
        given = call_arguments(self.shared, self.expressions, code, arguments)
        types = [kind for _, kind in given]
        trace_statement(self.expressions, node, "call")
        above = self.push(frames.RoutineEntry(code), given, node.span)
        self._forget_sets(*types)
        self.resume(frames.RoutineEntry(code), above, node.span)
        self._take(node)
        self._forget_sets(self.local_types.result(node))

    def push(
        self, entry: frames.RoutineEntry, arguments: list[tuple[ir.Expr, Type]], span: Span | None
    ) -> ir.Local:
        """Push the frame of a routine and return its offset."""
        point = ir.Const(self.shared.points.entry[entry])
        return frames.push_frame(self.builder, point, frames.FRAME, arguments, span)

    def resume(
        self, entry: frames.RoutineEntry, above: ir.Expr, called: Span | None = None
    ) -> None:
        """Continue after the pushed routine has ended; `called` is the place of the call."""
        point, recursive = self.label(), self.shared.suspension.recursive
        if recursive:
            self.wait_at(point, called)
        else:
            # The routine runs at once; if it also ends at once, this one need not be stepped again.
            self.know(point, called=called)
            self.builder.emit(runtime.store(tables.stack, frames.FRAME, ir.Const(point)))
            begin = ir.Const(self.shared.points.entry[entry])
            self.builder.do(self.shared.function(entry), above, begin)
            waits = ir.Compare("!=", runtime.load(tables.top, ZERO), frames.FRAME)
            self.builder.emit(ir.If(waits, (ir.Return(),)))
        self.place(point)

    def _forget_sets(self, *types: Type) -> None:
        """Clear the heap if any of the types is a set.

        Everything that has to last is in frames by now, so nothing on the heap is needed.
        """
        if any(map(is_set, types)):
            self.builder.emit(runtime.store(tables.heap_top, ZERO, ZERO))

    def _take(self, node: checked.Perform) -> None:
        if node.into is not None:
            slot = self.declare(node.into, self.local_types.result(node))
            self.frame.take_result(slot, node.span)
            readings.keep_record(self.expressions, node.into, ZERO, node.span)

    def _proceed(self, node: checked.Perform) -> None:
        assert self.running is not None
        fixed = self.frame.fixed
        self.builder.do(machine.proceed_once, frames.at_slot(fixed.flag), span=node.span)
        entry = frames.RoutineEntry(self.routine.code, self.running.part.number + 1)
        slots = (*fixed.arguments, *fixed.behind)
        given = [(self.frame.load(slot, slot.type), slot.type) for slot in slots]
        above = self.push(entry, given, node.span)
        self.builder.emit(
            runtime.store(
                tables.stack, frames.at_slot(fixed.ask, above), frames.raw(fixed.ask), node.span
            )
        )
        self._forget_sets(*(slot.type for slot in fixed.arguments))
        self.resume(entry, above)
        if fixed.result is not None:
            self.frame.take_result(fixed.result, node.span)
        self._take(node)
        self._forget_sets(self.routine.result)

    def _draw(self, effect: str, argument: checked.Expr, node: checked.Perform) -> None:
        """Emit a chance move, which happens at once or is offered."""
        given = self.frame.add("given", argument.type)
        value = self.expressions.required(argument)
        self.frame.keep(given, argument.type, value, node.span)
        after = self.label()
        self.know(after, given)
        # Drawing asks which pieces frames name, so this frame must be at its point by then.
        self.builder.emit(runtime.store(tables.stack, frames.FRAME, ir.Const(after)))
        number = ir.Const(CHANCE.index(effect))
        drawn = runtime.call(draws.draw, number, frames.raw(given))
        self.builder.emit(runtime.store(tables.result, ZERO, drawn, node.span))
        with self.builder.block() as offered:
            self.builder.do(machine.ask_chance, number, frames.raw(given), span=node.span)
            self.builder.emit(ir.Return())
        open_ = ir.Compare("==", runtime.load(tables.result, ZERO), ir.Const(-2))
        self.builder.emit(ir.If(open_, tuple(offered), (), node.span))
        self.place(after)
        self._take(node)


Step = Callable[[], None]


class LoweredRoutine:
    """The lowering of one routine through its phases."""

    def __init__(self, shared: Shared, entry: frames.RoutineEntry) -> None:
        self.shared = shared
        self.entry = entry
        self.routine: Routine = shared.routine(entry.code)
        self.flow = RoutineLowering(shared, entry, self.routine)
        self.out, self.refused = self.flow.label(), self.flow.label()

    def function(self) -> ir.Function:
        """Return the whole routine as an IR function."""
        code, flow = self.entry.code, self.flow
        if self.shared.lowering.tracing is not None:
            with flow.expressions.clean():
                slots = flow.frame.fixed.arguments
                given = [(slot.name, slot.type, flow.frame.load(slot, slot.type)) for slot in slots]
                trace_enter(self.shared, flow.builder, code, given, bool(self.entry.inner))
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
        action = self._action()
        if action is not None:
            uncount_depth(self.shared, flow.builder, action)
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

    def _around(self, part: CallablePart) -> None:
        self.flow.run_part(part)
        self.flow.jump(self.out)

    def _hooks(self, parts: tuple[CallablePart, ...]) -> None:
        for part in parts:
            self._guarded(part, lambda part=part: self.flow.run_part(part))  # type: ignore[misc]

    def _guarded(self, part: CallablePart, run: Step) -> None:
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

    def _action(self) -> checked.ActionDef | None:
        """Return the action, unless this is another routine or the part inside of `proceed`."""
        code = self.entry.code
        if code.kind != "action" or self.entry.inner:
            return None
        return self.shared.lowering.checked.actions[code.key]

    def _leave(self) -> None:
        """Hand on the result; after an outermost step, settle first."""
        self.shared.lowering.trace(self.flow.builder, "leave", self.entry.code)
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
        flow.branch(ir.Compare("==", frames.raw(done), ONE), after, open_, choice.span)
        flow.place(open_)
        flow.named(
            CallablePart("body", 0, tuple(p.name for p in choice.params), None, (), choice.span)
        )
        seat = flow.expressions.required(choice.by, faults.NOBODY)
        builder.emit(runtime.store(tables.asked_seat, ZERO, seat, choice.span))
        builder.emit(runtime.store(tables.asked, ZERO, ir.Const(number), choice.span))
        # Listing moves asks which pieces frames name, so this frame must be at its point by then.
        builder.emit(runtime.store(tables.stack, frames.FRAME, ir.Const(answered)))
        builder.do(moves_function(shared, choice.key), frames.FRAME, span=choice.span)
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
            builder.emit(runtime.store(tables.stack, frames.at_slot(done), ONE))
        flow.jump(again if choice.repeat else after)
        flow.place(after)

    def _otherwise(self, again: int) -> None:
        flow = self.flow
        otherwise = self.routine.otherwise
        if otherwise is None:
            flow.builder.emit(ir.Trap(faults.STUCK, self.routine.span))
            flow.ended = True
            return
        if self.shared.lowering.marks is not None:
            self.shared.lowering.trace(flow.builder, "ran", self.routine.span)
        flow.builder.emit(runtime.store(tables.stack, frames.at_slot(flow.frame.fixed.flag), ONE))
        flow.run_part(otherwise)
        flow.jump(again)


# --- jumps between blocks ------------------------------------------------------------------------

MOST_MERGED = 100
"""The most blocks that are merged one into the other, so that code stays flat enough to be read."""


def tidy(blocks: dict[int, ir.Block], kept: Iterable[int], at: str) -> dict[int, ir.Block]:
    """Return the blocks, by point in the order they are tried, with fewer jumps.

    A block that only jumps elsewhere is left out, and one with a single predecessor is merged
    into it. `kept` are the points that are entered from outside, `at` is the local that holds
    the point to continue at.
    """

    def end(point: int) -> int:
        seen = set[int]()
        while point not in seen and len(blocks.get(point, ())) == 1:
            seen.add(point)
            point = next(_targets(blocks[point], at, inside=False), point)
        return point

    entered = list(dict.fromkeys(kept))
    ways = Counter[int](dict.fromkeys(entered, 2))
    for point in entered:
        for target in map(end, _targets(blocks[point], at)):
            if target not in ways and target in blocks:
                entered.append(target)
            ways[target] += 1 if target in blocks else 2

    def merged(block: ir.Block, depth: int) -> ir.Block:
        made: list[ir.Stmt] = []
        for statement in block:
            match statement:
                case ir.Assign(name=name, value=ir.Const(value=target)) if name == at:
                    target = end(target)
                    if ways[target] == 1 and depth < MOST_MERGED:
                        made += merged(blocks[target], depth + 1)
                        continue
                    if ways[target] == 1:
                        roots.append(target)
                    made.append(ir.Assign(at, ir.Const(target)))
                case ir.If(condition, then, otherwise, span):
                    parts = merged(then, depth), merged(otherwise, depth)
                    made.append(ir.If(condition, *parts, span))
                case _:
                    made.append(statement)
        return tuple(made)

    roots = [point for point in entered if ways[point] > 1]
    found = {point: merged(blocks[point], 0) for point in roots}
    return {point: found[point] for point in blocks if point in found}


def _targets(block: ir.Block, at: str, inside: bool = True) -> Iterator[int]:
    """Yield the targets of the jumps at the ends of a block, also those `inside` of conditions."""
    for statement in block:
        match statement:
            case ir.Assign(name=name, value=ir.Const(value=target)) if name == at:
                yield target
            case ir.If(then=then, otherwise=otherwise) if inside:
                yield from _targets(then, at)
                yield from _targets(otherwise, at)
