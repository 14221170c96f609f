"""Games whose rules are printed as Python: made once, kept in the cache."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache, partial

from rulesdsl.base.cache import Cache, entry_name
from rulesdsl.base.speed import uncollected
from rulesdsl.engine.run.lowered import Lowered
from rulesdsl.engine.run.plans import GAMES, Same, dump_plan, key_of, restore_plan, sources_of
from rulesdsl.engine.run.playing import LoweredEngine, PreparedGame
from rulesdsl.engine.run.python.machine import PrintedInstance, PythonMachine
from rulesdsl.engine.run.python.program import PythonProgram, compile_functions, dump, restore
from rulesdsl.language.model.checked import Checked


class PrintedGame(PreparedGame):
    """A game for a number of players, printed as Python."""

    def __init__(
        self, program: PythonProgram, checked: Checked, players: int, paused: str = ""
    ) -> None:
        plan = restore_plan(program.extra, checked)
        blank = PythonMachine(PrintedInstance(program), sources_of(checked))
        super().__init__(Lowered(plan, blank.clone, paused), blank)
        self.program = program


def printed_game(
    checked: Checked, players: int, entries: Sequence[str] = (), paused: str = ""
) -> PrintedGame:
    """Return a game that can also be stopped before a `paused` action; it has all `entries`."""
    return _printed(Same(checked), players, paused)


@lru_cache(2 * GAMES)
def _printed(game: Same, players: int, paused: str) -> PrintedGame:
    name = entry_name("python", key_of(game.checked, players, [paused]).encode(), "code")
    make = partial(print_game, game.checked, players, paused=[paused] if paused else [])
    program = Cache.of_user().load_or_make(name, make, dump, restore)
    return PrintedGame(program, game.checked, players, paused)


def print_game(
    checked: Checked, players: int, *, marked: bool = False, paused: Collection[str] = ()
) -> PythonProgram:
    """Lower the rules of a game and print them, if `marked` with marks of the rules that run."""
    with uncollected():
        # A cached program does not need the lowering, which takes long to import.
        from rulesdsl.engine.lower.program import lower_rules

        plan = lower_rules(checked, players, marked=marked, paused=paused)
        program = plan.program
        return compile_functions(program.functions.values(), program.tables, dump_plan(plan))


def marked_game(checked: Checked, players: int) -> PrintedGame:
    """Return a game that marks the rules it runs; it is not cached."""
    return PrintedGame(print_game(checked, players, marked=True), checked, players)


ENGINE = LoweredEngine(printed_game, marked_game)
