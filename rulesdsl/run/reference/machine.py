"""The machine: it runs the innermost frame until the game waits for somebody or is over."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never

from rulesdsl.deadline import active, check
from rulesdsl.run.engine import PlayError
from rulesdsl.run.reference import calls, choices, draws, settle, statements
from rulesdsl.run.reference.frames import (
    Ask,
    Body,
    Branch,
    Call,
    Draw,
    Loop,
    Repeat,
    Settle,
)
from rulesdsl.run.reference.program import Code
from rulesdsl.run.reference.runtime import Runtime
from rulesdsl.run.watch import WATCH

PYTHON_FRAMES = 60_000
"""Enough for values that call each other as deep as they may, in expressions as nested as rules
texts can be."""


@contextmanager
def evaluating(runtime: Runtime) -> Iterator[None]:
    """Let evaluation nest as deep as the language allows; raises OutOfTime when a deadline
    passes."""
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
    """Let evaluation nest as deep as the language allows."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, PYTHON_FRAMES))
    try:
        yield
    except RecursionError:
        raise PlayError("values and expressions are nested too deeply") from None
    finally:
        sys.setrecursionlimit(limit)


def begin(runtime: Runtime, action: str) -> None:
    """Run an action without arguments, with nothing around it."""
    runtime.stack.append(Call(Code("action", action), ()))
    run(runtime)


def play(runtime: Runtime, index: int) -> None:
    """Play a candidate of the decision that is waited for."""
    waiting, frame = runtime.waiting, runtime.stack[-1]
    assert waiting is not None
    runtime.waiting = None
    if isinstance(frame, Draw):
        # No new steps: those between two decisions are the same whether a generator draws or not.
        draws.resolve(runtime, frame, waiting.outcomes[index])
        _go_on(runtime)
    else:
        runtime.decided += 1
        runtime.push(Call(*waiting.options[index]))
        run(runtime)


def run(runtime: Runtime) -> None:
    """Run until somebody is asked or the game is over; raises PlayError."""
    runtime.refresh()
    _go_on(runtime)


def _go_on(runtime: Runtime) -> None:
    with evaluating(runtime):
        while runtime.waiting is None:
            if runtime.stack:
                _advance(runtime)
            elif runtime.queue:
                # Nothing is lost: what was queued outside of any step comes at the end.
                runtime.push(Settle(None, None))
            else:
                return


def advance(runtime: Runtime) -> None:
    """Do the next thing of the innermost frame alone; raises PlayError."""
    runtime.refresh()
    with evaluating(runtime):
        _advance(runtime)


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
            settle.advance(runtime, frame)
        case _:
            assert_never(frame)
