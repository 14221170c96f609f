"""The machine, which runs the innermost frame until the game waits for a decision or is over."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rulesdsl.deadline import active, check
from rulesdsl.engines.engine import Candidate, Decision, PlayError
from rulesdsl.engines.reference import choices, effects, statements
from rulesdsl.engines.reference.board import BuiltinFault
from rulesdsl.engines.reference.choices import Likeness
from rulesdsl.engines.reference.context import bind
from rulesdsl.engines.reference.effects import perform
from rulesdsl.engines.reference.evaluate import first
from rulesdsl.engines.reference.runtime import (
    AskFrame,
    BlockId,
    BodyFrame,
    BranchFrame,
    CallableId,
    CallFrame,
    ChanceFrame,
    Frame,
    LoopFrame,
    Phase,
    RepeatFrame,
    Runtime,
    SettleFrame,
    Waiting,
)
from rulesdsl.engines.watch import WATCH
from rulesdsl.model.values import Face, Piece, Value, Zone
from rulesdsl.runtime import faults

# --- chance moves --------------------------------------------------------------------------------

_NAMES = {"take": ("zone", "piece"), "roll": ("die", "face")}
"""The names of the argument and of the outcome of each chance move."""


def step_draw(runtime: Runtime, draw: ChanceFrame) -> None:
    """Draw an outcome, or offer the outcomes as a decision."""
    try:
        found = _draw_outcomes(runtime, draw)
    except BuiltinFault as fault:
        raise PlayError(fault.message, runtime.statement_span()) from fault
    outcomes = tuple(outcome for outcome, _ in found)
    weights = tuple(weight for _, weight in found)
    if len(found) == 1:
        resolve_draw(runtime, draw, outcomes[0])
    elif runtime.generator is not None:
        resolve_draw(runtime, draw, outcomes[runtime.generator.weighted(weights)])
    else:
        runtime.waiting = _offered(draw, found)


def _offered(draw: ChanceFrame, found: Sequence[tuple[Value, int]]) -> Waiting:
    """Return the decision on the outcomes of a chance move, with their weights."""
    given, drawn = _NAMES[draw.effect]
    candidates = tuple(
        Candidate(draw.effect, draw.effect, ((drawn, outcome),), weight)
        for outcome, weight in found
    )
    decision = Decision(None, draw.effect, ((given, draw.arguments[0]),), candidates)
    return Waiting(decision, outcomes=tuple(outcome for outcome, _ in found))


def list_again(runtime: Runtime, seat: int) -> bool:
    """List the moves of the pending decision anew, after pieces exchanged places.

    Returns False if it would not be a decision, or not the same for the player in a seat; raises
    PlayError.
    """
    waiting = runtime.waiting
    if waiting is None:
        return True
    old = waiting.decision
    try:
        with evaluating(runtime):
            match runtime.stack[-2:]:
                case [*_, ChanceFrame() as draw]:
                    found = _draw_outcomes(runtime, draw)
                    runtime.waiting = _offered(draw, found)
                    return len(found) > 1
                case [CallFrame() as call, _] if old.seat is not None:
                    waiting = choices.asked(runtime, call, old.seat)
    except BuiltinFault as fault:
        raise PlayError(fault.message, runtime.statement_span()) from fault
    runtime.waiting = waiting
    count = len(waiting.decision.candidates)
    return count > 0 and (old.seat != seat or count == len(old.candidates))


def resolve_draw(runtime: Runtime, draw: ChanceFrame, outcome: Value) -> None:
    """Apply this outcome to the innermost frame, a chance move."""
    (given,) = draw.arguments
    runtime.pop()
    was = list(runtime.world.state["known"])
    shown: tuple[Piece, ...] = ()
    try:
        if draw.effect == "take":
            assert isinstance(given, Zone)
            assert isinstance(outcome, Piece)
            effects.take(runtime.world, given, outcome, Likeness(runtime).key)
            shown = tuple(effects.uncovered(runtime.world, was, given))
        else:
            perform(runtime.world, "turn_to", (given, outcome))
    except BuiltinFault as fault:
        raise PlayError(fault.message, runtime.statement_span()) from fault
    runtime.tell(draw.effect, (given,), new=outcome)
    for top in shown:
        runtime.tell("reveal", (top,))
    runtime.give(draw.into, outcome)


def _draw_outcomes(runtime: Runtime, draw: ChanceFrame) -> list[tuple[Value, int]]:
    (given,) = draw.arguments
    if draw.effect == "take":
        assert isinstance(given, Zone)
        return list(effects.take_outcomes(runtime.world, given, Likeness(runtime).key))
    assert isinstance(given, Piece)
    runtime.world.check(given)
    kind = runtime.world.box.piece(given).kind
    faces = runtime.checked.game.kinds[kind].faces
    return [(Face(kind, index), face.count) for index, face in enumerate(faces)]


# --- the end of a step ---------------------------------------------------------------------------


def step_settle(runtime: Runtime, settle: SettleFrame) -> None:
    """Run the next queued call, apply an `always` rule, or end.

    The queue is emptied first; then rules are applied until none applies; both are repeated if the
    rules have queued calls.
    """
    if not settle.always and runtime.queue:
        queued = runtime.queue.pop(0)
        code = CallableId("action", queued.action)
        runtime.push(CallFrame(code, queued.arguments, terms=queued.terms))
        return
    settle.always = True
    found = _applicable(runtime)
    if found is not None:
        _apply(runtime, settle, *found)
    elif runtime.queue:
        settle.always = False
    else:
        runtime.pop()
        runtime.give(settle.into, settle.result)


def _applicable(runtime: Runtime) -> tuple[CallableId, tuple[Value, ...]] | None:
    """Return the first rule that applies, with the first elements it applies to."""
    for number, rule in enumerate(runtime.checked.always):
        found = first(runtime, rule.binder)
        if found is not None:
            return CallableId("always", "", number), found
    return None


def _apply(
    runtime: Runtime, settle: SettleFrame, code: CallableId, arguments: tuple[Value, ...]
) -> None:
    rule = runtime.checked.always[code.number]
    settle.rounds += 1
    if settle.rounds > faults.APPLICATIONS:
        raise PlayError(
            f"`always` applied {faults.APPLICATIONS} times after one step: "
            "this does not seem to end",
            rule.span,
            "no-steps-left",
        )
    runtime.watch(rule)
    part = BlockId(code, "body")
    runtime.push(BodyFrame(part, bind(runtime.program.names(part), arguments), rule.body))


# --- running -------------------------------------------------------------------------------------

PYTHON_FRAMES = 60_000
"""The recursion limit of Python that the maximal nesting of values and expressions needs."""


@contextmanager
def evaluating(runtime: Runtime) -> Iterator[None]:
    """Return a context in which evaluation may nest as deep as the language allows.

    Raises OutOfTime when a deadline passes.
    """
    deadlines = active()
    check(deadlines)
    WATCH.begin(runtime, deadlines)
    try:
        with deep():
            yield
    except PlayError:
        check(deadlines)
        raise
    finally:
        WATCH.end(runtime)


@contextmanager
def deep() -> Iterator[None]:
    """Return a context in which evaluation may nest as deep as the language allows."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, PYTHON_FRAMES))
    try:
        yield
    except RecursionError:
        raise PlayError("values and expressions are nested too deeply") from None
    finally:
        sys.setrecursionlimit(limit)


def begin(runtime: Runtime, action: str) -> None:
    """Run an action without arguments as the outermost call."""
    runtime.stack.append(CallFrame(CallableId("action", action), ()))
    run(runtime)


def play(runtime: Runtime, index: int) -> None:
    """Play a candidate of the current decision."""
    _choose(runtime, index)
    _go_on(runtime)


def _choose(runtime: Runtime, index: int) -> None:
    """Apply a candidate of the current decision, without running any of its statements."""
    waiting, frame = runtime.waiting, runtime.stack[-1]
    assert waiting is not None
    runtime.waiting = None
    if isinstance(frame, ChanceFrame):
        # Steps are not reset, so that the limit is the same whether or not a generator draws.
        resolve_draw(runtime, frame, waiting.outcomes[index])
    else:
        runtime.decided += 1
        runtime.push(CallFrame(*waiting.options[index]))
        runtime.refresh()


def run_to(runtime: Runtime, action: str, times: int) -> int:
    """Run up to the `times`-th call of an action, with the first candidate of every decision.

    Returns the number of missing calls if the game ends before. Raises PlayError.
    """
    runtime.refresh()
    with evaluating(runtime):
        while runtime.stack or runtime.queue:
            if runtime.waiting is not None:
                _choose(runtime, 0)
            elif not runtime.stack:
                runtime.push(SettleFrame(None, None))
            elif _begins(runtime.stack[-1], action):
                times -= 1
                if not times:
                    break
                _step(runtime)
            else:
                _step(runtime)
    return times


def _begins(frame: Frame, action: str) -> bool:
    """Return whether the frame is a call of the action that has not begun to run."""
    return (
        isinstance(frame, CallFrame)
        and frame.code == CallableId("action", action)
        and frame.phase is Phase.ENTER
    )


def run(runtime: Runtime) -> None:
    """Run until the game waits for a decision or is over; raises PlayError."""
    runtime.refresh()
    _go_on(runtime)


def _go_on(runtime: Runtime) -> None:
    with evaluating(runtime):
        while runtime.waiting is None:
            if runtime.stack:
                _step(runtime)
            elif runtime.queue:
                # Calls queued outside of any step run at the end.
                runtime.push(SettleFrame(None, None))
            else:
                return


def _step(runtime: Runtime) -> None:
    frame = runtime.stack[-1]
    _STEPS[type(frame)](runtime, frame)


_STEPS: dict[type[Frame], Callable[[Runtime, Any], None]] = {
    BodyFrame: statements.step_block,
    BranchFrame: statements.step_block,
    LoopFrame: statements.step_block,
    RepeatFrame: statements.step_block,
    CallFrame: statements.step_call,
    AskFrame: choices.step_ask,
    ChanceFrame: step_draw,
    SettleFrame: step_settle,
}
"""The function that runs the next step of each kind of frame."""
