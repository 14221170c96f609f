"""An engine: it starts games, restores them, and plays many of them, whatever they run on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from threading import local
from time import perf_counter

from rulesdsl.base.deadline import OutOfTime
from rulesdsl.engine.lower.plan import ENTRIES, PLAYING
from rulesdsl.engine.run import history, position
from rulesdsl.engine.run.interface import Listener, Playout, Position, RulePlace
from rulesdsl.engine.run.lowered import Lowered
from rulesdsl.engine.run.machine import Machine
from rulesdsl.engine.run.moves import seats_of
from rulesdsl.engine.run.playouts import seeds_of
from rulesdsl.engine.run.position import LoweredPosition, write_generator
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.runtime.faults import Fault
from rulesdsl.engine.runtime.tables import COLUMNS
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.tables import RAN, Tables

WORD = 0xFFFFFFFF
PATIENCE = 0.1
"""The time in seconds after which a user can interrupt playouts."""


class PreparedGame(local):
    """A game for a number of players, ready to be played; each thread has a machine of its own.

    `lowered` is what the positions of the thread share, `blank` a machine in its initial state. The
    copies of the machine share the large tables that are not part of a position.
    """

    def __init__(self, lowered: Lowered, blank: Machine) -> None:
        self.lowered = lowered
        self.blank = blank


class LoweredEngine:
    """An `engines.engine.Engine` that plays prepared games."""

    def __init__(
        self,
        prepared: Callable[[Checked, int, Sequence[str]], PreparedGame],
        marked: Callable[[Checked, int], PreparedGame],
    ) -> None:
        """Play what `prepared` returns for a game, its number of players and entries.

        `marked` returns one that marks the rules it runs.
        """
        self._prepared = prepared
        self._marked = marked

    def start(
        self,
        checked: Checked,
        players: int,
        seed: int | None,
        *,
        searches: bool = False,
        hearing: Callable[[LoweredPosition], Listener] | None = None,
    ) -> LoweredPosition:
        """Return a new game at its first decision, for the calling thread.

        Chance is resolved from the seed; without a seed its outcomes are offered as decisions. A
        game is played by a program with the entries `PLAYING`; if a bot `searches`, by the whole
        one, so that it is compiled only once. `hearing` returns the listener of what happens before
        the first decision. Raises PlayError when the rules fail then.
        """
        game = self._prepared(checked, players, ENTRIES if searches else PLAYING)
        return position.start(game.lowered, game.blank.clone(), seed, hearing)

    def from_bytes(self, checked: Checked, data: bytes) -> Position:
        """Return the position that was saved by `to_bytes`, for the calling thread.

        Raises `SavedError` for data that are not a saved position of this game.
        """
        return history.from_bytes(checked, data, partial(self.start, checked))

    def playouts(
        self, checked: Checked, players: int, seed: int, games: range, limit: int
    ) -> Iterator[Playout]:
        """Play games of a seed at random and yield their results in order; other threads go on.

        Each game is given up after `limit` moves. Raises PlayError at the first game in which a
        rule fails.
        """
        game = self._prepared(checked, players, PLAYING)
        machine = game.blank.clone()
        game.lowered.asking = None
        done, some = 0, 1
        while done < len(games):
            begun = perf_counter()
            count = min(some, len(games) - done) if games.step == 1 else 1
            stopped: Fault | OutOfTime | None = None
            machine.tables["results_count"][0] = 0
            try:
                machine.call("playouts", seed & WORD, seed >> 32 & WORD, games[done], count, limit)
            except (Fault, OutOfTime) as error:
                stopped = error
            # A user can interrupt only between two calls.
            if perf_counter() - begun < PATIENCE:
                some = min(2 * some, machine.tables["BATCH"][0])
            found = results(machine.tables, players)
            done += len(found)
            yield from found
            if isinstance(stopped, Fault):
                if not stopped.again:
                    raise position.limit_error(stopped, machine) from None
                self._fail(checked, players, seeds_of(seed, games[done]), limit)
                raise AssertionError("a game fails only among others") from stopped
            if stopped is not None:
                raise stopped

    def _fail(self, checked: Checked, players: int, seeds: tuple[int, int], limit: int) -> None:
        """Replay a failed game to raise its PlayError."""
        chance, luck = seeds
        self.start(checked, players, chance).playout(limit, luck)

    def told(self, checked: Checked, players: int, seed: int, moves: Sequence[int]) -> Playout:
        """Play candidates of the game of a seed in the calling thread, and return the result.

        Raises PlayError when a rule fails.
        """
        game = self._prepared(checked, players, PLAYING)
        machine = game.blank.clone()
        game.lowered.asking = None
        write_generator(machine.tables, Rng.seeded(seed))
        try:
            machine.call("start_told")
            for index in moves:
                machine.call("play_told", index)
        except Fault as fault:
            if not fault.again:
                raise position.limit_error(fault, machine) from None
            played = self.start(checked, players, seed)
            for index in moves:
                played.play(index)
            raise AssertionError("a rule fails only among others") from fault
        machine.call("tell", 0, len(moves))
        return results(machine.tables, players)[0]

    def trial(self, checked: Checked, players: int) -> MarkedGame:
        """Prepare a game for a few plays in the calling thread.

        Its module is neither optimised nor cached.
        """
        return MarkedGame(self._marked(checked, players))


class MarkedGame:
    """An `engines.engine.Trial` of a program that marks the rules it runs."""

    def __init__(self, game: PreparedGame) -> None:
        self._lowered, self._blank = game.lowered, game.blank

    def start(self, seed: int | None) -> LoweredPosition:
        """Return a new game at its first decision; raises PlayError when a rule fails before it."""
        return position.start(self._lowered, self._blank.clone(), seed)

    def told(
        self, seed: int, moves: Sequence[int], *, finish: bool = False
    ) -> tuple[Playout | None, frozenset[RulePlace]]:
        """Play candidates of the game of a seed and return the result and the rules that ran.

        With `finish` the game is then ended. If a rule fails, the play stops there and the result
        is None.
        """
        lowered, machine = self._lowered, self._blank.clone()
        lowered.asking = None
        playout: Playout | None
        tables, marks = machine.tables, lowered.plan.marks
        tables[RAN][:] = [0] * len(marks)
        write_generator(tables, Rng.seeded(seed))
        try:
            machine.call("start_told")
            for index in moves:
                machine.call("play_told", index)
            if finish:
                machine.call("finish")
            machine.call("tell", 0, len(moves))
            playout = results(tables, lowered.players)[0]
        except Fault:
            playout = None
        ran = frozenset(place for place, passed in zip(marks, tables[RAN], strict=True) if passed)
        return playout, ran


def results(tables: Tables, players: int) -> list[Playout]:
    """Return the results of the games that were played, read from the table `results`."""
    width = COLUMNS + players * (1 + tables["SOURCES"][0])
    count = tables["results_count"][0]
    numbers = tables["results"][: count * width]
    rows = (numbers[at : at + width] for at in range(0, len(numbers), width))
    starts = range(COLUMNS + players, width, players)
    return [
        Playout(
            row[0],
            row[1] == 1,
            seats_of(row[2]),
            tuple(row[COLUMNS : COLUMNS + players]),
            row[3],
            row[4],
            row[5],
            tuple(tuple(row[at : at + players]) for at in starts),
        )
        for row in rows
    ]
