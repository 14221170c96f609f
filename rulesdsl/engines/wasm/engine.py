"""The `wasm` engine: games are lowered to WebAssembly and run in the memory of a module."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from threading import Lock, local

from rulesdsl.cache import Cache, entry_name
from rulesdsl.engines.compiled import engine
from rulesdsl.engines.compiled.position import LoweredPosition
from rulesdsl.engines.engine import Playout, Position
from rulesdsl.engines.wasm.layout import described
from rulesdsl.engines.wasm.machine import Instance, Sharing, WasmMachine
from rulesdsl.engines.wasm.program import WasmProgram, dump, restore
from rulesdsl.lower.plan import ENTRIES, PLAYING, Plan
from rulesdsl.memory import uncollected
from rulesdsl.model.checked import Checked


def start(
    checked: Checked, players: int, seed: int | None, *, searches: bool = False
) -> LoweredPosition:
    """Return a new game at its first decision, for the calling thread.

    Chance is resolved from the seed; without a seed its outcomes are offered as decisions. If a bot
    `searches` anyway, the game is compiled only once. Raises PlayError when the rules fail before
    the first decision.
    """
    return _own.engine.start(checked, players, seed, searches=searches)


def from_bytes(checked: Checked, data: bytes) -> Position:
    """Return the position that was saved by `to_bytes`, for the calling thread.

    Raises `SavedError` for data that are not a saved position of this game.
    """
    return _own.engine.from_bytes(checked, data)


def playouts(
    checked: Checked, players: int, seed: int, games: range, limit: int
) -> Iterator[Playout]:
    """Play games of a seed at random and yield their results in order; other threads go on.

    Each game is given up after `limit` moves. Raises PlayError at the first game in which a rule
    fails.
    """
    return _own.engine.playouts(checked, players, seed, games, limit)


def told(checked: Checked, players: int, seed: int, moves: Sequence[int]) -> Playout:
    """Play candidates of the game of a seed in the calling thread, and return the result.

    Raises PlayError when a rule fails.
    """
    return _own.engine.told(checked, players, seed, moves)


def program_of(checked: Checked, players: int, entries: Sequence[str] = ENTRIES) -> WasmProgram:
    """Return the module of a game for this number of players; threads can share it.

    It exports these entries.
    """
    with _compiling:
        return _program(engine.Same(checked), players, entries)


def _prepare(checked: Checked, players: int, entries: Sequence[str]) -> tuple[Plan, WasmMachine]:
    """Return the plan of a compiled game, and a machine in its initial state."""
    return _machine(program_of(checked, players, entries), checked)


def _machine(program: WasmProgram, checked: Checked) -> tuple[Plan, WasmMachine]:
    machine = WasmMachine(Sharing(Instance(program)), engine.sources_of(checked))
    return engine.restore_plan(program.extra, checked), machine


@lru_cache(2 * engine.GAMES)
def _program(game: engine.Same, players: int, entries: Sequence[str]) -> WasmProgram:
    """Return the module of a game, shared by all threads."""
    name = entry_name("module", engine.key_of(game.checked, players, entries).encode(), "wasm")
    make = partial(_compile, game.checked, players, entries)
    return Cache.of_user().load_or_make(name, make, dump, restore)


def trial(checked: Checked, players: int) -> engine.MarkedGame:
    """Prepare a game for a few plays in the calling thread.

    Its module is neither optimised nor cached.
    """
    plan, machine = _machine(_compile(checked, players, PLAYING, marked=True), checked)
    return engine.MarkedGame(plan, machine, lambda: _prepare(checked, players, ENTRIES)[1])


def _compile(
    checked: Checked, players: int, entries: Sequence[str], *, marked: bool = False
) -> WasmProgram:
    """Lower and compile a game."""
    with uncollected():
        # Lowering and printing are not needed for a cached program, and importing them would double
        # the time of such a start.
        from rulesdsl.engines.wasm.printer import print_module
        from rulesdsl.engines.wasm.program import compile_module
        from rulesdsl.lower.program import lower

        plan = lower(checked, players, not marked, entries=entries, marked=marked)
        return compile_module(print_module(plan.program), engine.dump_plan(plan))


class _Own(local):
    """The engine of each thread."""

    def __init__(self) -> None:
        self.engine = engine.LoweredEngine(_prepare)


_own = _Own()
_compiling = Lock()


def exported(checked: Checked, players: int) -> tuple[bytes, str]:
    """Return the module of a game for this number of players, and its layout as `described`."""
    program = program_of(checked, players)
    return program.content, described(program.layout, players)
