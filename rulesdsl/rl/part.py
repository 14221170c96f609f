"""Many games in the memory of one instance, as NumPy arrays that are views of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulesdsl.deadline import Deadlines, under
from rulesdsl.engines.wasm.machine import ROW_NOW, Instance
from rulesdsl.engines.wasm.program import WasmProgram
from rulesdsl.model.ir import IN_ROWS
from rulesdsl.runtime.faults import Fault
from rulesdsl.runtime.tables import CHANNELS

Array = NDArray[Any]

WORD = 0xFFFFFFFF


class Part:
    """The games of some rows of a batch, which one thread plays.

    Row r begins with game `first` + r of the seed, and goes on with each game `step` numbers later.
    `failed` has the rows whose game a rule has ended in the last step.
    """

    def __init__(self, program: WasmProgram, rows: int, seed: int, first: int, step: int) -> None:
        self.rows = rows
        self.failed = np.zeros(rows, np.bool_)
        self._layout = program.layout
        self._instance = Instance(program, rows)
        self._seed = seed & WORD, seed >> 32 & WORD
        self._step = step
        self._memory: Array = np.frombuffer(self._instance.memory, np.uint8)
        self._end = self._scratch("legal_end")
        self._legal = self._scratch("legal").reshape(-1, int(self._scratch("WIDTH")[0]))
        self._width = self._legal.shape[1]
        self._grids, self._window = (int(self._scratch(n)[0]) for n in ("GRIDS", "WINDOW"))
        self.chosen = self.table("chosen")[:, 0]
        self.over = self.table("over")[:, 0]
        self.counts = _read_only(self.table("legal_count")[:, 0])
        self.game = self.table("game")[:, 0]
        self.game[:] = first + np.arange(rows)
        self._instance.call("begin_rows", 1, rows + 1, *self._seed)

    def table(self, name: str) -> Array:
        """Return a table that every row has, with a line for each row."""
        place = self._layout.places[name]
        if place.role not in IN_ROWS:
            raise ValueError(f"`{name}` is no part of the state")
        part = self.whole[:, place.address : place.address + place.bytes]
        view: Array = part.view(np.dtype(place.width.format))
        return view

    @property
    def legal(self) -> Array:
        """The legal moves of all rows: the option, then the arguments, then zeros."""
        return _read_only(self._legal[: int(self._end[0]) // self._width])

    @property
    def planes(self) -> Array:
        """What `see` has written: by row, grid, y, x and channel."""
        seen = self.table("view").view(np.uint8)
        return _read_only(
            seen.reshape(self.rows, self._grids, self._window, self._window, CHANNELS)
        )

    def step(self, deadlines: Deadlines) -> None:
        """Play the chosen moves; raises Fault if a rule fails right at the start of a game."""
        with under(*deadlines):
            self.failed[:] = False
            self._instance.call("choose_rows", 1, self.rows + 1)
            self._go_on(1)

    def see(self, deadlines: Deadlines) -> None:
        """Write what the movers see."""
        with under(*deadlines):
            self._instance.call("observe_rows", 1, self.rows + 1)

    def look(self, deadlines: Deadlines) -> None:
        """Write what the movers know of the pieces."""
        with under(*deadlines):
            self._instance.call("look_rows", 1, self.rows + 1)

    @property
    def whole(self) -> Array:
        """The bytes of all rows."""
        size = self._layout.row
        rows = self._memory[self._layout.rows : self._layout.rows + self.rows * size]
        return rows.reshape(self.rows, size)

    def list(self, deadlines: Deadlines) -> None:
        """List the legal moves anew, after rows were changed."""
        with under(*deadlines):
            self._instance.call("list_rows", 1, self.rows + 1)

    def _go_on(self, row: int) -> None:
        """Play the chosen moves from a row on; a game in which a rule fails makes way."""
        while row <= self.rows:
            try:
                self._instance.call("step_rows", row, self.rows + 1, *self._seed, self._step)
                return
            except Fault as fault:
                row = self._instance.tables[ROW_NOW][0]
                if not fault.again or self.failed[row - 1]:
                    raise
                self.failed[row - 1] = True
                self.game[row - 1] += 0 if self.over[row - 1] else self._step
                self._instance.call("begin_rows", row, row + 1, *self._seed)
                row += 1

    def _scratch(self, name: str) -> Array:
        """Return a table of which there is one for all rows."""
        place = self._layout.places[name]
        part = self._memory[place.address : place.address + place.bytes]
        view: Array = part.view(np.dtype(place.width.format))
        return view


def _read_only(view: Array) -> Array:
    """Return a view that cannot be written to."""
    shown = view.view()
    shown.flags.writeable = False
    return shown
