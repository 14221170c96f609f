"""The `python` engine: games are lowered, printed as Python, and run on lists."""

from __future__ import annotations

from functools import partial

from rulesdsl.cache import Cache, entry_name
from rulesdsl.engines.compiled.engine import (
    LoweredEngine,
    MarkedGame,
    Ready,
    dump_plan,
    key_of,
    restore_plan,
    sources_of,
)
from rulesdsl.engines.compiled.shared import Lowered
from rulesdsl.engines.python.machine import PythonMachine
from rulesdsl.engines.python.program import CompiledProgram, dump, restore
from rulesdsl.memory import uncollected
from rulesdsl.model.checked import Checked


def _ready(checked: Checked, players: int) -> Ready:
    """Return a game that is lowered and compiled, and a machine in its initial state."""
    name = entry_name("program", key_of(checked, players).encode(), "code")
    make = partial(_compile, checked, players)
    compiled = Cache.of_user().load_or_make(name, make, dump, restore)
    plan = restore_plan(compiled.extra, checked)
    return Lowered(plan), PythonMachine(compiled, sources_of(checked))


def trial(checked: Checked, players: int) -> MarkedGame:
    """Prepare a game for a few plays: its program is neither optimised nor cached."""
    compiled = _compile(checked, players, marked=True)
    machine = PythonMachine(compiled, sources_of(checked))
    return MarkedGame((Lowered(restore_plan(compiled.extra, checked)), machine))


def _compile(checked: Checked, players: int, *, marked: bool = False) -> CompiledProgram:
    """Lower and compile a game."""
    with uncollected():
        # Lowering and printing are not needed for a cached program, and importing them would double
        # the time of such a start.
        from rulesdsl.engines.python.compiling import compile_program
        from rulesdsl.lower.program import lower

        plan = lower(checked, players, not marked, marked=marked)
        return compile_program(plan.program, extra=dump_plan(plan))


_engine = LoweredEngine(_ready)
start, from_bytes = _engine.start, _engine.from_bytes
playouts, told = _engine.playouts, _engine.told
