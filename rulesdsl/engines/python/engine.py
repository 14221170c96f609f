"""The `python` engine: games are lowered, printed as Python, and run on lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from rulesdsl.cache import Cache, entry_name
from rulesdsl.deadline import active, check
from rulesdsl.diagnostics import Source, Span
from rulesdsl.engines.compiled import engine
from rulesdsl.engines.compiled.machine import ListMachine
from rulesdsl.engines.python.program import CompiledProgram, dump, faulting, place_of, restore
from rulesdsl.engines.watch import WATCH
from rulesdsl.lower.plan import ENTRIES, PLAYING, Plan
from rulesdsl.memory import uncollected
from rulesdsl.model.checked import Checked
from rulesdsl.runtime.faults import Fault


class PythonMachine(ListMachine):
    """A `compiled.machine.Machine` made of Python functions, closed over its tables."""

    def __init__(
        self,
        compiled: CompiledProgram,
        sources: Mapping[str, Source],
        tables: Mapping[str, list[int]] | None = None,
    ) -> None:
        """Make a machine on these tables, or on new ones.

        `sources` are the files of rules by name.
        """
        super().__init__(compiled.new_tables() if tables is None else tables, compiled.states)
        self._compiled = compiled
        self._sources = sources
        self._late = False
        self._entries = compiled.make(self.tables)

    def call(self, entry: str, *arguments: int) -> int | bool | None:
        """Call a function; raises Fault, or OutOfTime when a deadline passes.

        The content of the state tables is undefined then.
        """
        deadlines = active()
        check(deadlines)
        self._late = False
        WATCH.begin(self, deadlines)
        try:
            return faulting(self._entries[entry])(*arguments)
        except Fault as fault:
            check(deadlines)
            fault.again = not self._late
            raise
        finally:
            WATCH.end(self)

    @property
    def progress(self) -> object:
        """A value that is different for each decision in a call, for `watch`."""
        return self.tables["decided"][0]

    def stop(self) -> None:
        """Make a call in another thread fail at its next step."""
        self.tables["halted"][0] = 1
        self.tables["fuel"][0] = 0

    def resume(self) -> None:
        """Allow calls again after a stop."""
        self.tables["halted"][0] = 0

    def late(self) -> None:
        """Note that the current decision has taken too long."""
        self._late = True

    def clone(self) -> PythonMachine:
        """Return an independent machine of the same program with the same state."""
        return PythonMachine(self._compiled, self._sources, self.copied())

    def place(self, fault: Fault) -> Span | None:
        """Return the place of the rule in which a fault happened, None if it is unknown."""
        place = place_of(fault.__traceback__)
        source = None if place is None else self._sources.get(place.file)
        return None if place is None or source is None else place.span(source)


def _prepare(checked: Checked, players: int, entries: Sequence[str]) -> tuple[Plan, PythonMachine]:
    """Return the plan of a compiled game, and a machine in its initial state."""
    name = entry_name("program", engine.key_of(checked, players, entries).encode(), "code")
    make = partial(_compile, checked, players, entries)
    return _machine(Cache.of_user().load_or_make(name, make, dump, restore), checked)


def _machine(compiled: CompiledProgram, checked: Checked) -> tuple[Plan, PythonMachine]:
    plan = engine.restore_plan(compiled.extra, checked)
    return plan, PythonMachine(compiled, engine.sources_of(checked))


def trial(checked: Checked, players: int) -> engine.MarkedGame:
    """Prepare a game for a few plays: its program is neither optimised nor cached."""
    plan, machine = _machine(_compile(checked, players, PLAYING, marked=True), checked)
    return engine.MarkedGame(plan, machine, lambda: _prepare(checked, players, ENTRIES)[1])


def _compile(
    checked: Checked, players: int, entries: Sequence[str], *, marked: bool = False
) -> CompiledProgram:
    """Lower and compile a game."""
    with uncollected():
        # Lowering and printing are not needed for a cached program, and importing them would double
        # the time of such a start.
        from rulesdsl.engines.python.compiling import compile_program
        from rulesdsl.lower.program import lower

        plan = lower(checked, players, not marked, entries=entries, marked=marked)
        return compile_program(plan.program, extra=engine.dump_plan(plan))


_engine = engine.LoweredEngine(_prepare)
start, from_bytes = _engine.start, _engine.from_bytes
playouts, told = _engine.playouts, _engine.told
