"""Time from the start of a process to the first move, with empty and filled caches."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan
from tools.environment import ROOT

FIRST_MOVE = """\
import sys, rulesdsl
state = rulesdsl.load(sys.argv[1], engine=sys.argv[2]).start(players=2, seed=1)
state.play(state.moves()[0])
"""
FIRST_PLAYOUT = """\
import sys, rulesdsl
list(rulesdsl.load(sys.argv[1], engine=sys.argv[2]).playouts(range(1), players=2))
"""
EMPTY, FILLED = "caches empty", "caches filled"
PLAYOUT = "caches filled, first playout"


PLAYS_AT_ONCE = "wasm"
"""The engine for which the time to the end of the first game matters."""


def tasks(plan: Plan) -> list[Task]:
    """Return tasks for the base ruleset by every engine, and for Python alone as a comparison."""
    for engine in plan.engines:
        # Compile the modules now, as after their first use in an installation.
        _first_move(plan, engine, _environment(plan, plan.scratch / "cache"))
    tasks = [Task(f"by {engine}", partial(_start, plan, engine)) for engine in plan.engines]
    return [Task("nothing", partial(_nothing, plan)), *tasks]


def _nothing(plan: Plan, _: int) -> Iterator[Reading]:
    spent = _run(plan, ["pass"], _environment(plan, plan.scratch / "cache"))
    yield Reading("nothing", "python alone", "start", spent, Unit.TIME)


def _start(plan: Plan, engine: str, _: int) -> Iterator[Reading]:
    with tempfile.TemporaryDirectory(dir=plan.scratch) as cache:
        environment = _environment(plan, Path(cache))
        for what in (EMPTY, FILLED):
            spent = _first_move(plan, engine, environment)
            yield Reading("base", engine, what, spent, Unit.TIME)
        if engine == PLAYS_AT_ONCE:
            spent = _run(plan, [FIRST_PLAYOUT, str(plan.base.path), engine], environment)
            yield Reading("base", engine, PLAYOUT, spent, Unit.TIME)


def _first_move(plan: Plan, engine: str, environment: Mapping[str, str]) -> float:
    return _run(plan, [FIRST_MOVE, str(plan.base.path), engine], environment)


def _run(plan: Plan, arguments: list[str], environment: Mapping[str, str]) -> float:
    began = plan.clock()
    command = [sys.executable, "-c", *arguments]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return plan.clock() - began


def _environment(plan: Plan, cache: Path) -> dict[str, str]:
    """Return an environment with these caches, and bytecode that only this run writes."""
    left_out = ("PYTHONDONTWRITEBYTECODE", "RULESDSL_NO_CACHE")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    own = {"RULESDSL_CACHE": str(cache), "PYTHONPYCACHEPREFIX": str(plan.scratch / "bytecode")}
    return kept | own
