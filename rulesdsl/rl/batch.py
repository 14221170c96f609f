"""Batches of games, with their tables as NumPy arrays."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulesdsl.engines.compiled.machine import write_generator
from rulesdsl.engines.playouts import seeds_of
from rulesdsl.engines.rng import Rng
from rulesdsl.play.game import Game
from rulesdsl.rl.actions import Actions
from rulesdsl.rl.observe import Observed, Observer

Array = NDArray[Any]


class Batch:
    """A batch of `count` games, loaded with the engine `wasm`, each at its own pace.

    Game n of the batch begins as game n of the seed; when a game is over, the next game of the seed
    takes its row. All states are in one array, a row for each game, and `table` gives views of it
    without a copy. They include hidden information; `observe` gives only what players may see.
    Raises ValueError for another engine, a number of players that the game is not for, or too many
    actions, and PlayError if a rule fails.
    """

    def __init__(self, game: Game, count: int, players: int | None = None, seed: int = 0) -> None:
        # The package of this engine may not be installed.
        if game.engine != "wasm":
            raise ValueError("a batch plays on the engine `wasm`")
        from rulesdsl.engines.wasm.machine import WasmMachine

        self._position = game.start(players, 0).position
        machine = self._position._machine  # type: ignore[attr-defined]
        assert isinstance(machine, WasmMachine)
        self._machine = machine
        self.players = self._position.players
        plan = self._position.plan  # type: ignore[attr-defined]
        self.actions, self.observer = Actions(plan), Observer(plan)
        self._score = plan.states[plan.checked.score].data
        self._layout = machine.sharing.instance.program.layout
        self._states = np.zeros((count, self._layout.state), np.uint8)
        self._seed, self.begun = seed, 0
        self._offered = [np.zeros(0, np.int64)] * count
        self.numbers = np.zeros(count, np.int64)
        """The number of the game of the seed in each row."""
        for row in range(count):
            self._begin(row)

    def table(self, name: str) -> Array:
        """Return a state table (see `rulesdsl.runtime.tables`) of all games, a row for each.

        It is a read-only view that shows the current states, also after further steps.
        """
        place = self._layout.places[name]
        if place.role != "state":
            raise ValueError(f"`{name}` is no part of the state")
        part = self._states[:, place.address : place.address + place.bytes]
        view: Array = part.view(np.dtype(place.width.format))
        view.flags.writeable = False
        return view

    @property
    def movers(self) -> Array:
        """The seat to move in each game, as a view like those of `table`."""
        return self.table("asked_seat")[:, 0]

    @property
    def scores(self) -> Array:
        """The scores by game and seat, as a view like those of `table`."""
        return self.table(self._score)[:, : self.players]

    def masks(self) -> NDArray[np.int8]:
        """Return the action mask of the mover of each game, as a new array."""
        found = np.zeros((len(self._offered), self.actions.count), np.int8)
        for row, offered in enumerate(self._offered):
            found[row, offered] = 1
        return found

    def offered(self, row: int) -> NDArray[np.int64]:
        """Return the actions of the mover of one game, in the order of its moves."""
        return self._offered[row]

    def observe(self) -> Observed:
        """Return the observation of the mover of each game, as a new array."""
        found = np.empty((len(self._offered), self.observer.size), np.int32)
        for row in range(len(self._offered)):
            found[row] = self.observer.observe(partial(self._entries, row), int(self.movers[row]))
        return found

    def step(self, actions: Array) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Play an action in each game and return the rewards and the games that ended.

        Rewards are by game and seat. In the rows of games that ended the next ones have begun.
        Raises ValueError for an illegal action, and then plays nothing.
        """
        rows = [np.flatnonzero(o == a) for o, a in zip(self._offered, actions, strict=True)]
        if not all(len(each) for each in rows):
            raise ValueError("an action is not offered: see `masks`")
        rewards = np.zeros((len(rows), self.players))
        over = np.zeros(len(rows), np.bool_)
        for row, (index, *_) in enumerate(rows):
            self._machine.restore(self._states[row].tobytes())
            self._machine.call("enumerate_moves")
            self._machine.call("play", int(index))
            if self._machine.tables["waiting"][0]:
                self._keep(row)
                continue
            over[row] = True
            rewards[row] = _shares(self._machine.tables["winners"][0], self.players)
            self._begin(row)
        return rewards, over

    def _begin(self, row: int) -> None:
        """Start a new game in a row."""
        self.numbers[row] = self.begun
        chance, _ = seeds_of(self._seed, self.begun)
        self.begun += 1
        write_generator(self._machine.tables, Rng.seeded(chance))
        self._machine.call("start")
        self._keep(row)

    def _keep(self, row: int) -> None:
        """Store the game in the machine as that of a row, with its legal actions."""
        self._states[row] = np.frombuffer(self._machine.keep(), np.uint8)
        tables = self._machine.tables
        count, width = tables["move_count"][0], tables["move_width"][0]
        moves = np.array(tables["moves"][: count * width], np.int64).reshape(count, width)
        self._offered[row] = self.actions.numbers(tables["asked"][0], moves)

    def _entries(self, row: int, name: str) -> Array:
        entries: Array = self.table(name)[row]
        return entries


def _shares(winners: int, players: int) -> list[float]:
    """Return the rewards by seat (see `rulesdsl.rl.Environment`)."""
    won = winners.bit_count()
    if won in (0, players):
        return [0.0] * players
    return [1 / won if winners >> seat & 1 else -1 / (players - won) for seat in range(players)]
