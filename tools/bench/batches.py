"""Batches of random games on one core and on two, with the compilation and copies of a state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter

from rulesdsl.engine.lower import lower
from rulesdsl.engine.lower.plan import ENTRIES, PLAYING
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.wasm.layout import SAVE
from rulesdsl.engine.run.wasm.machine import Instance
from rulesdsl.engine.run.wasm.printer import print_module
from rulesdsl.engine.run.wasm.program import WasmProgram, compile_module
from rulesdsl.language.model import ir
from rulesdsl.language.model.checked import Checked
from tools.bench.building import build_anew
from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan, least_and_most
from tools.bench.playing import PLAYERS, Setup, game

ENGINE = "wasm"
RATE, THREADS, COMPILED, CLONE = "games/s", "two threads / one", "print and compile", "clone"
WHOLE = "print and compile, with search and batches"
SEARCH, SEARCHED = "mcts:2000, a decision", 2000

THREADED = 8
"""Factor for the number of games played by threads, which take time to start."""
COPIES = 20_000
STRETCH, SEARCHES = 70, 10
"""The number of moves of a game, and of searches among them."""

NOTHING = ir.Program(
    {"nothing": ir.Table("nothing", "state", 1, 0, 0)},
    {"nothing": ir.Function("nothing", (), None, ())},
    ("nothing",),
)


def tasks(plan: Plan) -> list[Task]:
    """Return tasks for the base ruleset, alone and with all expansions, by the engine `wasm`."""
    return least_and_most(plan, ENGINE, _measure)


def _measure(plan: Plan, setup: Setup, number: int) -> Iterator[Reading]:
    """Measure a batch, with other games in every round."""
    by = f"{ENGINE}, batch"
    games = plan.effort.batch // (PLAYERS if setup.large else 1)
    began = plan.clock()
    _play(setup, number, games, 1)
    yield Reading(setup.name, by, RATE, games / (plan.clock() - began), Unit.RATE)
    one, two = (_wall(setup, number, games * THREADED, threads) for threads in (1, 2))
    yield Reading(setup.name, by, THREADS, one / two, Unit.SPEEDUP)
    yield Reading(setup.name, ENGINE, SEARCH, _search(plan, setup, number), Unit.TIME)
    checked = build_anew(setup.path, setup.expansions)
    spent, whole = _compile(plan, setup, checked, ENTRIES)
    yield Reading(setup.name, ENGINE, WHOLE, spent, Unit.TIME)
    yield Reading(setup.name, ENGINE, "module, whole", len(whole.content), Unit.BYTES)
    spent, program = _compile(plan, setup, checked, PLAYING)
    yield Reading(setup.name, ENGINE, COMPILED, spent, Unit.TIME)
    yield Reading(setup.name, ENGINE, "module", len(program.content), Unit.BYTES)
    yield Reading(setup.name, ENGINE, "state", program.layout.state, Unit.BYTES)
    empty = compile_module(print_module(NOTHING))
    copied = _copies(plan, program) - _copies(plan, empty)
    yield Reading(setup.name, ENGINE, CLONE, copied, Unit.TIME)


def _play(setup: Setup, seed: int, games: int, threads: int) -> None:
    playouts = game(setup, ENGINE).playouts
    for _ in playouts(range(games), setup.players or PLAYERS, seed, threads=threads):
        pass


def _search(plan: Plan, setup: Setup, seed: int) -> float:
    """Return the mean time of a search, over positions of the first half of a game."""
    state, luck = game(setup, ENGINE).start(setup.players or PLAYERS, seed), Rng.seeded(seed)
    searches, spent = 0, 0.0
    for turn in range(STRETCH):
        position, count = state.position, len(state.moves())
        if not count:
            break
        assert isinstance(position, LoweredPosition)
        if turn == 0:
            position.search([], seed, 1)  # this compiles the search
        if turn % (STRETCH // SEARCHES) == 0 and count > 1:
            began = plan.clock()
            position.search([], seed, SEARCHED)
            spent, searches = spent + plan.clock() - began, searches + 1
        state.play(state.moves()[luck.below(count)])
    return spent / max(searches, 1)


def _wall(setup: Setup, seed: int, games: int, threads: int) -> float:
    """Return the wall-clock time of games: two threads are faster only by that clock."""
    began = perf_counter()
    _play(setup, seed, games, threads)
    return perf_counter() - began


def _compile(
    plan: Plan, setup: Setup, checked: Checked, entries: Sequence[str]
) -> tuple[float, WasmProgram]:
    """Compile a lowered game to machine code; return the time and the program."""
    program = lower(checked, setup.players or PLAYERS, entries=entries).program
    began = plan.clock()
    compiled = compile_module(print_module(program))
    return plan.clock() - began, compiled


def _copies(plan: Plan, program: WasmProgram) -> float:
    """Return the time of a call that copies the state to another place in memory."""
    instance = Instance(program)
    slot = program.layout.slot(0)
    instance.call(SAVE, slot)
    began = plan.clock()
    for _ in range(COPIES):
        instance.call(SAVE, slot)
    return (plan.clock() - began) / COPIES
