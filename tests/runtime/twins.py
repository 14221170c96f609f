"""A plain world and the runtime's tables at the same position, side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from rulesdsl.engine.lower.tables.box import box_tables, measure
from rulesdsl.engine.lower.tables.encoding import Encoding
from rulesdsl.engine.run.words.box import Absent as BuiltinFault
from rulesdsl.engine.runtime import declare, effects, faults, tables
from rulesdsl.engine.runtime import heap as heaps
from rulesdsl.engine.runtime.declare import DeclaredTable
from rulesdsl.engine.runtime.places import pieces_at, start_all
from rulesdsl.language.builtins import effect_on
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.game import LinkedGame
from rulesdsl.language.model.types import PIECE
from rulesdsl.language.model.values import (
    Piece,
    Value,
)
from tests.engines.worlds import plain, type_of
from tests.oracle.effects import perform
from tests.oracle.world import World
from tests.runtime.handmade import fill
from tests.runtime.worlds import Worlds
from tests.small_games import built

TABLES = {name: table for name, table in vars(tables).items() if isinstance(table, DeclaredTable)}
STATES = [table for table in TABLES.values() if table.role == "state"]
ROOT = Path(__file__).parents[2]
GAMES = {
    "plain": (2, 3),
    "tests/games/mosaic.yaml": (2,),
    "tests/games/stones.yaml": (3,),
    "tests/games/vault.yaml": (2,),
    "rulesets/base.yaml": (2,),
}
"""The games that are tried, each with these numbers of players."""

MEANINGS = {
    "cannot lie at": faults.MISFIT,
    "nobody plays": faults.ABSENT,
    "does not hold": faults.NOT_HELD,
    "cannot stand on": faults.NOT_HELD,
    "is full": faults.FULL,
    "stands on it": faults.STOOD_ON,
    "outside of the grid": faults.OUTSIDE,
    "does not lie on a grid": faults.NOT_LAID,
    "does not show": faults.NOT_SHOWN,
    "has no face": faults.FACE,
    "where its segments stay": faults.FACE,
    "with its segments up": faults.ELSEWHERE,
    "it can only be counted": faults.HIDDEN,
    "not joined directly": faults.JOINT,
    "is one segment": faults.JOINT,
    "of different kinds": faults.JOINT,
    "keeps no order": faults.NO_ORDER,
    "keep no order": faults.NO_ORDER,
    "does not fit into": faults.FULL,
    "has no position": faults.NO_ORDER,
    "has no limit": faults.NO_LIMIT,
    "did not begin in a zone": faults.NO_HOME,
    "it is here:": faults.ELSEWHERE,
    "past the end": faults.TRACK_END,
    "on another track": faults.OTHER_TRACK,
    " has no ": faults.NOT_HELD,
}
"""What the messages of the plain world contain, and the fault that is meant: the first fits."""


def meant(fault: BuiltinFault) -> int:
    """The number of a fault of the plain world."""
    return next(code for words, code in MEANINGS.items() if words in fault.message)


@cache
def game_of(name: str) -> Checked:
    """A game; the plain box is one without rules."""
    if name == "plain":
        return Checked(plain(), {}, {}, {}, {}, (), "", "", "")
    return built(ROOT / name)


@cache
def laid_out(
    name: str, players: int
) -> tuple[Encoding, dict[str, int], dict[str, tuple[int, ...]]]:
    """What `Twins` need of a game: dimensions and const tables among it."""
    checked = game_of(name)
    encoding = Encoding(checked, players)
    dims = measure(checked, players, encoding) | {"heap": 1 << 14, "moves": 64}
    dims["joints"] = 2 * dims["segments"]
    return encoding, dims, box_tables(checked, players, encoding, dims)


class Twins:
    """The plain world and the tables, with everything where it begins."""

    def __init__(self, name: str, players: int) -> None:
        self.encoding, dims, values = laid_out(name, players)
        fill(dims, values)
        tables.fuel[0] = 1 << 40
        self.bounds = {
            name: (declare.measure(table.low, dims), declare.measure(table.high, dims))
            for name, table in TABLES.items()
            if table.role == "state" and not table.size.startswith("st")
        }
        """What state tables may hold, but those of frames."""
        self.game: LinkedGame = game_of(name).game
        self.world = World(self.game, players)
        self.worlds = Worlds(self.encoding, self.world)
        start_all()

    # --- doing -------------------------------------------------------------------------------

    def both(self, reference: Callable[[], None], core: Callable[[], object]) -> int:
        """Do the same with both; gives the fault of both, 0 if there was none. After a fault both
        are as before."""
        before = [list(table) for table in STATES]
        top = heaps.mark()
        expected = found = 0
        try:
            reference()
        except BuiltinFault as fault:
            expected = meant(fault)
        try:
            core()
        except faults.Fault as fault:
            found = fault.code
            for table, row in zip(STATES, before, strict=True):
                table[:] = row
            heaps.release(top)
        assert found == expected, (faults.MESSAGES.get(found), faults.MESSAGES.get(expected))
        assert heaps.mark() == top
        return found

    def do(self, effect: str, *arguments: Value) -> int:
        """An effect; gives the fault, 0 for none."""
        return self.both(
            lambda: perform(self.world, effect, arguments),
            lambda: self._core(effect, arguments),
        )

    def _core(self, effect: str, arguments: tuple[Value, ...]) -> None:
        act = getattr(effects, effect_on(effect, arguments))
        act(*(self.encoding.encode(each, type_of(each)) for each in arguments))

    # --- comparing ---------------------------------------------------------------------------

    def compare(self) -> None:
        """Both are at the same position."""
        world, found = self.world, self.worlds.read(TABLES)
        assert found.places == world.places
        assert found.faces == world.faces
        assert found.known == world.known
        assert found.face_down == world.face_down
        assert found.shuffled == world.shuffled
        assert (found.links, found.unlinks) == (world.links, world.unlinks)
        assert exchangeable(found) == exchangeable(world)
        for name, (low, high) in self.bounds.items():
            assert low <= min(TABLES[name], default=low), name
            assert max(TABLES[name], default=high) <= high, name
        self._compare_lists()

    def _compare_lists(self) -> None:
        world = self.world
        at: dict[int, list[int]] = {}
        for piece, place in world.places.items():
            if self.worlds.number(place) >= 0:
                at.setdefault(self.worlds.number(place), []).append(piece.index)
        for zone, inside in world.zones.items():
            if inside:
                at[self.worlds.number(zone)] = [piece.index for piece in inside]
        for number in range(len(tables.head)):
            expected = at.get(number, [])
            top = heaps.mark()
            assert set_at(pieces_at(number)) == expected
            heaps.release(top)
            assert tables.amount[number] == len(expected)
            backwards, last = [], tables.tail[number]
            while last >= 0:
                backwards.append(last)
                last = tables.piece_before[last]
            assert backwards == expected[::-1]

    # --- asking ------------------------------------------------------------------------------

    def ask(self, reference: Callable[[], Value], core: Callable[[], int]) -> None:
        """Both give the same: numbers, or sets (the runtime's as an offset)."""
        given: list[Value] = []
        answers: list[object] = []

        def core_answer() -> None:
            top = heaps.mark()
            answer = core()
            if isinstance(given[0] if given else 0, tuple):
                answers.append(set_at(answer))
                assert heaps.mark() == answer + 1 + tables.heap[answer]
            else:
                answers.append(answer)
            heaps.release(top)

        fault = self.both(lambda: given.append(reference()), core_answer)
        if not fault:
            assert answers == [self.numbers(given[0])]

    def numbers(self, value: Value) -> object:
        """A value as the runtime has it, a set as a list of numbers."""
        if isinstance(value, tuple):
            return [self.numbers(item) for item in value]
        return self.encoding.encode(value, PIECE)


def set_at(offset: int) -> list[int]:
    """The items of a set or list on the heap."""
    return tables.heap[offset + 1 : offset + 1 + tables.heap[offset]]


def exchangeable(world: World) -> set[frozenset[Piece]]:
    """Which pieces that not all know could be exchanged."""
    groups: dict[int, set[Piece]] = {}
    for piece, pool in world.pools.items():
        if world.known[piece] != world.box.seats:
            groups.setdefault(pool, set()).add(piece)
    return {frozenset(group) for group in groups.values()}
