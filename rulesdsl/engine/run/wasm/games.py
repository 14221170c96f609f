"""Compiled games: made once, kept in the cache, shared by all threads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from threading import Lock

from rulesdsl.base.cache import Cache, entry_name
from rulesdsl.base.speed import uncollected
from rulesdsl.engine.lower.plan import ENTRIES, PLAYING
from rulesdsl.engine.run.lowered import Lowered
from rulesdsl.engine.run.plans import GAMES, Same, dump_plan, key_of, restore_plan, sources_of
from rulesdsl.engine.run.playing import PreparedGame
from rulesdsl.engine.run.wasm.machine import Instance, Sharing, WasmMachine
from rulesdsl.engine.run.wasm.program import WasmProgram, dump, restore
from rulesdsl.language.model.checked import Checked


class CompiledGame(PreparedGame):
    """A game compiled for a number of players."""

    def __init__(self, program: WasmProgram, checked: Checked, players: int) -> None:
        plan = restore_plan(program.extra, checked)
        blank = new_machine(program, checked)
        super().__init__(
            Lowered(plan, lambda: compiled_game(checked, players).blank.clone()), blank
        )
        self.program = program


def marked_game(checked: Checked, players: int) -> CompiledGame:
    """Return a compiled game that marks the rules it runs; it is neither optimised nor cached."""
    return CompiledGame(compile_game(checked, players, PLAYING, marked=True), checked, players)


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
        from rulesdsl.engine.lower.program import lower
        from rulesdsl.engine.run.wasm.printer import print_module
        from rulesdsl.engine.run.wasm.program import compile_module

        plan = lower(checked, players, not marked, entries=entries, marked=marked)
        return compile_module(print_module(plan.program), dump_plan(plan))


def new_machine(program: WasmProgram, checked: Checked) -> WasmMachine:
    """Return a machine in its initial state, in a memory of its own."""
    return WasmMachine(Sharing(Instance(program)), sources_of(checked))
