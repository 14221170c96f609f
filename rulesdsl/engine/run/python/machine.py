"""Machines of a program printed as Python: tables are lists, and the runtime runs as it is written.

The functions of the runtime are plain Python over module-level tables. Here they get other globals,
in which the tables are those of one program, and the functions of `runtime.hooks` those of its
rules. A list never becomes another one: a position enters by being copied into the state tables.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import FunctionType, ModuleType, TracebackType
from typing import Any, cast
from weakref import ref

from rulesdsl.base.deadline import active, check
from rulesdsl.engine.run.machine import (
    BUSY,
    DECIDED,
    FUEL,
    HALTED,
    Before,
    Stopped,
    Where,
    place_of,
)
from rulesdsl.engine.run.python.printer import CHECKED, ENTER, FAULT, LOAD, SAVE, SPEND
from rulesdsl.engine.run.python.program import PythonProgram
from rulesdsl.engine.run.watch import WATCH
from rulesdsl.engine.runtime import faults
from rulesdsl.engine.runtime.faults import Fault
from rulesdsl.language.diagnostics import Source, Span
from rulesdsl.language.model.tables import IN_ROWS, Entries, Rows

RUNTIME = "rulesdsl.engine.runtime."
BOARD = (
    *("cells", "draws", "effects", "groups", "heap", "knowledge", "likeness", "machine", "notes"),
    *("placements", "places", "questions", "terms"),
)
"""The modules of the runtime that rules call; `EXTRA` have other functions called from outside."""
EXTRA = ("playouts", "rows", "outcomes", "search", "turns")

NESTED = 60_000
"""The recursion limit of Python that the deepest nesting of rules needs."""

SHARED = (
    *("heap", "notes", "legal", "outcomes", "outcome_value", "record_name", "record_value"),
    *("results",),
)
"""The largest tables, of which nothing outlives a call: all programs of a thread with equal sizes
share them, since each program would need 30 MB otherwise."""

State = dict[str, list[int]]


class _Large(threading.local):
    """The shared tables of a thread, by name and size."""

    def __init__(self) -> None:
        self.tables: dict[tuple[str, int], list[int]] = {}


_LARGE = _Large()


class BoundRuntime(dict[str, dict[str, Any]]):
    """The globals of the modules of the runtime by name, bound to tables, and to hooks if any."""

    def __init__(self, own: Mapping[str, Any]) -> None:
        """Bind to `own`: tables, and functions that replace those of the runtime, by name."""
        super().__init__()
        self._own = own

    def __missing__(self, name: str) -> dict[str, Any]:
        """Bind a module whose functions are needed for the first time."""
        module, found = import_module(RUNTIME + name), dict[str, Any]()
        self[name] = found
        for key, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__.startswith(RUNTIME):
                home = value.__module__.removeprefix(RUNTIME)
                if home == name:
                    value = FunctionType(value.__code__, found, key)
                elif home not in ("faults", "tables"):
                    value = self[home][key]
            elif isinstance(value, ModuleType) and value.__name__.startswith(RUNTIME):
                home = value.__name__.removeprefix(RUNTIME)
                value = value if home == "faults" else _Namespace(self[home])
            found[key] = value
        found.update((key, self._own[key]) for key in found.keys() & self._own.keys())
        return found

    def public(self, *modules: str) -> dict[str, Any]:
        """Return the functions of modules whose names are unique."""
        return {
            key: value
            for module in modules
            for key, value in self[module].items()
            if isinstance(value, FunctionType) and not key.startswith("_")
        }


class _Namespace:
    def __init__(self, names: dict[str, Any]) -> None:
        self.__dict__ = names


class PrintedInstance:
    """The functions of a program, bound to tables of their own, and the machine that is in use."""

    def __init__(self, program: PythonProgram) -> None:
        self.program = program
        self.tables: State = {}
        for name, table in program.tables.items():
            size = table.size
            if name in SHARED:
                self.tables[name] = _LARGE.tables.setdefault((name, size), [0] * size)
            else:
                self.tables[name] = list(table.values) or [0] * size
        self.states = [name for name, t in program.tables.items() if t.role == "state"]
        self.blank = self.kept()
        rows = [name for name, table in program.tables.items() if table.role in IN_ROWS]
        self._rows = Rows(self.tables, rows)
        self._slots: dict[int, State] = {}
        rules: dict[str, Any] = dict(self.tables)
        rules |= {
            CHECKED: _checked,
            FAULT: faults.fault,
            SPEND: _spender(self.tables[FUEL]),
            ENTER: self._enter_row,
            SAVE: self._save,
            LOAD: self._load,
        }
        self.functions = rules
        self._programs: dict[str, PythonProgram] = {}
        self.load(program)
        self._bound = BoundRuntime(rules)
        board = self._bound.public(*BOARD)
        rules.update((name, f) for name, f in board.items() if name not in rules)
        self._now: Callable[[], PythonMachine | None] = _nothing
        self._running = threading.Lock()
        self._late = False

    def load(self, program: PythonProgram) -> None:
        """Add the functions and tables of a program, of which there is one for each file name."""
        for name, table in program.tables.items():
            self.functions.setdefault(name, list(table.values) or [0] * table.size)
        exec(program.code, self.functions)
        self._programs[program.code.co_filename] = program

    def function(self, name: str) -> Callable[..., Any]:
        """Return a function of the program or of the runtime."""
        if name not in self.functions:
            for module in EXTRA:
                for key, value in self._bound.public(module).items():
                    self.functions.setdefault(key, value)
        found: Callable[..., Any] = self.functions[name]
        return found

    def kept(self) -> State:
        """Return a copy of the state tables."""
        return {name: self.tables[name][:] for name in self.states}

    def put(self, state: State) -> None:
        """Copy these numbers into the state tables."""
        for name, numbers in state.items():
            self.tables[name][:] = numbers

    def enter(self, machine: PythonMachine) -> None:
        """Load the state of a machine; raises RuntimeError while another thread plays."""
        if self._running.locked():
            raise RuntimeError(BUSY)
        self._enter(machine)

    def _enter(self, machine: PythonMachine) -> None:
        before = self._now()
        if before is not machine:
            if before is not None:
                before.held = self.kept()
            self.put(machine.held)
            self._now = ref(machine)

    def holds(self, machine: PythonMachine) -> bool:
        """Return whether the state of a machine is loaded."""
        return self._now() is machine

    def call(self, machine: PythonMachine, name: str, *arguments: int) -> int | bool | None:
        """Call a function on the state of a machine; raises Stopped, or OutOfTime."""
        function = self.function(name)
        deadlines = active()
        check(deadlines)
        if not self._running.acquire(blocking=False):
            raise RuntimeError(BUSY)
        limit = sys.getrecursionlimit()
        try:
            self._enter(machine)
            self._late = False
            WATCH.begin(self, deadlines)
            sys.setrecursionlimit(max(limit, NESTED))
            given: int | bool | None = function(*arguments)
            return given
        except (Fault, IndexError, ZeroDivisionError, RecursionError) as error:
            check(deadlines)
            raise self._stopped(error) from None
        finally:
            sys.setrecursionlimit(limit)
            self._rows.enter(0)
            WATCH.end(self)
            self._running.release()

    def ask(self, name: str, *arguments: int) -> int | bool | None:
        """Call a function from inside of a call, whose state is loaded; raises Stopped."""
        try:
            given: int | bool | None = self.function(name)(*arguments)
            return given
        except (Fault, IndexError, ZeroDivisionError, RecursionError) as error:
            raise self._stopped(error) from None

    def _stopped(self, error: Exception) -> Stopped:
        """Return the fault that an error stands for."""
        code = faults.TOO_DEEP
        if isinstance(error, Fault):
            code = error.code
        elif isinstance(error, LookupError):
            code = faults.INDEX
        elif isinstance(error, ArithmeticError):
            code = faults.ZERO
        return Stopped(code, self._where(error.__traceback__), not self._late)

    def _where(self, trace: TracebackType | None) -> Where | None:
        """Return the place of the innermost line that a rule is printed on."""
        found = None
        while trace is not None:
            program = self._programs.get(trace.tb_frame.f_code.co_filename)
            if program is not None:
                found = program.place(trace.tb_lineno) or found
            trace = trace.tb_next
        return found

    # --- statements of the IR --------------------------------------------------------------------

    def _enter_row(self, row: int) -> None:
        if not self._rows.enter(row):
            faults.fault(faults.INDEX)

    def _save(self, slot: int) -> None:
        self._slots[slot] = self.kept()

    def _load(self, slot: int) -> None:
        self.put(self._slots[slot])

    # --- the watch -------------------------------------------------------------------------------

    @property
    def progress(self) -> object:
        """A value that is different for each decision in a call, for `watch`."""
        return self.tables[DECIDED][0]

    def stop(self) -> None:
        """Make a call in another thread fail at its next step."""
        self.tables[HALTED][0] = 1
        self.tables[FUEL][0] = 0

    def resume(self) -> None:
        """Allow calls again after a stop."""
        self.tables[HALTED][0] = 0

    def late(self) -> None:
        """Note that the current decision has taken too long."""
        self._late = True


def _nothing() -> None:
    return None


def _checked(index: int) -> int:
    if index < 0:
        faults.fault(faults.INDEX)
    return index


def _spender(fuel: list[int]) -> Callable[[int], None]:
    def spend(amount: int) -> None:
        fuel[0] -= amount
        if fuel[0] < 0:
            faults.fault(faults.NO_STEPS)

    return spend


class PythonMachine:
    """An `engines.machine.Machine` of a program printed as Python.

    `held` is its state while the instance holds that of another machine.
    """

    def __init__(
        self, instance: PrintedInstance, sources: Mapping[str, Source], held: State | None = None
    ) -> None:
        """Make a machine with this state, or with the initial one.

        `sources` are the files of rules by name.
        """
        self.instance = instance
        self.held = instance.blank if held is None else held
        self._sources = sources

    @property
    def tables(self) -> Mapping[str, Entries]:
        """All tables by name; state tables may be changed from outside between two calls."""
        return _Tables(self)

    @property
    def now(self) -> Mapping[str, Entries]:
        """The tables of the program, until another machine of it is used."""
        self.instance.enter(self)
        return cast(Mapping[str, Entries], self.instance.tables)

    def first(self, name: str) -> int:
        """Return the first entry of a table."""
        self.instance.enter(self)
        return self.instance.tables[name][0]

    def call(self, entry: str, *arguments: int) -> int | bool | None:
        """Call a function; raises Fault, and the content of the state tables is undefined then."""
        return self.instance.call(self, entry, *arguments)

    def clone(self) -> PythonMachine:
        """Return an independent machine of the same program with the same state."""
        return PythonMachine(self.instance, self._sources, self.keep())

    def fresh(self) -> PythonMachine:
        """Return an independent machine of the same program in its initial state."""
        return PythonMachine(self.instance, self._sources)

    def keep(self) -> State:
        """Return a copy of the state tables, which must not be changed."""
        return self.instance.kept() if self.instance.holds(self) else self.held

    def restore(self, kept: object) -> None:
        """Restore the content that the state tables had when `keep` returned this."""
        assert isinstance(kept, dict), "it was kept"
        if self.instance.holds(self):
            self.instance.put(kept)
        else:
            self.held = kept

    def before(self, kept: object) -> Before:
        """Return the tables with the state that was kept."""
        assert isinstance(kept, dict), "it was kept"
        self.instance.enter(self)
        return _ListsBefore(self.instance.tables, kept)

    def listed(self, items: list[int]) -> int:
        """Put a set or list on the heap and return it, until the heap is used again."""
        heap, top = self.tables["heap"], self.tables["heap_top"]
        made = top[0]
        top[0] = made + 1 + len(items)
        heap[made : top[0]] = [len(items), *items]
        return made

    def runtime(self, name: str) -> Callable[..., Any]:
        """Return a function of the runtime on these tables."""
        self.instance.enter(self)
        return self.instance.function(name)

    def place(self, fault: Fault) -> Span | None:
        """Return the place of the rule in which a fault happened, None if it is unknown."""
        return place_of(fault, self._sources)


class _Tables(Mapping[str, Entries]):
    """The tables of a machine, whose state is loaded whenever one is looked up."""

    def __init__(self, machine: PythonMachine) -> None:
        self._machine = machine

    def __getitem__(self, name: str) -> Entries:
        self._machine.instance.enter(self._machine)
        return cast(Entries, self._machine.instance.tables[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._machine.instance.tables)

    def __len__(self) -> int:
        return len(self._machine.instance.tables)


class _ListsBefore(Before):
    """Tables with those of a copy of their state."""

    def __init__(self, now: State, state: State) -> None:
        self.now = cast(Mapping[str, Entries], now)
        self._state = state
        self._changed: State = {}

    def __getitem__(self, name: str) -> Entries:
        found: object = self._changed.get(name) or self._state.get(name)
        return self.now[name] if found is None else cast(Entries, found)

    def changing(self, name: str) -> Entries:
        """Return a state table that may be changed, without changing the copy."""
        return cast(Entries, self._changed.setdefault(name, self._state[name][:]))

    def differs(self, name: str) -> bool:
        """Return whether a state table is not as in the copy."""
        return name in self.now and self._state[name] != self.now[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.now)

    def __len__(self) -> int:
        return len(self.now)
