"""Engines that play lowered games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from time import perf_counter

from rulesdsl.deadline import OutOfTime
from rulesdsl.diagnostics import Source
from rulesdsl.engines import history
from rulesdsl.engines.compiled import position
from rulesdsl.engines.compiled.machine import Machine, Tables, seats_of, write_generator
from rulesdsl.engines.compiled.position import LoweredPosition
from rulesdsl.engines.compiled.shared import Lowered
from rulesdsl.engines.engine import Playout, Position, RulePlace, digest
from rulesdsl.engines.playouts import seeds_of
from rulesdsl.engines.rng import Rng
from rulesdsl.model.checked import Checked
from rulesdsl.model.table import RAN
from rulesdsl.runtime.faults import Fault
from rulesdsl.runtime.tables import COLUMNS

WORD = 0xFFFFFFFF
PATIENCE = 0.1
"""So many seconds may pass before a user can interrupt playouts."""

GAMES = 8
"""How many games, by number of players, are kept ready at a time."""

Ready = tuple[Lowered, Machine]
"""A game that is lowered and compiled, and a machine on which nothing has happened: its copies
share the large tables that are no part of a position."""


class LoweredEngine:
    """A `run.engine.Engine`, made of what makes a checked game for a number of players ready."""

    def __init__(self, ready: Callable[[Checked, int], Ready]) -> None:
        @lru_cache(GAMES)
        def kept(game: Same, players: int) -> Ready:
            return ready(game.checked, players)

        self._ready = kept

    def start(self, checked: Checked, players: int, seed: int | None) -> LoweredPosition:
        """Return a new game at its first decision.

        Chance is resolved from the seed, or without one asked for as decisions. Raises PlayError
        when the rules fail before the first decision.
        """
        lowered, blank = self._ready(Same(checked), players)
        return position.start(lowered, blank.clone(), seed)

    def from_bytes(self, checked: Checked, data: bytes) -> Position:
        """Return the position that `to_bytes` gave `data` for.

        Raises `SavedError` for what is not one of this game.
        """
        return history.from_bytes(checked, data, partial(self.start, checked))

    def playouts(
        self, checked: Checked, players: int, seed: int, games: range, limit: int
    ) -> Iterator[Playout]:
        """Play games of a seed at random and yield their results.

        Each game is given up after `limit` moves. Raises PlayError at the first one in which a rule
        fails.
        """
        lowered, blank = self._ready(Same(checked), players)
        machine = blank.clone()
        lowered.asking = None
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
            # Between two calls a user can interrupt.
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

    def told(self, checked: Checked, players: int, seed: int, moves: Sequence[int]) -> Playout:
        """What comes of the game of a seed in which these candidates are played, one after the
        other. Raises PlayError when a rule fails."""
        lowered, blank = self._ready(Same(checked), players)
        machine = blank.clone()
        lowered.asking = None
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

    def _fail(self, checked: Checked, players: int, seeds: tuple[int, int], limit: int) -> None:
        """Play a game in which a rule fails by itself, for the words.

        Raises PlayError.
        """
        chance, luck = seeds
        self.start(checked, players, chance).playout(limit, luck)


class MarkedGame:
    """A `run.engine.Trial` of a marked program."""

    def __init__(self, ready: Ready) -> None:
        self._lowered, self._blank = ready

    def start(self, seed: int) -> LoweredPosition:
        """Return a new game at its first decision; raises PlayError when a rule fails before it."""
        return position.start(self._lowered, self._blank.clone(), seed)

    def told(
        self, seed: int, moves: Sequence[int], *, finish: bool = False
    ) -> tuple[Playout | None, frozenset[RulePlace]]:
        """Play these candidates of the game of a seed, with `finish` then end it, and give the
        result and the rules that ran. If one fails, the telling ends there without a result."""
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


@dataclass(frozen=True, eq=False)
class Same:
    """A checked game that is equal to itself alone."""

    checked: Checked

    def __hash__(self) -> int:
        return id(self.checked)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.checked is other.checked


def results(tables: Tables, players: int) -> list[Playout]:
    """What the table `results` tells of the games that were played."""
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


def sources_of(checked: Checked) -> Mapping[str, Source]:
    """Return the files of rules by name."""
    rules = (ruleset.rules for ruleset in checked.game.rulesets)
    return {source.name: source for source in rules if source is not None}


def key_of(checked: Checked, players: int) -> str:
    """Tells lowered games apart: with the number of players, all settings, and the names of the
    files."""
    return "\0".join([digest(checked), str(players), *sources_of(checked)])
