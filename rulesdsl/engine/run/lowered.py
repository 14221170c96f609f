"""The data and operations that all positions of one program share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from rulesdsl.engine.lower.plan import Plan
from rulesdsl.engine.lower.tables.encoding import MEMORY
from rulesdsl.engine.run.interface import Laid
from rulesdsl.engine.run.words.box import GameBox
from rulesdsl.engine.runtime.faults import STEPS
from rulesdsl.engine.runtime.tables import LAID
from rulesdsl.language.model import values
from rulesdsl.language.model.flow import sources
from rulesdsl.language.model.tables import Tables
from rulesdsl.language.model.types import CELL

if TYPE_CHECKING:
    from rulesdsl.engine.lower.tables.state_tables import StateTable
    from rulesdsl.engine.run.machine import Machine
    from rulesdsl.engine.run.python.games import PrintedGame


class Lowered:
    """A lowered game.

    `asking` is the position whose moves the scratch tables hold, None if they hold anything else.
    `whole` makes a machine of the whole program of the game; `paused` is the action before which
    it can be stopped, if any.
    """

    def __init__(self, plan: Plan, whole: Callable[[], Machine], paused: str = "") -> None:
        self.plan = plan
        self._whole = whole
        self.paused = paused
        self.checked = plan.checked
        self.players = plan.players
        self.asking: object = None

    @cached_property
    def searcher(self) -> Machine:
        """A machine of the whole program, on which bots search; its state tables are the same."""
        return self._whole()

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The names of the sources of points, by number."""
        return sources(self.checked).names

    @cached_property
    def score(self) -> StateTable:
        """The score, a number for each seat."""
        return self.plan.states[self.checked.score]

    @cached_property
    def place_of(self) -> Callable[[int, int], values.Value]:
        """The function of the encoding with this name, whose results are cached."""
        return lru_cache(MEMORY)(self.plan.encoding.place_of)

    @cached_property
    def told_states(self) -> tuple[StateTable, ...]:
        """The states that listeners are told of after a move: all but the score."""
        score = self.checked.score
        return tuple(state for state in self.plan.states.values() if state.key != score)

    @cached_property
    def box(self) -> GameBox:
        """The components and places of the game, and their texts."""
        return GameBox(self.checked.game, self.players)

    @cached_property
    def _printed(self) -> PrintedGame:
        from rulesdsl.engine.run.python.games import printed_game  # few games need it

        return printed_game(self.checked, self.players)

    def printed(self, machine: Machine) -> tuple[Lowered, Machine] | None:
        """Return a machine of the program printed as Python with the state of another machine.

        It is None for a machine that runs Python itself.
        """
        from rulesdsl.engine.run.python.machine import PythonMachine

        if isinstance(machine, PythonMachine):
            return None
        copy = self._printed.blank.clone()
        assert isinstance(copy, PythonMachine), "it is printed as Python"
        if not _copied(copy.instance.states, machine.tables, copy.tables):
            # The compiled program lacks tables that nothing in it reads.
            copy.call("rebuild")
        return self._printed.lowered, copy

    def compiled(self, machine: Machine) -> tuple[Lowered, Machine] | None:
        """Return a machine of the compiled program with the state of one that runs Python.

        It is None for any other, and for a game that can be stopped inside.
        """
        from rulesdsl.engine.run.python.machine import PythonMachine
        from rulesdsl.engine.run.wasm.games import compiled_game

        if not isinstance(machine, PythonMachine):
            return None
        game = compiled_game(self.checked, self.players)
        if game.lowered.plan.points != self.plan.points:
            return None
        copy = game.blank.clone()
        _copied(machine.instance.states, machine.tables, copy.tables)
        return game.lowered, copy

    @cached_property
    def begun(self) -> Tables:
        """The tables with all states at their initial values."""
        machine = self._printed.blank.clone()
        machine.call("refuel")
        machine.call("prepare_states")
        return machine.before(machine.keep())

    def scores(self, tables: Tables) -> tuple[int, ...]:
        """Return the score of each seat."""
        if not self.checked.score:
            return (0,) * self.players
        state = self.score
        if state.plain and state.owners == self.players:
            return tuple(tables[state.data][: self.players])
        found = []
        for seat in range(self.players):
            score = state.read(tables, state.row(tables, values.Player(seat), ()))
            assert isinstance(score, int)
            found.append(score)
        return tuple(found)

    def laid(self, tables: Tables) -> tuple[Laid, ...]:
        """Return all pieces on grids, in canonical order."""
        found = []
        for index, (place, spot) in enumerate(zip(tables["place"], tables["spot"], strict=True)):
            if place == LAID:
                at = self.plan.encoding.placement_of(spot)
                found.append(Laid(values.Piece(index), at.cell, at.rotation))
        return tuple(found)

    def placement(self, tables: Tables, piece: values.Piece) -> values.Placement | None:
        """Return the placement of a piece on a grid, None if it is not on one."""
        if tables["place"][piece.index] != LAID:
            return None
        return self.plan.encoding.placement_of(tables["spot"][piece.index])

    def place(self, tables: Tables, piece: values.Piece) -> values.Value:
        """Return the place of a piece (its cell when on a grid), None if it has none.

        Raises Absent for a piece that does not take part.
        """
        if not tables["piece_in"][piece.index]:
            self.box.check(piece)
        place, spot = (tables[name][piece.index] for name in ("place", "spot"))
        found = self.place_of(place, spot)
        return found.cell if isinstance(found, values.Placement) else found

    def apply(self, machine: Machine, effect: str, arguments: tuple[values.Value, ...]) -> None:
        """Run a builtin effect with the runtime's own Python functions; raises Fault.

        The effect need not be in the program.
        """
        from rulesdsl.language.builtins import effect_on  # few games need it

        encoding, tables = self.plan.encoding, machine.tables
        given = [encoding.encode(argument, CELL) for argument in arguments]
        tables["fuel"][0], tables["heap_top"][0] = STEPS, 0
        machine.runtime(effect_on(effect, arguments))(*given)

    def face(self, tables: Tables, die: values.Piece) -> values.Face:
        """Return the face that a die shows."""
        return values.Face(self.checked.game.pieces[die.index].kind, tables["face"][die.index])


def _copied(names: Sequence[str], source: Tables, target: Tables) -> bool:
    """Copy tables that both have, and return whether all of these were copied."""
    found = [name for name in names if name in source and name in target]
    for name in found:
        target[name][:] = list(source[name])
    return len(found) == len(names)
