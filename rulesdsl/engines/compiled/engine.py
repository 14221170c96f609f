"""The engine of lowered games."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from io import BytesIO
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
from rulesdsl.lower.plan import ENTRIES, PLAYING, Plan
from rulesdsl.model.checked import Checked
from rulesdsl.model.tables import RAN
from rulesdsl.records import dataclass
from rulesdsl.runtime.faults import Fault
from rulesdsl.runtime.tables import COLUMNS


def dump_plan(plan: Plan) -> bytes:
    """Return a plan as bytes, without its program and its game."""
    parts = {id(part): name for name, part in _parts(plan.checked).items()}
    parts[id(plan.program)] = "program"
    file = BytesIO()
    _Pickler(file, parts).dump(plan)
    return file.getvalue()


def restore_plan(content: bytes, checked: Checked) -> Plan:
    """Return the plan that was dumped, for an equal game.

    The content must come from a trusted source, because it is unpickled.
    """
    plan: Plan = _Unpickler(BytesIO(content), {**_parts(checked), "program": None}).load()
    return plan


def _parts(checked: Checked) -> dict[str, object]:
    """Return the objects that plans share with their games, by name."""
    states = {f"state {key}": definition for key, definition in checked.states.items()}
    return {"checked": checked, "game": checked.game, **states}


class _Pickler(pickle.Pickler):
    """A pickler that writes a name for each part that has one."""

    def __init__(self, file: BytesIO, names: Mapping[int, str]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._names = names

    def persistent_id(self, part: object) -> str | None:
        return self._names.get(id(part))


class _Unpickler(pickle.Unpickler):
    """An unpickler that replaces names by the parts they stand for."""

    def __init__(self, file: BytesIO, parts: Mapping[str, object]) -> None:
        super().__init__(file)
        self._parts = parts

    def persistent_load(self, name: str) -> object:
        return self._parts[name]


WORD = 0xFFFFFFFF
PATIENCE = 0.1
"""The time in seconds after which a user can interrupt playouts."""

GAMES = 8
"""The number of prepared games, by number of players, that are cached."""

Ready = tuple[Lowered, Machine]
"""A game that is lowered and compiled, and a machine in its initial state.

The copies of the machine share the large tables that are not part of a position.
"""

Prepare = Callable[[Checked, int, Sequence[str]], tuple[Plan, Machine]]
"""A function that lowers and compiles a game for a number of players.

The program has these entries, and the machine is in its initial state.
"""


class LoweredEngine:
    """An `engines.engine.Engine`, made of a function that prepares a checked game.

    Games are played by a program with the entries `PLAYING`. The whole program, with all `ENTRIES`,
    is made when a bot first searches.
    """

    def __init__(self, prepare: Prepare) -> None:
        @lru_cache(2 * GAMES)
        def kept(game: Same, players: int, entries: Sequence[str]) -> Ready:
            plan, machine = prepare(game.checked, players, entries)
            if entries == ENTRIES:
                return Lowered(plan, machine.clone), machine
            return Lowered(plan, lambda: prepare(game.checked, players, ENTRIES)[1]), machine

        self._kept = kept

    def _ready(self, checked: Checked, players: int, entries: Sequence[str] = PLAYING) -> Ready:
        """Return a game that is lowered and compiled, and a machine in its initial state."""
        return self._kept(Same(checked), players, entries)

    def start(
        self, checked: Checked, players: int, seed: int | None, *, searches: bool = False
    ) -> LoweredPosition:
        """Return a new game at its first decision.

        Chance is resolved from the seed; without a seed its outcomes are offered as decisions. If a
        bot `searches` anyway, the game is compiled only once. Raises PlayError when the rules fail
        before the first decision.
        """
        lowered, blank = self._ready(checked, players, ENTRIES if searches else PLAYING)
        return position.start(lowered, blank.clone(), seed)

    def from_bytes(self, checked: Checked, data: bytes) -> Position:
        """Return the position that was saved by `to_bytes`.

        Raises SavedError for bytes that are not a position of this game.
        """
        return history.from_bytes(checked, data, partial(self.start, checked))

    def playouts(
        self, checked: Checked, players: int, seed: int, games: range, limit: int
    ) -> Iterator[Playout]:
        """Play games of a seed at random and yield their results in order.

        Each game is given up after `limit` moves. Raises PlayError at the first game in which a
        rule fails.
        """
        lowered, blank = self._ready(checked, players)
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

    def told(self, checked: Checked, players: int, seed: int, moves: Sequence[int]) -> Playout:
        """Play candidates of the game of a seed, one after the other, and return the result.

        Raises PlayError when a rule fails.
        """
        lowered, blank = self._ready(checked, players)
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
        """Repeat a game in which a rule fails to raise its PlayError."""
        chance, luck = seeds
        self.start(checked, players, chance).playout(limit, luck)


class MarkedGame:
    """An `engines.engine.Trial` of a program that marks the rules it runs."""

    def __init__(self, plan: Plan, blank: Machine, whole: Callable[[], Machine]) -> None:
        """Make a game of a `blank` machine; `whole` makes a machine of its whole program."""
        self._lowered, self._blank = Lowered(plan, whole), blank

    def start(self, seed: int) -> LoweredPosition:
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


@dataclass(frozen=True, eq=False)
class Same:
    """A checked game that is compared by identity."""

    checked: Checked

    def __hash__(self) -> int:
        return id(self.checked)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.checked is other.checked


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


def sources_of(checked: Checked) -> Mapping[str, Source]:
    """Return the files of rules by name."""
    rules = (ruleset.rules for ruleset in checked.game.rulesets)
    return {source.name: source for source in rules if source is not None}


def key_of(checked: Checked, players: int, entries: Sequence[str]) -> str:
    """Return a key that identifies a lowered game.

    It depends on the game, all settings, the number of players, the entries of the program and the
    names of the files.
    """
    return "\0".join([digest(checked), str(players), *entries, *sources_of(checked)])
