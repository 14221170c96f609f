"""The machines of a lowered game, `python` and `wasm`, side by side: what they do is compared table
by table, without a word of text, so that it takes less time than playing does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Literal, NamedTuple

from rulesdsl.engines.compiled.engine import sources_of
from rulesdsl.engines.compiled.machine import Machine, used_lengths, write_generator
from rulesdsl.engines.compiled.position import LoweredPosition, start
from rulesdsl.engines.compiled.shared import Lowered
from rulesdsl.engines.engine import Position
from rulesdsl.engines.history import from_bytes
from rulesdsl.engines.python.compiling import compile_program
from rulesdsl.engines.python.engine import PythonMachine
from rulesdsl.engines.python.program import CompiledProgram
from rulesdsl.engines.rng import Rng
from rulesdsl.engines.wasm.machine import Instance, Sharing, WasmMachine
from rulesdsl.engines.wasm.printer import print_module
from rulesdsl.engines.wasm.program import WasmProgram, compile_module
from rulesdsl.ir.ranges import analyse
from rulesdsl.lower import lower
from rulesdsl.lower.plan import PLAYING
from rulesdsl.model.checked import Checked
from rulesdsl.runtime.faults import Fault

Name = Literal["python", "wasm"]


class Ended(NamedTuple):
    """What a call gave, or the fault that stopped it, with the file and line of the rules."""

    given: int | None
    fault: int | None = None
    where: tuple[str, int] | None = None


class Pair:
    """A game for some number of players, lowered once, on both machines.

    One game at a time is played on them. In `position` is that of `python`. What can be played, and
    every table of one entry, is compared after each call; all of the state if that is `thorough`,
    and where `compare` is called.
    """

    def __init__(self, checked: Checked, players: int) -> None:
        plan = lower(checked, players, entries=PLAYING)
        ranges = analyse(plan.program)
        self.players = players
        self.thorough = True
        self._checked, sources = checked, sources_of(checked)
        self._lowered: Mapping[Name, Lowered] = {
            "python": Lowered(plan, lambda: PythonMachine(self._whole[0], sources)),
            "wasm": Lowered(plan, lambda: WasmMachine(Sharing(Instance(self._whole[1])), sources)),
        }
        self._compiled = compile_program(plan.program, ranges)
        self._program = compile_module(print_module(plan.program, ranges))
        self._blank: Mapping[Name, Machine] = {
            "python": PythonMachine(self._compiled, sources),
            "wasm": WasmMachine(Sharing(Instance(self._program)), sources),
        }
        self._python = PythonMachine(self._compiled, sources)
        self._wasm = WasmMachine(Sharing(Instance(self._program)), sources)
        self._wasm.enter()
        self.position = LoweredPosition(
            self._lowered["python"], self._python, (None, ("start", players, None))
        )
        self.tables = self._python.tables
        instance = self._wasm.sharing.instance
        self._state, self._memory = self._wasm.sharing.state, instance.tables
        states = {n: p for n, p in self._program.layout.places.items() if p.role == "state"}
        # Of these only what is in use is compared; they are large.
        rest = [name for name in states if name not in used_lengths(self.tables)]
        self._ones = [
            (name, self.tables[name], instance.tables[name])
            for name in rest
            if states[name].size == 1
        ]
        self._many = [
            (name, self.tables[name], instance.tables[name], at, at + states[name].bytes)
            for name in rest
            if states[name].size != 1
            for at in (states[name].address,)
        ]
        self._before = bytes(self._state)
        self._known = [table[:] for _, table, *_ in self._many]
        self._begun = [(machine, machine.keep()) for machine in (self._python, self._wasm)]

    def clear(self) -> None:
        """Leave nothing of earlier games, not even where nothing reads it."""
        for machine, state in self._begun:
            machine.restore(state)

    def engine(self, name: Name) -> PairedEngine:
        """One of the machines as an engine, for games that go on beside."""
        return PairedEngine(self._lowered[name], self._blank[name])

    @cached_property
    def _whole(self) -> tuple[CompiledProgram, WasmProgram]:
        """The whole program for both machines, on which bots search."""
        program = lower(self._checked, self.players).program
        ranges = analyse(program)
        return compile_program(program, ranges), compile_module(print_module(program, ranges))

    # --- in step -------------------------------------------------------------------------------

    def start(self, seed: int) -> None:
        """Begin a game on both."""
        for machine in (self._python, self._wasm):
            write_generator(machine.tables, Rng.seeded(seed))
        assert self._call("start").fault is None

    def play(self, row: int) -> None:
        """Play a move on both."""
        assert self._call("play", row).fault is None

    def fail(self, row: int, decided: int) -> int | None:
        """Try a move after so many decisions, and take it back; the fault, if that was one."""
        machines: tuple[Machine, ...] = self._python, self._wasm
        kept = [machine.keep() for machine in machines]
        # `python` keeps of these what is in use. What lies beyond is written before it is read, but
        # what a frame has not written yet would differ.
        beyond = {name: self.tables[name][:] for name in used_lengths(self.tables)}
        for machine in machines:
            machine.tables["decided"][0] = decided
        fault = self._call("play", row).fault
        for machine, state in zip(machines, kept, strict=True):
            machine.restore(state)
        for name, values in beyond.items():
            self.tables[name][:] = values
        assert self._call("enumerate_moves").fault is None
        return fault

    def play_out(self, seed: int, luck: int) -> int | None:
        """Play a game of a seed to its end on both, in one call each; how many moves it had, None
        if a rule has failed."""
        for machine in (self._python, self._wasm):
            write_generator(machine.tables, Rng.seeded(seed))
            machine.tables["luck"][:] = Rng.seeded(luck).state
        if self._call("start").fault is not None:
            return None
        return self._call("playout", 1 << 40, thorough=True).given

    def _call(self, entry: str, *arguments: int, thorough: bool = False) -> Ended:
        """Call an entry on both, which end alike and leave everything the same."""
        ended, other = (_ended(each, entry, arguments) for each in (self._python, self._wasm))
        assert ended == other, entry
        for name, mine, its in self._ones:
            assert mine[0] == its[0], name
        if thorough or self.thorough or ended.fault is not None:
            self.compare()
        if ended.fault is None:
            self._compare_moves()
        return ended

    def compare(self) -> None:
        """The state tables are the same. What has changed on neither machine is not read again."""
        before, now = self._before, bytes(self._state)
        known = self._known
        for number, (name, mine, its, begin, end) in enumerate(self._many):
            if before[begin:end] != now[begin:end] or mine != known[number]:
                assert mine == its.tolist(), name
                known[number] = mine[:]
        self._before = now
        for name, used in used_lengths(self.tables).items():
            assert self.tables[name][:used] == self._memory[name][:used].tolist(), name

    def compare_with(self, position: LoweredPosition) -> None:
        """The state tables of a position that was played beside are the same, too."""
        used: dict[str, int | None] = {one[0]: None for one in self._ones}
        used |= {many[0]: None for many in self._many}
        used |= used_lengths(self.tables)
        for name, size in used.items():
            assert list(position.tables[name][:size]) == self.tables[name][:size], name

    def _compare_moves(self) -> None:
        """So is what can be played."""
        if not self.tables["waiting"][0]:
            return
        mine, its = self.tables, self._memory
        for name in ("move_count", "move_width"):
            assert mine[name][0] == its[name][0], name
        used = mine["move_count"][0] * mine["move_width"][0]
        assert mine["moves"][:used] == its["moves"][:used].tolist()


class PairedEngine:
    """A `run.engine.Engine` of one game, on copies of a machine."""

    def __init__(self, lowered: Lowered, machine: Machine) -> None:
        self._lowered = lowered
        self._machine = machine

    def start(self, checked: Checked, players: int, seed: int | None) -> LoweredPosition:
        assert checked is self._lowered.checked
        assert players == self._lowered.players
        return start(self._lowered, self._machine.clone(), seed)

    def from_bytes(self, checked: Checked, data: bytes) -> Position:
        return from_bytes(checked, data, partial(self.start, checked))


def _ended(machine: Machine, entry: str, arguments: Sequence[int]) -> Ended:
    try:
        given = machine.call(entry, *arguments)
    except Fault as fault:
        span = machine.place(fault)
        return Ended(None, fault.code, (span.source.name, span.line) if span else None)
    return Ended(None if given is None else int(given))
