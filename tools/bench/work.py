"""Number of Python instructions per move: a figure without noise.

It shows small gains that the clock cannot. Instructions differ: those that are run once in a move
take several times as long as those of a short loop.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType, FrameType
from typing import Any

from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan
from tools.bench.playing import Setup, has_playouts, play_inside, start

GAMES = 2


def tasks(plan: Plan) -> list[Task]:
    """Return tasks for the base ruleset by engines with playouts: others would take minutes."""
    playing = [engine for engine in plan.engines if has_playouts(plan.base, engine)]
    return [Task(f"by {engine}", partial(_count, plan.base, engine)) for engine in playing]


def _count(setup: Setup, engine: str, _: int) -> Iterator[Reading]:
    moves = instructions = 0
    for seed in range(GAMES):
        state = start(setup, engine, seed)
        counted, played = count(partial(play_inside, state, seed))
        instructions += counted.total()
        moves += played
    yield Reading("base", engine, "instructions a move", instructions / moves, Unit.COUNT)


def count(work: Callable[[], int]) -> tuple[Counter[CodeType], int]:
    """Count the Python instructions of a call by function; return them and the result."""
    counted: Counter[CodeType] = Counter()

    def on_call(frame: FrameType, _event: str, _argument: Any) -> Any:
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return on_instruction

    def on_instruction(frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "opcode":
            counted[frame.f_code] += 1
        return on_instruction

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        result = work()
    finally:
        sys.settrace(before)
    return counted, result
