"""Shared by the tests of the board: one game in the tables of the runtime and as a plain world."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rulesdsl.engine.lower.tables.box import box_tables, measure
from rulesdsl.engine.lower.tables.encoding import Encoding
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.words.box import Absent as BuiltinFault
from rulesdsl.engine.runtime import effects, faults, groups, heap, places, tables
from rulesdsl.engine.runtime.declare import DeclaredTable
from rulesdsl.language.builtins import effect_on
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.types import BOOL
from rulesdsl.language.model.values import Cell, Face, Grid, Piece, Placement, Segment, Value
from tests.oracle import board
from tests.oracle.board import placements
from tests.oracle.effects import perform
from tests.oracle.world import World
from tests.runtime.handmade import fill
from tests.small_games import box_of

ROOT = Path(__file__).parents[2]
BOXES = {
    "plain": ROOT / "tests/engines/boxes/plain.yaml",
    "wide": ROOT / "tests/runtime/boxes/wide.yaml",
    "trine": ROOT / "tests/runtime/boxes/trine.yaml",
    "base": ROOT / "rulesets/base.yaml",
    "mosaic": ROOT / "tests/games/mosaic.yaml",
    "stones": ROOT / "tests/games/stones.yaml",
}
TABLES = {name: table for name, table in vars(tables).items() if isinstance(table, DeclaredTable)}


GROW = ("place",) * 10 + ("stand", "stand", "link", "unlink", "turn", "away", "wrong")
TANGLE = ("stand", "link", "knot", "unlink", "unlink", "relink", "place")
"""What random steps do, mostly to lay pieces or mostly to join and part what lies there."""

Asked = tuple[Any, ...]
"""A function and its arguments."""


class Nothing(Exception):
    """A random step has nothing to be tried on."""


class Both:
    """A game at its start, in both forms; whatever is done is done to both, and must go the same
    way. Only one of these can be in use at a time: the tables are the runtime's own."""

    def __init__(self, name: str, players: int = 2) -> None:
        game = box_of(BOXES[name])
        checked = Checked(game, {}, {}, {}, {}, (), "", "", "")
        self.encoding = Encoding(checked, players)
        dims = measure(checked, players, self.encoding) | {"joints": 64, "heap": 1 << 14}
        fill(dims, box_tables(checked, players, self.encoding, dims))
        tables.fuel[0] = 1 << 40
        places.start_all()
        groups.rebuild()
        self.world = World(game, players)
        self.box = self.world.box
        self.done: set[tuple[str, bool]] = set()

    def number(self, value: Value) -> int:
        return self.encoding.encode(value, BOOL)

    def numbers(self, values: Iterable[Any]) -> list[int]:
        return [self.number(value) for value in values]

    def set(self, values: Iterable[Value]) -> int:
        """A set on the heap."""
        made = heap.begin()
        for value in values:
            heap.push(made, self.number(value))
        return made

    def laid(self) -> list[Piece]:
        return list(self.world.laid())

    def segments(self) -> list[Segment]:
        """All segments on grids."""
        return [s for piece in self.laid() for s in board.segments(self.world, piece)]

    def some_segments(self, rng: Rng) -> list[Segment]:
        """Some segments of any pieces, laid or not, shown or not."""
        pieces = [self.box.pieces[rng.below(len(self.box.pieces))] for _ in range(3)]
        return [Segment(piece.index, index) for piece in pieces for index in range(3)]

    def is_reserved(self, segment: Segment) -> bool:
        """Is there a number for the segment?"""
        first = self.encoding.piece_segment
        return first[segment.piece] + segment.index < first[segment.piece + 1]

    def kind_number(self, segment: Segment) -> int:
        """The number of the feature kind of a segment."""
        kinds = [kind.key for kind in self.box.game.feature_kinds]
        return kinds.index(board.kind(self.world, segment))

    # --- doing -----------------------------------------------------------------------------------

    def do(self, effect: str, *arguments: Any) -> None:
        """Do an effect to both, which must be possible for both or for none."""

        def reference() -> None:
            perform(self.world, effect, arguments)

        expected = outcome(reference)
        assert outcome(lambda: self._core(effect, arguments)) == expected
        self.done.add((effect, expected is None))

    def _core(self, effect: str, arguments: tuple[Any, ...]) -> None:
        getattr(effects, effect_on(effect, arguments))(*self.numbers(arguments))

    def random_step(self, rng: Rng, steps: tuple[str, ...] = GROW) -> None:
        """Try one of these steps on something."""
        try:
            self._step(rng, steps[rng.below(len(steps))])
        except Nothing:
            return

    def _step(self, rng: Rng, step: str) -> None:
        def one(items: Any) -> Any:
            if not items:
                raise Nothing
            return items[rng.below(len(items))]

        def of(*classes: str) -> Any:
            return one([p for p in self.box.pieces if self.box.cls(p) in classes])

        segments, world = self.segments(), self.world
        match step:
            case "place":
                grid: Grid = one(self.box.grids)
                piece = of(*world.box.game.grids[grid.grid].holds)
                self.do("place", piece, one(placements(world, grid, piece)))
            case "stand":
                covered = [c for p in self.laid() for c in board.covered(world, p)]
                self.do("move", of("figure", "token"), one(one([segments, covered])))
            case "link":
                a: Segment = one(segments)
                self.do("link", a, one(self._alike(a)))
            case "knot":
                a = one(segments)
                self.do("link", a, one([s for s in self._alike(a) if s.piece == a.piece]))
            case "unlink":
                a = one(segments)
                self.do("unlink", a, one(board.joined(world, a)))
            case "relink":
                self.do("link", *one(sorted(world.unlinks)))
            case "turn":
                die: Piece = of("die")
                number = rng.below(len(world.box.kind(die).faces))
                self.do("turn_to", die, Face(world.box.piece(die).kind, number))
            case "away":
                self.do("move", one(self.laid()), one(self.box.zones))
            case "wrong":
                self.do("link", one(segments), one(segments))
                self.do("unlink", one(segments), one(segments))
                self.do("place", one(self.box.pieces), self.random_placement(rng))

    def _alike(self, segment: Segment) -> list[Segment]:
        """The laid segments of its kind."""
        return [s for s in self.segments() if self.kind_number(s) == self.kind_number(segment)]

    def random_placement(self, rng: Rng) -> Placement:
        """Any placement near the centre of a grid."""
        grid = self.box.grids[rng.below(len(self.box.grids))]
        x, y = rng.below(7) - 2, rng.below(7) - 2
        return Placement(Cell(grid.grid, grid.index, y, x), rng.below(self.box.game.sides))


def outcome(of: Callable[[], Any]) -> Any:
    """What it gives, or "fault"."""
    try:
        return of()
    except (BuiltinFault, faults.Fault):
        return "fault"


def members(made: int) -> list[int]:
    """A set, which is taken off the heap."""
    found = tables.heap[made + 1 : made + 1 + tables.heap[made]]
    assert made + 1 + len(found) == tables.heap_top[0], "it is not the topmost one"
    heap.release(made)
    return list(found)


def same_set(both: Both, core: Asked, reference: Asked) -> None:
    """Both give the same set, or both fault; nothing else is left on the heap."""
    top = tables.heap_top[0]
    found = outcome(lambda: members(core[0](*core[1:])))
    if found == "fault":
        heap.release(top)
    assert found == outcome(lambda: both.numbers(reference[0](*reference[1:])))
    assert tables.heap_top[0] == top


def same(both: Both, core: Asked, reference: Asked) -> None:
    """Both give the same value, or both fault."""
    found = outcome(lambda: core[0](*core[1:]))
    assert found == outcome(lambda: both.number(reference[0](*reference[1:])))


def possible(asked: Asked) -> bool:
    """Does it give anything but a fault?"""
    return bool(outcome(lambda: asked[0](*asked[1:])) != "fault")
