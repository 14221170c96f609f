"""Time of each stage of a start with empty caches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from rulesdsl.engine.ir.passes import optimise
from rulesdsl.engine.lower import lower
from rulesdsl.engine.lower.plan import PLAYING
from rulesdsl.engine.run.wasm.machine import Instance
from rulesdsl.engine.run.wasm.printer import print_module
from rulesdsl.engine.run.wasm.program import compile_module, dump, restore
from rulesdsl.engine.runtime.tables import TABLES
from tools.bench.building import build_anew
from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan
from tools.bench.playing import PLAYERS

Made = TypeVar("Made")


def tasks(plan: Plan) -> list[Task]:
    """Return the task for the base ruleset and the engine `wasm`."""
    build_anew(plan.base.path)  # so that no round loads the grammar
    return [Task("base", partial(_stages, plan))]


def _stages(plan: Plan, _: int) -> Iterator[Reading]:
    times: list[tuple[str, float]] = []

    def timed(what: str, stage: Callable[[], Made]) -> Made:
        began = plan.clock()
        made = stage()
        times.append((what, plan.clock() - began))
        return made

    checked = timed("read, parse, link, check", lambda: build_anew(plan.base.path))
    lowered = timed("lower", lambda: lower(checked, PLAYERS, False, entries=PLAYING))
    program = timed("optimise", lambda: optimise(lowered.program, TABLES))
    printed = timed("print", lambda: print_module(program))
    compiled = timed("compile", lambda: compile_module(printed))
    kept = dump(compiled)
    restored = timed("restore what was kept", lambda: restore(kept))
    timed("new instance", lambda: Instance(restored))
    for what, spent in times:
        yield Reading("base", "wasm", what, spent, Unit.TIME)
    yield Reading("base", "wasm", "what is kept", len(kept), Unit.BYTES)
