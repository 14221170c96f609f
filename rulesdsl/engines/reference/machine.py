"""The machine, which runs the innermost frame until the game waits for a decision or is over."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never

from rulesdsl.deadline import active, check
from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.reference import calls, choices, draws, statements
from rulesdsl.engines.reference.context import bind
from rulesdsl.engines.reference.program import Code, Part
from rulesdsl.engines.reference.ranging import first
from rulesdsl.engines.reference.runtime import (
    Ask,
    Body,
    Branch,
    Call,
    Draw,
    Frame,
    Loop,
    Phase,
    Repeat,
    Runtime,
    Settle,
)
from rulesdsl.engines.watch import WATCH
from rulesdsl.model.values import Value
from rulesdsl.runtime import faults


def advance(runtime: Runtime, settle: Settle) -> None:
    """Run the next queued call, apply an `always` rule, or end.

    The queue is emptied first; then rules are applied until none applies; both are repeated if the
    rules have queued calls.
    """
    if not settle.always and runtime.queue:
        queued = runtime.queue.pop(0)
        code = Code("action", queued.action)
        runtime.push(Call(code, queued.arguments, terms=queued.terms))
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


def _applicable(runtime: Runtime) -> tuple[Code, tuple[Value, ...]] | None:
    """Return the first rule that applies, with the first elements it applies to."""
    for number, rule in enumerate(runtime.checked.always):
        found = first(runtime, rule.binder)
        if found is not None:
            return Code("always", "", number), found
    return None


def _apply(runtime: Runtime, settle: Settle, code: Code, arguments: tuple[Value, ...]) -> None:
    rule = runtime.checked.always[code.number]
    settle.rounds += 1
    if settle.rounds > faults.APPLICATIONS:
        raise PlayError(
            f"`always` applied {faults.APPLICATIONS} times after one step: this seems not to end",
            rule.span,
            "no-steps-left",
        )
    runtime.watch(rule)
    part = Part(code, "body")
    runtime.push(Body(part, bind(runtime.program.names(part), arguments), rule.body))


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
    runtime.stack.append(Call(Code("action", action), ()))
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
    if isinstance(frame, Draw):
        # Steps are not reset, so that the limit is the same whether or not a generator draws.
        draws.resolve(runtime, frame, waiting.outcomes[index])
    else:
        runtime.decided += 1
        runtime.push(Call(*waiting.options[index]))
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
                runtime.push(Settle(None, None))
            elif _begins(runtime.stack[-1], action):
                times -= 1
                if not times:
                    break
                _advance(runtime)
            else:
                _advance(runtime)
    return times


def _begins(frame: Frame, action: str) -> bool:
    """Say whether the frame is a call of the action that has not begun to run."""
    return (
        isinstance(frame, Call)
        and frame.code == Code("action", action)
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
                _advance(runtime)
            elif runtime.queue:
                # Calls queued outside of any step run at the end.
                runtime.push(Settle(None, None))
            else:
                return


def _advance(runtime: Runtime) -> None:
    frame = runtime.stack[-1]
    match frame:
        case Body() | Branch() | Loop() | Repeat():
            statements.advance(runtime, frame)
        case Call():
            calls.advance(runtime, frame)
        case Ask():
            choices.advance(runtime, frame)
        case Draw():
            draws.advance(runtime, frame)
        case Settle():
            advance(runtime, frame)
        case _:
            assert_never(frame)
