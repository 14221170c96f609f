"""Compiled games: made once, kept in the cache, shared by all threads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from threading import Lock, local

from rulesdsl.cache import Cache, entry_name
from rulesdsl.engines.wasm.machine import Instance, Sharing, WasmMachine
from rulesdsl.engines.wasm.plans import GAMES, Same, dump_plan, key_of, restore_plan, sources_of
from rulesdsl.engines.wasm.program import WasmProgram, dump, restore
from rulesdsl.engines.wasm.shared import Lowered
from rulesdsl.lower.plan import ENTRIES
from rulesdsl.memory import uncollected
from rulesdsl.model.checked import Checked


class CompiledGame(local):
    """A game compiled for a number of players; each thread has its own machine of it.

    `lowered` is what the positions of the thread share, `blank` a machine in its initial state. The
    copies of the machine share the large tables that are not part of a position.
    """

    def __init__(self, program: WasmProgram, checked: Checked, players: int) -> None:
        plan = restore_plan(program.extra, checked)
        self.program = program
        self.blank = new_machine(program, checked)
        self.lowered = Lowered(plan, lambda: compiled_game(checked, players).blank.clone())


def compiled_game(checked: Checked, players: int, entries: Sequence[str] = ENTRIES) -> CompiledGame:
    """Return a compiled game whose program has these entries."""
    with _compiling:
        return _compiled(Same(checked), players, entries)


_compiling = Lock()


@lru_cache(2 * GAMES)
def _compiled(game: Same, players: int, entries: Sequence[str]) -> CompiledGame:
    name = entry_name("module", key_of(game.checked, players, entries).encode(), "wasm")
    make = partial(compile_game, game.checked, players, entries)
    program = Cache.of_user().load_or_make(name, make, dump, restore)
    return CompiledGame(program, game.checked, players)


def compile_game(
    checked: Checked, players: int, entries: Sequence[str], *, marked: bool = False
) -> WasmProgram:
    """Lower and compile a game; if `marked`, with marks of the rules that run, not optimised."""
    with uncollected():
        # Lowering and printing are not needed for a cached program, and importing them would double
        # the time of such a start.
        from rulesdsl.engines.wasm.printer import print_module
        from rulesdsl.engines.wasm.program import compile_module
        from rulesdsl.lower.program import lower

        plan = lower(checked, players, not marked, entries=entries, marked=marked)
        return compile_module(print_module(plan.program), dump_plan(plan))


def new_machine(program: WasmProgram, checked: Checked) -> WasmMachine:
    """Return a machine in its initial state, in a memory of its own."""
    return WasmMachine(Sharing(Instance(program)), sources_of(checked))
