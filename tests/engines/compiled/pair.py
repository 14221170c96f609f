"""The program of a lowered game as it is lowered, `plain`, and optimised, `wasm`, side by side.

They are compared table by table, without any text, so that it takes less time than playing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple, cast

from rulesdsl.engine.lower import lower
from rulesdsl.engine.lower.plan import PLAYING
from rulesdsl.engine.run.history import from_bytes
from rulesdsl.engine.run.interface import Position
from rulesdsl.engine.run.lowered import Lowered
from rulesdsl.engine.run.moves import PLAYER, rows
from rulesdsl.engine.run.plans import dump_plan
from rulesdsl.engine.run.position import LoweredPosition, start, write_generator
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.wasm.games import compiled_game, new_machine
from rulesdsl.engine.run.wasm.machine import WasmMachine
from rulesdsl.engine.run.wasm.printer import print_module
from rulesdsl.engine.run.wasm.program import compile_module
from rulesdsl.engine.runtime.faults import Fault
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.tables import Tables

Name = Literal["plain", "wasm"]


class Ended(NamedTuple):
    """What a call gave, or the fault that stopped it, with the file and line of the rules."""

    given: int | None
    fault: int | None = None
    where: tuple[str, int] | None = None


class Pair:
    """A game for some number of players, lowered once, on both machines.

    One game at a time is played on them. In `position` is that of `plain`. What can be played, and
    every table of one entry, is compared after each call; all of the state if that is `thorough`,
    and where `compare` is called.
    """

    def __init__(self, checked: Checked, players: int) -> None:
        self.players = players
        self.thorough = True
        optimised = compiled_game(checked, players, PLAYING)
        plan = lower(checked, players, optimised=False, entries=PLAYING)
        plain = compile_module(print_module(plan.program), dump_plan(plan))
        self._lowered: Mapping[Name, Lowered] = {
            "plain": Lowered(plan, lambda: compiled_game(checked, players).blank.clone()),
            "wasm": optimised.lowered,
        }
        self._blank: Mapping[Name, WasmMachine] = {
            "plain": new_machine(plain, checked),
            "wasm": new_machine(optimised.program, checked),
        }
        self._plain = new_machine(plain, checked)
        self._wasm = new_machine(optimised.program, checked)
        for machine in (self._plain, self._wasm):
            machine.enter()
        self.position = LoweredPosition(
            self._lowered["plain"], self._plain, (None, ("start", players, None))
        )
        self.tables = self._plain.sharing.instance.tables
        self._memory = self._wasm.sharing.instance.tables
        places = plain.layout.places
        # An optimised program evaluates fewer expressions, which takes fewer steps.
        self._states = [n for n, at in places.items() if at.role == "state" and n != "fuel"]
        self._ones = [name for name in self._states if len(self.tables[name]) == 1]
        self._begun = [(machine, machine.keep()) for machine in (self._plain, self._wasm)]

    def clear(self) -> None:
        """Leave nothing of earlier games, not even where nothing reads it."""
        for machine, state in self._begun:
            machine.restore(state)

    def engine(self, name: Name) -> PairedEngine:
        """One of the machines as an engine, for games that go on beside."""
        return PairedEngine(self._lowered[name], self._blank[name])

    # --- in step -------------------------------------------------------------------------------

    def start(self, seed: int) -> None:
        """Begin a game on both."""
        for machine in (self._plain, self._wasm):
            write_generator(machine.tables, Rng.seeded(seed))
        assert self._call("start").fault is None

    def play(self, row: int) -> None:
        """Play a move on both."""
        assert self._call("play", row).fault is None

    def fail(self, row: int, decided: int) -> int | None:
        """Try a move after so many decisions, and take it back; the fault, if that was one."""
        machines: tuple[WasmMachine, ...] = self._plain, self._wasm
        kept = [machine.keep() for machine in machines]
        for machine in machines:
            machine.tables["decided"][0] = decided
        fault = self._call("play", row).fault
        for machine, state in zip(machines, kept, strict=True):
            machine.restore(state)
        assert self._call("enumerate_moves").fault is None
        return fault

    def play_out(self, seed: int, luck: int) -> int | None:
        """Play a game of a seed to its end on both, in one call each; how many moves it had, None
        if a rule has failed."""
        for machine in (self._plain, self._wasm):
            write_generator(machine.tables, Rng.seeded(seed))
            machine.tables["luck"][:] = Rng.seeded(luck).state
        if self._call("start").fault is not None:
            return None
        return self._call("playout", 1 << 40, thorough=True).given

    def _call(self, entry: str, *arguments: int, thorough: bool = False) -> Ended:
        """Call an entry on both, which end alike and leave everything the same."""
        ended, other = (_ended(each, entry, arguments) for each in (self._plain, self._wasm))
        assert ended == other, entry
        for name in self._ones:
            assert self.tables[name][0] == self._memory[name][0], name
        if thorough or self.thorough or ended.fault is not None:
            self.compare()
        if ended.fault is None:
            self._compare_moves()
        return ended

    def compare(self) -> None:
        """The state tables are the same, as far as they are in use."""
        self._compare(self._memory)

    def compare_with(self, position: LoweredPosition) -> None:
        """The state tables of a position that was played beside are the same, too."""
        machine = position.machine
        assert isinstance(machine, WasmMachine)
        machine.enter()
        self._compare(machine.sharing.instance.tables)

    def _compare(self, others: Mapping[str, memoryview[int]]) -> None:
        used = used_lengths(self.tables)
        for name in self._states:
            size = used.get(name)
            assert self.tables[name][:size] == others[name][:size], name

    def _compare_moves(self) -> None:
        """So is what can be played."""
        if not self.tables["waiting"][0]:
            return
        mine, its = self.tables, self._memory
        for name in ("move_count", "move_width"):
            assert mine[name][0] == its[name][0], name
        assert self._moves(mine) == self._moves(its)

    def _moves(self, tables: Mapping[str, memoryview[int]]) -> list[list[int]]:
        """The moves; what is behind the arguments of an option in its row means nothing."""
        found = [list(row) for row in rows(cast(Tables, tables))]
        if tables["waiting"][0] != PLAYER:
            return found
        options = self._lowered["plain"].plan.choices[tables["asked"][0]].options
        return [row[: 1 + len(options[row[0]].arguments)] for row in found]


def used_lengths(tables: Mapping[str, memoryview[int]]) -> dict[str, int]:
    """The used length of each state table that grows from below; nothing reads beyond it."""
    free = {"stack": "free", "store": "store_free", "queue": "queue_free"}
    return {name: tables[count][0] for name, count in free.items()}


class PairedEngine:
    """A `run.engine.Engine` of one game, on copies of a machine."""

    def __init__(self, lowered: Lowered, machine: WasmMachine) -> None:
        self._lowered = lowered
        self._machine = machine

    def start(self, checked: Checked, players: int, seed: int | None) -> LoweredPosition:
        assert checked is self._lowered.checked
        assert players == self._lowered.players
        return start(self._lowered, self._machine.clone(), seed)

    def from_bytes(self, checked: Checked, data: bytes) -> Position:
        return from_bytes(checked, data, partial(self.start, checked))


def _ended(machine: WasmMachine, entry: str, arguments: Sequence[int]) -> Ended:
    try:
        given = machine.call(entry, *arguments)
    except Fault as fault:
        span = machine.place(fault)
        return Ended(None, fault.code, (span.source.name, span.line) if span else None)
    return Ended(None if given is None else int(given))
