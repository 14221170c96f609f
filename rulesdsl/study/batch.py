"""Batches of games: their tables are NumPy arrays, views of the memory they are played in."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulesdsl.base.deadline import Deadlines, OutOfTime, active, under
from rulesdsl.engine.run.plans import restore_plan
from rulesdsl.engine.run.position import fault_error
from rulesdsl.engine.runtime.faults import NO_SPACE, Fault
from rulesdsl.engine.runtime.outcomes import LEVEL
from rulesdsl.engine.runtime.tables import outcomes, row_now, trial
from rulesdsl.language.model.tables import IN_ROWS
from rulesdsl.play.bots import MAX_TRIES
from rulesdsl.play.game import Game
from rulesdsl.study.observe import Actions, Observed, Observer

if TYPE_CHECKING:
    from rulesdsl.engine.run.wasm.program import WasmProgram

WORD = 0xFFFFFFFF

FULL = "there is no room for so many legal moves at once: take fewer games, or more threads"


class BatchPart:
    """The games of some rows of a batch, which one thread plays.

    Row r begins with game `first` + r of the seed, and goes on with each game `step` numbers later.
    `failed` has the rows whose game a rule has ended in the last step.
    """

    def __init__(self, program: WasmProgram, rows: int, seed: int, first: int, step: int) -> None:
        # The package of this engine may not be installed.
        from rulesdsl.engine.run.wasm.machine import Instance

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
            raise ValueError(f"`{name}` is not part of the state")
        part = self.whole[:, place.address : place.address + place.bytes]
        view: Array = part.view(np.dtype(place.width.format))
        return view

    @property
    def legal(self) -> Array:
        """The legal moves of all rows: the option, then the arguments, then zeros."""
        return _read_only(self._legal[: int(self._end[0]) // self._width])

    @property
    def planes(self) -> Array:
        """The planes that `see` wrote: by row, grid, y, x and channel."""
        seen = self.table("view")
        channels = int(self._scratch("PLANES")[0]) * seen.itemsize
        shape = self.rows, self._grids, self._window, self._window, channels
        return _read_only(seen.view(np.uint8).reshape(shape))

    def step(self, deadlines: Deadlines) -> None:
        """Play the chosen moves; raises Fault if a rule fails right at the start of a game."""
        with under(*deadlines):
            self.failed[:] = False
            self._instance.call("choose_rows", 1, self.rows + 1)
            self._go_on(1)

    def run(self, deadlines: Deadlines, function: str) -> None:
        """Call a function of the module for all rows (see `engine.runtime.rows`)."""
        with under(*deadlines):
            self._instance.call(function, 1, self.rows + 1)

    def weigh(self, deadlines: Deadlines, tries: int) -> None:
        """Write the outcome of each legal move."""
        with under(*deadlines):
            self._instance.call("weigh_begin", 1)
            while True:
                try:
                    self._instance.call("weigh_rows", self.rows + 1, tries)
                    return
                except Fault as fault:
                    if fault.code == NO_SPACE and not self._scratch(trial.name)[LEVEL]:
                        raise ValueError(FULL) from None
                    if not fault.again or not self._scratch(trial.name)[LEVEL]:
                        raise

    @property
    def outcomes(self) -> Array:
        """The outcomes that `weigh` wrote: a line for each row of `legal`."""
        width = int(self._instance.call("columns") or 0)
        moves = int(self._end[0]) // self._width
        return _read_only(self._scratch(outcomes.name)[: moves * width].reshape(moves, width))

    @property
    def whole(self) -> Array:
        """The bytes of all rows."""
        size = self._layout.row
        rows = self._memory[self._layout.rows : self._layout.rows + self.rows * size]
        return rows.reshape(self.rows, size)

    def keep(self) -> tuple[Array, Array]:
        """Return a copy of all rows and their legal moves, for `restore`."""
        return self.whole.copy(), self.legal.copy()

    def restore(self, kept: tuple[Array, Array]) -> None:
        """Restore what `keep` returned."""
        rows, legal = kept
        self.whole[:] = rows
        self._legal[: len(legal)] = legal
        self._end[0] = legal.size
        self.failed[:] = False

    def _go_on(self, row: int) -> None:
        """Play the chosen moves from a row on; a game in which a rule fails makes way."""
        while row <= self.rows:
            try:
                self._instance.call("step_rows", row, self.rows + 1, *self._seed, self._step)
                return
            except Fault as fault:
                if fault.code == NO_SPACE:
                    raise ValueError(FULL) from None
                row = self._instance.tables[row_now.name][0]
                if not fault.again or self.failed[row - 1]:
                    raise
                self.failed[row - 1] = True
                self.game[row - 1] += 0 if self.over[row - 1] else self._step
                self._instance.call("begin_rows", row, row + 1, *self._seed)
                row += 1

    def _scratch(self, name: str) -> Array:
        place = self._layout.places[name]
        part = self._memory[place.address : place.address + place.bytes]
        view: Array = part.view(np.dtype(place.width.format))
        return view


def _read_only(view: Array) -> Array:
    shown = view.view()
    shown.flags.writeable = False
    return shown


Array = NDArray[Any]


class View(NamedTuple):
    """The view of the mover of each game.

    `planes` are bytes by row, grid, y, x and channel, centred on the pieces that lie on the grid;
    `facts` are numbers by row (see `engine.runtime.rows.observe`).
    """

    planes: Array
    facts: Array


class Batch:
    """A batch of `count` games, loaded with the engine `wasm`, each at its own pace.

    Game n of the batch begins as game n of the seed; when a game is over, or a rule fails in it,
    the game `count` numbers later takes its row. All games are in the memory of the module that
    plays them, one module for each of `threads`. With one thread, arrays of this class are views of
    that memory: they show the games after each later step. With several, they are copies, and
    `parts` have the views. Tables include hidden information; `view` and `observe` give only what
    players may see. Raises ValueError for another engine or a number of players that the game is
    not for, and PlayError if a rule fails at the start of a game.
    """

    def __init__(
        self,
        game: Game,
        count: int,
        players: int | None = None,
        seed: int = 0,
        *,
        threads: int = 1,
    ) -> None:
        # The package of this engine may not be installed.
        if game.engine != "wasm":
            raise ValueError("a batch needs the engine `wasm`")
        if not 0 < threads <= count:
            raise ValueError("a batch needs a game for each thread")
        from rulesdsl.engine.run.wasm.games import compiled_game

        self.players = game.seats(players)
        program = compiled_game(game.checked, self.players).program
        self._plan = restore_plan(program.extra, game.checked)
        score = self._plan.states.get(game.checked.score)
        self._score = score.data if score else ""
        self._offered: Array | None = None
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        bounds = [count * number // threads for number in range(threads + 1)]
        sizes = pairwise(bounds)
        try:
            self.parts = [BatchPart(program, e - b, seed, b, count) for b, e in sizes]
        except Fault as fault:
            raise fault_error(fault) from None
        self._ended = 0
        self._rows = np.arange(count)

    @cached_property
    def actions(self) -> Actions:
        """The numbering of actions; raises ValueError for a game with too many."""
        return Actions(self._plan)

    @cached_property
    def observer(self) -> Observer:
        """The maker of the arrays that `observe` returns."""
        return Observer(self._plan)

    # --- the games -------------------------------------------------------------------------------

    @property
    def numbers(self) -> Array:
        """The number of the game of the seed in each row."""
        return self.table("game")[:, 0]

    @property
    def begun(self) -> int:
        """The number of games that have begun."""
        return len(self._rows) + self._ended

    def table(self, name: str) -> Array:
        """Return a table (see `engine.runtime.tables`) of all games, a row for each, read-only.

        It is a table of the state, or one beside it.
        """
        found = _joined([part.table(name) for part in self.parts])
        found.flags.writeable = False
        return found

    @property
    def movers(self) -> Array:
        """The seat to move in each game."""
        return self.table("asked_seat")[:, 0]

    @property
    def scores(self) -> Array:
        """The scores by game and seat; 0 in a game without points."""
        if not self._score:
            return np.zeros((len(self._rows), self.players), np.int32)
        return self.table(self._score)[:, : self.players]

    @property
    def failed(self) -> NDArray[np.bool_]:
        """The games in which a rule failed in the last step."""
        return _joined([part.failed for part in self.parts])

    # --- moves -----------------------------------------------------------------------------------

    @property
    def counts(self) -> Array:
        """The number of legal moves of each game."""
        return _joined([part.counts for part in self.parts])

    @property
    def legal(self) -> Array:
        """The legal moves of all games, one game's after another's, as rows of numbers.

        A row is the number of the option, its arguments, and zeros. It is only valid until the next
        step.
        """
        return _joined([part.legal for part in self.parts])

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The number in `legal` of the first move of each game, and the number of all moves."""
        return np.concatenate(([0], np.cumsum(self.counts, dtype=np.int64)))

    @property
    def owners(self) -> NDArray[np.int64]:
        """The game of each row of `legal`."""
        return np.repeat(self._rows, self.counts)

    def offered(self, row: int) -> NDArray[np.int64]:
        """Return the actions of the mover of one game, in the order of its moves."""
        first, end = self.offsets[row : row + 2]
        return self._actions()[first:end]

    def masks(self) -> NDArray[np.int8]:
        """Return the action mask of the mover of each game, as a new array."""
        found = np.zeros((len(self._rows), self.actions.count), np.int8)
        found[self.owners, self._actions()] = 1
        return found

    # --- what players see ------------------------------------------------------------------------

    def view(self) -> View:
        """Return what the mover of each game sees now, as arrays that the next call fills anew."""
        self.see()
        planes = _joined([part.planes for part in self.parts])
        return View(planes, self.table("facts"))

    def see(self) -> None:
        """Write what the mover of each game sees to `planes` and `table("facts")` of `parts`."""
        self._each("run", "observe_rows")

    def observe(self) -> Observed:
        """Return the observation of the mover of each game, as a new array."""
        self._each("run", "look_rows")
        return self.observer.observe(self.table, self.movers)

    def outcomes(self, tries: int = MAX_TRIES) -> Array:
        """Return what each legal move leads to, a line for each row of `legal`.

        A move is followed by the best further moves of its player, until another player or chance
        comes. The columns are 1 unless a rule fails; the margin over the best rival if the game
        ended there; 1 if the player has won there, -1 if others have; the scores if the game ended
        there; the scores; the number of pieces in each zone. Players come in turn from the mover
        on, and so do their zones. At most `tries` sequences are tried in each game, but every move
        once. The positions are those of the game itself, hidden things included. The array is valid
        until the next step.
        """
        self._all_or_none(self._kept(), "weigh", tries)
        return _joined([part.outcomes for part in self.parts])

    # --- steps -----------------------------------------------------------------------------------

    def play(self, choices: Array) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Play a move in each game and return the rewards and the games that ended.

        A choice is the place of a move among those of its game. Rewards are by game and seat. In
        the rows of games that ended the next ones have begun; `table("final")` has the scores of
        the old ones. Raises ValueError for a choice that there is not, and OutOfTime under a
        deadline that passes; nothing is played then.
        """
        counts = self.counts
        if len(choices) != len(counts) or ((choices < 0) | (choices >= counts)).any():
            raise ValueError("a choice is none of the legal moves: see `counts`")
        self._offered = None
        kept, first = self._kept(), 0
        for part in self.parts:
            part.chosen[:] = choices[first : first + part.rows]
            first += part.rows
        self._all_or_none(kept, "step")
        over: NDArray[np.bool_] = _joined([part.over for part in self.parts]).astype(np.bool_)
        rewards = np.zeros((len(counts), self.players))
        if over.any():
            rewards[over] = _shares(self.table("won")[over, 0], self.players)
        over |= self.failed
        self._ended += int(np.count_nonzero(over))
        return rewards, over

    def copy(self, sources: Array) -> None:
        """Make each row a copy of the row that `sources` names for it, with what is to come.

        Copies go on alike with the same moves: chance is part of a game.
        """
        rows = np.asarray(sources)
        if rows.shape != self._rows.shape or ((rows < 0) | (rows >= len(rows))).any():
            raise ValueError("`sources` has a row of the batch for each row")
        copied = _joined([part.whole for part in self.parts])[rows]
        first = 0
        for part in self.parts:
            part.whole[:] = copied[first : first + part.rows]
            first += part.rows
        self._offered = None
        self._each("run", "list_rows")

    def step(self, actions: Array) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Play an action in each game, as `play` does; raises ValueError for an illegal one."""
        owners = self.owners
        found = np.flatnonzero(self._actions() == np.asarray(actions)[owners])
        if len(found) != len(self._rows) or (owners[found] != self._rows).any():
            raise ValueError("an action is not legal: see `masks`")
        return self.play(found - self.offsets[:-1])

    def _actions(self) -> NDArray[np.int64]:
        if self._offered is None:
            legal = np.asarray(self.legal, np.int64)
            asked = self.table("asked")[:, 0][self.owners]
            self._offered = np.zeros(len(legal), np.int64)
            for choice in np.unique(asked).tolist():
                own = asked == choice
                rows = self.actions.by_place(choice, legal[own], self.table, self.owners[own])
                self._offered[own] = self.actions.numbers(choice, rows)
        return self._offered

    def _kept(self) -> list[tuple[Array, Array]]:
        """Return copies of all games, for the case that a deadline passes."""
        return [part.keep() for part in self.parts] if active() else []

    def _all_or_none(self, kept: list[tuple[Array, Array]], name: str, *given: int) -> None:
        """Call a method of each part; if a deadline passes, all games are as they were kept."""
        try:
            self._each(name, *given)
        except OutOfTime:
            for part, each in zip(self.parts, kept, strict=True):
                part.restore(each)
            raise

    def _each(self, name: str, *given: int | str) -> None:
        """Call a method of each part, in a thread of its own; all have ended when one fails."""
        deadlines = active()
        first, *others = (partial(getattr(part, name), deadlines, *given) for part in self.parts)
        started = [self._pool.submit(call) for call in others] if self._pool else []
        try:
            first()
            for call in started:
                call.result()
        except Fault as fault:
            raise fault_error(fault) from None
        finally:
            wait(started)


def _joined(arrays: list[Array]) -> Array:
    """Return an array of all rows; without a copy if it is one already."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _shares(winners: Array, players: int) -> NDArray[np.float64]:
    """Return the rewards by seat (see `rl.Environment`) for masks of winners."""
    won = winners[:, None].astype(np.int64) >> np.arange(players) & 1
    count = won.sum(1, keepdims=True)
    lost = -1 / np.maximum(players - count, 1)
    shared = np.where(won == 1, 1 / np.maximum(count, 1), lost)
    return np.where((count == 0) | (count == players), 0.0, shared)
